"""The registry of exports: by what each is known, how it is recognised by its content, and read."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Protocol

from consilience.core.options import BY_VARIABLE
from consilience.core.registry import Registry
from consilience.exceptions import InputError, Option, Words
from consilience.io.files.limits import refused
from consilience.io.files.parsing import decode
from consilience.io.files.source import Member, Source
from consilience.io.files.text import choose_delimiter
from consilience.io.registry import FORMATS

if TYPE_CHECKING:
    from consilience.io.exports.export_entries import Annotations
    from consilience.io.options import Request

# ---- signs

# A sign is necessary, never sufficient: where it is missing, the reader would not recognise the
# file either, and need not be asked.

# What Google Forms calls its first column, and Microsoft Forms the start of a response.
FORM_STAMPS = frozenset((
    "Timestamp", "Zeitstempel", "Horodateur", "Marca temporal", "Carimbo de data/hora",
    "Informazioni cronologiche", "Tijdstempel", "Tidstämpel", "Tidsstempel", "Aikaleima",
    "Sygnatura czasowa", "Časová značka", "Časové razítko", "Időbélyeg", "Zaman damgası",
    "Marcaj de timp", "Отметка времени", "Позначка часу", "Χρονική σήμανση", "タイムスタンプ",
    "时间戳记", "時間戳記", "타임스탬프", "Dấu thời gian", "Cap waktu", "طابع زمني", "חותמת זמן",
))  # fmt: skip
FORM_STARTS = frozenset(("Start time", "Startzeit", "Heure de début", "Hora de inicio",
                         "Hora de início", "Ora di inizio", "Begintijd", "Starttid"))  # fmt: skip


@dataclass(frozen=True)
class Sign:
    """Where a reader lives, and the words of which each group has one in every such text.

    Inside archives, folders and workbooks nothing is told beforehand: there, every reader is asked.
    """

    file: str
    words: tuple[tuple[str, ...], ...] = ()
    json_only: bool = False
    archives_only: bool = False


SIGNS = {
    "argilla": Sign("_argilla", (("responses",),)),
    "conll-coreference": Sign("conll", (("#begin document",),)),
    "crowdflower": Sign("_crowds", (("_unit_id",),)),
    "deepeval": Sign("_judge_tools", (("metricsdata", "metrics_data"),), json_only=True),
    "doccano": Sign(
        "_doccano",
        (("label", "cats", "entities", "bbox", "segmentation"), ("text", "data", "filename")),
        json_only=True,
    ),
    "eval-records": Sign(
        "_judge_records",
        (
            ("judge", "grader", "evaluator", "source"),
            ("score", "label", "verdict", "rating", "grade", "preference", "winner"),
        ),
    ),
    "forms": Sign("_surveys", (("@", *FORM_STAMPS, *FORM_STARTS),)),
    "inception": Sign("_inception", (("doc",), ("user", "collection"))),
    "inception-project": Sign("_inception", archives_only=True),
    "inspect": Sign("_judge_tools", (("samples",), ("scores",)), json_only=True),
    "label-studio": Sign(
        "_label_studio",
        (("annotations", "completions", "result"), ("data",)),
        json_only=True,
    ),
    "label-studio-min": Sign("_label_studio_min", (("annotation_id",), ("lead_time",))),
    "langfuse": Sign("_judge_tools", (("traceid", "trace_id"), ("datatype", "data_type"))),
    "langsmith": Sign("_judge_tools", (("run_id",), ("feedback_source",))),
    "limesurvey": Sign("_surveys", (("submitdate", "date submitted"),)),
    "lm-eval": Sign("_judge_tools", (("doc_id",), ("resps", "filtered_resps")), json_only=True),
    "mlflow": Sign("_judge_tools", (("assessments",), ("source",)), json_only=True),
    "mturk": Sign("_crowds", (("hitid",), ("workerid",), ("answer.",))),
    "potato": Sign("_potato", (("instance_id",), ("user_id",))),
    "prodigy": Sign("_prodigy", (("_input_hash",), ("_task_hash",)), json_only=True),
    "promptfoo": Sign(
        "_judge_tools",
        (("gradingresult", "promptidx"), ("testcase", "testidx")),
        json_only=True,
    ),
    "qualtrics": Sign("_surveys", (("importid", "responseid"),)),
    "redcap": Sign("_redcap", (("redcap_", "record_id", "study_id", "record id", "study id"),)),
    "surveymonkey": Sign("_surveys", (("coll",), ("resp",))),
    "tidy": Sign("_tidy", (("label_type",), ("variable",), ("state",))),
    "toloka": Sign("_crowds", (("assignment:worker_id",), ("output:",))),
    "webanno-tsv": Sign("_inception", (("#format=webanno tsv 3",),)),
}


class Signs:
    """Which readers are worth asking about a file."""

    def __init__(self, sample: Sample) -> None:
        columns = sample.parquet_columns()
        self.text = "\n".join(columns).casefold() if columns else sample.text.casefold()
        self.is_json = self.text.lstrip()[:1] in ("[", "{")
        # Names may stand behind what was read of a long record, or be written in escapes.
        unsure = self.is_json and (sample.is_cut or "\\u00" in self.text)
        self.ask_all = bool(sample.members()) or unsure

    def fit(self, name: str) -> bool:
        """Tell whether the reader of that name must be asked."""
        sign = SIGNS.get(name)
        if sign is None or self.ask_all:
            return True
        if sign.archives_only or (sign.json_only and not self.is_json):
            return False
        return all(any(word.casefold() in self.text for word in group) for group in sign.words)


# ---- the registry

JsonForm = Literal["list", "lines", "object"]
LabelNames = Literal["columns", "variables"]
Wanted = Literal["labels", "marks"]
_FIRST_RECORDS = 20
_FIRST_ROWS = 50
_HEAD = 1 << 20
_AFTER_BLANKS: Any = re.compile(r"[ \t\r\n,]*").match
_LARGEST_HEAD = 1 << 24  # one record may hold a whole page of text with all its annotations


@dataclass(frozen=True, kw_only=True)
class ExportOptions:
    """What the caller said about an export; None or empty means: as the format has it.

    Attributes
    ----------
    item : str or None
        Field or column that names the item, instead of the platform's own number.
    rater : str or None
        Field or column that names the rater.
    label : tuple of str
        Columns that hold answers, where a format cannot know them.
    encoding, delimiter : str or None
        How to take text.
    empty : str
        What answers without a label count for; "label_all": every one was seen.
    wanted : {"labels", "marks"}
        What is looked for: answers about whole items, or what was marked inside them.
    """

    item: str | None = None
    rater: str | None = None
    label: tuple[str, ...] = ()
    encoding: str | None = None
    delimiter: str | None = None
    empty: str = "missing"
    wanted: Wanted = "labels"


class Reader(Protocol):
    """What a class under `@export` offers."""

    def recognise(self, sample: Sample) -> str | None:
        """Return the evidence in half a sentence, or None where the content does not fit."""

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Return everything the export holds."""


@dataclass(frozen=True, kw_only=True)
class Export:
    """One export format.

    `generic` formats are asked only where no other fits. `label_names` says what the option
    label= is about: columns that hold answers, or variables, as the export itself names them.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    experimental: bool
    generic: bool
    label_names: LabelNames
    reader: Reader

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Return everything the export holds; an experimental format says that it is one."""
        found = self.reader.read(source, options)
        if not len(found):
            needed = f"filled with answers, as {self.title} writes them"
            hint = Words("check the export, or name another format with ", Option("format"))
            raise InputError.expected("the file", needed, None, hint, where=source.where)
        if self.experimental:
            found.note(
                "experimental_format",
                f"{self.title} was read by its description, not by real files: look at the "
                "counts before you rely on them.",
            )
        return found


EXPORTS: Registry[Export] = Registry(
    "format",
    group="exports",
    homes={name: f"consilience.io.exports.{sign.file}" for name, sign in SIGNS.items()},
)


def export(
    name: str,
    *,
    title: str,
    suffixes: tuple[str, ...],
    experimental: bool = False,
    generic: bool = False,
    label_names: LabelNames = "columns",
) -> Callable[[type[Reader]], type[Reader]]:
    """Register a class with the methods `recognise` and `read` as an export format."""

    def keep(reader: type[Reader]) -> type[Reader]:
        EXPORTS.add(
            Export(
                name=name,
                title=title,
                suffixes=suffixes,
                experimental=experimental,
                generic=generic,
                label_names=label_names,
                reader=reader(),
            )
        )
        return reader

    return keep


def exports() -> dict[str, Export]:
    """Return the export formats by name."""
    return dict(sorted(EXPORTS.items()))


class Sample:
    """What the recognisers look at: the beginning of the first file, each part made once.

    Nothing here raises: what cannot be parsed is None or empty.
    """

    def __init__(self, source: Source, member: Member | None = None) -> None:
        self.source = source
        self._member = member

    @cached_property
    def first(self) -> Member | None:
        """The file looked at; None in a folder, whose files are looked at one by one."""
        if self._member is not None:
            return self._member
        return None if self.source.is_folder else self.source.files[0]

    @property
    def suffix(self) -> str:
        """Ending of the file in small letters, .gz left out."""
        return self.first.suffix if self.first is not None else ""

    @cached_property
    def head(self) -> bytes:
        """The first bytes of the file."""
        return self._head(_HEAD)

    def _head(self, size: int) -> bytes:
        try:
            return self.first.head(size) if self.first is not None else b""
        except InputError:
            return b""

    @property
    def is_cut(self) -> bool:
        """Whether the file goes on behind the head."""
        return len(self.head) == _HEAD

    @cached_property
    def text(self) -> str:
        """The beginning as text, up to the last whole line; empty where it is not text."""
        return self._text(self.head)

    def _text(self, head: bytes) -> str:
        whole = len(head) < _HEAD  # not is_cut: more may have been read
        for cut in range(1 if whole else 4):  # the head may end inside a character
            try:
                return decode(head[: len(head) - cut], self.source.where)
            except InputError:
                continue
        return ""

    @cached_property
    def _json(self) -> tuple[JsonForm, list[Any]] | None:
        start = self.text.lstrip()[:1]
        if start not in ("[", "{"):
            return None
        found = _first_values(self.text)
        if found is None and self.is_cut:
            found = _first_values(self._text(self._head(_LARGEST_HEAD)))
        return found

    @property
    def json_form(self) -> JsonForm | None:
        """Form of a JSON file: "list", "lines" (one record each) or "object"."""
        return self._json[0] if self._json else None

    def json_head(self) -> list[Any] | None:
        """Return the first values of a JSON list or of JSON lines, or the one object."""
        return self._json[1] if self._json else None

    def records(self) -> list[dict[str, Any]]:
        """Return those of the first values that are objects."""
        return [value for value in self.json_head() or () if isinstance(value, dict)]

    @cached_property
    def _rows(self) -> list[list[str]]:
        if not self.text or self.json_form is not None or self.suffix in (".json", ".jsonl"):
            return []
        cut = self.text if not self.is_cut else self.text[: self.text.rfind("\n") + 1]
        try:
            delimiter = choose_delimiter(cut[: 1 << 18], self.suffix, "") or ","
            reader = csv.reader(io.StringIO(cut, newline=""), delimiter=delimiter)
            rows: list[list[str]] = []
            for row in reader:
                if any(row):
                    rows.append(row)
                if len(rows) > _FIRST_ROWS:
                    break
        except (csv.Error, InputError):
            return []
        return rows

    def columns(self) -> tuple[str, ...]:
        """Return the names in the first line of delimited text."""
        return tuple(name.strip() for name in self._rows[0]) if self._rows else ()

    def rows(self) -> list[dict[str, str]]:
        """Return the first rows of delimited text by column name."""
        return [dict(zip(self.columns(), row, strict=False)) for row in self._rows[1:]]

    def parquet_columns(self) -> tuple[str, ...]:
        """Return the columns of a Parquet file."""
        return self._parquet_columns

    @cached_property
    def _parquet_columns(self) -> tuple[str, ...]:
        if not self.head.startswith(b"PAR1") or self.source.is_folder:
            return ()
        from consilience.core.database import Session

        with Session() as session:
            try:
                rows = session.rows(
                    "DESCRIBE SELECT * FROM read_parquet("
                    f"{session.safe_path(self.source.paths[0])}, hive_partitioning = false)"
                )
            except session.database_error:
                return ()
        return tuple(row[0] for row in rows)

    @cached_property
    def _inside(self) -> dict[str, Member]:
        try:
            if self.source.is_folder and self._member is None:
                return {member.name: member for member in self.source.files}
            inside = self.first.members() if self.first is not None else ()
        except InputError:
            return {}
        return {member.name: member for member in inside}

    def members(self) -> tuple[str, ...]:
        """Return the names inside a zip archive or folder; empty for a plain file."""
        return tuple(self._inside)

    def member(self, name: str) -> Sample:
        """Look at one file inside a zip archive or folder."""
        return Sample(self.source, self._inside[name])


def _first_values(text: str) -> tuple[JsonForm, list[Any]] | None:
    decoder = json.JSONDecoder()
    text = text.lstrip()
    is_list = text.startswith("[")
    place = int(is_list)
    values: list[Any] = []
    try:
        while len(values) < _FIRST_RECORDS:
            place = _AFTER_BLANKS(text, place).end()
            if place >= len(text) or text[place] == "]":
                break
            value, place = decoder.raw_decode(text, place)
            values.append(value)
    except (ValueError, RecursionError):
        pass  # the head ends inside a value, or the reader will say what is wrong with it
    if not values:
        return ("list", []) if text[:2] == "[]" else None
    if is_list:
        return "list", values
    return ("object" if len(values) == 1 else "lines"), values


def recognise(source: Source) -> tuple[Export, str] | None:
    """Return the one export that the content fits, with the evidence; None where none does."""
    sample = Sample(source)
    signs = Signs(sample)
    asked = [EXPORTS[name] for name in sorted(EXPORTS) if signs.fit(name)]
    for generic in (False, True):
        fits = [
            (one, evidence)
            for one in asked
            if one.generic is generic and (evidence := one.reader.recognise(sample)) is not None
        ]
        if len(fits) > 1:
            words = " and ".join(f"{one.title} ({evidence})" for one, evidence in fits)
            raise InputError(
                Words(
                    f"{source.where}: the format must be clear. Got a file that fits equally well "
                    f"as {words}. Hint: pass ",
                    Option("format", *(one.name for one, _ in fits)),
                    ".",
                )
            )
        if fits:
            return fits[0]
    return None


def export_for(source: Source, request: Request) -> tuple[Export, str] | None:
    """Return the export that was asked for or that the content fits; None for a table."""
    if request.format is not None:
        is_table = request.format in FORMATS
        return None if is_table else (EXPORTS[request.format], "the format as told")
    columns = bool(request.rater and request.label) and not request.variables
    told = request.shape or request.columns or request.sheets or (columns and request.item)
    if told or request.by not in (None, BY_VARIABLE):
        return None  # whoever says so much about the columns has a table
    if request.by == BY_VARIABLE and _has_column(source, BY_VARIABLE):
        return None
    found = recognise(source)
    if found is not None and columns and found[0].label_names == "columns":
        return None
    return found


def _has_column(source: Source, name: str) -> bool:
    sample = Sample(source)
    names = [*sample.columns(), *(key for record in sample.records() for key in record)]
    return name in (str(one).casefold() for one in names)


# ---- everything that an export holds

# What a reader may stumble over when a file is not what its beginning promised.
_STUMBLES = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


def entries_of(source: Source, export: Export, request: Request) -> Annotations:
    """Read everything the export holds; whatever is wrong with it becomes one sentence."""
    options = ExportOptions(
        item=request.item[0] if request.item else None,
        rater=request.rater[0] if request.rater else None,
        label=request.named_labels,
        encoding=request.encoding,
        delimiter=request.delimiter,
        empty=request.empty,
    )
    try:
        return export.read(source, options)
    except InputError:
        raise
    except _STUMBLES as error:
        if type(error).__module__.startswith("consilience"):
            raise
        needed = f"in the form that {export.title} writes"
        got = f"something else ({type(error).__name__}: {str(error)[:80]})"
        hint = Words("check the export, or name another format with ", Option("format"))
        raise refused(source.where, "the file", needed, got, hint) from error
