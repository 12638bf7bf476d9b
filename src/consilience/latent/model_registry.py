"""The models by one name each, and which settings each of them takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from consilience.core.registry import Registry


@dataclass(frozen=True)
class LatentModel:
    """A model: what it is, the settings it takes, and how it is fitted.

    `fit` takes ratings, and settings by name: "n_starts", "smoothing", "n_resamples", "n_classes",
    "positive", "above", "chance", "weight", "confidence_level", "rng". Its result has `findings`,
    `to_dict()` and `document()`.
    """

    name: str
    title: str
    takes: tuple[str, ...]
    fit: Callable[..., Any]


# Models of the truth, of raters' errors, and of chance.
LATENT_MODELS: Registry[LatentModel] = Registry(
    "model",
    group="latent_models",
    homes={
        "dawid-skene": "consilience.latent._dawid_skene",
        "one-coin": "consilience.latent._dawid_skene",
        "lca": "consilience.latent._latent_classes",
        "latent-trait": "consilience.latent._latent_trait",
        "mace": "consilience.latent._crowds",
        "glad": "consilience.latent._crowds",
        "omega": "consilience.latent._omega",
        "aickin": "consilience.latent._easy_and_hard",
    },
)
