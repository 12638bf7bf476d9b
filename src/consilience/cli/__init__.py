"""The command line: a thin shell over the library that loads nothing before it is needed."""

from consilience.cli._main import main

__all__ = ["main"]
