"""How many items and raters a study needs, and what a given study can tell.

Calling the module is the front door: ``consilience.plan(kappa0=0.4, kappa1=0.6)``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import callable_folder, public_names

if TYPE_CHECKING:
    from consilience.plan._plan import plan as plan
    from consilience.plan._plan_results import Plan as Plan
    from consilience.plan._plan_results import PowerPlan as PowerPlan
    from consilience.plan._plan_results import PrecisionPlan as PrecisionPlan
    from consilience.plan._power import goodness_of_fit_power as goodness_of_fit_power
    from consilience.plan._power import goodness_of_fit_width as goodness_of_fit_width
    from consilience.plan._power import icc_power as icc_power
    from consilience.plan._power import kappa_power as kappa_power
    from consilience.plan._precision import precision as precision
    from consilience.plan._precision import precision_from_agreement as precision_from_agreement
    from consilience.plan._simulation import agreement_for as agreement_for
    from consilience.plan._simulation import raters_for_precision as raters_for_precision
    from consilience.plan._simulation import simulated_power as simulated_power
    from consilience.plan._simulation import simulated_precision as simulated_precision

public_names(__name__)
callable_folder(__name__, "plan")
