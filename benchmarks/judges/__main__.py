"""Write the tables of docs/judges.md: ``python -m benchmarks.judges [--studies N]``."""

from __future__ import annotations

import argparse
import math
import sys

from benchmarks.judges.panels import PanelDesign, panel_outcome
from benchmarks.judges.rates import (
    Outcome,
    coverage,
    designs,
    difference_coverage,
    fresh_designs,
)
from benchmarks.judges.watching import false_alarms
from consilience.judges import rate_estimators as summed_shares

INSIDE = (0.93, 0.975)


def beyond_chance(one: Outcome) -> bool:
    """Tell whether a design lies outside by more than two standard errors of its simulation."""
    reach = 2.0 * math.sqrt(one.covered * (1.0 - one.covered) / one.studies)
    return one.covered + reach < INSIDE[0] or one.covered - reach > INSIDE[1]


def told(name: str, outcomes: list[Outcome]) -> str:
    """Return one line of the table."""
    covered = [one.covered for one in outcomes]
    inside = sum(INSIDE[0] <= x <= INSIDE[1] for x in covered) / len(covered)
    above = sum(x > INSIDE[1] for x in covered) / len(covered)
    sure = sum(beyond_chance(one) for one in outcomes)
    widest = max(one.width for one in outcomes)
    mean = sum(one.width for one in outcomes) / len(outcomes)
    return (
        f"| {name} | {len(covered)} | {min(covered):.3f} | {max(covered):.3f} | {inside:.0%} | "
        f"{above:.0%} | {sure} | {mean:.2f} | {widest:.2f} |"
    )


def rates(studies: int, seed: int) -> None:
    """Print how often intervals of rates hold the truth."""
    print(
        "| what | designs | least | most | within 93-97.5% | above | "
        "beyond chance | width | widest |"
    )
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    grid, fresh = list(designs()), list(fresh_designs(60, seed))
    clustered = list(designs(clusters=True))
    for name, chosen, method in (
        ("rate, people alone", grid, "people"), ("rate, auto", grid, "auto"),
        ("rate, auto, designs at random", fresh, "auto"), ("rate, ppi++", grid, "ppi++"),
        ("rate, four answers per prompt", clustered, "auto"),
    ):  # fmt: skip
        _print(name, [coverage(one, method, studies, seed + k) for k, one in enumerate(chosen)])
    for name, paired in (("difference of two systems", False), ("the same, on pairs", True)):
        _print(name, [difference_coverage(one, 0.1, studies // 2, seed + k, paired=paired)
                      for k, one in enumerate(grid)])  # fmt: skip


def _print(name: str, found: list[Outcome]) -> None:
    print(told(name, found), flush=True)
    out = [one for one in found if not INSIDE[0] <= one.covered <= INSIDE[1]]
    for one in sorted(out, key=lambda one: one.covered):
        print(f"{one.design} {one.covered:.3f}", file=sys.stderr)


def watches(studies: int, seed: int) -> None:
    """Print how often a judge that has not changed is accused."""
    print("\n| baseline | agreement | looks | false alarms |\n| --- | ---: | ---: | ---: |")
    for name, known in (("told", True), ("the first batch", False)):
        for rate in (0.7, 0.85, 0.97):
            share = false_alarms(studies, 100, told=known, seed=seed, rate=rate)
            print(f"| {name} | {rate:g} | 100 | {share:.3f} |", flush=True)


def panels(studies: int, seed: int) -> None:
    """Print how often judges are said to err together, and how often the interval holds."""
    print("\n| judges | items | error rate | correlation | found | interval holds |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: |")
    for n in (3, 6):
        for items in (100, 400):
            for errors in (0.05, 0.2):
                for shared in (0.0, 0.2, 0.42):
                    design = PanelDesign(n, items, errors, shared)
                    fires, holds = panel_outcome(design, studies, seed=seed + n + items)
                    line = (
                        f"| {n} | {items} | {errors:g} | {shared:g} | {fires:.3f} | {holds:.3f} |"
                    )
                    print(line, flush=True)


PARTS = {"rates": rates, "watches": watches, "panels": panels}


def main() -> None:
    """Simulate what is asked for, and print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--studies", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--parts", nargs="*", choices=PARTS, default=list(PARTS))
    options = parser.parse_args()
    summed_shares.STEPS = 30  # limits to the third digit, several times as fast
    for name in options.parts:
        PARTS[name](options.studies, options.seed)


if __name__ == "__main__":
    main()
