"""Every reference record of easy and hard items, and of omega, comes out.

Those whose data are not part of this repository are read from ``../shared/golden`` and skipped
where that folder is absent.
"""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import pytest

import consilience as cs
from consilience import latent

ROOT = Path(__file__).resolve().parents[2]
REFERENCES = ROOT / "tests" / "references" / "omega" / "models.json"
SHARED = ROOT.parent / "shared" / "golden" / "golden.json"
NAMES = ("aickin_alpha", "linear_distribution_model", "omega", "omega_chance_term")
WEIGHTS = {"naive union": "naive"}
OCCASIONS = {"all cross-rater occasion pairs": "all"}


def embedded() -> list[dict[str, Any]]:
    content = json.loads(REFERENCES.read_text(encoding="utf-8"))
    return [
        {**entry, "data": content["data"].get(entry.get("data"))} for entry in content["expect"]
    ]


def shared() -> list[dict[str, Any]]:
    if not SHARED.exists():
        return []
    entries = json.loads(SHARED.read_text(encoding="utf-8"))
    return [entry for entry in entries if entry["coefficient"] in NAMES]


EMBEDDED = embedded()
KNOWN = {record["id"] for record in EMBEDDED}
ELSEWHERE = [record for record in shared() if record["id"] not in KNOWN]
NO_SHARED = pytest.mark.skipif(
    not SHARED.exists(), reason="the data of other packages are not part of this repository"
)


def check(record: dict[str, Any], key: str, got: Any) -> None:
    tolerance = record["tolerance"]
    allowed = tolerance.get("keys", {}).get(key, tolerance["abs"])
    assert got == pytest.approx(record["expected"][key], rel=0, abs=allowed), key


def ratings_of(record: dict[str, Any]) -> cs.Ratings:
    data = record["data"]
    if "table" in data:
        return cs.Ratings.from_table(data["table"])
    with (SHARED.parent / data["path"]).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    return cs.Ratings.from_long(columns, label="rating", occasion="occasion")


def check_aickin(record: dict[str, Any]) -> None:
    ratings = ratings_of(record)
    continuity = record["params"].get("continuity", 0)
    fitted = latent.easy_and_hard(ratings, continuity=continuity)
    e = cs.aickin_alpha(ratings, continuity=continuity)
    if record["expected"].get("behaviour", "").startswith("boundary"):
        assert e.flags == ("boundary",)
        assert math.isnan(e.standard_error)
        check(record, "limit", e.value)
        return
    check(record, "value", e.value)
    check(record, "se_observed_information", e.standard_error)
    check(record, "A_e_hard", e.expected)
    check(record, "p_hard_rater1", list(fitted.hard[0].values()))
    check(record, "p_hard_rater2", list(fitted.hard[1].values()))


def check_linear(record: dict[str, Any]) -> None:
    fitted = latent.easy_and_hard(ratings_of(record), model="linear")
    check(record, "a", fitted.estimate.value)
    check(record, "p", list(fitted.easy.values()))
    assert cs.linear_distribution_model(ratings_of(record)).value == fitted.estimate.value


def check_omega(record: dict[str, Any]) -> None:
    params = record["params"]
    weight = params["w"] if "w" in params else WEIGHTS[params["weight"]]
    result = latent.omega(
        ratings_of(record),
        chance=params["chance_distribution"],
        weight=weight,
        occasions=OCCASIONS[params.get("agreement", "all cross-rater occasion pairs")],
    )
    got = {
        "omega": result.value,
        "P_A": result.observed,
        "P_C": result.expected,
        "w": result.weight,
        "serious_agreement": result.serious_agreement,
    }
    for key in record["expected"]:
        check(record, key, got[key])


def check_chance_term(record: dict[str, Any]) -> None:
    params = record["params"]
    check(record, "P_C", latent.omega_chance_term(params["w"], params["p1"], params["p2"]))


CHECKS = {
    "aickin_alpha": check_aickin,
    "linear_distribution_model": check_linear,
    "omega": check_omega,
    "omega_chance_term": check_chance_term,
}


@pytest.mark.parametrize("record", EMBEDDED, ids=lambda record: record["id"])
def test_reference_record_is_reproduced(record: dict[str, Any]) -> None:
    CHECKS[record["coefficient"]](record)


@NO_SHARED
@pytest.mark.parametrize("record", ELSEWHERE, ids=lambda record: record["id"])
def test_record_on_data_from_elsewhere_is_reproduced(record: dict[str, Any]) -> None:
    CHECKS[record["coefficient"]](record)


@NO_SHARED
def test_the_records_kept_here_say_what_the_golden_file_says() -> None:
    by_id = {record["id"]: record for record in shared()}
    assert {record["coefficient"] for record in by_id.values()} == set(NAMES)
    for record in EMBEDDED:
        for key in ("params", "expected", "tolerance"):
            assert record[key] == by_id[record["id"]][key], record["id"]
