"""How a cell of a recognised table is cleaned: one rule for files, frames, relations and Spark.

Blanks around a text are cut, an empty text is missing, NaN is missing, -0.0 is 0.0. The rule is
written down once, kind by kind, and spelled in three ways: as DuckDB's SQL, as an expression of
narwhals, and in Python for the few different cells that are looked at one by one. What the cells
of a label column are (1.0 = 1 = "1" in a column of numbers, declared marks) is decided where
labels are read, again in one place for all routes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["text", "category", "float", "decimal", "plain"]
BLANKS = " \t\u00a0\ufeff"
_ONE_BY_ONE = BLANKS.strip(" ")


@dataclass(frozen=True)
class Rule:
    """What happens to cells of one kind: in SQL, in narwhals, in Python."""

    sql: Callable[[str], str]
    expression: Callable[[Any, Any], Any]  # of narwhals itself and the column
    value: Callable[[Any], Any]


def _trimmed(nw: Any, column: Any) -> Any:
    bare = column.str.strip_chars(BLANKS)
    return nw.when(bare != "").then(bare)


def _finite(nw: Any, column: Any) -> Any:
    # Not "not NaN", which DuckDB takes for true of Parquet whose statistics know no NaN.
    return nw.when(column.is_finite() | (column.abs() == math.inf)).then(column + 0.0)


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value + 0.0


RULES: Mapping[Kind, Rule] = {
    "text": Rule(
        lambda cell: f"nullif(trim({cell}, {_quoted(BLANKS)}), '')",
        _trimmed,
        lambda value: value.strip(BLANKS) or None,
    ),
    "category": Rule(
        lambda cell: f"nullif(trim({cell}::VARCHAR, {_quoted(BLANKS)}), '')",
        lambda nw, column: _trimmed(nw, column.cast(nw.String)),
        lambda value: value.strip(BLANKS) or None,
    ),
    "float": Rule(
        lambda cell: f"CASE WHEN isfinite({cell}) OR isinf({cell}) THEN {cell} + 0.0 END",
        _finite,
        _number,
    ),
    "decimal": Rule(
        lambda cell: f"{cell}::DOUBLE",
        lambda nw, column: column.cast(nw.Float64),
        float,
    ),
    "plain": Rule(lambda cell: cell, lambda nw, column: column, lambda value: value),
}


def clean_sql(cell: str, kind: Kind) -> str:
    """Return the cleaned cell in DuckDB's SQL."""
    return RULES[kind].sql(cell)


def clean_expression(nw: Any, column: Any, kind: Kind) -> Any:
    """Return the cleaned column as an expression of narwhals."""
    return RULES[kind].expression(nw, column)


def clean_value(value: Any) -> Any:
    """Return one cleaned cell, None where it is missing."""
    if isinstance(value, str):
        return RULES["text"].value(value)
    if hasattr(value, "dtype") and hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        return RULES["float"].value(value)
    return None if type(value).__name__ in ("NAType", "NaTType") else value


def untidy_sql(cell: str) -> str:
    """Say in SQL that cleaning would change a text; far quicker than cleaning it.

    The rare blanks are looked for anywhere in the cell: that may say yes in vain, never no.
    """
    tests = [f"{cell} = ''", f"starts_with({cell}, ' ')", f"ends_with({cell}, ' ')"]
    return " OR ".join([*tests, *(f"contains({cell}, {_quoted(sign)})" for sign in _ONE_BY_ONE)])


def kind_of_sql(sql_type: str) -> Kind:
    """Return the kind of cells of a type of DuckDB."""
    if sql_type == "VARCHAR":
        return "text"
    if sql_type in ("FLOAT", "DOUBLE"):
        return "float"
    if sql_type.startswith("DECIMAL"):
        return "decimal"
    return "category" if sql_type.startswith("ENUM") else "plain"


def kind_of_dtype(nw: Any, dtype: Any) -> Kind:
    """Return the kind of cells of a type of narwhals."""
    if dtype == nw.String:
        return "text"
    if dtype in (nw.Categorical, nw.Enum):
        return "category"
    if dtype.is_float():
        return "float"
    return "decimal" if dtype == nw.Decimal else "plain"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
