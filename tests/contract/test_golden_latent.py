"""Every reference record of Dawid & Skene's model and of latent classes comes out.

The data belong to other packages: they are read from ``../shared/golden`` and the tests are skipped
where that folder is absent.
"""

from __future__ import annotations

import csv
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import consilience as cs
from consilience.latent import DawidSkene, LatentClasses, dawid_skene, latent_classes

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "golden" / "golden.json"
pytestmark = pytest.mark.skipif(not SHARED.exists(), reason="the golden file is not here")

LATENT = {"dawid_skene": 3, "latent_class": 5}  # how many records there are of each


def records(coefficient: str) -> list[dict[str, Any]]:
    if not SHARED.exists():
        return []
    every = json.loads(SHARED.read_text(encoding="utf-8"))
    return [one for one in every if one["coefficient"] == coefficient]


def table(record: dict[str, Any]) -> list[dict[str, str]]:
    with (SHARED.parent / record["data"]["path"]).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@cache
def fitted_classes(n_classes: int) -> LatentClasses:
    rows = table(records("latent_class")[0])
    raters = [name for name in rows[0] if name != "item"]
    wide = [[int(row[name]) for name in raters] for row in rows]
    ratings = cs.Ratings.from_wide(wide, raters=raters)
    return latent_classes(ratings, n_classes=n_classes, n_starts=40, tolerance=1e-12)


@cache
def anaesthetists(n_starts: int) -> DawidSkene:
    rows = table(records("dawid_skene")[0])
    columns = {name: [int(row[name]) for row in rows] for name in rows[0]}
    ratings = cs.Ratings.from_long(
        columns, label="rating", duplicates="occasions", categories=[1, 2, 3, 4]
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


@pytest.mark.parametrize("record", records("latent_class"), ids=lambda record: record["id"])
def test_latent_classes(record: dict[str, Any]) -> None:
    model = fitted_classes(record["params"]["classes"])
    assert record["expected"]
    for key, want in record["expected"].items():
        allowed = record["tolerance"].get("keys", {}).get(key, record["tolerance"]["abs"])
        got = np.atleast_1d(found_value(model, key))
        assert got == pytest.approx(np.atleast_1d(want), abs=allowed, rel=0), key


@pytest.mark.parametrize(("n_classes", "freedom"), [(1, 120), (2, 112), (3, 104), (4, 96)])
def test_degrees_of_freedom_count_all_patterns(n_classes: int, freedom: int) -> None:
    assert fitted_classes(n_classes).degrees_of_freedom == freedom


@pytest.mark.parametrize("record", records("dawid_skene"), ids=lambda record: record["id"])
def test_dawid_skene(record: dict[str, Any]) -> None:
    found = anaesthetists(200 if "random" in record["params"]["init"] else 1)
    allowed = record["tolerance"]["abs"]
    got = {
        "prior": found.prevalence,
        "loglik": found.log_likelihood,
        "labels": list(found.labels),
        "confusion_rater1": found.error_matrix(1),
        "confusion_rater2": found.error_matrix(2),
    }
    assert record["expected"]
    for key, want in record["expected"].items():
        if key == "labels":
            assert got[key] == want
            continue
        np.testing.assert_allclose(np.asarray(got[key]), np.asarray(want), atol=allowed, rtol=0)


def test_no_record_is_left_out() -> None:
    assert {name: len(records(name)) for name in LATENT} == LATENT
