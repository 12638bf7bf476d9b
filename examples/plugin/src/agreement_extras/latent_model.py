"""The label that most raters gave, as the simplest model of the truth."""

from collections import Counter
from dataclasses import dataclass

from consilience.document import Document, Table
from consilience.latent import LATENT_MODELS, LatentModel
from consilience.latent.votes import entries_of


@dataclass(frozen=True, kw_only=True)
class Plurality:
    """The most common label of each item."""

    labels: dict
    findings: tuple = ()

    def to_dict(self):
        """Return plain data."""
        return {"labels": {str(item): str(label) for item, label in self.labels.items()}}

    def document(self):
        """Return what there is to read."""
        return Document(blocks=(Table(heads=("item", "label"), rows=[*self.labels.items()]),))


def plurality(ratings):
    """Count the votes; the label that was given first wins a tie."""
    entries = entries_of("plurality", ratings)
    votes = {}
    for item, label in zip(entries.item.tolist(), entries.label.tolist(), strict=True):
        votes.setdefault(ratings.items[item], Counter())[ratings.categories[label]] += 1
    return Plurality(labels={item: count.most_common(1)[0][0] for item, count in votes.items()})


LATENT_MODELS.add(LatentModel("plurality", "the most common label", (), plurality))
