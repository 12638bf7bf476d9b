"""Units: lanes with links, the coefficient at a threshold, the curve over all of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from consilience.core.words import counted
from consilience.exceptions import ConsilienceError
from consilience.io.events import load_units
from consilience.plot.time import links_of
from consilience.report import measure_units, units_report
from consilience.report.unit_pages import sentence_of
from consilience.units import Units
from consilience.web.pages import rendered_parts
from consilience.web.work.reading import renamed

_MOST_BARS = 600


def units(
    *,
    file: Mapping[str, Any],
    threshold: float | None,
    session: int,
    command: str,
    tell: Callable[[str], None],
) -> dict[str, Any]:
    """Return the page of units at a threshold, and the lanes of one session."""
    tell("Reading the file")
    try:
        loaded = load_units([file["path"]])
    except ConsilienceError as error:
        raise renamed(error, file["path"], file["shown"]) from error
    tell("Linking units")
    summary = measure_units(loaded.units, threshold=threshold)
    kept = summary.units
    place = min(max(session, 0), len(kept.sessions) - 1)
    tell("Drawing")
    told = loaded.explain().replace(file["path"], file["shown"])
    told = told.replace(Path(file["path"]).name, file["shown"])
    lines = list(dict.fromkeys(line.strip() for line in told.splitlines()))
    made = units_report(
        summary,
        sources=[file["shown"].replace("\\", "/").rpartition("/")[2]],
        command=command,
        reading=lines,
    )
    values = [one for one in summary.values if math.isfinite(one.value)]
    return {
        **rendered_parts(made.page),
        "html": made.html(),
        "apa": sentence_of(summary),
        "told": lines,
        "method": summary.method,
        "sessions": list(kept.sessions),
        "session": place,
        "what": f"{counted(kept.n_units, 'unit')}, {counted(len(kept.raters), 'rater')}",
        "value": values[0].value if values else None,
        "lanes": _lanes(kept, summary, kept.sessions[place], threshold),
    }


def _lanes(units: Units, summary: Any, session: str, threshold: float | None) -> dict[str, Any]:
    """Return the bars of one session by rater, and which of them are linked."""
    rows = np.flatnonzero(units.session == units.sessions.index(session))[:_MOST_BARS]
    raters = tuple(units.raters[g] for g in dict.fromkeys(units.rater[rows].tolist()))
    pairs: list[list[int]] = []
    try:
        result = next(iter(summary.results.values()), None)
        usual = 60.0 if threshold is None else threshold
        try:
            found = links_of(units, result, session, raters, usual)
        except ConsilienceError:
            found = links_of(units, None, session, raters, usual)
        pairs = [] if found is None else found.tolist()
    except ConsilienceError:
        pairs = []
    linked = {row: other for a, b in pairs for row, other in ((a, b), (b, a))}
    label = units.label
    bars = [
        {
            "lane": raters.index(units.raters[int(units.rater[row])]),
            "start": float(units.start[row]),
            "end": float(units.end[row]),
            "label": str(units.labels[int(label[row])]),
            "state": _state(label, row, linked),
            "row": int(row),
        }
        for row in rows.tolist()
    ]
    return {"raters": list(raters), "bars": bars, "links": pairs, "time_unit": units.time_unit}


def _state(label: Any, row: int, linked: Mapping[int, int]) -> str:
    if row not in linked:
        return "alone"
    return "agreed" if label[row] == label[linked[row]] else "differs"
