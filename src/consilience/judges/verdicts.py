"""From ratings to what judges said of every item, and people of some, here or in a second place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from consilience.core.arrays import Floats, Ints, Mask
from consilience.core.labels import is_missing
from consilience.core.words import counted, first_of
from consilience.document.blocks import Found
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.judges.people_and_systems import matching, sorted_out
from consilience.judges.rate_estimators import TwoPhase
from consilience.ratings import Ratings, as_ratings
from consilience.ratings.clusters import Clusters
from consilience.ratings.rating_tables import (
    code_matrix,
    labels_used,
    numbers_per_item,
    per_item,
    refusal_words,
)

# ---- From ratings to what judges said of every item, and people of some.

NO, YES, REFUSED = 0, 1, 2


@dataclass(frozen=True)
class Verdicts:
    """Judges' answers and the truth, as codes of labels.

    Attributes
    ----------
    judges, people : tuple
        Their names, in the order of the columns.
    labels : tuple
        What the codes stand for.
    codes : array
        Items x judges, -1 where a judge was not asked.
    refused : array of bool
        Items x judges: asked, and no verdict came.
    votes : array
        Items x labels: how many people gave each.
    cluster : array of int or None
    """

    ratings: Ratings
    judges: tuple[object, ...]
    people: tuple[object, ...]
    labels: tuple[object, ...]
    codes: Ints
    refused: Mask
    votes: Ints
    cluster: Ints | None = None

    def judge(self, name: object = None) -> int:
        """Return the column of a judge; the only one needs no name."""
        if name is None:
            if len(self.judges) == 1:
                return 0
            raise InputError.expected(
                "judge", "named, as there are several", first_of(self.judges, 4), "name one of them"
            )
        return self.judges.index(matching(self.judges, name, "judge")[0])

    def label(self, wanted: object) -> int:
        """Return the code of a label; an unknown one is refused with a guess."""
        for k, label in enumerate(self.labels):
            if label == wanted and type(label) is type(wanted):
                return k
        for k, label in enumerate(self.labels):
            if str(label) == str(wanted):
                return k
        raise InputError.unknown_word("label", wanted, [str(label) for label in self.labels])

    @property
    def truth(self) -> Ints:
        """The label that most people gave to each item; -1 without one, or where two tie."""
        best = self.votes.max(axis=1)
        first = self.votes.argmax(axis=1)
        tied = (self.votes == best[:, None]).sum(axis=1) > 1
        return np.where((best == 0) | tied, -1, first)

    def of_items(self, kept: Mask) -> Verdicts:
        """Return what was said of some of the items."""
        return replace(
            self,
            codes=self.codes[kept],
            refused=self.refused[kept],
            votes=self.votes[kept],
            cluster=None if self.cluster is None else self.cluster[kept],
        )

    def asked(self, column: int) -> Mask:
        """Which items a judge was asked about."""
        return np.asarray((self.codes[:, column] >= 0) | self.refused[:, column])

    def of_label(self, wanted: object, judge: object = None, weight: Any = None) -> TwoPhase:
        """Return the sample that tells how often a label is the right one."""
        column, code = self.judge(judge), self.label(wanted)
        asked = self.asked(column)
        said = self.codes[asked, column]
        refused = self.refused[asked, column]
        predicted = (said == code) & ~refused
        votes = self.votes[asked]
        total = votes.sum(axis=1)
        with np.errstate(invalid="ignore"):
            truth = np.where(total > 0, votes[:, code] / total, np.nan)
        state = np.where(refused, REFUSED, np.where(predicted, YES, NO))
        return TwoPhase(
            predicted=predicted.astype(np.float64),
            truth=truth,
            state=_collapsed(state, ~np.isnan(truth)),
            cluster=None if self.cluster is None else self.cluster[asked],
            weight=self._weights(weight, asked),
        )

    def of_scores(self, judge: object = None, weight: Any = None) -> TwoPhase:
        """Return the sample that tells the mean score; refused items are left out."""
        column, points = self.judge(judge), _points(self.ratings)
        asked = self.codes[:, column] >= 0
        votes = self.votes[asked].astype(np.float64)
        total = votes.sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            truth = np.where(total > 0, votes @ points / total, np.nan)
        return TwoPhase(
            predicted=points[self.codes[asked, column]],
            truth=truth,
            state=np.zeros(int(asked.sum()), dtype=np.int64),
            cluster=None if self.cluster is None else self.cluster[asked],
            weight=self._weights(weight, asked),
            is_rate=False,
        )

    def _weights(self, weight: Any, asked: Mask) -> Floats | None:
        """Return one weight per item that was asked about; those without a label need none."""
        if weight is None:
            return None
        weights = numbers_per_item(self.ratings, weight, "weights")[asked]
        has_label = self.votes[asked].sum(axis=1) > 0
        bad = ~(weights > 0) & has_label
        if bad.any():
            raise InputError.expected(
                "weights",
                "a number above 0 for every item that people labelled",
                f"none for {int(bad.sum()):,} of them",
                "give one over the probability with which each was picked",
            )
        return np.where(has_label, weights, 1.0)


def _collapsed(state: Ints, labelled: Mask, least: int = 5) -> Ints:
    """Take refusals for a mere no where too few of them were labelled to stand alone."""
    if int((state[labelled] == REFUSED).sum()) < least:
        return np.where(state == REFUSED, NO, state)
    return state


def _points(ratings: Ratings) -> Floats:
    """Return the labels as numbers, or refuse words."""
    if ratings.numbers is None:
        raise UnsupportedDesignError.needs(
            "a mean score",
            "labels that are numbers",
            first_of([str(label) for label in ratings.categories], 4),
            "ask for the rate of one label",
        )
    return np.asarray(ratings.numbers, dtype=np.float64)


def verdicts_of(
    data: Any,
    *,
    judges: Any = None,
    people: Any = None,
    gold: Any = None,
    refusals: Any = (),
    clusters: Any = None,
) -> Verdicts:
    """Sort raters into judges and people; `gold` is a rater, or a right label for each item."""
    ratings = as_ratings(data)
    is_rater = isinstance(gold, (str, int))
    standard = matching(ratings.raters, [gold], "gold")[0] if is_rater else None
    if standard is not None and people is None:
        people = [standard]
    codes, labels = code_matrix(ratings), tuple(ratings.categories)
    if gold is not None and standard is None:
        named = _judges(ratings, judges, people)
        right, longer = coded_beside(labels, per_item(ratings, gold, "gold"))
        seats: tuple[object, ...] = ()
        labels, votes = tuple(longer), votes_of(right[:, None], len(longer))
    else:
        used = labels_used(ratings) if people is None else None
        who = sorted_out(ratings.raters, systems=judges, people=people, labels=used)
        named, seats = who.systems, who.people
        _check_apart(named, seats)
        votes = votes_of(codes[:, [ratings.raters.index(name) for name in seats]], len(labels))
    words = refusal_words(refusals)
    refusal = np.array([str(label) in words for label in labels] + [False])
    own = codes[:, [ratings.raters.index(name) for name in named]]
    votes[:, refusal[:-1]] = 0  # a person who refuses has given no label either
    refused = refusal[own]
    return Verdicts(
        ratings=ratings,
        judges=tuple(named),
        people=seats,
        labels=labels,
        codes=np.where(refused, -1, own),
        refused=refused,
        votes=votes,
        cluster=clusters_of(ratings, clusters),
    )


def verdicts_alone(
    data: Any, *, judges: Any = None, refusals: Any = (), clusters: Any = None
) -> Verdicts:
    """Return verdicts without people: every rater, or those who are named, is a judge."""
    ratings = as_ratings(data)
    label = ratings.categories[0] if ratings.n_items else None
    nobody = dict.fromkeys(map(str, ratings.items), label)
    return verdicts_of(ratings, judges=judges, gold=nobody, refusals=refusals, clusters=clusters)


def _check_apart(judges: Sequence[object], people: Sequence[object]) -> None:
    both = [name for name in people if name in judges]
    if both or not people:
        raise InputError.expected(
            "people and judges",
            "different raters" if both else "at least one each",
            f"{first_of(both, 4)} in both lists" if both else "judges only",
            "name the people, or the column of right answers as gold",
        )


def _judges(ratings: Ratings, judges: Any, people: Any) -> tuple[object, ...]:
    """Return the judges where the right labels stand beside the ratings."""
    if judges is not None:
        return matching(ratings.raters, judges, "judges")
    known = () if people is None else matching(ratings.raters, people, "people")
    return tuple(name for name in ratings.raters if name not in known)


def coded_beside(labels: Sequence[object], more: Iterable[object]) -> tuple[Ints, list[object]]:
    """Return further labels as codes, -1 for none, and all labels, the new ones last."""
    place = {str(label): k for k, label in enumerate(labels)}
    longer, codes = list(labels), []
    for label in more:
        if not is_missing(label) and str(label) not in place:
            place[str(label)] = len(longer)
            longer.append(label)
        codes.append(-1 if is_missing(label) else place[str(label)])
    return np.array(codes, dtype=np.int64), longer


def from_matrix(
    codes: Ints,
    like: Ratings,
    *,
    categories: Sequence[object],
    scale: str,
    declared: bool,
    items: Sequence[object] | None = None,
    raters: Sequence[object] | None = None,
) -> Ratings:
    """Make ratings from items x raters of codes; items that nobody rated stay."""
    item, rater = np.indices(codes.shape)
    return Ratings.from_codes(
        item=item.ravel(),
        rater=rater.ravel(),
        label=codes.ravel(),
        items=like.items if items is None else items,
        raters=like.raters if raters is None else raters,
        categories=categories,
        scale=scale,
        declared=declared,
        design=like.design,
        notes=like.notes,
    )


def votes_of(codes: Ints, n_labels: int) -> Ints:
    """Count how many raters gave each label to each item."""
    votes = np.zeros((codes.shape[0], n_labels), dtype=np.int64)
    for column in codes.T:
        given = np.flatnonzero(column >= 0)
        votes[given, column[given]] += 1  # one rating per item and rater: no item comes twice
    return votes


def clusters_of(ratings: Ratings, clusters: Any) -> Ints | None:
    """Return the cluster of each item: those given, or those of the ratings."""
    if clusters is None:
        return None if ratings.clusters is None else ratings.clusters.codes
    return Clusters.of(per_item(ratings, clusters, "clusters"), ratings.items).codes


def first_occasion(table: Verdicts) -> Found:
    """Say, where items were rated repeatedly, what became of it."""
    message = "Of repeated ratings only the first counts here."
    return len(table.ratings.occasions) > 1, "first_occasion", "info", message


# ---- People's labels from a second place, joined to the verdicts by the names of the items.

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
            "people and judges",
            "different raters",
            f"{first_of(both, 4)} in both files",
            "rename one of them",
        )
    place = {str(name): k for k, name in enumerate(verdicts.items)}
    row = np.array([place.get(str(name), -1) for name in people.items], dtype=np.int64)
    if not (row >= 0).any():
        raise InputError.expected(
            "people's items",
            f"named as those of the verdicts ({_some(verdicts)})",
            _some(people),
            "name the column of the items with --item, or rename them",
        )
    turned, labels = coded_beside(verdicts.categories, people.categories)
    own = np.full((verdicts.n_items, len(people.raters)), -1, dtype=np.int64)
    own[row[row >= 0]] = np.append(turned, -1)[code_matrix(people)][row >= 0]
    joined = from_matrix(
        np.hstack([code_matrix(verdicts), own]),
        verdicts,
        categories=labels,
        scale=verdicts.scale,
        declared=verdicts.categories_declared and len(labels) == len(verdicts.categories),
        raters=[*verdicts.raters, *people.raters],
    )
    known = verdicts.clusters
    unknown = tuple(name for name, k in zip(people.items, row, strict=True) if k < 0)
    return Joined(
        ratings=joined if known is None else joined.with_clusters(known.codes.tolist(), known.name),
        people=tuple(people.raters),
        n_joined=int((own >= 0).any(axis=1).sum()),
        n_verdicts=verdicts.n_items,
        unknown=unknown,
    )


def _some(ratings: Ratings) -> str:
    return first_of([str(name) for name in list(ratings.items)[:_MOST_NAMED]], _MOST_NAMED)
