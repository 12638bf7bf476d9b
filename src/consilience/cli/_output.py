"""Where results go: stdout, or a file that is written beside and renamed."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from consilience.cli._options import option, together
from consilience.core.words import enumerated

if TYPE_CHECKING:
    from consilience.document import Document
    from consilience.report import Page, Summary
    from consilience.report.result_pages import Drawing

_SUFFIXES = {".json": "json", ".csv": "csv", ".md": "markdown", ".markdown": "markdown",
             ".tex": "latex"}  # fmt: skip
_FILES_ONLY = {".xlsx": "xlsx", ".parquet": "parquet", ".html": "html"}
READING = "consilience.reading"  # where the context keeps how files were read
_PLAIN = ("", ".txt", ".text", ".out", ".log")
_FLAGS = {
    "json": "Write JSON: stable keys, unrounded.",
    "csv": "Write CSV: one line per result, unrounded.",
    "markdown": "Write Markdown.",
    "latex": "Write LaTeX tables in the manner of booktabs.",
    "apa": "Write the sentence for the paper, in the manner of APA.",
}
Function = TypeVar("Function", bound=Callable[..., Any])


class OutputFile(click.Path):
    """A file that a command writes, checked before it runs.

    With `folders` it may be a folder, with `figure` its ending must be that of a figure.
    """

    def __init__(self, *, folders: bool = False, figure: bool = False) -> None:
        super().__init__(path_type=Path)
        self.folders = folders
        self.figure = figure


FILE = OutputFile()
FIGURE = OutputFile(figure=True)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a command has found out: `Function` writes it where and in the form that was asked for.

    Attributes
    ----------
    document, record : Document, dict
        To be read, and as plain data.
    title, drawings : str, sequence of Drawing
        Of its page; the first drawing is also what --figure draws.
    page : callable, optional
        Makes the page; default that of the document.
    figures : mapping of option to function, optional
        What draws the figure that an option asks for.
    after : callable
        Writes what else was asked for, once the answer stands.
    whole : bool
        A screen gets all of it, not what fits one.
    code : int
        Exit code.
    gates : callable
        Returns the exit code of --fail-under, and says what was not met below the answer.
    """

    document: Document
    record: dict[str, Any]
    title: str = ""
    drawings: Sequence[Drawing] = ()
    page: Callable[[], Page] | None = None
    figures: Mapping[str, Callable[[], Any]] = field(default_factory=dict)
    after: Callable[[], object] = lambda: None
    whole: bool = False
    code: int = 0
    gates: Callable[[], int] = lambda: 0


def deliver(answer: Answer) -> int:
    """Write an answer, its figures and its page as the options say; return the exit code."""
    options = click.get_current_context().params

    def page() -> Page:
        return (
            answer.page or partial(plain_page, answer.document, answer.title, answer.drawings)
        )()

    form = chosen_format(options)
    emit(answer.document, answer.record, form, options.get("output"), page, whole=answer.whole)
    answer.after()
    figures = dict(answer.figures)
    if answer.drawings:
        figures.setdefault("figure", answer.drawings[0][2])
    for name in ("figure", "settings_figure"):
        path = options.get(name)
        if path is not None and name not in figures:
            raise click.UsageError("--figure: there is no figure of this. Leave it out.")
        if path is not None:
            write_figure(path, figures[name])
    if options.get("report") is not None:
        write_file(options["report"], page().html())
        tell(f"Wrote {options['report']}")
    return max(answer.code, answer.gates())


def write_figure(path: Path, draw: Callable[[], Any]) -> None:
    """Draw a figure and write it in the format that its name asks for."""
    from consilience.plot.style import check_format, rendered

    write_file(path, rendered(draw(), check_format(path)))
    tell(f"Wrote {path}")


ALL = option("--all", "Show every table and row; without it, what fits a screen.", to="everything")


def output_options(*forms: str) -> Callable[[Function], Function]:
    """Add --all, a flag for each format, --output and --force."""
    every = [ALL]
    every += [
        click.option(f"--{form}", f"as_{form}", is_flag=True, help=_FLAGS[form]) for form in forms
    ]
    known = {form: ending for ending, form in reversed(_SUFFIXES.items())}
    page = [] if "apa" in forms else [".html"]  # the page of `measure` is the report
    endings = enumerated(
        [*(known[form] for form in forms if form in known), ".xlsx", ".parquet", *page]
    )
    every += [
        option(
            "--output -o FILE",
            f"Write to a file instead; {endings} choose the format, .txt is plain text.",
            type=FILE,
        ),
        option("--force", "Replace an existing output file."),
    ]

    return together(*every)


REPORT = option(
    "--report FILE", "Also write the result as an HTML page that needs nothing else.", type=FILE
)


def figure_option(about: str) -> Callable[[Function], Function]:
    """Return the option with which a figure is drawn beside the result."""
    return option("--figure FILE", about, type=FIGURE)


def chosen_format(options: dict[str, Any]) -> str:
    """Return the format that a flag or the output file's ending names; check the output first."""
    output: Path | None = options.get("output")
    named = [form for form in _FLAGS if options.get(f"as_{form}")]
    if len(named) > 1:
        raise click.UsageError(f"--{named[0]} and --{named[1]} exclude each other.")
    ending = output.suffix.lower() if output else ""
    if named and ending in _FILES_ONLY:
        raise click.UsageError(f"--{named[0]} and --output {output} exclude each other.")
    if named:
        return named[0]
    known = {e: form for e, form in _SUFFIXES.items() if f"as_{form}" in options} | _FILES_ONLY
    if ending == ".html" and "as_apa" in options:  # measure; a page of its own is the report
        raise click.UsageError(
            f"--output {output}: `consilience report` writes pages. Type report instead of "
            "measure, or name a file that ends in .json, .csv, .md, .tex, .xlsx or .parquet."
        )
    if ending not in known and ending not in _PLAIN:
        raise click.UsageError(
            f"--output {output} must end in {', '.join(known)} or .txt. Got {ending}, which is "
            "not written here."
        )
    return known.get(ending, "text")


def check_outputs(ctx: click.Context) -> None:
    """Refuse, before a command runs, what it must not write to."""
    if "everything" in ctx.params and "output" in ctx.params:
        chosen_format(ctx.params)
    outputs: dict[str, Path] = {}
    for param in ctx.command.params:
        path = ctx.params.get(param.name or "")
        if not isinstance(param.type, OutputFile) or path is None:
            continue
        option = max(param.opts, key=len) if isinstance(param, click.Option) else "the output"
        if not param.type.folders:
            check_output(path, _named(ctx), force=bool(ctx.params.get("force")), option=option)
        if param.type.figure:
            from consilience.plot.style import check_format

            check_format(path)
        for other, taken in outputs.items():
            if os.path.realpath(taken) == os.path.realpath(path):
                raise click.UsageError(f"{other} and {option} are both {path}. Name two files.")
        outputs[option] = path


def _named(ctx: click.Context) -> list[str]:
    """Return all that the command line names and that is no output: files among it are inputs."""
    values = [
        ctx.params.get(param.name or "")
        for param in ctx.command.params
        if not isinstance(param.type, OutputFile)
    ]
    every = [one for value in values for one in (value if isinstance(value, tuple) else (value,))]
    return [str(one) for one in every if isinstance(one, (str, Path))]


def existing(options: dict[str, Any]) -> str:
    """Return what --force says about files that are there, as the library calls it."""
    return "replace" if options.get("force") else "refuse"


def check_output(
    output: Path | None, inputs: Sequence[str], *, force: bool, option: str = "--output"
) -> None:
    """Refuse to write over the input, over a device, or over any file without --force."""
    if output is None:
        return
    from consilience.core.output_files import is_replaceable

    for path in inputs:
        with contextlib.suppress(OSError, ValueError):
            if os.path.samefile(path, output):
                raise click.UsageError(f"{option} {output} is the input. Name another file.")
    if output.is_dir():
        raise click.UsageError(f"{option} {output} is a folder. Name a file in it.")
    if not is_replaceable(output):
        raise click.UsageError(
            f"{option} {output} is a link, a pipe or a device. Name a plain file, or leave "
            f"{option} out to write to the screen or a pipe."
        )
    if output.exists() and not force:
        raise click.UsageError(f"{option} {output} exists. Add --force to replace it.")
    if not output.parent.is_dir():
        raise click.UsageError(f"{option}: there is no folder {output.parent}.")


def emit(
    document: Document,
    record: dict[str, Any],
    form: str,
    output: Path | None,
    page: Callable[[], Page] | None = None,
    *,
    whole: bool = False,
) -> None:
    """Write a result to stdout or a file: its record as JSON, or its document in another form.

    `page` makes the page that such a result has; by default it is that of its document. A screen
    gets what fits one, unless --all or `whole` asks for everything.
    """
    from consilience.document import to_json

    forms: dict[str, Callable[[], str | bytes]] = {
        "json": lambda: to_json(record),
        "csv": document.csv,
        "markdown": document.markdown,
        "latex": document.latex,
        "text": lambda: _text(document, output, whole=whole),
        "xlsx": lambda: _table_file("xlsx", _tables(document)),
        "parquet": lambda: _table_file("parquet", _tables(document)),
        "html": lambda: (page or (lambda: plain_page(document)))().html(),
    }
    put(forms[form](), output)


def _tables(document: Document) -> list[tuple[str, list[list[object]]]]:
    from consilience.document import Table
    from consilience.document.csv_tables import flat_rows

    tables = [block for block in document.blocks if isinstance(block, Table)]
    return [(one.caption, flat_rows(one)) for one in tables]


def plain_page(document: Document, title: str = "", drawings: Sequence[Any] = ()) -> Page:
    """Make the page of a document and its figures, with how it was made at the end."""
    from consilience.cli._again import how_made
    from consilience.report.result_pages import result_page

    made = how_made(click.get_current_context().params)
    return result_page(document, drawings, title=title, **made)


def _text(document: Document, output: Path | None, *, whole: bool = False) -> str:
    if output is not None:
        return document.text()
    from consilience.document.plain_text import columns_of, fits, for_stream

    width = columns_of(sys.stdout)
    if not (whole or _asks_for_all() in (None, True) or fits(document, width)):
        from consilience.document.short_form import short

        document = short(document, width)
    return for_stream(document, sys.stdout)


def _asks_for_all() -> bool | None:
    """Tell whether --all was given; None where a command has no such option."""
    ctx = click.get_current_context(silent=True)
    return None if ctx is None else ctx.params.get("everything")


def put(content: str | bytes, output: Path | None) -> None:
    """Print a text, or write what it is to a file."""
    if output is not None:
        write_file(output, content + "\n" if isinstance(content, str) else content)
    elif isinstance(content, str):
        _to_stdout(content)


def writes_pages(options: dict[str, Any]) -> bool:
    """Tell whether a command may write a page; that of `measure` is the report."""
    return "as_apa" not in options


def keep_reading(lines: str, *, anonymised: bool = False) -> None:
    """Remember how a file was read, for the page that may be written."""
    ctx = click.get_current_context(silent=True)
    if ctx is not None and anonymised >= bool(ctx.params.get("anonymise")):
        ctx.meta.setdefault(READING, []).extend(line.strip() for line in lines.splitlines())


def tell(text: str) -> None:
    """Say something on stderr, control characters made visible; folded on a screen."""
    from consilience.core.words import printable

    with contextlib.suppress(OSError):  # a full disk below stderr keeps no result back
        on_screen = sys.stderr.isatty()
        for line in text.splitlines():
            click.echo(_folded(printable(line)) if on_screen else printable(line), err=True)


def _folded(line: str) -> str:
    width = max(40, shutil.get_terminal_size((80, 24)).columns)
    return textwrap.fill(
        line, width, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )


def write(summary: Summary, form: str, output: Path | None) -> None:
    """Write a summary in a format to stdout or a file."""
    if form in ("xlsx", "parquet"):
        put(_table_file(form, [("", _lines(summary))]), output)
    elif form == "json":
        put(summary.to_json(), output)
    elif form == "text" and not output:
        put(_text(_for_screen(summary), output), output)
    else:
        from consilience import report

        name = "apa_sentence" if form == "apa" else f"render_{form}"
        put(getattr(report, name)(summary), output)


def _table_file(form: str, tables: Sequence[tuple[str, list[list[object]]]]) -> bytes:
    from consilience.cli._written_tables import parquet, workbook

    return (workbook if form == "xlsx" else parquet)(tables)


def _lines(summary: Summary) -> list[list[object]]:
    rows = summary.records()
    return [list(rows[0]), *(list(row.values()) for row in rows)] if rows else [["coefficient"]]


def _for_screen(summary: Summary) -> Document:
    from consilience.document.plain_text import is_screen
    from consilience.report.summary_text import summary_document, with_labels

    document = summary_document(summary, beside=not is_screen(sys.stdout))
    return with_labels(summary, document) if _asks_for_all() else document


def _to_stdout(text: str) -> None:
    """Print as UTF-8 whatever the locale says, as every machine-readable format here is."""
    data = (text + "\n").encode("utf-8", "replace")
    stream = getattr(sys.stdout, "buffer", None)
    if stream is None:
        sys.stdout.write(text + "\n")
        return
    try:
        sys.stdout.flush()
        stream.write(data)
        stream.flush()
    except BrokenPipeError:
        reader_left()  # the other end has seen enough; a gate is still to be told


def reader_left() -> None:
    """Let what is still printed go nowhere: Python flushes stdout once more at exit."""
    with contextlib.suppress(OSError, ValueError):  # a stand-in in memory has no number
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def write_file(path: Path, content: str | bytes) -> None:
    """Write a whole file or none; --force decides about one that is there."""
    from consilience.core.output_files import write_bytes

    ctx = click.get_current_context(silent=True)
    # A name on disk need not be text: what cannot be encoded becomes a question mark.
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    write_bytes(path, data, existing=existing({} if ctx is None else ctx.params))


@contextlib.contextmanager
def progress(message: str) -> Iterator[Callable[[int, int], None]]:
    """Say on the terminal what is going on, once it takes longer than a second.

    Yields a callable of (done, total), which adds how far it has come.
    """
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    told = threading.Event()

    def tell(share: str = "") -> None:
        told.set()
        sys.stderr.write(f"\r{message} ...{share}\x1b[K")
        sys.stderr.flush()

    def update(done: int, total: int) -> None:
        if told.is_set():
            tell(f" {done / max(total, 1):.0%}")

    timer = threading.Timer(1.0, tell)
    timer.daemon = True
    timer.start()
    try:
        yield update
    finally:
        timer.cancel()
        if told.is_set():
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
