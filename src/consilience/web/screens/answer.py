"""The answer: the first screen of the report, its parts as tabs, the options beside it."""

from __future__ import annotations

import re
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from consilience.coefficients import registry
from consilience.core.interval import INTERVALS
from consilience.web import pages
from consilience.web.bench import go, here, visit
from consilience.web.jobs import DONE

DISTANCES = ("nominal", "ordinal", "linear", "quadratic", "interval", "ratio")
_BARS = ((0.0, 0.25), (0.25, 0.5), (0.5, 0.75), (0.75, 0.99), (1.0, 1.0))
_SHADES = 6
_PART = re.compile(r'href="#part-(\d+)"')  # the part of a question on a page about several


async def show(request: Request) -> Response:
    """Show the answer to all ratings, or to one question: as much of it as is there."""
    asked = await visit(request)
    state, read = asked.state, asked.read
    if all(one["raters"] < 2 for one in read["questions"]):
        return asked.show("answer", "one_rater.html")
    whole = asked.report()
    found = await asked.result(whole, early=True)
    wanted = request.query_params.get("tab")
    quick = asked.bench.settings.patience / 4
    if wanted is not None or (await whole.wait(quick) and whole.state == DONE):
        found = await asked.result(whole)
    # It may end while this is rendered, so that it is looked at once.
    why_not = str(whole.result) if whole.is_over and whole.state != DONE else ""
    tab = next((one for one in found["tabs"] if one["id"] == wanted), (found["tabs"] or [None])[0])
    return asked.show(
        "answer", found=found, question=asked.question, tab=tab,
        first=pages.ready(_led(found["first"], asked.also)),
        body=pages.ready(_led(tab["html"], asked.also)) if tab else "",
        matrix=_shaded(found.get("matrix")), bars=_BARS, sentence=read["sentence"],
        drawing=whole, why_not=why_not, large=read["large"], back=here(request),
        coefficients=[(name, one.name.replace("_", " ")) for name, one in registry.items()],
        distances=DISTANCES, intervals=INTERVALS, clusters=_clusters(state, read),
        shell=asked.command(),
    )  # fmt: skip


def _led(html: str, query: str) -> str:
    """Let links to findings lead to the tab where they stand, and to questions to their answer."""
    html = html.replace('href="#finding', f'href="?tab=findings{query}#finding')
    return _PART.sub(lambda found: f'href="?q={int(found[1]) - 1}"', html)


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
    asked = await visit(request)
    found = await asked.result(asked.report(), early=True)
    if request.url.path.endswith(".csv"):
        return Response(found["csv"], media_type="text/csv; charset=utf-8")
    return Response(found["json"], media_type="application/json")


async def change(request: Request) -> Response:
    """Compute again with other options."""
    asked = await visit(request)
    state, read = asked.state, asked.read
    form = await request.form(max_fields=20)
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
    made = asked.bench.store.changed(state, reading=reading, measuring=measuring)
    return go(f"/r/{made.id}/answer{asked.suffix}")


ROUTES = (
    Route("/r/{state}/answer", show, methods=["GET"]),
    Route("/r/{state}/answer.json", as_data, methods=["GET"]),
    Route("/r/{state}/answer.csv", as_data, methods=["GET"]),
    Route("/r/{state}/options", change, methods=["POST"]),
)
