"""Published tables, typed in as facts, each with its source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import public_names

if TYPE_CHECKING:
    from consilience.datasets._published import Dataset as Dataset
    from consilience.datasets._published import describe as describe
    from consilience.datasets._published import load as load
    from consilience.datasets._published import names as names

public_names(__name__)
