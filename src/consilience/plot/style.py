"""One look for every figure: colours that colour-blind readers can tell apart, little ink.

Figures are made without pyplot, so nothing is shown or kept by accident; every function of this
package takes ``ax=`` to draw into and returns the Axes. Axes that it makes itself show in a
notebook, know what they show in words (`describe`), and can be drawn again for a narrow screen.
"""

from __future__ import annotations

import inspect
import io
import re
import textwrap
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial, update_wrapper
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar, cast

from consilience.core.words import printable
from consilience.exceptions import InputError, MissingDependencyError

F = TypeVar("F", bound=Callable[..., Any])

# The first three are Okabe & Ito's (2008). All reach a contrast of 3:1 on white, and any two can be
# told apart with every common form of colour blindness; a test computes both.
BLUE, RED, GREEN, PURPLE, BROWN, VIOLET = (
    "#0072B2", "#D55E00", "#009E73", "#BB6699", "#8A4B10", "#8844EE",
)  # fmt: skip
COLOURS = (BLUE, RED, GREEN, PURPLE, BROWN, VIOLET)
GREY = "#6B7280"  # all others; what is there to compare with
INK = "#1f2328"  # text and axes; follows the page's own colour in a report
FAINT = "#8c959f"  # grids and reference lines
SEQUENTIAL = "Blues"  # light to dark
DIVERGING = "RdBu"  # red below 0, white at 0, blue above
_LIGHTEST, _DARKEST = (0x5B, 0x93, 0xC7), (0x08, 0x26, 0x4D)  # of the shades of one order
MARKERS = ("o", "s", "^", "D", "v", "P")  # colour is never the only carrier
WIDE, NARROW = 6.4, 3.55  # inches: a page, and a phone of 390 pixels
_LETTER = 0.078  # inches, at 10 points
_NARROW_BELOW = 3.6  # inches of axes, from which on names stand beside bars and not above

_SETTINGS: dict[str, Any] = {
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": 10.5,
    "font.family": "sans-serif",
    "font.size": 10,
    "grid.alpha": 0.45,
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
_SHARP = 200  # dots per inch


_on_a_phone: ContextVar[bool] = ContextVar("on_a_phone", default=False)


def styled() -> Any:
    """Return the context in which figures are drawn and saved."""
    return _matplotlib().rc_context(_SETTINGS)


def drawing(function: F) -> F:
    """Let a public function draw in the one style, and what it returns be drawn again, narrower."""

    def draw(*data: Any, **options: Any) -> Any:
        with styled():
            ax = function(*data, **options)
        if options.get("ax") is None:
            ax.again = partial(draw, *data, **options)
            _fit_texts(ax.figure)
        return ax

    update_wrapper(draw, function)
    del draw.__wrapped__  # type: ignore[attr-defined]  # the signature is told by itself
    draw.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return cast("F", draw)


def _fit_texts(figure: Any) -> None:
    """Break titles and names of axes that are longer than their part of the figure."""
    for ax in figure.axes:
        place = ax.get_subplotspec()
        columns = 1 if place is None else place.get_gridspec().ncols
        rows = 1 if place is None else place.get_gridspec().nrows
        room = figure.get_figwidth() / columns - 0.5
        ax.set_xlabel(_broken(ax.get_xlabel(), room))
        ax.set_title(_broken(ax.get_title("left"), 0.92 * (room - 0.4 / columns)), loc="left")
        ax.set_ylabel(_broken(ax.get_ylabel(), figure.get_figheight() / rows - 0.4))


def _broken(text: str, inches: float) -> str:
    return "\n".join(textwrap.wrap(text, max(12, int(inches / _LETTER)))) if text else text


def new_axes(ax: Any = None, *, width: float = WIDE, height: float = 3.6) -> Any:
    """Return the axes to draw into: those given, or new ones on a figure of their own."""
    if ax is not None:
        return ax
    return new_panels(1, 1, width=width, height=height)[0]


def new_panels(
    rows: int, columns: int, *, width: float = WIDE, height: float = 3.6, **shared: Any
) -> list[Any]:
    """Return the axes of small multiples on one figure, row by row; no wider than the screen."""
    from consilience.plot._notebook_axes import NotebookAxes

    with styled():
        figure = import_module("matplotlib.figure").Figure(
            figsize=(width_of(width), height), layout="constrained"
        )
        made = figure.subplots(
            rows, columns, squeeze=False, subplot_kw={"axes_class": NotebookAxes}, **shared
        )
        return list(made.ravel())


def beside(
    ax: Any, text: str, at: Any, offset: tuple[float, float], *, along: str = "", **look: Any
) -> None:
    """Write a small text some points beside a place; `along` an axis, the other goes 0 to 1."""
    places = getattr(ax, f"get_{along}axis_transform")() if along else "data"
    look = {"xycoords": places, "fontsize": 9, **look}
    ax.annotate(text, at, xytext=offset, textcoords="offset points", **look)


def legend_above(ax: Any, **look: Any) -> None:
    """Put the key above the axes, where it hides nothing."""
    ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), **look)


def width_of(width: float) -> float:
    """Return the width that a figure may have: all that it asks for, or that of a phone."""
    return min(width, NARROW) if _on_a_phone.get() else width


def is_narrow(ax: Any = None) -> bool:
    """Tell whether names must stand above bars, for want of room beside them."""
    if ax is None:
        return _on_a_phone.get()
    inches: float = ax.figure.get_figwidth() * ax.get_position().width
    return inches < _NARROW_BELOW


@contextmanager
def on_a_phone() -> Iterator[None]:
    """Draw figures as narrow as a phone."""
    before = _on_a_phone.set(True)
    try:
        yield
    finally:
        _on_a_phone.reset(before)


def describe(ax: Any, text: str) -> Any:
    """Say in words what a figure shows, with its values, for those who do not see it."""
    ax.described = printable(minus(text))
    return ax


def minus(text: str) -> str:
    """Write numbers with a real minus sign, and zero without any.

    Examples
    --------
    >>> minus("skew -0.3 (-1 to -0.0), split 5-0")
    'skew −0.3 (−1 to 0.0), split 5-0'
    """
    text = re.sub(r"(?<![\w.])[-+](?=0(?:\.0+)?(?![\d.]))", "", text)
    return re.sub(r"(?<![\w.-])-(?=\d)", "−", text)


def described(ax: Any) -> str:
    """Return what a figure shows, in words."""
    return str(getattr(ax, "described", ""))


def shades(n: int) -> list[str]:
    """Return n shades of one colour from light to dark, for labels that have an order.

    Examples
    --------
    >>> shades(2)
    ['#5b93c7', '#08264d']
    """
    places = [k / max(n - 1, 1) for k in range(n)]
    mixed = [
        [round(a + (b - a) * x) for a, b in zip(_LIGHTEST, _DARKEST, strict=True)] for x in places
    ]
    return ["#{:02x}{:02x}{:02x}".format(*one) for one in mixed]


def ink_on(colour: Any) -> str:
    """Return black or white, whichever can be read better on a colour.

    Examples
    --------
    >>> ink_on("#ffffff"), ink_on("#0072B2")
    ('black', 'white')
    """
    rgb = import_module("matplotlib.colors").to_rgb(colour)
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in rgb]
    light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]  # WCAG 2, luminance
    return "black" if light > 0.179 else "white"


def save(ax: Any, path: str | Path, *, existing: str = "refuse") -> Path:
    """Write a figure as PDF, PNG or SVG, by the ending of its name; the same bytes every time.

    Parameters
    ----------
    ax : matplotlib Axes
    path : name of the file to write
    existing : {"refuse", "replace"}
        What to do with a file that is there already.

    Returns
    -------
    Path

    Examples
    --------
    >>> save(None, "figure.bmp")
    Traceback (most recent call last):
    ...
    consilience.exceptions.InputError: the name of a figure must be one that ends in .pdf, .png or
    .svg. Got 'figure.bmp'. Hint: choose one of these formats.
    """
    from consilience.core.output_files import check_target, write_bytes

    form = check_format(path)
    check_target(path, existing)  # before it is drawn
    return write_bytes(path, rendered(ax, form), existing=existing)


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
        if form == "svg":
            _draw_once(ax.figure, stream, metadata[form])
        else:
            ax.figure.savefig(stream, format=form, metadata=metadata[form], dpi=_SHARP)
    return stream.getvalue()


def _draw_once(figure: Any, stream: io.BytesIO, metadata: dict[str, None]) -> None:
    """Write SVG as `savefig` does, which draws twice: once for sizes that SVG does not need."""
    canvas, dpi = figure.canvas, figure.dpi
    try:
        figure.dpi = _SHARP  # of the images inside
        import_module("matplotlib.backends.backend_svg").FigureCanvasSVG(figure).print_svg(
            stream, metadata=metadata
        )
    finally:
        figure.dpi = dpi
        figure.set_canvas(canvas)


def inline_svg(ax: Any, *, title: str, prefix: str) -> str:
    """Return a figure as SVG to stand in a page: transparent, in the page's own text colour.

    A figure that is wider than a phone comes twice, and the style sheet shows one of the two.
    `prefix` keeps the ids of several figures on one page apart.
    """
    label = " ".join(filter(None, (title, described(ax))))
    again = getattr(ax, "again", None)
    wide = _page_svg(ax, label, prefix, "wide" if again else "")
    if again is None or ax.figure.get_figwidth() <= NARROW:
        return wide.replace(' class="wide"', "", 1)
    with on_a_phone():
        narrow = again()
    return wide + _page_svg(narrow, label, f"{prefix}-narrow", "narrow")


def _page_svg(ax: Any, label: str, prefix: str, kind: str) -> str:
    ax.figure.patch.set_alpha(0.0)
    for one in ax.figure.axes:
        one.patch.set_alpha(0.0)
    text = _bare_svg(ax)
    text = re.sub(
        r'(<svg[^>]*?) width="([\d.]+)pt" height="[^"]*"',
        lambda found: f'{found[1]} style="{_natural_width(float(found[2]))}"',
        text,
        count=1,
    )
    text = text.replace(INK, "currentColor").replace(FAINT, "var(--faint)")
    text = re.sub(r"font: [^;\"]*?([\d.]+px) [^;\"]*", r"font-size: \1", text)
    text = re.sub(r"font-family: [^;\"]*;? ?", "", text)  # that of the page
    text = re.sub(r'<path d="[^"]*" style="fill: none; opacity: 0"/>\s*', "", text)
    text = re.sub(r'(\bid="|url\(#|<use [^>]*?href="#)', rf"\1{prefix}-", text)
    text = text.replace(' target="_blank"', "")
    named = f' class="{kind}"' if kind else ""
    role = "group" if "<a " in text else "img"  # an image hides the links in it
    return text.replace("<svg ", f'<svg role="{role}" aria-label="{_attribute(label)}"{named} ', 1)


def notebook_svg(ax: Any) -> str:
    """Return a figure as SVG on white, for a cell of a notebook or a page of Markdown."""
    label = _attribute(described(ax))
    return _bare_svg(ax).replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)


def _bare_svg(ax: Any) -> str:
    text = rendered(ax, "svg").decode("utf-8")
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r"<[^>]*>", _rounded, text)
    text = re.sub(r' transform="rotate\(-?0 [^"]*"', "", text)
    text = re.sub(r"\n\s+", "\n", text)
    return re.sub(r' xmlns:xlink="[^"]*"', "", text).replace("xlink:href", "href")


def _rounded(tag: re.Match[str]) -> str:
    """Round places to a hundredth of a point, which nobody sees; text is no tag and stays."""
    return re.sub(r"(\d\.\d\d)\d+", r"\1", tag[0])


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
