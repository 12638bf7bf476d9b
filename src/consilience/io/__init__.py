"""Files in: one format per file, registered; any layout becomes `Ratings`. Sheets out and back."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from consilience.core.answers import answered, answering
from consilience.io._read import Loaded, load, read, read_groups
from consilience.io._reading import SHAPES, Reading
from consilience.io.format_registry import formats

if TYPE_CHECKING:
    from consilience.io._convert import Converted, convert
    from consilience.io.adjudication._adjudication_back import read_sheet
    from consilience.io.adjudication._adjudication_sheet import Sheet, write_sheet
    from consilience.io.adjudication._final_labels import write_labels
    from consilience.io.anonymise import anonymised
    from consilience.io.tables.reduced_tables import load_reduced, reduce, reduce_files

__all__ = [
    "SHAPES",
    "Converted",
    "Loaded",
    "Reading",
    "Sheet",
    "anonymised",
    "convert",
    "formats",
    "load",
    "load_reduced",
    "read",
    "read_groups",
    "read_sheet",
    "reduce",
    "reduce_files",
    "write_labels",
    "write_sheet",
]

answering(globals(), __all__)

# Reading ratings needs no model of the truth; sheets do, and load it when they are used.
_LATER = {
    "Converted": "_convert",
    "Sheet": "adjudication._adjudication_sheet",
    "anonymised": "anonymise",
    "convert": "_convert",
    "load_reduced": "tables.reduced_tables",
    "read_sheet": "adjudication._adjudication_back",
    "reduce": "tables.reduced_tables",
    "reduce_files": "tables.reduced_tables",
    "write_labels": "adjudication._final_labels",
    "write_sheet": "adjudication._adjudication_sheet",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = answered(getattr(import_module(f"consilience.io.{_LATER[name]}"), name), __name__)
    globals()[name] = value
    return value
