"""How many items and raters a study needs, and what a given study can tell.

Calling the module is the front door: ``consilience.plan(kappa0=0.4, kappa1=0.6)``.
"""

from __future__ import annotations

import inspect
import sys
from types import ModuleType

from consilience.core.answers import answering
from consilience.plan._agreement_for import agreement_for
from consilience.plan._goodness_of_fit_size import goodness_of_fit_power, goodness_of_fit_width
from consilience.plan._icc_size import icc_power
from consilience.plan._kappa import kappa_power
from consilience.plan._plan import plan
from consilience.plan._plan_results import Plan, PowerPlan, PrecisionPlan
from consilience.plan._precision import precision, precision_from_agreement
from consilience.plan._simulated_power import simulated_power
from consilience.plan._simulated_precision import raters_for_precision, simulated_precision

__all__ = [
    "Plan",
    "PowerPlan",
    "PrecisionPlan",
    "agreement_for",
    "goodness_of_fit_power",
    "goodness_of_fit_width",
    "icc_power",
    "kappa_power",
    "plan",
    "precision",
    "precision_from_agreement",
    "raters_for_precision",
    "simulated_power",
    "simulated_precision",
]

answering(globals(), __all__)


class _CallableModule(ModuleType):
    """A module that, called, plans."""

    __call__ = staticmethod(plan)
    __signature__ = inspect.signature(plan)


sys.modules[__name__].__class__ = _CallableModule
