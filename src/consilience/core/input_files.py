"""The door for files: what is no plain file on this machine is refused before it is opened."""

from __future__ import annotations

import difflib
import os
import re
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from consilience.exceptions import InputError

PathLike = str | os.PathLike[str]
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")  # two letters or more: C:/ is a drive
_OPENED_LATER = "save the data to a file first, or pipe it in with the path -"


class Said(str):
    """A description for an error message, shown without quotation marks."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def check_paths(paths: PathLike | Iterable[PathLike], *, folders: str = "refuse") -> list[Path]:
    """Return the input files as paths; refuse what is missing, no plain file, or given twice.

    `folders` is "refuse" or "allow".
    """
    found = [check_file(path, folders=folders) for path in listed_paths(paths)]
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


def listed_paths(paths: Any) -> list[PathLike]:
    """Return one or several paths as a list; refuse what is none."""
    given = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    listed: list[Any] = list(given) if isinstance(given, Iterable) else [None]
    if not all(isinstance(one, (str, os.PathLike)) for one in listed):
        raise InputError.expected(
            "path", "a path or a list of paths", paths, "name the file with the ratings"
        )
    return listed


def check_file(path: PathLike, *, folders: str = "refuse", empty: str = "refuse") -> Path:
    """Return the path of a plain file that may be read; refuse all else without opening it.

    Parameters
    ----------
    path : path
        Taken as it stands: ``a[1].csv`` is the file of that name and no pattern.
    folders, empty : {"refuse", "allow"}

    Examples
    --------
    >>> check_file("https://example.org/ratings.csv")
    Traceback (most recent call last):
    ...
    consilience.exceptions.InputError: path must be a file on this machine. Got
    'https://example.org/ratings.csv'. Hint: download it first; nothing is fetched from the network.
    """
    place = Path(path)
    if is_address(path) and not os.path.lexists(place):
        raise InputError.expected(
            "path",
            "a file on this machine",
            os.fspath(path),
            "download it first; nothing is fetched from the network",
        )
    mode = status_of(place).st_mode
    if stat.S_ISDIR(mode):
        if folders == "allow":
            return place
        raise InputError.expected(
            "path",
            "a file",
            Said(f"the folder {place}"),
            f"name the files in it, for example {place}/*.csv",
        )
    if not stat.S_ISREG(mode):
        raise InputError.expected(
            "path", "a plain file", Said(f"{place}, a pipe or a device"), _OPENED_LATER
        )
    if not os.access(place, os.R_OK):
        raise InputError.expected(
            "path", "a file you may read", str(place), "change its permissions"
        )
    if empty == "refuse" and place.stat().st_size == 0:
        raise InputError.expected(
            "the file",
            "filled with ratings",
            Said("an empty file"),
            "check the export",
            where=str(place),
        )
    return place


def is_address(path: PathLike) -> bool:
    """Tell whether a name is an address such as http://... or s3://..., not a path.

    >>> is_address("s3://bucket/a.parquet"), is_address("C:/a.parquet"), is_address("a:b.csv")
    (True, False, False)
    """
    return _ADDRESS.match(os.fspath(path)) is not None


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
