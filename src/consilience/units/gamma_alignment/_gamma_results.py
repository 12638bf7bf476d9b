"""What gamma returns: the value, its parts, the sessions, and the alignment itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from consilience.core.arrays import Floats, Ints
from consilience.core.words import interval_head, sentence
from consilience.document import (
    Block,
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

TIE_RULE = (
    "among alignments of equal disorder the one with more aligned pairs, then with less distance "
    "between labels"
)


@dataclass(frozen=True, kw_only=True)
class Alignment:
    """The best alignment: which units of the raters stand for the same thing.

    Attributes
    ----------
    units : array (unitary alignments, raters)
        Row of each unit in the `Units`, −1 where a rater has none.
    disorder : array
        Disorder of each unitary alignment.
    session, tier : array
        Codes into the units' `sessions` and `tiers`.
    raters : tuple of str
        The columns of `units`.
    """

    units: Ints
    disorder: Floats
    session: Ints
    tier: Ints
    raters: tuple[str, ...]

    def __len__(self) -> int:
        """Return the number of unitary alignments."""
        return len(self.units)

    @property
    def n_members(self) -> Ints:
        """How many raters take part in each unitary alignment."""
        count: Ints = (self.units >= 0).sum(axis=1)
        return count

    @property
    def n_linked(self) -> int:
        """How many units stand together with a unit of another rater."""
        members = self.n_members
        return int(members[members > 1].sum())


@dataclass(frozen=True, kw_only=True)
class GammaValue(Recorded):
    """One member of the gamma family: 1 − observed / expected disorder."""

    value: float
    observed: float
    expected: float
    status: str
    reason: str | None
    monte_carlo_error: float  # of the value, from the number of random continua alone
    interval: Interval  # over sessions

    def __float__(self) -> float:
        return self.value


@dataclass(frozen=True, kw_only=True)
class SessionGamma(Recorded):
    """Gamma of one tier of one session."""

    session: str
    tier: str
    value: float
    observed: float
    expected: float
    monte_carlo_error: float
    n_samples: int
    exact: bool
    n_units: Mapping[str, int]  # by rater
    n_linked: int
    n_alignments: int


@dataclass(frozen=True, kw_only=True)
class Gamma(LedBySessions, Accounted):
    """Gamma, gamma-cat and gamma-k of some units; see `gamma`."""

    overall: GammaValue
    cat: GammaValue
    by_category: Mapping[Any, GammaValue]
    sessions: tuple[SessionGamma, ...]
    alignment: Alignment
    parameters: Mapping[str, Any]
    dropped: tuple[tuple[str, str], ...]  # session, why
    n_units: int
    n_raters: int
    findings: tuple[Finding, ...]
    seed: int | None

    @property
    def _leading(self) -> GammaValue:
        return self.overall

    @property
    def observed(self) -> float:
        """Disorder of the best alignment."""
        return self.overall.observed

    @property
    def expected(self) -> float:
        """Mean disorder of the random continua."""
        return self.overall.expected

    @property
    def monte_carlo_error(self) -> float:
        """Standard error of gamma that more random continua would remove."""
        return self.overall.monte_carlo_error

    @property
    def exact(self) -> bool:
        """Whether every alignment is the best one, proven."""
        return bool(self.parameters["exact"])

    def __repr__(self) -> str:
        return (
            f"Gamma({self.value:.4f}, cat={self.cat.value:.4f}, n_units={self.n_units}, "
            f"n_raters={self.n_raters}, sessions={len(self.sessions)}, exact={self.exact})"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the record with the estimates, the sessions and the parameters."""
        named = [("gamma", None, self.overall), ("gamma_cat", None, self.cat)]
        named += [("gamma_k", label, part) for label, part in self.by_category.items()]
        return envelope(
            data={
                "units": self.n_units,
                "raters": self.n_raters,
                "sessions": len(self.sessions),
                "linked": self.alignment.n_linked,
                "units_by_session": dict(self.units_by_session),
                "dropped": dropped_records(self.dropped),
            },
            estimates=[
                {"coefficient": name, "category": label, **part.to_dict()}
                for name, label, part in named
            ],
            findings=self.findings,
            seed=self.seed,
            sessions=self.sessions,
            parameters=self.parameters,
        )

    def document(self) -> Document:
        """Return the tables to read."""
        blocks: list[Block] = [Paragraph(self._sentence()), self._values()]
        if len(self.sessions) > 1:
            blocks.append(self._per_session())
        return Document(title="Gamma", blocks=tuple(blocks), findings=self.findings)

    def _sentence(self) -> str:
        p = self.parameters
        text = (
            f"{self.n_units:,} units of {self.n_raters} raters in {len(self.sessions)} "
            f"{'continuum' if len(self.sessions) == 1 else 'continua'}; "
            f"{self.alignment.n_linked:,} units stand together with another rater's. "
            f"alpha = {p['alpha']:g} (position), beta = {p['beta']:g} (label), "
            f"{p['distance']} distance of labels; chance: {p['chance']}, "
            f"{p['n_samples']:,} random continua; alignments "
            f"{'exact' if self.exact else 'approximate'}. Gamma is comparable only under the same "
            "settings."
        )
        if self.interval.note:
            text += f" {sentence(self.interval.note)}"
        return text

    def _values(self) -> Table:
        named = [("gamma", self.overall), ("gamma-cat", self.cat)]
        named += [(f"gamma-k {label}", part) for label, part in self.by_category.items()]
        level = interval_head(self.interval.confidence_level)
        return Table(
            heads=("coefficient", "value", level, "observed", "expected", "Monte Carlo error"),
            rows=[
                [
                    name,
                    part.value,
                    Range.of(part.interval),
                    part.observed,
                    part.expected,
                    part.monte_carlo_error,
                ]
                for name, part in named
            ],
            note="The interval is over sessions; the Monte Carlo error is that of the random "
            "continua alone.",
        )

    def _per_session(self) -> Table:
        return Table(
            heads=("session", "tier", "units", "linked", "gamma", "observed", "expected"),
            rows=[
                [
                    part.session,
                    part.tier,
                    int(np.sum(list(part.n_units.values()))),
                    part.n_linked,
                    part.value,
                    part.observed,
                    part.expected,
                ]
                for part in self.sessions
            ],
            caption="By session",
        )
