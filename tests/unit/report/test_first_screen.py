"""What everybody wants to know fits the first screen, on every kind of page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import consilience as cs
import needed
from consilience import latent, magnitudes, panel
from consilience.report import (
    batches_page,
    compare_batches,
    compare_rounds,
    latent_page,
    marks_page,
    measure_units,
    panel_page,
    report,
    rounds_page,
    units_report,
)
from consilience.units.model import UnitReading
from patience import patient

RNG = np.random.default_rng(11)
TRUTH = RNG.integers(1, 6, 80)
MARKS = np.clip(TRUTH[:, None] + RNG.integers(-1, 2, (80, 4)), 1, 5)
NAMES = np.array(["none", "little", "some", "much", "all"])
RATERS = ["Ann", "Bob", "Cid", "gpt"]
MADE: dict[str, Any] = {"command": "consilience report x.csv", "reading": ["x.csv: wide"]}


@cache
def labels() -> cs.Ratings:
    return cs.Ratings.from_wide(NAMES[MARKS - 1], raters=RATERS)


@cache
def numbers() -> cs.Ratings:
    return cs.Ratings.from_wide(MARKS.astype(float), raters=RATERS, scale="interval")


def crowd() -> cs.Ratings:
    item = np.repeat(np.arange(100), 5)
    rater = np.concatenate([RNG.choice(40, 5, replace=False) for _ in range(100)])
    return cs.Ratings.from_long({"item": item, "rater": rater, "label": NAMES[item % 3]})


def marked() -> cs.Units:
    records = [
        (rater, "xyz"[(k + (k % 4 == 0) * extra) % 3], 20 * k + 2 * extra, 20 * k + 15, f"film {s}")
        for s in range(9)
        for k in range(6)
        for extra, rater in enumerate(("Ann", "Bob"))
    ]
    return cs.Units.from_records(records)


def on_text() -> cs.Units:
    """Names in a text, as three raters marked them."""
    text = "Ann Lee met Bob in Paris. Then Ann left for New York, and Bob stayed."
    spans = {
        "Ann": [("PER", 0, 7), ("PER", 12, 15), ("LOC", 19, 24), ("LOC", 44, 52)],
        "Bob": [("PER", 0, 7), ("PER", 12, 15), ("LOC", 19, 24), ("ORG", 44, 52)],
        "Cid": [("PER", 4, 7), ("PER", 12, 15), ("LOC", 19, 24)],
    }
    records = [(rater, *span, "text 1") for rater, some in spans.items() for span in some]
    units = cs.Units.from_records(records, time_unit="character")
    return replace(units, reading=UnitReading(texts={"text 1": text}))


def of_panel(systems: list[str]) -> Any:
    people = [one for one in RATERS if one not in systems]
    result = panel.compare(labels(), systems=systems, people=people, n_resamples=50)
    return panel_page(result, result.document(), **MADE)


def of_latent() -> Any:
    result = latent.dawid_skene(labels())
    return latent_page(result, result.document(), ratings=labels(), **MADE)


PAGES: dict[str, Callable[[], Any]] = {
    "ratings": lambda: report(labels(), **MADE),
    "numbers": lambda: report(numbers(), **MADE),
    "crowd": lambda: report(crowd(), **MADE),
    "variables": lambda: report({"tone": labels(), "topic": crowd()}, **MADE),
    "one system": lambda: of_panel(["gpt"]),
    "two systems": lambda: of_panel(["gpt", "Cid"]),
    "latent": of_latent,
    "marks": lambda: marks_page(magnitudes.describe_marks(numbers()), numbers(), **MADE),
    "rounds": lambda: rounds_page(compare_rounds(labels(), crowd()), **MADE),
    "batches": lambda: batches_page(
        compare_batches({"May": labels(), "June": crowd(), "July": labels()}), **MADE
    ),
    "units": lambda: units_report(measure_units(marked()), **MADE),
    "spans": lambda: units_report(measure_units(on_text()), **MADE),
}
# Every rule on a wide screen; on a phone in the dark, those that size and colours matter to.
SCREENS = {
    (1280, "light"): "{}",
    (390, "dark"): "{runOnly: ['color-contrast', 'target-size', 'scrollable-region-focusable']}",
}
AXE = "axe.run(document, {...%s, resultTypes: ['violations']}).then(found => found.violations)"
PARTS = (".verdict", ".next", ".gauge", ".facts", "#answer .copy", "#answer pre")


@cache
def rendered(name: str) -> str:
    return str(PAGES[name]().html())


@pytest.mark.parametrize("name", PAGES)
def test_the_answer_is_on_the_first_screen(browser, axe, name, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(rendered(name), encoding="utf-8")
    page = patient(browser.new_page(viewport={"width": 1280, "height": 800}))
    told, asked = [], []
    page.on("console", lambda message: told.append(message.text))
    page.on("pageerror", lambda error: told.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    assert told == []
    assert asked == [path.as_uri()]
    for part in PARTS:
        box = page.locator(part).first.bounding_box()
        assert box is not None, part
        assert box["y"] + box["height"] <= 800, part
    for link in page.locator(".gravest a").all():
        box = link.bounding_box()
        assert box["y"] + box["height"] <= 800
        assert page.locator(link.get_attribute("href")).count() == 1
    assert page.locator(".gravest a").count() <= 3
    for (width, scheme), rules in SCREENS.items():
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        _axe_finds_nothing(page, axe, rules)
    page.close()


def test_axe_is_there(axe):
    if axe is None:
        needed.lacking(needed.PACKAGE, "axe_playwright_python")
    assert "axe" in axe[:100]


def _axe_finds_nothing(page: Any, axe: str | None, rules: str = "{}") -> None:
    """Look for whatever keeps people from reading a page, by rules of axe-core."""
    if axe is None:
        return
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe)
    found = page.evaluate(AXE % rules)
    assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []


@pytest.mark.parametrize("name", PAGES)
def test_a_page_ends_with_how_it_was_made(name):
    text = rendered(name)
    end = text[text.index('id="again"') :]
    assert "<li>x.csv: wide</li>" in end
    assert "consilience report x.csv</pre>" in end
    assert "<section" not in end


@pytest.mark.parametrize("name", PAGES)
def test_a_minus_sign_stands_before_negative_numbers(name):
    import re

    text = re.sub(r"<(svg|style|script|pre)\b.*?</\1>", "", rendered(name), flags=re.DOTALL)
    text = re.sub(r"<[^>]*>", " ", text)
    assert not re.search(r"(?<![\w.-])-\.?\d", text)
