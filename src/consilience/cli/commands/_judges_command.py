"""``consilience judges``: what judges are worth, what moves them, and whether they drift."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from consilience.cli import _options as shared
from consilience.cli import _output as out
from consilience.cli._extra_columns import facts
from consilience.cli._grouped import joined
from consilience.cli._heeded import needs, refuse
from consilience.cli._item_columns import gold_in, of_items
from consilience.cli._judge_figures import drawings_of
from consilience.cli._judge_reading import keeping_refusals, refusals_of
from consilience.cli._main import command
from consilience.cli._options import gated, only_gates, option
from consilience.cli._output import Answer
from consilience.cli._panel_reading import sides_of
from consilience.cli._ratings_reading import reading_options

if TYPE_CHECKING:
    from consilience.cli._panel_reading import Sides

_RULES = (needs("--batch COLUMN", "baseline"),)
_EPILOG = """\b
Examples:
  consilience judges verdicts.jsonl --people labels.csv --system 'gpt*'
  consilience judges verdicts.csv --gold gold --author model --length tokens --favour pass
  consilience judges verdicts.csv --people Ann --system gpt-4o --batch week --baseline 0.9
  consilience judges verdicts.csv --people Ann --fail-under independent:low=0.4
"""


@command(_EPILOG, _RULES)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
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
@reading_options
@out.output_options("json", "csv", "markdown", "latex")
@click.pass_context
def judges(ctx: click.Context, /, **options: Any) -> Answer:
    """Ask what judges are worth: do they err together, what moves them, do they drift?

    PATH is a file with verdicts of several judges, or what an evaluation tool wrote (Inspect,
    promptfoo, DeepEval, MLflow, LangSmith, Langfuse, lm-evaluation-harness, JSON lines). Errors are
    counted against people's labels or a gold standard; without them, against the other judges.
    """
    only_gates(options["gates"], ("independent",), "independent=0.5")
    options = keeping_refusals(options)
    sides = sides_of(ctx, {**options, "swapped": None, "time": None})
    options["refusals"] = refusals_of(options, sides.ratings)
    with out.progress("Judging"):
        found = _found(options, sides)
    return _answer(found, sides, options)


def _truth(options: dict[str, Any], sides: Sides) -> dict[str, Any]:
    if not options["gold"]:
        return {"people": sides.people} if sides.people else {}
    return {"gold": gold_in(options, sides.ratings, sides.beside)}


def _found(options: dict[str, Any], sides: Sides) -> dict[str, Any]:
    """Return what there is to say: shared errors, biases, drift of each judge."""
    from consilience import judges as numbers
    from consilience.exceptions import ConsilienceError

    truth = _truth(options, sides)
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
    from consilience.document import envelope
    from consilience.judges.people_and_systems import who_line

    who = who_line(sides.people or ("nobody",), sides.systems, ())
    document = joined([one.document() for one in found.values()], who)
    shared_errors = found.get("shared_errors")
    record = envelope(
        data=facts(sides.loaded),
        estimates=[] if shared_errors is None else [shared_errors.to_dict()],
        findings=list(document.findings),
        seed=options["seed"],
        verdict=document.verdict,
        biases=found["biases"].to_dict()["biases"] if "biases" in found else [],
        watches=[one.to_dict() for name, one in found.items() if name.startswith("watch ")],
    )
    drawings = drawings_of(found.values())
    charts = [draw for name, _, draw in drawings if name.startswith("drift")]
    return Answer(
        document=document,
        record=record,
        title="What are the judges worth?",
        drawings=drawings,
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
