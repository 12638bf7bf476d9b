"""Label Studio: regions of text, audio, video and time series, as entries with marks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from consilience.core.input_files import Said
from consilience.exceptions import InputError
from consilience.io.annotations._ledgers import NOT_MEASURED
from consilience.io.annotations._unit_numbers import json_number
from consilience.io.platforms.export_entries import Annotations, Marked, newest
from consilience.io.platforms.labelling._label_studio_tasks import SHAPES, Task, Work
from consilience.io.rater_names import rater_name

_CHARACTERS = ("labels", "hypertextlabels")
_TIMED = ("timeserieslabels", "timelinelabels")
_WHY = {
    "copy": "annotations that are there twice",
    "cancelled": "cancelled annotations",
    "gold": "ground-truth annotations",
    "rejected": "annotations rejected in review",
}
_OLDER = "older annotations by the same person"
_OF_ONE = "they belong to regions, and labels of regions are compared, not more"
_OF_ALL = "they are about the whole task: use measure"


def marked(tasks: Iterable[Task], where: str) -> Annotations:
    """Return labelled regions: a tier for each control, one annotation of each annotator."""
    found = Annotations()
    regions: list[_Regions] = []
    for position, task in enumerate(tasks, start=1):
        name = str(position if task.id is None else task.id)[:80]
        texts = [value for value in task.data.values() if isinstance(value, str)]
        for rater, work in _newest(task.works, found).items():
            regions.append(_Regions(name, rater, texts))
            regions[-1].take(work.results, found, where)
    units = [unit for one in regions for unit in one.units]
    if len(set(units)) > 1:
        told = Said(", ".join(dict.fromkeys(units)))
        raise _wrong(where, "the regions of an export", "all in text or all in sound", told)
    _refuse_shapes(sum((one.shapes for one in regions), Counter()), units, where)
    if not regions:
        raise _wrong(where, "the export", "filled with annotations", Said("none"))
    found.mark_unit = units[0] if units else "character"
    tiers = list(dict.fromkeys(tier for one in regions for tier in one.by_tier)) or ["label"]
    for one in regions:  # whoever marked nothing was asked all the same
        for tier in tiers:
            given, bounds = one.by_tier.get(tier, []), one.bounds.get(tier)
            found.marked.append(
                Marked(
                    one.task,
                    one.rater,
                    given,
                    lambda mark, _: mark,
                    where,
                    tier,
                    bounds=bounds,
                    is_entry=tier == tiers[0],
                )
            )
    return found


def _newest(works: list[Work], found: Annotations) -> dict[str, Work]:
    """Keep the newest annotation of each annotator; leave out what does not count."""
    given = []
    for work in works:
        rater, what = _rater(work), _WHY.get(work.reason or work.kind)
        if work.kind == "prediction" or work.reason == "draft":
            kind = "predictions" if work.kind == "prediction" else "drafts"
            why = f"{kind} are nobody's final work"
            found.mark_ledger.set_aside("entries", kind, reason=why, matters=False)
        elif what is not None:
            found.leave(what, _inside(work))
        elif rater is None:
            found.leave("annotations that name nobody", _inside(work), matters=True)
        else:
            given.append((rater, work.time, (rater, work)))
    kept, older = newest(given)
    for _, work in older:
        found.leave(_OLDER, _inside(work))
    return dict(kept)


def _rater(work: Work) -> str | None:
    """Return who annotated; None where the file has a place for the name, and nobody in it."""
    name = rater_name(work.rater)
    return name if name or "completed_by" in work.record else "unknown"


def _inside(work: Work) -> Counter[str]:
    return Counter(_kind_of(result, frozenset())[0] for result in work.results)


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


@dataclass
class _Regions:
    """What one annotator marked in one task, by control."""

    task: str
    rater: str
    texts: list[str]
    by_tier: dict[str, list[tuple[float, float, object, str]]] = field(default_factory=dict)
    bounds: dict[str, tuple[float, float]] = field(default_factory=dict)
    units: list[str] = field(default_factory=list)
    shapes: Counter[str] = field(default_factory=Counter)

    def take(self, results: list[Any], found: Annotations, where: str) -> None:
        """Take the regions among the results."""
        spans = [one for one in results if _kind_of(one, frozenset())[0] == "units"]
        ids = frozenset(str(one.get("id")) for one in spans)
        for result in results:
            what, reason, matters = _kind_of(result, ids)
            if what != "units" or reason:
                kind = str(result.get("type", ""))[:40] if isinstance(result, dict) else ""
                found.mark_ledger.set_aside(what, kind, reason=reason, matters=matters)
                self.shapes[what] += kind in SHAPES and kind != "relation"
            else:
                self._region(result, where)

    def _region(self, result: dict[str, Any], where: str) -> None:
        value, kind = result["value"], str(result["type"])
        placed = _placed(value)
        start, end = json_number(placed.get("start")), json_number(placed.get("end"))
        if start is None or end is None:
            got = (str(placed.get("start"))[:30], str(placed.get("end"))[:30])
            what = f"the place of a region in task {self.task}"
            raise _wrong(where, what, "two numbers, start and end", got)
        tier = str(result.get("from_name", "label"))
        unit = _unit_of(result)
        if unit == "character":
            start, end, text = _code_points(start, end, value, self.texts)
            if text is not None:
                self.bounds[tier] = (0, len(text))
        length = json_number(result.get("original_length")) if unit == "s" else None
        if length is not None and length > 0:
            self.bounds[tier] = (0, length)
        self.units.append(unit)
        names = [str(label) for label in value.get(kind, value.get("labels"))]
        label = names[0] if len(names) == 1 else frozenset(names)
        place = f"task {self.task}, region {str(result.get('id', ''))[:40]!r}"
        self.by_tier.setdefault(tier, []).append((start, end, label, place))


def _placed(value: dict[str, Any]) -> dict[str, Any]:
    """Return what holds start and end: of characters rather than nodes, or of the first range."""
    offsets, ranges = value.get("globalOffsets"), value.get("ranges")
    if isinstance(ranges, list) and ranges and isinstance(ranges[0], dict):
        return ranges[0]
    return offsets if isinstance(offsets, dict) else value


def _unit_of(result: dict[str, Any]) -> str:
    kind = result["type"]
    if kind in _TIMED:
        return "frame" if kind == "timelinelabels" else "unknown"
    is_sound = "text" not in result["value"] or "original_length" in result
    return "s" if kind == "labels" and is_sound else "character"


def _refuse_shapes(shapes: Counter[str], units: list[str], where: str) -> None:
    if any(shapes.values()) and not units:
        told = ", ".join(f"{often:,} {what}" for what, often in (+shapes).items())
        raise InputError.expected(
            "the export",
            "one with stretches of text, sound or video",
            Said(f"shapes on images only ({told})"),
            "agreement on boxes, polygons and other shapes is not measured yet",
            where=where,
        )


def _wrong(where: str, what: str, expectation: str, got: object) -> InputError:
    hint = "export the project again as JSON"
    return InputError.expected(what, expectation, got, hint, where=where)


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
