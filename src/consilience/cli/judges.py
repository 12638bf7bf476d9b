"""``consilience judges`` and ``prefer``: what judges are worth, and systems in order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from consilience.cli import options as shared
from consilience.cli import output as out
from consilience.cli.options import COUNT, gated, needs, only_gates, option, refuse
from consilience.cli.output import Answer
from consilience.cli.panel_reading import (
    answer_on,
    drawings_of,
    keeping_refusals,
    refusals_of,
    sides_of,
    truth_of,
)
from consilience.cli.program import command
from consilience.cli.reading import of_items, on_ratings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from consilience.cli.panel_reading import Sides

# ---- ``consilience judges``: what judges are worth, what moves them, and whether they drift

_RULES = (needs("--batch COLUMN", "baseline"),)


@command(_RULES)
@option(
    "--system -s NAME...",
    "Rater that is a judge, by name or pattern (gpt*); repeat for more.",
    to="systems",
)
@option(
    "--people NAME...",
    "Rater that is a person, by name or pattern, or a file with people's labels; repeat for more.",
)
@option("--gold NAME", "Rater or column that is the gold standard.")
@option("--document COLUMN", "Items that belong together, such as a prompt.")
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
@option(
    "--refusal LABEL...", "Label that means refused or unparsable; repeat for more.", to="refusals"
)
@shared.CONFIDENCE_LEVEL
@shared.SEED
@out.figure_option(
    "Draw which judges err together or, with --batch, the first judge's control chart; .svg, .pdf "
    "and .png choose the format."
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
    sides = sides_of(ctx, {**options, "swapped": None, "time": None})
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
@option("--resamples", "Resamples.", type=COUNT, default=499)
@shared.CONFIDENCE_LEVEL
@shared.SEED
@option("--delimiter SIGN", "Delimiter of a text file, such as ';' or tab.")
@option("--encoding NAME", "Encoding of a text file, such as cp1252.")
@option("--quiet -q", "Say nothing about reading.")
@out.figure_option("Draw the ranks, too; .svg, .pdf and .png choose the format.")
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
