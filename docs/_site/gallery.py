"""Write the gallery: every figure as a card that leads to the function that draws it."""

from __future__ import annotations

import runpy
from pathlib import Path

FIGURES = runpy.run_path(str(Path(__file__).resolve().parents[1] / "_figures.py"))


def cards(heading: str, codes: tuple[str, ...]) -> list[str]:
    """Write the figures under one heading."""
    lines = [f"## {heading}", "", "::::{grid} 1 2 2 3", ":gutter: 3", ""]
    for code in codes:
        name = FIGURES["name_of"](code)
        words = FIGURES["drawn"]()[name][1].replace("\n", " ")
        lines += [
            f":::{{grid-item-card}} {name}",
            f":link: reference/consilience.plot.{name}",
            ":link-type: doc",
            "",
            f"```{{image}} figures/{name}.svg",
            f":alt: {words}",
            "```",
            ":::",
            "",
        ]
    return [*lines, "::::", ""]


def write(folder: Path) -> None:
    """Write the page of the gallery."""
    lines = [
        "---",
        "orphan: true",
        "---",
        "# Gallery",
        "",
        "Every figure, drawn while this site was built. A card leads to the function; "
        "[figures](figures.md) shows each with the code that draws it.",
        "",
    ]
    for heading, codes in FIGURES["GALLERY"].items():
        lines += cards(heading, codes)
    (folder / "gallery.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
