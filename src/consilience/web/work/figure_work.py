"""One figure of a report as a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from consilience.exceptions import InputError
from consilience.plot.style import rendered
from consilience.web.work.answer_work import make_report
from consilience.web.work.named_ratings import load_named


def figure(
    *,
    file: Mapping[str, Any],
    reading: Mapping[str, Any],
    measuring: Mapping[str, Any],
    anonymise: bool,
    name: str,
    form: str,
    tell: Callable[[str], None],
) -> bytes:
    """Return the bytes of a figure as SVG, PDF or PNG."""
    loaded = load_named(file, reading, anonymise=anonymise)
    tell("Drawing")
    made = make_report(loaded, reading, measuring, "")
    known = {one.name: one for one in made.page.figures}
    if name not in known:
        raise InputError.unknown_word("figure", name, known)
    return rendered(known[name].axes, form)
