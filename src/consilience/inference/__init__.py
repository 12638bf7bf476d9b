"""How sure a number is: influence, standard errors, intervals and tests; knows rows only."""

from consilience.inference._classic import (
    fleiss_cohen_everitt,
    fleiss_nee_landis,
    fleiss_nee_landis_category,
)
from consilience.inference._evaluate import Evaluation, Formula, linearised_variance
from consilience.inference._goodness_of_fit import donner_eliasziw_interval
from consilience.inference._intervals import (
    Interval,
    Test,
    check_confidence_level,
    perfect_agreement_interval,
    quantile,
    wald_interval,
    wald_test,
)

__all__ = [
    "Evaluation",
    "Formula",
    "Interval",
    "Test",
    "check_confidence_level",
    "donner_eliasziw_interval",
    "fleiss_cohen_everitt",
    "fleiss_nee_landis",
    "fleiss_nee_landis_category",
    "linearised_variance",
    "perfect_agreement_interval",
    "quantile",
    "wald_interval",
    "wald_test",
]
