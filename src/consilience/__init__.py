"""Consilience measures how far independent raters agree, and says how sure that number is.

>>> import consilience as cs
>>> ratings = cs.Ratings.from_wide([["yes", "yes"], ["no", "yes"], ["no", "no"], ["no", "no"]])
>>> round(cs.cohen_kappa(ratings).value, 3)
0.5
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import public_names

if TYPE_CHECKING:
    from consilience import coefficients as coefficients
    from consilience import datasets as datasets
    from consilience import diagnosis as diagnosis
    from consilience import distances as distances
    from consilience import document as document
    from consilience import engine as engine
    from consilience import exceptions as exceptions
    from consilience import findings as findings
    from consilience import inference as inference
    from consilience import io as io
    from consilience import judges as judges
    from consilience import latent as latent
    from consilience import magnitudes as magnitudes
    from consilience import panel as panel
    from consilience import plan as plan
    from consilience import plot as plot
    from consilience import report as report
    from consilience import simulate as simulate
    from consilience import testing as testing
    from consilience import units as units
    from consilience._version import __version__ as __version__
    from consilience.coefficients import Estimate as Estimate
    from consilience.coefficients import ac1 as ac1
    from consilience.coefficients import ac2 as ac2
    from consilience.coefficients import aickin_alpha as aickin_alpha
    from consilience.coefficients import artstein_poesio_bias as artstein_poesio_bias
    from consilience.coefficients import bennett_s as bennett_s
    from consilience.coefficients import bias_index as bias_index
    from consilience.coefficients import bootstrap as bootstrap
    from consilience.coefficients import category_agreement as category_agreement
    from consilience.coefficients import cohen_kappa as cohen_kappa
    from consilience.coefficients import compare_dependent as compare_dependent
    from consilience.coefficients import conger_kappa as conger_kappa
    from consilience.coefficients import fleiss_kappa as fleiss_kappa
    from consilience.coefficients import gwet_ac as gwet_ac
    from consilience.coefficients import item_agreement as item_agreement
    from consilience.coefficients import item_influence as item_influence
    from consilience.coefficients import jackknife as jackknife
    from consilience.coefficients import kappa_max as kappa_max
    from consilience.coefficients import krippendorff_alpha as krippendorff_alpha
    from consilience.coefficients import light_kappa as light_kappa
    from consilience.coefficients import linear_distribution_model as linear_distribution_model
    from consilience.coefficients import maxwell_re as maxwell_re
    from consilience.coefficients import negative_agreement as negative_agreement
    from consilience.coefficients import pabak as pabak
    from consilience.coefficients import pairwise as pairwise
    from consilience.coefficients import percent_agreement as percent_agreement
    from consilience.coefficients import perreault_leigh as perreault_leigh
    from consilience.coefficients import positive_agreement as positive_agreement
    from consilience.coefficients import prevalence_index as prevalence_index
    from consilience.coefficients import rater_bias as rater_bias
    from consilience.coefficients import rater_influence as rater_influence
    from consilience.coefficients import scott_pi as scott_pi
    from consilience.coefficients import specific_agreement as specific_agreement
    from consilience.coefficients import unanimous_agreement as unanimous_agreement
    from consilience.coefficients import van_oest as van_oest
    from consilience.coefficients import weighted_kappa as weighted_kappa
    from consilience.diagnosis import diagnose as diagnose
    from consilience.exceptions import ConsilienceError as ConsilienceError
    from consilience.exceptions import ConsilienceWarning as ConsilienceWarning
    from consilience.inference import Interval as Interval
    from consilience.inference import ac1_critical_values as ac1_critical_values
    from consilience.inference import agreement_with_expert as agreement_with_expert
    from consilience.inference import bhapkar as bhapkar
    from consilience.inference import bowker as bowker
    from consilience.inference import cochran_q as cochran_q
    from consilience.inference import compare_groups as compare_groups
    from consilience.inference import donner_eliasziw_klar as donner_eliasziw_klar
    from consilience.inference import equivalence as equivalence
    from consilience.inference import goodness_of_fit_interval as goodness_of_fit_interval
    from consilience.inference import goodness_of_fit_test as goodness_of_fit_test
    from consilience.inference import holm as holm
    from consilience.inference import interpret as interpret
    from consilience.inference import marginal_homogeneity as marginal_homogeneity
    from consilience.inference import mcnemar as mcnemar
    from consilience.inference import non_inferiority as non_inferiority
    from consilience.inference import null_tests as null_tests
    from consilience.inference import pair_spread as pair_spread
    from consilience.inference import profile_interval as profile_interval
    from consilience.inference import stuart_maxwell as stuart_maxwell
    from consilience.io import formats as formats
    from consilience.io import load as load
    from consilience.io import read as read
    from consilience.io import read_groups as read_groups
    from consilience.io.events import load_units as load_units
    from consilience.io.events import read_units as read_units
    from consilience.latent import dawid_skene as dawid_skene
    from consilience.latent import omega as omega
    from consilience.magnitudes import bland_altman as bland_altman
    from consilience.magnitudes import icc as icc
    from consilience.magnitudes import pearson as pearson
    from consilience.ratings import Ratings as Ratings
    from consilience.report import Summary as Summary
    from consilience.report import measure as measure
    from consilience.units import Units as Units
    from consilience.units import easydiag as easydiag
    from consilience.units import gamma as gamma

_RETURNED = (
    "Bootstrap",
    "CategoryAgreement",
    "Comparison",
    "Pairwise",
    "PermutationTest",
    "RaterBias",
    "RaterInfluence",
)
MOVED = dict.fromkeys(_RETURNED, "results are returned, not imported: call what makes it")


def _meant(word: str) -> str:
    """Say where a word of the literature is found here, from the list of ``consilience find``."""
    from consilience.cli.words import library_hint

    return library_hint(word)


public_names(__name__, otherwise=_meant)
