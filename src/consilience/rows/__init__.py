"""Rows with multiplicity, the forms of distances over them, and the terms of coefficients."""

from consilience.rows._forms import Form, MatrixForm, MomentForm, NominalForm, PointForm
from consilience.rows._reduce import item_rows, label_space, reduce_to_rows
from consilience.rows._rows import Rows, RowSource, RowTable
from consilience.rows._terms import BetweenRaters, BetweenTwo, Margin, Term, Total, two_raters

__all__ = [
    "BetweenRaters",
    "BetweenTwo",
    "Form",
    "Margin",
    "MatrixForm",
    "MomentForm",
    "NominalForm",
    "PointForm",
    "RowSource",
    "RowTable",
    "Rows",
    "Term",
    "Total",
    "item_rows",
    "label_space",
    "reduce_to_rows",
    "two_raters",
]
