"""UIMA CAS JSON 0.4.0, as INCEpTION exports it: text, types and annotations in one file."""

from __future__ import annotations

from typing import Any

from consilience.exceptions import InputError
from consilience.io.annotations._unit_numbers import json_number
from consilience.io.annotations.strands import Found, Wishes
from consilience.io.annotations.text._layers import RULES, Mark, short, units_of
from consilience.io.annotations.unit_registry import register
from consilience.io.bytes._unit_files import File
from consilience.io.platforms.records._uima_documents import Types, parts_of
from consilience.ratings import Note

_ANNOTATION = "uima.tcas.Annotation"
_SOFA = "uima.cas.Sofa"
_MOST_STEPS = 100  # from a type to the one it was derived from


def _recognise(file: File) -> bool:
    return file.head.lstrip()[:1] == "{" and (
        '"%FEATURE_STRUCTURES"' in file.head or '"%TYPES"' in file.head
    )


@register(
    "cas-json",
    title="UIMA CAS JSON",
    suffixes=(".json",),
    rules=RULES,
    recognise=_recognise,
    settled=True,
)
def read_cas_json(file: File, wishes: Wishes) -> Found:
    """Read the annotations of every layer that has a place in the text."""
    types, entries = parts_of(file.json(), str(file.path))
    text = next((str(one["sofaString"]) for one in entries
                 if one.get("%TYPE") == _SOFA and one.get("sofaString")), "")  # fmt: skip
    to_point = _to_code_points(text)
    layers: dict[str, list[Mark]] = {}
    found_beside: dict[str, int] = {}
    for position, entry in enumerate(entries, 1):
        name = str(entry.get("%TYPE"))
        if not _has_place(name, types):
            if ".custom." in name:
                found_beside[name] = found_beside.get(name, 0) + 1
            continue
        begin, end = json_number(entry.get("begin")), json_number(entry.get("end"))
        if begin is None or end is None or begin != int(begin) or end != int(end):
            raise _wrong(file, f"the place of annotation {position}", "two whole numbers",
                         (str(entry.get("begin"))[:30], str(entry.get("end"))[:30]))  # fmt: skip
        features = {key: entry.get(key) for key in _features(name, types)}
        place = (to_point(int(begin)), to_point(int(end)))
        mark = Mark(*place, features, f"annotation {entry.get('%ID', position)}")
        layers.setdefault(name, []).append(mark)
    found = units_of(file, layers, wishes, text=text)
    for name, often in found_beside.items():
        found.ledger.set_aside(
            "answers", short(name), often, reason="they are about the whole document: use measure",
            matters=False,
        )  # fmt: skip
    found.notes.append(
        Note(
            "experimental_format",
            "UIMA CAS JSON was read by its description, not by real files: look at the counts "
            "before you rely on them.",
        )
    )
    return found


def _line(name: str, types: Types) -> list[str]:
    """Return a type and those it was derived from."""
    line = [name]
    while len(line) < _MOST_STEPS and line[-1] in types:
        line.append(str(types[line[-1]].get("%SUPER_TYPE")))
    return line


def _has_place(name: str, types: Types) -> bool:
    return name != _ANNOTATION and _ANNOTATION in _line(name, types)


def _features(name: str, types: Types) -> list[str]:
    found = [key for step in reversed(_line(name, types)) for key in types.get(step, {})]
    return [key for key in found if not key.startswith("%")]


def _to_code_points(text: str) -> Any:
    """Return what turns Java's positions, halves of some characters, into characters."""
    beyond = [k for k, sign in enumerate(text) if ord(sign) > 0xFFFF]
    if not beyond:
        return int
    from bisect import bisect_left

    # In Java the k-th of these stands k halves later.
    starts = [place + k for k, place in enumerate(beyond)]
    return lambda offset: offset - bisect_left(starts, offset)


def _wrong(file: File, what: str, expectation: str, got: object) -> InputError:
    return InputError.expected(
        what, expectation, got, "export the document again", where=str(file.path)
    )
