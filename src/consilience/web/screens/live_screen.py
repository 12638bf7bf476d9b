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
from consilience.web.jobs import Job
from consilience.web.screens.file_screen import time_column
from consilience.web.screens.views import bench_state, one_of_several, question_in, understood
from consilience.web.snapshots import is_known, stamp_of
from consilience.web.store import DataFile, State

_MOST_LOOKS = 12  # that are shown; all that were taken count


def _at(file: DataFile) -> str:
    return datetime.fromtimestamp(file.opened).strftime("%H:%M")


async def _newer(bench: Workbench, state: State) -> DataFile | None:
    """Return the file as it is now, if it is another one than what is shown."""
    origin = state.file.origin
    if not origin:
        return None
    now = await run_in_threadpool(stamp_of, Path(origin))
    if now == state.file.stamp or not is_known(now):
        return None
    try:
        return await run_in_threadpool(bench.store.pending, origin, now)
    except OSError:
        return None  # it is being written just now: the next look will find it


async def news(request: Request) -> Response:
    """Say how many ratings are new; nothing else changes."""
    bench, state = bench_of(request), bench_of(request).state(request)
    newer = await _newer(bench, state) if bench.settings.watch else None
    if newer is None:
        return JSONResponse({"text": ""})
    other = State(id=state.id, file=newer, reading=state.reading, anonymise=state.anonymise)
    jobs = [bench.read(state), bench.read(other)]
    for job in jobs:
        if not await job.wait(bench.settings.patience):
            return JSONResponse({"text": ""})
    before, after = (_ratings(job.result) for job in jobs)
    if before is None or after is None or before == after:
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
    looks = (*state.more.get("looks", ()), state.file)
    bench.store.keep(newer)
    more = {
        "looks": looks[-_MOST_LOOKS + 1 :], "looked": state.more.get("looked", 0) + 1
    }  # fmt: skip
    made = bench.store.changed(state, file=newer, more={**state.more, **more})
    return go(f"/r/{made.id}/live")


async def show(request: Request) -> Response:
    """Show agreement at every look as a band."""
    bench, state = bench_of(request), bench_of(request).state(request)
    read = await understood(bench, request, state)
    q, question = question_in(request, read)
    one_of_several(read, question, request.url.path)
    looks = [await bench.result(request, job, state) for job in _looks(bench, state, question)]
    column = None if bench.is_large(state) else time_column(state, read)
    over_time = None
    if column is not None:
        reading = dict(bench_state(state, question).reading)
        job = bench.ask(
            state, "time_columns:over_time", "Measuring", reading=reading, column=column
        )
        over_time = await bench.result(request, job, state)
    return bench.show(
        "live.html", state, here="live", looks=looks, sentence=read["sentence"], q=q, read=read,
        band=pages.ready(band_svg(looks)), watching=bench.settings.watch,
        n_looks=state.more.get("looked", 0) + 1, column=column, over_time=over_time,
        time_band=pages.ready(band_svg(over_time["parts"])) if over_time else "",
    )  # fmt: skip


def _looks(bench: Workbench, state: State, question: str | None) -> list[Job]:
    """Ask for every look that is still there; each is measured once."""
    earlier = state.more.get("looks", ())
    files = [*earlier, state.file]
    first = state.more.get("looked", 0) - len(earlier) + 1
    reading = dict(bench_state(state, question).reading)
    jobs = []
    for number, file in enumerate(files, start=first):
        if file is not state.file and not Path(file.path).exists():
            continue  # many files were opened since, and the oldest let go
        other = State(id=state.id, file=file, reading=state.reading, anonymise=state.anonymise)
        jobs.append(
            bench.ask(
                other, "live_work:look", "Measuring", number=number, reading=reading,
                anonymise=state.anonymise,
            )
        )  # fmt: skip
    return jobs


ROUTES = (
    Route("/r/{state}/live", show, methods=["GET"]),
    Route("/r/{state}/live", renew, methods=["POST"]),
    Route("/r/{state}/news", news, methods=["GET"]),
)
