"""Export: the page, figures, sentence, tables, data and the command line, to be taken away."""

from __future__ import annotations

from pathlib import PurePosixPath

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from consilience.web.bench import bench_of
from consilience.web.screens.items_screen import labels_in
from consilience.web.screens.views import (
    asked_command,
    attachment,
    bench_state,
    question_in,
    report_of,
    understood,
)

FILES = (
    ("page.html", "Page", "One HTML file that loads nothing, as the command below writes it.",
     "html", "text/html; charset=utf-8"),
    ("numbers.json", "JSON", "Every number, unrounded, with stable keys.",
     "json", "application/json"),
    ("numbers.csv", "CSV", "One line per coefficient.", "csv", "text/csv; charset=utf-8"),
    ("table.tex", "LaTeX", "The table in the manner of booktabs.",
     "latex", "text/x-tex; charset=utf-8"),
    ("table.md", "Markdown", "The table for a repository or a wiki.",
     "markdown", "text/markdown; charset=utf-8"),
    ("sentence.txt", "Sentence", "For the paper, in the manner of APA.",
     "apa", "text/plain; charset=utf-8"),
)  # fmt: skip
_KINDS = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}


async def show(request: Request) -> Response:
    """Show what there is to take away."""
    bench, state = bench_of(request), bench_of(request).state(request)
    read = await understood(bench, request, state)
    q, question = question_in(request, read)
    found = await bench.result(request, report_of(bench, state, question), state)
    more = [("items.csv", "Items", "Every item with everyone's label.")]
    shown = [(name, words, about) for name, words, about, _, _ in FILES]
    return bench.show(
        "export.html", state, here="export", found=found, sentence=read["sentence"], q=q,
        files=[*shown, *more], figures=found["figures"],
        shell=asked_command(bench, state, question),
    )  # fmt: skip


async def download(request: Request) -> Response:
    """Send one of the files."""
    bench, state = bench_of(request), bench_of(request).state(request)
    name = request.path_params["name"]
    read = await understood(bench, request, state)
    _, question = question_in(request, read)
    if name == "items.csv":
        job = bench.ask(
            state, "item_filters:items", "Listing the items",
            reading=dict(bench_state(state, question).reading), anonymise=state.anonymise,
            wanted={}, text=None, page=1, form="csv", labels=labels_in(read, question),
        )  # fmt: skip
        rows = await bench.result(request, job, state, patience=bench.settings.seconds)
        return attachment(rows["csv"], "items.csv", "text/csv; charset=utf-8")
    chosen = next((one for one in FILES if one[0] == name), None)
    if chosen is None:
        raise HTTPException(404)
    job = report_of(bench, state, question)
    found = await bench.result(request, job, state, patience=bench.settings.seconds)
    content = found[chosen[3]]
    # A page is written without a line end, everything that is printed has one.
    content = content if name == "page.html" else content + "\n"
    stem = PurePosixPath(state.file.shown.replace("\\", "/")).stem or "report"
    saved = f"{stem}.html" if name == "page.html" else name
    return attachment(content.encode("utf-8", "replace"), saved, chosen[4])


async def figure(request: Request) -> Response:
    """Send one of the figures."""
    bench, state = bench_of(request), bench_of(request).state(request)
    form = request.path_params["form"]
    if form not in _KINDS:
        raise HTTPException(404)
    read = await understood(bench, request, state)
    _, question = question_in(request, read)
    job = bench.ask(
        state, "figure_work:figure", "Drawing",
        reading=dict(bench_state(state, question).reading), measuring=dict(state.measuring),
        anonymise=state.anonymise, name=request.path_params["name"], form=form,
    )  # fmt: skip
    found = await bench.result(request, job, state, patience=bench.settings.seconds)
    return attachment(found, f"{request.path_params['name']}.{form}", _KINDS[form])


ROUTES = (
    Route("/r/{state}/export", show, methods=["GET"]),
    Route("/r/{state}/export/figure/{name}.{form}", figure, methods=["GET"]),
    Route("/r/{state}/export/{name}", download, methods=["GET"]),
)
