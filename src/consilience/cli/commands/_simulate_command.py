"""``consilience simulate``: how far a coefficient moves from sample to sample."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from consilience.cli import _options as shared
from consilience.cli import _output as out
from consilience.cli._heeded import Rule, apart
from consilience.cli._main import command
from consilience.cli._options import COUNT, coefficient_name, named_distance, option
from consilience.cli._output import Answer
from consilience.cli._ratings_reading import READING, load, reading_options

if TYPE_CHECKING:
    from consilience.simulate import Samples, SamplingDistribution

_OF_FILES = tuple(name for name in READING if name not in ("categories", "scale", "quiet"))
_RULES = (
    Rule(_OF_FILES, lambda options: not options["paths"], "is about a file, and none is named",
         "name the file, or leave it out"),
    apart("--samples", "studies", "figure", "word", "confidence_level"),
)  # fmt: skip
_EPILOG = """\b
Examples:
  consilience simulate --items 150 --agreement 0.67 -c kappa -c pi
  consilience simulate --items 50 --agreement 0.6 --prevalence 0.05 --figure kappa.svg
  consilience simulate ratings.csv -c kappa --samples 5
  consilience simulate ratings.csv -c kappa --items 500     as if 500 had been rated
  consilience simulate --items 20 --accuracy 0.9 --raters 3 --draw drawn.csv
"""
# Options that describe raters, and the argument of the library each stands for.
_DESIGN = {"raters": "n_raters", "categories": "categories", "prevalence": "prevalence",
           "agreement": "agreement", "accuracy": "accuracy", "bias": "bias"}  # fmt: skip


@command(_EPILOG, _RULES)
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
@out.figure_option("Also draw the distribution of the first coefficient (.pdf, .png or .svg).")
@shared.DISTANCE
@shared.CONFIDENCE_LEVEL
@shared.SEED
@reading_options
@out.output_options("json", "csv", "markdown", "latex")
def simulate(**options: Any) -> Answer:
    """Simulate studies: is a coefficient biased, normal, and is its interval honest?

    With PATH, studies are drawn from the ratings in that file, as if these were all there are: more
    samples from the same raters. Without, raters are described by --agreement or --accuracy.
    """
    from consilience.document import envelope

    names = [coefficient_name(name, "--coefficient") for name in options["names"]]
    design = _design(options)
    names = names or _usual(design)
    if options["draw"] is not None:
        _write_study(design, options)
    if options["samples"] is not None:
        drawn = _samples(design, names, options)
        record = envelope(data=None, seed=options["seed"], samples=drawn.to_dict()["samples"])
        return Answer(document=drawn.document(), record=record)
    found = _distributions(design, names, options)
    records = [one.to_dict() for one in found]
    return Answer(
        document=_joined(found),
        record=envelope(data=None, seed=options["seed"], distributions=records),
        figures={"figure": found[0].figure},
    )


def _design(options: dict[str, Any]) -> Any:
    """Return what studies are drawn from: a file, or raters that are described."""
    from consilience.cli._hints import flags_of
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


def _usual(design: Any) -> list[str]:
    two = design.n_raters == 2
    return ["cohen_kappa", "scott_pi"] if two else ["krippendorff_alpha"]


def _samples(design: Any, names: list[str], options: dict[str, Any]) -> Samples:
    from consilience.simulate import samples

    return samples(
        design,
        options["samples"],
        coefficients=names,
        n_items=options["items"],
        rng=options["seed"],
    )


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

    from consilience.latent.entries import entries_of
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
