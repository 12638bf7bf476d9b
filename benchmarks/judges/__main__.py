"""Write the tables of docs/judges.md: ``python -m benchmarks.judges [--studies N]``."""

from __future__ import annotations

import argparse
import sys

from benchmarks.judges.panels import PanelDesign, panel_outcome
from benchmarks.judges.rates import Outcome, coverage, designs, difference_coverage

INSIDE = (0.93, 0.975)


def told(name: str, outcomes: list[Outcome]) -> str:
    """Return one line of the table."""
    covered = [one.covered for one in outcomes]
    inside = sum(INSIDE[0] <= x <= INSIDE[1] for x in covered) / len(covered)
    above = sum(x > INSIDE[1] for x in covered) / len(covered)
    widest = max(one.width for one in outcomes)
    mean = sum(one.width for one in outcomes) / len(outcomes)
    return (
        f"| {name} | {len(covered)} | {min(covered):.3f} | {max(covered):.3f} | {inside:.0%} | "
        f"{above:.0%} | {mean:.2f} | {widest:.2f} |"
    )


def main() -> None:
    """Simulate every design and print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--studies", type=int, default=2_000)
    studies = parser.parse_args().studies
    print("| what | designs | least | most | within 93-97.5% | above | width | widest |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for method in ("people", "auto", "ppi++"):
        found = [coverage(one, method, studies, seed) for seed, one in enumerate(designs())]
        print(told(f"rate, {method}", found), flush=True)
        worst = sorted(found, key=lambda one: one.covered)[:3]
        print(*(f"{one.design} {one.covered:.3f}" for one in worst), sep="\n", file=sys.stderr)
    clustered = [
        coverage(one, "auto", studies, seed) for seed, one in enumerate(designs(clusters=True))
    ]
    print(told("rate, four answers per prompt", clustered), flush=True)
    worst = sorted(clustered, key=lambda one: one.covered)[:3]
    print(*(f"{one.design} {one.covered:.3f}" for one in worst), sep="\n", file=sys.stderr)
    differences = [
        difference_coverage(one, 0.1, studies, seed) for seed, one in enumerate(designs())
    ]
    print(told("difference of two systems", differences), flush=True)
    print("\n| judges | items | error rate | shared | fires | interval holds |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: |")
    for n in (3, 6):
        for items in (100, 400):
            for errors in (0.05, 0.2):
                for shared in (0.0, 0.2, 0.42):
                    design = PanelDesign(n, items, errors, shared)
                    fires, holds = panel_outcome(design, max(studies // 4, 100), seed=n + items)
                    print(f"| {n} | {items} | {errors:g} | {shared:g} | {fires:.3f} | "
                          f"{holds:.3f} |", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
