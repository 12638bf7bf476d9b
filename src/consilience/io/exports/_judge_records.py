"""Verdicts of judges: one record per item, judge and criterion, as evaluation tools write."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from consilience.core.cell_values import as_number, holds_number
from consilience.exceptions import InputError
from consilience.io.exports._records_and_cells import (
    chosen,
    is_yes,
    looked_at,
    odd,
    records_of,
    words_of,
)
from consilience.io.exports.export_entries import Annotations
from consilience.io.exports.registry import ExportOptions, Sample, export
from consilience.io.files.source import Source

_ITEM = ("id", "item", "item_id", "example_id", "sample_id", "question_id", "prompt_id", "doc_id")
_JUDGE = ("judge", "judge_model", "judge_id", "grader", "evaluator", "source")
_RATER = ("rater", "coder", "annotator", "user", "worker")  # beside these a source is no judge
_CRITERION = ("criterion", "criteria", "metric", "dimension", "aspect", "rubric")
_LABEL = ("score", "label", "verdict", "rating", "grade", "preference", "winner")
_GOLD = ("gold", "gold_label", "ground_truth", "groundtruth", "expected_label")
_TIME = ("timestamp", "created_at", "time")
_FLAGS = ("refused", "refusal", "is_refusal")
_TROUBLE = ("error", "parse_error", "parsing_error")
_SWAPPED = ("swapped", "position_swapped", "is_swapped")
_RUN = ("run", "run_id", "trial", "attempt", "repeat", "repetition", "iteration", "epoch", "seed")
_WORDS = {
    "refusal": ("refusal", "refused", "refuse", "declined"),
    "unparsable": ("unparsable", "unparseable", "unparsed", "parse_error", "parse error",
                   "parse_failure", "invalid"),
    "error": ("error", "failed", "timeout"),
}  # fmt: skip
_REASON = {word: reason for reason, words in _WORDS.items() for word in words}
# Written where there is no verdict, and yet names of categories in many a coding scheme.
_NOTHING = frozenset(("n/a", "na", "none", "null", "nan", "-", "?"))
_VERDICTS = frozenset((
    "a", "b", "c", "tie", "draw", "both", "neither", "left", "right", "first", "second", "win",
    "loss", "lose", "yes", "no", "true", "false", "pass", "fail", "correct", "incorrect", "wrong",
    "good", "bad", "safe", "unsafe", "better", "worse", "same", "equal", "model_a", "model_b",
    "answer_a", "answer_b", "assistant_a", "assistant_b", "partial", "partially correct",
))  # fmt: skip
_SENTENCE = 3  # words; labels of so many stand beside other labels, not beside numbers
_NEARLY_ALL = 4  # numbers for each sentence
_ANY = "|".join(map(re.escape, (*_REASON, "n/a")))
_SAID = re.compile(rf'(?im)(?:^|[,;\t"]) *(?:{_ANY}) *(?:[,;\t"\r]|$)')  # as a cell of its own


@export(
    "eval-records",
    title="judges' verdicts (JSON lines, JSON, CSV)",
    suffixes=(".jsonl", ".json", ".csv"),
    generic=True,
)
class EvalRecords:
    """Scores and verdicts with the judge's name; refusals and unparsable answers are excluded."""

    def recognise(self, sample: Sample) -> str | None:
        """Look for an item, a judge and a score in every record."""
        for one in looked_at(sample, (".jsonl", ".json", ".csv"), most=1):
            records: list[dict[str, Any]] = one.records()
            if not records and one.columns():
                records = [dict.fromkeys(one.columns())]
                if not _is_about_verdicts(one, records[0]):
                    return None
            if records and all(_fits(record) for record in records):
                names = (_field(records[0], kinds) for kinds in (_ITEM, _JUDGE, _LABEL))
                return f"every record has {', '.join(str(name) for name in names)}"
        return None

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Read every verdict; a judge asked again in another run is the same one once more."""
        found = Annotations()
        swapped = runs = 0
        item = judge = ""
        gold: dict[tuple[object, str], tuple[object, str]] = {}
        for place, record in records_of(source, options, (".csv", ".tsv", ".txt")):
            item = _taken(record, _ITEM, options.item, place)
            judge = _taken(record, _JUDGE, options.rater, place)
            label = _taken(record, _LABEL, options.label[0] if options.label else None, place)
            criterion = _field(record, _CRITERION)
            when = _field(record, _TIME)
            reason = _reason(record, record[label])
            swapped += any(is_yes(record.get(name)) for name in _SWAPPED)
            runs += _field(record, _RUN) is not None
            variable = str(record[criterion]) if criterion else "label"
            found.add(
                record[item],
                record[judge],
                _label(record[label], place),
                variable=variable,
                reason=reason,
                time=record[when] if when else None,
                kind=_kind(judge, record[judge]),
                place=place,
            )
            _keep_gold(gold, record, (record[item], variable), place)
        for (name, variable), (right, place) in gold.items():
            found.add(name, "gold", right, variable=variable, kind="gold", place=place)
        found.roles.update(item=item, rater=judge)
        if runs and not swapped:
            found.keep_runs()
        _leave_out_sentences(found)
        _leave_out_nothings(found)
        _tell(found, swapped)
        return found


def _keep_gold(
    gold: dict[tuple[object, str], tuple[object, str]],
    record: dict[str, Any],
    key: tuple[object, str],
    place: str,
) -> None:
    """Keep the right answer that stands beside a verdict; an item has one."""
    name = _field(record, _GOLD)
    if name is None or record[name] is None or not isinstance(key[0], (str, int)):
        return
    right = _label(record[name], place)
    before = gold.setdefault(key, (right, place))[0]
    if str(before) != str(right):
        raise odd("the gold label of an item", "the same in all its records", right, place)


def _is_about_verdicts(sample: Sample, columns: dict[str, Any]) -> bool:
    """Tell a table of verdicts from any other: item, judge and label alone may be both."""
    if _field(columns, _JUDGE[:-1]) is None:
        # in a table a source is rather a newspaper, unless criteria are judged and nobody codes
        return _field(columns, _CRITERION) is not None and _field(columns, _RATER) is None
    if any(_field(columns, kinds) for kinds in (_CRITERION, _FLAGS, _TROUBLE, _SWAPPED, _RUN)):
        return True
    return bool(_SAID.search(sample.text)) or _scales_differ(sample)


def _scales_differ(sample: Sample) -> bool:
    """Look whether judges use scales of different lengths in the first rows."""
    judge, label = (_field(dict.fromkeys(sample.columns()), kinds) for kinds in (_JUDGE, _LABEL))
    most: dict[str, float] = {}
    for row in sample.rows():
        try:
            most[row[judge or ""]] = max(most.get(row[judge or ""], 0.0), float(row[label or ""]))
        except (KeyError, ValueError):
            return False
    return _unlike(most) is not None


def _field(record: dict[str, Any], names: tuple[str, ...]) -> str | None:
    """Return the first of the names that the record has, whatever its capital letters."""
    small = {name.lower(): name for name in record}
    return next((small[name] for name in names if name in small), None)


def _fits(record: dict[str, Any]) -> bool:
    others = _field(record, _RATER) is not None
    judges = _JUDGE[:-1] if others else _JUDGE
    return all(_field(record, names) is not None for names in (_ITEM, judges, _LABEL))


def _taken(record: dict[str, Any], names: tuple[str, ...], wish: str | None, place: str) -> str:
    name = wish if wish is not None else _field(record, names)
    if name is None or name not in record or (names is not _LABEL and record[name] is None):
        needed, got = f"one with {name or ' or '.join(names[:4])}", sorted(record)[:12]
        hint = "name the fields with item=, rater= and label="
        raise InputError.expected("every record", needed, got, hint, where=place)
    return name


def _reason(record: dict[str, Any], label: object) -> str:
    """Say why a verdict is none: the judge refused, or nobody could read its answer."""
    if any(is_yes(record.get(name)) for name in _FLAGS):
        return "refusal"
    for words in (label, record.get("status")):
        if isinstance(words, str) and words.strip().lower() in _REASON:
            return _REASON[words.strip().lower()]
    if label is None and any(record.get(name) for name in _TROUBLE):
        return "unparsable" if any(record.get(name) for name in _TROUBLE[1:]) else "error"
    if label is None and any(record.get(name) for name in ("raw", "raw_response", "response")):
        return "unparsable"
    return ""


def _leave_out_sentences(found: Annotations) -> None:
    """Exclude whole sentences where nearly all verdicts are numbers: no number was found there."""
    numbers: Counter[str] = Counter()
    sentences: dict[str, list[int]] = {}
    for k, (variable, label) in enumerate(zip(found.variable, found.label, strict=True)):
        if found.state[k] == "labelled":
            numbers[variable] += holds_number(label)
            if len(str(label).split()) >= _SENTENCE:
                sentences.setdefault(variable, []).append(k)
    for variable, places in sentences.items():
        if numbers[variable] >= _NEARLY_ALL * len(places):
            for k in places:
                found.state[k], found.reason[k] = "excluded", "unparsable"


def _leave_out_nothings(found: Annotations) -> None:
    """Exclude N/A, None and the like where all other verdicts are numbers or usual words.

    Elsewhere they may be categories, and a note asks.
    """
    labels: dict[str, set[str]] = {}
    for variable, label, state in zip(found.variable, found.label, found.state, strict=True):
        if state == "labelled":
            labels.setdefault(variable, set()).add(str(label).casefold())
    sure = {
        variable
        for variable, given in labels.items()
        if all(one in _VERDICTS or holds_number(one) for one in given - _NOTHING)
        and given - _NOTHING
    }
    for k, label in enumerate(found.label):
        if isinstance(label, str) and label.casefold() in _NOTHING and found.variable[k] in sure:
            found.state[k], found.reason[k] = "excluded", "no verdict"


def _label(value: object, place: str) -> object:
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, list):
        return chosen(words_of(value, "a verdict", place))
    raise odd("a verdict", "a text or a number", value, place)


def _kind(field: str, judge: object) -> str:
    name = str(judge).lower()
    is_person = "human" in name or "annotator" in name or "expert" in name
    return "person" if is_person or field.lower() in ("grader", "evaluator") else "model"


def _tell(found: Annotations, swapped: int) -> None:
    if swapped:
        found.note(
            "positions_swapped",
            f"{swapped:,} verdicts were given with the positions swapped. Their labels were taken "
            "as written: they must name the answer, not its position.",
        )
    ranges: dict[str, dict[str, float]] = {}
    for variable, rater, label in zip(found.variable, found.rater, found.label, strict=True):
        if isinstance(label, (int, float, str)) and not isinstance(label, bool):
            value = as_number(label)
            if value is not None:
                most = ranges.setdefault(variable, {})
                most[rater] = max(most.get(rater, 0.0), value)
    for variable, most in ranges.items():
        unlike = _unlike(most)
        if unlike is not None:
            found.note(
                "scales_differ",
                f"{variable}: {unlike[0]} of {len(most)} judges never score above "
                f"{unlike[1]:g}, others go up to {unlike[2]:g}. If they used different scales, "
                "bring them to one first.",
            )


def _unlike(most: dict[str, float]) -> tuple[int, float, float] | None:
    """Find judges that stop where a shorter scale ends: at 1, 5 or 10 beside 5, 10 or 100."""
    if not most:
        return None
    top = max(most.values())
    for end, longer in ((1, 5), (5, 10), (10, 100)):
        short = sum(value <= end for value in most.values())
        if end < top <= longer and short and top > 1.5 * end - 0.5:
            return short, end, top
    return None
