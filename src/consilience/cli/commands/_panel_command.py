"""``consilience panel``: systems against a panel of people."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import click

from consilience.cli import _options as shared
from consilience.cli import _output as out
from consilience.cli._again import how_made
from consilience.cli._heeded import apart, is_given, needs, only, refuse
from consilience.cli._item_columns import ByItem, gold_in, of_items, read_beside
from consilience.cli._main import command
from consilience.cli._options import COUNT, SHARE, coefficient_name, gated, option
from consilience.cli._output import Answer
from consilience.cli._panel_rates import RATE_RULES, check_rate, rate_command, rate_options
from consilience.cli._panel_reading import for_reading, roles, sides_of
from consilience.cli._panel_soft import SOFT, SOFT_RULES, soft_command
from consilience.cli._ratings_reading import reading_options, told

if TYPE_CHECKING:
    from collections.abc import Callable

    from consilience.document import Document
    from consilience.io import Loaded
    from consilience.panel import PanelResult, PositionSwap, SweepResult
    from consilience.report import Page

_GAP = "gap"
_SHARES = ("identical", "within_1", "within_2", "winning_rate")
_RULES = (
    *SOFT_RULES,
    *RATE_RULES,
    needs("--sweep COLUMN", "differences", "sort_by", "held_out", "settings_figure"),
    apart("--sweep", "systems", "gold", "time", "swapped", "expert", "margin", "epsilon", "top"),
    apart("--differences", "people"),
    only("--differences", "sweep", "differences", "sort_by", "delimiter", "encoding", "header",
         "sheet", "format", "gates", "figure", "settings_figure", "report",
         when=is_given("differences")),
    apart("--document", "cluster"),
    needs("--refusal LABEL", "refused", among=("refusals",)),
)  # fmt: skip
_EPILOG = """\b
Examples:
  consilience panel verdicts.csv --system gpt
  consilience panel marks.csv --system emma --scale ordinal --gold moderator
  consilience panel verdicts.jsonl --system gpt --refusal no --document essay
  consilience panel alt_test.json --epsilon skilled
  consilience panel runs.csv --sweep training --people tutor --scale ordinal
  consilience panel table.csv --sweep training --differences --sort-by L2
  consilience panel verdicts.csv --system gpt --json --fail-under gap:low=-0.05
  consilience panel verdicts.jsonl --people labels.csv --system gpt --rate pass
  consilience panel verdicts.jsonl --people labels.csv --system gpt --rate pass --buy 0.03
  consilience panel labels.csv --soft probabilities.csv
"""


@command(_EPILOG, _RULES)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@option(
    "--system -s NAME...",
    "Rater that is a system, by name or pattern (gpt*); repeat for more.",
    to="systems",
)
@option(
    "--people NAME...",
    "Rater that is a person, by name or pattern, or a file with people's labels, joined by "
    "the items' names; repeat for more. Default: all others, where their names leave no doubt.",
)
@option(
    "--coefficient -c NAME...",
    "Coefficient, as in kappa or kappa:quadratic; the first decides. Repeat for more.",
    to="names",
)
@option("--margin", "Largest loss of agreement that does not matter.", type=SHARE, default=0.05)
@option(
    "--epsilon E",
    "Of the alternative annotator test: a number, or experts, skilled, crowd.",
    default="0.2",
)
@option("--expert NAME", "The one expert of that test.")
@option("--gold NAME", "Rater or column that is the gold standard.")
@option("--document COLUMN", "Document of each item; resampled whole.")
@option("--time COLUMN", "Time or batch of each item, for drift.")
@option("--sweep COLUMN", "Compare the settings in this column.")
@option(
    "--sort-by METRIC",
    "What a sweep is sorted by, such as ac1, kappa, L1, L2, tau_b, rho, t_test, wilcoxon, "
    "effect_size, f1 or simple_metric.",
)
@option(
    "--differences",
    "With --sweep: the file is a published table, one row per setting, with columns 0, 1, 2 "
    "... that say how often marks differ by so many points.",
)
@option(
    "--held-out SHARE",
    "Share of items held out of the choice of a sweep's best setting.",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.0,
)
@option(
    "--top",
    "Items to list for each system, those farthest from the people.",
    type=click.IntRange(min=0),
    default=5,
)
@option("--swapped COLUMN", "Column that says in which order was judged.")
@option(
    "--refusal LABEL...", "Label that means refused or unparsable; repeat for more.", to="refusals"
)
@option(
    "--refused",
    "What a refusal is. Default: category for nominal labels, else missing.",
    choices=("category", "missing", "wrong"),
)
@rate_options
@SOFT
@shared.CONFIDENCE_LEVEL
@option(
    "--method",
    "How intervals are made.",
    choices=("dirichlet", "bootstrap", "linearised"),
    default="dirichlet",
)
@option("--resamples", "Resamples.", type=COUNT, default=2_000)
@shared.SEED
@out.figure_option("Draw a figure, too; .svg, .pdf and .png choose the format.")
@option(
    "--settings-figure FILE",
    "With --sweep, draw shares of marks against settings that are numbers.",
    type=out.FIGURE,
)
@out.REPORT
@shared.gate_option(
    "Exit with 1 if a system is below, as in kappa=0.6, identical=0.8, winning_rate=0.5 or "
    "gap:low=-0.05; with --rate, rate:low=0.7; with --soft, accuracy:low=0.6."
)
@reading_options
@out.output_options("json", "csv", "markdown", "latex")
@click.pass_context
def panel(ctx: click.Context, /, **options: Any) -> Answer:
    """Compare systems with a panel of people.

    PATH is a file with the ratings of people and systems (delimited text, Parquet, JSON or JSON
    lines), or - for standard input. Says how far a system agrees with people, how far they agree
    with each other, and whether the system is as good as a person within a margin; with --sweep,
    compares the settings of a system; with --rate, says how often people would give a label; with
    --soft, compares predicted probabilities with the distribution of people's labels.
    """
    check_rate(options)
    if options["soft"]:
        return soft_command(ctx, options)
    if options["rate"] is not None:
        return rate_command(ctx, options)
    gates = [one.named(_gate_name(one.name)) for one in options["gates"]]
    for word in options["names"]:
        coefficient_name(word.partition(":")[0], "--coefficient")
    if options["sweep"]:
        return _sweep(options, gates)
    sides = sides_of(ctx, options)
    loaded, ratings, swapped = sides.loaded, sides.ratings, sides.swapped
    from dataclasses import replace

    from consilience import panel as panels

    with out.progress("Comparing"):
        result = panels.compare(
            ratings,
            top=options["top"],
            **of_items(sides.beside, {"document": "clusters", "time": "order"}),
            **({"gold": gold_in(options, ratings, sides.beside)} if options["gold"] else {}),
            **{**_common(options), "people": sides.people, "systems": sides.systems},
        )
    if not result.markers:
        refuse("is about the drift of marks, and these labels are names", "time",
               hint="add --scale, or leave it out")  # fmt: skip
    result = replace(result, left_out=(*result.left_out, *sides.left_out))
    document, record = _with_excluded(result.document(), result.to_dict(), loaded)
    record["data"]["sources"] = list(loaded.reading.sources)
    record["data"]["shape"] = loaded.reading.shape
    _name_documents(record, options)
    if swapped is not None:
        found = panels.position_swap(
            ratings,
            swapped,
            refusals=options["refusals"],
            confidence_level=options["confidence_level"],
        )
        document, record = _with_swaps(document, record, found)

    def on_systems(gate: shared.Gate) -> list[Gated]:
        return _of_systems(gate, result)

    key = result.headline.key
    undefined = all(math.isnan(one.agreement[key].value) for one in result.systems)
    made = _answer(result, document, record, "panel", lambda: gated(gates, on_systems))
    return replace(made, code=4 if undefined else 0)


def _common(options: dict[str, Any]) -> dict[str, Any]:
    named = isinstance(options["scale"], dict)  # by variable: the reader has seen to it
    return {
        "people": options["people"] or None,
        "coefficients": options["names"] or None,
        "margin": options["margin"],
        "epsilon": options["epsilon"],
        "expert": options["expert"],
        "refusals": options["refusals"],
        "refused": options["refused"],
        "scale": None if named or options["scale"] == "proposed" else options["scale"],
        "confidence_level": options["confidence_level"],
        "method": options["method"],
        "n_resamples": options["resamples"],
        "rng": options["seed"],
    }


def _with_excluded(
    document: Document, record: dict[str, Any], loaded: Loaded
) -> tuple[Document, dict[str, Any]]:
    """Say what the reader has left out."""
    from dataclasses import replace

    from consilience.document import plain
    from consilience.io.left_out_answers import answers_left_out

    found = answers_left_out(loaded.reading)
    if found is None or record["data"]["refusals"]:
        return document, record
    record["findings"] = [*record["findings"], plain(found)]
    return replace(document, findings=(*document.findings, found)), record


def _answer(
    result: Any,
    document: Document,
    record: dict[str, Any],
    figure: str,
    gates: Callable[[], int],
) -> Answer:
    """Return the answer of a panel or a sweep, with its page and the figure called so."""
    from consilience import plot

    def page() -> Page:
        from consilience.report import panel_page

        return panel_page(result, document, **how_made(click.get_current_context().params))

    figures = {
        "figure": lambda: getattr(plot, figure)(result),
        "settings_figure": lambda: plot.settings(result),
    }
    return Answer(document=document, record=record, page=page, figures=figures, gates=gates)


def _with_swaps(
    document: Document, record: dict[str, Any], found: PositionSwap
) -> tuple[Document, dict[str, Any]]:
    """Put the swaps below the panel."""
    from dataclasses import replace

    from consilience.document import plain

    record["position_swap"] = plain(found)
    record["findings"] = [*record["findings"], *plain(list(found.findings))]
    joined = replace(
        document,
        blocks=(*document.blocks, *found.document().blocks),
        findings=(*document.findings, *found.findings),
    )
    return joined, record


def _sweep(options: dict[str, Any], gates: list[shared.Gate]) -> Answer:
    from consilience import panel as panels

    _check_sweep(options)
    if options["differences"]:
        return _published(options, gates)
    loaded, beside = _load_settings(options)
    common = _common(options)
    for name in ("margin", "epsilon", "expert"):
        common.pop(name)
    with out.progress("Comparing"):
        result = panels.sweep(
            loaded.groups,
            setting=options["sweep"],
            sort_by=options["sort_by"],
            held_out=options["held_out"],
            **of_items(beside, {"document": "clusters"}),
            **common,
        )
    record = result.to_dict()
    record["data"]["sources"] = list(loaded.reading.sources)
    _name_documents(record, options)
    return _swept(result, record, gates)


def _name_documents(record: dict[str, Any], options: dict[str, Any]) -> None:
    """Say which column the documents were read from."""
    if options["document"]:
        record["data"]["clusters"]["column"] = options["document"]


def _published(options: dict[str, Any], gates: list[shared.Gate]) -> Answer:
    """Compare settings of which only the differences of marks were published."""
    from consilience import panel as panels
    from consilience.io.difference_tables import read_differences

    if len(options["paths"]) != 1:
        raise click.UsageError("--differences takes one file.")
    told = {name: options[name] for name in ("delimiter", "encoding", "header", "sheet", "format")
            if options[name] not in (None, ())}  # fmt: skip
    counts = read_differences(options["paths"][0], setting=options["sweep"], **told)
    result = panels.sweep(
        {setting: panels.differences(one) for setting, one in counts.items()},
        setting=options["sweep"],
        sort_by=options["sort_by"],
    )
    record = result.to_dict()
    record["data"]["sources"] = list(options["paths"])
    return _swept(result, record, gates)


def _swept(result: SweepResult, record: dict[str, Any], gates: list[shared.Gate]) -> Answer:
    best = result.best

    def found(gate: shared.Gate) -> list[Gated]:
        return [_gated(gate, best.setting, _value(result, best.values, gate.name))]

    return _answer(result, result.document(), record, "sweep", lambda: gated(gates, found))


def _load_settings(options: dict[str, Any]) -> tuple[Loaded, ByItem]:
    """Read the ratings by setting; those of people may lack one, and then hold for all."""
    from consilience.exceptions import InputError

    layout = roles(options, options["document"])
    reading = {**for_reading(options, options["sweep"]), **layout, "ungrouped": "keep"}
    try:
        loaded, beside = read_beside(options, reading)
        return told(loaded, reading), beside
    except InputError as error:
        said = error.words.changed(lambda text: text.replace(": by must be", ": --sweep must be"))
        raise error.retold(said) from error


def _check_sweep(options: dict[str, Any]) -> None:
    if not options["people"] and not options["differences"]:
        raise click.UsageError("--sweep needs the people: name each with --people.")


# -------------------------------------------------------------------- gates


def _gate_name(name: str) -> str:
    word, sign, distance = name.partition(":")
    if word in _SHARES or word == _GAP:
        return word
    return coefficient_name(word, "--fail-under") + sign + distance


Gated = tuple[str, float | None, Any]  # name, value, limits


def _of_systems(gate: shared.Gate, result: PanelResult) -> list[Gated]:
    """Return what a gate is on, of every system."""
    found: list[Gated] = []
    for one in result.systems:
        if gate.name == "winning_rate":
            rate = one.alternative.winning_rate if one.alternative else None
            found.append((f"{one.system}: winning_rate", rate, None))
            continue
        values = one.gap if gate.name == _GAP else one.agreement
        name = result.headline.key if gate.name == _GAP else gate.name
        found.append(_gated(gate, one.system, _value(result, values, name)))
    return found


def _value(result: PanelResult | SweepResult, values: dict[str, Any], name: str) -> Any:
    for measure in result.measures:
        if name in (measure.key, measure.coefficient):
            return values[measure.key]
    return None


def _gated(gate: shared.Gate, system: object, found: Any) -> Gated:
    value = None if found is None else float(found.value)
    return f"{system}: {gate.name}", value, getattr(found, "interval", None)
