"""The coefficient cube and what stands beside it; each coefficient is one registered file.

Calling the module returns the registry: ``consilience.coefficients()``.
"""

from __future__ import annotations

import sys
from types import ModuleType

from consilience.coefficients._base import Coefficient, Design, Registry, register
from consilience.coefficients._bennett_s import bennett_s
from consilience.coefficients._cohen_kappa import cohen_kappa
from consilience.coefficients._estimate import Estimate, estimate
from consilience.coefficients._gwet_ac import gwet_ac
from consilience.coefficients._krippendorff_alpha import krippendorff_alpha
from consilience.coefficients._percent_agreement import percent_agreement
from consilience.coefficients._scott_pi import scott_pi

__all__ = [
    "Coefficient",
    "Design",
    "Estimate",
    "Registry",
    "bennett_s",
    "cohen_kappa",
    "estimate",
    "gwet_ac",
    "krippendorff_alpha",
    "percent_agreement",
    "register",
    "registry",
    "scott_pi",
]

registry = Registry()


class _CallableModule(ModuleType):
    """A module that, called, returns the registry."""

    def __call__(self) -> Registry:
        return registry


sys.modules[__name__].__class__ = _CallableModule
