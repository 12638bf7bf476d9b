"""Write a file beside its place and rename it, so that nobody sees half of it."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from consilience.exceptions import InputError
from consilience.io.bytes.paths import PathLike, Said

_EXISTING = ("refuse", "replace")


def check_target(path: PathLike, existing: str, endings: tuple[str, ...]) -> Path:
    """Return the path to write to; refuse an unknown ending and, unless told, an existing file."""
    if existing not in _EXISTING:
        raise InputError.unknown_word("existing", existing, _EXISTING)
    target = Path(path)
    if target.suffix.lower() not in endings:
        raise InputError.expected(
            "the output file",
            f"one that ends in {' or '.join(endings)}",
            str(target),
            f"call it {target.stem or 'output'}{endings[0]}",
        )
    if target.is_dir():
        raise InputError.expected("the output file", "a file", str(target), "it is a folder")
    if not is_replaceable(target):
        raise InputError.expected(
            "the output file",
            "a plain file",
            Said(f"{target}, a link, a pipe or a device"),
            "name another file",
        )
    if not target.parent.is_dir():
        raise InputError.expected(
            "the output file", "in a folder that exists", str(target), "make the folder first"
        )
    if target.exists() and existing == "refuse":
        raise InputError.expected(
            "the output file",
            "a new one",
            Said(f"{target}, which exists"),
            'name another file, or pass existing="replace" if nothing in it is needed',
        )
    return target


def is_replaceable(target: Path) -> bool:
    """Tell whether a plain file is there or nothing at all: a rename would end a device."""
    try:
        return stat.S_ISREG(target.lstat().st_mode)
    except (OSError, ValueError):
        return True  # nothing there, or the attempt to write says what is wrong


@contextmanager
def written_beside(target: Path) -> Iterator[Path]:
    """Yield a temporary file in the same folder; it takes the target's place at the end."""
    try:
        handle, name = tempfile.mkstemp(
            dir=target.parent, prefix=".consilience-", suffix=target.suffix
        )
        os.close(handle)
    except (OSError, ValueError) as error:
        raise _refused(target, error) from error
    beside = Path(name)
    try:
        yield beside
        umask = os.umask(0)
        os.umask(umask)
        beside.chmod(0o666 & ~umask)  # mkstemp makes it private; a result need not be
        beside.replace(target)
    except OSError as error:
        raise _refused(target, error) from error
    finally:
        beside.unlink(missing_ok=True)


def _refused(target: Path, error: OSError | ValueError) -> InputError:
    said = getattr(error, "strerror", None) or error
    return InputError.expected(
        "the output file",
        "where files may be written",
        str(target),
        f"the system says: {said}; nothing was written",
    )
