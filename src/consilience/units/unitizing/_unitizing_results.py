"""What the unitizing alphas return."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from consilience.core.words import interval_head, sentence
from consilience.document import Document, Paragraph, Table
from consilience.inference import Interval
from consilience.units.model._unit_results import DisagreementRatio, LedBySessions, OfContinua


@dataclass(frozen=True, kw_only=True)
class UnitizingValue(DisagreementRatio):
    """One coefficient of the family: 1 − observed / expected disagreement."""

    coverage: float  # share of the continuum, or of the category, that it speaks of
    interval: Interval


@dataclass(frozen=True, kw_only=True)
class UnitizingAlpha(LedBySessions, OfContinua):
    """The unitizing alphas of some units; see `unitizing_alpha`.

    The value is that of u-alpha, which counts units, gaps and labels.
    """

    u: UnitizingValue
    binary: UnitizingValue
    cu: UnitizingValue
    sessions: tuple[Mapping[str, Any], ...]
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

    @property
    def _n_continua(self) -> int:
        return len(self.sessions)

    def to_dict(self) -> dict[str, Any]:
        """Return the record with the estimates, the sessions and the parameters."""
        return self._record(self.seed, sessions=self.sessions)

    def document(self) -> Document:
        """Return the table to read."""
        p = self.parameters
        shown = {"u_alpha": "u-alpha", "binary_u_alpha": "|u-alpha", "cu_alpha": "cu-alpha"}
        level = interval_head(self.u.interval.confidence_level)
        text = (
            f"{self._said_sizes()}; lengths are counted in {p['time_unit']}, on which the "
            f"values depend; {p['distance']} metric of labels in "
            "cu-alpha."
        )
        if self.u.interval.note:
            text += f" {sentence(self.u.interval.note)}"
        table = Table.of(
            self._named(),
            ("coefficient", lambda x: shown.get(x[0], f"({x[1]})u-alpha")),
            "value: 2.value",
            f"{level}: 2.interval",
            "coverage: 2.coverage",
        )
        blocks = (Paragraph(text), table)
        return Document(title="Unitizing alphas", blocks=blocks, findings=self.findings)
