"""The jobs as Consilience does them."""

from __future__ import annotations

from typing import Any

import numpy as np

import consilience as cs
from benchmarks import _data as data
from benchmarks._call import Call, Values
from consilience.magnitudes import icc
from consilience.units import Units, gamma, segmentation

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


def _icc(array: Any) -> Values:
    ratings = cs.Ratings.from_wide(array, scale="interval")
    values: dict[str, float] = {}
    for form in ("1", "A,1", "C,1", "k", "A,k", "C,k"):
        one = icc(ratings, model=form)
        values[f"ICC({form})"], values[f"low({form})"] = one.value, one.confidence_interval().low
    return values


def _long(frame: Any) -> Values:
    return _with_errors(cs.Ratings.from_long(frame), ("alpha", "pi", "AC1"))


def _dawid_skene(frame: Any, n_iterations: int = 10) -> Values:
    from consilience.latent import dawid_skene

    ratings = cs.Ratings.from_long(frame)
    found = dawid_skene(ratings, tolerance=0.0, max_iterations=n_iterations)
    counts = np.bincount(found.label_codes, minlength=data.N_LABELS)
    return {
        **{f"items of label {k}": count for k, count in enumerate(counts.tolist())},
        f"log-likelihood after {n_iterations}": found.log_likelihood,
    }


def _kappa(columns: Any) -> Values:
    estimate = cs.cohen_kappa(*columns)
    return {"kappa": estimate.value, "se(kappa)": estimate.standard_error}


def _pi(array: Any) -> Values:
    return _with_errors(cs.Ratings.from_wide(array), ("pi",))


def _masi(rows: Any) -> Values:
    return {"alpha": cs.krippendorff_alpha(cs.Ratings.from_wide(rows), distance="masi").value}


def _pairs(array: Any) -> Values:
    return _pairs_of(cs.Ratings.from_wide(array))


def _pairs_of(ratings: cs.Ratings) -> Values:
    pairs = cs.pairwise(ratings)
    return {"kappa": pairs.mean, "error": float(np.nanmean(pairs.standard_errors))}


def _many_labels(columns: Any) -> Values:
    ratings = cs.Ratings.from_wide(np.stack(columns, axis=1), scale="nominal")
    names = ("pi", "kappa", "alpha", "AC1", "S")
    found = {name: SIX[name](ratings) for name in names}
    return {name: one.confidence_interval().low for name, one in found.items()}


def _panel(ratings: cs.Ratings) -> Values:
    from consilience import panel

    found = panel.compare(ratings, systems=ratings.raters[3:])
    key = found.headline.key
    return {f"gap of {one.system}": one.gap[key].value for one in found.systems}


def _panel_of(size: int) -> cs.Ratings:
    return cs.Ratings.from_wide(data.integers(size, 8), scale="ordinal")


def _judged(size: int) -> cs.Ratings:
    """Ten judges who are right in 90 % of cases, and a person on one item in a hundred."""
    rng = np.random.default_rng(0)
    truth = rng.random(size) < 0.7
    codes = np.empty((size, 11), dtype=np.int64)
    codes[:, 0] = np.where(np.arange(size) % 100 == 0, truth, -1)
    for j in range(1, 11):
        codes[:, j] = np.where(rng.random(size) < 0.9, truth, ~truth)
    item, rater = np.indices(codes.shape)
    return cs.Ratings.from_codes(
        item=item.ravel(), rater=rater.ravel(), label=codes.ravel(), items=list(range(size)),
        raters=["person", *(f"judge-{j}" for j in range(10))], categories=["fail", "pass"],
        scale="nominal", declared=False,
    )  # fmt: skip


def _corrected(ratings: cs.Ratings) -> Values:
    found = cs.judges.corrected_rate(ratings, "pass", judge="judge-3", people="person")
    interval = found.confidence_interval()
    return {"rate": found.value, "low": interval.low, "high": interval.high}


def _gamma(columns: Any) -> Values:
    units = Units.from_columns(**columns)
    return {"disorder": gamma(units, n_samples=30, precision=None, rng=0).observed}


def _segmentation(units: Any) -> Values:
    found = segmentation(units)
    return {"A_a": found.observed, "pi": found.pi}


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


def _default_intervals(ratings: cs.Ratings) -> Values:
    """Six default intervals from one set of draws; what was drawn before is forgotten."""
    fresh = ratings.taken_as(ratings.scale)
    estimates = {name: make(fresh) for name, make in SIX.items()}
    for one in estimates.values():
        one.confidence_interval()
    return {name: one.value for name, one in estimates.items()}


def _six_resampled(ratings: cs.Ratings) -> object:
    fresh = ratings.taken_as(ratings.scale)
    return cs.bootstrap(*(make(fresh) for make in SIX.values()), n_resamples=10_000, rng=0)


def _engine(path: str) -> Values:
    ratings = cs.engine.reduce_files(path)
    estimates = [SIX[name](ratings) for name in SIX]
    cs.bootstrap(*estimates, n_resamples=10_000, rng=0)
    return {name: one.value for name, one in zip(SIX, estimates, strict=True)}


def _grouped_by_item(path: str) -> object:
    import duckdb

    sql = f"SELECT count(*), max(n) FROM (SELECT count(*) AS n FROM '{path}' GROUP BY item)"
    return duckdb.execute(sql).fetchall()


def _alpha_of_parquet(path: str) -> Values:
    return {"alpha": cs.krippendorff_alpha(cs.engine.reduce_files(path)).value}


def _read(path: str) -> Values:
    return {"ratings": cs.read(path).n_ratings}


def _distinct_pairs(path: str) -> object:
    import duckdb

    sql = f"SELECT count(*) FROM (SELECT DISTINCT item, label FROM '{path}')"
    return duckdb.execute(sql).fetchall()


def _reading(suffix: str, n_raters: int) -> Call:
    def prepare(size: int) -> str:
        return data.long_file(size, suffix, n_raters=n_raters)

    return Call("read, names kept", prepare, _read, baseline=_distinct_pairs)


CALLS = {
    "read-csv": _reading(".csv", 5),
    "read-parquet": _reading(".parquet", 5),
    "read-csv-crowd": _reading(".csv", 1000),
    "read-parquet-crowd": _reading(".parquet", 1000),
    "columns": Call("read, layout recognised", data.wide_file, _read),
    "engine": Call("reduced by DuckDB", data.parquet, _engine, baseline=_grouped_by_item),
    "parquet": Call("alpha, reduced by DuckDB", data.parquet, _alpha_of_parquet),
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
    "icc": Call(
        "six ICC forms, intervals",
        lambda size: data.measurements(size, 5),
        _icc,
        baseline=lambda array: array.sum(),
    ),
    "long-sorted": Call(
        "alpha, pi, AC1, errors", lambda size: data.crowd(size, shuffled=False), _long
    ),
    "long-shuffled": Call(
        "alpha, pi, AC1, errors", lambda size: data.crowd(size, shuffled=True), _long
    ),
    "long-pandas": Call("the same from a pandas frame", _pandas_crowd, _long),
    "dawid-skene": Call(
        "Dawid-Skene, ten iterations, errors",
        lambda size: data.crowd(size, shuffled=False),
        _dawid_skene,
        # The peer's parameters are those of one more maximisation than its labels.
        check=lambda frame: {
            name: value
            for name, value in _dawid_skene(frame, 11).items()
            if name.startswith("log-likelihood")
        },
    ),
    "bootstrap": Call("alpha, pi, AC1, 10,000 resamples", _ratings, _bootstrap),
    "default-intervals": Call(
        "six default intervals", _ratings, _default_intervals, baseline=_six_resampled
    ),
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
    "panel": Call(
        "panel: every measure, gap, test and interval",
        lambda size: (_panel_of(size), _panel_of(10_000)),
        lambda pair: _panel(pair[0]),
        baseline=lambda pair: _panel(pair[1]),
    ),
    "judges": Call("corrected rate with its interval", _judged, _corrected),
    "segmentation": Call(
        "boundary similarity: observed, pi, kappa",
        lambda size: Units.from_masses(data.segmentations(size, 4)),
        _segmentation,
    ),
    "pi": Call("pi, error", lambda size: data.integers(size, 5), _pi),
    "gamma": Call("gamma, gamma-cat, gamma-k", lambda size: data.continuum(size, 3), _gamma),
    "pairs": Call("kappa of 4,950 pairs, errors", lambda size: data.integers(size, 100), _pairs),
    "pairs-crowd": Call(
        "kappa of every pair, errors",
        lambda size: cs.Ratings.from_long(data.crowd(size, shuffled=False, n_raters=2_000)),
        _pairs_of,
    ),
    "many-labels": Call(
        "five coefficients, default intervals", lambda size: data.words(size, 20_000), _many_labels
    ),
    "masi": Call("MASI alpha, error", lambda size: data.sets(size, 5), _masi),
}
