"""Units: lanes with links, a film from the user's own disk, a slider for the threshold."""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from consilience.core.words import printable, shortened
from consilience.web import pages
from consilience.web.bench import Workbench, arrived, number_in, on_screen, page_file
from consilience.web.jobs import Job
from consilience.web.store import State

# ---- Units of one session as bars on lanes, linked ones joined; each bar is a place to jump to

_WIDTH, _LANE, _BAR, _LEFT = 1000, 70, 30, 8
_SECONDS = {"ms": 0.001, "s": 1.0, "min": 60.0}


def lanes_svg(lanes: Mapping[str, Any]) -> str:
    """Draw the lanes; bars say by their class whether they are linked and agree."""
    bars = lanes["bars"]
    low = min((bar["start"] for bar in bars), default=0.0)
    high = max((bar["end"] for bar in bars), default=1.0)
    span = max(high - low, 1e-9)
    seconds = _SECONDS.get(lanes["time_unit"], 1.0)

    def place(x: float) -> float:
        return _LEFT + (x - low) / span * (_WIDTH - 2 * _LEFT)

    height = _LANE * len(lanes["raters"]) + 6
    parts = [
        f'<text x="{_LEFT}" y="{_LANE * k + 18}">{_text(rater, 40)}</text>'
        for k, rater in enumerate(lanes["raters"])
    ]
    by_row = {bar["row"]: bar for bar in bars}
    for a, b in lanes["links"]:
        if a in by_row and b in by_row:
            parts.append(_link(by_row[a], by_row[b], place))
    for k, bar in enumerate(bars):
        parts.append(_drawn(bar, place, seconds, k))
    return (
        f'<svg class="lanes" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" font-size="13" '
        f'role="group" aria-label="Units of the session by rater">{"".join(parts)}</svg>'
    )


def _text(text: object, longest: int = 24) -> str:
    return html.escape(printable(shortened(str(text), longest)))


def _middle(bar: Mapping[str, Any]) -> float:
    return float(_LANE * bar["lane"] + 26 + _BAR / 2)


def _link(one: Mapping[str, Any], other: Mapping[str, Any], place: Any) -> str:
    ends = [(place((bar["start"] + bar["end"]) / 2), _middle(bar)) for bar in (one, other)]
    (x1, y1), (x2, y2) = ends
    return f'<line class="link" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _drawn(bar: Mapping[str, Any], place: Any, seconds: float, k: int) -> str:
    x, end = place(bar["start"]), place(bar["end"])
    top = _LANE * bar["lane"] + 26
    width = max(end - x, 2.0)
    words = {"alone": "nobody else marked it", "agreed": "linked, same label",
             "differs": "linked, other label"}[bar["state"]]  # fmt: skip
    told = f"{_text(bar['label'], 60)}, {bar['start']:g} to {bar['end']:g}: {words}"
    shown = _text(bar["label"], max(2, int(width / 8))) if width > 24 else ""
    return (
        f'<a href="#bar-{k}" id="bar-{k}" class="bar {bar["state"]}" '
        f'data-seek="{bar["start"] * seconds:g}" aria-label="{told}"><title>{told}</title>'
        f'<rect x="{x:.1f}" y="{top}" width="{width:.1f}" height="{_BAR}" rx="3"/>'
        f'<text x="{x + 4:.1f}" y="{top + 20}">{shown}</text></a>'
    )


# ---- The screen

_USUAL = 60
PAGE = "units.html"


def _ask(bench: Workbench, request: Request, state: State) -> tuple[Job, int | None, str]:
    threshold = number_in(request, "threshold")
    if threshold is not None:
        threshold = min(max(threshold, 1), 100)
    more = () if threshold is None else ("--threshold", str(threshold))
    command = bench.command(state, "units", first=(*more, "--report", PAGE), measuring=False)
    job = bench.ask(
        state, "units:units", "Comparing units", command=command, threshold=threshold,
        session=number_in(request, "session") or 0,
    )  # fmt: skip
    return job, threshold, command


async def show(request: Request) -> Response:
    """Show the units of a session at a threshold."""
    bench, state = arrived(request)
    job, threshold, command = _ask(bench, request, state)
    found = await bench.result(request, job, state)
    if "download" in request.query_params:
        return page_file(found, PAGE)
    return bench.show(
        "units.html", state, here="units", found=found, shell=command,
        threshold=threshold or _USUAL, lanes=pages.ready(lanes_svg(found["lanes"])),
        sheet=bench.style_sheet(found["rules"]), **on_screen(found),
    )  # fmt: skip


async def as_json(request: Request) -> Response:
    """Return the value and the lanes as data."""
    bench, state = arrived(request)
    job, threshold, _ = _ask(bench, request, state)
    found = await bench.result(request, job, state)
    kept = {name: found[name] for name in ("method", "value", "sessions", "session", "lanes")}
    return JSONResponse({**kept, "threshold": threshold})


ROUTES = (
    Route("/r/{state}/units", show, methods=["GET"]),
    Route("/r/{state}/units.json", as_json, methods=["GET"]),
)
