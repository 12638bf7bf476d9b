"""EasyDIAG: agreement of two raters who marked and labelled events (Holle & Rein 2015)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial
from itertools import combinations
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from consilience.core.arguments import whole_number
from consilience.core.arrays import Floats, Ints
from consilience.core.draws import Seed
from consilience.core.result import Result, Several, Unremarked
from consilience.core.words import counted, interval_head
from consilience.document import Document, Finding, Range, Table
from consilience.document.blocks import found
from consilience.document.records import Recorded
from consilience.exceptions import ConsilienceWarning, InputError, UnsupportedDesignError, warn
from consilience.inference import Interval
from consilience.units._linking import Links, check_threshold, link, link_in_processes
from consilience.units._unit_results import (
    FEWEST_SESSIONS,
    KAPPA,
    SHARE,
    Accounted,
    ByKappa,
    Draws,
    SampledSessions,
    SessionsDrawn,
    about_raters,
    not_defined,
    part_of_pair,
    records_of,
    said_units,
    unit_counts,
)
from consilience.units.checks import (
    WhoCounts,
    check_raters,
    check_two,
    check_units,
    check_words,
    dropped_findings,
    never_met,
    no_session,
    note_findings,
    pair_findings,
    who_counts,
)
from consilience.units.link_tables import (
    LABEL,
    MODES,
    DiagTable,
    Tallies,
    diag_table,
    overall,
    per_label,
    shown_label,
    tally,
    why_no_kappa,
)
from consilience.units.model import ABSENT, Blocks, Units, own_overlaps

# ---- where raters differ most

_MOST_SHOWN = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class DisparityRow(Recorded):
    """How two raters differ in a recording, on a label, or on a label in a recording.

    Attributes
    ----------
    session, label
        None where all are counted together.
    first, second : int
        Units of each rater, timing ignored.
    agreed, disagreed : int
        Events that both saw and labelled alike, and all others: seen by one of them only, or
        labelled differently.
    """

    session: str | None
    label: Any
    first: int
    second: int
    agreed: int
    disagreed: int


@dataclass(frozen=True, kw_only=True)
class RaterDisparity(Unremarked, Recorded, Several):
    """Where two raters differ, the largest sources of disagreement first.

    Attributes
    ----------
    sessions, labels, cells : tuple of DisparityRow
        By recording, by label, and by label within recording.
    """

    recorded: ClassVar[tuple[str, ...]] = ()

    raters: tuple[str, str]
    sessions: tuple[DisparityRow, ...] = field(repr=False)
    labels: tuple[DisparityRow, ...] = field(repr=False)
    cells: tuple[DisparityRow, ...] = field(repr=False)

    def document(self) -> Document:
        """Return the ranking as tables."""
        return about_raters(self, "Rater disparity", *self.tables())

    def tables(self, most: int = _MOST_SHOWN) -> list[Table]:
        """Return the largest sources of disagreement: recordings, labels, labels in recordings."""
        found = [self.table("sessions", most), self.table("labels", most)]
        if len(self.sessions) > 1 and len(self.labels) > 1:
            found.append(self.table("cells", most))
        return found

    def table(self, which: str, most: int = _MOST_SHOWN) -> Table:
        """Return one ranking: "sessions", "labels" or "cells"."""
        rows: tuple[DisparityRow, ...] = getattr(self, which)
        names = {"sessions": "session", "labels": "label", "cells": "session and label"}
        more = len(rows) - most
        first, second = self.raters
        return Table.of(
            rows[:most],
            "session!s" if which != "labels" else None,
            LABEL if which != "sessions" else None,
            (first, "first"),
            (second, "second"),
            "agreed",
            "disagreed",
            caption=f"Disagreement by {names[which]}, most first",
            note=f"{more:,} more with as many disagreements or fewer." if more > 0 else "",
        )


def disparity_of(
    raters: tuple[str, str], sessions: tuple[str, ...], labels: tuple[Any, ...], parts: Any
) -> RaterDisparity:
    """Rank recordings and labels by their disagreements, from doubled tallies by session.

    `parts` are those of `Tallies.parts`: agreement, row and column sums, unlinked units of each.
    """
    a, r, c, u, v = (np.asarray(parts[:, k]) for k in range(5))
    counts = np.stack([(r + u) / 2, (c + v) / 2, a / 2]).astype(np.int64)
    # An event with two labels stands in the rows of both; in the sum over labels it counts once.
    apart = (u + v + (r - u - a) / 2 + (c - v - a) / 2).astype(np.int64)
    once = (u + v + (r - u - a) / 2).astype(np.int64)

    def row(session: int | None, label: int | None) -> DisparityRow:
        where = (
            slice(None) if session is None else session,
            slice(None) if label is None else label,
        )
        first, second, agreed = (int(x[where].sum()) for x in counts)
        differ = once if label is None else apart
        return DisparityRow(
            session=None if session is None else sessions[session],
            label=None if label is None else labels[label],
            first=first,
            second=second,
            agreed=agreed,
            disagreed=int(differ[where].sum()),
        )

    every: Ints = np.argwhere(apart > 0)
    return RaterDisparity(
        raters=raters,
        sessions=_ranked([row(s, None) for s in range(len(sessions))]),
        labels=_ranked([row(None, k) for k in range(len(labels))]),
        cells=_ranked([row(int(s), int(k)) for s, k in every]),
    )


def _ranked(rows: list[DisparityRow]) -> tuple[DisparityRow, ...]:
    return tuple(sorted(rows, key=lambda one: (-one.disagreed, -abs(one.first - one.second))))


# ---- what EasyDIAG returns

_RESAMPLED = ("linked_share", "raw", "kappa", "raw_linked", "kappa_linked")
_CURVES = ("linked_share", "raw", "kappa", "kappa_linked")
_BY_LABEL = ("kappa", "positive_agreement", "negative_agreement")
_COUNTED = ("units: n_tallies", "linked: linked_share", "raw", "kappa")
_MOST_SESSIONS_SHOWN = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings(Draws):
    """How units were linked and intervals are made."""

    threshold: float
    linking: str
    mode: str
    point_tolerance: float | None
    absent: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionAgreement(Recorded):
    """The numbers of one session."""

    session: str
    n_tallies: int
    linked_share: float
    raw: float
    kappa: float
    agreements: int
    disagreements: int


@dataclass(frozen=True, kw_only=True)
class EasyDiag(SessionsDrawn, DiagTable):
    """Agreement of two raters by EasyDIAG, with everything needed to look further.

    Attributes
    ----------
    settings : Settings
        Threshold, rule for ties, mode, and how intervals are made.
    sessions : tuple of str
        The sessions that count; `dropped` names the others and why.
    n_units : mapping of rater to number
    n_linked : int
        Linked pairs.
    n_ambiguous : int
        Units with more than one possible partner.
    """

    unrecorded: ClassVar[tuple[str, ...]] = ("tiers", "blocks", "links", "tallies")

    settings: Settings
    sessions: tuple[str, ...] = field(repr=False)
    tiers: tuple[str, ...] = field(repr=False)
    dropped: tuple[tuple[str, str], ...] = field(repr=False)
    n_units: Mapping[str, int]
    n_linked: int
    n_ambiguous: int = field(repr=False)
    tallies: Tallies = field(repr=False)
    blocks: Blocks | None = field(default=None, repr=False)  # None: only tallies came here
    links: Links | None = field(default=None, repr=False)

    # ------------------------------------------------------------ intervals

    @cached_property
    def _parts(self) -> Floats:
        return self.tallies.parts()

    @cached_property
    def _sample(self) -> SampledSessions:
        """Sessions and their values: overall, then kappa, p_pos and p_neg of each label."""

        def values(sums: Floats) -> Floats:
            whole, each = overall(sums), per_label(sums)
            columns = [whole[name][:, None] for name in _RESAMPLED]
            return np.hstack([*columns, *(each[name] for name in _BY_LABEL)])

        return self.settings.sampled(self._parts, values)

    def confidence_interval(
        self,
        confidence_level: float = 0.95,
        method: str = "auto",
        *,
        name: str = "kappa",
        label: Any = None,
    ) -> Interval:
        """Interval from resampling sessions; without limits if there are fewer than 8.

        Parameters
        ----------
        confidence_level : float, default 0.95
        method : {"auto", "session-jackknife", "session-bootstrap"}
        name : {"linked_share", "raw", "kappa", "raw_linked", "kappa_linked"}
            With a label: "kappa", "positive_agreement" or "negative_agreement".
        label : optional
            The label, for its agreement against all others.
        """
        level = self._level(confidence_level, method)
        known = _RESAMPLED if label is None else _BY_LABEL
        if name not in known:
            raise InputError.unknown_word("name", name, known)
        if label is not None:
            _ = self[label]
        column = known.index(name)
        if label is not None:
            column = len(_RESAMPLED) + column * len(self.labels) + self.labels.index(label)
        ends = KAPPA if name.startswith("kappa") else SHARE
        return self._sample.interval(level, method, column=column, ends=ends)

    def _asked_interval(self, name: str) -> Interval:
        return self.confidence_interval(self.settings.confidence_level, name=name)

    # ------------------------------------------------------------ sessions

    @cached_property
    def by_session(self) -> tuple[SessionAgreement, ...]:
        """The numbers of each session."""
        known = overall(self._parts)
        agree = self._parts[:, 0].sum(axis=-1).astype(np.int64)
        total = known["total"].astype(np.int64)
        return records_of(
            SessionAgreement,
            session=self.sessions,
            n_tallies=total,
            linked_share=known["linked_share"],
            raw=known["raw"],
            kappa=known["kappa"],
            agreements=agree,
            disagreements=total - agree,
        )

    def session_table(self, session: str) -> NDArray[np.int64]:
        """Return the table of one session."""
        if session not in self.sessions:
            raise InputError.unknown_word("a session", session, self.sessions)
        return self.tallies.table(self.sessions.index(session))

    def disparity(self) -> NDArray[np.int64]:
        """Return how many units each rater gave each label in each session.

        The shape is (raters, sessions, labels); summed over sessions these are the counts that
        EasyDIAg calls collapsed.
        """
        r, c, u, v = (self._parts[:, k] for k in (1, 2, 3, 4))
        return np.stack([(r + u) / 2, (c + v) / 2]).astype(np.int64)

    @cached_property
    def ranked_disparity(self) -> RaterDisparity:
        """The recordings and labels on which raters differ most."""
        return disparity_of(self.raters, self.sessions, self.labels, self._parts)

    def durations(self) -> NDArray[np.float64]:
        """Return how much time each rater gave each label (raters, sessions, labels)."""
        blocks, _ = self._at_hand
        shape = (2, len(self.sessions), len(self.labels))
        session = blocks.session.astype(np.int64)[blocks.block]
        cell = (blocks.rater.astype(np.int64) * shape[1] + session) * shape[2] + blocks.label
        lengths = (blocks.end - blocks.start).astype(np.float64)
        totals = np.bincount(cell, weights=lengths, minlength=math.prod(shape))
        return totals.astype(np.float64).reshape(shape)

    def label_agreements(self) -> NDArray[np.int64]:
        """Return agreements and disagreements about each label (2, sessions, labels)."""
        a, r, c = (self._parts[:, k] for k in (0, 1, 2))
        return np.stack([a, r + c - 2 * a]).astype(np.int64)

    @property
    def linked_rows(self) -> NDArray[np.int64]:
        """Rows of the linked units in the given units (links x 2)."""
        blocks, links = self._at_hand
        return np.stack([blocks.order[links.first], blocks.order[links.second]], axis=1)

    @property
    def overlaps(self) -> Floats:
        """Share of the longer unit that each linked pair has in common."""
        return self._at_hand[1].share

    @property
    def _at_hand(self) -> tuple[Blocks, Links]:
        """The units and their links; refuse where they were counted elsewhere."""
        if self.blocks is None or self.links is None:
            raise UnsupportedDesignError.needs(
                "this",
                "the units themselves",
                "tallies by session from a cluster",
                "read the units of the sessions in question, and use easydiag",
            )
        return self.blocks, self.links

    # ------------------------------------------------------------ showing

    def _beside(self) -> Mapping[str, Any]:
        shown = _RESAMPLED if self._sample.is_enough else ()
        return {
            **super()._beside(),
            "sessions": self.by_session,
            "intervals": {name: self._asked_interval(name) for name in shown},
            "disparity": self.ranked_disparity,
        }

    def document(self) -> Document:
        """Return the result as something to read."""
        base = super().document()
        counts = " and ".join(f"{n:,} by {name}" for name, n in self.n_units.items())
        said = (
            f"{counts} in {counted(len(self.sessions), 'session')}; {self.n_linked:,} pairs linked "
            f"at {self.settings.threshold:g} percent overlap ({self.settings.linking})."
        )
        enough, n = self._sample.is_enough, len(self.sessions)
        first, *others = base.blocks
        differ = self.n_tallies > int(np.trace(self.table))
        return Document.of(
            said,
            first,
            self._interval_table() if enough else None,
            *others,
            None if enough else _few_sessions(self._sample.n_sessions),
            self._session_block() if 1 < n <= _MOST_SESSIONS_SHOWN else None,
            self.ranked_disparity.table("cells" if n > 1 else "labels") if differ else None,
            title=base.title,
            findings=base.findings,
        )

    def _interval_table(self) -> Table:
        return Table.of(
            _RESAMPLED,
            ("", lambda name: name.replace("_", " ")),
            ("value", lambda name: getattr(self, name)),
            (interval_head(self.settings.confidence_level), self._asked_interval),
            caption="Intervals over sessions",
        )

    def _session_block(self) -> Table:
        return Table.of(self.by_session, "session", *_COUNTED, detail=True)


def _few_sessions(n: int) -> str:
    seen = counted(n, "session")
    return f"No interval: {seen}, and resampling sessions needs at least {FEWEST_SESSIONS}."


@dataclass(frozen=True, kw_only=True)
class EasyDiagPairs(ByKappa, SessionsDrawn, Recorded, Result):
    """EasyDIAG for more than two raters: every pair, and all pairs pooled.

    Observed and chance agreement are averaged over the pairs, each weighted by its number of
    units, so the value does not depend on the order of the raters and is the pair's own kappa
    when there are two. This pooling is ours; EasyDIAG itself is for two raters.
    """

    recorded: ClassVar[tuple[str, ...]] = ("status", "interval")

    raters: tuple[str, ...]
    labels: tuple[Any, ...]
    pairs: tuple[EasyDiag, ...] = field(repr=False)
    settings: Settings
    table: NDArray[np.int64] = field(repr=False)
    n_tallies: int
    linked_share: float
    raw: float
    expected: float
    kappa: float
    reason: str | None
    findings: tuple[Finding, ...] = field(repr=False)

    def pair(self, first: str, second: str) -> EasyDiag:
        """Return the result of one pair."""
        return part_of_pair(self.pairs, first, second)

    @cached_property
    def interval(self) -> Interval:
        """Interval of the pooled kappa from resampling sessions."""
        sessions = sorted({name for result in self.pairs for name in result.sessions})
        place = {name: k for k, name in enumerate(sessions)}
        parts = np.zeros((len(sessions), len(self.pairs), 5, len(self.labels)))
        for p, result in enumerate(self.pairs):
            parts[[place[name] for name in result.sessions], p] = result._parts
        return self.settings.interval(parts, _pooled_kappa)

    def document(self) -> Document:
        """Return the result as something to read."""
        interval = self.interval
        whole: list[Any] = ["all pairs", self.n_tallies, self.linked_share, self.raw, self.kappa]
        pair = ("raters", lambda x: " and ".join(x.raters))
        caption = "Each pair of raters"
        table = Table.of(self.pairs, pair, *_COUNTED, below=[whole], caption=caption)
        pooled = f"Pooled kappa {interval.low:.3f} to {interval.high:.3f} over sessions."
        return Document.of(
            table,
            not_defined(self),
            pooled if math.isfinite(interval.low) else None,
            title=f"EasyDIAG: {', '.join(map(shown_label, self.raters))}",
            findings=self.findings,
        )


def _pooled_kappa(parts: Floats) -> Floats:
    """Return kappa from agreement and chance agreement averaged over pairs (…, P, 5, K)."""
    known = overall(parts)
    weight = np.where(np.isfinite(known["raw"]), known["total"], 0.0)
    seen, chance = (
        np.nansum(np.where(weight > 0, known[name], 0.0) * weight, axis=-1)
        for name in ("raw", "expected")
    )
    rest = weight.sum(axis=-1) - chance
    n_used = np.count_nonzero(parts[..., 1, :].sum(-2) + parts[..., 2, :].sum(-2), axis=-1)
    defined = (rest > 1e-12 * weight.sum(axis=-1)) & (n_used > 1)
    return np.where(defined, (seen - chance) / np.where(defined, rest, 1.0), np.nan)


def pooled(
    pairs: tuple[EasyDiag, ...],
    raters: tuple[str, ...],
    settings: Settings,
    *,
    about_all: Sequence[Finding] = (),
) -> EasyDiagPairs:
    """Put the pairs together."""
    totals = np.stack([result.tallies.totals() for result in pairs])
    known = overall(totals)
    n = float(known["total"].sum())
    kappa = float(_pooled_kappa(totals))
    n_used = int(np.count_nonzero(totals[:, 1:3].sum(axis=(0, 1))))
    means = ("linked_share", "raw", "expected")
    return EasyDiagPairs(
        raters=raters,
        labels=pairs[0].labels,
        pairs=pairs,
        settings=settings,
        table=np.asarray(sum(result.table for result in pairs)),
        n_tallies=int(n),
        **{name: float(known[name] @ known["total"] / n) for name in means},
        kappa=kappa,
        reason=None if math.isfinite(kappa) else why_no_kappa(n_used),
        findings=pair_findings(
            [(result.raters, result.findings) for result in pairs], about_all=about_all
        ),
    )


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
    blocks = who.blocks()
    links = link_in_processes(
        blocks,
        threshold=check_threshold(settings.threshold),
        rule=settings.linking,
        point_tolerance=settings.point_tolerance,
        processes=processes,
    )
    return put_together(
        who,
        tally(blocks, links, n_labels=len(who.units.labels), n_sessions=len(who.sessions)),
        settings,
        clip=clip,
        overlaps=_overlap_findings(who.units, blocks, links),
        tiers=who.units.tiers,
        n_linked=len(links),
        n_ambiguous=links.ambiguous,
        blocks=blocks,
        links=links,
    )


def put_together(
    who: WhoCounts,
    tallies: Tallies,
    settings: Settings,
    *,
    clip: bool,
    overlaps: Sequence[Finding],
    **known: Any,
) -> EasyDiag:
    """Make the result from what was counted in each session, wherever that was."""
    first, second = who.raters
    table = diag_table(
        tallies.totals(),
        table=tallies.table(),
        labels=who.units.labels,
        raters=(first, second),
        mode=settings.mode,
        clip=clip,
        findings=(
            *note_findings(who.units),
            *low_threshold(check_threshold(settings.threshold)),
            *dropped_findings(who.dropped),
            *overlaps,
        ),
    )
    _, r, c, u, v = tallies.totals().sum(axis=1)  # linked units are tallied twice
    fields = dict(vars(table))
    del fields["units_by_session"]
    n_units = {first: int((r + u) // 2), second: int((c + v) // 2)}
    known = {"settings": settings, "n_units": n_units, "tallies": tallies, **known}
    return who.result(EasyDiag, **fields, **known)


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


# ---- many thresholds

_MOST_LABELS = 30


@dataclass(frozen=True, kw_only=True)
class ThresholdCurve(Several, Accounted):
    """EasyDIAG's values at each threshold.

    Attributes
    ----------
    thresholds, n_linked, linked_share, raw, kappa, kappa_linked : tuple
        One number for each threshold.
    category_kappa : array (thresholds, labels)
    n_units : tuple
        Units of both raters with each label.
    low, high : tuple or None
        Limits of the intervals of kappa over sessions; None with fewer than 8 sessions.
    """

    raters: tuple[str, str]
    labels: tuple[Any, ...]
    thresholds: tuple[float, ...]
    n_linked: tuple[int, ...] = field(repr=False)
    linked_share: tuple[float, ...] = field(repr=False)
    raw: tuple[float, ...] = field(repr=False)
    kappa: tuple[float, ...] = field(repr=False)
    kappa_linked: tuple[float, ...] = field(repr=False)
    category_kappa: Floats = field(repr=False)
    n_units: tuple[int, ...] = field(repr=False)
    low: tuple[float, ...] | None = field(default=None, repr=False)
    high: tuple[float, ...] | None = field(default=None, repr=False)
    confidence_level: float = field(default=0.95, repr=False)
    linking: str = "symmetric"
    dropped: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    findings: tuple[Finding, ...] = ()

    def document(self) -> Document:
        """Return the curve as a table."""

        def at(name: str) -> Callable[[int], Any]:
            return lambda k: getattr(self, name)[k]

        low, high = self.low or (), self.high or ()
        level = f"{interval_head(self.confidence_level)} of kappa"
        table = Table.of(
            range(len(self.thresholds)),
            ("percent", at("thresholds"), "g"),
            ("pairs", at("n_linked")),
            ("linked", at("linked_share")),
            ("raw", at("raw")),
            ("kappa", at("kappa")),
            ("kappa, linked only", at("kappa_linked")),
            (level, lambda k: Range(low[k], high[k])) if low else None,
        )
        said = f"{said_units(self.units_by_session)} Partners chosen by the rule {self.linking!r}."
        return about_raters(self, "EasyDIAG by threshold", said.strip(), table, *self._by_label())

    def numbers(self) -> Table:
        """Return everything in one table, as it stands behind a figure: overall, then by label."""
        first, *others = (one for one in self.document().blocks if isinstance(one, Table))
        if not others:
            return first
        rows = [[*a, *b[1:]] for a, b in zip(first.rows, others[0].rows, strict=True)]
        return Table(heads=(*first.heads, *others[0].heads[1:]), rows=rows)

    def _by_label(self) -> list[Table]:
        if not 1 < len(self.labels) <= _MOST_LABELS:
            return []
        rows: list[list[Any]] = [
            [f"{t:g}", *map(float, values)]
            for t, values in zip(self.thresholds, self.category_kappa, strict=True)
        ]
        heads = ("percent", *map(shown_label, self.labels))
        return [Table(heads=heads, rows=rows, caption="Kappa of each label against all others")]


def threshold_curve(
    units: Units,
    *,
    thresholds: Iterable[float] = range(51, 91),
    linking: str = "symmetric",
    raters: Sequence[str] | None = None,
    labels: Iterable[Any] | None = None,
    point_tolerance: float | None = None,
    absent: str = "asked",
    confidence_level: float = 0.95,
    n_resamples: int = 1_999,
    rng: Seed = 0,
) -> ThresholdCurve:
    """EasyDIAG at many thresholds: does the conclusion depend on the overlap asked for?

    Units are linked once, at the lowest threshold: pairs are taken from the largest overlap
    downwards, so the links at a higher threshold are among those at a lower one. Only
    ``linking="optimal"`` links anew at each threshold.

    Parameters
    ----------
    units : Units
    thresholds : percentages, default 51 to 90
    linking, raters, labels, point_tolerance, absent
        As in `easydiag`, for two raters.
    confidence_level, n_resamples, rng
        Of the intervals of kappa at each threshold, from resampling sessions.

    Returns
    -------
    ThresholdCurve

    References
    ----------
    .. [1] Holle, H. & Rein, R. (2015). EasyDIAg: A tool for easy determination of interrater
       agreement. Behavior Research Methods 47, 837-847, Figure 5.

    Examples
    --------
    >>> units = Units.from_records([
    ...     ("R1", "A", 0, 10), ("R1", "B", 10, 20), ("R2", "A", 1, 11), ("R2", "B", 11, 19)])
    >>> threshold_curve(units, thresholds=[60, 80, 85, 95]).n_linked
    (2, 2, 1, 0)
    """
    listed = _thresholds(thresholds)
    known = check_units(units, "EasyDIAG", labels)
    names = check_two(known, raters, "a threshold curve", hint="name them: raters=['A', 'B']")
    draws = Draws(confidence_level=confidence_level, n_resamples=n_resamples, rng=rng)
    exact = [check_threshold(t) for t in listed]
    who = who_counts(known, names, "EasyDIAG", absent=absent, silent=False)
    size = {"n_labels": len(known.labels), "n_sessions": len(who.sessions)}
    blocks = who.blocks()
    rule: dict[str, Any] = {"rule": linking, "point_tolerance": point_tolerance}
    links = link(blocks, threshold=min(exact), **rule)
    limits: list[Interval] = []
    totals, pairs = [], []
    for threshold in exact:
        if linking == "optimal" and threshold != min(exact):
            links = link(blocks, threshold=threshold, **rule)
        tallies = tally(blocks, links, threshold=threshold, **size)
        limits.append(draws.interval(tallies.parts(), lambda sums: overall(sums)["kappa"]))
        totals.append(tallies.totals())
        pairs.append(int(np.count_nonzero(links.at_least(threshold))))
    stacked = np.stack(totals)
    whole = overall(stacked)
    return ThresholdCurve(
        raters=(names[0], names[1]),
        labels=known.labels,
        thresholds=tuple(listed),
        n_linked=tuple(pairs),
        **{name: tuple(whole[name].tolist()) for name in _CURVES},
        category_kappa=per_label(stacked)["kappa"],
        n_units=tuple(np.bincount(blocks.label, minlength=len(known.labels)).tolist()),
        low=_known(one.low for one in limits),
        high=_known(one.high for one in limits),
        confidence_level=draws.confidence_level,
        linking=linking,
        dropped=who.dropped,
        findings=(*note_findings(known), *dropped_findings(who.dropped)),
        units_by_session=unit_counts(known, names, who.dropped),
    )


def _known(limits: Iterable[float]) -> tuple[float, ...] | None:
    """Return limits if there are any."""
    listed = tuple(limits)
    return listed if any(map(math.isfinite, listed)) else None


def _thresholds(thresholds: Any) -> list[float]:
    if isinstance(thresholds, str) or not isinstance(thresholds, Iterable):
        raise InputError.expected(
            "thresholds", "a list of percentages", thresholds, "for example range(51, 91)"
        )
    listed = list(thresholds)
    if not listed:
        raise InputError.expected("thresholds", "at least one percentage", listed, "leave it out")
    for threshold in listed:
        check_threshold(threshold)
    return listed
