"""How sure a number is: errors, intervals, tests, resampling, comparisons; knows rows only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import imported_later

if TYPE_CHECKING:
    from consilience.inference._benchmarks import (
        SCALES,
        BenchmarkScale,
        Interpretation,
        Membership,
        benchmark_scale,
        interpret,
        membership,
    )
    from consilience.inference._classic import (
        fleiss_cohen_everitt,
        fleiss_nee_landis,
        fleiss_nee_landis_category,
    )
    from consilience.inference._evaluate import (
        Evaluation,
        Formula,
        ManyEvaluations,
        linearised_variance,
    )
    from consilience.inference._expert import (
        ExpertRow,
        ExpertTable,
        PairSpread,
        agreement_with_expert,
        homogeneity_interval,
        pair_spread,
    )
    from consilience.inference._groups import (
        GroupTest,
        compare_groups,
        donner_eliasziw_klar,
        equivalence,
        holm,
        non_inferiority,
    )
    from consilience.inference._marginal_homogeneity import cochran_q, marginal_homogeneity
    from consilience.inference._null import (
        CriticalValue,
        GuessingDistribution,
        ac1_critical_values,
    )
    from consilience.inference._profile_likelihood import profile_interval
    from consilience.inference._rank_critical import RankNull, rank_critical_values
    from consilience.inference._stuart_maxwell import bhapkar, stuart_maxwell
    from consilience.inference._symmetry import bowker, mcnemar
    from consilience.inference.bootstrap_intervals import Bootstrap, Jackknife
    from consilience.inference.common_correlation import CommonCorrelation
    from consilience.inference.comparisons import Comparison
    from consilience.inference.goodness_of_fit import (
        bloch_kraemer_error,
        bloch_kraemer_interval,
        donner_eliasziw_interval,
        goodness_of_fit_interval,
        goodness_of_fit_test,
    )
    from consilience.inference.homogeneity_test import HomogeneityTest
    from consilience.inference.intervals import (
        Interval,
        Test,
        check_confidence_level,
        perfect_agreement_interval,
        quantile,
        transformed_interval,
        unanimity_interval,
        wald_interval,
        wald_test,
    )
    from consilience.inference.null_value_tests import (
        MonteCarloTest,
        NullTests,
        StudyNull,
        null_tests,
    )
    from consilience.inference.permutation import PermutationTest


__all__ = [
    "SCALES",
    "BenchmarkScale",
    "Bootstrap",
    "CommonCorrelation",
    "Comparison",
    "CriticalValue",
    "Evaluation",
    "ExpertRow",
    "ExpertTable",
    "Formula",
    "GroupTest",
    "GuessingDistribution",
    "HomogeneityTest",
    "Interpretation",
    "Interval",
    "Jackknife",
    "ManyEvaluations",
    "Membership",
    "MonteCarloTest",
    "NullTests",
    "PairSpread",
    "PermutationTest",
    "RankNull",
    "StudyNull",
    "Test",
    "ac1_critical_values",
    "agreement_with_expert",
    "benchmark_scale",
    "bhapkar",
    "bloch_kraemer_error",
    "bloch_kraemer_interval",
    "bowker",
    "check_confidence_level",
    "cochran_q",
    "compare_groups",
    "donner_eliasziw_interval",
    "donner_eliasziw_klar",
    "equivalence",
    "fleiss_cohen_everitt",
    "fleiss_nee_landis",
    "fleiss_nee_landis_category",
    "goodness_of_fit_interval",
    "goodness_of_fit_test",
    "holm",
    "homogeneity_interval",
    "interpret",
    "linearised_variance",
    "marginal_homogeneity",
    "mcnemar",
    "membership",
    "non_inferiority",
    "null_tests",
    "pair_spread",
    "perfect_agreement_interval",
    "profile_interval",
    "quantile",
    "rank_critical_values",
    "stuart_maxwell",
    "transformed_interval",
    "unanimity_interval",
    "wald_interval",
    "wald_test",
]

# Each file is loaded when one of its names is asked for.
__getattr__, __dir__ = imported_later(
    __name__,
    {
        "_benchmarks": (
            "BenchmarkScale",
            "Interpretation",
            "Membership",
            "SCALES",
            "benchmark_scale",
            "interpret",
            "membership",
        ),
        "_classic": ("fleiss_cohen_everitt", "fleiss_nee_landis", "fleiss_nee_landis_category"),
        "_evaluate": ("Evaluation", "Formula", "ManyEvaluations", "linearised_variance"),
        "_expert": (
            "ExpertRow",
            "ExpertTable",
            "PairSpread",
            "agreement_with_expert",
            "homogeneity_interval",
            "pair_spread",
        ),
        "_groups": (
            "GroupTest",
            "compare_groups",
            "donner_eliasziw_klar",
            "equivalence",
            "holm",
            "non_inferiority",
        ),
        "_marginal_homogeneity": ("cochran_q", "marginal_homogeneity"),
        "_null": ("CriticalValue", "GuessingDistribution", "ac1_critical_values"),
        "_profile_likelihood": ("profile_interval",),
        "_rank_critical": ("RankNull", "rank_critical_values"),
        "_stuart_maxwell": ("bhapkar", "stuart_maxwell"),
        "_symmetry": ("bowker", "mcnemar"),
        "bootstrap_intervals": ("Bootstrap", "Jackknife"),
        "common_correlation": ("CommonCorrelation",),
        "comparisons": ("Comparison",),
        "goodness_of_fit": (
            "bloch_kraemer_error",
            "bloch_kraemer_interval",
            "donner_eliasziw_interval",
            "goodness_of_fit_interval",
            "goodness_of_fit_test",
        ),
        "homogeneity_test": ("HomogeneityTest",),
        "intervals": (
            "Interval",
            "Test",
            "check_confidence_level",
            "perfect_agreement_interval",
            "quantile",
            "transformed_interval",
            "unanimity_interval",
            "wald_interval",
            "wald_test",
        ),
        "null_value_tests": ("MonteCarloTest", "NullTests", "StudyNull", "null_tests"),
        "permutation": ("PermutationTest",),
    },
)
