"""A summary as a dataframe of whichever library is there."""

from __future__ import annotations

import importlib.util
import sys
from typing import TYPE_CHECKING, Any

from consilience.exceptions import InputError, MissingDependencyError

if TYPE_CHECKING:
    from consilience.report._summary import Summary

BACKENDS = ("pandas", "polars", "pyarrow")


def to_frame(summary: Summary, backend: str | None) -> Any:
    """Return one row per estimate as a native dataframe."""
    import narwhals as nw

    rows = summary.rows()
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    return nw.from_dict(columns, backend=_chosen(backend)).to_native()  # type: ignore[arg-type]


def _chosen(backend: str | None) -> str:
    if backend is not None and backend not in BACKENDS:
        raise InputError.unknown_word("backend", backend, BACKENDS)
    wanted = [backend] if backend else sorted(BACKENDS, key=lambda name: name not in sys.modules)
    for name in wanted:
        if importlib.util.find_spec(name) is not None:
            return name
    raise MissingDependencyError.for_extra("to_frame", " or ".join(wanted))
