"""``consilience plan``, ``critical``, ``test``, ``simulate``: studies planned or simulated."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING, Any

import click

from consilience.cli import options as shared
from consilience.cli import output as out
from consilience.cli.options import (
    COUNT,
    Rule,
    apart,
    coefficient_name,
    named_distance,
    needs,
    option,
    refuse,
    split_categories,
    split_shares,
)
from consilience.cli.output import Answer, each, facts
from consilience.cli.program import command
from consilience.cli.reading import (
    BY,
    IGNORE_CASE,
    LABEL,
    MAP,
    NO_RATER,
    READING,
    SETS,
    VARIABLE,
    load,
    on_ratings,
    reading_options,
)

if TYPE_CHECKING:
    from consilience.cli.options import Options
    from consilience.coefficients import Estimate
    from consilience.document.blocks import Cell
    from consilience.io import Loaded
    from consilience.plan import Plan
    from consilience.simulate import SamplingDistribution

# ---- ``consilience plan``: how many items and raters a study needs

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


_RULES_OF_PLAN = (
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


@command(_RULES_OF_PLAN)
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
@out.form_options("json")
@option("--quiet -q", "Do not say how the pilot was read.")
def plan(**options: Any) -> Answer:
    """Plan a study: items and raters, power, or width of the interval.

    Give two values to be told apart (--kappa0, --kappa1), a value and a width (--kappa, --width),
    or a pilot study and a half-width (--pilot, --half-width). Studies are simulated with the
    intervals and tests that they will report. A pilot with several variables gives one plan for
    each.

    Examples:
      consilience plan --kappa0 0.4 --kappa1 0.6 --prevalence 0.3 --raters 3
      consilience plan --kappa0 0.4 --kappa1 0.6 --items 80     power of 80 items
      consilience plan --kappa 0.7 --width 0.2 --prevalence 0.2,0.3,0.5
      consilience plan --kappa 0.7 --half-width 0.08 --items 200   how many raters
      consilience plan --pilot ratings.csv --half-width 0.05 -c alpha
      consilience plan --kappa 0.7 --width 0.2 --assurance 0.9     wider in one of ten
      consilience plan --kappa0 0.6 --kappa1 0.8 -c ac1 --raters 4
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
        from consilience.coefficients.unsettled_scale import require_scale

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
    from consilience.cli.words import flags_of
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
    return Answer(document=document, record=_plan_record(result, loaded, estimate, options))


def _plan_record(
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
        plan=result,
    )


# ---- ``consilience test``: null values of a coefficient, by simulated studies or the interval

_RULES_OF_TEST = (
    Rule(("resamples",), lambda options: options["method"] != "monte-carlo",
         "is for --method monte-carlo"),
)  # fmt: skip


def split_nulls(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> tuple[float, ...]:
    """Turn 0.2,0.6 into numbers below 1."""
    found = []
    for word in ",".join(values).split(","):
        if not word.strip():
            continue
        try:
            number = float(word)
        except ValueError:
            number = float("nan")
        if not -1.0 <= number < 1.0:
            raise click.BadParameter(f"{word!r} is not a number from -1 to below 1, as in 0.2,0.6.")
        found.append(number)
    return tuple(found)


@command(_RULES_OF_TEST)
@option(
    "--coefficient -c NAME",
    "Coefficient to test, such as ac1. Default: alpha.",
    to="name",
    default="krippendorff_alpha",
    shell_complete=shared.completed_by("coefficients"),
    show_default=False,
)
@option(
    "--null VALUE...",
    "Null value, or several as in 0.2,0.6. Default: 0, 0.1, ... 0.9.",
    to="nulls",
    callback=split_nulls,
)
@option(
    "--method",
    "monte-carlo draws studies with the null value; auto goes with the interval; analytic "
    "divides by the standard error.",
    choices=("monte-carlo", "auto", "analytic"),
    default="monte-carlo",
)
@option(
    "--alternative",
    "What the data are to show: agreement above, other than or below the null value.",
    choices=("greater", "two-sided", "less"),
    default="greater",
)
@option(
    "--words SCALE...",
    "Published scale whose words are shown, such as krippendorff; repeat for more, or none.",
)
@shared.DISTANCE
@shared.resamples_option("Simulated studies for each null value. Default: 9999, or 999 for crowds.")
@shared.SEED
@BY
@on_ratings
def test(**options: Any) -> Answer:
    """Test a coefficient against null values: by how much is agreement better than chance?

    For each null value, studies of the same size are simulated in which the coefficient has that
    value. Shown are the critical values at 10%, 5% and 1% and the p-value of what was found.

    Examples:
      consilience test ratings.csv -c ac1                    0, 0.1, ... 0.9
      consilience test ratings.csv -c ac1 --null 0.6
      consilience test ratings.csv -c kappa --null 0.4,0.6 --method auto
      consilience test ratings.csv -c ac1 --words altman --words fleiss
    """
    options["name"] = coefficient_name(options["name"], "--coefficient")
    options["chosen"] = named_distance(options["word"], options["scale"])
    options["scales"] = _scales(options["words"])
    loaded = load(options)
    with out.progress("Simulating studies"):
        return each(loaded, lambda one: _tested(one, options), seed=options["seed"])


def _scales(words: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the scales that are named; None where the usual ones are meant."""
    if not words:
        return None
    if words == ("none",):
        return ()
    from consilience.exceptions import InputError
    from consilience.inference import benchmark_scale

    try:
        return tuple(benchmark_scale(word).name for word in words)
    except InputError as error:
        raise click.BadParameter(str(error), param_hint="--words") from error


def _tested(loaded: Loaded, options: dict[str, Any]) -> Answer:
    from consilience.coefficients import estimate, registry
    from consilience.coefficients.unsettled_scale import require_scale
    from consilience.document import envelope
    from consilience.inference import null_tests

    if options["chosen"] is None:
        require_scale(loaded.ratings, "a test")
    one = estimate(
        registry[options["name"]],
        (loaded.ratings,),
        distance=options["chosen"],
        on_undefined="raise",
    )
    asked: dict[str, Any] = {
        "method": options["method"],
        "alternative": options["alternative"],
        "n_resamples": options["resamples"],
        "rng": options["seed"],
    }
    if options["nulls"]:
        asked["nulls"] = options["nulls"]
    if options["scales"] is not None:
        asked["scales"] = options["scales"]
    result = null_tests(one, **asked)
    record = envelope(data=facts(loaded), estimates=[one], seed=options["seed"], null_tests=result)
    return Answer(document=result.document(), record=record)


# ---- ``consilience critical``: critical values, as textbooks print them, for any size of study

# Correlations of ranks, and what else they are called; all other words name coefficients.
_RANKS = {"spearman": "spearman", "rho": "spearman", "kendall": "kendall", "tau": "kendall"}
_RANK_TITLES = {"spearman": "Spearman's rho", "kendall": "Kendall's tau"}
_LEVELS = (0.90, 0.95, 0.99)
_RULES_OF_CRITICAL = (
    Rule(("raters", "categories", "nulls"), lambda options: options["statistic"] in _RANK_TITLES,
         "is for coefficients such as ac1"),
)  # fmt: skip


def _statistic(ctx: click.Context, param: click.Parameter, word: str) -> str:
    """Return the registered name of what critical values are wanted of."""
    from consilience.core.registry import folded

    if folded(word) in _RANKS:
        return _RANKS[folded(word)]
    name = coefficient_name(word, "--statistic")
    return "ac1" if name == "gwet_ac" else name


@command(_RULES_OF_CRITICAL)
@option(
    "--statistic NAME",
    "Gwet's AC1 or any other coefficient (kappa, pi, alpha, ...), Spearman's rho or Kendall's tau.",
    default="ac1",
    callback=_statistic,
)
@option("--items N...", "Items; repeat for more.", type=COUNT, required=True)
@option(
    "--raters N...",
    "Raters of each item, for coefficients; repeat for more. Default: 2.",
    type=click.IntRange(min=2),
)
@option(
    "--categories N...",
    "Labels to choose from, for coefficients; repeat for more. Default: 2.",
    type=click.IntRange(min=2),
)
@option(
    "--null VALUE...",
    "Null value of a coefficient, or several as in 0,0.4,0.8. Default: raters guess.",
    to="nulls",
    callback=split_nulls,
)
@shared.resamples_option(
    "Simulated studies where values cannot be counted. Default: 100000; 20000 for coefficients "
    "other than AC1."
)
@shared.SEED
@out.output_options("json", "csv", "markdown", "latex")
def critical(**options: Any) -> Answer:
    """Print critical values: the smallest agreement that chance hardly ever reaches.

    For coefficients, raters guess every label alike, or know as many items as the null value says.
    For rank correlations, every ranking is as likely as any other.

    Examples:
      consilience critical --items 20 --items 50 --raters 2 --categories 3
      consilience critical --items 100 --null 0,0.2,0.4,0.6,0.8
      consilience critical --statistic spearman --items 10
      consilience critical --statistic kappa --items 50 --raters 3 --categories 4
    """
    from consilience.document import Document, Paragraph, Table, envelope

    statistic, nulls = options["statistic"], options["nulls"]
    if statistic == "ac1" and any(null < 0.0 for null in nulls):
        raise click.UsageError("--null must be from 0 to below 1 here.")
    with out.progress("Simulating studies"):
        found = _critical_values(options)
    if all(one.method == "exact" for _, one in found):
        refuse("has no effect here: so few studies are counted, not drawn", "resamples")
    rows: list[list[Cell]] = [
        [*map(_size, sizes.values()), *(_shown(one[level]) for level in _LEVELS)]
        for sizes, one in found
    ]
    sizes = ["null value" if name == "null" else name for name in found[0][0]]
    heads = (*sizes, *(f"{1 - level:.0%}" for level in _LEVELS))
    methods = " and ".join(sorted({one.method for _, one in found}))
    said = (
        f"One-sided: chance reaches these values in at most 10%, 5% and 1% of studies ({methods})."
    )
    record = envelope(
        data=None,
        seed=options["seed"],
        statistic=statistic,
        critical_values=[
            {
                **sizes,
                "method": one.method,
                "levels": [
                    {"level": value.level, "value": value.value, "tail": value.tail}
                    for value in one.critical_values
                ],
            }
            for sizes, one in found
        ],
    )
    title = f"Critical values of {_title(statistic, options['raters'])}"
    document = Document(title=title, blocks=(Paragraph(said), Table(heads=heads, rows=rows)))
    return Answer(document=document, record=record)


def _title(statistic: str, raters: tuple[int, ...]) -> str:
    """Return what is printed: the name of a coefficient depends on how many raters there are."""
    if statistic in _RANK_TITLES:
        return _RANK_TITLES[statistic]
    from consilience.coefficients import Design, registry

    name = "gwet_ac" if statistic == "ac1" else statistic
    return registry[name].title(Design(n_raters=max(raters or (2,)), n_labels=2, nominal=True))


def _critical_values(options: dict[str, Any]) -> list[tuple[dict[str, Any], Any]]:
    """Return the sizes of every study that was asked for, and what chance reaches in it."""
    from consilience.coefficients import critical_values
    from consilience.inference import ac1_critical_values, rank_critical_values

    statistic = options["statistic"]
    more: dict[str, Any] = {"levels": _LEVELS, "rng": options["seed"]}
    if options["resamples"] is not None:
        more["n_resamples"] = options["resamples"]
    if statistic in _RANK_TITLES:
        return [
            ({"items": n}, rank_critical_values(n_items=n, statistic=statistic, **more))
            for n in options["items"]
        ]
    is_ac1 = statistic == "ac1"
    found: list[tuple[dict[str, Any], Any]] = []
    for items, raters, categories, null in product(
        options["items"],
        options["raters"] or (2,),
        options["categories"] or (2,),
        options["nulls"] or (0.0 if is_ac1 else None,),
    ):
        more |= {"n_items": items, "n_raters": raters, "n_categories": categories, "null": null}
        one = ac1_critical_values(**more) if is_ac1 else critical_values(statistic, **more)
        sizes = {"items": items, "raters": raters, "categories": categories, "null": null}
        found.append((sizes, one))
    return found


def _size(value: Any) -> str:
    if value is None:
        return "guessing"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _shown(value: float) -> Cell:
    from consilience.document.blocks import InPlace

    return InPlace("none") if math.isnan(value) else value


# ---- ``consilience simulate``: how far a coefficient moves from sample to sample

_OF_FILES = tuple(name for name in READING if name not in ("categories", "scale", "quiet"))
_RULES_OF_SIMULATE = (
    Rule(_OF_FILES, lambda options: not options["paths"], "is about a file, and none is named",
         "name the file, or leave it out"),
    apart("--samples", "studies", "figure", "word", "confidence_level"),
)  # fmt: skip
# Options that describe raters, and the argument of the library each stands for.
_DESIGN = {"raters": "n_raters", "categories": "categories", "prevalence": "prevalence",
           "agreement": "agreement", "accuracy": "accuracy", "bias": "bias"}  # fmt: skip


@command(_RULES_OF_SIMULATE)
@click.argument("paths", metavar="[PATH]...", nargs=-1)
@option(
    "--coefficient -c NAME...",
    "Coefficient to watch; repeat for more. Default: kappa and pi, or alpha.",
    to="names",
    shell_complete=shared.completed_by("coefficients"),
)
@option("--items N", "Items of each study.", type=click.IntRange(min=2))
@option("--raters N", "Raters. Default: 2.", type=click.IntRange(min=2))
@option(
    "--prevalence SHARES",
    "How common the labels are: 0.3 for the first of two, or 0.2,0.3,0.5.",
    callback=shared.split_shares,
)
@option(
    "--agreement X",
    "Agreement beyond chance that the raters have: pi, kappa and alpha in a very large study.",
    type=click.FloatRange(0, 1, max_open=True),
)
@option(
    "--accuracy SHARES",
    "Instead: how often a rater knows the true label; one share, or one for each rater.",
    callback=shared.split_shares,
)
@option(
    "--bias SHARES",
    "With --accuracy: what raters say who do not know, as in 0.9,0.1.",
    callback=shared.split_shares,
)
@option("--studies N", "Studies to simulate.", type=COUNT, default=1000)
@option("--samples N", "Show so many samples one by one instead.", type=COUNT)
@option(
    "--draw FILE", "Also write the ratings of one study as CSV, one row per rating.", type=out.FILE
)
@out.figure_option("Draw the distribution of the first coefficient, too")
@shared.DISTANCE
@shared.CONFIDENCE_LEVEL
@shared.SEED
@reading_options
@out.output_options("json", "csv", "markdown", "latex")
def simulate(**options: Any) -> Answer:
    """Simulate studies: is a coefficient biased, normal, and is its interval honest?

    With PATH, studies are drawn from the ratings in that file, as if these were all there are: more
    samples from the same raters. Without, raters are described by --agreement or --accuracy.

    Examples:
      consilience simulate --items 150 --agreement 0.67 -c kappa -c pi
      consilience simulate --items 50 --agreement 0.6 --prevalence 0.05 --figure kappa.svg
      consilience simulate ratings.csv -c kappa --samples 5
      consilience simulate ratings.csv -c kappa --items 500     as if 500 had been rated
      consilience simulate --items 20 --accuracy 0.9 --raters 3 --draw drawn.csv
    """
    from consilience.document import envelope

    names = [coefficient_name(name, "--coefficient") for name in options["names"]]
    design = _design(options)
    if not names:
        names = ["cohen_kappa", "scott_pi"] if design.n_raters == 2 else ["krippendorff_alpha"]
    if options["draw"] is not None:
        _write_study(design, options)
    if options["samples"] is not None:
        from consilience.simulate import samples

        drawn = samples(
            design,
            options["samples"],
            coefficients=names,
            n_items=options["items"],
            rng=options["seed"],
        )
        record = envelope(data=None, seed=options["seed"], samples=drawn.to_dict()["samples"])
        return Answer(document=drawn.document(), record=record)
    found = _distributions(design, names, options)
    return Answer(
        document=_joined(found),
        record=envelope(data=None, seed=options["seed"], distributions=found),
        figures={"figure": found[0].figure},
    )


def _design(options: dict[str, Any]) -> Any:
    """Return what studies are drawn from: a file, or raters that are described."""
    from consilience.cli.words import flags_of
    from consilience.exceptions import InputError

    if options["paths"]:
        for name in _DESIGN:
            if options[name] is not None and name != "categories":
                raise click.UsageError(f"--{name} describes raters; the file has its own.")
        loaded = load({**options, "items": None})  # --items is about the studies
        if loaded.by is not None:
            raise click.UsageError("studies are drawn of one variable. Name one --label.")
        return loaded.ratings
    from consilience.simulate import Simulator

    given = {to: options[name] for name, to in _DESIGN.items() if options[name] is not None}
    if options["agreement"] is None and options["accuracy"] is None:
        raise click.UsageError(
            "name a file, or describe the raters with --agreement or --accuracy."
        )
    given.setdefault("n_raters", 2)
    shares = given.get("prevalence")
    if isinstance(shares, list):
        given.setdefault("categories", len(shares))
    scale = options["scale"]
    if isinstance(scale, str):
        given["scale"] = scale
    try:
        return Simulator(n_items=options["items"] or 100, **given)
    except InputError as error:
        flags = flags_of(simulate, {"n_items": "items", "n_raters": "raters"})
        raise click.UsageError(error.words.worded(flags)) from error


def _distributions(
    design: Any, names: list[str], options: dict[str, Any]
) -> list[SamplingDistribution]:
    from consilience.simulate import sampling_distribution

    distance = named_distance(options["word"], options["scale"])
    more = {} if distance is None else {"distance": distance}
    with out.progress("Simulating studies") as tell:
        return [
            sampling_distribution(
                design,
                name,
                n_items=options["items"],
                n_resamples=options["studies"],
                confidence_level=options["confidence_level"],
                rng=options["seed"],
                progress=tell,
                **more,
            )
            for name in names
        ]


def _joined(found: list[SamplingDistribution]) -> Any:
    """Put the coefficients side by side: the same lines, one column for each."""
    from dataclasses import replace

    from consilience.document import Document, Paragraph, Table

    first = found[0].document()
    tables = [block for one in found for block in one.document().blocks if isinstance(block, Table)]
    rows = [
        [line[0], *(table.rows[k][1] for table in tables)] for k, line in enumerate(tables[0].rows)
    ]
    heads = (tables[0].heads[0], *(table.heads[1] for table in tables))
    said = [Paragraph(str(one)) for one in found]
    return Document(title=first.title, blocks=(replace(tables[0], heads=heads, rows=rows), *said))


def _write_study(design: Any, options: dict[str, Any]) -> None:
    """Write one study in long form: item, rater, label."""
    import csv
    import io

    from consilience.latent.votes import entries_of
    from consilience.simulate.sampling import source_of

    drawn = source_of(design).draw(n_items=options["items"], rng=options["seed"]).ratings
    entries = entries_of("--draw", drawn)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("item", "rater", "label"))
    for item, rater, label in zip(
        entries.item.tolist(), entries.rater.tolist(), entries.label.tolist(), strict=True
    ):
        writer.writerow((drawn.items[item], drawn.raters[rater], drawn.categories[label]))
    out.write_file(options["draw"], text.getvalue())
    out.tell(f"Wrote {options['draw']}")
