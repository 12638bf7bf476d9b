"""Who is right: models of the truth behind the ratings, and of how raters err."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import public_names

if TYPE_CHECKING:
    from consilience.latent._class_results import LatentClasses as LatentClasses
    from consilience.latent._confusions import confusions as confusions
    from consilience.latent._crowds import glad as glad
    from consilience.latent._crowds import mace as mace
    from consilience.latent._dawid_skene import dawid_skene as dawid_skene
    from consilience.latent._easy_and_hard import easy_and_hard as easy_and_hard
    from consilience.latent._group_agreement import group_agreement as group_agreement
    from consilience.latent._latent_classes import compare_classes as compare_classes
    from consilience.latent._latent_classes import latent_classes as latent_classes
    from consilience.latent._latent_trait import LatentTrait as LatentTrait
    from consilience.latent._latent_trait import latent_trait as latent_trait
    from consilience.latent._omega import Omega as Omega
    from consilience.latent._omega import omega as omega
    from consilience.latent._omega import omega_chance_term as omega_chance_term
    from consilience.latent._rater_camps import rater_camps as rater_camps
    from consilience.latent._rater_view import rater_view as rater_view
    from consilience.latent._truth import Truth as Truth
    from consilience.latent._truth import TruthModel as TruthModel
    from consilience.latent.adjudication import adjudicate as adjudicate
    from consilience.latent.model_registry import LATENT_MODELS as LATENT_MODELS
    from consilience.latent.model_registry import LatentModel as LatentModel
    from consilience.latent.rater_stability import intra_rater as intra_rater
    from consilience.latent.rater_stability import reliability_designs as reliability_designs
    from consilience.latent.resolved_labels import resolve as resolve

public_names(__name__)
