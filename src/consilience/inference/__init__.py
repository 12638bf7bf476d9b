"""How sure a number is: errors, intervals, tests, resampling, comparisons; knows rows only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import public_names

if TYPE_CHECKING:
    from consilience.inference._benchmarks import SCALES as SCALES
    from consilience.inference._benchmarks import benchmark_scale as benchmark_scale
    from consilience.inference._benchmarks import interpret as interpret
    from consilience.inference._benchmarks import membership as membership
    from consilience.inference._expert import agreement_with_expert as agreement_with_expert
    from consilience.inference._expert import homogeneity_interval as homogeneity_interval
    from consilience.inference._expert import pair_spread as pair_spread
    from consilience.inference.binary_kappa import bloch_kraemer_error as bloch_kraemer_error
    from consilience.inference.binary_kappa import bloch_kraemer_interval as bloch_kraemer_interval
    from consilience.inference.binary_kappa import (
        donner_eliasziw_interval as donner_eliasziw_interval,
    )
    from consilience.inference.binary_kappa import (
        goodness_of_fit_interval as goodness_of_fit_interval,
    )
    from consilience.inference.binary_kappa import goodness_of_fit_test as goodness_of_fit_test
    from consilience.inference.binary_kappa import profile_interval as profile_interval
    from consilience.inference.chance import ac1_critical_values as ac1_critical_values
    from consilience.inference.chance import rank_critical_values as rank_critical_values
    from consilience.inference.comparisons import compare_groups as compare_groups
    from consilience.inference.comparisons import donner_eliasziw_klar as donner_eliasziw_klar
    from consilience.inference.comparisons import equivalence as equivalence
    from consilience.inference.comparisons import holm as holm
    from consilience.inference.comparisons import non_inferiority as non_inferiority
    from consilience.inference.influence import fleiss_cohen_everitt as fleiss_cohen_everitt
    from consilience.inference.influence import fleiss_nee_landis as fleiss_nee_landis
    from consilience.inference.influence import (
        fleiss_nee_landis_category as fleiss_nee_landis_category,
    )
    from consilience.inference.intervals import Interval as Interval
    from consilience.inference.intervals import Test as Test
    from consilience.inference.intervals import unanimity_interval as unanimity_interval
    from consilience.inference.marginal_tests import bhapkar as bhapkar
    from consilience.inference.marginal_tests import bowker as bowker
    from consilience.inference.marginal_tests import cochran_q as cochran_q
    from consilience.inference.marginal_tests import marginal_homogeneity as marginal_homogeneity
    from consilience.inference.marginal_tests import mcnemar as mcnemar
    from consilience.inference.marginal_tests import stuart_maxwell as stuart_maxwell
    from consilience.inference.null_value_tests import null_tests as null_tests

MOVED = {
    "check_confidence_level": "confidence_level= is checked by what takes it",
    "quantile": "scipy.stats.t.ppf and scipy.stats.norm.ppf are the same",
}

public_names(__name__)
