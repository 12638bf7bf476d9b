"""Label Studio: the JSON export, tasks with their annotations, predictions, drafts and regions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from consilience.core.input_files import Said
from consilience.core.words import counted
from consilience.exceptions import InputError, Option, Words
from consilience.io.events.rater_rules import NOT_MEASURED
from consilience.io.events.unit_files import File, json_number
from consilience.io.exports._records_and_cells import (
    checked_list,
    checked_object,
    chosen,
    looked_at,
    object_in,
    odd,
    warn_of_mails,
    words_of,
)
from consilience.io.exports._spans_from_entries import marks
from consilience.io.exports.export_entries import Annotations, Marked, newest
from consilience.io.exports.registry import ExportOptions, Sample, export
from consilience.io.files.limits import refused
from consilience.io.files.source import Member, Source
from consilience.io.names import rater_name

# ---- tasks

SHAPES = {  # results that say where in a picture, or what belongs together: not measured yet
    name + ending: what
    for what, shapes in (("boxes", ("rectangle", "videorectangle")),
                         ("polygons", ("polygon", "vector")), ("brushes", ("brush", "bitmask")),
                         ("ellipses", ("ellipse",)), ("keypoints", ("keypoint",)),
                         ("relations", ("relation",)))
    for name in shapes
    for ending in ("", "labels")
}  # fmt: skip
_LISTS = ("annotations", "completions")  # the second in old files


@dataclass(frozen=True)
class Work:
    """What a person or a system made of a task.

    `rater` is the person's number, or the name or address where there is none; None: the file
    names nobody. `reason` says why it does not count: "copy", "cancelled", "rejected", "draft".
    """

    record: dict[str, Any]
    results: list[Any]
    rater: object
    kind: str = "person"
    reason: str = ""

    @property
    def time(self) -> object:
        """When it was made."""
        return self.record.get("created_at") or self.record.get("updated_at")


@dataclass(frozen=True)
class Task:
    """A task: its number (None: it has none), its data, and all work on it."""

    id: Any
    data: dict[str, Any]
    works: list[Work]
    place: str


def is_task(record: dict[str, Any]) -> bool:
    """Tell whether a record is a task, or an annotation with its task inside."""
    if isinstance(record.get("result"), list):
        record = {"annotations": [], **object_in(record.get("task"))}
    return isinstance(record.get("data"), dict) and any(
        isinstance(record.get(name), list) for name in _LISTS
    )


def tasks_in(members: Iterable[Member], encoding: str | None) -> Iterator[Task]:
    """Yield every task with its annotations, predictions and drafts."""
    seen: set[object] = set()
    for member in members:
        for place, record in member.records(encoding=encoding):
            if not is_task(record):
                needed, got = "a task with data and annotations", sorted(record)[:12]
                hint = "export the project as JSON"
                raise InputError.expected("every record", needed, got, hint, where=place)
            is_stored = isinstance(record.get("result"), list)  # storage: one annotation a file
            task = {**record["task"], "annotations": [record]} if is_stored else record
            yield Task(task.get("id"), task["data"], list(_works(task, seen, place)), place)


def _works(task: dict[str, Any], seen: set[object], place: str) -> Iterator[Work]:
    for name in (*_LISTS, "predictions", "drafts"):
        for one in checked_list([] if task.get(name) is None else task[name], name, place):
            if not isinstance(one, dict):
                continue  # a bare number only names a record that is not there
            results = checked_list(one.get("result") or [], "result", place)
            if name == "predictions":
                yield Work(one, results, one.get("model_version"), "prediction")
            elif name == "drafts":
                person = one.get("user", one.get("completed_by"))
                yield Work(one, results, _number(person), reason="draft")
            else:
                person = one.get("completed_by", one.get("created_username"))
                kind = "gold" if one.get("ground_truth") is True else "person"
                reason = "copy" if _is_copy(one, task.get("id"), seen) else _why_not(one)
                yield Work(one, results, _number(person), kind, reason)


def _number(person: object) -> object:
    if not isinstance(person, dict):
        return person
    return person.get("email") if person.get("id") is None else person["id"]


def _is_copy(annotation: dict[str, Any], task: object, seen: set[object]) -> bool:
    """Tell whether this annotation was read before: storage may hold it more than once."""
    if annotation.get("id") is None:
        return False
    # Numbers are those of one server: of two servers, author and time differ.
    told = ("id", "completed_by", "created_at", "updated_at")
    key = (str(task), *(str(annotation.get(name)) for name in told))
    is_copy = key in seen
    seen.add(key)
    return is_copy


def _why_not(annotation: dict[str, Any]) -> str:
    if annotation.get("was_cancelled") or annotation.get("skipped"):
        return "cancelled"
    return "rejected" if _is_rejected(annotation) else ""


def _is_rejected(annotation: dict[str, Any]) -> bool:
    """Tell whether the newest review, or else the last action, turned an annotation down."""
    given = annotation.get("reviews")
    reviews = [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []
    decided = [one for one in reviews if isinstance(one.get("accepted"), bool)]
    if decided:
        newest = max(decided, key=lambda one: one["id"] if isinstance(one.get("id"), int) else -1)
        return newest["accepted"] is False
    return annotation.get("last_action") == "rejected"


# ---- answers about whole tasks

# Fields that place something inside the task: in a text, a picture, a recording.
_PLACED = frozenset(
    ("start", "end", "startOffset", "globalOffsets", "x", "y", "points", "rle", "sequence",
     "ranges", "vertices", "channel", "brushlabels")
)  # fmt: skip
SCALES = {"rating": "ordinal", "number": "interval"}


@dataclass
class Tally:
    """What was seen beside the answers."""

    scales: dict[str, str] = field(default_factory=dict)
    regions: Counter[str] = field(default_factory=Counter)
    unread: Counter[str] = field(default_factory=Counter)
    repeated: int = 0
    advice: str = "Compare what raters marked, and where, with `consilience units`."

    def tell(self, found: Annotations) -> None:
        """Leave notes about what was not read, and count it in the account."""
        for kind, often in self.regions.items():
            reason = NOT_MEASURED if kind in SHAPES else "they are about parts of a task"
            what = SHAPES.get(kind, "regions")
            found.ledger.set_aside(what, kind, often, reason=reason, matters=False)
        for kind, often in self.unread.items():
            found.ledger.set_aside(
                "results", kind, often, reason="they cannot be compared", matters=False
            )
        if self.regions:
            found.note(
                "regions_not_read",
                f"{counted(sum(self.regions.values()), 'result')} about parts of a task "
                f"({', '.join(sorted(self.regions))}) not read. {self._advice()}",
            )
        if self.unread:
            found.note(
                "results_not_read",
                f"{counted(sum(self.unread.values()), 'result')} that cannot be compared not read: "
                f"{', '.join(sorted(self.unread))}.",
            )
        if self.repeated:
            found.note(
                "several_values",
                f"{self.repeated:,} times one annotation answers a question more than once; the "
                "last answer was taken.",
            )

    def _advice(self) -> str:
        """Say what to do with parts of a task; shapes on pictures cannot be compared yet."""
        shapes = {kind for kind in self.regions if kind in SHAPES}
        if shapes == set(self.regions):
            return "Boxes, other shapes and relations are not measured yet."
        more = " Boxes, other shapes and relations are not measured yet." if shapes else ""
        return self.advice + more


def answers_in(results: list[Any], place: str, tally: Tally) -> dict[str, object]:
    """Return question to label for what is said about the whole task."""
    rows = [checked_object(row, "every result", place) for row in results]
    placed = {one["id"] for one in rows if _is_placed(one) and isinstance(one.get("id"), str)}
    answers: dict[str, object] = {}
    for row in rows:
        _take(row, placed, answers, place, tally)
    return answers


def _is_placed(row: dict[str, Any]) -> bool:
    return has_place(row.get("value"))


def has_place(value: object) -> bool:
    """Tell whether a value is about a part of the task."""
    return isinstance(value, dict) and not _PLACED.isdisjoint(value)


def _take(
    row: dict[str, Any], placed: set[str], answers: dict[str, object], place: str, tally: Tally
) -> None:
    kind, value = str(row.get("type") or ""), row.get("value")
    if kind == "relation":  # neither an id nor a value
        tally.regions[kind] += 1
        return
    if value is None:
        tally.unread[f"{kind or 'results'} without a value"] += 1
        return
    value = checked_object(value, "the value of a result", place)
    key = row.get("id")
    if _is_placed(row) or (isinstance(key, str) and key in placed):
        tally.regions[kind] += 1
        return
    read = READERS.get(kind)
    if read is None:
        tally.unread[kind or "of no type"] += 1
        return
    name = row.get("from_name")
    if not isinstance(name, str) or not name:
        raise odd("from_name", "the name of a question", name, place)
    label = read(value, place)
    if kind in SCALES:
        tally.scales[name] = SCALES[kind]
    if name in answers and label is not None and answers[name] is not None:
        if kind in ("choices", "taxonomy"):  # the question was asked about several parts
            label = chosen((*_members(answers[name]), *_members(label)))
        elif label != answers[name]:
            tally.repeated += 1
    answers[name] = label if label is not None else answers.get(name)


def _members(label: object) -> tuple[object, ...]:
    return tuple(sorted(label)) if isinstance(label, frozenset) else (label,)


def _words_in(key: str) -> Callable[[dict[str, Any], str], object]:
    return lambda value, place: chosen(words_of(value.get(key) or [], key, place))


def _number_in(key: str) -> Callable[[dict[str, Any], str], object]:
    def read(value: dict[str, Any], place: str) -> object:
        number = value.get(key)
        if number is None or (isinstance(number, (int, float)) and not isinstance(number, bool)):
            return number
        raise odd(key, "a number", number, place)

    return read


def _pairwise(value: dict[str, Any], place: str) -> object:
    side = value.get("selected")
    if side is None or isinstance(side, str):
        return side
    raise odd("selected", "left or right", side, place)


def _ranker(value: dict[str, Any], place: str) -> object:
    order = value.get("ranker")
    if isinstance(order, dict) and len(order) == 1:  # one list to sort, under its own name
        order = next(iter(order.values()))
    if isinstance(order, list):
        return tuple(words_of(order, "ranker", place)) or None
    if order is None or isinstance(order, dict):  # several lists to fill: compared as a whole
        return order or None
    return checked_list(order, "ranker", place)


READERS: dict[str, Callable[[dict[str, Any], str], object]] = {
    "choices": _words_in("choices"),
    "number": _number_in("number"),
    "pairwise": _pairwise,
    "ranker": _ranker,
    "rating": _number_in("rating"),
    "taxonomy": _words_in("taxonomy"),
}

# ---- regions, as entries with marks

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
            entry = Marked(one.task, one.rater, given, lambda mark, _: mark, where, tier)
            entry.bounds, entry.is_entry = bounds, tier == tiers[0]
            found.marked.append(entry)
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
        needed = "one with stretches of text, sound or video"
        hint = "agreement on boxes, polygons and other shapes is not measured yet"
        raise refused(where, "the export", needed, f"shapes on images only ({told})", hint)


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


# ---- the export

GROUND_TRUTH = "ground truth"


def _is_project(file: File) -> bool:
    head = file.head.lstrip()
    told = '"annotations"' in head or '"completions"' in head or '"from_name"' in head
    return head[:1] in "[{" and head != "" and told


@marks("label-studio", title="a Label Studio export", suffixes=(".json",), recognise=_is_project)
@export(
    "label-studio",
    title="Label Studio (JSON)",
    suffixes=(".json",),
    label_names="variables",
)
class LabelStudio:
    """Choices, ratings, numbers, taxonomies, pairs and rankings about whole tasks."""

    def recognise(self, sample: Sample) -> str | None:
        """Look for tasks: data beside a list of annotations."""
        for one in looked_at(sample, (".json",)):
            records = one.records()
            if not records or not all(is_task(record) for record in records):
                return None
            return "every record is a task with data and annotations"
        return None

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Read every annotation, prediction and draft of every task."""
        tasks = tasks_in(source.members, options.encoding)
        if options.wanted == "marks":
            return marked(tasks, source.where)
        project = _Project(options)
        for task in tasks:
            project.take(task)
        return project.annotations(source.where)


@dataclass
class _Answered:
    """What one rater answered about one task."""

    work: Work
    item: object
    rater: object
    answers: dict[str, object]
    text: object
    place: str


@dataclass
class _Project:
    """All tasks, while they are read."""

    options: ExportOptions
    works: list[_Answered] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)
    counts: Counter[str] = field(default_factory=Counter)

    def take(self, task: Task) -> None:
        """Read one task."""
        item, text = self._item(task), _text(task.data)
        for work in task.works:
            if work.reason == "copy":
                self.counts["copies"] += 1
                continue
            rater = self._rater(work, task.place)
            if rater is None:
                self.counts["drafts" if work.reason == "draft" else "nameless"] += 1
                continue
            answers = answers_in(work.results, task.place, self.tally)
            self.counts["prefilled"] += work.reason != "draft" and _is_prefilled(work)
            self.works.append(_Answered(work, item, rater, answers, text, task.place))

    def _item(self, task: Task) -> object:
        name = self.options.item
        is_own = name is None or name == "id"
        item = task.id if is_own else task.data.get(str(name).removeprefix("data."))
        if isinstance(item, (str, int)) and str(item).strip():
            return item
        got, hint = sorted(task.data), Words("name a field of the data with ", Option("item"))
        raise InputError.expected(
            "every task", f"one with {name or 'id'}", got if name else None, hint, where=task.place
        )

    def _rater(self, work: Work, place: str) -> object:
        """Return who annotated; None where the file names nobody, as after an import."""
        rater, name = work.rater, self.options.rater
        is_name = isinstance(rater, (str, int)) and bool(str(rater).strip())
        if work.kind == "prediction":
            return str(rater).strip() if is_name else "prediction"
        if work.kind == "gold":
            return GROUND_TRUTH
        if work.reason == "draft":
            return rater if is_name else None
        if name and name != "completed_by":
            known = object_in(work.record.get("completed_by"))
            rater = known.get(name, work.record.get(name))
            is_name = isinstance(rater, (str, int)) and bool(str(rater).strip())
        elif rater is None:
            return None
        if is_name:
            return rater
        hint = Words("name the field that holds the rater with ", Option("rater"))
        raise odd("every annotation", f"one with {name or 'completed_by'}", rater, place, hint)

    def annotations(self, where: str) -> Annotations:
        """Return one entry per task, rater and question."""
        questions = list(dict.fromkeys(name for work in self.works for name in work.answers))
        found = Annotations(
            scales=dict(self.tally.scales), roles={"item": "task id", "rater": "completed_by"}
        )
        if not self.works and self.counts["nameless"]:
            got = f"{self.counts['nameless']:,} annotations by nobody"
            named = Words("name the field that holds the rater with ", Option("rater"))
            raise refused(where, "every annotation", "one with completed_by", got, named)
        if not questions and self.works:
            told = ", ".join(sorted(self.tally.regions | self.tally.unread)) or "no results at all"
            hint = "compare regions and spans with `consilience units`"
            if not self.tally.regions:
                hint = "ask for choices, ratings or numbers: other answers cannot be compared"
            raise refused(where, "the export", "filled with answers about whole tasks", told, hint)
        for one in self.works:
            # People saw all questions, so that no answer is an answer; systems may know only some.
            for name in one.answers if one.work.kind == "prediction" else questions:
                found.add(
                    one.item,
                    one.rater,
                    one.answers.get(name),
                    variable=name,
                    kind=one.work.kind,
                    reason=one.work.reason,
                    time=one.work.time,
                    text=one.text,
                    place=one.place,
                )
        found.keep_newest()
        self._tell(found)
        return found

    def _tell(self, found: Annotations) -> None:
        self.tally.tell(found)
        gold = sum(one.work.kind == "gold" for one in self.works)
        rejected = sum(one.work.reason == "rejected" for one in self.works)
        notes = (
            ("ground_truth", gold, "annotation",
             "marked as ground truth: gold, not a rater's. Take the mark away in Label Studio "
             "where it is an ordinary annotation."),
            ("prefilled", self.counts["prefilled"], "annotation",
             "begun with a prediction: raters who correct the same proposal are not independent, "
             "and agree more than they would alone."),
            ("copies_left_out", self.counts["copies"], "annotation",
             "found more than once in the files; each was read once."),
            ("rejected_in_review", rejected, "annotation",
             "rejected by a reviewer and left out, which tends to raise agreement. To count them, "
             'pass excluded="keep_rejected" (--excluded keep_rejected).'),
            ("annotations_without_user", self.counts["nameless"], "annotation",
             "without completed_by left out: nobody knows whose they are."),
            ("drafts_without_user", self.counts["drafts"], "draft",
             "left out: nobody knows whose they are."),
        )  # fmt: skip
        for code, number, what, words in notes:
            if number:
                found.note(code, f"{counted(number, what)} {words}")
        warn_of_mails(found)


def _is_prefilled(work: Work) -> bool:
    """Tell whether an annotation was begun with a prediction."""
    origins = (str(row.get("origin") or "") for row in work.results)
    return work.kind != "prediction" and (
        bool(work.record.get("parent_prediction"))
        or any(origin.startswith("prediction") for origin in origins)
    )


def _text(data: dict[str, Any]) -> object:
    """Return what was shown, where the task holds a text."""
    if isinstance(data.get("text"), str):
        return data["text"]
    texts = (value for value in data.values() if isinstance(value, str))
    return next((text for text in texts if " " in text), None)
