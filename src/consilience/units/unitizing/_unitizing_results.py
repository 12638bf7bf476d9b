"""What the unitizing alphas return."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from consilience.core.words import interval_head, sentence
from consilience.document import (
    Document,
    Finding,
    Paragraph,
    Range,
    Recorded,
    Table,
    envelope,
)
from consilience.inference import Interval
from consilience.units.model._unit_results import Accounted, LedBySessions, dropped_records


@dataclass(frozen=True, kw_only=True)
class UnitizingValue(Recorded):
    """One coefficient of the family: 1 − observed / expected disagreement."""

    value: float
    observed: float
    expected: float
    coverage: float  # share of the continuum, or of the category, that it speaks of
    status: str
    reason: str | None
    interval: Interval

    def __float__(self) -> float:
        return self.value


@dataclass(frozen=True, kw_only=True)
class UnitizingAlpha(LedBySessions, Accounted):
    """The unitizing alphas of some units; see `unitizing_alpha`.

    The value is that of u-alpha, which counts units, gaps and labels.
    """

    u: UnitizingValue
    binary: UnitizingValue
    cu: UnitizingValue
    by_category: Mapping[Any, UnitizingValue]
    sessions: tuple[Mapping[str, Any], ...]
    parameters: Mapping[str, Any]
    dropped: tuple[tuple[str, str], ...]
    n_units: int
    n_raters: int
    findings: tuple[Finding, ...]
    seed: int | None

    @property
    def _leading(self) -> UnitizingValue:
        return self.u

    def __repr__(self) -> str:
        return (
            f"UnitizingAlpha(u={self.u.value:.4f}, binary={self.binary.value:.4f}, "
            f"cu={self.cu.value:.4f}, n_units={self.n_units}, n_raters={self.n_raters})"
        )

    def _named(self) -> list[tuple[str, Any, UnitizingValue]]:
        named: list[tuple[str, Any, UnitizingValue]] = [
            ("u_alpha", None, self.u),
            ("binary_u_alpha", None, self.binary),
            ("cu_alpha", None, self.cu),
        ]
        return named + [("k_u_alpha", label, part) for label, part in self.by_category.items()]

    def to_dict(self) -> dict[str, Any]:
        """Return the record with the estimates, the sessions and the parameters."""
        return envelope(
            data={
                "units": self.n_units,
                "raters": self.n_raters,
                "sessions": len(self.sessions),
                "units_by_session": dict(self.units_by_session),
                "dropped": dropped_records(self.dropped),
            },
            estimates=[
                {"coefficient": name, "category": label, **part.to_dict()}
                for name, label, part in self._named()
            ],
            findings=self.findings,
            seed=self.seed,
            sessions=self.sessions,
            parameters=self.parameters,
        )

    def document(self) -> Document:
        """Return the table to read."""
        p = self.parameters
        shown = {"u_alpha": "u-alpha", "binary_u_alpha": "|u-alpha", "cu_alpha": "cu-alpha"}
        level = interval_head(self.u.interval.confidence_level)
        text = (
            f"{self.n_units:,} units of {self.n_raters} raters in {len(self.sessions)} "
            f"{'continuum' if len(self.sessions) == 1 else 'continua'}; lengths are counted in "
            f"{p['time_unit']}, on which the values depend; {p['distance']} metric of labels in "
            "cu-alpha."
        )
        if self.u.interval.note:
            text += f" {sentence(self.u.interval.note)}"
        table = Table(
            heads=("coefficient", "value", level, "coverage"),
            rows=[
                [
                    shown.get(name, f"({label})u-alpha"),
                    part.value,
                    Range.of(part.interval),
                    part.coverage,
                ]
                for name, label, part in self._named()
            ],
        )
        blocks = (Paragraph(text), table)
        return Document(title="Unitizing alphas", blocks=blocks, findings=self.findings)
