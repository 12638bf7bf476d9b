"""Raters against one expert, as ``consilience raters --expert`` shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from consilience.document import Cell, Document
    from consilience.inference import ExpertTable


def expert_page(table: ExpertTable) -> Document:
    """Return the table in the manner of Krenn, Evert & Zinsmeister (2004), closest rater first."""
    from consilience.document import Document, Paragraph, Range, Table

    rows: list[list[Cell]] = [
        [str(one.rater), one.kappa, Range(one.interval.low, one.interval.high), one.n_items]
        for one in table
    ]
    spread = table.pairs
    return Document(
        title=f"Agreement with {table.expert}",
        blocks=(
            Table(heads=("rater", "kappa", "homogeneity interval", "items"), rows=rows),
            Paragraph(
                f"All {spread.n_pairs} pairs of raters: mean kappa {spread.mean:.3f}, standard "
                f"deviation {spread.standard_deviation:.3f}. Agreement with one person says as "
                "much about that person."
            ),
        ),
    )


def expert_record(table: ExpertTable) -> dict[str, Any]:
    """Return the same as plain data."""
    spread = table.pairs
    return {
        "expert": table.expert,
        "rows": [
            {
                "rater": one.rater,
                "n_items": one.n_items,
                "agreement": one.agreement,
                "kappa": one.kappa,
                "low": one.interval.low,
                "high": one.interval.high,
            }
            for one in table
        ],
        "pairs": {
            "n_pairs": spread.n_pairs,
            "mean": spread.mean,
            "standard_deviation": spread.standard_deviation,
        },
    }
