"""``consilience panel``: systems against a panel of people, rates behind verdicts, soft labels."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from consilience.cli import options as shared
from consilience.cli import output as out
from consilience.cli.options import (
    COUNT,
    SHARE,
    Options,
    Rule,
    apart,
    coefficient_name,
    gated,
    is_given,
    needs,
    only,
    only_gates,
    option,
    refuse,
    together,
)
from consilience.cli.output import Answer, how_made, typed_command
from consilience.cli.panel_reading import (
    answer_on,
    for_reading,
    keeping_refusals,
    refusals_of,
    roles,
    sides_of,
    truth_of,
)
from consilience.cli.program import command
from consilience.cli.reading import (
    READING,
    ByItem,
    gold_in,
    of_items,
    on_ratings,
    read_beside,
    told,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from consilience.cli.panel_reading import Sides
    from consilience.document import Document
    from consilience.io import Loaded
    from consilience.panel.comparison import PanelResult
    from consilience.panel.labels import PositionSwap
    from consilience.panel.sweeps import SweepResult
    from consilience.ratings import Ratings
    from consilience.report import Page

# ---- ``consilience panel --rate LABEL``: the rate behind the verdicts, and labels to buy

_ITEMS = {"document": "clusters", "stratum": "strata", "weight": "weights"}
_METHODS = ("auto", "double-sampling", "ppi", "ppi++", "rogan-gladen", "people")


# The options that belong to rates.
rate_options = together(
    option(
        "--rate LABEL",
        "How often people would give this label, from the verdicts of a judge (--system) and "
        "people's labels of some items; '*' for the share of every label.",
    ),
    option(
        "--correct METHOD",
        "With --rate: auto, double-sampling, ppi, ppi++, rogan-gladen (labelled items were "
        "chosen by their label), or people alone.",
        choices=_METHODS,
        default="auto",
    ),
    option("--stratum COLUMN", "With --rate: rates by this column."),
    option(
        "--weight COLUMN",
        "With --rate: one over the probability with which an item was picked for a label.",
    ),
    option(
        "--answers-of COLUMN",
        "With --rate: which of two systems gave the answer; their rates are compared.",
    ),
    option(
        "--buy HALF_WIDTH",
        "With --rate: how many labels to buy for an interval of plus and minus so much.",
        type=SHARE,
    ),
    option(
        "--tell-from RATE",
        "With --rate: how many labels to buy to tell the rate from this one.",
        type=SHARE,
    ),
    option("--power SHARE", "With --tell-from: with which probability. Default: 0.8.", type=SHARE),
    option(
        "--pick N",
        "With --rate: the items that people should label next, with their weights.",
        type=COUNT,
    ),
    option(
        "--uncertainty COLUMN",
        "With --pick: how unsure the judge is of each item; such items are picked more often.",
    ),
)
_PLANS = ("buy", "tell_from")
_EVERY = "*"  # instead of one label


_OF_RATES = ("stratum", "weight", "answers_of", *_PLANS, "pick")  # each of one label


def _is_rate(options: Options) -> bool:
    return options["rate"] is not None


def _is_every(options: Options) -> bool:
    return bool(options["rate"] == _EVERY)


RATE_RULES = (
    needs("--rate LABEL", "correct", *_OF_RATES, "power", "uncertainty"),
    needs("--tell-from RATE", "power"),
    needs("--pick N", "uncertainty"),
    apart("--rate", "sweep", "differences", "sort_by", "held_out", "swapped", "expert", "time",
          "settings_figure", "names", "margin", "epsilon", "top", "refused", "method",
          "resamples", when=_is_rate),
    Rule(_OF_RATES, _is_every, "needs one label: --rate LABEL", "name the label"),
    Rule(("gates",), _is_every, "needs one label: --rate LABEL", "name the label"),
    *(apart(flag, "figure", "gates", "document", "stratum", "weight", "correct",
            when=is_given(name))
      for flag, name in (("--buy", "buy"), ("--tell-from", "tell_from"), ("--pick", "pick"))),
    apart("--pick", "confidence_level"),
    apart("--answers-of", "stratum"),
)  # fmt: skip


def check_rate(options: dict[str, Any]) -> None:
    """Refuse ways of correcting that need one label, and questions that exclude each other."""
    if options["rate"] == _EVERY and options["correct"] in ("ppi", "ppi++"):
        raise click.UsageError(f"--correct {options['correct']} needs one label: --rate LABEL.")
    chosen = [name for name in (*_PLANS, "pick", "answers_of") if options[name] is not None]
    if len(chosen) > 1:
        first, second = (name.replace("_", "-") for name in chosen[:2])
        raise click.UsageError(f"--{first} and --{second} exclude each other.")


def rate_command(ctx: click.Context, options: dict[str, Any]) -> Answer:
    """Correct the rate of every judge, compare two systems, or say which labels to buy."""
    like = "rate=0.7, rate:low=0.65 or difference:low=-0.02"
    only_gates(options["gates"], ("rate", "difference"), like)
    options = keeping_refusals(options)
    sides = sides_of(ctx, options)
    told = {**truth_of(options, sides), "refusals": refusals_of(options, sides.ratings)}
    with out.progress("Correcting"):
        found = [_rates_found(options, sides, judge, told) for judge in sides.systems]
    records = [one.to_dict() for one in found]
    key = "rates"
    if options["pick"] is not None:
        key = "picks"
    elif _is_plan(options):
        key = "label_plans"
    shares = [
        {"judge": one["judge"], "method": one["method"], **share}
        for one in records
        if options["rate"] == _EVERY
        for share in one["estimates"]
    ]
    more = {"estimates": shares or records} if key == "rates" else {key: records}
    return replace(
        answer_on(found, sides.loaded, options, _title(options), **more),
        whole=options["pick"] is not None,
        gates=lambda: gated(
            options["gates"], lambda gate: [_rate(gate.name, one, options) for one in found]
        ),
    )


def _is_plan(options: dict[str, Any]) -> bool:
    return any(options[name] is not None for name in _PLANS)


def _title(options: dict[str, Any]) -> str:
    if _is_plan(options):
        return "How many labels should people give?"
    if options["pick"] is not None:
        return "Which items should people label?"
    return "Which system is ahead?" if options["answers_of"] else "What would people say?"


def _rates_found(options: dict[str, Any], sides: Sides, judge: object, told: dict[str, Any]) -> Any:
    from consilience import judges

    label, ratings = options["rate"], sides.ratings
    given = {**told, "judge": [judge]}
    beside = of_items(sides.beside, _ITEMS)
    level = options["confidence_level"]
    if label == _EVERY:
        how = {"rogan-gladen": "confusion"}.get(options["correct"], options["correct"])
        return judges.corrected_shares(
            ratings, method=how, confidence_level=level, **beside, **given
        )
    if _is_plan(options):
        return judges.labels_to_buy(
            ratings, label, half_width=options["buy"], null=options["tell_from"],
            power=options["power"], confidence_level=level, rng=options["seed"], **given,
        )  # fmt: skip
    if options["pick"] is not None:
        unsure = of_items(sides.beside, {"uncertainty": "uncertainty"})
        return judges.pick_items(
            ratings, label, options["pick"], rng=options["seed"], **unsure, **given
        )
    if options["answers_of"]:
        system = of_items(sides.beside, {"answers_of": "system"})
        return judges.rate_difference(ratings, label, method=_two(options), confidence_level=level,
                                      **system, **beside, **given)  # fmt: skip
    return judges.corrected_rate(
        ratings, label, method=options["correct"], confidence_level=level, **beside, **given
    )


def _two(options: dict[str, Any]) -> Any:
    if options["correct"] == "rogan-gladen":
        raise click.UsageError("--correct rogan-gladen does not go with --answers-of.")
    return options["correct"]


def _rate(word: str, found: Any, options: dict[str, Any]) -> tuple[str, float | None, Any]:
    name = f"{getattr(found, 'judge', 'the difference')!s}: {getattr(found, 'name', word)}"
    return name, found.value, found.confidence_interval(options["confidence_level"])


# ---- ``consilience panel --soft FILE``: predicted distributions against those of people

SOFT = option(
    "--soft FILE...",
    "File with predicted probabilities of the labels, compared with the distribution of "
    "people's; one file for each system.",
)
SOFT_RULES = (
    apart("--soft", "rate", "sweep", "swapped", "expert", "time", "gold", "systems",
          "settings_figure"),
    only("--soft", "soft", "people", "document", "confidence_level", "seed", "gates", "figure",
         "report", *READING, when=is_given("soft")),
)  # fmt: skip


def check_soft(options: dict[str, Any]) -> None:
    """Refuse files that are not there, and gates on what is not measured."""
    for path in options["soft"]:
        if not Path(path).is_file():
            raise click.UsageError(f"--soft {path}: there is no such file.")
    only_gates(options["gates"], ("accuracy",), "accuracy=0.7 or accuracy:low=0.6")


def soft_command(ctx: click.Context, options: dict[str, Any]) -> Answer:
    """Compare each file of predictions with people."""
    check_soft(options)
    read, beside = read_beside(options, options)
    loaded = told(read, options)
    people = _people(ctx, options, loaded)
    with out.progress("Comparing"):
        found = [_soft_found(options, people, path, beside) for path in options["soft"]]
    return _soft_answer(found, people, loaded, options)


def _people(ctx: click.Context, options: dict[str, Any], loaded: Loaded) -> Ratings:
    """Return people's ratings: of those named, or of all where none is called like a system."""
    from consilience.judges.people_and_systems import looks_like_system, matching

    ratings = loaded.ratings
    if options["people"]:
        return ratings.select(raters=list(matching(ratings.raters, options["people"], "people")))
    like = [str(name) for name in ratings.raters if looks_like_system(name)]
    if like:
        rest = [str(name) for name in ratings.raters if str(name) not in like]
        told = [word for name in rest for word in ("--people", name)]
        hint = typed_command(ctx, more=told) if rest else "name them by --people"
        raise click.UsageError(
            f"--soft compares with people, and {', '.join(like[:4])} may be a system. If the "
            f"others are the people:\n  {hint}"
        )
    return ratings


def _soft_found(options: dict[str, Any], people: Ratings, path: str, beside: ByItem) -> Any:
    from consilience.io.predicted_shares import read_distributions
    from consilience.judges import soft_agreement

    told = {name: options[name] for name in ("delimiter", "encoding") if options[name]}
    predicted = read_distributions(
        path, items=[str(x) for x in people.items], labels=[str(x) for x in people.categories],
        **told,
    )  # fmt: skip
    n_both = sum(str(item) in predicted for item in people.items)
    if not options["quiet"]:
        out.tell(_joined(path, people, predicted, n_both))
    return soft_agreement(
        people, predicted, system=Path(path).stem, **of_items(beside, {"document": "clusters"}),
        confidence_level=options["confidence_level"], rng=options["seed"],
    )  # fmt: skip


def _joined(path: str, people: Ratings, predicted: dict[str, Any], n_both: int) -> str:
    """Say what the predictions are about, and what does not join."""
    text = f"{path}: predictions for {n_both:,} of {people.n_items:,} items that people labelled"
    beyond = len(predicted) - n_both
    return f"{text}; {beyond:,} for other items, left out" if beyond else text


def _soft_answer(
    found: list[Any], people: Ratings, loaded: Loaded, options: dict[str, Any]
) -> Answer:
    from consilience.judges.people_and_systems import who_line

    who = who_line(people.raters, [one.system for one in found], ())
    records = [one.to_dict() for one in found]
    measures = [
        {"system": one["system"], **measure} for one in records for measure in one.pop("estimates")
    ]
    said = "share of items with people's most frequent label"
    shares = [(f"{one.system!s}: {said}", one.accuracy, one.accuracy_interval) for one in found]
    title = "Do the predictions follow people?"
    return replace(
        answer_on(found, loaded, options, title, who=who, estimates=measures, soft_labels=records),
        gates=lambda: gated(options["gates"], lambda gate: shares),
    )


# ---- ``consilience panel``: systems against a panel of people

_GAP = "gap"
_SHARES = ("identical", "within_1", "within_2", "winning_rate")
_RULES = (
    *SOFT_RULES,
    *RATE_RULES,
    needs("--sweep COLUMN", "differences", "sort_by", "held_out", "settings_figure"),
    apart("--sweep", "systems", "gold", "time", "swapped", "expert", "margin", "epsilon", "top"),
    apart("--differences", "people"),
    only("--differences", "sweep", "differences", "sort_by", "delimiter", "encoding", "header",
         "sheet", "format", "label", "gates", "figure", "settings_figure", "report",
         when=is_given("differences")),
    apart("--document", "cluster"),
    needs("--refusal LABEL", "refused", among=("refusals",)),
)  # fmt: skip


@command(_RULES)
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
@on_ratings
@click.pass_context
def panel(ctx: click.Context, /, **options: Any) -> Answer:
    """Compare systems with a panel of people.

    PATH is a file with the ratings of people and systems (delimited text, Parquet, JSON or JSON
    lines), or - for standard input. Says how far a system agrees with people, how far they agree
    with each other, and whether the system is as good as a person within a margin; with --sweep,
    compares the settings of a system; with --rate, says how often people would give a label; with
    --soft, compares predicted probabilities with the distribution of people's labels.

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
        "settings_figure": lambda: plot.settings(result),
    }
    return Answer(document=document, record=record, page=page, figures=figures, gates=gates)


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


def _sweep(options: dict[str, Any], gates: list[shared.Gate]) -> Answer:
    from consilience import panel as panels

    if options["differences"]:
        return _published(options, gates)
    if not options["people"]:
        raise click.UsageError("--sweep needs the people: name each with --people.")
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
    from consilience.io.small_tables import read_differences

    if len(options["paths"]) != 1:
        raise click.UsageError("--differences takes one file.")
    told = {name: options[name]
            for name in ("delimiter", "encoding", "header", "sheet", "format", "label")
            if options[name] not in (None, ())}  # fmt: skip
    read = read_differences(options["paths"][0], setting=options["sweep"], **told)
    for words in read.told:
        out.tell(f"{options['paths'][0]}: {words}")
    result = panels.sweep(
        {setting: panels.differences(one) for setting, one in read.counts.items()},
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
