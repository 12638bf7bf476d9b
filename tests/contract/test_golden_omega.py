"""Every reference record of easy and hard items, and of omega, comes out."""

from __future__ import annotations

import math

import consilience as cs
from consilience import latent
from golden import Record, each, embedded, golden, ids, needs_golden

WEIGHTS = {"naive union": "naive"}
OCCASIONS = {"all cross-rater occasion pairs": "all"}


def ratings_of(record: Record) -> cs.Ratings:
    if "table" in record.data:
        return cs.Ratings.from_table(record.data["table"])
    return cs.Ratings.from_long(record.columns(), label="rating", occasion="occasion")


def check_aickin(record: Record) -> None:
    ratings = ratings_of(record)
    continuity = record.params.get("continuity", 0)
    fitted = latent.easy_and_hard(ratings, continuity=continuity)
    e = cs.aickin_alpha(ratings, continuity=continuity)
    if record.expected.get("behaviour", "").startswith("boundary"):
        assert e.flags == ("boundary",)
        assert math.isnan(e.standard_error)
        record.check("limit", e.value)
        return
    record.check("value", e.value)
    record.check("se_observed_information", e.standard_error)
    record.check("A_e_hard", e.expected)
    record.check_list("p_hard_rater1", list(fitted.hard[0].values()))
    record.check_list("p_hard_rater2", list(fitted.hard[1].values()))


def check_linear(record: Record) -> None:
    fitted = latent.easy_and_hard(ratings_of(record), model="linear")
    record.check("a", fitted.estimate.value)
    record.check_list("p", list(fitted.easy.values()))
    assert cs.linear_distribution_model(ratings_of(record)).value == fitted.estimate.value


def check_omega(record: Record) -> None:
    params = record.params
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
    for key in record.expected:
        record.check(key, got[key])


def check_chance_term(record: Record) -> None:
    params = record.params
    record.check("P_C", latent.omega_chance_term(params["w"], params["p1"], params["p2"]))


CHECKS = {
    "aickin_alpha": check_aickin,
    "linear_distribution_model": check_linear,
    "omega": check_omega,
    "omega_chance_term": check_chance_term,
}


EMBEDDED = embedded("omega")
ELSEWHERE = [record for record in golden(CHECKS) if record.id not in ids(EMBEDDED)]


@each(EMBEDDED)
def test_reference_record_is_reproduced(record: Record) -> None:
    CHECKS[record.coefficient](record)


@needs_golden
@each(ELSEWHERE)
def test_record_on_data_from_elsewhere_is_reproduced(record: Record) -> None:
    CHECKS[record.coefficient](record)


@needs_golden
def test_there_are_golden_records_of_every_kind() -> None:
    assert {record.coefficient for record in golden(CHECKS)} == set(CHECKS)
