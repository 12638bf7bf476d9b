"""Drill down: the items behind a number, with everyone's label; the filter is in the address."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from consilience.web.jobs import Job
from consilience.web.screens.views import Visit, attachment, number_in, visit

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
        "item_filters:items", "Looking for the items", wanted=filters_in(asked.request),
        text=None if place is None else dict(texts_in(asked.read)).get(place),
        page=number_in(asked.request, "page") or 1, form=form,
        labels=labels_in(asked.read, asked.question),
    )  # fmt: skip


def labels_in(read: dict[str, Any], question: str | None) -> list[str]:
    """Return all labels of a question in their order; none where there are too many to be told."""
    one = next((q for q in read["questions"] if q["name"] == question), read["questions"][0])
    return list(one["labels"]) if one["n_labels"] <= len(one["labels"]) else []


ROUTES = (
    Route("/r/{state}/items", show, methods=["GET"]),
    Route("/r/{state}/items.json", as_data, methods=["GET"]),
    Route("/r/{state}/items.csv", as_data, methods=["GET"]),
)
