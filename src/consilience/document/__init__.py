"""Results as something to read: tables and sentences, in every form that people hand on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import public_names

if TYPE_CHECKING:
    from consilience.document.blocks import Column as Column
    from consilience.document.blocks import Document as Document
    from consilience.document.blocks import Finding as Finding
    from consilience.document.blocks import Paragraph as Paragraph
    from consilience.document.blocks import PValue as PValue
    from consilience.document.blocks import Range as Range
    from consilience.document.blocks import Severity as Severity
    from consilience.document.blocks import Table as Table
    from consilience.document.records import SCHEMA as SCHEMA
    from consilience.document.records import envelope as envelope
    from consilience.document.records import json_schema as json_schema


public_names(__name__, door=False)
