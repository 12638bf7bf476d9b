"""Verdicts of judges as evaluation tools write them, and why a judge gave none."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from typing import Any

from consilience.core.cell_values import as_number
from consilience.exceptions import InputError, Option, Words
from consilience.io.exports._records_and_cells import (
    checked_list,
    checked_object,
    first_records,
    looked_at,
    object_in,
    odd,
    records_of,
    warn_of_mails,
)
from consilience.io.exports.export_entries import Annotations
from consilience.io.exports.registry import ExportOptions, Reader, Sample, export
from consilience.io.files.source import Member, Source

# ---- why there is no verdict

REFUSAL, UNPARSABLE, ERROR = "refusal", "unparsable", "error"
PASS, FAIL = "pass", "fail"
_PARSING = re.compile(
    r"invalid json|could not (?:extract|parse)|unable to parse|failed to parse|cannot parse|"
    r"pars(?:e|ing)[ _]?(?:error|failure|failed)|json ?decode|grade not found|not valid json|"
    r"no (?:score|grade|verdict) found",
    re.IGNORECASE,
)
_REFUSED = re.compile(
    r"content[ _]?filter|refus(?:al|ed|es)|safety[ _](?:filter|block)|declined to", re.IGNORECASE
)


def reason_of(trouble: object) -> str:
    """Return the state that an error message of a judge stands for; empty where there is none.

    >>> [reason_of(one) for one in ("invalid JSON", "content_filter", "timeout", None)]
    ['unparsable', 'refusal', 'error', '']
    """
    if not trouble:
        return ""
    text = " ".join(map(str, trouble.values())) if isinstance(trouble, dict) else str(trouble)
    if _PARSING.search(text):
        return UNPARSABLE
    return REFUSAL if _REFUSED.search(text) else ERROR


def passed(value: object) -> str | None:
    """Return pass or fail for true and false; None for anything else."""
    return (PASS if value else FAIL) if isinstance(value, bool) else None


def _tool(name: str, title: str, *suffixes: str) -> Callable[[type[Reader]], type[Reader]]:
    """Register a tool, known by its description and few real files."""
    return export(name, title=title, suffixes=suffixes, experimental=True)


def _judged(options: ExportOptions, item: str, rater: str) -> Annotations:
    """Return what will hold verdicts of a tool that says who is a person and who a system."""
    return Annotations(kinds_told=True, roles={"item": options.item or item, "rater": rater})


def _item_of(record: dict[str, Any], name: str, what: str, place: str) -> str | int:
    item = record.get(name)
    if not isinstance(item, (str, int)) or isinstance(item, bool):
        raise odd(what, f"one with {name}", item, place)
    return item


def _inside(
    member: Member, options: ExportOptions, page: str, word: str, what: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield records with their places; those of an answer of an API stand in a list, a page."""
    for place, record in member.records(encoding=options.encoding):
        if not isinstance(record.get(page), list):
            yield place, record
            continue
        for k, one in enumerate(record[page], 1):
            where = f"{place}, {word} {k:,}"
            yield where, checked_object(one, what, where)


# ---- DeepEval

_CASES = ("testCases", "test_cases", "conversationalTestCases", "conversational_test_cases",
          "test_results")  # fmt: skip
_METRICS = ("metricsData", "metrics_data")


@_tool("deepeval", "DeepEval test runs (JSON)", ".json")
class DeepEval:
    """The model that evaluates is the rater; each metric is a variable."""

    def recognise(self, sample: Sample) -> str | None:
        """Look for test cases with the data of metrics."""
        for record in first_records(sample, (".json",))[:1]:
            if any(_of(case, _METRICS) is not None for case in _cases_in(record)):
                return "test cases with the data of metrics"
        return None

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Read pass or fail of every metric, or its score (label "score")."""
        found = _judged(options, "test case", "model")
        cases = list(_cases(source, options))
        names = Counter(str(case.get("name") or "") for _, case in cases)
        runs = len(source.members) > 1
        for place, case in cases:
            name = case.get(options.item) if options.item else case.get("name")
            is_clear = options.item or runs or names[str(name)] == 1
            item = name if name and is_clear else case.get("order", case.get("input"))
            for one in checked_list(_of(case, _METRICS) or [], "the data of metrics", place):
                metric = checked_object(one, "the data of a metric", place)
                said = None if options.label == ("score",) else passed(metric.get("success"))
                found.add(
                    item,
                    _of(metric, ("evaluationModel", "evaluation_model")) or "judge",
                    metric.get("score") if said is None else said,
                    variable=str(metric.get("name") or "metric"),
                    place=place,
                    kind="model",
                    reason=reason_of(metric.get("error")),
                )
        found.keep_runs()
        return found


def _of(record: dict[str, Any], names: tuple[str, ...]) -> Any:
    return next((record[name] for name in names if record.get(name) is not None), None)


def _cases_in(record: dict[str, Any]) -> list[dict[str, Any]]:
    listed = [record.get(name) for name in _CASES]
    found = [case for one in listed if isinstance(one, list) for case in one]
    return [case for case in found if isinstance(case, dict)]


def _cases(source: Source, options: ExportOptions) -> Iterator[tuple[str, dict[str, Any]]]:
    for member in source.members:
        run = checked_object(member.json(encoding=options.encoding), "a test run", member.where)
        for k, case in enumerate(_cases_in(run), 1):
            yield f"{member.where}, test case {k:,}", case


# ---- Inspect

_GRADES = frozenset("CIPN")  # correct, incorrect, partly, no answer
_NO_GRADE = "grade not found"  # what a model that grades writes beside a mere "incorrect"
_VERDICT = "verdict"
_ALIKE = (str, int, float, bool)


@_tool("inspect", "Inspect logs (.eval, JSON)", ".eval", ".json")
class Inspect:
    """Scorers are raters; epochs of a sample are repeated runs."""

    def recognise(self, sample: Sample) -> str | None:
        """Look for the parts of an archive, or for a task with samples and their scores."""
        if _is_archive(sample.members()):
            return "an archive with header.json and samples"
        heads = sample.records()
        if sample.json_form == "object" and heads and isinstance(heads[0].get("eval"), dict):
            samples = heads[0].get("samples")
            if isinstance(samples, list) and samples and isinstance(samples[0], dict):
                return "an evaluation with samples" if "scores" in samples[0] else None
        return None

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Read every score; a grade that could not be found in the answer is none."""
        found = _judged(options, "sample id", "scorer")
        logs = list(_logs(source, options))
        models = {model for model, _, _ in logs}
        for model, place, given in logs:
            sample = checked_object(given, "every sample", place)
            name = _item_of(sample, options.item or "id", "every sample", place)
            item = name if len(models) < 2 else f"{name} / {model}"
            _read_sample(found, item, sample, place)
        _apart(found)
        found.keep_runs()
        return found


def _is_archive(names: tuple[str, ...]) -> bool:
    plain = [PurePosixPath(name) for name in names]
    return any(name.name in ("header.json", "_journal") for name in plain) and any(
        name.parent.name == "samples" and name.suffix == ".json" for name in plain
    )


def _logs(source: Source, options: ExportOptions) -> Iterator[tuple[str, str, Any]]:
    """Yield the model that was evaluated, the place and the sample."""
    for file in source.files:
        inside = file.members()
        if _is_archive(tuple(one.name for one in inside)):
            yield from _unpacked(inside, options)
            continue
        for member in inside or (file,):
            log = member.json(encoding=options.encoding)
            if not isinstance(object_in(log).get("samples"), list):
                hint = "logs written with --no-log-samples have none"
                raise odd("the log", "one with samples", log, member.where, hint)
            for k, sample in enumerate(log["samples"], 1):
                yield _model(log), f"{member.where}, sample {k:,}", sample


def _unpacked(inside: tuple[Member, ...], options: ExportOptions) -> Iterator[tuple[str, str, Any]]:
    headers = [one for one in inside if PurePosixPath(one.name).name == "header.json"]
    model = _model(headers[0].json(encoding=options.encoding)) if headers else ""
    for one in inside:
        path = PurePosixPath(one.name)
        if path.parent.name == "samples" and path.suffix == ".json":
            yield model, one.where, one.json(encoding=options.encoding)


def _model(log: Any) -> str:
    return str(object_in(object_in(log).get("eval")).get("model") or "")


def _read_sample(found: Annotations, item: object, sample: dict[str, Any], place: str) -> None:
    scores = checked_object(sample.get("scores") or {}, "the scores of a sample", place)
    for scorer, given in scores.items():
        score = checked_object(given, "a score", place)
        for author, value, kind in _edits(scorer, score):
            reason = _no_grade(score, value) if author == scorer else ""
            for variable, label in _labels(value, scorer, place):
                found.add(
                    item, author, label, variable=variable, reason=reason, kind=kind, place=place
                )
    if not scores and sample.get("error"):
        found.failed.append((item, reason_of(sample["error"]), place))


def _edits(scorer: str, score: dict[str, Any]) -> Iterator[tuple[str, Any, str]]:
    """Yield the scorer's own value, and those that people put in its place."""
    kind = "person" if "human" in scorer.lower() else "model"
    history = [one for one in score.get("history") or () if isinstance(one, dict)]
    edits = [one for one in history if isinstance(one.get("provenance"), dict)]
    yield scorer, history[0].get("value") if edits and history else score.get("value"), kind
    if edits:
        yield str(edits[-1]["provenance"].get("author") or "editor"), score.get("value"), "person"


def _labels(value: Any, scorer: str, place: str) -> Iterator[tuple[str, Any]]:
    """Yield variable and label: a score of several parts has a variable for each."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield str(name), part if isinstance(part, _ALIKE) else None
    elif value is None or isinstance(value, _ALIKE):
        yield (_VERDICT if value in _GRADES else scorer), value
    elif isinstance(value, list) and all(isinstance(part, _ALIKE) for part in value):
        yield scorer, tuple(value)
    else:
        raise odd("the value of a score", "a text, a number or named parts", value, place)


def _no_grade(score: dict[str, Any], value: Any) -> str:
    said = str(score.get("explanation") or "")
    if said.lower().startswith(_NO_GRADE):
        return UNPARSABLE
    is_unscored = value is None or (isinstance(value, float) and value != value)  # noqa: PLR0124
    return (reason_of(said) or UNPARSABLE) if is_unscored else ""


def _apart(found: Annotations) -> None:
    """Give a scorer one variable: grades of several scorers are compared, other scores are not."""
    graded = {r for r, v in zip(found.rater, found.variable, strict=True) if v == _VERDICT}
    for k, rater in enumerate(found.rater):
        if rater in graded and found.variable[k] == rater:
            found.variable[k] = _VERDICT


# ---- lm-evaluation-harness

_ANSWER, _TARGET = "answer", "target"
_NOT_FOUND = "[invalid]"  # what a filter writes that finds no answer in the response
_LONGEST_LABEL = 60  # characters of an answer that may be a label
_RESPONSES = frozenset(("resps", "filtered_resps"))
_RECORD = frozenset(("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter",
                     "metrics", "doc_hash", "prompt_hash", "target_hash"))  # fmt: skip


@_tool("lm-eval", "lm-evaluation-harness samples (JSON lines)", ".jsonl", ".json")
class LmEvalSamples:
    """Each metric is a variable; short answers are labels beside the right ones."""

    def recognise(self, sample: Sample) -> str | None:
        """Look for documents with the model's responses."""
        records = first_records(sample, (".jsonl", ".json"))
        fit = [one for one in records if "doc_id" in one and not _RESPONSES.isdisjoint(one)]
        is_log = records and len(fit) == len(records)
        return "every record has doc_id and the responses" if is_log else None

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Read answers and metrics; a filter is a rater of its own."""
        found = _judged(options, "doc_id", "filter")
        several = len(source.members) > 1
        known: set[object] = set()  # items whose right answer stands there already
        for member in source.members:
            task = f"{_run_of(member)}/" if several else ""
            for place, record in member.records(encoding=options.encoding):
                name = _item_of(record, options.item or "doc_id", "every record", place)
                _add_sample(found, known, f"{task}{name}" if several else name, record, place)
        found.keep_runs()
        return found


def _run_of(member: Member) -> str:
    path = PurePosixPath(member.name)
    return path.parent.name or path.stem


def _add_sample(
    found: Annotations, known: set[object], item: object, record: dict[str, Any], place: str
) -> None:
    rater = str(record.get("filter") or "none")
    judge = "answers" if rater == "none" else rater
    named = record.get("metrics")
    metrics = (
        [name for name in named if isinstance(name, str)]
        if isinstance(named, list)
        else [name for name, x in record.items() if name not in _RECORD and _is_number(x)]
    )
    for name in metrics:
        value = record.get(name)
        score = value if _is_number(value) else None
        found.add(item, judge, score, variable=name, kind="model", place=place)
    answer, target = _first(record.get("filtered_resps")), record.get(_TARGET)
    if _is_label(answer) and _is_label(target):
        why = UNPARSABLE if answer == _NOT_FOUND else ""
        found.add(item, judge, answer, variable=_ANSWER, kind="model", place=place, reason=why)
        if item not in known:
            found.add(item, _TARGET, target, variable=_ANSWER, kind="gold", place=place)
        known.add(item)


def _first(responses: object) -> object:
    """Return the first response, however deep it lies."""
    while isinstance(responses, list):
        if not responses:
            return None
        responses = responses[0]
    return responses


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float))


def _is_label(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value.strip()) <= _LONGEST_LABEL


# ---- promptfoo

_SIGNS = ("gradingResult", "testCase", "promptIdx", "testIdx")
_PROVIDER_FAILED = 2  # failureReason of an answer that never came
_LONGEST_RUBRIC = 60


@_tool("promptfoo", "promptfoo results (JSON, JSON lines)", ".json", ".jsonl")
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
        found = _judged(options, "test and provider", "assertion")
        records = list(_results(source, options))
        n_providers = len({_provider(record) for _, record in records})
        n_prompts = len({str(record.get("promptIdx")) for _, record in records})
        for place, record in records:
            item = _test_of(record, options, several=n_providers > 1, prompts=n_prompts > 1)
            grading = object_in(record.get("gradingResult"))
            if not grading.get("componentResults"):
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


def _results(source: Source, options: ExportOptions) -> Iterator[tuple[str, dict[str, Any]]]:
    for member in source.members:
        listed = member.records(encoding=options.encoding)
        if len(listed) == 1 and "results" in listed[0][1]:
            for k, record in enumerate(_results_in(listed[0][1]), 1):
                yield f"{member.where}, result {k:,}", record
        else:
            yield from listed


def _provider(record: dict[str, Any]) -> str:
    provider = record.get("provider")  # of an answer, or of the model that grades
    if isinstance(provider, dict):
        provider = provider.get("label") or provider.get("id")
    return str(provider or "")


def _test_of(
    record: dict[str, Any], options: ExportOptions, *, several: bool, prompts: bool
) -> str | int:
    """Name the answer: its test, and where there are several its provider and prompt."""
    if options.item:
        chosen = record.get(options.item, object_in(record.get("vars")).get(options.item))
        name = str(chosen if chosen is not None else "")
    else:
        name = str(record.get("testIdx", record.get("id", "")))
    parts = [name] + [_provider(record)] * several
    if prompts:
        parts.append(f"prompt {record.get('promptIdx')}")
    return " / ".join(parts)


def _whole(record: dict[str, Any]) -> dict[str, Any]:
    """Return the verdict on the whole answer, where no assertion is told apart."""
    grading = object_in(record.get("gradingResult"))
    return {
        "pass": grading.get("pass", record.get("success")),
        "score": grading.get("score", record.get("score")),
        "reason": grading.get("reason"),
        "assertion": {"type": "all assertions"},
    }


def _read_grading(
    found: Annotations, item: object, grading: dict[str, Any], place: str, options: ExportOptions
) -> None:
    taken: set[tuple[str, str]] = set()
    for one in checked_list(grading["componentResults"], "componentResults", place):
        part = checked_object(one, "the result of an assertion", place)
        assertion = object_in(part.get("assertion"))
        rater = _rater(assertion)
        variable = str(assertion.get("metric") or _VERDICT)
        if (rater, variable) in taken:  # another rubric: not the same question
            variable = f"{variable}: {str(assertion.get('value'))[:_LONGEST_RUBRIC]}"
        taken.add((rater, variable))
        wants_score = options.label == ("score",)
        label = part.get("score") if wants_score else passed(part.get("pass"))
        found.add(
            item,
            rater,
            label if isinstance(label, (str, int, float)) else None,
            variable=variable,
            reason=_no_assertion(part),
            place=place,
            kind="person" if rater == "human" else "model",
        )


def _rater(assertion: dict[str, Any]) -> str:
    """Name the judge: the kind of assertion, and the model that grades where it is told."""
    kind, grader = str(assertion.get("type") or "assertion"), _provider(assertion)
    return f"{kind} ({grader})" if grader else kind


def _no_assertion(part: dict[str, Any]) -> str:
    """Say why an assertion came to no verdict: the grader failed, or its answer made no sense."""
    trouble = part.get("error") or object_in(part.get("metadata")).get("graderError")
    if trouble:
        return reason_of(part.get("reason") if trouble is True else trouble) or ERROR
    said = reason_of(part.get("reason"))
    return said if part.get("pass") is not True and said == "unparsable" else ""


# ---- Langfuse

_SCORE_FIELDS = frozenset(("traceId", "name", "value", "dataType"))
_PERSON = "ANNOTATION"
_EVALUATOR = "EVAL"
_TYPES = ("NUMERIC", "CATEGORICAL", "BOOLEAN")
_TEXTS = ("TEXT", "CORRECTION")  # comments and corrected answers: no ratings


@_tool("langfuse", "Langfuse scores (JSON, JSON lines, CSV)", ".json", ".jsonl", ".csv")
class Langfuse:
    """Numbers, categories and yes/no scores, by people and by systems."""

    def recognise(self, sample: Sample) -> str | None:
        """Look for scores: a trace, a name, a value and its type."""
        records = first_records(sample, (".json", ".jsonl", ".csv"), "data")
        if not records or not all(_same_names(one).keys() >= _SCORE_FIELDS for one in records):
            return None
        if set(records[0].values()) == {None}:
            return "the columns of scores: trace, name, value and type"
        return "every record has a trace, a name, a value and its type"

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Read every score; of several by a person the newest counts, an evaluator's are runs."""
        found = Annotations()
        nameless = texts = 0
        origins = set()
        for place, record in _scores(source, options):
            score = _same_names(record)
            _check(score, place)
            if score.get("dataType") in _TEXTS:
                texts += 1
                continue
            origin = str(score.get("source") or "API").upper()
            origins.add(origin)
            author = score.get("authorUserId") or score.get("evaluatorId")
            if options.rater:
                author = score.get(options.rater)
            nameless += not author and origin == _PERSON
            found.add(
                _scored_trace(score, place, options),
                author or origin,
                _label(score, place),
                # Two scores that are to be compared with each other bear different names.
                variable="score" if options.rater == "name" else str(score["name"]),
                time=score.get("timestamp") or score.get("updatedAt") or score.get("createdAt"),
                kind="person" if origin == _PERSON else "model",
            )
            if score.get("dataType") == "NUMERIC":
                found.scales[found.variable[-1]] = "interval"
        found.roles.update(item=options.item or "traceId", rater=options.rater or "authorUserId")
        # What comes by the API may be a person's feedback; annotations and evaluators are told.
        found.kinds_told = origins <= {_PERSON, _EVALUATOR}
        if found.kinds_told:
            found.keep_runs()
        else:
            found.keep_newest()
        if texts:
            left = f"{texts:,} texts and corrections were left out: they are no scores."
            found.note("texts_left_out", left)
        if nameless:
            found.note(
                "authors_unknown",
                f"{nameless:,} scores by people do not say by whom, and count as one rater.",
            )
        if len(set(zip(found.variable, found.rater, strict=True))) == len(found.variables()):
            words = "Scores of one name come from one rater. To compare different names"
            found.note("one_rater", f'{words} with each other, pass rater="name" (--rater name).')
            found.evidence.append("each name has one rater; --rater name compares the names")
        warn_of_mails(found)
        return found


def _same_names(record: dict[str, Any]) -> dict[str, Any]:
    """Return fields under the API's names; storage writes trace_id for traceId."""
    return {re.sub(r"_([a-z])", lambda m: m[1].upper(), name): v for name, v in record.items()}


def _scores(source: Source, options: ExportOptions) -> Iterator[tuple[str, dict[str, Any]]]:
    for member in source.members:
        if member.suffix in (".csv", ".tsv"):
            table = member.table(delimiter=options.delimiter, encoding=options.encoding)
            for place, row in table.records():
                yield place, {name: cell or None for name, cell in row.items()}
        else:
            yield from _inside(member, options, "data", "record", "every score")


def _check(score: dict[str, Any], place: str) -> None:
    if not isinstance(score.get("name"), str) or not score["name"].strip():
        raise odd("every score", "one with a name", score.get("name"), place)


def _scored_trace(score: dict[str, Any], place: str, options: ExportOptions) -> str:
    if options.item:
        item = score.get(options.item)
    else:
        item = score.get("traceId") or score.get("sessionId") or score.get("datasetRunId")
        if item and score.get("observationId"):
            item = f"{item}/{score['observationId']}"
    if isinstance(item, (str, int)) and str(item).strip():
        return str(item)
    hint = Words("name the field with ", Option("item"))
    raise odd("every score", f"one with {options.item or 'traceId'}", item, place, hint)


def _label(score: dict[str, Any], place: str) -> object:
    kind, value, text = score.get("dataType") or "", score.get("value"), score.get("stringValue")
    if kind and kind not in _TYPES:
        raise InputError.unknown_word(f"{place}: dataType", kind, _TYPES)
    if kind == "CATEGORICAL":
        return text if text is not None else value
    if value is None:
        return text
    number = as_number(value)
    if number is None:
        if kind == "NUMERIC":
            raise odd("a numeric score", "a number", value, place)
        return str(value)
    return bool(number) if kind == "BOOLEAN" else number


# ---- LangSmith

_FEEDBACK_FIELDS = frozenset(("run_id", "key", "score"))
_SOURCE = ("feedback_source", "feedback_source.type", "feedback_source_type")
_FEEDBACK_PEOPLE = ("app", "human", "user")


@_tool("langsmith", "LangSmith feedback (JSON, JSON lines, CSV)", ".json", ".jsonl", ".csv")
class LangSmith:
    """Runs are items, sources of feedback raters, keys variables."""

    def recognise(self, sample: Sample) -> str | None:
        """Look for a run, a key, a score and the source of feedback."""
        records = first_records(sample, (".json", ".jsonl", ".csv"))
        is_feedback = records and all(map(_fits, records))
        return "every record has run_id, key, score and its source" if is_feedback else None

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Read every score, or the value where a category was chosen."""
        found = _judged(options, "run_id", "source")
        for place, record in records_of(source, options):
            item, key = record.get(options.item or "run_id"), record.get("key")
            if not item or not isinstance(key, str):
                raise odd("every record", "one with run_id and key", item or key, place)
            origin, rater = _origin(record)
            value = record.get("value")
            label = value if isinstance(value, (str, bool)) and value != "" else record["score"]
            trouble = record.get("error") or object_in(record.get("extra")).get("error")
            found.add(
                item,
                rater,
                label if isinstance(label, (str, int, float)) else None,
                variable=key,
                time=record.get("created_at"),
                place=place,
                reason=reason_of(trouble),
                kind="person" if origin in _FEEDBACK_PEOPLE else "model",
            )
        found.keep_runs()
        return found


def _fits(record: dict[str, Any]) -> bool:
    return record.keys() >= _FEEDBACK_FIELDS and any(name in record for name in _SOURCE)


def _origin(record: dict[str, Any]) -> tuple[str, str]:
    """Return the kind of source, and its name: a user, an evaluator, or the kind itself."""
    source = record.get("feedback_source")
    source = source if isinstance(source, dict) else {"type": source}
    kind = source.get("type") or record.get(_SOURCE[1]) or record.get(_SOURCE[2]) or "api"
    about = object_in(source.get("metadata"))
    names = (
        source.get("user_name"),
        source.get("user_id"),
        record.get("feedback_source.user_id"),
        about.get("evaluator"),
        about.get("model"),
    )
    return str(kind).lower(), str(next((name for name in names if name), kind))


# ---- MLflow

_ASSESSMENT_PEOPLE = ("HUMAN", "SOURCE_TYPE_HUMAN")
_OVERRULED = "replaced by another one"


@_tool("mlflow", "MLflow traces (JSON, JSON lines)", ".json", ".jsonl")
class MlflowTraces:
    """Sources of assessments are raters; each name is a variable; expectations are gold."""

    def recognise(self, sample: Sample) -> str | None:
        """Look for traces whose assessments name their source."""
        records = first_records(sample, (".json", ".jsonl"), "traces")
        given = [entry for record in records for entry in _assessments(record)]
        is_trace = given and all(isinstance(one, dict) and "source" in one for one in given)
        return "traces with assessments and their sources" if is_trace else None

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Read every assessment that was not overruled by another."""
        found = _judged(options, "trace_id", "source")
        for member in source.members:
            for place, trace in _inside(member, options, "traces", "trace", "every trace"):
                item = _assessed_trace(trace, options, place)
                for one in _assessments(trace):
                    entry = checked_object(one, "every assessment", place)
                    _add_assessment(found, item, entry, place)
        found.keep_runs()
        warn_of_mails(found)
        return found


def _info(trace: dict[str, Any]) -> dict[str, Any]:
    info = trace.get("info")
    return info if isinstance(info, dict) else trace


def _assessments(trace: dict[str, Any]) -> list[Any]:
    given = _info(trace).get("assessments", trace.get("assessments"))
    return given if isinstance(given, list) else []


def _assessed_trace(trace: dict[str, Any], options: ExportOptions, place: str) -> object:
    info = _info(trace)
    names = (options.item,) if options.item else ("trace_id", "request_id", "client_request_id")
    item = next((info[name] for name in names if name and info.get(name)), None)
    if isinstance(item, (str, int)):
        return item
    raise odd("every trace", f"one with {names[0]}", item, place)


def _add_assessment(found: Annotations, item: object, entry: dict[str, Any], place: str) -> None:
    source = object_in(entry.get("source"))
    kind = str(source.get("source_type") or source.get("sourceType") or "").upper()
    rater = source.get("source_id") or source.get("sourceId") or kind.lower() or "unknown"
    name = str(entry.get("assessment_name") or entry.get("name") or "label")
    feedback, expected = entry.get("feedback"), entry.get("expectation")
    reason = reason_of(entry.get("error") or object_in(feedback).get("error"))
    if entry.get("valid") is False and not reason:
        reason = _OVERRULED
    span = entry.get("span_id")
    told = expected if isinstance(expected, dict) else feedback
    value = told.get("value") if isinstance(told, dict) else told
    by_people = "person" if kind in _ASSESSMENT_PEOPLE else "model"
    found.add(
        f"{item}/{span}" if span else item,
        rater,
        value,
        variable=name,
        reason=reason,
        time=entry.get("create_time") or entry.get("create_time_ms"),
        place=place,
        kind="gold" if isinstance(expected, dict) else by_people,
    )
