"""DeepEval: a test run, with the verdict of every metric on every test case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from consilience.io.bytes._source import Source
from consilience.io.platforms._choices import looked_at, odd
from consilience.io.platforms._export_registry import ExportOptions, Sample, export
from consilience.io.platforms.export_entries import Annotations
from consilience.io.platforms.judges.judge_states import ERROR, passed, reason_of

_CASES = ("testCases", "test_cases", "conversationalTestCases", "conversational_test_cases",
          "test_results")  # fmt: skip
_METRICS = ("metricsData", "metrics_data")


@export("deepeval", title="DeepEval test runs (JSON)", suffixes=(".json",), experimental=True)
class DeepEval:
    """The model that evaluates is the rater; each metric is a variable."""

    def recognise(self, sample: Sample) -> str | None:
        """Look for test cases with the data of metrics."""
        for one in looked_at(sample, (".json",), most=1):
            for record in one.records()[:1]:
                cases = _cases_in(record)
                if cases and any(_of(case, _METRICS) is not None for case in cases):
                    return "test cases with the data of metrics"
        return None

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Read pass or fail of every metric, or its score (label "score")."""
        found = Annotations(
            kinds_told=True, roles={"item": options.item or "test case", "rater": "model"}
        )
        cases = list(_cases(source, options))
        names = Counter(str(case.get("name") or "") for _, case in cases)
        runs = len(source.members) > 1
        for place, case in cases:
            name = case.get(options.item) if options.item else case.get("name")
            is_clear = options.item or runs or names[str(name)] == 1
            item = name if name and is_clear else case.get("order", case.get("input"))
            metrics = _of(case, _METRICS) or []
            if not isinstance(metrics, list):
                raise odd("the data of metrics", "a list", metrics, place)
            for metric in metrics:
                if not isinstance(metric, dict):
                    raise odd("the data of a metric", "an object", metric, place)
                trouble = metric.get("error")
                label = metric.get("score") if options.label == ("score",) else _verdict(metric)
                found.add(
                    item, _of(metric, ("evaluationModel", "evaluation_model")) or "judge", label,
                    variable=str(metric.get("name") or "metric"), place=place, kind="model",
                    reason=(reason_of(trouble) or ERROR) if trouble else "",
                )  # fmt: skip
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
        run = member.json(encoding=options.encoding)
        if not isinstance(run, dict):
            raise odd("a test run", "an object", run, member.where)
        for k, case in enumerate(_cases_in(run), 1):
            yield f"{member.where}, test case {k:,}", case


def _verdict(metric: dict[str, Any]) -> object:
    said = passed(metric.get("success"))
    return metric.get("score") if said is None else said
