"""Which system is preferred: Bradley and Terry's model, with ties and an effect of the place."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, ClassVar, Literal

import numpy as np

from consilience.coefficients import krippendorff_alpha
from consilience.core.arguments import check_word
from consilience.core.arrays import Floats, Ints, symmetric_root
from consilience.core.draws import RandomStream, Seed, check_resamples
from consilience.core.frames import check_columns, columns_of
from consilience.core.interval import Interval, check_confidence_level
from consilience.core.labels import is_missing
from consilience.core.result import Several
from consilience.core.tails import normal_below, quantile
from consilience.core.verdict import Gauge, Verdict
from consilience.core.words import counted, listed, p_text
from consilience.document import Document, Finding, Table
from consilience.document.blocks import found
from consilience.document.records import Recorded
from consilience.exceptions import ConsilienceError, InputError, UnsupportedDesignError
from consilience.ratings import Ratings
from consilience.rows.distinct_rows import clusters_by_keys

# ---- What preferences say: abilities, who is really ahead, and how far the judges agree.


@dataclass(frozen=True, slots=True, kw_only=True)
class Ability(Recorded):
    """One system.

    Attributes
    ----------
    system : object
    value, standard_error : float
        Logarithm of the ability; the mean over systems is 0.
    interval : Interval
    rank : int
    ranks : tuple of int
        Best and worst rank that the comparisons leave open, for all systems at once.
    won, lost, tied : int
    """

    system: object
    value: float
    standard_error: float
    interval: Interval
    rank: int
    ranks: tuple[int, int]
    won: int
    lost: int
    tied: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead(Recorded):
    """One system against another: the difference of abilities.

    Interval and p-value hold for all pairs at once: p is how often the largest of all standardised
    differences would be as large if no two systems differed, and at most 1 - level exactly when 0
    lies outside the interval. `further` is how many more comparisons like these would tell the two
    apart with a power of 80%; None where they are told apart already, or where nothing separates
    them.
    """

    first: object
    second: object
    value: float
    standard_error: float
    interval: Interval
    wins: float
    p_value: float
    further: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeReliability(Recorded):
    """One judge: how often it gives the verdict that most others give on the same pair."""

    judge: object
    verdicts: int
    with_others: float
    with_model: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences(Recorded, Several):
    """Systems put in order by pairwise verdicts.

    Attributes
    ----------
    systems : tuple of Ability
        Best first.
    leads : tuple of Lead
        Every pair, the better one first.
    order_effect : tuple of (value, standard error, p) or None
        The advantage of the first place, as a logarithm of odds.
    ties : float
        Davidson's tie parameter nu; 0 without ties.
    deviance, degrees_of_freedom : float, int
    circular : tuple of int
        Circular triads among the majorities, and triads in all.
    judges : tuple of JudgeReliability
    agreement : float or None
        Krippendorff's alpha of the judges over the same pairs.
    """

    unrecorded: ClassVar[tuple[str, ...]] = (
        "circular",
        "confidence_level",
        "seed",
        "findings",
        "covariance",
    )
    renamed: ClassVar[Mapping[str, str]] = {
        "n_comparisons": "comparisons",
        "n_clusters": "clusters",
    }

    systems: tuple[Ability, ...]
    leads: tuple[Lead, ...]
    order_effect: tuple[float, float, float] | None
    ties: float
    deviance: float
    degrees_of_freedom: int
    log_likelihood: float
    n_comparisons: int
    n_clusters: int | None
    circular: tuple[int, int]
    judges: tuple[JudgeReliability, ...]
    agreement: float | None
    agreement_interval: Interval | None
    method: str
    confidence_level: float
    seed: int | None
    findings: tuple[Finding, ...] = ()
    covariance: Floats | None = field(default=None, repr=False, compare=False)

    def __getitem__(self, system: object) -> Ability:
        for one in self.systems:
            if str(one.system) == str(system):
                return one
        raise KeyError(system)

    @property
    def verdict(self) -> Verdict:
        """Which system is really ahead."""
        best = self.systems[0]
        alone = best.ranks == (1, 1)
        told = f"{best.system!s} comes first of {counted(len(self.systems), 'system')}"
        if alone:
            return Verdict(
                code="ahead",
                message=f"{told}, and no other can be first: that holds for all comparisons at "
                "once.",
                next="Report the ranks with their intervals.",
                gravity="good",
                gauge=self._gauge(),
            )
        rivals = [str(one.system) for one in self.systems[1:] if one.ranks[0] == 1]
        further = [x.further for x in self.leads if x.first == best.system and x.further]
        more = ""
        if further:
            more = f" About {min(further):,} more comparisons would tell the nearest two apart."
        return Verdict(
            code="not_told_apart",
            message=f"{told}, but {listed(rivals)} may be as good or better.{more}",
            next="Do not announce a winner yet: compare more, or call them equal.",
            gauge=self._gauge(),
        )

    def _gauge(self) -> Gauge:
        """The lead of the first system over the second."""
        best, other = self.systems[0].system, self.systems[1].system
        lead = next(x for x in self.leads if (x.first, x.second) == (best, other))
        name = f"lead of {best!s} over {other!s} (log odds)"
        return Gauge.of(name, lead.value, lead.interval, marks=((0.0, "equal"),), axis=(-0.5, 0.5))

    def _beside(self) -> dict[str, Any]:
        effect = self.order_effect
        names = ("value", "standard_error", "p_value")
        return {
            "order_effect": None if effect is None else dict(zip(names, effect, strict=True)),
            "circular_triads": self.circular[0],
            "triads": self.circular[1],
        }

    def document(self) -> Document:
        """Return the order, the leads and the judges."""
        return Document.of(
            self._sizes(),
            self._order(),
            self._leads(),
            self._judges(),
            findings=self.findings,
            verdict=self.verdict,
        )

    def _sizes(self) -> str:
        text = f"{counted(self.n_comparisons, 'comparison')}"
        if self.n_clusters is not None:
            text += f" of {counted(self.n_clusters, 'item')}"
        text += f"; intervals by {self.method}. Bradley-Terry model"
        text += ", Davidson's ties" if self.ties else ""
        text += ", with an effect of the place" if self.order_effect else ""
        text += f": deviance {self.deviance:.3f} on {self.degrees_of_freedom} degrees of freedom."
        if self.order_effect is not None:
            value, error, p = self.order_effect
            text += (
                f" The first place is worth {value:.3f} (standard error {error:.3f}, "
                f"p {p_text(p)})."
            )
        return text

    def _order(self) -> Table:
        def rank(best: int, worst: int) -> str:
            return f"{best} to {worst}" if best != worst else f"{best}"

        return Table.of(
            self.systems,
            "system!s",
            "won",
            "tied",
            "lost",
            "ability: value",
            "interval",
            ("rank", lambda one: rank(*one.ranks)),
            caption="Systems, best first",
            note="rank: what all comparisons together leave open.",
        )

    def _leads(self) -> Table:
        return Table.of(
            self.leads,
            ("pair", lambda one: f"{one.first!s} over {one.second!s}"),
            "wins",
            "lead: value",
            "interval",
            "p: p_value!p",
            "more to tell: further",
            caption="Who is really ahead",
            note="wins: how often the first would be preferred, ties left out.",
            detail=len(self.leads) > 10,
        )

    def _judges(self) -> Table:
        note = ""
        if self.agreement is not None and not math.isnan(self.agreement):
            note = f"Krippendorff's alpha over the same pairs: {self.agreement:.3f}."
        return Table.of(
            self.judges,
            "judge!s",
            "verdicts",
            "as most others: with_others",
            "as the model: with_model",
            caption="Judges",
            note=note,
        )


# ---- The likelihood of Bradley and Terry's model, with Davidson's ties and an order effect.
#
# Of two systems shown as first a and second b, with abilities as logarithms,
#
#     first wins:   exp(s_a + g)
#     second wins:  exp(s_b)
#     a tie:        exp(t + (s_a + s_b + g) / 2)
#
# each over the sum of the three (Davidson 1970; Davidson and Beaver 1977). g is the advantage of
# the first place, t says how frequent ties are; without ties the third line is left out.

Score = tuple[float, Floats, Floats]  # log-likelihood, gradient, information
FIRST, SECOND, TIE = 0, 1, 2
_MOST_STEPS = 100
_CLOSE = 1e-11
_FAR = 30.0  # an ability this far from the others is beyond any


@dataclass(frozen=True)
class Comparisons:
    """Counts of outcomes by who was shown first and who second.

    `wins` are rows (first, second) x (first wins, second wins, tie).
    """

    first: Ints
    second: Ints
    wins: Floats
    n_systems: int

    @property
    def total(self) -> float:
        """Number of comparisons."""
        return float(self.wins.sum())


@dataclass(frozen=True)
class FittedAbilities:
    """Abilities (their mean is 0), order effect, tie parameter, and the covariance of all."""

    abilities: Floats
    order: float
    tie: float
    covariance: Floats
    log_likelihood: float
    deviance: float
    degrees_of_freedom: int


def design(data: Comparisons, *, ties: bool, order: bool) -> Floats:
    """Return the linear predictors' design: rows x 3 outcomes x parameters.

    Parameters are the abilities of all systems but the first, then the order effect, then ties.
    """
    n, rows = data.n_systems, data.first.size
    x = np.zeros((rows, 3, n + 2))
    k = np.arange(rows)
    x[k, FIRST, data.first] = 1.0
    x[k, SECOND, data.second] = 1.0
    x[k, TIE, data.first] += 0.5
    x[k, TIE, data.second] += 0.5
    x[:, FIRST, n] = 1.0
    x[:, TIE, n] = 0.5
    x[:, TIE, n + 1] = 1.0
    kept = [*range(1, n), *([n] if order else []), *([n + 1] if ties else [])]
    return x[:, :, kept]


def fit(
    data: Comparisons, *, ties: bool, order: bool, start: Floats | None = None
) -> FittedAbilities:
    """Maximise the likelihood by Newton's method; it is concave."""
    x = design(data, ties=ties, order=order)
    use = 3 if ties else 2
    x, wins = x[:, :use], data.wins[:, :use]
    b = np.zeros(x.shape[2]) if start is None else start.copy()
    score = _score(x, wins, b)
    for _ in range(_MOST_STEPS):
        step = _solve(score[2], score[1])
        size = 1.0
        new = _score(x, wins, b + step)
        while new[0] < score[0] - 1e-12 * abs(score[0]) and size > 1e-8:
            size /= 2.0
            new = _score(x, wins, b + size * step)
        b = b + size * step
        score = new
        if np.abs(step).max(initial=0.0) * size < _CLOSE:
            break
        if np.abs(b).max(initial=0.0) > _FAR:
            break
    return _fitted(data, wins, b, score, ties=ties, order=order)


def _score(x: Floats, wins: Floats, b: Floats) -> Score:
    """Return the log-likelihood, its gradient and the information."""
    eta = x @ b
    eta = eta - eta.max(axis=1, keepdims=True)
    p = np.exp(eta)
    norm = p.sum(axis=1, keepdims=True)
    p /= norm
    n = wins.sum(axis=1)
    value = float((wins * (eta - np.log(norm))).sum())
    gradient = np.einsum("ro,rop->p", wins - n[:, None] * p, x)
    mean = np.einsum("ro,rop->rp", p, x)
    spread = x - mean[:, None, :]
    information = np.einsum("ro,rop,roq->pq", n[:, None] * p, spread, spread)
    return value, gradient, information


def _solve(information: Floats, gradient: Floats) -> Floats:
    try:
        return np.asarray(np.linalg.solve(information, gradient), dtype=np.float64)
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.lstsq(information, gradient, rcond=None)[0])


def _fitted(
    data: Comparisons, wins: Floats, b: Floats, score: Score, *, ties: bool, order: bool
) -> FittedAbilities:
    log_likelihood, _, information = score
    n = data.n_systems
    raw = np.concatenate([[0.0], b[: n - 1]])
    # From abilities against the first system to abilities against the mean of all.
    centre = np.eye(n) - 1.0 / n
    size = n + int(order) + int(ties)
    full = np.zeros((size, size))
    full[1:, 1:] = np.linalg.pinv(information, hermitian=True)
    turn = np.eye(size)
    turn[:n, :n] = centre
    total = wins.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        own = np.where(wins > 0, wins * np.log(wins / total), 0.0)
    used = (total[:, 0] > 0).sum()
    freedom = int(used) * (wins.shape[1] - 1) - b.size
    at = n - 1
    return FittedAbilities(
        abilities=centre @ raw,
        order=float(b[at]) if order else 0.0,
        tie=float(b[at + int(order)]) if ties else -math.inf,
        covariance=turn @ full @ turn.T,
        log_likelihood=log_likelihood,
        deviance=2.0 * (float(own.sum()) - log_likelihood),
        degrees_of_freedom=freedom,
    )


def check_connected(data: Comparisons, names: tuple[object, ...]) -> None:
    """Refuse comparisons in which some systems never lose to, or never win against, the others.

    Ford (1957): abilities are finite if, and only if, in every split of the systems into two groups
    some of the second is beaten by some of the first.
    """
    beats = np.zeros((data.n_systems, data.n_systems), dtype=np.bool_)
    np.logical_or.at(beats, (data.first, data.second), (data.wins[:, [FIRST, TIE]] > 0).any(axis=1))
    np.logical_or.at(
        beats, (data.second, data.first), (data.wins[:, [SECOND, TIE]] > 0).any(axis=1)
    )
    reach = beats | np.eye(data.n_systems, dtype=np.bool_)
    for k in range(data.n_systems):
        reach |= reach[:, [k]] & reach[[k], :]
    apart = ~(reach & reach.T)
    if apart.any():
        i, j = (int(k) for k in np.argwhere(apart)[0])
        raise UnsupportedDesignError.needs(
            "abilities of systems",
            "each of them to win and to lose against the others, directly or by way of some",
            f"{names[i]!s} and {names[j]!s}, of which one never does",
            "leave out systems that always win or always lose, or compare more",
        )


# ---- Verdicts on pairs, one by one: counts for the model, and how far judges agree.


@dataclass(frozen=True)
class Votes:
    """Verdicts on pairs, one entry each: who was first, who second, what came out, by whom."""

    names: tuple[object, ...]
    first: Ints
    second: Ints
    outcome: Ints
    judge: tuple[object, ...] | None
    item: Ints | None

    def counted(self, weight: Floats | None = None, *, ordered: bool = True) -> Comparisons:
        """Count outcomes by pair; `weight` says how often each verdict counts."""
        n = len(self.names)
        turned = np.zeros(self.first.size, dtype=np.bool_) if ordered else self.first > self.second
        first = np.where(turned, self.second, self.first)
        second = np.where(turned, self.first, self.second)
        other = np.array([SECOND, FIRST, TIE])
        outcome = np.where(turned, other[self.outcome], self.outcome)
        pairs, place = np.unique(first * n + second, return_inverse=True)
        wins = np.zeros((pairs.size, 3))
        np.add.at(wins, (place, outcome), 1.0 if weight is None else weight)
        return Comparisons(pairs // n, pairs % n, wins, n)


def circular_triads(votes: Votes) -> tuple[int, int]:
    """Count triads whose majorities go round in a circle: Kendall and Babington Smith (1940)."""
    n = len(votes.names)
    wins = np.zeros((n, n))
    first = votes.outcome == FIRST
    second = votes.outcome == SECOND
    np.add.at(wins, (votes.first[first], votes.second[first]), 1.0)
    np.add.at(wins, (votes.second[second], votes.first[second]), 1.0)
    ahead = wins > wins.T
    decided = ahead | ahead.T
    circular = total = 0
    for i, j, k in combinations(range(n), 3):
        if decided[i, j] and decided[j, k] and decided[i, k]:
            total += 1
            circular += bool(ahead[i, j] == ahead[j, k] == ahead[k, i])
    return circular, total


def judged_by(
    votes: Votes, model: FittedAbilities, level: float
) -> tuple[tuple[JudgeReliability, ...], float | None, Interval | None]:
    """Return how far judges agree with each other and with the fitted order."""
    if votes.judge is None or len(set(votes.judge)) < 2:
        return (), None, None
    pair = [
        tuple(sorted(one)) for one in zip(votes.first.tolist(), votes.second.tolist(), strict=True)
    ]
    asked = votes.item.tolist() if votes.item is not None else [0] * len(pair)
    winner = np.where(
        votes.outcome == TIE, -1, np.where(votes.outcome == FIRST, votes.first, votes.second)
    )
    keys = list(zip(asked, pair, strict=True))
    given: dict[tuple[Any, Any], list[tuple[object, int]]] = {}
    for key, who, won in zip(keys, votes.judge, winner.tolist(), strict=True):
        given.setdefault(key, []).append((who, won))
    rows = [_reliability(name, given, model) for name in sorted(set(votes.judge), key=str)]
    if votes.item is None:
        return tuple(rows), None, None
    long = {
        "item": [str(key) for key in keys],
        "rater": list(votes.judge),
        "label": [str(x) for x in winner.tolist()],
    }
    try:
        ratings = Ratings.from_long(long, duplicates="first")
        alpha = krippendorff_alpha(ratings, on_undefined="ignore")
        return tuple(rows), alpha.value, alpha.confidence_interval(level)
    except ConsilienceError:
        return tuple(rows), None, None


def _reliability(
    name: object, given: dict[tuple[Any, Any], list[tuple[object, int]]], model: FittedAbilities
) -> JudgeReliability:
    same = others = with_model = decided = verdicts = 0
    for (_, (a, b)), said in given.items():
        own = [won for who, won in said if who == name]
        rest = Counter(won for who, won in said if who != name)
        favourite = a if model.abilities[a] >= model.abilities[b] else b
        for won in own:
            verdicts += 1
            decided += won >= 0
            with_model += won == favourite
            top = [x for x, n in rest.items() if n == max(rest.values())] if rest else []
            if len(top) == 1:
                others += 1
                same += won == top[0]
    return JudgeReliability(
        judge=name,
        verdicts=verdicts,
        with_others=same / others if others else math.nan,
        with_model=with_model / decided if decided else math.nan,
    )


# ---- From a table of verdicts to the order of the systems.

_FIRST = ("first", "a", "left", "1", "model_a", "answer_a", "assistant_a", "response_a", "win")
_SECOND = ("second", "b", "right", "2", "model_b", "answer_b", "assistant_b", "response_b", "loss")
_TIES = ("tie", "draw", "both", "neither", "same", "equal", "c", "tie (bothbad)", "bothbad")
_N_DRAWS = 20_000
_POWER = 0.8
_LEVEL = 0.05


def preferences(
    data: Any,
    *,
    first: str = "first",
    second: str = "second",
    winner: str = "winner",
    judge: str | None = None,
    item: str | None = None,
    order_effect: bool | None = None,
    method: Literal["likelihood", "bootstrap"] = "likelihood",
    n_resamples: int = 499,
    confidence_level: float = 0.95,
    rng: Seed = 0,
) -> Preferences:
    """Put systems in order by verdicts on pairs of their answers.

    Use it to ask which system is really ahead. Verdicts on the same item by several judges are
    dependent: name the item, and intervals come from resampling items.

    Parameters
    ----------
    data : dataframe, columns by name, or records
        One row per verdict.
    first, second, winner : names of columns
        Who was shown first and second, and who won: a system's name, "first" or "second" (also A
        and B, left and right, model_a and model_b), or "tie".
    judge, item : names of columns, optional
        Who judged, and what was asked.
    order_effect : bool, optional
        Whether the first place may have an advantage; default where pairs were shown both ways.
    method : {"likelihood", "bootstrap"}
        How intervals are made; with `item`, bootstrap resamples items.
    n_resamples : int, default 499
    confidence_level : float, default 0.95
    rng : int or numpy.random.Generator, default 0

    Returns
    -------
    Preferences

    Examples
    --------
    >>> rows = [("new", "old", "first")] * 16 + [("new", "old", "second")] * 6
    >>> rows += [("old", "new", "first")] * 8 + [("old", "new", "second")] * 14
    >>> rows += [("new", "old", "tie")] * 4
    >>> votes = [dict(zip(("first", "second", "winner"), row)) for row in rows]
    >>> found = preferences(votes)
    >>> [one.system for one in found.systems], found.n_comparisons
    (['new', 'old'], 48)
    """
    level = check_confidence_level(confidence_level)
    check_word("method", method, ("likelihood", "bootstrap"))
    check_resamples(n_resamples)
    votes = _votes(data, first=first, second=second, winner=winner, judge=judge, item=item)
    whole = votes.counted()
    check_connected(whole, votes.names)
    ties = bool(whole.wins[:, TIE].any())
    order = _shown_both_ways(whole) if order_effect is None else order_effect
    whole = votes.counted(ordered=order)
    model = fit(whole, ties=ties, order=order)
    covariance = model.covariance
    if method == "bootstrap":
        covariance = _resampled(votes, n_resamples, ties=ties, order=order, rng=rng)
    n = len(votes.names)
    best = np.argsort(-model.abilities, kind="stable")
    own = covariance[:n, :n]
    reach, leads = _leads(votes.names, model, own, total=whole.total, level=level)
    tally = _tally(votes)
    z = quantile(0.5 + level / 2.0, None)
    errors = np.sqrt(np.maximum(np.diag(covariance), 0.0)).tolist()
    values = model.abilities.tolist()
    systems = tuple(
        Ability(
            system=votes.names[k],
            value=values[k],
            standard_error=errors[k],
            interval=Interval(values[k] - z * errors[k], values[k] + z * errors[k], level, method),
            rank=place,
            ranks=_ranks(k, model.abilities, own, reach),
            won=tally[k][0],
            lost=tally[k][1],
            tied=tally[k][2],
        )
        for place, k in enumerate(best.tolist(), 1)
    )
    effect = None
    if order:
        error = errors[n]
        p = 2.0 * normal_below(-abs(model.order) / error) if error else math.nan
        effect = (model.order, error, p)
    judges, alpha, interval = judged_by(votes, model, level)
    circular = circular_triads(votes)
    return Preferences(
        systems=systems,
        leads=leads,
        order_effect=effect,
        ties=math.exp(model.tie) if math.isfinite(model.tie) else 0.0,
        deviance=model.deviance,
        degrees_of_freedom=model.degrees_of_freedom,
        log_likelihood=model.log_likelihood,
        n_comparisons=int(votes.first.size),
        n_clusters=None if votes.item is None else int(votes.item.max()) + 1,
        circular=circular,
        judges=judges,
        agreement=alpha,
        agreement_interval=interval,
        method=method,
        confidence_level=level,
        seed=rng if isinstance(rng, int) else None,
        findings=_findings(effect, circular, votes, method),
        covariance=covariance,
    )


def _shown_both_ways(data: Comparisons) -> bool:
    pairs = set(zip(data.first.tolist(), data.second.tolist(), strict=True))
    return any((b, a) in pairs for a, b in pairs)


def _resampled(votes: Votes, n: int, *, ties: bool, order: bool, rng: Seed) -> Floats:
    """Return the covariance of the parameters over resamples of items, or of verdicts."""
    draw = RandomStream.of(rng)
    unit = np.arange(votes.first.size) if votes.item is None else votes.item
    n_units = int(unit.max()) + 1
    drawn = []
    for _ in range(n):
        times = np.bincount(draw.integers(n_units, n_units), minlength=n_units)
        data = votes.counted(times[unit].astype(np.float64), ordered=order)
        try:
            check_connected(data, votes.names)
        except ConsilienceError:
            continue
        one = fit(data, ties=ties and bool(data.wins[:, TIE].any()), order=order)
        tie = one.tie if math.isfinite(one.tie) else 0.0
        drawn.append([*one.abilities, *([one.order] if order else []), *([tie] if ties else [])])
    if len(drawn) < max(10, n // 2):
        raise InputError.expected(
            "the comparisons",
            "enough to resample",
            f"{len(drawn)} of {n} resamples with an order",
            'take method="likelihood"',
        )
    return np.atleast_2d(np.cov(np.array(drawn).T))


# ---- the table


def _votes(
    data: Any, *, first: str, second: str, winner: str, judge: str | None, item: str | None
) -> Votes:
    columns = columns_of(_by_column(data))
    if columns is None:
        raise InputError.expected(
            "data",
            "a dataframe, columns by name, or records",
            type(data).__name__,
            "give one row per verdict",
        )
    table = {str(name): list(column) for name, column in check_columns(columns).items()}
    for name in (first, second, winner, judge, item):
        if name is not None and name not in table:
            raise InputError.unknown_word("the column", name, list(table))
    kept = [k for k, x in enumerate(table[winner]) if x is not None and not is_missing(x)]
    a, b = ([table[name][k] for k in kept] for name in (first, second))
    names = tuple(sorted(dict.fromkeys([*a, *b]), key=str))  # in whatever order they came
    if len(names) < 2:
        raise InputError.expected("the systems", "two or more", f"{len(names)}", "look at the data")
    place = {str(name): k for k, name in enumerate(names)}
    outcome = [_outcome(table[winner][k], x, y, k) for k, x, y in zip(kept, a, b, strict=True)]
    who = np.zeros(len(kept), dtype=np.intp)
    if judge is not None:
        judges = [str(table[judge][k]) for k in kept]
        who = np.unique(judges, return_inverse=True)[1]
    keys = [who, np.array(outcome), *(np.array([place[str(x)] for x in one]) for one in (b, a))]
    order = np.lexsort(keys)  # the order of rows decides nothing either
    of_item = None
    if item is not None:
        number: dict[str, int] = {}
        codes = [number.setdefault(str(table[item][k]), len(number)) for k in kept]
        of_item = clusters_by_keys(keys, np.array(codes, dtype=np.int64))
        order = np.lexsort([*keys, of_item])
    return Votes(
        names=names,
        first=keys[3][order],
        second=keys[2][order],
        outcome=keys[1][order],
        judge=None if judge is None else tuple(table[judge][kept[k]] for k in order),
        item=None if of_item is None else of_item[order],
    )


def _by_column(data: Any) -> Any:
    """Return records as columns; anything else as it is."""
    if not isinstance(data, list) or not data or not all(isinstance(x, Mapping) for x in data):
        return data
    names = dict.fromkeys(name for row in data for name in row)
    return {name: [row.get(name) for row in data] for name in names}


def _outcome(winner: object, first: object, second: object, row: int) -> int:
    if str(first) == str(second):
        raise InputError.expected(
            f"row {row + 1}", "two different systems", str(first), "leave the row out"
        )
    word = str(winner).strip()
    if word in (str(first), str(second)):
        return FIRST if word == str(first) else SECOND
    small = word.casefold()
    for code, words in ((FIRST, _FIRST), (SECOND, _SECOND), (TIE, _TIES)):
        if small in words:
            return code
    raise InputError.expected(
        f"the winner in row {row + 1}",
        f"{first!s}, {second!s}, first, second or tie",
        word,
        "write who won, or tie",
    )


# ---- what follows


def _leads(
    names: Sequence[object], model: FittedAbilities, own: Floats, *, total: float, level: float
) -> tuple[float, tuple[Lead, ...]]:
    """Return every pair, and the quantile that holds for all differences at once."""
    pairs = list(combinations(np.argsort(-model.abilities, kind="stable").tolist(), 2))
    values = np.array([model.abilities[i] - model.abilities[j] for i, j in pairs])
    spread = np.array([own[i, i] + own[j, j] - 2.0 * own[i, j] for i, j in pairs])
    errors = np.sqrt(np.maximum(spread, 0.0))
    with np.errstate(invalid="ignore", divide="ignore"):
        z = np.where(errors > 0.0, values / errors, np.nan)
    largest = _largest(own, pairs, errors)
    reach = quantile(0.5 + level / 2.0, None)
    if largest is not None:  # the order statistic that makes limits and p-values say the same
        reach = float(largest[-max(1, math.floor((largest.size + 1) * (1.0 - level) + 1e-9))])
    leads = [
        Lead(
            first=names[i],
            second=names[j],
            value=float(v),
            standard_error=float(e),
            interval=Interval(float(v - reach * e), float(v + reach * e), level, "simultaneous"),
            wins=1.0 / (1.0 + math.exp(-float(v))),
            p_value=_p_of_largest(float(z[k]), largest, len(pairs)),
            further=_further(float(z[k]), reach, total),
        )
        for k, ((i, j), v, e) in enumerate(zip(pairs, values, errors, strict=True))
    ]
    return reach, tuple(leads)


def _largest(own: Floats, pairs: Sequence[tuple[int, int]], errors: Floats) -> Floats | None:
    """Return draws of the largest of all standardised differences, sorted; None: of one pair."""
    if len(pairs) == 1:
        return None
    draw = RandomStream.of(0)
    drawn = draw.normal((_N_DRAWS, own.shape[0])) @ symmetric_root(own)
    first, second = np.array(pairs).T
    safe = np.where(errors > 0.0, errors, np.inf)
    return np.sort(np.abs((drawn[:, first] - drawn[:, second]) / safe).max(axis=1))


def _p_of_largest(z: float, largest: Floats | None, n_pairs: int) -> float:
    """Return how often the largest of all differences would be as far from 0 as this one."""
    if not math.isfinite(z):
        return math.nan
    alone = 2.0 * normal_below(-abs(z))
    if largest is None:
        return alone
    beyond = largest.size - int(np.searchsorted(largest, abs(z), side="left"))
    # Beyond all draws Bonferroni's bound tells more.
    return (
        min(n_pairs * alone, 1.0 / (largest.size + 1.0))
        if beyond == 0
        else (1.0 + beyond) / (largest.size + 1.0)
    )


def _further(z: float, reach: float, total: float) -> int | None:
    """Return how many more comparisons like these would tell two systems apart."""
    if not math.isfinite(z) or abs(z) >= reach or z == 0.0:
        return None
    needed = (reach + quantile(_POWER, None)) ** 2
    return max(math.ceil(total * (needed / z**2 - 1.0)), 1)


def _ranks(k: int, abilities: Floats, own: Floats, reach: float) -> tuple[int, int]:
    """Return the ranks that the simultaneous intervals leave open: Mogstad et al. (2024)."""
    spread = np.diag(own) + own[k, k] - 2.0 * own[k]
    distance = (abilities - abilities[k]) / np.sqrt(np.where(spread > 0.0, spread, np.inf))
    above, below = int((distance > reach).sum()), int((distance < -reach).sum())
    return 1 + above, abilities.size - below


def _tally(votes: Votes) -> list[tuple[int, int, int]]:
    won: Counter[int] = Counter()
    lost: Counter[int] = Counter()
    tied: Counter[int] = Counter()
    columns = (votes.first.tolist(), votes.second.tolist(), votes.outcome.tolist())
    for a, b, outcome in zip(*columns, strict=True):
        if outcome == TIE:
            tied.update((a, b))
        else:
            won[a if outcome == FIRST else b] += 1
            lost[b if outcome == FIRST else a] += 1
    return [(won[k], lost[k], tied[k]) for k in range(len(votes.names))]


def _findings(
    effect: tuple[float, float, float] | None,
    circular: tuple[int, int],
    votes: Votes,
    method: str,
) -> tuple[Finding, ...]:
    value, _, p_value = effect or (0.0, 0.0, 1.0)
    share_items = votes.item is not None and votes.first.size > int(votes.item.max()) + 1
    return found(
        (
            p_value < _LEVEL,
            "position_bias",
            "caution",
            f"The {'first' if value > 0 else 'second'} place has an advantage "
            f"(p {p_text(p_value)}): judges follow the place as well as the answer.",
            "Show every pair in both orders; the abilities allow for it.",
            {"order_effect": value, "p_value": p_value},
        ),
        (
            circular[0],
            "preferences_go_round",
            "info",
            f"{circular[0]} of {circular[1]} triads of systems go round in a circle: A beats B, B "
            "beats C, C beats A.",
            "One number for each system does not describe such preferences.",
        ),
        (
            share_items and method == "likelihood",
            "verdicts_share_items",
            "info",
            "Several verdicts are about the same item, and intervals by likelihood take them as "
            "independent.",
            'Take method="bootstrap", which resamples items.',
        ),
    )
