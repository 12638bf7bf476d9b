"""Agreement on units by any method: one function, one summary."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from consilience.core.result import Defined
from consilience.core.verdict import Gauge, Verdict, unjudged, verdict_on
from consilience.core.words import counted, upper_first
from consilience.document import Block, Document, Finding, Paragraph, envelope
from consilience.document.measured_coverage import interval_approximate
from consilience.exceptions import InputError
from consilience.report._unit_values import UNCORRECTED, UnitValue, values_of
from consilience.report.unit_methods import UNIT_METHODS, Results
from consilience.report.unit_runs import usual_method
from consilience.units import AlignmentTable, DiagTable, Units, easydiag_table, gseq_table
from consilience.units.model.asked import ABSENT

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
