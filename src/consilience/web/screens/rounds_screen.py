"""Two rounds: a second file, the difference first, then what changed."""

from __future__ import annotations

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from consilience.web.bench import bench_of, go
from consilience.web.screens.start_screen import kept_upload
from consilience.web.screens.views import on_screen, page_file, visit

PAGE = "rounds.html"


async def show(request: Request) -> Response:
    """Ask for the second round, or show the comparison."""
    asked = await visit(request, single=True)
    bench, state = asked.bench, asked.state
    second = state.more.get("second")
    if second is None:
        others = [one for one in bench.store.recent if one.file.id != state.file.id]
        return asked.show("rounds", found=None, others=others)
    command = ""
    if not state.reading.get("by"):  # which means batches to the command
        words = ("--report", PAGE)
        command = asked.command("compare", also=(second.shown,), first=words)
    job = asked.ask(
        "compared_work:rounds", "Comparing two rounds",
        second={"path": second.path, "shown": second.shown}, measuring=dict(state.measuring),
        command=command,
    )  # fmt: skip
    found = await asked.result(job)
    if "download" in request.query_params:
        return page_file(found, PAGE)
    return asked.show(
        "rounds", found=found, others=(), shell=command, second=second, **on_screen(found)
    )


async def choose(request: Request) -> Response:
    """Take a file of this run, or one that is sent, for the second round."""
    bench, state = bench_of(request), bench_of(request).state(request)
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


ROUTES = (
    Route("/r/{state}/rounds", show, methods=["GET"]),
    Route("/r/{state}/rounds", choose, methods=["POST"]),
)
