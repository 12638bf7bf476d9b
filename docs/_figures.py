"""Draw the figures of these pages and of the README, each from the code that stands beside it.

`python docs/_generate.py` calls this; a test draws them again and compares what they say.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path
from typing import Any

import consilience as cs
from consilience import plot
from consilience.plot.style import described, notebook_svg

DOCS = Path(__file__).resolve().parent
FOLDER = DOCS / "figures"

# What is drawn on the page of figures, under which heading: the code is shown, and run.
GALLERY: dict[str, tuple[str, ...]] = {
    "How far raters agree": (
        'cs.plot.forest(cs.datasets.load("fleiss_1971"), thresholds=(0.667, 0.8))',
        'cs.plot.variables(cs.read_groups("examples/headlines_long.csv"))',
        'cs.plot.batches({"pilot": pilot, "round 1": first, "round 2": second})',
        'cs.plot.curve([10, 20, 40], estimates, xlabel="items per rater")',
        'cs.plot.coefficient_bars({"nominal": names, "linear": steps})',
        'cs.plot.tolerance(cs.datasets.load("shrout_fleiss_1979"))',
    ),
    "Why one number is not enough": (
        'cs.plot.chance_surface(cs.datasets.load("di_eugenio_glass_2004_skewed"))',
        'cs.plot.prevalence_effect(cs.datasets.load("di_eugenio_glass_2004_skewed"))',
        'cs.plot.category_kappas(cs.datasets.load("fleiss_1971"))',
    ),
    "Labels": (
        'cs.plot.confusion(cs.datasets.load("fleiss_1971"))',
        'cs.plot.label_use(cs.read("examples/labels.csv"))',
        'cs.plot.heat_map(values, [["0.9", "0.1"], ["0.3", "0.7"]], ["yes", "no"], ["yes", "no"])',
    ),
    "Raters": (
        'cs.plot.raters(cs.read("examples/essays_wide.csv"))',
        'cs.plot.leave_one_out(cs.read("examples/essays_wide.csv"))',
        "cs.plot.funnel(crowd)",
        'cs.plot.design(cs.datasets.load("krippendorff_2011"))',
    ),
    "Items": ('cs.plot.item_agreement(cs.datasets.load("fleiss_1971"))',),
    "Marks": (
        'cs.plot.marks(cs.datasets.load("shrout_fleiss_1979"))',
        'cs.plot.histogram(cs.read("examples/essays_wide.csv"), raters=["marker_1"])',
        "cs.plot.bland_altman(first_marks, second_marks)",
        "cs.plot.differences(first_marks, second_marks)",
    ),
    "Systems and people": (
        'cs.plot.panel(verdicts, systems=["model"])',
        "cs.plot.sweep(published)",
        "cs.plot.settings(dimensions)",
    ),
    "Judges": (
        "cs.plot.corrected_rates(rates)",
        "cs.plot.shared_errors(errors)",
        "cs.plot.control_chart(watched)",
        "cs.plot.ranks(order)",
        "cs.plot.soft_labels(predicted)",
    ),
    "Who is right": (
        "cs.plot.accuracy(crowd)",
        "cs.plot.certainty(crowd)",
        "cs.plot.error_matrix(crowd)",
    ),
    "Events and spans": (
        "cs.plot.timeline(units)",
        "cs.plot.alignment(units)",
        "cs.plot.threshold(units)",
        "cs.plot.unit_lengths(units)",
    ),
}
# The first look that a reader takes, in the README.
README = {
    "readme-coefficients": 'cs.plot.forest(cs.read("examples/labels.csv"), '
    "thresholds=(0.667, 0.8))",
}


def name_of(code: str) -> str:
    """Return the name of the function that draws."""
    return code.partition("(")[0].rpartition(".")[2]


@cache
def data() -> dict[str, Any]:
    """Return what the names in the code stand for; the page says how it is made."""
    namespace: dict[str, Any] = {}
    exec(compile((DOCS / "_figure_data.py").read_text(encoding="utf-8"), "data", "exec"), namespace)
    return namespace


@cache
def drawn() -> dict[str, tuple[str, str]]:
    """Return each figure by the name of its file: the SVG, and what it shows in words."""
    codes = {name_of(code): code for part in GALLERY.values() for code in part} | README
    before = Path.cwd()
    os.chdir(DOCS.parent)
    try:
        axes = {name: eval(code, {"cs": cs, **data()}) for name, code in codes.items()}
    finally:
        os.chdir(before)
    return {name: (notebook_svg(ax), described(ax)) for name, ax in axes.items()}


def gallery() -> str:
    """Write the page's pictures, each below its code."""
    lines = []
    for heading, codes in GALLERY.items():
        lines.append(f"## {heading}\n")
        for code in codes:
            name = name_of(code)
            what = (getattr(plot, name).__doc__ or "").partition("\n")[0]
            words = drawn()[name][1].replace("[", "(").replace("]", ")")
            lines += [f"### {name}\n", f"{what} `{code}`\n", f"![{words}](figures/{name}.svg)\n"]
    return "\n".join(lines) + "\n"


def write(folder: Path = FOLDER) -> None:
    """Write every picture to a folder."""
    folder.mkdir(exist_ok=True)
    for name, (svg, _) in drawn().items():
        (folder / f"{name}.svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    write(*map(Path, sys.argv[1:]))
