"""What ratings carry has an effect on every answer, or the answer names it.

Every public function that takes ratings, and every entry of the registries, is asked twice: about
plain ratings, and about the same ratings with strong clusters, with occasions, with multiplicities.
An answer that stays the same to the last digit has ignored something; where that is right, the
name stands in one of the short lists below, with the reason.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import consilience as cs
from consilience import coefficients, judges, latent, magnitudes, report
from consilience.exceptions import UnsupportedDesignError
from consilience.latent.model_registry import LATENT_MODELS
from consilience.ratings.clusters import Clusters

FOLDERS = ("", "coefficients", "engine", "findings", "inference", "io", "judges", "latent",
           "magnitudes", "panel", "plan", "report", "simulate", "testing", "units")  # fmt: skip

# ------------------------------------------------------------------ where ignoring is right

_PLAIN = "a plain number, or numbers, without an error: which items go together does not change it"
_TRUTH = "most likely labels and parameters without errors or intervals"
_TABLE = "a table of what was given, or of which labels were confused, without errors"
NO_ERROR_TO_CHANGE = {
    "artstein_poesio_bias": _PLAIN, "bias_index": _PLAIN, "item_agreement": _PLAIN,
    "item_influence": _PLAIN, "kappa_max": _PLAIN, "maxwell_re": _PLAIN,
    "negative_agreement": _PLAIN, "pabak": _PLAIN, "pair_spread": _PLAIN,
    "positive_agreement": _PLAIN, "prevalence_index": _PLAIN, "specific_agreement": _PLAIN,
    "unanimous_agreement": _PLAIN, "mark_counts": _TABLE,
    "confusions": _TABLE, "recommend": "which coefficient suits the question; nothing is estimated",
    "adjudicate": "which items to look at first, and most likely labels: nothing has an error",
    "glad": _TRUTH, "mace": _TRUTH, "chains_of": "another form of the same labels",
    "pick_items": "a draw of items with known chances: nothing is estimated",
    "diagnose": "names no cause in these ratings; where it does, its interval is that of clusters",
}  # fmt: skip
OTHER_ERRORS = {
    "icc": "its interval comes from mean squares without each cluster, not from an error",
    "rater_influence": "the error over raters, with the items as they are; estimates have both",
}
_FIRST = "describes the first ratings, as Ratings.occasions says, and estimates nothing"
FIRST_OCCASION = {
    **dict.fromkeys(
        ("artstein_poesio_bias", "bias_index", "item_agreement", "item_influence", "kappa_max",
         "maxwell_re", "negative_agreement", "pabak", "positive_agreement", "prevalence_index",
         "specific_agreement", "unanimous_agreement", "mark_counts",
         "confusions", "recommend", "adjudicate", "chains_of", "pick_items"), _FIRST),
    "diagnose": "explains an estimate, whose own findings say that it is of the first ratings",
}  # fmt: skip

# ------------------------------------------------------------------ ratings to ask about

N_CLUSTERS, SIZE = 12, 5
ITEMS = N_CLUSTERS * SIZE
RATERS = ("A", "B", "C", "D")


@cache
def rows(kind: str) -> tuple[tuple[Any, ...], ...]:
    """Items of one cluster are alike, and so is what its raters get wrong."""
    rng = np.random.default_rng(9)
    found = []
    for _ in range(N_CLUSTERS):
        truth, hard, off = int(rng.integers(0, 2)), rng.random() < 0.4, float(rng.normal(0, 1.2))
        for _ in range(SIZE):
            if kind == "marks":
                noise = rng.normal(0, 0.6, 4)
                row = [round(5 + 3 * truth + x + off * (k == 0), 1) for k, x in enumerate(noise)]
            else:
                slips = rng.random(4) < 0.1
                row = [int(truth ^ (hard and k > 0) ^ bool(s)) + 1 for k, s in enumerate(slips)]
            found.append(tuple(row))
    return tuple(found)


@cache
def plain(kind: str, n_raters: int) -> cs.Ratings:
    scale = {"marks": "interval", "names": "nominal", "ordered": "ordinal"}[kind]
    listed = [row[:n_raters] for row in rows(kind)]
    return cs.Ratings.from_wide(listed, raters=RATERS[:n_raters], scale=scale)


@cache
def clustered(kind: str, n_raters: int) -> cs.Ratings:
    return plain(kind, n_raters).with_clusters([k // SIZE for k in range(ITEMS)], "patient")


@cache
def repeated(kind: str, n_raters: int) -> cs.Ratings:
    """Two occasions, of which the first is the plain ratings."""
    given = rows(kind)
    rng = np.random.default_rng(4)
    columns: dict[str, list[Any]] = {"item": [], "rater": [], "label": [], "round": []}
    for i in range(ITEMS):
        for k in range(n_raters):
            again = given[(i + 7) % ITEMS][k] if rng.random() < 0.3 else given[i][k]
            for number, label in enumerate((given[i][k], again)):
                for name, value in zip(columns, (i, RATERS[k], label, number), strict=True):
                    columns[name].append(value)
    return cs.Ratings.from_long(columns, occasion="round", scale=plain(kind, n_raters).scale)


def repeated_and_clustered(kind: str, n_raters: int) -> cs.Ratings:
    return repeated(kind, n_raters).with_clusters([k // SIZE for k in range(ITEMS)], "patient")


KINDS = tuple((kind, n) for kind in ("names", "marks", "ordered") for n in (2, 4))

# What a function needs beside ratings. One that is not callable with less stands here.
BY_A = {"people": "A", "judge": "B"}
MORE: dict[str, dict[str, Any]] = {
    "ac2": {"distance": "linear"}, "weighted_kappa": {"distance": "linear"},
    "agreement_with_expert": {"expert": "A"}, "cochran_q": {"category": 1},
    "mcnemar": {"method": "chi-square"}, "goodness_of_fit_test": {"null": 0.2},
    "corrected_rate": {"label": 1, **BY_A}, "corrected_mean": BY_A, "corrected_shares": BY_A,
    "effective_judges": {"judges": ["B", "C", "D"], "people": "A"},
    "judge_biases": {"label": 1, "judges": ["B"], "people": "A",
                     "length": [k % 7 for k in range(ITEMS)]},
    "labels_to_buy": {"label": 1, "half_width": 0.1, **BY_A},
    "pick_items": {"label": 1, "n_labels": 10, "judge": "B", "gold": {0: 1, 1: 2}},
    "rate_difference": {"label": 1, "system": [k % 2 for k in range(ITEMS)], **BY_A},
    "watch_judge": {"batch": [k // 20 for k in range(ITEMS)], **BY_A},
    "soft_agreement": {"predicted": {k: {1: 0.3 + 0.01 * (k % 40), 2: 0.7 - 0.01 * (k % 40)}
                                     for k in range(ITEMS)}},
    "latent_classes": {"n_classes": 2}, "compare_classes": {"n_classes": (1, 2)},
    "compare": {"systems": ["D"], "people": ["A", "B", "C"]},
    "alternative_annotator_test": {"system": "D", "people": ["A", "B", "C"]},
    "assert_agreement": {"coefficient": "krippendorff_alpha", "at_least": -0.5},
    "sampling_distribution": {"coefficient": "percent_agreement", "rng": 1},
    "samples": {"n_samples": 3, "coefficients": ["percent_agreement"], "rng": 1},
    "resolve": {"gold": {0: 1}}, "omega": {"weight": 1.0},
    "group_agreement": {"groups": {"A": 1, "B": 1, "C": 2, "D": 2}, "n_resamples": 99},
}  # fmt: skip
# Takes ratings, but answers in a file or in another table; each has its own test.
FILES = {
    "add_to_rows": "writes rows, which have no items: refuses clusters and occasions",
    "save_rows": "writes rows, which have no items: refuses clusters and occasions",
    "read_sheet": "reads the decisions of an adjudicator beside the ratings",
    "anonymised": "other names for the same ratings",
    "position_swap": "takes two sets of ratings of the same items",
    "join_people": "joins two sets of ratings and keeps their clusters",
    "muc_scores": "takes chains and counts links; nothing has an error",
    "find": "findings about estimates, which are asked themselves",
    "marks_page": "a page of a result that is asked itself",
    "latent_page": "a page of a result that is asked itself",
    "intra_rater": "needs occasions; see the test of its own",
    "reliability_designs": "needs occasions; see the test of its own",
    "compare_rounds": "takes two sets of ratings; see the test of its own",
}


def subjects() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every public function that takes ratings, once, by its name and folder."""
    seen: set[int] = set()
    for folder in FOLDERS:
        module = import_module(f"consilience.{folder}".rstrip("."))
        for name in module.__all__:
            one = getattr(module, name)
            if not inspect.isfunction(one) or id(one) in seen or name in FILES:
                continue
            seen.add(id(one))
            if any(_takes_ratings(p) for p in inspect.signature(one).parameters.values()):
                yield f"{folder}.{name}".lstrip("."), one
    for name, coefficient in coefficients.registry.items():
        yield f"coefficient {name}", getattr(cs, name, None) or _of(coefficient)
    for name, measure in magnitudes.measures().items():
        yield f"measure {name}", measure
    for name, model in LATENT_MODELS.items():
        yield f"model {name}", model.fit


def _of(coefficient: Any) -> Callable[..., Any]:
    return lambda ratings, **options: coefficients.estimate(coefficient, (ratings,), **options)


def _takes_ratings(parameter: inspect.Parameter) -> bool:
    if parameter.kind is parameter.KEYWORD_ONLY:
        return False
    return parameter.name in ("ratings", "pilot") or "Ratings" in str(parameter.annotation)


SUBJECTS = dict(subjects())


def own_name(subject: str) -> str:
    return subject.replace(" ", ".").rpartition(".")[2]


def asked(subject: str, ratings: cs.Ratings) -> Any:
    """Call a function with as little as it needs, and few resamples."""
    function = SUBJECTS[subject]
    more = dict(MORE.get(own_name(subject), {}))
    try:
        known = inspect.signature(function).parameters
    except (TypeError, ValueError):
        known = {}
    if "n_resamples" in known:
        more["n_resamples"] = 99
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(ratings, **more)


@cache
def fitting(subject: str) -> tuple[str, int]:
    """Return the first kind of ratings that a function has an answer for."""
    said = []
    for kind, n_raters in KINDS:
        try:
            asked(subject, plain(kind, n_raters))
        except (cs.ConsilienceError, AssertionError, TypeError) as error:
            said.append(str(error))
        else:
            return kind, n_raters
    raise AssertionError(f"{subject}: say in MORE what it needs. It said: {said}")


# ------------------------------------------------------------------ all that an answer says

_ASKED = ("confidence_interval", "test", "specific_interval", "intercept_interval",
          "limit_intervals", "d_z_interval")  # fmt: skip
_SAID = ("findings", "p_value", "interval", "standard_error", "value", "flags")
_WHAT_WAS_GIVEN = {"clusters", "n_clusters", "cluster", "ratings", "notes", "reading"}


def everything(answer: Any, depth: int = 0) -> Any:
    """Return all numbers and findings of an answer, without what only repeats the question."""
    if isinstance(answer, np.ndarray):
        return repr(answer.tolist())
    if isinstance(answer, Mapping):
        return {str(k): everything(v, depth + 1) for k, v in answer.items()
                if str(k) not in _WHAT_WAS_GIVEN}  # fmt: skip
    if isinstance(answer, (list, tuple, frozenset, set, range)):
        return [everything(one, depth + 1) for one in answer]
    if isinstance(answer, (cs.Ratings, cs.Units, Clusters)) or depth > 5:
        return ""
    ours = type(answer).__module__.startswith("consilience")
    return _parts(answer, depth) if ours else repr(answer)


def _parts(answer: Any, depth: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if is_dataclass(answer):
        for one in fields(answer):
            if not one.name.startswith("_") and one.name not in _WHAT_WAS_GIVEN:
                found[one.name] = everything(getattr(answer, one.name), depth + 1)
    for name in (*_SAID, *_ASKED):
        found[f"{name}()"] = everything(_said(answer, name), depth + 1)
    return found


def _said(answer: Any, name: str) -> Any:
    try:
        value = getattr(answer, name)
        return value() if name in _ASKED else value
    except (AttributeError, TypeError):
        return None
    except cs.ConsilienceError as error:
        return str(error)


def answers(subject: str, ratings: cs.Ratings) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return everything(asked(subject, ratings))


# ------------------------------------------------------------------ the contract


def test_subjects_are_found() -> None:
    assert len(SUBJECTS) > 100
    names = {own_name(one) for one in SUBJECTS}
    assert {"bland_altman", "mcnemar", "dawid_skene", "corrected_rate", "icc"} <= names
    stray = {*NO_ERROR_TO_CHANGE, *FIRST_OCCASION, *MORE} - names
    assert not stray, "names in the lists that nothing is called"


def told(subject: str, ratings: cs.Ratings) -> tuple[Any, str]:
    """Return all that is answered, or the sentence that refuses."""
    try:
        return answers(subject, ratings), ""
    except UnsupportedDesignError as error:
        return None, str(error)


@pytest.mark.parametrize("subject", SUBJECTS)
def test_clusters_are_heeded_or_refused(subject: str) -> None:
    kind = fitting(subject)
    found, refusal = told(subject, clustered(*kind))
    if refusal:
        assert "independent" in refusal
        assert "ratings.with_clusters(None)" in refusal
    ignored = found == answers(subject, plain(*kind))
    assert ignored == (own_name(subject) in NO_ERROR_TO_CHANGE)


@pytest.mark.parametrize("subject", SUBJECTS)
def test_the_standard_error_is_that_of_clusters(subject: str) -> None:
    """Fewer degrees of freedom alone would change an interval, too."""
    kind = fitting(subject)
    alone = getattr(asked(subject, plain(*kind)), "standard_error", None)
    if not isinstance(alone, float) or not alone > 0.0 or own_name(subject) in OTHER_ERRORS:
        return
    try:
        together = asked(subject, clustered(*kind)).standard_error
    except UnsupportedDesignError:
        return
    assert together != pytest.approx(alone, rel=1e-3)


@pytest.mark.parametrize("subject", SUBJECTS)
def test_occasions_are_heeded_told_or_refused(subject: str) -> None:
    kind = fitting(subject)
    found, refusal = told(subject, repeated(*kind))
    if refusal:
        assert "occasions" in refusal
        assert asked(subject, repeated(*kind).occasions[0]) is not None  # the hint works
    ignored = found == answers(subject, plain(*kind))
    assert ignored == (own_name(subject) in FIRST_OCCASION)


@pytest.mark.parametrize("name", ["intra_rater", "reliability_designs"])
def test_clusters_are_heeded_of_repeated_ratings(name: str) -> None:
    function = getattr(latent, name)
    alone, together = (function(make("names", 2)) for make in (repeated, repeated_and_clustered))
    assert everything(alone) != everything(together)


def test_rounds_heed_clusters() -> None:
    alone, together = (
        report.compare_rounds(make("names", 2), make("names", 4)) for make in (plain, clustered)
    )
    assert everything(alone) != everything(together)


def test_joined_people_keep_the_clusters() -> None:
    people = plain("names", 2).select(raters=["A"])
    verdicts = clustered("names", 2).select(raters=["B"])
    joined = judges.join_people(verdicts, people)
    ratings = getattr(joined, "ratings", joined)
    assert ratings.clusters.name == "patient"


@pytest.mark.parametrize("make", [clustered, repeated])
def test_a_file_of_rows_has_no_items_to_keep_together(
    make: Callable[..., cs.Ratings], tmp_path: Any
) -> None:
    with pytest.raises(UnsupportedDesignError, match="a file of rows needs"):
        cs.engine.save_rows(make("names", 2), tmp_path / "study.rows")


# ------------------------------------------------------------------ methods that are asked by name


def errors_by_name() -> Iterator[tuple[str, str]]:
    for name, coefficient in coefficients.registry.items():
        for method in coefficient.standard_errors:
            yield name, method


@pytest.mark.parametrize(("name", "method"), list(errors_by_name()))
def test_no_standard_error_ignores_clusters(name: str, method: str) -> None:
    compute = SUBJECTS[f"coefficient {name}"]
    more = MORE.get(name, {})
    kind = fitting(f"coefficient {name}")
    try:
        alone = compute(plain(*kind), standard_error=method, **more)
    except UnsupportedDesignError:
        return  # not for these ratings
    try:
        together = compute(clustered(*kind), standard_error=method, **more)
    except UnsupportedDesignError as error:
        said = str(error)
        assert 'use standard_error="linearised"' in said
        return
    assert repr(together.standard_error) != repr(alone.standard_error) or not (
        alone.standard_error > 0.0
    )


ESTIMATE_METHODS: dict[str, Callable[[Any], Any]] = {
    "monte-carlo test": lambda e: e.test(0.3, method="monte-carlo", n_resamples=99).p_value,
    "permutation test": lambda e: e.permutation_test(n_resamples=99).p_value,
    "jackknife": lambda e: cs.jackknife(e).standard_error,
    "bootstrap": lambda e: [one.standard_error for one in cs.bootstrap(e, n_resamples=99, rng=1)],
    **{
        f"interval {method}": lambda e, method=method: repr(
            e.confidence_interval(method=method, n_resamples=99, rng=1)
        )
        for method in ("analytic", "percentile", "basic", "bca", "studentised", "jackknife",
                       "transformed", "donner-eliasziw", "hayes-krippendorff")
    },
}  # fmt: skip


@pytest.mark.parametrize("name", ESTIMATE_METHODS)
def test_no_method_of_an_estimate_ignores_clusters(name: str) -> None:
    ask = ESTIMATE_METHODS[name]
    alone = ask(cs.krippendorff_alpha(plain("names", 2)))
    try:
        together = ask(cs.krippendorff_alpha(clustered("names", 2)))
    except UnsupportedDesignError as error:
        assert "independent" in str(error)  # noqa: PT017 - a refusal is one of two good answers
        return
    assert together != alone


def test_full_agreement_counts_each_cluster_once() -> None:
    same = cs.Ratings.from_wide([[k % 2, k % 2] for k in range(60)])
    together = cs.cohen_kappa(same.with_clusters([k // 5 for k in range(60)]))
    found = together.confidence_interval(method="analytic")
    # Clopper and Pearson for 12 of 12: (0.025)^(1/12), with chance agreement 1/2.
    assert found.low == pytest.approx(2.0 * 0.025 ** (1 / 12) - 1.0)
    assert found.high == 1.0


# ------------------------------------------------------------------ multiplicities


OF_LABELS = [s for s in SUBJECTS if " " in s and "model" not in s and fitting(s)[0] == "names"]


@pytest.mark.parametrize("subject", OF_LABELS)
def test_a_pattern_counts_as_often_as_it_occurs(subject: str) -> None:
    kind = fitting(subject)
    n = kind[1]
    distinct = [list(row) for row in sorted({tuple(row[:n]) for row in rows("names")})]
    times = [k % 3 + 1 for k in range(len(distinct))]
    codes = [[label - 1 for label in row] for row in distinct]
    weighted = cs.Ratings.from_patterns(codes, times, categories=[1, 2], raters=RATERS[:n])
    listed = [row for row, many in zip(distinct, times, strict=True) for _ in range(many)]
    spelled = cs.Ratings.from_wide(listed, raters=RATERS[:n], categories=[1, 2], scale="nominal")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values = [asked(subject, one).value for one in (weighted, spelled)]
        errors = [asked(subject, one).standard_error for one in (weighted, spelled)]
    np.testing.assert_allclose(values[0], values[1], rtol=1e-12)
    np.testing.assert_allclose(errors[0], errors[1], rtol=1e-9)
