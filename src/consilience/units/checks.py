"""The check of what a measure of units is given, and what to know before a result is believed."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence, Sized
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.arguments import check_word, number_where
from consilience.core.labels import check_categories, label_key
from consilience.core.words import counted
from consilience.document import Finding
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.units.model import Blocks, Dropped, Units, heard, no_session, why_left_out

# ----------------------------------------------------------------------------------------
# The check of what a measure of units is given: data, labels, raters, sessions, words, numbers.
# ----------------------------------------------------------------------------------------

MOST_LABELS = 3_000  # labels beyond this are free text, and their table would fill the memory


def check_words(**given: tuple[Any, Iterable[str]]) -> None:
    """Refuse words that are not among those known: name=(word, known)."""
    for what, (word, known) in given.items():
        check_word(what, word, known)


def check_positive(
    value: Any, what: str, *, zero: str = "refused", kind: str = "a number", hint: str = ""
) -> float:
    """Return a positive number; ``zero`` says whether 0 is allowed."""
    least, at = ("0 or more", operator.ge) if zero == "allowed" else ("above 0", operator.gt)
    return number_where(
        what, value, f"{kind} {least}", hint or f"for example {what}=1", fits=lambda x: at(x, 0)
    )


def check_time(value: Any, what: str, *, zero: str) -> float:
    """Return a length of time; ``zero`` says whether 0 is allowed."""
    kind = "a time of" if zero == "allowed" else "a time"
    return check_positive(value, what, zero=zero, kind=kind, hint="in the time unit of the data")


def check_label_count(labels: Sized, what: str) -> None:
    """Refuse so many labels that a table of every two of them cannot be held."""
    if len(labels) > MOST_LABELS:
        raise UnsupportedDesignError.needs(
            what,
            f"at most {MOST_LABELS:,} labels",
            f"{len(labels):,}",
            "put labels together with relabel(), or compare without them",
        )


def check_data(units: Any) -> Units:
    """Return units; refuse anything else."""
    if not isinstance(units, Units):
        raise InputError.expected(
            "the data",
            "Units",
            type(units).__name__,
            "build them with Units.from_frame, or read_units",
        )
    return units


def check_pieces(units: Units, what: str) -> Units:
    """Return units that are in one piece each."""
    if units.span is not None and units.n_units < len(units):
        raise UnsupportedDesignError.needs(
            what,
            "units in one piece",
            f"{len(units) - units.n_units} further fragments",
            "compare discontinuous units with span_f1, or give each fragment as a unit of its own",
        )
    return units


def check_several_raters(units: Any, what: str) -> Units:
    """Return units of at least two raters."""
    if check_data(units).n_raters < 2:
        hint = "add another rater; declare raters who marked nothing, too"
        raise UnsupportedDesignError.needs(what, "at least two raters", units.n_raters, hint)
    known: Units = units
    return known


def check_units(
    units: Any | Units, what: str, labels: Iterable[Any] | None = None, *, many: str = "refuse"
) -> Units:
    """Return units in one piece, with the declared labels.

    Very many labels are refused, unless `many` is "allow": the measure then makes no table of them.
    """
    units = check_pieces(check_data(units), what)
    if labels is not None:
        declared = check_categories(labels, what="labels")
        place = {label_key(name): k for k, name in enumerate(declared)}
        lacking = [name for name in units.labels if label_key(name) not in place]
        if lacking:
            raise InputError.expected(
                "labels", "a list of all that occur", declared, f"add {lacking[0]!r}"
            )
        codes = np.array([place[label_key(name)] for name in units.labels], dtype=np.int32)
        label = codes[units.label] if len(codes) else units.label
        units = replace(units, labels=tuple(declared), label=label)
    if many == "refuse":
        check_label_count(units.labels, what)
    return units


def check_raters(units: Units, raters: Any) -> tuple[str, ...]:
    """Return the names of at least two raters."""
    names: tuple[str, ...] = units.raters
    if raters is not None:
        if isinstance(raters, str) or not isinstance(raters, Iterable):
            raise InputError.expected("raters", "a list of names", raters, "such as ['A', 'B']")
        names = tuple(str(name) for name in raters)
        for name in names:
            if name not in units.raters:
                raise InputError.unknown_word("a rater", name, units.raters)
        if len(set(names)) != len(names):
            raise InputError.expected("raters", "different names", names, "name each rater once")
    if len(names) < 2:
        raise UnsupportedDesignError.needs(
            "agreement", "at least two raters", f"{len(names)}", "read the other rater's file too"
        )
    return names


def check_two(
    units: Units, raters: Any, what: str, *, hint: str = "name two with raters="
) -> tuple[str, ...]:
    """Return the names of exactly two raters."""
    names = check_raters(units, raters)
    if len(names) != 2:
        raise UnsupportedDesignError.needs(what, "two raters", f"{len(names)}", hint)
    return names


def compared_blocks(
    units: Any, what: str, absent: str
) -> tuple[Blocks, list[tuple[int, NDArray[np.int64]]], Dropped]:
    """Return sorted units, the blocks that two raters or more were heard in, sessions without.

    A block comes with the codes of its raters.
    """
    if not len(check_several_raters(units, what)):
        raise UnsupportedDesignError.needs(
            what, "at least one unit", "an empty continuum", "check the reader's options"
        )
    blocks = units.sorted_blocks()
    used = set(blocks.session.tolist())
    dropped = [(name, "no units") for s, name in enumerate(units.sessions) if s not in used]
    table = heard(units, absent)
    compared = []
    for b, session in enumerate(blocks.session.tolist()):
        there = np.diff(blocks.offsets[b]) > 0 if absent == "drop" else table[:, session]
        if there.sum() < 2:
            dropped.append((units.sessions[session], why_left_out(units.raters, there, some=True)))
        else:
            compared.append((b, np.flatnonzero(there)))
    if not compared:
        raise no_session(what, units.raters)
    return blocks, compared, tuple(dropped)


# ----------------------------------------------------------------------------------------
# What to know about units before a result is believed: notes, pairs, absent raters, sessions.
# ----------------------------------------------------------------------------------------

_ACCOUNT = ("read_as", "raters_by", "tag_column", "rounded_times", "columns_taken",
            "not_everybody_asked")  # fmt: skip
_INFORMATION = frozenset(("blank_texts", "label_feature", "no_text"))  # nothing to beware of
_ABOUT_ALL = frozenset(("threshold_below_51",))  # about the study, whoever is compared
_NAMES_BOTH = frozenset(("label_used_unevenly",))  # the sentence itself names the pair
_PAIRS_SHOWN = 3
_SESSIONS_SHOWN = 5
_ABSENT = 'If the rater did see what was left out and marked nothing, pass absent="count".'


def note_findings(units: Units) -> list[Finding]:
    """Return the notes of units as findings; the account of the reading is left out."""
    return [
        Finding(note.code, "info" if note.code in _INFORMATION else "caution", note.message)
        for note in units.notes
        if note.code not in _ACCOUNT
    ]


def pair_findings(
    pairs: Sequence[tuple[tuple[str, str], Sequence[Finding]]], *, about_all: Sequence[Finding] = ()
) -> tuple[Finding, ...]:
    """Put the findings of all pairs together: equal ones once, each with the pairs it is about.

    `about_all` are findings about the data as a whole, which pairs may repeat; they come first.
    """
    general = {(one.code, one.message): one for one in about_all}
    told: dict[tuple[str, str], Finding] = {}
    about: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for raters, findings in pairs:
        for one in findings:
            key = (one.code, one.message)
            if key not in general:
                told.setdefault(key, one)
                about.setdefault(key, []).append(raters)
    named = [
        one if one.code in _ABOUT_ALL else _named(one, about[key], len(pairs))
        for key, one in told.items()
    ]
    return (*general.values(), *named)


def never_met(pairs: Sequence[Sequence[str]]) -> tuple[Finding, ...]:
    """Report pairs that could not be compared."""
    if not pairs:
        return ()
    listed = "; ".join(" and ".join(raters) for raters in pairs[:_PAIRS_SHOWN])
    more = f"; and {len(pairs) - _PAIRS_SHOWN:,} more" if len(pairs) > _PAIRS_SHOWN else ""
    message = (
        f"{counted(len(pairs), 'pair')} of raters left out ({listed}{more}): no session with units "
        "of both."
    )
    evidence = {"pairs": [list(raters) for raters in pairs]}
    return (Finding("pairs_left_out", "caution", message, evidence=evidence),)


def _named(finding: Finding, pairs: Sequence[tuple[str, str]], n_pairs: int) -> Finding:
    evidence = {**finding.evidence, "pairs": [list(raters) for raters in pairs]}
    if finding.code in _NAMES_BOTH:
        return replace(finding, evidence=evidence)
    names = [" and ".join(raters) for raters in pairs[:_PAIRS_SHOWN]]
    who = "; ".join(names)
    if len(pairs) == n_pairs > 1:
        who = "Every pair"
    elif len(pairs) > _PAIRS_SHOWN:
        who = f"{who}; and {counted(len(pairs) - _PAIRS_SHOWN, 'more pair')}"
    return replace(finding, message=f"{who}: {finding.message}", evidence=evidence)


def absent_findings(
    units: Units, absent: str, names: Sequence[str] | None = None
) -> tuple[Finding, ...]:
    """Report sessions in which a rater has nothing, and what was taken that to mean."""
    names = units.raters if names is None else names
    rows = [units.raters.index(name) for name in names]
    present, asked = units.counts()[rows] > 0, units.asked[rows]
    found = []
    away = {"asked": ~present & asked, "count": ~present, "drop": np.zeros_like(present)}
    silent = away[absent] & present.any(axis=0)
    unknown = ~heard(units, absent, names) & present.any(axis=0)
    total = counted(units.n_sessions, "session")
    if silent.any():
        at = np.flatnonzero(silent.any(axis=0))
        who = units.raters[rows[int(np.flatnonzero(silent[:, at[0]])[0])]]
        message = (
            f"In {len(at):,} of {total} a rater has no unit and counts as having marked nothing "
            f"(for example {who!r} in {units.sessions[at[0]]!r})."
        )
        advice = 'If such raters never saw the session, pass absent="drop".'
        found.append(Finding("rater_without_units", "caution", message, advice))
    if unknown.any():
        at = np.flatnonzero(unknown.any(axis=0))
        who = units.raters[rows[int(np.flatnonzero(unknown[:, at[0]])[0])]]
        message = (
            f"In {len(at):,} of {total} there is nothing of a rater (for example of {who!r} in "
            f"{units.sessions[at[0]]!r}), who may not have been asked; such raters are left out "
            "of the comparison of that session."
        )
        advice = 'If everybody was asked everywhere, pass absent="count".'
        found.append(Finding("rater_not_asked", "caution", message, advice))
    return tuple(found)


def dropped_findings(
    dropped: Sequence[tuple[str, str]], *, advice: str = _ABSENT
) -> tuple[Finding, ...]:
    """Report the sessions that were left out, and why."""
    if not dropped:
        return ()
    listed = "; ".join(f"{name}: {why}" for name, why in dropped[:_SESSIONS_SHOWN])
    more = (
        f"; and {len(dropped) - _SESSIONS_SHOWN:,} more" if len(dropped) > _SESSIONS_SHOWN else ""
    )
    message = f"{counted(len(dropped), 'session')} left out ({listed}{more})."
    return (Finding("sessions_dropped", "caution", message, advice),)
