"""Drill down: the items behind a number, with everyone's label; the filter is in the address."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from consilience.web.bench import Workbench, bench_of
from consilience.web.jobs import Job
from consilience.web.screens.views import (
    attachment,
    bench_state,
    number_in,
    one_of_several,
    question_in,
    understood,
)
from consilience.web.store import State

FILTERS = ("cell", "label", "rater", "agreement")


def filters_in(request: Request) -> dict[str, str]:
    """Return the filters of an address; numbers only, never names or texts."""
    asked = request.query_params
    return {name: asked[name][:40] for name in FILTERS if asked.get(name)}


async def show(request: Request) -> Response:
    """Show a page of items."""
    bench, state = bench_of(request), bench_of(request).state(request)
    read = await understood(bench, request, state)
    q, question = question_in(request, read)
    one_of_several(read, question, request.url.path)
    wanted, text = filters_in(request), number_in(request, "text")
    job = _ask(bench, request, state, read, question=question, form="html")
    found = await bench.result(request, job, state)
    kept = {**wanted, **({} if q is None else {"q": str(q)})}
    whole = {**kept, **({} if text is None else {"text": str(text)})}
    return bench.show(
        "items.html", state, here="items", found=found, q=q, kept=kept, text=text,
        query="" if q is None else f"&q={q}", columns=texts_in(read), read=read,
        here_query=urlencode(whole), page_query=urlencode(whole) + "&" if whole else "",
    )  # fmt: skip


async def as_data(request: Request) -> Response:
    """Return the items as JSON or CSV."""
    bench, state = bench_of(request), bench_of(request).state(request)
    read = await understood(bench, request, state)
    _, question = question_in(request, read)
    one_of_several(read, question, request.url.path)
    form = request.url.path.rpartition(".")[2]
    found = await bench.result(
        request, _ask(bench, request, state, read, question=question, form=form), state
    )
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


def _ask(
    bench: Workbench,
    request: Request,
    state: State,
    read: dict[str, Any],
    *,
    question: str | None,
    form: str,
) -> Job:
    names = dict(texts_in(read))
    return bench.ask(
        state,
        "item_filters:items",
        "Looking for the items",
        reading=dict(bench_state(state, question).reading),
        anonymise=state.anonymise,
        wanted=filters_in(request),
        text=_text_column(request, names),
        page=number_in(request, "page") or 1,
        form=form,
        labels=labels_in(read, question),
    )


def labels_in(read: dict[str, Any], question: str | None) -> list[str]:
    """Return all labels of a question in their order; none where there are too many to be told."""
    one = next((q for q in read["questions"] if q["name"] == question), read["questions"][0])
    return list(one["labels"]) if one["n_labels"] <= len(one["labels"]) else []


def _text_column(request: Request, names: dict[int, str]) -> str | None:
    place = number_in(request, "text")
    return None if place is None else names.get(place)
