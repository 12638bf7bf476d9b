"""``consilience panel --soft FILE``: predicted distributions against those of people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from consilience.cli import _output as out
from consilience.cli._again import typed_command
from consilience.cli._extra_columns import facts
from consilience.cli._grouped import joined
from consilience.cli._heeded import apart, is_given, only
from consilience.cli._item_columns import ByItem, of_items, read_beside
from consilience.cli._judge_figures import drawings_of
from consilience.cli._options import gated, only_gates, option
from consilience.cli._output import Answer
from consilience.cli._ratings_reading import READING, told

if TYPE_CHECKING:
    from consilience.io import Loaded
    from consilience.ratings import Ratings

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
        found = [_found(options, people, path, beside) for path in options["soft"]]
    return _answer(found, people, loaded, options)


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


def _found(options: dict[str, Any], people: Ratings, path: str, beside: ByItem) -> Any:
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


def _answer(found: list[Any], people: Ratings, loaded: Loaded, options: dict[str, Any]) -> Answer:
    from consilience.document import envelope
    from consilience.judges.people_and_systems import who_line

    who = who_line(people.raters, [one.system for one in found], ())
    document = joined([one.document() for one in found], who)
    records = [one.to_dict() for one in found]
    measures = [
        {"system": one["system"], **measure} for one in records for measure in one.pop("estimates")
    ]
    record = envelope(
        data=facts(loaded),
        estimates=measures,
        findings=list(document.findings),
        seed=options["seed"],
        verdict=document.verdict,
        soft_labels=records,
    )
    said = "share of items with people's most frequent label"
    shares = [(f"{one.system!s}: {said}", one.accuracy, one.accuracy_interval) for one in found]
    return Answer(
        document=document,
        record=record,
        title="Do the predictions follow people?",
        drawings=drawings_of(found),
        gates=lambda: gated(options["gates"], lambda gate: shares),
    )
