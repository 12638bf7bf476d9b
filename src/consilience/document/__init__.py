"""Results as something to read: tables and sentences, in every form that people hand on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import public_names

if TYPE_CHECKING:
    from consilience.document._blocks import Block as Block
    from consilience.document._blocks import Cell as Cell
    from consilience.document._blocks import Column as Column
    from consilience.document._blocks import Differing as Differing
    from consilience.document._blocks import Document as Document
    from consilience.document._blocks import Finding as Finding
    from consilience.document._blocks import InPlace as InPlace
    from consilience.document._blocks import Paragraph as Paragraph
    from consilience.document._blocks import PValue as PValue
    from consilience.document._blocks import Range as Range
    from consilience.document._blocks import Severity as Severity
    from consilience.document._blocks import Table as Table
    from consilience.document._blocks import details as details
    from consilience.document._blocks import found as found
    from consilience.document._blocks import value_and_interval as value_and_interval
    from consilience.document._record import SCHEMA as SCHEMA
    from consilience.document._record import Enveloped as Enveloped
    from consilience.document._record import Reasoned as Reasoned
    from consilience.document._record import Recorded as Recorded
    from consilience.document._record import envelope as envelope
    from consilience.document._record import json_schema as json_schema
    from consilience.document._record import plain as plain
    from consilience.document._record import plain_fields as plain_fields
    from consilience.document._record import plain_record as plain_record
    from consilience.document._record import to_json as to_json
    from consilience.document.csv_tables import spreadsheet_safe as spreadsheet_safe

public_names(__name__)
