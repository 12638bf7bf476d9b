"""Two generators of tables: ordinary studies, and what people do in other places."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random

from tables import ids, labels, vocabulary
from tables.found import KINDS, Draw
from tables.kit import Cells, Kit, Table, Truth, draw_mark
from tables.layouts import long, transposed, wide, with_notes
from tables.studies import draw_study
from tables.tabulations import counts, cross_table, grid


@dataclass(frozen=True)
class Case:
    """A table with its truth.

    `ambiguous`: a careful human reader could not be sure, so a refusal is right. `small`: four to
    eight items. `mark` is what stands for a missing rating.
    """

    name: str
    seed: int
    layout: str
    table: Table
    ambiguous: bool
    small: bool
    features: tuple[str, ...]
    mark: str
    language: str

    @property
    def cells(self) -> list[Cells]:
        """All rows as they stand in the file, header and notes included."""
        return self.table.cells

    @property
    def truth(self) -> Truth:
        """What a reader must find."""
        return self.table.truth


Habit = Callable[[Random, str], Case]


def ordinary(rng: Random, half: str = "all") -> Case:
    """Draw an ordinary study: 10 to 150 items, 2 to 5 raters, common English words, clean."""
    seed = rng.getrandbits(48)
    rng = Random(seed)
    layout = rng.choices(
        ("wide", "long", "counts", "cross-table", "transposed"), (45, 32, 9, 6, 8)
    )[0]
    n_items = rng.choice((rng.randrange(10, 31), rng.randrange(20, 151)))
    n_raters = rng.choice((2, 2, 2, 3, 3, 4, 5))
    kit = _kit(
        rng, half, "en", layout=layout, n_items=n_items, n_raters=n_raters,
        families=vocabulary.COMMON_FAMILIES, id_kinds=ids.COMMON_KINDS,
        label_kinds=labels.COMMON_KINDS, plain=0.85, extras=rng.choice((0, 0, 0, 0.4, 0.8)),
    )  # fmt: skip
    return _case("ordinary", seed, layout, kit, notes=0.0)


def other_habits(rng: Random, half: str = "all") -> Case:
    """Draw what ordinary studies leave out: many languages, extras, totals, notes, crowds."""
    seed = rng.getrandbits(48)
    rng = Random(seed)
    layout = rng.choices(
        ("wide", "long", "counts", "cross-table", "transposed", "grid"), (38, 28, 9, 6, 9, 10)
    )[0]
    small = rng.random() < 0.2
    n_items = rng.randrange(4, 9) if small else _size(rng)
    n_raters = rng.choice((2, 2, 3, 3, 4, 5, rng.randrange(10, 41)))
    if layout == "grid":
        n_raters = min(n_raters, 4)
    kit = _kit(
        rng, half, rng.choice(vocabulary.LANGUAGES),
        layout=layout, n_items=n_items, n_raters=n_raters,
        families=vocabulary.ALL_FAMILIES, id_kinds=ids.ALL_KINDS,
        label_kinds=labels.ALL_KINDS, plain=0.6, extras=rng.choice((0, 0.6, 1.2, 2.0)),
    )  # fmt: skip
    kit.rich = True
    return _case("other", seed, layout, kit, notes=0.08)


def found(rng: Random, half: str = "all") -> Case:
    """Draw a table as it stands in a public place: see `tables.found`."""
    seed = rng.getrandbits(48)
    rng = Random(seed)
    kind = rng.choices(list(KINDS), [weight for _, weight in KINDS.values()])[0]
    draw = Draw(rng, half)
    table = KINDS[kind][0](draw)
    return Case(
        name=f"found/{seed}", seed=seed, layout=kind, table=table, ambiguous=False, small=False,
        features=tuple(draw.features), mark="", language="en",
    )  # fmt: skip


HABITS: dict[str, Habit] = {"ordinary": ordinary, "other": other_habits, "found": found}


def draw(habit: str, half: str, seed: int, number: int) -> Case:
    """Draw the case with this number of a stream; the same for the same arguments, anywhere."""
    key = f"{habit}/{half}/{seed}/{number}"
    case = HABITS[habit](Random(zlib.crc32(key.encode()) << 20 | number), half)
    return replace(case, name=key)


def _size(rng: Random) -> int:
    return rng.choice(
        (rng.randrange(9, 31), rng.randrange(15, 80), rng.randrange(30, 151), rng.randrange(9, 151))
        + ((rng.randrange(150, 601),) if rng.random() < 0.1 else ())
    )


def _kit(
    rng: Random,
    half: str,
    language: str,
    *,
    layout: str,
    n_items: int,
    n_raters: int,
    families: Sequence[str],
    id_kinds: list[str],
    label_kinds: list[str],
    plain: float,
    extras: float,
) -> Kit:
    """Draw the study and the names that it is written with."""
    if layout == "cross-table":
        n_items, n_raters = max(20, n_items), 2
    if layout == "transposed":
        n_items = min(n_items, 80)
        id_kinds = [kind for kind in id_kinds if kind != "uuid"]
    if layout in ("counts", "cross-table"):
        label_kinds = [k for k in label_kinds if k not in ("marks", "decimals", "quarters", "sets")]
    drawn = labels.draw_labels(rng, language, half, label_kinds)
    raters = vocabulary.draw_raters(rng, n_raters, half, families)
    if layout == "counts":
        n_raters = max(3, n_raters)
        raters = vocabulary.draw_raters(rng, n_raters, half, families)
    gaps = _gaps(rng, layout, n_raters)
    study = draw_study(rng, n_items, raters.names, drawn, gaps=gaps)
    mark = draw_mark(rng, drawn, plain=plain) if any("gaps" in f for f in study.features) else ""
    return Kit(
        rng=rng, half=half, language=language, study=study,
        ids=ids.draw_ids(rng, n_items, id_kinds), labels=drawn, raters=raters, mark=mark,
        floats=bool(drawn.numeric and any("gaps" in f for f in study.features))
        and rng.random() < 0.15,
        extras=extras,
    )  # fmt: skip


def _gaps(rng: Random, layout: str, n_raters: int) -> str | None:
    if layout == "cross-table":
        return "none"
    if layout == "counts":
        return "none" if rng.random() < 0.85 else "few"
    if layout == "long" and n_raters >= 10:
        return rng.choice(("crowd", "crowd", "few"))
    return None


def _case(habit: str, seed: int, layout: str, kit: Kit, *, notes: float) -> Case:
    """Write the study in its layout and tell what is special about it."""
    table = _written(kit, layout)
    if not table.notes and table.header is not None and kit.chance(notes):
        table = with_notes(kit, table, _note_lines(kit, len(table.header)))
    if notes and table.header is not None and len(table.header) > 2 and kit.chance(0.02):
        table = replace(table, legend=_legend(kit, len(table.header)))
    return Case(
        name=f"{habit}/{seed}",
        seed=seed,
        layout=layout,
        table=table,
        ambiguous=table.ambiguous or _has_doubtful_mark(kit) or kit.labels.kind == "cased",
        small=kit.small,
        features=(
            *kit.features, *kit.study.features, f"labels {kit.labels.kind}",
            f"raters {kit.raters.family}", f"ids {kit.ids.kind}", f"mark {kit.mark!r}",
            f"{len(kit.study.raters)} raters", f"{kit.n_items} items",
        ),
        mark=kit.mark,
        language=kit.language,
    )  # fmt: skip


def _written(kit: Kit, layout: str) -> Table:
    if layout == "grid":
        others = []
        for _ in range(kit.rng.choice((1, 1, 2, 3))):
            kinds = labels.COMMON_KINDS if kit.chance(0.5) else ["likert5", "binary", "words"]
            drawn = labels.draw_labels(kit.rng, kit.language, kit.half, kinds)
            others.append(draw_study(kit.rng, kit.n_items, kit.study.raters, drawn))
        return grid(kit, others)
    return {
        "wide": wide, "long": long, "counts": counts, "cross-table": cross_table,
        "transposed": transposed,
    }[layout](kit)  # fmt: skip


def _note_lines(kit: Kit, width: int) -> list[Cells]:
    """A title, perhaps a second line, perhaps an empty one."""
    lines = [[kit.rng.choice(vocabulary.titles(kit.language))]]
    if kit.chance(0.4):
        lines.append([kit.word("date"), "2023-05-17"] if width > 1 else ["2023-05-17"])
    if kit.chance(0.6):
        lines.append([""])
    return [tuple(line + [""] * (width - len(line))) for line in lines]


def _legend(kit: Kit, width: int) -> tuple[Cells, ...]:
    """What the labels mean, below the table, after an empty line."""
    kit.features.append("legend below")
    meaning = " / ".join(f"{value} = {i}" for i, value in enumerate(kit.labels.values[:5], 1))
    return tuple((text, *[""] * (width - 1)) for text in ("", f"{kit.word('comment')}: {meaning}"))


def _has_doubtful_mark(kit: Kit) -> bool:
    """NA among codes of two or three letters can be a code of its own."""
    return kit.mark not in ("", " ") and kit.labels.kind == "words" and all(
        value.isupper() and len(value) < 4 for value in kit.labels.values
    )  # fmt: skip
