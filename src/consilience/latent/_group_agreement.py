"""Groups of raters that are known: agreement within each, across two, and whether they differ."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from consilience.core.arrays import Floats, Indices
from consilience.core.draws import RandomStream, check_resamples
from consilience.core.labels import label_key
from consilience.core.result import Several, Unremarked
from consilience.core.tails import quantile
from consilience.core.words import number, p_text
from consilience.distances import LabelSpace, get_distance
from consilience.document import Document, Paragraph, Table
from consilience.document.records import Recorded
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference import holm
from consilience.latent.votes import entries_of
from consilience.ratings import Ratings, as_ratings
from consilience.ratings.clusters import need_independent_items
from consilience.ratings.duplicates import need_one_occasion

_MOST_LISTED = 10_000  # ways to deal raters into two groups that are all tried
_EQUAL = 1e-12
_FEWEST = 2  # raters of a group


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterGroup(Recorded):
    """One group of raters and how far it agrees within itself.

    Attributes
    ----------
    name : object
    raters : tuple
    items : int
        With at least two ratings of the group.
    alpha, standard_error, low, high : float
        Krippendorff's alpha within the group.
    """

    name: object
    raters: tuple[object, ...]
    items: int
    alpha: float
    standard_error: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupPair(Recorded):
    """Two groups of raters beside each other.

    Attributes
    ----------
    first, second : object
        Their names.
    items : int
        With ratings of both.
    observed, expected, xrr, standard_error, low, high : float
        Cross-replication reliability: agreement of a rater of one group with one of the other,
        beyond chance.
    normalised, normalised_low, normalised_high : float
        xRR / √(alpha · alpha): 1 where the groups agree as well with each other as within.
    association : tuple of float
        Alpha within the first, and within the second, divided by xRR (GRASP).
    p_value, p_holm : float
        Share of the ways to deal whole raters into two such groups with an xRR as small.
    ways : int
        How many were tried; with `exact`, these are all.
    smallest_p : float
        No division of so few raters can give a smaller p.
    """

    first: object
    second: object
    items: int
    observed: float
    expected: float
    xrr: float
    standard_error: float
    low: float
    high: float
    normalised: float
    normalised_low: float
    normalised_high: float
    association: tuple[float, float]
    p_value: float
    p_holm: float
    exact: bool
    ways: int
    smallest_p: float

    @property
    def sentence(self) -> str:
        """What was found, without saying why."""
        text = (
            f"{self.first} and {self.second}: agreement across is {number(self.xrr, 2)}, "
            f"{number(self.normalised, 2)} of what agreement within allows "
            f"(p {p_text(self.p_holm)}"
        )
        if self.smallest_p > 0.05:
            text += f"; so few raters can show no less than {number(self.smallest_p, 2)}"
        return text + ")."


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupAgreement(Recorded, Unremarked, Several):
    """Agreement within and across groups of raters; made by `group_agreement`.

    Attributes
    ----------
    distance : str
    confidence_level : float
    alpha : float
        Of all raters.
    groups : tuple of RaterGroup
    pairs : tuple of GroupPair
    """

    distance: str
    confidence_level: float
    alpha: float
    groups: tuple[RaterGroup, ...]
    pairs: tuple[GroupPair, ...]

    def records(self) -> list[dict[str, Any]]:
        """Return one flat record for each pair of groups."""
        found = []
        for one in self.pairs:
            record = one.to_dict()
            first, second = record.pop("association")
            found.append(record | {"association_first": first, "association_second": second})
        return found

    @property
    def sentence(self) -> str:
        """The pairs in words."""
        return " ".join(one.sentence for one in self.pairs)

    def document(self) -> Document:
        """Return the result as something to read."""
        within = Table.of(
            self.groups,
            ("group", "name"),
            ("raters", lambda one: len(one.raters)),
            "items",
            ("alpha within", "alpha"),
            ("interval", lambda one: f"{number(one.low)} to {number(one.high)}"),
        )
        across = Table.of(
            self.pairs,
            ("groups", lambda one: f"{one.first}, {one.second}"),
            "items",
            ("across (xRR)", "xrr"),
            ("interval", lambda one: f"{number(one.low)} to {number(one.high)}"),
            "normalised",
            ("p (Holm)", "p_holm"),
        )
        return Document.of(Paragraph(self.sentence), within, across, title="Groups of raters")


def group_agreement(
    ratings: Any,
    groups: Mapping[Any, Any],
    *,
    distance: Any = None,
    confidence_level: float = 0.95,
    n_resamples: int = 999,
    rng: Any = 0,
) -> GroupAgreement:
    """Measure agreement within groups of raters and across each two of them.

    Use it where raters are known to be of several kinds: sites, professions, ages, models and
    people. Which groups there are is not looked for; `rater_camps` does that.

    Parameters
    ----------
    ratings : Ratings, or a table of items × raters
    groups : mapping from a rater to the group
        Raters that it does not name, and those of no group (None), are left out.
    distance : str, Distance or callable, default the one that fits the scale
    confidence_level : float, default 0.95
    n_resamples : int, default 999
        Ways to deal raters into groups, where they are too many to be listed.
    rng : int or numpy.random.Generator

    Returns
    -------
    GroupAgreement

    Raises
    ------
    UnsupportedDesignError
        Fewer than two groups with two raters each, or no item rated by both.

    Notes
    -----
    With r and s ratings of an item by two groups, D_o = Σ (r+s)/(rs) Σ d / Σ (r+s) over items that
    both rated, D_e the mean distance of the two margins, and xRR = 1 - D_o / D_e. Errors are those
    of the delta method over items. The test deals whole raters anew: ratings of one rater are not
    independent of each other.

    References
    ----------
    .. [1] Wong, K., Paritosh, P. & Aroyo, L. (2021). Cross-replication reliability. Proceedings of
       ACL-IJCNLP 2021, 7053-7065. doi:10.18653/v1/2021.acl-long.548
    .. [2] Prabhakaran, V. et al. (2024). GRASP: a disagreement analysis framework to assess group
       associations in perspectives. Proceedings of NAACL 2024, 3473-3492.

    Examples
    --------
    >>> rows = [["a", "a", "b", "b"], ["b", "b", "b", "b"], ["a", "a", "a", "a"]] * 4
    >>> r = Ratings.from_wide(rows, raters=["Ann", "Bob", "Cy", "Dee"])
    >>> found = group_agreement(r, {"Ann": 1, "Bob": 1, "Cy": 2, "Dee": 2})
    >>> round(found.pairs[0].xrr, 3)  # 1 - (1/3) / (5/9)
    0.4
    """
    data = as_ratings(ratings)
    need_independent_items("group_agreement", data.clusters)
    need_one_occasion("group_agreement", data)
    data = data.on_scale_of_words() if distance is None else data
    study = _Study.of(data, distance)
    members = _members(data, groups)
    check_resamples(n_resamples)
    draws = RandomStream.of(rng)
    counts = {name: study.counts(codes) for name, codes in members.items()}
    within = {name: study.alpha(count) for name, count in counts.items()}
    found = [
        _pair(
            study,
            *(_Side(name, members[name], counts[name], within[name]) for name in pair),
            level=confidence_level,
            dealt=(n_resamples, draws),
        )
        for pair in combinations(members, 2)
    ]
    adjusted = holm([one.p_value for one in found])
    every = np.concatenate(list(members.values()))
    return GroupAgreement(
        distance=study.name,
        confidence_level=confidence_level,
        alpha=study.alpha(study.counts(every)).value,
        groups=tuple(
            RaterGroup(
                name=name,
                raters=tuple(data.raters[g] for g in members[name]),
                items=one.n_items,
                alpha=one.value,
                standard_error=one.error,
                **one.limits(confidence_level),
            )
            for name, one in within.items()
        ),
        pairs=tuple(replace(one, p_holm=float(p)) for one, p in zip(found, adjusted, strict=True)),
    )


def _members(data: Ratings, groups: Mapping[Any, Any]) -> dict[Any, Indices]:
    if not isinstance(groups, Mapping):
        raise InputError.expected(
            "groups", "a mapping from rater to group", groups, 'as in {"Ann": "nurses"}'
        )
    told = {label_key(rater): group for rater, group in groups.items()}
    by_text = {str(rater): group for rater, group in groups.items()}
    found: dict[Any, list[int]] = {}
    for g, rater in enumerate(data.raters):
        group = told.get(label_key(rater), by_text.get(str(rater)))
        if group is not None:
            found.setdefault(group, []).append(g)
    some = {name: np.array(codes) for name, codes in found.items() if len(codes) >= _FEWEST}
    if len(some) < _FEWEST:
        sizes = {str(name): len(codes) for name, codes in found.items()}
        raise UnsupportedDesignError.needs(
            "group_agreement",
            "two groups with two raters each",
            f"groups of {sizes}" if sizes else "no rater of the ratings among the groups",
            "name the group of each rater as the ratings name the rater",
        )
    return some


@dataclass(frozen=True)
class _Value:
    """A value with what each item adds to its error."""

    value: float
    influence: Floats
    n_items: int
    observed: float = math.nan
    expected: float = math.nan

    @property
    def error(self) -> float:
        return _error(self.influence, self.n_items)

    def limits(self, level: float) -> dict[str, float]:
        low, high = _limits(self.value, self.error, self.n_items, level)
        return {"low": low, "high": min(high, 1.0)}


def _error(influence: Floats, n: int) -> float:
    if n < 2:
        return math.nan
    return math.sqrt(float((influence**2).sum()) * n / (n - 1.0))


def _limits(value: float, error: float, n: int, level: float) -> tuple[float, float]:
    if not math.isfinite(error):
        return math.nan, math.nan
    wide = float(quantile((1.0 + level) / 2.0, n - 1.0)) * error
    return float(value - wide), float(value + wide)


@dataclass(frozen=True)
class _Study:
    """Who gave which label to which item, and how far labels are apart."""

    name: str
    item: Indices
    rater: Indices
    label: Indices
    n_items: int
    n_raters: int
    d_kl: Floats

    @classmethod
    def of(cls, data: Ratings, distance: Any) -> _Study:
        entries = entries_of("group_agreement", data)
        chosen = get_distance(distance, scale=data.scale)
        space = LabelSpace(data.categories, data.ordered, data.numbers)
        d_kl = np.asarray(chosen.matrix(space, entries.per_label), dtype=np.float64)
        return cls(chosen.name, entries.item, entries.rater, entries.label, entries.n_items,
                   entries.n_raters, d_kl)  # fmt: skip

    def counts(self, raters: Indices) -> Floats:
        """Count labels of some raters: items × labels."""
        among = np.zeros(self.n_raters, dtype=np.bool_)
        among[raters] = True
        mine = among[self.rater]
        q = len(self.d_kl)
        cells = np.bincount(self.item[mine] * q + self.label[mine], minlength=self.n_items * q)
        return cells.reshape(self.n_items, q).astype(np.float64)

    def alpha(self, n_ik: Floats) -> _Value:
        """Return alpha within: D_o = Σ_i Σ n_ik n_il d_kl / (m_i - 1) / N."""
        m = n_ik.sum(axis=1)
        n_ik = n_ik[m >= 2]
        where = np.flatnonzero(m >= 2)
        m = m[m >= 2]
        apart = ((n_ik @ self.d_kl) * n_ik).sum(axis=1) / (m - 1.0)
        total, sums = m.sum(), n_ik.sum(axis=0)
        margin = float(sums @ self.d_kl @ sums)
        if not margin > 0.0:
            return _Value(math.nan, np.zeros(self.n_items), len(m))
        observed, expected = apart.sum() / total, margin / (total * (total - 1.0))
        ratio = observed / expected
        slope = (
            apart / apart.sum() - 2.0 * (n_ik @ self.d_kl @ sums) / margin + m / total
            if apart.sum() > 0
            else np.zeros(len(m))
        )
        influence = np.zeros(self.n_items)
        influence[where] = -ratio * slope
        return _Value(float(1.0 - ratio), influence, len(m), float(observed), float(expected))

    def across(self, x_ik: Floats, y_ik: Floats) -> _Value:
        """Return xRR of two groups; Wong, Paritosh & Aroyo (2021), section 3."""
        r, s = x_ik.sum(axis=1), y_ik.sum(axis=1)
        both = np.flatnonzero((r > 0) & (s > 0))
        x, y, r, s = x_ik[both], y_ik[both], r[both], s[both]
        if not both.size:
            return _Value(math.nan, np.zeros(self.n_items), 0)
        apart = (r + s) / (r * s) * ((x @ self.d_kl) * y).sum(axis=1)
        weight = r + s
        sum_x, sum_y = x.sum(axis=0), y.sum(axis=0)
        margin = float(sum_x @ self.d_kl @ sum_y)
        if not margin > 0.0:
            return _Value(math.nan, np.zeros(self.n_items), both.size)
        observed = apart.sum() / weight.sum()
        expected = margin / (r.sum() * s.sum())
        ratio = observed / expected
        slope = (
            (apart / apart.sum() if apart.sum() > 0 else 0.0)
            - weight / weight.sum()
            - (x @ self.d_kl @ sum_y + y @ self.d_kl @ sum_x) / margin
            + r / r.sum()
            + s / s.sum()
        )
        influence = np.zeros(self.n_items)
        influence[both] = -ratio * slope
        return _Value(float(1.0 - ratio), influence, both.size, float(observed), float(expected))


@dataclass(frozen=True)
class _Side:
    """One group of a pair: its raters, their labels of each item, its alpha."""

    name: Any
    raters: Indices
    n_ik: Floats
    alpha: _Value


def _pair(
    study: _Study, one: _Side, two: _Side, *, level: float, dealt: tuple[int, RandomStream]
) -> GroupPair:
    found = study.across(one.n_ik, two.n_ik)
    if not found.n_items:
        raise UnsupportedDesignError.needs(
            "group_agreement",
            "items that both groups rated",
            f"none of {one.name} and {two.name}",
            "have some items rated by raters of both groups",
        )
    a, b = one.alpha, two.alpha
    normalised, limits = math.nan, (math.nan, math.nan)
    if a.value > 0.0 and b.value > 0.0:
        root = math.sqrt(a.value * b.value)
        normalised = found.value / root
        influence = found.influence / root - normalised / 2.0 * (
            a.influence / a.value + b.influence / b.value
        )
        limits = _limits(normalised, _error(influence, found.n_items), found.n_items, level)
    p_value, exact, ways, smallest = _dealt_anew(study, one.raters, two.raters, found.value, dealt)
    ratios = (a.value / found.value, b.value / found.value) if found.value else (math.nan, math.nan)
    return GroupPair(
        first=one.name,
        second=two.name,
        items=found.n_items,
        observed=found.observed,
        expected=found.expected,
        xrr=found.value,
        standard_error=found.error,
        normalised=normalised,
        normalised_low=limits[0],
        normalised_high=limits[1],
        association=ratios,
        p_value=p_value,
        p_holm=p_value,
        exact=exact,
        ways=ways,
        smallest_p=smallest,
        **found.limits(level),
    )


def _dealt_anew(
    study: _Study, one: Indices, two: Indices, seen: float, dealt: tuple[int, RandomStream]
) -> tuple[float, bool, int, float]:
    """Return p, whether all ways were tried, how many, and the least p there can be."""
    n_resamples, draws = dealt
    every = np.concatenate([one, two])
    size, m = len(one), len(every)
    equal = 2 * size == m  # then each division comes twice
    ways = math.comb(m, size) // (2 if equal else 1)
    everybody = study.counts(every)

    def across(chosen: Indices) -> float:
        x_ik = study.counts(chosen)
        return study.across(x_ik, everybody - x_ik).value

    limit = seen + _EQUAL
    if ways <= _MOST_LISTED:
        divisions = combinations(range(m), size)
        small = [
            across(every[list(chosen)]) <= limit for chosen in divisions if not equal or 0 in chosen
        ]
        return float(sum(small)) / ways, True, ways, 1.0 / ways
    small = [across(every[draws.permutation(m)[:size]]) <= limit for _ in range(n_resamples)]
    p = (1.0 + sum(small)) / (1.0 + n_resamples)
    return p, False, n_resamples, 1.0 / (1.0 + n_resamples)
