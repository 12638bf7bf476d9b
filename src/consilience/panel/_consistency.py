"""A judge against itself: repeated runs of a model, and answers with the order turned round."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from consilience.core.result import Several
from consilience.document import Document, Finding, Recorded, Table, found
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.panel._label_precision import wilson
from consilience.panel._resampled_means import Value
from consilience.ratings import Ratings
from consilience.ratings.item_codes import code_matrix, refusal_words

if TYPE_CHECKING:
    from consilience.latent import RaterStability


_CAPTION = "Asked again with the two candidates in the other order"


def stability_of(ratings: Ratings, confidence_level: float) -> tuple[RaterStability, ...]:
    """Measure raters who rated items more than once against themselves; none is no error.

    Repeated runs of one model are occasions, not raters: they tell how stable the model is, and
    nothing about whether it is right.
    """
    if len(ratings.occasions) < 2:
        return ()
    from consilience.latent import intra_rater

    found = intra_rater(
        ratings, coefficient="krippendorff_alpha", confidence_level=confidence_level
    )
    return found.raters


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionSwap(Recorded, Several):
    """Whether judges keep to their answer when the two candidates change places.

    Attributes
    ----------
    rows : dict
        Judge to (items judged in both orders, share consistent, share that keep to the place).
    """

    rows: dict[object, tuple[int, Value, float]]
    swap: dict[str, str]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Judges who follow the place rather than the candidate."""
        return found(
            *(
                (
                    place > 0.1,
                    "position_bias",
                    "caution",
                    f"{judge} keeps to the place instead of the candidate on {place:.0%} of the "
                    "items judged in both orders. Judge every pair twice and count only answers "
                    "that hold.",
                )
                for judge, (_, _, place) in self.rows.items()
            )
        )

    def _beside(self) -> dict[str, Any]:
        return {
            "rows": [
                {"rater": judge, "items": n, "consistent": share, "same_place": place}
                for judge, (n, share, place) in self.rows.items()
            ]
        }

    def document(self) -> Document:
        """Return the shares as a table."""
        table = Table.of(
            self.rows.items(),
            "judge: 0!s",
            "items: 1.0",
            "consistent: 1.1.value",
            "interval: 1.1.interval",
            "keeps the place: 1.2",
            caption=_CAPTION,
        )
        return Document.of(table, title="Position swaps", findings=self.findings)


def position_swap(
    original: Ratings,
    swapped: Ratings,
    *,
    swap: Mapping[str, str] | None = None,
    refusals: Any = (),
    confidence_level: float = 0.95,
) -> PositionSwap:
    """Compare verdicts with those on the same items, the two candidates having changed places.

    Parameters
    ----------
    original, swapped : Ratings
        The same items and judges, shown in one order and in the other.
    swap : mapping, optional
        Which label stands for which after the change; default A and B, first and second, left and
        right, 1 and 2, where these are labels. All other labels (a tie) stay what they are.
    refusals : labels that mean refused or unparsable
        Items refused in either order are left out: two refusals are no answer that holds.

    Returns
    -------
    PositionSwap

    Examples
    --------
    >>> first = Ratings.from_wide({"gpt": ["A", "A", "tie", "B"]})
    >>> again = Ratings.from_wide({"gpt": ["B", "A", "tie", "A"]})
    >>> found = position_swap(first, again)
    >>> found.rows["gpt"][1].value, found.rows["gpt"][2]
    (0.75, 0.25)
    """
    left_out = refusal_words(refusals)
    labels = {str(label) for label in (*original.categories, *swapped.categories)} - left_out
    turned = dict(swap) if swap is not None else _guessed(labels)
    here = {str(name): k for k, name in enumerate(original.items)}
    there = [here.get(str(name), -1) for name in swapped.items]
    a, b = code_matrix(original), code_matrix(swapped)
    rows: dict[object, tuple[int, Value, float]] = {}
    for rater in original.raters:
        if rater not in swapped.raters:
            continue
        own = a[:, original.raters.index(rater)]
        again = b[:, swapped.raters.index(rater)]
        both = [
            (str(original.categories[own[i]]), str(swapped.categories[again[k]]))
            for k, i in enumerate(there)
            if i >= 0 and own[i] >= 0 and again[k] >= 0
        ]
        both = [pair for pair in both if not left_out.intersection(pair)]
        n = len(both)
        if n:
            share = sum(turned.get(x, x) == y for x, y in both) / n
            place = sum(x == y and x in turned for x, y in both) / n
            rows[rater] = (n, wilson(share, n, confidence_level), place)
    if not rows:
        raise UnsupportedDesignError.needs(
            "a comparison of both orders",
            "a judge who judged an item in both",
            "none",
            "check that items and judges are named alike in both orders",
        )
    return PositionSwap(rows=rows, swap=turned)


def _guessed(labels: set[str]) -> dict[str, str]:
    for one, two in (("A", "B"), ("a", "b"), ("first", "second"), ("left", "right"), ("1", "2"),
                     ("model_a", "model_b"), ("0", "1")):  # fmt: skip
        if {one, two} & labels:
            return {one: two, two: one}
    raise InputError.expected(
        "swap",
        "given, which label stands for which after the change",
        sorted(labels)[:6],
        'as in swap={"A": "B", "B": "A"}',
    )
