"""``consilience adjudicate`` and ``latent``: contested items decided, by people or by a model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from consilience.cli import options as shared
from consilience.cli import output as out
from consilience.cli.options import (
    COUNT,
    SHARE,
    apart,
    coefficient_name,
    is_given,
    named_distance,
    needs,
    only,
    option,
    refuse,
)
from consilience.cli.output import Answer, each, facts, how_made
from consilience.cli.program import command
from consilience.cli.reading import (
    OCCASION,
    PATHS,
    PLACE_RULES,
    engine_of,
    load_occasions,
    load_with,
    on_ratings,
    place_options,
    reading_options,
    wishes_of,
)
from consilience.latent.model_registry import LATENT_MODELS

if TYPE_CHECKING:
    from consilience.coefficients import Estimate
    from consilience.document import Document, Finding
    from consilience.io import Loaded
    from consilience.ratings import Ratings
    from consilience.report import Page

# ---- ``consilience adjudicate``: contested items out as a sheet, decisions back in

_RANKING_MODELS = ("auto", "majority", "median", "dawid-skene", "one-coin", "mace", "glad")
_BY = ("uncertainty", "entropy", "disagreement", "influence", "gain")
_SHEETS, _LABELS = (".xlsx", ".csv", ".tsv"), (".csv", ".tsv", ".parquet")
_RULES_OF_ADJUDICATE = (
    apart("--read", "whole", "top", "ranking", when=is_given("filled")),
    needs("--read SHEET", "new_labels", "changed_ids", among=("filled",)),
    needs("--read SHEET", "raw", among=("filled",)),
    needs("--output FILE", "raw", "whole", among=("target",)),
    needs("--output FILE or --read SHEET", "text", among=("target", "filled")),
)


@command(_RULES_OF_ADJUDICATE)
@PATHS
@option(
    "--read SHEET",
    "Read this filled sheet: raters against gold, agreement before and after, final labels.",
    to="filled",
    type=click.Path(path_type=Path),
)
@option(
    "--output -o FILE",
    "Write the sheet (.xlsx, .csv or .tsv); with --read, the final labels (.csv, .tsv or "
    ".parquet).",
    to="target",
    type=out.FILE,
)
@out.FORCE
@option(
    "--model",
    "Where suggestions come from; auto is the most detailed one that the ratings can bear.",
    choices=_RANKING_MODELS,
    default="auto",
)
@option(
    "--by",
    "What makes an item contested. Default: uncertainty; disagreement for numbers.",
    to="ranking",
    choices=_BY,
)
@option(
    "--top N",
    "Only the N most contested items. Default: all in the sheet, 20 on the screen.",
    type=COUNT,
)
@option("--all", "Put every item into the sheet.", to="whole")
@option(
    "--text COLUMN",
    "Column with what the adjudicator should read; with --read, to be left aside again.",
)
@option(
    "--coefficient -c NAME",
    "Coefficient for influence, and before and after.",
    default="krippendorff_alpha",
)
@option(
    "--distance NAME",
    "How different two labels are. Default: the one that fits the scale.",
    to="word",
)
@option(
    "--new-labels",
    "Whether a gold label may be one that no rater used.",
    choices=("refuse", "accept"),
    default="refuse",
)
@option(
    "--changed-ids",
    "What to do with item names that a spreadsheet changed.",
    choices=("refuse", "repair"),
    default="refuse",
)
@option("--raw", "Write final labels without guarding against formulas.")
@reading_options
@out.form_options("json", "csv", "markdown")
def adjudicate(**options: Any) -> Answer | int:
    """Rank contested items, hand them to a person, and take the decisions back.

    Without -o the ranking is printed: items, suggested labels, labels that are taken for each
    other. With -o it becomes a sheet with an empty gold column; --read takes the filled sheet
    back. A file with several variables gives one ranking for each; a sheet holds one of them.

    Examples:
      consilience adjudicate ratings.csv
      consilience adjudicate ratings.csv -o sheet.xlsx --text sentence --top 100
      consilience adjudicate ratings.csv --text sentence --read sheet.xlsx
      consilience adjudicate ratings.csv --text note --read sheet.xlsx -o final.csv
    """
    from consilience.coefficients.unsettled_scale import require_scale

    name = coefficient_name(options["coefficient"], "--coefficient")
    distance = named_distance(options["word"], options["scale"])
    _check_output(options)
    loaded, beside = load_with(options, {"--text": options["text"]})
    if distance is None:
        for part in loaded.groups.values():
            require_scale(part, "adjudication")
    common = {"model": options["model"], "coefficient": name, "distance": distance}
    if loaded.by is not None:
        _check_one_variable(loaded, options)
    if options["filled"] is not None:
        return _back(loaded, options, common)
    if options["target"] is not None:
        return _out(loaded, beside.get("--text"), options, common)

    def find(one: Loaded) -> Answer:
        found, record = _ranked(one, options, common)
        return Answer(document=found.document(), record=record)

    return each(loaded, find)


def _check_one_variable(loaded: Loaded, options: dict[str, Any]) -> None:
    if options["filled"] is not None or options["target"] is not None:
        names = [str(name) for name in loaded.groups]
        flag = "read" if options["target"] is None else "output"
        raise click.UsageError(
            f"--{flag}: a sheet holds one variable, and the file has {len(names)}: "
            f"{', '.join(names[:6])}. Name one with --variable."
        )


def _check_output(options: dict[str, Any]) -> None:
    """Refuse, before anything is computed, what would be refused at the end."""
    output, sheet = options["target"], options["filled"]
    endings = _SHEETS if sheet is None else _LABELS
    if output is not None and output.suffix.lower() not in endings:
        raise click.UsageError(f"--output {output} must end in {' or '.join(endings)}.")


def _ranked(
    loaded: Loaded, options: dict[str, Any], common: dict[str, Any]
) -> tuple[Any, dict[str, Any]]:
    """Rank the items of one variable; return the result and its record."""
    from consilience.document import envelope
    from consilience.latent import adjudicate as rank

    with out.progress("Ranking items"):
        found = rank(loaded.ratings, by=options["ranking"], top=options["top"] or 20, **common)
    record: dict[str, Any] = found.to_dict()
    return found, envelope(data=facts(loaded), **record)


def _out(
    loaded: Loaded,
    text: dict[object, object] | None,
    options: dict[str, Any],
    common: dict[str, Any],
) -> Answer | int:
    from consilience.core.words import counted
    from consilience.io import write_sheet

    found, record = _ranked(loaded, options, common)
    sheet = write_sheet(
        found,
        options["target"],
        text=text,
        top=options["top"],
        which="all" if options["whole"] else "contested",
        existing=out.existing(options),
    )
    out.tell(
        f"{sheet.path}: {counted(sheet.n_rows, 'item')} to decide on. Fill the column gold, "
        "then read it back with the same options and --read."
    )
    if out.chosen_format(options) == "text":
        return 0
    return Answer(document=found.document(), record={**record, "sheet": sheet.to_dict()})


def _back(loaded: Loaded, options: dict[str, Any], common: dict[str, Any]) -> Answer:
    from consilience.document import envelope
    from consilience.io import read_sheet, write_labels

    with out.progress("Reading the sheet"):
        done = read_sheet(
            options["filled"],
            loaded.ratings,
            new_labels=options["new_labels"],
            changed_ids=options["changed_ids"],
            **common,
        )
    if options["target"] is not None:
        n_rows = write_labels(
            done,
            options["target"],
            existing=out.existing(options),
            guard="none" if options["raw"] else "spreadsheet",
        )
        out.tell(f"{options['target']}: {n_rows:,} final labels.")
    record: dict[str, Any] = {**done.to_dict(), "estimates": [done.before, done.after]}
    return Answer(document=done.document(), record=envelope(data=facts(loaded), **record))


# ---- ``consilience latent``: who is right, by a model of the truth behind the ratings

_MODELS_OF_TRUTH = tuple(LATENT_MODELS)
_CHANCES = ("uniform", "marginal", "pooled", "unstable")
_WEIGHTS = ("corrected", "naive")
_FEWEST, _MOST = 2, 5
_REWORDED = {  # what a program passes, in the words of the command line
    "name the column of occasions in Ratings.from_long, or state weight=": "name the column of "
    "occasions with --occasion, or state --weight",
    "state weight=": "state --weight",
    "use dawid_skene": "use --model dawid-skene",
    'model="one-coin"': "--model one-coin",
    "pass n_resamples=999": "add --resamples 999",
    "raise n_starts": "raise --starts",
    "with n_starts=1": "with --starts 1",
    "pass smoothing=0.01 where the model takes it": "add --smoothing 0.01 to --model dawid-skene",
    "chance='uniform'": "--chance uniform",
    "raise max_iterations": "try --model one-coin or fewer classes",
}
_SELECT = re.compile(r"choose two with ratings\.select\(raters=\[.*?\]\)")
# Options that only some models know, and the setting of each.
_SETTINGS = {"starts": "n_starts", "smoothing": "smoothing", "resamples": "n_resamples",
             "weight": "weight", "positive": "positive", "above": "above",
             "classes": "n_classes", "chance": "chance"}  # fmt: skip
_ESTIMATES = ("omega", "aickin")  # a number that is asked for its interval afterwards
# What passes over files that lie elsewhere heed.
_RULES_OF_LATENT = (
    *PLACE_RULES,
    only("--engine", "model", "smoothing", "engine", "master", "memory_limit", "spill",
         "save_labels", "seed", "item", "rater", "label", "categories", "missing_values", "format",
         "sheet", "delimiter", "encoding", "header",
         when=lambda options: options["engine"] is not None, does="is not for"),
)  # fmt: skip


def _split_classes(ctx: click.Context, param: click.Parameter, value: str) -> tuple[int, ...]:
    """Turn 3 into one number of classes, 2-4 into several to compare."""
    first, sign, last = value.replace("..", "-").partition("-")
    try:
        low = int(first)
        high = int(last) if sign else low
    except ValueError:
        low = high = 0
    if not _FEWEST <= low <= high <= _MOST:
        raise click.BadParameter(f"{value!r} is not a number from 2 to 5, or like 2-4.")
    return tuple(range(low, high + 1))


def _split_weight(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> str | float | None:
    """Turn a stated weight into a number."""
    if value is None or value in _WEIGHTS:
        return value
    try:
        share = float(value)
    except ValueError:
        share = -1.0
    if not 0.0 <= share <= 1.0:
        raise click.BadParameter(f"{value!r} is not corrected, naive, or a number from 0 to 1.")
    return share


@command(_RULES_OF_LATENT)
@option(
    "--model -m",
    "Model of the truth, or of chance.",
    choices=_MODELS_OF_TRUTH,
    default="dawid-skene",
)
@option(
    "--classes N",
    "Classes of lca, 2 to 5; a range such as 2-4 compares them.",
    default="2",
    callback=_split_classes,
)
@option("--chance", "How raters guess, for omega.", choices=_CHANCES, default="uniform")
@option(
    "--weight W",
    "Share of guessed items, for omega: corrected (default), naive, or a number.",
    callback=_split_weight,
)
@option("--positive LABEL", "Label that sensitivity is about, for lca. Default: last.")
@option(
    "--above SHARE",
    "Test whether each rater's sensitivity and specificity exceed this, such as 0.99; for "
    "lca with two classes.",
    type=SHARE,
)
@option(
    "--starts N",
    "Starts of the search. Default: 1 for dawid-skene, 20 for lca, 10 for mace.",
    type=COUNT,
)
@option(
    "--smoothing X",
    "Ratings added to every cell, for dawid-skene; 0.01 helps raters with few.",
    type=click.FloatRange(min=0),
)
@shared.resamples_option("Resamples for errors, intervals and the test of fit.")
@OCCASION
@place_options
@option(
    "--save-labels FILE",
    "With --engine: write the label of each item and its probabilities, as Parquet.",
    type=out.FILE,
)
@shared.CONFIDENCE_LEVEL
@shared.SEED
@out.REPORT
@on_ratings
def latent(**options: Any) -> Answer:
    """Estimate true labels, the quality of raters, or agreement beyond guessing.

    PATH is a file with ratings, or - for standard input. dawid-skene, one-coin, lca, latent-trait,
    mace and glad model the truth behind the ratings; omega takes chance from ratings that were
    repeated, aickin from two raters' table.

    Examples:
      consilience latent ratings.csv
      consilience latent ratings.csv --model lca --classes 2-4 --resamples 999
      consilience latent retest.csv --model omega --occasion round --chance pooled
      consilience latent crowd.csv --model mace --json > truth.json
    """
    from consilience.coefficients.unsettled_scale import require_scale

    _check_taken(options)
    if options["engine"] is not None:
        return _elsewhere(options)
    loaded, _ = load_occasions(options, also="occasions" if options["model"] == "omega" else None)
    ratings = loaded.ratings
    require_scale(ratings, "a model of the truth")
    with out.progress(f"Fitting {options['model']}"):
        result = _fitted(ratings, options)
    document, record, undefined = _shown(result, loaded, ratings, options)

    def page() -> Page:
        from consilience.report import latent_page

        return latent_page(result, document, ratings=ratings, **how_made(options))

    return Answer(document=document, record=record, page=page, code=4 if undefined else 0)


def _elsewhere(options: dict[str, Any]) -> Answer:
    """Fit a model by passes over the ratings where they lie."""
    from consilience.document import envelope
    from consilience.io import truth_of_files

    able = ("dawid-skene", "one-coin", "mace")
    if options["model"] not in able:
        raise click.UsageError(f"--engine is for --model {' or '.join(able)}.")
    wishes = wishes_of(options)
    wishes.pop("items", None)
    with out.progress(f"Fitting {options['model']}"):
        result = truth_of_files(
            list(options["paths"]),
            model=options["model"],
            smoothing=options["smoothing"] or 0.0,
            save_labels=options["save_labels"],
            existing=out.existing(options),
            **engine_of(options),
            **wishes,
        )
    record = result.to_dict()
    record.pop("findings", None)
    whole = envelope(
        data={
            "items": result.n_items,
            "raters": len(result.raters),
            "ratings": result.n_ratings,
            "missing": result.n_items * len(result.raters) - result.n_ratings,
            "categories": list(result.categories),
            "scale": "nominal",  # these models take labels as names
            "shape": "long",
            "sources": list(options["paths"]),
        },
        findings=result.findings,
        seed=options["seed"],
        models=[record],
    )

    def after() -> None:
        if options["save_labels"] is not None:
            out.tell(f"Wrote {options['save_labels']}")

    return Answer(document=result.document(), record=whole, after=after)


def _check_taken(options: dict[str, Any]) -> None:
    """Refuse an option that the model would ignore."""
    taken = LATENT_MODELS[options["model"]].takes
    for name, setting in _SETTINGS.items():
        if setting not in taken:
            models = [one.name for one in LATENT_MODELS.values() if setting in one.takes]
            refuse(f"is for --model {' or '.join(models)}, not for {options['model']}", name)
    if "confidence_level" not in taken and options["model"] not in _ESTIMATES:
        refuse(f"has no effect with --model {options['model']}, which has no intervals",
               "confidence_level")  # fmt: skip


def _in_options(text: str) -> str:
    """Turn the arguments that a sentence names into options."""
    for word, instead in _REWORDED.items():
        text = text.replace(word, instead)
    return _SELECT.sub(
        "keep two raters in the file, or name two columns of a wide table with --rater", text
    )


def _fitted(ratings: Ratings, options: dict[str, Any]) -> Any:
    from consilience.core.options import flag
    from consilience.exceptions import UnsupportedDesignError

    try:
        return _fit(ratings, options)
    except UnsupportedDesignError as error:  # in the words of the command line
        raise error.retold(_in_options(error.words.worded(flag))) from error


def _fit(ratings: Ratings, options: dict[str, Any]) -> Any:
    model = LATENT_MODELS[options["model"]]
    wishes = {
        "confidence_level": options["confidence_level"],
        "rng": options["seed"],
        **{to: options[name] for name, to in _SETTINGS.items() if options[name] is not None},
    }
    return model.fit(ratings, **{name: wishes[name] for name in model.takes if name in wishes})


def _shown(
    result: Any, loaded: Loaded, ratings: Ratings, options: dict[str, Any]
) -> tuple[Document, dict[str, Any], bool]:
    from consilience.document import envelope

    name, level = options["model"], options["confidence_level"]
    if name == "aickin":
        document, record = _coefficient(result, level), result.to_dict(confidence_level=level)
    elif name == "omega":
        asked = {"confidence_level": level, "rng": options["seed"]}
        document, record = result.document(**asked), result.to_dict(**asked)
    else:
        document, record = result.document(), result.to_dict()
    told = tuple(
        replace(one, message=_in_options(one.message), advice=_in_options(one.advice))
        for one in _of_names(document.findings, ratings)
    )
    document = replace(document, findings=told)
    record.pop("findings", None)
    is_estimate = name in _ESTIMATES
    whole = envelope(
        data=facts(loaded),
        estimates=[record] if is_estimate else [],
        findings=told,
        seed=options["seed"],
        verdict=document.verdict,
        models=[] if is_estimate else [{**record, "model": name}],
    )
    return document, whole, is_estimate and record["status"] == "undefined"


def _of_names(findings: Sequence[Finding], ratings: Ratings) -> list[Finding]:
    """Leave out what these models, which know names only, would say about raters who gave marks."""
    from consilience.core.labels import MOST_CODES
    from consilience.document import Finding

    if ratings.scale == "nominal" or len(ratings.categories) <= MOST_CODES:
        return list(findings)
    why = Finding(
        "marks_taken_as_names",
        "caution",
        "This model takes labels as names: a mark that is one point off is as wrong as any other. "
        "So nothing is concluded about raters; 'consilience raters' and 'marks' compare markers.",
    )
    return [why, *(one for one in findings if one.code not in ("below_chance", "spammers"))]


def _coefficient(one: Estimate, level: float) -> Document:
    from consilience.coefficients.uncertainty import verdict_of
    from consilience.document import Document, Range, Table

    said = verdict_of(one, level)

    if one.status == "undefined":
        return Document(title=one.name, verdict=said)
    interval = one.confidence_interval(level)
    row: list[Any] = [
        one.name,
        one.value,
        Range(interval.low, interval.high),
        one.observed,
        one.n_items_used,
    ]
    heads = ("coefficient", "value", f"{100 * level:g}% interval", "observed", "items")
    return Document(blocks=(Table(heads=heads, rows=[row]),), verdict=said)
