"""Studies with a planted fault: the same items and raters with the fault and without it.

What the fault costs is known, then: alpha without it, less alpha with it. Severities go from what
nobody could see to what nobody could miss.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience import krippendorff_alpha
from consilience.ratings import Ratings

Rng = np.random.Generator
ITEMS = (10, 20, 30, 40, 60, 80, 100, 120, 150, 200, 250, 300, 400, 500, 600)
RATERS = (2, 2, 3, 3, 3, 4, 4, 5, 5, 6, 8, 10, 15, 20, 30, 40)
SEVERITIES = (0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 1.0)
KINDS = ("names", "order", "numbers")


@dataclass(frozen=True)
class Planted:
    """A study with its fault: who and what must be named."""

    code: str
    kind: str
    ratings: Ratings
    without: Ratings
    severity: float
    raters: frozenset[int] = frozenset()
    labels: frozenset[object] = frozenset()
    second: Planted | None = None

    @property
    def gain(self) -> float:
        """What alpha loses by the fault; of copies, what it is raised by."""
        if self.code == "rare":
            return _alpha(self.without) - _alpha(self.ratings)
        return abs(_alpha(self.without) - _alpha(self.ratings))


def _alpha(ratings: Ratings) -> float:
    value = krippendorff_alpha(ratings, on_undefined="ignore").value
    return float(value) if np.isfinite(value) else 0.0


@dataclass
class Scene:
    """What raters see and how well, before labels are written down; faults change it in place."""

    rng: Rng
    kind: str
    n: int
    m: int
    q: int
    given: NDArray[np.bool_]
    truth: NDArray[Any]  # (n, m): what each rater would say without noise
    knows: NDArray[Any]  # names: (n, m) chances to see it; else the noise's deviation
    chance: NDArray[Any]  # (n, m): uniform draws that decide, the same with and without a fault
    guess: NDArray[Any]  # what is said instead; else standard normal noise
    shares: NDArray[Any]
    extra: int = 0  # labels beyond q
    shift: NDArray[Any] = field(default_factory=lambda: np.zeros(0))
    scale: NDArray[Any] = field(default_factory=lambda: np.zeros(0))
    forced: NDArray[Any] = field(default_factory=lambda: np.zeros(0))  # nan: none
    copies: tuple[tuple[int, int, Any], ...] = ()
    rounded: bool = True

    def copy(self) -> Scene:
        arrays = {k: v.copy() for k, v in vars(self).items() if isinstance(v, np.ndarray)}
        return replace(self, **arrays)

    def said(self) -> NDArray[Any]:
        """Return what raters say: label codes, or numbers; nan where missing."""
        if self.kind == "names":
            out = np.where(self.chance < self.knows, self.truth, self.guess).astype(float)
        else:
            latent = self.truth * self.scale + self.shift + self.knows * self.guess
            if self.kind == "order":
                cuts = np.quantile(self.truth[:, 0], np.cumsum(self.shares)[:-1])
                out = np.searchsorted(np.sort(cuts), latent).astype(float)
            else:
                out = 50.0 + 10.0 * latent
                out = out.round() if self.rounded else out
        out = np.where(np.isnan(self.forced), out, self.forced)
        for source, target, where in self.copies:
            out[where, target] = out[where, source]
        out[~self.given] = np.nan
        return out

    def ratings(self, scale: str | None = None) -> Ratings:
        """Return the study."""
        scale = scale or {"names": "nominal", "order": "ordinal", "numbers": "interval"}[self.kind]
        raters = [f"R{g + 1}" for g in range(self.m)]
        said = self.said()
        if self.kind == "numbers":
            return Ratings.from_wide(said, scale=scale, raters=raters)
        names = self.label_names(scale)
        rows = [[None if np.isnan(x) else names[int(x)] for x in row] for row in said]
        used = {x for row in rows for x in row if x is not None}
        declared = [name for name in names if name in used] if self.kind == "order" else None
        return Ratings.from_wide(rows, scale=scale, raters=raters, categories=declared)

    def label_names(self, scale: str = "nominal") -> list[Any]:
        if self.kind == "order":
            return list(range(1, self.q + 1))
        return [f"label {chr(97 + k)}" for k in range(self.q + self.extra)]


def scene(rng: Rng, kind: str, *, n: int = 0, m: int = 0, q: int = 0, quality: str = "") -> Scene:
    """Draw a study without a fault."""
    m = m or int(rng.choice(RATERS))
    n = n or int(rng.choice(ITEMS))
    q = q or int(rng.integers(2, 8) if kind == "names" else rng.integers(3, 8))
    shares = rng.dirichlet(np.full(q, 4.0))
    shares = (shares + 0.06) / (shares + 0.06).sum()
    given = np.ones((n, m), dtype=bool)
    design = rng.random()
    if m >= 15 and design < 0.4:  # a crowd: some raters for each item
        k = int(rng.integers(3, 9))
        given = np.argsort(np.argsort(rng.random((n, m)), axis=1), axis=1) < k
    elif design < 0.6 and m > 2:
        given = rng.random((n, m)) >= rng.uniform(0.0, 0.3)
    thin = given.sum(axis=1) < 2
    given[thin] = True
    if kind == "names":
        truth = np.repeat(rng.choice(q, n, p=shares)[:, None], m, axis=1)
        low, high = {"low": (0.25, 0.5), "unequal": (0.7, 0.93)}.get(quality, (0.6, 0.97))
        knows = rng.uniform(low, high, m) if quality == "unequal" else rng.uniform(low, high)
        hard = rng.uniform(0.7, 1.0, n) if rng.random() < 0.5 else np.ones(n)
        sees = np.clip(np.outer(hard, np.broadcast_to(knows, m)), 0.0, 1.0)
        guess = rng.choice(q, (n, m), p=shares if rng.random() < 0.5 else None)
    else:
        place = rng.normal(size=n)
        truth = np.repeat(place[:, None], m, axis=1)
        low, high = {"low": (0.9, 1.6), "unequal": (0.4, 0.7)}.get(quality, (0.2, 0.8))
        noise = rng.uniform(low, high, m) if quality == "unequal" else rng.uniform(low, high)
        sees, guess = np.broadcast_to(noise, (n, m)).copy(), rng.normal(size=(n, m))
        q = q if kind == "order" else 0
    return Scene(
        rng, kind, n, m, q, given, truth, sees, rng.random((n, m)), guess, shares,
        shift=np.zeros((n, m)), scale=np.ones((n, m)), forced=np.full((n, m), np.nan),
        rounded=bool(rng.random() < 0.7),
    )  # fmt: skip


# ---- faults: each changes a scene and says who and what is to be named

Fault = Callable[[Scene, float], tuple[set[int], set[int]]]
FAULTS: dict[str, tuple[Fault, tuple[str, ...], int, int]] = {}


def fault(*kinds: str, raters: int = 2, labels: int = 2) -> Callable[[Fault], Fault]:
    """Register a fault for kinds of labels, with the fewest raters and labels it needs."""

    def add(make: Fault) -> Fault:
        FAULTS[make.__name__] = (make, kinds or KINDS, raters, labels)
        return make

    return add


def _random(one: Scene, who: NDArray[Any] | list[int], where: NDArray[Any]) -> None:
    """Let raters say anything, as often as all say it."""
    said = one.said()
    pool = said[~np.isnan(said)]
    for g in who:
        one.forced[where, g] = one.rng.choice(pool, int(where.sum()))


@fault(raters=3)
def guess(one: Scene, s: float) -> tuple[set[int], set[int]]:
    """Some raters answer at random."""
    most = max(1, min((one.m - 1) // 2, one.m // 6))
    who = one.rng.choice(one.m, int(one.rng.integers(1, most + 1)), replace=False)
    for g in who:
        _random(one, [g], one.rng.random(one.n) < s)
    return set(who.tolist()), set()


@fault(raters=3)
def apart(one: Scene, s: float) -> tuple[set[int], set[int]]:
    """One rater is far less careful than the others."""
    g = int(one.rng.integers(one.m))
    one.knows[:, g] *= 1.0 - 0.8 * s if one.kind == "names" else 1.0 + 3.0 * s
    return {g}, set()


@fault()
def exchanged(one: Scene, s: float) -> tuple[set[int], set[int]]:
    """One rater has two labels exchanged, or the scale reversed, on most items."""
    g = int(one.rng.integers(one.m))
    where = one.rng.random(one.n) < (0.7 + 0.3 * s)
    said = one.said()[:, g]
    if one.kind == "names":
        k, m = np.argsort(-one.shares)[one.rng.choice(min(one.q, 3), 2, replace=False)]
        to = np.where(said == k, m, np.where(said == m, k, said))
        labels = {int(k), int(m)}
    else:
        top = one.q - 1 if one.kind == "order" else 100.0
        to, labels = top - said, set()
    one.forced[where, g] = to[where]
    return {g}, labels


@fault("order", "numbers", labels=3)
def level(one: Scene, s: float) -> tuple[set[int], set[int]]:
    """One rater is stricter, or all differ."""
    if one.m >= 3 and one.rng.random() < 0.3:
        one.shift += 1.2 * s * one.rng.normal(size=one.m)
        return set(range(one.m)), set()
    g = int(one.rng.integers(one.m))
    one.shift[:, g] += 2.5 * s * one.rng.choice([-1, 1])
    return {g}, set()


@fault("order", "numbers", labels=3)
def spread(one: Scene, s: float) -> tuple[set[int], set[int]]:
    """One rater uses more of the scale, or less."""
    g = int(one.rng.integers(one.m))
    factor = 1.0 + 2.5 * s if one.rng.random() < 0.6 else 1.0 / (1.0 + 4.0 * s)
    one.scale[:, g] *= factor
    one.knows[:, g] *= factor
    return {g}, set()


@fault(raters=4)
def groups(one: Scene, s: float) -> tuple[set[int], set[int]]:
    """Two groups with a rule each."""
    size = int(one.rng.integers(2, one.m // 2 + 1))
    who = one.rng.choice(one.m, size, replace=False)
    if one.kind == "names":
        k, m = one.rng.choice(one.q, 2, replace=False)
        other = (one.truth[:, 0] == k) | (one.rng.random(one.n) < 0.5 * s)
        other &= one.rng.random(one.n) < s
        for g in who:
            one.truth[other, g] = np.where(one.truth[other, g] == m, k, m)
    else:
        one.shift[:, who] += 2.5 * s
    return set(who.tolist()), set()


@fault("names", labels=3)
def confused(one: Scene, s: float) -> tuple[set[int], set[int]]:
    """All raters take two labels for each other."""
    k, m = np.argsort(-one.shares)[one.rng.choice(min(one.q, 3), 2, replace=False)]
    said = one.said()
    mixed = ((said == k) | (said == m)) & (one.rng.random(said.shape) < s)
    one.forced[mixed] = one.rng.choice([k, m], int(mixed.sum()))
    return set(), {int(k), int(m)}


@fault("names", labels=2)
def nobody_shares(one: Scene, s: float) -> tuple[set[int], set[int]]:
    """Each rater gives one label where it comes to mind."""
    where = one.rng.random((one.n, one.m)) < 0.35 * s
    one.extra = 1
    one.forced[where] = one.q
    return set(), {one.q}


@fault("names")
def section(one: Scene, s: float) -> tuple[set[int], set[int]]:
    """On a stretch of items raters agree less."""
    size = max(3, int(one.n * one.rng.uniform(0.12, 0.45)))
    start = int(one.rng.integers(0, one.n - size + 1))
    where = np.zeros(one.n, dtype=bool)
    where[start : start + size] = True
    for g in range(one.m):
        _random(one, [g], where & (one.rng.random(one.n) < 0.9 * s))
    return set(), set()


@fault()
def drift(one: Scene, s: float) -> tuple[set[int], set[int]]:
    """One rater guesses, or is stricter, from some item on, or up to it."""
    g = int(one.rng.integers(one.m))
    cut = int(one.n * one.rng.uniform(0.3, 0.7))
    where = np.arange(one.n) >= cut
    where = where if one.rng.random() < 0.7 else ~where
    if one.kind == "names" or one.rng.random() < 0.5:
        _random(one, [g], where & (one.rng.random(one.n) < s))
    else:
        one.shift[where, g] += 3.0 * s
    return {g}, set()


@fault(raters=3)
def copied(one: Scene, s: float) -> tuple[set[int], set[int]]:
    """One rater copies from another."""
    g, h = one.rng.choice(one.m, 2, replace=False)
    where = one.rng.random(one.n) < (0.8 + 0.2 * s)
    one.copies = ((int(g), int(h), where),)
    return {int(g), int(h)}, set()


@fault("names")
def rare(one: Scene, s: float) -> tuple[set[int], set[int]]:
    """One label is given to nearly all items."""
    common = 0.9 + 0.08 * s
    k = int(one.rng.integers(one.q))
    change = one.rng.random(one.n) < common
    one.truth[change] = k
    shares = np.full(one.q, (1.0 - common) / (one.q - 1))
    shares[k] = common
    wrong = one.rng.choice(one.q, one.guess.shape, p=shares)
    one.guess[:] = wrong
    return set(), {k}


@fault()
def items(one: Scene, s: float) -> tuple[set[int], set[int]]:
    """A tenth of the items, anywhere, is beyond the raters."""
    where = one.rng.random(one.n) < 0.1
    for g in range(one.m):
        _random(one, [g], where & (one.rng.random(one.n) < s))
    return set(), set()


def planted(code: str, seed: int, **how: Any) -> Planted:
    """Draw a study with a fault."""
    rng = np.random.default_rng((seed, sum(map(ord, code))))
    if code == "order":
        return _order(rng)
    make, kinds, raters, labels = FAULTS[code]
    kind = how.pop("kind", None) or str(rng.choice(kinds))
    while True:
        one = scene(rng, kind, **how)
        if one.m >= raters and (kind == "numbers" or one.q >= labels):
            break
    s = float(rng.choice(SEVERITIES))
    clean = one.copy()
    who, what = make(one, s)
    ratings = one.ratings()
    names = one.label_names() if kind != "numbers" else []
    return Planted(
        code, kind, ratings, clean.ratings(), s, frozenset(who), frozenset(names[k] for k in what)
    )


def two_planted(seed: int) -> Planted:
    """Draw a study with two faults that are not of one rater."""
    rng = np.random.default_rng((seed, 2))
    pairs = (
        ("guess", "confused"), ("exchanged", "confused"), ("guess", "section"),
        ("level", "guess"), ("level", "spread"), ("exchanged", "section"), ("drift", "level"),
        ("nobody_shares", "guess"), ("apart", "confused"), ("copied", "guess"),
    )  # fmt: skip
    first, second = pairs[int(rng.integers(len(pairs)))]
    kinds = set(FAULTS[first][1]) & set(FAULTS[second][1])
    kind = str(rng.choice(sorted(kinds)))
    while True:
        one = scene(rng, kind, m=int(rng.choice([5, 6, 8, 10, 15])), q=int(rng.integers(3, 7)))
        if one.n >= 60:
            break
    clean = one.copy()
    s = rng.choice([0.5, 0.65, 0.8, 1.0], 2)
    done = []
    for code, strength in zip((first, second), s, strict=True):
        state = one.copy()
        for _ in range(30):
            trial = state.copy()
            who, what = FAULTS[code][0](trial, float(strength))
            if not done or not who & done[0][0]:
                break
        one = trial
        done.append((who, what))
    ratings, without = one.ratings(), clean.ratings()
    names = one.label_names() if kind != "numbers" else []
    made = [
        Planted(code, kind, ratings, without, float(strength), frozenset(who),
                frozenset(names[k] for k in what))
        for code, strength, (who, what) in zip((first, second), s, done, strict=True)
    ]  # fmt: skip
    return replace(made[0], second=made[1])


def _order(rng: Rng) -> Planted:
    """Marks that are measured as names."""
    one = scene(rng, "order")
    return Planted("order", "names", one.ratings("nominal"), one.ratings("ordinal"), 1.0)


CLEAN = ("plain", "low", "unequal", "yes/no")


def clean(kind: str, seed: int) -> Ratings:
    """Draw a study without a fault."""
    rng = np.random.default_rng((seed, 1 + CLEAN.index(kind)))
    if kind == "yes/no":
        one = scene(rng, "order", q=2)
        names = ["no", "yes"]
        rows = [[None if np.isnan(x) else names[int(x)] for x in row] for row in one.said()]
        return Ratings.from_wide(rows, scale="nominal", raters=[f"R{g + 1}" for g in range(one.m)])
    which = str(rng.choice(KINDS))
    return scene(
        rng, which, quality={"plain": "", "low": "low", "unequal": "unequal"}[kind]
    ).ratings()
