"""What the numbers about judges need beside the verdicts: columns that say more of the items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from consilience.cli._panel_reading import by_item

if TYPE_CHECKING:
    from consilience.io import Loaded


def item_columns(
    options: dict[str, Any], loaded: Loaded, wanted: dict[str, str]
) -> dict[str, dict[str, object]]:
    """Return argument to what a column says about each item, for the options that name one."""
    found = {}
    for option, argument in wanted.items():
        column = options.get(option)
        if column:
            found[argument] = by_item(options, loaded, column, f"--{option.replace('_', '-')}")
    return found
