"""Cells to frames, as people have them in Python: pandas, polars, pyarrow."""

from __future__ import annotations

import re
from random import Random
from typing import Any

from tables.habits import Case
from tables.written import typed, typed_columns

ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d")


def frame_of(case: Case) -> tuple[Any, str]:
    """Return the case as a frame, and the kind of frame; its seed decides which."""
    rng = Random(case.seed ^ 0xF4A3E)
    kind = rng.choice(_kinds(case))
    return _MAKERS[kind](rng, case), kind


def _kinds(case: Case) -> list[str]:
    """The kinds of frames that this table could have come to be in."""
    table = case.table
    if table.header is None:
        return ["pandas"]
    kinds = ["pandas", "pandas"]
    whole = table.totals is None
    if len(set(table.header)) == len(table.header):
        kinds += ["polars", "pyarrow"]
    cells = [row[0] for row in table.rows]
    is_indexed = case.layout in ("wide", "counts", "transposed", "cross-table", "grid") or (
        case.name.startswith("found") and len(set(cells)) == len(cells)
    )
    if is_indexed and "" not in (table.header[1:]):
        kinds += ["indexed"] if table.roles[0] in ("item", "rater") else []
    if case.layout in ("wide", "long", "transposed") and whole:
        kinds += ["categorical", "nullable"]
    if case.layout == "wide" and set(table.roles) == {"item", "rater"} and whole:
        kinds.append("pivot")
    if case.layout == "cross-table":
        kinds += ["crosstab", "crosstab"]
    if case.layout == "grid":
        kinds += ["levels"]
    return kinds


def _pandas(rng: Random, case: Case) -> Any:
    """As `read_csv` gives it."""
    import pandas as pd

    names, columns = typed_columns(case)
    if case.table.header is None:
        return pd.DataFrame(dict(enumerate(columns)))
    named: list[str] = []
    for i, name in enumerate(names):
        again = names[:i].count(name)
        named.append(f"Unnamed: {i}" if not name else f"{name}.{again}" if again else name)
    frame = pd.DataFrame(dict(zip(named, columns, strict=True)))
    if rng.random() < 0.5:
        _parse_dates(frame, case)
    return frame


def _parse_dates(frame: Any, case: Case) -> None:
    """Make moments of side columns that hold dates in the international form."""
    import pandas as pd

    for name, role, column in zip(
        frame.columns, case.table.roles, zip(*case.table.rows, strict=True), strict=True
    ):
        if role == "side" and case.table.totals is None and all(map(ISO_DATE.fullmatch, column)):
            frame[name] = pd.to_datetime(frame[name])


def _indexed(rng: Random, case: Case) -> Any:
    """The first column as the index, with its name or without."""
    frame = _pandas(rng, case)
    frame = frame.set_index(frame.columns[0])
    if case.table.header is not None and not case.table.header[0]:
        frame.index.name = None
    return frame


def _categorical(rng: Random, case: Case) -> Any:
    frame = _pandas(rng, case)
    for place, role in enumerate(case.table.roles):
        if role in ("rater", "label") or (case.layout == "transposed" and role == "item"):
            name = frame.columns[place]
            frame[name] = frame[name].astype("category")
    return frame


def _nullable(rng: Random, case: Case) -> Any:
    return _pandas(rng, case).convert_dtypes()


def _polars(rng: Random, case: Case) -> Any:
    import polars as pl

    names, columns = typed_columns(case)
    return pl.DataFrame(dict(zip(names, columns, strict=True)), strict=False)


def _pyarrow(rng: Random, case: Case) -> Any:
    import pyarrow as pa

    names, columns = typed_columns(case)
    return pa.table(dict(zip(names, columns, strict=True)))


def _pivot(rng: Random, case: Case) -> Any:
    """As `pivot` leaves it: the items are the index, and the raters' axis has a name."""
    frame = _pandas(rng, case)
    place = case.table.roles.index("item")
    frame = frame.set_index(frame.columns[place])
    frame.columns.name = rng.choice(("rater", "coder", "annotator", "judge"))
    return frame


def _crosstab(rng: Random, case: Case) -> Any:
    """As `pd.crosstab` gives it, from the ratings themselves."""
    import pandas as pd

    study = case.truth.variables[0][1]
    first, second = (
        pd.Series([row[r] for row in study.rows], name=study.raters[r]) for r in (0, 1)
    )
    return pd.crosstab(first, second, margins=case.table.totals is not None)


def _levels(rng: Random, case: Case) -> Any:
    """Two levels of columns: the variable and the rater."""
    import pandas as pd

    frame = _pandas(rng, case)
    frame = frame.set_index(frame.columns[0])
    by_rater = {}
    for name, study in case.truth.variables:
        for r, rater in enumerate(study.raters):
            by_rater[(name, rater)] = typed(tuple(row[r] or "" for row in study.rows), "")
    data = pd.DataFrame(by_rater, index=frame.index)
    named = rng.random() < 0.5
    data.columns = pd.MultiIndex.from_tuples(
        list(by_rater), names=["variable", "rater"] if named else None
    )
    return data


_MAKERS = {
    "pandas": _pandas, "indexed": _indexed, "categorical": _categorical, "nullable": _nullable,
    "polars": _polars, "pyarrow": _pyarrow, "pivot": _pivot, "crosstab": _crosstab,
    "levels": _levels,
}  # fmt: skip
