"""The file formats: each lives in its own file and is registered with one decorator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from consilience.exceptions import InputError
from consilience.io._paths import Said
from consilience.io._session import Session
from consilience.io._table import Table


@dataclass(frozen=True, kw_only=True)
class TextOptions:
    """How to take delimited text; None means: find out."""

    delimiter: str | None = None
    encoding: str | None = None
    header: bool | None = None


Loader = Callable[[Session, Sequence[Path], TextOptions], Table]


@dataclass(frozen=True, kw_only=True)
class Format:
    """One file format: how to know it and how to load it."""

    name: str
    title: str
    suffixes: tuple[str, ...]
    magic: bytes | None
    load: Loader


_FORMATS: dict[str, Format] = {}
_ELSEWHERE = {
    ".xlsx": "save the sheet as CSV",
    ".xls": "save the sheet as CSV",
    ".ods": "save the sheet as CSV",
    ".sav": "export it as CSV",
    ".dta": "export it as CSV",
    ".json": "turn it into CSV with the columns item, rater, label",
    ".jsonl": "turn it into CSV with the columns item, rater, label",
}
_SIGNATURES = {
    b"PK\x03\x04": "a zip archive (an Excel file is one, too)",
    b"%PDF": "a PDF",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"SQLite format 3": "a SQLite database",
    b"\xd0\xcf\x11\xe0": "an old Office file",
    b"$FL2": "an SPSS file",
}


def register(
    name: str, *, title: str, suffixes: tuple[str, ...], magic: bytes | None = None
) -> Callable[[Loader], Loader]:
    """Register a loader for one format."""

    def keep(load: Loader) -> Loader:
        _FORMATS[name] = Format(name=name, title=title, suffixes=suffixes, magic=magic, load=load)
        return load

    return keep


def formats() -> dict[str, Format]:
    """Return the file formats that `read` knows, by name.

    Examples
    --------
    >>> sorted(formats())
    ['delimited', 'parquet']
    """
    return dict(_FORMATS)


def format_of(paths: Sequence[Path]) -> Format:
    """Find the one format of all the files; refuse a mixture and what is not supported."""
    found = [_format_of(path) for path in paths]
    if len({one.name for one in found}) > 1:
        listed = ", ".join(f"{path} ({one.name})" for path, one in zip(paths, found, strict=True))
        raise InputError.expected(
            "the files", "of one format", Said(listed), "read them one by one and merge the ratings"
        )
    return found[0]


def _format_of(path: Path) -> Format:
    suffix = path.with_suffix("").suffix if path.suffix.lower() == ".gz" else path.suffix
    suffix = suffix.lower()
    with path.open("rb") as stream:
        head = stream.read(16)
    for one in _FORMATS.values():
        if one.magic is not None and head.startswith(one.magic):
            return one
    for one in _FORMATS.values():
        if suffix in one.suffixes and one.magic is not None:
            raise InputError.expected(
                "the file",
                f"{one.title}, as its name says",
                Said(f"a file that starts with {head[:8]!r}"),
                "check that it was copied completely",
                where=str(path),
            )
    for signature, what in _SIGNATURES.items():
        if head.startswith(signature):
            hint = _ELSEWHERE.get(suffix, "export the ratings as CSV")
            raise InputError.expected("the file", _supported(), Said(what), hint, where=str(path))
    if suffix in _ELSEWHERE:
        raise InputError.expected(
            "the file", _supported(), Said(f"a {suffix} file"), _ELSEWHERE[suffix], where=str(path)
        )
    return _FORMATS["delimited"]


def _supported() -> str:
    return " or ".join(one.title for one in _FORMATS.values())
