"""The options of gamma that are words and numbers, checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from consilience.core.resample import is_whole
from consilience.exceptions import InputError
from consilience.units.gamma_alignment._dissimilarity import Dissimilarity, scaled_distances
from consilience.units.gamma_alignment._gamma_input import positive
from consilience.units.gamma_alignment._gamma_run import Settings
from consilience.units.model.unit_checks import check_label_count, check_word
from consilience.units.model.units import Units, check_data

ALIGNMENTS = ("exact", "approximate")


def checked_settings(
    units: Units,
    *,
    alpha: float,
    beta: float,
    distance: Any,
    categories: Sequence[Any] | None,
    words: Mapping[str, tuple[Any, tuple[str, ...]]],
    most: int,
) -> tuple[Settings, dict[str, Any]]:
    """Check the options that are words and numbers."""
    for what, (word, known) in words.items():
        check_word(what, word, known)
    position = positive(alpha, "alpha", zero=True)
    category = positive(beta, "beta", zero=True)
    if position == category == 0:
        raise InputError.expected("alpha and beta", "not both 0", (0, 0), "alpha=3, beta=1")
    if not is_whole(most) or most < 1:
        raise InputError.expected(
            "max_candidates", "a whole number of at least 1", most, "for example 2_000_000"
        )
    check_data(units)
    check_label_count(units.labels, "gamma")
    name, d_kl = scaled_distances(units.labels, distance, categories)
    chosen = {what: word for what, (word, _) in words.items()}
    return (
        Settings(
            Dissimilarity(position, category, d_kl),
            chosen.get("variant", "paper"),
            chosen["alignment"] == "approximate",
            int(most),
            chosen.get("chance", "shuffle"),
            chosen.get("spacing", "mean"),
        ),
        {**chosen, "distance": name},
    )
