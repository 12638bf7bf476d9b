"""Exports of annotation platforms: one platform per file, registered by one decorator."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from consilience.core.answers import answering
from consilience.io.platforms._export_registry import (
    Export,
    ExportOptions,
    Sample,
    export,
    exports,
    recognise,
)

__all__ = ["Export", "ExportOptions", "Sample", "export", "exports", "recognise"]

answering(globals(), __all__)

# What reads exports, and what readers share.
_PARTS = ("_export_registry", "_load_export", "_ratings_from_entries")

# Whatever lies in these folders is a format: a new file needs no entry anywhere.
for _folder in ("labelling", "crowds", "surveys", "judges"):
    _package = import_module(f"{__name__}.{_folder}")
    for _module in iter_modules(_package.__path__):
        import_module(f"{_package.__name__}.{_module.name}")
for _module in iter_modules(__path__):  # beside them, tables of our own; not the readers of spans
    if not _module.ispkg and _module.name not in _PARTS:
        import_module(f"{__name__}.{_module.name}")
