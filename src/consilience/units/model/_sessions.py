"""How sure a number is when whole sessions were sampled: the bootstrap over sessions."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from consilience.core.arrays import Floats
from consilience.core.interval import Interval, check_confidence_level, percentile_interval
from consilience.core.resample import Seed, check_resamples, is_whole, seed_sequence
from consilience.document import plain_fields
from consilience.exceptions import InputError

FEWEST_SESSIONS = 8  # below this a percentile interval says little
_CELLS_AT_ONCE = 4_000_000

Dropped = tuple[tuple[str, str], ...]  # sessions that were left out, each with the reason
Combined = Callable[[Any], Any]  # (B, …) sums of the sessions' parts -> (B,) or (B, m) values


@dataclass(frozen=True, slots=True, kw_only=True)
class Draws:
    """How sessions are drawn anew for intervals, checked before any work is done.

    A generator is asked for a seed once, so that every interval of a result sees the same draws,
    whenever it is asked for.
    """

    confidence_level: float = 0.95
    n_resamples: int = 9_999
    rng: Seed = 0

    def __post_init__(self) -> None:
        check_resamples(self.n_resamples)
        whole = is_whole(self.rng) and int(self.rng) >= 0  # type: ignore[arg-type]
        seed = int(self.rng) if whole else seed_sequence(self.rng)  # type: ignore[arg-type]
        object.__setattr__(self, "rng", seed)
        object.__setattr__(self, "confidence_level", check_confidence_level(self.confidence_level))

    @property
    def seed(self) -> int | None:
        """The seed from which a result can be had again, if it is one."""
        return self.rng if isinstance(self.rng, int) else None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data with stable keys."""
        return plain_fields(self, rng=self.seed)

    def replicates(self, parts: Any, statistic: Combined) -> Floats:
        """Return the statistic of each draw of sessions."""
        return session_replicates(parts, statistic, n_resamples=self.n_resamples, rng=self.rng)

    def interval(self, parts: Any, statistic: Combined) -> Interval:
        """Return the percentile interval of a statistic."""
        n_sessions = parts.shape[0] if hasattr(parts, "shape") else len(parts)
        return drawn_interval(
            n_sessions, self.confidence_level, lambda: self.replicates(parts, statistic)
        )

    def intervals(self, parts: Floats, statistic: Combined, n_values: int) -> list[Interval]:
        """Return an interval for each of the values of a statistic; all see the same draws."""
        if len(parts) < FEWEST_SESSIONS:
            return [no_interval(len(parts), self.confidence_level)] * n_values
        drawn = self.replicates(parts, statistic)
        return [interval_of(drawn[:, k], self.confidence_level) for k in range(n_values)]


def session_replicates(
    parts: Any, statistic: Combined, *, n_resamples: int = 9_999, rng: Seed = 0
) -> Floats:
    """Return the statistic of ``n_resamples`` draws of sessions, with replacement.

    Parameters
    ----------
    parts : array (sessions, …), or a sparse one (sessions, columns)
        What each session adds: its table, or any statistics that sum over sessions.
    statistic : callable
        Takes sums of shape ``(B, …)`` and returns ``(B,)`` or ``(B, m)`` values; NaN where
        undefined.
    """
    check_resamples(n_resamples)
    is_sparse = hasattr(parts, "tocsr")
    array = parts if is_sparse else np.asarray(parts, dtype=np.float64)
    n_sessions = array.shape[0]
    if not n_sessions:
        raise InputError.expected("parts", "those of at least one session", 0, "check the data")
    flat = array if is_sparse else array.reshape(n_sessions, -1)
    size = max(1, min(n_resamples, _CELLS_AT_ONCE // max(n_sessions, flat.shape[1])))
    rng = np.random.default_rng(seed_sequence(rng))
    out = []
    for first in range(0, n_resamples, size):
        draws = min(size, n_resamples - first)
        drawn = rng.integers(0, n_sessions, (draws, n_sessions))
        drawn += n_sessions * np.arange(draws)[:, None]
        weights = np.bincount(drawn.ravel(), minlength=draws * n_sessions)
        sums = (weights.reshape(draws, n_sessions).astype(np.float64) @ flat).reshape(
            draws, *array.shape[1:]
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            out.append(np.asarray(statistic(sums), dtype=np.float64))
    return np.concatenate(out)


def session_interval(
    parts: Any,
    statistic: Combined,
    *,
    n_resamples: int = 9_999,
    rng: Seed = 0,
    confidence_level: float = 0.95,
) -> Interval:
    """Percentile interval of a statistic, by resampling whole sessions.

    With fewer than 8 sessions the limits are NaN and the interval's note says why.

    Examples
    --------
    >>> import numpy as np
    >>> parts = np.column_stack([np.arange(10.0) + 20, np.full(10, 30.0)])  # hits, trials
    >>> interval = session_interval(parts, lambda s: s[:, 0] / s[:, 1], n_resamples=999, rng=1)
    >>> round(interval.low, 2), round(interval.high, 2)
    (0.76, 0.88)
    """
    draws = Draws(confidence_level=confidence_level, n_resamples=n_resamples, rng=rng)
    return draws.interval(np.asarray(parts), statistic)


def drawn_interval(
    n_sessions: int, confidence_level: float, replicates: Callable[[], Floats]
) -> Interval:
    """Return the interval of replicates, which are drawn only if there are enough sessions."""
    if n_sessions < FEWEST_SESSIONS:
        return no_interval(n_sessions, confidence_level)
    return interval_of(replicates(), confidence_level)


def no_interval(n_sessions: int, confidence_level: float) -> Interval:
    """Return an interval without limits that says how many sessions it would take."""
    return Interval(
        math.nan,
        math.nan,
        confidence_level,
        "session-bootstrap",
        note=f"no interval: {_counted(n_sessions)}, and resampling needs at least "
        f"{FEWEST_SESSIONS}",
    )


def _counted(n_sessions: int) -> str:
    return "one session" if n_sessions == 1 else f"{n_sessions} sessions"


def interval_of(replicates: Floats, confidence_level: float) -> Interval:
    """Return the percentile interval of replicates; undefined ones are left out and noted."""
    return percentile_interval(replicates, confidence_level, "session-bootstrap")
