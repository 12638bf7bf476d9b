"""How units come in: the options that say how annotation files are to be read."""

from __future__ import annotations

import contextlib
import csv
import re
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import click

from consilience.cli import _output as out
from consilience.cli._heeded import refuse
from consilience.cli._options import option, together
from consilience.cli._ratings_reading import DELIMITER, ENCODING, HEADER, QUIET, _files

if TYPE_CHECKING:
    from consilience.io.annotations import LoadedUnits

Function = TypeVar("Function", bound=Callable[..., Any])
_TOLD = 4  # kinds of things set aside that one line names
_TIME_UNITS = ("ms", "s", "frame", "character", "token")
_ROLES = ("start", "end", "duration", "label", "rater", "session", "tier", "span")

# What the library calls its arguments, and the command line its options.
_NAMES = {
    "point_tolerance": "--tolerance",
    "threshold": "--threshold",
    "overlap": "--threshold",
    "tolerance": "--tolerance",
    "time_unit": "--time-unit",
    "unit_length": "--grid",
    "unit": "--grid",
    "atom": "--grid",
    "start": "--from",
    "end": "--to",
}
_WORDS = ("raters", "rater", "tier", "session", "label", "format", "absent", "together", "matching",
          "linking", "coefficient", "method", "encoding", "delimiter", "header", "ends",
          "asked", "base", "items", "pieces", "distance", "thresholds")  # fmt: skip
_NAMES |= {word: f"--{word}" for word in _WORDS}
_GIVEN = re.compile(
    r"(?<![\w-])(" + "|".join(sorted(_NAMES, key=len, reverse=True)) + r")="
    r"(\[[^\]]*\]|\"[^\"]*\"|'[^']*'|[\w.:-]*)"
)
_BEGINS = re.compile(r"^(threshold|tolerance|grid|absent|matching|together|linking|coefficient)\b")
_REWORDED = {
    "use time_agreement for all of them": "choose --coefficient for all of them",
    "name two raters and": "name two with --raters and",
    "compare discontinuous units with span_f1": "use --method spans",
    "a mapping of names to raters": "NAME=RATER for each tier, file or folder",
    "with select(raters=…)": "with --raters",
    " (bounds=)": "",
}


def split_names(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> tuple[str, ...] | None:
    """Split names at commas; quotation marks protect a comma."""
    if value is None:
        return None
    names = tuple(name.strip() for name in next(csv.reader([value]), []))
    if not names or "" in names or len(set(names)) != len(names):
        raise click.BadParameter(f"{value!r} is not a list of different names, such as Ann,Bob.")
    return names


def split_thresholds(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> list[float] | None:
    """Take 51-90, 50-90:10 or 60,70,80."""
    if value is None:
        return None
    span, _, step = value.partition(":")
    low, sign, high = span.partition("-")
    try:
        if not sign:
            found = [float(part) for part in value.split(",")]
        else:
            stride = float(step or 1)
            n = int((float(high) - float(low)) / stride + 1e-9) + 1
            found = [float(low) + k * stride for k in range(n)]
    except (ValueError, ZeroDivisionError, OverflowError):
        found = []
    if not found or len(found) > 1_000 or not all(0 < one <= 100 for one in found):
        raise click.BadParameter(f"{value!r} is not like 51-90, 50-90:10 or 60,70,80.")
    return found


def _rater(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> Any:
    """Take one rule, or several NAME=RATER."""
    if len(values) == 1 and not _is_pair(values[0]):
        return values[0]
    if not all(map(_is_pair, values)):
        raise click.BadParameter("give one rule, or NAME=RATER for each tier, file or folder.")
    return _pairs(values, param) or None


def _is_pair(value: str) -> bool:
    name, sign, rater = value.rpartition("=")
    return bool(sign and name.strip() and rater.strip())


def _pairs(values: tuple[str, ...], param: click.Parameter) -> dict[str, str]:
    found: dict[str, str] = {}
    for value in values:
        name, _, given = (part.strip() for part in value.rpartition("="))
        if name in found:
            raise click.BadParameter(f"{name!r} is named twice.")
        found[name] = given
    return found


def _columns(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> dict[str, str] | None:
    found: dict[str, str] = {}
    for value in values:
        role, sign, name = value.partition("=")
        if not sign or role not in _ROLES or not name or role in found:
            raise click.BadParameter(
                f"{value!r} is not like start=onset; roles are {', '.join(_ROLES)}, each once."
            )
        found[role] = name
    return found or None


_OPTIONS = (
    option(
        "--rater RULE...",
        "What tells the rater: tier-suffix, tier-prefix, tier, participant, annotator, file, "
        "file-suffix, file-prefix, folder, observation, column:NAME, or a pattern such as "
        "file:{session}_{rater}; or NAME=RATER, repeated. Default: the one rule that fits.",
        callback=_rater,
    ),
    option("--tier NAME...", "Tier to keep; repeat for more. 'one' puts all on one tier."),
    option("--session RULE", "What tells the session: file, folder, media, one or column:NAME."),
    option("--label NAME", "Column or feature with the label."),
    option(
        "--column ROLE=NAME...",
        f"Column of a table; roles are {', '.join(_ROLES)}.",
        to="columns",
        callback=_columns,
    ),
    option("--format NAME", "Format of the files. Default: recognised."),
    option("--time-unit", "What the times of a table are in.", choices=_TIME_UNITS),
    option(
        "--ends",
        "For tables of onsets: an event ends where the rater's next one begins, or is a moment.",
        choices=("next", "point"),
    ),
    option(
        "--asked",
        "Everybody was asked everywhere. Default: whoever has a file, a tier, a document or "
        "a row in a session; others are left out of its comparison.",
        choices=("all",),
    ),
    DELIMITER,
    ENCODING,
    HEADER,
    QUIET,
)


# Every option that says how files of units are to be read.
unit_options = together(*_OPTIONS)


def load(options: dict[str, Any]) -> LoadedUnits:
    """Read the units that the options name, and tell on stderr what was taken for what."""
    from consilience.exceptions import ConsilienceError
    from consilience.io.annotations import load_units

    names = ("rater", "session", "label", "format", "columns", "time_unit", "encoding", "delimiter",
             "ends", "asked")  # fmt: skip
    wishes: dict[str, Any] = {name: options[name] or None for name in names}
    tiers = options["tier"]
    wishes["tier"] = (tiers[0] if len(tiers) == 1 else list(tiers)) if tiers else None
    with _files(options["paths"]) as (paths, stand_in):
        if stand_in is not None and wishes["format"] is None:
            wishes["format"] = "table"  # it has no name that could tell more
        try:
            with in_options(), _unwarned(), out.progress(f"Reading {', '.join(paths)}"):
                loaded = load_units(paths, header=options["header"], **wishes)
        except ConsilienceError as error:
            if stand_in is None:
                raise
            raise error.retold(str(error).replace(stand_in, "standard input")) from error
    if loaded.format != "table":
        refuse("is for tables", "delimiter", "header", "ends")
    tell_account(loaded, options["quiet"])
    said = as_unit_options(loaded.explain())
    said = said if stand_in is None else said.replace(stand_in, "standard input")
    out.keep_reading(said)
    if not options["quiet"]:
        out.tell(said)
    return loaded


def tell_account(loaded: LoadedUnits, quiet: bool) -> None:
    """Say what was set aside: what could change the answer always, the rest unless quiet."""
    reading = loaded.units.reading
    if reading is None:
        return
    for one in reading.account.that_matters:
        out.tell(as_unit_options(f"Not measured: {one}."))
    rest = [one for one in reading.account.set_aside if not one.matters]
    if rest and not quiet:
        named = [f"{one.count:,} {one.kind}" + (f" ({one.name})" if one.name else "")
                 for one in rest[:_TOLD]]  # fmt: skip
        more = f" and {len(rest) - _TOLD} more" if len(rest) > _TOLD else ""
        out.tell(f"Also set aside, without effect on the answer: {', '.join(named)}{more}.")


@contextlib.contextmanager
def _unwarned() -> Iterator[None]:
    """Keep warnings of the reader back: the command line tells the account itself."""
    from consilience.exceptions import ReadingWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReadingWarning)
        yield


@contextlib.contextmanager
def in_options() -> Iterator[None]:
    """Put what the library says into the words of the command line."""
    from consilience.core.shell_words import flag
    from consilience.exceptions import ConsilienceError, MissingDependencyError

    try:
        yield
    except MissingDependencyError:
        raise
    except ConsilienceError as error:
        raise error.retold(as_unit_options(error.words.worded(flag))) from error


def as_unit_options(message: str) -> str:
    """Turn arguments that a message names into options.

    >>> as_unit_options('Got 3. Hint: name two with raters=, or pass absent="count".')
    'Got 3. Hint: name two with --raters, or pass --absent count.'
    >>> as_unit_options("Hint: pass rater='tier-suffix', or raters=['A', 'B'].")
    'Hint: pass --rater tier-suffix, or --raters A,B.'
    """
    for said, instead in _REWORDED.items():
        message = message.replace(said, instead)
    message = _BEGINS.sub(lambda found: f"--{found[1]}", message)
    return _GIVEN.sub(_option, message)


def _option(found: re.Match[str]) -> str:
    given = found[2]
    if given.startswith("["):
        given = ",".join(part.strip().strip("'\"") for part in given[1:-1].split(","))
    return f"{_NAMES[found[1]]} {given.strip(chr(34) + chr(39))}".rstrip()
