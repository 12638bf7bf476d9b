"""``consilience panel`` and ``sweep``: systems, or settings of one, against a panel of people."""

from __future__ import annotations

import math
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from consilience.cli import options as shared
from consilience.cli import output as out
from consilience.cli.options import (
    SHARE,
    apart,
    coefficient_name,
    gated,
    is_given,
    needs,
    only,
    option,
    refuse,
)
from consilience.cli.output import Answer, how_made
from consilience.cli.panel_reading import (
    DOCUMENT,
    DOCUMENT_RULE,
    PEOPLE_NAMED,
    REFUSALS,
    SIDES,
    for_reading,
    roles,
    sides_of,
)
from consilience.cli.program import command
from consilience.cli.reading import ByItem, gold_in, of_items, on_ratings, read_beside, told

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from consilience.document import Document
    from consilience.io import Loaded
    from consilience.panel.comparison import PanelResult
    from consilience.panel.labels import PositionSwap
    from consilience.panel.sweeps import SweepResult
    from consilience.report import Page

# ---- ``consilience panel``: systems against a panel of people

_GAP = "gap"
_SHARES = ("identical", "within_1", "within_2", "winning_rate")
_MOVED = {  # flags that `panel` had, kept for one version: the command, and its flag there
    "--rate": ("rate", "--of-label"),
    "--soft": ("soft", "--probabilities"),
    "--sweep": ("sweep", "--setting"),
    **{flag: ("sweep", flag)
       for flag in ("--differences", "--sort-by", "--held-out", "--settings-figure")},
    **{flag: ("rate", flag)
       for flag in ("--correct", "--stratum", "--weight", "--answers-of", "--buy", "--tell-from",
                    "--power", "--pick", "--uncertainty")},
}  # fmt: skip


def _moved(flag: str, words: Sequence[str]) -> str:
    """Say where an option of `panel` is now, with the command to type."""
    if flag not in _MOVED:
        return ""
    command, _ = _MOVED[flag]
    typed: list[str] = []
    for word in words:
        name, sign, value = word.partition("=")
        typed.append(_MOVED[name][1] + sign + value if name in _MOVED else word)
    line = shlex.join(["consilience", command, *typed]).replace(" --of-label '*'", "")
    return f"{flag} is of a command of its own, consilience {command}. Type:\n  {line}"


METHOD = option(
    "--method",
    "How intervals are made.",
    choices=("dirichlet", "bootstrap", "linearised"),
    default="dirichlet",
)
RESAMPLES = shared.resamples_option("Resamples.", default=2_000)
COEFFICIENTS = option(
    "--coefficient -c NAME...",
    "Coefficient, as in kappa or kappa:quadratic; the first decides. Repeat for more.",
    to="names",
)
REFUSED = option(
    "--refused",
    "What a refusal is. Default: category for nominal labels, else missing.",
    choices=("category", "missing", "wrong"),
)
_RULES = (DOCUMENT_RULE, needs("--refusal LABEL", "refused", among=("refusals",)))


@command(_RULES, moved=_moved)
@SIDES
@COEFFICIENTS
@shared.DISTANCE
@option("--margin", "Largest loss of agreement that does not matter.", type=SHARE, default=0.05)
@option(
    "--epsilon E",
    "Of the alternative annotator test: a number, or experts, skilled, crowd.",
    default="0.2",
)
@option("--expert NAME", "The one expert of that test.")
@DOCUMENT
@option("--time COLUMN", "Time or batch of each item, for drift.")
@option(
    "--top",
    "Items to list for each system, those farthest from the people.",
    type=click.IntRange(min=0),
    default=5,
)
@option("--swapped COLUMN", "Column that says in which order was judged.")
@REFUSALS
@REFUSED
@shared.CONFIDENCE_LEVEL
@METHOD
@RESAMPLES
@shared.SEED
@out.figure_option()
@out.REPORT
@shared.gate_option(
    "Exit with 1 if a system is below, as in kappa=0.6, identical=0.8, winning_rate=0.5 or "
    "gap:low=-0.05."
)
@on_ratings
@click.pass_context
def panel(ctx: click.Context, /, **options: Any) -> Answer:
    """Compare systems with a panel of people.

    PATH is a file with the ratings of people and systems (delimited text, Parquet, JSON or JSON
    lines), or - for standard input. Says how far a system agrees with people, how far they agree
    with each other, and whether the system is as good as a person within a margin.

    Examples:
      consilience panel verdicts.csv --system gpt
      consilience panel marks.csv --system emma --scale ordinal --gold moderator
      consilience panel verdicts.jsonl --system gpt --refusal no --document essay
      consilience panel alt_test.json --epsilon skilled
      consilience panel verdicts.csv --system gpt --json --fail-under gap:low=-0.05
    """
    gates = [one.named(_gate_name(one.name)) for one in options["gates"]]
    _check_names(options)
    sides = sides_of(ctx, options)
    loaded, ratings, swapped = sides.loaded, sides.ratings, sides.swapped
    from consilience import panel as panels

    with out.progress("Comparing"):
        result = panels.compare(
            ratings,
            top=options["top"],
            **of_items(sides.beside, {"document": "clusters", "time": "order"}),
            **({"gold": gold_in(options, ratings, sides.beside)} if options["gold"] else {}),
            **_common(options),
            **{name: options[name] for name in ("margin", "epsilon", "expert")},
            people=sides.people,
            systems=sides.systems,
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
    if options["chains"]:
        from consilience.units import muc_scores

        scores = muc_scores(ratings)
        document = replace(document, blocks=(*document.blocks, *scores.document().blocks))
        record["muc"] = scores.to_dict()
    undefined = all(math.isnan(one.agreement[key].value) for one in result.systems)
    made = _answer(result, document, record, "panel", lambda: gated(gates, on_systems))
    return replace(made, code=4 if undefined else 0)


def _check_names(options: dict[str, Any]) -> None:
    for word in options["names"]:
        coefficient_name(word.partition(":")[0], "--coefficient")


def _coefficients(options: dict[str, Any]) -> list[Any] | None:
    """Return the coefficients, with the distance that was told for those that name none."""
    if options["word"] is None:
        return options["names"] or None
    scale = options["scale"] if isinstance(options["scale"], str) else None
    distance = shared.named_distance(options["word"], scale)
    names = options["names"] or ("kappa",)
    return [word if ":" in word else (word, distance) for word in names]


def _common(options: dict[str, Any]) -> dict[str, Any]:
    named = isinstance(options["scale"], dict)  # by variable: the reader has seen to it
    return {
        "coefficients": _coefficients(options),
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
    from consilience.document.records import plain
    from consilience.io.reading_account import answers_left_out

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
        "settings_figure": lambda: plot.settings(result, at=_marked(result)),
    }
    return Answer(document=document, record=record, page=page, figures=figures, gates=gates)


def _marked(result: Any) -> object:
    """Return the setting that --at names, as the sweep calls it."""
    told = click.get_current_context().params.get("at")
    if told is None:
        return None
    called = {str(row.setting): row.setting for row in result.rows}
    if told not in called:
        raise click.BadParameter(f"there is no setting {told!r}.", param_hint="--at")
    return called[told]


def _with_swaps(
    document: Document, record: dict[str, Any], found: PositionSwap
) -> tuple[Document, dict[str, Any]]:
    """Put the swaps below the panel."""
    from consilience.document.records import plain

    record["position_swap"] = plain(found)
    record["findings"] = [*record["findings"], *plain(list(found.findings))]
    joined = replace(
        document,
        blocks=(*document.blocks, *found.document().blocks),
        findings=(*document.findings, *found.findings),
    )
    return joined, record


def _name_documents(record: dict[str, Any], options: dict[str, Any]) -> None:
    """Say which column the documents were read from."""
    if options["document"]:
        record["data"]["clusters"]["column"] = options["document"]


# ---- ``consilience sweep``: settings of a system against the same people

_SWEEP_RULES = (
    *_RULES,
    apart("--differences", "people"),
    only("--differences", "setting", "differences", "sort_by", "delimiter", "encoding", "header",
         "sheet", "format", "label", "gates", "figure", "settings_figure", "at", "report",
         when=is_given("differences")),
    needs("--settings-figure FILE", "at", among=("settings_figure",)),
)  # fmt: skip


@command(_SWEEP_RULES)
@option("--setting COLUMN", "Column that says with which setting was rated.", required=True)
@PEOPLE_NAMED
@COEFFICIENTS
@shared.DISTANCE
@option(
    "--sort-by METRIC",
    "What settings are sorted by, such as ac1, kappa, L1, L2, tau_b, rho, t_test, wilcoxon, "
    "effect_size, f1 or simple_metric.",
)
@option(
    "--differences",
    "The file is a published table, one row per setting, with columns 0, 1, 2, ±1, 'same' or 'off "
    "by 2' that say how often marks differ by so much; or turned.",
)
@option(
    "--held-out SHARE",
    "Share of items held out of the choice of the best setting.",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.0,
)
@DOCUMENT
@REFUSALS
@REFUSED
@shared.CONFIDENCE_LEVEL
@METHOD
@RESAMPLES
@shared.SEED
@out.figure_option()
@out.figure_option("Draw shares of marks against settings that are numbers", "--settings-figure")
@option("--at SETTING", "Setting that this figure marks, with its values.")
@out.REPORT
@shared.gate_option("Exit with 1 if the best setting is below, as in kappa=0.6 or identical=0.8.")
@on_ratings
def sweep(**options: Any) -> Answer:
    """Compare the settings of a system with the same people, best first.

    PATH is a file with the ratings of people and of a system under each setting: a prompt, a
    threshold, an amount of training data. Ratings of people need no setting.

    Examples:
      consilience sweep runs.csv --setting training --people tutor --scale ordinal
      consilience sweep table.csv --setting training --differences --sort-by L2
    """
    from consilience import panel as panels

    gates = [one.named(_gate_name(one.name)) for one in options["gates"]]
    _check_names(options)
    if options["differences"]:
        return _published(options, gates)
    if not options["people"]:
        raise click.UsageError("sweep needs the people: name each with --people.")
    loaded, beside = _load_settings(options)
    with out.progress("Comparing"):
        result = panels.sweep(
            loaded.groups,
            people=options["people"],
            setting=options["setting"],
            sort_by=options["sort_by"],
            held_out=options["held_out"],
            **of_items(beside, {"document": "clusters"}),
            **_common(options),
        )
    record = result.to_dict()
    record["data"]["sources"] = list(loaded.reading.sources)
    _name_documents(record, options)
    return _swept(result, record, gates)


def _published(options: dict[str, Any], gates: list[shared.Gate]) -> Answer:
    """Compare settings of which only the differences of marks were published."""
    from consilience import panel as panels
    from consilience.io.small_tables import read_differences

    if len(options["paths"]) != 1:
        raise click.UsageError("--differences takes one file.")
    told = {name: options[name]
            for name in ("delimiter", "encoding", "header", "sheet", "format", "label")
            if options[name] not in (None, ())}  # fmt: skip
    read = read_differences(options["paths"][0], setting=options["setting"], **told)
    for words in read.told:
        out.tell(f"{options['paths'][0]}: {words}")
    result = panels.sweep(
        {setting: panels.differences(one) for setting, one in read.counts.items()},
        setting=options["setting"],
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
    reading = {**for_reading(options, options["setting"]), **layout, "ungrouped": "keep"}
    try:
        loaded, beside = read_beside(options, reading)
        return told(loaded, reading), beside
    except InputError as error:
        said = error.words.changed(lambda text: text.replace(": by must be", ": --setting must be"))
        raise error.retold(said) from error


# ---- gates


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
