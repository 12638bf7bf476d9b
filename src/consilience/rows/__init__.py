"""Rows with multiplicity, the forms of distances over them, and the terms of coefficients."""

from consilience.rows._forms import Form, MatrixForm, MomentForm, NominalForm, PointForm
from consilience.rows._reduce import item_rows, label_space, reduce_to_rows
from consilience.rows._rows import MovingMetric, Rows, RowSource, RowTable
from consilience.rows._terms import (
    BetweenRaters,
    BetweenTwo,
    Disagreement,
    Margin,
    MarginToUniform,
    Maximum,
    PairDisagreement,
    Term,
    Total,
    Uniform,
    two_raters,
)

__all__ = [
    "BetweenRaters",
    "BetweenTwo",
    "Disagreement",
    "Form",
    "Margin",
    "MarginToUniform",
    "MatrixForm",
    "Maximum",
    "MomentForm",
    "MovingMetric",
    "NominalForm",
    "PairDisagreement",
    "PointForm",
    "RowSource",
    "RowTable",
    "Rows",
    "Term",
    "Total",
    "Uniform",
    "item_rows",
    "label_space",
    "reduce_to_rows",
    "two_raters",
]
