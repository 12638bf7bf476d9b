"""Studies: which rater gave which label to which item, and what agreement that makes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from random import Random

from tables.labels import Labels

Row = tuple[str | None, ...]


@dataclass(frozen=True)
class Study:
    """Items × raters; None where a rater did not rate an item."""

    raters: tuple[str, ...]
    rows: tuple[Row, ...]
    features: tuple[str, ...] = ()

    @property
    def rated(self) -> tuple[Row, ...]:
        """The items that carry a rating."""
        return tuple(row for row in self.rows if any(cell is not None for cell in row))


def draw_study(
    rng: Random,
    n_items: int,
    raters: Sequence[str],
    labels: Labels,
    *,
    gaps: str | None = None,
    odd_raters: float = 0.15,
) -> Study:
    """Draw ratings: from chance to full agreement, with gaps and with raters of their own mind."""
    features: list[str] = []
    level = rng.choice((0.0, 0.3, 0.5, 0.7, 0.7, 0.8, 0.9, 0.9, 0.97, 1.0))
    draw = _drawer(rng, labels)
    truth = [draw() for _ in range(n_items)]
    columns = []
    for _ in raters:
        skill = level if level in (0.0, 1.0) else min(1.0, max(0.0, rng.gauss(level, 0.08)))
        columns.append([_rated(rng, labels, t, skill, draw) for t in truth])
    if rng.random() < odd_raters:
        features.append(_make_odd(rng, columns, labels))
    gaps = gaps or rng.choice(("none", "none", "none", "few", "few", "many"))
    rows = [list(row) for row in zip(*columns, strict=True)]
    _make_gaps(rng, rows, gaps)
    _repair(rng, rows, columns, labels)
    if gaps != "none":
        features.append(f"gaps {gaps}")
    return Study(tuple(raters), tuple(map(tuple, rows)), tuple(features))


def _drawer(rng: Random, labels: Labels) -> Callable[[], str]:
    """Return a function that draws a label; some labels are used more than others."""
    values = labels.values
    if labels.ordered and len(values) > 12:
        middle, width = rng.uniform(0.3, 0.7) * len(values), rng.uniform(0.1, 0.3) * len(values)
        return lambda: values[min(len(values) - 1, max(0, round(rng.gauss(middle, width))))]
    weights = [rng.gammavariate(rng.choice((0.7, 2.0, 8.0)), 1.0) + 0.02 for _ in values]
    return lambda: rng.choices(values, weights)[0]


def _rated(rng: Random, labels: Labels, truth: str, skill: float, draw: Callable[[], str]) -> str:
    """Rate one item: rightly, or by chance, or next to what is right."""
    if rng.random() < skill:
        return truth
    if labels.ordered and skill > 0 and rng.random() < 0.8:
        place = labels.values.index(truth) + rng.choice((-1, 1)) * (1 + (rng.random() < 0.3))
        return labels.values[min(len(labels.values) - 1, max(0, place))]
    return draw()


def _make_odd(rng: Random, columns: list[list[str]], labels: Labels) -> str:
    """Make one rater constant, dissenting, or the only one who uses some label."""
    odd = rng.randrange(len(columns))
    others = [c for i, c in enumerate(columns) if i != odd]
    kind = rng.choice(("constant", "dissenting", "own label", "lazy"))
    if kind == "constant":
        columns[odd] = [rng.choice(labels.values)] * len(columns[odd])
    elif kind == "lazy":
        usual = Counter(columns[odd]).most_common(1)[0][0]
        columns[odd] = [usual if rng.random() < 0.9 else c for c in columns[odd]]
    elif kind == "own label":
        own = labels.values[-1]
        for column in others:
            column[:] = [labels.values[0] if c == own else c for c in column]
        columns[odd] = [own if rng.random() < 0.2 else c for c in columns[odd]]
    else:
        columns[odd] = [
            rng.choice([v for v in labels.values if v != other] or [other])
            for other in rng.choice(others)
        ]
    return kind


def _make_gaps(rng: Random, rows: list[list[str | None]], gaps: str) -> None:
    """Take ratings away: a few, many, or all but k per item."""
    n_raters = len(rows[0])
    if gaps == "crowd":
        k = min(n_raters, rng.choice((2, 3, 3, 5)))
        pool = list(range(n_raters))
        for row in rows:
            chosen = set(rng.sample(pool, k))
            row[:] = [cell if r in chosen else None for r, cell in enumerate(row)]
        return
    share = {"none": 0.0, "few": rng.uniform(0.01, 0.1), "many": rng.uniform(0.2, 0.45)}[gaps]
    for row in rows:
        row[:] = [None if share and rng.random() < share else cell for cell in row]


def _repair(
    rng: Random, rows: list[list[str | None]], columns: list[list[str]], labels: Labels
) -> None:
    """See to it that each rater rates, that items can be compared, and that labels differ."""
    for r, column in enumerate(columns):
        rated = [i for i, row in enumerate(rows) if row[r] is not None]
        for i in [i for i in range(len(rows)) if i not in rated][: max(0, 3 - len(rated))]:
            rows[i][r] = column[i]
    pairable = [i for i, row in enumerate(rows) if sum(cell is not None for cell in row) > 1]
    for i in [i for i in range(len(rows)) if i not in pairable][: max(0, 4 - len(pairable))]:
        rows[i][:] = [column[i] for column in columns]
    used = {cell for row in rows if sum(c is not None for c in row) > 1 for cell in row}
    if len(used - {None}) < 2:
        row = next(row for row in rows if sum(c is not None for c in row) > 1)
        other = next(v for v in labels.values if v not in used)
        row[:] = [None if cell is None else other for cell in row]


# ------------------------------------------------------------------------------ agreement


def percent_agreement(rows: Iterable[Counter[str]]) -> float:
    """Share of agreeing pairs, per item, over the items with two ratings or more."""
    shares = []
    for counts in rows:
        n = counts.total()
        if n > 1:
            shares.append(sum(c * (c - 1) for c in counts.values()) / (n * (n - 1)))
    return sum(shares) / len(shares) if shares else math.nan


def nominal_alpha(rows: Iterable[Counter[str]]) -> float:
    """Krippendorff's alpha for names; nan where only one label was used."""
    used: Counter[str] = Counter()
    disagreement = 0.0
    for counts in rows:
        n = counts.total()
        if n > 1:
            used.update(counts)
            disagreement += (n * n - sum(c * c for c in counts.values())) / (n - 1)
    total = used.total()
    expected = total * total - sum(c * c for c in used.values())
    return 1 - (total - 1) * disagreement / expected if expected else math.nan


def counted(rows: Iterable[Row]) -> list[Counter[str]]:
    """How often each label was given to each item."""
    return [Counter(cell for cell in row if cell is not None) for row in rows]
