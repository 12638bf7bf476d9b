"""Live: a file that grows. The number moves only when somebody asks for it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from consilience.core.words import counted
from consilience.web import pages
from consilience.web.bench import Visit, Workbench, arrived, go, on_screen, visit
from consilience.web.jobs import Job
from consilience.web.screens.file import time_column
from consilience.web.store import DataFile, State, is_known, stamp_of

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
    bench, state = arrived(request)
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
    bench, state = arrived(request)
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
    asked = await visit(request, single=True)
    bench, state = asked.bench, asked.state
    measuring = dict(state.measuring)
    looks = [await asked.result(job) for job in _looks(asked)]
    band = await asked.result(bench.ask(state, "live:band", "Drawing", looks=looks))
    column = None if bench.is_large(state) else time_column(state, asked.read)
    over_time: dict[str, Any] = {}
    if column is not None:
        job = asked.ask("live:over_time", "Measuring", measuring=measuring, column=column)
        over_time = await asked.result(job)
        if not over_time["why"]:
            over_time |= on_screen(over_time)
    return asked.show(
        "live", looks=looks, sentence=asked.read["sentence"], band=pages.ready(band),
        watching=bench.settings.watch, n_looks=state.more.get("looked", 0) + 1, column=column,
        over_time=over_time,
    )  # fmt: skip


def _looks(asked: Visit) -> list[Job]:
    """Ask for every look that is still there; each is measured once."""
    state = asked.state
    earlier = state.more.get("looks", ())
    first = state.more.get("looked", 0) - len(earlier) + 1
    jobs = []
    for number, file in enumerate([*earlier, state.file], start=first):
        if file is not state.file and not Path(file.path).exists():
            continue  # many files were opened since, and the oldest let go
        jobs.append(
            replace(asked, state=replace(state, file=file)).ask(
                "live:look", "Measuring", number=number, measuring=dict(state.measuring)
            )
        )
    return jobs


ROUTES = (
    Route("/r/{state}/live", show, methods=["GET"]),
    Route("/r/{state}/live", renew, methods=["POST"]),
    Route("/r/{state}/news", news, methods=["GET"]),
)
