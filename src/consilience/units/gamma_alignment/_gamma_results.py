"""What gamma returns, pooled over continua: values, sessions, and the alignment itself."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from consilience.core.arrays import Floats, Ints
from consilience.core.words import interval_head, sentence
from consilience.document import Block, Document, Paragraph, Recorded, Table
from consilience.inference import Interval
from consilience.units.gamma_alignment._gamma_input import Prepared
from consilience.units.gamma_alignment._gamma_run import Chance, Observed
from consilience.units.model._sessions import Draws
from consilience.units.model._unit_results import DisagreementRatio, LedBySessions, OfContinua
from consilience.units.model.units import Units

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
        return Table.of(
            self._named(),
            ("coefficient", lambda x: _shown_name(*x[:2])),
            "value: 2.value",
            f"{interval_head(self.interval.confidence_level)}: 2.interval",
            "observed: 2.observed",
            "expected: 2.expected",
            "Monte Carlo error: 2.monte_carlo_error",
            note="The interval is over sessions; the Monte Carlo error is that of the random "
            "continua alone.",
        )

    def _per_session(self) -> Table:
        return Table.of(
            self.sessions,
            "session",
            "tier",
            ("units", lambda part: sum(part.n_units.values())),
            "linked: n_linked",
            "gamma: value",
            "observed",
            "expected",
            caption="By session",
        )


def _shown_name(name: str, label: Any) -> str:
    return name.replace("_", "-") + ("" if label is None else f" {label}")


def values_of(
    units: Units, data: Prepared, observed: list[Observed], chances: list[Chance], draws: Draws
) -> tuple[GammaValue, GammaValue, dict[Any, GammaValue]]:
    """Pool the blocks: kinds are gamma itself, gamma-cat, and gamma-k for each category."""
    mean_units = np.array([len(b.rows) / len(b.raters) for b in data.blocks])
    e_b = np.array([c.disorder.mean() for c in chances])
    error_b = np.array([c.disorder.var(ddof=1) / len(c.disorder) for c in chances])
    count = np.array([c.labels[2] for c in chances])
    with np.errstate(divide="ignore", invalid="ignore"):
        e_bk = np.array([c.labels[0] for c in chances]) / count
        second = np.array([c.labels[1] for c in chances]) / count
        error_bk = np.maximum(second - e_bk**2, 0.0) / np.maximum(count - 1, 1)
    distance = np.array([o.distance for o in observed])
    weight = np.where(np.isfinite(e_bk), np.array([o.weight for o in observed]), 0.0)
    a = np.column_stack([mean_units * [o.disorder for o in observed], distance * (weight > 0)])
    w = np.column_stack([mean_units, weight])
    e = np.column_stack([e_b, np.where(np.isfinite(e_bk), e_bk, 0.0)])
    error = np.column_stack([error_b, np.where(np.isfinite(error_bk), error_bk, 0.0)])
    session = np.unique([b.session for b in data.blocks], return_inverse=True)[1]
    sums = np.zeros((int(session.max()) + 1, 2, a.shape[1]))
    np.add.at(sums, session, np.stack([a, w * e], axis=1))
    intervals = draws.intervals(sums, lambda s: 1.0 - s[:, 0] / s[:, 1], a.shape[1])
    parts = [
        _value(a[:, k], w[:, k], e[:, k], error[:, k], interval=intervals[k], kind=k)
        for k in range(a.shape[1])
    ]
    used = np.unique(np.concatenate([b.continuum.label for b in data.blocks]))
    return parts[0], parts[1], {units.labels[k]: parts[2 + k] for k in used.tolist()}


def _value(
    a: Floats, w: Floats, e: Floats, error: Floats, *, interval: Interval, kind: int
) -> GammaValue:
    total, chance = float(a.sum()), float((w * e).sum())
    weight = float(w.sum())
    reason = None
    if weight == 0:
        reason = "no two units with this label, close to each other, were aligned"
        reason = "no two units close to each other were aligned" if kind == 1 else reason
    elif chance == 0:
        reason = (
            "random continua have no disorder: everything is in the same place and called alike"
        )
        reason = "aligned units never differ in their label by chance" if kind else reason
    value = math.nan if reason else 1.0 - total / chance  # Mathet et al. 2015: gamma
    spread = math.sqrt(float((w**2 * error).sum()))
    return GammaValue(
        value=value,
        observed=total / weight if weight else math.nan,
        expected=chance / weight if weight else math.nan,
        status="undefined" if reason else "ok",
        reason=reason,
        monte_carlo_error=math.nan if reason else total / chance**2 * spread,
        interval=interval,
    )


def sessions_of(
    units: Units, data: Prepared, observed: list[Observed], chances: list[Chance]
) -> tuple[SessionGamma, ...]:
    """Return gamma of each tier of each session."""
    out = []
    for block, seen, chance in zip(data.blocks, observed, chances, strict=True):
        expected = float(chance.disorder.mean())
        spread = float(chance.disorder.std(ddof=1)) / math.sqrt(len(chance.disorder))
        members = (seen.member >= 0).sum(axis=1)
        out.append(
            SessionGamma(
                session=units.sessions[block.session],
                tier=units.tiers[block.tier],
                value=1.0 - seen.disorder / expected if expected else math.nan,
                observed=seen.disorder,
                expected=expected,
                monte_carlo_error=seen.disorder / expected**2 * spread if expected else math.nan,
                n_samples=len(chance.disorder),
                exact=seen.exact and chance.exact,
                n_units={
                    units.raters[r]: int(n)
                    for r, n in zip(block.raters, np.diff(block.continuum.offset), strict=True)
                },
                n_linked=int(members[members > 1].sum()),
                n_alignments=len(members),
            )
        )
    return tuple(out)


def alignment_of(units: Units, data: Prepared, observed: list[Observed]) -> Alignment:
    """Put the best alignments of all continua together."""
    tables, costs = [], []
    for block, seen in zip(data.blocks, observed, strict=True):
        table = np.full((len(seen.member), units.n_raters), -1, dtype=np.int64)
        table[:, list(block.raters)] = np.where(seen.member >= 0, block.rows[seen.member], -1)
        tables.append(table)
        costs.append(seen.cost)
    lengths = [len(table) for table in tables]
    return Alignment(
        units=np.concatenate(tables),
        disorder=np.concatenate(costs),
        session=np.repeat([block.session for block in data.blocks], lengths),
        tier=np.repeat([block.tier for block in data.blocks], lengths),
        raters=units.raters,
    )
