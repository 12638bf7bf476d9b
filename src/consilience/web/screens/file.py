"""Start, and what is this file? The reading, column by column, to be put right by clicking."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from consilience.web.bench import WORK, Workbench, arrived, bench_of, go
from consilience.web.store import DataFile, State, shown_name

# ---- Start: drop a file, try the demo, go back to what is open

_CHUNK = 1 << 20
DEMO_READING = {
    "scale": "ordinal",
    "categories": ("absent", "weak", "moderate", "strong"),
}


async def show_start(request: Request) -> Response:
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
    bench, state = arrived(request)
    job = bench.ask(state, "items:sample", "Drawing a sample")
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
        place.name, f"{WORK}.reading:write_demo", {"path": str(place)}, what="Drawing the demo"
    )
    await job.wait(bench.settings.seconds)
    if not place.exists():
        return bench.message("The demo could not be made", str(job.result), status=500)
    file = bench.store.add_upload(place, "letters.csv", "demo")
    return go(f"/r/{bench.store.start(file, reading=DEMO_READING).id}/answer")


# ---- What is this file? The reading, column by column, to be put right by clicking

ROLES = ("item", "rater", "label", "variable", "cluster", "time", "count", "ignore")
SCALE_WORDS = {
    "nominal": "Labels have no order: every disagreement counts the same.",
    "ordinal": "Labels have an order: a near miss counts less than a far one.",
    "interval": "Labels are numbers with equal steps.",
    "ratio": "Labels are numbers with a true zero.",
}
_CHOICES = (
    ("nominal", "no order"),
    ("ordinal", "an order"),
    ("interval", "numbers"),
    ("ratio", "numbers from zero"),
)
_LAYOUT = ("shape", "item", "rater", "label", "by", "columns", "cluster", "categories")


async def show(request: Request) -> Response:
    """Show what a file was taken for."""
    bench, state = arrived(request)
    found = await bench.result(request, bench.read(state), state)
    return bench.show(
        "file.html", state, here="file", found=found, roles=ROLES, scale_words=SCALE_WORDS,
        parts=shown_roles(state, found),
        scale_choices=_CHOICES, shell=bench.command(state, "measure"),
        changed=bool(state.reading),
    )  # fmt: skip


async def as_json(request: Request) -> Response:
    """Return the same as data."""
    bench, state = arrived(request)
    found = await bench.result(request, bench.read(state), state)
    if state.anonymise and found["table"] is not None:
        found = {**found, "table": {**found["table"], "names": found["table"]["heads"]}}
    return JSONResponse(found)


async def change(request: Request) -> Response:
    """Make another reading of what was clicked."""
    bench, state = arrived(request)
    form = {name: str(value) for name, value in (await request.form(max_fields=200)).items()}
    found = await bench.result(request, bench.read(state), state, patience=bench.settings.seconds)
    anonymise = state.anonymise
    if "anonymise" in form:
        anonymise = form["anonymise"] == "yes"
    reading = changed_reading(state, found, form)
    more = {**state.more, **_time_changed(state, found, form)}
    made = bench.store.changed(state, reading=reading, anonymise=anonymise, more=more)
    return go(f"/r/{made.id}/file")


def shown_roles(state: State, found: Mapping[str, Any]) -> list[str]:
    """Return the part of every column, with the one that says when as somebody chose it."""
    chosen = state.more.get("time")
    if chosen is None or found["table"] is None:
        return list(found["roles"])
    pairs = zip(found["table"]["names"], found["roles"], strict=True)
    return ["time" if name == chosen else "ignore" if role == "time" else role
            for name, role in pairs]  # fmt: skip


def time_column(state: State, found: Mapping[str, Any]) -> str | None:
    """Return the column that says when; None where there is none."""
    if found["table"] is None:
        return None
    pairs = zip(found["table"]["names"], shown_roles(state, found), strict=True)
    return next((name for name, role in pairs if role == "time"), None)


def _time_changed(
    state: State, found: Mapping[str, Any], form: Mapping[str, str]
) -> dict[str, str]:
    """Return which column says when, where the parts of columns were set: "" for none."""
    if found["table"] is None or not any(name.startswith("role-") for name in form):
        return {}
    roles = [form.get(f"role-{j}", role) for j, role in enumerate(shown_roles(state, found))]
    pairs = zip(found["table"]["names"], roles, strict=True)
    return {"time": next((name for name, role in pairs if role == "time"), "")}


def changed_reading(
    state: State, found: Mapping[str, Any], form: Mapping[str, str]
) -> dict[str, Any]:
    """Return the options of reading after a click."""
    reading = dict(state.reading)
    if any(name.startswith("role-") for name in form):
        return _roles_changed(reading, found, form)
    clicked = next((change for name, change in _CLICKS.items() if form.get(name)), None)
    return reading if clicked is None else clicked(reading, found, form)


def _card(
    reading: dict[str, Any], found: Mapping[str, Any], form: Mapping[str, str]
) -> dict[str, Any]:
    chosen = found["cards"][_place(form["card"], found["cards"])]
    kept = {name: value for name, value in reading.items() if name not in _LAYOUT}
    return kept | dict(chosen["options"])


def _fix(
    reading: dict[str, Any], found: Mapping[str, Any], form: Mapping[str, str]
) -> dict[str, Any]:
    return reading | dict(found["fixes"][_place(form["fix"], found["fixes"])][1])


def _mark(
    reading: dict[str, Any], found: Mapping[str, Any], form: Mapping[str, str]
) -> dict[str, Any]:
    marks = (*reading.get("missing_values", ()), form["mark"].strip())
    return reading | {"missing_values": tuple(dict.fromkeys(one for one in marks if one))}


def _place(word: str, inside: Sequence[Any]) -> int:
    return min(int(word), len(inside) - 1) if word.isdigit() else 0


# ---- parts of columns


def _roles_changed(
    reading: dict[str, Any], found: Mapping[str, Any], form: Mapping[str, str]
) -> dict[str, Any]:
    """Turn parts of columns into the options that say the same."""
    table = found.get("table")
    if table is None:
        return reading
    columns: dict[str, list[str]] = {role: [] for role in ROLES}
    for j, (name, before) in enumerate(zip(table["names"], found["roles"], strict=True)):
        role = form.get(f"role-{j}", before)
        columns[role if role in ROLES else "ignore"].append(name)
    kept = {name: value for name, value in reading.items() if name not in _LAYOUT}
    return kept | options_of_roles(columns)


def options_of_roles(columns: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return the options that choose a layout by the parts of its columns.

    >>> options_of_roles({"item": ["unit"], "rater": ["coder"], "label": ["code"]})
    {'shape': 'long', 'item': ('unit',), 'rater': ('coder',), 'label': ('code',)}
    >>> options_of_roles({"item": ["unit"], "rater": ["Ann", "Bob"], "ignore": ["note"]})
    {'shape': 'wide', 'item': ('unit',), 'rater': ('Ann', 'Bob')}
    """
    item, rater, label, count = (
        tuple(columns.get(role, ())) for role in ("item", "rater", "label", "count")
    )
    options: dict[str, Any]
    if label:
        options = {"shape": "long", "item": item, "rater": rater, "label": label}
    elif count:
        options = {"shape": "counts", "item": item, "categories": count}
    elif len(rater) <= 1 and len(item) > 1:
        options = {"shape": "transposed", "rater": rater, "item": item}
    else:
        options = {"shape": "wide", "item": item, "rater": rater}
    for role, option in (("variable", "by"), ("cluster", "cluster")):
        if columns.get(role):
            options[option] = columns[role][0]
    return {name: value for name, value in options.items() if value}


# ---- labels


def _labels_changed(
    reading: dict[str, Any], found: Mapping[str, Any], form: Mapping[str, str]
) -> dict[str, Any]:
    questions = found["questions"]
    question = questions[_place(form["question"], questions)]
    if "scale" in form and form["scale"] in SCALE_WORDS:
        return reading | _scale(reading, question, form["scale"], alone=len(questions) == 1)
    labels = list(question["labels"])
    if "missing" in form:
        gone = labels[_place(form["missing"], labels)]
        kept = [one for one in reading.get("categories", ()) if one != gone]
        order = {"categories": tuple(kept)} if kept else {}
        return reading | order | {"missing_values": (*reading.get("missing_values", ()), gone)}
    for word, step in (("up", -1), ("down", 1)):
        if word in form:
            k = _place(form[word], labels)
            other = min(max(k + step, 0), len(labels) - 1)
            labels[k], labels[other] = labels[other], labels[k]
    if "order" in form:
        places = [int(one) for one in form["order"].split(",") if one.isdigit()]
        if sorted(places) == list(range(len(labels))):
            labels = [labels[k] for k in places]
    return reading | {"categories": tuple(labels)}


def _scale(
    reading: Mapping[str, Any], question: Mapping[str, Any], scale: str, *, alone: bool
) -> dict[str, Any]:
    """Return the scale of all ratings, or of one question among several."""
    ordered: dict[str, Any] = {}
    if scale == "ordinal" and not question["numbers"] and "categories" not in reading:
        ordered = {"categories": tuple(question["labels"])}
    if alone:
        return {"scale": scale, **ordered}
    before = reading.get("scale") or {}
    known = dict(before) if isinstance(before, Mapping) else {"*": before}
    return {"scale": known | {str(question["name"]): scale}, **ordered}


_CLICKS: dict[str, Callable[..., dict[str, Any]]] = {
    "reset": lambda reading, found, form: {},
    "card": _card,
    "fix": _fix,
    "mark": _mark,
    "question": _labels_changed,
}


ROUTES = (
    Route("/", show_start, methods=["GET"]),
    Route("/open", open_upload, methods=["POST"]),
    Route("/demo", open_demo, methods=["POST"]),
    Route("/r/{state}/sample", open_sample, methods=["POST"]),
    Route("/r/{state}/file", show, methods=["GET"]),
    Route("/r/{state}/file", change, methods=["POST"]),
    Route("/r/{state}/file.json", as_json, methods=["GET"]),
)
