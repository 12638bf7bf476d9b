"""promptfoo: results.json, with the verdict of every assertion on every answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from consilience.io.bytes._source import Source
from consilience.io.platforms._choices import looked_at, odd
from consilience.io.platforms._export_registry import ExportOptions, Sample, export
from consilience.io.platforms.export_entries import Annotations
from consilience.io.platforms.judges.judge_states import ERROR, passed, reason_of

_SIGNS = ("gradingResult", "testCase", "promptIdx", "testIdx")
_VERDICT = "verdict"
_PROVIDER_FAILED = 2  # failureReason of an answer that never came
_LONGEST_RUBRIC = 60


@export("promptfoo", title="promptfoo results (JSON, JSON lines)",
        suffixes=(".json", ".jsonl"), experimental=True)  # fmt: skip
class Promptfoo:
    """Assertions are raters; an answer of a provider to a test is an item."""

    def recognise(self, sample: Sample) -> str | None:
        """Look for results with a test case and its grading."""
        for one in looked_at(sample, (".json", ".jsonl"), most=1):
            records = one.records()
            if len(records) == 1 and one.json_form == "object":
                records = _results_in(records[0])
            if records and all(sum(sign in record for sign in _SIGNS) > 1 for record in records):
                return "every result has a test case and its grading"
        return None

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Read pass or fail of every assertion, or its score (label "score")."""
        found = Annotations(kinds_told=True, roles={"item": options.item or "test and provider",
                                   "rater": "assertion"})  # fmt: skip
        records = list(_records(source, options))
        n_providers = len({_provider(record) for _, record in records})
        n_prompts = len({str(record.get("promptIdx")) for _, record in records})
        for place, record in records:
            item = _item(record, options, several=n_providers > 1, prompts=n_prompts > 1)
            grading = record.get("gradingResult")
            if not isinstance(grading, dict) or not grading.get("componentResults"):
                if record.get("failureReason") == _PROVIDER_FAILED or record.get("error"):
                    trouble = reason_of(record.get("error")) or ERROR
                    found.failed.append((item, trouble, place))
                    continue
                grading = {"componentResults": [_whole(record)]}
            _read_grading(found, item, grading, place, options)
        found.keep_runs()
        return found


def _results_in(document: dict[str, Any]) -> list[dict[str, Any]]:
    results = document.get("results")
    if isinstance(results, dict):
        results = results.get("results")
    return [one for one in results if isinstance(one, dict)] if isinstance(results, list) else []


def _records(source: Source, options: ExportOptions) -> Iterator[tuple[str, dict[str, Any]]]:
    for member in source.members:
        listed = member.records(encoding=options.encoding)
        if len(listed) == 1 and "results" in listed[0][1]:
            for k, record in enumerate(_results_in(listed[0][1]), 1):
                yield f"{member.where}, result {k:,}", record
        else:
            yield from listed


def _provider(record: dict[str, Any]) -> str:
    provider = record.get("provider")
    if isinstance(provider, dict):
        provider = provider.get("label") or provider.get("id")
    return str(provider or "")


def _item(
    record: dict[str, Any], options: ExportOptions, *, several: bool, prompts: bool
) -> str | int:
    """Name the answer: its test, and where there are several its provider and prompt."""
    if options.item:
        inside = record.get("vars")
        chosen = record.get(options.item, inside.get(options.item) if isinstance(inside, dict)
                            else None)  # fmt: skip
        name = str(chosen if chosen is not None else "")
    else:
        name = str(record.get("testIdx", record.get("id", "")))
    parts = [name] + [_provider(record)] * several
    if prompts:
        parts.append(f"prompt {record.get('promptIdx')}")
    return " / ".join(parts)


def _whole(record: dict[str, Any]) -> dict[str, Any]:
    """Return the verdict on the whole answer, where no assertion is told apart."""
    grading = record.get("gradingResult")
    grading = grading if isinstance(grading, dict) else {}
    verdict = grading.get("pass", record.get("success"))
    return {"pass": verdict, "score": grading.get("score", record.get("score")),
            "reason": grading.get("reason"), "assertion": {"type": "all assertions"}}  # fmt: skip


def _read_grading(
    found: Annotations, item: object, grading: dict[str, Any], place: str, options: ExportOptions
) -> None:
    parts = grading["componentResults"]
    if not isinstance(parts, list):
        raise odd("componentResults", "a list", parts, place)
    taken: set[tuple[str, str]] = set()
    for part in parts:
        if not isinstance(part, dict):
            raise odd("the result of an assertion", "an object", part, place)
        assertion = part.get("assertion")
        assertion = assertion if isinstance(assertion, dict) else {}
        rater = _rater(assertion)
        variable = str(assertion.get("metric") or _VERDICT)
        if (rater, variable) in taken:  # another rubric: not the same question
            variable = f"{variable}: {str(assertion.get('value'))[:_LONGEST_RUBRIC]}"
        taken.add((rater, variable))
        wants_score = options.label == ("score",)
        label = part.get("score") if wants_score else passed(part.get("pass"))
        found.add(item, rater, label if isinstance(label, (str, int, float)) else None,
                  variable=variable, reason=_no_verdict(part), place=place,
                  kind="person" if rater == "human" else "model")  # fmt: skip


def _rater(assertion: dict[str, Any]) -> str:
    """Name the judge: the kind of assertion, and the model that grades where it is told."""
    kind, grader = str(assertion.get("type") or "assertion"), assertion.get("provider")
    if isinstance(grader, dict):
        grader = grader.get("label") or grader.get("id")
    return f"{kind} ({grader})" if grader else kind


def _no_verdict(part: dict[str, Any]) -> str:
    """Say why an assertion came to no verdict: the grader failed, or its answer made no sense."""
    about = part.get("metadata")
    trouble = part.get("error") or (about.get("graderError") if isinstance(about, dict) else None)
    if trouble:
        return reason_of(part.get("reason") if trouble is True else trouble) or ERROR
    said = reason_of(part.get("reason"))
    return said if part.get("pass") is not True and said == "unparsable" else ""
