"""The limits and the F test of McGraw & Wong (1996), Tables 7 and 8."""

from __future__ import annotations

import math

import numpy as np

from consilience.magnitudes.intraclass._icc_forms import Kind, averaged, from_average, single
from consilience.magnitudes.intraclass._mean_squares import MeanSquares


def limits(ms: MeanSquares, kind: Kind, level: float, m: float) -> tuple[float, float]:
    """Return the limits for means of m ratings, or for single ratings with m = 1."""
    low, high = _single_limits(ms, kind, level)
    if m > 1.0:
        low, high = average_limit(low, m), average_limit(high, m)
    return low, high


def f_test(ms: MeanSquares, kind: Kind, null: float, m: float) -> tuple[float, float]:
    """Return F at a null value and the degrees of freedom of its denominator; NaN: there is none.

    For agreement they are Satterthwaite's, taken at the estimate.
    """
    scale = denominator(ms, kind, from_average(null, m))
    df = _satterthwaite(ms) if kind == "agreement" else (ms.df_w if kind == "one-way" else ms.df_e)
    return (ms.msr / scale if scale > 0.0 and df > 0.0 else math.nan), df


def denominator(ms: MeanSquares, kind: Kind, rho: float) -> float:
    """Return what MSR is divided by under a correlation rho of single ratings."""
    theta = ms.k * rho / (1.0 - rho)
    if kind == "one-way":
        return (1.0 + theta) * ms.msw
    if kind == "consistency":
        return (1.0 + theta) * ms.mse
    a, b = theta / ms.n, 1.0 + theta * (ms.n - 1.0) / ms.n
    return a * ms.msc + b * ms.mse


def _satterthwaite(ms: MeanSquares) -> float:
    """Return the degrees of freedom v of a MSC + b MSE at the estimate, a and b times n (1 - rho).

    v = (a MSC + b MSE)^2 / ((a MSC)^2 / (k - 1) + (b MSE)^2 / ((n - 1)(k - 1)))
    """
    squares = np.array([ms.msr, ms.mse, ms.msc])
    rho = float(single("agreement")(squares, ms))
    a = ms.k * rho * ms.msc
    b = (ms.n * (1.0 - rho) + ms.k * rho * (ms.n - 1.0)) * ms.mse
    if b < 0.0 or a + b <= 0.0:  # far below zero no sum of mean squares is left: MSE alone
        return ms.df_e
    spread = a**2 / ms.df_c + b**2 / ms.df_e
    return (a + b) ** 2 / spread


def _single_limits(ms: MeanSquares, kind: Kind, level: float) -> tuple[float, float]:
    """Return the limits for single ratings (McGraw & Wong, Table 7)."""
    from scipy.special import fdtri

    p = 0.5 + level / 2.0
    n, k = ms.n, ms.k
    if kind != "agreement":
        error, df = (ms.msw, ms.df_w) if kind == "one-way" else (ms.mse, ms.df_e)
        f = ms.msr / error
        low, high = f / float(fdtri(ms.df_r, df, p)), f * float(fdtri(df, ms.df_r, p))
        return (low - 1.0) / (low + k - 1.0), (high - 1.0) / (high + k - 1.0)
    v = _satterthwaite(ms)
    rest = k * ms.msc + (k * n - k - n) * ms.mse
    upper, lower = _f_quantiles(ms.df_r, v, p)
    # Divided by the quantile, which grows without bound as the degrees of freedom vanish.
    low = n * (ms.msr / upper - ms.mse) / (rest + n * ms.msr / upper)
    high = n * (ms.msr - ms.mse / lower) / (rest / lower + n * ms.msr)
    return low, high


def _f_quantiles(df: float, v: float, p: float) -> tuple[float, float]:
    """Return F(df, v) and F(v, df); infinite where there are next to no degrees of freedom."""
    from scipy.special import fdtri

    if not v > 0.0:
        return math.inf, math.inf
    found = (float(fdtri(df, v, p)), float(fdtri(v, df, p)))
    upper, lower = (x if math.isfinite(x) and x > 0.0 else math.inf for x in found)
    return upper, lower


def average_limit(limit: float, m: float) -> float:
    """Return the limit for means of m ratings; below the pole there is none."""
    return averaged(limit, m) if 1.0 + (m - 1.0) * limit > 0.0 else -math.inf
