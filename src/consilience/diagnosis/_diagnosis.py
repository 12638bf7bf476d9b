"""Diagnosis: the causes of the agreement that was found, and what limits its interval."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from consilience.coefficients import Estimate, estimate, registry
from consilience.core.result import Several
from consilience.core.verdict import Verdict
from consilience.core.words import number, percent
from consilience.diagnosis._limits import share_of_raters
from consilience.diagnosis._table import RatingTable, table_of
from consilience.diagnosis._who_wins import Named, causes_in
from consilience.diagnosis.sentences import tell
from consilience.document import Document, Finding, Paragraph, Table
from consilience.document.records import Recorded
from consilience.exceptions import ConsilienceError
from consilience.ratings import Ratings, as_ratings

_ALPHA = "krippendorff_alpha"
_MOST_IN_HEADLINE = 2
_WIDE = 0.08  # half the width of an interval from which on more items are worth asking for
_FEW_ITEMS = 25
_RATERS_LIMIT = 0.5
_NOBODY = 0.2  # agreement of the best pair below which nobody can be named
_CODES = {
    "order": "order_ignored",
    "copied": "copied_rater",
    "exchanged": "labels_exchanged",
    "level": "rater_level",
    "spread": "rater_spread",
    "drift": "rater_drift",
    "groups": "rater_groups",
    "guess": "raters_guess",
    "apart": "rater_apart",
    "confused": "labels_confused",
    "section": "section_apart",
    "nobody_shares": "label_not_shared",
    "rare": "rare_labels",
    "items": "contested_items",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause(Recorded):
    """One cause: who or what it is, and what the coefficient would be without it.

    Attributes
    ----------
    code : str
        "order_ignored", "copied_rater", "labels_exchanged", "rater_level", "rater_spread",
        "rater_drift", "rater_groups", "raters_guess", "rater_apart", "labels_confused",
        "section_apart", "label_not_shared", "rare_labels" or "contested_items".
    raters, labels, items : tuple
        Those concerned; the groups of raters are told by the smaller one.
    before, value, low, high : float
        The coefficient before and without the cause, and the interval of the latter. A second
        cause is looked for in data without the first.
    gain : float
        The difference; negative for copies, which raise agreement.
    message, next : str
        What was found, and what to do.
    option : str
        What to add to the command to see the coefficient without it, where an option does that.
    """

    code: str
    raters: tuple[object, ...] = ()
    labels: tuple[object, ...] = ()
    items: tuple[object, ...] = ()
    before: float
    value: float
    low: float = math.nan
    high: float = math.nan
    gain: float
    message: str
    next: str
    option: str = ""

    @property
    def sentence(self) -> str:
        """What was found and what to do."""
        return f"{self.message} {self.next}".rstrip()

    def finding(self) -> Finding:
        """Return the cause as a finding."""
        evidence: dict[str, object] = {
            "gain": self.gain, "before": self.before, "without": self.value,
            "low": None if math.isnan(self.low) else self.low,
            "high": None if math.isnan(self.high) else self.high,
        }  # fmt: skip
        told = {"raters": self.raters, "labels": self.labels, "items": self.items}
        evidence |= {key: list(names) for key, names in told.items() if names}
        grave = self.code == _CODES["copied"]
        return Finding(
            self.code, "problem" if grave else "caution", self.message, self.next, evidence
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis(Recorded, Several):
    """Why agreement is as it is, how sure that is, and what would change it.

    Made by `diagnose`, and with every `measure`.

    Attributes
    ----------
    coefficient, name : str
        What agreement is measured by.
    value : float
    causes : tuple of Cause
        The one that explains most first; at most three.
    limited_by : {"items", "raters"} or None
        What would make the interval narrower; None where it is narrow, or that is not known.
    share_of_raters : float
        Which share of the variance of the value comes from the raters.
    looked : bool
        Whether causes could be looked for: not in counts without raters, nor in sets.
    note : str
        What the data cannot say.
    """

    coefficient: str
    name: str
    value: float
    causes: tuple[Cause, ...] = ()
    limited_by: str | None = None
    share_of_raters: float = math.nan
    looked: bool = True
    note: str = ""

    @property
    def headline(self) -> tuple[Cause, ...]:
        """The causes that stand beside the verdict: at most two."""
        return self.causes[:_MOST_IN_HEADLINE]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The causes as findings, in the order of what they explain, and that raters are few."""
        causes = tuple(one.finding() for one in self.causes)
        if self.limited_by != "raters":
            return causes
        text = (
            f"{self.share_of_raters:.0%} of the uncertainty is about who rates, not about the "
            "items: the interval holds for these raters."
        )
        evidence = {"share_of_raters": self.share_of_raters}
        return (*causes, Finding(_RATERS, "caution", text, _MORE_RATERS, evidence))

    def records(self) -> list[dict[str, Any]]:
        """Return one flat record for what was measured, and one for each cause."""
        measured = {"code": "as_measured", "raters": "", "labels": "", "gain": 0.0,
                    "value": self.value, "low": math.nan, "high": math.nan}  # fmt: skip
        return [measured] + [
            {
                "code": one.code,
                "raters": ", ".join(map(str, one.raters)),
                "labels": ", ".join(map(str, one.labels)),
                "gain": one.gain,
                "value": one.value,
                "low": one.low,
                "high": one.high,
            }
            for one in self.causes
        ]

    def document(self) -> Document:
        """Return the causes as something to read."""
        if not self.causes:
            return Document.of(self.sentence, title="Diagnosis")
        table = Table.of(
            self.causes,
            "code",
            ("without it", "value"),
            ("interval", lambda one: one),
            "gain",
            ("next", "next"),
        )
        told = [Paragraph(one.message) for one in self.causes]
        return Document.of(*told, table, title="Diagnosis")

    @property
    def sentence(self) -> str:
        """The causes in the headline, or that none was found."""
        if self.causes:
            return " ".join(one.sentence for one in self.headline)
        if self.note:
            return self.note
        if not self.looked:
            return "Causes are looked for where it is known who gave which label."
        return "No single cause explains the disagreement."

    def explain(self, verdict: Verdict | None) -> Verdict | None:
        """Return a verdict whose next step takes the largest cause away.

        Parameters
        ----------
        verdict : Verdict or None

        Returns
        -------
        Verdict or None

        Examples
        --------
        >>> from consilience import krippendorff_alpha
        >>> swapped = [["a", "b"], ["b", "a"], ["c", "c"]] * 30
        >>> alpha = krippendorff_alpha(Ratings.from_wide(swapped, raters=["Ann", "Bob"]))
        >>> print(diagnosis_of(alpha).explain(alpha.verdict).next.partition(";")[0])
        Ann and Bob seem to use 'a' and 'b' the other way round
        """
        if verdict is None or verdict.code in ("undefined", "scale_undecided", "no_threshold"):
            return verdict
        high = verdict.code in ("clearly_high", "perfect")
        if self.causes and (not high or self.causes[0].gain < 0.0):
            told = _without_more_items(verdict)
            # A cause that is told here is not told again below.
            says = (*(verdict.says or (verdict.code,)), *(one.code for one in self.headline))
            return replace(told, next=f"{self.sentence} {told.next}".strip(), says=says)
        if self.looked and verdict.code in _ASKS_FOR_MORE and self.limited_by != "items":
            told = _without_more_items(verdict)
            raters = self.limited_by == "raters"
            says = (*(verdict.says or (verdict.code,)), *((_RATERS,) if raters else ()))
            more = _MORE_RATERS if raters else self.sentence
            return replace(told, next=f"{told.next} {more}".strip(), says=says)
        if self.note and verdict.code in ("clearly_low", "no_better_than_chance"):
            return replace(verdict, next=f"{self.note} {verdict.next}")
        return verdict


_RATERS = "raters_limit_interval"
_MORE_RATERS = "More items would not help: have more people rate these."
_ASKS_FOR_MORE = ("straddles_threshold", "no_better_than_chance", "too_few_items", "no_interval")


def _without_more_items(verdict: Verdict) -> Verdict:
    """Return a verdict that does not ask for more items, nor for what follows from no cause."""
    message = verdict.message.removesuffix(verdict.cannot).rstrip()
    next_step = verdict.claim
    return replace(verdict, message=message, next=next_step)


def diagnose(
    ratings: Any, *, coefficient: str = _ALPHA, distance: Any = None, confidence_level: float = 0.95
) -> Diagnosis:
    """Say why agreement is as it is: each cause by what the coefficient would be without it.

    Use it before more is rated: a rater who misread two labels is not mended by more items.

    Parameters
    ----------
    ratings : Ratings, a table of items × raters, or a dataframe
    coefficient : str, default "krippendorff_alpha"
    distance : str, optional
        Default the one that fits the scale.
    confidence_level : float, default 0.95

    Returns
    -------
    Diagnosis

    Notes
    -----
    A cause is named when the coefficient rises by .05 or more without it, beyond the largest gain
    that the same search finds in data without that cause: with raters dealt anew among the ratings
    of each item, with labels drawn at the same agreement, or with items in other orders.

    Examples
    --------
    >>> from consilience import Ratings
    >>> rows = [["a", "a", "b"], ["b", "b", "a"], ["c", "c", "c"], ["a", "c", "b"]] * 20
    >>> found = diagnose(Ratings.from_wide(rows, raters=["Ann", "Bob", "Cy"]))
    >>> found.causes[0].code
    'labels_exchanged'
    """
    data = as_ratings(ratings)
    data = data.on_scale_of_words() if distance is None else data
    one = estimate(registry[coefficient], (data,), distance=distance, on_undefined="ignore")
    return diagnosis_of(one, confidence_level)


def diagnosis_of(one: Estimate, confidence_level: float = 0.95) -> Diagnosis:
    """Say why an estimate is as it is, by the ratings that it was made of.

    Parameters
    ----------
    one : Estimate
    confidence_level : float, default 0.95

    Returns
    -------
    Diagnosis

    Examples
    --------
    >>> from consilience import Ratings, krippendorff_alpha
    >>> agreed = Ratings.from_wide([["a", "a"], ["b", "b"], ["a", "a"]] * 5)
    >>> diagnosis_of(krippendorff_alpha(agreed)).causes
    ()
    """
    ratings = one.basis.ratings
    looks = one.basis.coefficient.corrects_for_chance and one.status == "ok"
    table = table_of(ratings, one.distance) if looks and not ratings.scale_undecided else None
    if table is None:
        return Diagnosis(coefficient=one.coefficient, name=one.name, value=one.value, looked=False)
    interval = one.interval_shown(confidence_level)
    half = math.nan if interval is None else (interval.high - interval.low) / 2.0
    causes = _causes(one, table, ratings, confidence_level) if one.value < 1.0 else ()
    share, limit = math.nan, None
    wide = half > _WIDE or table.n_items < _FEW_ITEMS
    if wide or (table.kind == "numbers" and table.given.all()):  # an interval over items is blind
        share = share_of_raters(table, one.standard_error)
        limit = "raters" if share > _RATERS_LIMIT else "items" if wide else None
    note = "" if causes else _note(table)
    return Diagnosis(
        coefficient=one.coefficient,
        name=one.name,
        value=one.value,
        causes=causes,
        limited_by=limit,
        share_of_raters=share,
        note=note,
    )


def _note(table: RatingTable) -> str:
    """Say what the data cannot: where no two raters agree, nobody can be named."""
    kappa = table.pairs.kappa
    if table.n_raters < 3 or table.n_raters > 10 or table.n_items < _FEW_ITEMS:
        return ""
    if np.nanmax(kappa) < _NOBODY:
        return "No two raters agree, so nobody can be named."
    return ""


def _causes(one: Estimate, table: RatingTable, ratings: Ratings, level: float) -> tuple[Cause, ...]:
    made: list[Cause] = []
    before = one.value
    for named in causes_in(table):
        found = named.cause
        value, low, high = _without(one, named, before, level)
        told = tell(named.table, found, ratings.items)
        limits = f" ({percent(level)} CI {number(low, 2)} to {number(high, 2)})"
        limits = limits if math.isfinite(low) else ""
        what = f"{told.without[:1].upper()}{told.without[1:]}, {one.name} would be "
        what += f"{number(value, 2)}{limits} instead of {number(before, 2)}."
        made.append(
            Cause(
                code=_CODES[found.code],
                raters=named.raters,
                labels=tuple(named.table.labels[k] for k in found.labels),
                items=tuple(ratings.items[int(named.table.rows[i])] for i in found.items),
                before=before,
                value=value,
                low=low,
                high=high,
                gain=value - before,
                message=f"{told.what} {what}",
                next=told.advice,
                option=told.option,
            )
        )
        before = value
    return tuple(made)


def _without(
    one: Estimate, named: Named, before: float, level: float
) -> tuple[float, float, float]:
    """Return the value and the interval without a cause."""
    found, nothing = named.cause, (before + named.cause.gain, math.nan, math.nan)
    if found.code == "rare":
        return nothing
    tables = [found.remedied()]
    if "within" in found.facts:
        second = np.isin(np.arange(named.table.n_raters), found.raters)
        tables = [named.table.only_raters(~second), named.table.only_raters(second)]
    made = [_estimate(one, table) for table in tables]
    if any(each is None for each in made):
        return nothing
    # Of groups the mean, with weights as of pairs; its limits as if both were off alike.
    pairs = np.array([float(table.per_item.sum()) for table in tables])
    weights = pairs / pairs.sum()
    start = _estimate(one, named.table) if named.table.sampled else None
    shift = 0.0 if start is None else before - start.value  # of a sample, the difference is known
    limits = [each.interval_shown(level) for each in made if each is not None]
    value = float(weights @ [each.value for each in made if each is not None]) + shift
    if any(each is None for each in limits):
        return value, math.nan, math.nan
    low = float(weights @ [each.low for each in limits if each is not None])
    high = float(weights @ [each.high for each in limits if each is not None])
    return value, low + shift, min(high + shift, 1.0)


def _in_clusters(table: RatingTable, given: Ratings) -> Ratings:
    """Return a table as ratings; items that belonged together still do."""
    ratings, clusters = table.ratings(), given.clusters
    if clusters is None:
        return ratings
    return ratings.with_clusters(clusters.codes[table.rows], clusters.name)


def _estimate(one: Estimate, table: RatingTable) -> Estimate | None:
    """Measure a table as the ratings were measured; moved numbers by alpha."""
    distance = {"names": "nominal", "order": "ordinal", "numbers": "interval"}[table.kind]
    as_before = one.basis.coefficient if distance == one.distance else registry[_ALPHA]
    for coefficient in (as_before, registry[_ALPHA]):
        try:
            ratings = _in_clusters(table, one.basis.ratings)
            made = estimate(coefficient, (ratings,), distance=distance, on_undefined="ignore")
        except ConsilienceError:
            continue
        return made if made.status == "ok" else None
    return None
