"""Is a language model as good a judge as a person? Marks of three people and two systems.

Run it with ``python examples/llm_judge.py``. It reads ``verdicts_long.csv``, compares each system
with the people and the people with each other, and draws the figure ``llm_judge.svg``. Say which
loss of agreement would not matter (``MARGIN``) before you look at the result. If several items
come from one document, pass ``clusters=`` as well: intervals are then as wide as they should be.
"""

from __future__ import annotations

from pathlib import Path

import consilience as cs

FILE = Path(__file__).with_name("verdicts_long.csv")
SYSTEMS = ("gpt", "bert")
MEASURE = "cohen_kappa:quadratic"
MARGIN = 0.05
FIGURE = Path("llm_judge.svg")


def main() -> None:
    """Print the ceiling, each system's gap to it, and the verdict."""
    verdicts = cs.read(FILE, item="item", rater="judge", label="score")
    found = cs.panel.compare(
        verdicts,
        systems=SYSTEMS,
        scale="ordinal",
        coefficients=[MEASURE],
        refusals="refused",
        margin=MARGIN,
    )
    print(f"People among themselves: weighted kappa {found.ceiling[MEASURE].value:.2f}")
    for one in found.systems:
        gap, limits = one.gap[MEASURE].value, one.gap[MEASURE].interval
        print(
            f"{one.system}: {one.agreement[MEASURE].value:.2f} with people, a gap of {gap:+.2f} "
            f"({limits.low:+.2f} to {limits.high:+.2f}); refused {one.refusals} times. "
            f"As good as a person, within {MARGIN}? {one.verdict.capitalize()}."
        )
    for finding in found.findings:
        print(f"{finding.severity}: {finding.sentence}")

    cs.plot.save(cs.plot.panel(found), FIGURE, existing="replace")
    print(f"Wrote {FIGURE}")


if __name__ == "__main__":
    main()
