"""Two teachers marked the same essays: how far do their marks agree, and who is stricter?

Run it with ``python examples/marks.py``. It reads ``essays_wide.csv``, prints the intraclass
correlation and the difference in level, and writes the report ``marks.html``. For your own marks,
put the name of your file in the place of ``FILE``: one row per essay, one column per marker.
"""

from __future__ import annotations

from pathlib import Path

import consilience as cs

FILE = Path(__file__).with_name("essays_wide.csv")
MARKERS = ("marker_1", "marker_2")
REPORT = Path("marks.html")


def main() -> None:
    """Print what a teacher needs to know, and write the page to hand on."""
    marks = cs.read(FILE, scale="interval").select(raters=MARKERS)

    single = cs.magnitudes.icc(marks, model="A,1")
    low, high = single.confidence_interval()
    print(f"{single.name} = {single.value:.2f}, 95% interval {low:.2f} to {high:.2f}")
    print(f"A single mark is off by about {single.standard_error_of_measurement:.1f} points.")

    limits = cs.magnitudes.bland_altman(marks)
    first, second = MARKERS
    print(
        f"{first} minus {second}: {limits.value:+.2f} on average; 19 of 20 differences should lie "
        f"between {limits.low:+.1f} and {limits.high:+.1f}."
    )
    same = cs.magnitudes.paired_differences(marks)
    print(f"Is one of them stricter? p = {same.p_value:.2f}")

    page = cs.report.report(marks, title="Essays, two markers", sources=[FILE.name])
    REPORT.write_text(page.html(), encoding="utf-8")
    print(f"Wrote {REPORT}")


if __name__ == "__main__":
    main()
