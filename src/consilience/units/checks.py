"""The check of what a measure of units is given, and what to know before a result is believed."""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterable, Sequence, Sized
from dataclasses import dataclass, replace
from dataclasses import fields as dataclass_fields
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from consilience.core.arguments import check_word, number_where
from consilience.core.labels import check_categories, label_key
from consilience.core.words import counted
from consilience.document import Finding
from consilience.document.blocks import found
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.units._unit_results import unit_counts, unit_totals
from consilience.units.model import ABSENT, Blocks, Dropped, Flags, Units, sorted_blocks

Found = TypeVar("Found")

# ---- data, labels, raters, words, numbers

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


def heard(units: Units, absent: str, names: Sequence[str] | None = None) -> Flags:
    """Return whose work counts in which session (raters x sessions): the check of every method.

    "asked" counts whoever was asked, with or without a unit; "drop" whoever has a unit; "count"
    everybody, as somebody who knows that all were asked can say.
    """
    present = units.counts() > 0
    table = present
    if absent == "count":
        table = np.ones_like(present)
    elif absent == "asked":
        table = present | units.asked
    return table if names is None else table[[units.raters.index(name) for name in names]]


@dataclass(frozen=True, slots=True)
class WhoCounts:
    """Which sessions count for some raters, whose work counts there, and which are left out."""

    units: Units
    raters: tuple[str, ...]
    seen: Flags  # raters x sessions
    used: Flags  # sessions
    dropped: Dropped

    @property
    def sessions(self) -> tuple[str, ...]:
        """The sessions that count."""
        return tuple(self.units.sessions[k] for k in np.flatnonzero(self.used))

    def blocks(self) -> Blocks:
        """Return the sorted units of these raters in these sessions, which are numbered anew."""
        blocks = sorted_blocks(self.units, self.raters)
        if self.used.all():
            return blocks
        some = blocks.only(self.used)
        place = np.cumsum(self.used) - 1
        return replace(some, session=place[some.session].astype(np.int32))

    def result(
        self, kind: type[Found], /, *findings: Finding, advice: str = "", **fields: Any
    ) -> Found:
        """Return a result, with what each says of the raters and sessions that were compared.

        Parameters
        ----------
        kind : class of the result
        findings : after those about the units; with ``findings=`` in their place
        advice : what to do about sessions that were left out
        """
        counts = unit_counts(self.units, self.raters, self.dropped)
        common = {
            "raters": self.raters,
            "sessions": self.sessions,
            "dropped": self.dropped,
            "n_units": unit_totals(counts),
            "units_by_session": counts,
            "findings": (
                *note_findings(self.units),
                *dropped_findings(self.dropped, advice=advice),
                *findings,
            ),
        }
        return _made(kind, common | fields, fields)


def _made(kind: type[Found], known: dict[str, Any], asked: Collection[str]) -> Found:
    """Return a result of what is known; beside what was asked for, what it has a field for."""
    wanted = {one.name for one in dataclass_fields(kind)} | set(asked)  # type: ignore[arg-type]
    return kind(**{name: value for name, value in known.items() if name in wanted})


def compared(
    units: Any,
    what: str,
    raters: Any,
    labels: Iterable[Any] | None = None,
    *,
    hint: str = "name two with raters=",
    empty: bool = False,
    **who: Any,
) -> WhoCounts:
    """Say which sessions count for two raters; `empty` lets there be none."""
    known = check_units(units, what, labels)
    names = check_two(known, raters, what, hint=hint)
    return who_counts(known, names, None if empty else what, **who)


def who_counts(
    units: Units,
    raters: Sequence[str],
    what: str | None = None,
    *,
    absent: str = "asked",
    least: int | None = None,
    silent: bool = True,
    long: bool = False,
) -> WhoCounts:
    """Say which sessions count for some raters: what every measure of units asks first.

    Parameters
    ----------
    units, raters
    what : str, optional
        The measure that is refused if no session counts; without it the answer may be empty.
    absent : {"asked", "drop", "count"}
        What is made of a rater without units, as in `heard`.
    least : int, optional
        How many of the raters must count in a session, by default all of them.
    silent : bool
        Whether a session counts in which none of them marked anything.
    long : bool
        Whether a session must have a length. What is compared is then time and needs no units.
    """
    check_word("absent", absent, ABSENT)
    names = tuple(raters)
    some: Flags = np.asarray(
        (units.counts()[[units.raters.index(name) for name in names]] > 0).any(axis=0)
    )
    seen = heard(units, absent, names)
    used: Flags = np.asarray(
        seen.sum(axis=0) >= (len(names) if least is None else min(least, len(names)))
    )
    if not silent:
        used = used & some
    if long:
        used = used & (units.bounds[:, 1] > units.bounds[:, 0])
    dropped = tuple(
        (units.sessions[k], why_left_out(names, seen[:, k], some=bool(some[k])))
        for k in np.flatnonzero(~used)
    )
    bare = not long and absent != "count" and not some[used].any()
    if what is not None and (not used.any() or bare):
        raise no_session(what, names, long=long)
    return WhoCounts(units, names, seen, used, dropped)


def why_left_out(names: Sequence[str], there: Flags, *, some: bool) -> str:
    """Say why a session is left out: whose work it does not have."""
    if not some:
        return "no units"
    gone = ", ".join(repr(name) for name, here in zip(names, there, strict=True) if not here)
    return f"no units of {gone}" if gone else "it has no length"


def no_session(what: str, names: Sequence[str], *, long: bool = False) -> UnsupportedDesignError:
    """Refuse to compare raters who have no session in common."""
    two = len(names) == 2
    need = f"a session with {'a length and ' if long else ''}units of "
    need += "both raters" if two else "two raters"
    got = f"none for {names[0]!r} and {names[1]!r}" if two else "none"
    hint = "check that the sessions have the same names"
    return UnsupportedDesignError.needs(what, need, got, hint)


@dataclass(frozen=True, slots=True)
class ComparedBlocks:
    """The tiers of sessions that two raters or more were heard in, with the codes of these."""

    units: Units
    blocks: Blocks
    each: list[tuple[int, NDArray[np.int64]]]
    dropped: Dropped
    absent: str

    def findings(self, *own: Finding) -> tuple[Finding, ...]:
        """Report raters without units, what a measure finds itself, and sessions left out."""
        return (*absent_findings(self.units, self.absent), *own, *dropped_findings(self.dropped))

    def result(self, kind: type[Found], /, **fields: Any) -> Found:
        """Return a result, with what each says of the units that were compared."""
        units = self.units
        common = {
            "dropped": self.dropped,
            "units_by_session": unit_counts(units, dropped=self.dropped),
            "n_units": units.n_units,
            "n_raters": units.n_raters,
        }
        return _made(kind, common | fields, fields)


def compared_blocks(units: Any, what: str, absent: str) -> ComparedBlocks:
    """Return sorted units, the blocks that two raters or more were heard in, sessions without."""
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
    return ComparedBlocks(units, blocks, compared, tuple(dropped), absent)


# ---- findings

_ACCOUNT = (
    "read_as",
    "raters_by",
    "tag_column",
    "rounded_times",
    "columns_taken",
    "not_everybody_asked",
)
_INFORMATION = frozenset(("blank_texts", "label_feature", "no_text"))  # nothing to beware of
_ABOUT_ALL = frozenset(("threshold_below_51",))  # about the study, whoever is compared
_NAMES_BOTH = frozenset(("label_used_unevenly",))  # the sentence itself names the pair
_PAIRS_SHOWN = 3
_SESSIONS_SHOWN = 5
ABSENT_ADVICE = 'If the rater did see what was left out and marked nothing, pass absent="count".'


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
    listed = _some([" and ".join(raters) for raters in pairs], _PAIRS_SHOWN)
    said = f"{counted(len(pairs), 'pair')} of raters left out ({listed})"
    message = f"{said}: no session with units of both."
    evidence = {"pairs": [list(raters) for raters in pairs]}
    return found((pairs, "pairs_left_out", "caution", message, "", evidence))


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


def absent_findings(units: Units, absent: str) -> tuple[Finding, ...]:
    """Report sessions in which a rater has nothing, and what was taken that to mean."""
    present = units.counts() > 0
    away = {"asked": ~present & units.asked, "count": ~present, "drop": present & False}
    total = counted(units.n_sessions, "session")
    told = []
    for code, flags, text, advice in (
        (
            "rater_without_units",
            away[absent],
            "a rater has no unit and counts as having marked nothing (for example {} in {}).",
            'If such raters never saw the session, pass absent="drop".',
        ),
        (
            "rater_not_asked",
            ~heard(units, absent),
            "there is nothing of a rater (for example of {} in {}), who may not have been asked; "
            "such raters are left out of the comparison of that session.",
            'If everybody was asked everywhere, pass absent="count".',
        ),
    ):
        some = flags & present.any(axis=0)
        at = np.flatnonzero(some.any(axis=0))
        if len(at):
            who, where = units.raters[int(some[:, at[0]].argmax())], units.sessions[at[0]]
            message = f"In {len(at):,} of {total} " + text.format(repr(who), repr(where))
            told.append(Finding(code, "caution", message, advice))
    return tuple(told)


def dropped_findings(dropped: Dropped, *, advice: str = ABSENT_ADVICE) -> tuple[Finding, ...]:
    """Report the sessions that were left out, and why."""
    listed = [f"{name}: {why}" for name, why in dropped]
    message = f"{counted(len(dropped), 'session')} left out ({_some(listed, _SESSIONS_SHOWN)})."
    return found((dropped, "sessions_dropped", "caution", message, advice))


def _some(listed: Sequence[str], most: int) -> str:
    """Join the first of a list, and say how many more there are."""
    more = [f"and {len(listed) - most:,} more"] if len(listed) > most else []
    return "; ".join([*listed[:most], *more])
