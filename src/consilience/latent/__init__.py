"""Who is right: models of the truth behind the ratings, and of how raters err."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import imported_later

if TYPE_CHECKING:
    from consilience.latent.adjudication._adjudicate import adjudicate
    from consilience.latent.adjudication._confusions import (
        Confuser,
        Confusion,
        Confusions,
        confusions,
    )
    from consilience.latent.adjudication._contested import Adjudication, ContestedItem
    from consilience.latent.adjudication._resolve import resolve
    from consilience.latent.adjudication._resolved import FinalLabel, GoldRater, Resolved
    from consilience.latent.model_registry import LATENT_MODELS, LatentModel
    from consilience.latent.models._above_test import AboveTest
    from consilience.latent.models._classes import (
        ClassComparison,
        ComparedClasses,
        LatentClasses,
        RatingsNeeded,
    )
    from consilience.latent.models._dawid_skene import dawid_skene
    from consilience.latent.models._easy_and_hard import EasyAndHard, easy_and_hard
    from consilience.latent.models._error_rates import DawidSkene
    from consilience.latent.models._glad import Glad, glad
    from consilience.latent.models._latent_trait import LatentTrait, RaterTrait, latent_trait
    from consilience.latent.models._lca import compare_classes, latent_classes
    from consilience.latent.models._mace import Mace, mace
    from consilience.latent.models._omega import omega, omega_chance_term
    from consilience.latent.models._omega_results import Omega, OmegaPair, OmegaRater
    from consilience.latent.models._truth_model import RaterQuality, Truth, TruthModel
    from consilience.latent.raters._camps import Camps, rater_camps
    from consilience.latent.raters._intra_rater import IntraRater, RaterStability, intra_rater
    from consilience.latent.raters._rater_rows import LabelBias, RaterRow, RaterView
    from consilience.latent.raters._rater_view import rater_view
    from consilience.latent.raters._reliability_designs import (
        DesignRow,
        ReliabilityDesigns,
        reliability_designs,
    )


__all__ = [
    "LATENT_MODELS",
    "AboveTest",
    "Adjudication",
    "Camps",
    "ClassComparison",
    "ComparedClasses",
    "Confuser",
    "Confusion",
    "Confusions",
    "ContestedItem",
    "DawidSkene",
    "DesignRow",
    "EasyAndHard",
    "FinalLabel",
    "Glad",
    "GoldRater",
    "IntraRater",
    "LabelBias",
    "LatentClasses",
    "LatentModel",
    "LatentTrait",
    "Mace",
    "Omega",
    "OmegaPair",
    "OmegaRater",
    "RaterQuality",
    "RaterRow",
    "RaterStability",
    "RaterTrait",
    "RaterView",
    "RatingsNeeded",
    "ReliabilityDesigns",
    "Resolved",
    "Truth",
    "TruthModel",
    "adjudicate",
    "compare_classes",
    "confusions",
    "dawid_skene",
    "easy_and_hard",
    "glad",
    "intra_rater",
    "latent_classes",
    "latent_trait",
    "mace",
    "omega",
    "omega_chance_term",
    "rater_camps",
    "rater_view",
    "reliability_designs",
    "resolve",
]

# Each file is loaded when one of its names is asked for.
__getattr__, __dir__ = imported_later(
    __name__,
    {
        "adjudication._adjudicate": ("adjudicate",),
        "adjudication._confusions": ("Confuser", "Confusion", "Confusions", "confusions"),
        "adjudication._contested": ("Adjudication", "ContestedItem"),
        "adjudication._resolve": ("resolve",),
        "adjudication._resolved": ("FinalLabel", "GoldRater", "Resolved"),
        "model_registry": ("LATENT_MODELS", "LatentModel"),
        "models._above_test": ("AboveTest",),
        "models._classes": ("ClassComparison", "ComparedClasses", "LatentClasses", "RatingsNeeded"),
        "models._dawid_skene": ("dawid_skene",),
        "models._easy_and_hard": ("EasyAndHard", "easy_and_hard"),
        "models._error_rates": ("DawidSkene",),
        "models._glad": ("Glad", "glad"),
        "models._latent_trait": ("LatentTrait", "RaterTrait", "latent_trait"),
        "models._lca": ("compare_classes", "latent_classes"),
        "models._mace": ("Mace", "mace"),
        "models._omega": ("omega", "omega_chance_term"),
        "models._omega_results": ("Omega", "OmegaPair", "OmegaRater"),
        "models._truth_model": ("RaterQuality", "Truth", "TruthModel"),
        "raters._camps": ("Camps", "rater_camps"),
        "raters._intra_rater": ("IntraRater", "RaterStability", "intra_rater"),
        "raters._rater_rows": ("LabelBias", "RaterRow", "RaterView"),
        "raters._rater_view": ("rater_view",),
        "raters._reliability_designs": ("DesignRow", "ReliabilityDesigns", "reliability_designs"),
    },
)
