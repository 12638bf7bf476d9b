"""Every reference record comes out, within its tolerance, from the public functions."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import consilience as cs
from consilience.distances import LabelSpace, get_distance
from consilience.exceptions import ConsilienceError, UndefinedCoefficientWarning
from consilience.inference.intervals import quantile
from golden import REFERENCES, Record, each, embedded, golden, ids, needs_golden

# What each record of the golden file is called here: the cube names cells by chance model.
FUNCTIONS = {
    "percent_agreement": "percent_agreement",
    "bennett_s": "bennett_s",
    "brennan_prediger": "bennett_s",
    "scott_pi": "scott_pi",
    "fleiss_kappa": "scott_pi",
    "alpha_prime": "scott_pi",
    "cohen_kappa": "cohen_kappa",
    "conger_kappa": "cohen_kappa",
    "beta": "cohen_kappa",
    "light_kappa": "light_kappa",
    "gwet_ac": "gwet_ac",
    "krippendorff_alpha": "krippendorff_alpha",
    "van_oest": "van_oest",
}
STANDARD_ERRORS = {
    "gwet_linearised_1/(n(n-1))": "gwet",
    "gwet_linearised_1/(n(n-1)) with fpc": "gwet",
    "delta_table_1/n": "table",
    "two-sided, t(n-1), variance delta_table": "table",
    "Fleiss-Cohen-Everitt non-null": "fleiss-cohen-everitt",
    "Fleiss-Cohen-Everitt null": "fleiss-cohen-everitt-null",
    "Fleiss-Nee-Landis 1979 null": "fleiss-nee-landis-null",
    "rater jackknife (conditional on subjects) and unconditional": "gwet",
}
WEIGHTS = {"identity": "nominal", "ordinal": "ordinal-gwet"}

# Keys of a record that a sibling of this module compares.
KEYS_NOT_CHECKED = {
    "item jackknife": ("se", "jackknife_bias", "bca_acceleration"),  # in test_golden_resampling
}
# Single records whose program errs; the test at the end of this file shows how.
KEYS_IN_ERROR = {"sw-krippendorff_alpha-gwet_distrib6-identity": ("se", "ci_low", "ci_high")}
RECORDS_WITHOUT_DATA = {
    "seed-nodata-ap-anaphora",
    "seed-nodata-ap-kraemer",
    "seed-nodata-gseq",
}
# Records that a sibling of this module reproduces.
IN_ANOTHER_MODULE = {
    "alt_test": "test_golden_panel",
    "aickin_alpha": "test_golden_omega",
    "linear_distribution_model": "test_golden_omega",
    "omega": "test_golden_omega",
    "omega_chance_term": "test_golden_omega",
    "paired_test_ac2": "test_golden_resampling",
    "paired_test_alpha": "test_golden_resampling",
    "paired_test_bp": "test_golden_resampling",
    "paired_test_conger": "test_golden_resampling",
    "paired_test_fleiss": "test_golden_resampling",
    "paired_test_pa": "test_golden_resampling",
    "permutation_test_kappa_exact": "test_golden_resampling",
    "ac1_null_critical_value": "test_golden_inference",
    "benchmark_membership": "test_golden_inference",
    "bhapkar": "test_golden_inference",
    "bowker": "test_golden_inference",
    "cochran_q": "test_golden_inference",
    "cohen_kappa_structural_zero": "test_golden_units",
    "donner_eliasziw_ci": "test_golden_inference",
    "gof_test_kappa": "test_golden_inference",
    "homogeneity_fleiss": "test_golden_inference",
    "homogeneity_gof_donner_eliasziw_klar": "test_golden_inference",
    "homogeneity_interval": "test_golden_inference",
    "icc_power_donner_eliasziw_1987": "test_golden_planning",
    "intraclass_kappa_bloch_kraemer": "test_golden_inference",
    "marginal_homogeneity_multi": "test_golden_inference",
    "mcnemar_chi2": "test_golden_inference",
    "mcnemar_exact": "test_golden_inference",
    "mcnemar_midp": "test_golden_inference",
    "sample_size_cantor_binary": "test_golden_planning",
    "sample_size_flack": "test_golden_planning",
    "sample_size_gof_3cat": "test_golden_planning",
    "sample_size_gof_binary": "test_golden_planning",
    "sample_size_gof_ci_binary": "test_golden_planning",
    "stuart_maxwell": "test_golden_inference",
    "dawid_skene": "test_golden_latent",
    "latent_class": "test_golden_latent",
    "bland_altman": "test_golden_magnitudes",
    "effect_size_paired": "test_golden_magnitudes",
    "gk_gamma": "test_golden_magnitudes",
    "icc": "test_golden_magnitudes",
    "kendall": "test_golden_magnitudes",
    "kendall_w": "test_golden_magnitudes",
    "lin_ccc": "test_golden_magnitudes",
    "mean_pearson": "test_golden_magnitudes",
    "mean_spearman": "test_golden_magnitudes",
    "ordinal_association_ase": "test_golden_magnitudes",
    "paired_t": "test_golden_magnitudes",
    "pearson": "test_golden_magnitudes",
    "pearson_chi2": "test_golden_magnitudes",
    "regression": "test_golden_magnitudes",
    "spearman": "test_golden_magnitudes",
    "stuart_tau_c": "test_golden_magnitudes",
    "vector_distance": "test_golden_magnitudes",
    "wilcoxon_signed_rank": "test_golden_magnitudes",
}

EMBEDDED = embedded()
ELSEWHERE = [
    record
    for record in golden()
    if record.coefficient not in IN_ANOTHER_MODULE
    and record.id not in ids(EMBEDDED) | RECORDS_WITHOUT_DATA
]


# --- from a record to ratings and options ---------------------------------------------------------


def number(text: str) -> float | int | None:
    if not text:
        return None
    return int(text) if text.lstrip("-").isdigit() else float(text)


def rows_of(record: Record) -> list[list[Any]]:
    """Items by raters."""
    data = record.data
    if "labels_in_order_from_counts" in data:
        return [
            [k for k, count in enumerate(counts, start=1) for _ in range(count)]
            for counts in data["labels_in_order_from_counts"]
        ]
    if "ratings" in data:
        return list(data["ratings"])
    return [[number(cell) for cell in line[1:]] for line in record.lines()[1:]]


def ratings_of(record: Record) -> cs.Ratings:
    data, categories = record.data, record.params.get("categories")
    declared = categories if isinstance(categories, list) else None
    if "table" in data:
        q = len(data["table"])
        return cs.Ratings.from_table(data["table"], categories=tuple(range(1, q + 1)))
    if "counts" in data or data.get("format", "").startswith("counts"):
        counts = data["counts"] if "counts" in data else rows_of(record)
        return cs.Ratings.from_counts(counts)
    return cs.Ratings.from_wide(rows_of(record), categories=declared)


def distance_of(record: Record, ratings: cs.Ratings) -> Any:
    params = record.params
    for key in ("distance_matrix", "disagreement_weights"):
        if key in params:
            return cs.distances.matrix(params[key], ratings.categories)
    if "c_min" in params:
        return cs.distances.bipolar(minimum=params["c_min"], maximum=params["c_max"])
    if "metric" in params:
        return params["metric"]
    weights = params.get("weights", "identity")
    if weights == "circular":
        # irrCAC takes the range of the scores plus one for the circumference.
        scores = [float(label) for label in ratings.categories]
        return cs.distances.circular(max(scores) - min(scores) + 1)
    return WEIGHTS.get(weights, weights)


def estimate_of(record: Record, ratings: cs.Ratings) -> Any:
    params = record.params
    options: dict[str, Any] = {}
    variance = params.get("variance", params.get("test"))
    if variance in STANDARD_ERRORS:
        options["standard_error"] = STANDARD_ERRORS[variance]
    elif record.coefficient == "gwet_ac" and "se" in record.expected:
        options["standard_error"] = "gwet"  # printed in the vignette of irrCAC
    if "population_size" in params:
        options["population"] = params["population_size"]
    if record.coefficient not in ("light_kappa",) or "weights" in params:
        options["distance"] = distance_of(record, ratings)
    return getattr(cs, FUNCTIONS[record.coefficient])(ratings, **options)


# --- what a coefficient's record can hold ---------------------------------------------------------


def pairable(ratings: cs.Ratings, record: Record) -> int:
    present = [[x for x in row if x is not None] for row in rows_of(record)]
    return sum(len(row) for row in present if len(row) >= 2)


def parts_as_in_irrcac(record: Record, estimate: Any, ratings: cs.Ratings) -> tuple[float, float]:
    """Observed and expected agreement in irrCAC's convention.

    Alpha there is (pa - pe)/(1 - pe) with pe drawn with replacement and the small-sample term moved
    into pa = (1 - eps) p_a + eps, eps = 1/N.
    """
    if record.coefficient == "percent_agreement":
        return estimate.observed, 0.0
    if record.coefficient != "krippendorff_alpha":
        return estimate.observed, estimate.expected
    eps = 1 / pairable(ratings, record)
    observed = (1 - eps) * estimate.observed + eps
    expected = 1 - (1 - estimate.expected) * (1 - eps)
    return observed, expected


def check_estimate(record: Record) -> None:
    ratings = ratings_of(record)
    estimate = estimate_of(record, ratings)
    method = record.params.get("variance", record.params.get("ci_method", ""))
    skipped = KEYS_NOT_CHECKED.get(method, ()) + KEYS_IN_ERROR.get(record.id, ())
    for key in record.expected:
        if key in skipped:
            continue
        if key in ("se_raters", "se_unconditional", "leave_one_rater_out"):
            check_rater_jackknife(record, key, estimate, ratings)
        elif method == "altman" and key != "value":
            record.check(key, chance_taken_for_known(estimate)[key])
        else:
            record.check(key, number_of(record, key, estimate, ratings))


def chance_taken_for_known(estimate: Any) -> dict[str, float]:
    """Altman's error of kappa: that of observed agreement; offered for planning only."""
    planned = cs.plan.plan(
        observed=estimate.observed,
        expected=estimate.expected,
        n_items=estimate.n_items,
        assurance=None,
    )
    return {
        "se": planned.half_width / quantile(0.975, None),
        "ci_low": estimate.value - planned.half_width,
        "ci_high": estimate.value + planned.half_width,
    }


def number_of(record: Record, key: str, estimate: Any, ratings: cs.Ratings) -> float | None:
    if key in ("pa", "pe"):
        return parts_as_in_irrcac(record, estimate, ratings)[("pa", "pe").index(key)]
    if key == "z":
        return float(estimate.value / estimate.standard_error)
    if record.coefficient == "krippendorff_alpha" and "table" in record.params.get("variance", ""):
        return alpha_of_a_table_as_in_irrcac(record, estimate, ratings)[key]
    if key in ("ci_low", "ci_high"):
        interval = estimate.confidence_interval(method="analytic")
        return float(interval.low if key == "ci_low" else interval.high)
    if key in ("p", "p_two_sided"):
        return float(estimate.test(method="analytic").p_value)
    return getattr(estimate, ESTIMATE_FIELDS[key])  # type: ignore[no-any-return]


def alpha_of_a_table_as_in_irrcac(
    record: Record, estimate: Any, ratings: cs.Ratings
) -> dict[str, float]:
    """The standard error there is that of alpha without the small-sample factor 1 - 1/N."""
    from scipy import stats

    se = estimate.standard_error / (1 - 1 / ratings.n_ratings)
    t = stats.t(ratings.n_items - 1)
    return {
        "value": estimate.value,
        "se": se,
        "ci_low": estimate.value - t.ppf(0.975) * se,
        "ci_high": min(1.0, estimate.value + t.ppf(0.975) * se),
        "p_two_sided": 2 * t.sf(abs(estimate.value) / se),
    }


ESTIMATE_FIELDS = {
    "value": "value",
    "A_o": "observed",
    "A_e": "expected",
    "D_o": "observed_disagreement",
    "D_e": "expected_disagreement",
    "se": "standard_error",
    "se_null": "standard_error",
    "se_subjects": "standard_error",
}


def check_rater_jackknife(record: Record, key: str, estimate: Any, ratings: cs.Ratings) -> None:
    name = FUNCTIONS[record.coefficient]
    raters = cs.rater_influence(ratings, coefficient=name)
    if key == "leave_one_rater_out":
        allowed = record.tolerance["abs"]
        left_out = list(raters.without.values())
        assert left_out == pytest.approx(record.expected[key], rel=0, abs=allowed)
    elif key == "se_raters":
        record.check(key, raters.standard_error)
    else:
        record.check(key, math.hypot(raters.standard_error, estimate.standard_error))


# --- the records that are not a single coefficient ------------------------------------------------


def check_set_distance(record: Record) -> None:
    sets = tuple(dict.fromkeys(frozenset(record.params[side]) for side in ("A", "B")))
    space = LabelSpace(labels=sets, ordered=False, numbers=None)
    names = {"passonneau2004": "passonneau", "masi_exact_thirds": "masi"}
    for key in record.expected:
        distance = get_distance(names.get(key, key), scale="nominal")
        d_kl = distance.matrix(space, np.ones(len(sets)))
        record.check(key, float(d_kl[0, -1]))


def check_expected_agreement(record: Record) -> None:
    first, second = (np.array(p) for p in record.data["probabilities"])
    table = np.rint(10_000 * np.outer(first, second)).astype(int)
    record.check("value", cs.cohen_kappa(cs.Ratings.from_table(table)).expected)


def check_simple_metric(record: Record) -> None:
    for marker, differences in record.data["differences_counts"].items():
        rows = [[4, 4 - int(d)] for d, count in differences.items() for _ in range(count)]
        record.check(marker, cs.percent_agreement(cs.Ratings.from_wide(rows)).value)


def check_counts_of_agreement(record: Record) -> None:
    agree, n = record.data["agreements"], record.data["n"]
    rows = [[1, 1]] * agree + [[1, 2]] * (n - agree)
    record.check("value", cs.percent_agreement(cs.Ratings.from_wide(rows)).value)


def check_item_agreement(record: Record) -> None:
    record.check("value", float(cs.item_agreement(ratings_of(record))[0]))


def check_binary_indices(record: Record) -> None:
    ratings = ratings_of(record)
    got = {
        "pabak": cs.pabak(ratings),
        "maxwell_re": cs.maxwell_re(ratings),
        "prevalence_index": cs.prevalence_index(ratings),
        "bias_index_signed": cs.bias_index(ratings),
        "bias_index_abs": abs(float(cs.bias_index(ratings))),
        "bias_index": cs.bias_index(ratings),
        "kappa_max": cs.kappa_max(ratings),
        "positive_agreement": cs.positive_agreement(ratings),
        "negative_agreement": cs.negative_agreement(ratings),
        "perreault_leigh": cs.perreault_leigh(ratings),
        "artstein_poesio_bias": cs.artstein_poesio_bias(ratings),
    }
    for key in record.expected:
        record.check(key, float(got["pabak" if key == "value" else key]))


def check_nominal_indices(record: Record) -> None:
    ratings = ratings_of(record)
    specific = cs.specific_agreement(ratings)
    want = record.expected["specific_agreement"]
    got = [float(specific[category]) for category in ratings.categories]
    assert got == pytest.approx(want, rel=0, abs=record.tolerance["abs"])
    record.check("kappa_max", float(cs.kappa_max(ratings)))
    record.check("bennett_s", cs.bennett_s(ratings).value)
    record.check("perreault_leigh", cs.perreault_leigh(ratings).value)
    record.check("artstein_poesio_bias", float(cs.artstein_poesio_bias(ratings)))


def check_kappa_max(record: Record) -> None:
    record.check("value", float(cs.kappa_max(ratings_of(record))))


def check_unanimous(record: Record) -> None:
    tolerance = record.params["tolerance"]
    got = cs.unanimous_agreement(ratings_of(record), tolerance=tolerance)
    # The program prints percent.
    scale = 100 if record.expected["value"] > 1 else 1
    record.check("value", scale * float(got))


def check_category_kappa(record: Record) -> None:
    entries = cs.category_agreement(ratings_of(record))
    if "category_order" in record.params:
        got = [entry.kappa.value for entry in entries]
        assert got == pytest.approx(record.expected["value"], abs=record.tolerance["abs"])
        return
    entry = next(e for e in entries if str(e.category) == record.params["category"])
    record.check("value", entry.kappa.value)
    z, p = entry.test()
    record.check("z", z)
    record.check("p", p)


def check_artstein_poesio_missing(record: Record) -> None:
    ratings = ratings_of(record)
    name = record.params["distance"]
    distance = {"absolute": "linear"}.get(name, name)
    unbiased = cs.scott_pi(ratings, distance=distance, missing="ap")
    biased = cs.cohen_kappa(ratings, distance=distance, missing="ap")
    record.check("alpha_prime", unbiased.value)
    record.check("beta", biased.value)
    record.check(
        "beta_equal_pair_weights_gwet",
        cs.cohen_kappa(ratings, distance=distance, missing="gwet").value,
    )
    record.check("D_o", biased.observed_disagreement)
    record.check("D_e_alpha_prime", unbiased.expected_disagreement)
    record.check("D_e_beta", biased.expected_disagreement)


def check_artstein_poesio_bias(record: Record) -> None:
    ratings = ratings_of(record)
    if "distance_matrix_for_weighted" in record.params:
        d_kl = cs.distances.matrix(
            record.params["distance_matrix_for_weighted"], ratings.categories
        )
        record.check("B_nominal", float(cs.artstein_poesio_bias(ratings)))
        # Appendix B of the paper has the opposite sign.
        weighted = float(cs.artstein_poesio_bias(ratings, distance=d_kl))
        record.check("D_e_alpha_prime_minus_D_e_beta", -weighted)
        return
    record.check("B", float(cs.artstein_poesio_bias(ratings)))
    record.check("A_e_pi", cs.scott_pi(ratings).expected)
    record.check("A_e_kappa", cs.cohen_kappa(ratings).expected)


def check_alpha_prime_and_beta(record: Record) -> None:
    table = np.array(record.params["table"])
    ratings = cs.Ratings.from_table(table, categories=tuple(range(1, len(table) + 1)))
    distance = cs.distances.matrix(record.params["distance_matrix"], ratings.categories)
    unbiased = cs.scott_pi(ratings, distance=distance)
    biased = cs.cohen_kappa(ratings, distance=distance)
    record.check("alpha_prime", unbiased.value)
    record.check("beta", biased.value)
    record.check("D_o", biased.observed_disagreement)
    record.check("D_e_alpha_prime", unbiased.expected_disagreement)
    record.check("D_e_beta", biased.expected_disagreement)


CHECKS: dict[str, Callable[[Record], None]] = {
    **dict.fromkeys(FUNCTIONS, check_estimate),
    "set_distance": check_set_distance,
    "expected_agreement": check_expected_agreement,
    "simple_metric": check_simple_metric,
    "item_agreement": check_item_agreement,
    "binary_indices": check_binary_indices,
    "prevalence_and_bias_index": check_binary_indices,
    "pabak": check_binary_indices,
    "nominal_indices": check_nominal_indices,
    "kappa_max": check_kappa_max,
    "all_raters_agree_proportion": check_unanimous,
    "fleiss_kappa_category": check_category_kappa,
    "artstein_poesio_missing": check_artstein_poesio_missing,
    "artstein_poesio_bias": check_artstein_poesio_bias,
    "alpha_prime_and_beta_table": check_alpha_prime_and_beta,
}


def run(record: Record) -> None:
    behaviour = record.expected.get("behaviour", "")
    if behaviour.startswith("error"):
        with pytest.raises(ConsilienceError):
            check_estimate(record)
    elif behaviour.startswith("nan with reason"):
        with pytest.warns(UndefinedCoefficientWarning):
            estimate = estimate_of(record, ratings_of(record))
        assert estimate.status == "undefined"
        assert math.isnan(estimate.value)
        assert estimate.reason.startswith(behaviour.split()[-1] + ":")
    elif record.data and "agreements" in record.data:
        check_counts_of_agreement(record)
    else:
        CHECKS[record.coefficient](record)


@each(EMBEDDED)
def test_reference_record_is_reproduced(record: Record) -> None:
    run(record)


@needs_golden
@each(ELSEWHERE)
def test_record_on_the_data_of_another_package_is_reproduced(record: Record) -> None:
    run(record)


# --- completeness ---------------------------------------------------------------------------------

# What our own commands wrote, in `commands`, is no reference of others.
FILES = sorted(path for path in REFERENCES.rglob("*.json") if path.parent.name != "commands")
FILE_NAMES = [str(path.relative_to(REFERENCES)) for path in FILES]


@needs_golden
def test_every_golden_record_is_tested() -> None:
    tested = ids(EMBEDDED) | ids(ELSEWHERE)
    forgotten = [
        record.id
        for record in golden()
        if record.id not in tested | RECORDS_WITHOUT_DATA
        and record.coefficient not in IN_ANOTHER_MODULE
    ]
    assert not forgotten
    assert set(IN_ANOTHER_MODULE) <= {record.coefficient for record in golden()}
    for module in IN_ANOTHER_MODULE.values():
        assert Path(__file__).with_name(f"{module}.py").exists(), module


@needs_golden
@pytest.mark.parametrize("path", FILES, ids=FILE_NAMES)
def test_the_records_kept_here_say_what_the_golden_file_says(path: Path) -> None:
    if path.parent.name == "peers":  # recorded by tests/peers.py, not in the golden file
        return
    by_id = {record.id: record for record in golden()}
    for entry in json.loads(path.read_text(encoding="utf-8"))["expect"]:
        original = by_id[entry["id"]]
        for key in ("expected", "params", "tolerance"):
            assert entry[key] == getattr(original, key), entry["id"]


@pytest.mark.parametrize("path", FILES, ids=FILE_NAMES)
def test_a_reference_file_carries_its_provenance(path: Path) -> None:
    content = json.loads(path.read_text(encoding="utf-8"))
    assert set(content["source"]) == {"tool", "version", "license", "command", "date"}
    assert content["source"]["tool"]
    assert content["precision"]
    assert content["why"]
    assert all(entry["source"] and entry["tolerance"] for entry in content["expect"])


def test_the_alpha_error_of_irrcac_for_counts_lacks_a_factor_of_two() -> None:
    """krippen.alpha.dist corrects for the estimated chance agreement once instead of twice.

    The functions for raw ratings and tables have 2(1 - alpha)(e_i - p_e)/(1 - p_e), as the
    derivative of p_e, a quadratic form, demands; so has every other coefficient there.
    """
    record = next(r for r in EMBEDDED if r.id == "sw-krippendorff_alpha-gwet_distrib6-identity")
    n_ik = np.array(record.data["counts"], dtype=float)
    n, r = len(n_ik), n_ik[0].sum()
    p_k = n_ik.sum(axis=0) / n_ik.sum()
    p_e, eps = p_k @ p_k, 1 / n_ik.sum()
    a_i = (1 - eps) * (n_ik * (n_ik - 1)).sum(axis=1) / (r * (r - 1)) + eps
    e_i = n_ik @ p_k / r
    alpha = (a_i.mean() - p_e) / (1 - p_e)

    def error(factor: float) -> float:
        x_i = (a_i - p_e) / (1 - p_e) - factor * (1 - alpha) * (e_i - p_e) / (1 - p_e)
        return math.sqrt(((x_i - alpha) ** 2).sum() / (n * (n - 1)))

    assert error(1) == pytest.approx(record.expected["se"], abs=record.tolerance["abs"])
    exact = cs.krippendorff_alpha(ratings_of(record), standard_error="linearised").standard_error
    assert exact == pytest.approx(error(2), rel=1e-9)
