"""The jobs as Consilience does them."""

from __future__ import annotations

from typing import Any

import numpy as np

import consilience as cs
from benchmarks import _data as data
from benchmarks._call import Call, Values

SIX = {
    "percent": cs.percent_agreement,
    "S": cs.bennett_s,
    "pi": cs.scott_pi,
    "kappa": cs.cohen_kappa,
    "alpha": cs.krippendorff_alpha,
    "AC1": cs.gwet_ac,
}


def _with_errors(ratings: cs.Ratings, names: tuple[str, ...]) -> Values:
    values: dict[str, float] = {}
    for name in names:
        estimate = SIX[name](ratings)
        values[name], values[f"se({name})"] = estimate.value, estimate.standard_error
    return values


def _six(array: Any) -> Values:
    return _with_errors(cs.Ratings.from_wide(array, missing_values=[data.MISSING]), tuple(SIX))


def _head_of_six(array: Any) -> Values:
    return {f"{name}, head": value for name, value in _six(array[: data.HEAD]).items()}


def _alpha(array: Any) -> Values:
    ratings = cs.Ratings.from_wide(array, missing_values=[data.MISSING])
    return _with_errors(ratings, ("alpha",))


def _alpha_of_floats(array: Any) -> Values:
    return _with_errors(cs.Ratings.from_wide(array), ("alpha",))


def _interval(array: Any) -> Values:
    return _with_errors(cs.Ratings.from_wide(array, scale="interval"), ("alpha",))


def _head_of_interval(array: Any) -> Values:
    return {"alpha, head": _interval(array[: data.HEAD_OF_FLOATS])["alpha"]}


def _long(frame: Any) -> Values:
    return _with_errors(cs.Ratings.from_long(frame), ("alpha", "pi", "AC1"))


def _kappa(columns: Any) -> Values:
    estimate = cs.cohen_kappa(*columns)
    return {"kappa": estimate.value, "se(kappa)": estimate.standard_error}


def _pi(array: Any) -> Values:
    return _with_errors(cs.Ratings.from_wide(array), ("pi",))


def _masi(rows: Any) -> Values:
    return {"alpha": cs.krippendorff_alpha(cs.Ratings.from_wide(rows), distance="masi").value}


def _two_columns(size: int) -> Any:
    return [np.ascontiguousarray(column) for column in data.integers(size, 2).T]


def _pandas_texts(size: int) -> Any:
    import pandas as pd

    return [pd.Series(column) for column in data.texts(size)]


def _polars_texts(size: int) -> Any:
    import polars as pl

    return [pl.Series(column.tolist()) for column in data.texts(size)]


def _pandas_crowd(size: int) -> Any:
    import pandas as pd

    return pd.DataFrame(data.crowd(size, shuffled=True))


def _one_conversion(array: Any) -> object:
    with np.errstate(invalid="ignore"):
        return array.astype(np.int16)


def _ratings(size: int) -> cs.Ratings:
    return cs.Ratings.from_wide(data.integers(size, 5, missing=0.2), missing_values=[data.MISSING])


def _bootstrap(ratings: cs.Ratings) -> Values:
    estimates = [SIX[name](ratings) for name in ("alpha", "pi", "AC1")]
    cs.bootstrap(*estimates, n_resamples=10_000, rng=0)
    return {"alpha": estimates[0].value}


CALLS = {
    "six": Call(
        "six coefficients, errors",
        lambda size: data.integers(size, 5, missing=0.2),
        _six,
        baseline=lambda array: array.sum(),
        check=_head_of_six,
    ),
    "alpha": Call("alpha, error", lambda size: data.integers(size, 5, missing=0.2), _alpha),
    "kappa": Call("kappa, error", _two_columns, _kappa),
    "interval": Call(
        "interval alpha, error",
        lambda size: data.measurements(size, 3),
        _interval,
        baseline=lambda array: array.sum(),
        check=_head_of_interval,
    ),
    "long-sorted": Call(
        "alpha, pi, AC1, errors", lambda size: data.crowd(size, shuffled=False), _long
    ),
    "long-shuffled": Call(
        "alpha, pi, AC1, errors", lambda size: data.crowd(size, shuffled=True), _long
    ),
    "long-pandas": Call("the same from a pandas frame", _pandas_crowd, _long),
    "bootstrap": Call("alpha, pi, AC1, 10,000 resamples", _ratings, _bootstrap),
    "bootstrap-large": Call(
        "alpha, pi, AC1, 10,000 resamples",
        lambda size: (_ratings(size), _ratings(10_000)),
        lambda pair: _bootstrap(pair[0]),
        baseline=lambda pair: _bootstrap(pair[1]),
    ),
    "text-numpy": Call("kappa, error, numpy text", data.texts, _kappa),
    "text-lists": Call(
        "kappa, error, lists", lambda size: [x.tolist() for x in data.texts(size)], _kappa
    ),
    "text-pandas": Call("kappa, error, pandas", _pandas_texts, _kappa),
    "text-polars": Call("kappa, error, polars", _polars_texts, _kappa),
    "floats": Call(
        "alpha, error",
        lambda size: data.floats_with_gaps(size, 5, missing=0.2),
        _alpha_of_floats,
        baseline=_one_conversion,
    ),
    "pi": Call("pi, error", lambda size: data.integers(size, 5), _pi),
    "masi": Call("MASI alpha, error", lambda size: data.sets(size, 5), _masi),
}
