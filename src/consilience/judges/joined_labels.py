"""People's labels from a second place, joined to the verdicts by the names of the items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from consilience.core.words import counted, first_of
from consilience.exceptions import InputError
from consilience.ratings import Ratings
from consilience.ratings.item_codes import code_matrix

_MOST_NAMED = 3


@dataclass(frozen=True)
class Joined:
    """Verdicts and labels together, and what did not join.

    Attributes
    ----------
    ratings : Ratings
        The items of the verdicts, by judges and people.
    people : tuple
        Who came from the second place.
    n_joined, n_verdicts : int
        Items with both, and items with a verdict.
    unknown : tuple
        Items that people labelled and no judge has seen.
    """

    ratings: Ratings
    people: tuple[object, ...]
    n_joined: int
    n_verdicts: int
    unknown: tuple[object, ...]

    @property
    def told(self) -> str:
        """What joined and what did not, in a sentence or two."""
        text = (
            f"{counted(self.n_joined, 'item')} of {self.n_verdicts:,} with verdicts have labels by "
            f"people ({first_of(self.people, 4)})."
        )
        if self.unknown:
            some = first_of([str(one) for one in self.unknown], _MOST_NAMED)
            text += f" {counted(len(self.unknown), 'labelled item')} without a verdict: {some}."
        return text


def join_people(verdicts: Ratings, people: Ratings) -> Joined:
    """Join people's labels to verdicts by the names of the items.

    Parameters
    ----------
    verdicts : Ratings
        Of the judges.
    people : Ratings
        Of people, on some of the same items.

    Returns
    -------
    Joined

    Raises
    ------
    InputError
        No item is in both, or a rater is.

    Examples
    --------
    >>> from consilience import Ratings
    >>> judged = Ratings.from_wide({"gpt": ["a", "b", "b"]}, items=["q1", "q2", "q3"])
    >>> own = Ratings.from_wide({"Ann": ["a", "a"]}, items=["q2", "q9"])
    >>> print(join_people(judged, own).told)
    1 item of 3 with verdicts have labels by people (Ann). 1 labelled item without a verdict: q9.
    """
    both = [name for name in people.raters if str(name) in set(map(str, verdicts.raters))]
    if both:
        raise InputError.expected(
            "people and judges", "different raters", f"{first_of(both, 4)} in both files",
            "rename one of them",
        )  # fmt: skip
    place = {str(name): k for k, name in enumerate(verdicts.items)}
    row = np.array([place.get(str(name), -1) for name in people.items], dtype=np.int64)
    if not (row >= 0).any():
        raise InputError.expected(
            "people's items", f"named as those of the verdicts ({_some(verdicts)})", _some(people),
            "name the column of the items with --item, or rename them",
        )  # fmt: skip
    labels = list(verdicts.categories)
    code_of = {str(label): k for k, label in enumerate(labels)}
    for label in people.categories:
        if str(label) not in code_of:
            code_of[str(label)] = len(labels)
            labels.append(label)
    turned = np.array([*(code_of[str(label)] for label in people.categories), -1], dtype=np.int64)
    own = np.full((verdicts.n_items, len(people.raters)), -1, dtype=np.int64)
    own[row[row >= 0]] = turned[code_matrix(people)][row >= 0]
    unknown = tuple(name for name, k in zip(people.items, row, strict=True) if k < 0)
    return Joined(
        ratings=_together(verdicts, people, own, labels),
        people=tuple(people.raters),
        n_joined=int((own >= 0).any(axis=1).sum()),
        n_verdicts=verdicts.n_items,
        unknown=unknown,
    )


def _together(verdicts: Ratings, people: Ratings, own: object, labels: list[object]) -> Ratings:
    codes = np.hstack([code_matrix(verdicts), np.asarray(own)])
    item, rater = np.indices(codes.shape)
    declared = verdicts.categories_declared and len(labels) == len(verdicts.categories)
    joined = Ratings.from_codes(
        item=item.ravel(),
        rater=rater.ravel(),
        label=codes.ravel(),
        items=verdicts.items,
        raters=[*verdicts.raters, *people.raters],
        categories=labels,
        scale=verdicts.scale,
        declared=declared,
        design=verdicts.design,
        notes=verdicts.notes,
    )
    return joined if verdicts.clusters is None else joined.with_clusters(
        verdicts.clusters.codes.tolist(), verdicts.clusters.name
    )  # fmt: skip


def _some(ratings: Ratings) -> str:
    return first_of([str(name) for name in list(ratings.items)[:_MOST_NAMED]], _MOST_NAMED)
