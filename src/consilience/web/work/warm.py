"""Loads what every job needs, once; each job is a copy of the process that loaded this."""

from __future__ import annotations

from collections.abc import Callable

import consilience.io
import consilience.latent
import consilience.report


def _load_heavy() -> None:
    import duckdb  # noqa: F401
    import jinja2  # noqa: F401
    import matplotlib.backends.backend_svg  # noqa: F401

    from consilience import plot

    for folder in (consilience.io, consilience.report, consilience.latent, plot):
        for name in folder.__all__:
            getattr(folder, name)


def ready(tell: Callable[[str], None]) -> str:
    """Say that the process is there."""
    return "ready"


_load_heavy()
