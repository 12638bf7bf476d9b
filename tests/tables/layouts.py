"""Long, wide and transposed tables."""

from __future__ import annotations

from collections.abc import Sequence

from tables.ids import sentence
from tables.kit import Cells, Kit, Table, Truth
from tables.lists import listed
from tables.sides import (
    ITEM_SIDES,
    RATER_SIDES,
    ROW_SIDES,
    Side,
    companions,
    derived_sides,
    draw_sides,
    side_values,
    verdict_side,
)

FORM_FAMILIES = frozenset(listed("emails full_names first_names surnames accounts titled"))
CLEAR_ITEM_WORDS = frozenset(listed("id item item_id text_id doc case document uid"))


# ------------------------------------------------------------------------------ wide


def wide(kit: Kit) -> Table:
    """One row per item, one column per rater."""
    columns = [
        Side(name, "rater", tuple(kit.cell(row[r]) for row in kit.study.rows), "rater")
        for r, name in enumerate(kit.study.raters)
    ]
    has_ids = not kit.chance(0.08)
    header = not kit.chance(0.04) or bool(kit.extras and kit.chance(0.5))
    names = list(kit.study.raters)
    item = _item_column(kit, names) if has_ids else None
    taken = [*names, *([item.name] if item else [])]
    kinds = [k for k in ITEM_SIDES if not (k == "number" and (not item or kit.ids.numeric))]
    sides = draw_sides(kit, kit.n_items, kinds, taken) if header else []
    ambiguous = _wide_is_ambiguous(kit, item, header)
    if header and kit.rich and kit.chance(0.1):
        sides += derived_sides(kit, [*taken, *(side.name for side in sides)])
    if header and kit.chance(0.015):
        sides.append(verdict_side(kit, taken))
        kit.features.append("verdict")
        ambiguous = True
    if header and kit.rich and kit.chance(0.1):
        columns = _with_companions(kit, columns)
    table = _assembled(kit, item, columns, sides, header=header, ambiguous=ambiguous)
    return _with_totals_row(kit, table) if item and header else table


def _item_column(kit: Kit, taken: Sequence[str]) -> Side:
    """The column of ids; its head is empty now and then, as R and pandas write it."""
    name = kit.word("item", taken)
    if kit.chance(0.06):
        kit.features.append("empty corner")
        name = ""
    return Side(name, "item", kit.ids.values, kit.ids.kind)


def _with_companions(kit: Kit, columns: list[Side]) -> list[Side]:
    """Put each rater's companion beside her, or all of them behind."""
    beside = companions(kit)
    if kit.chance(0.6):
        return [c for pair in zip(columns, beside, strict=True) for c in pair]
    return columns + beside


def _assembled(
    kit: Kit,
    item: Side | None,
    columns: list[Side],
    sides: list[Side],
    *,
    header: bool,
    ambiguous: bool,
) -> Table:
    """Put the columns into an order that people use: ids first, then sides before or after."""
    before = [s for s in sides if s.role == "side" and kit.chance(0.5)]
    after = [s for s in sides if s not in before]
    first = [item] if item else []
    ordered = [*first, *before, *columns, *after]
    if before and before[0].kind == "number":
        ordered = [before[0], *first, *before[1:], *columns, *after]
    if item and item.name and kit.chance(0.04):
        ordered = [c for c in ordered if c is not item] + [item]
        kit.features.append("item last")
    if not header:
        kit.features.append("no header")
    if item is None:
        kit.features.append("no ids")
    return Table(
        header=tuple(c.name for c in ordered) if header else None,
        rows=tuple(zip(*(c.values for c in ordered), strict=True)),
        roles=tuple(c.role for c in ordered),
        truth=Truth((("", kit.study),), "names" if header else "order"),
        ambiguous=ambiguous,
    )


def _wide_is_ambiguous(kit: Kit, item: Side | None, header: bool) -> bool:
    """Whether a careful reader of the cells could not be sure."""
    if not header:
        return _headerless_wide_is_ambiguous(kit, item)
    numbers = kit.labels.numeric
    numbered = kit.raters.family == "numbers"
    unnamed = item is None or item.name == ""
    if numbered and numbers and (unnamed or kit.small):
        return True  # a first line of numbers over numbers
    squarish = kit.n_items < 2 * len(kit.raters.names)
    if item and unnamed and squarish and not kit.raters.plain:
        return True  # nothing says which side the raters are on
    if item is None or not kit.ids.numeric:
        return False
    if item.name in CLEAR_ITEM_WORDS or kit.ids.running:
        return False
    return kit.n_items <= {"marks": 25, "codes": 12}.get(kit.labels.kind, 0)


def _headerless_wide_is_ambiguous(kit: Kit, item: Side | None) -> bool:
    """Without a header, numbers can be ids; and with labels alone, either side can be raters."""
    if item is None:
        return kit.labels.numeric or kit.small or kit.n_items < 4 * len(kit.raters.names)
    return kit.labels.numeric and (kit.small or kit.ids.numeric)


def _with_totals_row(kit: Kit, table: Table) -> Table:
    """A last row with the sum or the mean of each rater's numbers."""
    if not kit.labels.numeric or kit.labels.kind == "codes" or not kit.chance(0.12 * kit.extras):
        return table
    kind = kit.rng.choice(("total", "mean"))
    place = table.roles.index("item")
    values = [""] * len(table.roles)
    values[place] = kit.word(kind)
    rater = 0
    for c, role in enumerate(table.roles):
        if role == "rater":
            cells = [row[rater] for row in kit.study.rows]
            values[c] = _summary(kind, [float(cell) for cell in cells if cell is not None])
            rater += 1
    kit.features.append(f"{kind} row")
    return _replaced(table, totals=tuple(values))


def _summary(kind: str, numbers: Sequence[float]) -> str:
    return f"{round(sum(numbers) / (len(numbers) if kind == 'mean' else 1), 2):g}"


def _replaced(table: Table, **changes: object) -> Table:
    from dataclasses import replace

    return replace(table, **changes)  # type: ignore[arg-type]


# ------------------------------------------------------------------------------ long


def long(kit: Kit) -> Table:
    """One row per rating."""
    triples = [
        (i, name, row[r])
        for i, row in enumerate(kit.study.rows)
        for r, name in enumerate(kit.study.raters)
    ]
    if not kit.mark or kit.chance(0.8):
        triples = [t for t in triples if t[2] is not None]
    triples = _ordered_rows(kit, triples)
    header = not kit.chance(0.05)
    names = _long_names(kit)
    item_columns = _long_items(kit, [t[0] for t in triples], names)
    rater = Side(names[1], "rater", tuple(t[1] for t in triples), "rater")
    label = Side(names[2], "label", tuple(kit.cell(t[2]) for t in triples), "label")
    taken = [c.name for c in (*item_columns, rater, label)]
    sides = _long_sides(kit, [t[0] for t in triples], taken) if header else []
    ordered = _long_order(kit, item_columns, rater, label, sides)
    if not header:
        kit.features.append("no header")
    return Table(
        header=tuple(c.name for c in ordered) if header else None,
        rows=tuple(zip(*(c.values for c in ordered), strict=True)),
        roles=tuple(c.role for c in ordered),
        truth=Truth((("", kit.study),)),
        ambiguous=not header and _headerless_long_is_ambiguous(kit),
    )


def _long_names(kit: Kit) -> tuple[str, str, str]:
    item = kit.word("item")
    rater = "model" if kit.raters.family == "models" and kit.chance(0.5) else kit.word("rater")
    label = kit.word("label", [item, rater])
    return (item if item != rater else f"{item} id"), rater, label


def _ordered_rows(kit: Kit, triples: list) -> list:  # type: ignore[type-arg]
    how = kit.rng.choice(("item", "item", "item", "rater", "shuffled"))
    if how == "rater":
        triples.sort(key=lambda t: kit.study.raters.index(t[1]))
    elif how == "shuffled":
        kit.rng.shuffle(triples)
    return triples


def _long_items(kit: Kit, places: Sequence[int], names: Sequence[str]) -> list[Side]:
    """The item's column; sometimes two that name it together, such as page and line."""
    if kit.rich and kit.n_items > 12 and kit.chance(0.05):
        kit.features.append("compound item")
        size = kit.rng.choice((3, 5, 6))
        second = kit.word("item", names)
        first = tuple(f"d{1 + i // size:02d}" for i in places)
        inner = tuple(str(1 + i % size) for i in places)
        return [Side(names[0], "item", first, "outer"), Side(second, "item", inner, "inner")]
    return [Side(names[0], "item", tuple(kit.ids.values[i] for i in places), kit.ids.kind)]


def _long_sides(kit: Kit, places: Sequence[int], taken: Sequence[str]) -> list[Side]:
    """Columns about the row and, repeated, about the item."""
    sides = draw_sides(kit, len(places), ROW_SIDES, taken)
    if kit.chance(kit.extras * 0.4):
        names = [*taken, *(side.name for side in sides)]
        kinds = [k for k in ("text", "year", "sex") if k not in {s.kind for s in sides}]
        about = draw_sides(kit, kit.n_items, kinds, names)
        sides += [Side(s.name, s.role, tuple(s.values[i] for i in places), s.kind) for s in about]
    return sides


def _long_order(
    kit: Kit, items: list[Side], rater: Side, label: Side, sides: list[Side]
) -> list[Side]:
    core = kit.rng.choice(
        ([*items, rater, label],) * 5
        + ([rater, *items, label], [label, rater, *items], [*items, label, rater])
    )
    numbers = [s for s in sides if s.kind == "number"]
    rest = [s for s in sides if s.kind != "number"]
    before = [s for s in rest if kit.chance(0.25)]
    after = [s for s in rest if s not in before]
    if after and kit.chance(0.3):  # a date between rater and label, as forms have it
        core = [*core[:-1], after.pop(), core[-1]]
    return [*numbers, *before, *core, *after]


def _headerless_long_is_ambiguous(kit: Kit) -> bool:
    """Without a header, only persons and words can be told from ids."""
    clear = kit.raters.plain and kit.labels.kind == "words" and not kit.small
    return not clear or kit.ids.kind in ("words", "codes3")


# ------------------------------------------------------------------------------ transposed


def transposed(kit: Kit) -> Table:
    """One row per rater, one column per item."""
    corner = "" if kit.chance(0.2) else kit.word("rater")
    header: list[str] = [corner, *kit.ids.values]
    rows = [
        [name, *(kit.cell(row[r]) for row in kit.study.rows)]
        for r, name in enumerate(kit.study.raters)
    ]
    roles = ["rater", *["item"] * kit.n_items]
    if kit.rich and kit.raters.family in FORM_FAMILIES and kit.chance(0.2):
        return _form(kit, rows)
    sides = [] if not corner else draw_sides(kit, len(rows), RATER_SIDES, header)
    for side in sides:  # about the rater, so between her name and the first item
        header.insert(1, side.name)
        roles.insert(1, "side")
        for row, value in zip(rows, side.values, strict=True):
            row.insert(1, value)
    squarish = kit.n_items < 2 * len(kit.study.raters)
    unclear = not corner and (squarish or not kit.raters.plain)
    if not corner:
        kit.features.append("empty corner")
    return Table(
        header=tuple(header),
        rows=tuple(map(tuple, rows)),
        roles=tuple(roles),
        truth=Truth((("", kit.study),)),
        ambiguous=unclear,
    )


def _form(kit: Kit, rows: Sequence[Sequence[str]]) -> Table:
    """The answers to a form: who sent it and when, then one column per question."""
    kit.features.append("form")
    stamp, who = kit.rng.choice(
        (("Timestamp", "Email Address"), ("Zeitstempel", "E-Mail-Adresse"),
         ("Horodateur", "Nom"), ("Marca temporal", "Correo"), ("Timestamp", "Your name"))
    )  # fmt: skip
    when = side_values(kit, "time", len(rows))
    questions = [f"{i}. {sentence(kit.rng)}" for i in range(1, kit.n_items + 1)]
    return Table(
        header=(stamp, who, *questions),
        rows=tuple((t, *row) for t, row in zip(when, rows, strict=True)),
        roles=("side", "rater", *["item"] * kit.n_items),
        truth=Truth((("", kit.study),)),
    )


def with_notes(kit: Kit, table: Table, lines: Sequence[Cells]) -> Table:
    """Put lines above the header."""
    kit.features.append("notes above")
    return _replaced(table, notes=tuple(lines))
