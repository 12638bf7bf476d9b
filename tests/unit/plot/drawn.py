"""One example of every figure, for all tests that look at each of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import consilience as cs
from consilience import Units, judges, latent, panel, plot

load = cs.datasets.load
KRIPP, FLEISS, COHEN = load("krippendorff_2011"), load("fleiss_1971"), load("cohen_1960")
BINARY, MARKS = load("di_eugenio_glass_2004_skewed"), load("shrout_fleiss_1979")
UNITS = Units.from_records(
    [
        ("Ann", "wave", 0, 900, "film 1"),
        ("Ann", "point", 1_000, 1_400, "film 1"),
        ("Ann", "nod", 2_000, 2_300, "film 2"),
        ("Bob", "wave", 50, 950, "film 1"),
        ("Bob", "nod", 1_010, 1_390, "film 1"),
        ("Bob", "nod", 2_010, 2_310, "film 2"),
    ],
    time_unit="ms",
)
PUBLISHED = {"A": panel.differences({0: 80, 3: 5, 4: 15}), "B": panel.differences({0: 75, 1: 25})}


def crowd(n_raters: int = 30, n_items: int = 300) -> cs.Ratings:
    """Many raters, five on each item; the last of them guesses."""
    rng = np.random.default_rng(11)
    rows = []
    for i in range(n_items):
        truth = rng.integers(0, 3)
        for g in rng.choice(n_raters, 5, replace=False):
            right = rng.random() < (0.0 if g == n_raters - 1 else 0.85)
            rows.append((i, f"w{g:02}", "abc"[truth if right else rng.integers(0, 3)]))
    item, rater, label = map(list, zip(*rows, strict=True))
    return cs.Ratings.from_long({"i": item, "r": rater, "l": label}, item="i", rater="r", label="l")


def marked(n_items: int = 40) -> cs.Ratings:
    """Four raters on five steps; Dan is a step too high."""
    rng = np.random.default_rng(3)
    truth = rng.integers(1, 6, n_items)
    wide = [np.clip(truth + rng.integers(-1, 2, n_items) + (g == 3), 1, 5) for g in range(4)]
    return cs.Ratings.from_wide(
        np.stack(wide, axis=1), raters=["Ann", "Bob", "Cid", "Dan"], scale="ordinal"
    )


def panel_result() -> Any:
    marks = [[1, 1, 2], [2, 3, 2], [3, 3, 3], [4, 4, 5], [5, 4, 5], [2, 2, 1]] * 6
    ratings = cs.Ratings.from_wide(marks, raters=["Ann", "Bob", "gpt"], scale="ordinal")
    return panel.compare(ratings, systems=["gpt"], n_resamples=50)


def judged() -> cs.Ratings:
    """A person on half of the items, three judges on all; the second copies the first."""
    rng = np.random.default_rng(5)
    truth = rng.random(120) < 0.6
    wrong = rng.random((120, 3)) < 0.2
    wrong[:, 1] = np.where(rng.random(120) < 0.7, wrong[:, 0], wrong[:, 1])
    names = np.array(["fail", "pass"])
    columns = {"Ann": [x if k % 2 else None for k, x in enumerate(names[truth.astype(int)])]}
    said = truth[:, None] ^ wrong
    columns |= {f"gpt-{j}": names[said[:, j].astype(int)].tolist() for j in range(3)}
    return cs.Ratings.from_wide(columns)


def battles() -> list[dict[str, str]]:
    rows = [("x", "y", "first")] * 30 + [("x", "y", "second")] * 12 + [("y", "z", "first")] * 20
    rows += [("y", "z", "second")] * 15 + [("x", "z", "first")] * 25 + [("x", "z", "second")] * 9
    return [dict(zip(("first", "second", "winner"), row, strict=True)) for row in rows]


MARKED, CROWD, PANEL, JUDGED = marked(), crowd(), panel_result(), judged()
RATES = [judges.corrected_rate(JUDGED, "pass", judge=f"gpt-{j}", people="Ann") for j in range(3)]
WATCHED = judges.watch_judge(JUDGED, [k // 15 for k in range(120)], judge="gpt-0", people="Ann")
SOFT = judges.soft_agreement(
    cs.Ratings.from_wide([["a", "a", "b", "a"], ["b", "b", "b", "a"], ["a", "b", "b", "a"]] * 6),
    [[0.7, 0.3], [0.2, 0.8], [0.5, 0.5]] * 6,
)
TRUTH = latent.dawid_skene(CROWD)
VARIABLES = {
    "topic": cs.Ratings.from_table([[48, 2], [1, 49]]),
    "tone": cs.Ratings.from_table([[30, 20], [20, 30]]),
    "frame": cs.Ratings.from_table([[40, 8], [12, 40]]),
}

FIGURES: dict[str, Callable[..., Any]] = {
    "accuracy": lambda **o: plot.accuracy(TRUTH, **o),
    "alignment": lambda **o: plot.alignment(UNITS, **o),
    "batches": lambda **o: plot.batches(VARIABLES, **o),
    "bland_altman": lambda **o: plot.bland_altman(MARKS, pair=MARKS.raters[:2], **o),
    "category_kappas": lambda **o: plot.category_kappas(FLEISS, **o),
    "certainty": lambda **o: plot.certainty(TRUTH, **o),
    "chance_surface": lambda **o: plot.chance_surface(BINARY, **o),
    "coefficient_bars": lambda **o: plot.coefficient_bars(
        {"labels": [cs.scott_pi(MARKED)], "steps": [cs.scott_pi(MARKED, distance="linear")]}, **o
    ),
    "confusion": lambda **o: plot.confusion(FLEISS, **o),
    "control_chart": lambda **o: plot.control_chart(WATCHED, **o),
    "corrected_rates": lambda **o: plot.corrected_rates(RATES, **o),
    "curve": lambda **o: plot.curve(
        [1, 2], [cs.scott_pi(COHEN), cs.cohen_kappa(COHEN)], xlabel="round", **o
    ),
    "design": lambda **o: plot.design(KRIPP, **o),
    "differences": lambda **o: plot.differences(PANEL, **o),
    "error_matrix": lambda **o: plot.error_matrix(TRUTH, **o),
    "forest": lambda **o: plot.forest(cs.measure(FLEISS), thresholds=(0.667, 0.8), **o),
    "funnel": lambda **o: plot.funnel(CROWD, **o),
    "heat_map": lambda **o: plot.heat_map(np.eye(2), [["1", "0"], ["0", "1"]], "ab", "ab", **o),
    "histogram": lambda **o: plot.histogram(MARKS, raters=MARKS.raters[:1], **o),
    "item_agreement": lambda **o: plot.item_agreement(FLEISS, **o),
    "label_use": lambda **o: plot.label_use(KRIPP, **o),
    "leave_one_out": lambda **o: plot.leave_one_out(MARKED, **o),
    "marks": lambda **o: plot.marks(MARKS, **o),
    "panel": lambda **o: plot.panel(PANEL, **o),
    "prevalence_effect": lambda **o: plot.prevalence_effect(BINARY, **o),
    "ranks": lambda **o: plot.ranks(judges.preferences(battles(), order_effect=False), **o),
    "raters": lambda **o: plot.raters(MARKED, **o),
    "settings": lambda **o: plot.settings({10: PUBLISHED["A"], 20: PUBLISHED["B"]}, **o),
    "shared_errors": lambda **o: plot.shared_errors(
        judges.effective_judges(JUDGED, people="Ann"), **o
    ),
    "soft_labels": lambda **o: plot.soft_labels(SOFT, **o),
    "sweep": lambda **o: plot.sweep(PUBLISHED, **o),
    "threshold": lambda **o: plot.threshold(UNITS, **o),
    "timeline": lambda **o: plot.timeline(UNITS, **o),
    "tolerance": lambda **o: plot.tolerance(MARKS, **o),
    "unit_lengths": lambda **o: plot.unit_lengths(UNITS, **o),
    "variables": lambda **o: plot.variables(VARIABLES, **o),
}
