"""Which numbers are compared: coefficients with a distance, and plain shares of marks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from consilience.coefficients import Estimate, registry
from consilience.coefficients.compute import estimate
from consilience.core.arrays import Floats, Ints
from consilience.distances import get_distance
from consilience.exceptions import ConsilienceError, InputError, UnsupportedDesignError
from consilience.panel.panel_data import Panel
from consilience.ratings import Ratings

_MOST_LABELS_FOR_AC = 50  # with more, Gwet's random rating hardly ever hits the same label
_ORDERED = ("cohen_kappa:quadratic", "cohen_kappa:linear", "gwet_ac:nominal", "gwet_ac:linear",
            "gwet_ac:quadratic", "krippendorff_alpha")  # fmt: skip
_NOMINAL = ("cohen_kappa", "gwet_ac", "krippendorff_alpha")
_FEW = ("cohen_kappa:quadratic", "krippendorff_alpha")
SHARES = ("identical", "within_1", "within_2")
ERRORS = ("mean_absolute_difference", "root_mean_square_difference")
_TITLES = {
    "identical": "share identical",
    "within_1": "share within 1",
    "within_2": "share within 2",
    "mean_absolute_difference": "mean absolute difference",
    "root_mean_square_difference": "root mean square difference",
}


@dataclass(frozen=True)
class Measure:
    """A coefficient with its distance, or a share of marks."""

    key: str
    title: str
    coefficient: str | None = None
    distance: Any = None

    @property
    def smaller_is_better(self) -> bool:
        """Whether it counts errors."""
        return self.key in ERRORS

    def of(self, ratings: Ratings) -> Estimate | str:
        """Return the estimate, or why there is none."""
        assert self.coefficient is not None
        try:
            return estimate(
                registry[self.coefficient],
                (ratings,),
                distance=self.distance,
                on_undefined="ignore",
            )
        except UnsupportedDesignError as error:
            return str(error)


def measures_of(panel: Panel, coefficients: Any) -> list[Measure]:
    """Return the coefficients that were asked for, or those that fit, and the shares."""
    words = _default(panel) if coefficients is None else _listed(coefficients)
    found = [_measure(panel, word) for word in words]
    return list({one.key: one for one in found}.values()) + shares_of(panel)


def shares_of(panel: Panel) -> list[Measure]:
    """Return the shares and errors that exist for these labels."""
    keys = ("identical",) if panel.points is None else (*SHARES, *ERRORS)
    return [Measure(key, _TITLES[key]) for key in keys]


def _default(panel: Panel) -> tuple[str, ...]:
    if panel.ratings.scale == "nominal":
        return _NOMINAL
    return _ORDERED if len(panel.ratings.categories) <= _MOST_LABELS_FOR_AC else _FEW


def _listed(coefficients: Any) -> list[Any]:
    is_one = isinstance(coefficients, str) or not isinstance(coefficients, Iterable)
    words = [coefficients] if is_one else list(coefficients)
    if not words:
        raise InputError.expected(
            "coefficients", "at least one", words, "leave it out for those that fit the scale"
        )
    return words


def _measure(panel: Panel, word: Any) -> Measure:
    name, distance = word if isinstance(word, tuple) else (str(word), None)
    if distance is None and ":" in name:
        name, _, distance = name.partition(":")
    chosen = registry[name]
    distance = _implied(name, distance, panel)
    try:
        measured = get_distance(distance, scale=panel.ratings.scale)
    except ConsilienceError as error:
        raise InputError(f"coefficients: {error}") from None
    one = Measure(f"{chosen.name}:{measured.name}", "", chosen.name, distance)
    reason = chosen.supports(panel.ratings.select(raters=panel.raters[:2]))
    if reason is not None:
        raise UnsupportedDesignError.needs(chosen.name, reason, "a panel", "choose another one")
    return Measure(one.key, _title(chosen.name, measured.name), chosen.name, distance)


def _implied(name: str, distance: Any, panel: Panel) -> Any:
    """AC1 is nominal, AC2 is not: the name says what no distance says."""
    if distance is not None:
        return distance
    word = name.strip().lower()
    if word in ("ac1", "gwet_ac1"):
        return "nominal"
    if word in ("ac2", "gwet_ac2") and panel.ratings.scale != "nominal":
        return "quadratic"
    return None


def _title(name: str, distance: str) -> str:
    nominal = distance == "nominal"
    words = {
        "cohen_kappa": "Cohen's kappa" if nominal else "weighted kappa",
        "gwet_ac": "Gwet's AC1" if nominal else "Gwet's AC2",
        "krippendorff_alpha": "Krippendorff's alpha",
        "scott_pi": "Scott's pi" if nominal else "alpha'",
        "bennett_s": "Bennett's S",
        "percent_agreement": "percent agreement",
    }
    return words.get(name, name.replace("_", " ")) + ("" if nominal else f" ({distance})")


def share_features(
    measures: list[Measure], pair: Ints, points: Floats | None, n_labels: int
) -> tuple[Floats, Floats]:
    """Return what each pattern of a pair adds to every share, and whether it counts at all.

    A code of `n_labels` is a refusal that counts as wrong: it is no hit and has no difference.
    """
    first, second = pair[:, 0], pair[:, 1]
    counts = ((first >= 0) & (second >= 0)).astype(np.float64)
    given = (counts > 0) & (first < n_labels) & (second < n_labels)
    rows = []
    for one in measures:
        if one.key == "identical":
            rows.append(given & (first == second))
            continue
        assert points is not None
        gap = np.zeros(len(pair))
        gap[given] = np.abs(points[first[given]] - points[second[given]])
        if one.key.startswith("within_"):
            rows.append(given & (gap <= float(one.key[7:]) + 1e-9))
        else:
            rows.append(np.where(given, gap if one.key.startswith("mean") else gap**2, np.nan))
    return np.array(rows, dtype=np.float64).reshape(len(measures), -1), counts
