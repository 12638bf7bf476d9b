"""Who is right: models of the truth behind the ratings, and of how raters err."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import public_names

if TYPE_CHECKING:
    from consilience.latent.adjudication._adjudicate import adjudicate as adjudicate
    from consilience.latent.adjudication._confusions import Confuser as Confuser
    from consilience.latent.adjudication._confusions import Confusion as Confusion
    from consilience.latent.adjudication._confusions import Confusions as Confusions
    from consilience.latent.adjudication._confusions import confusions as confusions
    from consilience.latent.adjudication._contested import Adjudication as Adjudication
    from consilience.latent.adjudication._contested import ContestedItem as ContestedItem
    from consilience.latent.adjudication._resolve import resolve as resolve
    from consilience.latent.adjudication._resolved import FinalLabel as FinalLabel
    from consilience.latent.adjudication._resolved import GoldRater as GoldRater
    from consilience.latent.adjudication._resolved import Resolved as Resolved
    from consilience.latent.model_registry import LATENT_MODELS as LATENT_MODELS
    from consilience.latent.model_registry import LatentModel as LatentModel
    from consilience.latent.models._above_test import AboveTest as AboveTest
    from consilience.latent.models._classes import ClassComparison as ClassComparison
    from consilience.latent.models._classes import ComparedClasses as ComparedClasses
    from consilience.latent.models._classes import LatentClasses as LatentClasses
    from consilience.latent.models._classes import RatingsNeeded as RatingsNeeded
    from consilience.latent.models._dawid_skene import dawid_skene as dawid_skene
    from consilience.latent.models._easy_and_hard import EasyAndHard as EasyAndHard
    from consilience.latent.models._easy_and_hard import easy_and_hard as easy_and_hard
    from consilience.latent.models._error_rates import DawidSkene as DawidSkene
    from consilience.latent.models._glad import Glad as Glad
    from consilience.latent.models._glad import glad as glad
    from consilience.latent.models._latent_trait import LatentTrait as LatentTrait
    from consilience.latent.models._latent_trait import RaterTrait as RaterTrait
    from consilience.latent.models._latent_trait import latent_trait as latent_trait
    from consilience.latent.models._lca import compare_classes as compare_classes
    from consilience.latent.models._lca import latent_classes as latent_classes
    from consilience.latent.models._mace import Mace as Mace
    from consilience.latent.models._mace import mace as mace
    from consilience.latent.models._omega import omega as omega
    from consilience.latent.models._omega import omega_chance_term as omega_chance_term
    from consilience.latent.models._omega_results import Omega as Omega
    from consilience.latent.models._omega_results import OmegaPair as OmegaPair
    from consilience.latent.models._omega_results import OmegaRater as OmegaRater
    from consilience.latent.models._truth_model import RaterQuality as RaterQuality
    from consilience.latent.models._truth_model import Truth as Truth
    from consilience.latent.models._truth_model import TruthModel as TruthModel
    from consilience.latent.raters._camps import Camps as Camps
    from consilience.latent.raters._camps import rater_camps as rater_camps
    from consilience.latent.raters._intra_rater import IntraRater as IntraRater
    from consilience.latent.raters._intra_rater import RaterStability as RaterStability
    from consilience.latent.raters._intra_rater import intra_rater as intra_rater
    from consilience.latent.raters._rater_rows import LabelBias as LabelBias
    from consilience.latent.raters._rater_rows import RaterRow as RaterRow
    from consilience.latent.raters._rater_rows import RaterView as RaterView
    from consilience.latent.raters._rater_view import rater_view as rater_view
    from consilience.latent.raters._reliability_designs import DesignRow as DesignRow
    from consilience.latent.raters._reliability_designs import (
        ReliabilityDesigns as ReliabilityDesigns,
    )
    from consilience.latent.raters._reliability_designs import (
        reliability_designs as reliability_designs,
    )

public_names(__name__)
