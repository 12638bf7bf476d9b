"""Counts of labels, cross-tables of two raters, and grids of variables and raters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tables.kit import Kit, Table, Truth
from tables.sides import draw_sides
from tables.studies import Study
from tables.vocabulary import variable_words

# ------------------------------------------------------------------------------ counts


def counts(kit: Kit) -> Table:
    """One row per item, one column per label: how many raters gave it."""
    categories = [v for v in kit.labels.values if any(v in row for row in kit.study.rows)]
    if kit.chance(0.2):
        categories = list(kit.labels.values)  # a label that nobody used keeps its column
    if kit.chance(0.2):
        kit.rng.shuffle(categories)
    item = "" if kit.chance(0.1) else kit.word("item", categories)
    rows = [[kit.ids.values[i], *_counted(row, categories)] for i, row in enumerate(kit.study.rows)]
    header, roles = [item, *categories], ["item", *["category"] * len(categories)]
    if kit.chance(0.25 * kit.extras):
        name = kit.word("total", header)
        header, roles = [*header, name], [*roles, "derived"]
        rows = [[*row, str(sum(map(int, row[1:])))] for row in rows]
        kit.features.append("total column")
    _add_side(kit, header, roles, rows)
    totals = _totals_row(kit, roles, rows) if kit.chance(0.12 * kit.extras) else None
    return Table(
        header=tuple(header),
        rows=tuple(map(tuple, rows)),
        roles=tuple(roles),
        truth=Truth((("", kit.study),), "counts"),
        totals=totals,
        ambiguous=_counts_are_ambiguous(kit, categories),
    )


def _counted(row: Sequence[str | None], categories: Sequence[str]) -> list[str]:
    found = Counter(cell for cell in row if cell is not None)
    return [str(found[category]) for category in categories]


def _add_side(kit: Kit, header: list[str], roles: list[str], rows: list[list[str]]) -> None:
    """Put a text or a year behind the ids."""
    for side in draw_sides(kit, len(rows), ("text", "year", "batch", "comment"), header)[:1]:
        header.insert(1, side.name)
        roles.insert(1, "side")
        for row, value in zip(rows, side.values, strict=True):
            row.insert(1, value)


def _totals_row(kit: Kit, roles: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    kit.features.append("total row")
    values = [kit.word("total")]
    for c, role in enumerate(roles[1:], start=1):
        summed = role in ("category", "derived")
        values.append(str(sum(int(row[c]) for row in rows)) if summed else "")
    return tuple(values)


def _counts_are_ambiguous(kit: Kit, categories: Sequence[str]) -> bool:
    """Numbers or letters as names of labels need equal sums in enough rows to be seen."""
    sums = {sum(cell is not None for cell in row) for row in kit.study.rows}
    bare = kit.labels.numeric or kit.labels.short or kit.labels.kind in ("codes", "diagnoses")
    binary = not any(int(n) > 1 for row in kit.study.rows for n in _counted(row, categories))
    return bare and (len(sums) > 1 or kit.small or binary or len(categories) < 2)


# ------------------------------------------------------------------------------ cross-tables


def cross_table(kit: Kit) -> Table:
    """The labels of one rater against those of another, in numbers of items."""
    used = [v for v in kit.labels.values if any(v in row for row in kit.study.rows)]
    pairs = Counter(kit.study.rows)
    down, across = _margins(kit, used)
    rows = [[a, *(str(pairs[(a, b)]) for b in across)] for a in down]
    header = [_corner(kit, used), *across]
    roles = ["item", *["category"] * len(across)]
    totals: tuple[str, ...] | None = None
    if kit.chance(0.3 * kit.extras + 0.05):
        name = kit.word("total", used)
        sums = [sum(int(row[c]) for row in rows) for c in range(1, len(header))]
        rows = [[*row, str(sum(map(int, row[1:])))] for row in rows]
        totals = (name, *map(str, sums), str(sum(sums)))
        header, roles = [*header, name], [*roles, "derived"]
        kit.features.append("margins")
    return Table(
        header=tuple(header),
        rows=tuple(map(tuple, rows)),
        roles=tuple(roles),
        truth=Truth((("", kit.study),), "none"),
        totals=totals,
        notes=_caption(kit, header) if kit.chance(0.1 * kit.extras) else (),
        ambiguous=_looks_like_ratings(kit, header, rows),
    )


def _looks_like_ratings(kit: Kit, header: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Small numbers under a line of numbers could be marks that raters 1, 2, 3 gave to items."""
    if not kit.labels.numeric or header[0] or "margins" in kit.features:
        return False
    return max(int(cell) for row in rows for cell in row[1:]) <= max(map(float, header[1:]))


def _margins(kit: Kit, used: list[str]) -> tuple[list[str], list[str]]:
    """The labels of the rows and of the columns; some programs leave out what one never used."""
    both = [[v for v in used if any(row[r] == v for row in kit.study.rows)] for r in (0, 1)]
    shared = set(both[0]) & set(both[1])
    if both[0] != both[1] and len(shared) > 1 and kit.chance(0.2):
        kit.features.append("not square")
        return both[0], both[1]
    return used, used


def _corner(kit: Kit, used: Sequence[str]) -> str:
    first, second = kit.study.raters[:2]
    corner = kit.rng.choice(
        ("", "", "", f"{first} \\ {second}", first, f"{first}/{second}", kit.word("rater", used))
    )
    if not corner:
        kit.features.append("empty corner")
    return corner if corner not in used else ""


def _caption(kit: Kit, header: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """The second rater's name above her labels, as a merged cell leaves it."""
    kit.features.append("caption")
    return (("", kit.study.raters[1], *[""] * (len(header) - 2)),)


# ------------------------------------------------------------------------------ grids

_PATTERNS = (
    "{v}_{r}", "{v}_{r}", "{v}_{r}", "{r}_{v}", "{v} ({r})", "{r} ({v})", "{v}.{r}", "{r}.{v}",
    "{v} - {r}", "{r}: {v}", "{v} [{r}]", "{r} {v}",
)  # fmt: skip


def grid(kit: Kit, others: Sequence[Study]) -> Table:
    """One row per item, one column for each variable of each rater."""
    studies = [kit.study, *others]
    named = kit.raters.family in ("letters", "surnames", "first_names", "full_names")
    numbered = named and kit.chance(0.3)
    words = variable_words(kit.language, kit.half)
    if numbered or len(words) < len(studies):
        stem = kit.rng.choice(("v", "V", "var", "q", "F"))
        names = [f"{stem}{i}" for i in range(1, len(studies) + 1)]
    else:
        names = kit.rng.sample(words, len(studies))
    pattern = kit.rng.choice(_PATTERNS)
    if any(" " in rater or "." in rater for rater in kit.study.raters):
        pattern = kit.rng.choice(("{v}_{r}", "{r}_{v}", "{v} ({r})", "{v} [{r}]"))
    order = [(v, r) for v in range(len(studies)) for r in range(len(kit.study.raters))]
    if kit.chance(0.4):
        order.sort(key=lambda pair: pair[1])
    header = [pattern.format(v=names[v], r=kit.study.raters[r]) for v, r in order]
    rows = [
        (kit.ids.values[i], *(kit.cell(studies[v].rows[i][r]) for v, r in order))
        for i in range(kit.n_items)
    ]
    kit.features.append(f"grid {pattern}")
    return Table(
        header=(kit.word("item", header), *header),
        rows=tuple(rows),
        roles=("item", *["rater"] * len(header)),
        truth=Truth(tuple(zip(names, studies, strict=True))),
        ambiguous=kit.raters.family == "numbers" and names[0][-1].isdigit(),
    )
