"""The one writer: a file appears whole, or not at all, and never in the place of another."""

from __future__ import annotations

import os
import secrets
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from consilience.core.input_files import PathLike, Said
from consilience.core.interrupts import interrupts_held_back
from consilience.exceptions import InputError

_EXISTING = ("refuse", "replace")
_PREFIX = ".consilience-"
_HANDLES = "/proc/self/fd"


def check_target(path: PathLike, existing: str, endings: tuple[str, ...] = ()) -> Path:
    """Return the path to write to; refuse an unknown ending and, unless told, an existing file.

    Parameters
    ----------
    path : path
    existing : {"refuse", "replace"}
        What to do with a file that is there. Links, pipes and devices are never replaced.
    endings : tuple of str
        The endings that the name may have; any, where there are none.
    """
    if existing not in _EXISTING:
        raise InputError.unknown_word("existing", existing, _EXISTING)
    target = Path(path)
    if endings and target.suffix.lower() not in endings:
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
        raise _there(target)
    return target


def is_replaceable(target: Path) -> bool:
    """Tell whether a plain file is there or nothing at all: a rename would end a device."""
    try:
        return stat.S_ISREG(target.lstat().st_mode)
    except (OSError, ValueError):
        return True  # nothing there, or the attempt to write says what is wrong


def write_bytes(path: PathLike, content: bytes, *, existing: str = "refuse") -> Path:
    """Write a whole file; refuse to replace one unless told."""
    target = check_target(path, existing)
    with written_beside(target, existing=existing) as beside:
        beside.write_bytes(content)
    return target


@contextmanager
def written_beside(target: Path, *, existing: str = "refuse") -> Iterator[Path]:
    """Yield a file to write to; at the end, and only if nothing failed, it is the target.

    Where the system can make files without a name, not even kill -9 leaves half of one.
    """
    try:
        handle, beside = _new_file(target)
    except (OSError, ValueError) as error:
        raise _refused(target, error) from error
    try:
        yield beside
        os.fsync(handle)  # a full disk may tell only now
        with interrupts_held_back():
            _put_in_place(beside, target, existing)
    except FileExistsError:
        raise _there(target) from None
    except OSError as error:
        raise _refused(target, error) from error
    finally:
        with interrupts_held_back():
            os.close(handle)
            if not _is_nameless(beside):
                beside.unlink(missing_ok=True)


def _new_file(target: Path) -> tuple[int, Path]:
    """Open a new file in the target's folder: without a name, or with one that nobody has."""
    with interrupts_held_back():
        if hasattr(os, "O_TMPFILE") and os.path.isdir(_HANDLES):
            with suppress(OSError):  # not every file system can
                handle = os.open(target.parent, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o666)
                return handle, Path(_HANDLES, str(handle))
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=_PREFIX, suffix=target.suffix)
        umask = os.umask(0)
        os.umask(umask)
        Path(name).chmod(0o666 & ~umask)  # mkstemp makes it private; a result need not be
        return handle, Path(name)


def _is_nameless(file: Path) -> bool:
    return str(file.parent) == _HANDLES


def _put_in_place(file: Path, target: Path, existing: str) -> None:
    if existing == "refuse":
        _link(file, target)
    elif _is_nameless(file):  # a name can be given to it, not taken from another
        step = target.with_name(_PREFIX + secrets.token_hex(8))
        _link(file, step)
        try:
            step.replace(target)
        except OSError:
            step.unlink(missing_ok=True)
            raise
    else:
        file.replace(target)


def _link(file: Path, target: Path) -> None:
    """Give a file a name, unless somebody else has taken it by now."""
    if _is_nameless(file):
        # A folder's handle makes the call follow the link that /proc shows; see open(2), O_TMPFILE.
        folder = os.open("/", os.O_RDONLY)
        try:
            os.link(file, target, src_dir_fd=folder, follow_symlinks=True)
        finally:
            os.close(folder)
        return
    try:
        os.link(file, target)
    except FileExistsError:
        raise
    except OSError:  # a drive without links
        if os.path.lexists(target):
            raise FileExistsError from None
        file.replace(target)


def _there(target: Path) -> InputError:
    return InputError.expected(
        "the output file",
        "a new one",
        Said(f"{target}, which exists"),
        'name another file, or pass existing="replace" if nothing in it is needed',
    )


def _refused(target: Path, error: OSError | ValueError) -> InputError:
    said = getattr(error, "strerror", None) or error
    return InputError.expected(
        "the output file",
        "where files may be written",
        str(target),
        f"the system says: {said}; nothing was written",
    )
