"""Evert & Baroni, "Statistics for linguists with R: a SIGIL course", unit 9, redone.

Two annotators mark sentences: is 70% agreement good enough, what is kappa, and how far would it
move in another sample? This walk goes through the slides with tables, tests and simulations and
ends in a page, ``sigil.html``. The annotations of slide 36 were never printed: they are made up,
and said to be.
"""

from __future__ import annotations

from pathlib import Path

import consilience as cs
from consilience import plot, simulate
from consilience.document import Document, Paragraph, Table
from consilience.report import result_page


def kappas() -> Table:
    """Slides 6 to 27: observed and chance agreement of every table of the unit."""
    names = {
        "five sentences (6)": "sigil_sentences",
        "homework (15 to 21)": "sigil_homework",
        "Di Eugenio & Glass (25)": "di_eugenio_glass_2004_bias",
        "another sample (27)": "sigil_resample",
    }
    rows = []
    for title, name in names.items():
        ratings = cs.datasets.load(name)
        kappa, pi, s = cs.cohen_kappa(ratings), cs.scott_pi(ratings), cs.bennett_s(ratings)
        rows.append([title, kappa.observed, kappa.expected, kappa.value, pi.value, s.value])
    heads = ("slide", "A_o", "A_e", "kappa", "pi", "S")
    return Table(heads=heads, rows=rows, caption="Agreement corrected for chance")


def lazy_annotators() -> Table:
    """Slides 10 and 12: annotators who mark at random agree all the same."""
    rows = []
    for share in (0.5, 0.95):
        both = [[share * share, share * (1 - share)], [share * (1 - share), (1 - share) ** 2]]
        table = cs.Ratings.from_table([[round(400 * x) for x in line] for line in both])
        rows.append([f"{share:.0%} yes", cs.percent_agreement(table).value])
    return Table(heads=("both say", "agreement by chance"), rows=rows, caption="Lazy annotators")


def main() -> None:
    """Print the tables, and write them with the figures as a page."""
    glass = cs.datasets.load("di_eugenio_glass_2004_bias")
    kappa = cs.cohen_kappa(glass)
    interval = kappa.confidence_interval(method="analytic")
    found = simulate.sampling_distribution(glass, "kappa", n_resamples=1000, rng=9)
    rare = simulate.sampling_distribution(
        simulate.Simulator(n_items=50, n_raters=2, agreement=0.6, prevalence=0.05),
        "kappa",
        n_resamples=1000,
        rng=9,
    )
    crowd = simulate.simulate(
        n_items=855, n_raters=6, categories=3, accuracy=[0.95, 0.92, 0.88, 0.85, 0.8, 0.5], rng=36,
        raters=["BK", "7", "9", "10", "4", "12"],
    ).ratings  # fmt: skip
    words = [
        str(cs.interpret(kappa, scale=name)) for name in ("landis-koch", "krippendorff", "green")
    ]
    blocks = [
        lazy_annotators(),
        kappas(),
        Paragraph(
            f"Slide 32: kappa {kappa.value:.3f}, standard error {kappa.standard_error:.3f}, 95% "
            f"interval {interval.low:.3f} to {interval.high:.3f}."
        ),
        *(Paragraph(word) for word in words),
        *simulate.samples(glass, 5, rng=9).document().blocks,
        *found.document().blocks,
        Paragraph("Slide 32: with skewed margins the error is too small and not normal:"),
        *rare.document().blocks,
        Paragraph("Slide 36, with made-up coders of 855 items:"),
        *cs.agreement_with_expert(crowd, expert="BK").document().blocks,
    ]
    findings = cs.measure(glass).findings
    document = Document(title="SIGIL, unit 9", blocks=blocks, findings=findings)
    print(document.text())
    page = result_page(
        document,
        [
            ("chance", "Chance agreement by the shares of two coders.",
             lambda: plot.chance_surface(glass)),
            ("sampling", "Kappa over 1,000 samples from the same annotators.",
             lambda: found.figure().axes[0]),
            ("skewed", "Kappa over 1,000 studies of 50 items with a rare label.",
             lambda: rare.figure().axes[0]),
        ],
        title="Inter-annotator agreement, redone",
        lead="The tables, formulas and simulations of SIGIL, unit 9 (Evert & Baroni).",
    )  # fmt: skip
    Path("sigil.html").write_text(page.html(), encoding="utf-8")
    print("Wrote sigil.html")


if __name__ == "__main__":
    main()
