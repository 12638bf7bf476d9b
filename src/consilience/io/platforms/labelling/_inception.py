"""INCEpTION and WebAnno: what the agreement page exports, as long tables or as "Diagnosis"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from consilience.core.input_files import Said
from consilience.exceptions import InputError, Option, Words
from consilience.io.bytes._guarded import parse_table
from consilience.io.bytes._source import Member, Source
from consilience.io.platforms._choices import chosen
from consilience.io.platforms._export_registry import ExportOptions, Sample, export
from consilience.io.platforms.export_entries import Annotations

CURATORS = ("curation_user", "curator", "curation")
_DOCUMENTS = ("doc", "user", "label")
_SPANS = ("doc", "user", "begin", "end", "text", "label")
_CHAINS = ("doc", "user", "chain", "index", "begin", "end", "text", "label")
_RELATION = ("source-begin", "source-end", "target-begin", "target-end")
_DIAGNOSIS = ("Type", "Collection", "Document", "Layer", "Feature", "Position", "Flags")
_NO_ANNOTATION, _NO_LABEL = "<no annotation>", "<no label>"


@export(
    "inception",
    title="INCEpTION agreement (CSV)",
    suffixes=(".csv",),
    label_names="variables",
)
class Inception:
    """Labels of documents, of relations and of positions, by user."""

    def recognise(self, sample: Sample) -> str | None:
        """Look for the headers that the agreement page writes."""
        columns = _without_remarks(sample)
        if columns[: len(_DIAGNOSIS)] == _DIAGNOSIS and len(columns) > len(_DIAGNOSIS):
            return "the columns of a diagnosis, one for each annotator"
        if columns in (_DOCUMENTS, _SPANS, _CHAINS) or _is_relations(columns):
            return f"the columns {', '.join(columns[:3])} of the agreement page"
        return None

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Read one entry per user and document, relation or position."""
        found = Annotations(roles={"item": "document", "rater": "user"})
        for member in source.members:
            rows = list(_rows(member, options))
            if rows and set(_DIAGNOSIS) <= rows[0][1].keys():
                _diagnosis(rows, found)
            else:
                _long(rows, options, found, member.where)
        if "empty" in found.state:
            found.note(
                "unset_feature",
                "INCEpTION counts an annotation without a value as a label of its own. To count "
                'as it does, pass empty="label" (--empty label).',
            )
        return found


def _without_remarks(sample: Sample) -> tuple[str, ...]:
    """Return the header; older diagnoses begin with remarks."""
    lines = [line for line in sample.text.splitlines()[:20] if not line.startswith("#")]
    if not lines or sample.json_form is not None:
        return ()
    return tuple(name.strip().strip('"') for name in lines[0].split(","))


def _is_relations(columns: tuple[str, ...]) -> bool:
    return columns[:2] == ("doc", "user") and set(_RELATION) <= set(columns) and "label" in columns


def _rows(member: Member, options: ExportOptions) -> Iterator[tuple[str, dict[str, str]]]:
    text = member.text(encoding=options.encoding)
    while text.startswith(("#", "\r", "\n")):  # remarks, as older diagnoses have them
        text = text.partition("\n")[2]
    table = parse_table(text, member.where, delimiter=options.delimiter or ",")
    yield from table.records()


def _kind(user: str) -> str:
    return "gold" if user.strip("[]").lower() in CURATORS else "person"


def _long(
    rows: list[tuple[str, dict[str, str]]], options: ExportOptions, found: Annotations, where: str
) -> None:
    columns = tuple(rows[0][1]) if rows else ()
    if rows and not {"doc", "user", "label"} <= set(columns):
        raise InputError.expected(
            "the file", "one of the agreement page", columns, "check the export", where=where
        )
    if columns == _CHAINS or (columns == _SPANS and options.item != "position"):
        raise InputError.expected(
            "ratings", "labels of items that every rater saw", Said("spans that raters chose"),
            Words("compare spans with `consilience units`, or pass ", Option("item", "position"),
                  " to compare the labels of spans with exactly the same limits only"),
            where=where,
        )  # fmt: skip
    places = _SPANS[2:4] if columns == _SPANS else [c for c in _RELATION if c in columns]
    labels: dict[tuple[str, str], list[str]] = {}
    texts: dict[tuple[str, str], tuple[str | None, str]] = {}
    for line, row in rows:
        at = "-".join(row[name] for name in places)
        key = (f"{row['doc']} {at}".strip(), row["user"])
        labels.setdefault(key, [])
        texts.setdefault(key, (row.get("text"), line))
        if row["label"] not in ("", _NO_LABEL):
            labels[key].append(row["label"])
    for (item, user), given in labels.items():
        text, line = texts[item, user]
        found.add(item, user, chosen(given), text=text, kind=_kind(user), place=line)
    if places:
        found.roles["item"] = "document and position"
        _warn_of_positions(found)


def _diagnosis(rows: list[tuple[str, dict[str, str]]], found: Annotations) -> None:
    users = [name for name in rows[0][1] if name not in _DIAGNOSIS]
    nothing = 0
    for place, row in rows:
        is_document = row["Type"].startswith("Document")
        item: Any = row["Document"] if is_document else f"{row['Document']} {row['Position']}"
        stacked = "STACKED" in row["Flags"].upper()
        for user in users:
            cell = row[user].strip()
            if cell == _NO_ANNOTATION:
                nothing += 1
                continue
            found.add(
                item, user, None if cell in ("", _NO_LABEL) else cell, kind=_kind(user),
                variable=row["Feature"] or "label", reason="stacked" if stacked else "",
                place=place,
            )  # fmt: skip
    if nothing:
        _warn_of_positions(found, f"{nothing:,} times an annotator marked nothing at a place. ")


def _warn_of_positions(found: Annotations, before: str = "") -> None:
    found.note(
        "positions_only",
        f"{before}Only places that at least two raters marked alike are compared, so the value "
        "can be 1 although raters disagree on where to mark. Compare spans with `consilience "
        "units`.",
    )
