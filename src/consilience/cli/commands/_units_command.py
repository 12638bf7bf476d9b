"""``consilience units``: timed events, spans and segmentations in, agreement out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from consilience.cli import _output as out
from consilience.cli import _unit_reading as reading
from consilience.cli._heeded import Rule, apart, needs, refuse
from consilience.cli._main import command
from consilience.cli._options import (
    CONFIDENCE_LEVEL,
    SEED,
    Gate,
    gate_option,
    option,
    resamples_option,
)
from consilience.cli._output import Answer
from consilience.cli._unit_table import RULE as TABLE_RULE
from consilience.report.unit_methods import UNIT_METHODS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from consilience.document import Document
    from consilience.report import UnitSummary, UnitValue

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
    TABLE_RULE,
    needs("--figure PLACE", "figure_session", "begin", "finish", among=("place",)),
    needs("--report FILE", "title"),
    apart("--disparity", "thresholds"),
    Rule(("disparity",), _is_json, "is for tables to read", "leave it out: the JSON holds them"),
    Rule(("with_links",), lambda options: not _is_json(options), "adds to the JSON", "add --json"),
)
_EPILOG = """\b
Examples:
  consilience units session1.eaf session2.eaf --rater tier-suffix
  consilience units ann.TextGrid bob.TextGrid --rater file --method gamma
  consilience units events.csv --threshold 70 --fail-under kappa=0.6
  consilience units events.csv --figure timeline.svg --from 0 --to 60000
  consilience units events.csv --report units.html --figure figures
  consilience units corpus/ --rater folder --method spans --matching overlap
"""


@command(_EPILOG, _RULES)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
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
    callback=reading.split_thresholds,
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
@option("--raters A,B", "Raters to compare, in this order.", callback=reading.split_names)
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
@option("--report FILE", "Write a report: one HTML page that needs nothing else.", type=out.FILE)
@option("--title TEXT", "Heading of the report.", default="")
@reading.unit_options
@out.output_options("json", "csv", "markdown", "latex")
@click.pass_context
def units(ctx: click.Context, /, **options: Any) -> Answer:
    """Measure agreement on timed events, spans and segmentations.

    PATH is a file or folder with annotations: ELAN, Praat, BORIS, brat, WebAnno, CoNLL, Label
    Studio, RTTM, or a table with columns for start, end, label and rater; - is such a table on
    standard input. The format is recognised and told on stderr, with the rule that names the
    raters; where that is not clear, --rater says it.
    """
    from consilience.cli import _unit_figures as figures
    from consilience.cli import _unit_table as table

    if options["is_table"]:
        figures.check_table(options)
        return table.from_table(options)
    figures.check(options)
    _check_settings(options["method"], options)
    loaded = reading.load(options)
    if options["method"] is None:
        _check_settings(_usual(loaded.units), options)
    with reading.in_options(), out.progress("Measuring"):
        summary = _summary(loaded.units, options)
    if not options["quiet"] and summary.why:
        out.tell(f"Method: {summary.method}, for {summary.why}; --method chooses another.")
    gates = [(_value(summary, gate.name), gate) for gate in options["gates"]]
    record = _record(summary, loaded, options)
    drawn = figures.asked_for(summary, options)
    return Answer(
        document=_disparity(summary) if options["disparity"] else _document(summary),
        record=record,
        page=lambda: figures.report_page(summary, ctx, options),
        after=lambda: figures.write(drawn),
        gates=lambda: _exit_code(summary, gates),
    )


def _usual(data: Any) -> str:
    from consilience.report.unit_runs import usual_method

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
    from dataclasses import replace

    made = summary.document()
    told = [
        replace(
            one,
            message=reading.as_unit_options(one.message),
            advice=reading.as_unit_options(one.advice),
        )
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
    from consilience.plot.links import links_of
    from consilience.report.unit_pages import drawn_links

    data, drawn = summary.units, drawn_links(summary)
    if "result" not in drawn:
        raise click.UsageError(f"--links: {summary.method} links no units.")
    pairs = links_of(data, drawn["result"], None, data.raters, None)
    found = [] if pairs is None else pairs.tolist()
    return [{"session": data.sessions[data.session[a]], "tier": data.tiers[data.tier[a]],
             "units": [_unit(data, a), _unit(data, b)]} for a, b in found]  # fmt: skip


def _unit(data: Any, row: int) -> dict[str, Any]:
    from consilience.document import plain

    record: dict[str, Any] = plain(
        {
            "rater": data.raters[data.rater[row]],
            "label": data.labels[data.label[row]],
            "start": data.start[row],
            "end": data.end[row],
        }
    )
    return record


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
