"""Haley, Thomas, Petre & De Roeck (2008), "Using a new inter-rater reliability statistic", redone.

How much training data does an automated marker need? The report prints how often a computer and a
tutor give the same mark, asks by which number to judge that, and goes through a dozen of them. This
walk rebuilds every table and figure and ends in a page, ``haley_2008.html``. The marks themselves
were never printed: where single marks are needed, they are made up, and said to be.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

import consilience as cs
from consilience import magnitudes, panel, plot
from consilience.document import Document, Paragraph, Table
from consilience.report import result_page

GAPS = (0, 1, 2, 3, 4)
# Amount of training data: percentages of marks that differ by 0, 1, 2, 3, 4 points (Table 1-2).
TABLE_1_2 = {
    10: (65, 20, 13, 2, 1), 20: (68, 15, 13, 3, 1), 30: (60, 27, 11, 2, 1), 40: (60, 27, 11, 2, 1),
    50: (57, 31, 10, 2, 0), 60: (61, 25, 11, 1, 1), 70: (67, 18, 12, 3, 1), 80: (67, 18, 11, 3, 1),
    90: (67, 18, 11, 3, 1), 100: (67, 17, 11, 3, 2), 200: (35, 54, 7, 4, 1),
    300: (45, 39, 12, 2, 2), 400: (62, 22, 12, 2, 2), 500: (61, 24, 12, 2, 2),
    600: (47, 38, 12, 3, 1), 627: (59, 27, 11, 2, 1),
}  # fmt: skip
# Table 1-4 in its own order, from best to worst: the columns headed L1 and L2.
TABLE_1_4 = {
    50: (93, 9.6), 60: (95, 9.7), 30: (97, 9.8), 40: (98, 9.9), 627: (100, 10.0), 10: (105, 10.2),
    80: (107, 10.3), 70: (108, 10.4), 20: (109, 10.5), 90: (110, 10.5), 100: (114, 10.7),
    500: (116, 10.8), 400: (119, 10.9), 200: (122, 11.1), 600: (124, 11.1), 300: (133, 11.5),
}  # fmt: skip
# Two markers against a gold standard (Table 1-1).
MARKER_A = {0: 80, 3: 5, 4: 15}
MARKER_B = {0: 75, 1: 25}


def sweep() -> panel.SweepResult:
    """Sort the sixteen amounts by how far the marks are off, squared: as Table 1-4 does."""
    rows = {
        amount: panel.differences(dict(zip(GAPS, shares, strict=True)))
        for amount, shares in TABLE_1_2.items()
    }
    return panel.sweep(rows, sort_by="root_mean_square_difference", setting="marked answers")


def sums_of_squares() -> int:
    """Count the rows of Table 1-4 in which L2 is the root of what is printed as L1."""
    return sum(math.isclose(math.sqrt(l1), l2, abs_tol=0.06) for l1, l2 in TABLE_1_4.values())


def table_1_1() -> Table:
    """The share of identical marks hides how far off the others are."""
    markers = {"A": panel.differences(MARKER_A), "B": panel.differences(MARKER_B)}
    rows = [
        [name, one.identical, one.within(1), one.manhattan, one.euclidean]
        for name, one in markers.items()
    ]
    heads = ("marker", "identical", "within 1", "L1", "L2")
    return Table(heads=heads, rows=rows, caption="Table 1-1: two markers and a gold standard")


def table_1_3() -> Table:
    """Equations 1-1 to 1-3: correlations near 0 of markers who agree on 96% of the marks."""
    marks = cs.datasets.load("haley_2008_table_1_3")
    found = {
        "Kendall's tau-b": magnitudes.kendall_tau(marks, variant="b"),
        "Kendall's tau-c": magnitudes.kendall_tau(marks, variant="c"),
        "Spearman's rho": magnitudes.spearman(marks),
        "Pearson's r": magnitudes.pearson(marks),
    }
    rows = [[name, one.value, one.ase1, one.statistic, one.p_value] for name, one in found.items()]
    heads = ("correlation", "value", "error", "T", "significance")
    return Table(heads=heads, rows=rows, caption="Table 1-3: correlations of two markers")


def table_1_7() -> Table:
    """Sections 1.6 and 1.7: kappa and AC1 of a balanced and a skewed table."""
    rows = []
    for name in ("balanced", "skewed"):
        ratings = cs.datasets.load(f"di_eugenio_glass_2004_{name}")
        kappa, ac1 = cs.cohen_kappa(ratings), cs.gwet_ac(ratings)
        rows.append([name, kappa.observed, kappa.expected, kappa.value, ac1.expected, ac1.value])
    heads = ("table", "agreement", "chance, kappa", "kappa", "chance, AC1", "AC1")
    return Table(heads=heads, rows=rows, caption="Tables 1-5 and 1-7: kappa and AC1")


def made_up_marks(n: int = 120) -> dict[int, cs.Ratings]:
    """Marks from 0 to 4 that crowd at the top, and a computer with five amounts of training."""
    rng = np.random.default_rng(2008)
    tutor = np.clip(np.round(4 - rng.exponential(1.0, n)), 0, 4).astype(int)
    settings = {}
    for amount, errs in ((10, 0.40), (50, 0.30), (100, 0.28), (200, 0.60), (627, 0.35)):
        off = np.where(
            rng.random(n) < errs, rng.choice([-2, -1, 1, 2], n, p=[0.2, 0.4, 0.3, 0.1]), 0
        )
        computer = np.clip(tutor + off, 0, 4)
        settings[amount] = cs.Ratings.from_wide(
            {"tutor": tutor.tolist(), "computer": computer.tolist()},
            scale="ordinal",
            categories=range(5),
        )
    return settings


def main() -> None:
    """Print the tables, and write them with the figures as a page."""
    published = sweep()
    settings = made_up_marks()
    every = panel.sweep(settings, people=["tutor"], sort_by="ac1", setting="marked answers")
    skew = magnitudes.describe_marks(settings[50]).raters[0].skewness
    first = published.sorted_by("L1").best.setting
    misprint = (
        f"In {sums_of_squares()} of {len(TABLE_1_4)} rows of Table 1-4 the column headed L1 is the "
        "sum of squared differences (L2 is its root), not the Manhattan distance. By the Manhattan "
        f"distance itself, {first} marked answers would come out best, not "
        f"{published.best.setting}."
    )
    blocks = [
        table_1_1(),
        *published.document().blocks,
        Paragraph(misprint),
        table_1_3(),
        Paragraph(f"The tutor's made-up marks have a skewness of {skew:.2f}, as in figure 1-2."),
        Paragraph("Every metric of the report, on made-up marks of five settings:"),
        *every.document().blocks,
        table_1_7(),
    ]
    document = Document(title="Haley et al. (2008)", blocks=blocks)
    print(document.text())
    page = result_page(
        document,
        [
            ("shares", "Figure 1-1: shares of marks against the amount of training data, with a "
             "slice at 60.",
             lambda: plot.settings(published, at=60)),
            ("sweep", "Table 1-4 as a figure: the best amount of training data on top.",
             lambda: plot.sweep(published)),
            ("marks", "Figure 1-2: marks that crowd at the top of the scale (made up).",
             lambda: plot.histogram(settings[50])),
            ("differences", "Differences of these marks, with their skewness.",
             lambda: plot.differences(settings[50])),
        ],
        title="Using a new inter-rater reliability statistic, redone",
        lead="Every table and figure of Haley, Thomas, Petre & De Roeck (2008).",
    )  # fmt: skip
    Path("haley_2008.html").write_text(page.html(), encoding="utf-8")
    print("Wrote haley_2008.html")


if __name__ == "__main__":
    main()
