"""``consilience panel --rate LABEL``: the rate behind the verdicts, and labels to buy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from consilience.cli import _output as out
from consilience.cli._extra_columns import facts
from consilience.cli._grouped import joined
from consilience.cli._heeded import Options, Rule, apart, is_given, needs
from consilience.cli._item_columns import gold_in, of_items
from consilience.cli._judge_figures import drawings_of
from consilience.cli._judge_reading import keeping_refusals, refusals_of
from consilience.cli._options import COUNT, SHARE, gated, only_gates, option, together
from consilience.cli._output import Answer
from consilience.cli._panel_reading import sides_of

if TYPE_CHECKING:
    from consilience.cli._panel_reading import Sides
    from consilience.document import Document

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
    told = {**_truth(options, sides), "refusals": refusals_of(options, sides.ratings)}
    with out.progress("Correcting"):
        found = [_found(options, sides, judge, told) for judge in sides.systems]
    document = joined([one.document() for one in found])
    return Answer(
        document=document,
        record=_record(document, found, options, sides),
        title=_title(options),
        drawings=drawings_of(found),
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


def _truth(options: dict[str, Any], sides: Sides) -> dict[str, Any]:
    """Return who says what is right: the gold standard where one is named, else people."""
    if not options["gold"]:
        return {"people": sides.people or None}
    return {"gold": gold_in(options, sides.ratings, sides.beside)}


def _found(options: dict[str, Any], sides: Sides, judge: object, told: dict[str, Any]) -> Any:
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


def _record(
    document: Document, found: list[Any], options: dict[str, Any], sides: Sides
) -> dict[str, Any]:
    """Return the record, which has a list of the judges."""
    from consilience.document import envelope

    key = {True: "label_plans", False: "rates"}[_is_plan(options)]
    key = "picks" if options["pick"] is not None else key
    records = [one.to_dict() for one in found]
    shares = [
        {"judge": one["judge"], "method": one["method"], **share}
        for one in records
        if options["rate"] == _EVERY
        for share in one["estimates"]
    ]
    return envelope(
        data=facts(sides.loaded),
        estimates=shares or (records if key == "rates" else []),
        findings=list(document.findings),
        seed=options["seed"],
        verdict=document.verdict,
        **({} if key == "rates" else {key: records}),
    )


def _rate(word: str, found: Any, options: dict[str, Any]) -> tuple[str, float | None, Any]:
    name = f"{getattr(found, 'judge', 'the difference')!s}: {getattr(found, 'name', word)}"
    return name, found.value, found.confidence_interval(options["confidence_level"])
