"""Export: the page, figures, sentence, tables, data and the command line, to be taken away."""

from __future__ import annotations

from pathlib import PurePosixPath

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from consilience.web.screens.items_screen import labels_in
from consilience.web.screens.views import attachment, visit

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
    asked = await visit(request)
    found = await asked.result(asked.report())
    more = [("items.csv", "Items", "Every item with everyone's label.")]
    shown = [(name, words, about) for name, words, about, _, _ in FILES]
    return asked.show(
        "export", found=found, sentence=asked.read["sentence"], files=[*shown, *more],
        figures=found["figures"], shell=asked.command(),
    )  # fmt: skip


async def download(request: Request) -> Response:
    """Send one of the files."""
    asked = await visit(request)
    name = request.path_params["name"]
    if name == "items.csv":
        job = asked.ask(
            "item_filters:items", "Listing the items", wanted={}, text=None, page=1, form="csv",
            labels=labels_in(asked.read, asked.question),
        )  # fmt: skip
        rows = await asked.whole(job)
        return attachment(rows["csv"], "items.csv", "text/csv; charset=utf-8")
    chosen = next((one for one in FILES if one[0] == name), None)
    if chosen is None:
        raise HTTPException(404)
    found = await asked.whole(asked.report())
    content = found[chosen[3]]
    # A page is written without a line end, everything that is printed has one.
    content = content if name == "page.html" else content + "\n"
    stem = PurePosixPath(asked.state.file.shown.replace("\\", "/")).stem or "report"
    saved = f"{stem}.html" if name == "page.html" else name
    return attachment(content.encode("utf-8", "replace"), saved, chosen[4])


async def figure(request: Request) -> Response:
    """Send one of the figures."""
    form, name = request.path_params["form"], request.path_params["name"]
    if form not in _KINDS:
        raise HTTPException(404)
    asked = await visit(request)
    measuring = dict(asked.state.measuring)
    job = asked.ask("answer_work:figure", "Drawing", measuring=measuring, name=name, form=form)
    return attachment(await asked.whole(job), f"{name}.{form}", _KINDS[form])


ROUTES = (
    Route("/r/{state}/export", show, methods=["GET"]),
    Route("/r/{state}/export/figure/{name}.{form}", figure, methods=["GET"]),
    Route("/r/{state}/export/{name}", download, methods=["GET"]),
)
