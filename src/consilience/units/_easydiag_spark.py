"""EasyDIAG on a cluster: sessions are linked and tallied there, and only tallies travel.

Above half of the longer unit, no unit has two partners unless a rater's own units overlap. So the
pairs are a join, the tallies are sums, and the workers need nothing of ours, not even Python: the
plan is made of Spark's own expressions. Sessions in which a unit has several candidates are brought
here and linked by the rule that was asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from operator import and_, or_
from typing import Any, Literal

import numpy as np

from consilience.core.arguments import check_word
from consilience.core.arrays import Ints
from consilience.core.draws import Seed
from consilience.core.input_files import Said
from consilience.document import Finding
from consilience.exceptions import InputError, MissingDependencyError, UnsupportedDesignError
from consilience.units._linking import check_threshold, link
from consilience.units.checks import WhoCounts, check_two, compared
from consilience.units.easydiag import EasyDiag, Settings, overlap_finding, put_together, warn_low
from consilience.units.link_tables import MODES, Tallies, tally
from consilience.units.model import ABSENT, Units

# ---- units on the cluster

_MOST_DECIMALS = 6
_QUOTIENT_TOLERANCE = 1e-12
_UNITS_AT_ONCE = 2_000_000  # brought here
_SIDE = ("start", "end", "label")


@dataclass(frozen=True)
class Counted:
    """What was counted before anything was linked."""

    who: WhoCounts  # of one unit for each that are alike
    tiers: tuple[str, ...]
    place: Mapping[Any, int]  # of labels as they are on the cluster
    units_lrs: Ints  # labels x raters x sessions


@dataclass(frozen=True)
class LinkedLabels:
    """How many linked pairs have which labels in which session, each counted twice."""

    session: Ints
    row: Ints
    column: Ints
    count: Ints
    ambiguous: int


class UnitsOnSpark:
    """The units on the cluster, and the jobs that look at them."""

    def __init__(self, frame: Any, columns: Mapping[str, str], threshold: Fraction) -> None:
        try:
            from pyspark.sql import functions
        except ImportError:
            raise MissingDependencyError.for_extra("Spark", "pyspark", "spark") from None
        self._f = functions
        self._threshold = threshold
        if not hasattr(frame, "sparkSession"):
            raise InputError.expected(
                "frame",
                "a data frame of Spark",
                Said(type(frame).__name__),
                "easydiag takes units that are in memory",
            )
        for column in columns.values():
            if column not in frame.columns:
                raise InputError.unknown_word("the name of a column", column, frame.columns)
        f, kinds = functions, dict(frame.dtypes)
        texts = {
            role: f.trim(f.col(name).cast("string"))
            for role, name in columns.items()
            if role in ("rater", "session", "tier")
        }
        texts.setdefault("tier", f.lit("tier"))
        label = f.col(columns["label"])
        if kinds[columns["label"]] == "string":
            label = f.coalesce(f.trim(label), f.lit(""))
        times = [f.col(columns[role]).cast("double").alias(role) for role in ("start", "end")]
        self._table = frame.select(
            *(text.alias(role) for role, text in texts.items()), label.alias("label"), *times
        )
        self._units = self._table  # of the two raters, in the sessions that count
        self._factor = 1.0

    # ------------------------------------------------------------ counting

    def facts(
        self, raters: Sequence[str] | None, labels: Iterable[Any] | None, absent: str
    ) -> Counted:
        """Count the units by session, rater and label, and look at their times."""
        f = self._f
        rows = self._table.groupBy("session", "tier", "rater", "label").count().collect()
        lacking = [role for role in ("session", "rater", "tier") if any(not r[role] for r in rows)]
        if lacking or not rows:
            raise InputError.expected(
                f"every {lacking[0] if lacking else 'unit'}", "named", "none", "check the columns"
            )
        every = _one_each(rows)
        pair = check_two(every, raters, "EasyDIAG on a cluster")
        mine = [row for row in rows if row["rater"] in pair]
        one = _one_each(mine, raters=pair, sessions=every.sessions)
        who = compared(one, "EasyDIAG", pair, labels, absent=absent, silent=False)
        one = who.units
        units = np.zeros((len(one.labels), 2, one.n_sessions), dtype=np.int64)
        np.add.at(units, (one.label, one.rater, one.session), [row["count"] for row in mine])
        self._units = self._table.filter(f.col("rater").isin(*pair))
        if who.dropped:
            self._units = self._of_sessions(who.sessions)
        self._exact()
        return Counted(
            who,
            every.tiers,
            dict(zip((row["label"] for row in mine), one.label.tolist(), strict=True)),
            units[:, :, who.used],
        )

    def _of_sessions(self, names: Sequence[str]) -> Any:
        spark = self._table.sparkSession
        chosen = spark.createDataFrame([(name,) for name in names], "session string")
        return self._units.join(self._f.broadcast(chosen), on="session", how="left_semi")

    def _exact(self) -> None:
        """Make decimal times whole numbers of their last digit, as `exact_times` does."""
        f = self._f
        start, end = f.col("start"), f.col("end")
        whole = [
            f.max(
                reduce(or_, (f.rint(x * 10.0**d) / 10.0**d != x for x in (start, end))).cast("int")
            )
            for d in range(_MOST_DECIMALS + 1)
        ]
        bad = reduce(or_, (x.isNull() | f.isnan(x) | (f.abs(x) == np.inf) for x in (start, end)))
        one = self._units.agg(
            f.max(bad.cast("int")),
            f.max((end < start).cast("int")),
            f.sum((end == start).cast("long")),
            f.max(f.greatest(f.abs(start), f.abs(end))),
            *whole,
        ).collect()[0]
        lacking, reversed_, points, largest = one[:4]
        if lacking or reversed_:
            raise InputError.expected(
                "every unit",
                "from a start to an end",
                "a time that is missing or reversed",
                "correct the times",
            )
        if points:
            raise UnsupportedDesignError.needs(
                "linking by overlap",
                "units with a length",
                f"{points} point events",
                "read the units into memory, and use easydiag with point_tolerance=",
            )
        self._factor = 0.0  # times with more decimals stay as they are
        for digits, differs in enumerate(one[4:]):
            if largest * 10.0**digits >= 2**53:
                break
            if not differs:
                self._factor = 10.0**digits
                scaled = {x: f.rint(f.col(x) * self._factor).cast("long") for x in ("start", "end")}
                self._units = self._units.withColumns(scaled)
                break

    # ------------------------------------------------------------ linking

    def linked(self, known: Counted, rule: str) -> LinkedLabels:
        """Join the units of the two raters, and count the pairs that reach the threshold."""
        f = self._f
        pairs = self._pairs(known).persist()
        try:
            keys = [f.struct(*(f"{side}_{x}" for x in ("tier", *_SIDE))) for side in "ab"]
            several = (f.count("*") > f.countDistinct(keys[0])) | (
                f.count("*") > f.countDistinct(keys[1])
            )
            copies = f.max(f.col("a_times") * f.col("b_times")) > 1
            doubtful = pairs.groupBy("session").agg((several | copies).alias("several"))
            contested = [row[0] for row in doubtful.filter("several").collect()]
            counted = pairs.groupBy("session", "a_label", "b_label").count().collect()
        finally:
            pairs.unpersist()
        at = {one: k for k, one in enumerate(known.who.sessions)}
        place = known.place
        away = set(contested)
        cells: list[tuple[int, ...]] = [
            (at[row[0]], place[row[1]], place[row[2]], 2 * row[3])
            for row in counted
            if row[0] not in away
        ]
        ambiguous = 0
        for part in self._brought(known, contested):
            found, several_of = self._linked_here(part, known, rule)
            cells += found
            ambiguous += several_of
        session, row, column, count = np.array(sorted(cells), dtype=np.int64).reshape(-1, 4).T
        return LinkedLabels(session, row, column, count, ambiguous)

    def _pairs(self, known: Counted) -> Any:
        """Return all pairs of units that reach the threshold.

        Units are put into buckets as long as the longest of them; those that begin in a bucket can
        only overlap units that reach into it.
        """
        f = self._f
        sides = []
        for side, name in zip("ab", known.who.raters, strict=True):
            mine = self._units.filter(f.col("rater") == name)
            grouped = mine.groupBy("session", "tier", "start", "end", "label").count()
            renamed = [f.col(x).alias(f"{side}_{x}") for x in ("tier", "start", "end", "label")]
            sides.append(grouped.select("session", *renamed, f.col("count").alias(f"{side}_times")))
        longest_of_all = self._units.agg(f.max(f.col("end") - f.col("start"))).collect()[0][0]
        width = float(longest_of_all or 1)
        low = f.floor((f.col("a_start") - width) / width)
        a = sides[0].withColumn(
            "bucket", f.explode(f.sequence(low, f.floor(f.col("a_end") / width)))
        )
        b = sides[1].withColumn("bucket", f.floor(f.col("b_start") / width))
        met = a.join(b, on=["session", "bucket"]).filter("a_tier = b_tier")
        overlap = f.least("a_end", "b_end") - f.greatest("a_start", "b_start")
        lengths = [f.col(f"{side}_end") - f.col(f"{side}_start") for side in "ab"]
        longest = f.greatest(*lengths)
        top, bottom = self._threshold.numerator, self._threshold.denominator
        if self._factor and width * max(top, 100 * bottom) < 2**63:
            enough = f.lit(100 * bottom) * overlap >= f.lit(top) * longest
        else:
            share = overlap.cast("double") / longest.cast("double")
            enough = share >= f.lit(float(self._threshold) / 100 - _QUOTIENT_TOLERANCE)
        return met.filter(and_(overlap > 0, enough)).drop("bucket")

    def _brought(self, known: Counted, contested: Sequence[str]) -> Iterator[list[Any]]:
        """Yield the units of sessions in which some unit has a choice, so many at a time."""
        n_units = dict(
            zip(known.who.sessions, known.units_lrs.sum(axis=(0, 1)).tolist(), strict=True)
        )
        batch: list[str] = []
        size = 0
        for name in sorted(contested):
            if batch and size + n_units[name] > _UNITS_AT_ONCE:
                yield self._of_sessions(batch).collect()
                batch, size = [], 0
            batch.append(name)
            size += n_units[name]
        if batch:
            yield self._of_sessions(batch).collect()

    def _linked_here(
        self, rows: list[Any], known: Counted, rule: str
    ) -> tuple[list[tuple[int, ...]], int]:
        """Link the units of some sessions by the rule that was asked for."""
        at = {one: k for k, one in enumerate(known.who.sessions)}
        rows = sorted(rows, key=lambda row: (row["session"], row["start"], row["end"]))
        columns: dict[str, Any] = {
            name: [row[name] for row in rows]
            for name in ("start", "end", "label", "rater", "session", "tier")
        }
        units = Units.from_columns(
            **columns, labels=known.who.units.labels, raters=known.who.raters
        )
        blocks = units.sorted_blocks(*known.who.raters)
        links = link(blocks, threshold=self._threshold, rule=rule)
        n_labels = len(known.units_lrs)
        made = tally(blocks, links, n_labels=n_labels, n_sessions=len(units.sessions))
        both = (made.row < n_labels) & (made.column < n_labels)
        sessions = [at[units.sessions[k]] for k in made.session[both]]
        cells = zip(
            sessions, *(x[both].tolist() for x in (made.row, made.column, made.count)), strict=True
        )
        return list(cells), links.ambiguous

    def own_overlaps(self, known: Counted, ambiguous: int) -> list[Finding]:
        """Say where units of one rater overlap each other."""
        from pyspark.sql import Window

        f = self._f
        order = ("start", "end")
        within = Window.partitionBy("session", "tier", "rater").orderBy(*order)
        before = {f"earlier_{x}": f.lag(x).over(within) for x in order}
        clashes = self._units.withColumns(before).filter("start < earlier_end")
        first = f.when(f.col("rater") == known.who.raters[0], 0).otherwise(1).alias("place")
        named = clashes.select("session", "tier", first, *order, *before)
        one = named.agg(f.count("*"), f.min(f.struct(*named.columns))).collect()[0]
        if not one[0]:
            return []
        where = one[1]
        scale = self._factor or 1.0
        times = [
            (where["earlier_start"] / scale, where["earlier_end"] / scale),
            (where["start"] / scale, where["end"] / scale),
        ]
        who = known.who.raters[where["place"]]
        return [overlap_finding(int(one[0]), times, who, where["session"], ambiguous)]


def _one_each(rows: Sequence[Any], **known: Any) -> Units:
    """Return one unit for each row of counts: who has what in which session."""
    names = ("label", "rater", "session", "tier")
    columns: dict[str, Any] = {name: [row[name] for row in rows] for name in names}
    made = Units.from_columns(start=[0] * len(rows), end=[1] * len(rows), **columns, **known)
    return replace(made, notes=())  # it says nothing of the units themselves


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
    who = known.who
    found = work.linked(known, linking)
    return put_together(
        who,
        _tallied(known, found),
        settings,
        clip=clip,
        overlaps=work.own_overlaps(known, found.ambiguous),
        units_by_session={
            one: dict(zip(who.raters, known.units_lrs.sum(axis=0)[:, k].tolist(), strict=True))
            for k, one in enumerate(who.sessions)
        },
        tiers=known.tiers,
        n_linked=int(found.count.sum()) // 2,
        n_ambiguous=found.ambiguous,
    )


def _tallied(known: Counted, found: LinkedLabels) -> Tallies:
    """Add the units without a partner: all of a label, less those that were linked."""
    n_labels, _, n_sessions = known.units_lrs.shape
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
