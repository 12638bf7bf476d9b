"""How many items and raters a study needs, and what a given study can tell.

Calling the module is the front door: ``consilience.plan(kappa0=0.4, kappa1=0.6)``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import callable_folder, public_names

if TYPE_CHECKING:
    from consilience.plan._plan import plan as plan
    from consilience.plan._question import Plan as Plan


MOVED = {
    "agreement_for": "it is simulate.agreement_for",
    **dict.fromkeys(
        ("goodness_of_fit_power", "goodness_of_fit_width"), 'plan(method="goodness-of-fit")'
    ),
    "icc_power": 'plan(coefficient="icc")',
    "kappa_power": 'plan(method="cohen")',
    "precision": "plan(pilot=...)",
    "precision_from_agreement": "plan(observed=..., expected=...)",
    **dict.fromkeys(
        ("simulated_power", "simulated_precision", "raters_for_precision"), "plan(design=...)"
    ),
}

public_names(__name__)
callable_folder(__name__, "plan")
