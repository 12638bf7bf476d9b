"""The workbench in the browser: a thin local server over the library; its screens are reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import imported_later

if TYPE_CHECKING:
    from consilience.web.app import workbench
    from consilience.web.serving import serve
    from consilience.web.workbench_settings import Settings

__all__ = ["Settings", "serve", "workbench"]

# The server needs the extra `web`; nothing else does.
_LATER = {"app": ("workbench",), "serving": ("serve",), "workbench_settings": ("Settings",)}
__getattr__, __dir__ = imported_later(__name__, _LATER)
