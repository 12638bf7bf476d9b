"""From an export to `Ratings`: one set per variable, the three states kept apart, all counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from statistics import median
from typing import Any

import numpy as np

from consilience.core.input_files import Said
from consilience.core.labels import Note, label_key
from consilience.core.reading_account import Account, Ledger
from consilience.exceptions import ConsilienceError, InputError, Option, Words
from consilience.io.exports.export_entries import CONTROL_ITEMS, Annotations
from consilience.io.exports.registry import Export
from consilience.io.files.limits import refused
from consilience.io.files.source import Source
from consilience.io.layout.labels import LabelReading
from consilience.io.options import Request, chosen_variables, refuse_cluster
from consilience.io.reading_account import Reading, export_guesses
from consilience.ratings import Ratings

# ---- free text

_FEWEST = 6  # answers from which anything can be told
_SHARE = 0.6  # of them that must be different
_WORDS = 3  # in the middle one of the answers


def free_text(found: Annotations) -> dict[str, int]:
    """Return the variables whose answers are free text, with the number of different ones.

    Nothing is returned where all variables are: then they are what is to be compared.
    """
    answers: dict[str, list[object]] = {}
    for variable, label in zip(found.variable, found.label, strict=True):
        if label is not None:
            answers.setdefault(variable, []).append(label)
    prose = {name: len(set(given)) for name, given in answers.items() if is_prose(given)}
    return prose if len(prose) < len(answers) else {}


def is_prose(answers: list[object]) -> bool:
    """Tell whether answers are texts of several words that seldom recur."""
    texts = [answer for answer in answers if isinstance(answer, str)]
    if len(texts) < len(answers) or len(texts) < _FEWEST:
        return False
    different = len(set(texts)) > _SHARE * len(texts)
    return different and median(len(text.split()) for text in texts) >= _WORDS


# ---- ratings

NO_LABEL = "(no label)"  # what an answer without a label is called where it counts as one


def chosen_entries(
    found: Annotations, request: Request, variables: Sequence[str], where: str
) -> Annotations:
    """Keep the variables that were asked for and the kinds of rater that count."""
    names = chosen_variables(found.variables(), variables, where)
    prose = {} if variables else free_text(found)
    names -= prose.keys()
    left_out = {
        kind
        for kind, word in (("prediction", request.predictions), ("gold", request.gold))
        if word.startswith("leave_out")
    }
    control: set[object] = set()
    if request.gold == "leave_out_items":
        control = {i for i, kind in zip(found.item, found.kind, strict=True) if kind == "gold"}
        control |= found.control
    kept = [
        k
        for k, (variable, kind) in enumerate(zip(found.variable, found.kind, strict=True))
        if variable in names and kind not in left_out and found.item[k] not in control
    ]
    chosen = found.taking(kept)
    if control:
        chosen.notes = [note for note in chosen.notes if note.code != CONTROL_ITEMS]
        chosen.note(CONTROL_ITEMS, f"{len(control):,} items that test people were left out.")
    chosen.left_out = Counter(
        (variable, kind)
        for variable, kind in zip(found.variable, found.kind, strict=True)
        if kind in left_out and variable in names
    )
    if prose:
        told = ", ".join(f"{name} ({texts:,} different texts)" for name, texts in prose.items())
        chosen.note(
            "free_text_left_out",
            f"Answers in free text were left out: {told}. To compare them all the same, name them "
            "with variable= (--variable).",
        )
    if not len(chosen):
        what = "the export"
        got = Said("none" if not len(found) else "predictions or gold only")
        hint = Words("pass ", Option("predictions", "raters"), " if that is what you compare")
        raise InputError.expected(what, "filled with answers by raters", got, hint, where=where)
    return chosen


def _left_out_notes(entries: Annotations, variable: str) -> list[Note]:
    """Say how many answers of systems, and right answers, were there for one variable."""
    systems, right = (entries.left_out[variable, kind] for kind in ("prediction", "gold"))
    of_systems = "proposal of a system was" if systems == 1 else "proposals of systems were"
    answers = "right answer was" if right == 1 else "right answers were"
    how = "left out. To compare them like a rater's, pass"
    notes = []
    if systems:
        told = f'{systems:,} {of_systems} {how} predictions="raters" (--predictions raters).'
        notes.append(Note("prediction_left_out", told))
    if right:
        told = f'{right:,} {answers} {how} gold="rater" (--gold-answers rater).'
        notes.append(Note("gold_left_out", told))
    return notes


def without_silent(entries: Annotations, request: Request) -> Annotations:
    """Leave out variables for which nobody gave a label, unless there are no others."""
    if request.empty != "missing":
        return entries
    answers = zip(entries.variable, entries.label, strict=True)
    spoken = {variable for variable, label in answers if label is not None}
    silent = [variable for variable in entries.variables() if variable not in spoken]
    if not silent or not spoken:
        return entries
    kept = entries.taking(k for k, name in enumerate(entries.variable) if name in spoken)
    kept.note("nothing_answered", f"Nobody gave a label for {', '.join(silent)}: left out.")
    return kept


def ratings_by_variable(
    entries: Annotations, request: Request, where: str
) -> tuple[dict[str, Ratings], list[str]]:
    """Return the ratings of each variable, and what was noticed on the way."""
    groups: dict[str, Ratings] = {}
    evidence: list[str] = []
    places: dict[str, list[int]] = {}
    every: dict[str, list[int]] = {}
    for k, variable in enumerate(entries.variable):
        every.setdefault(variable, []).append(k)
        if request.counts(entries.state[k], entries.reason[k]):
            places.setdefault(variable, []).append(k)
    if not places:
        got = f"{len(entries):,} excluded entries ({_listed(entries.states()['excluded'])})"
        hint = Words("pass ", Option("excluded", "keep"), " to count them")
        raise refused(where, "the export", "filled with answers that count", got, hint)
    for variable, chosen in places.items():
        part = entries.taking(chosen)
        if request.excluded == "label":
            part.label = [why or label for why, label in zip(part.reason, part.label, strict=True)]
        whole = entries.taking(every[variable])
        part.notes = [*_states_note(whole), *part.notes, *_left_out_notes(entries, variable)]
        alone = len(places) == 1
        groups[variable], told = _ratings(part, variable, request, where, alone=alone)
        prefix = "" if alone else f"{variable}: "
        evidence += [prefix + words for words in told]
    request.check_names(list(groups), where)
    request.relabel.check([x for one in groups.values() for x in one.categories], where)
    return groups, evidence


def _ratings(
    part: Annotations,
    variable: str,
    request: Request,
    where: str,
    *,
    alone: bool,
) -> tuple[Ratings, list[str]]:
    labels = part.label
    sets = any(isinstance(label, frozenset) for label in labels)
    if sets:
        labels = [
            label if label is None or isinstance(label, frozenset) else frozenset((label,))
            for label in labels
        ]
    if request.empty != "missing":
        nothing: Any = frozenset() if sets else NO_LABEL
        pairs = zip(labels, part.state, strict=True)
        labels = [nothing if state == "empty" else label for label, state in pairs]
    again = "occasions" if part.repeated and request.duplicates == "refuse" else request.duplicates
    item, items = _codes(part.item)
    rater, raters = _codes(part.rater)
    codes, raw = _codes(labels)
    request = replace(request, proposed=part.scales).of(variable)
    try:
        reading = request.read(
            raw,
            np.bincount(codes + 1, minlength=len(raw) + 1)[1:].tolist(),
            weigh_marks=False,
        )
        ratings = Ratings.from_codes(
            item=item,
            rater=rater,
            label=np.array([*reading.code_of, -1], dtype=np.int64)[codes],
            items=items,
            raters=raters,
            categories=reading.labels,
            scale=reading.scale,
            declared=reading.declared,
            duplicates=again,
            design="long",
            notes=(*reading.notes, *_advice(variable, part, reading, alone), *part.notes),
        )
    except ConsilienceError as error:
        twice = _given_twice(part, where) if again == "refuse" else None
        if twice is not None:
            raise twice from error
        named = f"{where}: {variable}: " if variable != "label" else f"{where}: "
        raise type(error)(f"{named}{error}") from error
    return ratings, list(reading.evidence)


def _given_twice(part: Annotations, where: str) -> InputError | None:
    """Complain about the first rating that is repeated, with its place in the file."""
    seen: dict[tuple[object, str], int] = {}
    for k, key in enumerate(zip(part.item, part.rater, strict=True)):
        if part.label[k] is None:
            continue
        first = seen.setdefault(key, k)
        if first != k:
            return InputError.duplicate_rating(
                *key, part.label[first], part.label[k], where=part.place[k] or where
            )
    return None


def _codes(values: Sequence[Any]) -> tuple[Any, list[Any]]:
    """Number values in order of first appearance; None is -1."""
    code_of: dict[Any, int] = {}
    names: list[Any] = []
    codes = np.empty(len(values), dtype=np.int64)
    for k, value in enumerate(values):
        if value is None:
            codes[k] = -1
            continue
        key = label_key(value)
        code = code_of.get(key)
        if code is None:
            code = code_of[key] = len(names)
            names.append(value)
        codes[k] = code
    return codes, names


def _advice(variable: str, part: Annotations, reading: LabelReading, alone: bool) -> list[Note]:
    proposed = part.scales.get(variable)
    if proposed in (None, "nominal") or reading.scale not in (None, "nominal"):
        return []
    word = proposed if alone else "proposed"
    each = "" if alone else ", which takes each variable as the file suggests"
    told = (
        f"The file suggests that {variable!r} is {proposed}; it was compared as nominal. "
        f'Pass scale="{word}" (--scale {word}){each}.'
    )
    return [Note("scale_proposed", told)]


def _states_note(entries: Annotations) -> list[Note]:
    """Say how many entries are in which state, unless every one is a label."""
    states = entries.states()
    excluded = states["excluded"]
    if entries.state.count("labelled") == len(entries) and not states["not asked"]:
        return []
    parts = [
        f"{entries.state.count('labelled'):,} labelled",
        f"{states['asked, no label']:,} asked without a label",
        f"{sum(excluded.values()):,} excluded" + (f" ({_listed(excluded)})" if excluded else ""),
        f"{states['not asked']:,} not asked",
    ]
    return [Note("entry_states", f"Entries of the export: {', '.join(parts)}.")]


def _listed(excluded: dict[str, int]) -> str:
    return ", ".join(f"{reason} {number:,}" for reason, number in excluded.items())


# ---- the account

_KINDS = {
    "prediction": "proposals of systems were left out",
    "gold": "right answers were left out",
}


def export_account(found: Annotations, kept: Annotations, request: Request) -> Account:
    """Return what became of every entry: `found` are all, `kept` those of the chosen variables."""
    ledger = Ledger()
    names = set(kept.variable)
    left = Counter(zip(kept.item, kept.rater, kept.variable, kept.kind, kept.place, strict=True))
    for k, variable in enumerate(found.variable):
        key = (found.item[k], found.rater[k], variable, found.kind[k], found.place[k])
        if left[key] > 0:
            left[key] -= 1
            _entry(ledger, found, k, request)
            continue
        reason = _KINDS.get(found.kind[k], "items that test people were left out")
        if variable not in names:
            reason = "answers to other questions"
        ledger.set_aside("entries", variable, reason=reason, matters=False)
    return ledger.close() + found.ledger.close()


def _entry(ledger: Ledger, found: Annotations, k: int, request: Request) -> None:
    state, reason = found.state[k], found.reason[k]
    if not request.counts(state, reason):
        ledger.set_aside(
            "entries", found.variable[k], reason=f"excluded: {reason or state}", matters=False
        )
    elif found.label[k] is None and not (state == "empty" and request.empty != "missing"):
        ledger.set_aside("entries", found.variable[k], reason="asked, no label", matters=False)
    else:
        ledger.use("entries")


# ---- from an export to ratings


def ratings_of_export(
    source: Source, export: Export, evidence: str, found: Annotations, request: Request
) -> tuple[dict[str | None, Ratings], Reading]:
    """Return the ratings by variable (None: the only one) and the account."""
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
