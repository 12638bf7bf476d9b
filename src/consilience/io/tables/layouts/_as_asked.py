"""What the caller asked for, in the terms of one table: variables by value, gold as a rater."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

from consilience.core.cell_values import holds_number
from consilience.core.input_files import Said
from consilience.exceptions import InputError, Option, Words
from consilience.io.request import Request, chosen_variables
from consilience.io.tables.building._build_job import Job
from consilience.io.tables.layouts._list_cells import parts_of
from consilience.io.tables.layouts._table_sample import BY_VARIABLE, Candidate, Layout
from consilience.io.tables.recogniser.recognise import recognise
from consilience.io.tables.recogniser.refusal import AmbiguousTableError, Offer
from consilience.io.tables.role_names import is_settled
from consilience.io.tables.table import Table

_PLAIN = "plain values"


def asked_of(table: Table, request: Request) -> tuple[Request, bool]:
    """Return what is asked of this table, and whether variables are values of the grouping column.

    A variable is a column of labels where one is called so, else a value of the column called
    "variable"; beside a label column that was named, it can only be the latter.
    """
    wanted = request.variables
    if table.is_long:
        request = _made_long(table, replace(request, shape=None))
    if not wanted:
        return request, False
    by = next((name for name in table.names if name.strip().casefold() == BY_VARIABLE), None)
    told = request.named_labels and {
        table.names[j] for j in table.positions(request.named_labels, option="label")
    }
    among = [name for name in table.names if not told or name in told]
    named = all(_names(word, among) and (by is None or word != "*") for word in wanted)
    if named:
        return replace(request, label=wanted), False
    if by is None or request.by not in (None, by, BY_VARIABLE):
        if told:  # the labels are named, and nothing is called like the variable
            raise InputError.unknown_word(f"{table.where}: variable", wanted[0], among)
        return request, False
    return replace(request, label=request.named_labels, by=by), True


def _made_long(table: Table, request: Request) -> Request:
    """Take the columns for what the loader called them, unless the caller says otherwise."""
    is_told = bool(request.item or request.rater or request.label)
    if is_told or set(table.names) - {"kind"} != {"item", "rater", "label"}:
        return request
    return replace(request, item=("item",), rater=("rater",), label=("label",))


def _names(word: str, names: Sequence[str]) -> bool:
    folded = word.casefold()
    return any(name.casefold() == folded or fnmatchcase(name, word) for name in names)


def recognised(table: Table, request: Request) -> tuple[Candidate, tuple[str, ...]]:
    """Recognise the layout; a column of gold answers is a rater where that was asked for."""
    gold = request.gold
    try:
        candidate, others = recognise(table, request)
    except AmbiguousTableError as error:
        settling = _all_raters(error.offers) if gold == "rater" else None
        if settling is None:
            raise
        item, rater = settling
        asked = replace(request, shape="wide", item=item, rater=rater, label=())
        candidate, others = recognise(table, asked)
    layout = candidate.layout
    used = {*layout.item, *layout.rater, *layout.label, *layout.category, layout.by}
    used |= {j for one in layout.variables for j in one.columns}
    settled = [j for j, name in enumerate(table.names) if is_settled(name) and j not in used]
    if gold != "leave_out" and settled:
        if gold != "rater" or layout.shape != "wide" or layout.variables:
            raise _no_rater(table, table.names[settled[0]], gold, layout.shape)
        names = tuple(table.names[j] for j in (*layout.rater, *settled))
        items = tuple(table.names[j] for j in layout.item)
        told = replace(request, shape="wide", rater=names, item=items, label=())
        candidate, others = recognise(table, told)
        listed = ", ".join(repr(table.names[j]) for j in settled)
        evidence = (*candidate.evidence, f"compared like a rater's, as told: {listed}")
        candidate = replace(candidate, evidence=evidence)
    refuse_mixed(table, candidate.layout)
    _refuse_several_raters(table, candidate.layout)
    return candidate, others


def _refuse_several_raters(table: Table, layout: Layout) -> None:
    """Refuse a second column with names of raters: only one of them would be read."""
    if layout.shape == "long" and len(layout.rater) > 1:
        raise InputError.expected(
            "rater",
            "one column of a table with one row per rating",
            [table.names[j] for j in layout.rater],
            Words(
                "name one of them, or pass ",
                Option("shape", "wide"),
                " where each rater has a column",
            ),
            where=table.where,
        )


def _all_raters(offers: Sequence[Offer]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return items and raters, gold answers among them, where the best two differ in that only."""
    offers = offers[:2]
    if any(offer.options.get("shape") != "wide" for offer in offers):
        return None
    items = {offer.options.get("item", ()) for offer in offers}
    raters = [offer.options["rater"] for offer in offers]
    others = {tuple(name for name in names if not is_settled(name)) for names in raters}
    if len(items) != 1 or len(others) != 1:
        return None
    return items.pop(), max(raters, key=len)


def _no_rater(table: Table, column: str, gold: str, shape: str) -> InputError:
    return InputError.expected(
        "gold",
        "'leave_out', or 'rater' where each rater has a column",
        Said(f"{gold!r} and the column {column!r} of a {shape} table"),
        "write these answers as rows of a rater called gold, or leave the option out",
        where=table.where,
    )


def only_asked(job: Job, wanted: Sequence[str]) -> None:
    """Keep the groups that were asked for by name, and what was told about them."""
    names = [str(name) for name in job.groups]
    kept = chosen_variables(names, wanted, job.table.where)
    for name in [name for name in job.groups if str(name) not in kept]:
        del job.groups[name]
        job.evidence[:] = [words for words in job.evidence if not words.startswith(f"{name}: ")]
    if len(job.groups) == 1:
        (name, ratings) = job.groups.popitem()
        job.groups[None] = ratings
        job.evidence[:] = [words.removeprefix(f"{name}: ") for words in job.evidence]
        job.evidence.append(f"only the variable {name!r}, as told")


def refuse_mixed(table: Table, layout: Layout) -> None:
    """Refuse raters some of whom gave lists and others not, or lists of different kinds."""
    groups = [one.columns for one in layout.variables] or [layout.rater]
    if layout.shape != "wide":
        return
    rows = table.sample()
    for columns in groups:
        kinds = {j: kind for j in columns if (kind := _kind(row[j] for row in rows))}
        several = list(dict.fromkeys(kinds.values()))
        if len(several) > 1 and any(kind != _PLAIN for kind in several):
            first, second = (next(j for j in kinds if kinds[j] == kind) for kind in several[:2])
            raise InputError.expected(
                "columns that are compared",
                "of one kind",
                Said(f"{several[0]} in {table.names[first]!r} and {several[1]} in "
                     f"{table.names[second]!r}"),
                "name the columns of the raters with rater= (--rater), or the column that holds "
                "the labels of all raters with label= (--label)",
                where=table.where,
            )  # fmt: skip


def _kind(cells: Iterable[Any]) -> str:
    """Say what a column holds; nothing where it mixes kinds, as one label beside several may."""
    kinds = {_kind_of(cell) for cell in cells if cell not in (None, "", [])} - {"lists"}
    return kinds.pop() if len(kinds) == 1 else ""


def _kind_of(cell: Any) -> str:
    text = cell.strip() if isinstance(cell, str) else ""
    if isinstance(cell, dict) or (text.startswith("{") and text.endswith("}")):
        return "objects"
    if not isinstance(cell, (list, tuple)) and not (text.startswith("[") and text.endswith("]")):
        return _PLAIN
    parts = parts_of(cell)
    if parts is None:
        return "lists"
    if any(isinstance(part, (dict, list, tuple)) for part in parts):
        return "lists of objects"
    numbers = [holds_number(p) for p in parts]
    return "lists" if not parts else "lists of numbers" if all(numbers) else "lists of texts"
