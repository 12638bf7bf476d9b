"""A summary as a dataframe of whichever library is there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from consilience.ratings.native import native_frame

if TYPE_CHECKING:
    from consilience.report._summary import Summary


def to_frame(summary: Summary, backend: str | None) -> Any:
    """Return one row per estimate as a native dataframe."""
    rows = summary.rows()
    return native_frame({name: [row[name] for row in rows] for name in rows[0]}, backend)
