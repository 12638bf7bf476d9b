"""Two rounds, and systems against people: the pages of both, in parts for the screen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from consilience import panel
from consilience.core.words import counted, label_text
from consilience.io.reading_account import answers_left_out
from consilience.latent.votes import entries_of
from consilience.ratings import Ratings
from consilience.report import compare_rounds, panel_page, rounds_page
from consilience.web.pages import rendered_parts
from consilience.web.work.answer import chosen_coefficients, measured_as
from consilience.web.work.reading import load_named, reading_lines

_MOST_ITEMS = 50


def rounds(
    *,
    file: Mapping[str, Any],
    second: Mapping[str, str],
    measuring: Mapping[str, Any],
    command: str,
    tell: Callable[[str], None],
) -> dict[str, Any]:
    """Return the comparison of two rounds: the difference first, then what changed."""
    tell("Reading both files")
    loaded = [load_named({**file, **one}, items=True) for one in ({}, second)]
    before, after = (one.ratings for one in loaded)
    names = (file["shown"], second["shown"])
    if names[0] == names[1]:
        names = (names[0], f"{names[1]} (again)")
    tell("Comparing")
    found = compare_rounds(
        before,
        after,
        names=names,
        coefficients=chosen_coefficients(measuring) or None,
        **measured_as(file["reading"], measuring),
    )
    page = rounds_page(found, command=command, reading=reading_lines(*loaded))
    tell("Drawing")
    return {**rendered_parts(page), "html": page.html(), "changes": _changes(before, after)}


def _said(ratings: Ratings) -> dict[tuple[str, str], str]:
    entries = entries_of("a list of what changed", ratings, need_raters=False)
    names = [label_text(one) for one in ratings.categories]
    return {
        (str(ratings.items[i]), str(ratings.raters[g])): names[k]
        for i, g, k in zip(entries.item, entries.rater, entries.label, strict=True)
    }


def _changes(before: Ratings, after: Ratings) -> dict[str, Any]:
    """Return which ratings of the same item by the same rater are other ones now."""
    first, second = _said(before), _said(after)
    both = [key for key in first if key in second]
    other = [key for key in both if first[key] != second[key]]
    items = {item for item, _ in both}
    steps = Counter((first[key], second[key]) for key in other)
    times = Counter(who for _, who in both)
    changed = Counter(who for _, who in other)
    by_item: dict[str, list[str]] = {}
    for item, who in other:
        by_item.setdefault(item, []).append(f"{who}: {first[item, who]} → {second[item, who]}")
    most = sorted(by_item.items(), key=lambda one: (-len(one[1]), one[0]))
    return {
        "matched": f"{counted(len(items), 'item')} in both rounds, "
        f"{counted(len(both), 'rating')} by the same rater",
        "labels": [[a, b, n] for (a, b), n in steps.most_common(20)],
        "raters": [[who, changed[who], times[who]] for who in times],
        "items": [[item, ", ".join(said)] for item, said in most[:_MOST_ITEMS]],
        "n_items": len(by_item),
    }


def systems(
    *,
    file: Mapping[str, Any],
    chosen: Sequence[str],
    margin: float,
    command: str,
    tell: Callable[[str], None],
) -> dict[str, Any]:
    """Return the page of systems against people."""
    tell("Reading the file")
    loaded = load_named(file, items=True)
    ratings = loaded.ratings
    named = [rater for rater in ratings.raters if str(rater) in chosen]
    people = [rater for rater in ratings.raters if str(rater) not in chosen]
    tell("Comparing")
    found = panel.compare(ratings, systems=named, people=people, margin=margin)
    document, left_out = found.document(), answers_left_out(loaded.reading)
    if left_out is not None:
        document = replace(document, findings=(*document.findings, left_out))
    page = panel_page(found, document, command=command, reading=reading_lines(loaded))
    tell("Drawing")
    return {**rendered_parts(page), "html": page.html()}
