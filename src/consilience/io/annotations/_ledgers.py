"""The account of files of units: every reader's ledger, and the units that found no place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from consilience.core.account import Account, Ledger
from consilience.io.annotations._rater_rules import Places
from consilience.io.annotations.strands import Found

NOT_MEASURED = "they are not measured yet"
TIERED = ("eaf", "textgrid")  # formats whose tiers are there even when they are empty


def pooled(accounts: Iterable[Account]) -> Account:
    """Put accounts together; the same thing in many files is told once, with its number."""
    ledger = Ledger()
    for account in accounts:
        for kind, count in account.used.items():
            ledger.use(kind, count)
        for one in account.set_aside:
            ledger.set_aside(one.kind, one.name, one.count, reason=one.reason, matters=one.matters)
    return ledger.close()


def n_units(found: Found, rows: Iterable[int]) -> int:
    """Count units; the fragments of one are one."""
    chosen = list(rows)
    if found.span is None:
        return len(chosen)
    whole = [found.span[row] for row in chosen]
    return sum(span is None for span in whole) + len({span for span in whole if span is not None})


def account_of(
    ledger: Ledger,
    format_name: str,
    founds: Sequence[Found],
    places: Sequence[Places],
    reasons: Sequence[dict[int, tuple[str, bool]]],
) -> Account:
    """Close all ledgers: what the readers wrote down, and which units and tiers were placed."""
    for found, by, why in zip(founds, places, reasons, strict=True):
        strand = np.asarray(found.strand, dtype=np.int64)
        rows: dict[int, list[int]] = {}
        for row, number in enumerate(strand.tolist()):
            rows.setdefault(number, []).append(row)
        tiers: Counter[str] = Counter()
        for number, place in enumerate(by):
            units = n_units(found, rows.get(number, ()))
            name = found.strands[number].fact("observation") or found.strands[number].tier
            if place is not None:
                ledger.use("units", units)
                tiers["used"] += 1
                continue
            reason, matters = why.get(number, ("it was not asked for", False))
            matters = matters and bool(units)
            ledger.set_aside("units", name, units, reason=reason, matters=matters)
            if format_name in TIERED:
                ledger.set_aside("tiers", name, reason=reason, matters=matters)
        if format_name in TIERED:
            ledger.use("tiers", tiers["used"])
    ledger.use("files", len(founds))
    return pooled([ledger.close(), *(found.ledger.close() for found in founds)])
