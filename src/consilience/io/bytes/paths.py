"""Check the files before anything reads them."""

from __future__ import annotations

import difflib
import os
import stat
from collections.abc import Iterable
from pathlib import Path

from consilience.exceptions import InputError

PathLike = str | os.PathLike[str]


class Said(str):
    """A description for an error message, shown without quotation marks."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def check_paths(paths: PathLike | Iterable[PathLike], *, folders: str = "refuse") -> list[Path]:
    """Return the input files as paths; refuse what is missing, no plain file, or given twice.

    `folders` is "refuse" or "allow".
    """
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    found = [_check_path(Path(path), folders) for path in paths]
    if not found:
        raise InputError.expected("path", "at least one file", [], "name the file with the ratings")
    seen: dict[tuple[int, int], Path] = {}
    for path in found:
        status = path.stat()
        twin = seen.setdefault((status.st_dev, status.st_ino), path)
        if twin is not path:
            raise InputError.expected(
                "each file", "named once", [str(twin), str(path)], "leave one of them out"
            )
    return found


def _check_path(path: Path, folders: str) -> Path:
    mode = status_of(path).st_mode
    if stat.S_ISDIR(mode) and folders == "allow":
        return path
    if stat.S_ISDIR(mode):
        raise InputError.expected(
            "path",
            "a file",
            Said(f"the folder {path}"),
            f"name the files in it, for example {path}/*.csv",
        )
    if not stat.S_ISREG(mode):
        raise InputError.expected(
            "path",
            "a plain file",
            Said(f"{path}, a pipe or a device"),
            "save the data to a file first, or pipe it in with the path -",
        )
    if not os.access(path, os.R_OK):
        raise InputError.expected(
            "path", "a file you may read", str(path), "change its permissions"
        )
    if path.stat().st_size == 0:
        raise InputError.expected(
            "the file",
            "filled with ratings",
            Said("an empty file"),
            "check the export",
            where=str(path),
        )
    return path


def status_of(path: Path, expectation: str = "an existing file") -> os.stat_result:
    """Return what the system says of a file; refuse one that is not there."""
    try:
        return path.stat()
    except FileNotFoundError:
        raise InputError.expected("path", expectation, str(path), _nearest_name(path)) from None
    except (OSError, ValueError) as error:
        raise InputError.expected(
            "path",
            "a file that can be opened",
            str(path),
            f"the system says: {getattr(error, 'strerror', None) or error}",
        ) from None


def _nearest_name(path: Path) -> str:
    """Say which neighbouring file may have been meant."""
    if path.is_symlink():
        return "it is a link to a file that is gone"
    try:
        neighbours = sorted(entry.name for entry in path.parent.iterdir())
    except OSError:
        return f"there is no folder {path.parent}"
    close = difflib.get_close_matches(path.name, neighbours, n=1, cutoff=0.75)
    if not close:
        same_stem = [name for name in neighbours if Path(name).stem == path.stem]
        close = same_stem[:1]
    if not close:
        return f"look into {path.parent.resolve()}"
    return f"perhaps {path.parent / close[0]} was meant"
