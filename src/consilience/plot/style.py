"""One look for every figure: colours that colour-blind readers can tell apart, little ink.

Figures are made without pyplot, so nothing is shown or kept by accident; every function of this
package takes ``ax=`` to draw into and returns the Axes.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

from consilience.exceptions import InputError, MissingDependencyError

# Okabe & Ito (2008), told apart with every common form of colour blindness.
BLUE, ORANGE, GREEN, RED, PURPLE, SKY, YELLOW = (
    "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442",
)  # fmt: skip
COLOURS = (BLUE, ORANGE, GREEN, RED, PURPLE, SKY, YELLOW)
INK = "#1f2328"  # text and axes; follows the page's own colour in a report
FAINT = "#8c959f"  # grids and reference lines
SEQUENTIAL = "cividis"
MARKERS = ("o", "s", "^", "D", "v", "P", "X")  # colour is never the only carrier

_SETTINGS: dict[str, Any] = {
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": 11,
    "font.family": "sans-serif",
    "font.size": 10,
    "grid.color": FAINT,
    "grid.linewidth": 0.4,
    "legend.frameon": False,
    "legend.labelcolor": INK,
    "svg.fonttype": "none",  # text stays text: small, searchable, in the page's own font
    "svg.hashsalt": "consilience",  # the same figure gives the same bytes
    "text.color": INK,
    "text.parse_math": False,  # a label with dollar signs is a label
    "xtick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.color": FAINT,
    "ytick.labelcolor": INK,
}
_FORMATS = ("pdf", "png", "svg")
_LONGEST = 22


def styled() -> Any:
    """Return the context in which figures are drawn and saved."""
    return _matplotlib().rc_context(_SETTINGS)


def new_axes(ax: Any = None, *, width: float = 6.4, height: float = 3.6) -> Any:
    """Return the axes to draw into: those given, or new ones on a figure of their own."""
    if ax is not None:
        return ax
    with styled():
        figure = import_module("matplotlib.figure")
        return figure.Figure(figsize=(width, height), layout="constrained").add_subplot()


def save(ax: Any, path: str | Path) -> Path:
    """Write a figure as PDF, PNG or SVG, by the ending of its name; the same bytes every time.

    Examples
    --------
    >>> save(None, "figure.bmp")
    Traceback (most recent call last):
    ...
    consilience.exceptions.InputError: the name of a figure must be one that ends in .pdf, .png or
    .svg. Got 'figure.bmp'. Hint: choose one of these formats.
    """
    target = Path(path)
    form = check_format(target)
    target.write_bytes(rendered(ax, form))
    return target


def check_format(path: str | Path) -> str:
    """Return the format that a file's name asks for."""
    form = Path(path).suffix.lower().lstrip(".")
    if form not in _FORMATS:
        raise InputError.expected(
            "the name of a figure",
            "one that ends in .pdf, .png or .svg",
            str(path),
            "choose one of these formats",
        )
    return form


def rendered(ax: Any, form: str) -> bytes:
    """Return the bytes of a figure in a format."""
    stream = io.BytesIO()
    metadata = {"pdf": {"CreationDate": None}, "svg": {"Date": None}, "png": {"Software": None}}
    with styled(), warnings.catch_warnings():
        # SVG keeps text as text, so it is the reader's font that counts; and a label too long for
        # its figure is cut at the edge, which is no news to the caller.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        warnings.filterwarnings("ignore", message="constrained_layout not applied")
        ax.figure.savefig(stream, format=form, metadata=metadata[form], dpi=200)
    return stream.getvalue()


def inline_svg(ax: Any, *, title: str, prefix: str) -> str:
    """Return a figure as SVG to stand in a page: transparent, in the page's own text colour.

    `prefix` keeps the ids of several figures on one page apart.
    """
    ax.figure.patch.set_alpha(0.0)
    for one in ax.figure.axes:
        one.patch.set_alpha(0.0)
    text = rendered(ax, "svg").decode("utf-8")
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(
        r'(<svg[^>]*?) width="([\d.]+)pt" height="[^"]*"',
        lambda found: f'{found[1]} style="{_natural_width(float(found[2]))}"',
        text,
        count=1,
    )
    text = re.sub(r' xmlns:xlink="[^"]*"', "", text).replace("xlink:href", "href")
    text = text.replace(INK, "currentColor").replace(FAINT, "var(--faint)")
    text = re.sub(r"font: [^;\"]*?([\d.]+px) [^;\"]*", r"font-size: \1", text)
    text = re.sub(r'(\bid="|url\(#|href="#)', rf"\1{prefix}-", text)
    label = _attribute(title)
    return text.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)


def _natural_width(points: float) -> str:
    """Return the width at which the figure's text is as large as it was drawn."""
    return f"--natural: {points * 4 / 3:.0f}px; width: {points * 4 / 3:.0f}px"


def _attribute(text: str) -> str:
    import html

    return html.escape(text, quote=True)


def shortened(label: object, longest: int = _LONGEST) -> str:
    """Write a label on an axis: printable, and not longer than there is room for."""
    from consilience.core.words import shortened as short

    return short(str(label), longest)


def told_apart(labels: Iterable[object], longest: int = _LONGEST) -> list[str]:
    """Shorten labels on an axis such that those that begin alike still differ.

    Examples
    --------
    >>> told_apart(["statement of the facts", "statement of the law", "other"], 12)
    ['stat…facts', 'stat…law', 'other']
    """
    whole = [shortened(label, 10_000) for label in labels]
    short = [shortened(text, longest) for text in whole]
    for text in {one for one in short if short.count(one) > 1}:
        alike = [i for i, one in enumerate(short) if one == text]
        # The words that begin all of them alike: where the columns of letters first differ.
        columns = zip(*(whole[i] for i in alike), strict=False)
        common = next((k for k, letters in enumerate(columns) if len(set(letters)) > 1), longest)
        head = longest // 3
        for number, i in enumerate(alike, start=1):
            tail = shortened(whole[i][common:], longest - head - 1)
            short[i] = f"{whole[i][:head]}…{tail or number}"
    return short


def _matplotlib() -> Any:
    try:
        return import_module("matplotlib")
    except ImportError:
        raise MissingDependencyError.for_extra("A figure", "matplotlib") from None
