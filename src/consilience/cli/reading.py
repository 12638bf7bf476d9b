"""How ratings come in: options that commands share, the engine, columns beside the ratings."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from consilience.cli import output as out
from consilience.cli.options import (
    COUNT,
    Options,
    Rule,
    column_option,
    completed_by,
    option,
    refuse,
    split_categories,
    split_pairs,
    together,
)
from consilience.core.output_files import TemporaryFolder

if TYPE_CHECKING:
    from consilience.io import Loaded, Reading
    from consilience.ratings import Ratings

# ---- Where ratings are reduced: in this process by DuckDB, or on a Spark cluster; rows as files


# Where large tables are worked on.
place_options = together(
    option(
        "--engine",
        "Work on files of any size where they lie: in this process, or on Spark.",
        choices=("duckdb", "spark"),
    ),
    option("--master URL", "Spark's master. Default: local[*]."),
    option("--memory-limit SIZE", "Memory for --engine duckdb, such as 1GB."),
    option(
        "--spill DIR",
        "Folder for what does not fit into memory.",
        type=click.Path(path_type=Path, exists=True, file_okay=False),
    ),
)
# The options of large tables.
engine_options = together(
    place_options,
    option(
        "--save-rows FILE",
        "Also save the distinct items and their numbers, to be merged or measured again.",
        type=out.FILE,
    ),
    option(
        "--add-to ROWS",
        "Add to this file of rows, each file once, and measure all that is in it.",
        type=click.Path(path_type=Path),
    ),
)

_READ_HERE = ("map", "ignore_case", "sets", "no_rater")


def _has_engine(options: Options) -> bool:
    return options.get("engine") is not None


def _has_rows(options: Options) -> bool:
    return any(path.lower().endswith(".rows") for path in options["paths"])


# What an engine cannot do to labels while it reads, and what only an engine heeds.
PLACE_RULES = (
    Rule(("master", "memory_limit", "spill", "save_labels"),
         lambda options: not (_has_engine(options) or _has_rows(options)),
         "needs --engine", "add --engine duckdb or --engine spark"),
    Rule(("master",), lambda options: options.get("engine") == "duckdb", "is for --engine spark"),
    Rule(("memory_limit", "spill"), lambda options: options.get("engine") == "spark",
         "is for --engine duckdb"),
    Rule(_READ_HERE, lambda options: _has_engine(options) and not _has_rows(options),
         "is for files that are read here, not for --engine"),
)  # fmt: skip


def loaded_rows(options: dict[str, Any]) -> Loaded | None:
    """Return ratings from files of rows; None where the files are others."""
    paths = options["paths"]
    rows = [path for path in paths if path.lower().endswith(".rows")]
    if rows and len(rows) < len(paths):
        raise click.UsageError("files of rows and other files cannot be measured together.")
    if rows:
        return _loaded(_from_rows(rows), rows, options)
    return None


def _from_rows(paths: list[str]) -> Ratings:
    from consilience.engine import load_rows
    from consilience.engine.rows_file import add_rows

    first, *rest = [(load_rows(path), Path(path)) for path in paths]
    merged, name = first
    for ratings, path in rest:
        merged = add_rows(merged, ratings, name, path)
    return merged


def _loaded(ratings: Ratings, paths: list[str], options: dict[str, Any]) -> Loaded:
    from consilience.core.reading_account import Account
    from consilience.io import Loaded, Reading

    why = "distinct items and how often each occurs, as they were saved"
    counts = {"raters": ratings.n_raters, "ratings": ratings.n_ratings}
    reading = Reading(
        sources=tuple(paths),
        format="rows",
        shape="long",
        columns={},
        n_rows=ratings.n_ratings,
        evidence=(why,),
        account=Account(counts, dict(counts)),
    )
    if not options["quiet"]:
        out.tell(f"{', '.join(paths)}: {why}")
    return Loaded({None: ratings.read_as(reading)}, reading)


def engine_of(options: dict[str, Any]) -> dict[str, Any]:
    """Return what the options say about the engine, as arguments of the library."""
    if options.get("engine") is None:
        return {}
    return {
        "engine": options["engine"],
        "master": options["master"],
        "memory_limit": options["memory_limit"],
        "spill_folder": options["spill"],
    }


def added_to_rows(loaded: Loaded, options: dict[str, Any]) -> Loaded:
    """Add what was read to a file of rows, and return all that is in it."""
    path = options["add_to"]
    if path is None:
        return loaded
    from consilience.engine import add_to_rows

    if loaded.by is not None:
        raise click.UsageError("--add-to adds one variable. Name one --label.")
    for name in options["paths"]:
        if not Path(name).is_file():
            raise click.UsageError(f"--add-to needs plain files, which {name} is not.")
    inside, is_new = add_to_rows(loaded.ratings, path, sources=list(options["paths"]))
    names = ", ".join(options["paths"])
    if is_new:
        out.tell(f"Added to {path}: {inside.ratings!r}")
    else:
        out.tell(f"{names} was added to {path} before: nothing was added.")
    return _loaded(inside.ratings, [str(path)], {**options, "quiet": True})


def save_rows(loaded: Loaded, options: dict[str, Any]) -> None:
    """Save the rows where that was asked for."""
    path = options["save_rows"]
    if path is None:
        return
    from consilience.engine import save_rows as save

    if loaded.by is not None:
        raise click.UsageError("--save-rows saves one variable. Name one --label.")
    save(loaded.ratings, path, existing=out.existing(options))
    out.tell(f"Wrote {path}")


# ---- How ratings come in: the options that every command shares, and the reading itself

_SHAPES = ("long", "wide", "transposed", "counts", "table")
_LARGEST_STDIN = 2 << 30  # bytes
_SCALES = ("nominal", "ordinal", "interval", "ratio", "proposed")


class _Scale(click.ParamType):  # type: ignore[type-arg]
    """A scale, alone or behind the name of a variable: ordinal, tone=ordinal."""

    name = "scale"
    choices = _SCALES
    words = click.Choice(choices)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        """Return the name, empty where there is none, and the scale."""
        name, _, word = str(value).rpartition("=")
        return name, self.words.convert(word, param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[Any]:
        """Offer the scales."""
        return self.words.shell_complete(ctx, param, incomplete)


def _scales(
    ctx: click.Context, param: click.Parameter, told: tuple[tuple[str, str], ...]
) -> str | dict[str, str] | None:
    """Return the one scale for all, or a dict where variables were named; the last one counts."""
    scales = {name or "*": word for name, word in told}
    if scales.keys() <= {"*"}:
        return scales.get("*")
    return scales


SCALE = option(
    "--scale [NAME=]SCALE...",
    "How labels relate: nominal (default), ordinal, interval, ratio, or proposed, as the file "
    "suggests. With a name, of one variable, as in tone=ordinal; repeat for more.",
    type=_Scale(),
    callback=_scales,
)
CATEGORIES = option(
    "--categories A,B,C",
    "Labels that could be used, in order, separated by commas.",
    callback=split_categories,
)
MISSING_VALUE = option(
    "--missing-value LABEL...",
    "Label that means 'no rating'; repeat for more. Empty cells always do.",
    to="missing_values",
)
MAP = option(
    "--map OLD=NEW...",
    "Count label OLD as NEW; 'OLD=' means no rating. Repeat for more.",
    to="map",
    callback=split_pairs,
)
IGNORE_CASE = option("--ignore-case", "Take labels that differ in case only for one.")
SETS = option(
    "--sets SIGN", "Sign between several labels in one cell, such as ',': each cell is a set."
)
CHAINS = option(
    "--chains FORM",
    "Coreference: items are mentions and labels their antecedents (links) or entities; each "
    "label becomes the chain of mentions. links:before takes only what stands before the mention, "
    "links:exclude leaves the mention itself out, entities:alone takes a mention that a rater did "
    "not mark as standing alone. CoNLL files name entities.",
)
SHARES = option(
    "--shares-of N",
    "PATH is a cross-table of shares, as papers print them, of N items.",
    to="shares_of",
    type=COUNT,
)
NO_RATER = option(
    "--no-rater",
    "A rating in a row that names no rater: refuse the file (default), or skip the row.",
    choices=("refuse", "skip"),
)
SHEET = option(
    "--sheet NAME...",
    "Sheet of a workbook, by name or by number from 1, or table of a database; repeat for more.",
)
SHAPE = option("--shape", "Layout of the file. Default: recognised.", choices=_SHAPES)
COLUMNS = option(
    "--columns PATTERN",
    "How the columns of several variables are named, such as '{variable}_{rater}'. "
    "Default: recognised.",
)
ITEM = column_option(
    "--item", "Column that names the item; several together name it.", multiple=True
)
RATER = column_option(
    "--rater", "Column that names the rater; several are the raters of a wide table.", multiple=True
)
LABEL = column_option(
    "--label",
    "Column with the label, or a pattern such as 'v*'; several give one result each.",
    multiple=True,
)
CLUSTER = column_option(
    "--cluster",
    "Column that says which items belong together, such as the patient or the document.",
)
FORMAT = option(
    "--format NAME",
    "Format of the file, such as prodigy. Default: recognised by its content.",
    shell_complete=completed_by("formats"),
)
VARIABLE = option(
    "--variable NAME...",
    "Question to read, where a file has several; a pattern, or repeat for more.",
)
VARIABLES = click.option("--variables", multiple=True, hidden=True)  # the same, as some will type
EMPTY = option(
    "--empty",
    "In an export, asked but no label given: missing (default), or a label of its own; "
    "label_all: also where the item seems never to have been opened.",
    choices=("missing", "label", "label_all"),
)
EXCLUDED = option(
    "--excluded",
    "In an export, cancelled, rejected or skipped entries and drafts. Default: leave_out; "
    "label makes labels of verdicts that were refused, unparsable or failed.",
    choices=("leave_out", "keep_rejected", "keep", "label"),
)
PREDICTIONS = option(
    "--predictions",
    "In an export, what a system proposed: leave it out (default), or compare it.",
    choices=("leave_out", "raters"),
)
GOLD_ANSWERS = option(
    "--gold-answers",
    "In an export, the right answers: leave them out (default), compare them, or leave out "
    "the items that have one. In a table, rater compares a column called gold.",
    choices=("leave_out", "rater", "leave_out_items"),
)
EXPLAIN = option(
    "--explain", "Say what the file was taken for, why, and what overrules it; compute nothing."
)
ANONYMISE = option("--anonymise", "Call raters R1, R2, ... instead of by their names.")
BY = column_option("--by", "One result per value of this column.")
DUPLICATES = option(
    "--duplicates",
    "What to do when a rater rated an item twice.",
    choices=("refuse", "first", "last", "occasions"),
    default="refuse",
)
DELIMITER = option("--delimiter SIGN", "Delimiter of a text file, such as ';' or tab.")
ENCODING = option("--encoding NAME", "Encoding of a text file, such as cp1252.")
HEADER = option("--header/--no-header", "Whether the first line holds names.", default=None)
QUIET = option("--quiet -q", "Say nothing about reading but what could change the answer.")


# Every option that says how a file of ratings is to be read.
reading_options = together(
    SCALE, CATEGORIES, MISSING_VALUE, MAP, IGNORE_CASE, SETS, CHAINS, SHARES, NO_RATER, FORMAT,
    SHEET, SHAPE, COLUMNS, ITEM, RATER, LABEL, CLUSTER, VARIABLE, VARIABLES, DUPLICATES, EMPTY,
    EXCLUDED, PREDICTIONS, GOLD_ANSWERS, DELIMITER, ENCODING, HEADER, EXPLAIN, ANONYMISE, QUIET,
)  # fmt: skip
PATHS = click.argument("paths", metavar="PATH...", nargs=-1, required=True)
# What every command has that reads ratings and tells a result of them.
on_ratings = together(
    PATHS, reading_options, out.output_options("json", "csv", "markdown", "latex")
)
# The names of their parameters.
READING = tuple(str(one.name) for one in click.command()(reading_options(lambda: None)).params)


def load(options: dict[str, Any]) -> Loaded:
    """Read the ratings that the options name, and tell on stderr what they were taken for."""
    return load_with(options, {})[0]


def load_with(
    options: dict[str, Any], columns: Mapping[str, str | None]
) -> tuple[Loaded, dict[str, dict[object, object]]]:
    """Read ratings and the columns that options name, by item and by (item, rater); tell of it."""
    loaded, found = read_with(options, columns)
    return told(loaded, options), found


def settled_by(error: Exception, names: Collection[str]) -> dict[str, Any]:
    """Return item and raters where only who was named is in doubt; nothing where more is.

    Then the two likeliest readings of a refusal differ in these raters alone, and a rater whom
    somebody names is one.
    """
    from consilience.io.layout.decision import AmbiguousTableError

    cause = error.__cause__ if isinstance(error.__cause__, AmbiguousTableError) else error
    nearest = [one.options for one in getattr(cause, "offers", ())[:2]]
    if not names or len(nearest) < 2 or any(one.get("shape") != "wide" for one in nearest):
        return {}
    items = {tuple(one.get("item", ())) for one in nearest}
    raters = [tuple(one.get("rater", ())) for one in nearest]
    rest = {frozenset(one).difference(names) for one in raters}
    everybody = max(raters, key=len)
    if len(items) > 1 or len(rest) > 1 or not set(names) <= set(everybody):
        return {}
    return {"shape": "wide", "item": items.pop(), "rater": everybody}


def read_with(
    options: dict[str, Any], columns: Mapping[str, str | None]
) -> tuple[Loaded, dict[str, dict[object, object]]]:
    """Read ratings and the columns that options name; nothing is told, nobody hidden yet."""
    beside = {word: name for word, name in columns.items() if name}
    if options.get("shares_of"):
        for word in beside:
            refuse("does not go with --shares-of", word.lstrip("-"))
    form = _chains_of(options.get("chains"))
    if form is None:
        return _load(options, beside)
    from consilience.io.chain_files import chain_layout, chained

    # The names of the mentions are needed: they are the members of the chains.
    asked = {name: one for name, one in options.items() if name != "items" and one is not None}
    paths = options["paths"]
    one = len(paths) == 1 and "-" not in paths
    layout = chain_layout(paths[0] if one else None if "-" in paths else paths, asked)
    told = {**options, "cluster": None, **layout.options, "items": None}
    loaded, found = _load(told, beside)
    return chained(loaded, layout, **form), found


def _chains_of(word: str | None) -> dict[str, str] | None:
    """Take apart what --chains says: a form, and what belongs to a chain."""
    if word is None:
        return None
    form, *more = word.split(":")
    known = {"before": "scope", "exclude": "itself", "alone": "unmarked", "missing": "unmarked",
             "any": "items"}  # fmt: skip
    if form not in ("links", "entities") or any(one not in known for one in more):
        raise click.BadParameter(
            f"{word!r} is not like links, entities, links:before or links:exclude.",
            param_hint="--chains",
        )
    return {"form": form, **{known[one]: one for one in more}}


def told(loaded: Loaded, options: dict[str, Any]) -> Loaded:
    """Hide names if that was asked for, and say how the file was read: shortly, or all of it."""
    if options.get("anonymise"):
        from consilience.io import anonymised

        loaded = anonymised(loaded)
    _refuse_idle(loaded.reading, options)
    if options.get("explain"):
        from consilience.core.options import flag

        out.put(loaded.reading.explain(flag).text(), None)
        raise click.exceptions.Exit(0)
    if out.writes_pages(options):
        out.keep_reading(_said(loaded), anonymised=bool(options.get("anonymise")))
    if not options["quiet"]:
        out.tell(_said(loaded))
    else:  # never silent about what could change the answer
        for one in loaded.reading.account.that_matters:
            out.tell(f"{loaded.reading.sources[0]}: {one}")
    return loaded


_NO_TEXT = ("excel", "ods", "xls", "json", "parquet", "duckdb", "spss", "stata")
_NO_HEADER = ("json", "parquet", "duckdb", "spss", "stata")


def _refuse_idle(reading: Reading, options: dict[str, Any]) -> None:
    """Refuse options of reading that say nothing about such a file, now that it is known."""
    ctx = click.get_current_context(silent=True)
    if ctx is None or tuple(options["paths"]) != tuple(ctx.params.get("paths", options["paths"])):
        return  # one of several files: another one may heed them
    if reading.format in _NO_TEXT:
        refuse("is for delimited text", "delimiter", "encoding")
    if reading.format in _NO_HEADER:
        refuse("is for delimited text and workbooks", "header")
    if not reading.title:
        refuse("is for exports of annotation platforms", "empty", "excluded", "predictions")
    if reading.shape != "long":
        refuse("is for tables with one row per rating", "no_rater")
    if reading.shape in ("counts", "table"):
        refuse("is for tables that name items and raters", "duplicates")
    policy = options.get("gold_answers")
    is_wide = reading.shape == "wide"
    if not reading.title and (policy == "leave_out_items" or (policy == "rater" and not is_wide)):
        refuse("is for exports; 'rater' also for tables with a column per rater", "gold_answers")
    if options.get("engine") and not reading.is_reduced:
        refuse("has no effect here: only one label of a table with one row per rating is reduced",
               "engine", "master", "memory_limit", "spill")  # fmt: skip


def _said(loaded: Loaded) -> str:
    from consilience.core.options import flag

    return loaded.reading.told(flag)


def wishes_of(options: dict[str, Any]) -> dict[str, Any]:
    """Return what the options say about reading, as arguments of the library."""
    from consilience.core.options import ReadingOptions

    # --gold of some commands is a column; the policy of the library has a flag of its own.
    names = ReadingOptions.__annotations__.keys() - {"missing_values", "gold"}
    wishes = {name: wish for name in names if (wish := options.get(name)) not in (None, (), {})}
    both = (*(options.get("variable") or ()), *(options.get("variables") or ()))
    if both:
        wishes["variable"] = both
    if options.get("gold_answers"):
        wishes["gold"] = options["gold_answers"]
    return {**wishes, "missing_values": options["missing_values"]}


def _load(
    options: dict[str, Any], beside: Mapping[str, str]
) -> tuple[Loaded, dict[str, dict[object, object]]]:
    from consilience.exceptions import ConsilienceError, InputError
    from consilience.io import load as load_files

    def hidden(text: str) -> str:
        from consilience.io.anonymise import without_emails

        return without_emails(text) if options.get("anonymise") else text

    wishes = wishes_of(options)
    engine = engine_of(options)
    found: dict[str, dict[object, object]] = {}
    with _files(options["paths"]) as (paths, stand_in):
        try:
            with out.progress(f"Reading {', '.join(paths)}"):
                if engine:
                    from consilience.io.large_tables import load_reduced

                    wishes.pop("items", None)
                    loaded = load_reduced(paths, **engine, **wishes)
                elif beside:
                    from consilience.io.side_columns import load_beside

                    loaded, found = load_beside(paths, beside, **wishes)
                else:
                    loaded = load_files(paths, **wishes)
        except ConsilienceError as error:
            from consilience.cli.output import as_typed

            error = as_typed(error)
            message = error.words
            if stand_in is not None:
                saved = stand_in
                message = message.changed(lambda text: text.replace(saved, "standard input"))
            again = error.retold(message.changed(hidden))
            if isinstance(again, InputError) and options.get("explain") and again.seen is not None:
                again.below = hidden(again.explain().text())
            raise again from error
    if stand_in is None:
        return loaded, found
    sources = tuple("-" if name == stand_in else name for name in loaded.reading.sources)
    return replace(loaded, reading=replace(loaded.reading, sources=sources)), found


@contextlib.contextmanager
def _files(paths: tuple[str, ...]) -> Iterator[tuple[list[str], str | None]]:
    """Yield the paths, with standard input saved to a file whose name is given beside them."""
    if "-" not in paths:
        yield list(paths), None
        return
    with TemporaryFolder() as folder:
        saved = folder / "stdin"
        _save_stdin(saved)
        yield [str(saved) if path == "-" else path for path in paths], str(saved)


def _is_endless() -> bool:
    """Tell whether standard input is a device such as /dev/zero; a terminal and null end."""
    try:
        status = os.fstat(sys.stdin.fileno())
        is_null = os.path.samestat(status, os.stat(os.devnull))
    except (OSError, ValueError):
        return False  # a stand-in in memory
    return stat.S_ISCHR(status.st_mode) and not sys.stdin.isatty() and not is_null


def _save_stdin(target: Path) -> None:
    """Save standard input to a file, within a budget: a device may go on for ever."""
    from consilience.core.input_files import Said
    from consilience.exceptions import InputError

    left = _LARGEST_STDIN
    if _is_endless():
        raise InputError.expected(
            "standard input", "a file or a pipe", Said("a device"), "save the data to a file first"
        )
    with target.open("wb") as stream:
        while left > 0 and (chunk := sys.stdin.buffer.read(1 << 20)):
            stream.write(chunk)
            left -= len(chunk)
    if left <= 0:
        raise InputError.expected(
            "standard input", f"at most {_LARGEST_STDIN >> 30} GB", Said("more than that"),
            "save it to a file first and name the file",
        )  # fmt: skip


# ---- Columns beside the ratings that say more about the items: read with them, in one go

GOLD = option("--gold NAME", "Rater or column that is the gold standard.")

Pairs = Iterable[tuple[object, object]]  # an item, and what its column says
ByItem = dict[str, dict[str, object]]  # option, item, value

_COLUMNS = ("document", "gold", "time", "stratum", "weight", "answers_of", "uncertainty", "author",
            "length", "position", "batch")  # fmt: skip
_CHANGING = ("time",)  # may differ between the ratings of an item


def read_beside(
    options: dict[str, Any], reading: Mapping[str, Any], names: Collection[str] = _COLUMNS
) -> tuple[Loaded, ByItem]:
    """Read the ratings, and by item what the columns say that options name.

    The columns are set aside before the layout is recognised: one with essays or times may well
    look like an item's name, or like one more rater of a wide table. --gold may also name a rater,
    who is none of them.
    """
    from consilience.exceptions import InputError
    from consilience.io.layout.decision import AmbiguousTableError

    asked = dict(reading)
    columns = {name: options[name] for name in names if options.get(name)}
    if "-" in asked["paths"]:  # which is read once only
        return _read(options, asked, {n: c for n, c in columns.items() if n != "gold"})
    try:
        return _read(options, asked, columns)
    except AmbiguousTableError:
        raise
    except InputError as error:
        loaded, _ = read_with(asked, {})
        if loaded.reading.title:
            return loaded, _by_item(options, loaded, _fields(options, loaded, columns))
        if not is_rater(loaded, columns.get("gold")):
            raise error from None
    return _read(options, asked, {n: c for n, c in columns.items() if n != "gold"})


def is_rater(loaded: Loaded, name: str | None) -> bool:
    """Tell whether somebody of that name rated."""
    return any(str(who) == name for part in loaded.groups.values() for who in part.raters)


def gold_in(options: dict[str, Any], ratings: Ratings, beside: ByItem) -> Any:
    """Return the gold standard: the rater who is it, or the labels of a column."""
    for rater in ratings.raters:
        if str(rater) == options["gold"]:
            return rater
    if "gold" in beside:
        return beside["gold"]
    raise click.UsageError("--gold needs a file: standard input can be read once only.")


def of_items(beside: ByItem, wanted: Mapping[str, str]) -> dict[str, Any]:
    """Return argument to what a column says about each item, for the options that name one."""
    return {to: beside[option] for option, to in wanted.items() if option in beside}


def _read(
    options: dict[str, Any], asked: dict[str, Any], columns: Mapping[str, str]
) -> tuple[Loaded, ByItem]:
    flags = {f"--{name.replace('_', '-')}": name for name in columns}
    loaded, found = read_with(asked, {flag: columns[name] for flag, name in flags.items()})
    pairs: dict[str, Pairs] = {
        flags[flag]: [(key[0] if isinstance(key, tuple) else key, value)
                      for key, value in values.items()]
        for flag, values in found.items()
    }  # fmt: skip
    return loaded, _by_item(options, loaded, pairs)


def _fields(
    options: dict[str, Any], loaded: Loaded, columns: Mapping[str, str]
) -> dict[str, Pairs]:
    """Return what fields of a flat export say about the items."""
    from consilience.exceptions import InputError
    from consilience.io.side_columns import read_columns

    item = next((one.taken for one in loaded.reading.guesses if one.what == "item"), "")
    found: dict[str, list[tuple[object, object]]] = {name: [] for name in columns}
    for path in options["paths"]:
        table = read_columns(path, delimiter=options["delimiter"], encoding=options["encoding"])
        for name, column in columns.items():
            for one in (column, item):
                if one not in table:
                    flag = f"--{name.replace('_', '-')}"
                    said = str(InputError.unknown_word(f"{path}: {flag}", one, list(table)))
                    raise InputError(
                        said.replace("must be one of", "must be one of the columns", 1)
                    )
            found[name] += zip(table[item], table[column], strict=True)
    return dict(found)


def _by_item(options: dict[str, Any], loaded: Loaded, pairs: Mapping[str, Pairs]) -> ByItem:
    return {name: _one_each(options, loaded, name, some) for name, some in pairs.items()}


def _one_each(
    options: dict[str, Any], loaded: Loaded, name: str, pairs: Pairs
) -> dict[str, object]:
    """Return one value for each item; gold labels are cleaned as the raters' labels were."""
    from consilience.exceptions import InputError

    known = [(str(item), value) for item, value in pairs if value is not None]
    numbers = _numbers([value for _, value in known])
    values: dict[str, Any] = {}
    for item, cell in known:
        value = numbers.get(cell, cell) if name != "gold" else cell
        before = values.setdefault(item, value)
        if before == value:
            continue
        if name in _CHANGING:
            values[item] = min(before, value)
            continue
        raise InputError.expected(
            f"the column {options[name]!r}",
            "the same in all rows of an item",
            f"{before}, {value} for item {item}",
            f"correct the file, or leave out --{name.replace('_', '-')}",
            where=loaded.reading.sources[0],
        )
    return _as_labels(options, loaded, values) if name == "gold" else values


def _numbers(cells: list[object]) -> dict[object, object]:
    """Return the numbers that texts stand for, where all of them do."""
    from consilience.core.cell_values import written_numbers

    texts = [cell for cell in dict.fromkeys(cells) if isinstance(cell, str)]
    found = written_numbers(texts) if texts and len(set(cells)) == len(texts) else None
    return {} if found is None else dict(zip(texts, found[0], strict=True))


def _as_labels(
    options: dict[str, Any], loaded: Loaded, values: dict[str, object]
) -> dict[str, object]:
    from consilience.io.side_columns import labels_like

    told = {name: options[name] for name in ("map", "ignore_case", "missing_values", "sets")
            if options.get(name)}  # fmt: skip
    return labels_like(next(iter(loaded.groups.values())), values, **told)


# ---- Ratings that were repeated: one set of ratings with all occasions

OCCASION = option(
    "--occasion COLUMN", "Column that tells repeated ratings of an item by the same rater apart."
)


def load_occasions(options: dict[str, Any], *, also: str | None = None) -> tuple[Loaded, ByItem]:
    """Read the ratings and --gold; with --occasion, join all occasions, the earliest first.

    `also` says what a rating that is there twice means where no column was named.
    """
    column = options["occasion"]
    if column is None and also is not None and options["duplicates"] == "refuse":
        options = {**options, "duplicates": also}
    if column is not None:
        options = {**options, "by": column}
    read, beside = read_beside(options, options, ("gold", "cluster"))
    loaded = told(read, options)
    if column is None:
        return loaded, beside
    joined = _joined(loaded, options)
    if "cluster" in beside:
        of_items = [beside["cluster"].get(str(item)) for item in joined.items]
        joined = joined.with_clusters(of_items, options["cluster"])
    return replace(loaded, groups={None: joined}, by=None), beside


def _joined(loaded: Loaded, options: dict[str, Any]) -> Ratings:
    from consilience.latent.votes import entries_of
    from consilience.ratings import Ratings

    columns: dict[str, list[object]] = {"item": [], "rater": [], "label": [], "occasion": []}
    names = sorted(loaded.groups, key=lambda name: _in_order(str(name)))
    for place, name in enumerate(names):
        part = loaded.groups[name]
        entries = entries_of("--occasion", part)
        columns["item"] += [part.items[k] for k in entries.item.tolist()]
        columns["rater"] += [part.raters[k] for k in entries.rater.tolist()]
        columns["label"] += [part.categories[k] for k in entries.label.tolist()]
        columns["occasion"] += [place] * entries.item.size
    return Ratings.from_long(
        columns,
        occasion="occasion",
        duplicates="occasions",
        scale=next(iter(loaded.groups.values())).told_scale,
        categories=options["categories"],
    )


def _in_order(name: str) -> tuple[int, float, str]:
    from consilience.core.cell_values import as_number

    number = as_number(name)
    return (1, 0.0, name) if number is None else (0, number, name)
