"""Label Studio exports: regions of text, audio, video and time series."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from consilience.exceptions import InputError
from consilience.io.annotations._unit_numbers import plain
from consilience.io.annotations.strands import Found, Strand, Wishes
from consilience.io.annotations.unit_registry import register
from consilience.io.bytes import _strict_json
from consilience.io.bytes._unit_files import File
from consilience.io.bytes.paths import Said
from consilience.io.platforms.export_entries import moment
from consilience.ratings import Note

_CHARACTERS = ("labels", "hypertextlabels")
_TIMED = ("timeserieslabels", "timelinelabels")


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
    document = _strict_json.parse(file)
    tasks = document if isinstance(document, list) else [document]
    reader = _Reader(file)
    for position, task in enumerate(tasks, start=1):
        if not isinstance(task, dict):
            raise reader.wrong(f"task {position}", "an object", type(task).__name__)
        reader.task(task, position)
    return reader.finish()


class _Reader:
    """Collects the regions of one export."""

    def __init__(self, file: File) -> None:
        self.file = file
        self.found = Found(file.path, "character")
        self.units: Counter[str] = Counter()
        self.left: Counter[str] = Counter()
        self.tiers: dict[str, None] = {}
        self.done: list[tuple[str, str]] = []  # task and rater, whatever was marked

    def wrong(self, what: str, expectation: str, got: object) -> InputError:
        return InputError.expected(
            what, expectation, got, "export the project again as JSON", where=str(self.file.path)
        )

    def task(self, task: dict[str, Any], position: int) -> None:
        """Read the annotations of one task, one of each annotator."""
        name = str(task.get("id", position))[:80]
        made = task.get("annotations", task.get("completions", []))
        if not isinstance(made, list):
            raise self.wrong(f"the annotations of task {name}", "a list", type(made).__name__)
        data = task.get("data")
        texts = [v for v in data.values() if isinstance(v, str)] if isinstance(data, dict) else []
        for rater, annotation in self._newest(made, name).items():
            results = annotation.get("result", [])
            if not isinstance(results, list):
                raise self.wrong(f"the result of task {name}", "a list", type(results).__name__)
            self._annotation(name, rater, results, texts)

    def _newest(self, made: list[Any], task: str) -> dict[str, dict[str, Any]]:
        """Keep the newest annotation of each annotator; leave out what does not count."""
        from consilience.io.platforms.labelling._label_studio_results import is_rejected

        newest: dict[str, dict[str, Any]] = {}
        for annotation in made:
            if not isinstance(annotation, dict):
                raise self.wrong(
                    f"an annotation of task {task}", "an object", Said("another value")
                )
            if annotation.get("was_cancelled") or annotation.get("skipped"):
                self.left["cancelled annotations"] += 1
                continue
            if annotation.get("ground_truth") is True:
                self.left["ground-truth annotations"] += 1
                continue
            if is_rejected(annotation):
                self.left["annotations rejected in review"] += 1
                continue
            rater = _rater(annotation)
            if rater is None:
                self.left["annotations that name nobody"] += 1
                continue
            before = newest.get(rater)
            if before is not None:
                self.left["older annotations by the same person"] += 1
                if _time(annotation) < _time(before):
                    continue
            newest[rater] = annotation
        return newest

    def _annotation(self, task: str, rater: str, results: list[Any], texts: list[str]) -> None:
        facts = (("annotator", rater),)
        self.done.append((task, rater))
        for result in results:
            region = self._region(result, task)
            if region is None:
                continue
            kind, start, end, label, value = region
            tier = str(result.get("from_name", "label"))
            self.tiers[tier] = None
            strand = self.found.number(Strand(tier, task, facts))
            place = f"task {task}, region {str(result.get('id', ''))[:40]!r}"
            if kind == "character":
                start, end, text = _code_points(start, end, value, texts)
                if text is not None:
                    self.found.bounds[strand] = (0, len(text))
            length = plain(result.get("original_length")) if kind == "s" else None
            if length is not None and length > 0:
                self.found.bounds[strand] = (0, length)
            self.units[kind] += 1
            self.found.add(strand, start, end, label, place)

    def _region(
        self, result: Any, task: str
    ) -> tuple[str, float, float, Any, dict[str, Any]] | None:
        """Return (unit, start, end, label, value) of a labelled stretch, or None."""
        if not isinstance(result, dict) or not isinstance(result.get("value"), dict):
            return None
        value = result["value"]
        kind = str(result.get("type", ""))
        labels = value.get(kind, value.get("labels"))
        if not isinstance(labels, list) or not labels or kind not in (*_CHARACTERS, *_TIMED):
            self.left[f"results of type {kind[:40]!r}"] += 1
            return None
        offsets = value.get("globalOffsets")
        source = offsets if isinstance(offsets, dict) else value
        ranges = value.get("ranges")
        if isinstance(ranges, list) and ranges and isinstance(ranges[0], dict):
            source = ranges[0]
        start, end = plain(source.get("start")), plain(source.get("end"))
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
        found = self.found
        for task, rater in self.done:  # whoever marked nothing was asked all the same
            for tier in self.tiers or ("label",):
                found.number(Strand(tier, task, (("annotator", rater),)))
        if self.units:
            found.time_unit = next(iter(self.units))
            found.in_seconds = found.time_unit == "s"
        for what, often in self.left.items():
            found.notes.append(Note("left_out", f"Left out: {often} {what}."))
        if not found.strands:
            raise self.wrong("the export", "filled with annotations", Said("none"))
        return found


def _rater(annotation: dict[str, Any]) -> str | None:
    """Return the annotator's id, never the e-mail address that may stand beside it."""
    who = annotation.get("completed_by", annotation.get("created_username", "unknown"))
    if isinstance(who, dict):
        who = who.get("id", "unknown")
    return None if who is None else str(who).partition("@")[0][:80] or "unknown"


def _time(annotation: dict[str, Any]) -> tuple[float, str]:
    time = annotation.get("created_at")
    return moment(None if time is None else str(time))


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
