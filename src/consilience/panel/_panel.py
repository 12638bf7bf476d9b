"""Who is a person, who is a system, and the ratings as codes: checked once, before any number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.coefficients.unsettled_scale import require_scale
from consilience.core.arrays import Floats, Ints
from consilience.core.cell_values import as_number, whole
from consilience.core.words import counted, first_of
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.judges.people_and_systems import Who, sorted_out
from consilience.judges.verdicts import from_matrix
from consilience.ratings import Ratings, as_ratings
from consilience.ratings.clusters import Clusters
from consilience.ratings.rating_tables import code_matrix, labels_used, per_item, refusal_words
from consilience.ratings.stores import NumberMatrix
from consilience.rows.reduce import label_order

POLICIES = ("category", "missing", "wrong")
MOST_PEOPLE = 60  # every pair of people is measured
MOST_LABELS = 512  # above, resampling would recount every number: the linearised error instead


@dataclass(frozen=True)
class Panel:
    """People and systems, their codes, and which answers were refused.

    `codes` are items x raters, people first, -1 for no rating; `refused` marks answers that were
    refused or could not be parsed and are not among the codes; `values` are the ratings themselves
    where they are numbers that hardly repeat.
    """

    ratings: Ratings
    people: tuple[object, ...]
    systems: tuple[object, ...]
    left_out: tuple[object, ...]
    codes: Ints
    refused: NDArray[np.bool_]
    refusals: dict[object, int]
    policy: str
    values: Floats | None = None

    def select(self, raters: Sequence[object]) -> Ratings:
        """Return the ratings of some raters; numbers that hardly repeat stay numbers."""
        if self.values is None:
            return self.ratings.select(raters=raters)
        columns = self.values[:, [self.column(rater) for rater in raters]]
        return Ratings.from_wide(
            columns, raters=raters, items=self.ratings.items, scale=self.ratings.scale
        )

    @property
    def raters(self) -> tuple[object, ...]:
        """People, then systems: the columns of `codes`."""
        return self.people + self.systems

    def column(self, rater: object) -> int:
        """Return the column of a rater."""
        return self.raters.index(rater)

    @property
    def points(self) -> Floats | None:
        """The labels as numbers, or as ranks where they are ordered; None for mere names."""
        if self.ratings.numbers is not None:
            return np.asarray(self.ratings.numbers, dtype=np.float64)
        if self.ratings.ordered and self.ratings.scale != "nominal":
            return np.arange(len(self.ratings.categories), dtype=np.float64)
        return None

    def by_name(self, codes: Ints) -> tuple[Ints, Ints]:
        """Number labels that are mere names anew, by name, so that draws do not depend on a list.

        The second array turns the numbers back; what is left out and what was refused, one beyond
        the labels, keep theirs.
        """
        n_labels = len(self.ratings.categories)
        order = label_order(self.ratings)
        back = np.append(np.arange(n_labels) if order is None else order, (n_labels, -1))
        return np.append(np.argsort(back[:-1]), -1)[codes], back

    def marks(self) -> Floats:
        """Return the ratings as numbers, NaN where there is none."""
        points = self.points
        assert points is not None
        return np.append(points, np.nan)[self.codes]


def prepare(
    data: Any,
    *,
    systems: Any = None,
    people: Any = None,
    apart: Sequence[object] = (),
    refusals: Any = (),
    refused: str | None = None,
    scale: str | None = None,
) -> Panel:
    """Sort the raters into people and systems, and set refusals apart; `apart` are neither."""
    ratings = as_ratings(data).on_scale_of_words()
    if not ratings.raters:
        raise UnsupportedDesignError.needs(
            "a panel",
            "to know who gave which rating",
            "counts of ratings per item",
            "bring the ratings in long or wide form",
        )
    used = labels_used(ratings) if people is None else None
    who = sorted_out(ratings.raters, systems=systems, people=people, apart=apart, labels=used)
    panel, chosen = _checked(who)
    kept = ratings.select(raters=[*panel, *chosen])
    codes = code_matrix(kept)
    given = _refusal_codes(kept, refusals)
    if scale is None:
        _require_scale(kept, codes, given)
    is_refused = np.isin(codes, given)
    policy = _policy(refused, scale or kept.scale, given)
    counts = {
        rater: int(n) for rater, n in zip(kept.raters, is_refused.sum(axis=0), strict=True) if n
    }
    drop = given if policy != "category" else []
    values = _numbers(ratings, kept.raters)
    if drop or (scale is not None and scale != kept.scale):
        kept, codes = _rebuilt(kept, codes, drop, scale or kept.scale)
        values = None
    held_apart = is_refused if policy == "wrong" else np.zeros_like(is_refused)
    _check_overlap(codes, panel, chosen, counts)
    left = tuple(name for name in who.left_out if name not in apart)
    return Panel(kept, panel, chosen, left, codes, held_apart, counts, policy, values)


def _require_scale(ratings: Ratings, codes: Ints, refusals: list[int]) -> None:
    """Refuse marks that would be measured as names, also where a refusal stands among them."""
    if refusals and ratings.told_scale is None:
        labels = [x for k, x in enumerate(ratings.categories) if k not in set(refusals)]
        if None in map(_number, labels):
            return
        parts = _rebuilt(ratings, codes, refusals, "interval")[0].parts()
        ratings = Ratings.of_parts(replace(parts, scale=ratings.scale, scale_told=False))
    require_scale(ratings, "a panel")


def _numbers(ratings: Ratings, raters: Sequence[object]) -> Floats | None:
    store = ratings.store
    if not isinstance(store, NumberMatrix) or len(ratings.categories) <= MOST_LABELS:
        return None
    return np.asarray(store.values[:, [ratings.raters.index(rater) for rater in raters]])


def _checked(who: Who) -> tuple[tuple[object, ...], tuple[object, ...]]:
    """Return people and systems; nobody may be both, and there must be somebody of each."""
    both = [name for name in who.people if name in who.systems]
    if both:
        raise InputError.expected(
            "people and systems",
            "different raters",
            f"{first_of(both, 8)} in both lists",
            "take the name out of one of them",
        )
    if not who.people:
        raise UnsupportedDesignError.needs(
            "a panel",
            "at least one person beside the systems",
            f"the systems {first_of(who.systems, 8)} and nobody else",
            "name as systems only the raters that are no people",
        )
    if len(who.people) > MOST_PEOPLE:
        raise UnsupportedDesignError.needs(
            "a panel",
            f"at most {MOST_PEOPLE} people, because every pair of them is measured",
            f"{len(who.people):,}",
            "name the people who rated most items with people=[...]",
        )
    return who.people, who.systems


def _refusal_codes(ratings: Ratings, refusals: Any) -> list[int]:
    marks = refusal_words(refusals)
    return [k for k, label in enumerate(ratings.categories) if str(label) in marks]


def _policy(refused: str | None, scale: str, given: list[int]) -> str:
    if refused is not None and refused not in POLICIES:
        raise InputError.unknown_word("refused", refused, POLICIES)
    if refused is None:
        return "category" if scale == "nominal" else "missing"
    if refused == "category" and scale != "nominal" and given:
        raise InputError.expected(
            "refused",
            f'"missing" or "wrong" on a scale that is {scale}',
            refused,
            "a refusal has no place among marks",
        )
    return refused


def _rebuilt(ratings: Ratings, codes: Ints, drop: list[int], scale: str) -> tuple[Ratings, Ints]:
    """Return the ratings without some labels and on another scale."""
    keep = [k for k in range(len(ratings.categories)) if k not in set(drop)]
    labels = [ratings.categories[k] for k in keep]
    order = list(range(len(keep)))
    if scale != "nominal" and not ratings.categories_declared:
        numbers = [_number(label) for label in labels]
        if None not in numbers:
            labels = list(numbers)
            order = sorted(order, key=lambda k: numbers[k])  # type: ignore[arg-type,return-value]
    new_code = np.full(len(ratings.categories) + 1, -1)
    new_code[[keep[k] for k in order]] = np.arange(len(keep))
    recoded = new_code[codes]
    rebuilt = from_matrix(
        recoded,
        ratings,
        categories=[labels[k] for k in order],
        scale=scale,
        declared=ratings.categories_declared,
    )
    return rebuilt, code_matrix(rebuilt)


def _number(label: object) -> float | int | None:
    number = as_number(label)
    return None if number is None else whole(number)


def _check_overlap(
    codes: Ints,
    people: tuple[object, ...],
    systems: tuple[object, ...],
    refusals: Mapping[object, int],
) -> None:
    rated = codes >= 0
    by_people = rated[:, : len(people)].any(axis=1)
    for place, system in enumerate(systems, len(people)):
        if (rated[:, place] & by_people).any():
            continue
        own = f"{counted(int(rated[:, place].sum()), 'item')} of its own"
        if refusals.get(system):
            own += f" and {refusals[system]:,} refusals"
        raise UnsupportedDesignError.needs(
            f"the system {system!s}",
            "at least one item that a person rated, too",
            f"{own}, {counted(int(by_people.sum()), 'item')} of the people, none in common",
            "leave the system out"
            if refusals.get(system) and not rated[:, place].any()
            else "check that both name the items in the same way",
        )


def cluster_codes(ratings: Ratings, clusters: Any, known: Clusters | None = None) -> Ints | None:
    """Number the documents that the items come from; `known` are those of the ratings given."""
    if clusters is None:
        return known.codes if known and known.codes.size == ratings.n_items else None
    listed = per_item(ratings, clusters, "clusters")
    if any(value is None for value in listed):
        raise InputError.expected(
            "clusters",
            "given for every item",
            f"none for {sum(value is None for value in listed):,} items",
            "name the document of each item",
        )
    numbers: dict[str, int] = {}
    codes = np.array([numbers.setdefault(str(value), len(numbers)) for value in listed])
    if len(numbers) < 2:
        raise InputError.expected(
            "clusters",
            "at least two different ones",
            f"only {next(iter(numbers), None)!r}",
            "one document has no spread: leave clusters out, or use a finer unit",
        )
    return codes


def cluster_name(clusters: Any, known: Clusters | None = None) -> str:
    """Return what the documents are called: as the column given, or as those of the ratings."""
    usual = known.name if known is not None and clusters is None else "cluster"
    return str(getattr(clusters, "name", None) or usual)
