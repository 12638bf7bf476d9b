"""Recognise the layout of a table: long, wide, transposed, counts or cross-table."""

from __future__ import annotations

from consilience.io.tables.recogniser.recognise import recognise

__all__ = ["recognise"]
