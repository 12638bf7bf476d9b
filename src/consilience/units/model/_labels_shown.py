"""Which of very many labels are shown to people; records hold all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

Part = TypeVar("Part")
MOST_SHOWN = 100


def most_used(parts: Sequence[Part], amount: Callable[[Part], float]) -> tuple[list[Part], str]:
    """Return the parts about the labels that are used most, in their order, and a note.

    Examples
    --------
    >>> shown, note = most_used(range(250), amount=lambda k: k)
    >>> shown[0], len(shown), note
    (150, 100, 'The 100 labels that are used most, of 250.')
    """
    if len(parts) <= MOST_SHOWN:
        return list(parts), ""
    order = sorted(range(len(parts)), key=lambda k: (-amount(parts[k]), k))
    shown = [parts[k] for k in sorted(order[:MOST_SHOWN])]
    return shown, f"The {MOST_SHOWN} labels that are used most, of {len(parts):,}."
