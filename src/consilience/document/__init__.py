"""Results as something to read: tables and sentences, in every form that people hand on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import imported_later
from consilience.document._blocks import (
    Block,
    Cell,
    Column,
    Differing,
    Document,
    Finding,
    InPlace,
    Paragraph,
    PValue,
    Range,
    Severity,
    Table,
    details,
    found,
    value_and_interval,
)

if TYPE_CHECKING:
    from consilience.document._record import (
        SCHEMA,
        Enveloped,
        Reasoned,
        Recorded,
        envelope,
        json_schema,
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
    "Column",
    "Differing",
    "Document",
    "Enveloped",
    "Finding",
    "InPlace",
    "PValue",
    "Paragraph",
    "Range",
    "Reasoned",
    "Recorded",
    "Severity",
    "Table",
    "details",
    "envelope",
    "found",
    "json_schema",
    "plain",
    "plain_fields",
    "plain_record",
    "spreadsheet_safe",
    "to_json",
    "value_and_interval",
]

# Each file is loaded when one of its names is asked for.
__getattr__, __dir__ = imported_later(
    __name__,
    {
        "_record": (
            "SCHEMA",
            "Enveloped",
            "Reasoned",
            "Recorded",
            "envelope",
            "json_schema",
            "plain",
            "plain_fields",
            "plain_record",
            "to_json",
        ),
        "csv_tables": ("spreadsheet_safe",),
    },
)
