"""``consilience plan``: how many items and raters a study needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from consilience.cli import _output as out
from consilience.cli._extra_columns import facts
from consilience.cli._grouped import each
from consilience.cli._heeded import Rule, apart, needs
from consilience.cli._main import command
from consilience.cli._options import (
    coefficient_name,
    named_distance,
    option,
    split_categories,
    split_shares,
)
from consilience.cli._output import Answer
from consilience.cli._ratings_reading import IGNORE_CASE, LABEL, MAP, NO_RATER, SETS, VARIABLE, load

if TYPE_CHECKING:
    from consilience.cli._heeded import Options
    from consilience.coefficients import Estimate
    from consilience.io import Loaded
    from consilience.plan import Plan

# Arguments of the library that options of another name stand for; an ICC is asked for like a kappa.
_ARGUMENTS = {"rho0": "kappa0", "rho1": "kappa1", "n_resamples": "simulations", "rng": "seed",
              "other_prevalence": "prevalence"}  # fmt: skip
_METHODS = ("auto", "goodness-of-fit", "cohen", "icc", "simulation")
_OF_PILOT = ("categories", "missing_values", "map", "ignore_case", "sets", "no_rater", "shape",
             "item", "rater", "label", "variable", "by")  # fmt: skip
_FORMULAS = ("goodness-of-fit", "cohen", "icc")


def _is_icc(options: Options) -> bool:
    return str(options["coefficient"] or "").strip().casefold() == "icc"


def _is_test(options: Options) -> bool:
    return options["kappa0"] is not None and options["pilot"] is None


def _wants_raters(options: Options) -> bool:
    wide = options["width"] is not None or options["half_width"] is not None
    return wide and options["n_items"] is not None and options["pilot"] is None


def _has_formula(options: Options) -> bool:
    return options["pilot"] is None and (options["method"] in _FORMULAS or _is_icc(options))


_RULES = (
    Rule(_OF_PILOT, lambda options: options["pilot"] is None, "describes a pilot",
         "add --pilot FILE, or leave it out"),
    apart("--kappa0", "width", "half_width", "confidence_level", "assurance", when=_is_test),
    needs("--kappa0 VALUE", "power", "alternative", "significance_level"),
    apart("--items", "power", when=lambda options: options["n_items"] is not None),
    Rule(("method",), lambda options: options["pilot"] is not None, "does not go with --pilot",
         "leave it out: the variance of the pilot decides"),
    Rule(("method",), _wants_raters, "does not choose how many raters are found",
         "leave it out: studies are simulated"),
    Rule(("simulations", "assurance"), _has_formula, "is for studies that are simulated",
         "leave it out, or choose --method simulation"),
    apart("--coefficient icc", "word", "scale", "prevalence", when=_is_icc),
)  # fmt: skip
_EPILOG = """\b
Examples:
  consilience plan --kappa0 0.4 --kappa1 0.6 --prevalence 0.3 --raters 3
  consilience plan --kappa0 0.4 --kappa1 0.6 --items 80     power of 80 items
  consilience plan --kappa 0.7 --width 0.2 --prevalence 0.2,0.3,0.5
  consilience plan --kappa 0.7 --half-width 0.08 --items 200   how many raters
  consilience plan --pilot ratings.csv --half-width 0.05 -c alpha
  consilience plan --kappa 0.7 --width 0.2 --assurance 0.9     wider in one of ten
  consilience plan --kappa0 0.6 --kappa1 0.8 -c ac1 --raters 4
"""


@command(_EPILOG, _RULES)
@option("--kappa0", "Value under the null hypothesis.", type=float)
@option("--kappa1", "Value that the study should tell from it.", type=float)
@option("--kappa", "Value expected, to plan the width of its interval.", type=float)
@option("--width", "Total width that the interval should have.", type=float)
@option("--half-width", "Half the width that the interval should have.", type=float)
@option("--items", "Items, to get the power, width or raters instead.", to="n_items", type=int)
@option("--raters", "Raters of each item. Default: 2.", to="n_raters", type=int)
@option(
    "--prevalence SHARES",
    "Share of one of two categories, or of each, as in 0.2,0.3,0.5. Default: 0.5.",
    callback=split_shares,
)
@option("--power", "Power wanted.", type=float, default=0.8)
@option(
    "--coefficient -c NAME", "Coefficient to plan for, or icc. Default: kappa; for a pilot, alpha."
)
@option("--method", "How to find the answer.", choices=_METHODS, default="auto")
@option(
    "--alternative",
    "Side of the test. Default: two-sided.",
    choices=("two-sided", "greater", "less"),
)
@option("--significance-level", "Of a test.", type=float, default=0.05)
@option("--confidence-level", "Of an interval.", type=float, default=0.95)
@option(
    "--assurance",
    "Share of studies whose interval is no wider than planned; 0.5 for the average.",
    type=float,
    default=0.8,
)
@option("--pilot FILE", "Ratings of a pilot study, or - for standard input.")
@option("--population", "Items in all, of which a sample is rated.", type=float)
@option("--scale", "Of the labels.", choices=("nominal", "ordinal", "interval", "ratio"))
@option("--distance NAME", "How different two labels are.", to="word")
@option("--categories A,B,C", "Labels of the pilot, in order.", callback=split_categories)
@option(
    "--missing-value LABEL...",
    "Label of the pilot that means 'no rating'; repeat for more.",
    to="missing_values",
)
@MAP
@IGNORE_CASE
@SETS
@NO_RATER
@option("--shape NAME", "Layout of the pilot. Default: recognised.")
@option("--item COLUMN...", "Column that names the item.")
@option("--rater COLUMN...", "Column that names the rater.")
@LABEL
@VARIABLE
@option("--by COLUMN", "One plan per value of this column of the pilot.")
@option("--simulations", "Simulated studies per size.", type=int, default=1000)
@option("--seed", "Seed of the simulation.", type=int, default=0, show_default=True)
@option("--json", "Write JSON: stable keys, unrounded.", to="as_json")
@option("--quiet -q", "Do not say how the pilot was read.")
def plan(**options: Any) -> Answer:
    """Plan a study: items and raters, power, or width of the interval.

    Give two values to be told apart (--kappa0, --kappa1), a value and a width (--kappa, --width),
    or a pilot study and a half-width (--pilot, --half-width). Studies are simulated with the
    intervals and tests that they will report. A pilot with several variables gives one plan for
    each.
    """
    distance = named_distance(options["word"], options["scale"])
    chosen = options["coefficient"]
    name = None if chosen is None else "icc"
    if chosen is not None and chosen.strip().casefold() != "icc":
        name = coefficient_name(chosen, "--coefficient")
    if options["pilot"] is None:
        result = _ask(options, name, None, {} if distance is None else {"distance": distance})
        return _answer(result, None, None, options)
    loaded = load({**options, "paths": (options["pilot"],)})
    if loaded.by is None and distance is None:
        from consilience.coefficients.undecided import require_scale

        require_scale(loaded.ratings, "a plan from a pilot")

    def find(one: Loaded) -> Answer:
        estimate = _estimate(one, name or "krippendorff_alpha", distance)
        result = _ask(options, estimate.coefficient, estimate, {})
        return _answer(result, one, estimate, options)

    return each(loaded, find)


def _ask(
    options: dict[str, Any], name: str | None, pilot: Estimate | None, coefficient: dict[str, Any]
) -> Plan:
    """Ask the library; what it refuses was wrong usage, as no file is involved any more."""
    from consilience.cli._hints import flags_of
    from consilience.exceptions import InputError, UnsupportedDesignError
    from consilience.plan import plan as make

    direct = ("kappa0", "kappa1", "kappa", "width", "half_width", "n_items", "n_raters",
              "prevalence", "power", "method", "alternative", "significance_level",
              "confidence_level", "assurance", "population")  # fmt: skip
    given = {"scale": options["scale"]} if options["scale"] and pilot is None else {}
    try:
        with out.progress("Simulating studies"):
            return make(
                coefficient=name,
                pilot=pilot,
                n_resamples=options["simulations"],
                rng=options["seed"],
                **{key: options[key] for key in direct},
                **given,
                **coefficient,
            )
    except InputError as error:
        raise click.UsageError(error.words.worded(flags_of(plan, _ARGUMENTS))) from error
    except UnsupportedDesignError as error:
        raise error.retold(error.words.worded(flags_of(plan, _ARGUMENTS))) from error


def _estimate(loaded: Loaded, name: str, distance: Any) -> Estimate:
    from consilience.coefficients import estimate, registry

    if name == "icc":
        raise click.UsageError("--coefficient icc has no pilot. Give --kappa0 and --kappa1.")
    return estimate(registry[name], (loaded.ratings,), distance=distance, on_undefined="ignore")


def _answer(
    result: Plan, loaded: Loaded | None, estimate: Estimate | None, options: dict[str, Any]
) -> Answer:
    from consilience.document import Document, Paragraph

    said = [str(result), *(f"Note: {note.message}" for note in result.notes)]
    document = Document(blocks=tuple(map(Paragraph, said)))
    return Answer(document=document, record=_record(result, loaded, estimate, options))


def _record(
    result: Plan, loaded: Loaded | None, estimate: Estimate | None, options: dict[str, Any]
) -> dict[str, Any]:
    from consilience.document import envelope
    from consilience.findings import from_note

    data, estimates = None, []
    if loaded is not None and estimate is not None:
        data = facts(loaded)
        estimates = [estimate.to_dict(confidence_level=options["confidence_level"])]
    return envelope(
        data=data,
        estimates=estimates,
        findings=[from_note(note) for note in result.notes],
        seed=options["seed"] if result.n_resamples is not None else None,
        plan=result.to_dict(),
    )
