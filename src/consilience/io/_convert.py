"""Any file of ratings as one tidy table: a row per entry, nothing lost."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

from consilience.core.database import Session
from consilience.core.input_files import PathLike, check_paths
from consilience.core.options import READING, ReadingOptions, written_out
from consilience.core.output_files import check_target, written_beside
from consilience.document.records import csv_line
from consilience.exceptions import InputError
from consilience.io._read import Loaded, opened
from consilience.io.anonymise import RaterCodes
from consilience.io.exports.export_entries import Annotations
from consilience.io.layout.labels import Relabelling, changed
from consilience.io.options import chosen_variables, request_of
from consilience.io.reading_account import Reading
from consilience.ratings.rating_tables import long_columns

ENDINGS = (".csv", ".parquet", ".jsonl")
TIDY = ("item", "rater", "variable", "label", "label_type", "state", "reason", "time", "kind",
        "text")  # fmt: skip
_RATERS = ("names", "codes")
_TEXT = ("keep", "leave_out")


@dataclass(frozen=True, kw_only=True)
class Converted:
    """What was written.

    Attributes
    ----------
    path : Path
        The tidy table.
    n_rows : int
        Number of entries in it.
    reading : Reading or None
        How the table was read; None for an export, which is written entry by entry.
    format : str
        The format that was read.
    """

    path: Path
    n_rows: int
    reading: Reading | None
    format: str


@written_out(ReadingOptions, READING)
def convert(
    path: PathLike | Iterable[PathLike],
    target: PathLike,
    *,
    raters: str = "names",
    key: str | None = None,
    text: str = "keep",
    existing: str = "refuse",
    **options: Unpack[ReadingOptions],
) -> Converted:
    """Write any file of ratings as a tidy table with one row per entry.

    Use it to hand data on, or to bring exports of several platforms into one form. The columns
    are item, rater, variable, label, label_type, state, reason, time, kind and text; `read` takes
    the table back.

    Parameters
    ----------
    path : path or list of paths
    target : path
        Ends in .csv, .parquet or .jsonl.
    raters : {"names", "codes"}
        "codes" replaces names by R1, R2, ... in order of first appearance, and the e-mail
        addresses of other people, wherever they stand, by M1, M2, ...
    key : str, optional
        With "codes", make them from this secret and the name, so that they are the same in every
        file; keep the key to yourself.
    text : {"keep", "leave_out"}
        Whether the texts of the items are written.
    existing : {"refuse", "replace"}
        What to do where the target exists.
    format, sheet, item, rater, label, ...
        As for `read`.

    Returns
    -------
    Converted

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "codes.csv").write_text("item,Ann,Bob\\n1,yes,yes\\n2,no,yes\\n")
    >>> convert(folder / "codes.csv", folder / "tidy.jsonl", raters="codes").n_rows
    4
    """
    for what, word, known in (("raters", raters, _RATERS), ("text", text, _TEXT)):
        if word not in known:
            raise InputError.unknown_word(what, word, known)
    if key is not None and raters == "names":
        raise InputError.expected("key", "given with raters='codes' only", "one", "add it")
    place = check_target(target, existing, ENDINGS)
    entries, reading, format = _entries(path, options)
    _refuse_input(place, path)
    if raters == "codes":
        codes = RaterCodes(key)
        entries.rater = [codes.code(name) for name in entries.rater]
        entries.item = codes.items(entries.item)
        entries.variable = [codes.without_mails(name) for name in entries.variable]
        entries.label = [codes.label(label) for label in entries.label]
        entries.text = [None if one is None else codes.hide(one) for one in entries.text]
    rows = _rows(entries, keep_text=text == "keep")
    with written_beside(place, existing=existing) as beside:
        _WRITERS[place.suffix.lower()](beside, rows)
    return Converted(path=place, n_rows=len(entries), reading=reading, format=format)


def _refuse_input(target: Path, path: PathLike | Iterable[PathLike]) -> None:
    paths = [path] if isinstance(path, (str, os.PathLike)) else list(path)
    for one in paths:
        if target.exists() and os.path.samefile(target, one):
            raise InputError.expected(
                "the output file", "another one than the input", str(target), "name another file"
            )


def _entries(
    path: PathLike | Iterable[PathLike], options: ReadingOptions
) -> tuple[Annotations, Reading | None, str]:
    request = request_of(**options)
    with opened(check_paths(path, folders="allow"), request) as file:
        if file.export is None:
            reading = file.loaded.reading
            return _from_table(file.loaded), reading, reading.format
        entries, where = file.entries, file.source.where
        wanted = request.variables or request.label
        names = chosen_variables(entries.variables(), wanted, where)
        kept = [k for k, variable in enumerate(entries.variable) if variable in names]
        chosen = entries.taking(kept)
        _relabel(chosen, request.relabel, where)
        return chosen, None, file.export[0].name


def _relabel(entries: Annotations, change: Relabelling, where: str) -> None:
    """Write the labels of an export as they are to be counted; entries without one stay so."""
    if not change:
        return
    if change.sets is not None:
        raise InputError.expected(
            "sets",
            "left out for an export, which tells several labels apart itself",
            change.sets,
            "leave it out",
            where=where,
        )
    labels = dict.fromkeys(label for label in entries.label if label is not None)
    times = Counter(label for label in entries.label if label is not None)
    new = changed(list(labels), [times[label] for label in labels], change, [])
    change.check(labels, where)
    becomes = dict(zip(labels, new, strict=True))
    for k, label in enumerate(entries.label):
        if label is not None:
            entries.label[k] = becomes[label]
            if becomes[label] is None and entries.state[k] == "labelled":
                entries.state[k] = "empty"


def _from_table(loaded: Loaded) -> Annotations:
    entries = Annotations()
    for group, ratings in loaded.groups.items():
        columns = long_columns(ratings)
        variable = "label" if group is None else str(group)
        named = ("item", "rater", "label")  # a later occasion is a later row, and read as one
        for item, rater, label in zip(*(columns[name] for name in named), strict=True):
            entries.add(item, rater, label, variable=variable)
    return entries


# ---- rows


def _rows(entries: Annotations, *, keep_text: bool) -> Iterator[dict[str, Any]]:
    for k in range(len(entries)):
        label, kind = written_label(entries.label[k])
        yield {
            "item": entries.item[k],
            "rater": entries.rater[k],
            "variable": entries.variable[k],
            "label": label,
            "label_type": kind,
            "state": entries.state[k],
            "reason": entries.reason[k] or None,
            "time": entries.time[k],
            "kind": entries.kind[k],
            "text": entries.text[k] if keep_text else None,
        }


def written_label(label: Any) -> tuple[Any, str]:
    """Return a label as JSON can hold it, and the word that brings it back."""
    if label is None:
        return None, ""
    if isinstance(label, bool):
        return label, "boolean"
    if isinstance(label, frozenset):
        return sorted((written_label(part)[0] for part in label), key=str), "set"
    if isinstance(label, tuple):
        return [written_label(part)[0] for part in label], "ranking"
    if isinstance(label, (int, float)):
        return label, "number"
    return str(label), "text"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, (list, bool)):
        return json.dumps(value, ensure_ascii=False)
    return repr(value) if isinstance(value, float) else str(value)


def _write_csv(path: Path, rows: Iterator[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        stream.write(csv_line(TIDY))
        stream.writelines(csv_line(_cell(row[name]) for name in TIDY) for row in rows)


def _write_json_lines(path: Path, rows: Iterator[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        for row in rows:
            stream.write(json.dumps(row, ensure_ascii=False) + "\n")


def _write_parquet(path: Path, rows: Iterator[dict[str, Any]]) -> None:
    with Session() as session:
        scratch = session.scratch / "tidy.csv"
        _write_csv(scratch, rows)
        columns = ", ".join(f"'{name}': 'VARCHAR'" for name in TIDY)
        session.save_parquet(
            f"SELECT * FROM read_csv({session.safe_path(scratch)}, columns = {{{columns}}}, "
            "auto_detect = false, header = true, delim = ',', quote = '\"', escape = '\"', "
            "nullstr = '', max_line_size = 20000000, parallel = false)",
            path,
        )


_WRITERS = {".csv": _write_csv, ".jsonl": _write_json_lines, ".parquet": _write_parquet}
