"""Live: a file that grows. The number moves only when somebody asks for it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from consilience.core.words import counted
from consilience.web import pages
from consilience.web.band_svg import band_svg
from consilience.web.bench import Workbench, bench_of, go
from consilience.web.screens.views import understood
from consilience.web.store import DataFile, State, stamp_of

_MOST_LOOKS = 12


def _at(file: DataFile) -> str:
    return datetime.fromtimestamp(file.opened).strftime("%H:%M")


async def _newer(bench: Workbench, state: State) -> DataFile | None:
    """Return the file as it is now, if it is another one than what is shown."""
    origin = state.file.origin
    if not (bench.settings.watch and origin):
        return None
    now = stamp_of(Path(origin))
    if now in (state.file.stamp, (0, 0)):
        return None
    return await run_in_threadpool(bench.store.pending, origin, now)


async def news(request: Request) -> Response:
    """Say how many ratings are new; nothing else changes."""
    bench, state = bench_of(request), bench_of(request).state(request)
    newer = await _newer(bench, state)
    if newer is None:
        return JSONResponse({"text": ""})
    other = State(id=state.id, file=newer, reading=state.reading, anonymise=state.anonymise)
    jobs = [bench.read(state), bench.read(other)]
    for job in jobs:
        if not await job.wait(bench.settings.patience):
            return JSONResponse({"text": ""})
    before, after = (_ratings(job.result) for job in jobs)
    if before is None or after is None:
        text = f"The file changed at {_at(newer)}"
    else:
        more = after - before
        what = "new rating" if more >= 0 else "rating less"
        text = f"{counted(abs(more), what, what + 's' if more >= 0 else 'ratings less')} "
        text += f"at {_at(newer)}"
    return JSONResponse({"text": text})


def _ratings(found: Any) -> int | None:
    if not isinstance(found, dict) or found["status"] != "clear":
        return None
    return int(sum(question["ratings"] for question in found["questions"]))


async def renew(request: Request) -> Response:
    """Show the file as it is now."""
    bench, state = bench_of(request), bench_of(request).state(request)
    newer = await _newer(bench, state)
    if newer is None:
        return go(f"/r/{state.id}/answer")
    looks = (*state.more.get("looks", ()), state.file)[-_MOST_LOOKS:]
    bench.store.keep(newer)
    made = bench.store.changed(state, file=newer, more={**state.more, "looks": looks})
    return go(f"/r/{made.id}/live")


async def show(request: Request) -> Response:
    """Show agreement at every look as a band."""
    bench, state = bench_of(request), bench_of(request).state(request)
    read = await understood(bench, request, state)
    earlier = [
        {"path": one.path, "shown": one.shown, "at": _at(one)}
        for one in state.more.get("looks", ())
    ]
    job = bench.ask(
        state, "live_work:looks", "Looking at every state of the file",
        earlier=earlier, reading=dict(state.reading), anonymise=state.anonymise,
    )  # fmt: skip
    found = await bench.result(request, job, state)
    return bench.show(
        "live.html", state, here="live", found=found, sentence=read["sentence"],
        band=pages.ready(band_svg(found["looks"])), watching=bench.settings.watch,
    )  # fmt: skip


ROUTES = (
    Route("/r/{state}/live", show, methods=["GET"]),
    Route("/r/{state}/live", renew, methods=["POST"]),
    Route("/r/{state}/news", news, methods=["GET"]),
)
