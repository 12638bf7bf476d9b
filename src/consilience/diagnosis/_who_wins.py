"""Which of the causes that could be is the cause: the cheapest that gains about as much."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from consilience.diagnosis._cause import LEAST_GAIN, Candidate, searches
from consilience.diagnosis._table import FEWEST_ITEMS, RatingTable

_MOST_CAUSES = 3
_HALF = 0.5
_OF_LEAVING_OUT = 0.6
_SECTION_OVER_DRIFT = 1.25
_OF_ONE_RATER = ("exchanged", "level", "spread", "drift")
_OF_RATERS = (*_OF_ONE_RATER, "guess", "apart")
_OF_ALL = ("confused", "nobody_shares", "section")
_LAST = ("rare", "items")


@dataclass(frozen=True)
class Named:
    """A cause in the table in which it was found: others that came before are gone from it."""

    table: RatingTable
    cause: Candidate

    @property
    def raters(self) -> tuple[object, ...]:
        """Names of the raters."""
        return tuple(self.table.raters[g] for g in self.cause.raters)


def causes_in(table: RatingTable) -> list[Named]:
    """Return the causes, one after the other: each is looked for in data without those before."""
    found: list[Named] = []
    every = {one.name: one for one in searches()}
    for name in ("order", "copied"):
        one = every.pop(name).find(table)
        if one is not None:
            found.append(Named(table, one))
            table = one.remedied()
    most_out, out = (table.n_raters - 1) // 2, 0
    for _ in range(2 * _MOST_CAUSES):
        if len(found) == _MOST_CAUSES or table.n_raters < 2 or table.n_items < FEWEST_ITEMS:
            break
        done = {one.cause.code for one in found}
        best = _winner(table, skip=done & {"groups"}, last=not found)
        if best is None:
            break
        out += len(best.raters) if best.code in ("guess", "apart") else 0
        if out > most_out:
            break
        named = Named(table, best)
        if not (found and best.code in _OF_RATERS and found[-1].raters == named.raters):
            found.append(named)  # the rest of what one rater does is no second cause
        if best.code in _LAST:
            break
        table = best.remedied()
    return found


def _winner(table: RatingTable, skip: set[str], *, last: bool) -> Candidate | None:
    share, by_code, order = {}, {}, []
    for search in searches():
        if search.place <= 0 or search.name in skip or search.name in _LAST:
            continue
        one = search.find(table)
        if one is not None:
            by_code[one.code] = one
            share[one.code] = search.share
            order.append(one)
    if not order:
        found = (one.find(table) for one in searches() if last and one.name in _LAST)
        return next((one for one in found if one is not None), None)
    largest = max(one.gain for one in order)
    best = next(one for one in order if one.gain >= share[one.code] * largest)
    return _weighed(table, best, by_code)


def _weighed(table: RatingTable, best: Candidate, found: dict[str, Candidate]) -> Candidate:
    """Give a cause to the rater whose it is, and a rater's to the stretch that explains more."""
    drift, section = found.get("drift"), found.get("section")
    if best is drift and section is not None and section.gain >= _SECTION_OVER_DRIFT * drift.gain:
        best = section
    exchanged = found.get("exchanged")
    if best.code == "confused" and exchanged is not None:
        same = set(exchanged.labels) >= set(best.labels)
        if same and exchanged.gain >= _HALF * best.gain:
            return exchanged
    lonely = found.get("nobody_shares")
    if best.code == "confused" and lonely is not None and lonely.facts["by_chance"]:
        best = lonely if lonely.labels[0] in best.labels else best
    if best.code in _OF_ALL:
        for code in _OF_RATERS:
            one = found.get(code)
            if one is None or len(one.raters) >= table.n_raters - 1:
                continue
            if _gain_without(table, best, one) <= _HALF * best.gain:
                return one
    if best.code in ("guess", "apart"):
        for code in _OF_ONE_RATER:
            one = found.get(code)
            if one is None or len(one.raters) != 1 or one.raters[0] not in best.raters:
                continue
            alone = table.without_each()[one.raters[0]] - table.alpha
            if one.gain >= max(_OF_LEAVING_OUT * alone, LEAST_GAIN):
                return one
    return best


def _gain_without(table: RatingTable, cause: Candidate, raters: Candidate) -> float:
    """Return what the remedy of a cause of all gains where some raters are left out."""
    keep = ~np.isin(np.arange(table.n_raters), raters.raters)
    if keep.sum() < 2:
        return cause.gain
    codes = np.where(keep, table.codes, -1)
    rest = table.of_codes(codes)
    if cause.code == "confused":
        first, second = cause.labels
        after = rest.of_codes(np.where(rest.codes == second, first, rest.codes))
    elif cause.code == "nobody_shares":
        after = rest.emptied(rest.codes == cause.labels[0])
    else:
        rows = table.rows[list(cause.items)]
        after = rest.only_items(~np.isin(rest.rows, rows))
    return after.alpha - rest.alpha
