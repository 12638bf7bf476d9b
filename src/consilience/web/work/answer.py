"""The answer: the report of a reading, whole for export and in parts for the screen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from consilience.coefficients import registry
from consilience.core.words import label_text
from consilience.distances import get_distance
from consilience.document import Finding
from consilience.exceptions import ConsilienceError, InputError
from consilience.findings import Study
from consilience.io import Loaded
from consilience.plot.style import rendered
from consilience.ratings import Ratings
from consilience.report import (
    Report,
    apa_sentence,
    render_csv,
    render_latex,
    render_markdown,
    report,
)
from consilience.web.pages import rendered_parts
from consilience.web.work.items import label_matrix
from consilience.web.work.reading import load_named, reading_lines

_MOST_CELLS = 15  # labels of a matrix that can be clicked


def answer(
    *,
    file: Mapping[str, Any],
    measuring: Mapping[str, Any],
    command: str,
    tell: Callable[..., None],
) -> dict[str, Any]:
    """Return what the screen "Answer" and the exports show; first what needs no drawing."""
    tell("Reading the file")
    loaded = load_named(file)
    tell("Measuring agreement")
    made = make_report(loaded, file["reading"], measuring, command)
    numbers = {"json": made.summary.to_json(), "csv": render_csv(made.summary)}
    tell("Drawing", {**rendered_parts(made.first), **numbers})
    return _parts(made, loaded) | numbers | {"html": made.html()}


def make_report(
    loaded: Loaded, reading: Mapping[str, Any], measuring: Mapping[str, Any], command: str
) -> Report:
    """Make the same report as the command line does."""
    return report(
        loaded.ratings if loaded.by is None else loaded.groups,
        coefficients=chosen_coefficients(measuring) or None,
        **measured_as(reading, measuring),
        shape=loaded.reading.shape,
        sources=[source.replace("\\", "/").rpartition("/")[2] for source in loaded.reading.sources],
        command=command,
        reading=reading_lines(loaded),
        by=loaded.by,
    )


def figure(
    *,
    file: Mapping[str, Any],
    measuring: Mapping[str, Any],
    name: str,
    form: str,
    tell: Callable[[str], None],
) -> bytes:
    """Return the bytes of a figure as SVG, PDF or PNG."""
    loaded = load_named(file)
    tell("Drawing")
    made = make_report(loaded, file["reading"], measuring, "")
    known = {one.name: one for one in made.page.figures}
    if name not in known:
        raise InputError.unknown_word("figure", name, known)
    return rendered(known[name].axes, form)


def chosen_coefficients(measuring: Mapping[str, Any]) -> list[str]:
    """Return the coefficients that were asked for."""
    return [registry[name].name for name in measuring.get("coefficient", ())]


def measured_as(reading: Mapping[str, Any], measuring: Mapping[str, Any]) -> dict[str, Any]:
    """Return how things are measured, as `measure` and what compares takes it."""
    return {
        "distance": chosen_distance(reading, measuring),
        "missing": measuring.get("missing"),
        "confidence_level": measuring.get("confidence_level", 0.95),
        "interval": measuring.get("interval", "auto"),
        "n_resamples": measuring.get("resamples"),
        "seed": measuring.get("seed", 0),
    }


def chosen_distance(reading: Mapping[str, Any], measuring: Mapping[str, Any]) -> Any:
    """Return the distance that was asked for; None where the scale decides."""
    scale, word = reading.get("scale"), measuring.get("distance")
    if word is None:
        return None
    return get_distance(word, scale=scale if isinstance(scale, str) else "nominal")


def _parts(made: Report, loaded: Loaded) -> dict[str, Any]:
    summary = made.summary
    ratings = loaded.ratings if loaded.by is None else None
    found = summary.findings
    return {
        **rendered_parts(made.page),
        "latex": render_latex(summary),
        "markdown": render_markdown(summary),
        "apa": apa_sentence(summary),
        "defined": any(one.status == "ok" for _, _, some in summary.parts() for one in some),
        "findings": [] if ratings is None else _links(found, ratings),
        "raters": [] if ratings is None else [str(one) for one in ratings.raters[:60]],
        "matrix": None if ratings is None else _matrix(ratings),
        "figures": [one.name for one in made.page.figures],
        "undecided": summary.undecided is not None,
    }


def _matrix(ratings: Ratings) -> dict[str, Any] | None:
    """Return how many items lie behind each pair of labels, where these are few enough."""
    if not 2 <= len(ratings.categories) <= _MOST_CELLS:
        return None
    try:
        if not Study(ratings).has_categories:
            return None
        counts = label_matrix(ratings)
    except ConsilienceError:
        return None
    return {
        "labels": [label_text(one) for one in ratings.categories],
        "counts": counts.tolist(),
        "raters": [str(one) for one in ratings.raters] if len(ratings.raters) == 2 else [],
    }


def _links(findings: tuple[Finding, ...], ratings: Ratings) -> list[dict[str, str]]:
    """Return for each finding the filter of the items behind it, where it names some."""
    code = {label: k for k, label in enumerate(ratings.categories)}
    who = {rater: g for g, rater in enumerate(ratings.raters)}
    found = []
    for one in findings:
        labels = [code[x] for x in _listed(one.evidence.get("labels")) if x in code]
        raters = [one.evidence.get("rater"), *_listed(one.evidence.get("raters"))]
        places = [who[x] for x in raters if isinstance(x, str | int) and x in who]
        where = ""
        if one.code == "labels_confused" and len(labels) == 2:
            where = f"cell={labels[0]}-{labels[1]}"
        elif labels:
            where = f"label={labels[0]}"
        elif len(places) == 1:
            where = f"rater={places[0]}"
        found.append({"message": one.message, "code": one.code, "filter": where})
    return found


def _listed(value: object) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []
