"""Tables of linked and unlinked units as in GSEQ, EasyDIAg and ELAN, and everything they say."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from consilience.core.arguments import check_word
from consilience.core.arrays import Floats, Ints
from consilience.core.labels import label_key, plain
from consilience.core.tails import even_split_p
from consilience.document import Document, Finding, Paragraph, Table
from consilience.document.blocks import found
from consilience.document.records import Reasoned, Recorded
from consilience.exceptions import InputError
from consilience.inference import holm, mcnemar
from consilience.inference.marginal_tests import HomogeneityTest
from consilience.units._linking import Links
from consilience.units._quasi_independence import checked_table, proportional_fit
from consilience.units._unit_results import Accounted, Draws, part_about, records_of
from consilience.units.model import Blocks

# ---- tallies, and their kappas
# Numbers are made from totals of shape (…, 5, K), for one table or many at once: agreement a, row
# sums r, column sums c, unlinked units u of the first rater and v of the second, for each label.

_MOST_CELLS = 20_000_000  # counted in one array; more cells are sorted instead
_ONE = 1.0 - 1e-12  # chance agreement from here on is 1


@dataclass(frozen=True, slots=True)
class Tallies:
    """What was counted in each session, kept as the cells that are not empty.

    A linked pair counts 2 in its cell, an unlinked unit 1 in the row or column of nil, which is
    the last; so the table sums to the number of units of both raters.
    """

    n_labels: int
    n_sessions: int
    session: Ints
    row: Ints
    column: Ints
    count: Ints

    def table(self, session: int | None = None) -> Ints:
        """Return the table of one session, or of all."""
        chosen = slice(None) if session is None else self.session == session
        size = self.n_labels + 1
        cell = self.row[chosen] * size + self.column[chosen]
        out = np.bincount(cell, weights=self.count[chosen], minlength=size * size)
        return out.astype(np.int64).reshape(size, size)

    def totals(self) -> Floats:
        """Return the totals of all sessions (5 x labels), as `parts` gives them by session."""
        nowhere = np.zeros_like(self.session)
        one = Tallies(self.n_labels, 1, nowhere, self.row, self.column, self.count)
        return np.asarray(one.parts()[0])

    def parts(self) -> Floats:
        """Return what each session adds to the statistics (sessions x 5 x labels).

        Five numbers for each label: agreement, row sum, column sum, unlinked of the first rater,
        unlinked of the second. All coefficients are functions of their totals.
        """
        nil = self.n_labels
        out = np.zeros((5, self.n_sessions, nil))
        here = [
            (self.row, self.row == self.column),
            (self.row, self.row != nil),
            (self.column, self.column != nil),
            (self.row, self.column == nil),
            (self.column, self.row == nil),
        ]
        for k, (label, chosen) in enumerate(here):
            cell = self.session[chosen] * nil + label[chosen]
            count = self.count[chosen]
            out[k] = np.bincount(cell, weights=count, minlength=out[k].size).reshape(out[k].shape)
        return out.transpose(1, 0, 2)


def tally(
    blocks: Blocks,
    links: Links,
    *,
    n_labels: int,
    n_sessions: int,
    threshold: Fraction | None = None,
) -> Tallies:
    """Count linked pairs twice and unlinked units once; a threshold drops weaker links."""
    first, second = links.first, links.second
    if threshold is not None:
        stands = links.at_least(threshold)
        first, second = first[stands], second[stands]
    alone = np.ones(len(blocks.start), dtype=bool)
    alone[first] = alone[second] = False
    sides = [np.flatnonzero(alone & (blocks.rater == k)) for k in (0, 1)]
    session = [blocks.session.astype(np.int64)[blocks.block]] * 2
    label = [blocks.label.astype(np.int64)] * 2
    pairs = np.stack([first, second], axis=1)
    each = tally_links(n_labels, n_sessions, pairs, sides, label=label, session=session)
    size = n_labels + 1
    cell = (each.session * size + each.row) * size + each.column
    times = each.count + (np.arange(len(cell)) < len(first))
    found, count = _counted(cell, times, n_sessions * size * size)
    return Tallies(
        n_labels,
        n_sessions,
        session=found // (size * size),
        row=found // size % size,
        column=found % size,
        count=count,
    )


def tally_links(
    n_labels: int,
    n_sessions: int,
    links: Ints,
    alone: Sequence[Ints],
    *,
    label: Sequence[Ints],
    session: Sequence[Ints],
) -> Tallies:
    """Count each link once, then once each unit alone: rows of either side's labels, sessions."""
    (a, b), (left, right) = links.T, alone
    nil = [np.full(len(x), n_labels) for x in alone]
    row = np.concatenate([label[0][a], label[0][left], nil[1]])
    column = np.concatenate([label[1][b], nil[0], label[1][right]])
    at = np.concatenate([session[0][a], session[0][left], session[1][right]])
    return Tallies(n_labels, n_sessions, at, row, column, np.ones(len(row), dtype=np.int64))


def _counted(cell: Ints, times: Ints, n_cells: int) -> tuple[Ints, Ints]:
    if n_cells <= min(_MOST_CELLS, 20 * len(cell) + 1_000):
        totals = np.bincount(cell, weights=times, minlength=n_cells)
        found = np.flatnonzero(totals)
        return found, totals[found].astype(np.int64)
    found, place = np.unique(cell, return_inverse=True)
    return found, np.bincount(place, weights=times, minlength=len(found)).astype(np.int64)


def quotient(above: Any, below: Any) -> Floats:
    """Divide; NaN where there is nothing to divide by."""
    above, below = np.broadcast_arrays(np.asarray(above, float), np.asarray(below, float))
    out: Floats = np.full(above.shape, np.nan)
    np.divide(above, below, out=out, where=below != 0)
    return out


def beyond_chance(observed: Any, expected: Any) -> Floats:
    """Return (observed - expected) / (1 - expected) (Cohen 1960); NaN where chance is 1."""
    expected = np.asarray(expected, float)
    return quotient(np.asarray(observed) - expected, np.where(expected < _ONE, 1.0 - expected, 0.0))


def kappa_of(parts: Floats) -> tuple[Floats, Floats, Floats]:
    """Return observed, expected agreement and kappa of totals (…, 3, K): both, first, second.

    Cohen 1960, with time in the place of counts.
    """
    both, first, second = np.moveaxis(parts, -2, 0)
    total = first.sum(-1)
    observed = quotient(both.sum(-1), total)
    expected = quotient((first * second).sum(-1), total**2)
    return observed, expected, beyond_chance(observed, expected)


def sampled_kappa(
    parts: Floats, draws: Draws, reason: str = "chance agreement is 1"
) -> dict[str, Any]:
    """Return Cohen's kappa of what each session adds (sessions, 3, K), as fields of a result."""
    observed, expected, kappa = (float(x) for x in kappa_of(parts.sum(axis=0)))
    return {
        "observed": observed,
        "expected": expected,
        "kappa": kappa,
        "reason": None if math.isfinite(kappa) else reason,
        "interval": draws.interval(parts, lambda sums: kappa_of(sums)[2]),
    }


def overall(parts: Floats) -> dict[str, Floats]:
    """Return all numbers of the whole table, with and without nil (Holle & Rein 2015, table 1)."""
    a, r, c, u, v = np.moveaxis(parts, -2, 0)
    nil_row, nil_column = v.sum(-1), u.sum(-1)
    total = r.sum(-1) + nil_row
    linked = total - nil_row - nil_column
    raw = quotient(a.sum(-1), total)
    # Quasi-independence with one structural zero, in closed form (Holle & Rein fit it by IPF).
    both = (total - nil_row) * (total - nil_column) * total
    expected = np.where(linked > 0, quotient(linked * (r * c).sum(-1), both), 0.0)
    expected = np.where(total > 0, expected, np.nan)
    kappa = beyond_chance(raw, expected)
    # One label and nil: the table has no degree of freedom, kappa would always be 0.
    n_used = np.count_nonzero(r + c, axis=-1)
    kappa = np.where(n_used > 1, kappa, np.nan)
    least = np.minimum(r, c).sum(-1)
    attainable = quotient(np.minimum(least, linked), total)
    printed = quotient(least + np.minimum(nil_row, nil_column), total)
    raw_linked = quotient(a.sum(-1), linked)
    rows, columns = r - u, c - v
    expected_linked = quotient((rows * columns).sum(-1), linked**2)
    most_linked = quotient(np.minimum(rows, columns).sum(-1), linked)
    return {
        "total": total,
        "linked_share": quotient(linked, total),
        "raw": raw,
        "expected": expected,
        "kappa": kappa,
        "kappa_max": np.where(n_used > 1, beyond_chance(attainable, expected), np.nan),
        "kappa_max_easydiag": np.where(n_used > 1, beyond_chance(printed, expected), np.nan),
        "raw_linked": raw_linked,
        "expected_linked": expected_linked,
        "kappa_linked": beyond_chance(raw_linked, expected_linked),
        "kappa_max_linked": beyond_chance(most_linked, expected_linked),
    }


def label_kappa(parts: Floats, total: Any) -> tuple[Floats, Floats, Floats]:
    """Return the same for each label, present or absent, of totals (…, 3, L) and all time."""
    both, first, second = np.moveaxis(parts, -2, 0)
    total = np.asarray(total)[..., None]
    observed = quotient(total - first - second + 2 * both, total)
    expected = quotient(first * second + (total - first) * (total - second), total**2)
    return observed, expected, beyond_chance(observed, expected)


def per_label(parts: Floats) -> dict[str, Floats]:
    """Return Cohen's statistics of each label against the rest (Holle & Rein 2015, table 2)."""
    both, r, c, _, v = np.moveaxis(parts, -2, 0)
    total = (r.sum(-1) + v.sum(-1))[..., None]
    b, other = r - both, c - both
    d = total - both - b - other
    raw, expected, kappa = label_kappa(np.stack([both, r, c], axis=-2), total[..., 0])
    most = quotient(np.minimum(r, c) + np.minimum(total - r, total - c), total)
    return {
        "a": both,
        "b": b,
        "c": other,
        "d": d,
        "raw": raw,
        "expected": expected,
        "kappa": kappa,
        "kappa_max": beyond_chance(most, expected),
        "positive_agreement": quotient(2 * both, 2 * both + b + other),
        "negative_agreement": quotient(2 * d, 2 * d + b + other),
    }


# ---- what one table says, and how it is shown


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelAgreement(Recorded, Reasoned):
    """One label against all others, nil among them, with doubled tallies.

    Attributes
    ----------
    a, b, c, d : int
        Both; only the first rater; only the second; neither.
    events_b, events_c : int or None
        The disagreements counted as events, linked pairs once; None if the table is not doubled.
    mcnemar_p_value : float or None
        Of the exact test of these events.
    """

    recorded: ClassVar[tuple[str, ...]] = ("status",)

    label: Any
    a: int
    b: int
    c: int
    d: int
    raw: float
    expected: float
    kappa: float
    kappa_max: float
    positive_agreement: float
    negative_agreement: float
    events_b: int | None
    events_c: int | None
    mcnemar_p_value: float | None
    reason: str | None

    def mcnemar(
        self,
        *,
        tallies: Literal["events", "doubled"] = "events",
        method: Literal["exact", "mid-p", "chi-square"] = "exact",
    ) -> HomogeneityTest:
        """Test whether both raters use the label equally often.

        ``tallies="doubled"`` counts linked disagreements twice as EasyDIAg does; that finds
        differences too easily and is here for comparison with published numbers.
        """
        check_word("tallies", tallies, ("events", "doubled"))
        b, c = (self.b, self.c) if tallies == "doubled" else (self.events_b, self.events_c)
        if b is None or c is None:
            raise InputError.expected(
                "the table",
                "one of doubled tallies for a test of events",
                "an empty table, or odd counts of linked units",
                'pass tallies="doubled" to test the counts as they are',
            )
        return mcnemar([[self.a, b], [c, self.d]], method=method)


@dataclass(frozen=True, kw_only=True)
class DiagTable(Accounted):
    """EasyDIAG's statistics of one table.

    Attributes
    ----------
    table : array (K + 1, K + 1)
        Doubled tallies; rows are the first rater, the last row and column are nil.
    linked_share : float
        Agreement about segmentation: the share of units that were linked.
    raw, expected, kappa : float
        Agreement with nil as a category, chance agreement under quasi-independence, and kappa.
    kappa_max : float
        The largest kappa that these margins allow.
    kappa_max_easydiag : float
        What EasyDIAg prints; it fills the impossible cell and cannot be reached.
    raw_linked, expected_linked, kappa_linked, kappa_max_linked : float
        The same among linked units only, with plain independence.
    categories : tuple of LabelAgreement
    reasons : mapping
        Why a value is NaN.
    """

    interval_needs: ClassVar[str] = "sessions to resample, and a table has none"
    unrecorded: ClassVar[tuple[str, ...]] = ("units_by_session",)
    recorded: ClassVar[tuple[str, ...]] = ("status", "reason")

    raters: tuple[str, str]
    labels: tuple[Any, ...]
    table: NDArray[np.int64] = field(repr=False)
    mode: str
    n_tallies: int
    linked_share: float
    raw: float
    expected: float
    kappa: float
    kappa_max: float
    kappa_max_easydiag: float
    raw_linked: float
    expected_linked: float
    kappa_linked: float
    kappa_max_linked: float
    categories: tuple[LabelAgreement, ...] = field(repr=False)
    reasons: Mapping[str, str] = field(repr=False)
    findings: tuple[Finding, ...] = field(repr=False)

    @property
    def value(self) -> float:
        """Kappa with nil as a category."""
        return self.kappa

    @property
    def status(self) -> str:
        """Whether kappa is defined."""
        return "ok" if math.isfinite(self.kappa) else "undefined"

    @property
    def reason(self) -> str | None:
        """Why kappa is undefined."""
        return self.reasons.get("kappa")

    def __getitem__(self, label: Any) -> LabelAgreement:
        """Return the agreement about one label."""
        return part_about(self.categories, label)

    def document(self) -> Document:
        """Return the result as something to read."""
        return Document(
            title=f"EasyDIAG: {self.raters[0]} and {self.raters[1]}",
            blocks=(
                self._overall_table(),
                self._label_table(),
                *nil_table(self.raters, self.labels, self.table),
                *self._undefined(),
            ),
            findings=self.findings,
        )

    def _undefined(self) -> list[Paragraph]:
        told = dict.fromkeys(self.reasons.values())
        return [Paragraph(f"Not defined: {reason}.") for reason in told]

    def _overall_table(self) -> Table:
        rows: list[list[Any]] = [
            ["with unlinked units", self.raw, self.expected, self.kappa, self.kappa_max],
            [
                "linked units only",
                self.raw_linked,
                self.expected_linked,
                self.kappa_linked,
                self.kappa_max_linked,
            ],
        ]
        return Table(
            heads=("", "raw agreement", "by chance", "kappa", "largest kappa"),
            rows=rows,
            caption=f"{self.linked_share:.1%} of {self.n_tallies:,} units were linked"
            if self.n_tallies
            else "no units",
        )

    def _label_table(self) -> Table:
        return Table.of(
            self.categories,
            LABEL,
            "both: a",
            "first: b",
            "second: c",
            "raw",
            "chance: expected",
            "kappa",
            "largest: kappa_max",
            "pos.: positive_agreement",
            "neg.: negative_agreement",
            "p: mcnemar_p_value!p",
            caption="Each label against all others (doubled tallies)",
            note="p: McNemar's exact test on events, linked pairs counted once.",
        )


LABEL = ("label", lambda x: shown_label(x.label))  # the first column of tables by label
_MOST_LABELS = 30  # in a table to be read


def nil_table(
    raters: tuple[str, str],
    labels: Sequence[Any],
    table: NDArray[np.int64],
    note: str = "A linked pair counts 2, a unit without a partner 1, in the row or column nil.",
) -> list[Table]:
    """Return the table with nil, totals and their shares, as Holle & Rein print it (Table 1)."""
    if len(labels) > _MOST_LABELS or not table.sum():
        return []
    names = [*map(shown_label, labels), "nil"]
    n = int(table.sum())
    rows: list[list[Any]] = [
        [name, *map(int, row), int(row.sum()), float(row.sum() / n)]
        for name, row in zip(names, table, strict=True)
    ]
    rows[-1][len(names)] = None  # nobody codes what both did not see
    columns = table.sum(axis=0)
    agreed = float(np.trace(table) / n)
    rows.append(["total", *map(int, columns), n, 1.0])
    rows.append(["p", *(float(x) for x in columns / n), 1.0, agreed])
    first, second = raters
    told = f"{note} Below p on the right: the share on the diagonal."
    heads = (f"{first} \\ {second}", *names, "total", "p")
    caption = "Which labels met"
    return [Table(heads=heads, rows=rows, caption=caption, note=told, digits=2, whole=True)]


def shown_label(label: Any) -> str:
    """Write a label for people; an empty one as ELAN does."""
    if isinstance(label, frozenset):
        return ", ".join(sorted(map(str, label)))
    return str(label) if label != "" else '"empty"'


# ---- one table

NIL = "nil"
MODES = ("exact", "elan")
_ELAN_ZERO = 0.001
_ELAN_SWEEPS = 20
_UNEVEN = 0.05

NOTHING_LINKED = "no units were linked"
ONE_LABEL = (
    "only one label was used: with one label and nil the table has no degree of freedom and kappa "
    "would always be 0; look at linked_share instead"
)
_ONE_LABEL = ONE_LABEL.capitalize()
CHANCE_IS_ONE = "chance agreement is 1"
NO_UNITS = "there are no units"


def easydiag_table(
    table: Any,
    labels: Sequence[Any] | None = None,
    *,
    raters: tuple[str, str] = ("rater 1", "rater 2"),
    mode: Literal["exact", "elan"] = "exact",
    clip: bool = False,
) -> DiagTable:
    """EasyDIAG's statistics of a finished table, such as one printed in a paper.

    Parameters
    ----------
    table : (K + 1) x (K + 1) counts
        Rows are the first rater; the last row and column are nil (not linked). A linked pair
        counts 2, an unlinked unit 1.
    labels : list of K or K + 1 labels, optional
        With or without nil at the end.
    raters : pair of names
    mode : {"exact", "elan"}
        "elan" reproduces ELAN: chance by 20 sweeps of proportional fitting with 0.001 in place
        of each zero, largest kappa with chance from the product of the margins.
    clip : bool, default False
        Show negative kappas as 0, as EasyDIAg and ELAN do.

    Returns
    -------
    DiagTable

    Raises
    ------
    InputError
        The table is not square, holds other than whole counts, or has a count for nil with nil.

    References
    ----------
    .. [1] Holle, H. & Rein, R. (2015). EasyDIAg: A tool for easy determination of interrater
       agreement. Behavior Research Methods 47, 837-847. doi:10.3758/s13428-014-0506-7

    Examples
    --------
    Table 1 of the paper, two raters coding gestures:

    >>> table = [[160, 0, 0, 0, 6, 0, 22], [0, 684, 20, 22, 6, 6, 80], [18, 16, 160, 0, 20, 24, 62],
    ...          [2, 18, 2, 220, 8, 0, 21], [0, 2, 4, 14, 84, 0, 20], [0, 2, 0, 0, 0, 52, 18],
    ...          [32, 76, 31, 29, 10, 13, 0]]
    >>> result = easydiag_table(table, ["iob", "pis", "pob", "ris", "rob", "s"])
    >>> round(result.kappa, 2), round(result.linked_share, 2), round(result["s"].kappa, 2)
    (0.61, 0.79, 0.61)
    """
    counts = whole_counts(table)
    if counts[-1, -1]:
        raise InputError.expected(
            "the last cell (nil with nil)",
            "0: units that neither rater marked cannot be counted",
            float(counts[-1, -1]),
            "put nil last, or use consilience.cohen_kappa for a plain table",
        )
    size = len(counts) - 1
    hint = "name each row of the table but nil"
    names = row_names(numbered(size) if labels is None else labels, size, hint=hint)
    doubled = not (counts[:-1, :-1] % 2).any()
    return diag_table(
        totals_of(counts),
        table=counts.astype(np.int64),
        labels=names,
        raters=check_pair(raters),
        mode=mode,
        clip=clip,
        doubled=doubled,
        findings=found((not doubled, "not_doubled", "caution", _NOT_DOUBLED)),
    )


_NOT_DOUBLED = (
    "Some counts of linked units are odd, so linked pairs were not counted twice; kappa is then "
    "lower than EasyDIAG's. Double the counts outside the nil row and column to compare."
)


def check_pair(raters: Any) -> tuple[str, str]:
    """Return the names of two raters."""
    if isinstance(raters, str) or not isinstance(raters, Sequence) or len(raters) != 2:
        raise InputError.expected("raters", "two names", raters, "for example ('A', 'B')")
    first, second = (str(name) for name in raters)
    if first == second:
        raise InputError.expected("raters", "two different names", raters, "name each rater once")
    return first, second


def whole_counts(table: Any) -> Floats:
    """Return a square table of whole counts."""
    counts = checked_table(table)
    if (counts != np.rint(counts)).any():
        raise InputError.expected("the table", "one of whole counts", table, "check the cells")
    return counts


def numbered(size: int) -> tuple[str, ...]:
    """Return names for rows that have none."""
    return tuple(str(k + 1) for k in range(size))


def row_names(labels: Any, size: int, *, more: str = "", hint: str = "") -> tuple[Any, ...]:
    """Return the labels of so many rows; with the last one left out where it is nil."""
    if isinstance(labels, str) or not isinstance(labels, Sequence | np.ndarray):
        raise InputError.expected("labels", "a list", labels, "name each row of the table")
    listed = tuple(plain(label) for label in labels)
    if not more and len(listed) == size + 1 and NIL not in listed[:-1]:
        listed = listed[:-1]
    if len(listed) != size or len(set(map(label_key, listed))) != size:
        raise InputError.expected("labels", f"{size} different labels{more}", labels, hint)
    return listed


def totals_of(counts: Floats) -> Floats:
    """Return agreement, margins and unlinked units of each label (5 x K)."""
    block = counts[:-1, :-1]
    return np.stack(
        [
            np.diag(block),
            counts[:-1].sum(axis=1),
            counts[:, :-1].sum(axis=0),
            counts[:-1, -1],
            counts[-1, :-1],
        ]
    )


def diag_table(
    totals: Floats,
    *,
    table: NDArray[np.int64],
    labels: tuple[Any, ...],
    raters: tuple[str, str],
    mode: str,
    clip: bool,
    doubled: bool = True,
    findings: Sequence[Finding] = (),
) -> DiagTable:
    """Compute everything from the totals of a table."""
    check_word("mode", mode, MODES)
    values: dict[str, Any] = {
        name: float(x) for name, x in (overall(totals) | _as_elan(table, mode)).items()
    }
    del values["total"]
    reasons = _reasons(values, int(np.count_nonzero(totals[1] + totals[2])))
    if clip:
        values |= {name: 0.0 for name, x in values.items() if name.startswith("kappa") and x < 0}
    n_tallies = int(table.sum())
    doubled = doubled and n_tallies > 0
    categories = _categories(totals, labels, doubled=doubled, clip=clip)
    alone = "No units of the two raters were linked: check the times, or lower the threshold."
    noted = found(
        (reasons.get("kappa") == ONE_LABEL, "single_label", "problem", f"{_ONE_LABEL}."),
        (n_tallies and not values["linked_share"], "nothing_linked", "problem", alone),
    )
    return DiagTable(
        raters=raters,
        labels=labels,
        table=table,
        mode=mode,
        n_tallies=n_tallies,
        categories=categories,
        reasons=reasons,
        findings=(*findings, *noted, *(_uneven(categories, raters) if doubled else ())),
        **values,
    )


def _uneven(categories: Sequence[LabelAgreement], raters: tuple[str, str]) -> list[Finding]:
    """Report labels that one rater uses more often, after Holm's adjustment."""
    tested = [x for x in categories if x.mcnemar_p_value is not None]
    adjusted = holm([x.mcnemar_p_value or 0.0 for x in tested])
    uneven = []
    for x, p in zip(tested, adjusted, strict=True):
        if p <= _UNEVEN and x.events_b is not None and x.events_c is not None:
            more, less = (0, 1) if x.events_b > x.events_c else (1, 0)
            counts = (x.events_b, x.events_c)
            message = (
                f"{raters[more]} marks {shown_label(x.label)} more readily than {raters[less]}: "
                f"{counts[more]} units without the other's agreement against {counts[less]}. "
                "Go through them together before the next coding."
            )
            uneven.append(Finding("label_used_unevenly", "caution", message))
    return uneven


def _as_elan(table: NDArray[np.int64], mode: str) -> dict[str, Any]:
    """Return the values that ELAN computes in its own way."""
    total = float(table.sum())
    if mode != "elan" or not total:
        return {}
    expected = elan_expected(table)
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    largest = beyond_chance(
        float(np.minimum(rows, columns).sum()) / total, float(rows @ columns) / total**2
    )
    return {
        "expected": expected,
        "kappa": beyond_chance(float(np.trace(table)) / total, expected),
        "kappa_max": largest,
        "kappa_max_easydiag": largest,
    }


def elan_expected(table: NDArray[np.int64]) -> float:
    """Return chance agreement as ELAN fits it: 0.001 for zeros, 20 sweeps, nil left out."""
    seed = np.ones(table.shape)
    seed[-1, -1] = _ELAN_ZERO
    rows, columns = (
        np.where(sums == 0, _ELAN_ZERO, sums.astype(np.float64))
        for sums in (table.sum(axis=1), table.sum(axis=0))
    )
    fit = proportional_fit(seed, rows, columns, tolerance=-1.0, most_sweeps=_ELAN_SWEEPS)
    return float(np.trace(fit.expected[:-1, :-1])) / float(table.sum())


def why_no_kappa(n_used: int) -> str:
    """Say why kappa is undefined, by how many labels were used."""
    return NO_UNITS if not n_used else ONE_LABEL if n_used == 1 else CHANCE_IS_ONE


def _reasons(values: Mapping[str, float], n_used: int) -> dict[str, str]:
    among_linked = CHANCE_IS_ONE if values["linked_share"] else NOTHING_LINKED
    return {
        name: among_linked if name.endswith("_linked") and n_used else why_no_kappa(n_used)
        for name, value in values.items()
        if not math.isfinite(value)
    }


def why_no_label(kappa: Floats, used: Floats, what: str) -> list[str | None]:
    """Say of each label why its kappa is undefined, if it is."""
    why = [f"every {what} has this label" if n else "nobody used this label" for n in used]
    return [None if np.isfinite(k) else said for k, said in zip(kappa, why, strict=True)]


def _categories(
    totals: Floats, labels: Sequence[Any], *, doubled: bool, clip: bool
) -> tuple[LabelAgreement, ...]:
    known = per_label(totals)
    kappa = known["kappa"]
    # Linked disagreements were tallied twice, units without a partner once.
    b, c = ((known[name] + alone) // 2 for name, alone in zip("bc", totals[3:5], strict=True))
    events = np.stack([b, c], axis=1).astype(int).tolist() if doubled else []
    none = [None] * len(labels)
    return records_of(
        LabelAgreement,
        **known
        | {name: known[name].astype(np.int64) for name in "abcd"}
        | {"kappa": np.where(kappa < 0, 0.0, kappa) if clip else kappa},
        label=labels,
        events_b=[pair[0] for pair in events] or none,
        events_c=[pair[1] for pair in events] or none,
        mcnemar_p_value=[even_split_p(*pair) for pair in events] or none,
        reason=why_no_label(kappa, known["a"] + known["b"] + known["c"], "unit"),
    )
