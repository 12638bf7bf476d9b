"""Sample after sample from the same annotators, side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from consilience.coefficients import Estimate, estimate, registry
from consilience.core.draws import RandomStream
from consilience.core.resample import Seed, check_resamples
from consilience.core.result import Several, Unremarked
from consilience.document import Cell, Document, InPlace, Recorded, Table
from consilience.ratings import Ratings
from consilience.simulate._simulator import Simulated, Simulator
from consilience.simulate.sampling import source_of

_USUAL = ("cohen_kappa", "scott_pi")
_MOST_CELLS = 4  # of a cross-table that is shown beside each sample


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample(Recorded):
    """One study.

    Attributes
    ----------
    table : tuple of tuples of int
        The cross-table of two raters; empty with more of them.
    observed : float
        Observed agreement.
    estimates : tuple of Estimate
    """

    table: tuple[tuple[int, ...], ...]
    observed: float
    estimates: tuple[Estimate, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Samples(Recorded, Unremarked, Several):
    """Studies of the same annotators: what another sample would have shown."""

    n_items: int
    n_raters: int
    samples: tuple[Sample, ...]

    def document(self) -> Document:
        """Return one line for each study."""
        names = [_short(one.name) for one in self.samples[0].estimates]
        shown = 0 < sum(map(len, self.samples[0].table)) <= _MOST_CELLS
        table = Table.of(
            enumerate(self.samples, start=1),
            "study: 0!s",
            ("table by rows", "1.table", _by_rows) if shown else None,
            "observed: 1.observed",
            ([head for name in names for head in (name, f"chance ({name})")], _estimates),
            caption="More samples from the same annotators",
        )
        told = (
            f"{len(self.samples):,} studies of {self.n_items:,} items by the same "
            f"{self.n_raters:,} raters. {self._spread()}"
        )
        return Document.of(told, table, title="Samples")

    def _spread(self) -> str:
        first = [one.estimates[0] for one in self.samples]
        values = [each.value for each in first if math.isfinite(each.value)]
        if not values:
            return f"{first[0].name} is undefined in all of them."
        return f"{first[0].name} runs from {min(values):.3f} to {max(values):.3f}."

    def __repr__(self) -> str:
        return f"Samples({len(self.samples)} of {self.n_items} items)"


def _by_rows(table: Sequence[Sequence[int]]) -> str:
    return " | ".join(" ".join(map(str, line)) for line in table)


def _estimates(study: tuple[int, Sample]) -> list[Cell]:
    return [
        cell
        for one in study[1].estimates
        for cell in (one.value if one.status == "ok" else InPlace("undefined"), one.expected)
    ]


def _short(name: str) -> str:
    return name.rsplit(" ", 1)[-1]


def samples(
    design: Simulator | Simulated | Ratings,
    n_samples: int = 5,
    *,
    coefficients: Sequence[str] = _USUAL,
    n_items: int | None = None,
    rng: Seed = None,
) -> Samples:
    """Draw sample after sample from the same annotators, and measure each.

    Use it to see, rather than be told, how far a coefficient moves from one sample to the next.
    Prefer `sampling_distribution` for the bias, the spread and the coverage of the intervals.

    Parameters
    ----------
    design : Simulator, what `simulate` returned, or Ratings
        Ratings stand for all items that there are.
    n_samples : int, default 5
    coefficients : names or aliases, default Cohen's kappa and Scott's pi
    n_items : int, default as many as the design has
    rng : seed or numpy Generator

    Returns
    -------
    Samples

    References
    ----------
    .. [1] Evert, S. & Baroni, M. Statistics for linguists with R: a SIGIL course. Unit 9, slides
       25 to 28.

    Examples
    --------
    >>> from consilience import datasets
    >>> drawn = samples(datasets.load("di_eugenio_glass_2004_bias"), 3, rng=1)
    >>> len(drawn.samples), drawn.n_items
    (3, 150)
    """
    check_resamples(n_samples)
    source = source_of(design)
    size = source.n_items if n_items is None else n_items
    random = RandomStream.of(rng)
    chosen = [registry[name] for name in coefficients]
    found = []
    for _ in range(n_samples):
        ratings = source.draw(n_items=size, rng=random).ratings
        estimates = tuple(estimate(one, (ratings,), on_undefined="ignore") for one in chosen)
        found.append(
            Sample(
                table=_cross_table(ratings),
                observed=estimates[0].observed if estimates[0].observed is not None else math.nan,
                estimates=estimates,
            )
        )
    return Samples(n_items=size, n_raters=source.n_raters, samples=tuple(found))


def _cross_table(ratings: Ratings) -> tuple[tuple[int, ...], ...]:
    if len(ratings.raters) != 2 or not ratings.categories:
        return ()
    return tuple(tuple(line) for line in ratings.table(*ratings.raters).tolist())
