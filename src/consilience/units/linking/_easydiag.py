"""EasyDIAG: agreement of two raters who marked and labelled events (Holle & Rein 2015)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any, Literal

from consilience.core.checks import whole_number
from consilience.core.resample import Seed
from consilience.document import Finding
from consilience.exceptions import (
    ConsilienceWarning,
    InputError,
    warn,
)
from consilience.units.linking._diag_table import MODES, diag_table
from consilience.units.linking._easydiag_results import EasyDiag, EasyDiagPairs, Settings, pooled
from consilience.units.linking._link_tally import Tallies, tally
from consilience.units.linking._overlap_linking import Links, check_threshold
from consilience.units.linking._session_parts import link_in_processes
from consilience.units.model._ordered_units import Blocks, own_overlaps
from consilience.units.model._unit_findings import dropped_findings, never_met, note_findings
from consilience.units.model._unit_results import unit_counts
from consilience.units.model.asked import ABSENT, WhoCounts, no_session, who_counts
from consilience.units.model.unit_checks import check_raters, check_units, check_word
from consilience.units.model.units import Units

_LOWEST_USUAL = 51
_MOST_PROCESSES = 1_000


def easydiag(
    units: Units,
    *,
    threshold: float = 60,
    linking: str | None = None,
    raters: Sequence[str] | None = None,
    labels: Iterable[Any] | None = None,
    clip: bool = False,
    mode: Literal["exact", "elan"] = "exact",
    point_tolerance: float | None = None,
    absent: Literal["asked", "drop", "count"] = "asked",
    confidence_level: float = 0.95,
    n_resamples: int = 9_999,
    rng: Seed = 0,
    processes: int = 1,
) -> EasyDiag | EasyDiagPairs:
    """Agreement of raters who marked and labelled events, by linking and kappa.

    Units of two raters that overlap by at least the threshold of the longer one are taken for the
    same event. Kappa then treats "not marked" (nil) as one more category that never meets itself.

    Parameters
    ----------
    units : Units
    threshold : float, default 60
        Percent of the longer unit that two units must share. At or below 50 a unit can have
        several partners.
    linking : {"symmetric", "easydiag", "elan", "optimal"}, optional
        What decides if a unit has several possible partners: the larger overlap and then the
        earlier pair, whichever rater comes first (default); the original program's order; ELAN's
        order (default in its mode; for repeated intervals a reconstruction); or the largest total
        overlap.
    raters : two or more names, optional
        The first is in the rows. With more than two raters all pairs are compared and pooled.
    labels : list, optional
        The code list, in order; also labels that nobody used.
    clip : bool, default False
        Show negative kappas as 0, as EasyDIAg and ELAN do.
    mode : {"exact", "elan"}
        "elan" reproduces ELAN's numbers; see `easydiag_table`.
    point_tolerance : float, optional
        How far apart two point events may lie to be linked; without it they are refused.
    absent : {"asked", "drop", "count"}
        A rater without a unit in a session counts as having marked nothing if she was asked
        there (`Units.asked`) and is left out if that is not known; is left out; or counts.
    confidence_level, n_resamples, rng
        Of the intervals, from resampling sessions; see `EasyDiag.confidence_interval`.
    processes : int, default 1
        In how many processes sessions are linked; the result is the same. A program that asks for
        more than one begins its work under ``if __name__ == "__main__"``.

    Returns
    -------
    EasyDiag
        Or `EasyDiagPairs` for more than two raters.

    Raises
    ------
    InputError
        An unknown rater, label or word, or an impossible threshold.
    UnsupportedDesignError
        Fewer than two raters, no session rated by both, point events, discontinuous units.

    Warns
    -----
    ConsilienceWarning
        The threshold is below 51 percent.

    Notes
    -----
    Each linked pair counts 2 in the table, each unlinked unit 1 with nil. With row and column sums
    r and c, total N, nil margins R and C and M = N - R - C,
    chance agreement is p_e = M sum(r_k c_k) / (N (N - R) (N - C)).

    References
    ----------
    .. [1] Holle, H. & Rein, R. (2015). EasyDIAg: A tool for easy determination of interrater
       agreement. Behavior Research Methods 47, 837-847. doi:10.3758/s13428-014-0506-7

    Examples
    --------
    >>> units = Units.from_records([
    ...     ("R1", "A", 0, 10), ("R1", "B", 10, 20), ("R1", "A", 25, 35), ("R1", "C", 40, 50),
    ...     ("R2", "A", 1, 11), ("R2", "C", 11, 19), ("R2", "A", 26, 30), ("R2", "A", 30, 36),
    ...     ("R2", "B", 60, 65)])
    >>> result = easydiag(units)
    >>> round(result.kappa, 6), round(result.kappa_max, 6), round(result.linked_share, 3)
    (0.063694, 0.33121, 0.444)
    """
    asked = _check(
        units,
        threshold=threshold,
        linking=linking,
        mode=mode,
        clip=clip,
        point_tolerance=point_tolerance,
        absent=absent,
        labels=labels,
        processes=processes,
    )
    settings = Settings(
        threshold=float(threshold),
        linking=asked.rule,
        mode=mode,
        point_tolerance=point_tolerance,
        absent=absent,
        confidence_level=confidence_level,
        n_resamples=n_resamples,
        rng=rng,
    )
    names = check_raters(units, raters)
    warn_low(threshold)
    if len(names) == 2:
        return _pair(asked, compared_sessions(asked, names), settings)
    pairs = [compared_sessions(asked, pair, None) for pair in combinations(names, 2)]
    done = [_pair(asked, who, settings) for who in pairs if who.used.any()]
    if not done:
        raise no_session("EasyDIAG", names)
    apart = never_met([who.raters for who in pairs if not who.used.any()])
    return pooled(tuple(done), names, settings, about_all=[*note_findings(asked.units), *apart])


@dataclass(frozen=True, slots=True)
class Asked:
    """Checked input."""

    units: Units
    threshold: Fraction
    rule: str
    clip: bool
    mode: str
    point_tolerance: float | None
    absent: str
    processes: int = 1


def _check(
    units: Any,
    *,
    threshold: Any,
    linking: str | None,
    mode: str,
    clip: bool,
    point_tolerance: float | None,
    absent: str,
    labels: Iterable[Any] | None,
    processes: int,
) -> Asked:
    check_word("mode", mode, MODES)
    check_word("absent", absent, ABSENT)
    if not isinstance(clip, bool):
        raise InputError.expected("clip", "True or False", clip, "leave it out")
    whole_number("processes", processes, least=1, most=_MOST_PROCESSES, hint="for example 2")
    return Asked(
        units=check_units(units, "EasyDIAG", labels),
        threshold=check_threshold(threshold),
        rule=linking if linking is not None else "elan" if mode == "elan" else "symmetric",
        clip=clip,
        mode=mode,
        point_tolerance=point_tolerance,
        absent=absent,
        processes=processes,
    )


def warn_low(threshold: Any) -> None:
    if threshold >= _LOWEST_USUAL:
        return
    said = f"threshold={float(threshold):g} percent is below 51: a unit can have several partners"
    if threshold <= 1:
        said += f"; write {100 * float(threshold):g} if you meant a proportion"
    warn(said + ".", ConsilienceWarning)


def compared_sessions(
    asked: Asked, pair: Sequence[str], what: str | None = "EasyDIAG"
) -> WhoCounts:
    """Return the sessions that count: both were heard, and one of them marked something."""
    return who_counts(asked.units, pair, what, absent=asked.absent, silent=False)


def linked(asked: Asked, who: WhoCounts) -> tuple[Blocks, Links]:
    """Link two raters' units in the sessions that count."""
    blocks = who.blocks()
    links = link_in_processes(
        blocks,
        threshold=asked.threshold,
        rule=asked.rule,
        point_tolerance=asked.point_tolerance,
        processes=asked.processes,
    )
    return blocks, links


def _pair(asked: Asked, who: WhoCounts, settings: Settings) -> EasyDiag:
    blocks, links = linked(asked, who)
    pair, dropped, sessions = who.raters, who.dropped, who.sessions
    tallies = tally(blocks, links, n_labels=len(asked.units.labels), n_sessions=len(sessions))
    return put_together(
        tallies,
        asked.units.labels,
        (pair[0], pair[1]),
        settings,
        clip=asked.clip,
        findings=_findings(asked, blocks, links, dropped),
        units_by_session=unit_counts(asked.units, pair, dropped),
        sessions=sessions,
        tiers=asked.units.tiers,
        dropped=dropped,
        n_linked=len(links),
        n_ambiguous=links.ambiguous,
        blocks=blocks,
        links=links,
    )


def put_together(
    tallies: Tallies,
    labels: tuple[Any, ...],
    raters: tuple[str, str],
    settings: Settings,
    *,
    clip: bool,
    findings: list[Finding],
    units_by_session: Mapping[str, Mapping[str, int]],
    **known: Any,
) -> EasyDiag:
    """Make the result from what was counted in each session, wherever that was."""
    table = diag_table(
        tallies.totals(),
        table=tallies.table(),
        labels=labels,
        raters=raters,
        mode=settings.mode,
        clip=clip,
        findings=findings,
    )
    return EasyDiag(
        **(vars(table) | {"units_by_session": units_by_session}),
        settings=settings,
        n_units={name: int(n) for name, n in zip(raters, _n_units(tallies), strict=True)},
        tallies=tallies,
        **known,
    )


def _n_units(tallies: Tallies) -> tuple[int, int]:
    _, r, c, u, v = tallies.totals().sum(axis=1)
    return int((r + u) // 2), int((c + v) // 2)


def _findings(
    asked: Asked, blocks: Blocks, links: Links, dropped: Sequence[tuple[str, str]]
) -> list[Finding]:
    found = [*note_findings(asked.units), *low_threshold(asked.threshold)]
    found += dropped_findings(dropped)
    clash = own_overlaps(blocks)
    if clash.size:
        row = int(clash[0, 1])
        session = asked.units.sessions[asked.units.session[blocks.order[row]]]
        times = [(blocks.start[k].item(), blocks.end[k].item()) for k in clash[0]]
        who = blocks.raters[blocks.rater[row]]
        found.append(overlap_finding(len(clash), times, who, session, links.ambiguous))
    return found


def low_threshold(threshold: Fraction) -> list[Finding]:
    """Return what is to be said about a threshold below the usual ones."""
    if threshold >= _LOWEST_USUAL:
        return []
    message = (
        f"The threshold of {float(threshold):g} percent lets a unit have several "
        "partners; the links then depend on the rule that chooses among them. Use 51 or more."
    )
    return [Finding("threshold_below_51", "caution", message)]


def overlap_finding(
    n_clashes: int, times: Sequence[tuple[float, float]], rater: str, session: str, ambiguous: int
) -> Finding:
    """Say that units of one rater overlap each other."""
    first, second = (f"{start:g}-{end:g}" for start, end in times)
    message = (
        f"{n_clashes} units begin before the same rater's earlier unit ends, such as "
        f"{first} and {second} of {rater!r} (session {session!r}). "
        f"{ambiguous} units had several possible partners. Put units that may overlap on "
        "different tiers."
    )
    return Finding("own_units_overlap", "caution", message)
