"""Results as something to read: tables and sentences, in every form that people hand on."""

from __future__ import annotations

from consilience.core.answers import answering
from consilience.document._blocks import (
    Block,
    Cell,
    Document,
    Finding,
    InPlace,
    Paragraph,
    PValue,
    Range,
    Severity,
    Table,
    value_and_interval,
)
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
    "InPlace",
    "PValue",
    "Paragraph",
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
    "value_and_interval",
]

answering(globals(), __all__)
