"""Run the benchmarks: ``python -m benchmarks [--quick] [--only NAME]``.

Exit code 1: a program's values differ from ours, or (at full size) a goal was missed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from benchmarks import _environment as environment
from benchmarks import _render as render
from benchmarks._cases import CASES, Case, Record, disagreements
from benchmarks._growth import as_markdown, curves

_GROWTH = """
## Growth

Best time for so many ratings, and the exponent of growth from a million ratings on: 1 is
proportional to the data, less is better.

"""
_PAGE = environment.ROOT / "docs" / "benchmarks.md"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the chosen cases, print them, and write the page when all ran at full size."""
    options = _options(arguments)
    scale = 0.1 if options.quick else 1.0
    chosen = [case for case in CASES if not options.only or case.name in options.only]
    machine = environment.machine()
    print(render.header(machine), flush=True)
    results, wrong, missed = [], [], 0
    for case in chosen:
        records = _run(case, scale, rounds=1 if options.quick else 2)
        print(render.as_text(case, records, scale), flush=True)
        wrong += disagreements(case, records)
        missed += sum(not met for *_, met in render.goals(case, records))
        results.append((case, records))
    for line in wrong:
        print(f"VALUES DIFFER: {line}", file=sys.stderr)
    if wrong:
        return 1
    print("All programs agree on the values.")
    if options.quick:
        print("Goals are set for the full sizes; a FAIL here does not count.")
        return 0
    if not options.only:
        growth = as_markdown(curves())
        print(growth)
        page = render.as_page(results, scale, machine) + _GROWTH + growth + "\n"
        _PAGE.write_text(page, encoding="utf-8")
    return 1 if missed else 0


def _run(case: Case, scale: float, *, rounds: int) -> dict[str, Record]:
    """Measure the programs in turn, more than once: what disturbs one round may spare the next."""
    records: dict[str, Record] = {}
    for turn in range(rounds):
        for program in case.programs:
            if turn and program.checks_only:
                continue
            record = environment.measure(
                program.call, case.scaled(scale), home=program.home, seconds=6.0 * scale / rounds
            )
            records[program.call] = _better(records.get(program.call, record), record)
    return records


def _better(first: Record, second: Record) -> Record:
    kept = min(first, second, key=lambda record: record["best"])
    if kept["baseline"] is None:
        return kept
    return {**kept, "baseline": min(first["baseline"], second["baseline"])}


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the sizes")
    parser.add_argument(
        "--only",
        action="append",
        choices=[case.name for case in CASES],
        metavar="NAME",
        help="one case; may be repeated: " + ", ".join(case.name for case in CASES),
    )
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
