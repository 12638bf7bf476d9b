"""Every reference record of Dawid & Skene's model and of latent classes comes out."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import consilience as cs
from consilience.latent import LatentClasses, dawid_skene, latent_classes
from consilience.latent._dawid_skene import DawidSkene
from golden import Record, each, golden, needs_golden

pytestmark = needs_golden

LATENT = {"dawid_skene": 3, "latent_class": 5}  # how many records there are of each


@cache
def fitted_classes(n_classes: int) -> LatentClasses:
    columns = golden(["latent_class"])[0].columns()
    wide = {name: list(map(int, column)) for name, column in columns.items() if name != "item"}
    ratings = cs.Ratings.from_wide(wide)
    return latent_classes(ratings, n_classes=n_classes, n_starts=40, tolerance=1e-12)


@cache
def anaesthetists(n_starts: int) -> DawidSkene:
    columns = golden(["dawid_skene"])[0].columns()
    numbers = {name: list(map(int, column)) for name, column in columns.items()}
    ratings = cs.Ratings.from_long(
        numbers, label="rating", duplicates="occasions", categories=[1, 2, 3, 4]
    )
    return dawid_skene(ratings, n_starts=n_starts, tolerance=1e-12)


def found_value(model: LatentClasses, key: str) -> Any:
    size = 118
    patterns = 2**7
    return {
        "loglik": model.log_likelihood,
        "aic": model.aic,
        "bic": model.bic,
        "G2": model.g_squared,
        "X2": model.x_squared,
        "npar": model.n_parameters,
        # poLCA's rule, which is not that of the model: see the specification of df.
        "resid_df": min(patterns - 1, size) - model.n_parameters,
        "class_sizes": np.sort(model.prevalence)[::-1].tolist(),
    }[key]


@each(golden(["latent_class"]))
def test_latent_classes(record: Record) -> None:
    model = fitted_classes(record.params["classes"])
    assert record.expected
    for key, want in record.expected.items():
        got = np.atleast_1d(found_value(model, key))
        assert got == pytest.approx(np.atleast_1d(want), abs=record.allowed(key), rel=0), key


@pytest.mark.parametrize(("n_classes", "freedom"), [(1, 120), (2, 112), (3, 104), (4, 96)])
def test_degrees_of_freedom_count_all_patterns(n_classes: int, freedom: int) -> None:
    assert fitted_classes(n_classes).degrees_of_freedom == freedom


@each(golden(["dawid_skene"]))
def test_dawid_skene(record: Record) -> None:
    found = anaesthetists(200 if "random" in record.params["init"] else 1)
    allowed = record.tolerance["abs"]
    got = {
        "prior": found.prevalence,
        "loglik": found.log_likelihood,
        "labels": list(found.labels),
        "confusion_rater1": found.error_matrix(1),
        "confusion_rater2": found.error_matrix(2),
    }
    assert record.expected
    for key, want in record.expected.items():
        if key == "labels":
            assert got[key] == want
            continue
        np.testing.assert_allclose(np.asarray(got[key]), np.asarray(want), atol=allowed, rtol=0)


def test_no_record_is_left_out() -> None:
    assert {name: len(golden([name])) for name in LATENT} == LATENT
