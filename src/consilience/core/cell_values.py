"""What a cell of a table says: blanks and marks cleaned, a number, a time on a clock, a list."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from consilience.core.input_files import Said
from consilience.exceptions import InputError

# ---- What the text of a cell says: a number, a time on a clock, a list.
#
# There is one rule for each, for every table, export and file of units; `number_sql` is the same
# rule for numbers in DuckDB's SQL. A column as a whole may tell more than a cell: `written_numbers`
# reads numbers with thousands separators where one habit fits every cell.

LONGEST_LITERAL = 100_000  # characters of a cell that is taken apart as a list
_LARGEST_EXACT = 2**53  # whole numbers are exact in a float up to here

_AROUND = " \t\r\n\u00a0\u2009\u202f\ufeff"
_MINUS_SIGNS = "\u2212\u2013\u2010\u2011\ufe63\uff0d"
# The zero of each script whose digits people write numbers with; the other nine follow it.
_ZEROS = "٠۰०০๐０"
_FOREIGN = (
    _MINUS_SIGNS + "٫．，" + "".join(chr(ord(zero) + k) for zero in _ZEROS for k in range(10))
)
_ASCII = "-" * len(_MINUS_SIGNS) + "..," + "0123456789" * len(_ZEROS)
_TO_ASCII = str.maketrans(_FOREIGN, _ASCII)

_NUMBER = r"[+-]?(?:[0-9]+[.,]?[0-9]*|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?"
# Where both signs stand in one number, the last of them is the decimal one.
_COMMAS_BETWEEN = r"[+-]?[0-9]{1,3}(?:,[0-9]{3})+\.[0-9]+"
_POINTS_BETWEEN = r"[+-]?[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]+"
_A_NUMBER = re.compile(_NUMBER)
_WHOLE = re.compile(r"([+-]?[0-9]{1,310})(?:[.,]0*)?")
_WITH_COMMAS, _WITH_POINTS = re.compile(_COMMAS_BETWEEN), re.compile(_POINTS_BETWEEN)
_CODE = re.compile(r"[+-]?0[0-9]")
_A_CLOCK = re.compile(
    r"(?:(?P<h>[0-9]{1,3}):)?(?P<m>[0-9]{1,3}):(?P<s>[0-5]?[0-9])(?P<part>[.,][0-9]{1,9})?"
)


# ---- numbers


def as_number(cell: object) -> float | None:
    """Return the finite number that a cell holds, or None.

    The decimal sign is a point or a comma, the minus sign any that programs write.

    >>> as_number("0,9"), as_number("−2"), as_number("1.050,5"), as_number("٣")
    (0.9, -2.0, 1050.5, 3.0)
    >>> as_number("1_000"), as_number("nan"), as_number("1,000,000"), as_number("5 %")
    (None, None, None, None)
    """
    text = _bare(str(cell))
    if _A_NUMBER.fullmatch(text):
        text = text.replace(",", ".")
    elif _WITH_COMMAS.fullmatch(text):
        text = text.replace(",", "")
    elif _WITH_POINTS.fullmatch(text):
        text = text.replace(".", "").replace(",", ".")
    else:
        return None
    number = float(text)
    return number if math.isfinite(number) else None


def holds_number(cell: object) -> bool:
    """Tell whether a cell holds a finite number."""
    return as_number(cell) is not None


def as_label_number(text: str, *, decimal_comma: bool) -> int | float | None:
    """Return a label as a number, or None where it is a text, or a code such as 007.

    A comma may also stand between two labels: it is a decimal one only where the file says so.

    >>> as_label_number("2.0", decimal_comma=False), as_label_number("007", decimal_comma=False)
    (2, None)
    """
    bare = _bare(text)
    if _CODE.match(bare) or ("," in bare and not decimal_comma):
        return None
    return as_exact(bare)


def as_exact(cell: object) -> int | float | None:
    """Return the finite number that a cell holds, a whole one to its last digit; or None.

    >>> as_exact("1152921504606846977"), as_exact("2.0"), as_exact("0,5"), as_exact("two")
    (1152921504606846977, 2, 0.5, None)
    """
    number = as_number(cell)
    if number is None or abs(number) < _LARGEST_EXACT:
        return None if number is None else whole(number)
    digits = _WHOLE.fullmatch(_bare(str(cell)))  # floats leave out some of the whole numbers here
    return int(digits[1]) if digits else number


def whole(number: float) -> int | float:
    """Return a number without a fraction as a whole one."""
    return int(number) if number.is_integer() and abs(number) < _LARGEST_EXACT else number


def number_sql(cell: str) -> str:
    """Return DuckDB's SQL for the number in a cell of text, NULL where it holds none."""
    bare = f"trim({cell}, {_quoted(_AROUND)})"
    minus = f"regexp_replace({bare}, '^[{_MINUS_SIGNS}]', '-')"
    plain = (  # DuckDB makes a table of all signs for every cell that it translates
        f"CASE WHEN strlen({minus}) = length({minus}) THEN {minus} "
        f"ELSE translate({bare}, {_quoted(_FOREIGN)}, {_quoted(_ASCII)}) END"
    )
    forms = {
        _NUMBER: f"replace({plain}, ',', '.')",
        _COMMAS_BETWEEN: f"replace({plain}, ',', '')",
        _POINTS_BETWEEN: f"replace(replace({plain}, '.', ''), ',', '.')",
    }
    by_form = " ".join(
        f"WHEN regexp_full_match({plain}, {_quoted(form)}) THEN TRY_CAST({text} AS DOUBLE)"
        for form, text in forms.items()
    )
    word = f"regexp_matches({cell}, '[A-DF-Za-df-z]')"
    slow = f"CASE WHEN NOT {word} THEN CASE {by_form} END END"
    slow = f"nullif(nullif({slow}, 'inf'::DOUBLE), '-inf'::DOUBLE)"
    # Nearly every cell is a plain number or a word, which is told much quicker than by the forms.
    pointed = f"CASE WHEN contains({cell}, '.') THEN {cell} ELSE replace({cell}, ',', '.') END"
    quick = f"TRY_CAST({pointed} AS DOUBLE)"
    odd = f"contains({cell}, '_') OR contains({cell}, '+-')"  # DuckDB casts 1_000 and +-3
    return f"CASE WHEN isfinite({quick}) AND NOT ({odd}) THEN {quick} ELSE {slow} END"


def _bare(text: str) -> str:
    bare = text.strip(_AROUND)
    return bare if bare.isascii() else bare.translate(_TO_ASCII)


# ---- columns of numbers


@dataclass(frozen=True)
class _Habit:
    """One way to write numbers: what stands between thousands, and before the decimals."""

    between: str
    decimal: str

    def read(self, texts: Sequence[str]) -> list[float] | None:
        """Return the numbers, or None where one of the texts is written otherwise."""
        grouped = rf"[1-9]\d{{0,2}}(?:{self.between}\d{{3}})+"
        form = re.compile(rf"[+-]?(?:0|{grouped}|[1-9]\d*)(?:{re.escape(self.decimal)}\d+)?")
        if not all(form.fullmatch(text) for text in texts):
            return None
        bare = (re.sub(self.between, "", text) for text in texts)
        return [float(text.replace(self.decimal, ".")) for text in bare]


_BLANKS = "[ \u00a0\u2009\u202f]"
_APOSTROPHES = "['\u2019]"
_HABITS = [_Habit(",", "."), _Habit(r"\.", ",")]
_HABITS += [_Habit(sign, decimal) for sign in (_BLANKS, _APOSTROPHES) for decimal in ".,"]
_THREE_DIGITS = re.compile(r"[+-]?[1-9]\d\d")
_FOUR_DIGITS = re.compile(r"[+-]?\d{4,}")


def written_numbers(
    texts: Sequence[str], *, locate: Callable[[int], str] | None = None
) -> tuple[list[int | float], str] | None:
    """Return the numbers and what was done, where every text is written by one habit.

    None where the texts are no numbers. `locate` says where the k-th text stands.

    Raises
    ------
    InputError
        They are, but two habits fit and give different numbers: "1,250" alone may be 1250 or 1.25.

    Examples
    --------
    >>> written_numbers(["950", "1,250", "12,000.5"])
    ([950, 1250, 12000.5], "thousands separators were left out: '1,250' is 1250")
    """
    plain = [_bare(text) for text in texts]
    found: list[list[float]] = []
    for habit in _HABITS:
        numbers = habit.read(plain)
        if numbers is not None and numbers not in found:
            found.append(numbers)
    if not found:
        return None
    if len(found) > 1 and not _goes_on_in_thousands(plain):
        first, second = ([whole(number) for number in one] for one in found[:2])
        k = next(k for k, pair in enumerate(zip(first, second, strict=True)) if len(set(pair)) > 1)
        raise InputError.expected(
            "numbers",
            "written so that thousands and decimals can be told apart",
            Said(f"{texts[k]!r}, which is {first[k]} or {second[k]}"),
            "write them without thousands separators and with a decimal point",
            where=locate(k) if locate else None,
        )
    numbers = found[0] if len(found) == 1 else max(found)
    return [whole(number) for number in numbers], _told(texts, numbers)


def _goes_on_in_thousands(texts: Sequence[str]) -> bool:
    """Tell whether 950 stands beside 1,050: then what has three digits more has a separator."""
    return any(map(_THREE_DIGITS.fullmatch, texts)) and not any(map(_FOUR_DIGITS.fullmatch, texts))


def _told(texts: Sequence[str], numbers: Sequence[float]) -> str:
    for text, number in zip(texts, numbers, strict=True):
        bare = _bare(text)
        digits = re.sub(r"\D", "", bare.partition("e")[0])
        if abs(number) >= 1000 and not bare.lstrip("+-").startswith(digits[:4]):
            return f"thousands separators were left out: {text!r} is {whole(number)}"
    return "decimal commas were read as decimal points"


# ---- clocks


def as_clock(cell: object) -> float | None:
    """Return hh:mm:ss or mm:ss as seconds, or None.

    >>> as_clock("01:02.5"), as_clock("1:00:00"), as_clock("12")
    (62.5, 3600.0, None)
    """
    match = _A_CLOCK.fullmatch(_bare(str(cell)))
    if match is None:
        return None
    seconds = (int(match["h"] or 0) * 60 + int(match["m"])) * 60 + int(match["s"])
    return float(f"{seconds}{(match['part'] or '').replace(',', '.')}")


def as_time(cell: object) -> float | None:
    """Return the number in a cell, or the seconds on its clock, or None."""
    number = as_number(cell)
    return as_clock(cell) if number is None else number


def holds_time(cell: object) -> bool:
    """Tell whether a cell holds a number or a time on a clock."""
    return as_time(cell) is not None


# ---- lists and objects


def as_literal(text: str) -> Any:
    """Return the list or object that a cell holds as JSON or as Python prints it, or None.

    >>> as_literal('["a", "b"]'), as_literal("['a', 'b']"), as_literal("['a' 'b']")
    (['a', 'b'], ['a', 'b'], ['a', 'b'])
    """
    import json

    bare = text.strip()
    if not bare.startswith(("[", "(", "{")) or len(bare) > LONGEST_LITERAL:
        return None
    try:
        return json.loads(bare)
    except (ValueError, RecursionError):
        return as_python_literal(bare)


def as_python_literal(text: str) -> Any:
    """Return the list or object that a cell holds as Python or numpy prints it, or None."""
    import ast

    try:
        return ast.literal_eval(_with_commas(text))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


_NEIGHBOURS = re.compile(r"""['"]\s*['"]|\w\s+[\w'"]|['"]\s+\w""")


def _with_commas(cell: str) -> str:
    """Put commas between the members of an array as numpy prints it: ['a' 'b'], [1 2].

    Python would join neighbouring texts to one, and two raters would become one in silence.
    """
    if not _NEIGHBOURS.search(cell):
        return cell
    import io
    import tokenize

    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(cell).readline))
    except (tokenize.TokenError, SyntaxError, IndentationError):
        return cell
    seen = [token for token in tokens if token.type not in (tokenize.NL, tokenize.NEWLINE)]
    values = (tokenize.STRING, tokenize.NUMBER, tokenize.NAME)
    ends = [
        first.end
        for first, second in pairwise(seen)
        if first.type in values and second.type in values
    ]
    lines = cell.splitlines(keepends=True)
    for row, column in reversed(ends):
        lines[row - 1] = lines[row - 1][:column] + "," + lines[row - 1][column:]
    return "".join(lines)


# ---- How a cell of a recognised table is cleaned: one rule for files, frames, relations and Spark.
#
# Blanks around a text are cut, an empty text is missing, NaN is missing, -0.0 is 0.0. The rule is
# written down once, kind by kind, and spelled in three ways: as DuckDB's SQL, as an expression of
# narwhals, and in Python for the few different cells that are looked at one by one. What the cells
# of a label column are (1.0 = 1 = "1" in a column of numbers, declared marks) is decided where
# labels are read, again in one place for all routes.

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
