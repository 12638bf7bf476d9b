"""The share of every label behind a judge's verdicts."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from consilience.core.arrays import Floats, Ints
from consilience.core.checks import check_word
from consilience.core.interval import Interval, check_confidence_level
from consilience.exceptions import UnsupportedDesignError
from consilience.judges.misclassification import confusion_shares
from consilience.judges.rate_results import CorrectedShares, Rate
from consilience.judges.rates import fitted, rate_of
from consilience.judges.two_phase import TwoPhase, t_limits
from consilience.judges.verdicts import REFUSED, verdicts_of
from consilience.ratings.duplicates import need_one_occasion


def corrected_shares(
    ratings: Any,
    *,
    judge: Any = None,
    people: Any = None,
    gold: Any = None,
    method: Literal["auto", "double-sampling", "confusion", "people"] = "auto",
    clusters: Any = None,
    refusals: Any = (),
    confidence_level: float = 0.95,
) -> CorrectedShares:
    """Say how often people would give each label, from a judge's verdicts and some people's labels.

    Use it for more than two labels. "confusion" turns the judge's confusion of labels round, as
    Rogan and Gladen do for two, and holds also where labelled items were chosen by their label.

    Parameters
    ----------
    ratings : Ratings
        Of the judge on all items and of people on some.
    judge, people, gold, clusters, refusals
        As for `corrected_rate`; of several people on an item the most frequent label counts.
    method : {"auto", "double-sampling", "confusion", "people"}
        "auto" is double sampling.
    confidence_level : float, default 0.95

    Returns
    -------
    CorrectedShares

    Examples
    --------
    >>> from consilience import Ratings
    >>> verdicts = ["good"] * 60 + ["fair"] * 60 + ["poor"] * 60
    >>> labels = [("poor" if k % 4 == 0 else v) if k % 2 == 0 else None
    ...           for k, v in enumerate(verdicts)]
    >>> both = Ratings.from_wide({"gpt-4o": verdicts, "Ann": labels})
    >>> found = corrected_shares(both, judge="gpt-4o")
    >>> [round(one.value, 2) for one in found.shares]
    [0.17, 0.17, 0.67]
    """
    level = check_confidence_level(confidence_level)
    check_word("method", method, ("auto", "double-sampling", "confusion", "people"))
    table = verdicts_of(
        ratings, judges=judge, people=people, gold=gold, refusals=refusals, clusters=clusters
    )
    need_one_occasion("shares of labels", table.ratings)
    asked = table.codes[:, 0] >= 0 if method == "confusion" else table.asked(0)
    truth, state = table.truth[asked], table.codes[asked, 0]
    given = np.unique(np.concatenate([truth[truth >= 0], state[state >= 0]]))
    used = [int(k) for k in given]
    if len(used) < 2:
        raise UnsupportedDesignError.needs(
            "shares of labels", "two labels or more", f"{len(used)}", "look at the file"
        )
    place = np.full(len(table.labels) + 1, -1)
    place[used] = np.arange(len(used))
    truth, state = place[truth], np.where(state >= 0, place[state], len(used))
    cluster = None if table.cluster is None else table.cluster[asked]
    shares = _shares(truth, state, len(used), cluster, method=method, level=level)
    confusion = np.zeros((len(used), len(used)), dtype=np.int64)
    both = (truth >= 0) & (state < len(used))
    np.add.at(confusion, (truth[both], state[both]), 1)
    return CorrectedShares(
        labels=tuple(table.labels[k] for k in used),
        shares=tuple(shares),
        apparent=tuple(float((state == k).mean()) for k in range(len(used))),
        confusion=tuple(tuple(int(x) for x in row) for row in confusion),
        judge=table.judges[0],
        people=table.people,
        method=shares[0].method,
        n_verdicts=int(asked.sum()),
        n_labels=int((truth >= 0).sum()),
    )


def _shares(
    truth: Ints, state: Ints, n: int, cluster: Ints | None, *, method: str, level: float
) -> list[Rate]:
    if method == "confusion":
        p, errors, _ = confusion_shares(state, truth, n, cluster)
        limits = [t_limits(float(v), float(e), None, is_rate=True)
                  for v, e in zip(p, errors, strict=True)]  # fmt: skip
        return [
            Rate(value=float(v), standard_error=float(e), method=method,
                 interval=Interval(*cut(level), level, method))
            for v, e, cut in zip(p, errors, limits, strict=True)
        ]  # fmt: skip
    how = "double-sampling" if method == "auto" else method
    out = []
    for k in range(n):
        right: Floats = np.where(truth >= 0, truth == k, np.nan)
        kinds = np.where(state == n, REFUSED, state == k).astype(np.int64)
        said = state if how == "double-sampling" else kinds
        sample = TwoPhase((state == k).astype(np.float64), right, _dense(said), cluster)
        out.append(rate_of(fitted(sample, how), level))
    return out


def _dense(state: Ints) -> Ints:
    return np.asarray(np.unique(state, return_inverse=True)[1])
