"""The items behind a number, and the export: page, figures, tables and data to take away."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from consilience.web.bench import Visit, attachment, number_in, visit
from consilience.web.jobs import Job

# ---- Drill down: the items behind a number, with everyone's label; the filter is in the address

FILTERS = ("cell", "label", "rater", "agreement")


def filters_in(request: Request) -> dict[str, str]:
    """Return the filters of an address; numbers only, never names or texts."""
    asked = request.query_params
    return {name: asked[name][:40] for name in FILTERS if asked.get(name)}


async def show(request: Request) -> Response:
    """Show a page of items."""
    asked = await visit(request, single=True)
    wanted, text = filters_in(request), number_in(request, "text")
    found = await asked.result(_ask(asked, "html"))
    kept = {**wanted, **({} if asked.q is None else {"q": str(asked.q)})}
    whole = {**kept, **({} if text is None else {"text": str(text)})}
    return asked.show(
        "items", found=found, kept=kept, text=text, columns=texts_in(asked.read),
        here_query=urlencode(whole), page_query=urlencode(whole) + "&" if whole else "",
    )  # fmt: skip


async def as_data(request: Request) -> Response:
    """Return the items as JSON or CSV."""
    asked = await visit(request, single=True)
    form = request.url.path.rpartition(".")[2]
    found = await asked.result(_ask(asked, form))
    if form == "csv":
        return attachment(found["csv"], "items.csv", "text/csv; charset=utf-8")
    rows = [dict(zip(found["heads"], row, strict=True)) for row in found["rows"]]
    return JSONResponse({"said": found["said"], "n": found["n"], "of": found["of"], "items": rows})


def texts_in(read: dict[str, Any]) -> list[tuple[int, str]]:
    """Return the columns whose text can be shown beside an item: those that nothing else uses."""
    if read["table"] is None:
        return []
    pairs = zip(read["table"]["names"], read["roles"], strict=True)
    return [
        (j, name) for j, (name, role) in enumerate(pairs) if role in ("ignore", "time") and name
    ]


def _ask(asked: Visit, form: str) -> Job:
    place = number_in(asked.request, "text")
    return asked.ask(
        "items:items", "Looking for the items", wanted=filters_in(asked.request),
        text=None if place is None else dict(texts_in(asked.read)).get(place),
        page=number_in(asked.request, "page") or 1, form=form,
        labels=labels_in(asked.read, asked.question),
    )  # fmt: skip


def labels_in(read: dict[str, Any], question: str | None) -> list[str]:
    """Return all labels of a question in their order; none where there are too many to be told."""
    one = next((q for q in read["questions"] if q["name"] == question), read["questions"][0])
    return list(one["labels"]) if one["n_labels"] <= len(one["labels"]) else []


# ---- Export: the page, figures, sentence, tables, data and the command line, to be taken away

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


async def show_export(request: Request) -> Response:
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
            "items:items", "Listing the items", wanted={}, text=None, page=1, form="csv",
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
    job = asked.ask("answer:figure", "Drawing", measuring=measuring, name=name, form=form)
    return attachment(await asked.whole(job), f"{name}.{form}", _KINDS[form])


ROUTES = (
    Route("/r/{state}/items", show, methods=["GET"]),
    Route("/r/{state}/items.json", as_data, methods=["GET"]),
    Route("/r/{state}/items.csv", as_data, methods=["GET"]),
    Route("/r/{state}/export", show_export, methods=["GET"]),
    Route("/r/{state}/export/figure/{name}.{form}", figure, methods=["GET"]),
    Route("/r/{state}/export/{name}", download, methods=["GET"]),
)
