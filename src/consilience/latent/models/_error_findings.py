"""What to know before the labels of Dawid & Skene's model are used."""

from __future__ import annotations

import math

import numpy as np

from consilience.document import Finding
from consilience.latent.models._em import Fit
from consilience.latent.models._sparse_ratings import Votes
from consilience.latent.models._truth_model import RaterQuality, common_findings, unused_labels
from consilience.ratings import Ratings

OTHER_MODE = 1e-3  # log-likelihoods that differ by more belong to different solutions
_NO_ITEM = 0.01  # expected items of a label below which it counts as gone


def findings_of(
    ratings: Ratings,
    votes: Votes,
    fit: Fit,
    starts: tuple[float, ...],
    *,
    singular: bool,
) -> list[Finding]:
    """Say what to know before the labels are used."""
    done = fit.history.size
    out = common_findings(ratings, votes, converged=fit.converged, max_iterations=done)
    out += unused_labels(ratings, votes)
    out += _vanished(ratings, votes, fit)
    if singular:
        out.append(
            Finding(
                "not_identified",
                "problem",
                "These ratings fit many different error rates equally well, so the labels rest on "
                "the starting point. Let at least three raters rate the same items, or use "
                'model="one-coin".',
            )
        )
    if max(starts) - min(starts) > OTHER_MODE:
        out.append(
            Finding(
                "several_modes",
                "caution",
                f"The starts ended at log-likelihoods from {min(starts):.3f} to {max(starts):.3f} "
                f"(vote shares: {starts[0]:.3f}); the classes of the highest need not be the "
                "labels. Compare with n_starts=1 before using it.",
            )
        )
    if votes.n_repeats:
        out.append(
            Finding(
                "repeated_ratings",
                "info",
                f"{votes.n_repeats:,} repeated ratings of the same item by the same rater count "
                "as separate ratings.",
            )
        )
    return out


def outnumbered(votes: Votes, *, one_coin: bool) -> bool:
    """Say whether there are more rates to find than patterns of ratings to find them from."""
    q, raters = votes.n_labels, votes.n_raters
    rates = raters if one_coin else raters * q * (q - 1)
    few = raters * math.log(q) < 40.0  # beyond, there are patterns enough
    return not votes.n_repeats and few and q - 1 + rates > q**raters - 1


def _vanished(ratings: Ratings, votes: Votes, fit: Fit) -> list[Finding]:
    """Name labels that raters used and that no item is left with."""
    used = votes.totals().sum(axis=0) > 0
    gone = np.flatnonzero(used & (fit.step.share_j * votes.n_rated < _NO_ITEM))
    if not gone.size:
        return []
    names = ", ".join(repr(ratings.categories[k]) for k in gone[:5].tolist())
    return [
        Finding(
            "vanished_labels",
            "caution",
            f"Raters used {names}, and yet the model gives it to no item: it takes every such "
            "rating for an error. Look at these items before the labels are used.",
        )
    ]


def below_chance(raters: tuple[RaterQuality, ...], n_labels: int) -> list[Finding]:
    """Name raters who are right less often than by guessing."""
    worse = [one for one in raters if one.high < 1.0 / n_labels]
    if not worse:
        return []
    names = ", ".join(str(one.rater) for one in worse[:3])
    return [
        Finding(
            "below_chance",
            "problem",
            f"{names}{' and others' if len(worse) > 3 else ''}: right less often than by guessing; "
            "ask whether the labels were mixed up.",
        )
    ]
