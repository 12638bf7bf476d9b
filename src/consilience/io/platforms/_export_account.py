"""The account of an export: every entry that was found is used, or set aside with its reason."""

from __future__ import annotations

from collections import Counter

from consilience.core.account import Account, Ledger
from consilience.io.platforms.export_entries import Annotations
from consilience.io.request import Request

_KINDS = {
    "prediction": "proposals of systems were left out",
    "gold": "right answers were left out",
}


def export_account(found: Annotations, kept: Annotations, request: Request) -> Account:
    """Return what became of every entry: `found` are all, `kept` those of the chosen variables."""
    ledger = Ledger()
    names = set(kept.variable)
    left = Counter(zip(kept.item, kept.rater, kept.variable, kept.kind, kept.place, strict=True))
    for k, variable in enumerate(found.variable):
        key = (found.item[k], found.rater[k], variable, found.kind[k], found.place[k])
        if left[key] > 0:
            left[key] -= 1
            _entry(ledger, found, k, request)
            continue
        reason = _KINDS.get(found.kind[k], "items that test people were left out")
        if variable not in names:
            reason = "answers to other questions"
        ledger.set_aside("entries", variable, reason=reason, matters=False)
    return ledger.close() + found.ledger.close()


def _entry(ledger: Ledger, found: Annotations, k: int, request: Request) -> None:
    state, reason = found.state[k], found.reason[k]
    if not request.counts(state, reason):
        ledger.set_aside(
            "entries", found.variable[k], reason=f"excluded: {reason or state}", matters=False
        )
    elif found.label[k] is None and not (state == "empty" and request.empty != "missing"):
        ledger.set_aside("entries", found.variable[k], reason="asked, no label", matters=False)
    else:
        ledger.use("entries")
