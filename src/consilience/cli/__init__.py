"""The command line: a thin shell over the library that loads nothing before it is needed."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit code."""
    try:
        from consilience.cli._main import main as run_and_leave
    except KeyboardInterrupt:  # struck before anything could be said about it
        raise SystemExit(130) from None
    run_and_leave(arguments)
