"""Notes on units that belong with a result: what to be careful about, not how files were read."""

from __future__ import annotations

from consilience.document import Finding
from consilience.units.model.units import Units

_ACCOUNT = ("read_as", "raters_by", "tag_column", "rounded_times")


def note_findings(units: Units) -> list[Finding]:
    """Return the notes of units as findings; the account of the reading is left out."""
    return [
        Finding(note.code, "caution", note.message)
        for note in units.notes
        if note.code not in _ACCOUNT
    ]
