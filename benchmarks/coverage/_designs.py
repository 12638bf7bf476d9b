"""The designs of the coverage study: sets that rules are made on, and those that judge them.

All are drawn from the same ranges, with seeds that were fixed before any result was seen. A fresh
set judges the rules of its day; once its results are known it can only help to make new ones, and
another one is drawn to judge these: "fresh-2", and for labels, whose rule changed since, "fresh-5".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

TUNING_SEED = 11
FRESH_SEED = 20_270
JUDGING_SEED = 94_117
LABELS_SEED = 31_907
SEEDS = {"tuning": TUNING_SEED, "fresh": FRESH_SEED, "fresh-2": JUDGING_SEED}
# Families of labels, and the set that judges the rule of labels.
LABELS = ("nominal", "ordered", "clusters", "rare", "near")
LABELS_SET = "fresh-5"
_AS_MANY = {"ordered": 32, "clusters": 20, "rare": 30}  # the first of each, as far as time allowed
MODELS = ("shared", "own", "latent")
CORNERS = "corner"


@dataclass(frozen=True, kw_only=True)
class Design:
    """One design; `family` says which coefficients are measured on it.

    Labels come from one of three models. "shared": a share `agreement` of the items is plain to all
    raters, who draw labels at random on the others. "own": each rater knows an item with a chance
    near the root of `agreement` and else guesses. "latent": raters see a normal trait with errors,
    cut into ordered labels. The rarest label has the share `rarest`; `bias` is how far the raters'
    own margins lie apart. Values are normal or lognormal. Sessions of events differ in how many
    of these are linked: "even" ones by a beta distribution, "outlying" ones by a few that fail.
    "timed" sessions have events with limits: `missing` is how many a rater overlooks, `agreement`
    how many labels are known, `bias` how many limits are displaced.
    """

    set: str
    number: int
    family: str
    model: str
    items: int
    raters: int = 2
    labels: int = 2
    rarest: float = 0.5
    agreement: float = 0.0
    missing: float = 0.0
    bias: float = 0.0
    units: int = 0  # clusters, sessions, or groups that are compared
    icc: float = 0.0  # of items within a cluster or session

    @property
    def seed(self) -> list[int]:
        """The start of its random numbers, different for each design."""
        return [len(self.set), *map(ord, self.family[:3]), self.number]


def judging(family: str) -> str:
    """Return the set that judges a family."""
    return LABELS_SET if family in LABELS else "fresh-2"


def designs(name: str, scale: float = 1.0) -> list[Design]:
    """Return the designs of a set: "tuning", "fresh", "fresh-2", "fresh-5" or "corner"."""
    if name == CORNERS:
        return corners()
    if name == LABELS_SET:
        return [
            Design(set=name, number=number, family=family, **draw(rng))
            for family, (many, draw) in {**_FAMILIES, **_EDGES}.items()
            if family in LABELS
            for rng in [np.random.default_rng([LABELS_SEED, *family.encode()])]
            for number in range(round(_AS_MANY.get(family, many) * scale))
        ]
    rng = np.random.default_rng(SEEDS[name])
    return [
        Design(set=name, number=number, family=family, **draw(rng))
        for family, (many, draw) in _FAMILIES.items()
        for number in range(round(many * scale))
    ]


def _log(rng: Any, low: float, high: float) -> float:
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def _share(rng: Any, low: float, high: float) -> float:
    return round(float(rng.uniform(low, high)), 2)


def _agreement(rng: Any) -> float:
    """Return no agreement beyond chance in a quarter of designs, else any."""
    return 0.0 if rng.uniform() < 0.25 else _share(rng, 0.1, 0.95)


def _labels(rng: Any, fewest: int, models: tuple[str, ...]) -> dict[str, Any]:
    k = int(rng.integers(fewest, 8)) if rng.uniform() < 0.6 else fewest
    return {
        "model": str(rng.choice(models)),
        "items": round(_log(rng, 20, 500)),
        "raters": int(rng.choice([2, 2, 3, 5, 20])),
        "labels": k,
        "rarest": round(_log(rng, 0.02, 1.0 / k), 3),
        "agreement": _agreement(rng),
        "missing": _share(rng, 0.05, 0.4) if rng.uniform() < 0.4 else 0.0,
        "bias": _share(rng, 0.2, 0.8) if rng.uniform() < 0.5 else 0.0,
    }


def _nominal(rng: Any) -> dict[str, Any]:
    return _labels(rng, 2, MODELS)


def _ordered(rng: Any) -> dict[str, Any]:
    return _labels(rng, 3, ("latent", "latent", "shared"))


def _clusters(rng: Any) -> dict[str, Any]:
    clusters, size = round(_log(rng, 6, 40)), round(_log(rng, 2, 20))
    return {
        **_labels(rng, 2, MODELS),
        "items": clusters * size,
        "raters": int(rng.choice([2, 2, 3, 5])),
        "labels": int(rng.choice([2, 2, 3, 5])),
        "rarest": round(_log(rng, 0.05, 0.2), 3),
        "missing": 0.0,
        "units": clusters,
        "icc": _share(rng, 0.0, 0.4),
    }


def _values(rng: Any) -> dict[str, Any]:
    return {
        "model": str(rng.choice(["normal", "lognormal", "lognormal items"])),
        "items": round(_log(rng, 20, 500)),
        "raters": int(rng.choice([2, 3, 5, 20])),
        "agreement": _agreement(rng),
        "missing": _share(rng, 0.05, 0.4) if rng.uniform() < 0.4 else 0.0,
    }


def _icc(rng: Any) -> dict[str, Any]:
    return {
        "model": str(rng.choice(["normal", "normal", "lognormal items"])),
        "items": round(_log(rng, 20, 200)),
        "raters": int(rng.choice([2, 3, 5, 20])),
        "agreement": _agreement(rng),
        "bias": _share(rng, 0.0, 0.8),
    }


def _errors(rng: Any) -> dict[str, Any]:
    """Return normal items that raters mark with skewed errors."""
    return {
        "model": str(rng.choice(["exponential errors", "lognormal errors", "slips"])),
        "items": round(_log(rng, 30, 200)),
        "raters": int(rng.choice([2, 3, 5])),
        "agreement": _agreement(rng),
        "bias": _share(rng, 0.0, 0.4),
    }


def _groups(rng: Any) -> dict[str, Any]:
    return {
        "model": "shared",
        "items": round(_log(rng, 30, 200)),
        "rarest": round(_log(rng, 0.05, 0.5), 3),
        "agreement": _share(rng, 0.0, 0.9),
        "units": int(rng.choice([2, 2, 3, 4, 6])),
    }


def _rounds(rng: Any) -> dict[str, Any]:
    """Return two rounds with the same items, which have the same value."""
    return {
        **_labels(rng, 2, ("shared", "own")),
        "items": round(_log(rng, 30, 300)),
        "raters": int(rng.choice([2, 2, 3, 5])),
        "labels": int(rng.choice([2, 2, 3, 5])),
        "rarest": round(_log(rng, 0.03, 0.2), 3),
        "missing": 0.0,
    }


def _sessions(rng: Any) -> dict[str, Any]:
    """Return sessions of events, of which a share is linked."""
    sessions = round(_log(rng, 8, 40))
    return {
        "model": str(rng.choice(["even", "outlying"])),
        "items": sessions * round(_log(rng, 8, 60)),
        "labels": int(rng.choice([2, 3, 5])),
        "rarest": round(_log(rng, 0.05, 0.2), 3),
        "agreement": _share(rng, 0.3, 0.95),
        "units": sessions,
        "icc": _share(rng, 0.0, 0.3),
    }


def _events(rng: Any) -> dict[str, Any]:
    """Return sessions of events with limits, as unit methods take them."""
    sessions = round(_log(rng, 8, 40))
    return {
        "model": "timed",
        "items": sessions * round(_log(rng, 6, 25)),
        "raters": int(rng.choice([2, 2, 3])),
        "labels": int(rng.choice([2, 3, 5])),
        "rarest": round(_log(rng, 0.05, 0.2), 3),
        "agreement": _share(rng, 0.3, 0.95),
        "missing": _share(rng, 0.0, 0.3),
        "bias": _share(rng, 0.0, 0.6),
        "units": sessions,
        "icc": _share(rng, 0.0, 0.3),
    }


def _truth(rng: Any) -> dict[str, Any]:
    """Return raters who err apart; their mean accuracy is the agreement."""
    return {
        "model": "errors",
        "items": round(_log(rng, 60, 500)),
        "raters": int(rng.choice([3, 4, 5, 8])),
        "labels": int(rng.choice([2, 2, 3])),
        "rarest": round(_log(rng, 0.05, 0.3), 3),
        "agreement": _share(rng, 0.65, 0.95),
        "missing": _share(rng, 0.05, 0.3) if rng.uniform() < 0.4 else 0.0,
    }


def _gap(rng: Any) -> dict[str, Any]:
    """Return people and, as the last rater, a system."""
    return {
        **_labels(rng, 2, ("shared", "own")),
        "items": round(_log(rng, 30, 300)),
        "raters": int(rng.choice([3, 4, 6])),
        "labels": int(rng.choice([2, 2, 3, 5])),
        "rarest": round(_log(rng, 0.05, 0.3), 3),
        "missing": 0.0,
    }


def _omega(rng: Any) -> dict[str, Any]:
    """Return raters who rate everything twice."""
    return {
        **_labels(rng, 2, ("shared", "own")),
        "items": round(_log(rng, 30, 300)),
        "raters": int(rng.choice([2, 2, 3, 5])),
        "labels": int(rng.choice([2, 3, 5])),
        "rarest": round(_log(rng, 0.05, 0.3), 3),
        "agreement": _share(rng, 0.1, 0.95),
        "missing": 0.0,
    }


_FAMILIES: dict[str, tuple[int, Callable[[Any], dict[str, Any]]]] = {
    "nominal": (60, _nominal),
    "ordered": (40, _ordered),
    "clusters": (40, _clusters),
    "values": (40, _values),
    "icc": (24, _icc),
    "groups": (20, _groups),
    "rounds": (24, _rounds),
    "sessions": (24, _sessions),
    "events": (20, _events),
    "truth": (16, _truth),
    "gap": (16, _gap),
    "omega": (16, _omega),
    "aligned": (8, _events),
    "errors": (12, _errors),
}


def _rare(rng: Any) -> dict[str, Any]:
    """Return a label that is used a few times, or never; raters mostly agree by chance."""
    items = round(_log(rng, 300, 20_000))
    return {
        "model": str(rng.choice(["shared", "own"])),
        "items": items,
        "raters": int(rng.choice([2, 2, 3, 5])),
        "labels": int(rng.choice([2, 2, 3])),
        "rarest": round(min(max(_log(rng, 0.5, 60.0) / items, 1e-4), 0.02), 5),
        "agreement": 0.0 if rng.uniform() < 0.6 else _share(rng, 0.1, 0.9),
        "missing": 0.2 if rng.uniform() < 0.25 else 0.0,
        "bias": _share(rng, 0.2, 0.6) if rng.uniform() < 0.3 else 0.0,
    }


def _near(rng: Any) -> dict[str, Any]:
    """Return raw agreement of .95 to .995: raters differ on hardly any item, or on none."""
    labels, differ = int(rng.choice([2, 2, 3, 5])), _log(rng, 0.005, 0.05)
    rarest = round(_log(rng, 0.05, 1.0 / labels), 3)
    by_chance = float((label_shares(labels, rarest) ** 2).sum())
    return {
        "model": "shared",
        "items": round(_log(rng, 30, 300)),
        "raters": int(rng.choice([2, 2, 3, 5, 8])),
        "labels": labels,
        "rarest": rarest,
        "agreement": round(1.0 - differ / (1.0 - by_chance), 4),
        "missing": 0.2 if rng.uniform() < 0.25 else 0.0,
    }


def label_shares(k: int, rarest: float) -> Any:
    """Return shares that fall by one factor from label to label, down to the rarest."""
    low, high = 1e-6, 1.0
    for _ in range(60):
        factor = (low + high) / 2.0
        shares = factor ** np.arange(k)
        low, high = (factor, high) if shares[-1] / shares.sum() < rarest else (low, factor)
    shares = high ** np.arange(k)
    return shares / shares.sum()


_EDGES: dict[str, tuple[int, Callable[[Any], dict[str, Any]]]] = {
    "rare": (36, _rare),
    "near": (36, _near),
}


# ------------------------------------------------------------- where earlier intervals failed


@dataclass(frozen=True)
class Corner:
    """What was measured of an earlier default, on a design of users' own."""

    what: str
    coefficient: str
    before: tuple[float, ...]  # coverage; for groups the size of the test
    designs: tuple[Design, ...]


def _corner(
    number: int,
    what: str,
    coefficient: str,
    before: tuple[float, ...],
    sizes: tuple[int, ...],
    **facts: Any,
) -> Corner:
    made = tuple(
        Design(set=CORNERS, number=10 * number + place, items=items, **facts)
        for place, items in enumerate(sizes)
    )
    return Corner(what, coefficient, before, made)


def all_corners() -> list[Corner]:
    """Return the corners with their figures of before."""
    two = {"family": "nominal", "model": "shared", "agreement": 0.2}
    five = {**two, "raters": 5, "missing": 0.3, "agreement": 0.5}
    skewed = {"family": "ordered", "model": "latent", "labels": 5, "rarest": 0.03, "agreement": 0.8}
    values = {"family": "values", "model": "lognormal", "raters": 2, "agreement": 0.7}
    marks = {"family": "icc", "model": "normal", "agreement": 0.6, "bias": 0.7}
    groups = {"family": "groups", "model": "shared", "agreement": 0.4}
    return [
        _corner(0, "2 raters, label at .05, kappa .2", "cohen_kappa",
                (0.295, 0.48, 0.68, 0.90), (30, 60, 100, 200), rarest=0.05, **two),
        _corner(1, "2 raters, label at .1, kappa .2", "cohen_kappa",
                (0.572, 0.820), (30, 60), rarest=0.1, **two),
        _corner(2, "5 raters, 30 % missing, .9 / .1", "krippendorff_alpha",
                (0.75, 0.90), (40, 100), rarest=0.1, **five),
        _corner(3, "5 raters, 30 % missing, .95 / .05", "krippendorff_alpha",
                (0.61, 0.85), (40, 100), rarest=0.05, **five),
        _corner(4, "quadratic weights, 5 skewed labels", "cohen_kappa quadratic",
                (0.82, 0.88, 0.93), (50, 100, 200), **skewed),
        _corner(5, "lognormal values", "krippendorff_alpha interval",
                (0.865, 0.895), (30, 100), **values),
        _corner(6, "ICC(A,1), 2 raters whose means differ", "icc A,1",
                (0.82,), (50,), raters=2, **marks),
        _corner(7, "ICC(A,1), 3 raters whose means differ", "icc A,1",
                (0.875,), (50,), raters=3, **marks),
        _corner(8, "4 groups of 30, label at .1 (size of the test)", "groups cohen_kappa",
                (0.46,), (30,), rarest=0.1, units=4, **groups),
        _corner(9, "2 groups of 100, label at .05 (size of the test)", "groups cohen_kappa",
                (0.16,), (100,), rarest=0.05, units=2, **groups),
        _corner(10, "6 groups of 50, label at .2 (size of the test)", "groups cohen_kappa",
                (0.15,), (50,), rarest=0.2, units=6, **groups),
    ]  # fmt: skip


def corners() -> list[Design]:
    """Return the designs of all corners."""
    return [design for corner in all_corners() for design in corner.designs]
