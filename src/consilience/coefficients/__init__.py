"""The coefficient cube and what stands beside it; each coefficient is one registered file.

Calling the module returns the registry: ``consilience.coefficients()``.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from consilience.core.lazy import public_names

if TYPE_CHECKING:
    from consilience.coefficients._against_chance import critical_values as critical_values
    from consilience.coefficients._cohen_kappa import cohen_kappa as cohen_kappa
    from consilience.coefficients._cohen_kappa import conger_kappa as conger_kappa
    from consilience.coefficients._cohen_kappa import light_kappa as light_kappa
    from consilience.coefficients._cohen_kappa import weighted_kappa as weighted_kappa
    from consilience.coefficients._gwet_ac import ac1 as ac1
    from consilience.coefficients._gwet_ac import ac2 as ac2
    from consilience.coefficients._gwet_ac import gwet_ac as gwet_ac
    from consilience.coefficients._krippendorff_alpha import (
        krippendorff_alpha as krippendorff_alpha,
    )
    from consilience.coefficients._scott_pi import fleiss_kappa as fleiss_kappa
    from consilience.coefficients._scott_pi import scott_pi as scott_pi
    from consilience.coefficients._scott_pi import van_oest as van_oest
    from consilience.coefficients._uniform_chance import bennett_s as bennett_s
    from consilience.coefficients._uniform_chance import percent_agreement as percent_agreement
    from consilience.coefficients._uniform_chance import perreault_leigh as perreault_leigh
    from consilience.coefficients.breakdowns import artstein_poesio_bias as artstein_poesio_bias
    from consilience.coefficients.breakdowns import bias_index as bias_index
    from consilience.coefficients.breakdowns import category_agreement as category_agreement
    from consilience.coefficients.breakdowns import item_agreement as item_agreement
    from consilience.coefficients.breakdowns import item_influence as item_influence
    from consilience.coefficients.breakdowns import kappa_max as kappa_max
    from consilience.coefficients.breakdowns import maxwell_re as maxwell_re
    from consilience.coefficients.breakdowns import negative_agreement as negative_agreement
    from consilience.coefficients.breakdowns import pabak as pabak
    from consilience.coefficients.breakdowns import positive_agreement as positive_agreement
    from consilience.coefficients.breakdowns import prevalence_index as prevalence_index
    from consilience.coefficients.breakdowns import rater_bias as rater_bias
    from consilience.coefficients.breakdowns import rater_influence as rater_influence
    from consilience.coefficients.breakdowns import specific_agreement as specific_agreement
    from consilience.coefficients.breakdowns import unanimous_agreement as unanimous_agreement
    from consilience.coefficients.coefficient import Coefficient as Coefficient
    from consilience.coefficients.coefficient import Design as Design
    from consilience.coefficients.coefficient import register as register
    from consilience.coefficients.coefficient import registry as registry
    from consilience.coefficients.estimates import Estimate as Estimate
    from consilience.coefficients.estimates import estimate as estimate
    from consilience.coefficients.pairs_of_raters import pairwise as pairwise
    from consilience.coefficients.resampled import bootstrap as bootstrap
    from consilience.coefficients.resampled import compare_dependent as compare_dependent
    from consilience.coefficients.resampled import jackknife as jackknife
    from consilience.coefficients.two_rater_models import aickin_alpha as aickin_alpha
    from consilience.coefficients.two_rater_models import (
        linear_distribution_model as linear_distribution_model,
    )
    from consilience.core.registry import Registry

MOVED = {
    "DistanceBias": "it stands in `distances` of what rater_bias returns",
    "Registry": "the registry itself is consilience.coefficients()",
}
public_names(__name__)


class _CallableFolder(type(sys.modules[__name__])):  # type: ignore[misc]
    """A folder that, called, returns the registry."""

    def __call__(self) -> Registry[Coefficient]:
        found: Registry[Coefficient] = self.registry
        return found


sys.modules[__name__].__class__ = _CallableFolder
