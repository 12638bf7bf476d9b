"""What the measures of BORIS return."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from consilience.core.arrays import Floats
from consilience.core.result import Defined
from consilience.document import (
    Document,
    Finding,
    Paragraph,
    Table,
    plain,
)
from consilience.inference import Interval
from consilience.units.model._unit_results import (
    Accounted,
    ByKappa,
    SessionsDrawn,
    said_interval,
    said_units,
)
from consilience.units.programs._boris_tally import State, named


@dataclass(frozen=True, kw_only=True)
class BorisKappa(ByKappa, SessionsDrawn, Accounted):
    """Cohen's kappa of two observations, counted as BORIS counts.

    Attributes
    ----------
    kappa, observed, expected : float
        Unrounded; BORIS prints three digits.
    table : array (K, K)
        Instants, intervals or time in each combination of states.
    states : tuple
        What was on: pairs of subject and behaviour; () is nothing.
    """

    coefficient: ClassVar[str] = "boris_kappa"
    unrecorded: ClassVar[tuple[str, ...]] = ("kappa",)
    recorded: ClassVar[tuple[str, ...]] = ("coefficient", "value", "status")

    raters: tuple[str, str]
    mode: str
    unit: float | None
    point_weight: float | None
    kappa: float
    observed: float
    expected: float
    total: float
    reason: str | None
    states: tuple[State, ...] = field(repr=False)
    table: Floats = field(repr=False)
    subjects: tuple[str, ...] = field(repr=False)
    sessions: tuple[str, ...] = field(repr=False)
    n_units: Mapping[str, int] = field(repr=False)
    interval: Interval = field(repr=False)
    findings: tuple[Finding, ...] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data with stable keys."""
        return super().to_dict() | {"states": [named(x) for x in self.states]}

    def document(self) -> Document:
        """Return the result as something to read."""
        what = {
            "time_unit": f"Instants {self.unit:g} apart, in the time unit of the data"
            if self.unit
            else "",
            "unweighted": "Stretches between changes, each counted once",
            "weighted": "Stretches between changes, weighed by their length",
        }[self.mode]
        if self.mode != "time_unit":
            what += f"; a point event weighs {self.point_weight:g}"
        said = f"{said_units(self.units_by_session)} {what}; subjects: {', '.join(self.subjects)}."
        row: list[Any] = [f"{self.total:,.10g}", self.observed, self.expected, self.kappa]
        table = Table(heads=("tallies", "observed", "by chance", "kappa"), rows=[row])
        blocks: list[Any] = [Paragraph(said), table]
        if self.reason:
            blocks.append(Paragraph(f"Not defined: {self.reason}."))
        blocks.append(Paragraph(said_interval(self.interval)))
        title = f"Kappa as in BORIS: {self.raters[0]} and {self.raters[1]}"
        return Document(title=title, blocks=tuple(blocks), findings=self.findings)


@dataclass(frozen=True, kw_only=True)
class BorisIdentity(Defined, Accounted):
    """Needleman-Wunsch identity of two observations.

    Attributes
    ----------
    identity : float
        Percent of the columns of the alignment in which both show the same.
    n_matches, n_columns, score : int
        The score counts 1 for a match and -1 for a mismatch or gap.
    """

    interval_needs: ClassVar[str] = "an error that is known, and that of an alignment is not"
    coefficient: ClassVar[str] = "boris_identity"
    unrecorded: ClassVar[tuple[str, ...]] = ("identity", "by_session")
    recorded: ClassVar[tuple[str, ...]] = ("coefficient", "value")

    raters: tuple[str, str]
    unit: float
    identity: float
    n_matches: int
    n_columns: int
    score: int
    subjects: tuple[str, ...]
    by_session: Mapping[str, float] = field(repr=False)
    findings: tuple[Finding, ...] = field(repr=False)

    @property
    def value(self) -> float:
        """Identity in percent."""
        return self.identity

    def to_dict(self) -> dict[str, Any]:
        """Return plain data with stable keys."""
        return super().to_dict() | {"sessions": plain(self.by_session)}

    def document(self) -> Document:
        """Return the result as something to read."""
        row: list[Any] = [self.identity, self.n_matches, self.n_columns, self.score]
        heads = ("identity (percent)", "matches", "columns", "score")
        said = said_units(self.units_by_session) + (
            f" Instants {self.unit:g} apart, in the time unit of the data, up to the last onset; "
            "match 1, mismatch -1, gap -1, traced from the end with matches "
            "first. Not corrected for chance."
        )
        title = f"Needleman-Wunsch identity as in BORIS: {self.raters[0]} and {self.raters[1]}"
        table = Table(heads=heads, rows=[row])
        return Document(title=title, blocks=(Paragraph(said), table), findings=self.findings)
