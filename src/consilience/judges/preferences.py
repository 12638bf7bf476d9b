"""Which system is preferred: Bradley and Terry's model, with ties and an effect of the place."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, Literal

import numpy as np

from consilience.core.arrays import Floats, symmetric_root
from consilience.core.checks import check_word
from consilience.core.draws import RandomStream
from consilience.core.frames import check_columns, columns_of
from consilience.core.interval import Interval, check_confidence_level
from consilience.core.labels import is_missing
from consilience.core.resample import Seed, check_resamples
from consilience.core.tails import normal_below, quantile
from consilience.core.words import p_text
from consilience.document import Finding, found
from consilience.exceptions import ConsilienceError, InputError
from consilience.inference import holm
from consilience.judges.pair_verdicts import Votes, circular_triads, judged_by
from consilience.judges.paired_comparisons import (
    FIRST,
    SECOND,
    TIE,
    Comparisons,
    Fit,
    check_connected,
    fit,
)
from consilience.judges.preference_results import (
    Ability,
    Lead,
    Preferences,
    normal_interval,
)
from consilience.rows.distinct_rows import clusters_by_keys

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
    seed = rng if isinstance(rng, int) else None
    return _found(votes, model, covariance, whole, order=order, level=level, method=method,
                  seed=seed)  # fmt: skip


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
        drawn.append([*one.abilities, *([one.order] if order else []),
                      *([one.tie if math.isfinite(one.tie) else 0.0] if ties else [])])  # fmt: skip
    if len(drawn) < max(10, n // 2):
        raise InputError.expected(
            "the comparisons", "enough to resample", f"{len(drawn)} of {n} resamples with an order",
            'take method="likelihood"',
        )  # fmt: skip
    return np.atleast_2d(np.cov(np.array(drawn).T))


# -------------------------------------------------------------------- the table


def _votes(
    data: Any, *, first: str, second: str, winner: str, judge: str | None, item: str | None
) -> Votes:
    columns = columns_of(_by_column(data))
    if columns is None:
        raise InputError.expected(
            "data", "a dataframe, columns by name, or records", type(data).__name__,
            "give one row per verdict",
        )  # fmt: skip
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
        f"the winner in row {row + 1}", f"{first!s}, {second!s}, first, second or tie", word,
        "write who won, or tie",
    )  # fmt: skip


# -------------------------------------------------------------------- what follows


def _found(
    votes: Votes,
    model: Fit,
    covariance: Floats,
    data: Comparisons,
    *,
    order: bool,
    level: float,
    method: str,
    seed: int | None,
) -> Preferences:
    n = len(votes.names)
    best = np.argsort(-model.abilities, kind="stable")
    own = covariance[:n, :n]
    reach, leads = _leads(votes.names, model, own, total=data.total, level=level)
    tally = _tally(votes)
    systems = tuple(
        Ability(
            system=votes.names[k],
            value=float(model.abilities[k]),
            standard_error=math.sqrt(max(float(own[k, k]), 0.0)),
            interval=normal_interval(float(model.abilities[k]),
                                     math.sqrt(max(float(own[k, k]), 0.0)), level, method),
            rank=place,
            ranks=_ranks(k, model.abilities, own, reach),
            won=tally[k][0], lost=tally[k][1], tied=tally[k][2],
        )
        for place, k in enumerate(best.tolist(), 1)
    )  # fmt: skip
    effect = None
    if order:
        error = math.sqrt(max(float(covariance[n, n]), 0.0))
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
        seed=seed,
        findings=_findings(effect, circular, votes, method),
        covariance=covariance,
    )


def _leads(
    names: Sequence[object], model: Fit, own: Floats, *, total: float, level: float
) -> tuple[float, tuple[Lead, ...]]:
    """Return every pair, and the quantile that holds for all differences at once."""
    pairs = list(combinations(np.argsort(-model.abilities, kind="stable").tolist(), 2))
    values = np.array([model.abilities[i] - model.abilities[j] for i, j in pairs])
    spread = np.array([own[i, i] + own[j, j] - 2.0 * own[i, j] for i, j in pairs])
    errors = np.sqrt(np.maximum(spread, 0.0))
    with np.errstate(invalid="ignore", divide="ignore"):
        z = np.where(errors > 0.0, values / errors, np.nan)
    p = [2.0 * normal_below(-abs(x)) if math.isfinite(x) else math.nan for x in z]
    adjusted = holm(p)
    reach = _simultaneous(own, pairs, errors, level)
    leads = [
        Lead(
            first=names[i], second=names[j], value=float(v), standard_error=float(e),
            interval=Interval(float(v - reach * e), float(v + reach * e), level, "simultaneous"),
            wins=1.0 / (1.0 + math.exp(-float(v))), p_value=p[k], p_holm=float(adjusted[k]),
            further=_further(float(z[k]), reach, total),
        )
        for k, ((i, j), v, e) in enumerate(zip(pairs, values, errors, strict=True))
    ]  # fmt: skip
    return reach, tuple(leads)


def _simultaneous(
    own: Floats, pairs: Sequence[tuple[int, int]], errors: Floats, level: float
) -> float:
    """Return the quantile of the largest of all standardised differences, by drawing them."""
    if len(pairs) == 1:
        return quantile(0.5 + level / 2.0, None)
    draw = RandomStream.of(0)
    drawn = draw.normal((_N_DRAWS, own.shape[0])) @ symmetric_root(own)
    first, second = np.array(pairs).T
    safe = np.where(errors > 0.0, errors, np.inf)
    largest = np.abs((drawn[:, first] - drawn[:, second]) / safe).max(axis=1)
    return float(np.quantile(largest, level))


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
