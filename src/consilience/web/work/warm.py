"""Loads what reading and answering need, once; each job is a copy of the process that loaded this.

What only some screens need (units, panels, sheets) their jobs load themselves: the first answer is
what everybody waits for.
"""

from __future__ import annotations

from collections.abc import Callable

# Loaded here, so that the copies that read, answer and list items need not.
from consilience.web.work import answer, items, reading  # noqa: F401


def _load_heavy() -> None:
    import duckdb  # noqa: F401
    import jinja2  # noqa: F401
    import matplotlib.backends.backend_svg
    import matplotlib.figure  # noqa: F401
    import scipy.sparse  # noqa: F401

    from consilience import plot
    from consilience.coefficients import registry
    from consilience.io.grids import delimited  # noqa: F401

    list(registry.values())
    for name in ("forest", "heat_map", "item_agreement", "label_use"):
        getattr(plot, name)


def ready(tell: Callable[[str], None]) -> str:
    """Say that the process is there."""
    return "ready"


_load_heavy()
