"""A judge over time: a control chart, and a confidence sequence that holds under peeking."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from consilience.core.arguments import share as check_share
from consilience.core.interval import Interval, check_confidence_level
from consilience.core.labels import is_missing
from consilience.core.result import Several
from consilience.core.tails import chi_square_tail
from consilience.core.verdict import Verdict
from consilience.core.words import counted, listed, p_text, percent
from consilience.document import Document, Finding, Table
from consilience.document.blocks import found
from consilience.document.records import Recorded
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.judges.verdicts import verdicts_of
from consilience.ratings.clusters import need_independent_items
from consilience.ratings.duplicates import need_one_occasion
from consilience.ratings.rating_tables import per_item

_SIGMAS = 3.0  # Shewhart's limits
_STEPS = 60


def confidence_sequence(
    successes: int, trials: int, *, confidence_level: float = 0.95
) -> tuple[float, float]:
    """Return limits of a share that hold at every look, however often one looks.

    Use it where a stream is watched and stopped when it looks bad; a usual interval would be wrong
    far more often than it says.

    Parameters
    ----------
    successes, trials : int
        So far.
    confidence_level : float, default 0.95
        Probability that all intervals of the whole sequence hold the share.

    Returns
    -------
    tuple of float

    Notes
    -----
    Robbins (1970): with a Beta(1/2, 1/2) mixture of likelihoods over p as a martingale, Ville's
    inequality bounds the probability that it ever exceeds 1 / (1 - level).

    Examples
    --------
    >>> low, high = confidence_sequence(45, 50)
    >>> round(low, 3), round(high, 3)
    (0.713, 0.984)
    """
    level = check_confidence_level(confidence_level)
    if not 0 <= successes <= trials:
        raise InputError.expected(
            "successes", f"between 0 and {trials}", successes, "count them again"
        )
    if trials == 0:
        return 0.0, 1.0
    middle, error = successes / trials, 1.0 - level
    low = 0.0 if successes == 0 else _edge(successes, trials, error, 0.0, middle)
    high = 1.0 if successes == trials else _edge(successes, trials, error, 1.0, middle)
    return low, high


def _is_excluded(p: float, successes: int, trials: int, error: float) -> bool:
    """Tell whether the mixture of likelihoods exceeds that of p by more than one over the error."""
    failures = trials - successes
    if (p <= 0.0 and successes) or (p >= 1.0 and failures):
        return True
    mixture = math.lgamma(successes + 0.5) + math.lgamma(failures + 0.5)
    mixture -= math.lgamma(trials + 1.0) + math.log(math.pi)
    own = successes * math.log(p) if successes else 0.0
    own += failures * math.log1p(-p) if failures else 0.0
    return mixture - own > -math.log(error)


def _edge(successes: int, trials: int, error: float, out: float, inside: float) -> float:
    """Bisect between a share that is excluded and one that is not."""
    for _ in range(_STEPS):
        middle = (out + inside) / 2.0
        if middle in (out, inside):
            break
        if _is_excluded(middle, successes, trials, error):
            out = middle
        else:
            inside = middle
    return inside


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch(Recorded):
    """One batch.

    Attributes
    ----------
    batch : object
    n_items : int
    agreement : float
        Share of items on which the judge says what people say.
    control : Interval
        Where it should lie if nothing changed: three standard errors around the baseline.
    is_out : bool
    so_far : float
        Share over this batch and all before it, from the end of the baseline on.
    sequence : Interval
        Limits of that share that hold at every look.
    alarm : bool
        Whether the sequence shows that agreement has fallen.
    """

    batch: object
    n_items: int
    agreement: float
    control: Interval
    is_out: bool
    so_far: float
    sequence: Interval
    alarm: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch(Recorded, Several):
    """A judge's agreement with people, batch by batch.

    Attributes
    ----------
    batches : tuple of Batch
    baseline : float
        What agreement should be: given, or that of the first batch.
    baseline_told : bool
        Whether it was given.
    alarm_at : object or None
        The first batch at which agreement is shown to have fallen.
    p_value : float
        Of batches that are all alike.
    """

    unrecorded: ClassVar[tuple[str, ...]] = ("confidence_level", "findings")

    judge: object
    people: tuple[object, ...]
    batches: tuple[Batch, ...]
    baseline: float
    baseline_told: bool
    alarm_at: object
    p_value: float
    confidence_level: float
    findings: tuple[Finding, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """Whether the judge has drifted."""
        last = self.batches[-1]
        sure = percent(self.confidence_level)
        if self.alarm_at is not None:
            return Verdict(
                code="judge_drifted",
                gravity="problem",
                message=f"{self.judge!s} agrees with people less than before: shown at batch "
                f"{self.alarm_at!s}, {last.so_far:.1%} since then against {self.baseline:.1%}.",
                next="Stop relying on the judge: look at what changed, and label anew.",
            )
        return Verdict(
            code="no_drift_shown",
            gravity="good",
            message=f"Nothing shows that {self.judge!s} agrees with people less than "
            f"{self.baseline:.1%}: {last.so_far:.1%} so far (between {last.sequence.low:.1%} and "
            f"{last.sequence.high:.1%} at every look, {sure}).",
            next="Go on watching; you may look as often as you like.",
        )

    def document(self) -> Document:
        """Return the chart as a table."""
        how = "given" if self.baseline_told else "of the first batch"
        alike = ""
        if math.isfinite(self.p_value):
            alike = f"; p {p_text(self.p_value)} that all batches are alike"
        return Document.of(
            f"{self.judge!s} against {listed(self.people) or 'gold'}; baseline {self.baseline:.3f} "
            f"({how}){alike}.",
            Table.of(
                self.batches,
                "batch!s",
                "items: n_items",
                "agreement",
                "expected: control",
                ("", lambda one: "out" if one.is_out else ""),
                "so far",
                "at every look: sequence",
                ("shown", lambda one: "fallen" if one.alarm else ""),
                note="expected: three standard errors around the baseline.",
            ),
            findings=self.findings,
            verdict=self.verdict,
        )


def watch_judge(
    ratings: Any,
    batch: Any,
    *,
    judge: Any = None,
    people: Any = None,
    gold: Any = None,
    baseline: float | None = None,
    refusals: Any = (),
    confidence_level: float = 0.95,
) -> Watch:
    """Watch a judge's agreement with people over batches, versions or days.

    Use it on labels that keep coming in. The alarm is that of a confidence sequence: with
    probability `confidence_level` there is no false one, however often one looks.

    Parameters
    ----------
    ratings : Ratings
        Of the judge and of people, on the same items.
    batch : one entry per item
        Batches in the order in which they first appear, or sorted where they are numbers or dates.
    judge, people, gold, refusals
        As for `corrected_rate`; a refusal is no agreement.
    baseline : float, optional
        What agreement should be; default that of the first batch, whose own uncertainty counts.
    confidence_level : float, default 0.95

    Returns
    -------
    Watch

    Examples
    --------
    >>> from consilience import Ratings
    >>> own = ["a", "b"] * 100
    >>> said = own[:100] + ["a"] * 100
    >>> both = Ratings.from_wide({"Ann": own, "gpt": said})
    >>> found = watch_judge(both, [k // 25 for k in range(200)], judge="gpt")
    >>> found.baseline, found.alarm_at
    (1.0, '5')
    """
    level = check_confidence_level(confidence_level)
    table = verdicts_of(ratings, judges=judge, people=people, gold=gold, refusals=refusals)
    need_independent_items("watching a judge", table.ratings.clusters)
    need_one_occasion("watching a judge", table.ratings)
    truth = table.truth
    column = table.judge()
    used = (truth >= 0) & table.asked(column)
    given = per_item(table.ratings, batch, "batch")
    if any(one is None or is_missing(one) for k, one in enumerate(given) if used[k]):
        raise InputError.expected("batch", "known for every item", "a gap", "fill it in")
    same = (table.codes[:, column] == truth) & ~table.refused[:, column]
    names = _ordered([one for k, one in enumerate(given) if used[k]])
    counts = {name: [0, 0] for name in names}
    for k in np.flatnonzero(used).tolist():
        counts[str(given[k])][0] += bool(same[k])
        counts[str(given[k])][1] += 1
    if len(names) < 2:
        raise UnsupportedDesignError.needs(
            "watching a judge", "two batches or more", f"{len(names)}", "name another column"
        )
    told = baseline is not None
    n_first = counts[names[0]][1]
    centre, floor, error = floor_of(counts[names[0]], baseline, level)
    each = 1.0 - error
    # Two answers on either side: a first batch without an error is no promise that there are none.
    middle = centre if told else (centre * n_first + 2.0) / (n_first + 4.0)
    rows: list[Batch] = []
    hits = trials = 0
    alarm_at = None
    watched: list[list[int]] = []
    for k, (name, (right, n)) in enumerate(counts.items()):
        if k or told:
            hits, trials = hits + right, trials + n
            watched.append([right, n])
        low, high = math.nan, math.nan  # the baseline itself is not watched
        if trials:
            low, high = confidence_sequence(hits, trials, confidence_level=each)
        fallen = has_fallen(watched, floor, 1.0 - each)
        alarm_at = name if fallen and alarm_at is None else alarm_at
        own = 1.0 / n if told else 1.0 / n + 1.0 / n_first  # a measured baseline varies, too
        spread = _SIGMAS * math.sqrt(middle * (1.0 - middle) * own)
        control = Interval(max(centre - spread, 0.0), min(centre + spread, 1.0), 0.9973, "shewhart")
        rows.append(
            Batch(
                batch=name,
                n_items=n,
                agreement=right / n,
                control=control,
                is_out=not control.low <= right / n <= control.high,
                so_far=hits / trials if trials else right / n,
                sequence=Interval(low, high, level, "confidence sequence"),
                alarm=fallen,
            )
        )
    return Watch(
        judge=table.judges[column],
        people=table.people,
        batches=tuple(rows),
        baseline=centre,
        baseline_told=told,
        alarm_at=alarm_at,
        p_value=_alike(counts),
        confidence_level=level,
        findings=_findings(table.judges[column], rows, alarm_at),
    )


def _ordered(batches: Sequence[object]) -> list[str]:
    """Return the batches in order: numbers by size, dates by time, others as they come."""
    names = list(dict.fromkeys(str(one) for one in batches))
    try:
        return sorted(names, key=float)
    except ValueError:
        looks_dated = all(name[:4].isdigit() and len(name) >= 7 for name in names)
        return sorted(names) if looks_dated else names


def floor_of(first: list[int], baseline: float | None, level: float) -> tuple[float, float, float]:
    """Return the baseline, what agreement must not fall below, and the error that is left for it.

    A baseline that was measured takes half of the error for its own lower limit.
    """
    if baseline is not None:
        centre = check_share("baseline", baseline)
        return centre, centre, 1.0 - level
    right, n = first
    error = (1.0 - level) / 2.0
    return right / n, _lower_limit(right, n, 1.0 - error), error


def has_fallen(batches: list[list[int]], floor: float, error: float) -> bool:
    """Tell whether agreement lies below the floor, from any batch on.

    A sequence is begun at each batch, the k-th with a share 6 / (pi k)^2 of the error, so that all
    of them together raise a false alarm with the probability of the error at most.
    """
    hits = trials = 0
    for k in range(len(batches), 0, -1):
        hits, trials = hits + batches[k - 1][0], trials + batches[k - 1][1]
        share = error * 6.0 / (math.pi * k) ** 2
        if hits < floor * trials and _is_excluded(floor, hits, trials, share):
            return True
    return False


def _lower_limit(successes: int, n: int, level: float) -> float:
    """Clopper and Pearson's one-sided lower limit: exact for the one look at the baseline."""
    if successes == 0:
        return 0.0
    from scipy.special import betaincinv

    return float(betaincinv(successes, n - successes + 1, 1.0 - level))


def _alike(counts: dict[str, list[int]]) -> float:
    """Return the p-value of Pearson's test that all batches have one share."""
    right = np.array([x[0] for x in counts.values()], dtype=np.float64)
    n = np.array([x[1] for x in counts.values()], dtype=np.float64)
    p = right.sum() / n.sum()
    if not 0.0 < p < 1.0:
        return math.nan
    statistic = float(((right - n * p) ** 2 / (n * p * (1.0 - p))).sum())
    return chi_square_tail(statistic, n.size - 1)


def _findings(judge: object, rows: list[Batch], alarm_at: object) -> tuple[Finding, ...]:
    out = [str(one.batch) for one in rows if one.is_out]
    return found(
        (
            alarm_at is not None,
            "judge_drifted",
            "problem",
            f"{judge!s} agrees with people less than before: shown at batch {alarm_at!s}.",
            "Look at what changed: the model's version, the prompt, the items.",
        ),
        (
            out,
            "batch_out_of_control",
            "caution",
            f"{judge!s}: {counted(len(out), 'batch', 'batches')} out of control: {listed(out)}.",
            "Look at these batches first.",
        ),
    )
