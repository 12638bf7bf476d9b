"""Results of comparing segmentations."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from consilience.core.arrays import Floats
from consilience.core.words import interval_head, sentence
from consilience.document import Document, Paragraph, Recorded, Table
from consilience.inference import Interval
from consilience.units.model._sessions import (
    KAPPA,
    SHARE,
    Draws,
    SampledSessions,
    no_interval,
)
from consilience.units.model._unit_results import (
    PAIR,
    Enveloped,
    Led,
    SessionsDrawn,
)
from consilience.units.model.unit_checks import check_word

SIMILARITIES = ("B", "S")
VALUES = ("observed", "pi", "kappa", "expected_pi", "expected_kappa", "bias")
HEAD = 6  # B: similarity and its maximum; S: the same; sum of shares, number of shares


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentationValue(Recorded):
    """Agreement by one similarity, and what chance alone would give."""

    similarity: str
    observed: float
    expected_pi: float
    expected_kappa: float
    pi: float
    kappa: float
    bias: float
    status: str
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentationPair(Recorded):
    """Two raters: edits over all their texts, pooled similarities, and the mean over texts."""

    first: str
    second: str
    n_texts: int
    b: float
    s: float
    mean_b: float
    matches: int
    near_misses: int
    substitutions: int
    misses: int


@dataclass(frozen=True, kw_only=True)
class Segmentation(Led, SessionsDrawn, Enveloped):
    """Agreement of raters who divided texts; see `segmentation`.

    Attributes
    ----------
    b, s : SegmentationValue
        By boundary similarity and by segmentation similarity.
    pairs : tuple of SegmentationPair
    boundaries : mapping of rater to (boundaries, possible boundaries)
    """

    b: SegmentationValue
    s: SegmentationValue
    pairs: tuple[SegmentationPair, ...] = field(repr=False)
    boundaries: Mapping[str, tuple[int, int]]
    sessions: tuple[str, ...] = field(repr=False)
    dropped: tuple[tuple[str, str], ...] = field(repr=False)
    draws: Draws = field(repr=False)
    _parts: Floats = field(repr=False)

    @property
    def _leading(self) -> SegmentationValue:
        return self.b

    @property
    def observed(self) -> float:
        """Observed agreement A_a by boundary similarity."""
        return self.b.observed

    @property
    def pi(self) -> float:
        """Chance-corrected agreement with one distribution shared by all raters."""
        return self.b.pi

    @property
    def kappa(self) -> float:
        """Chance-corrected agreement with each rater's own share of boundaries."""
        return self.b.kappa

    @property
    def value(self) -> float:
        """The same as `pi`."""
        return self.b.pi

    @property
    def bias(self) -> float:
        """How much the raters' shares of boundaries differ: A_e(pi) - A_e(kappa)."""
        return self.b.bias

    @property
    def mean_b(self) -> float:
        """Mean over pairs of raters of their mean boundary similarity."""
        values = np.array([pair.mean_b for pair in self.pairs])
        return float(values[np.isfinite(values)].mean()) if np.isfinite(values).any() else math.nan

    @cached_property
    def _sample(self) -> SampledSessions:
        return self.draws.sampled(
            self._parts,
            lambda sums: np.concatenate([values_of(sums, x) for x in SIMILARITIES], axis=-1),
        )

    def confidence_interval(
        self,
        confidence_level: float = 0.95,
        method: str = "auto",
        *,
        name: str = "pi",
        similarity: str = "B",
    ) -> Interval:
        """Interval from resampling sessions; without limits if there are fewer than 8.

        Parameters
        ----------
        confidence_level : float, default 0.95
        method : {"auto", "session-jackknife", "session-bootstrap"}
        name : {"observed", "pi", "kappa", "expected_pi", "expected_kappa", "bias"}
        similarity : {"B", "S"}
        """
        level = self._level(confidence_level, method)
        check_word("name", name, VALUES)
        check_word("similarity", similarity, SIMILARITIES)
        column = SIMILARITIES.index(similarity) * len(VALUES) + VALUES.index(name)
        ends = KAPPA if name in ("pi", "kappa", "bias") else SHARE
        return self._sample.interval(level, method, column=column, ends=ends)

    def _estimates(self) -> Iterator[dict[str, Any]]:
        for value in (self.b, self.s):
            for name in ("pi", "kappa"):
                yield {
                    "coefficient": f"{name}_{value.similarity}",
                    "value": getattr(value, name),
                    "observed": value.observed,
                    "expected": getattr(value, f"expected_{name}"),
                    "status": value.status,
                    "reason": value.reason,
                    "interval": self.confidence_interval(
                        self.draws.confidence_level, name=name, similarity=value.similarity
                    ),
                }

    def _sizes(self) -> dict[str, Any]:
        return {"raters": len(self.boundaries), "sessions": len(self.sessions)}

    def to_dict(self) -> dict[str, Any]:
        """Return the record with estimates, pairs and parameters."""
        return self._record(
            self.draws.seed,
            similarities=[self.b, self.s],
            pairs=self.pairs,
            boundaries=self.boundaries,
            mean_b=self.mean_b,
        )

    def document(self) -> Document:
        """Return the result as something to read."""
        values = Table.of(
            self._estimates(),
            ("coefficient", lambda one: "{}* ({})".format(*one["coefficient"].split("_"))),
            "value",
            f"{interval_head(self.draws.confidence_level)}: interval",
            "observed",
            "chance: expected",
        )
        pairs = Table.of(
            self.pairs,
            PAIR,
            "B: b",
            "S: s",
            "matches",
            "near misses",
            "misses",
            caption="Each pair of raters",
        )
        marked = ", ".join(f"{name} {n} of {of}" for name, (n, of) in self.boundaries.items())
        n_t = self.parameters["n_t"]
        near = f"up to {n_t - 1} apart count as near misses" if n_t > 1 else "apart are misses"
        said = f"Boundaries marked: {marked}; those {near}."
        if not self._sample.is_enough:
            few = no_interval(self._sample.n_sessions, self.draws.confidence_level)
            said += f" {sentence(few.note)}"
        if self.reason:
            said += f" Not defined: {self.reason}."
        blocks = (Paragraph(said), values, pairs)
        return Document(title="Segmentation", blocks=blocks, findings=self.findings)


def values_of(sums: Floats, similarity: str) -> Floats:
    """Return observed, pi, kappa, both chance agreements and bias from sums (…, parts).

    Fournier & Inkpen 2012: agreement by chance is the share of boundaries squared (pi), or the
    mean product of two raters' shares (kappa); Fournier 2013 puts B in the place of S.
    """
    at = 2 * SIMILARITIES.index(similarity)
    n = (sums.shape[-1] - HEAD) // 2
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = sums[..., at] / sums[..., at + 1]
        by_pi = (sums[..., 4] / sums[..., 5]) ** 2
        p = sums[..., HEAD : HEAD + n] / sums[..., HEAD + n :]
        # Mean of P_m P_n over the pairs of raters that have a share.
        known = np.isfinite(p)
        p = np.where(known, p, 0.0)
        m = known.sum(axis=-1)
        by_kappa = (p.sum(axis=-1) ** 2 - (p**2).sum(axis=-1)) / (m * (m - 1))
        pi, kappa = ((observed - e) / (1.0 - e) for e in (by_pi, by_kappa))
    pi, kappa = (np.where(1.0 - e > 1e-12, x, np.nan) for x, e in ((pi, by_pi), (kappa, by_kappa)))
    return np.stack([observed, pi, kappa, by_pi, by_kappa, by_pi - by_kappa], axis=-1)
