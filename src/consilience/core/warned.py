"""Warnings that point at the line of the user's program, however deep they arise."""

from __future__ import annotations

import sys
import warnings

_PACKAGE = __name__.partition(".")[0]


def warn(message: str, kind: type[Warning]) -> None:
    """Warn at the first line that is not in this package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and _is_ours(frame.f_globals.get("__name__")):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, kind, stacklevel=level)


def _is_ours(module: object) -> bool:
    return module == _PACKAGE or str(module).startswith(f"{_PACKAGE}.")
