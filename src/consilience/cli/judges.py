"""``consilience judges``, ``rate``, ``soft`` and ``prefer``: verdicts of machines, and people."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from consilience.cli import options as shared
from consilience.cli import output as out
from consilience.cli.options import (
    COUNT,
    SHARE,
    Rule,
    apart,
    gated,
    is_given,
    needs,
    only_gates,
    option,
    refuse,
)
from consilience.cli.output import Answer, typed_command
from consilience.cli.panel_reading import (
    DOCUMENT,
    DOCUMENT_RULE,
    PEOPLE_NAMED,
    REFUSALS,
    SIDES,
    answer_on,
    drawings_of,
    keeping_refusals,
    refusals_of,
    sides_of,
    truth_of,
)
from consilience.cli.program import command
from consilience.cli.reading import (
    DELIMITER,
    ENCODING,
    QUIET,
    ByItem,
    of_items,
    on_ratings,
    read_beside,
    told,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from consilience.cli.panel_reading import Sides
    from consilience.io import Loaded
    from consilience.ratings import Ratings

# ---- ``consilience judges``: what judges are worth, what moves them, and whether they drift

_RULES = (needs("--batch COLUMN", "baseline"),)


@command(_RULES)
@SIDES
@DOCUMENT
@option("--author COLUMN", "Model that wrote the answer: self-preference.")
@option("--length COLUMN", "Length of the answer: does it move a judge?")
@option("--position COLUMN", "Place of the answer: does it move a judge?")
@option("--favour LABEL", "The favourable label, for these three.")
@option("--batch COLUMN", "Batch, version or day: watch for drift.")
@option(
    "--baseline SHARE",
    "With --batch: what agreement should be. Default: that of the first batch.",
    type=click.FloatRange(0, 1),
)
@REFUSALS
@shared.CONFIDENCE_LEVEL
@shared.SEED
@out.figure_option(
    "Draw which judges err together or, with --batch, the first judge's control chart"
)
@out.REPORT
@shared.gate_option(
    "Exit with 1 if the share of independent judges is below, as in independent=0.5, or on drift: "
    "a judge that has fallen fails whatever the bound."
)
@on_ratings
@click.pass_context
def judges(ctx: click.Context, /, **options: Any) -> Answer:
    """Ask what judges are worth: do they err together, what moves them, do they drift?

    PATH is a file with verdicts of several judges, or what an evaluation tool wrote (Inspect,
    promptfoo, DeepEval, MLflow, LangSmith, Langfuse, lm-evaluation-harness, JSON lines). Errors are
    counted against people's labels or a gold standard; without them, against the other judges.

    Examples:
      consilience judges verdicts.jsonl --people labels.csv --system 'gpt*'
      consilience judges verdicts.csv --gold gold --author model --length tokens --favour pass
      consilience judges verdicts.csv --people Ann --system gpt-4o --batch week --baseline 0.9
      consilience judges verdicts.csv --people Ann --fail-under independent:low=0.4
    """
    only_gates(options["gates"], ("independent",), "independent=0.5")
    options = keeping_refusals(options)
    sides = sides_of(ctx, options)
    options["refusals"] = refusals_of(options, sides.ratings)
    with out.progress("Judging"):
        found = _found(options, sides)
    return _answer(found, sides, options)


def _found(options: dict[str, Any], sides: Sides) -> dict[str, Any]:
    """Return what there is to say: shared errors, biases, drift of each judge."""
    from consilience import judges as numbers
    from consilience.exceptions import ConsilienceError

    truth = truth_of(options, sides)
    who: dict[str, Any] = {"judges": sides.systems, "refusals": options["refusals"]}
    clusters = of_items(sides.beside, {"document": "clusters"})
    found: dict[str, Any] = {}
    if len(sides.systems) > 1 and (truth or len(sides.systems) > 2):
        found["shared_errors"] = numbers.effective_judges(
            sides.ratings,
            rng=options["seed"],
            confidence_level=options["confidence_level"],
            **who,
            **truth,
            **clusters,
        )
    moved_by = ("author", "length", "position")
    columns = of_items(sides.beside, {name: name for name in moved_by})
    level = options["confidence_level"]
    if columns or len(sides.ratings.occasions) > 1:
        seats: dict[str, Any] = {"people": sides.people} if sides.people else {}
        found["biases"] = numbers.judge_biases(
            sides.ratings, options["favour"], confidence_level=level,
            **who, **seats, **clusters, **columns,
        )  # fmt: skip
    if options["batch"]:
        batch = sides.beside["batch"]
        for judge in sides.systems:
            found[f"watch {judge!s}"] = numbers.watch_judge(
                sides.ratings, batch, judge=[judge], baseline=options["baseline"],
                refusals=options["refusals"], confidence_level=level, **truth,
            )  # fmt: skip
    _refuse_idle(found)
    if not found:
        raise ConsilienceError(
            "consilience judges needs two judges and people's labels (or three judges), repeated "
            "runs, or one of --author, --length, --position, --batch. Got one judge and nothing to "
            "look at. Hint: consilience panel compares one judge with people."
        )
    return found


def _refuse_idle(found: dict[str, Any]) -> None:
    """Refuse what is about numbers that could not be made of these data."""
    if "biases" not in found:
        refuse("is about what moves a judge", "favour",
               hint="add --author, --length or --position, or leave it out")  # fmt: skip
    if not {"biases", "shared_errors"} & set(found):
        refuse("has no effect on drift", "document")


def _answer(found: dict[str, Any], sides: Sides, options: dict[str, Any]) -> Answer:
    from consilience.judges.people_and_systems import who_line

    shared_errors = found.get("shared_errors")
    answer = answer_on(
        list(found.values()),
        sides.loaded,
        options,
        "What are the judges worth?",
        who=who_line(sides.people or ("nobody",), sides.systems, ()),
        estimates=[] if shared_errors is None else [shared_errors],
        biases=found["biases"].to_dict()["biases"] if "biases" in found else [],
        watches=[one for name, one in found.items() if name.startswith("watch ")],
    )
    charts = [draw for name, _, draw in answer.drawings if name.startswith("drift")]
    return replace(
        answer,
        figures={"figure": charts[0]} if charts else {},
        gates=lambda: _exit_code(found, options),
    )


def _exit_code(found: dict[str, Any], options: dict[str, Any]) -> int:
    code = 0
    for name, one in found.items():
        if name.startswith("watch ") and one.alarm_at is not None and options["gates"]:
            out.tell(f"{one.judge!s} has drifted: shown at batch {one.alarm_at!s}.")
            code = 1
    value = limits = None
    shared_errors = found.get("shared_errors")
    if shared_errors is not None:
        n = shared_errors.n_judges
        interval = shared_errors.confidence_interval(options["confidence_level"])
        limits = type(interval)(interval.low / n, interval.high / n, interval.confidence_level, "")
        value = shared_errors.value / n
    share = ("the share of independent judges", value, limits)
    return max(code, gated(options["gates"], lambda gate: [share]))


# ---- ``consilience rate``: the rate behind the verdicts, and labels to buy

_ITEMS = {"document": "clusters", "stratum": "strata", "weight": "weights"}
_METHODS = ("auto", "double-sampling", "ppi", "ppi++", "rogan-gladen", "people")
_PLANS = ("buy", "tell_from")
_OF_ONE = ("stratum", "weight", "answers_of", *_PLANS, "pick", "gates")  # each of one label
_RATE_RULES = (
    DOCUMENT_RULE,
    needs("--tell-from RATE", "power"),
    needs("--pick N", "uncertainty"),
    Rule(_OF_ONE, lambda options: options["of_label"] is None,
         "needs one label: --of-label LABEL", "name the label"),
    *(apart(flag, "figure", "gates", "document", "stratum", "weight", "correct",
            when=is_given(name))
      for flag, name in (("--buy", "buy"), ("--tell-from", "tell_from"), ("--pick", "pick"))),
    apart("--pick", "confidence_level"),
    apart("--answers-of", "stratum"),
)  # fmt: skip


@command(_RATE_RULES)
@SIDES
@option("--of-label LABEL", "The label whose rate is meant. Default: the share of every label.")
@option(
    "--correct METHOD",
    "How: auto, double-sampling, ppi, ppi++, rogan-gladen (labelled items were chosen by their "
    "label), or people alone.",
    choices=_METHODS,
    default="auto",
)
@DOCUMENT
@option("--stratum COLUMN", "Rates by this column.")
@option("--weight COLUMN", "One over the probability with which an item was picked for a label.")
@option("--answers-of COLUMN", "Which of two systems gave the answer; their rates are compared.")
@option(
    "--buy HALF_WIDTH",
    "How many labels to buy for an interval of plus and minus so much.",
    type=SHARE,
)
@option("--tell-from RATE", "How many labels to buy to tell the rate from this one.", type=SHARE)
@option("--power SHARE", "With --tell-from: with which probability. Default: 0.8.", type=SHARE)
@option("--pick N", "The items that people should label next, with their weights.", type=COUNT)
@option(
    "--uncertainty COLUMN",
    "With --pick: how unsure the judge is of each item; such items are picked more often.",
)
@REFUSALS
@shared.CONFIDENCE_LEVEL
@shared.SEED
@out.figure_option()
@out.REPORT
@shared.gate_option("Exit with 1 if a rate is below, as in rate:low=0.7 or difference:low=-0.02.")
@on_ratings
@click.pass_context
def rate(ctx: click.Context, /, **options: Any) -> Answer:
    """Say how often people would give a label, from a judge's verdicts and some people's labels.

    PATH is a file with verdicts of judges on all items; people's labels of some items stand beside
    them or in a file of their own (--people). Compares two systems (--answers-of), says how many
    labels people should give (--buy, --tell-from), and which (--pick).

    Examples:
      consilience rate verdicts.jsonl --people labels.csv --system gpt --of-label pass
      consilience rate verdicts.jsonl --people labels.csv --system gpt
      consilience rate verdicts.jsonl --people labels.csv --system gpt --of-label pass --buy 0.03
    """
    _check_rate(options)
    only_gates(options["gates"], ("rate", "difference"),
               "rate=0.7, rate:low=0.65 or difference:low=-0.02")  # fmt: skip
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
        if options["of_label"] is None
        for share in one["estimates"]
    ]
    more = {"estimates": shares or records} if key == "rates" else {key: records}
    return replace(
        answer_on(found, sides.loaded, options, _title(options), **more),
        whole=options["pick"] is not None,
        gates=lambda: gated(
            options["gates"], lambda gate: [_gated(gate.name, one, options) for one in found]
        ),
    )


def _check_rate(options: dict[str, Any]) -> None:
    """Refuse ways of correcting that need one label, and questions that exclude each other."""
    if options["of_label"] is None and options["correct"] in ("ppi", "ppi++"):
        raise click.UsageError(f"--correct {options['correct']} needs one label: --of-label LABEL.")
    chosen = [name for name in (*_PLANS, "pick", "answers_of") if options[name] is not None]
    if len(chosen) > 1:
        first, second = (name.replace("_", "-") for name in chosen[:2])
        raise click.UsageError(f"--{first} and --{second} exclude each other.")


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

    label, ratings = options["of_label"], sides.ratings
    given = {**told, "judge": [judge]}
    beside = of_items(sides.beside, _ITEMS)
    level = options["confidence_level"]
    if label is None:
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


def _gated(word: str, found: Any, options: dict[str, Any]) -> tuple[str, float | None, Any]:
    name = f"{getattr(found, 'judge', 'the difference')!s}: {getattr(found, 'name', word)}"
    return name, found.value, found.confidence_interval(options["confidence_level"])


# ---- ``consilience soft``: predicted distributions against those of people


@command((DOCUMENT_RULE,))
@PEOPLE_NAMED
@option(
    "--probabilities FILE...",
    "File with predicted probabilities of the labels; one file for each system.",
    required=True,
)
@DOCUMENT
@shared.CONFIDENCE_LEVEL
@shared.SEED
@out.figure_option()
@out.REPORT
@shared.gate_option("Exit with 1 if a system is below, as in accuracy:low=0.6.")
@on_ratings
@click.pass_context
def soft(ctx: click.Context, /, **options: Any) -> Answer:
    """Compare predicted probabilities of the labels with the distribution of people's.

    PATH is a file with the labels of people; each --probabilities is a file with a probability of
    each label for each item, from one system.

    Examples:
      consilience soft labels.csv --probabilities probabilities.csv
      consilience soft labels.csv --probabilities one.csv --probabilities two.csv --document essay
    """
    for path in options["probabilities"]:
        if not Path(path).is_file():
            raise click.UsageError(f"--probabilities {path}: there is no such file.")
    only_gates(options["gates"], ("accuracy",), "accuracy=0.7 or accuracy:low=0.6")
    read, beside = read_beside(options, options)
    loaded = told(read, options)
    people = _people(ctx, options, loaded)
    with out.progress("Comparing"):
        found = [_soft_found(options, people, path, beside) for path in options["probabilities"]]
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
            f"soft compares with people, and {', '.join(like[:4])} may be a system. If the "
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


# ---- ``consilience prefer``: verdicts on pairs in, systems in order out

_NAMES = {
    "first": ("first", "model_a", "system_a", "a", "left", "option_a", "player1", "model_1"),
    "second": ("second", "model_b", "system_b", "b", "right", "option_b", "player2", "model_2"),
    "winner": ("winner", "preferred", "preference", "verdict", "choice", "label", "outcome"),
    "judge": ("judge", "annotator", "rater", "judge_model", "user"),
    "item": ("item", "prompt_id", "question_id", "prompt", "question", "id", "item_id"),
}


@command()
@click.argument("paths", metavar="PATH", nargs=1, required=True)
@option("--first COLUMN", "Column of the system that was shown first.")
@option("--second COLUMN", "Column of the system that was shown second.")
@option("--winner COLUMN", "Column of who won: a name, first, second, tie.")
@option("--judge COLUMN", "Column of who judged.")
@option("--item COLUMN", "Column of what was asked; resampled whole.")
@option(
    "--order-effect",
    "Whether the first place may have an advantage; auto: if pairs were shown both ways.",
    choices=("auto", "yes", "no"),
    default="auto",
)
@option(
    "--method",
    "How intervals are made. Default: bootstrap of items where they are named and come back.",
    choices=("likelihood", "bootstrap"),
)
@shared.resamples_option("Resamples.", default=499)
@shared.CONFIDENCE_LEVEL
@shared.SEED
@DELIMITER
@ENCODING
@QUIET
@out.figure_option("Draw the ranks, too")
@out.REPORT
@out.output_options("json", "csv", "markdown", "latex")
def prefer(**options: Any) -> Answer:
    """Put systems in order by verdicts on pairs of answers, and say who is really ahead.

    PATH is a table with one row per verdict (delimited text, JSON, JSON lines or Parquet): who was
    shown first, who second, and who won. Columns are known by their names, or told.

    Examples:
      consilience prefer battles.csv
      consilience prefer battles.jsonl --first model_a --second model_b --winner winner
      consilience prefer battles.csv --judge judge --item prompt_id --method bootstrap
    """
    options["paths"] = (options["paths"],)
    columns = _columns(options)
    roles = _roles(columns, options)
    if not options["quiet"]:
        told = "; ".join(f"{role}: {name}" for role, name in roles.items() if name)
        n = len(next(iter(columns.values()), ()))
        out.tell(f"{options['paths'][0]}: {n:,} verdicts on pairs ({told})")
    from consilience.judges import preferences

    place = {"yes": True, "no": False}.get(options["order_effect"])
    method = _method(columns, roles, options)
    if method == "likelihood":
        refuse("is for --method bootstrap", "resamples")
    with out.progress("Comparing"):
        found = preferences(
            columns, order_effect=place, method=method,
            n_resamples=options["resamples"], confidence_level=options["confidence_level"],
            rng=options["seed"], **roles,
        )  # fmt: skip
    return Answer(
        document=found.document(),
        record=_record(found, options),
        title="Which system is ahead?",
        drawings=drawings_of([found]),
    )


def _columns(options: dict[str, Any]) -> dict[str, list[Any]]:
    """Read the table as columns."""
    from consilience.io.side_columns import read_columns

    if options["paths"][0] == "-":
        raise click.UsageError("prefer needs a file: save standard input first.")
    told = {name: options[name] for name in ("delimiter", "encoding") if options[name]}
    return read_columns(options["paths"][0], **told)


def _roles(columns: Mapping[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    """Return role to column: as told, or by the usual names."""
    small = {name.strip().casefold().replace(" ", "_"): name for name in columns}
    roles: dict[str, Any] = {}
    for role, usual in _NAMES.items():
        known = next((small[name] for name in usual if name in small), None)
        roles[role] = options[role] or known
    missing = [role for role in ("first", "second", "winner") if roles[role] is None]
    if missing:
        flags = " ".join(f"--{role} COLUMN" for role in missing)
        raise click.UsageError(
            f"which column says who was {' and '.join(missing)}? Columns: {', '.join(columns)}. "
            f"Add {flags}."
        )
    return roles


def _method(columns: Mapping[str, Any], roles: dict[str, Any], options: dict[str, Any]) -> Any:
    if options["method"]:
        return options["method"]
    if roles["item"] is None:
        return "likelihood"
    asked = columns[roles["item"]]
    return "bootstrap" if len({str(x) for x in asked}) < len(asked) else "likelihood"


def _record(found: Any, options: dict[str, Any]) -> dict[str, Any]:
    from consilience.document import envelope

    return envelope(
        data=None,
        findings=found.findings,
        seed=options["seed"],
        verdict=found.verdict,
        preferences=found,
        sources=list(options["paths"]),
    )
