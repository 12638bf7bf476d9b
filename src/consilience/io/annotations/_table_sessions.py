"""Which column of a table names the recording; pooled recordings are never one in silence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Ints
from consilience.core.input_files import Said
from consilience.exceptions import InputError
from consilience.io.annotations.strands import listed

_FEWEST_CLASHES = 3


@dataclass(frozen=True)
class Rows:
    """What the rows of a table say: times, and the line of work each belongs to."""

    start: NDArray[np.float64]
    end: NDArray[np.float64]
    work: Ints  # rater, tier and label
    line: Ints  # rater and tier

    def clashes(self, *more: Ints) -> int:
        """Count units that begin before an equal one by the same rater ends."""
        keys = [self.end, self.start, *more, self.work]
        order = np.lexsort(keys)
        same = np.ones(max(len(order) - 1, 0), dtype=bool)
        for key in (*more, self.work):
            same &= key[order][1:] == key[order][:-1]
        before = self.start[order][1:] < self.end[order][:-1]
        return int(np.count_nonzero(same & before))

    def restarts(self, *more: Ints) -> int:
        """Count rows of one rater (and one value of a column) that go back in time."""
        order = self.by_line
        same = self.line[order][1:] == self.line[order][:-1]
        for key in more:
            same &= key[order][1:] == key[order][:-1]
        start = self.start[order]
        return int(np.count_nonzero(same & (start[1:] < start[:-1])))

    @property
    def by_line(self) -> Ints:
        """The rows of each line of work in the order of the file."""
        return np.argsort(self.line, kind="stable")


def codes_of(texts: Sequence[str]) -> Ints:
    """Number the values of a column."""
    return np.unique(np.asarray(texts, dtype=object).astype(str), return_inverse=True)[1].ravel()


def told_apart(rows: Rows, column: Ints) -> bool:
    """Tell whether times start again, or overlap, from one value of a column to the next."""
    pooled = rows.clashes()
    if pooled >= _FEWEST_CLASHES and rows.clashes(column) * 20 <= pooled:
        return True
    again = rows.restarts()
    values, line = column[rows.by_line], rows.line[rows.by_line]
    turns = (values[1:] != values[:-1]) & (line[1:] == line[:-1])
    each = np.unique(np.stack([rows.line, column]), axis=1).shape[1] - len(np.unique(rows.line))
    in_runs = int(np.count_nonzero(turns)) == each > 0
    return in_runs and 2 * again >= each and rows.restarts(column) == 0


def choose_session(rows: Rows, named: Mapping[str, Ints], where: str) -> str | None:
    """Return the column that is the session, of those named like one; refuse two that differ."""
    found = {name: codes for name, codes in named.items() if codes.size and codes.max() > 0}
    if not found:
        return next(iter(named), None)
    (first, codes), *others = found.items()
    for second, other in others:
        joint = _joint(codes, other)
        sizes = [int(x.max()) + 1 for x in (codes, other, joint)]
        if sizes[0] == sizes[1] == sizes[2]:
            continue  # two names of one thing
        finer = sizes[2] in sizes[:2]
        clash = [rows.clashes(x) for x in (codes, other)]
        if finer and clash[sizes[:2].index(min(sizes[:2]))] > 0:
            if sizes[1] > sizes[0]:
                first, codes = second, other
            continue
        wishes = [f"session='column:{name}'" for name in (first, second, f"{first}+{second}")]
        raise InputError.expected(
            "the session", "one column", Said(f"{first!r} and {second!r}"),
            f"pass {wishes[0]}, {wishes[1]} or both as {wishes[2]}", where=where,
        )  # fmt: skip
    return first


def refuse_pooling(rows: Rows, others: Mapping[str, Ints], where: str) -> None:
    """Refuse a table without a session in which a column tells recordings or tiers apart."""
    for name, codes in others.items():
        if codes.size and 0 < codes.max() < len(codes) - 1 and told_apart(rows, codes):
            raise InputError.expected(
                "the session", "told by a column",
                Said(f"times that start again or overlap from one value of {name!r} to the next "
                     f"({int(codes.max()) + 1} values)"),
                f"pass session='column:{name}' if it names recordings, tier='column:{name}' if it "
                "names tiers of one, or session='one'", where=where,
            )  # fmt: skip


def refuse_no_label(candidates: Sequence[str], where: str) -> None:
    """Refuse a table in which several columns could be the label."""
    wishes = " or ".join(f"label={name!r}" for name in candidates[:4])
    raise InputError.expected(
        "the label", "one column", Said(listed(list(candidates))), f"pass {wishes}", where=where
    )


def _joint(one: Ints, other: Ints) -> Ints:
    table = np.stack([one, other])
    return np.unique(table, axis=1, return_inverse=True)[1].ravel()
