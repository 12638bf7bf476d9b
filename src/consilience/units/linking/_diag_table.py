"""Everything that EasyDIAG says about one table of linked and unlinked units."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats
from consilience.core.labels import label_key, plain
from consilience.core.tails import even_split_p
from consilience.document import Finding, found
from consilience.exceptions import InputError
from consilience.inference import holm
from consilience.units.linking._link_tally import Overall, PerLabel, overall, per_label
from consilience.units.linking._quasi import checked_table, proportional_fit
from consilience.units.linking.diag_results import OVERALL, DiagTable, LabelAgreement, shown_label
from consilience.units.model.unit_checks import check_word

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
_KAPPAS = tuple(name for name in OVERALL if name.startswith("kappa"))


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
    counts = checked_table(table)
    if (counts != np.rint(counts)).any():
        raise InputError.expected("the table", "one of whole counts", table, "check the cells")
    if counts[-1, -1]:
        raise InputError.expected(
            "the last cell (nil with nil)",
            "0: units that neither rater marked cannot be counted",
            float(counts[-1, -1]),
            "put nil last, or use consilience.cohen_kappa for a plain table",
        )
    names = _labels(labels, len(counts) - 1)
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


def _labels(labels: Any, size: int) -> tuple[Any, ...]:
    if labels is None:
        return tuple(str(k + 1) for k in range(size))
    if isinstance(labels, str) or not isinstance(labels, Sequence | np.ndarray):
        raise InputError.expected("labels", "a list", labels, "name each row of the table")
    listed = tuple(plain(label) for label in labels)
    if len(listed) == size + 1 and "nil" not in listed[:-1]:
        listed = listed[:-1]
    if len(listed) != size or len(set(map(label_key, listed))) != size:
        raise InputError.expected(
            "labels", f"{size} different labels", labels, "name each row of the table but nil"
        )
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
        name: float(x) for name, x in _overall(overall(totals), table, mode).items()
    }
    reasons = _reasons(values, totals)
    if clip:
        values |= {name: max(values[name], 0.0) for name in _KAPPAS if values[name] < 0}
    n_tallies = int(table.sum())
    doubled = doubled and n_tallies > 0
    categories = _categories(per_label(totals), totals, labels, doubled=doubled, clip=clip)
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


def _overall(known: Overall, table: NDArray[np.int64], mode: str) -> dict[str, Any]:
    values = {name: getattr(known, name) for name in OVERALL}
    total = float(table.sum())
    if mode == "elan" and total:
        expected = elan_expected(table)
        rows, columns = table.sum(axis=1), table.sum(axis=0)
        by_chance = float(rows @ columns) / total**2
        most = float(np.minimum(rows, columns).sum()) / total
        values["expected"] = expected
        values["kappa"] = _beyond(float(known.raw), expected)
        values["kappa_max"] = values["kappa_max_easydiag"] = _beyond(most, by_chance)
    return values


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


def _beyond(observed: float, expected: float) -> float:
    return (observed - expected) / (1.0 - expected) if expected < 1.0 - 1e-12 else math.nan


def _reasons(values: Mapping[str, float], totals: Floats) -> dict[str, str]:
    n_used = int(np.count_nonzero(totals[1] + totals[2]))
    reasons = {}
    for name, value in values.items():
        if math.isfinite(value):
            continue
        if not n_used:
            reasons[name] = NO_UNITS
        elif name.endswith("_linked") and not values["linked_share"]:
            reasons[name] = NOTHING_LINKED
        elif name in ("kappa", "kappa_max", "kappa_max_easydiag") and n_used == 1:
            reasons[name] = ONE_LABEL
        else:
            reasons[name] = CHANCE_IS_ONE
    return reasons


def _categories(
    known: PerLabel, totals: Floats, labels: Sequence[Any], *, doubled: bool, clip: bool
) -> tuple[LabelAgreement, ...]:
    alone_b, alone_c = totals[3], totals[4]
    categories = []
    for k, label in enumerate(labels):
        a, b, c, d = (int(getattr(known, name)[k]) for name in "abcd")
        kappa = float(known.kappa[k])
        reason = None
        if not math.isfinite(kappa):
            used = a + b + c
            reason = "every unit has this label" if used else "nobody used this label"
        # Linked disagreements were tallied twice, units without a partner once.
        events = (int((b + alone_b[k]) // 2), int((c + alone_c[k]) // 2)) if doubled else None
        categories.append(
            LabelAgreement(
                label=label,
                a=a,
                b=b,
                c=c,
                d=d,
                raw=float(known.raw[k]),
                expected=float(known.expected[k]),
                kappa=max(kappa, 0.0) if clip and kappa < 0 else kappa,
                kappa_max=float(known.kappa_max[k]),
                positive_agreement=float(known.positive[k]),
                negative_agreement=float(known.negative[k]),
                events_b=events[0] if events else None,
                events_c=events[1] if events else None,
                mcnemar_p_value=even_split_p(*events) if events else None,
                reason=reason,
            )
        )
    return tuple(categories)
