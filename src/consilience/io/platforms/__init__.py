"""Exports of annotation platforms: one platform per file, registered by one decorator."""

from __future__ import annotations

from consilience.io.platforms._export_registry import (
    Export,
    ExportOptions,
    Sample,
    export,
    exports,
    recognise,
)

__all__ = ["Export", "ExportOptions", "Sample", "export", "exports", "recognise"]
