"""Matching in which a unit may have several partners, for comparison: Haccou & Meelis, Jansen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats, Ints
from consilience.core.resample import Seed
from consilience.core.words import counted
from consilience.document import Document, Finding, Paragraph, Table
from consilience.inference import Interval
from consilience.units.linking._diag_table import check_pair
from consilience.units.linking._link_tally import Tallies, sampled_kappa
from consilience.units.linking.diag_results import shown_label
from consilience.units.model._columns import as_floats
from consilience.units.model._ordered_units import Blocks
from consilience.units.model._sessions import Draws
from consilience.units.model._unit_findings import dropped_findings, note_findings
from consilience.units.model._unit_results import (
    SessionsDrawn,
    TwoRaterKappa,
    page_of_raters,
    said_units,
    unit_counts,
    unit_totals,
)
from consilience.units.model.asked import WhoCounts, who_counts
from consilience.units.model.unit_checks import (
    check_time,
    check_two,
    check_units,
    check_word,
)
from consilience.units.model.units import Units

RULES = ("haccou-meelis", "jansen")
_TITLES = {"haccou-meelis": "Haccou & Meelis (1994)", "jansen": "Jansen et al. (2003)"}


@dataclass(frozen=True, kw_only=True)
class MultipleLinks(SessionsDrawn, TwoRaterKappa):
    """Units matched by a cascade of rules in which one may have several partners; there is no nil.

    Attributes
    ----------
    table : array (K, K)
        Rows are the first rater; each match counts 1.
    n_units : mapping of rater to number
    n_matches : int
        Tallies of the table.
    n_repeated : mapping of rater to number
        Units with more than one partner.
    links : array (matches, 2)
        Rows of the matched units in the given units.
    """

    coefficient: ClassVar[str] = "multiple_links"
    unrecorded: ClassVar[tuple[str, ...]] = ("kappa", "links")

    labels: tuple[Any, ...]
    rule: str
    tolerance: float
    table: NDArray[np.int64] = field(repr=False)
    n_units: Mapping[str, int]
    n_matches: int
    n_repeated: Mapping[str, int]
    sessions: tuple[str, ...] = field(repr=False)
    dropped: tuple[tuple[str, str], ...] = field(repr=False)
    links: Ints = field(repr=False)
    interval: Interval = field(repr=False)

    def document(self) -> Document:
        """Return the result as something to read."""
        counts = " and ".join(f"{n:,} of {name}" for name, n in self.n_repeated.items())
        near = f", within {self.tolerance:g} of each other" if self.tolerance else ""
        said = (
            f"{said_units(self.units_by_session)} {counted(self.n_matches, 'match', 'matches')}"
            f"{near}; units with more than one partner: {counts}."
        )
        columns = ("matches: n_matches", "observed", "by chance: expected", "kappa")
        names = [shown_label(label) for label in self.labels]
        cells: list[list[Any]] = [
            [name, *map(int, row)] for name, row in zip(names, self.table, strict=True)
        ]
        first, second = self.raters
        corner = (f"{first} \\ {second}", *names)
        return page_of_raters(
            self,
            f"Matching after {_TITLES[self.rule]}",
            Paragraph(said),
            Table.of([self], *columns),
            Table(heads=corner, rows=cells, caption="Matches", whole=True),
        )


def multiple_links(
    units: Units,
    *,
    rule: Literal["haccou-meelis", "jansen"] = "haccou-meelis",
    tolerance: float = 0,
    raters: Sequence[str] | None = None,
    labels: Iterable[Any] | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 9_999,
    rng: Seed = 0,
) -> MultipleLinks:
    """Match units by rules that let one have several partners, to show what that does.

    Holle & Rein (2015) object that such matching tallies more events than raters coded and has no
    place for what only one of them saw. Use `easydiag` to judge agreement; this is for comparison.

    Parameters
    ----------
    units : Units
    rule : {"haccou-meelis", "jansen"}
    tolerance : float
        For "jansen": how far units may be shifted to meet.
    raters : two names, optional
        The first is in the rows.
    labels : list, optional
        The code list, in order.
    confidence_level, n_resamples, rng
        Of the interval, from resampling sessions.

    Returns
    -------
    MultipleLinks

    Raises
    ------
    InputError
        An unknown rule, rater or label, or an impossible number.
    UnsupportedDesignError
        Not two raters, discontinuous units, no session with units of both.

    Notes
    -----
    The two programs are described in words only; these are our reconstructions. Within a session
    and tier, each unit of either rater looks for a partner of the other, who may have one already:
    (1) one with the same label that it overlaps ("jansen": or comes within the tolerance of);
    (2) if there is none, one with another label; (3) if there is none, the nearest one. Among
    several the largest overlap decides ("jansen": the nearest onset). Each pair counts once.

    References
    ----------
    .. [1] Haccou, P. & Meelis, E. (1994). Statistical analysis of behavioural data. Oxford.
    .. [2] Jansen, R. G., Wiertz, L. F., Meyer, E. S. & Noldus, L. P. J. J. (2003). Reliability
       analysis of observational data: Problems, solutions, and software implementation. Behavior
       Research Methods, Instruments, & Computers 35, 391-399. doi:10.3758/BF03195516
    .. [3] Holle, H. & Rein, R. (2015). EasyDIAg: A tool for easy determination of interrater
       agreement. Behavior Research Methods 47, 837-847. doi:10.3758/s13428-014-0506-7

    Examples
    --------
    One long unit against two short ones, and one that only the first rater saw:

    >>> units = Units.from_records([
    ...     ("R1", "x", 0, 100), ("R1", "y", 150, 160), ("R2", "x", 0, 25), ("R2", "x", 30, 100)])
    >>> found = multiple_links(units)
    >>> found.n_matches, dict(found.n_repeated)
    (3, {'R1': 1, 'R2': 1})
    """
    known = check_units(units, "matching with several partners", labels)
    names = check_two(known, raters, "matching with several partners")
    check_word("rule", rule, RULES)
    reach = check_time(tolerance, "tolerance", zero="allowed") if rule == "jansen" else 0.0
    draws = Draws(confidence_level=confidence_level, n_resamples=n_resamples, rng=rng)
    who = who_counts(known, names, "matching with several partners", absent="drop")
    blocks = who.blocks()
    times = as_floats(blocks.start).astype(float), as_floats(blocks.end).astype(float)
    found = [_matches(blocks, b, times, rule, reach) for b in range(blocks.n_blocks)]
    pairs = np.concatenate([np.empty((0, 2), dtype=np.int64), *found])
    return _cascaded(who, blocks, pairs, {"rule": rule, "tolerance": reach}, draws)


def _matches(
    blocks: Blocks, block: int, times: tuple[Floats, Floats], rule: str, reach: float
) -> Ints:
    """Return the pairs of one block, each once, as rows of the blocks."""
    by_onset = rule == "jansen"
    sides = [np.arange(blocks.offsets[block, k], blocks.offsets[block, k + 1]) for k in (0, 1)]
    pairs: set[tuple[int, int]] = set()
    for own, other in ((0, 1), (1, 0)):
        for i in sides[own].tolist():
            j = _partner(i, sides[other], times, blocks.label, reach if by_onset else None)
            if j is not None:
                pairs.add((i, j) if own == 0 else (j, i))
    return np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)


def _partner(
    i: int, others: Ints, times: tuple[Floats, Floats], label: Any, reach: float | None
) -> int | None:
    """Return the partner that the cascade finds for one unit; None where there is nobody.

    With a reach, units that come within it meet, and the nearest onset decides; without, units
    that overlap, and the largest overlap.
    """
    if not len(others):
        return None
    start, end = times
    shared = np.minimum(end[i], end[others]) - np.maximum(start[i], start[others])
    apart = np.abs(start[others] - start[i])
    near = shared > 0 if reach is None else shared >= -reach
    same = label[others] == label[i]
    for choice in (near & same, near):
        if choice.any():
            places = np.flatnonzero(choice)
            first, second = (-shared, apart) if reach is None else (apart, -shared)
            return int(others[places[np.lexsort((second[places], first[places]))[0]]])
    return int(others[np.lexsort((apart, -shared))[0]])  # the least gap


def _cascaded(
    who: WhoCounts, blocks: Blocks, pairs: Ints, facts: dict[str, Any], draws: Draws
) -> MultipleLinks:
    units = who.units
    label = blocks.label.astype(np.int64)
    session = blocks.session.astype(np.int64)[blocks.block[pairs[:, 0]]]
    ones = np.ones(len(pairs), dtype=np.int64)
    row, column = label[pairs[:, 0]], label[pairs[:, 1]]
    tallies = Tallies(len(units.labels), len(who.sessions), session, row, column, ones)
    parts = tallies.parts()[:, :3]
    repeated = {
        name: int((np.unique(pairs[:, k], return_counts=True)[1] > 1).sum())
        for k, name in enumerate(blocks.raters)
    }
    counts = unit_counts(units, blocks.raters, who.dropped)
    n_units = unit_totals(counts)
    return MultipleLinks(
        raters=check_pair(blocks.raters),
        labels=units.labels,
        table=tallies.table()[:-1, :-1],
        n_units=n_units,
        n_matches=len(pairs),
        n_repeated=repeated,
        links=blocks.order[pairs],
        sessions=who.sessions,
        dropped=who.dropped,
        findings=(
            *note_findings(units),
            *dropped_findings(who.dropped, advice=""),
            _multiple(sum(repeated.values()), sum(n_units.values())),
        ),
        units_by_session=counts,
        **sampled_kappa(parts, draws),
        **facts,
    )


def _multiple(repeated: int, units: int) -> Finding:
    return Finding(
        "multiple_links",
        "caution",
        f"For comparison only: {repeated:,} of {units:,} units have more than one partner, and a "
        "unit that only one rater saw is matched with whatever lies nearest, so the table holds "
        "events that nobody coded.",
        "Use easydiag to judge agreement.",
        {"repeated": repeated, "units": units},
    )
