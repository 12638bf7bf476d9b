"""Who is right: models of the truth behind the ratings, and of how raters err."""

from __future__ import annotations

from consilience.core.answers import answering
from consilience.latent.adjudication._adjudicate import adjudicate
from consilience.latent.adjudication._confusions import Confuser, Confusion, Confusions, confusions
from consilience.latent.adjudication._contested import Adjudication, ContestedItem
from consilience.latent.adjudication._resolve import resolve
from consilience.latent.adjudication._resolved import FinalLabel, GoldRater, Resolved
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

answering(globals(), __all__)
