"""Vanbelle (2017): kappas of items within subjects, their errors, and whether they differ."""

from __future__ import annotations

import csv

import consilience as cs
import needed
from consilience.coefficients.resampled import compare_dependent

FOLDER = needed.SHARED / "data" / "clusters"
pytestmark = needed.needs_data(FOLDER)


def rows(name: str) -> list[dict[str, str]]:
    with (FOLDER / name).open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def test_swallows_of_one_subject() -> None:
    """FEES: three observers before and after training, linear weights, complete swallows."""
    columns = [f"val_{who}{when}" for who in ("CO", "MH", "TB") for when in ("", "R")]
    full = [row for row in rows("fees.csv") if all(row[name] != "NA" for name in columns)]
    labels = [[int(row[name]) for name in columns] for row in full]
    ratings = cs.Ratings.from_wide(labels, raters=columns, scale="ordinal")
    ratings = ratings.with_clusters([row["subject"] for row in full], "subject")
    pairs = [columns[k : k + 2] for k in (0, 2, 4)]
    kappas = [cs.cohen_kappa(ratings.select(raters=pair), distance="linear") for pair in pairs]
    assert [round(one.value, 3) for one in kappas] == [0.750, 0.935, 0.793]
    assert [round(one.standard_error, 3) for one in kappas] == [0.118, 0.061, 0.111]
    test = compare_dependent(*kappas)
    assert round(test.statistic, 3) == 3.419
    assert round(test.p_value, 3) == 0.246


def test_two_questionnaires_against_one_diagnosis() -> None:
    """Depression (Vanbelle & Albert 2008): one row a patient."""
    patients = rows("depression.csv")
    kappas = [
        cs.cohen_kappa(cs.Ratings.from_wide([[row["diag"], row[name]] for row in patients]))
        for name in ("BDI", "GHQ")
    ]
    assert [round(one.value, 3) for one in kappas] == [0.538, 0.746]
    assert [round(one.standard_error, 3) for one in kappas] == [0.141, 0.107]
    test = compare_dependent(*kappas)
    assert round(test.statistic, 3) == 2.248
    assert round(test.p_value, 3) == 0.140


def test_lung_sites_of_one_patient() -> None:
    """CRACKLES: four experts, six sites of each of 20 patients."""
    sites = rows("crackles.csv")
    ratings = cs.Ratings.from_wide([[row[f"EXP{k}"] for k in range(1, 5)] for row in sites])
    by_item = cs.cohen_kappa(ratings)
    by_patient = cs.cohen_kappa(ratings.with_clusters([row["patient"] for row in sites]))
    assert round(by_patient.value, 3) == 0.563
    assert round(by_item.standard_error, 3) == 0.064
    assert round(by_patient.standard_error, 3) == 0.080
    wide, narrow = by_patient.confidence_interval(), by_item.confidence_interval()
    assert wide.high - wide.low > 1.1 * (narrow.high - narrow.low)
