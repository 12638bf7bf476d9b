"""``consilience panel``: systems against a panel of people."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from consilience.cli import _options as shared
from consilience.cli import _output as out
from consilience.cli._options import coefficient_name, split_gates
from consilience.cli._reading import load, reading_options

if TYPE_CHECKING:
    from consilience.document import Document
    from consilience.io import Loaded
    from consilience.panel import PanelResult, PositionSwap, SweepResult
    from consilience.ratings import Ratings

_SHARES = ("identical", "within_1", "within_2", "winning_rate")
_EPILOG = """\b
Examples:
  consilience panel verdicts.csv --system gpt
  consilience panel marks.csv --system emma --scale ordinal --gold moderator
  consilience panel verdicts.jsonl --system gpt --refusal no --document essay
  consilience panel alt_test.json --epsilon skilled
  consilience panel runs.csv --sweep training --people tutor --scale ordinal
  consilience panel verdicts.csv --system gpt --json --fail-under kappa=0.6
"""


@click.command(epilog=_EPILOG)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option(
    "--system",
    "-s",
    "systems",
    multiple=True,
    metavar="NAME",
    help="Rater that is a system; repeat for more.",
)
@click.option(
    "--people",
    multiple=True,
    metavar="NAME",
    help="Rater that is a person; repeat for more. Default: all others.",
)
@click.option(
    "--coefficient",
    "-c",
    "names",
    multiple=True,
    metavar="NAME",
    help="Coefficient, as in kappa or kappa:quadratic; the first decides. Repeat for more.",
)
@click.option(
    "--margin",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Largest loss of agreement that does not matter.",
)
@click.option(
    "--epsilon",
    default="0.2",
    show_default=True,
    metavar="E",
    help="Of the alternative annotator test: a number, or experts, skilled, crowd.",
)
@click.option("--expert", metavar="NAME", help="The one expert of that test.")
@click.option("--gold", metavar="NAME", help="Rater or column that is the gold standard.")
@click.option("--document", metavar="COLUMN", help="Document of each item; resampled whole.")
@click.option("--time", metavar="COLUMN", help="Time or batch of each item, for drift.")
@click.option("--sweep", metavar="COLUMN", help="Compare the settings in this column.")
@click.option("--sort-by", metavar="MEASURE", help="What a sweep is sorted by.")
@click.option(
    "--held-out",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.0,
    metavar="SHARE",
    help="Share of items held out of the choice of a sweep's best setting.",
)
@click.option("--swapped", metavar="COLUMN", help="Column that says in which order was judged.")
@click.option(
    "--refusal",
    "refusals",
    multiple=True,
    metavar="LABEL",
    help="Label that means refused or unparsable; repeat for more.",
)
@click.option(
    "--refused",
    type=click.Choice(("category", "missing", "wrong")),
    help="What a refusal is. Default: category for nominal labels, else missing.",
)
@shared.confidence_level
@click.option(
    "--method",
    type=click.Choice(("bootstrap", "linearised")),
    default="bootstrap",
    show_default=True,
    help="How intervals are made.",
)
@click.option(
    "--resamples", type=click.IntRange(min=1), default=2_000, show_default=True, help="Resamples."
)
@shared.seed
@click.option(
    "--figure",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Draw a figure, too; .svg, .pdf and .png choose the format.",
)
@out.REPORT
@click.option(
    "--fail-under",
    "gates",
    multiple=True,
    metavar="NAME=VALUE",
    callback=split_gates,
    help="Exit with 1 if a system is below, as in kappa=0.6, identical=0.8 or winning_rate=0.5.",
)
@reading_options
@out.output_options("json", "csv", "markdown", "latex")
def panel(**options: Any) -> int:
    """Compare systems with a panel of people.

    PATH is a file with the ratings of people and systems (delimited text, Parquet, JSON or JSON
    lines), or - for standard input. Says how far a system agrees with people, how far they agree
    with each other, and whether the system is as good as a person within a margin; with --sweep,
    compares the settings of a system.
    """
    form = out.chosen_format(options)
    gates = [(_gate_name(name), bound) for name, bound in options["gates"]]
    for word in options["names"]:
        coefficient_name(word.partition(":")[0], "--coefficient")
    if options["sweep"]:
        return _sweep(options, form, gates)
    loaded, ratings, swapped = _loaded(options)
    if loaded.reading.shape == "counts" and options["shape"] is None:
        raise click.UsageError(
            "the file was taken for counts per label, which do not say who rated. If its columns "
            "are raters, add --shape wide."
        )
    systems = options["systems"] or _named_by_file(options)
    if not systems:
        listed = ", ".join(str(name) for name in ratings.raters[:12])
        raise click.UsageError(f"Name the systems with --system. The raters are {listed}.")
    from consilience import panel as panels

    with out.progress("Comparing"):
        result = panels.compare(
            ratings, systems=systems, **_columns(options, loaded, ratings), **_common(options)
        )
    document, record = result.document(), result.to_dict()
    record["data"]["sources"] = list(loaded.reading.sources)
    record["data"]["shape"] = loaded.reading.shape
    if swapped is not None:
        found = panels.position_swap(ratings, swapped, confidence_level=options["confidence_level"])
        document, record = _joined(document, record, found)
    out.emit(document, record, form, options["output"])
    _draw(options, "panel", result)
    _report(options, result, document)
    key = result.headline.key
    undefined = all(math.isnan(one.agreement[key].value) for one in result.systems)
    return max(_exit_code(result, gates), 4 if undefined else 0)


def _common(options: dict[str, Any]) -> dict[str, Any]:
    return {
        "people": options["people"] or None,
        "coefficients": options["names"] or None,
        "margin": options["margin"],
        "epsilon": options["epsilon"],
        "expert": options["expert"],
        "refusals": options["refusals"],
        "refused": options["refused"],
        "scale": None if options["scale"] == "proposed" else options["scale"],
        "confidence_level": options["confidence_level"],
        "method": options["method"],
        "n_resamples": options["resamples"],
        "rng": options["seed"],
    }


def _for_reading(options: dict[str, Any], by: str | None) -> dict[str, Any]:
    """Return the options for the reader: refusals are labels there, so marks stay names."""
    changed = {**options, "by": by}
    if options["refusals"] and options["scale"] not in (None, "nominal"):
        changed["scale"] = None
        if options["categories"]:
            changed["categories"] = (*options["categories"], *options["refusals"])
    return changed


def _loaded(options: dict[str, Any]) -> tuple[Loaded, Ratings, Ratings | None]:
    """Read the file; with --swapped, the ratings of one order and of the other."""
    reading = {**_for_reading(options, options["swapped"]), **_roles(options)}
    loaded = load(reading)
    if options["anonymise"] and "-" not in options["paths"]:
        loaded = _systems_named(loaded, reading, {*options["systems"], *_named_by_file(options)})
    if not options["swapped"]:
        return loaded, loaded.ratings, None
    if len(loaded.groups) != 2:
        raise click.UsageError(
            f"--swapped {options['swapped']} must hold two orders. It holds "
            f"{', '.join(str(name) for name in list(loaded.groups)[:6])}."
        )
    first, second = loaded.groups.values()
    return loaded, first, second


def _systems_named(loaded: Loaded, reading: dict[str, Any], systems: set[str]) -> Loaded:
    """Give systems their names back: --anonymise is for people, and they are named by option."""
    from dataclasses import replace

    from consilience.ratings import Ratings

    plain = load({**reading, "anonymise": False, "quiet": True})
    names = {
        code: name
        for hidden, shown in zip(loaded.groups.values(), plain.groups.values(), strict=True)
        for code, name in zip(hidden.raters, shown.raters, strict=True)
        if str(name) in systems
    }
    groups = {
        key: Ratings._make(
            replace(part._parts(), raters=tuple(names.get(code, code) for code in part.raters))
        )
        for key, part in loaded.groups.items()
    }
    return replace(loaded, groups=groups)


def _roles(options: dict[str, Any]) -> dict[str, Any]:
    """Find which columns are items, raters and labels once the columns with a part are set aside.

    A column of essays or of times may well look like an item's name, or like one more rater of a
    wide table. The reader sets a grouping column aside, so it is asked what the rest would be.
    """
    from consilience.exceptions import ConsilienceError

    apart = [options[name] for name in ("document", "gold", "time") if options[name]]
    if not apart or "-" in options["paths"] or options["item"] or options["swapped"]:
        return {}
    for column in apart:
        try:
            reading = load({**_for_reading(options, column), "quiet": True}).reading
        except ConsilienceError:
            continue
        found = {role: reading.columns.get(role, ()) for role in ("item", "rater", "label")}
        if not any(name in apart for names in found.values() for name in names):
            return {**found, "shape": reading.shape}
    return {}


def _named_by_file(options: dict[str, Any]) -> tuple[str, ...]:
    from consilience.io._nested_json import systems_in

    return tuple(name for path in options["paths"] if path != "-" for name in systems_in(path))


def _columns(options: dict[str, Any], loaded: Loaded, ratings: Ratings) -> dict[str, Any]:
    """Return what other columns of the file say about the items."""
    found: dict[str, Any] = {}
    for name, argument in (("document", "clusters"), ("time", "order")):
        if options[name]:
            found[argument] = _by_item(options, loaded, options[name], f"--{name}")
    if options["gold"]:
        is_rater = options["gold"] in {str(rater) for rater in ratings.raters}
        found["gold"] = (
            options["gold"] if is_rater else _by_item(options, loaded, options["gold"], "--gold")
        )
    return found


def _by_item(
    options: dict[str, Any], loaded: Loaded, column: str, option: str
) -> dict[str, object]:
    """Read another column as if it held the labels, and return its value for each item."""
    from consilience.exceptions import InputError
    from consilience.io import load as load_files
    from consilience.panel._data import code_matrix

    if "-" in options["paths"]:
        raise click.UsageError(f"{option} needs a file: standard input can be read once only.")
    columns = loaded.reading.columns
    shape = loaded.reading.shape
    roles: dict[str, Any] = {"item": columns.get("item"), "rater": (column,)}
    if shape == "long":
        roles = {"item": columns.get("item"), "rater": columns.get("rater"), "label": (column,)}
    told = {name: options[name] for name in ("delimiter", "encoding", "header")}
    try:
        other = load_files(list(options["paths"]), shape=shape, duplicates="first", **roles, **told)
    except InputError as error:  # the reader knows the column as a rater or a label
        said = str(error)
        for role in ("rater", "label"):
            said = said.replace(f"{role} must be one of", f"{option} must be one of the columns")
        raise InputError(said) from error
    codes = code_matrix(other.ratings)
    values: dict[str, object] = {}
    for item, row in zip(other.ratings.items, codes, strict=True):
        given = {int(code) for code in row if code >= 0}
        if len(given) > 1 and option != "--time":
            labels = [str(other.ratings.categories[code]) for code in sorted(given)]
            raise InputError.expected(
                f"the column {column!r}",
                "the same in all rows of an item",
                f"{', '.join(labels)} for item {item}",
                f"correct the file, or leave out {option}",
                where=loaded.reading.sources[0],
            )
        if given:
            values[str(item)] = other.ratings.categories[min(given)]
    return values


def _joined(
    document: Document, record: dict[str, Any], found: PositionSwap
) -> tuple[Document, dict[str, Any]]:
    """Put the swaps below the panel."""
    from dataclasses import replace

    from consilience.document import plain

    record["position_swap"] = plain(found)
    record["findings"] = [*record["findings"], *plain(list(found.findings))]
    joined = replace(
        document,
        blocks=(*document.blocks, *found.document().blocks),
        findings=(*document.findings, *found.findings),
    )
    return joined, record


def _sweep(options: dict[str, Any], form: str, gates: list[tuple[str, float]]) -> int:
    from consilience import panel as panels

    if not options["people"]:
        raise click.UsageError("--sweep needs the people: name each with --people.")
    loaded = _load_settings(options)
    common = _common(options)
    for name in ("margin", "epsilon", "expert"):
        common.pop(name)
    with out.progress("Comparing"):
        result = panels.sweep(
            loaded.groups, sort_by=options["sort_by"], held_out=options["held_out"], **common
        )
    record = result.to_dict()
    record["data"]["sources"] = list(loaded.reading.sources)
    out.emit(result.document(), record, form, options["output"])
    _draw(options, "sweep", result)
    _report(options, result, result.document())
    best = result.best
    codes = [
        _check(best.setting, name, _mean(result, best.values, name), bound) for name, bound in gates
    ]
    return max(codes, default=0)


def _load_settings(options: dict[str, Any]) -> Loaded:
    from consilience.exceptions import InputError

    try:
        return load(_for_reading(options, options["sweep"]))
    except InputError as error:
        hint = "fill them in, or remove these rows"
        better = (
            "beside people's ratings write any of the settings: they count for all of them, once"
        )
        said = str(error).replace(": by must be", ": --sweep must be").replace(hint, better)
        raise InputError(said) from error


def _draw(options: dict[str, Any], name: str, result: Any) -> None:
    if options["figure"] is None:
        return
    from consilience import plot

    plot.save(getattr(plot, name)(result), options["figure"])


def _report(options: dict[str, Any], result: Any, document: Document) -> None:
    if options["report"] is not None:
        from consilience.report import panel_page

        out.write_page(panel_page(result, document), options)


# -------------------------------------------------------------------- gates


def _gate_name(name: str) -> str:
    word, sign, distance = name.partition(":")
    if word in _SHARES:
        return word
    return coefficient_name(word, "--fail-under") + sign + distance


def _exit_code(result: PanelResult, gates: list[tuple[str, float]]) -> int:
    code = 0
    for name, bound in gates:
        for one in result.systems:
            if name == "winning_rate":
                value = one.alternative.winning_rate if one.alternative else None
            else:
                value = _mean(result, one.agreement, name)
            code = max(code, _check(one.system, name, value, bound))
    return code


def _mean(result: PanelResult | SweepResult, values: dict[str, Any], name: str) -> float | None:
    for measure in result.measures:
        if name in (measure.key, measure.coefficient):
            return float(values[measure.key].value)
    return None


def _check(system: object, name: str, value: float | None, bound: float) -> int:
    if value is None or math.isnan(value):
        out.tell(f"{system}: {name} does not exist here, so --fail-under cannot be met.")
        return 4
    if value < bound:
        out.tell(f"{system}: {name} is {value:.4f}, below {bound:g}.")
        return 1
    return 0
