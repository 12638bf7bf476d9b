"""``consilience raters``, ``compare``, ``bias``, ``designs``, ``plot``: a closer look."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from consilience.cli import options as shared
from consilience.cli import output as out
from consilience.cli.options import (
    CONFIDENCE_LEVEL,
    MEASURING_RULES,
    Rule,
    apart,
    coefficient_name,
    column_option,
    completed_by,
    measured_as,
    measuring_options,
    named_distance,
    option,
    resamples_option,
)
from consilience.cli.output import Answer, each, facts, how_made
from consilience.cli.program import command
from consilience.cli.reading import (
    BY,
    GOLD,
    OCCASION,
    PATHS,
    gold_in,
    load,
    load_occasions,
    load_with,
    on_ratings,
    reading_options,
    settled_by,
)
from consilience.exceptions import InputError

if TYPE_CHECKING:
    from consilience.io import Loaded
    from consilience.ratings import Ratings
    from consilience.report import Page
    from consilience.report.rounds import Batches, Rounds

# ---- ``consilience raters``: each rater beside the others

_RULES_OF_RATERS = (
    apart("--expert", "order", "batch", "batches", "camps", "resamples"),
    apart("--groups", "order", "batch", "batches", "camps", "expert", "groups_file", "anonymise"),
    apart("--groups-file", "order", "batch", "batches", "camps", "expert", "anonymise"),
    apart("--batch", "order"),
    apart("--camps no", "resamples", when=lambda options: options["camps"] == "no"),
)


@command(_RULES_OF_RATERS)
@BY
@option("--order COLUMN", "Column that says when a rating was given.")
@option("--batch COLUMN", "Column with the batch, to compare batches with each other.")
@option(
    "--batches N",
    "Cut the order into so many batches and compare them.",
    type=click.IntRange(min=2),
)
@option(
    "--camps",
    "Whether to look for two camps; auto does for 4 to 200 raters.",
    choices=("auto", "yes", "no"),
    default="auto",
)
@option(
    "--expert NAME",
    "Compare every rater with this one instead: kappa, and which share of items is beyond "
    "guessing.",
)
@option(
    "--groups COLUMN",
    "Column with the group of the rater: agreement within and across groups instead.",
)
@option(
    "--groups-file FILE",
    "Table with a rater and the group in each row: agreement within and across groups instead.",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
)
@shared.CONFIDENCE_LEVEL
@resamples_option("Resamples for the test of camps, or of groups.", default=499)
@shared.SEED
@on_ratings
def raters(**options: Any) -> Answer:
    """Look at each rater beside the others: who needs help, and with what.

    Agreement with the others, guessing, labels used too much or too little, severity, drift over
    time, what leaving a rater out would change, and whether raters fall into two camps. A file
    with several variables gives one result for each.

    Examples:
      consilience raters ratings.csv
      consilience raters ratings.csv --order submitted_at
      consilience raters marks.csv --scale ordinal --order day --batches 4
      consilience raters ratings.csv --expert Ann
      consilience raters ratings.csv --groups-file raters.csv
    """
    if options["batch"] and options["batches"]:
        raise click.UsageError("--batch and --batches exclude each other.")
    columns = {f"--{name}": options[name] for name in ("order", "batch", "groups")}
    try:
        loaded, beside = load_with(options, columns)
    except InputError as error:
        settled = settled_by(error, [options["expert"]] if options["expert"] else [])
        if not settled:
            raise
        loaded, beside = load_with({**options, **settled}, columns)
    grouped = options["groups"] is not None or options["groups_file"] is not None
    groups = _groups_of_raters(options, beside.get("--groups", {})) if grouped else {}

    def find(one: Loaded) -> Answer:
        if grouped:
            return _across(one, groups, options)
        if options["expert"] is not None:
            return _expert(one, options)
        return _view(one, beside, options)

    with out.progress("Comparing raters"):
        return each(loaded, find, seed=options["seed"])


def _view(
    loaded: Loaded, beside: dict[str, dict[object, object]], options: dict[str, Any]
) -> Answer:
    """Look at each rater of one variable."""
    from consilience.document import envelope
    from consilience.latent import rater_view

    view = rater_view(
        loaded.ratings,
        order=beside.get("--order"),
        batches=beside.get("--batch", options["batches"]),
        camps=options["camps"],
        confidence_level=options["confidence_level"],
        n_resamples=options["resamples"],
        rng=options["seed"],
    )
    record = envelope(data=facts(loaded), seed=options["seed"], **view.to_dict())
    return Answer(document=view.document(), record=record)


def _groups_of_raters(
    options: dict[str, Any], column: dict[object, object]
) -> dict[object, object]:
    """Return the group of each rater: from a file, or from a column beside the ratings."""
    from consilience.io.small_tables import cells_of

    found: dict[object, object] = {}
    if options["groups_file"] is not None:
        for row in list(cells_of(options["groups_file"]).rows)[1:]:
            cells = [str(cell).strip() for cell in row if cell is not None]
            if len(cells) >= 2 and cells[1]:
                found[cells[0]] = cells[1]
        return found
    for key, group in column.items():
        if not isinstance(key, tuple) or group is None:
            continue
        if found.setdefault(key[1], group) != group:
            raise InputError.expected(
                f"--groups {options['groups']}",
                "one group for each rater",
                f"{key[1]}: {found[key[1]]} and {group}",
                "name a column that says something of raters, not of ratings",
            )
    return found


def _across(loaded: Loaded, groups: dict[object, object], options: dict[str, Any]) -> Answer:
    """Measure agreement within and across groups of raters."""
    from consilience.coefficients.unsettled_scale import require_scale
    from consilience.document import envelope
    from consilience.latent import group_agreement

    require_scale(loaded.ratings, "agreement across groups")
    found = group_agreement(
        loaded.ratings,
        groups,
        confidence_level=options["confidence_level"],
        n_resamples=options["resamples"],
        rng=options["seed"],
    )
    record = envelope(data=facts(loaded), seed=options["seed"], **found.to_dict())
    return Answer(document=found.document(), record=record)


def _expert(loaded: Loaded, options: dict[str, Any]) -> Answer:
    """Compare every rater with the one who is named."""
    from consilience.coefficients.unsettled_scale import require_scale
    from consilience.document import envelope
    from consilience.inference import agreement_with_expert

    require_scale(loaded.ratings, "the comparison with an expert")
    known = {str(rater): rater for rater in loaded.ratings.raters}
    table = agreement_with_expert(
        loaded.ratings,
        expert=known.get(options["expert"], options["expert"]),
        confidence_level=options["confidence_level"],
    )
    record = envelope(data=facts(loaded), expert=table)
    return Answer(document=table.document(), record=record)


# ---- ``consilience compare``: rounds or batches side by side, with the test


@command(MEASURING_RULES)
@column_option("--by", "Compare the values of this column of one file, in the order of the file.")
@out.figure_option("Draw agreement over the rounds or batches, too")
@out.REPORT
@measuring_options(interval="auto")
@on_ratings
def compare(**options: Any) -> Answer:
    """Compare rounds: another guideline, other raters, another day.

    Two files are compared coefficient by coefficient: item by item where both name the same items,
    else as independent samples. More files, or the values of a column, are batches of different
    items, and the test is whether one coefficient is the same in all of them.

    Examples:
      consilience compare pilot.csv main.csv
      consilience compare before.csv after.csv -c alpha -c ac1 --json
      consilience compare monday.csv tuesday.csv friday.csv --figure days.pdf
      consilience compare ratings.csv --by batch
    """
    from consilience.report.rounds import Rounds

    wishes = measured_as(options)
    groups = _groups(options)
    with out.progress("Comparing"):
        result = _compared(groups, wishes)

    if isinstance(result, Rounds):
        is_tested = any(row.comparison is not None for row in result.rows)
    else:
        is_tested = result.test is not None

    def page() -> Page:
        from consilience.report import batches_page, rounds_page

        make: Any = rounds_page if isinstance(result, Rounds) else batches_page
        made: Page = make(result, **how_made(options))
        return made

    return Answer(
        document=result.document(),
        record=result.to_dict(),
        page=page,
        figures={"figure": lambda: _drawn(result, options)},
        code=0 if is_tested else 4,
    )


def _groups(options: dict[str, Any]) -> dict[str, Ratings]:
    if options["by"] is not None:
        loaded = load(options)
        return {str(name): part for name, part in loaded.groups.items()}
    if len(options["paths"]) < 2:
        raise click.UsageError("name at least two files, or one file and --by COLUMN.")
    groups = {}
    for path in options["paths"]:
        loaded = load({**options, "paths": (path,)})
        if loaded.by is not None:
            raise click.UsageError("rounds are compared on one variable. Name one --label.")
        name = path if path not in groups else f"{path} (again)"
        groups[name] = loaded.ratings
    return groups


def _compared(groups: dict[str, Ratings], wishes: dict[str, Any]) -> Rounds | Batches:
    from consilience.report import compare_batches, compare_rounds

    if len(groups) == 2:
        first, second = groups
        return compare_rounds(groups[first], groups[second], names=(first, second), **wishes)
    names = wishes.pop("coefficients") or ["alpha"]
    if len(names) > 1:
        raise click.UsageError("batches are compared on one coefficient. Name one with -c.")
    return compare_batches(groups, coefficient=names[0], **wishes)


def _drawn(result: Rounds | Batches, options: dict[str, Any]) -> Any:
    """Draw what was compared: the first coefficient, as it was computed."""
    from consilience.plot import batches
    from consilience.report.rounds import Rounds

    if isinstance(result, Rounds):
        estimates = dict(
            zip(result.names, (one.estimates[0] for one in result.summaries), strict=True)
        )
    else:
        estimates = dict(result.estimates)
    return batches(estimates, confidence_level=options["confidence_level"])


# ---- ``consilience bias``: what raters' own habits take from chance agreement


@command()
@option(
    "--distance NAME...",
    "How different two labels are, as for measure; repeat to compare distances. Default: the "
    "one that fits the scale.",
    to="words",
    shell_complete=completed_by("distances"),
)
@option(
    "--missing",
    "How incomplete items are treated; ap is Artstein and Poesio's own way.",
    choices=("gwet", "ap", "listwise"),
    default="gwet",
)
@out.figure_option("Draw the coefficients as bars, a group for each distance, too")
@CONFIDENCE_LEVEL
@on_ratings
def bias(**options: Any) -> Answer:
    """Say how far raters' habits differ, and what that does to chance agreement.

    Chance may be one distribution of labels for all raters (pi, alpha prime) or each rater's own
    (kappa, beta); Artstein and Poesio's bias B is the difference. Alpha, alpha prime and beta stand
    side by side for each distance.

    Examples:
      consilience bias ratings.csv
      consilience bias ratings.csv --distance nominal --distance file:weights.csv
      consilience bias links.csv --chains links --distance jaccard --distance dice \\
        --distance passonneau --figure bars.svg
    """
    from consilience.coefficients import rater_bias
    from consilience.document import envelope

    distances = [named_distance(word, options["scale"]) for word in options["words"]]
    loaded = load(options)
    with out.progress("Measuring"):
        found = rater_bias(
            loaded.ratings,
            distance=distances or None,
            missing=options["missing"],
            confidence_level=options["confidence_level"],
        )

    def bars() -> Any:
        from consilience.plot import coefficient_bars

        return coefficient_bars(
            {by.distance: [by.alpha, by.shared, by.own] for by in found.distances},
            confidence_level=options["confidence_level"],
        )

    record = found.to_dict()
    return Answer(
        document=found.document(),
        record=envelope(data=facts(loaded), estimates=record.pop("estimates"), bias=record),
        figures={"figure": bars},
        code=0 if found.status == "ok" else 4,
    )


# ---- ``consilience designs``: stability, reproducibility and accuracy of one study


@command()
@option(
    "--coefficient -c NAME",
    "Coefficient. Default: ac1.",
    to="name",
    default="gwet_ac",
    shell_complete=shared.completed_by("coefficients"),
    show_default=False,
)
@GOLD
@OCCASION
@shared.DISTANCE
@on_ratings
def designs(**options: Any) -> Answer:
    """Show the three designs of reliability side by side, as far as the data allow them.

    Stability compares raters with themselves (test vs. retest), reproducibility with each other
    (test vs. test), accuracy with a standard (test vs. standard).

    Examples:
      consilience designs retest.csv --occasion round
      consilience designs retest.csv --occasion round --gold expert
      consilience designs ratings.csv --gold truth -c kappa
    """
    from consilience.coefficients.unsettled_scale import require_scale
    from consilience.document import envelope
    from consilience.latent import reliability_designs

    name = coefficient_name(options["name"], "--coefficient")
    distance = named_distance(options["word"], options["scale"])
    loaded, beside = load_occasions(options, also="occasions")
    gold = None if options["gold"] is None else gold_in(options, loaded.ratings, beside)
    if isinstance(gold, dict):
        gold = {item: gold[str(item)] for item in loaded.ratings.items if str(item) in gold}
    if distance is None:
        require_scale(loaded.ratings, "the three designs")
    result = reliability_designs(loaded.ratings, gold=gold, coefficient=name, distance=distance)
    return Answer(
        document=result.document(),
        record=envelope(data=facts(loaded), designs=result),
        code=0 if result.rows else 4,
    )


# ---- ``consilience plot``: ratings in, one figure out

# What people call a figure on the command line, and the function that draws it.
FIGURES = {
    "accuracy": "accuracy",
    "bland-altman": "bland_altman",
    "category-kappas": "category_kappas",
    "certainty": "certainty",
    "chance": "chance_surface",
    "confusion": "confusion",
    "design": "design",
    "differences": "differences",
    "error-matrix": "error_matrix",
    "forest": "forest",
    "funnel": "funnel",
    "histogram": "histogram",
    "items": "item_agreement",
    "label-use": "label_use",
    "leave-one-out": "leave_one_out",
    "marks": "marks",
    "prevalence": "prevalence_effect",
    "raters": "raters",
    "tolerance": "tolerance",
    "variables": "variables",
}
_SEVERAL = ("variables",)  # drawn from several variables at once
# Their intervals, or errors, heed which items belong together.
_CLUSTERED = ("accuracy", "bland-altman", "forest", "leave-one-out", "tolerance", "variables")
_RULES_OF_PLOT = (
    Rule(("cluster",), lambda options: options["figure"] not in _CLUSTERED,
         f"is for the figures {', '.join(_CLUSTERED)}"),
)  # fmt: skip


@command(_RULES_OF_PLOT)
@click.argument("figure", type=click.Choice(sorted(FIGURES)), metavar="FIGURE")
@PATHS
@option(
    "--output -o FILE",
    "The file to write: .svg, .pdf or .png. Default: the figure's name with .svg.",
    type=out.FILE,
)
@out.FORCE
@option("--coefficient -c NAME", "The coefficient to draw, where one is.")
@option("--pair RATER RATER", "Draw these two raters, where two are drawn.", nargs=2)
@option(
    "--of-label LABEL",
    "The label whose share is meant, for chance and prevalence. Default: the most common.",
    to="of_label",
)
@column_option("--by", "Draw one row for each value of this column, for variables.")
@reading_options
def plot(*, figure: str, **options: Any) -> None:
    """Draw one figure of ratings.

    FIGURE is one of accuracy, bland-altman, category-kappas, certainty, chance, confusion, design,
    differences, error-matrix, forest, funnel, histogram, items, label-use, leave-one-out, marks,
    prevalence, raters, tolerance and variables. Figures of units are drawn by `consilience units
    --figure`.

    Examples:
      consilience plot forest ratings.csv -o forest.svg
      consilience plot prevalence ratings.csv -o prevalence.png
      consilience plot bland-altman marks.csv --pair Ann Bob -o differences.pdf
      consilience plot variables codes.csv --by variable -o variables.svg
    """
    from consilience import plot as figures
    from consilience.plot.style import check_format, rendered

    output = options["output"] or Path(f"{figure}.svg")
    form = check_format(output)
    out.check_output(output, options["paths"], force=options["force"])
    draw = getattr(figures, FIGURES[figure])
    wishes = _wishes(figure, draw, options)
    loaded = load(options)
    with out.progress("Drawing"):
        several = figure in _SEVERAL
        data = loaded.groups if several and loaded.by is not None else loaded.ratings
        content = rendered(draw(data, **wishes), form)
    out.write_file(output, content)
    out.tell(f"Wrote {output}")


def _wishes(figure: str, draw: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Return what was asked for as arguments; refuse what the figure has no use for."""
    known = inspect.signature(draw).parameters
    asked = {
        "coefficient": ("--coefficient", options["coefficient"]),
        "pair": ("--pair", options["pair"]),
        "label": ("--of-label", options["of_label"]),
    }
    found = {}
    for name, (flag, value) in asked.items():
        if not value:
            continue
        if name not in known:
            raise click.UsageError(f"{flag} means nothing for {figure}. Leave it out.")
        found[name] = coefficient_name(value, flag) if name == "coefficient" else value
    return found
