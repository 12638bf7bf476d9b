"""Start: drop a file, try the demo, go back to what is open."""

from __future__ import annotations

import shutil

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from consilience.web.bench import WORK, Workbench, bench_of, go
from consilience.web.store import DataFile, shown_name

_CHUNK = 1 << 20
DEMO_READING = {
    "scale": "ordinal",
    "categories": ("absent", "weak", "moderate", "strong"),
}


async def show(request: Request) -> Response:
    """Show the start."""
    bench = bench_of(request)
    most = bench.settings.largest_upload >> 20
    return bench.show("start.html", most=most, recent=bench.store.recent[:12])


async def open_upload(request: Request) -> Response:
    """Keep a file that was sent, under a name of our own, and show what it is."""
    bench = bench_of(request)
    try:
        form = await request.form(max_files=1, max_fields=4)
    except HTTPException as error:
        return bench.message("The file did not arrive whole", str(error.detail), status=400)
    sent = form.get("file")
    if not isinstance(sent, UploadFile) or not (sent.filename or sent.size):
        return bench.message(
            "No file was chosen", "Choose a file first, then press Open.", status=400
        )
    file = await kept_upload(bench, sent)
    await form.close()
    return go(f"/r/{bench.store.start(file).id}/file")


async def kept_upload(bench: Workbench, sent: UploadFile) -> DataFile:
    """Keep what was sent under a name of our own."""
    place = bench.store.new_place(sent.filename or "")
    with place.open("xb") as stream:
        while chunk := await sent.read(_CHUNK):
            await run_in_threadpool(stream.write, chunk)
    return await run_in_threadpool(bench.store.add_upload, place, sent.filename or "file")


async def open_sample(request: Request) -> Response:
    """Open some items of a large file as a file of their own."""
    bench, state = bench_of(request), bench_of(request).state(request)
    job = bench.ask(
        state, "item_filters:sample", "Drawing a sample", reading=dict(state.reading)
    )  # fmt: skip
    found = await bench.result(request, job, state, patience=bench.settings.seconds)
    place = bench.store.new_place(found["path"])
    await run_in_threadpool(shutil.copyfile, found["path"], place)
    file = bench.store.add_upload(place, f"{shown_name(state.file.shown)} (a sample)")
    made = bench.store.start(file, reading=found["options"], anonymise=state.anonymise)
    return go(f"/r/{made.id}/file")


async def open_demo(request: Request) -> Response:
    """Open the made-up study."""
    bench = bench_of(request)
    place = bench.store.new_place("letters.csv")
    job = bench.jobs.ask(
        place.name, f"{WORK}.reading_work:write_demo", {"path": str(place)}, what="Drawing the demo"
    )
    await job.wait(bench.settings.seconds)
    if not place.exists():
        return bench.message("The demo could not be made", str(job.result), status=500)
    file = bench.store.add_upload(place, "letters.csv", "demo")
    return go(f"/r/{bench.store.start(file, reading=DEMO_READING).id}/answer")


ROUTES = (
    Route("/", show, methods=["GET"]),
    Route("/open", open_upload, methods=["POST"]),
    Route("/demo", open_demo, methods=["POST"]),
    Route("/r/{state}/sample", open_sample, methods=["POST"]),
)
