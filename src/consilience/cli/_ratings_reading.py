"""How ratings come in: the options that every command shares, and the reading itself."""

from __future__ import annotations

import contextlib
import csv
import os
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from consilience.cli import _output as out
from consilience.cli._engine import engine_of
from consilience.cli._heeded import refuse
from consilience.cli._options import (
    COUNT,
    column_option,
    completed_by,
    option,
    split_categories,
    split_pairs,
    together,
)
from consilience.core.temporary_folders import TemporaryFolder

if TYPE_CHECKING:
    from consilience.io import Loaded, Reading

Function = TypeVar("Function", bound=Callable[..., Any])

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
GOLD = option(
    "--gold-answers",
    "In an export, the right answers: leave them out (default), compare them, or leave out "
    "the items that have one. In a table, rater compares a column called gold.",
    choices=("leave_out", "rater", "leave_out_items"),
)
EXPLAIN = option(
    "--explain", "Say what the file was taken for, why, and what overrules it; compute nothing."
)
ANONYMISE = option("--anonymise", "Call raters R1, R2, ... instead of by their names.")
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


_READING = (SCALE, CATEGORIES, MISSING_VALUE, MAP, IGNORE_CASE, SETS, CHAINS, SHARES,
            NO_RATER, FORMAT, SHEET, SHAPE, COLUMNS, ITEM, RATER, LABEL, CLUSTER,
            VARIABLE, VARIABLES, DUPLICATES, EMPTY, EXCLUDED, PREDICTIONS, GOLD,
            DELIMITER, ENCODING, HEADER, EXPLAIN, ANONYMISE, QUIET)  # fmt: skip


# Every option that says how a file of ratings is to be read.
reading_options = together(*_READING)


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


def read_with(
    options: dict[str, Any], columns: Mapping[str, str | None]
) -> tuple[Loaded, dict[str, dict[object, object]]]:
    """Read ratings and the columns that options name; nothing is told, nobody hidden yet."""
    beside = {word: name for word, name in columns.items() if name}
    if options.get("shares_of"):
        for word in beside:
            refuse("does not go with --shares-of", word.lstrip("-"))
        return _load_shares(options), {}
    form = _chains_of(options.get("chains"))
    if form is None:
        return _load(options, beside)
    from consilience.io.chain_files import chain_layout, chained

    # The names of the mentions are needed: they are the members of the chains.
    asked = {name: one for name, one in options.items() if name != "items" and one is not None}
    paths = options["paths"]
    one = len(paths) == 1 and "-" not in paths
    layout = chain_layout(paths[0] if one else None if "-" in paths else paths, asked)
    loaded, found = _load({**options, **layout, "items": None}, beside)
    return chained(loaded, **form), found


def _load_shares(options: dict[str, Any]) -> Loaded:
    """Read a cross-table of shares by way of the counts that they stand for."""
    from consilience.io import read_shares

    if len(options["paths"]) != 1 or "-" in options["paths"]:
        raise click.UsageError("--shares-of takes one file.")
    path = options["paths"][0]
    ratings = read_shares(path, n_items=options["shares_of"])
    with TemporaryFolder() as folder:
        saved = folder / "counts.csv"
        first, second = ratings.raters
        with saved.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.writer(stream)
            writer.writerow(["", *ratings.categories])
            for label, row in zip(ratings.categories, ratings.table(first, second), strict=True):
                writer.writerow([label, *row.tolist()])
        found, _ = _load({**options, "paths": (str(saved),), "shape": "table", "header": True}, {})
    return replace(found, reading=replace(found.reading, sources=(path,)))


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
        from consilience.core.shell_words import flag

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
    from consilience.core.shell_words import flag

    return loaded.reading.told(flag)


def wishes_of(options: dict[str, Any]) -> dict[str, Any]:
    """Return what the options say about reading, as arguments of the library."""
    from consilience.core.keywords import ReadingOptions

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
                    from consilience.io import load_reduced

                    wishes.pop("items", None)
                    loaded = load_reduced(paths, **engine, **wishes)
                elif beside:
                    from consilience.io.side_columns import load_beside

                    loaded, found = load_beside(paths, beside, **wishes)
                else:
                    loaded = load_files(paths, **wishes)
        except ConsilienceError as error:
            from consilience.cli._again import as_typed

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
