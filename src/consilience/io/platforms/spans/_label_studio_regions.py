"""Label Studio exports: regions of text, audio, video and time series."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from consilience.core.input_files import Said
from consilience.exceptions import InputError
from consilience.io.annotations._ledgers import NOT_MEASURED
from consilience.io.annotations._unit_numbers import json_number
from consilience.io.annotations.strands import Found, Wishes
from consilience.io.annotations.unit_registry import register
from consilience.io.bytes._unit_files import File
from consilience.io.platforms.export_entries import moment
from consilience.io.platforms.records._label_studio_tasks import SHAPES, Task, Work, tasks_in
from consilience.io.platforms.spans._span_records import Marked
from consilience.io.rater_names import rater_name

_CHARACTERS = ("labels", "hypertextlabels")
_TIMED = ("timeserieslabels", "timelinelabels")
_WHY = {
    "copy": "annotations that are there twice", "cancelled": "cancelled annotations",
    "gold": "ground-truth annotations", "rejected": "annotations rejected in review",
}  # fmt: skip
_OF_ONE = "they belong to regions, and labels of regions are compared, not more"
_OF_ALL = "they are about the whole task: use measure"


def _recognise(file: File) -> bool:
    head = file.head.lstrip()
    told = '"annotations"' in head or '"completions"' in head or '"from_name"' in head
    return head[:1] in "[{" and head != "" and told


@register(
    "label-studio",
    title="a Label Studio export",
    suffixes=(".json",),
    rules=("annotator", "file", "folder"),
    recognise=_recognise,
    settled=True,
)
def read_label_studio(file: File, wishes: Wishes) -> Found:
    """Read labelled regions: session is the task, rater the annotator's id, tier the control."""
    reader = _Reader(file)
    for position, task in enumerate(tasks_in((file.member,), file.encoding), start=1):
        reader.task(task, position)
    return reader.finish()


class _Reader(Marked):
    """Collects the regions of one export."""

    def __init__(self, file: File) -> None:
        super().__init__(file)
        self.units: Counter[str] = Counter()
        self.shapes: Counter[str] = Counter()
        self.tiers: dict[str, None] = {}
        self.done: list[tuple[str, str]] = []  # task and rater, whatever was marked

    def wrong(self, what: str, expectation: str, got: object) -> InputError:
        return InputError.expected(
            what, expectation, got, "export the project again as JSON", where=str(self.found.path)
        )

    def task(self, task: Task, position: int) -> None:
        """Read the annotations of one task, one of each annotator."""
        name = str(position if task.id is None else task.id)[:80]
        texts = [value for value in task.data.values() if isinstance(value, str)]
        for rater, work in self._newest(task.works).items():
            self._annotation(name, rater, work.results, texts)

    def _newest(self, works: list[Work]) -> dict[str, Work]:
        """Keep the newest annotation of each annotator; leave out what does not count."""
        newest: dict[str, Work] = {}
        for work in works:
            rater, what = _rater(work), _WHY.get(work.reason or work.kind)
            if work.kind == "prediction" or work.reason == "draft":
                kind = "predictions" if work.kind == "prediction" else "drafts"
                self.found.ledger.set_aside(
                    "entries", kind, reason=f"{kind} are nobody's final work", matters=False
                )
            elif what is not None:
                self._leave_out(what, work)
            elif rater is None:
                self._leave_out("annotations that name nobody", work, matters=True)
            elif rater in newest and _time(work) < _time(newest[rater]):
                self._leave_out("older annotations by the same person", work)
            else:
                if rater in newest:
                    self._leave_out("older annotations by the same person", newest[rater])
                newest[rater] = work
        self.found.ledger.use("entries", len(newest))
        return newest

    def _leave_out(self, what: str, work: Work, *, matters: bool = False) -> None:
        """Count an annotation that does not count, and what is in it."""
        kinds = Counter(_kind_of(result, frozenset())[0] for result in work.results)
        self.leave(what, matters=matters, **kinds)

    def _annotation(self, task: str, rater: str, results: list[Any], texts: list[str]) -> None:
        self.done.append((task, rater))
        spans = [one for one in results if _kind_of(one, frozenset())[0] == "units"]
        regions = frozenset(str(one.get("id")) for one in spans)
        for result in results:
            region = self._region(result, task, regions)
            if region is None:
                continue
            kind, start, end, label, value = region
            tier = str(result.get("from_name", "label"))
            self.tiers[tier] = None
            strand = self.strand(tier, task, rater)
            place = f"task {task}, region {str(result.get('id', ''))[:40]!r}"
            if kind == "character":
                start, end, text = _code_points(start, end, value, texts)
                if text is not None:
                    self.found.bounds[strand] = (0, len(text))
            length = json_number(result.get("original_length")) if kind == "s" else None
            if length is not None and length > 0:
                self.found.bounds[strand] = (0, length)
            self.units[kind] += 1
            self.found.add(strand, start, end, label, place)

    def _region(
        self, result: Any, task: str, regions: frozenset[str]
    ) -> tuple[str, float, float, Any, dict[str, Any]] | None:
        """Return (unit, start, end, label, value) of a labelled stretch, or None."""
        what, reason, matters = _kind_of(result, regions)
        if what != "units" or reason:
            kind = str(result.get("type", ""))[:40] if isinstance(result, dict) else ""
            self.found.ledger.set_aside(what, kind, reason=reason, matters=matters)
            self.shapes[what] += kind in SHAPES and kind != "relation"
            return None
        value, kind = result["value"], str(result["type"])
        labels = value.get(kind, value.get("labels"))
        offsets = value.get("globalOffsets")
        source = offsets if isinstance(offsets, dict) else value
        ranges = value.get("ranges")
        if isinstance(ranges, list) and ranges and isinstance(ranges[0], dict):
            source = ranges[0]
        start, end = json_number(source.get("start")), json_number(source.get("end"))
        if start is None or end is None:
            raise self.wrong(
                f"the place of a region in task {task}",
                "two numbers, start and end",
                (str(source.get("start"))[:30], str(source.get("end"))[:30]),
            )
        unit = "frame" if kind == "timelinelabels" else "character"
        if kind == "timeserieslabels":
            unit = "unknown"
        elif kind == "labels" and ("text" not in value or "original_length" in result):
            unit = "s"
        names = [str(label) for label in labels]
        return unit, start, end, names[0] if len(names) == 1 else frozenset(names), value

    def finish(self) -> Found:
        """Settle the unit of time and say what was left out."""
        if len(self.units) > 1:
            raise self.wrong(
                "the regions of an export",
                "all in text or all in sound",
                Said(", ".join(self.units)),
            )
        if any(self.shapes.values()) and not self.units:
            told = ", ".join(f"{often:,} {what}" for what, often in (+self.shapes).items())
            raise InputError.expected(
                "the export", "one with stretches of text, sound or video",
                Said(f"shapes on images only ({told})"),
                "agreement on boxes, polygons and other shapes is not measured yet",
                where=str(self.found.path),
            )  # fmt: skip
        found = self.found
        for task, rater in self.done:  # whoever marked nothing was asked all the same
            for tier in self.tiers or ("label",):
                self.strand(tier, task, rater)
        if self.units:
            found.time_unit = next(iter(self.units))
            found.in_seconds = found.time_unit == "s"
        if not found.strands:
            raise self.wrong("the export", "filled with annotations", Said("none"))
        return super().finish()


def _kind_of(result: Any, regions: frozenset[str]) -> tuple[str, str, bool]:
    """Return what a result is, why it is set aside ('' if it is a unit), and if that matters."""
    kind = str(result.get("type", "")) if isinstance(result, dict) else ""
    if kind in SHAPES:
        return SHAPES[kind], NOT_MEASURED, True
    value = result.get("value") if isinstance(result, dict) else None
    if not isinstance(value, dict):
        return "results", "they have no value", True
    if kind in (*_CHARACTERS, *_TIMED):
        labels = value.get(kind, value.get("labels"))
        bare = not isinstance(labels, list) or not labels
        return "units", "they have no label" if bare else "", True
    if str(result.get("id")) in regions:
        return "attributes", _OF_ONE, True
    return "answers", _OF_ALL, False


def _rater(work: Work) -> str | None:
    """Return who annotated; None where the file has a place for the name, and nobody in it."""
    name = rater_name(work.rater)
    return name if name or "completed_by" in work.record else "unknown"


def _time(work: Work) -> tuple[float, str]:
    return moment(None if work.time is None else str(work.time))


def _code_points(
    start: float, end: float, value: dict[str, Any], texts: list[str]
) -> tuple[float, float, str | None]:
    """Find the text that was marked; count characters where the browser counted halves of some."""
    if not (0 <= start <= end) or start != int(start) or end != int(end):
        return start, end, None
    marked = value.get("text")
    first, last = int(start), int(end)
    for text in _long_enough(texts, last):
        if marked is None or text[first:last] == marked:
            return start, end, text
        if any(ord(sign) > 0xFFFF for sign in text[:last]):
            halves = text.encode("utf-16-le", errors="surrogatepass")
            if halves[2 * first : 2 * last].decode("utf-16-le", errors="replace") == marked:
                before = halves[: 2 * first].decode("utf-16-le", errors="replace")
                return len(before), len(before) + len(str(marked)), text
    return start, end, next(_long_enough(texts, last), None)


def _long_enough(texts: list[str], length: int) -> Iterator[str]:
    return (text for text in texts if len(text) * 2 >= length)
