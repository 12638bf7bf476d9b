"""From a platform's export to `Ratings` and the account of how it was read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.exceptions import InputError, Option, Words
from consilience.io.exports.registry import EXPORTS, Export, ExportOptions, Sample, recognise
from consilience.io.files.limits import refused
from consilience.io.files.source import Source
from consilience.io.layout.table_sample import BY_VARIABLE
from consilience.io.options import Request, refuse_cluster
from consilience.io.reading_account import Reading, export_guesses
from consilience.io.registry import FORMATS
from consilience.ratings import Ratings

if TYPE_CHECKING:
    from consilience.io.exports.export_entries import Annotations

# What a reader may stumble over when a file is not what its beginning promised.
_STUMBLES = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


def export_for(source: Source, request: Request) -> tuple[Export, str] | None:
    """Return the export that was asked for or that the content fits; None for a table."""
    if request.format is not None:
        is_table = request.format in FORMATS
        return None if is_table else (EXPORTS[request.format], "the format as told")
    columns = bool(request.rater and request.label) and not request.variables
    told = request.shape or request.columns or request.sheets or (columns and request.item)
    if told or request.by not in (None, BY_VARIABLE):
        return None  # whoever says so much about the columns has a table
    if request.by == BY_VARIABLE and _has_column(source, BY_VARIABLE):
        return None
    found = recognise(source)
    if found is not None and columns and found[0].label_names == "columns":
        return None
    return found


def _has_column(source: Source, name: str) -> bool:
    sample = Sample(source)
    names = [*sample.columns(), *(key for record in sample.records() for key in record)]
    return name in (str(one).casefold() for one in names)


def entries_of(source: Source, export: Export, request: Request) -> Annotations:
    """Read everything the export holds; whatever is wrong with it becomes one sentence."""
    options = ExportOptions(
        item=request.item[0] if request.item else None,
        rater=request.rater[0] if request.rater else None,
        label=request.named_labels,
        encoding=request.encoding,
        delimiter=request.delimiter,
        empty=request.empty,
    )
    try:
        return export.read(source, options)
    except InputError:
        raise
    except _STUMBLES as error:
        if type(error).__module__.startswith("consilience"):
            raise
        needed = f"in the form that {export.title} writes"
        got = f"something else ({type(error).__name__}: {str(error)[:80]})"
        hint = Words("check the export, or name another format with ", Option("format"))
        raise refused(source.where, "the file", needed, got, hint) from error


def ratings_of_export(
    source: Source, export: Export, evidence: str, found: Annotations, request: Request
) -> tuple[dict[str | None, Ratings], Reading]:
    """Return the ratings by variable (None: the only one) and the account."""
    from consilience.io.exports._ratings_from_entries import (
        chosen_entries,
        export_account,
        ratings_by_variable,
        without_silent,
    )

    refuse_cluster(request, source.where, "an export")
    wanted = request.variables
    if not wanted and export.label_names == "variables":  # no columns: --label means the question
        wanted = request.label
    entries = chosen_entries(found, request, wanted, source.where)
    entries = without_silent(entries, request)
    groups, told = ratings_by_variable(entries, request, source.where)
    guesses = export_guesses(
        request,
        title=export.title,
        evidence=evidence,
        groups=groups,
        roles=entries.roles,
        wanted=wanted,
    )
    reading = Reading(
        sources=tuple(str(path) for path in source.paths),
        format=export.name,
        title=export.title,
        shape="long",
        columns={},
        n_rows=len(entries),
        evidence=(evidence, *entries.evidence, *told),
        notes=tuple(dict.fromkeys(n for ratings in groups.values() for n in ratings.notes)),
        states=entries.states(),
        variables=tuple(groups),
        guesses=guesses,
        account=export_account(found, entries, request),
        systems=entries.systems(),
    )
    single = len(groups) == 1
    return {None if single else name: ratings for name, ratings in groups.items()}, reading
