"""What to know about units before a result is believed: notes, pairs, absent raters, sessions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from consilience.core.words import counted
from consilience.document import Finding
from consilience.units.model.asked import heard
from consilience.units.model.units import Units

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
