"""Results as something to read: tables and sentences, in every form that people hand on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import public_names

if TYPE_CHECKING:
    from consilience.document.blocks import Block as Block
    from consilience.document.blocks import Cell as Cell
    from consilience.document.blocks import Column as Column
    from consilience.document.blocks import Differing as Differing
    from consilience.document.blocks import Document as Document
    from consilience.document.blocks import Finding as Finding
    from consilience.document.blocks import Found as Found
    from consilience.document.blocks import InPlace as InPlace
    from consilience.document.blocks import Paragraph as Paragraph
    from consilience.document.blocks import PValue as PValue
    from consilience.document.blocks import Range as Range
    from consilience.document.blocks import Severity as Severity
    from consilience.document.blocks import Table as Table
    from consilience.document.blocks import details as details
    from consilience.document.blocks import found as found
    from consilience.document.blocks import value_and_interval as value_and_interval
    from consilience.document.records import SCHEMA as SCHEMA
    from consilience.document.records import Enveloped as Enveloped
    from consilience.document.records import Reasoned as Reasoned
    from consilience.document.records import Recorded as Recorded
    from consilience.document.records import envelope as envelope
    from consilience.document.records import json_schema as json_schema
    from consilience.document.records import plain as plain
    from consilience.document.records import plain_fields as plain_fields
    from consilience.document.records import plain_record as plain_record
    from consilience.document.records import spreadsheet_safe as spreadsheet_safe
    from consilience.document.records import to_json as to_json

public_names(__name__, door=False)
