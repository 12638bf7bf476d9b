"""What EasyDIAG returns: the table's statistics, sessions, intervals, pairs of raters."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats
from consilience.core.result import Result
from consilience.core.words import counted, interval_head
from consilience.document import Document, Finding, Paragraph, Recorded, Table
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference import Interval
from consilience.units.linking._diag_table import CHANCE_IS_ONE, NO_UNITS, ONE_LABEL
from consilience.units.linking._disparity import RaterDisparity, disparity_of
from consilience.units.linking._link_tally import Tallies, overall, per_label
from consilience.units.linking._overlap_linking import Links
from consilience.units.linking.diag_results import DiagTable, shown_label
from consilience.units.model._ordered_units import Blocks
from consilience.units.model._sessions import (
    FEWEST_SESSIONS,
    KAPPA,
    SHARE,
    Draws,
    SampledSessions,
)
from consilience.units.model._unit_findings import pair_findings
from consilience.units.model._unit_results import ByKappa, SessionsDrawn

_RESAMPLED = ("linked_share", "raw", "kappa", "raw_linked", "kappa_linked")
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
            columns = [getattr(whole, name)[:, None] for name in _RESAMPLED]
            return np.hstack([*columns, each.kappa, each.positive, each.negative])

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
        agree = self._parts[:, 0].sum(axis=-1)
        return tuple(
            SessionAgreement(
                session=name,
                n_tallies=int(known.total[k]),
                linked_share=float(known.linked_share[k]),
                raw=float(known.raw[k]),
                kappa=float(known.kappa[k]),
                agreements=int(agree[k]),
                disagreements=int(known.total[k] - agree[k]),
            )
            for k, name in enumerate(self.sessions)
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
        blocks: list[Any] = [Paragraph(said), *base.blocks]
        if not self._sample.is_enough:
            blocks.append(Paragraph(_few_sessions(self._sample.n_sessions)))
        else:
            blocks.insert(2, self._interval_table())
        if 1 < len(self.sessions) <= _MOST_SESSIONS_SHOWN:
            blocks.append(self._session_block())
        if self.n_tallies > int(np.trace(self.table)):  # raters differ somewhere
            ranked = self.ranked_disparity
            blocks.append(ranked.table("cells" if len(self.sessions) > 1 else "labels"))
        return Document(title=base.title, blocks=tuple(blocks), findings=base.findings)

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
        for result in self.pairs:
            if set(result.raters) == {first, second}:
                return result
        known = [" and ".join(result.raters) for result in self.pairs]
        raise InputError.unknown_word("a pair of raters", f"{first} and {second}", known)

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
        said = [Paragraph(f"Not defined: {self.reason}.")] if self.reason else []
        if math.isfinite(interval.low):
            text = f"Pooled kappa {interval.low:.3f} to {interval.high:.3f} over sessions."
            said.append(Paragraph(text))
        title = f"EasyDIAG: {', '.join(map(shown_label, self.raters))}"
        return Document(title=title, blocks=(table, *said), findings=self.findings)


def _pooled_kappa(parts: Floats) -> Floats:
    """Return kappa from agreement and chance agreement averaged over pairs (…, P, 5, K)."""
    known = overall(parts)
    weight = np.where(np.isfinite(known.raw), known.total, 0.0)
    seen = np.nansum(np.where(weight > 0, known.raw, 0.0) * weight, axis=-1)
    chance = np.nansum(np.where(weight > 0, known.expected, 0.0) * weight, axis=-1)
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
    n = float(known.total.sum())
    kappa = float(_pooled_kappa(totals))
    n_used = np.count_nonzero(totals[:, 1:3].sum(axis=(0, 1)))
    reason = None
    if not math.isfinite(kappa):
        reason = NO_UNITS if not n else ONE_LABEL if n_used == 1 else CHANCE_IS_ONE
    labels = pairs[0].labels
    return EasyDiagPairs(
        raters=raters,
        labels=labels,
        pairs=pairs,
        settings=settings,
        table=np.asarray(sum(result.table for result in pairs)),
        n_tallies=int(n),
        linked_share=float(known.linked_share @ known.total / n),
        raw=float(known.raw @ known.total / n),
        expected=float(known.expected @ known.total / n),
        kappa=kappa,
        reason=reason,
        findings=pair_findings(
            [(result.raters, result.findings) for result in pairs], about_all=about_all
        ),
    )
