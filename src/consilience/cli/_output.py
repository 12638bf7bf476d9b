"""Where results go: stdout, or a file that is written beside and renamed."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from consilience.report import Summary

FORMATS = ("text", "json", "csv", "markdown")
_SUFFIXES = {".json": "json", ".csv": "csv", ".md": "markdown", ".markdown": "markdown"}


def check_output(output: Path | None, inputs: Sequence[str], *, force: bool) -> None:
    """Refuse to write over the input, or over any file without --force."""
    if output is None:
        return
    for path in inputs:
        with contextlib.suppress(OSError):
            if os.path.samefile(path, output):
                raise click.UsageError(f"--output {output} is the input. Name another file.")
    if output.is_dir():
        raise click.UsageError(f"--output {output} is a folder. Name a file in it.")
    if output.exists() and not force:
        raise click.UsageError(f"--output {output} exists. Add --force to replace it.")
    if not output.parent.is_dir():
        raise click.UsageError(f"--output: there is no folder {output.parent}.")


def chosen_format(flags: dict[str, bool], output: Path | None) -> str:
    """Return the format that a flag names, or the one of the output file's ending."""
    named = [name for name, is_set in flags.items() if is_set]
    if len(named) > 1:
        raise click.UsageError(f"--{named[0]} and --{named[1]} exclude each other.")
    if named:
        return named[0]
    return _SUFFIXES.get(output.suffix.lower(), "text") if output else "text"


def write(summary: Summary, form: str, output: Path | None) -> None:
    """Write a summary in a format to stdout or a file."""
    from consilience.report import _terminal, render_csv, render_markdown, render_text

    if form == "json":
        text = summary.to_json()
    elif form == "csv":
        text = render_csv(summary)
    elif form == "markdown":
        text = render_markdown(summary)
    elif output is None:
        text = _terminal.for_stream(summary, sys.stdout)
    else:
        text = render_text(summary)
    if output is None:
        _to_stdout(text)
    else:
        write_file(output, text + "\n")


def _to_stdout(text: str) -> None:
    """Print as UTF-8 whatever the locale says, as every machine-readable format here is."""
    data = (text + "\n").encode("utf-8", "replace")
    stream = getattr(sys.stdout, "buffer", None)
    if stream is None:
        sys.stdout.write(text + "\n")
        return
    sys.stdout.flush()
    stream.write(data)
    stream.flush()


def write_file(path: Path, text: str) -> None:
    """Write a file beside its place and rename it, so that nobody sees half of it."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
        umask = os.umask(0)
        os.umask(umask)
        Path(name).chmod(0o666 & ~umask)  # mkstemp makes it private; a result need not be
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def progress(message: str) -> Iterator[None]:
    """Say on the terminal what is going on, once it takes longer than a second."""
    if not sys.stderr.isatty():
        yield
        return
    told = threading.Event()

    def tell() -> None:
        told.set()
        sys.stderr.write(f"\r{message} ...")
        sys.stderr.flush()

    timer = threading.Timer(1.0, tell)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        if told.is_set():
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
