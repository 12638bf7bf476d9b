"""What is measured: how the input is made, what is timed, and what it is held against."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Values = Mapping[str, float]


@dataclass(frozen=True)
class Call:
    """One program's way of doing one job."""

    title: str
    prepare: Callable[[int], Any]  # size → input in the program's native form, not timed
    run: Callable[[Any], Values]  # timed
    baseline: Callable[[Any], object] | None = None  # timed in the same process, turn by turn
    check: Callable[[Any], Values] | None = None  # further values to compare, not timed
