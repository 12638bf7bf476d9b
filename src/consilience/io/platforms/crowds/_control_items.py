"""Control items of crowd platforms: tasks whose right answer is known, put in to test people."""

from __future__ import annotations

from consilience.io.platforms.export_entries import CONTROL_ITEMS, Annotations


def tell_control_items(found: Annotations) -> None:
    """Say how many of the items are control items, and how to do without them."""
    control = {item for item, kind in zip(found.item, found.kind, strict=True) if kind == "gold"}
    if not control:
        return
    answers = sum(
        item in control and kind == "person"
        for item, kind in zip(found.item, found.kind, strict=True)
    )
    found.note(
        CONTROL_ITEMS,
        f"{len(control):,} items are control items with a known answer; {answers:,} answers to "
        "them were read like any other. People are often chosen by how they answer them, which "
        'raises agreement. To leave the items out, pass gold="leave_out_items" '
        "(--gold-answers leave_out_items).",
    )
