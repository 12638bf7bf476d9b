"""Decisions taken back: raters against gold, agreement before and after, a label for every item."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from consilience.coefficients import Estimate, estimate, registry
from consilience.core.arrays import Indices
from consilience.core.labels import label_key
from consilience.core.labels import plain as plain_label
from consilience.core.result import Several
from consilience.core.words import counted, interval_head, shortened
from consilience.document import Document, Finding, Range, Table
from consilience.document.records import Recorded, plain_record
from consilience.exceptions import ConsilienceError, InputError
from consilience.inference import Interval
from consilience.inference.intervals import check_confidence_level, wilson_limits
from consilience.latent.adjudication import Adjudication, adjudicate
from consilience.latent.votes import Entries, check_ratings
from consilience.ratings import Ratings

# ---- what adjudication came to

_MOST_SHOWN = 40
AFTER = (
    "After: every rating of an adjudicated item replaced by its gold label. It shows how much of "
    "the disagreement the adjudicated items hold; it is no measure of how well raters agree."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldRater(Recorded):
    """One rater against the gold labels.

    `kappa` is Cohen's, weighted where the scale is ordered; NaN where it is undefined. In a crowd
    of more than 100 raters it is unweighted and has no interval.
    """

    rater: object
    n_gold: int
    n_right: int
    accuracy: float
    interval: Interval
    kappa: float
    kappa_interval: Interval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalLabel(Recorded):
    """The label that an item ends up with, and where it comes from."""

    item: object
    label: object
    source: str
    probability: float


@dataclass(frozen=True, kw_only=True)
class Resolved(Several):
    """What adjudication came to; made by `resolve` or by `consilience.io.read_sheet`.

    Attributes
    ----------
    n_gold, n_open : int
        Items with a gold label, and contested items still without one.
    raters : tuple of GoldRater
    before, after : Estimate
        The coefficient as rated, and with every rating of an adjudicated item replaced by gold.
    adjudicated : Estimate or None
        The coefficient on the adjudicated items alone, as rated.
    model : str
        Where labels without gold come from.
    """

    adjudication: Adjudication = field(repr=False)
    gold: Indices = field(repr=False)
    categories: tuple[object, ...] = field(repr=False)
    n_gold: int
    n_open: int
    raters: tuple[GoldRater, ...] = field(repr=False)
    before: Estimate
    after: Estimate
    adjudicated: Estimate | None
    model: str
    confidence_level: float = 0.95
    findings: tuple[Finding, ...] = field(default=(), repr=False)

    @cached_property
    def labels(self) -> tuple[FinalLabel, ...]:
        """The final label of every item, in the order of the items."""
        return tuple(self._finals())

    def _finals(self) -> Iterator[FinalLabel]:
        found, belief = self.adjudication, self.adjudication.belief
        names = (*self.categories, None)
        starts = found.entries.counts.indptr
        for place, item in enumerate(found.ratings.items):
            source, code = found.source(place), int(belief.suggested[place])
            probability = float(belief.probability[place])
            if self.gold[place] >= 0:
                source, code, probability = "gold", int(self.gold[place]), 1.0
            elif source == "unanimous":
                said = int(found.entries.counts.indices[starts[place]])
                # A model may doubt what all raters say; the label stays, unsure.
                probability = probability if said == code else math.nan
                code = said
            yield FinalLabel(item=item, label=names[code], source=source, probability=probability)

    @property
    def sources(self) -> dict[str, int]:
        """How many labels come from where."""
        return dict(sorted(Counter(one.source for one in self.labels).items()))

    def to_dict(self) -> dict[str, object]:
        """Return plain data with stable keys."""
        level = self.confidence_level
        record = {
            "n_items": self.adjudication.ratings.n_items,
            "n_gold": self.n_gold,
            "n_open": self.n_open,
            "model": self.model,
            "before": self.before.to_dict(confidence_level=level),
            "after": self.after.to_dict(confidence_level=level),
            "adjudicated": None
            if self.adjudicated is None
            else self.adjudicated.to_dict(confidence_level=level),
            "raters": self.raters,
            "sources": self.sources,
            "labels": self.labels,
            "findings": self.findings,
        }
        return plain_record(record)

    def document(self) -> Document:
        """Return the result as something to read."""
        about = (
            f"{counted(self.n_gold, 'item')} with a gold label, "
            f"{counted(self.n_open, 'contested item')} without. Final labels: "
            + ", ".join(f"{n:,} {source}" for source, n in self.sources.items())
            + "."
        )
        return Document.of(
            about,
            self._agreement(),
            AFTER,
            self._raters(),
            title="Adjudicated",
            findings=self.findings,
        )

    def _agreement(self) -> Table:
        level = self.confidence_level
        stages = {
            "before, all items": self.before,
            "before, adjudicated items": self.adjudicated,
            "after, all items": self.after,
        }
        return Table.of(
            [(name, one) for name, one in stages.items() if one is not None],
            ("", "0"),
            (self.before.name, "1.value"),
            (interval_head(level), lambda stage: _limits(stage[1], level)),
            "observed: 1.observed",
            "items: 1.n_items_used",
            caption="Agreement",
        )

    def _raters(self) -> Table:
        order = sorted(self.raters, key=lambda one: (math.isnan(one.accuracy), one.accuracy))
        left = len(order) - _MOST_SHOWN
        note = "On adjudicated items, which are harder than the rest."
        return Table.of(
            order[:_MOST_SHOWN],
            ("rater", lambda one: shortened(str(one.rater))),
            "items: n_gold",
            "right: accuracy",
            (interval_head(self.confidence_level), "interval"),
            "kappa",
            caption="Raters against gold",
            note=note + (f" {counted(left, 'further rater')} not shown." if left > 0 else ""),
        )


def _limits(one: Estimate, level: float) -> Range | None:
    interval = one.confidence_interval(level)
    return Range.of(interval) if math.isfinite(interval.low) else None


# ---- decisions taken back

_NEW_LABELS = ("refuse", "accept")
_MOST_INTERVALS = 100  # raters up to which kappa against gold gets an interval of its own


def resolve(
    ratings: Ratings,
    gold: Mapping[Any, object],
    *,
    model: Any = "auto",
    coefficient: str = "krippendorff_alpha",
    distance: Any = None,
    new_labels: str = "refuse",
    confidence_level: float = 0.95,
) -> Resolved:
    """Compare raters with decided labels, and settle a label for every item.

    Use it when decisions are at hand in Python; `consilience.io.read_sheet` reads them from a
    filled sheet. Accuracy on contested items says little about items nobody disputed.

    Parameters
    ----------
    ratings : Ratings
    gold : mapping
        Item to its decided label; other items keep what all raters said, or what `model` suggests.
    model : str or a fitted model, default "auto"
        As for `adjudicate`.
    coefficient, distance : what agreement is measured with
    new_labels : {"refuse", "accept"}
        Whether a decision may be a label that no rater used.
    confidence_level : float

    Returns
    -------
    Resolved

    Raises
    ------
    InputError
        An item or a label is not known; no decision was given.

    Examples
    --------
    >>> wide = [["a", "a"], ["a", "b"], ["b", "b"], ["b", "a"]]
    >>> ratings = Ratings.from_wide(wide, items=["p", "q", "r", "s"], raters=["Ann", "Bob"])
    >>> done = resolve(ratings, {"q": "b", "s": "a"})
    >>> [(one.item, one.label, one.source) for one in done.labels][:2]
    [('p', 'a', 'unanimous'), ('q', 'b', 'gold')]
    >>> [one.accuracy for one in done.raters]
    [0.0, 1.0]
    """
    level = check_confidence_level(confidence_level)
    check_ratings(ratings)
    codes, categories = _gold_codes(ratings, gold, new_labels)
    found = adjudicate(ratings, model=model, coefficient=coefficient, distance=distance)
    settled = _with_gold(found.entries, ratings, codes, categories)
    only = _only_gold(found.entries, ratings, codes)
    chosen = registry[coefficient]

    def measured(data: Ratings | None) -> Estimate | None:
        if data is None:
            return None
        try:
            return estimate(chosen, (data,), distance=distance, on_undefined="ignore")
        except ConsilienceError:  # no item with two ratings among them
            return None

    before, after = measured(ratings), measured(settled)
    if before is None or after is None:
        raise InputError.expected(
            "ratings", "at least two on some item", "none", "there is no agreement to speak of"
        )
    return Resolved(
        adjudication=found,
        gold=codes,
        categories=categories,
        n_gold=int((codes >= 0).sum()),
        n_open=int((found.contested & (codes < 0)).sum()),
        raters=_raters(found.entries, ratings, codes, categories, level),
        before=before,
        after=after,
        adjudicated=measured(only),
        model=found.model,
        confidence_level=level,
    )


def _gold_codes(ratings: Ratings, gold: Any, new_labels: str) -> tuple[Indices, tuple[object, ...]]:
    """Return the code of each item's gold label (-1: none) and the categories with new ones."""
    if new_labels not in _NEW_LABELS:
        raise InputError.unknown_word("new_labels", new_labels, _NEW_LABELS)
    if not isinstance(gold, Mapping) or not gold:
        raise InputError.expected(
            "gold",
            "a mapping from item to label, with some decisions",
            gold,
            "for example {1: 'a'}",
        )
    places = {label_key(name): k for k, name in enumerate(ratings.items)}
    categories = list(ratings.categories)
    known = {label_key(label): k for k, label in enumerate(categories)}
    codes = np.full(ratings.n_items, -1, dtype=np.intp)
    for item, label in gold.items():
        place = places.get(label_key(plain_label(item)))
        if place is None:
            raise InputError.expected(
                "gold", "about items that were rated", item, "check how the items are called"
            )
        key = label_key(plain_label(label))
        if key not in known:
            _check_new(ratings, label, new_labels)
            known[key] = len(categories)
            categories.append(plain_label(label))
        codes[place] = known[key]
    return codes, tuple(categories)


def _check_new(ratings: Ratings, label: object, new_labels: str) -> None:
    if new_labels == "refuse":
        raise InputError.unknown_word("a gold label", label, [str(x) for x in ratings.categories])
    if ratings.scale != "nominal" and ratings.numbers is None:
        raise InputError.expected(
            "a new gold label",
            "on a nominal scale, or a number",
            label,
            f"list all labels in order as categories= of the {ratings.scale} ratings",
        )


def _with_gold(
    entries: Entries, ratings: Ratings, codes: Indices, categories: Sequence[object]
) -> Ratings:
    """Return the ratings with every rating of an adjudicated item replaced by its gold label."""
    label, order = _ordered(ratings, categories)
    if not entries.n_raters:
        counts = np.zeros((entries.n_items, len(categories)), dtype=np.int64)
        counts[:, : entries.n_labels] = entries.counts.toarray()
        done = np.flatnonzero(codes >= 0)
        counts[done] = 0
        counts[done, codes[done]] = entries.per_item[done].astype(np.int64)
        return Ratings.from_counts(
            counts[:, order], categories=label, items=list(ratings.items), scale=ratings.scale
        )
    mine = codes[entries.item]
    said = np.argsort(order)[np.where(mine >= 0, mine, entries.label)]
    return _coded(entries, ratings, np.arange(entries.n_items), said, label)


def _coded(
    entries: Entries,
    ratings: Ratings,
    items: Indices,
    label: Indices,
    categories: Sequence[object],
) -> Ratings:
    """Return the ratings of some items, with these labels."""
    place = np.full(entries.n_items, -1)
    place[items] = np.arange(items.size)
    kept = place[entries.item] >= 0
    return Ratings.from_codes(
        item=place[entries.item[kept]],
        rater=entries.rater[kept],
        label=label[kept],
        items=[ratings.items[k] for k in items.tolist()],
        raters=ratings.raters,
        categories=categories,
        scale=ratings.scale,
        declared=True,
    )


def _ordered(ratings: Ratings, categories: Sequence[object]) -> tuple[list[object], Indices]:
    """Put new numbers where they belong; other new labels stay at the end."""
    order = np.arange(len(categories))
    if ratings.scale != "nominal" and len(categories) > len(ratings.categories):
        order = np.argsort([float(label) for label in categories])  # type: ignore[arg-type]
    return [categories[k] for k in order.tolist()], order


def _only_gold(entries: Entries, ratings: Ratings, codes: Indices) -> Ratings | None:
    """Return the adjudicated items alone, as rated."""
    done = np.flatnonzero(codes >= 0)
    if not entries.n_raters:
        counts = entries.counts[done].toarray().astype(np.int64)
        names = [ratings.items[k] for k in done.tolist()]
        return Ratings.from_counts(
            counts, categories=ratings.categories, items=names, scale=ratings.scale
        )
    if not (codes[entries.item] >= 0).any():
        return None
    return _coded(entries, ratings, done, entries.label, ratings.categories)


def _raters(
    entries: Entries, ratings: Ratings, codes: Indices, categories: tuple[object, ...], level: float
) -> tuple[GoldRater, ...]:
    """Compare each rater with the gold labels of the items that she rated."""
    if not entries.n_raters:
        return ()
    mine = np.flatnonzero(codes[entries.item] >= 0)
    rater, label, gold = entries.rater[mine], entries.label[mine], codes[entries.item[mine]]
    n = np.bincount(rater, minlength=entries.n_raters).astype(np.float64)
    right = np.bincount(rater[label == gold], minlength=entries.n_raters)
    share = np.divide(right, n, out=np.full(n.size, np.nan), where=n > 0)
    limits = np.stack(wilson_limits(share, np.where(n > 0, n, np.nan), level))
    order = np.argsort(rater, kind="stable")
    ends = np.concatenate([[0], np.cumsum(n)]).astype(int)
    out = []
    for g in range(entries.n_raters):
        part = order[ends[g] : ends[g + 1]]
        kappa, interval = _kappa(ratings, label[part], gold[part], categories, level)
        out.append(
            GoldRater(
                rater=ratings.raters[g],
                n_gold=int(n[g]),
                n_right=int(right[g]),
                accuracy=float(share[g]),
                interval=Interval(float(limits[0, g]), float(limits[1, g]), level, "wilson"),
                kappa=kappa,
                kappa_interval=interval,
            )
        )
    return tuple(out)


def _kappa(
    ratings: Ratings, label: Indices, gold: Indices, categories: tuple[object, ...], level: float
) -> tuple[float, Interval | None]:
    """Return Cohen's kappa of a rater and gold; for a crowd the plain value alone."""
    if label.size == 0:
        return math.nan, None
    if ratings.n_raters > _MOST_INTERVALS:
        shares = [np.bincount(x, minlength=len(categories)) / label.size for x in (label, gold)]
        chance = float(shares[0] @ shares[1])
        observed = float((label == gold).mean())
        return (math.nan if chance >= 1.0 else (observed - chance) / (1.0 - chance)), None
    names, order = _ordered(ratings, categories)
    place = np.argsort(order)
    two = Ratings.from_codes(
        item=np.tile(np.arange(label.size), 2),
        rater=np.repeat([0, 1], label.size),
        label=place[np.concatenate([label, gold])],
        raters=["rater", "gold"],
        categories=names,
        scale=ratings.scale,
        declared=True,
    )
    one = estimate(registry["cohen_kappa"], (two,), on_undefined="ignore")
    if one.status == "undefined":
        return math.nan, None
    interval = one.confidence_interval(level)
    return one.value, interval if math.isfinite(interval.low) else None
