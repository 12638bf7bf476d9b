"""Screens as HTML: the report's own blocks inside the frame of the workbench, nothing inline.

The policy of the workbench allows no style in attributes, which drawings are full of. What such a
style says is said in attributes of SVG instead.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from html import unescape
from importlib.resources import files
from itertools import count
from typing import Any

from consilience._version import __version__
from consilience.report import Page
from consilience.report.page import environment, markup, template_text

_STYLE = re.compile(r' style="([^"]*)"')
_STYLED_TEXT = re.compile(r'(<(?:span|div)(?: class="[^"]*")?) style="([^"]*)"')
_STYLE_ELEMENT = re.compile(r"<style[^>]*>.*?</style>", re.DOTALL)
# What an attribute of SVG can say as well as a style sheet.
_ATTRIBUTES = {
    "clip-path", "clip-rule", "color", "dominant-baseline", "fill", "fill-opacity", "fill-rule",
    "font-size", "font-style", "font-weight", "letter-spacing", "opacity", "stroke",
    "stroke-dasharray", "stroke-dashoffset", "stroke-linecap", "stroke-linejoin",
    "stroke-miterlimit", "stroke-opacity", "stroke-width", "text-anchor", "visibility", "width",
}  # fmt: skip
STATIC = {
    "workbench.css": "text/css; charset=utf-8",
    "workbench.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}


def strict(html: str) -> str:
    """Turn styles in attributes into attributes, so that a page needs no inline style.

    >>> strict('<path d="M0 0" style="fill: none; stroke-width: 2"/>')
    '<path d="M0 0" fill="none" stroke-width="2"/>'
    """
    html = _STYLE_ELEMENT.sub("", html)
    html = html.replace("<svg ", '<svg stroke-linejoin="round" ')
    return _STYLE.sub(lambda found: _as_attributes(found[1]), html)


def _as_attributes(style: str) -> str:
    pairs = [part.partition(":") for part in style.split(";") if ":" in part]
    said = {name.strip(): value.strip() for name, _, value in pairs}
    return "".join(f' {name}="{value}"' for name, value in said.items() if name in _ATTRIBUTES)


def rendered_parts(page: Page) -> dict[str, Any]:
    """Return the first screen and every section of a page as HTML, each by itself."""
    blocks = _environment().from_string(
        '{% from "blocks.html" import one, first with context %}'
        "{% if answer %}{{ first(answer) }}{% endif %}"
        "{% for block in blocks %}{{ one(block) }}{% endfor %}"
    )
    places, numbers = page.anchors().get, count(1)

    rules: dict[str, str] = {}

    def html(answer: Any, inside: Any) -> str:
        made = blocks.render(
            answer=answer, blocks=inside, anchor=places, next_number=numbers.__next__
        )
        return strict(_classed(made, rules))

    return {
        "title": page.title,
        "lead": page.lead,
        "first": html(page.answer, ()),
        "tabs": [
            {"id": part.id, "title": part.title, "html": html(None, part.blocks)}
            for part in page.sections
        ],
        "made": list(page.reading),
        "rules": "\n".join(f".{name} {{ {style} }}" for name, style in rules.items()),
    }


def _classed(html: str, rules: dict[str, str]) -> str:
    """Give text that has a style of its own, such as a line for each rater, a class instead."""

    def named(found: re.Match[str]) -> str:
        style = unescape(found[2])
        name = f"s-{hashlib.sha256(style.encode()).hexdigest()[:10]}"
        rules[name] = style
        before = found[1]
        if ' class="' in before:
            return before.replace(' class="', f' class="{name} ', 1)
        return f'{before} class="{name}"'

    return _STYLED_TEXT.sub(named, html)


def screen(name: str, **values: Any) -> str:
    """Render a screen from its template."""
    return str(_environment().get_template(name).render(version=__version__, **values))


def ready(html: str) -> Any:
    """Mark HTML that a job rendered as such."""
    return markup(html)


@cache
def static_file(name: str) -> bytes:
    """Return a file of the workbench; the style sheet begins with the report's."""
    own = (files("consilience.web") / "static" / name).read_bytes()
    if name.endswith(".css"):
        return template_text("style.css").encode() + b"\n" + own
    return own


@cache
def _environment() -> Any:
    made = environment(_template)
    made.filters["ready"] = ready
    return made


def _template(name: str) -> str | None:
    place = files("consilience.web") / "templates" / name
    return place.read_text(encoding="utf-8") if place.is_file() else None
