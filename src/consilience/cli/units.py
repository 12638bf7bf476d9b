"""``consilience units``: timed events, spans and segmentations in, agreement out."""

from __future__ import annotations

import contextlib
import csv
import os
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from consilience.cli import output as out
from consilience.cli.options import (
    CONFIDENCE_LEVEL,
    SEED,
    Gate,
    Rule,
    apart,
    gate_option,
    gated,
    needs,
    only,
    option,
    refuse,
    resamples_option,
    together,
)
from consilience.cli.output import Answer, how_made, typed_command
from consilience.cli.program import command
from consilience.cli.reading import DELIMITER, ENCODING, HEADER, PATHS, QUIET, _files
from consilience.report.unit_methods import UNIT_METHODS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from consilience.document import Document
    from consilience.io.events import LoadedUnits
    from consilience.io.small_tables import NilTable
    from consilience.report import Page
    from consilience.report.units import UnitSummary, UnitValue

# ---- How units come in: the options that say how annotation files are to be read

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


# Every option that says how files of units are to be read.
unit_options = together(
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


def load(options: dict[str, Any]) -> LoadedUnits:
    """Read the units that the options name, and tell on stderr what was taken for what."""
    from consilience.exceptions import ConsilienceError
    from consilience.io.events import load_units

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
    from consilience.core.options import flag
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


# ---- ``consilience units --table``: a table of tallies that somebody else has made

# What a table without times and sessions can answer to.
RULE = only("--table", "is_table", "method", "raters", "gates", "place", "report", "title",
            "delimiter", "encoding", when=lambda options: bool(options["is_table"]))  # fmt: skip


def from_table(options: dict[str, Any]) -> Answer:
    """Measure a table, draw it, and hold it against gates."""
    from consilience.document import envelope
    from consilience.io import read_nil_table
    from consilience.report.units import measure_nil_table

    if len(options["paths"]) != 1:
        raise click.UsageError("--table takes one file.")
    told = {name: options[name] for name in ("delimiter", "encoding") if options[name]}
    with in_options():
        read = read_nil_table(options["paths"][0], **told)
        names = options["raters"] or ("first", "second")
        found = measure_nil_table(read.table, read.labels, method=options["method"], raters=names)
    found = replace(found, findings=(*read.findings, *found.findings))
    for gate in options["gates"]:
        if gate.name != "kappa":
            raise click.BadParameter(
                f"a table has no {gate.name!r}, but kappa.", param_hint="--fail-under"
            )
    record = found.to_dict()
    findings = record.pop("findings")
    facts = {
        "units": int(read.table.sum()),
        "raters": 2,
        "sessions": 1,
        "tiers": 1,
        "labels": list(read.labels),
        "format": "table",
        "sources": list(options["paths"]),
    }
    one = {key: record.get(key) for key in ("value", "status", "reason")}
    named = {"coefficient": "kappa", "name": "kappa", "value": found.kappa}
    whole = envelope(
        data=facts, estimates=[{**one, **named}], findings=findings, results={"kappa": record}
    )

    draw = partial(_drawn, read, names)
    figures = _figures_of(options["place"], found, draw, options)

    def after() -> None:
        for path, drawn in figures:
            out.write_figure(path, drawn)

    caption = (
        "How often each label of one rater met each label of the other; nil is what one of them "
        "did not see."
    )
    kappa = ("kappa", found.kappa, None)
    return Answer(
        document=found.document(),
        record=whole,
        title=options["title"],
        drawings=[("tallies", caption, draw), *_drawn_labels(found)],
        after=after,
        code=4 if found.status == "undefined" else 0,
        gates=lambda: gated(options["gates"], lambda gate: [kappa]),
    )


def _figures_of(
    place: Path | None, found: Any, draw: Callable[[], Any], options: dict[str, Any]
) -> list[tuple[Path, Callable[[], Any]]]:
    """Return what is drawn of a table: a file gets its tallies, a folder the labels, too.

    The labels are drawn as in Holle & Rein's Figure 4: observed agreement, chance and kappa.
    """
    if place is None or place.suffix:
        return [] if place is None else [(place, draw)]
    place.mkdir(exist_ok=True)
    figures = [(place / "tallies.svg", draw)]
    figures += [(place / f"{name}.svg", drawn) for name, _, drawn in _drawn_labels(found)]
    for path, _ in figures:
        out.check_output(path, options["paths"], force=options["force"], option="--figure")
    return figures


def _drawn_labels(found: Any) -> list[tuple[str, str, Callable[[], Any]]]:
    """Return the figure of a table's labels, where each is held against all others."""
    from consilience.plot import category_kappas
    from consilience.units.link_tables import DiagTable

    if not isinstance(found, DiagTable):
        return []
    caption = "Observed agreement, chance agreement and kappa of each label against all others."
    return [("labels", caption, partial(category_kappas, found))]


def _drawn(read: NilTable, raters: Sequence[str]) -> Any:
    """Draw the tallies, as many as there are of each pair of labels."""
    import numpy as np

    from consilience.plot import heat_map

    values = np.asarray(read.table, dtype=np.float64)
    names = [*map(str, read.labels), "nil"]
    texts = [[f"{one:,.0f}" for one in row] for row in values]
    axes = heat_map(values, texts, names, names, high=float(values.max()) or 1.0)
    axes.set_ylabel(raters[0])
    axes.set_xlabel(raters[1])
    return axes


# ---- ``consilience units``: the command

_METHODS = tuple(UNIT_METHODS)
_LINKINGS = ("symmetric", "easydiag", "elan", "optimal")
_MATCHINGS = ("exact", "boundaries", "overlap", "jaccard", "left", "right", "partial")
_OF_METHODS = ("threshold", "tolerance", "grid", "linking", "matching", "coefficient", "together",
               "absent", "base", "items", "pieces", "distance", "thresholds")  # fmt: skip
_HEEDED = {"confidence_level": "confidence_level", "resamples": "n_resamples", "asked": "asked"}
_SETTINGS = ("method", *_OF_METHODS, "confidence_level", "seed")


def _is_json(options: Mapping[str, Any]) -> bool:
    output = options["output"]
    return bool(options["as_json"]) or (output is not None and output.suffix.lower() == ".json")


_RULES = (
    RULE,
    needs("--figure PLACE", "figure_session", "begin", "finish", among=("place",)),
    needs("--report FILE", "title"),
    apart("--disparity", "thresholds"),
    Rule(("disparity",), _is_json, "is for tables to read", "leave it out: the JSON holds them"),
    Rule(("with_links",), lambda options: not _is_json(options), "adds to the JSON", "add --json"),
)


@command(_RULES)
@PATHS
@option(
    "--method -m NAME",
    f"How to measure: {', '.join(_METHODS)}. Default: easydiag; spans for text, boundaries "
    "for segments without labels.",
    choices=_METHODS,
)
@option(
    "--threshold PERCENT",
    "Overlap that makes two units the same. Default: 60 (80 for interact).",
    type=click.FloatRange(0, 100, min_open=True),
)
@option(
    "--tolerance TIME",
    "How far apart times may lie: point events (easydiag), onsets (gseq, interact), moments "
    "(time), boundaries in places (boundaries).",
    type=click.FloatRange(min=0),
)
@option(
    "--grid TIME",
    "Count time in units of this length (time, boris, unitizing-alpha, boundaries).",
    type=click.FloatRange(min=0, min_open=True),
)
@option("--linking", "Rule for ties of easydiag.", choices=_LINKINGS)
@option(
    "--matching RULE",
    f"When two spans match: {', '.join(_MATCHINGS)}. Default: exact.",
    choices=_MATCHINGS,
)
@option("--coefficient -c NAME", "Coefficient over time. Default: cohen_kappa.")
@option(
    "--together",
    "Labels that are on at once over time: compare them as sets, or each by itself.",
    choices=("sets", "labels"),
)
@option(
    "--absent",
    "A session in which a rater has nothing: count it if the rater was asked, leave it out, "
    "or count it always. Default: asked.",
    choices=("asked", "drop", "count"),
)
@option(
    "--disparity",
    "Rater disparity: only the recordings and labels on which two raters differ most (easydiag).",
)
@option(
    "--table",
    "PATH is a table from a paper: tallies of two raters' labels with a row and a column nil "
    "(easydiag, elan, gseq).",
    to="is_table",
)
@option(
    "--base",
    "What the overlap of gseq is a percentage of. Default: the longer event.",
    choices=("longer", "shorter", "union"),
)
@option(
    "--thresholds A-B[:STEP]",
    "Also the values of easydiag at each of these thresholds, as in 51-90, 50-90:10 or 60,70,80.",
    callback=split_thresholds,
)
@option(
    "--items",
    "What sets of words stand for: a text (default), each label in it, or each word.",
    choices=("texts", "labels", "words"),
)
@option(
    "--pieces",
    "What these sets are made of. Default: words.",
    choices=("words", "bigrams", "spans"),
)
@option(
    "--distance NAME...",
    "How different two sets of words are; repeat to compare. Default: jaccard, passonneau, dice.",
)
@option("--raters A,B", "Raters to compare, in this order.", callback=split_names)
@CONFIDENCE_LEVEL
@resamples_option("Random scenarios of staccato. Default: 1000.")
@SEED
@gate_option("Exit with 1 if the number is smaller, as in kappa=0.6; repeat for more.")
@option("--links", "Add to the JSON which units were linked.", to="with_links")
@option(
    "--figure PLACE",
    "Draw the timeline of a session to a .svg, .pdf or .png file, or of every session, with "
    "the curve of thresholds, to a folder.",
    to="place",
    type=out.OutputFile(folders=True),
)
@option("--figure-session NAME", "Session to draw to a file. Default: the first.")
@option("--from TIME", "Draw from this time on.", to="begin", type=float)
@option("--to TIME", "Draw up to this time.", to="finish", type=float)
@out.REPORT
@out.TITLE
@unit_options
@out.output_options("json", "csv", "markdown", "latex")
@click.pass_context
def units(ctx: click.Context, /, **options: Any) -> Answer:
    """Measure agreement on timed events, spans and segmentations.

    PATH is a file or folder with annotations: ELAN, Praat, BORIS, brat, WebAnno, CoNLL, Label
    Studio, RTTM, or a table with columns for start, end, label and rater; - is such a table on
    standard input. The format is recognised and told on stderr, with the rule that names the
    raters; where that is not clear, --rater says it.

    Examples:
      consilience units session1.eaf session2.eaf --rater tier-suffix
      consilience units ann.TextGrid bob.TextGrid --rater file --method gamma
      consilience units events.csv --threshold 70 --fail-under kappa=0.6
      consilience units events.csv --figure timeline.svg --from 0 --to 60000
      consilience units events.csv --report units.html --figure figures
      consilience units corpus/ --rater folder --method spans --matching overlap
    """
    check_figures(options)
    if options["is_table"]:
        return from_table(options)
    _check_settings(options["method"], options)
    loaded = load(options)
    if options["method"] is None:
        _check_settings(_usual(loaded.units), options)
    with in_options(), out.progress("Measuring"):
        summary = _summary(loaded.units, options)
    if not options["quiet"] and summary.why:
        out.tell(f"Method: {summary.method}, for {summary.why}; --method chooses another.")
    gates = [(_value(summary, gate.name), gate) for gate in options["gates"]]
    record = _record(summary, loaded, options)
    drawn = figures_of(summary, options)
    return Answer(
        document=_disparity(summary) if options["disparity"] else _document(summary),
        record=record,
        page=lambda: report_page(summary, ctx, options),
        after=lambda: write_figures(drawn),
        gates=lambda: _exit_code(summary, gates),
    )


def _usual(data: Any) -> str:
    from consilience.report.units import usual_method

    return usual_method(data)[0]


def _check_settings(method: str | None, options: dict[str, Any]) -> None:
    """Refuse a setting that the method does not have."""
    if method is None:
        return
    for name in _OF_METHODS:
        if options[name] not in (None, ()) and name not in UNIT_METHODS[method].takes:
            able = ", ".join(one.name for one in UNIT_METHODS.values() if name in one.takes)
            raise click.UsageError(f"--{name} does nothing for {method}; it is for {able}.")
    for name, setting in _HEEDED.items():
        if setting not in UNIT_METHODS[method].heeds:
            able = ", ".join(one.name for one in UNIT_METHODS.values() if setting in one.heeds)
            refuse(f"does nothing for {method}; it is for {able}", name)


def _summary(data: Any, options: dict[str, Any]) -> UnitSummary:
    from consilience.report import measure_units

    wishes = {name: options[name] for name in _SETTINGS}
    wishes["distance"] = [*options["distance"]] or None
    return measure_units(data, raters=options["raters"], n_resamples=options["resamples"], **wishes)


def _document(summary: UnitSummary) -> Document:
    """Return what there is to read, its advice in the words of the command line."""
    made = summary.document()
    told = [
        replace(one, message=as_unit_options(one.message), advice=as_unit_options(one.advice))
        for one in made.findings
    ]
    return replace(made, findings=tuple(told))


def _disparity(summary: UnitSummary) -> Document:
    ranked = getattr(summary.main, "ranked_disparity", None)
    if ranked is None:
        raise click.UsageError("--disparity is for easydiag and two raters; --raters names two.")
    found: Document = ranked.document()
    return found


def _value(summary: UnitSummary, name: str) -> UnitValue:
    from consilience.exceptions import InputError

    try:
        return summary[name]
    except InputError as error:
        known = ", ".join(one.coefficient for one in summary.values if one.label is None)
        raise click.BadParameter(
            f"{summary.method} has no {name!r}, but {known}.", param_hint="--fail-under"
        ) from error


def _record(summary: UnitSummary, loaded: Any, options: dict[str, Any]) -> dict[str, Any]:
    record = summary.to_dict()
    record["data"] |= {"format": loaded.format, "rater_rule": loaded.rule}
    if options["with_links"]:
        record["links"] = _links(summary)
    return record


def _links(summary: UnitSummary) -> list[dict[str, Any]]:
    """Return the pairs of units that were taken for the same event."""
    from consilience.plot.time import links_of
    from consilience.report.unit_pages import drawn_links

    data, drawn = summary.units, drawn_links(summary)
    if "result" not in drawn:
        raise click.UsageError(f"--links: {summary.method} links no units.")
    pairs = links_of(data, drawn["result"], None, data.raters, None)
    found = [] if pairs is None else pairs.tolist()
    return [{"session": data.sessions[data.session[a]], "tier": data.tiers[data.tier[a]],
             "units": [_unit(data, a), _unit(data, b)]} for a, b in found]  # fmt: skip


def _unit(data: Any, row: int) -> dict[str, Any]:
    from consilience.document.records import plain_record

    return plain_record(
        {
            "rater": data.raters[data.rater[row]],
            "label": data.labels[data.label[row]],
            "start": data.start[row],
            "end": data.end[row],
        }
    )


def _exit_code(summary: UnitSummary, gates: list[tuple[UnitValue, Gate]]) -> int:
    """Return 0, 1 when a gate is not met, or 4 when what was asked for is undefined."""
    first = summary.values[0]
    code = 4 if first.status == "undefined" else 0
    if code:
        out.tell(f"{first.name} is undefined: {first.reason or 'there is too little to compare'}.")
    for value, gate in gates:
        number = float("nan") if value.status == "undefined" else value.value
        code = max(code, gate.exit_code(value.name, number, value.limits))
    return code


# ---- Figures and the report of ``consilience units``

_FORMATS = (".pdf", ".png", ".svg")
_MOST_FIGURES = 500


def check_figures(options: dict[str, Any]) -> None:
    """Refuse a place for figures that cannot be written, before anything is read."""
    path: Path | None = options["place"]
    if path is None:
        return
    if _is_folder(path):
        if path.exists() and not path.is_dir():
            raise click.UsageError(
                f"--figure {path} is a file without a known ending. Name a folder, or a file that "
                "ends in .svg, .pdf or .png."
            )
        if not path.absolute().parent.is_dir():
            raise click.UsageError(f"--figure: there is no folder {path.parent}.")
        if options["figure_session"] is not None:
            raise click.UsageError("--figure-session needs --figure FILE; a folder gets all.")
        return
    if path.suffix.lower() not in _FORMATS:
        raise click.UsageError(f"--figure {path} must end in .svg, .pdf or .png, or be a folder.")
    out.check_output(path, options["paths"], force=options["force"], option="--figure")


def _is_folder(path: Path) -> bool:
    return path.is_dir() or not path.suffix


Figures = list[tuple[Path, Callable[[], Any]]]


def figures_of(summary: UnitSummary, options: dict[str, Any]) -> Figures:
    """Return the figures to write and how each is drawn; places that are taken are refused."""
    path: Path | None = options["place"]
    if path is None:
        return []
    if _is_folder(path):
        return _in_folder(summary, path, options)
    names = summary.units.sessions
    chosen = options["figure_session"]
    if chosen is None and len(names) > 1:
        out.tell(
            f"Drawn: {names[0]}, the first of {len(names)} sessions; --figure-session chooses "
            "another, a folder gets all."
        )
    return [(path, partial(_timeline, summary, chosen, options))]


def write_figures(figures: Figures) -> None:
    """Draw the figures and write them."""
    with in_options(), out.progress("Drawing"):
        for path, draw in figures:
            out.write_figure(path, draw)


def _timeline(summary: UnitSummary, session: str | None, options: dict[str, Any]) -> Any:
    from consilience.plot import timeline
    from consilience.report.unit_pages import drawn_links

    return timeline(
        summary.units,
        session=session,
        raters=summary.units.raters,
        start=options["begin"],
        end=options["finish"],
        **drawn_links(summary),
    )


def _in_folder(summary: UnitSummary, folder: Path, options: dict[str, Any]) -> Figures:
    from consilience.plot import threshold
    from consilience.report.unit_pages import threshold_of

    folder.mkdir(exist_ok=True)
    sessions = summary.units.sessions[:_MOST_FIGURES]
    figures: Figures = [
        (folder / f"timeline-{name}.svg", partial(_timeline, summary, session, options))
        for session, name in zip(sessions, file_names(sessions), strict=True)
    ]
    curve = threshold_of(summary)
    if curve is not None:
        draw = partial(threshold, curve, at=summary.main.settings.threshold)
        figures.insert(0, (folder / "threshold.svg", draw))
    if len(sessions) < summary.units.n_sessions:
        out.tell(f"Drawn: the first {_MOST_FIGURES} of {summary.units.n_sessions:,} sessions.")
    for path, _ in figures:
        out.check_output(path, options["paths"], force=options["force"], option="--figure")
    return figures


def file_names(names: tuple[str, ...]) -> list[str]:
    """Return a different file name for each session, whatever it is called.

    >>> file_names(("film 1", "film/1", "../x", ""))
    ['film_1', 'film_1-2', 'x', 'session']
    """
    found: list[str] = []
    taken: set[str] = set()
    for name in names:
        base = re.sub(r"[^\w.-]+", "_", name)[:80].strip("._-") or "session"
        chosen, k = base, 2
        while chosen.casefold() in taken:
            chosen, k = f"{base}-{k}", k + 1
        taken.add(chosen.casefold())
        found.append(chosen)
    return found


def report_page(summary: UnitSummary, ctx: click.Context, options: dict[str, Any]) -> Page:
    """Make the page of the report."""
    from consilience.report import units_report

    sources = [os.path.basename(source) for source in options["paths"]]
    command = typed_command(ctx, without=("force", "quiet", "output"))
    made = {**how_made(options), "command": command}
    return units_report(summary, title=options["title"], sources=sources, **made).page
