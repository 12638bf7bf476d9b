"""Each rater beside the others: bias, severity, guessing, drift, influence, camps."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from consilience.coefficients import rater_influence
from consilience.coefficients.unsettled_scale import require_scale
from consilience.core.arrays import Floats, Indices
from consilience.core.labels import MEASURED, MOST_CODES
from consilience.core.result import Defined
from consilience.core.words import counted, interval_head, listed, shortened
from consilience.diagnosis import Diagnosis, diagnose
from consilience.document import Document, Finding, PValue, Table
from consilience.document.blocks import found
from consilience.document.records import Recorded
from consilience.exceptions import ConsilienceError, InputError, UnsupportedDesignError
from consilience.inference import Interval
from consilience.inference.intervals import check_confidence_level, quantile
from consilience.latent import _rater_tests as tests
from consilience.latent._rater_camps import Camps, rater_camps
from consilience.latent._truth import of_rater
from consilience.latent.votes import Entries, entries_of
from consilience.ratings import Ratings

# ---- findings

_SIGNIFICANT = 0.05
_SURPRISING = 0.001


def findings_of(view: RaterView) -> tuple[Finding, ...]:
    """Return what was found about the raters, gravest first."""

    def named(
        test: Callable[[RaterRow], bool], size: Callable[[RaterRow], float] | None = None
    ) -> str:
        """List raters, those with the largest size first."""
        chosen = [row for row in view.rows if test(row)]
        if size is not None:
            chosen.sort(key=lambda row: -abs(size(row)))
        return listed(row.rater for row in chosen) if chosen else ""

    guessing = named(lambda row: row.verdict == "no better than chance" and not row.pattern)
    one_label = named(lambda row: row.verdict == "no variation")
    patterns = named(lambda row: bool(row.pattern))
    bound = _SURPRISING / max(1, len(view.rows))
    runs = named(lambda row: row.run_p_value < bound) if view.has_order else ""
    biased = named(
        lambda row: any(b.p_adjusted < _SIGNIFICANT for b in row.biases),
        lambda row: max(abs(b.difference) for b in row.biases),
    )
    strict = named(lambda row: row.severity_p_value < _SIGNIFICANT and row.severity < 0)
    mild = named(lambda row: row.severity_p_value < _SIGNIFICANT and row.severity > 0)
    severe = [f"lower than the others: {strict}"] if strict else []
    severe += [f"higher than the others: {mild}"] if mild else []
    drifting = named(
        lambda row: row.drift_p_value < _SIGNIFICANT or row.severity_drift_p_value < _SIGNIFICANT,
        lambda row: row.drift,
    )
    few = named(lambda row: row.verdict == "too few ratings")
    return found(
        (
            guessing,
            "no_better_than_chance",
            "problem",
            f"No better than chance beside the others: {guessing}. Look at what these raters did "
            "before their ratings are used; with few ratings it may be bad luck.",
        ),
        (
            one_label,
            "no_variation",
            "caution",
            f"Everybody gave the same label to all items of {one_label}, so agreement beyond "
            "chance cannot be seen there. Compare them on items that differ.",
        ),
        (
            patterns,
            "answers_follow_a_pattern",
            "problem",
            f"Answers follow a pattern that has nothing to do with the items: {patterns}. Such "
            "ratings are best left out.",
        ),
        (
            runs,
            "long_run_of_one_label",
            "caution",
            f"A run of one label longer than chance would give: {runs}. Look at these stretches.",
        ),
        (
            biased,
            "rater_prefers_a_label",
            "caution",
            f"Some labels are used more or less often than by the others on the same items: "
            f"{biased} (largest first; who differs from one of them may only seem to). Talk about "
            "where these labels begin and end.",
        ),
        (
            severe,
            "rater_severity",
            "caution",
            f"Labels {'; '.join(severe)}. Calibrate on examples, or correct for it.",
        ),
        (
            drifting,
            "rater_drift",
            "caution",
            f"Agreement with the others or severity changed over time: {drifting} (largest first; "
            "one who drifts takes the others' agreement along). Retrain in between.",
        ),
        (
            few,
            "too_few_ratings",
            "info",
            f"Fewer than 10 ratings that can be compared, so no verdict: {few}.",
        ),
    )


# ---- rows and their document

BEYOND, CHANCE, NO_VARIATION, FEW = (
    "beyond chance",
    "no better than chance",
    "no variation",
    "too few ratings",
)
_MOST_SHOWN = 40
_SHORT = {BEYOND: "beyond", CHANCE: "chance", NO_VARIATION: "one label", FEW: "few"}


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelBias(Recorded):
    """How much more often a rater uses a label than the others do on the same items."""

    label: object
    share: float
    others: float
    p_value: float
    p_adjusted: float

    @property
    def difference(self) -> float:
        """Her share minus the others'."""
        return self.share - self.others


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterRow(Recorded):
    """One rater beside the others.

    Attributes
    ----------
    n_ratings, n_compared : int
        Her ratings, and those on items that somebody else rated too.
    agreement, interval : float, Interval
        Mean share of the others who said the same; Wilson's interval with the number of items
        that would give the error observed over items.
    expected, kappa : float
        Agreement by chance, her labels dealt anew among her items, and agreement beyond it.
    chance_p_value : float
        One-sided, of agreeing no better than chance; NaN below 10 comparisons. On an interval or
        ratio scale, and with more than seven ranks, of marks that do not go along with the mean of
        the others'.
    verdict : {"beyond chance", "no better than chance", "no variation", "too few ratings"}
        "no variation" where everybody gave her items the same label, which tells nothing.
    pattern : str
        "always 'x'" or "a cycle of 2", for a rater who is not beyond chance; else "".
    longest_run, run_p_value : int, float
        The longest run of one label, and the chance of one so long if her answers were shuffled.
    biases : tuple of LabelBias
        By label, tested and adjusted over all raters and labels after Holm.
    severity, severity_interval, severity_p_value
        Her mark minus the mean of the others', for ordered labels; else NaN. Adjusted over raters.
    drift, drift_p_value
        Change of her agreement with the others over time, adjusted over raters.
    severity_drift, severity_drift_p_value
        Change of her severity over time.
    influence : float
        What the coefficient gains when she is left out.
    """

    rater: object
    n_ratings: int
    n_compared: int
    agreement: float
    interval: Interval
    expected: float
    kappa: float
    chance_p_value: float
    verdict: str
    pattern: str
    longest_run: int
    run_p_value: float
    biases: tuple[LabelBias, ...] = field(repr=False)
    severity: float
    severity_interval: Interval
    severity_p_value: float
    drift: float
    drift_p_value: float
    severity_drift: float
    severity_drift_p_value: float
    influence: float
    batches: dict[object, float] = field(repr=False)

    def _beside(self) -> Mapping[str, Any]:
        batches = [{"batch": name, "agreement": mean} for name, mean in self.batches.items()]
        return {"batches": batches}


@dataclass(frozen=True, kw_only=True)
class RaterView(Recorded, Defined):
    """Every rater beside the others; made by `rater_view`.

    Look a rater up by name (``view["Ann"]``), go through all of them, or print the view.
    """

    unrecorded: ClassVar[tuple[str, ...]] = ("has_order", "ordered", "notes")
    recorded: ClassVar[tuple[str, ...]] = ("findings",)
    renamed: ClassVar[Mapping[str, str]] = {"rows": "raters"}

    rows: tuple[RaterRow, ...]
    coefficient: str
    value: float
    camps: Camps | None
    has_order: bool
    ordered: bool
    notes: tuple[Finding, ...] = ()
    diagnosis: Diagnosis | None = None

    def __getitem__(self, rater: object) -> RaterRow:
        return of_rater(self.rows, rater)

    def __iter__(self) -> Iterator[RaterRow]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Say what a trainer of raters should look at."""

        camps = () if self.camps is None else (self.camps.finding(),)
        causes = () if self.diagnosis is None else self.diagnosis.findings
        return (*causes, *findings_of(self), *camps, *self.notes)

    def document(self) -> Document:
        """Return the view as something to read: raters with the least agreement first."""
        rows = sorted(self.rows, key=lambda row: (math.isnan(row.kappa), row.kappa))
        name = self.coefficient.rpartition("_")[2]
        level = self.rows[0].interval.confidence_level if self.rows else math.nan
        more = len(rows) - _MOST_SHOWN
        note = (
            "agreement: mean share of the other raters who said the same; kappa: agreement beyond "
            "chance; chance: whether it is better than guessing would be."
        )
        if self.ordered:
            note += (
                " severity: this rater's mean minus the others', in points or steps of the scale."
            )
        if self.has_order:
            note += " drift: change of agreement from the first rating to the last."
        if more > 0:
            note += f" {counted(more, 'further rater')} not shown."
        n = sum(row.n_ratings for row in self.rows)
        told = f"{counted(len(self.rows), 'rater')}, {counted(n, 'rating')}."
        if not math.isnan(self.value):
            told += f" {name.capitalize()} of all raters is {self.value:.3f}."
        biases = [(row, one) for row in rows for one in row.biases if one.p_adjusted < _SIGNIFICANT]
        return Document.of(
            told,
            Table.of(
                rows[:_MOST_SHOWN],
                ("rater", _name_of),
                "rated: n_ratings",
                "agreement",
                (interval_head(level) if self.rows else " interval", "interval"),
                "kappa",
                ("chance", lambda row: row.pattern or _SHORT[row.verdict]),
                "severity" if self.ordered else None,
                "drift" if self.has_order else None,
                (f"{name} without", lambda row: self.value + row.influence),
                caption="Raters, least agreement first",
                note=note,
            ),
            Table.of(
                biases[:_MOST_SHOWN],
                ("rater", "0", _name_of),
                ("label", lambda bias: shortened(str(bias[1].label))),
                "this rater: 1.share",
                "others: 1.others",
                ("p", "1.p_adjusted", PValue),
                caption="Labels that a rater uses more or less than the others on the same items",
                note="p adjusted for all raters and labels after Holm.",
            ),
            title="Each rater beside the others",
            findings=self.findings,
        )


def _name_of(row: RaterRow) -> str:
    return shortened(str(row.rater))


# ---- rows from arrays

_HINT = "give one value per item, or a mapping from item or (item, rater) to a value"
_MOST_BIASES = 1_000  # labels above which nobody can prefer one
_NO_ROOM = 1e-12  # between agreement by chance and 1, where nothing varies


def rater_rows(
    compared: tests.Compared,
    ratings: Ratings,
    influence: Floats,
    *,
    order: Any,
    batches: Any,
    level: float,
) -> tuple[RaterRow, ...]:
    """Return what is known of each rater; `influence` is what a coefficient gains without her."""
    entries = compared.entries
    agree = tests.average(compared, compared.agree_e)
    limits = tests.wilson(agree.mean, agree.error, compared.n_r, level)
    expected, chance_p = tests.chance_p_values(compared)
    apart, own = _marks_apart(compared, ratings)
    if _are_marks(ratings):  # equal marks may be rare; going along is what counts
        chance_p = tests.correlation_p_values(compared, own, own - apart)
    severity = tests.average(compared, apart)
    time = time_of(order, entries, ratings)
    drift, severity_drift, means = _changes(
        compared, ratings, apart, time, order=order, batches=batches
    )
    sequences = tests.sequences(entries, time)
    room = 1.0 - expected
    varies = room > _NO_ROOM
    verdicts = [
        _verdict(p, varies=there)
        for p, there in zip(chance_p.tolist(), varies.tolist(), strict=True)
    ]
    columns: dict[str, Any] = {
        "rater": ratings.raters,
        "n_ratings": np.bincount(entries.rater, minlength=entries.n_raters),
        "n_compared": compared.n_r.astype(np.intp),
        "agreement": agree.mean,
        "interval": [Interval(low, high, level, "wilson") for low, high in limits.T.tolist()],
        "expected": expected,
        "kappa": tests.divide(agree.mean - expected, np.where(varies, room, 0.0)),
        "chance_p_value": chance_p,
        "verdict": verdicts,
        "pattern": [
            _pattern(compared, ratings, g, int(sequences.cycle[g])) if verdict == CHANCE else ""
            for g, verdict in enumerate(verdicts)
        ],
        "longest_run": sequences.longest_run,
        "run_p_value": sequences.run_p_value,
        "biases": _biases(compared, ratings),
        "severity": severity.mean,
        "severity_interval": _mean_intervals(severity, level),
        "severity_p_value": tests.adjusted(severity.p_values()),
        "drift": drift.change,
        "drift_p_value": tests.adjusted(drift.p_value),
        "severity_drift": severity_drift.change,
        "severity_drift_p_value": tests.adjusted(severity_drift.p_value),
        "influence": influence,
        "batches": means,
    }
    listed = [one.tolist() if isinstance(one, np.ndarray) else one for one in columns.values()]
    return tuple(
        RaterRow(**dict(zip(columns, row, strict=True))) for row in zip(*listed, strict=True)
    )


def _changes(
    compared: tests.Compared,
    ratings: Ratings,
    apart: Floats,
    time: Floats,
    *,
    order: Any,
    batches: Any,
) -> tuple[tests.Drift, tests.Drift, list[dict[object, float]]]:
    """Return how agreement and severity change, and each rater's agreement by batch."""
    entries = compared.entries
    means: list[dict[object, float]] = [{} for _ in range(entries.n_raters)]
    if batches is not None:
        batch, names = batch_of(batches, time, entries, ratings)
        batch = batch[compared.place]
        found, of_batches = tests.between_batches(compared, compared.agree_e, batch)
        means = [dict(zip(names, row, strict=True)) for row in of_batches.tolist()]
        return found, tests.between_batches(compared, apart, batch)[0], means
    if order is not None:
        when = time[compared.place]
        agreement, severity = (
            tests.trend(compared, values, when) for values in (compared.agree_e, apart)
        )
        return agreement, severity, means
    unseen = np.full(entries.n_raters, np.nan)
    return tests.Drift(unseen, unseen), tests.Drift(unseen, unseen), means


def _pattern(compared: tests.Compared, ratings: Ratings, g: int, cycle: int) -> str:
    """Name a pattern of a rater's that has nothing to do with the items."""
    n_k, n = compared.n_rk[g], float(compared.n_r[g])
    k = int(n_k.argmax())
    others = float(compared.s_rk[g, k]) / n
    if n_k[k] == n and others**n < 0.001:
        return f"always {shortened(str(ratings.categories[k]), 12)!r}"
    return f"a cycle of {cycle}" if cycle else ""


def _biases(compared: tests.Compared, ratings: Ratings) -> list[tuple[LabelBias, ...]]:
    """Test for each rater and label whether she uses it as often as the others do."""
    p_rk = np.where(compared.n_rk + compared.s_rk > 0, tests.bias(compared).p_values(), np.nan)
    adjusted_rk = tests.adjusted(p_rk)
    tested = (compared.n_r > 0) & (compared.entries.n_labels <= _MOST_BIASES)
    return [
        tuple(
            LabelBias(
                label=ratings.categories[k],
                share=float(compared.n_rk[g, k]) / n,
                others=float(compared.s_rk[g, k]) / n,
                p_value=float(p_rk[g, k]),
                p_adjusted=float(adjusted_rk[g, k]),
            )
            for k in np.flatnonzero(np.isfinite(p_rk[g]) & tested[g])
        )
        for g, n in enumerate(compared.n_r.tolist())
    ]


def _mean_intervals(means: tests.Moments, level: float) -> list[Interval]:
    """Return Student's interval of each rater's mean."""
    found = []
    columns = (means.mean.tolist(), means.error.tolist(), means.n_r.tolist())
    for mean, error, n in zip(*columns, strict=True):
        known = math.isfinite(error) and n >= 2
        reach = quantile(0.5 + level / 2.0, n - 1.0) * error if known else math.nan
        found.append(Interval(mean - reach, mean + reach, level, "t"))
    return found


def _verdict(p_value: float, *, varies: bool) -> str:
    if math.isnan(p_value):
        return FEW
    if not varies:
        return NO_VARIATION
    return BEYOND if p_value < _SIGNIFICANT else CHANCE


def _are_marks(ratings: Ratings) -> bool:
    """Tell whether labels are numbers, or so many ranks that equal ones are rare."""
    many_ranks = ratings.scale == "ordinal" and len(ratings.categories) > MOST_CODES
    return many_ranks or ratings.scale in MEASURED


def _marks_apart(compared: tests.Compared, ratings: Ratings) -> tuple[Floats, Floats]:
    """Her mark minus the mean of the others', and her mark; NaN for labels without an order."""
    if ratings.scale == "nominal":
        nothing = np.full(compared.place.size, np.nan)
        return nothing, nothing
    entries = compared.entries
    is_number = ratings.scale in MEASURED and ratings.numbers is not None
    marks = ratings.numbers if is_number else np.arange(entries.n_labels, dtype=np.float64)
    assert marks is not None
    total = np.asarray(entries.counts @ marks)
    item = entries.item[compared.place]
    own = marks[compared.label]
    others = (total[item] - own) / (entries.per_item[item] - 1.0)
    return own - others, own


def time_of(order: Any, entries: Entries, ratings: Ratings) -> Floats:
    """Return the place in time of each rating; without an order, that of its item."""
    if order is None:
        return entries.item.astype(np.float64)
    return _ranked("order", _per_rating("order", order, entries, ratings))[0].astype(np.float64)


def batch_of(
    batches: Any, time: Floats, entries: Entries, ratings: Ratings
) -> tuple[Indices, list[object]]:
    """Return the batch of each rating and the batches' names; a number cuts the time evenly."""
    if isinstance(batches, bool):
        raise InputError.expected("batches", "a number above 1, or one per item", batches, _HINT)
    if not isinstance(batches, int | np.integer):
        return _ranked("batches", _per_rating("batches", batches, entries, ratings))
    if batches < 2:
        raise InputError.expected("batches", "at least 2", batches, "for example batches=4")
    steps = np.unique(time, return_inverse=True)[1]
    n_steps = int(steps.max(initial=0)) + 1
    count = min(int(batches), n_steps)
    return np.asarray(steps * count // n_steps, dtype=np.intp), list(range(1, count + 1))


def _per_rating(what: str, values: Any, entries: Entries, ratings: Ratings) -> list[object]:
    """List the value that belongs to each rating."""
    if isinstance(values, Mapping):
        return _from_mapping(what, values, entries, ratings)
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InputError.expected(what, "one value per item", values, _HINT)
    per_item = list(values)
    if len(per_item) != entries.n_items:
        raise InputError.expected(
            what, f"{entries.n_items} values, one per item", f"{len(per_item)} values", _HINT
        )
    return [per_item[i] for i in entries.item.tolist()]


def _from_mapping(
    what: str, values: Mapping[Any, Any], entries: Entries, ratings: Ratings
) -> list[object]:
    items, raters = ratings.items, ratings.raters
    out = []
    for i, g in zip(entries.item.tolist(), entries.rater.tolist(), strict=True):
        pair = (items[i], raters[g])
        found = values.get(pair, values.get(items[i]))
        if found is None:
            raise InputError.expected(
                what, "known for every rating", f"nothing for item {pair[0]!r}", _HINT
            )
        out.append(found)
    return out


def _ranked(what: str, values: list[object]) -> tuple[Indices, list[object]]:
    """Number values in their order: numbers and dates as such, everything else as text."""
    distinct = list(dict.fromkeys(values))
    if all(isinstance(one, Real) for one in distinct):
        bad = [one for one in distinct if not np.isfinite(float(one))]  # type: ignore[arg-type]
        if bad:
            raise InputError.expected(what, "known for every rating", bad[0], _HINT)
    try:
        ordered = sorted(distinct)  # type: ignore[type-var]
    except TypeError:
        ordered = sorted(distinct, key=str)
    place = {one: k for k, one in enumerate(ordered)}
    return np.array([place[one] for one in values], dtype=np.intp), ordered


_MOST_CELLS = 50_000_000  # raters × labels
_MOST_LEFT_OUT = 50  # raters up to which a distance-based coefficient is computed without each


def rater_view(
    ratings: Ratings,
    *,
    order: Any = None,
    batches: Any = None,
    camps: str = "auto",
    confidence_level: float = 0.95,
    n_resamples: int = 499,
    rng: Any = 0,
) -> RaterView:
    """Look at each rater beside the others: who needs help, and with what.

    Use it before raters are paid, trained or left out. It compares a rater with the other raters,
    not with the truth: where most are wrong alike, the one who is right looks odd.

    Parameters
    ----------
    ratings : Ratings
    order : one value per item, or mapping of item or (item, rater) to a value, optional
        When ratings were given: numbers, dates or text that sorts. Needed to see drift.
    batches : int, one value per item, or such a mapping, optional
        Compare batches instead of fitting a line; a number cuts the order into so many.
    camps : {"auto", "yes", "no"}
        Whether to look for two camps; "auto" does for 4 to 200 raters.
    confidence_level : float
    n_resamples, rng : for the test of camps

    Returns
    -------
    RaterView

    Raises
    ------
    UnsupportedDesignError
        The ratings do not say who rated, or no item has two ratings.

    Notes
    -----
    Whether a rater agrees better than chance is tested by dealing her labels anew among her
    items, with the mean and variance of [1]_; bias and severity by the paired t test over items;
    drift by regression on the order, or by the F test over batches. Where the ratings have
    clusters, errors of agreement, bias and severity are sums over clusters [2]_. Influence on
    nominal alpha is exact for any number of raters.

    References
    ----------
    .. [1] Hoeffding, W. (1951). A combinatorial central limit theorem. Annals of Mathematical
       Statistics 22, 558-566. doi:10.1214/aoms/1177729545
    .. [2] Liang, K.-Y. & Zeger, S. L. (1986). Longitudinal data analysis using generalized linear
       models. Biometrika 73, 13-22. doi:10.1093/biomet/73.1.13

    Examples
    --------
    >>> import consilience as cs
    >>> study = cs.simulate.simulate(
    ...     n_items=200, accuracy=[0.9, 0.9, 0.9, 0.0], n_raters=4, bias=[0.5, 0.5], rng=1
    ... )
    >>> rater_view(study.ratings)[3].verdict
    'no better than chance'
    """
    level = check_confidence_level(confidence_level)
    entries = entries_of("rater_view", ratings)
    require_scale(ratings, "the comparison of raters")
    if entries.n_raters * entries.n_labels > _MOST_CELLS:
        raise UnsupportedDesignError.needs(
            "rater_view",
            f"at most {_MOST_CELLS:,} pairs of a rater and a label",
            f"{entries.n_raters:,} raters, {entries.n_labels:,} labels",
            "round numbers, or collapse labels",
        )
    compared = tests.Compared.of(entries, ratings.clusters)
    if not compared.place.size:
        raise UnsupportedDesignError.needs(
            "rater_view",
            "items that more than one rater rated",
            f"{entries.n_items:,} items with at most one rating each",
            "give some items to several raters",
        )
    found_camps, notes = _camps(ratings, camps, n_resamples, rng)
    value, without, name, more = _influence(compared, ratings)
    rows = rater_rows(compared, ratings, without - value, order=order, batches=batches, level=level)
    return RaterView(
        rows=rows,
        coefficient=name,
        value=value,
        camps=found_camps,
        has_order=order is not None or batches is not None,
        ordered=ratings.scale != "nominal",
        notes=(*notes, *more),
        diagnosis=diagnose(ratings, confidence_level=level),
    )


def _camps(
    ratings: Ratings, wish: str, n_resamples: int, rng: Any
) -> tuple[Camps | None, tuple[Finding, ...]]:
    if wish not in ("auto", "yes", "no"):
        raise InputError.unknown_word("camps", wish, ("auto", "yes", "no"))
    if wish == "no":
        return None, ()
    try:
        return rater_camps(ratings, n_resamples=n_resamples, rng=rng), ()
    except UnsupportedDesignError as error:
        if wish == "yes":
            raise
        why = str(error).removeprefix("rater_camps ").partition(" Hint: ")[0]
        said = f"Two camps were not looked for: that {why}"
        return None, (Finding("camps_not_tested", "info", said),)


def _influence(
    compared: tests.Compared, ratings: Ratings
) -> tuple[float, Floats, str, tuple[Finding, ...]]:
    """Return alpha, its value without each rater, and what has to be said about it."""
    name = "krippendorff_alpha"
    if ratings.scale == "nominal":
        return *tests.alpha_without(compared), name, ()
    nothing = np.full(compared.entries.n_raters, np.nan)
    if 3 <= ratings.n_raters <= _MOST_LEFT_OUT:
        try:
            found = rater_influence(ratings, coefficient=name)
            return found.value, np.array(list(found.without.values())), name, ()
        except ConsilienceError:
            return math.nan, nothing, name, ()
    note = Finding(
        "influence_not_computed",
        "info",
        f"What leaving a rater out would change is computed for 3 to {_MOST_LEFT_OUT} raters on a "
        f"{ratings.scale} scale; there are {ratings.n_raters:,}.",
    )
    return math.nan, nothing, name, (note,)
