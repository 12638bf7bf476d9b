"""Methods for units against their definitions, worked out the slow way on small random records."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from consilience.units import (
    Units,
    alpha_u,
    best_alignment,
    boundary_similarity,
    pk,
    quasi_kappa,
    span_f1,
    time_kappa,
    unitizing_alpha,
    window_diff,
    window_pr,
)

Record = list[tuple[Any, int, int]]
ROUNDING = 1e-9
NIL = "nil"


def record(rng: random.Random, length: int, labels: Any = "xyz") -> Record:
    """Units one after the other, with gaps here and there; at least one."""
    out: Record = []
    at = rng.randint(0, 3)
    while at < length:
        n = rng.randint(1, 6)
        if at + n > length:
            break
        if rng.random() < 0.7:
            out.append((rng.choice(labels), at, at + n))
        at += n + rng.choice([0, 0, 1, 3])
    return out or [(labels[0], 0, 1)]


def units_of(records: list[Record], **options: Any) -> Units:
    rows = [(f"r{k}", *unit) for k, one in enumerate(records) for unit in one]
    return Units.from_records(rows, **options)


def cohen(table: Any) -> float:
    n, seen = table.sum(), np.trace(table) / table.sum()
    chance = float((table.sum(axis=0) * table.sum(axis=1)).sum() / n**2)
    return float((seen - chance) / (1 - chance)) if chance < 1 else math.nan


# ---------------------------------------------------------------- time


def second_by_second(records: list[Record], length: int) -> list[list[Any]]:
    out = []
    for one in records:
        line = [NIL] * length
        for label, start, end in one:
            line[start:end] = [label] * (end - start)
        out.append(line)
    return out


def tolerant_table(lines: list[list[Any]], k: int, reference: int) -> Any:
    names = ["x", "y", "z", NIL]
    table = np.zeros((4, 4))
    for t in range(len(lines[0])):
        pair = [lines[0][t], lines[1][t]]
        nearby = lines[1 - reference][max(0, t - k) : t + k + 1]
        if pair[reference] in nearby:
            pair[1 - reference] = pair[reference]
        table[names.index(pair[0]), names.index(pair[1])] += 1
    return table


@pytest.mark.parametrize("seed", range(12))
def test_time_kappa_with_a_tolerance_counts_moments(seed: int) -> None:
    rng = random.Random(seed)
    length, k = rng.randint(10, 30), rng.choice([1, 2, 5])
    records = [record(rng, length), record(rng, length)]
    lines = second_by_second(records, length)
    units = units_of(records, bounds=(0, length))
    exact = time_kappa(units)
    assert exact.kappa == pytest.approx(cohen(tolerant_table(lines, 0, 0)), nan_ok=True)
    found = time_kappa(units, unit=1, tolerance=k)
    for reference, way in enumerate(found.directions):
        assert way.kappa == pytest.approx(cohen(tolerant_table(lines, k, reference)), nan_ok=True)


@pytest.mark.parametrize("seed", range(4))
def test_exact_time_with_a_tolerance_is_the_limit_of_fine_units(seed: int) -> None:
    rng = random.Random(seed)
    units = units_of([record(rng, 20), record(rng, 20)], bounds=(0, 20))
    exact = time_kappa(units, tolerance=1.5)
    fine = time_kappa(units, tolerance=1.5, unit=0.01)
    for one, other in zip(exact.directions, fine.directions, strict=True):
        assert one.kappa == pytest.approx(other.kappa, abs=0.02)


# ---------------------------------------------------------------- unitizing


def partition(one: Record, length: int) -> Record:
    out: Record = []
    at = 0
    for label, start, end in sorted(one, key=lambda unit: unit[1]):
        out += [(0, at, start)] if start > at else []
        out.append((label, start, end))
        at = end
    return [*out, (0, at, length)] if at < length else out


def shared(g: Any, h: Any) -> int:
    return max(0, min(g[2], h[2]) - max(g[1], h[1]))


def defined(top: float, bottom: float) -> float:
    return 1 - top / bottom if bottom > 1e-12 else math.nan


def alphas(records: list[Record], length: int) -> tuple[float, float, float]:
    """u-alpha, |u-alpha and cu-alpha from sums over all pairs of segments."""
    m, lines = len(records), [partition(one, length) for one in records]
    values = [0, *sorted({unit[0] for one in records for unit in one})]
    place = {value: k for k, value in enumerate(values)}
    seen = np.zeros((len(values), len(values)))
    squares, valued = np.zeros(len(values)), np.zeros(len(values))
    for i, line in enumerate(lines):
        for g in line:
            squares[place[g[0]]] += (g[2] - g[1]) ** (2 if g[0] else 1)
            for j in set(range(m)) - {i}:
                for h in lines[j]:
                    seen[place[g[0]], place[h[0]]] += shared(g, h) / (m - 1)
                met = sum(shared(g, h) for h in lines[j] if h[0])
                valued[place[g[0]]] += met**2 / (m - 1) if g[0] else 0
    total, sums = m * length, seen.sum(axis=1)
    chance = total * (np.outer(sums, sums) - np.diag(squares)) / (total**2 - squares.sum())
    u = defined(total - np.trace(seen), total - np.trace(chance))
    binary = defined(sums[0] - seen[0, 0], chance[0].sum() - chance[0, 0]) if sums[0] else math.nan
    part, q = seen[1:, 1:], valued[1:]
    left = part.sum() - q.sum() / part.sum() if part.sum() else 0.0
    if len(part) < 2 or left <= 1e-12:
        return u, binary, math.nan
    expected = (np.outer(part.sum(axis=1), part.sum(axis=1)) - np.diag(q)) / left
    apart = 1 - np.eye(len(part))
    return u, binary, defined((apart * part).sum(), (apart * expected).sum())


@pytest.mark.parametrize("seed", range(20))
def test_unitizing_alphas_are_sums_over_segments(seed: int) -> None:
    rng = random.Random(seed)
    length, m = rng.randint(10, 30), rng.choice([2, 3, 4])
    records = [record(rng, length, [1, 2, 3]) for _ in range(m)]
    found = unitizing_alpha(units_of(records, bounds=(0, length)))
    got = (found.u.value, found.binary.value, found.cu.value)
    assert got == pytest.approx(alphas(records, length), abs=ROUNDING, nan_ok=True)


def older(records: list[Record], length: int, label: Any) -> tuple[float, float]:
    """Observed and expected disagreement of one label (Krippendorff 1995, 2004)."""
    m = len(records)
    lines = [partition([x for x in one if x[0] == label], length) for one in records]
    seen = 0
    for a, b in itertools.combinations(lines, 2):
        for g, h in itertools.product(a, b):
            if g[0] and h[0] and shared(g, h):
                seen += (g[1] - h[1]) ** 2 + (g[2] - h[2]) ** 2
            for unit, gap in ((g, h), (h, g)):
                if unit[0] and not gap[0] and gap[1] <= unit[1] and unit[2] <= gap[2]:
                    seen += (unit[2] - unit[1]) ** 2
    sizes = [(x[2] - x[1], bool(x[0])) for line in lines for x in line]
    units, gaps = ([n for n, marked in sizes if marked is kind] for kind in (True, False))
    top = sum(
        (len(units) - 1) * (2 * n**3 - 3 * n**2 + n) / 3
        + n**2 * sum(g - n + 1 for g in gaps if g >= n)
        for n in units
    )
    bottom = m * length * (m * length - 1) - sum(n * (n - 1) for n in units)
    return 2 * seen / (m * (m - 1) * length**2), 2 / length * top / bottom


@pytest.mark.parametrize("seed", range(12))
def test_the_older_alpha_is_its_formula(seed: int) -> None:
    rng = random.Random(seed)
    length = rng.randint(10, 30)
    records = [record(rng, length) for _ in range(rng.choice([2, 3]))]
    found = alpha_u(units_of(records, bounds=(0, length)))
    for label, value in found.by_category.items():
        want = older(records, length, label)
        assert (value.observed, value.expected) == pytest.approx(want, abs=ROUNDING)


# ---------------------------------------------------------------- gamma


def least_disorder(records: list[Record], alpha: float, beta: float) -> float:
    """Try every way of putting units together, one of each rater at most."""
    n = len(records)
    pairs = n * (n - 1) / 2
    units = [(k, *unit) for k, one in enumerate(records) for unit in one]

    def apart(u: Any, v: Any) -> float:
        d = (abs(u[2] - v[2]) + abs(u[3] - v[3])) / (u[3] - u[2] + v[3] - v[2])
        return alpha * d**2 + beta * (u[1] != v[1])

    def cost(group: list[Any]) -> float:
        k = len(group)
        real = sum(apart(u, v) for u, v in itertools.combinations(group, 2))
        return (real + pairs - k * (k - 1) / 2) / pairs

    @lru_cache(None)
    def best(left: tuple[int, ...]) -> float:
        if not left:
            return 0.0
        first, rest = left[0], left[1:]
        others = [
            [None, *(k for k in rest if units[k][0] == r)] for r in range(n) if r != units[first][0]
        ]
        found = math.inf
        for chosen in itertools.product(*others):
            taken = [k for k in chosen if k is not None]
            group = [units[first], *(units[k] for k in taken)]
            found = min(found, cost(group) + best(tuple(k for k in rest if k not in taken)))
        return found

    return best(tuple(range(len(units))))


@pytest.mark.parametrize("seed", range(24))
def test_the_best_alignment_is_the_best_of_all_of_three_and_four_raters(seed: int) -> None:
    rng = random.Random(seed)
    n = rng.choice([2, 3, 4])
    most = {2: 5, 3: 3, 4: 2}[n]
    records: list[Record] = []
    for _ in range(n):
        starts = [rng.randint(0, 25) for _ in range(rng.randint(1, most))]
        records.append([(rng.choice("xy"), s, s + rng.randint(1, 8)) for s in starts])
    alpha, beta = rng.choice([(3, 1), (1, 1), (1, 0), (2, 0.5)])
    found = best_alignment(units_of(records), alpha=alpha, beta=beta)
    assert found.disorder.sum() == pytest.approx(least_disorder(records, alpha, beta), abs=1e-7)


# ---------------------------------------------------------------- segmentation


def masses(rng: random.Random, length: int) -> list[int]:
    out = []
    while length:
        out.append(min(length, rng.randint(1, 5)))
        length -= out[-1]
    return out


def texts(n: int) -> Iterator[tuple[random.Random, int, list[int], list[int]]]:
    for seed in range(n):
        rng = random.Random(seed)
        length = rng.randint(2, 25)
        yield rng, length, masses(rng, length), masses(rng, length)


def test_windows_slide_over_every_place() -> None:
    for rng, length, one, other in texts(80):
        k = rng.choice([None, 1, 2, 3])
        size = k or max(2, round(length / len(one) / 2))
        if size >= length:
            continue
        r, h = ([s for s, n in enumerate(x) for _ in range(n)] for x in (one, other))
        places = range(length - size)
        seen = [(r[i + size] - r[i], h[i + size] - h[i]) for i in places]
        assert pk(one, other, k=k).value == pytest.approx(
            np.mean([(not a) != (not b) for a, b in seen])
        )
        assert window_diff(one, other, k=k).value == pytest.approx(
            np.mean([a != b for a, b in seen])
        )
        r, h = ([x[0]] * size + x + [x[-1]] * size for x in (r, h))
        padded = [(r[i + size] - r[i], h[i + size] - h[i]) for i in range(length + size)]
        corrected = window_diff(one, other, k=k, correction="lamprier")
        assert corrected.value == pytest.approx(np.mean([a != b for a, b in padded]))
        found = window_pr(one, other, k=k)
        assert found.true_positives == sum(map(min, *zip(*padded, strict=True)))
        assert found.false_positives == sum(max(0, b - a) for a, b in padded)
        assert found.false_negatives == sum(max(0, a - b) for a, b in padded)
        rest = sum(size - max(a, b) for a, b in padded)
        assert found.true_negatives == rest - size * (size - 1)


def test_boundaries_are_moved_shortest_first_from_left_to_right() -> None:
    for rng, length, one, other in texts(200):
        n_t = rng.choice([2, 3, 4])
        a, b = (set(np.cumsum(x)[:-1].tolist()) for x in (one, other))
        only, used, moves = (a - b, b - a), set[int](), []
        for span in range(1, n_t):
            for i in range(1, length - span):
                ends = (i, i + span)
                crossed = any(ends[x] in only[0] and ends[1 - x] in only[1] for x in (0, 1))
                if crossed and not used & set(ends):
                    moves.append(span)
                    used |= set(ends)
        added = len((a ^ b) - used)
        cost = added + sum(span / n_t for span in moves)
        total = added + len(moves) + len(a & b)
        found = boundary_similarity(one, other, n_t=n_t)
        assert found.b == pytest.approx(1 - cost / total if total else 1.0)
        assert found.s == pytest.approx(1 - cost / (length - 1))


# ---------------------------------------------------------------- spans


def jaccard(a: Any, b: Any) -> float:
    return shared(a, b) / (max(a[2], b[2]) - min(a[1], b[1]))


CRITERIA: dict[str, Callable[[Any, Any], float]] = {
    "exact": lambda a, b: a == b,
    "boundaries": lambda a, b: a[1:] == b[1:],
    "overlap": lambda a, b: a[0] == b[0] and shared(a, b) > 0,
    "jaccard": lambda a, b: a[0] == b[0] and jaccard(a, b) >= 0.5,
    "left": lambda a, b: a[0] == b[0] and a[1] == b[1],
    "right": lambda a, b: a[0] == b[0] and a[2] == b[2],
    "partial": lambda a, b: (a[0] == b[0]) * 2 * shared(a, b) / (a[2] - a[1] + b[2] - b[1]),
}


@pytest.mark.parametrize("matching", CRITERIA)
def test_spans_are_matched_as_well_as_possible(matching: Any) -> None:
    rng = random.Random(1)
    for _ in range(25):
        records: list[Record] = []
        for _ in range(2):
            starts = [rng.randint(0, 10) for _ in range(rng.randint(1, 5))]
            records.append([(rng.choice("xy"), s, s + rng.randint(1, 5)) for s in starts])
        short, long = sorted(records, key=len)
        best = max(
            sum(CRITERIA[matching](x, y) for x, y in zip(short, chosen, strict=True))
            for chosen in itertools.permutations(long, len(short))
        )
        found = span_f1(units_of(records), matching=matching, threshold=0.5)
        assert found.value == pytest.approx(2 * best / (len(short) + len(long)), abs=1e-7)


# ---------------------------------------------------------------- structural zeros


def fitted(table: Any, zeros: list[tuple[int, int]]) -> Any:
    """Scale rows and columns in turn until both margins fit."""
    out = np.ones(table.shape)
    for cell in zeros:
        out[cell] = 0
    for _ in range(5_000):
        for axis in (1, 0):
            want, have = table.sum(axis=axis), out.sum(axis=axis)
            factor = np.divide(want, have, out=np.zeros(len(want)), where=have > 0)
            out *= factor[:, None] if axis else factor
    return out


@pytest.mark.parametrize("zeros", [[(3, 3)], [(3, 3), (0, 1)], [(3, 3), (0, 0), (1, 2)]])
def test_any_structural_zeros_are_fitted_from_the_margins(zeros: list[tuple[int, int]]) -> None:
    rng = np.random.default_rng(3)
    for _ in range(3):
        table = rng.integers(1, 20, (4, 4))
        for cell in zeros:
            table[cell] = 0
        seen = np.trace(table) / table.sum()
        chance = np.trace(fitted(table, zeros)) / table.sum()
        found = quasi_kappa(table, zeros=zeros)
        assert found.value == pytest.approx((seen - chance) / (1 - chance), abs=1e-8)
