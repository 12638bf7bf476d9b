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
    Paragraph,
    Range,
    Recorded,
    Table,
)
from consilience.inference import Interval
from consilience.units.model._unit_results import (
    DisagreementRatio,
    LedBySessions,
    OfContinua,
)

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
class GammaValue(DisagreementRatio):
    """One member of the gamma family: 1 − observed / expected disorder."""

    monte_carlo_error: float  # of the value, from the number of random continua alone
    interval: Interval  # over sessions


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
class Gamma(LedBySessions, OfContinua):
    """Gamma, gamma-cat and gamma-k of some units; see `gamma`."""

    overall: GammaValue
    cat: GammaValue
    sessions: tuple[SessionGamma, ...]
    alignment: Alignment
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

    @property
    def _n_continua(self) -> int:
        return len(self.sessions)

    def _named(self) -> list[tuple[str, Any, GammaValue]]:
        named = [("gamma", None, self.overall), ("gamma_cat", None, self.cat)]
        return named + [("gamma_k", label, part) for label, part in self.by_category.items()]

    def _sizes(self) -> dict[str, Any]:
        return super()._sizes() | {"linked": self.alignment.n_linked}

    def to_dict(self) -> dict[str, Any]:
        """Return the record with the estimates, the sessions and the parameters."""
        return self._record(self.seed, sessions=self.sessions)

    def document(self) -> Document:
        """Return the tables to read."""
        blocks: list[Block] = [Paragraph(self._sentence()), self._values()]
        if len(self.sessions) > 1:
            blocks.append(self._per_session())
        return Document(title="Gamma", blocks=tuple(blocks), findings=self.findings)

    def _sentence(self) -> str:
        p = self.parameters
        text = (
            f"{self._said_sizes()}; {self.alignment.n_linked:,} units stand together with another "
            "rater's. "
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
        level = interval_head(self.interval.confidence_level)
        return Table(
            heads=("coefficient", "value", level, "observed", "expected", "Monte Carlo error"),
            rows=[
                [
                    name.replace("_", "-") + ("" if label is None else f" {label}"),
                    part.value,
                    Range.of(part.interval),
                    part.observed,
                    part.expected,
                    part.monte_carlo_error,
                ]
                for name, label, part in self._named()
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
