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


_FILES = {
    "dawid-skene": "_dawid_skene",
    "one-coin": "_dawid_skene",
    "lca": "_lca",
    "latent-trait": "_latent_trait",
    "mace": "_mace",
    "glad": "_glad",
    "omega": "_omega",
    "aickin": "_easy_and_hard",
}
LATENT_MODELS: Registry[LatentModel] = Registry(
    "model",
    group="latent_models",
    homes={name: f"consilience.latent.models.{file}" for name, file in _FILES.items()},
)
