"""The command line: a thin shell over the library that loads nothing before it is needed."""

from __future__ import annotations

import gc
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit code."""
    gc.set_threshold(10_000)  # what starts makes few cycles; looking for them took 2 % of it
    from consilience.core.output_files import endings_obeyed

    with endings_obeyed() as struck:
        try:
            from consilience.cli.program import main as run_and_leave
        except BaseException as error:
            if not struck and not isinstance(error, KeyboardInterrupt):
                raise
            code = 128 + struck[0] if struck else 130
            raise SystemExit(code) from None  # struck before anything could be said about it
    run_and_leave(arguments)
