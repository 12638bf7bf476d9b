"""Five works whose tables, figures, formulas and sections are found by their numbers.

Each number leads to a word of the glossary or to the name of a coefficient or measure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_KINDS = {
    "table": "table", "tables": "table", "tab": "table",
    "figure": "figure", "figures": "figure", "fig": "figure", "figs": "figure",
    "equation": "formula", "equations": "formula", "eq": "formula", "eqs": "formula",
    "formula": "formula", "formulas": "formula", "formulae": "formula",
    "section": "section", "sections": "section", "sec": "section", "chapter": "section",
    "appendix": "appendix", "step": "step", "case": "case", "note": "note", "footnote": "note",
    "slide": "slide", "slides": "slide", "page": "slide", "pages": "slide", "pp": "slide",
    "p": "slide",
}  # fmt: skip
_WORDS = re.compile(r"[^\W\d_]+|\d+(?:\s?[.-]\s?\d+)*[a-d]?")
_PASSED_OVER = ("and", "to", "no", "nr", "number")


@dataclass(frozen=True, slots=True)
class Work:
    """A work: what people call it, what it is about, and where each numbered part is found.

    Attributes
    ----------
    title : its authors and year
    names : words that name it
    parts : by kind and number, as in "table 2.1"; several numbers may share a word
    """

    title: str
    names: tuple[str, ...]
    parts: dict[str, str]

    def numbered(self) -> dict[str, str]:
        """Return the word of each part by kind and number, each written out."""
        return {
            f"{kind} {number}": word
            for told, word in self.parts.items()
            for kind, _, numbers in [told.partition(" ")]
            for number in numbers.split()
        }


WORKS = (
    Work(
        "Stegmann & Lücking (2005)",
        ("stegmann", "lucking", "luecking", "lücking"),
        {
            "table 2.1": "reliability",
            "table 2.2 2.3 2.3a": "contingency table",
            "table 2.3b": "paradox",
            "figure 2.1 2.2 2.3": "chance surface",
            "formula 2.1 2.2": "golden formula",
            "formula 2.3 2.4 2.5": "scott_pi",
            "formula 2.6 2.7": "cohen_kappa",
            "formula 2.8 2.9 2.10": "gwet_ac",
            "formula 2.11": "covariance",
            "formula 2.12": "pearson",
            "formula 2.13": "spearman",
            "formula 2.14": "kendall_tau",
            "formula 2.15 2.16 2.17": "regression line",
            "formula 3.1 3.2": "omega",
            "note 25 28": "golden formula",
            "note 38": "sprent",
            "section 2.1": "reliability",
            "section 2.2 2.2.1": "golden formula",
            "section 2.2.2": "word scale",
            "section 2.3 2.3.1": "correlation",
            "section 2.3.2": "sprent",
            "section 3 3.1 3.2": "omega",
        },
    ),
    Work(
        "Haley et al. (2008)",
        ("haley", "trusso haley", "petre", "roeck", "emma"),
        {
            "table 1-1": "simple metric",
            "table 1-2 1-4": "sweep",
            "table 1-3": "correlation",
            "table 1-5 1-7": "paradox",
            "table 1-6": "contingency table",
            "figure 1-1": "sweep",
            "figure 1-2": "skewness",
            "formula 1-1": "pearson",
            "formula 1-2": "spearman",
            "formula 1-3": "kendall_tau",
            "formula 1-4": "manhattan",
            "formula 1-5": "euclidean",
            "formula 1-6": "cohen_kappa",
            "formula 1-7 1-8": "gwet_ac",
            "section 1.1": "sweep",
            "section 1.2": "simple metric",
            "section 1.3 1.3.1": "precision",
            "section 1.3.2": "correlation",
            "section 1.4": "t test",
            "section 1.5": "euclidean",
            "section 1.6 1.6.2": "gwet_ac",
            "section 1.6.1 1.7 1.7.1 1.7.2": "paradox",
        },
    ),
    Work(
        "SIGIL, unit 9 (Evert & Baroni)",
        ("sigil", "evert", "baroni"),
        {
            "slide 1 2 3 4 5": "reliability",
            "slide 6 7": "percent_agreement",
            "slide 8 9 10 11 12 13 14": "golden formula",
            "slide 15 16 17": "contingency table",
            "slide 18 19 20": "golden formula",
            "slide 21": "cohen_kappa",
            "slide 22": "scott_pi",
            "slide 23 24": "word scale",
            "slide 25 26": "contingency table",
            "slide 27 28 29 30": "sampling variation",
            "slide 31 32 33": "confidence interval",
            "slide 34": "cohen_kappa",
            "slide 35": "weights",
            "slide 36": "expert",
            "slide 37": "pairs of raters",
            "slide 38 39": "systematic disagreement",
        },
    ),
    Work(
        "Artstein & Poesio (2005)",
        ("artstein", "poesio", "a p", "kappa3"),
        {
            "table 1 6": "contingency table",
            "table 2": "chi square",
            "table 3": "correlation",
            "table 4": "marginals",
            "table 5": "agreement table",
            "table 7": "word sense",
            "table 8": "word scale",
            "case 1 2 3": "marginals",
            "figure 1": "bias b",
            "figure 2": "coreference",
            "section 1 2 2.1": "golden formula",
            "section 2.2": "percent_agreement",
            "section 2.3": "golden formula",
            "section 2.4": "scott_pi",
            "section 2.5": "weights",
            "section 2.6 2.7 2.8 3": "bias b",
            "section 4 4.1": "coreference",
            "section 4.2 4.3": "discourse deixis",
            "section 4.4": "word sense",
            "section 4.5": "term extraction",
            "section 5 5.1": "missing data",
            "section 5.2": "word scale",
            "section 6 6.1": "easy items",
            "section 6.2": "latent class",
            "appendix a b": "bias b",
            "note 2 11 12": "latent class",
            "note 4": "bias b",
            "note 10": "donner eliasziw",
        },
    ),
    Work(
        "Holle & Rein (2015)",
        ("holle", "rein", "easydiag"),
        {
            "table 1 3": "structural zero",
            "table 2": "rater disparity",
            "figure 1": "multiple linking",
            "figure 2 4 6 6a 6b": "holle rein",
            "figure 3": "holle rein",
            "figure 5": "overlap threshold",
            "figure 6c": "gseq",
            "step 1": "overlap threshold",
            "step 2": "nil",
            "note 3": "mcnemar",
        },
    ),
)


def part_of_a_work(wanted: str) -> list[tuple[Work, str, str]]:
    """Return the works, numbered parts and words that a request such as "Haley table 1-3" means.

    The number decides, and the kind and the authors where they are given; a bare number with a
    point or a hyphen is enough, as in 2.14.

    >>> [(work.title, word) for work, _, word in part_of_a_work("Haley et al., Table 1-3")]
    [('Haley et al. (2008)', 'correlation')]
    >>> [word for _, _, word in part_of_a_work("eq. (2.14)")]
    ['kendall_tau']
    >>> part_of_a_work("kappa")
    []
    """
    tokens = _WORDS.findall(wanted.casefold())
    asked = set(_asked(tokens))
    named = {work.title for work in WORKS if set(work.names) & set(tokens)}
    found = []
    for work in WORKS if asked else ():
        for part, word in work.numbered().items():
            kind, _, number = part.partition(" ")
            ways = {(kind, number), (kind, number.replace("-", "."))}
            if not number.isdecimal() and kind not in ("appendix", "step"):
                ways.add(("", number))
            if asked & ways and (not named or work.title in named):
                found.append((work, part, word))
    return found


def _asked(tokens: list[str]) -> Iterator[tuple[str, str]]:
    """Yield what is asked for: a kind and the number after it, or a number with a sign inside."""
    kind = ""
    for token in tokens:
        is_letter = kind == "appendix" and token in ("a", "b")
        if is_letter or token[0].isdigit():
            number = re.sub(r"\s", "", token)
            if kind or not number.isdecimal():
                yield kind, number
        elif token not in _PASSED_OVER:
            kind = _KINDS.get(token, "")


def works_named(wanted: str) -> list[Work]:
    """Return the works whose authors a request names.

    >>> [work.title for work in works_named("Artstein & Poesio 2005")]
    ['Artstein & Poesio (2005)']
    """
    tokens = set(_WORDS.findall(wanted.casefold()))
    return [work for work in WORKS if tokens & set(work.names)]
