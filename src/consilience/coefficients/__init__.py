"""The coefficient cube and what stands beside it; each coefficient is one registered file.

Calling the module returns the registry: ``consilience.coefficients()``.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from consilience.core.lazy import public_names

if TYPE_CHECKING:
    from consilience.coefficients._aickin_alpha import aickin_alpha as aickin_alpha
    from consilience.coefficients._bennett_s import bennett_s as bennett_s
    from consilience.coefficients._cohen_kappa import cohen_kappa as cohen_kappa
    from consilience.coefficients._cohen_kappa import conger_kappa as conger_kappa
    from consilience.coefficients._cohen_kappa import weighted_kappa as weighted_kappa
    from consilience.coefficients._critical_values import critical_values as critical_values
    from consilience.coefficients._estimate import Estimate as Estimate
    from consilience.coefficients._gwet_ac import ac1 as ac1
    from consilience.coefficients._gwet_ac import ac2 as ac2
    from consilience.coefficients._gwet_ac import gwet_ac as gwet_ac
    from consilience.coefficients._krippendorff_alpha import (
        krippendorff_alpha as krippendorff_alpha,
    )
    from consilience.coefficients._light_kappa import light_kappa as light_kappa
    from consilience.coefficients._linear_distribution_model import (
        linear_distribution_model as linear_distribution_model,
    )
    from consilience.coefficients._percent_agreement import percent_agreement as percent_agreement
    from consilience.coefficients._perreault_leigh import perreault_leigh as perreault_leigh
    from consilience.coefficients._resampled_estimates import bootstrap as bootstrap
    from consilience.coefficients._resampled_estimates import jackknife as jackknife
    from consilience.coefficients._scott_pi import fleiss_kappa as fleiss_kappa
    from consilience.coefficients._scott_pi import scott_pi as scott_pi
    from consilience.coefficients._van_oest import van_oest as van_oest
    from consilience.coefficients.breakdowns._breakdown import (
        CategoryAgreement as CategoryAgreement,
    )
    from consilience.coefficients.breakdowns._breakdown import RaterInfluence as RaterInfluence
    from consilience.coefficients.breakdowns._breakdown import (
        category_agreement as category_agreement,
    )
    from consilience.coefficients.breakdowns._breakdown import item_agreement as item_agreement
    from consilience.coefficients.breakdowns._breakdown import item_influence as item_influence
    from consilience.coefficients.breakdowns._breakdown import rater_influence as rater_influence
    from consilience.coefficients.breakdowns._breakdown import (
        unanimous_agreement as unanimous_agreement,
    )
    from consilience.coefficients.breakdowns.pairs_of_raters import Pairwise as Pairwise
    from consilience.coefficients.breakdowns.pairs_of_raters import pairwise as pairwise
    from consilience.coefficients.coefficient import Coefficient as Coefficient
    from consilience.coefficients.coefficient import Design as Design
    from consilience.coefficients.coefficient import register as register
    from consilience.coefficients.coefficient import registry as registry
    from consilience.coefficients.compared import compare_dependent as compare_dependent
    from consilience.coefficients.compute import estimate as estimate
    from consilience.coefficients.indices._indices import (
        artstein_poesio_bias as artstein_poesio_bias,
    )
    from consilience.coefficients.indices._indices import bias_index as bias_index
    from consilience.coefficients.indices._indices import kappa_max as kappa_max
    from consilience.coefficients.indices._indices import maxwell_re as maxwell_re
    from consilience.coefficients.indices._indices import negative_agreement as negative_agreement
    from consilience.coefficients.indices._indices import pabak as pabak
    from consilience.coefficients.indices._indices import positive_agreement as positive_agreement
    from consilience.coefficients.indices._indices import prevalence_index as prevalence_index
    from consilience.coefficients.indices._indices import specific_agreement as specific_agreement
    from consilience.coefficients.indices._rater_bias import DistanceBias as DistanceBias
    from consilience.coefficients.indices._rater_bias import RaterBias as RaterBias
    from consilience.coefficients.indices._rater_bias import rater_bias as rater_bias
    from consilience.coefficients.undecided import UndecidedScale as UndecidedScale
    from consilience.coefficients.undecided import undecided_scale as undecided_scale
    from consilience.core.registry import Registry as Registry

public_names(__name__)


class _CallableFolder(type(sys.modules[__name__])):  # type: ignore[misc]
    """A folder that, called, returns the registry."""

    def __call__(self) -> Registry[Coefficient]:
        found: Registry[Coefficient] = self.registry
        return found


sys.modules[__name__].__class__ = _CallableFolder
