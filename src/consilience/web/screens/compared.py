"""Two rounds, and systems against people: the difference or the verdicts first."""

from __future__ import annotations

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from consilience.core.cell_values import as_number
from consilience.web.bench import arrived, go, on_screen, page_file, visit
from consilience.web.screens.file import kept_upload

# ---- Two rounds: a second file, the difference first, then what changed

ROUNDS_PAGE = "rounds.html"


async def show_rounds(request: Request) -> Response:
    """Ask for the second round, or show the comparison."""
    asked = await visit(request, single=True)
    bench, state = asked.bench, asked.state
    second = state.more.get("second")
    if second is None:
        others = [one for one in bench.store.recent if one.file.id != state.file.id]
        return asked.show("rounds", found=None, others=others)
    command = ""
    if not state.reading.get("by"):  # which means batches to the command
        words = ("--report", ROUNDS_PAGE)
        command = asked.command("compare", also=(second.shown,), first=words)
    job = asked.ask(
        "compared:rounds", "Comparing two rounds",
        second={"path": second.path, "shown": second.shown}, measuring=dict(state.measuring),
        command=command,
    )  # fmt: skip
    found = await asked.result(job)
    if "download" in request.query_params:
        return page_file(found, ROUNDS_PAGE)
    return asked.show(
        "rounds", found=found, others=(), shell=command, second=second, **on_screen(found)
    )


async def choose_rounds(request: Request) -> Response:
    """Take a file of this run, or one that is sent, for the second round."""
    bench, state = arrived(request)
    form = await request.form(max_files=1, max_fields=4)
    sent = form.get("file")
    if isinstance(sent, UploadFile) and (sent.filename or sent.size):
        second = await kept_upload(bench, sent)
        await form.close()
    else:
        other = bench.store.state(str(form.get("open", "")))
        if other is None:
            return bench.message("No file was chosen", "Choose the second round.", status=400)
        second = other.file
    made = bench.store.changed(state, more={**state.more, "second": second})
    q = request.query_params.get("q", "")
    return go(f"/r/{made.id}/rounds{f'?q={q}' if q.isdigit() else ''}")


# ---- Panel: who is a system, a margin before any number, then a verdict for each

PANEL_PAGE = "panel.html"


async def show_panel(request: Request) -> Response:
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
    words += ["--margin", f"{margin:g}", "--report", PANEL_PAGE]
    every = len(one["names"]) == one["raters"]  # else some are not listed
    command = asked.command("panel", first=words, measuring=False) if every else ""
    job = asked.ask(
        "compared:systems", "Comparing systems with people", chosen=chosen, margin=margin,
        command=command,
    )  # fmt: skip
    found = await asked.result(job)
    if "download" in request.query_params:
        return page_file(found, PANEL_PAGE)
    return asked.show("panel", found=found, shell=command, **usual, **on_screen(found))


async def choose_panel(request: Request) -> Response:
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
    Route("/r/{state}/rounds", show_rounds, methods=["GET"]),
    Route("/r/{state}/rounds", choose_rounds, methods=["POST"]),
    Route("/r/{state}/panel", show_panel, methods=["GET"]),
    Route("/r/{state}/panel", choose_panel, methods=["POST"]),
)
