"""Axes that show their figure in a cell of a notebook."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from matplotlib.axes import Axes

from consilience.plot.style import notebook_svg


class NotebookAxes(Axes):
    """Axes of matplotlib that a notebook shows as the picture they are part of.

    Attributes
    ----------
    described : str
        What the figure shows, with its values.
    again : callable or None
        Draws the same figure again.
    """

    described: str = ""
    again: Callable[[], Any] | None = None

    def _repr_svg_(self) -> str:
        return notebook_svg(self)
