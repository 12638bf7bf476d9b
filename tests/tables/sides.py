"""Columns beside the ratings: dates, comments, batches, seconds, sums, means, confidence."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tables.ids import sentence
from tables.kit import Kit
from tables.lists import listed


@dataclass(frozen=True)
class Side:
    """One further column: its name, its role, its cells."""

    name: str
    role: str
    values: tuple[str, ...]
    kind: str


ITEM_SIDES = listed("number text date time comment batch year seconds sex")
ROW_SIDES = listed("date time comment confidence seconds batch number")
RATER_SIDES = listed("date time sex comment year seconds")


def draw_sides(kit: Kit, n_rows: int, kinds: Sequence[str], taken: Sequence[str]) -> list[Side]:
    """Draw some side columns; how many on average, the kit says."""
    n_sides = sum(kit.chance(kit.extras / 4) for _ in range(4))
    found: list[Side] = []
    for kind in kit.rng.sample(list(kinds), min(n_sides, len(kinds))):
        names = [*taken, *(side.name for side in found)]
        found.append(Side(kit.word(kind, names), "side", side_values(kit, kind, n_rows), kind))
    kit.features.extend(f"side {side.kind}" for side in found)
    return found


def side_values(kit: Kit, kind: str, n_rows: int) -> tuple[str, ...]:
    """Fill a side column of one kind."""
    return tuple(_FILLERS[kind](kit, n_rows))


def _number(kit: Kit, n: int) -> list[str]:
    return [str(i) for i in range(1, n + 1)]


def _text(kit: Kit, n: int) -> list[str]:
    return [f"{sentence(kit.rng)} {sentence(kit.rng)}" for _ in range(n)]


def _date(kit: Kit, n: int) -> list[str]:
    rng = kit.rng
    day = datetime.date(rng.randrange(2005, 2025), rng.randrange(1, 13), rng.randrange(1, 28))
    pattern = rng.choice(("%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%Y/%m/%d", "%b %d, %Y"))
    steps, days = 0, []
    for _ in range(n):
        days.append((day + datetime.timedelta(steps)).strftime(pattern))
        steps += rng.random() < 0.3
    return days if rng.random() < 0.6 else rng.sample(days, n)


def _time(kit: Kit, n: int) -> list[str]:
    rng = kit.rng
    start = datetime.datetime(2023, rng.randrange(1, 13), rng.randrange(1, 28), 8, 0)
    pattern = rng.choice(("%H:%M", "%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%SZ"))
    seconds = sorted(rng.randrange(40_000) for _ in range(n))
    return [(start + datetime.timedelta(seconds=s)).strftime(pattern) for s in seconds]


def _comment(kit: Kit, n: int) -> list[str]:
    share = kit.rng.uniform(0.1, 0.7)
    values = [sentence(kit.rng) if kit.chance(share) else "" for _ in range(n)]
    values[kit.rng.randrange(n)] = "unclear, ask again"
    return values


def _confidence(kit: Kit, n: int) -> list[str]:
    rng = kit.rng
    scale = rng.choice((("1", "2", "3", "4", "5"), ("low", "medium", "high"), ("50", "75", "100")))
    if rng.random() < 0.3:
        scale = tuple(f"{0.4 + i / 50:.2f}" for i in range(31))
    return [rng.choice(scale) for _ in range(n)]


def _batch(kit: Kit, n: int) -> list[str]:
    rng = kit.rng
    names = rng.choice((("1", "2"), ("1", "2", "3"), ("A", "B"), ("pilot", "main"), ("b1", "b2")))
    if rng.random() < 0.6:
        return [names[i * len(names) // n] for i in range(n)]
    return [rng.choice(names) for _ in range(n)]


def _year(kit: Kit, n: int) -> list[str]:
    start = kit.rng.randrange(1950, 2016)
    return [str(start + kit.rng.randrange(9)) for _ in range(n)]


def _seconds(kit: Kit, n: int) -> list[str]:
    if kit.chance(0.4):
        return [f"{kit.rng.lognormvariate(3, 0.6):.2f}" for _ in range(n)]
    return [str(round(kit.rng.lognormvariate(4, 0.7))) for _ in range(n)]


def _sex(kit: Kit, n: int) -> list[str]:
    codes = {"de": "mw", "fr": "HF", "ja": "男女", "zh": "男女", "nl": "mv", "ru": "мж"}
    pair = codes.get(kit.language, kit.rng.choice(("mf", "MF", "12")))
    return [kit.rng.choice(pair) for _ in range(n)]


_FILLERS: dict[str, Callable[[Kit, int], list[str]]] = {
    "number": _number, "text": _text, "date": _date, "time": _time, "comment": _comment,
    "confidence": _confidence, "batch": _batch, "year": _year, "seconds": _seconds, "sex": _sex,
}  # fmt: skip


# ------------------------------------------------------------------------------ derived columns


def derived_sides(kit: Kit, taken: Sequence[str]) -> list[Side]:
    """Sums and means of the raters' numbers, where labels are numbers."""
    if not kit.labels.numeric or kit.labels.kind == "codes":
        return []
    found = []
    for kind in kit.rng.sample(("total", "mean"), kit.rng.choice((1, 1, 2))):
        name = kit.word(kind, [*taken, *(side.name for side in found)])
        values = tuple(_derived(kind, row) for row in kit.study.rows)
        found.append(Side(name, "derived", values, kind))
    kit.features.extend(f"derived {side.kind}" for side in found)
    return found


def _derived(kind: str, row: Sequence[str | None]) -> str:
    numbers = [float(cell) for cell in row if cell is not None]
    if not numbers:
        return ""
    value = sum(numbers) / (len(numbers) if kind == "mean" else 1)
    return f"{round(value, 2):g}"


def verdict_side(kit: Kit, taken: Sequence[str]) -> Side:
    """A majority or gold column: nobody can tell from outside whether it is one more rater."""
    kind = kit.rng.choice(("majority", "gold"))
    values = []
    for row in kit.study.rows:
        cells = [cell for cell in row if cell is not None]
        if kind == "majority" or kit.chance(0.8):
            values.append(max(cells, key=cells.count) if cells else "")
        else:
            values.append(kit.rng.choice(kit.labels.values))
    return Side(kit.word(kind, taken), "derived", tuple(values), kind)


def companions(kit: Kit) -> list[Side]:
    """One column per rater that tells how sure she was, or how long she took, or why."""
    kind = kit.rng.choice(("conf", "conf", "time", "comment"))
    ending = {
        "conf": ("_conf", "_confidence", " (confidence)", " conf.", ".certainty", " sure?"),
        "time": ("_time", "_sec", " (s)", "_rt", " seconds"),
        "comment": ("_comment", " notes", " (comment)", "_remarks"),
    }[kind]
    end = kit.rng.choice(ending)
    filler = {"conf": "confidence", "time": "seconds", "comment": "comment"}[kind]
    kit.features.append(f"companions {kind}")
    sides = []
    whole = side_values(kit, filler, kit.n_items * len(kit.study.raters))  # one scale for all
    for r, name in enumerate(kit.study.raters):
        drawn = whole[r :: len(kit.study.raters)]
        rated = [row[r] is not None for row in kit.study.rows]
        values = tuple(v if there else "" for v, there in zip(drawn, rated, strict=True))
        sides.append(Side(f"{name}{end}", "side", values, kind))
    return sides
