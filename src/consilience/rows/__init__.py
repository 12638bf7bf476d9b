"""Rows with multiplicity, the forms of distances over them, and the terms of coefficients."""

from consilience.core.answers import answering
from consilience.rows._forms import (
    Form,
    MatrixForm,
    MomentForm,
    NominalForm,
    PointForm,
    ReplicateForm,
    Vectors,
)
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
from consilience.rows.distinct_rows import MovingMetric, Rows, RowSource, RowTable
from consilience.rows.reduce import item_rows, label_order, label_space, reduce_to_rows

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
    "ReplicateForm",
    "RowSource",
    "RowTable",
    "Rows",
    "Term",
    "Total",
    "Uniform",
    "Vectors",
    "item_rows",
    "label_order",
    "label_space",
    "reduce_to_rows",
    "two_raters",
]

answering(globals(), __all__)
