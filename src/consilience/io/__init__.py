"""Files in: one format per file, registered; any layout becomes `Ratings`. Sheets out and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import public_names

if TYPE_CHECKING:
    from consilience.io._convert import convert as convert
    from consilience.io._read import Loaded as Loaded
    from consilience.io._read import load as load
    from consilience.io._read import read as read
    from consilience.io._read import read_groups as read_groups
    from consilience.io.adjudication._decisions import read_sheet as read_sheet
    from consilience.io.adjudication._sheet import Sheet as Sheet
    from consilience.io.adjudication._sheet import write_labels as write_labels
    from consilience.io.adjudication._sheet import write_sheet as write_sheet
    from consilience.io.anonymise import anonymised as anonymised
    from consilience.io.chain_files import read_chains as read_chains
    from consilience.io.large_tables import reduce as reduce
    from consilience.io.large_tables import reduce_files as reduce_files
    from consilience.io.large_tables import truth_of_files as truth_of_files
    from consilience.io.reading_account import Reading as Reading
    from consilience.io.registry import formats as formats
    from consilience.io.small_tables import read_nil_table as read_nil_table
    from consilience.io.small_tables import read_taxonomy as read_taxonomy
    from consilience.io.small_tables import read_weights as read_weights

MOVED = {
    "annotations": "consilience.io.events reads events and spans",
    "read_shares": "cs.read reads a cross-table of shares: cs.read(path, shares_of=100)",
    "platforms": "consilience.io.exports reads the exports of platforms",
}

public_names(__name__)
