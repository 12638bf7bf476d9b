"""Two rounds: a second file, the difference first, then what changed."""

from __future__ import annotations

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from consilience.web import pages
from consilience.web.bench import bench_of, go
from consilience.web.screens.start_screen import kept_upload
from consilience.web.screens.views import (
    attachment,
    bench_state,
    one_of_several,
    question_in,
    understood,
)

PAGE = "rounds.html"


async def show(request: Request) -> Response:
    """Ask for the second round, or show the comparison."""
    bench, state = bench_of(request), bench_of(request).state(request)
    read = await understood(bench, request, state)
    q, question = question_in(request, read)
    one_of_several(read, question, request.url.path)
    second = state.more.get("second")
    if second is None:
        others = [one for one in bench.store.recent if one.file.id != state.file.id]
        return bench.show(
            "rounds.html", state, here="rounds", found=None, others=others, q=q, read=read
        )
    narrowed = bench_state(state, question)
    told = {"path": second.path, "shown": second.shown}
    command = ""
    if not state.reading.get("by"):  # which means batches to the command
        words = ("--report", PAGE)
        command = bench.command(narrowed, "compare", also=(second.shown,), first=words)
    job = bench.ask(
        state, "compared_work:rounds", "Comparing two rounds", second=told,
        reading=dict(narrowed.reading), measuring=dict(state.measuring),
        anonymise=state.anonymise, command=command,
    )  # fmt: skip
    found = await bench.result(request, job, state)
    if "download" in request.query_params:
        return attachment(found["html"].encode(), PAGE, "text/html; charset=utf-8")
    return bench.show(
        "rounds.html", state, here="rounds", found=found, others=(), q=q, shell=command,
        first=pages.ready(found["first"]), second=second, read=read,
        parts=[(one["id"], one["title"], pages.ready(one["html"])) for one in found["tabs"]],
    )  # fmt: skip


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
