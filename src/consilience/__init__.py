"""Consilience measures how far independent raters agree, and says how sure that number is.

>>> import consilience as cs
>>> ratings = cs.Ratings.from_wide([["yes", "yes"], ["no", "yes"], ["no", "no"], ["no", "no"]])
>>> round(cs.cohen_kappa(ratings).value, 3)
0.5
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from consilience._version import __version__

if TYPE_CHECKING:
    from consilience import (
        coefficients,
        datasets,
        distances,
        document,
        engine,
        exceptions,
        findings,
        inference,
        io,
        latent,
        magnitudes,
        panel,
        plan,
        plot,
        report,
        simulate,
        units,
    )
    from consilience.coefficients import (
        CategoryAgreement,
        Estimate,
        Pairwise,
        RaterInfluence,
        ac1,
        ac2,
        aickin_alpha,
        artstein_poesio_bias,
        bennett_s,
        bias_index,
        bootstrap,
        category_agreement,
        cohen_kappa,
        compare_dependent,
        conger_kappa,
        fleiss_kappa,
        gwet_ac,
        item_agreement,
        item_influence,
        jackknife,
        kappa_max,
        krippendorff_alpha,
        light_kappa,
        linear_distribution_model,
        maxwell_re,
        negative_agreement,
        pabak,
        pairwise,
        percent_agreement,
        perreault_leigh,
        positive_agreement,
        prevalence_index,
        rater_influence,
        scott_pi,
        specific_agreement,
        unanimous_agreement,
        van_oest,
        weighted_kappa,
    )
    from consilience.exceptions import ConsilienceError, ConsilienceWarning
    from consilience.inference import (
        Bootstrap,
        Comparison,
        Interval,
        PermutationTest,
        ac1_critical_values,
        agreement_with_expert,
        bhapkar,
        bowker,
        cochran_q,
        compare_groups,
        donner_eliasziw_klar,
        equivalence,
        goodness_of_fit_interval,
        goodness_of_fit_test,
        holm,
        interpret,
        marginal_homogeneity,
        mcnemar,
        non_inferiority,
        null_tests,
        pair_spread,
        profile_interval,
        stuart_maxwell,
    )
    from consilience.io import formats, load, read, read_groups
    from consilience.io.annotations import load_units, read_units
    from consilience.magnitudes import bland_altman, icc
    from consilience.ratings import Ratings
    from consilience.report import Summary, measure
    from consilience.units import Units

# Nothing is loaded before it is used: the command line's --help must not wait for numpy.
_HOME = {
    "consilience.coefficients": (
        "CategoryAgreement",
        "Estimate",
        "Pairwise",
        "RaterInfluence",
        "ac1",
        "ac2",
        "aickin_alpha",
        "artstein_poesio_bias",
        "bennett_s",
        "jackknife",
        "compare_dependent",
        "bootstrap",
        "bias_index",
        "category_agreement",
        "cohen_kappa",
        "conger_kappa",
        "fleiss_kappa",
        "gwet_ac",
        "item_agreement",
        "item_influence",
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
        "scott_pi",
        "specific_agreement",
        "unanimous_agreement",
        "van_oest",
        "weighted_kappa",
    ),
    "consilience.exceptions": ("ConsilienceError", "ConsilienceWarning"),
    "consilience.inference": (
        "Bootstrap",
        "Comparison",
        "Interval",
        "PermutationTest",
        "ac1_critical_values",
        "agreement_with_expert",
        "bhapkar",
        "bowker",
        "cochran_q",
        "compare_groups",
        "donner_eliasziw_klar",
        "equivalence",
        "goodness_of_fit_interval",
        "goodness_of_fit_test",
        "holm",
        "interpret",
        "marginal_homogeneity",
        "mcnemar",
        "non_inferiority",
        "null_tests",
        "pair_spread",
        "profile_interval",
        "stuart_maxwell",
    ),
    "consilience.io": ("formats", "load", "read", "read_groups"),
    "consilience.io.annotations": ("load_units", "read_units"),
    "consilience.magnitudes": ("bland_altman", "icc"),
    "consilience.ratings": ("Ratings",),
    "consilience.report": ("Summary", "measure"),
    "consilience.units": ("Units",),
}
_HOME_OF = {name: module for module, names in _HOME.items() for name in names}
_MODULES = (
    "engine",
    "coefficients",
    "datasets",
    "distances",
    "document",
    "exceptions",
    "findings",
    "inference",
    "io",
    "latent",
    "magnitudes",
    "panel",
    "plan",
    "plot",
    "report",
    "simulate",
    "units",
)

__all__ = [
    "Bootstrap",
    "CategoryAgreement",
    "Comparison",
    "ConsilienceError",
    "ConsilienceWarning",
    "Estimate",
    "Interval",
    "Pairwise",
    "PermutationTest",
    "RaterInfluence",
    "Ratings",
    "Summary",
    "Units",
    "__version__",
    "ac1",
    "ac1_critical_values",
    "ac2",
    "agreement_with_expert",
    "aickin_alpha",
    "artstein_poesio_bias",
    "bennett_s",
    "bhapkar",
    "bias_index",
    "bland_altman",
    "bootstrap",
    "bowker",
    "category_agreement",
    "cochran_q",
    "coefficients",
    "cohen_kappa",
    "compare_dependent",
    "compare_groups",
    "conger_kappa",
    "datasets",
    "distances",
    "document",
    "donner_eliasziw_klar",
    "engine",
    "equivalence",
    "exceptions",
    "findings",
    "fleiss_kappa",
    "formats",
    "goodness_of_fit_interval",
    "goodness_of_fit_test",
    "gwet_ac",
    "holm",
    "icc",
    "inference",
    "interpret",
    "io",
    "item_agreement",
    "item_influence",
    "jackknife",
    "kappa_max",
    "krippendorff_alpha",
    "latent",
    "light_kappa",
    "linear_distribution_model",
    "load",
    "load_units",
    "magnitudes",
    "marginal_homogeneity",
    "maxwell_re",
    "mcnemar",
    "measure",
    "negative_agreement",
    "non_inferiority",
    "null_tests",
    "pabak",
    "pair_spread",
    "pairwise",
    "panel",
    "percent_agreement",
    "perreault_leigh",
    "plan",
    "plot",
    "positive_agreement",
    "prevalence_index",
    "profile_interval",
    "rater_influence",
    "read",
    "read_groups",
    "read_units",
    "report",
    "scott_pi",
    "simulate",
    "specific_agreement",
    "stuart_maxwell",
    "unanimous_agreement",
    "units",
    "van_oest",
    "weighted_kappa",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"consilience.{name}")
    if name in _HOME_OF:
        value = getattr(import_module(_HOME_OF[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'consilience' has no attribute {name!r}{_lead(name)}")


def _lead(name: str) -> str:
    """Say where a word of the literature is found; tools ask for names with underscores."""
    if name.startswith("_"):
        return ""
    from consilience.core.topics import topic_of

    topic = topic_of(name)
    return "" if topic is None else f". Hint: {topic.about} is {topic.library}"


def __dir__() -> list[str]:
    return sorted(__all__)
