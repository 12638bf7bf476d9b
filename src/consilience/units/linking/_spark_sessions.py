"""EasyDIAG on a cluster: sessions are linked and tallied there, and only tallies travel.

Above half of the longer unit, no unit has two partners unless a rater's own units overlap. So the
pairs are a join, the tallies are sums, and the workers need nothing of ours, not even Python: the
plan is made of Spark's own expressions. Sessions in which a unit has several candidates are brought
here and linked by the rule that was asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np

from consilience.core.checks import check_word
from consilience.core.resample import Seed
from consilience.units.linking._diag_table import MODES
from consilience.units.linking._easydiag import low_threshold, put_together, warn_low
from consilience.units.linking._easydiag_results import EasyDiag, Settings
from consilience.units.linking._link_tally import Tallies
from consilience.units.linking._overlap_linking import check_threshold
from consilience.units.linking._spark_units import Counted, LinkedLabels, UnitsOnSpark
from consilience.units.model._unit_findings import dropped_findings
from consilience.units.model.asked import ABSENT

_RULES = ("symmetric", "elan", "optimal")  # the original program's goes by the order of the rows


def easydiag_on_spark(
    frame: Any,
    *,
    raters: Sequence[str] | None = None,
    start: str = "start",
    end: str = "end",
    label: str = "label",
    rater: str = "rater",
    session: str = "session",
    tier: str | None = None,
    threshold: float = 60,
    linking: str = "symmetric",
    labels: Iterable[Any] | None = None,
    clip: bool = False,
    mode: Literal["exact", "elan"] = "exact",
    absent: Literal["drop", "count"] = "drop",
    confidence_level: float = 0.95,
    n_resamples: int = 9_999,
    rng: Seed = 0,
) -> EasyDiag:
    """Agreement of two raters on events that lie in a PySpark dataframe, by `easydiag`.

    The numbers are those of `easydiag` on the same units, to the last bit. Only counts by session
    and label come to the driver, and the units of sessions in which one has several candidates.

    Parameters
    ----------
    frame : PySpark dataframe
        One row for each unit.
    raters : two names, optional
        Needed where there are more.
    start, end, label, rater, session, tier : names of columns
    threshold, linking, labels, clip, mode, confidence_level, n_resamples, rng
        As for `easydiag`; linking is "symmetric", "elan" or "optimal".
    absent : {"drop", "count"}
        A session in which one of the raters has no unit is left out, or counts.

    Returns
    -------
    EasyDiag
        Without the units and their links: these stay on the cluster.

    Raises
    ------
    InputError
        A column is missing, or holds no times or names.
    UnsupportedDesignError
        Not two raters, no session rated by both, point events.

    Examples
    --------
    >>> frame = spark.read.parquet("hdfs://events")  # doctest: +SKIP
    >>> easydiag_on_spark(frame, raters=["Ann", "Bob"]).kappa  # doctest: +SKIP
    0.7421
    """
    check_word("linking", linking, _RULES)
    check_word("mode", mode, MODES)
    check_word("absent", absent, [word for word in ABSENT if word != "asked"])
    exact = check_threshold(threshold)
    warn_low(threshold)
    settings = Settings(
        threshold=float(threshold),
        linking=linking,
        mode=mode,
        point_tolerance=None,
        absent=absent,
        confidence_level=confidence_level,
        n_resamples=n_resamples,
        rng=rng,
    )
    names = {"start": start, "end": end, "label": label, "rater": rater, "session": session}
    work = UnitsOnSpark(frame, names | ({} if tier is None else {"tier": tier}), exact)
    known = work.facts(raters, labels, absent)
    found = work.linked(known, linking)
    tallies = _tallied(known, found)
    findings = [*low_threshold(exact), *dropped_findings(known.dropped)]
    return put_together(
        tallies,
        known.labels,
        known.raters,
        settings,
        clip=clip,
        findings=[*findings, *work.own_overlaps(known, found.ambiguous)],
        units_by_session={
            one: dict(zip(known.raters, known.units_lrs.sum(axis=0)[:, k].tolist(), strict=True))
            for k, one in enumerate(known.sessions)
        },
        sessions=known.sessions,
        tiers=known.tiers,
        dropped=known.dropped,
        n_linked=int(found.count.sum()) // 2,
        n_ambiguous=found.ambiguous,
    )


def _tallied(known: Counted, found: LinkedLabels) -> Tallies:
    """Add the units without a partner: all of a label, less those that were linked."""
    n_labels, n_sessions = len(known.labels), len(known.sessions)
    alone = known.units_lrs.copy()
    np.subtract.at(alone[:, 0], (found.row, found.session), found.count // 2)
    np.subtract.at(alone[:, 1], (found.column, found.session), found.count // 2)
    nil = n_labels
    label, side, session = np.nonzero(alone)
    row = np.where(side == 0, label, nil)
    column = np.where(side == 1, label, nil)
    cells = (
        np.concatenate([found.session, session]),
        np.concatenate([found.row, row]),
        np.concatenate([found.column, column]),
        np.concatenate([found.count, alone[label, side, session]]),
    )
    order = np.lexsort((cells[2], cells[1], cells[0]))
    return Tallies(n_labels, n_sessions, *(cell[order] for cell in cells))
