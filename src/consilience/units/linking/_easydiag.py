"""EasyDIAG: agreement of two raters who marked and labelled events (Holle & Rein 2015)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations
from typing import Any, Literal

from consilience.core.checks import whole_number
from consilience.core.resample import Seed
from consilience.document import Finding, found
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
from consilience.units.model.unit_checks import check_raters, check_units, check_words
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
    check_words(mode=(mode, MODES), absent=(absent, ABSENT))
    if not isinstance(clip, bool):
        raise InputError.expected("clip", "True or False", clip, "leave it out")
    whole_number("processes", processes, least=1, most=_MOST_PROCESSES, hint="for example 2")
    known = check_units(units, "EasyDIAG", labels)
    check_threshold(threshold)
    settings = Settings(
        threshold=float(threshold),
        linking=linking if linking is not None else "elan" if mode == "elan" else "symmetric",
        mode=mode,
        point_tolerance=point_tolerance,
        absent=absent,
        confidence_level=confidence_level,
        n_resamples=n_resamples,
        rng=rng,
    )
    names = check_raters(known, raters)
    warn_low(threshold)
    # A session in which neither marked anything says nothing about linking.
    compared = partial(who_counts, known, absent=absent, silent=False)
    paired = partial(_pair, settings=settings, clip=clip, processes=processes)
    if len(names) == 2:
        return paired(compared(names, "EasyDIAG"))
    pairs = [compared(pair) for pair in combinations(names, 2)]
    done = [paired(who) for who in pairs if who.used.any()]
    if not done:
        raise no_session("EasyDIAG", names)
    apart = never_met([who.raters for who in pairs if not who.used.any()])
    return pooled(tuple(done), names, settings, about_all=[*note_findings(known), *apart])


def warn_low(threshold: Any) -> None:
    """Warn of a threshold at which a unit can have several partners."""
    if threshold >= _LOWEST_USUAL:
        return
    said = f"threshold={float(threshold):g} percent is below 51: a unit can have several partners"
    if threshold <= 1:
        said += f"; write {100 * float(threshold):g} if you meant a proportion"
    warn(said + ".", ConsilienceWarning)


def _pair(who: WhoCounts, *, settings: Settings, clip: bool, processes: int) -> EasyDiag:
    units, blocks = who.units, who.blocks()
    exact = check_threshold(settings.threshold)
    links = link_in_processes(
        blocks,
        threshold=exact,
        rule=settings.linking,
        point_tolerance=settings.point_tolerance,
        processes=processes,
    )
    n_sessions = len(who.sessions)
    return put_together(
        tally(blocks, links, n_labels=len(units.labels), n_sessions=n_sessions),
        units.labels,
        (who.raters[0], who.raters[1]),
        settings,
        clip=clip,
        findings=[
            *note_findings(units),
            *low_threshold(exact),
            *dropped_findings(who.dropped),
            *_overlap_findings(units, blocks, links),
        ],
        units_by_session=unit_counts(units, who.raters, who.dropped),
        sessions=who.sessions,
        tiers=units.tiers,
        dropped=who.dropped,
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
    _, r, c, u, v = tallies.totals().sum(axis=1)  # linked units are tallied twice
    return EasyDiag(
        **(vars(table) | {"units_by_session": units_by_session}),
        settings=settings,
        n_units={raters[0]: int((r + u) // 2), raters[1]: int((c + v) // 2)},
        tallies=tallies,
        **known,
    )


def _overlap_findings(units: Units, blocks: Blocks, links: Links) -> list[Finding]:
    clash = own_overlaps(blocks)
    if not clash.size:
        return []
    row = int(clash[0, 1])
    session = units.sessions[units.session[blocks.order[row]]]
    times = [(blocks.start[k].item(), blocks.end[k].item()) for k in clash[0]]
    who = blocks.raters[blocks.rater[row]]
    return [overlap_finding(len(clash), times, who, session, links.ambiguous)]


def low_threshold(threshold: Fraction) -> tuple[Finding, ...]:
    """Return what is to be said about a threshold below the usual ones."""
    message = (
        f"The threshold of {float(threshold):g} percent lets a unit have several "
        "partners; the links then depend on the rule that chooses among them. Use 51 or more."
    )
    return found((threshold < _LOWEST_USUAL, "threshold_below_51", "caution", message))


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
