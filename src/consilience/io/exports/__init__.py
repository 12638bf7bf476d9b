"""Exports of annotation platforms: one platform per file, registered by one decorator."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from consilience.io.exports._base import (
    Export,
    ExportOptions,
    Sample,
    export,
    exports,
    recognise,
)

__all__ = ["Export", "ExportOptions", "Sample", "export", "exports", "recognise"]

# Whatever lies in this folder is a format: a new file needs no entry anywhere.
for _module in sorted(module.name for module in iter_modules(__path__)):
    if _module != "_base":
        import_module(f"{__name__}.{_module}")
