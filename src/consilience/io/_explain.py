"""What was taken for what, why, and the one argument that overrules each guess."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from shlex import quote
from typing import Any

from consilience.core.frames import is_table
from consilience.core.input_files import check_paths
from consilience.core.words import first_of, label_text
from consilience.exceptions import InputError
from consilience.io.format_registry import FORMATS
from consilience.io.request import Request
from consilience.io.tables.recogniser.refusal import AmbiguousTableError
from consilience.io.tables.recogniser.weighing import Weighing
from consilience.ratings import Ratings

_TOLD = "as told"


@dataclass(frozen=True)
class Guess:
    """One thing that was found out about a file.

    Attributes
    ----------
    what : str
        "format", "shape", "item", "rater", "label", "scale", "missing", "encoding", ...
    taken : str
        What it was taken for.
    because : str
        The evidence.
    argument : str
        The argument that overrules it.
    """

    what: str
    taken: str
    because: str
    argument: str


def told_where(error: InputError, path: Any, request: Request) -> InputError:
    """Complete a refusal: the lines to be pasted name the files, and all that was said already."""
    seen = error.seen or Weighing()
    if isinstance(error, AmbiguousTableError):
        from consilience.io.tables.frame_tables import WHERE

        is_frame = is_table(path)
        paths = [] if is_frame else check_paths(path, folders="allow")
        where = WHERE if is_frame else first_of(paths, 1)
        source = None if is_frame else " ".join(quote(str(one)) for one in paths)
        error = error.placed(where, source, request.given)
    error.seen = seen
    return error


def table_guesses(
    request: Request,
    *,
    format: str,
    shape: str,
    columns: Mapping[str, Sequence[str]],
    evidence: Sequence[str],
    variables: Sequence[str],
    dialect: Sequence[tuple[str, str, str]],
    groups: Mapping[Any, Ratings],
) -> tuple[Guess, ...]:
    """Say what a table was taken for."""
    why = evidence[0] if evidence else "no other layout fits"
    found = [] if format == "frame" else [
        Guess("format", _title(format),
              _TOLD if request.format else "its content and name", "format"),
    ]  # fmt: skip
    found.append(Guess("shape", shape, _TOLD if request.shape else why, "shape"))
    told = {"item": request.item, "rater": request.rater, "label": request.label, "by": request.by}
    if variables:
        named = _TOLD if request.columns else "the names of the columns"
        found.append(Guess("variable", some(variables), named, "columns"))
    for role, names in columns.items():
        argument = "categories" if role == "category" else role
        named = _TOLD if told.get(role) else _role_reason(role, shape)
        found.append(Guess(role, some(names), named, argument))
    if shape in ("wide", "long") and "item" not in columns:
        found.append(Guess("item", "the number of the row", "no column names it", "item"))
    if shape == "long" and "rater" not in columns:
        found.append(Guess("rater", "the name of the file", "no column names it", "rater"))
    found += [Guess(what, taken, because, what) for what, taken, because in dialect]
    return (*found, *_label_guesses(request, groups))


def _title(format: str) -> str:
    return FORMATS[format].title if format in FORMATS else format


def _role_reason(role: str, shape: str) -> str:
    if role in ("item", "rater", "label") and shape == "long":
        return "the name of the column, or what is left"
    return "the shape"


def export_guesses(
    request: Request,
    *,
    title: str,
    evidence: str,
    groups: Mapping[Any, Ratings],
    roles: Mapping[str, str],
    wanted: Sequence[str],
) -> tuple[Guess, ...]:
    """Say what an export was taken for; `roles` are the fields that name items and raters."""
    found = [
        Guess("format", title, evidence, "format"),
        Guess("item", some(request.item) or roles.get("item", "as the format has it"),
              _TOLD if request.item else "the format", "item"),
        Guess("rater", some(request.rater) or roles.get("rater", "as the format has it"),
              _TOLD if request.rater else "the format", "rater"),
        Guess("variable", some(tuple(groups)),
              _TOLD if wanted else "all that the file has", "variable"),
        Guess("asked, no label", request.empty, "the default or as told", "empty"),
        Guess("excluded", request.excluded.replace("_", " "), "the default or as told",
              "excluded"),
    ]  # fmt: skip
    return (*found, *_label_guesses(request, groups))


def _label_guesses(request: Request, groups: Mapping[Any, Ratings]) -> tuple[Guess, ...]:
    scales = list(dict.fromkeys(ratings.scale for ratings in groups.values()))
    labels = list(dict.fromkeys(label for r in groups.values() for label in r.categories))
    marks = ", ".join(map(repr, request.missing_values))
    numbers = bool(labels) and all(r.numbers is not None for r in groups.values())
    return (
        Guess("labels", f"{some(labels)} ({'numbers' if numbers else 'names'})",
              _TOLD if request.categories else "every cell is a number" if numbers
              else "not every cell is a number", "categories"),
        Guess("scale", ", ".join(scales), _why_scale(request, groups), "scale"),
        Guess("missing", "empty cells" + (f" and {marks}" if marks else ""),
              _TOLD if marks else "nothing else was named", "missing_values"),
    )  # fmt: skip


def _why_scale(request: Request, groups: Mapping[Any, Ratings]) -> str:
    if request.scales or request.scale is not None:
        return _TOLD
    if any(ratings.scale_undecided for ratings in groups.values()):
        return "the default, until somebody says whether the numbers are names or numbers"
    if any(ratings.scale != "nominal" for ratings in groups.values()):
        return "the labels are numbers that are not whole"
    return "the default"


def some(names: Sequence[object], most: int = 6) -> str:
    """List the first few names."""
    return first_of([label_text(name) or "(first column)" for name in names], most)
