"""The formats of units: each lives in its own file and is registered with one decorator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from consilience.core.input_files import Said
from consilience.core.registry import Registry
from consilience.exceptions import InputError
from consilience.io.annotations.strands import Found, Wishes
from consilience.io.bytes._unit_files import File

Reader = Callable[[File, Wishes], Found]
Recogniser = Callable[[File], bool]


@dataclass(frozen=True, kw_only=True)
class UnitFormat:
    """One format of units: how to know it, how to read it, what tells its raters.

    Attributes
    ----------
    name, title : str
    suffixes : tuple of str
        Endings of file names that are looked at; those that it shares with other formats are
        settled by the content.
    rules : tuple of str
        The rules for raters that make sense for it; the first is taken without being asked if
        `is_settled`.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    rules: tuple[str, ...]
    is_settled: bool
    may_be_empty: bool
    recognise: Recogniser
    read: Reader


# Those that are told by their first line come before those that take any table.
_FILES = {
    "eaf": "annotations.timed._eaf",
    "textgrid": "annotations.timed._textgrid",
    "boris": "annotations.timed._boris_project",
    "brat": "annotations.text._brat",
    "xmi": "annotations.text._xmi",
    "rttm": "annotations.timed._rttm",
    "webanno": "platforms.spans._webanno_spans",
    "boris-table": "annotations.timed._boris_table",
    "easydiag": "annotations.timed._easydiag_file",
    "elan-tab": "annotations.timed._elan_tab",
    "cas-json": "annotations.text._cas_json",
    "prodigy": "platforms.labelling._prodigy",
    "argilla": "platforms.labelling._argilla",
    "potato": "platforms.labelling._potato",
    "doccano": "platforms.labelling._doccano",
    "label-studio": "platforms.labelling._label_studio",
    "parquet": "annotations._unit_parquet",
    "conll": "annotations.text._conll",
    "table": "annotations._unit_table",
}
UNIT_FORMATS: Registry[UnitFormat] = Registry(
    "format",
    group="unit_readers",
    homes={name: f"consilience.io.{file}" for name, file in _FILES.items()},
)


def register(
    name: str,
    *,
    title: str,
    suffixes: tuple[str, ...],
    rules: tuple[str, ...],
    recognise: Recogniser,
    settled: bool = False,
    may_be_empty: bool = False,
) -> Callable[[Reader], Reader]:
    """Register a reader for one format."""

    def keep(read: Reader) -> Reader:
        UNIT_FORMATS.add(
            UnitFormat(
                name=name,
                title=title,
                suffixes=suffixes,
                rules=rules,
                is_settled=settled,
                may_be_empty=may_be_empty,
                recognise=recognise,
                read=read,
            )
        )
        return read

    return keep


def unit_formats() -> dict[str, UnitFormat]:
    """Return the formats that `read_units` knows, by name.

    Examples
    --------
    >>> unit_formats()["textgrid"].title
    'a Praat TextGrid'
    """
    return dict(UNIT_FORMATS)


def format_of(files: Sequence[File]) -> UnitFormat:
    """Find the one format of all files; refuse a mixture and what is not supported."""
    found = [_format_of(file) for file in files]
    if len({one.name for one in found}) > 1:
        seen = {one.name: file.path.name for file, one in zip(files, found, strict=True)}
        raise InputError.expected(
            "files read together",
            "of one format",
            Said(", ".join(f"{path} ({name})" for name, path in seen.items())),
            f"choose one with format={next(iter(seen))!r}, or read them one by one and merge",
        )
    return found[0]


def _format_of(file: File) -> UnitFormat:
    for one in UNIT_FORMATS.values():
        if file.suffix in one.suffixes and one.recognise(file):
            return one
    for one in UNIT_FORMATS.values():
        if one.name != "table" and one.recognise(file):
            return one
    raise InputError.expected(
        "the file",
        "one with units in a format that is known",
        Said(f"a {file.suffix or 'nameless'} file that begins {file.head[:40]!r}"),
        f"pass format=, one of {', '.join(UNIT_FORMATS)}",
        where=str(file.path),
    )
