"""Inspect: evaluation logs, .eval or .json, with the scores of every sample."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from consilience.io.bytes._source import Member, Source
from consilience.io.platforms._choices import odd
from consilience.io.platforms._export_registry import ExportOptions, Sample, export
from consilience.io.platforms.export_entries import Annotations
from consilience.io.platforms.judges.judge_states import ERROR, UNPARSABLE, reason_of

_GRADES = frozenset("CIPN")  # correct, incorrect, partly, no answer
_NO_GRADE = "grade not found"  # what a model that grades writes beside a mere "incorrect"
_VERDICT = "verdict"
_ALIKE = (str, int, float, bool)


@export("inspect", title="Inspect logs (.eval, JSON)", suffixes=(".eval", ".json"),
        experimental=True)  # fmt: skip
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
        found = Annotations(
            kinds_told=True, roles={"item": options.item or "sample id", "rater": "scorer"}
        )
        logs = list(_logs(source, options))
        models = {model for model, _, _ in logs}
        for model, place, sample in logs:
            if not isinstance(sample, dict):
                raise odd("every sample", "an object", sample, place)
            name = sample.get(options.item or "id")
            if not isinstance(name, (str, int)) or isinstance(name, bool):
                raise odd("every sample", f"one with {options.item or 'id'}", name, place)
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
            if not isinstance(log, dict) or not isinstance(log.get("samples"), list):
                raise odd("the log", "one with samples", log, member.where,
                          "logs written with --no-log-samples have none")  # fmt: skip
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
    about = log.get("eval") if isinstance(log, dict) else None
    return str(about.get("model") or "") if isinstance(about, dict) else ""


def _read_sample(found: Annotations, item: object, sample: dict[str, Any], place: str) -> None:
    scores = sample.get("scores") or {}
    if not isinstance(scores, dict):
        raise odd("the scores of a sample", "an object", scores, place)
    for scorer, score in scores.items():
        if not isinstance(score, dict):
            raise odd("a score", "an object", score, place)
        for author, value, kind in _edits(scorer, score):
            reason = _no_verdict(score, value) if author == scorer else ""
            for variable, label in _labels(value, scorer, place):
                found.add(item, author, label, variable=variable, reason=reason,
                          kind=kind, place=place)  # fmt: skip
    if not scores and sample.get("error"):
        found.failed.append((item, reason_of(sample["error"]) or ERROR, place))


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


def _no_verdict(score: dict[str, Any], value: Any) -> str:
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
