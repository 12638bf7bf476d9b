"""Holle & Rein (2015), "EasyDIAG", redone.

The agreement table and its indices, each category by itself, the threshold, rater disparity,
GSEQ-like alignment, and matching in which a unit may have several partners. The films of the paper
are not public: twelve are made up here with its six categories. The walk ends in a page with
figures 3 to 6, ``holle_rein.html``.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from consilience import plot
from consilience.document import Document, Paragraph, Table
from consilience.report import result_page
from consilience.units import (
    Units,
    easydiag,
    easydiag_table,
    threshold_curve,
    timed_alignment,
    unit_lengths,
)
from consilience.units.programs import multiple_links

LABELS = ("iob", "pis", "pob", "ris", "rob", "s")
SECONDS = {"iob": 4.0, "pis": 1.0, "pob": 1.6, "ris": 2.4, "rob": 2.0, "s": 0.6}
SHARES = (0.10, 0.42, 0.14, 0.15, 0.10, 0.09)
TABLE_1 = [
    [160, 0, 0, 0, 6, 0, 22],
    [0, 684, 20, 22, 6, 6, 80],
    [18, 16, 160, 0, 20, 24, 62],
    [2, 18, 2, 220, 8, 0, 21],
    [0, 2, 4, 14, 84, 0, 20],
    [0, 2, 0, 0, 0, 52, 18],
    [32, 76, 31, 29, 10, 13, 0],
]


def films(n_films: int = 12, seed: int = 2015) -> Units:
    """Movements that two raters segment and label, with errors of both kinds."""
    rng = np.random.default_rng(seed)
    records = []
    for film in range(n_films):
        time, last = 0.0, {"R1": 0, "R2": 0}
        for label in rng.choice(LABELS, size=30, p=SHARES):
            start = time + rng.uniform(0.05, 1.5)
            end = start + SECONDS[label] * rng.lognormal(0, 0.35)
            time = end
            for rater in ("R1", "R2"):
                if rng.random() < 0.08:
                    continue  # not seen
                said = "pob" if rater == "R1" and rng.random() < 0.06 else str(label)
                onset, offset = (round(1000 * (x + rng.normal(0, 0.09))) for x in (start, end))
                onset = max(onset, last[rater])  # a rater's own units do not overlap
                if onset < offset:
                    records.append((rater, said, onset, offset, f"film {film + 1:02}"))
                    last[rater] = offset
    return Units.from_records(records, time_unit="ms")


def one_long_or_many_short() -> Table:
    """The case in which EasyDIAG links nothing: one long unit against several short ones."""
    units = Units.from_records(
        [("R1", "x", 0, 4000), ("R2", "x", 0, 1300), ("R2", "x", 1350, 2650),
         ("R2", "x", 2700, 4000), ("R1", "y", 5000, 6000), ("R2", "y", 5000, 6000)],
        time_unit="ms",
    )  # fmt: skip
    rows: list[list[object]] = [["EasyDIAG", easydiag(units, n_resamples=1).n_linked]]
    for base in ("longer", "shorter"):
        found = timed_alignment(units, base=base, n_resamples=1)
        linked = int((found.links[:, :2] >= 0).all(axis=1).sum())
        rows.append([f"GSEQ-like, percent of the {base} event", linked])
    several = multiple_links(units, n_resamples=1)
    rows.append(["Haccou & Meelis, several partners allowed", several.n_matches])
    return Table(heads=("one long unit against three short ones", "pairs"), rows=rows)


def six_gestures() -> Units:
    """As in figure 6: four gestures of each rater, two with the same label (made up)."""
    return Units.from_records(
        [("R1", "pis", 500, 2100), ("R1", "pob", 2150, 4000), ("R1", "rob", 6000, 7200),
         ("R1", "s", 8000, 9000), ("R2", "ris", 600, 2000), ("R2", "pob", 2200, 3950),
         ("R2", "rob", 6050, 7300), ("R2", "pis", 8050, 8900)],
        time_unit="ms",
    )  # fmt: skip


def main() -> None:
    """Print the tables, and write them with the figures as a page."""
    paper = easydiag_table(TABLE_1, LABELS, raters=("Observer 1", "Observer 2"))
    units, six = films(), six_gestures()
    found = easydiag(units, threshold=60)
    aligned = timed_alignment(units, overlap=60)
    blocks = [
        Paragraph("Tables 1 and 2 as printed: kappa .61, raw agreement .69, linked .79."),
        *paper.document().blocks,
        Paragraph("Twelve made-up films."),
        *unit_lengths(units).document().blocks,
        *found.document().blocks,
        *found.ranked_disparity.tables(5)[:2],
        Paragraph("The same films by GSEQ-like alignment (their Table 3)."),
        *aligned.document().blocks[1:3],
        one_long_or_many_short(),
    ]
    document = Document(title="Holle & Rein (2015)", blocks=tuple(blocks))
    print(document.text())
    curve = threshold_curve(units, thresholds=range(51, 91, 3))
    page = result_page(
        document,
        [
            ("figure3", "Figure 3: number and mean length of units (made-up films).",
             lambda: plot.unit_lengths(units)),
            ("figure4", "Figure 4: observed agreement, chance agreement and kappa of each "
             "category, from the printed table.", lambda: plot.category_kappas(paper)),
            ("figure5", "Figure 5: kappa by the overlap asked for (made-up films). Long units "
             "(iob) lose least, short ones (pis, s) most.", lambda: plot.threshold(curve)),
            ("figure6a", "Figure 6a: four gestures of each rater (made up).",
             lambda: plot.timeline(six, threshold=None)),
            ("figure6b", "Figure 6b: EasyDIAG links four pairs, two of them with other labels.",
             lambda: plot.timeline(six, result=easydiag(six, n_resamples=1))),
            ("figure6c", "Figure 6c: GSEQ-like alignment fills gaps (&) and links equal labels "
             "only.", lambda: plot.alignment(six, timed_alignment(six, n_resamples=1))),
        ],
        title="EasyDIAG, redone",
        lead="Tables, figures and procedures of Holle & Rein (2015).",
    )  # fmt: skip
    Path("holle_rein.html").write_text(page.html(), encoding="utf-8")
    print("Wrote holle_rein.html")


if __name__ == "__main__":
    main()
