"""Units: lanes with links, a film from the user's own disk, a slider for the threshold."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from consilience.web import pages
from consilience.web.bench import Workbench, bench_of
from consilience.web.jobs import Job
from consilience.web.lanes_svg import lanes_svg
from consilience.web.screens.views import number_in, on_screen, page_file
from consilience.web.store import State

_USUAL = 60
PAGE = "units.html"


def _ask(bench: Workbench, request: Request, state: State) -> tuple[Job, int | None, str]:
    threshold = number_in(request, "threshold")
    if threshold is not None:
        threshold = min(max(threshold, 1), 100)
    more = () if threshold is None else ("--threshold", str(threshold))
    command = bench.command(state, "units", first=(*more, "--report", PAGE), measuring=False)
    job = bench.ask(
        state, "units_work:units", "Comparing units", command=command, threshold=threshold,
        session=number_in(request, "session") or 0,
    )  # fmt: skip
    return job, threshold, command


async def show(request: Request) -> Response:
    """Show the units of a session at a threshold."""
    bench, state = bench_of(request), bench_of(request).state(request)
    job, threshold, command = _ask(bench, request, state)
    found = await bench.result(request, job, state)
    if "download" in request.query_params:
        return page_file(found, PAGE)
    return bench.show(
        "units.html", state, here="units", found=found, shell=command,
        threshold=threshold or _USUAL, lanes=pages.ready(lanes_svg(found["lanes"])),
        sheet=bench.style_sheet(found["rules"]), **on_screen(found),
    )  # fmt: skip


async def as_json(request: Request) -> Response:
    """Return the value and the lanes as data."""
    bench, state = bench_of(request), bench_of(request).state(request)
    job, threshold, _ = _ask(bench, request, state)
    found = await bench.result(request, job, state)
    kept = {name: found[name] for name in ("method", "value", "sessions", "session", "lanes")}
    return JSONResponse({**kept, "threshold": threshold})


ROUTES = (
    Route("/r/{state}/units", show, methods=["GET"]),
    Route("/r/{state}/units.json", as_json, methods=["GET"]),
)
