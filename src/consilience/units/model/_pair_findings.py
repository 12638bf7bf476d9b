"""What was found about pairs of raters, said once for all of them and with their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from consilience.core.words import counted
from consilience.document import Finding

_ABOUT_ALL = frozenset(("threshold_below_51",))  # about the study, whoever is compared
_NAMES_BOTH = frozenset(("label_used_unevenly",))  # the sentence itself names the pair
_SHOWN = 3


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
    listed = "; ".join(" and ".join(raters) for raters in pairs[:_SHOWN])
    more = f"; and {len(pairs) - _SHOWN:,} more" if len(pairs) > _SHOWN else ""
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
    names = [" and ".join(raters) for raters in pairs[:_SHOWN]]
    who = "; ".join(names)
    if len(pairs) == n_pairs > 1:
        who = "Every pair"
    elif len(pairs) > _SHOWN:
        who = f"{who}; and {counted(len(pairs) - _SHOWN, 'more pair')}"
    return replace(finding, message=f"{who}: {finding.message}", evidence=evidence)
