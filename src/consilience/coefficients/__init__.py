"""The coefficient cube and what stands beside it; each coefficient is one registered file.

Calling the module returns the registry: ``consilience.coefficients()``.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

from consilience.coefficients.coefficient import Coefficient, Design, register, registry
from consilience.core.lazy import imported_later
from consilience.core.registry import Registry

if TYPE_CHECKING:
    from consilience.coefficients._aickin_alpha import (
        aickin_alpha,
    )
    from consilience.coefficients._bennett_s import (
        bennett_s,
    )
    from consilience.coefficients._cohen_kappa import (
        cohen_kappa,
        conger_kappa,
        weighted_kappa,
    )
    from consilience.coefficients._critical_values import critical_values
    from consilience.coefficients._estimate import Estimate
    from consilience.coefficients._gwet_ac import (
        ac1,
        ac2,
        gwet_ac,
    )
    from consilience.coefficients._krippendorff_alpha import (
        krippendorff_alpha,
    )
    from consilience.coefficients._light_kappa import (
        light_kappa,
    )
    from consilience.coefficients._linear_distribution_model import (
        linear_distribution_model,
    )
    from consilience.coefficients._percent_agreement import (
        percent_agreement,
    )
    from consilience.coefficients._perreault_leigh import (
        perreault_leigh,
    )
    from consilience.coefficients._resampled_estimates import bootstrap, jackknife
    from consilience.coefficients._scott_pi import (
        fleiss_kappa,
        scott_pi,
    )
    from consilience.coefficients._van_oest import (
        van_oest,
    )
    from consilience.coefficients.breakdowns._breakdown import (
        CategoryAgreement,
        RaterInfluence,
        category_agreement,
        item_agreement,
        item_influence,
        rater_influence,
        unanimous_agreement,
    )
    from consilience.coefficients.breakdowns.pairs_of_raters import Pairwise, pairwise
    from consilience.coefficients.compared import compare_dependent
    from consilience.coefficients.compute import estimate
    from consilience.coefficients.indices._indices import (
        artstein_poesio_bias,
        bias_index,
        kappa_max,
        maxwell_re,
        negative_agreement,
        pabak,
        positive_agreement,
        prevalence_index,
        specific_agreement,
    )
    from consilience.coefficients.indices._rater_bias import DistanceBias, RaterBias, rater_bias
    from consilience.coefficients.undecided import UndecidedScale, undecided_scale


__all__ = [
    "CategoryAgreement",
    "Coefficient",
    "Design",
    "DistanceBias",
    "Estimate",
    "Pairwise",
    "RaterBias",
    "RaterInfluence",
    "Registry",
    "UndecidedScale",
    "ac1",
    "ac2",
    "aickin_alpha",
    "artstein_poesio_bias",
    "bennett_s",
    "bias_index",
    "bootstrap",
    "category_agreement",
    "cohen_kappa",
    "compare_dependent",
    "conger_kappa",
    "critical_values",
    "estimate",
    "fleiss_kappa",
    "gwet_ac",
    "item_agreement",
    "item_influence",
    "jackknife",
    "kappa_max",
    "krippendorff_alpha",
    "light_kappa",
    "linear_distribution_model",
    "maxwell_re",
    "negative_agreement",
    "pabak",
    "pairwise",
    "percent_agreement",
    "perreault_leigh",
    "positive_agreement",
    "prevalence_index",
    "rater_bias",
    "rater_influence",
    "register",
    "registry",
    "scott_pi",
    "specific_agreement",
    "unanimous_agreement",
    "undecided_scale",
    "van_oest",
    "weighted_kappa",
]

# Each file is loaded when one of its names is asked for.
__getattr__, __dir__ = imported_later(
    __name__,
    {
        "_aickin_alpha": ("aickin_alpha",),
        "_bennett_s": ("bennett_s",),
        "breakdowns._breakdown": (
            "CategoryAgreement",
            "RaterInfluence",
            "category_agreement",
            "item_agreement",
            "item_influence",
            "rater_influence",
            "unanimous_agreement",
        ),
        "_cohen_kappa": ("cohen_kappa", "conger_kappa", "weighted_kappa"),
        "_critical_values": ("critical_values",),
        "_estimate": ("Estimate",),
        "_gwet_ac": ("ac1", "ac2", "gwet_ac"),
        "indices._indices": (
            "artstein_poesio_bias",
            "bias_index",
            "kappa_max",
            "maxwell_re",
            "negative_agreement",
            "pabak",
            "positive_agreement",
            "prevalence_index",
            "specific_agreement",
        ),
        "indices._rater_bias": ("DistanceBias", "RaterBias", "rater_bias"),
        "_krippendorff_alpha": ("krippendorff_alpha",),
        "_light_kappa": ("light_kappa",),
        "_linear_distribution_model": ("linear_distribution_model",),
        "_percent_agreement": ("percent_agreement",),
        "_perreault_leigh": ("perreault_leigh",),
        "_resampled_estimates": ("bootstrap", "jackknife"),
        "_scott_pi": ("fleiss_kappa", "scott_pi"),
        "_van_oest": ("van_oest",),
        "compared": ("compare_dependent",),
        "compute": ("estimate",),
        "breakdowns.pairs_of_raters": ("Pairwise", "pairwise"),
        "undecided": ("UndecidedScale", "undecided_scale"),
    },
)


class _CallableModule(ModuleType):
    """A module that, called, returns the registry."""

    def __call__(self) -> Registry[Coefficient]:
        return registry


sys.modules[__name__].__class__ = _CallableModule
