"""Ratings as a small HTML table, for notebooks."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from consilience.core.words import first_of

if TYPE_CHECKING:
    from consilience.ratings._ratings import Ratings


def as_html(ratings: Ratings) -> str:
    """Render the facts about the ratings as a small table for notebooks."""
    facts = {
        "items": f"{ratings.n_items:,}",
        "raters": f"{ratings.n_raters:,}",
        "ratings": f"{ratings.n_ratings:,}",
        "missing": f"{ratings.n_missing:,}",
        "scale": html.escape(ratings.scale),
        "categories": html.escape(first_of(ratings.categories, 12)),
    }
    rows = "".join(
        f'<tr><th style="text-align:left">{name}</th><td style="text-align:left">{value}</td></tr>'
        for name, value in facts.items()
    )
    notes = "".join(f"<p>{html.escape(note.message)}</p>" for note in ratings.notes)
    return f"<table><caption>Ratings</caption>{rows}</table>{notes}"
