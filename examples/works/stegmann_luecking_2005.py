"""Stegmann & Lücking (2005), "Assessing reliability on annotations (1)", redone.

Three coefficients that differ only in what they take for chance, how to read them, correlations for
times, and a coefficient that asks where raters guessed. This walk rebuilds the tables, figures and
worked examples and ends in a page, ``stegmann_luecking_2005.html``. The report's own annotations
are in another one: where single ratings are needed, they are made up, and said to be.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import consilience as cs
from consilience import latent, magnitudes, plot
from consilience.document import Document, Paragraph, Table
from consilience.inference import rank_critical_values
from consilience.report import result_page

LABELS = ("pointing", "iconic", "beat")


def two_rounds(n: int = 80) -> tuple[cs.Ratings, list[str]]:
    """Two raters who label gestures twice, and guess where they cannot tell; with the truth."""
    rng = np.random.default_rng(2005)
    truth = rng.choice(LABELS, size=n, p=[0.6, 0.3, 0.1])
    columns: dict[str, list[object]] = {"item": [], "rater": [], "round": [], "label": []}
    for rater, doubt in (("A", 0.15), ("B", 0.25)):
        unsure = rng.random(n) < doubt
        for time in (1, 2):
            said = np.where(unsure, rng.choice(LABELS, size=n), truth)
            columns["item"] += range(n)
            columns["rater"] += [rater] * n
            columns["round"] += [time] * n
            columns["label"] += said.tolist()
    return cs.Ratings.from_long(columns, occasion="round"), truth.tolist()


def golden_formula() -> Table:
    """Formulas 2.1 to 2.10: one form, three ideas of chance; Table 2.3."""
    rows = []
    for name in ("balanced", "skewed"):
        ratings = cs.datasets.load(f"di_eugenio_glass_2004_{name}")
        for one in (cs.scott_pi(ratings), cs.cohen_kappa(ratings), cs.gwet_ac(ratings)):
            rows.append([name, one.name, one.observed, one.expected, one.value])
    heads = ("table", "coefficient", "P(A)", "P(C)", "value")
    return Table(heads=heads, rows=rows, caption="Table 2.3: the golden formula at work")


def critical_values() -> Table:
    """Section 2.2.2: what AC1 guessing reaches; section 2.3.2: rho and tau of unrelated ranks."""
    rows = []
    for n in (10, 20, 50, 100):
        ac1 = cs.ac1_critical_values(n_items=n, n_raters=2, n_categories=3, n_resamples=20_000)
        rho, tau = (
            rank_critical_values(n_items=n, statistic=name, n_resamples=20_000)
            for name in ("spearman", "kendall")
        )
        rows.append([str(n), ac1[0.95], ac1[0.99], rho[0.95], tau[0.95]])
    heads = ("items", "AC1, 5%", "AC1, 1%", "rho, 5%", "tau, 5%")
    return Table(heads=heads, rows=rows, caption="Critical values: two raters, three labels")


def boundaries(n: int = 40) -> Table:
    """Section 2.3: two raters set the ends of words; the second a little later (made up)."""
    rng = np.random.default_rng(23)
    first = np.cumsum(rng.uniform(0.2, 0.9, n))
    second = first + rng.normal(0.04, 0.02, n)
    line = magnitudes.regression(first, second)
    rows = [
        ["covariance (2.11)", magnitudes.covariance(first, second).value],
        ["Pearson's r (2.12)", magnitudes.pearson(first, second).value],
        ["Spearman's rho (2.13)", magnitudes.spearman(first, second).value],
        ["Kendall's tau (2.14)", magnitudes.kendall_tau(first, second, variant="a").value],
        ["slope (2.16)", line.slope],
        ["intercept (2.17)", line.intercept],
    ]
    return Table(heads=("formula", "value"), rows=rows, caption="Word boundaries, in seconds")


def main() -> None:
    """Print the tables, and write them with the figures as a page."""
    ratings, truth = two_rounds()
    designs = latent.reliability_designs(ratings, gold=truth)
    skewed = cs.datasets.load("di_eugenio_glass_2004_skewed")
    ladder = cs.null_tests(cs.gwet_ac(skewed))
    quarter = latent.omega_chance_term(0.25, [0.5, 0.5], [0.5, 0.5])
    urn = cs.cohen_kappa(cs.Ratings.from_table([[64, 16], [16, 4]])).expected
    blocks = [
        Paragraph("Section 2.1: what can be tested (made-up ratings of gestures, two rounds)."),
        *designs.document().blocks,
        golden_formula(),
        Paragraph(
            f"A quarter of chance ratings gives {quarter} of chance agreement (section 2.2.1); an "
            f"urn with eight white and two red balls {urn:.2f}, more than AC1 can (section 3.1)."
        ),
        *ladder.document().blocks,
        critical_values(),
        boundaries(),
        *latent.omega(ratings).document().blocks,
    ]
    document = Document(title="Stegmann & Lücking (2005)", blocks=blocks)
    print(document.text())
    page = result_page(
        document,
        [
            ("chance", "Figures 2.1 to 2.3: chance agreement of pi, kappa and AC1 by the shares of "
             "two raters, with the skewed table's point.", lambda: plot.chance_surface(skewed)),
            ("prevalence", "What prevalence does to the coefficients.",
             lambda: plot.prevalence_effect(skewed)),
        ],
        title="Assessing reliability on annotations, redone",
        lead="Tables, figures and worked examples of Stegmann & Lücking (2005).",
    )  # fmt: skip
    Path("stegmann_luecking_2005.html").write_text(page.html(), encoding="utf-8")
    print("Wrote stegmann_luecking_2005.html")


if __name__ == "__main__":
    main()
