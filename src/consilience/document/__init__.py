"""Results as something to read: tables and sentences, in every form that people hand on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import imported_later
from consilience.document._blocks import (
    Block,
    Cell,
    Document,
    Finding,
    Paragraph,
    Presented,
    PValue,
    Range,
    Severity,
    Table,
)

if TYPE_CHECKING:
    from consilience.document._record import (
        SCHEMA,
        Reasoned,
        Recorded,
        envelope,
        plain,
        plain_fields,
        plain_record,
        to_json,
    )
    from consilience.document.csv_tables import spreadsheet_safe


__all__ = [
    "SCHEMA",
    "Block",
    "Cell",
    "Document",
    "Finding",
    "PValue",
    "Paragraph",
    "Presented",
    "Range",
    "Reasoned",
    "Recorded",
    "Severity",
    "Table",
    "envelope",
    "plain",
    "plain_fields",
    "plain_record",
    "spreadsheet_safe",
    "to_json",
]

# Each file is loaded when one of its names is asked for.
__getattr__, __dir__ = imported_later(
    __name__,
    {
        "_record": (
            "SCHEMA",
            "Reasoned",
            "Recorded",
            "envelope",
            "plain",
            "plain_fields",
            "plain_record",
            "to_json",
        ),
        "csv_tables": ("spreadsheet_safe",),
    },
)
