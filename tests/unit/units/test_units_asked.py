"""Who was asked: nothing by somebody who was is a judgement, nothing by anybody else is none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from consilience import units as u
from consilience.exceptions import InputError
from consilience.io.events import read_units
from consilience.units import Units

ROWS = [
    (who, "xy"[k % 2], 10 * k, 10 * k + 5 + (who == "b" and k == 3), session)
    for session in ("s1", "s2")
    for who in ("a", "b")
    for k in range(4)
] + [("a", "xy"[k % 2], 10 * k, 10 * k + 5, "s3") for k in range(4)]
BOUNDS = dict.fromkeys(("s1", "s2", "s3"), (0, 40))
METHODS = {
    "span_f1": u.span_f1,
    "easydiag": lambda units, **more: u.easydiag(units, **more).kappa,
    "time_kappa": u.time_kappa,
    "unitizing_alpha": lambda units, **more: u.unitizing_alpha(units, **more).u,
    "alpha_u": u.alpha_u,
    "timed_alignment": u.timed_alignment,
    "gamma": lambda units, **more: u.gamma(units, n_samples=30, precision=None, **more),
}


def value(name: str, units: Units, **options: object) -> float:
    found = METHODS[name](units, **options)
    return float(getattr(found, "value", found))


@pytest.mark.parametrize("name", METHODS)
def test_whoever_was_not_asked_is_left_out(name: str) -> None:
    known = Units.from_records(ROWS, bounds=BOUNDS)
    both = known.select(sessions=["s1", "s2"])
    assert value(name, known) == pytest.approx(value(name, both), abs=1e-9)
    everybody = Units.from_records(ROWS, bounds=BOUNDS, asked="all")
    assert value(name, everybody) < value(name, known)
    assert value(name, everybody) == pytest.approx(value(name, known, absent="count"))


@pytest.mark.parametrize("name", ["staccato", "overlap_extent", "modified_fleiss", "semeval"])
def test_methods_without_a_wish_honour_it_too(name: str) -> None:
    options = {"semeval": {"reference": "a", "hypothesis": "b"}, "staccato": {"n_resamples": 50}}
    run = getattr(u if name == "semeval" else u.programs, name)
    known = Units.from_records(ROWS, bounds=BOUNDS)
    both = known.select(sessions=["s1", "s2"])
    given = options.get(name, {})
    for found, same in ((run(known, **given), run(both, **given)),):
        assert found.units_by_session == same.units_by_session
        if name == "semeval":
            assert found["strict"] == same["strict"]
        else:
            assert found.value == pytest.approx(same.value)


def test_who_was_asked_goes_through_every_step() -> None:
    units = Units.from_records(ROWS, asked={"s3": ["b"]}, bounds=BOUNDS)
    assert units.asked.all()
    units = Units.from_records(ROWS, bounds=BOUNDS)
    assert units.asked.tolist() == [[True, True, True], [True, True, False]]
    assert units.select(raters=["b", "a"]).asked.tolist() == [
        [True, True, False],
        [True, True, True],
    ]
    assert units.select(sessions=["s3"]).asked.tolist() == [[True], [False]]
    assert units.relabel({"x": "z"}).asked.tolist() == units.asked.tolist()
    more = Units.from_records([("b", "x", 0, 5, "s3")], bounds={"s3": (0, 40)})
    assert units.merge(more).asked.all()
    other = Units.from_records([("c", "x", 0, 5, "s4")], bounds={"s4": (0, 40)})
    assert units.merge(other).asked.sum() == 6


def test_whoever_was_declared_and_has_nothing_at_all_marked_nothing() -> None:
    units = Units.from_records([("a", "x", 0, 5)], raters=["a", "b"], bounds=(0, 10))
    assert units.asked.all()
    assert u.span_f1(units).value == 0


def test_other_words_are_refused() -> None:
    for wrong in ("some", {"s9": ["a"]}, {"s1": ["z"]}, {"s1": "a"}, np.ones((1, 1), bool), 7):
        with pytest.raises(InputError, match="asked"):
            Units.from_records(ROWS, asked=wrong)


def test_a_user_without_a_file_in_a_project_is_not_taken_for_silent(tmp_path: Path) -> None:
    for document in ("a", "b"):
        for user in ("ann", "bob", "cem"):
            if (document, user) == ("b", "cem"):
                continue
            folder = tmp_path / user
            folder.mkdir(exist_ok=True)
            (folder / f"{document}.txt").write_text("Ann in Paris", encoding="utf-8")
            (folder / f"{document}.ann").write_text("T1\tPER 0 3\tAnn\n", encoding="utf-8")
    units = read_units(tmp_path)
    found = u.span_f1(units)
    assert found.value == 1
    assert [one.code for one in found.findings] == ["rater_not_asked"]
    assert u.span_f1(read_units(tmp_path, asked="all")).value < 1
    assert u.token_agreement(units).all["krippendorff_alpha"].value == 1
