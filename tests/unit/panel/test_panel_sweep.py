"""Many settings against the same people, and the figures of sweeps and panels."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import consilience as cs
from consilience import panel, plot
from consilience.exceptions import InputError

N_ITEMS = 150


def setting(noise: float, seed: int) -> cs.Ratings:
    rng = np.random.default_rng(9)
    truth = rng.integers(1, 5, N_ITEMS)
    tutor = np.clip(truth + (rng.random(N_ITEMS) < 0.2), 1, 4)
    own = np.random.default_rng(seed)
    emma = np.where(own.random(N_ITEMS) < noise, own.integers(1, 5, N_ITEMS), truth)
    return cs.Ratings.from_wide(
        {"tutor": tutor.tolist(), "second": truth.tolist(), "emma": emma.tolist()}, scale="ordinal"
    )


SETTINGS = {50: setting(0.6, 1), 100: setting(0.1, 2), 200: setting(0.3, 3)}
PEOPLE = ["tutor", "second"]


@pytest.fixture(scope="module")
def swept() -> panel.SweepResult:
    return panel.sweep(SETTINGS, people=PEOPLE, n_resamples=300)


def test_settings_are_sorted_best_first_with_intervals(swept: panel.SweepResult) -> None:
    assert [row.setting for row in swept.rows] == [100, 200, 50]
    value = swept.best.values["cohen_kappa:quadratic"]
    expected = [
        cs.cohen_kappa(SETTINGS[100].select(raters=[p, "emma"]), distance="quadratic").value
        for p in PEOPLE
    ]
    assert value.value == pytest.approx(np.mean(expected), abs=1e-12)
    assert value.interval.low < value.value < value.interval.high


def test_a_sweep_agrees_with_a_panel_of_one_setting(swept: panel.SweepResult) -> None:
    alone = panel.compare(SETTINGS[100], systems="emma", n_resamples=20)
    key = "krippendorff_alpha:ordinal"
    assert swept.best.gap[key].value == pytest.approx(alone["emma"].gap[key].value, abs=1e-12)
    assert swept.ceiling[key].value == pytest.approx(alone.ceiling[key].value, abs=1e-12)


def test_the_best_two_are_compared_on_the_same_items(swept: panel.SweepResult) -> None:
    first, second = (row.values[swept.sort_by].value for row in swept.rows[:2])
    assert swept.lead is not None
    assert swept.lead.value == pytest.approx(first - second, abs=1e-12)
    assert swept.lead_p_value < 0.05


def test_picking_the_winner_on_the_same_items_is_told(swept: panel.SweepResult) -> None:
    assert [one.code for one in swept.findings] == ["winner_on_same_data"]
    twins = panel.sweep({1: SETTINGS[50], 2: SETTINGS[50]}, people=PEOPLE, n_resamples=50)
    assert "no_clear_winner" in {one.code for one in twins.findings}


def test_any_measure_sorts(swept: panel.SweepResult) -> None:
    by_error = swept.sorted_by("mean_absolute_difference")
    errors = [row.values["mean_absolute_difference"].value for row in by_error.rows]
    assert errors == sorted(errors)
    assert by_error.metric.smaller_is_better
    with pytest.raises(InputError, match="sort_by must be one of"):
        swept.sorted_by("accuracy")


def test_the_winner_can_be_measured_on_items_held_out() -> None:
    result = panel.sweep(SETTINGS, people=PEOPLE, held_out=0.4, n_resamples=400)
    assert result.held_out_setting == 100
    assert result.held_out is not None
    assert 0.7 < result.held_out.value <= 1.0
    assert result.findings == ()


def test_a_long_table_is_split_by_its_column() -> None:
    columns: dict[str, list[Any]] = {"item": [], "rater": [], "label": [], "setting": []}
    first = SETTINGS[50]
    for name, ratings in SETTINGS.items():
        for rater in ("tutor", "emma") if ratings is first else ("emma",):
            codes = ratings.select(raters=[rater]).store.matrix[:, 0]
            columns["item"] += list(range(N_ITEMS))
            columns["rater"] += [rater] * N_ITEMS
            columns["label"] += codes.tolist()
            columns["setting"] += [None if rater == "tutor" else name] * N_ITEMS
    result = panel.sweep(columns, people="tutor", scale="ordinal", n_resamples=20)
    assert [row.setting for row in result.rows] == [100, 200, 50]
    assert result.ceiling == {}


def test_several_systems_in_a_setting_keep_their_names() -> None:
    wide = {"tutor": [1, 2, 1, 2], "emma": [1, 2, 1, 1], "otto": [2, 2, 1, 1]}
    result = panel.sweep({"a": cs.Ratings.from_wide(wide)}, people="tutor", n_resamples=10)
    assert [row.setting for row in result.rows] == ["a / emma", "a / otto"]


def test_the_record_is_plain_json(swept: panel.SweepResult) -> None:
    record = json.loads(json.dumps(swept.to_dict(), allow_nan=False))
    assert [row["setting"] for row in record["rows"]] == [100, 200, 50]
    assert "weighted kappa" in str(swept)


@pytest.mark.parametrize(
    ("settings", "options", "sentence"),
    [
        ({}, {"people": "tutor"}, "at least one"),
        (5, {"people": "tutor"}, "a mapping from setting to Ratings"),
        (SETTINGS, {}, "raters found in every setting: tutor, second, emma"),
        (SETTINGS, {"people": "tuter"}, "did you mean 'tutor'"),
        ({1: SETTINGS[50]}, {"people": [*PEOPLE, "emma"]}, "a system beside the people"),
        (SETTINGS, {"people": PEOPLE, "held_out": 1.0}, "held_out must be"),
        (SETTINGS, {"people": PEOPLE, "sort_by": "kap"}, "sort_by must be one of"),
        ({"item": [1], "rater": ["t"], "label": [1]}, {"people": "t"}, "'item', 'rater', 'label'"),
    ],
)
def test_a_mistake_is_one_sentence(settings: Any, options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        panel.sweep(settings, **options)


def test_people_who_change_their_mind_between_settings_are_refused() -> None:
    other = cs.Ratings.from_wide({"tutor": [1, 2], "emma": [1, 1]})
    with pytest.raises(InputError, match="the same in every setting"):
        panel.sweep(
            {1: other, 2: cs.Ratings.from_wide({"tutor": [1, 1], "emma": [1, 2]})}, people="tutor"
        )


# --- differences that were published --------------------------------------------------------------


@pytest.mark.parametrize("counts", [{}, {0: -1}, {"a": 1}, {0: math.nan}, {0: 0}, [1, 2]])
def test_impossible_counts_are_refused(counts: Any) -> None:
    with pytest.raises(InputError, match="counts must be"):
        panel.differences(counts)


def test_differences_keep_their_sign() -> None:
    found = panel.differences({-1: 10, 0: 80, 2: 10})
    assert found.mean == pytest.approx(0.1)
    assert found.within(1) == pytest.approx(0.9)
    assert found.to_dict()["counts"] == {"-1": 10.0, "0": 80.0, "2": 10.0}
    assert "+2" in str(found)


# --- figures --------------------------------------------------------------------------------------


def test_a_sweep_is_drawn_best_on_top(swept: panel.SweepResult, tmp_path: Path) -> None:
    axes = plot.sweep(swept)
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["100", "200", "50"]
    assert axes.get_ylim()[0] > axes.get_ylim()[1]
    assert plot.save(axes, tmp_path / "sweep.svg").stat().st_size > 1_000


def test_published_differences_are_drawn_as_shares() -> None:
    tables = {
        10: panel.differences({0: 65, 1: 20, 2: 13, 3: 2, 4: 1}),
        20: panel.differences({0: 30, 1: 20, 2: 20, 3: 10, 4: 10, 5: 5, 6: 5}),
    }
    axes = plot.sweep(panel.sweep(tables))
    names = {text.get_text().rpartition(" ")[0] for text in axes.texts}
    assert {"same", "±1", "±2", "more than 3"} <= names
    assert len(axes.containers) == 5
    ends = [bar.get_x() + bar.get_width() for bar in axes.containers[-1]]
    assert ends == pytest.approx([1.0, 1.0])


def test_a_panel_is_drawn_with_people_first() -> None:
    result = panel.compare(SETTINGS[100], systems="emma", n_resamples=20)
    axes = plot.panel(result)
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["people", "emma"]
    assert plot.panel(result, measure="identical").get_xlabel() == "share identical"
    with pytest.raises(InputError, match="measure must be one of"):
        plot.panel(result, measure="kappa")
