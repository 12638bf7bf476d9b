"""Exports of platforms, surveys and judge tools: one class a format, registered by a decorator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import public_names

if TYPE_CHECKING:
    from consilience.io.exports.registry import Export as Export
    from consilience.io.exports.registry import ExportOptions as ExportOptions
    from consilience.io.exports.registry import Sample as Sample
    from consilience.io.exports.registry import export as export
    from consilience.io.exports.registry import exports as exports
    from consilience.io.exports.registry import recognise as recognise

public_names(__name__)
