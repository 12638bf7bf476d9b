"""Artstein & Poesio (2005), "Kappa cubed = alpha (or beta)", redone.

Table by table: coefficients that differ in their idea of chance, weights, bias, chains of mentions,
marked words, word senses and latent classes. The walk ends in a page,
``artstein_poesio_2005.html``. The eighteen coders of their anaphora study are not public: chains,
words and marbles are made up here, and show the same effects.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import consilience as cs
from consilience import latent, magnitudes, plot
from consilience.coefficients.breakdowns import RaterBias
from consilience.document import Document, Paragraph, Table
from consilience.report import result_page
from consilience.units import Units, chains_of, word_set_ratings

# Section 2.8: a Check lies half-way between a Statement and an Info-Request.
WEIGHTS = [[0, 1, 0.5], [1, 0, 0.5], [0.5, 0.5, 0]]
# Section 4.4: senses of "call" under their hypernyms.
SENSES = {"WN1": "LABEL", "WN3": "LABEL", "WN19": "SEE", "WN22": "ADDRESS"}


def tables() -> Table:
    """Tables 1, 2, 4 and 6: S, pi and kappa, and what association makes of Table 2."""
    names = ["artstein_poesio_2005_table1", "artstein_poesio_2005_table2"]
    names += [f"zwick_1988_case{k}" for k in (1, 2, 3)] + ["artstein_poesio_2005_table6"]
    rows = []
    for name in names:
        ratings = cs.datasets.load(name)
        found = [one(ratings).value for one in (cs.bennett_s, cs.scott_pi, cs.cohen_kappa)]
        rows.append([name, *found, magnitudes.pearson_chi2(ratings).value])
    heads = ("table", "S", "pi", "kappa", "chi-square")
    return Table(heads=heads, rows=rows, caption="Tables 1, 2, 4 (cases 1 to 3) and 6")


def integrated_example() -> RaterBias:
    """Section 2.8 and appendices: alpha, alpha prime and beta of Table 6, and their bias."""
    table6 = cs.datasets.load("artstein_poesio_2005_table6")
    weighted = cs.distances.matrix(WEIGHTS, table6.categories)
    return cs.rater_bias(table6, distance=["nominal", weighted])


def antecedents(n_coders: int = 18, seed: int = 41) -> cs.Ratings:
    """Coders who link mentions: mostly to the same chain, to any of its members, with gaps."""
    rng = np.random.default_rng(seed)
    chain_of = rng.integers(0, 6, size=40)
    columns: dict[str, list[object]] = {}
    for coder in range(n_coders):
        told: list[object] = []
        for k, chain in enumerate(chain_of):
            before = [j for j in range(k) if chain_of[j] == chain]
            if not before or rng.random() < 0.12:  # a mention that the coder forgot to link
                told.append(None)
            else:
                told.append(f"m{rng.choice(before[-3:])}")
        columns[f"coder {coder + 1}"] = told
    return cs.Ratings.from_wide(columns, items=[f"m{k}" for k in range(len(chain_of))])


def marked_words(seed: int = 42) -> cs.Ratings:
    """Section 4.2: what "that" refers to in forty dialogues; some coders mark a clause more."""
    rng = np.random.default_rng(seed)
    records = []
    for text in range(40):
        start, length = int(rng.integers(0, 30)), int(rng.integers(4, 12))
        for coder in ("A", "B", "C"):
            more = 5 if rng.random() < 0.3 else 0
            first = max(0, start - more)
            records.append((coder, "that", first, start + length, f"dialogue {text}"))
    return word_set_ratings(Units.from_records(records, bounds=(0, 60), time_unit="token"))


def senses(seed: int = 44) -> Table:
    """Section 4.4: fine senses and their groups, by a taxonomy instead of equal or not."""
    rng = np.random.default_rng(seed)
    rows = []
    for truth in rng.choice(list(SENSES), size=60):
        said = []
        for _ in "AB":
            other = rng.choice(list(SENSES)) if rng.random() < 0.2 else truth
            said.append(SENSES[truth] if rng.random() < 0.15 else str(other))
        rows.append(said)
    ratings = cs.Ratings.from_wide(rows, raters=["A", "B"])
    tree = cs.distances.taxonomy({**SENSES, "LABEL": None, "SEE": None, "ADDRESS": None},
                                 distance="passonneau")  # fmt: skip
    shown = [
        ["equal or not", cs.cohen_kappa(ratings).value],
        ["extended senses", cs.cohen_kappa(ratings, distance=tree).value],
    ]
    return Table(heads=("word senses compared as", "beta"), rows=shown, caption="Section 4.4")


def marbles() -> latent.LatentClasses:
    """Section 6.2: is the sensitivity of each coder above .99?"""
    study = cs.simulate(
        n_items=3_000, n_raters=4, categories=["black", "white"], prevalence=[0.7, 0.3],
        accuracy=[0.998, 0.99, 0.95, 0.9], rng=6,
    )  # fmt: skip
    return latent.latent_classes(study.ratings, positive="white", n_starts=5, above=0.99)


def main() -> None:
    """Print the tables, and write them with the figures as a page."""
    links = antecedents()
    chains = chains_of(links)
    of_sets = ["jaccard", "passonneau", "dice"]
    by_distance = cs.rater_bias(chains, distance=["nominal", *of_sets])
    alone = links.collapse({one: frozenset([one]) for one in links.categories})
    bars = {
        "antecedent": [cs.cohen_kappa(links), cs.cohen_kappa(alone, distance="dice")],
        **{
            f"chain, {name.capitalize()}": [
                cs.cohen_kappa(chains),
                cs.cohen_kappa(chains, distance=name),
            ]
            for name in of_sets
        },
    }
    blocks = [
        tables(),
        Paragraph("Section 2.8 and appendices A and B: Table 6 with and without weights."),
        *integrated_example().document().blocks,
        Paragraph("Section 4.1: eighteen made-up coders; chains of mentions as labels."),
        *by_distance.document().blocks[:2],
        Paragraph("Section 4.2: what a demonstrative refers to, as sets of words."),
        *cs.rater_bias(marked_words(), distance=of_sets).document().blocks[:2],
        senses(),
        Paragraph("Section 6.2: latent classes."),
        *marbles().document().blocks,
    ]
    document = Document(title="Artstein & Poesio (2005)", blocks=tuple(blocks))
    print(document.text())
    page = result_page(
        document,
        [("figure2", "Figure 2: kappa and beta with antecedents and chains as labels, chains by "
          "three distances: alike for antecedents, far apart for chains.",
          lambda: plot.coefficient_bars(bars))],
        title="Kappa cubed = alpha (or beta), redone",
        lead="Tables, figures and procedures of Artstein & Poesio (2005).",
    )  # fmt: skip
    Path("artstein_poesio_2005.html").write_text(page.html(), encoding="utf-8")
    print("Wrote artstein_poesio_2005.html")


if __name__ == "__main__":
    main()
