"""The workbench in the browser: a thin local server over the library; its screens are reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import public_names

if TYPE_CHECKING:
    from consilience.web.app import serve as serve
    from consilience.web.app import workbench as workbench
    from consilience.web.guard import Settings as Settings

public_names(__name__)
