"""The coefficient cube and what stands beside it; each coefficient is one registered file.

Calling the module returns the registry: ``consilience.coefficients()``.
"""

from __future__ import annotations

import sys
from types import ModuleType

from consilience.coefficients._aickin_alpha import (
    aickin_alpha,
)
from consilience.coefficients._bennett_s import (
    bennett_s,
)
from consilience.coefficients._breakdown import (
    CategoryAgreement,
    Pairwise,
    RaterInfluence,
    category_agreement,
    item_agreement,
    item_influence,
    pairwise,
    rater_influence,
    unanimous_agreement,
)
from consilience.coefficients._cohen_kappa import (
    cohen_kappa,
)
from consilience.coefficients._estimate import Estimate
from consilience.coefficients._gwet_ac import (
    gwet_ac,
)
from consilience.coefficients._indices import (
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
    scott_pi,
)
from consilience.coefficients._van_oest import (
    van_oest,
)
from consilience.coefficients.coefficient import Coefficient, Design, Registry, register
from consilience.coefficients.compared import compare_dependent
from consilience.coefficients.compute import estimate
from consilience.coefficients.undecided import UndecidedScale, undecided_scale
from consilience.core.answers import answering

__all__ = [
    "CategoryAgreement",
    "Coefficient",
    "Design",
    "Estimate",
    "Pairwise",
    "RaterInfluence",
    "Registry",
    "UndecidedScale",
    "aickin_alpha",
    "artstein_poesio_bias",
    "bennett_s",
    "bias_index",
    "bootstrap",
    "category_agreement",
    "cohen_kappa",
    "compare_dependent",
    "estimate",
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
    "rater_influence",
    "register",
    "registry",
    "scott_pi",
    "specific_agreement",
    "unanimous_agreement",
    "undecided_scale",
    "van_oest",
]

answering(globals(), __all__)

registry = Registry()


class _CallableModule(ModuleType):
    """A module that, called, returns the registry."""

    def __call__(self) -> Registry:
        return registry


sys.modules[__name__].__class__ = _CallableModule
