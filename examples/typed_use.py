"""A program with types that uses Consilience: what an editor and a type checker see.

Measures the labels of three people and prints the answer with its interval.
"""

from __future__ import annotations

from pathlib import Path

import consilience as cs

FILE = Path(__file__).parent / "labels.csv"


def lower_limit(ratings: cs.Ratings, *, level: float = 0.95) -> float:
    """Return the lower end of alpha's interval."""
    estimate: cs.Estimate = cs.krippendorff_alpha(ratings)
    interval: cs.Interval = estimate.confidence_interval(confidence_level=level)
    return interval.low


def main() -> None:
    """Print the answer."""
    ratings: cs.Ratings = cs.read(FILE)
    summary: cs.Summary = cs.measure(ratings)
    alpha: cs.Estimate = summary["krippendorff_alpha"]
    value: float = alpha.value
    names: list[str] = [str(rater) for rater in ratings.raters or ()]
    print(f"{len(names)} raters: {', '.join(names)}")
    print(f"{ratings.n_items} items, {ratings.n_ratings} ratings")
    print(f"alpha {value:.3f}")
    print(f"its 95% interval begins at {lower_limit(ratings):.3f}")


if __name__ == "__main__":
    main()
