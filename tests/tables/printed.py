"""Tables as papers print them, drawn at random: what they hold, and how somebody typed them."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

Grid = list[list[str]]

_LABELS = (
    ("STAT", "IREQ", "CHCK", "IAFA", "CSFA"),
    ("yes", "no"),
    ("Yes", "No", "Unclear"),
    ("1", "2", "3", "4", "5"),
    ("0", "1"),
    ("A", "B", "C", "D"),
    ("y", "n"),
    ("+", "?", "0"),
    ("iob", "pis", "pob", "ris", "rob", "s"),
    ("very good", "good", "poor"),
    ("positive", "neutral", "negative"),
    ("Noun Phrase", "verb", "other"),
    ("Ja", "Nein", "weiß nicht"),
    ("spam", "ham"),
)
_HEADS = (
    ("CODER A", "CODER B"),
    ("Observer 1", "Observer 2"),
    ("Rater A", "Rater B"),
    ("first reader", "second reader"),
    ("Ann", "Bob"),
    ("Marker 1", "Marker 2"),
    ("Obs. 1's codes", "Observer 2's codes"),
    ("human", "system"),
)
_TOTALS = ("Total", "TOTAL", "total", "Sum", "Σ", "All", "", "Summe", "Totals", "Marginal", "N")
SEPARATORS = (",", ";", "\t", "|", "markdown")


@dataclass
class Printed:
    """One table of two raters, typed: its grid, and what is right."""

    grid: Grid
    labels: list[str]
    counts: list[list[int]]
    kind: str  # "counts" or "shares"
    n_items: int
    style: dict[str, object] = field(default_factory=dict)


def cross_table(rng: random.Random) -> Printed:
    """Draw a cross-table and the way in which it is printed."""
    labels = list(rng.choice(_LABELS))
    size = rng.randint(2, len(labels))
    labels = labels[:size]
    counts = [[rng.choice((0, 0, 1, 3, 7, 12)) for _ in labels] for _ in labels]
    for k in range(size):
        counts[k][k] = rng.randint(3, 60)
    kind = rng.choice(("counts", "counts", "brackets", "brackets", "shares", "percents"))
    if kind in ("shares", "percents"):
        counts = _of_hundred(rng, counts)
    n = sum(map(sum, counts))
    style: dict[str, object] = {
        "kind": kind,
        "margins": rng.choice(("both", "both", "both", "right", "below", "none")),
        "total": rng.choice(_TOTALS),
        "zero": rng.choice(("0", "0", "–", "-", "")),
        "share": rng.choice(("(.2)", "(0.20)", "(20%)", "[.20]", "(20 %)", "(20.0)")),
        "decimals": rng.choice((".25", "0.25")),
        "heads": rng.choice(("none", "corner", "span", "span", "stub", "spss", "title", "both")),
        "names": rng.choice(_HEADS),
        "extra": rng.choice(("", "", "", "p", "kappa")),
        "shuffled": rng.random() < 0.2,
        "turned": rng.random() < 0.3,
    }
    if style["turned"]:
        counts = [list(row) for row in zip(*counts, strict=True)]
    if style["heads"] == "title" and style["margins"] == "none" and labels[0].isalnum():
        style["margins"] = "both" if len(labels[0]) < 2 else "none"  # else nobody could tell
    grid = _typed(rng, labels, counts, style)
    return Printed(
        grid, labels, counts, "shares" if kind in ("shares", "percents") else "counts", n, style
    )


def _of_hundred(rng: random.Random, counts: list[list[int]]) -> list[list[int]]:
    """Return counts of a hundred items in all."""
    size = len(counts)
    found = [[0] * size for _ in counts]
    for k in range(size):
        found[k][k] = 10
    for _ in range(100 - 10 * size):
        a = rng.randrange(size)
        b = a if rng.random() < 0.6 else rng.randrange(size)
        found[a][b] += 1
    return found


def _typed(rng: random.Random, labels: list[str], counts: list[list[int]], style: dict) -> Grid:
    n = sum(map(sum, counts))
    size = len(labels)
    rows = list(range(size))
    if style["shuffled"]:
        rng.shuffle(rows)

    def cell(number: int, *, margin: bool = False) -> str:
        kind = style["kind"]
        if kind == "shares":
            if number == 0 and not margin:
                return str(style["zero"]) if style["zero"] != "0" else ".00"
            text = f"{number / 100:.2f}"
            return text.removeprefix("0") if style["decimals"] == ".25" else text
        if kind == "percents":
            return f"{number}%" if number or margin else (str(style["zero"]) or "0%")
        if number == 0 and not margin:
            return str(style["zero"])
        if kind == "counts":
            return str(number)
        share = {
            "(.2)": f"({number / n:.2f})".replace("(0.", "(."),
            "(0.20)": f"({number / n:.2f})",
            "(20%)": f"({100 * number / n:.0f}%)",
            "[.20]": f"[{number / n:.2f}]".replace("[0.", "[."),
            "(20 %)": f"({100 * number / n:.0f} %)",
            "(20.0)": f"({100 * number / n:.1f})",
        }[str(style["share"])]
        return f"{number} {share}"

    right = style["margins"] in ("both", "right")
    below = style["margins"] in ("both", "below")
    body = [[labels[i], *(cell(counts[i][j]) for j in range(size))] for i in rows]
    head = ["", *labels]
    if right:
        head.append(str(style["total"]))
        for line, i in zip(body, rows, strict=True):
            line.append(cell(sum(counts[i]), margin=True))
    if below:
        sums = [sum(counts[i][j] for i in range(size)) for j in range(size)]
        line = [str(style["total"]), *(cell(x, margin=True) for x in sums)]
        body.append([*line, cell(n, margin=True)] if right else line)
    if style["extra"] and style["kind"] in ("counts", "brackets"):
        head.append(str(style["extra"]))
        for k, line in enumerate(body):
            share = sum(counts[rows[k]]) / n if k < size else 1.0
            value = f"{share:.2f}" if style["extra"] == "p" else f"{0.5 + 0.03 * k:.2f}"
            line.append(value if k < size or style["extra"] == "p" else "")
    return _with_heads(head, body, style, size)


def _with_heads(head: list[str], body: Grid, style: dict, size: int) -> Grid:
    across, down = style["names"]
    width = len(head)
    kind = style["heads"]
    if kind == "none":
        return [head, *body]
    if kind == "corner":
        return [[down, *head[1:]], *body]
    if kind == "both":
        return [[f"{down} \\ {across}", *head[1:]], *body]
    if kind == "title":
        return [["Table 1: agreement", *[""] * (width - 1)], head, *body]
    if kind == "span":
        return [[down, across, *[""] * (width - 2)], head, *body]
    top = ["", "", across, *[""] * (width - 2)]
    rows = [["", *line] for line in body]
    rows[0][0] = down
    if kind == "spss":
        for line in rows[size:]:
            line[0], line[1] = line[1], ""
    return [top, ["", *head], *rows]


def typed(grid: Grid, separator: str) -> str:
    """Write a grid as a text with delimiters, or as the table of a Markdown page."""
    if separator == "markdown":
        lines = ["| " + " | ".join(row) + " |" for row in grid]
        lines.insert(1, "|" + "---|" * len(grid[0]))
        return "\n".join(lines) + "\n"
    return "".join(separator.join(_quoted(cell, separator) for cell in row) + "\n" for row in grid)


def _quoted(cell: str, separator: str) -> str:
    return f'"{cell}"' if separator in cell else cell


def agreement_table(rng: random.Random) -> tuple[Grid, list[list[int]]]:
    """Draw how many raters gave each label to each item, with the sums that papers add."""
    labels = rng.choice((("STAT", "IREQ"), ("yes", "no", "unclear"), ("Depression", "Neurosis")))
    raters, n = rng.randint(3, 6), rng.randint(12, 40)
    counts = []
    for _ in range(n):
        row = [0] * len(labels)
        favourite = rng.randrange(len(labels))
        for _ in range(raters):
            row[favourite if rng.random() < 0.6 else rng.randrange(len(labels))] += 1
        counts.append(row)
    name = rng.choice(("Utt {}", "item{}", "{}", "Patient {}"))
    total = rng.choice(("TOTAL", "Total", "Sum", "Σ"))
    share = rng.choice(("({:.2f})", "({:.1%})", "[{:.2f}]"))
    grid = [[rng.choice(("", "item")), *labels]]
    grid += [[name.format(k), *map(str, row)] for k, row in enumerate(counts, start=1)]
    sums = [sum(column) for column in zip(*counts, strict=True)]
    grid.append([total, *(f"{x} {share.format(x / sum(sums))}" for x in sums)])
    return grid, counts


def ratings_alike(rng: random.Random) -> tuple[Grid, int]:
    """Draw ratings of items that are called like their raters, and the number of raters."""
    n = rng.randint(3, 5)
    raters = rng.choice(([*"ABCDE"], [*"12345"], [*"abcde"]))[:n]
    items = rng.choice(([*"abcde"], [*"12345"], [*"ABCDE"]))[: rng.choice((n, 5))]
    most = rng.choice((2, 3, 5))
    head = [rng.choice(("item", "ITEM", "Essay", "id")), *raters]
    rows = []
    for item in items:
        true = rng.randint(1, most)
        given = (true if rng.random() < 0.7 else rng.randint(1, most) for _ in raters)
        rows.append([item, *map(str, given)])
    return [head, *rows], n
