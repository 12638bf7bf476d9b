"""Files in: one format per file, registered; any layout becomes `Ratings`. Sheets out and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.answers import answering
from consilience.core.lazy import imported_later
from consilience.io._read import Loaded, load, read, read_groups
from consilience.io._reading import SHAPES, Reading
from consilience.io.format_registry import formats

if TYPE_CHECKING:
    from consilience.io._convert import Converted, convert
    from consilience.io.adjudication._adjudication_back import read_sheet
    from consilience.io.adjudication._adjudication_sheet import Sheet, write_sheet
    from consilience.io.adjudication._final_labels import write_labels
    from consilience.io.anonymise import anonymised
    from consilience.io.chain_files import read_chains
    from consilience.io.distance_files import read_taxonomy, read_weights
    from consilience.io.nil_tables import NilTable, read_nil_table
    from consilience.io.share_tables import read_shares
    from consilience.io.tables.reduced_tables import load_reduced, reduce, reduce_files
    from consilience.io.tables.truth_files import truth_of_files

__all__ = [
    "SHAPES",
    "Converted",
    "Loaded",
    "NilTable",
    "Reading",
    "Sheet",
    "anonymised",
    "convert",
    "formats",
    "load",
    "load_reduced",
    "read",
    "read_chains",
    "read_groups",
    "read_nil_table",
    "read_shares",
    "read_sheet",
    "read_taxonomy",
    "read_weights",
    "reduce",
    "reduce_files",
    "truth_of_files",
    "write_labels",
    "write_sheet",
]

answering(globals(), __all__)

# Reading ratings needs no model of the truth; sheets do, and load it when they are used.
_LATER = {
    "_convert": ("Converted", "convert"),
    "adjudication._adjudication_sheet": ("Sheet", "write_sheet"),
    "anonymise": ("anonymised",),
    "chain_files": ("read_chains",),
    "share_tables": ("read_shares",),
    "nil_tables": ("NilTable", "read_nil_table"),
    "distance_files": ("read_taxonomy", "read_weights"),
    "tables.reduced_tables": ("load_reduced", "reduce", "reduce_files"),
    "tables.truth_files": ("truth_of_files",),
    "adjudication._adjudication_back": ("read_sheet",),
    "adjudication._final_labels": ("write_labels",),
}
__getattr__, __dir__ = imported_later(__name__, _LATER)
