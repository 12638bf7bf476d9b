"""Rows with multiplicity, the forms of distances over them, and the terms of coefficients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import public_names

if TYPE_CHECKING:
    from consilience.rows._forms import Form as Form
    from consilience.rows._forms import MatrixForm as MatrixForm
    from consilience.rows._forms import MomentForm as MomentForm
    from consilience.rows._forms import NominalForm as NominalForm
    from consilience.rows._forms import PointForm as PointForm
    from consilience.rows._forms import ReplicateForm as ReplicateForm
    from consilience.rows._forms import Vectors as Vectors
    from consilience.rows._terms import BetweenRaters as BetweenRaters
    from consilience.rows._terms import BetweenTwo as BetweenTwo
    from consilience.rows._terms import Disagreement as Disagreement
    from consilience.rows._terms import Margin as Margin
    from consilience.rows._terms import MarginToUniform as MarginToUniform
    from consilience.rows._terms import Maximum as Maximum
    from consilience.rows._terms import PairDisagreement as PairDisagreement
    from consilience.rows._terms import Term as Term
    from consilience.rows._terms import Total as Total
    from consilience.rows._terms import Uniform as Uniform
    from consilience.rows._terms import two_raters as two_raters
    from consilience.rows.distinct_rows import MovingMetric as MovingMetric
    from consilience.rows.distinct_rows import Rows as Rows
    from consilience.rows.distinct_rows import RowSource as RowSource
    from consilience.rows.distinct_rows import RowTable as RowTable
    from consilience.rows.reduce import item_rows as item_rows
    from consilience.rows.reduce import label_order as label_order
    from consilience.rows.reduce import label_space as label_space
    from consilience.rows.reduce import reduce_to_rows as reduce_to_rows

public_names(__name__)
