"""Rows with multiplicity, the forms of distances over them, and the terms of coefficients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import public_names

if TYPE_CHECKING:
    from consilience.rows.distinct_rows import Rows as Rows
    from consilience.rows.reduce import reduce_to_rows as reduce_to_rows
    from consilience.rows.terms import BetweenRaters as BetweenRaters
    from consilience.rows.terms import BetweenTwo as BetweenTwo
    from consilience.rows.terms import Disagreement as Disagreement
    from consilience.rows.terms import Margin as Margin
    from consilience.rows.terms import PairDisagreement as PairDisagreement
    from consilience.rows.terms import Term as Term
    from consilience.rows.terms import Total as Total

public_names(__name__, door=False)
