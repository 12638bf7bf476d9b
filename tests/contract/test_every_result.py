"""Every result keeps one contract, whichever registry it comes from."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

import consilience as cs
import needed
from consilience import judges, latent, magnitudes, panel, plan, report, units
from consilience.core.interval import Interval
from consilience.core.result import Result
from consilience.exceptions import UnsupportedDesignError
from consilience.report.unit_methods import UNIT_METHODS

LABELS = ("yes <i>", "no & never", "<script>")
RATERS = ("Ann <b>", "Bob", "Eve", "Fay", "Gil")


@cache
def rated(scale: str = "nominal", n_raters: int = 3) -> cs.Ratings:
    """Thirty items by some raters who mostly agree, with names that HTML would take as its own."""
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 3, 30)
    noise = rng.random((30, n_raters)) < 0.25
    codes = np.where(noise, rng.integers(0, 3, (30, n_raters)), truth[:, None])
    numbers = scale in ("interval", "ratio")
    rows = [[float(c + 1) if numbers else LABELS[c] for c in row] for row in codes.tolist()]
    order = None if numbers else list(LABELS)
    return cs.Ratings.from_wide(rows, raters=list(RATERS[:n_raters]), scale=scale, categories=order)


@cache
def two_labels() -> cs.Ratings:
    rng = np.random.default_rng(3)
    truth = rng.random(40) < 0.4
    codes = np.where(rng.random((40, 3)) < 0.15, ~truth[:, None], truth[:, None])
    rows = [["<b>yes" if c else "no" for c in row] for row in codes.tolist()]
    return cs.Ratings.from_wide(rows, raters=list(RATERS[:3]))


@cache
def marked(n_sessions: int = 9) -> units.Units:
    """Two raters who mark the same recordings, a little apart."""
    rng = np.random.default_rng(1)
    records = []
    for session in range(n_sessions):
        for k in range(6):
            label = LABELS[int(rng.integers(0, 3))]
            for rater in RATERS[:2]:
                start = 100 * k + int(rng.integers(0, 12))
                said = label if rng.random() < 0.8 else LABELS[0]
                records.append((rater, said, start, start + 70, f"s{session}"))
    return units.Units.from_records(records)


def retested() -> cs.Ratings:
    rows = [(i, r, LABELS[(i + (i % n == 0)) % 3], k) for k in (1, 2) for i in range(20)
            for r, n in ((RATERS[0], 7), (RATERS[1], 5 + k))]  # fmt: skip
    item, rater, label, occasion = zip(*rows, strict=True)
    frame = {"item": item, "rater": rater, "label": label, "occasion": occasion}
    return cs.Ratings.from_long(frame, occasion="occasion")


def coefficient(name: str) -> Any:
    return getattr(cs, name)(rated(n_raters=2))


def measure_of_marks(name: str) -> Any:
    one = magnitudes.measures()[name]
    scale = {"numbers": "interval", "order": "ordinal", "labels": "nominal"}[one.labels]
    return one(rated(scale, n_raters=2 if one.raters == "two" else 3))


def unit_method(name: str, key: str = "") -> Any:
    found = UNIT_METHODS[name].run(marked(), {"n_resamples": 199})
    return found[key] if key else next(iter(found.values()))


@cache
def judged() -> cs.Ratings:
    """A person on some items, and three judges on all of them."""
    rng = np.random.default_rng(8)
    truth = rng.random(90) < 0.5
    said = np.where(rng.random((90, 3)) < 0.8, truth[:, None], ~truth[:, None])
    words = np.array(["no & never", "yes <i>"])
    right = words[truth.astype(int)].tolist()
    columns = {"Ann <b>": [word if k < 60 else None for k, word in enumerate(right)]}
    columns |= {f"gpt-{j}": words[said[:, j].astype(int)].tolist() for j in range(3)}
    return cs.Ratings.from_wide(columns)


BY_ANN = {"judge": "gpt-0", "people": "Ann <b>"}
VOTES = [{"first": a, "second": b, "winner": w}
         for a, b, w, n in (("x <b>", "y", "first", 9), ("x <b>", "y", "second", 6),
                            ("y", "z", "tie", 4), ("y", "z", "first", 5),
                            ("z", "x <b>", "first", 3),
                            ("z", "x <b>", "second", 6), ("y", "z", "second", 4))
         for _ in range(n)]  # fmt: skip


CASES: dict[str, Callable[[], Any]] = {}
CASES |= {f"coefficient {n}": lambda n=n: coefficient(n) for n in cs.coefficients()}  # type: ignore[misc]
CASES |= {f"measure {n}": lambda n=n: measure_of_marks(n) for n in magnitudes.measures()}  # type: ignore[misc]
CASES |= {f"units {n}": lambda n=n: unit_method(n) for n in UNIT_METHODS}  # type: ignore[misc]
CASES |= {
    "units elan overlap": lambda: unit_method("elan", "overlap_extent"),
    "units elan fleiss": lambda: unit_method("elan", "modified_fleiss"),
    "units boris identity": lambda: unit_method("boris", "identity"),
    "units time alpha": lambda: units.time_agreement(marked(), n_resamples=199),
    "units curve": lambda: units.threshold_curve(marked(), n_resamples=199),
    "units lengths": lambda: units.unit_lengths(marked()),
    "units semeval": lambda: units.semeval(marked(), reference=RATERS[0], hypothesis=RATERS[1]),
    "units tokens": lambda: units.token_agreement(marked()),
    "units windows": lambda: units.window_diff([3, 4, 3], [3, 3, 4]),
    "units similarity": lambda: units.boundary_similarity([3, 4, 3], [3, 3, 4]),
    "units summary": lambda: report.measure_units(marked(), n_resamples=199),
    "latent dawid_skene": lambda: latent.dawid_skene(rated()),
    "latent mace": lambda: latent.mace(rated()),
    "latent glad": lambda: latent.glad(rated()),
    "latent classes": lambda: latent.latent_classes(two_labels(), n_classes=2),
    "latent trait": lambda: latent.latent_trait(rated("ordinal")),
    "latent omega": lambda: latent.omega(retested()),
    "latent intra_rater": lambda: latent.intra_rater(retested()),
    "diagnosis": lambda: cs.diagnose(rated(n_raters=5)),
    "latent camps": lambda: latent.rater_camps(rated(n_raters=5), n_resamples=49),
    "latent confusions": lambda: latent.confusions(rated()),
    "latent adjudication": lambda: latent.adjudicate(rated()),
    "latent rater_view": lambda: latent.rater_view(rated()),
    "panel": lambda: panel.compare(
        rated(), systems=[RATERS[2]], people=list(RATERS[:2]), n_resamples=49
    ),
    "panel differences": lambda: panel.differences({0: 12, 1: 5, 2: 1}),
    "judges rate": lambda: judges.corrected_rate(judged(), "yes <i>", **BY_ANN),
    "judges difference": lambda: judges.rate_difference(
        judged(), "yes <i>", system=["new", "old"] * 45, **BY_ANN
    ),
    "judges shares": lambda: judges.corrected_shares(judged(), **BY_ANN),
    "judges rogan_gladen": lambda: judges.rogan_gladen(
        0.4, sensitivity=0.9, specificity=0.7, n_verdicts=1000, n_positive=200, n_negative=200
    ),
    "judges plan": lambda: judges.labels_to_buy(
        rate=0.6, sensitivity=0.9, specificity=0.8, n_verdicts=3000, half_width=0.04
    ),
    "judges picks": lambda: judges.pick_items(judged(), "yes <i>", 10, **BY_ANN),
    "judges shared errors": lambda: judges.effective_judges(
        judged(), judges="gpt-*", people="Ann <b>"
    ),
    "judges biases": lambda: judges.judge_biases(
        judged(), "yes <i>", judges="gpt-*", people="Ann <b>", length=list(range(1, 91))
    ),
    "judges watch": lambda: judges.watch_judge(judged(), [k // 30 for k in range(90)], **BY_ANN),
    "judges soft": lambda: judges.soft_agreement(rated(n_raters=5), np.full((30, 3), 1 / 3)),
    "judges preferences": lambda: judges.preferences(VOTES),
    "plan power": lambda: plan.plan(method="cohen", kappa0=0.4, kappa1=0.6, prevalence=0.3),
    "plan precision": lambda: plan.plan(pilot=rated(), half_width=0.1, n_resamples=40, rng=1),
    "comparison": lambda: coefficient("cohen_kappa").compare(coefficient("gwet_ac")),
    "pairwise": lambda: magnitudes.pairwise(rated("interval"), measure="pearson"),
    "marks": lambda: magnitudes.describe_marks(rated("interval")),
    "summary": lambda: cs.measure(rated()),
}


@cache
def result(case: str) -> Result:
    found = CASES[case]()
    assert isinstance(found, Result)
    return found


EVERY = pytest.mark.parametrize("case", CASES)


@EVERY
def test_it_has_a_value_a_status_and_findings(case: str) -> None:
    one = result(case)
    assert hasattr(one, "value") or hasattr(one, "values")
    assert isinstance(one.status, str)
    if hasattr(one, "value"):
        assert one.status in ("ok", "undefined")
        assert isinstance(float(one), float)
        assert one.status == "ok" or one.reason
    for finding in one.findings:
        assert finding.code
        assert finding.message


@EVERY
def test_the_interval_is_asked_for_in_one_way(case: str) -> None:
    one = result(case)
    first, second, *more = inspect.signature(one.confidence_interval).parameters.values()
    assert (first.name, first.default) == ("confidence_level", 0.95)
    assert (second.name, second.default) == ("method", "auto")
    assert all(x.kind is x.KEYWORD_ONLY and x.default is not x.empty for x in more)
    try:
        interval = one.confidence_interval(confidence_level=0.8, method="auto")
    except UnsupportedDesignError:
        with pytest.raises(UnsupportedDesignError, match="needs"):
            one.confidence_interval()
        return
    assert isinstance(interval, Interval)
    assert interval.confidence_level == 0.8
    if interval.has_limits:
        wider = one.confidence_interval(0.95)
        assert wider.low <= interval.low <= interval.high <= wider.high
    with pytest.raises(cs.exceptions.ConsilienceError):
        one.confidence_interval(method="by rule of thumb")
    with pytest.raises(cs.exceptions.ConsilienceError):
        one.confidence_interval(95)


@EVERY
def test_the_record_is_plain_data(case: str) -> None:
    one = result(case)
    record = one.to_dict()
    assert all(isinstance(key, str) for key in record)
    again = CASES[case]().to_dict()
    first, second = (json.loads(json.dumps(one, allow_nan=False)) for one in (record, again))
    assert list(_leaves(first)) == [
        (place, pytest.approx(leaf, rel=1e-12) if isinstance(leaf, float) else leaf)
        for place, leaf in _leaves(second)
    ]


def _leaves(value: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """Every plain value of a record, with its place."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _leaves(part, f"{place}/{key}")
    elif isinstance(value, list):
        for k, part in enumerate(value):
            yield from _leaves(part, f"{place}/{k}")
    else:
        yield place, value


@EVERY
def test_the_frame_has_a_row_for_each_number(case: str) -> None:
    for backend in ["pandas", "polars"]:
        needed.package(backend)
        frame = result(case).to_frame(backend)
        assert len(frame) == len(result(case).records()) > 0
        assert len(set(frame.columns)) == len(frame.columns) > 0
        assert type(frame).__module__.startswith(backend)


@EVERY
def test_it_can_be_read_in_every_form_and_its_repr_is_one_line(case: str) -> None:
    document = result(case).document()
    for text in (document.text(), document.markdown(), document.html(), document.latex()):
        assert text.strip()
    assert str(result(case)).strip()
    assert result(case)._repr_markdown_()
    assert result(case)._repr_latex_()
    line = repr(result(case))
    assert "\n" not in line
    assert len(line) < 300
    assert line.startswith(type(result(case)).__name__)


@EVERY
def test_the_notebook_view_is_escaped_and_has_no_script(case: str) -> None:
    text = result(case)._repr_html_()
    assert not re.search(r"<(script|b|i)\b", text)
    assert not re.search(r"\son\w+=", text)
    one = result(case)
    try:
        drawn = one.confidence_interval().has_limits
    except UnsupportedDesignError:
        return
    assert "<svg" in text or not drawn or one.status != "ok"
