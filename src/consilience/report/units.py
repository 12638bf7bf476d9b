"""Agreement on units by any method: how each is run, its numbers in one shape, and one summary."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from consilience import units as u
from consilience.coefficients import rater_bias
from consilience.core.result import Defined, Result
from consilience.core.verdict import Gauge, Verdict, unjudged, verdict_on
from consilience.core.words import counted, upper_first
from consilience.document import Document, Finding, Paragraph, envelope
from consilience.document.blocks import Block, interval_approximate
from consilience.document.records import plain, plain_fields
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference import Interval
from consilience.report.unit_methods import UNIT_METHODS, Results, UnitMethod, Wishes
from consilience.units import Units, easydiag_table, gseq_table, programs
from consilience.units.alignment import AlignmentTable
from consilience.units.easydiag import EasyDiag, EasyDiagPairs, ThresholdCurve
from consilience.units.link_tables import DiagTable, shown_label
from consilience.units.model import ABSENT

# ---- How each method for units is run: settings under the names that its function takes

Run = Callable[[Units, Wishes], Results]
_OF_SETS = ("jaccard", "passonneau", "dice")  # those of Artstein & Poesio's study
_COMMON = ("confidence_level", "n_resamples", "rng")
_LEVEL = ("confidence_level",)


def _method(
    name: str,
    title: str,
    takes: tuple[str, ...],
    heeds: tuple[str, ...] = ("confidence_level", "asked"),
) -> Callable[[Run], Run]:
    def keep(run: Run) -> Run:
        UNIT_METHODS.add(UnitMethod(name, title, takes, run, heeds))
        return run

    return keep


@dataclass(frozen=True)
class LeftOut(Result):
    """A number of a program that such units do not allow, beside others that they do."""

    name: str
    reason: str
    value: float = math.nan
    status: str = "undefined"

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is missing, and why."""
        message = f"There is no {self.name}: {self.reason}"
        return (Finding("measure_left_out", "info", message),)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data with stable keys."""
        return {"value": None, "status": self.status, "reason": self.reason}

    def document(self) -> Document:
        """Return nothing to read; the finding says why."""
        return Document()


def _options(wishes: Wishes, *names: str, **called: str) -> dict[str, Any]:
    """Return the wishes of these names as arguments; `called` names those of other names."""
    arguments = dict(zip(names, names, strict=True)) | called
    return {to: wishes[name] for name, to in arguments.items() if wishes.get(name) is not None}


@_method(
    "easydiag",
    "link units that overlap, then kappa (Holle & Rein 2015)",
    ("threshold", "tolerance", "linking", "absent", "thresholds"),
)
def _easydiag(units: Units, wishes: Wishes) -> Results:
    options = _options(wishes, "linking", "absent", *_COMMON, tolerance="point_tolerance")
    found: Results = {"kappa": u.easydiag(units, **_options(wishes, "threshold"), **options)}
    if wishes.get("thresholds") is not None:
        found["curve"] = u.threshold_curve(units, thresholds=wishes["thresholds"], **options)
    return found


@_method("elan", "kappa, overlap and modified Fleiss' kappa as in ELAN", ("threshold", "tolerance"))
def _elan(units: Units, wishes: Wishes) -> Results:
    options = _options(wishes, "threshold", *_COMMON, tolerance="point_tolerance")
    found: Results = {"kappa": u.easydiag(units, mode="elan", clip=True, **options)}
    if units.n_raters == 2:
        found["overlap_extent"] = programs.overlap_extent(units)
    try:
        found["modified_fleiss"] = programs.modified_fleiss(units)
    except UnsupportedDesignError as error:  # the other numbers stand
        found["modified_fleiss"] = LeftOut("modified Fleiss' kappa", str(error))
    return found


@_method(
    "gseq",
    "GSEQ-like alignment of timed events, then kappa",
    ("threshold", "tolerance", "absent", "base"),
)
def _gseq(units: Units, wishes: Wishes) -> Results:
    options = _options(wishes, "tolerance", "absent", "base", *_COMMON, threshold="overlap")
    return {"kappa": u.timed_alignment(units, **options)}


@_method("interact", "pairs of events in the manner of INTERACT", ("threshold", "tolerance"))
def _interact(units: Units, wishes: Wishes) -> Results:
    options = _options(wishes, "tolerance", *_COMMON, threshold="overlap")
    return {"kappa": programs.interact_like(units, **options)}


@_method("haccou-meelis", "several partners allowed, after Haccou & Meelis; to compare", (), _LEVEL)
def _haccou_meelis(units: Units, wishes: Wishes) -> Results:
    return {"kappa": programs.multiple_links(units, **_options(wishes, *_COMMON))}


@_method(
    "jansen", "several partners allowed, after Jansen et al.; to compare", ("tolerance",), _LEVEL
)
def _jansen(units: Units, wishes: Wishes) -> Results:
    options = _options(wishes, "tolerance", *_COMMON)
    return {"kappa": programs.multiple_links(units, rule="jansen", **options)}


@_method("sequences", "alignment of codes in their order, without times", ())
def _sequences(units: Units, wishes: Wishes) -> Results:
    return {"kappa": u.event_alignment(units, **_options(wishes, *_COMMON))}


@_method(
    "time",
    "kappa, or another coefficient, over every moment",
    ("grid", "tolerance", "coefficient", "together", "absent"),
)
def _time(units: Units, wishes: Wishes) -> Results:
    options = _options(wishes, "absent", "together", *_COMMON, grid="unit")
    coefficient = wishes.get("coefficient")
    if units.n_raters == 2 and coefficient in (None, "cohen_kappa", "kappa"):
        return {"kappa": u.time_kappa(units, **options, **_options(wishes, "tolerance"))}
    if wishes.get("tolerance"):
        raise UnsupportedDesignError.needs(
            "a tolerance over time", "Cohen's kappa of two raters", f"{units.n_raters} raters",
            "name two raters and leave the coefficient out",
        )  # fmt: skip
    found = u.time_agreement(units, **options, **_options(wishes, "coefficient"))
    return {found.coefficient: found}


@_method("gamma", "gamma, gamma-cat and gamma-k (Mathet et al. 2015)", ("absent",))
def _gamma(units: Units, wishes: Wishes) -> Results:
    return {"gamma": u.gamma(units, **_options(wishes, "absent", *_COMMON))}


@_method("alpha-u", "Krippendorff's alpha for unitizing of 2004", ("absent",), ("asked",))
def _alpha_u(units: Units, wishes: Wishes) -> Results:
    return {"alpha_u": u.alpha_u(units, **_options(wishes, "absent"))}


@_method("unitizing-alpha", "Krippendorff's alphas for unitizing of 2016", ("grid", "absent"))
def _unitizing(units: Units, wishes: Wishes) -> Results:
    options = _options(wishes, "absent", *_COMMON, grid="unit_length")
    return {"u_alpha": u.unitizing_alpha(units, **options)}


@_method("spans", "pairwise F1 of marked spans", ("matching", "threshold", "absent"))
def _spans(units: Units, wishes: Wishes) -> Results:
    options = _options(wishes, "matching", "absent", *_COMMON)
    if wishes.get("threshold") is not None:
        if wishes.get("matching") not in ("overlap", "jaccard"):
            raise InputError.expected(
                "threshold", 'left out unless matching is "overlap" or "jaccard"',
                wishes["threshold"], "choose such a rule for matches",
            )  # fmt: skip
        options["threshold"] = wishes["threshold"] / 100
    return {"span_f1": u.span_f1(units, **options)}


@_method(
    "boundaries",
    "boundary similarity of segmentations, beyond chance",
    ("tolerance", "grid"),
    _LEVEL,
)
def _boundaries(units: Units, wishes: Wishes) -> Results:
    options = _options(wishes, *_COMMON, tolerance="n_t", grid="atom")
    if "n_t" in options:
        if not float(options["n_t"]).is_integer():
            raise InputError.expected(
                "tolerance", "a whole number of places for boundaries", options["n_t"],
                "a near miss is a boundary fewer than so many places away",
            )  # fmt: skip
        options["n_t"] = int(options["n_t"])
    return {"pi_B": u.segmentation(units, **options)}


@_method(
    "sets",
    "marked words as sets: alpha, alpha prime and beta (Artstein & Poesio 2005)",
    ("items", "pieces", "distance", "grid"),
)
def _sets(units: Units, wishes: Wishes) -> Results:
    ratings = u.word_set_ratings(units, **_options(wishes, "items", "pieces", grid="atom"))
    alone = any(note.code == "one_text" for note in ratings.notes)
    found = rater_bias(
        ratings,
        distance=wishes.get("distance", _OF_SETS),
        confidence_level=None if alone else wishes.get("confidence_level", 0.95),
    )
    return {"krippendorff_alpha": found}


@_method("staccato", "degree of organisation (Thomann 2001)", (), ("n_resamples", "asked"))
def _staccato(units: Units, wishes: Wishes) -> Results:
    return {"organisation": programs.staccato(units, **_options(wishes, *_COMMON[1:]))}


@_method("observer", "frequencies and durations as in The Observer", ("absent",))
def _observer(units: Units, wishes: Wishes) -> Results:
    options = _options(wishes, "absent", *_COMMON)
    return {
        "frequency": programs.session_totals(units, kind="frequency", **options),
        "duration": programs.session_totals(units, kind="duration", **options),
    }


@_method("boris", "kappa and identity as in BORIS", ("grid",), _LEVEL)
def _boris(units: Units, wishes: Wishes) -> Results:
    if wishes.get("grid") is None and units.time_unit == "ms":
        wishes = {**wishes, "grid": 1_000}  # BORIS counts in seconds
    options = _options(wishes, grid="unit")
    found: Results = {"kappa": programs.boris_kappa(units, **options, **_options(wishes, *_COMMON))}
    try:
        found["identity"] = programs.boris_identity(units, **options)
    except UnsupportedDesignError as error:  # kappa stands
        found["identity"] = LeftOut("Needleman-Wunsch identity", str(error))
    return found


def usual_method(units: Units) -> tuple[str, str]:
    """Return the method that fits such units, and why."""
    if units.n_units < len(units):
        return "spans", "units in several pieces"
    if units.labels == ("segment",) and not _has_gaps(units):
        return "boundaries", "segments without labels that leave no gap"
    if units.time_unit in ("character", "token"):
        return "spans", "spans of text with labels"
    return "easydiag", "timed units with labels"


def _has_gaps(units: Units) -> bool:
    """Tell whether any rater's units leave a part of their session empty."""
    order = np.lexsort((units.start, units.rater, units.session))
    session, rater = units.session[order], units.rater[order]
    start, end = units.start[order], units.end[order]
    begins = np.ones(len(order), dtype=bool)
    begins[1:] = (session[1:] != session[:-1]) | (rater[1:] != rater[:-1])
    ends = np.append(begins[1:], True)
    return bool(
        (start[begins] != units.bounds[session[begins], 0]).any()
        or (end[ends] != units.bounds[session[ends], 1]).any()
        or (start[1:] != end[:-1])[~begins[1:]].any()
    )


# ---- The numbers of a result on units, in one shape whatever the method

_NAMES = {
    "alpha_u": "alpha-U (2004)",
    "binary_u_alpha": "|u-alpha",
    "cu_alpha": "cu-alpha",
    "duration": "Agreement of durations",
    "frequency": "Agreement of frequencies",
    "gamma": "gamma",
    "gamma_cat": "gamma-cat",
    "gamma_k": "gamma-k",
    "identity": "Needleman-Wunsch identity (percent)",
    "k_u_alpha": "(k)u-alpha",
    "kappa": "kappa",
    "kappa_B": "kappa* (boundary similarity)",
    "kappa_S": "kappa* (segmentation similarity)",
    "kappa_linked": "kappa of linked units",
    "linked_share": "share of units linked",
    "modified_fleiss": "modified Fleiss' kappa",
    "organisation": "degree of organisation",
    "overlap_extent": "overlap over extent",
    "pi_B": "pi* (boundary similarity)",
    "pi_S": "pi* (segmentation similarity)",
    "raw": "raw agreement",
    "raw_linked": "raw agreement of linked units",
    "span_f1": "mean F1 of spans",
    "u_alpha": "u-alpha",
}
# Numbers that chance is not taken out of; F1 is what kappa tends to where nothing was marked.
UNCORRECTED = ("duration", "frequency", "identity", "organisation", "overlap_extent", "raw",
               "raw_linked", "linked_share")  # fmt: skip
_EASYDIAG = ("kappa", "kappa_linked", "raw", "raw_linked", "linked_share")


@dataclass(frozen=True, kw_only=True)
class UnitValue:
    """One number about units; `label` says of which label, None of all."""

    coefficient: str
    name: str
    value: float
    label: Any = None
    status: str = "ok"
    reason: str | None = None
    observed: float | None = None
    expected: float | None = None
    interval: Mapping[str, Any] | None = None

    @property
    def limits(self) -> Interval | None:
        """The interval, if there is one."""
        found = self.interval
        if found is None:
            return None
        return Interval(found["low"], found["high"], found["confidence_level"], found["method"])

    def to_dict(self) -> dict[str, Any]:
        """Return plain data with stable keys."""
        label = None if self.label is None else shown_label(self.label)
        return plain_fields(self, label=label)


def values_of(key: str, result: Any) -> list[UnitValue]:
    """Return the numbers of a result, the most important first; `key` names its own value."""
    if isinstance(result, EasyDiag):
        return _easydiag_values(result)
    if isinstance(result, EasyDiagPairs):
        return _pairs(result)
    if isinstance(result, ThresholdCurve):
        return []  # it shows what becomes of the others
    record = result.to_dict()
    if "estimates" in record:
        return [_estimate(one) for one in record["estimates"]]
    labels = getattr(result, "categories", None) or getattr(result, "by_label", None) or ()
    each = [one for one in labels if hasattr(one, "kappa")] if isinstance(labels, tuple) else []
    return [
        _made(key, result.value, result, interval=record.get("interval")),
        *(_made("kappa", one.kappa, one, label=one.label) for one in each),
    ]


def _made(key: str, value: float, of: Any, *, label: Any = None, interval: Any = None) -> UnitValue:
    observed, expected = getattr(of, "observed", None), getattr(of, "expected", None)
    return UnitValue(
        coefficient=key,
        name=_NAMES.get(key, getattr(of, "name", key)),
        label=label,
        value=float(value),
        status=getattr(of, "status", "ok"),
        reason=getattr(of, "reason", None),
        observed=observed,
        expected=expected,
        interval=_limits(interval),
    )


def _estimate(record: Mapping[str, Any]) -> UnitValue:
    key = str(record["coefficient"])
    value = record["value"]
    name = _NAMES.get(key, record.get("name", key))
    if record.get("distance", "nominal") != "nominal":
        name += f", {record['distance']} distance"
    return UnitValue(
        coefficient=key,
        name=name,
        label=record.get("category"),
        value=math.nan if value is None else float(value),
        status=record.get("status", "ok"),
        reason=record.get("reason"),
        observed=record.get("observed"),
        expected=record.get("expected"),
        interval=_limits(record.get("interval")),
    )


def _limits(interval: Any) -> Mapping[str, Any] | None:
    """Return an interval that has limits as plain data."""
    if interval is None:
        return None
    record: Mapping[str, Any] = plain(interval)
    return record if record.get("low") is not None else None


def _easydiag_values(result: EasyDiag) -> list[UnitValue]:
    chance = {"kappa": ("raw", "expected"), "kappa_linked": ("raw_linked", "expected_linked")}
    found, level = [], result.settings.confidence_level
    for key in _EASYDIAG:
        value = getattr(result, key)
        observed, expected = chance.get(key, (None, None))
        found.append(
            UnitValue(
                coefficient=key,
                name=_NAMES[key],
                value=value,
                status="ok" if math.isfinite(value) else "undefined",
                reason=result.reasons.get(key),
                observed=None if observed is None else getattr(result, observed),
                expected=None if expected is None else getattr(result, expected),
                interval=_limits(result.confidence_interval(level, name=key)),
            )
        )
    for one in result.categories:
        interval: Interval = result.confidence_interval(level, label=one.label)
        found.append(_raw(_made("kappa", one.kappa, one, label=one.label, interval=interval), one))
    return found


def _raw(value: UnitValue, of: Any) -> UnitValue:
    return replace(value, observed=of.raw)


def _pairs(result: EasyDiagPairs) -> list[UnitValue]:
    kappa = _made("kappa", result.kappa, result, interval=result.interval)
    found = [_raw(kappa, result)]
    found += [
        UnitValue(coefficient=key, name=_NAMES[key], value=getattr(result, key))
        for key in ("raw", "linked_share")
    ]
    return found


# ---- Agreement on units by any method: one function, one summary

_MORE_SESSIONS = "Let the raters mark more sessions."
_NO_INTERVAL = (
    "Intervals come from leaving out whole sessions: let the raters mark at least 8 of them."
)
_FOR_TABLES = ("easydiag", "elan", "gseq")
NIL = "nil"
_TOLD = 5  # things set aside that are told one by one
_MANY_SESSIONS = 20  # from here on the study of coverage finds no interval below 0.90
_SETTINGS = ("threshold", "tolerance", "grid", "linking", "matching", "coefficient", "together",
             "absent", "base", "items", "pieces", "distance", "thresholds")  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class UnitSummary(Defined):
    """What a method found out about some units.

    Attributes
    ----------
    method : str
    why : str
        What the method was chosen for; empty if it was asked for.
    units : Units
        Those that were compared.
    results : mapping
        The results themselves, by the name of their value.
    values : tuple of UnitValue
        All numbers in one shape, the most important first.
    """

    method: str
    why: str
    units: Units = field(repr=False)
    results: Results = field(repr=False)
    values: tuple[UnitValue, ...]
    seed: int
    confidence_level: float

    @property
    def title(self) -> str:
        """What the method is, in a few words."""
        return UNIT_METHODS[self.method].title

    @property
    def main(self) -> Any:
        """The first result."""
        return next(iter(self.results.values()))

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What to know before the numbers are believed, each once."""
        every = [one for found in self.results.values() for one in getattr(found, "findings", ())]
        every += [*_aside(self.units), *_sureness(self)]
        return tuple({(one.code, one.message): one for one in every}.values())

    @property
    def verdict(self) -> Verdict:
        """What the interval of the first number says, and what to do next."""
        first, n = self.values[0], self.units.n_sessions
        interval = first.limits
        if first.coefficient in UNCORRECTED and first.status == "ok":
            gauge = Gauge.of(upper_first(first.name), first.value, interval)
            return unjudged(gauge, "No threshold is quoted for this number.",
                            "Other methods give a kappa.")  # fmt: skip
        return verdict_on(
            upper_first(first.name),
            first.value if first.status == "ok" else math.nan,
            interval,
            sample=counted(n, "session"),
            reason=first.reason,
            no_interval=f"without an interval: {counted(n, 'session')} cannot say how sure that is",
            more=_MORE_SESSIONS if interval is not None else _NO_INTERVAL,
        )

    def __getitem__(self, coefficient: str) -> UnitValue:
        """Return a number about all labels by its name."""
        wanted = coefficient.casefold().replace("-", "_")
        overall = [one for one in self.values if one.label is None]
        for one in overall:
            if one.coefficient.casefold() == wanted:
                return one
        raise InputError.unknown_word(
            "the coefficient", coefficient, [one.coefficient for one in overall]
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the record that every command shares, with each result beside it."""
        units = self.units
        return envelope(
            data={
                "units": units.n_units,
                "raters": units.n_raters,
                "sessions": units.n_sessions,
                "tiers": len(units.tiers),
                "labels": units.labels,
                "time_unit": units.time_unit,
                "sources": units.sources,
                "notes": [{"code": x.code, "message": x.message} for x in units.notes],
            },
            estimates=self.values,
            findings=self.findings,
            seed=self.seed,
            verdict=self.verdict,
            method=self.method,
            reading=None if units.reading is None else units.reading.to_dict(),
            results={key: _inside(one.to_dict()) for key, one in self.results.items()},
        )

    def document(self) -> Document:
        """Return the results as something to read."""
        parts = [one.document() for one in self.results.values()]
        blocks: list[Block] = list(parts[0].blocks)
        for part in parts[1:]:
            blocks += [Paragraph(part.title), *part.blocks] if part.blocks else []
        return Document(
            title=parts[0].title,
            blocks=tuple(blocks),
            findings=self.findings,
            verdict=self.verdict,
        )


def _aside(units: Units) -> list[Finding]:
    """Report what the reader set aside that could have been compared."""
    told = () if units.reading is None else units.reading.account.that_matters
    found = [Finding("set_aside", "caution", f"{one}.") for one in told[:_TOLD]]
    if len(told) > _TOLD:
        more = sum(one.count for one in told[_TOLD:])
        message = (
            f"{more:,} further things were set aside; the block reading of the JSON names them."
        )
        found.append(Finding("set_aside", "caution", message))
    return found


def _sureness(summary: UnitSummary) -> list[Finding]:
    """Say what an interval over sessions cannot know; docs/coverage.md has the figures."""
    n = summary.units.n_sessions
    if summary.values[0].limits is None:
        return []
    if n >= _MANY_SESSIONS:
        return [interval_approximate("timed events")]
    message = (
        f"The interval rests on {n} sessions: it is too narrow if some sessions elsewhere go much "
        "worse than all of these."
    )
    return [Finding("few_sessions", "info", message, evidence={"sessions": n})]


def _inside(record: dict[str, Any]) -> dict[str, Any]:
    """Leave out what the envelope says already."""
    away = ("schema", "version", "seed", "data", "estimates", "findings")
    return {key: value for key, value in record.items() if key not in away}


def measure_units(
    units: Units,
    *,
    method: str | None = None,
    raters: Sequence[str] | None = None,
    threshold: float | None = None,
    tolerance: float | None = None,
    grid: float | None = None,
    linking: str | None = None,
    matching: str | None = None,
    coefficient: str | None = None,
    together: str | None = None,
    absent: str | None = None,
    base: str | None = None,
    items: str | None = None,
    pieces: str | None = None,
    distance: Any = None,
    thresholds: Iterable[float] | None = None,
    confidence_level: float = 0.95,
    n_resamples: int | None = None,
    seed: int = 0,
) -> UnitSummary:
    """Measure agreement on units by the method that fits them, or the one asked for.

    Parameters
    ----------
    units : Units
    method : str, optional
        "easydiag", "gseq", "sequences", "time", "gamma", "alpha-u", "unitizing-alpha", "spans",
        "boundaries", "sets", "staccato", "observer", "boris", "elan", "interact", "haccou-meelis"
        or "jansen". By default easydiag, "spans" for text and "boundaries" for segments without
        labels.
    raters : names, optional
    threshold : float, optional
        Percent of overlap that makes two units the same.
    tolerance : float, optional
        How far apart two times may lie; what it means depends on the method.
    grid : float, optional
        Length of the units of time in which time is counted.
    linking, matching, coefficient, together, absent : str, optional
        Settings of the methods that have them; ``absent`` is "asked", "drop" or "count".
    base : {"longer", "shorter", "union"}, optional
        What the overlap of the GSEQ-like alignment is a percentage of.
    items, pieces, distance : optional
        For "sets": what is compared, what sets are made of, and by which distance or distances.
    thresholds : percentages, optional
        For "easydiag": also the values at each of these.
    confidence_level, n_resamples, seed
        Of the intervals, and of whatever is drawn at random.

    Returns
    -------
    UnitSummary

    Raises
    ------
    InputError
        An unknown method, or a setting that the method does not have.
    UnsupportedDesignError
        The method cannot do such units; the message says what it needs.

    Examples
    --------
    >>> units = Units.from_records([
    ...     ("R1", "A", 0, 10), ("R1", "B", 10, 20), ("R2", "A", 1, 11), ("R2", "C", 11, 19)])
    >>> round(measure_units(units)["kappa"].value, 4)
    0.3333
    """
    if not isinstance(units, Units):
        raise InputError.expected("units", "Units", type(units).__name__, "see Units.from_records")
    why = ""
    if method is None:
        method, why = usual_method(units)
    method = UNIT_METHODS[method].name
    if absent is not None and absent not in ABSENT:
        raise InputError.unknown_word("absent", absent, ABSENT)
    given = (threshold, tolerance, grid, linking, matching, coefficient, together, absent,
             base, items, pieces, distance, thresholds)  # fmt: skip
    wishes: dict[str, Any] = {k: v for k, v in zip(_SETTINGS, given, strict=True) if v is not None}
    for name, value in wishes.items():
        if name not in UNIT_METHODS[method].takes:
            able = [one.name for one in UNIT_METHODS.values() if name in one.takes]
            raise InputError.expected(
                name, f"left out for {method}", value, f"it is for {', '.join(able)}"
            )
    if raters is not None:
        units = units.select(raters=list(raters))
    wishes |= {"confidence_level": confidence_level, "n_resamples": n_resamples, "rng": seed}
    results = UNIT_METHODS[method].run(units, wishes)
    values = [one for key, found in results.items() for one in values_of(key, found)]
    return UnitSummary(
        method=method,
        why=why,
        units=units,
        results=results,
        values=tuple(values),
        seed=seed,
        confidence_level=confidence_level,
    )


def measure_nil_table(
    table: Any,
    labels: Sequence[Any] | None = None,
    *,
    method: str | None = None,
    raters: tuple[str, str] = ("first", "second"),
) -> DiagTable | AlignmentTable:
    """Measure a table with nil that somebody else has tallied, by the method it was made with.

    Parameters
    ----------
    table : square array
        Rows are the first rater; the last row and column are nil.
    labels : list, optional
    method : {"easydiag", "elan", "gseq"}, default "easydiag"
    raters : two names

    Returns
    -------
    DiagTable or AlignmentTable

    Examples
    --------
    >>> round(measure_nil_table([[8, 2, 1], [0, 6, 2], [1, 0, 0]], ["a", "b"]).kappa, 3)
    0.497
    """
    chosen = method or "easydiag"
    if chosen == "gseq":
        named = None if labels is None else [*labels, NIL]
        return gseq_table(table, named, nil=None if named is None else NIL, raters=raters)
    if chosen not in ("easydiag", "elan"):
        raise InputError.unknown_word("the method for a table", chosen, _FOR_TABLES)
    mode: Any = "elan" if chosen == "elan" else "exact"
    return easydiag_table(table, labels, mode=mode, raters=raters)
