"""``consilience measure``, ``marks``, ``report``, ``demo``: ratings in, numbers or a page out."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from consilience.cli import output as out
from consilience.cli.options import (
    MEASURING_RULES,
    Gate,
    Rule,
    coefficient_name,
    gate_option,
    measured_as,
    measuring_options,
    option,
)
from consilience.cli.output import Answer, facts, how_made
from consilience.cli.program import command
from consilience.cli.reading import (
    BY,
    PATHS,
    PLACE_RULES,
    READING,
    added_to_rows,
    engine_options,
    load,
    loaded_rows,
    on_ratings,
    place_options,
    reading_options,
    save_rows,
)
from consilience.exceptions import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from consilience.coefficients import Estimate
    from consilience.core.interval import Interval
    from consilience.document import Document, Finding, Table
    from consilience.io import Loaded
    from consilience.magnitudes import Measure
    from consilience.ratings import Ratings
    from consilience.report import Page, Report, Summary

# ---- ``consilience measure``: ratings in, coefficients out

_ASKED_ABOUT = 2_000  # labels, before they are measured
_OF_FILES = (*(name for name in READING if name != "quiet"), "by", "engine", "master",
             "memory_limit", "spill", "add_to")  # fmt: skip
_RULES_OF_MEASURE = (
    *PLACE_RULES,
    *MEASURING_RULES,
    Rule(
        _OF_FILES,
        lambda options: all(path.lower().endswith(".rows") for path in options["paths"]),
        "is for files that are read here, not for saved rows",
    ),
)


@command(_RULES_OF_MEASURE)
@PATHS
@measuring_options(interval="auto")
@BY
@gate_option("Exit with 1 if the coefficient is smaller, as in alpha=0.667; repeat for more.")
@engine_options
@reading_options
@out.output_options("json", "csv", "markdown", "latex", "apa")
def measure(**options: Any) -> int:
    """Measure how far raters agree.

    PATH is a file with ratings (delimited text, JSON, Parquet, or the export of an annotation
    platform), a folder, or - for standard input. Its layout is recognised: one row per rating,
    one column per rater, one row per rater, counts per category, or a cross-table; what it was
    taken for is told on stderr, and --explain tells all of it. Several files must have the same
    columns; without a column for the rater, each file is one rater's.

    Examples:
      consilience measure ratings.csv
      consilience measure ann.csv bob.csv              one file per rater
      consilience measure ratings.csv --scale ordinal --categories low,mid,high
      consilience measure codes.csv --by variable -c alpha
      consilience measure codes.csv --label tone --label stance
      consilience measure ratings.csv --json --fail-under alpha:low=0.6
      consilience measure today.parquet --add-to all.rows
      psql -c "copy t to stdout csv header" | consilience measure -
    """
    wishes = measured_as(options)
    gates = [one.named(coefficient_name(one.name, "--fail-under")) for one in options["gates"]]
    form = out.chosen_format(options)
    loaded = loaded_rows(options) or load({**options, "items": "forget"})
    loaded = added_to_rows(loaded, options)
    if gates and wishes["distance"] is None:
        _check_scales(loaded)
    _ask_about_labels(loaded, options)
    with out.progress("Computing intervals") as tell:
        asked = _asked(loaded, wishes["coefficients"], gates)
        summary = _summary(loaded, {**wishes, "coefficients": asked, "progress": tell})
    for gate in gates:
        if all(e.coefficient != gate.name for _, _, found in summary.parts() for e in found):
            _summary(loaded, {**wishes, "coefficients": [gate.name]})  # says why it is not here
    save_rows(loaded, options)
    out.write(summary, form, options["output"])
    return _exit_code(summary, gates, options)


def _ask_about_labels(loaded: Loaded, options: dict[str, Any]) -> None:
    """Ask whether a column of very many labels is the right one, before it is measured."""
    from consilience.findings import Study, checks

    named = [one for one in loaded.groups.values() if one.scale == "nominal"]
    many = [one for one in named if len(one.categories) > _ASKED_ABOUT]
    if not many or options["quiet"]:
        return
    check = next(one for one in checks() if one.__name__ == "labels_hardly_repeat")
    for ratings in many:
        finding = check(Study(ratings))
        if finding is not None:
            out.tell(finding.message)


def _check_scales(loaded: Loaded) -> None:
    """Refuse a gate on labels that may be names or numbers: it could pass for the wrong reason."""
    from consilience.coefficients.unsettled_scale import require_scale

    for name, ratings in loaded.groups.items():
        require_scale(ratings, "--fail-under" if name is None else f"{name}: --fail-under")


def _summary(loaded: Loaded, wishes: dict[str, Any]) -> Summary:
    from consilience.report import measure as measure_ratings

    return measure_ratings(
        loaded.ratings if loaded.by is None else loaded.groups,
        by=loaded.by,
        shape=loaded.reading.shape,
        sources=loaded.reading.sources,
        states=loaded.reading.states,
        **wishes,
    )


def _asked(loaded: Loaded, names: list[str] | None, gates: list[Gate]) -> list[str] | None:
    """Return the coefficients to compute; None means all that apply."""
    from consilience.report.measure import GROUP_COEFFICIENTS

    if not names and (loaded.by is None or not gates):
        return None
    return list(dict.fromkeys([*(names or GROUP_COEFFICIENTS), *(one.name for one in gates)]))


def _exit_code(summary: Summary, gates: list[Gate], options: dict[str, Any]) -> int:
    """Return 0, 1 when a gate is not met, or 4 when what was asked for is undefined."""
    estimates = [(group, e) for group, _, found in summary.parts() for e in found]
    code = 4 if all(e.status == "undefined" for _, e in estimates) else 0
    for gate in gates:
        for group, estimate in estimates:
            if estimate.coefficient == gate.name:
                where = f"{group}: " if group else ""
                limits = _limits(estimate, options) if gate.on_low else None
                name = f"{where}{estimate.name}"
                code = max(code, gate.exit_code(name, estimate.value, limits))
    for part in summary.groups:
        if gates and not part.estimates:
            out.tell(f"{part.name}: not measured, so --fail-under cannot be met.")
            code = 4
    return code


def _limits(estimate: Estimate, options: dict[str, Any]) -> Interval | None:
    """Return the interval as it is shown; None where the value is undefined."""
    if estimate.status == "undefined":
        return None
    return estimate.confidence_interval(options["confidence_level"], options["interval"])


# ---- ``consilience marks``: numbers that raters gave, and how alike and how far apart they are


@command()
@option(
    "--measure -m NAME...",
    "Measure to show with everything it tells, such as pearson, spearman, kendall_tau, "
    "regression, bland_altman, paired_differences, vector_distance or icc; repeat for more. "
    "Default: a summary of the usual ones.",
    to="measures",
)
@out.REPORT
@on_ratings
def marks(**options: Any) -> Answer:
    """Compare marks: correlations, intraclass correlations, differences, distances.

    Labels are read as numbers on an interval scale unless --scale says otherwise. With two raters
    a measure is shown in full, with more for every pair of them.

    Examples:
      consilience marks marks.csv
      consilience marks marks.csv --measure kendall_tau --measure regression
      consilience marks likert.csv --scale ordinal --categories low,mid,high --measure gamma
    """
    from consilience.document import envelope

    chosen = [(one := _measure(word), one.options_of(word)) for word in options["measures"]]
    loaded = load({**options, "scale": options["scale"] or "interval"})
    page = None
    if chosen:
        document, record = _in_full(loaded.ratings, chosen)
    else:
        from consilience.magnitudes import describe_marks
        from consilience.report import marks_page

        summary = describe_marks(loaded.ratings)
        document, record = summary.document(), summary.to_dict()
        page = partial(marks_page, summary, loaded.ratings, **how_made(options))
    record = envelope(data=facts(loaded), **record)
    return Answer(document=document, record=record, page=page, whole=bool(chosen))


def _measure(word: str) -> Measure:
    """Return the measure that a word names; an unknown one is wrong usage."""
    from consilience.magnitudes import measures

    known = measures()
    try:
        return known[word]
    except InputError as error:
        from consilience.cli.words import instead_of

        names = [name for one in known.values() for name in (one.name, *one.aliases)]
        guess = instead_of(word, names)
        message = f"unknown measure {word!r}.{guess} There are {', '.join(sorted(known))}."
        raise click.BadParameter(message, param_hint="--measure") from error


def _in_full(
    ratings: Ratings, chosen: list[tuple[Measure, Mapping[str, Any]]]
) -> tuple[Document, dict[str, Any]]:
    """Return the measures one below the other, and their record; a finding is told once."""
    from consilience.document import Document, Paragraph
    from consilience.magnitudes import pairwise

    blocks: list[Any] = []
    findings: dict[str, Finding] = {}
    estimates: list[Any] = []
    pairs: list[Any] = []
    for measure, settings in chosen:
        in_pairs = measure.raters == "two" and ratings.n_raters > 2
        if in_pairs:
            one: Any = pairwise(ratings, measure=measure.name, **settings)
        else:
            one = measure(ratings, **settings)
        (pairs if in_pairs else estimates).append(one)
        page = one.document()
        blocks += [Paragraph(page.title), *page.blocks]
        findings |= {finding.code: finding for finding in page.findings}
    told = tuple(findings.values())
    record = {"estimates": estimates, "pairs": pairs, "findings": told}
    return Document(title="Marks", blocks=tuple(blocks), findings=told), record


# ---- ``consilience report``: ratings in, a page to hand on out

_FIGURE_FORMATS = ("pdf", "png", "svg")

_RULES_OF_REPORT = (
    *PLACE_RULES,
    *MEASURING_RULES,
    Rule(("figure_format",), lambda options: options["figures"] is None, "goes with --figures DIR",
         "add --figures DIR, or leave it out"),
)  # fmt: skip


@command(_RULES_OF_REPORT)
@PATHS
@option(
    "--output -o FILE", "The page to write. Default: the input's name with .html.", type=out.FILE
)
@out.FORCE
@BY
@out.TITLE
@option("--date TEXT", "Date to show at the foot of the page.", default="")
@option(
    "--figures DIR",
    "Also write each figure to a file in this folder.",
    type=out.OutputFile(folders=True),
)
@option("--figure-format", "Format of these files.", choices=_FIGURE_FORMATS, default="pdf")
@measuring_options(interval="auto")
@place_options
@reading_options
def report(**options: Any) -> int:
    """Write a report: one HTML page that needs nothing else.

    The page says what was rated, how far raters agree and how sure that is, why it is not higher,
    which items and labels cause trouble, and gives the sentence and the table for the paper. It
    loads nothing, sends nothing and prints well. Several variables get a page with a line for each.

    Examples:
      consilience report ratings.csv                     writes ratings.html
      consilience report ratings.csv -o agreement.html --title "Pilot study"
      consilience report ratings.csv --figures figures --figure-format pdf
      consilience report crowd.parquet --engine duckdb   a file of any size
    """
    output = options["output"] or _beside(options["paths"])
    out.check_output(output, options["paths"], force=options["force"])
    if output.suffix.lower() not in (".html", ".htm"):
        raise click.UsageError(
            f"--output {output} must end in .html: the report is a page. `consilience measure` "
            "writes tables."
        )
    folder: Path | None = options["figures"]
    if folder is not None and folder.exists() and not folder.is_dir():
        raise click.UsageError(f"--figures {folder} is a file. Name a folder.")
    wishes = measured_as(options)
    loaded = load(options)
    with out.progress("Writing the report"):
        from consilience.plot.style import rendered
        from consilience.report import report as make

        made = make(
            loaded.ratings if loaded.by is None else loaded.groups,
            title=options["title"],
            shape=loaded.reading.shape,
            sources=[os.path.basename(source) for source in loaded.reading.sources],
            **how_made(options),
            by=loaded.by,
            date=options["date"],
            **wishes,
        )
        places = _figure_places(made, options)
        out.write_file(output, made.html())
        for path, figure in places.items():
            out.write_file(path, rendered(figure.axes, options["figure_format"]))
    out.tell("\n".join([f"Wrote {output}", *(f"Wrote {path}" for path in places)]))
    found = (one for _, _, estimates in made.summary.parts() for one in estimates)
    return 0 if any(one.status == "ok" for one in found) else 4


def _beside(paths: tuple[str, ...]) -> Path:
    """Name the page after the first input, in the folder where the user is."""
    name = Path(paths[0]).name
    return Path("report.html" if name == "-" else Path(name).with_suffix(".html").name)


def _figure_places(made: Report, options: dict[str, Any]) -> dict[Path, Any]:
    """Return where each figure goes; refused before anything is written."""
    folder, form = options["figures"], options["figure_format"]
    if folder is None:
        return {}
    places = {folder / f"{figure.name}.{form}": figure for figure in made.page.figures}
    folder.mkdir(parents=True, exist_ok=True)
    for path in places:
        out.check_output(path, options["paths"], force=options["force"], option="--figures")
    return places


# ---- ``consilience demo``: a study made to be looked at, then why one number is not enough

_SEED = 5
_PUBLISHED = "di_eugenio_glass_2004_skewed"
_FIRST = f"""\
1. A made-up study: Consilience itself drew these ratings (simulate, seed {_SEED}).
Five raters say how strong the argument of 160 letters is. Some ratings are
missing, 'weak' and 'moderate' are hard to tell apart, and Eve is lenient.
"""
_SECOND = """\
2. A published table: why one number is not enough.
Two coders gave one of two labels to 100 items and agree on 90 of them
(Di Eugenio & Glass 2004).
"""
_AFTER = """\
Why do the coefficients differ so much? Nearly every item got the same label, so
two coders who label at random, but as often, agree on 90.5 of 100 (expected).
Kappa, pi and alpha find nothing beyond that: the prevalence paradox. AC1 and S
expect less agreement by chance and stay high. Say which one you report, with
its interval, and how often each label occurs.
"""
_NEXT = """\
Now with your own data:  consilience measure ratings.csv
                         consilience report ratings.csv
"""


@command()
@option("--output -o FILE", "Also write the report of the example to this file.", type=out.FILE)
@out.FORCE
def demo(*, output: Path | None, force: bool) -> None:
    """Measure a made-up study and a published table, and explain the results."""
    from consilience import datasets
    from consilience.report import measure
    from consilience.simulate.simulator import made_study

    made, published = made_study(_SEED), datasets.load(_PUBLISHED)
    out.put(_FIRST, None)
    out.write(measure(made), "text", None)
    for table in _to_look_at(made):
        out.put("", None)
        _show(table)
    out.put(f"\n{_SECOND}", None)
    out.write(measure(published), "text", None)
    out.put(f"\n{_AFTER}", None)
    if output is not None:
        out.write_file(output, _page(made, published).html())
        out.put(f"The same as a report to hand on: {output}\n", None)
    out.put(_NEXT.removesuffix("\n"), None)


def _to_look_at(ratings: Ratings) -> list[Table]:
    """Return which labels are confused, and the items to talk about first."""
    from consilience import latent
    from consilience.document import Table

    documents = latent.confusions(ratings).document(), latent.adjudicate(ratings).document()
    tables = [next(b for b in one.blocks if isinstance(b, Table)) for one in documents]
    return [replace(one, rows=one.rows[:3], note="") for one in tables]


def _show(table: Table) -> None:
    from consilience.document import Document

    out.emit(Document(blocks=(table,)), {}, "text", None)


def _page(made: Ratings, published: Ratings) -> Page:
    """Return the report on the made-up study, with the paradox at its end."""
    from consilience import plot
    from consilience.report import measure, report
    from consilience.report.result_pages import paragraphs_and_figure

    page = report(
        made,
        title="Five raters, four labels, 160 letters (a made-up study)",
        command="consilience demo --output demo.html",
        reading=[f"Drawn by consilience.simulate with seed {_SEED}; nobody wrote these letters."],
    ).page
    drawing: Any = plot.prevalence_effect(published)
    extra = paragraphs_and_figure(
        "paradox",
        "Why one number is not enough: a published table",
        [_SECOND.partition("\n")[2], _AFTER],
        measure(published).document(),
        (drawing, "What the share of the common label does to each coefficient at the same "
         "observed agreement, with this table marked."),
    )  # fmt: skip
    return replace(page, sections=(*page.sections, extra))
