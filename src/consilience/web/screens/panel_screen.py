"""Panel: who is a system, a margin before any number, then a verdict for each."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from consilience.core.cell_values import as_number
from consilience.web.bench import go
from consilience.web.screens.views import on_screen, page_file, visit

PAGE = "panel.html"


async def show(request: Request) -> Response:
    """Ask who is a system and for the margin, or show the verdicts."""
    asked = await visit(request, single=True)
    state, one = asked.state, asked.read["questions"][asked.q or 0]
    chosen, margin = state.more.get("systems", ()), state.more.get("margin")
    usual = {"names": one["names"], "chosen": chosen, "margin": margin}
    if not chosen or margin is None:
        return asked.show("panel", found=None, **usual)
    people = [name for name in one["names"] if name not in chosen]
    words = [word for name in chosen for word in ("--system", name)]
    words += [word for name in people for word in ("--people", name)]
    words += ["--margin", f"{margin:g}", "--report", PAGE]
    every = len(one["names"]) == one["raters"]  # else some are not listed
    command = asked.command("panel", first=words, measuring=False) if every else ""
    job = asked.ask(
        "compared_work:systems", "Comparing systems with people", chosen=chosen, margin=margin,
        command=command,
    )  # fmt: skip
    found = await asked.result(job)
    if "download" in request.query_params:
        return page_file(found, PAGE)
    return asked.show("panel", found=found, shell=command, **usual, **on_screen(found))


async def choose(request: Request) -> Response:
    """Take who is a system, and the margin."""
    asked = await visit(request)
    bench, state = asked.bench, asked.state
    form = await request.form(max_fields=200)
    names = asked.read["questions"][asked.q or 0]["names"]
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
    return go(f"/r/{made.id}/panel{asked.suffix}")


ROUTES = (
    Route("/r/{state}/panel", show, methods=["GET"]),
    Route("/r/{state}/panel", choose, methods=["POST"]),
)
