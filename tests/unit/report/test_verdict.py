"""The verdict stands first, and says the same on the terminal, the page, in JSON and notebooks."""

from __future__ import annotations

import html
import json

import numpy as np
import pytest

import consilience as cs
from consilience.core.interval import Interval
from consilience.core.verdict import verdict_on, verdict_on_several
from consilience.core.words import prose
from consilience.report import report

RNG = np.random.default_rng(8)
LABELS = np.array(["a", "b", "c"])
TRUTH = RNG.integers(0, 3, 200)


def noisy(share: float, n_items: int = 200) -> cs.Ratings:
    """Three raters who see the truth in a share of cases, and guess otherwise."""
    seen = RNG.random((n_items, 3)) < share
    codes = np.where(seen, TRUTH[:n_items, None], RNG.integers(0, 3, (n_items, 3)))
    return cs.Ratings.from_wide(LABELS[codes], scale="nominal")


STUDIES = {
    "random": (noisy(0.0), "no_better_than_chance", "No better than chance"),
    "low": (noisy(0.5), "clearly_low", "Clearly too low"),
    "perfect": (noisy(1.0, 40), "perfect", "Perfect agreement on 40 items"),
    "one label": (cs.Ratings.from_wide([["a", "a"]] * 9), "undefined", "There is no answer"),
}


@pytest.mark.parametrize("name", STUDIES)
def test_every_channel_says_it_first(name: str) -> None:
    ratings, code, words = STUDIES[name]
    summary = cs.measure(ratings)
    assert str(summary).startswith(words)
    assert summary.document().terminal(80).startswith(words)
    record = json.loads(summary.to_json())["verdict"]
    assert record["code"] == code
    assert record["message"].startswith(words)
    assert record["next"]
    said = html.escape(words)
    assert summary._repr_html_().startswith(f"<p><strong>{said}")
    assert summary._repr_markdown_().startswith(f"**{words}")
    assert f'class="verdict">{said}' in report(ratings).html()


def test_alpha_of_24_is_clearly_too_low() -> None:
    low = verdict_on("alpha", 0.24, Interval(0.15, 0.33, 0.95, "auto"))
    assert low.code == "clearly_low"
    assert low.message == "Clearly too low: alpha 0.24 (95% CI 0.15 to 0.33)."


def test_full_agreement_tells_the_lower_limit() -> None:
    summary = cs.measure(STUDIES["perfect"][0])
    low = summary[summary.headline].confidence_interval().low
    assert f"with 95% confidence at least {low:.2f}" in summary.verdict.message


@pytest.mark.parametrize(
    ("low", "high", "code"),
    [
        (-0.3, -0.1, "no_better_than_chance"),
        (-0.1, 0.3, "no_better_than_chance"),
        (-0.1, 0.7, "straddles_threshold"),
        (0.1, 0.6, "clearly_low"),
        (0.1, 0.7, "straddles_threshold"),
        (0.667, 0.79, "tentative"),
        (0.7, 0.95, "tentative"),
        (0.8, 0.95, "clearly_high"),
    ],
)
def test_it_is_the_interval_that_is_judged(low: float, high: float, code: str) -> None:
    for value in (low + 0.01, high - 0.01):
        assert verdict_on("kappa", value, Interval(low, high, 0.95, "auto")).code == code


def test_numbers_keep_to_their_side_of_a_threshold() -> None:
    near = verdict_on("kappa", 0.6, Interval(0.5, 0.6668, 0.95, "auto"))
    assert "0.667)" in near.message  # and not 0.67, which would lie above
    assert "0.799" in verdict_on("kappa", 0.79, Interval(0.7, 0.799, 0.95, "auto")).message


def test_of_several_each_one_below_is_named() -> None:
    groups = {"tone": STUDIES["low"][0], "topic": STUDIES["perfect"][0], "noise": noisy(0.0)}
    summary = cs.measure(groups, by="variable")
    assert summary.verdict.message.startswith("1 of 3 variables is no better than chance: noise.")
    record = json.loads(summary.to_json())
    assert record["verdict"]["below"] == ["noise", "tone"]
    codes = {one["name"]: one["verdict"]["code"] for one in record["groups"]}
    assert codes == {"tone": "clearly_low", "topic": "perfect", "noise": "no_better_than_chance"}
    many = {f"v{k}": summary.groups[0].verdict for k in range(30)}
    assert all(f"v{k}" in verdict_on_several(many, "variable").message for k in range(30))


def test_findings_of_the_same_name_are_problems_and_are_not_told_twice() -> None:
    for name in ("random", "low"):
        ratings, code, _ = STUDIES[name]
        summary = cs.measure(ratings)
        (found,) = (one for one in summary.findings if one.code == code)
        assert found.severity == "problem"
        assert found.message not in str(summary)
        assert (
            html.escape(prose(found.message)).replace("&#x27;", "&#39;") in report(ratings).html()
        )


def test_silence_is_no_praise() -> None:
    page = report(STUDIES["perfect"][0]).html()
    n = len(cs.findings.checks())
    assert f"None of the {n} checks fired. That does not mean agreement is high." in page
    assert "Nothing stands out" not in page


def test_thresholds_of_kappa_are_not_held_against_other_coefficients() -> None:
    assert cs.gwet_ac(STUDIES["low"][0]).verdict.code == "no_threshold"
    assert cs.percent_agreement(STUDIES["low"][0]).verdict.code == "no_threshold"


def test_a_known_cause_comes_before_training() -> None:
    skewed = cs.measure(cs.datasets.load("di_eugenio_glass_2004_skewed"))
    assert skewed.verdict.code == "no_better_than_chance"
    assert skewed.verdict.next.startswith("'1' makes up 95% of the ratings")
    marks = RNG.integers(1, 6, 60)
    near = np.clip(marks[:, None] + RNG.integers(-1, 2, (60, 3)), 1, 5)
    assert cs.measure(cs.Ratings.from_wide(near)).verdict.next.startswith("The labels are numbers")
