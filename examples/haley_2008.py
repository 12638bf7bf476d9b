"""How much training data does an automated marker need? Haley et al. (2008), rebuilt from counts.

Run it with ``python examples/haley_2008.py``. The report prints, for sixteen amounts of training
data, how often a computer and a tutor give the same mark or differ by one to four points (Tables
1-2 and 1-4), and asks which amount is best. Its percentages are rounded: rows add up to 99 to 101.
"""

from __future__ import annotations

import math

from consilience import panel

GAPS = (0, 1, 2, 3, 4)
# Amount of training data: percentages of marks that differ by 0, 1, 2, 3, 4 points (Table 1-2).
TABLE_1_2 = {
    10: (65, 20, 13, 2, 1), 20: (68, 15, 13, 3, 1), 30: (60, 27, 11, 2, 1), 40: (60, 27, 11, 2, 1),
    50: (57, 31, 10, 2, 0), 60: (61, 25, 11, 1, 1), 70: (67, 18, 12, 3, 1), 80: (67, 18, 11, 3, 1),
    90: (67, 18, 11, 3, 1), 100: (67, 17, 11, 3, 2), 200: (35, 54, 7, 4, 1),
    300: (45, 39, 12, 2, 2), 400: (62, 22, 12, 2, 2), 500: (61, 24, 12, 2, 2),
    600: (47, 38, 12, 3, 1), 627: (59, 27, 11, 2, 1),
}  # fmt: skip
# Table 1-4 in its own order, from best to worst: the columns headed L1 and L2.
TABLE_1_4 = {
    50: (93, 9.6), 60: (95, 9.7), 30: (97, 9.8), 40: (98, 9.9), 627: (100, 10.0), 10: (105, 10.2),
    80: (107, 10.3), 70: (108, 10.4), 20: (109, 10.5), 90: (110, 10.5), 100: (114, 10.7),
    500: (116, 10.8), 400: (119, 10.9), 200: (122, 11.1), 600: (124, 11.1), 300: (133, 11.5),
}  # fmt: skip
# Two markers against a gold standard (Table 1-1).
MARKER_A = {0: 80, 3: 5, 4: 15}
MARKER_B = {0: 75, 1: 25}


def sweep() -> panel.SweepResult:
    """Sort the sixteen amounts by how far the marks are off, squared: as the report does."""
    rows = {
        amount: panel.differences(dict(zip(GAPS, shares, strict=True)))
        for amount, shares in TABLE_1_2.items()
    }
    return panel.sweep(rows, sort_by="root_mean_square_difference")


def sums_of_squares() -> int:
    """Count the rows of Table 1-4 in which L2 is the root of what is printed as L1."""
    return sum(math.isclose(math.sqrt(l1), l2, abs_tol=0.06) for l1, l2 in TABLE_1_4.values())


def main() -> None:
    """Print the tables and what to make of them."""
    for name, counts in (("A", MARKER_A), ("B", MARKER_B)):
        marker = panel.differences(counts)
        print(
            f"Marker {name}: {marker.identical:.0%} identical, {marker.within(1):.0%} within one "
            f"point, mean absolute difference {marker.mean_absolute:.2f}"
        )
    print()
    print(sweep())
    print()
    print(
        f"In {sums_of_squares()} of {len(TABLE_1_4)} rows of Table 1-4 the column headed L1 is the "
        "sum of squared differences (L2 is its root), not the Manhattan distance."
    )
    first = sweep().sorted_by("mean_absolute_difference").best.setting
    print(f"By the Manhattan distance itself, {first} marked answers would come out best.")


if __name__ == "__main__":
    main()
