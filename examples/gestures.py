"""Two people marked gestures in two films: did they see the same ones, and name them alike?

Run it with ``python examples/gestures.py``. It reads ``gestures.csv``, links the gestures that
overlap (EasyDIAG, Holle & Rein 2015), draws the timeline ``gestures.svg`` and writes the report
``gestures.html``. Files of ELAN, BORIS or Praat can stand in the place of ``FILE``.
"""

from __future__ import annotations

from pathlib import Path

import consilience as cs

FILE = Path(__file__).with_name("gestures.csv")
FIGURE = Path("gestures.svg")
REPORT = Path("gestures.html")


def main() -> None:
    """Print where and what the raters agree on, and draw it."""
    units = cs.read_units(FILE, time_unit="ms")
    result = cs.units.easydiag(units, threshold=60)
    print(f"Seen by both: {result.linked_share:.0%} of {units.n_units} gestures")
    print(f"Named alike, of those seen by both: kappa {result.kappa_linked:.2f}")
    print(f"Both questions in one number: kappa {result.kappa:.2f}")
    for label in units.labels:
        print(f"  {label}: kappa {result[label].kappa:.2f}")

    cs.plot.save(
        cs.plot.timeline(units, session="film 1", result=result), FIGURE, existing="replace"
    )
    print(f"Wrote {FIGURE}")

    summary = cs.report.measure_units(units, method="easydiag", threshold=60)
    page = cs.report.units_report(summary, title="Gestures", sources=[FILE.name])
    REPORT.write_text(page.html(), encoding="utf-8")
    print(f"Wrote {REPORT}")


if __name__ == "__main__":
    main()
