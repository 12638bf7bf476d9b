"""The answer: the first screen of the report, its parts as tabs, the options beside it."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from consilience.coefficients import registry
from consilience.core.interval import INTERVALS
from consilience.web import pages
from consilience.web.bench import Workbench, bench_of, go, here
from consilience.web.dot_plot import dot_plot
from consilience.web.jobs import DONE, Job
from consilience.web.screens.views import (
    asked_command,
    first_of,
    question_in,
    report_of,
    understood,
)
from consilience.web.store import State

DISTANCES = ("nominal", "ordinal", "linear", "quadratic", "interval", "ratio")
_BARS = ((0.0, 0.25), (0.25, 0.5), (0.5, 0.75), (0.75, 0.99), (1.0, 1.0))
_SHADES = 6


async def show(request: Request) -> Response:
    """Show the answer to all ratings, or to one question."""
    bench, state = bench_of(request), bench_of(request).state(request)
    read = await understood(bench, request, state)
    q, question = question_in(request, read)
    if all(one["raters"] < 2 for one in read["questions"]):
        return bench.show("one_rater.html", state, here="answer", read=read)
    found, whole = await _measured(bench, request, state, question)
    wanted = request.query_params.get("tab", "")
    tab = next((one for one in found["tabs"] if one["id"] == wanted), (found["tabs"] or [None])[0])
    query = "" if q is None else f"&q={q}"
    dots = found["dots"] if question is None else ()
    return bench.show(
        "answer.html", state, here="answer", found=found, question=question, q=q, query=query,
        first=pages.ready(_led(found["first"], query)), tab=tab,
        body=pages.ready(_led(tab["html"], query)) if tab else "",
        dots=pages.ready(dot_plot(dots, f"/r/{state.id}/answer?q={{}}")) if dots else "",
        matrix=_shaded(found.get("matrix")), bars=_BARS, sentence=read["sentence"],
        drawing=whole, large=read["large"], back=here(request),
        coefficients=[(name, one.name.replace("_", " ")) for name, one in registry.items()],
        distances=DISTANCES, intervals=INTERVALS, clusters=_clusters(state, read),
        shell=asked_command(bench, state, question),
    )  # fmt: skip


async def _measured(
    bench: Workbench, request: Request, state: State, question: str | None
) -> tuple[dict[str, Any], Job]:
    """Return the first screen, or the whole report where that is there already, and its job.

    A large file is read once: the report waits until its first screen is there.
    """
    first = first_of(bench, state, question)
    whole = None if bench.is_large(state) else report_of(bench, state, question)
    if whole is not None:
        first.together = whole
    found = await bench.result(request, first, state)
    whole = whole or report_of(bench, state, question)
    asked = "tab" in request.query_params
    if asked or (await whole.wait(bench.settings.patience / 4) and whole.state == DONE):
        found = await bench.result(request, whole, state)
    return found, whole


def _led(html: str, query: str) -> str:
    """Let links to findings lead to the tab where they stand."""
    return html.replace('href="#finding', f'href="?tab=findings{query}#finding')


def _clusters(state: Any, read: dict[str, Any]) -> list[str]:
    names = [*read["beside"], state.reading.get("cluster")]
    return [name for name in dict.fromkeys(names) if name]


def _shaded(matrix: dict[str, Any] | None) -> dict[str, Any] | None:
    """Add to each cell how dark it is: its share of the row."""
    if matrix is None:
        return None
    shades = [
        [min(_SHADES, int(n / max(sum(row), 1) * (_SHADES + 0.999))) for n in row]
        for row in matrix["counts"]
    ]
    return {**matrix, "shades": shades}


async def as_data(request: Request) -> Response:
    """Return the numbers as JSON or CSV."""
    bench, state = bench_of(request), bench_of(request).state(request)
    read = await understood(bench, request, state)
    _, question = question_in(request, read)
    found = await bench.result(request, first_of(bench, state, question), state)
    if request.url.path.endswith(".csv"):
        return Response(found["csv"], media_type="text/csv; charset=utf-8")
    return Response(found["json"], media_type="application/json")


async def change(request: Request) -> Response:
    """Compute again with other options."""
    bench, state = bench_of(request), bench_of(request).state(request)
    form = await request.form(max_fields=20)
    read = await understood(bench, request, state)
    measuring: dict[str, Any] = {}
    if (name := str(form.get("coefficient", ""))) in registry:
        measuring["coefficient"] = (registry[name].name,)
    if (word := str(form.get("distance", ""))) in DISTANCES:
        measuring["distance"] = word
    if (word := str(form.get("interval", "auto"))) in INTERVALS and word != "auto":
        measuring["interval"] = word
    level = str(form.get("confidence_level", "0.95"))
    if level in ("0.9", "0.99"):
        measuring["confidence_level"] = float(level)
    reading = {name: value for name, value in state.reading.items() if name != "cluster"}
    known = _clusters(state, read)
    place = str(form.get("cluster", ""))
    if place.isdigit() and int(place) < len(known):
        reading["cluster"] = known[int(place)]
    made = bench.store.changed(state, reading=reading, measuring=measuring)
    q, _ = question_in(request, read)
    return go(f"/r/{made.id}/answer{'' if q is None else f'?q={q}'}")
