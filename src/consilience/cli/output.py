"""Where results go and in which form: on the terminal, or into a file, a page, a table."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import sys
import textwrap
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from consilience.cli.options import Function, option, together
from consilience.core.output_files import TemporaryFolder
from consilience.core.words import enumerated
from consilience.exceptions import ConsilienceError

if TYPE_CHECKING:
    from consilience.document import Document, Table
    from consilience.document.blocks import Block
    from consilience.io import Loaded
    from consilience.report import Page, Summary
    from consilience.report.result_pages import Drawing

# ---- Where results go: stdout, or a file that is written beside and renamed

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


FORCE = option("--force", "Replace a file that is there.")


def form_options(*forms: str) -> Callable[[Function], Function]:
    """Add a flag for each format."""
    return together(*(option(f"--{form}", _FLAGS[form], to=f"as_{form}") for form in forms))


def output_options(*forms: str) -> Callable[[Function], Function]:
    """Add --all, a flag for each format, --output and --force."""
    known = {form: ending for ending, form in reversed(_SUFFIXES.items())}
    page = [] if "apa" in forms else [".html"]  # the page of `measure` is the report
    endings = enumerated(
        [*(known[form] for form in forms if form in known), ".xlsx", ".parquet", *page]
    )
    output = option(
        "--output -o FILE",
        f"Write to a file instead; {endings} choose the format, .txt is plain text.",
        type=FILE,
    )
    return together(ALL, form_options(*forms), output, FORCE)


REPORT = option(
    "--report FILE", "Also write the result as an HTML page that needs nothing else.", type=FILE
)


TITLE = option("--title TEXT", "Heading of the page.", default="")


def figure_option(
    about: str = "Draw a figure, too", name: str = "--figure"
) -> Callable[[Function], Function]:
    """Return the option with which a figure is drawn beside the result."""
    return option(f"{name} FILE", f"{about}; .svg, .pdf and .png choose the format.", type=FIGURE)


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
    from consilience.document.records import to_json

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
    from consilience.document.records import flat_rows

    tables = [block for block in document.blocks if isinstance(block, Table)]
    return [(one.caption, flat_rows(one)) for one in tables]


def plain_page(document: Document, title: str = "", drawings: Sequence[Any] = ()) -> Page:
    """Make the page of a document and its figures, with how it was made at the end."""
    from consilience.report.result_pages import result_page

    made = how_made(click.get_current_context().params)
    return result_page(document, drawings, title=title, **made)


def _text(document: Document, output: Path | None, *, whole: bool = False) -> str:
    if output is not None:
        return document.text()
    from consilience.document.text import columns_of, fits, for_stream

    width = columns_of(sys.stdout)
    if not (whole or _asks_for_all() in (None, True) or fits(document, width)):
        from consilience.document.text import short

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

    return (workbook if form == "xlsx" else parquet)(tables)


def _lines(summary: Summary) -> list[list[object]]:
    rows = summary.records()
    return [list(rows[0]), *(list(row.values()) for row in rows)] if rows else [["coefficient"]]


def _for_screen(summary: Summary) -> Document:
    from consilience.document.text import is_screen
    from consilience.report.summary import summary_document, with_labels

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


# ---- Tables of results as a workbook or as Parquet: unrounded, one column for each end of a range

Rows = list[list[object]]  # the first row holds the names


def workbook(tables: Sequence[tuple[str, Rows]]) -> bytes:
    """Return a workbook with one sheet for each table."""
    from consilience.io.grids.workbooks import never_a_formula, new_workbook, save_workbook

    with TemporaryFolder() as folder, new_workbook() as book:
        for number, (_, rows) in enumerate(tables, 1):
            sheet = book.create_sheet("results" if len(tables) == 1 else f"results {number}")
            for row in rows:
                sheet.append([never_a_formula(sheet, _plain(value)) for value in row])
        path = folder / "results.xlsx"
        save_workbook(book, path)
        return path.read_bytes()


def parquet(tables: Sequence[tuple[str, Rows]]) -> bytes:
    """Return one table as Parquet."""
    from consilience.core.database import Session, quoted
    from consilience.document.records import csv_line

    if len(tables) != 1:
        raise click.UsageError(
            f"a Parquet file holds one table, and this result has {len(tables)}. Name a file that "
            "ends in .xlsx, .csv or .json."
        )
    heads, *rows = tables[0][1]
    kinds = [_kind([row[j] for row in rows]) for j in range(len(heads))]
    columns = ", ".join(
        f"{quoted(str(head))}: '{kind}'" for head, kind in zip(heads, kinds, strict=True)
    )
    with Session() as session:
        scratch, target = session.scratch / "rows.csv", session.scratch / "rows.parquet"
        with scratch.open("w", encoding="utf-8", newline="") as stream:
            stream.writelines(csv_line(map(_plain, row)) for row in [heads, *rows])
        session.save_parquet(
            f"SELECT * FROM read_csv({session.safe_path(scratch)}, columns = {{{columns}}}, "
            "auto_detect = false, header = true, delim = ',', quote = '\"', escape = '\"', "
            "nullstr = '')",
            target,
        )
        return target.read_bytes()


def _plain(value: object) -> Any:
    """Return a cell as a text, a number or nothing."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return float(value) if abs(value) < float("inf") else None
    if isinstance(value, (list, tuple, frozenset)):
        return ", ".join(map(str, value))
    return str(value)


def _kind(cells: Sequence[object]) -> str:
    given = [cell for cell in map(_plain, cells) if cell is not None]
    if not given or any(isinstance(cell, str) for cell in given):
        return "VARCHAR"
    if all(isinstance(cell, bool) for cell in given):
        return "BOOLEAN"
    return "BIGINT" if all(type(cell) is int for cell in given) else "DOUBLE"


# ---- The command line as one types it, to be shown and pasted again

_NAMING = ("rater", "people", "systems", "expert", "gold")  # options with the names of raters
_PARAMS = {"gold": "gold_answers"}  # the names of options, where the library has others


def typed_command(
    ctx: click.Context,
    *,
    without: Collection[str] = (),
    more: Sequence[str] = (),
) -> str:
    """Return the command that was typed, without some options and with others."""
    words = ["consilience", str(ctx.info_name), *_arguments(ctx)]
    for param in ctx.command.params:
        source = ctx.get_parameter_source(param.name or "")
        is_typed = source is not None and source.name == "COMMANDLINE"
        if not isinstance(param, click.Option) or not is_typed or param.name in without:
            continue
        words += typed(param, ctx.params[param.name or ""])
    return shlex.join([*words, *more])


def _arguments(ctx: click.Context) -> list[str]:
    """Return the words that are no options: files, and what else a command takes by its place."""
    found: list[str] = []
    for param in ctx.command.params:
        value = ctx.params.get(param.name or "")
        if isinstance(param, click.Argument) and value is not None:
            found += map(str, value if isinstance(value, tuple) else (value,))
    return found


def how_made(options: dict[str, Any]) -> dict[str, Any]:
    """Return what a page ends with: how the files were read, and the command that was typed."""
    ctx = click.get_current_context()
    command = typed_command(ctx, without=("force", "quiet"))
    if options.get("anonymise") and any(options.get(name) for name in _NAMING):
        command = ""  # it would tell the names that were to be hidden
    return {"command": command, "reading": list(dict.fromkeys(ctx.meta.get(READING, ())))}


def as_typed(error: ConsilienceError) -> ConsilienceError:
    """Let a refusal offer the command that was typed, with the options that settle the matter."""
    ctx = click.get_current_context(silent=True)
    offers = getattr(error, "offers", ())
    if ctx is None or not offers:
        return error

    def line(offer: Any) -> str:
        settled = {_PARAMS.get(name, name) for name in offer.options} | {"explain"}
        if "variable" in settled:
            settled.add("variables")
        return typed_command(ctx, without=settled, more=_taken(ctx, offer.words_of_flags()))

    whole = bool(ctx.params.get("explain"))
    reworded: ConsilienceError = error.as_typed(line, whole=whole)  # type: ignore[attr-defined]
    return reworded


def _taken(ctx: click.Context, words: Sequence[str]) -> list[str]:
    """Leave out options that the command has under another name, such as --by of a sweep."""
    known = {name for param in ctx.command.params for name in (*param.opts, *param.secondary_opts)}
    kept: list[str] = []
    is_kept = True
    for word in words:
        if word.startswith("--"):
            is_kept = word in known
        if is_kept:
            kept.append(word)
    return kept


def typed(param: click.Option, value: Any) -> list[str]:
    """Return an option as one types it."""
    name = max(param.opts, key=len)
    if param.is_flag:
        return [name if value else max(param.secondary_opts or param.opts, key=len)]
    values = value if param.multiple and not isinstance(value, str) else [value]
    if isinstance(value, dict) and param.name == "map":
        values = [f"{old}={new or ''}" for old, new in value.items()]
    elif isinstance(value, dict):  # scales by the names of variables
        values = [word if one == "*" else f"{one}={word}" for one, word in value.items()]
    elif param.name == "classes":
        values = [value[0] if len(value) == 1 else f"{value[0]}-{value[-1]}"]
    elif isinstance(value, (list, tuple)) and not param.multiple and param.nargs == 1:
        values = [",".join(_csv_cell(_as_typed(one)) for one in value)]  # split at commas
    return [word for one in values for word in (name, _as_typed(one))]


def _as_typed(value: object) -> str:
    """Write 60, not 60.0, for a number that is whole."""
    return str(value).removesuffix(".0") if isinstance(value, float) else str(value)


def _csv_cell(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if set(text) & set(',"') else text


# ---- What a record says about the data that a command has read


def facts(loaded: Loaded) -> dict[str, object]:
    """Return what the record says about the data."""
    from consilience.report.summary import DataFacts

    reading = loaded.reading
    return DataFacts.of(loaded.ratings, shape=reading.shape, sources=reading.sources).to_dict()


# ---- Several answers as one: a variable or group after the other, or documents below each other

_IN_ONE_TABLE = ("csv", "xlsx", "parquet")


def each(loaded: Loaded, find: Callable[[Loaded], Answer], **more: Any) -> Answer:
    """Return the answer of the one variable, or those of all variables or groups as one.

    `more` goes into the record of several.
    """
    from consilience.document import Document, Paragraph

    if loaded.by is None:
        return find(loaded)
    parts = _parts(loaded, find)
    record = _record(loaded, parts, more)
    if chosen_format(click.get_current_context().params) in _IN_ONE_TABLE:
        return Answer(document=Document(blocks=_in_one_table(parts, loaded.by)), record=record)
    blocks: list[Block] = []
    for name, part in parts.items():
        blocks.append(Paragraph(f"{loaded.by} {name}: {part.document.title}".rstrip(": ")))
        blocks += part.document.blocks
        blocks += [Paragraph(f"{one.severity}: {one.sentence}") for one in part.document.findings]
    return Answer(document=Document(blocks=tuple(blocks)), record=record)


def _parts(loaded: Loaded, find: Callable[[Loaded], Answer]) -> dict[str, Answer]:
    """Find the result of each group; one that has none says why and does not stop the others."""
    from consilience.document import Document, Finding
    from consilience.exceptions import UnsupportedDesignError

    found: dict[str, Answer] = {}
    refused: list[UnsupportedDesignError] = []
    for name, ratings in loaded.groups.items():
        alone = replace(loaded, groups={None: ratings}, by=None)
        try:
            found[str(name)] = find(alone)
        except UnsupportedDesignError as error:
            refused.append(error)
            why = Finding("not_measured", "problem", f"Not measured: {error}")
            record = {"data": facts(alone), "findings": [why.to_dict()]}
            found[str(name)] = Answer(document=Document(findings=(why,)), record=record)
    if refused and len(refused) == len(found):
        raise refused[0]
    return found


def _record(loaded: Loaded, parts: Mapping[str, Answer], more: dict[str, Any]) -> dict[str, Any]:
    """Return the record as `measure` writes it: facts about all, and a list of groups."""
    from consilience.document import envelope
    from consilience.report.measure import together
    from consilience.report.summary import DataFacts

    reading = loaded.reading
    ratings = list(loaded.groups.values())
    every = [DataFacts.of(r, shape=reading.shape, sources=reading.sources) for r in ratings]
    data = together(every, ratings, loaded.by or "group").to_dict()
    groups = [{"name": name, **_bare(part.record)} for name, part in parts.items()]
    return envelope(data=data, by=loaded.by, groups=groups, **more)


def _bare(record: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key not in ("schema", "version", "seed")}


def _in_one_table(parts: Mapping[str, Answer], by: str) -> Sequence[Block]:
    """Put tables with the same columns together, the name of the group before each row."""
    from consilience.document import Table

    tables: dict[tuple[str, ...], list[list[Any]]] = {}
    kept: dict[tuple[str, ...], Table] = {}
    for name, part in parts.items():
        for table in part.document.blocks:
            if isinstance(table, Table):
                heads = tuple(table.heads)
                kept.setdefault(heads, table)
                tables.setdefault(heads, []).extend([name, *row] for row in table.rows)
    return [replace(kept[heads], heads=(by, *heads), rows=rows) for heads, rows in tables.items()]


def joined(documents: Sequence[Document], before: str = "") -> Document:
    """Put documents below each other: each of them after its verdict, the first one's on top."""
    from consilience.document import Paragraph

    blocks: list[Any] = [Paragraph(before)] if before else []
    for place, one in enumerate(documents):
        if place and one.verdict is not None:
            blocks.append(Paragraph(one.verdict.sentence))
        blocks += one.blocks
    findings = [one for document in documents for one in document.findings]
    return replace(documents[0], blocks=tuple(blocks), findings=tuple(findings))
