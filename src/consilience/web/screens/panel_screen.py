"""Panel: who is a system, a margin before any number, then a verdict for each."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from consilience.core.cell_values import as_number
from consilience.web import pages
from consilience.web.bench import bench_of, go
from consilience.web.screens.views import (
    attachment,
    bench_state,
    one_of_several,
    question_in,
    understood,
)

PAGE = "panel.html"


async def show(request: Request) -> Response:
    """Ask who is a system and for the margin, or show the verdicts."""
    bench, state = bench_of(request), bench_of(request).state(request)
    read = await understood(bench, request, state)
    q, question = question_in(request, read)
    one_of_several(read, question, request.url.path)
    chosen, margin = state.more.get("systems", ()), state.more.get("margin")
    names = read["questions"][q or 0]["names"]
    usual = {"here": "panel", "names": names, "chosen": chosen, "q": q, "read": read}
    if not chosen or margin is None:
        return bench.show("panel.html", state, found=None, margin=margin, **usual)
    people = [name for name in names if name not in chosen]
    narrowed = bench_state(state, question)
    words = [word for name in chosen for word in ("--system", name)]
    words += [word for name in people for word in ("--people", name)]
    words += ["--margin", f"{margin:g}", "--report", PAGE]
    every = len(names) == read["questions"][q or 0]["raters"]  # else some are not listed
    command = bench.command(narrowed, "panel", first=words, measuring=False) if every else ""
    job = bench.ask(
        state, "compared_work:systems", "Comparing systems with people",
        reading=dict(narrowed.reading), anonymise=state.anonymise, chosen=chosen, margin=margin,
        command=command,
    )  # fmt: skip
    found = await bench.result(request, job, state)
    if "download" in request.query_params:
        return attachment(found["html"].encode(), PAGE, "text/html; charset=utf-8")
    return bench.show(
        "panel.html", state, found=found, margin=margin, shell=command,
        first=pages.ready(found["first"]),
        parts=[(one["id"], one["title"], pages.ready(one["html"])) for one in found["tabs"]],
        **usual,
    )  # fmt: skip


async def choose(request: Request) -> Response:
    """Take who is a system, and the margin."""
    bench, state = bench_of(request), bench_of(request).state(request)
    form = await request.form(max_fields=200)
    read = await understood(bench, request, state)
    q, _ = question_in(request, read)
    names = read["questions"][q or 0]["names"]
    ticked = {str(one) for one in form.getlist("system")}
    systems = tuple(name for k, name in enumerate(names) if str(k) in ticked)
    margin = as_number(form.get("margin", "")) or 0.0
    if not systems or len(systems) == len(names) or not 0 < margin < 1:
        return bench.message(
            "Two things are needed",
            "Tick who is a system, with at least one person left, and type the largest loss of "
            "agreement that does not matter, such as 0.05.",
            state=state, elsewhere=f"/r/{state.id}/panel", elsewhere_words="Back to the panel",
        )  # fmt: skip
    made = bench.store.changed(state, more={**state.more, "systems": systems, "margin": margin})
    return go(f"/r/{made.id}/panel{'' if q is None else f'?q={q}'}")


ROUTES = (
    Route("/r/{state}/panel", show, methods=["GET"]),
    Route("/r/{state}/panel", choose, methods=["POST"]),
)
