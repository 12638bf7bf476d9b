"""Holle & Rein (2015). EasyDIAg: Table 1, the category-specific tables of Table 2, Figure 5."""

from __future__ import annotations

import numpy as np
import pytest

import consilience as cs
from consilience.exceptions import InputError
from consilience.units import Units, easydiag, easydiag_table, threshold_curve, unit_lengths

TWO_DECIMALS = 0.005
FOUR_DECIMALS = 5.1e-5

LABELS = ("iob", "pis", "pob", "ris", "rob", "s")
TABLE_1 = [
    [160, 0, 0, 0, 6, 0, 22],
    [0, 684, 20, 22, 6, 6, 80],
    [18, 16, 160, 0, 20, 24, 62],
    [2, 18, 2, 220, 8, 0, 21],
    [0, 2, 4, 14, 84, 0, 20],
    [0, 2, 0, 0, 0, 52, 18],
    [32, 76, 31, 29, 10, 13, 0],
]
# Printed for ris: 36 / 996 / 1032. With the printed margins the cells are 65 / 1628 / 1693.
TABLES = {
    "iob": [[160, 28], [52, 1724]],
    "pis": [[684, 134], [114, 1032]],
    "pob": [[160, 140], [57, 1607]],
    "ris": [[220, 51], [65, 1628]],
    "rob": [[84, 40], [50, 1790]],
    "s": [[52, 20], [43, 1849]],
}
# raw, chance, kappa, largest kappa, positive agreement, chi-square on doubled tallies
BY_LABEL = {
    "iob": (0.9593, 0.8170, 0.7774, 0.9332, 0.8000, 7.20),
    "pis": (0.8737, 0.5156, 0.7393, 0.9790, 0.8465, 1.61),
    "pob": (0.8997, 0.7705, 0.5629, 0.8158, 0.6190, 34.97),
    "ris": (0.9409, 0.7570, 0.7570, 0.9707, 0.7914, 1.69),
    "rob": (0.9542, 0.8773, 0.6267, 0.9585, 0.6512, 1.11),
    "s": (0.9679, 0.9185, 0.6063, 0.8563, 0.6228, 8.40),
}


@pytest.mark.parametrize("category", TABLES)
def test_every_table_holds_all_1964_annotations(category: str) -> None:
    assert cs.Ratings.from_table(TABLES[category]).n_items == 1964


def test_raw_agreement_lies_between_87_and_97_percent() -> None:
    agreement = [
        cs.percent_agreement(cs.Ratings.from_table(table)).value for table in TABLES.values()
    ]
    assert min(agreement) == pytest.approx(0.87, abs=TWO_DECIMALS)
    assert max(agreement) == pytest.approx(0.97, abs=TWO_DECIMALS)


def test_agreement_on_shifts_is_little_above_chance_agreement() -> None:
    kappa = cs.cohen_kappa(cs.datasets.load("holle_rein_2015_shift"))
    assert kappa.observed == pytest.approx(0.97, abs=TWO_DECIMALS)
    assert kappa.expected == pytest.approx(0.92, abs=TWO_DECIMALS)


def test_the_published_values_of_table_1() -> None:
    found = easydiag_table(TABLE_1, LABELS)
    assert found.n_tallies == 1964
    assert found.linked_share == pytest.approx(0.79, abs=TWO_DECIMALS)
    assert found.raw == pytest.approx(0.69, abs=TWO_DECIMALS)
    assert found.kappa == pytest.approx(0.61, abs=TWO_DECIMALS)
    assert found.kappa_linked == pytest.approx(0.83, abs=TWO_DECIMALS)


def test_tallies_are_doubled_and_the_doubling_is_decisive() -> None:
    table = np.array(TABLE_1)
    table[:-1, :-1] //= 2
    single = easydiag_table(table, LABELS)
    assert single.kappa == pytest.approx(0.480, abs=0.0005)
    assert [finding.code for finding in single.findings] == ["not_doubled"]


def test_plain_kappa_of_table_1_is_lower() -> None:
    plain = cs.cohen_kappa(cs.Ratings.from_table(TABLE_1)).value
    assert plain == pytest.approx(0.5987, abs=FOUR_DECIMALS)
    assert easydiag_table(TABLE_1).kappa > plain


@pytest.mark.parametrize("label", LABELS)
def test_table_2_follows_from_table_1(label: str) -> None:
    found = easydiag_table(TABLE_1, LABELS)[label]
    assert [[found.a, found.b], [found.c, found.d]] == TABLES[label]
    got = (
        found.raw,
        found.expected,
        found.kappa,
        found.kappa_max,
        found.positive_agreement,
    )
    assert got == pytest.approx(BY_LABEL[label][:5], abs=FOUR_DECIMALS)
    doubled = found.mcnemar(tallies="doubled", method="chi-square")
    assert doubled.statistic == pytest.approx(BY_LABEL[label][5], abs=TWO_DECIMALS)


def test_the_printed_ris_block_does_not_fit_its_own_margins() -> None:
    found = easydiag_table(TABLE_1, LABELS)["ris"]
    assert (found.a + found.c, found.b + found.d) == (285, 1679)  # as printed
    assert 220 + 36 != 285
    assert found.c == 22 + 14 + 29


def test_events_counted_once_make_mcnemars_test_more_careful() -> None:
    found = easydiag_table(TABLE_1, LABELS)["pob"]
    assert (found.events_b, found.events_c) == (101, 44)
    once = found.mcnemar(method="chi-square").statistic
    assert once == pytest.approx(22.41, abs=TWO_DECIMALS)


def test_elan_differs_in_the_sixth_digit_and_in_the_largest_kappa() -> None:
    found = easydiag_table(TABLE_1, LABELS, mode="elan")
    assert found.kappa == pytest.approx(0.6059886, abs=5e-8)
    assert found.kappa_max == pytest.approx(0.9316, abs=FOUR_DECIMALS)


def made_recordings(*, other_label: float = 0.1, seed: int = 5) -> Units:
    """Two raters whose starts and ends differ by a normal error (Table 1's labels)."""
    rng = np.random.default_rng(seed)
    rows = []
    for film in range(12):
        start = np.cumsum(rng.integers(2_000, 6_000, 60))
        length = rng.integers(600, 1_800, 60)
        label = rng.integers(0, len(LABELS), 60)
        for rater in ("R1", "R2"):
            moved = start + rng.normal(0, 90, 60).round().astype(int)
            ends = start + length + rng.normal(0, 90, 60).round().astype(int)
            other = rng.random(60) < other_label
            names = np.where(other, rng.integers(0, len(LABELS), 60), label)
            rows += [
                (rater, LABELS[k], int(a), int(b), f"film {film}")
                for k, a, b in zip(names, moved, ends, strict=True)
            ]
    return Units.from_records(rows, time_unit="ms")


def test_figure_5_kappa_falls_as_more_overlap_is_asked_for() -> None:
    # With no linked disagreements every link that is lost is an agreement.
    curve = threshold_curve(made_recordings(other_label=0.0))
    assert curve.thresholds == tuple(range(51, 91))
    assert np.all(np.diff(curve.n_linked) <= 0)
    assert np.all(np.diff(curve.linked_share) <= 0)
    assert np.all(np.diff(curve.kappa) <= 0)
    assert curve.kappa[0] - curve.kappa[-1] > 0.2


def test_the_curve_meets_single_analyses() -> None:
    units = made_recordings()
    curve = threshold_curve(units)
    for threshold in (51, 60, 77, 90):
        single = easydiag(units, threshold=threshold)
        place = threshold - 51
        assert curve.kappa[place] == pytest.approx(single.kappa, abs=1e-14)
        assert curve.n_linked[place] == single.n_linked
        kappas = [category.kappa for category in single.categories]
        assert curve.category_kappa[place] == pytest.approx(kappas, abs=1e-14)


# --- the text and the figures ---------------------------------------------------------------------


def test_the_introduction_expects_81_percent_of_a_category_of_90_percent() -> None:
    kappa = cs.cohen_kappa(cs.Ratings.from_table([[81, 9], [9, 1]]))
    assert (kappa.observed, kappa.expected) == pytest.approx((0.82, 0.82))
    assert cs.cohen_kappa(cs.Ratings.from_table([[90, 0], [0, 10]])).expected == pytest.approx(
        0.9**2 + 0.1**2
    )


def test_figure_1_the_long_unit_is_linked_by_overlap_and_not_by_onset() -> None:
    """One event of rater 1, two of rater 2: the second overlaps more, the first begins with it."""
    units = Units.from_records(
        [("R1", "x", 0, 100), ("R2", "x", 0, 25), ("R2", "x", 30, 100), ("R1", "y", 150, 160)]
    )
    found = easydiag(units, n_resamples=1)
    assert found.n_linked == 1
    assert found.overlaps.tolist() == pytest.approx([0.7])
    assert np.array(found.table).tolist() == [[2, 0, 0], [0, 0, 1], [1, 0, 0]]


def test_the_overlap_is_relative_to_the_longer_annotation() -> None:
    units = Units.from_records([("R1", "x", 0, 10), ("R2", "x", 4, 24), ("R1", "y", 90, 95)])
    assert easydiag(units, threshold=51, n_resamples=1).n_linked == 0  # 6/20, not 6/10
    closer = Units.from_records([("R1", "x", 0, 10), ("R2", "x", 2, 12), ("R1", "y", 90, 95)])
    assert easydiag(closer, n_resamples=1).overlaps.tolist() == pytest.approx([0.8])


def test_the_raters_may_be_swapped() -> None:
    units = made_recordings()
    there = easydiag(units, raters=("R1", "R2"), n_resamples=1)
    back = easydiag(units, raters=("R2", "R1"), n_resamples=1)
    assert np.array_equal(np.array(there.table), np.array(back.table).T)
    assert there.kappa == back.kappa


def test_table_1_totals_and_marginal_shares() -> None:
    table = np.array(easydiag_table(TABLE_1, LABELS).table)
    assert table.sum(axis=1).tolist() == [188, 818, 300, 271, 124, 72, 191]
    assert table.sum(axis=0).tolist() == [212, 798, 217, 285, 134, 95, 223]
    rows, columns = table.sum(axis=1) / 1964, table.sum(axis=0) / 1964
    assert rows == pytest.approx([0.10, 0.42, 0.15, 0.14, 0.06, 0.04, 0.10], abs=TWO_DECIMALS)
    assert columns == pytest.approx([0.11, 0.41, 0.11, 0.15, 0.07, 0.05, 0.11], abs=TWO_DECIMALS)


def test_the_shift_was_confused_with_two_categories_only() -> None:
    table = np.array(easydiag_table(TABLE_1, LABELS).table)[:-1, :-1]
    confused = (table[5] + table[:, 5])[:5] > 0
    assert [label for label, is_so in zip(LABELS, confused, strict=False) if is_so] == [
        "pis",
        "pob",
    ]


def test_a_fifth_of_all_units_stays_unlinked() -> None:
    found = easydiag_table(TABLE_1, LABELS)
    linked = np.array(TABLE_1)[:-1, :-1].sum()
    assert linked == 1550
    assert 1 - found.linked_share == pytest.approx(0.21, abs=TWO_DECIMALS)


def test_figure_3_number_and_mean_length_of_each_category() -> None:
    units = made_recordings()
    lengths = unit_lengths(units)
    assert sum(lengths.row(label).n_units for label in LABELS) == units.n_units
    for label in LABELS:
        marked = units.end - units.start
        own = marked[units.label == units.labels.index(label)]
        row = lengths.row(label)
        assert (row.mean, row.standard_deviation) == pytest.approx((own.mean(), own.std(ddof=1)))
        parts = [lengths.row(label, rater) for rater in ("R1", "R2")]
        assert sum(part.n_units for part in parts) == row.n_units
        assert sum(part.total for part in parts) == pytest.approx(row.total)


def test_figure_4_chance_agreement_is_high_for_rare_categories() -> None:
    found = easydiag_table(TABLE_1, LABELS)
    by_frequency = sorted(
        LABELS, key=lambda label: 2 * found[label].a + found[label].b + found[label].c
    )
    chance = [found[label].expected for label in by_frequency]
    assert chance == sorted(chance, reverse=True)


def test_figure_5_long_events_suffer_less_from_a_strict_threshold() -> None:
    rng = np.random.default_rng(9)
    rows = []
    for film in range(10):
        start = np.cumsum(rng.integers(20_000, 40_000, 40))
        label = np.arange(40) % 2
        length = np.where(label == 0, 8_000, 1_000)  # iob is almost 8 times as long as s
        for rater in ("R1", "R2"):
            ends = [start + rng.normal(0, 80, 40), start + length + rng.normal(0, 80, 40)]
            rows += [
                (rater, ("iob", "s")[k], round(a), round(b), f"film {film}")
                for k, a, b in zip(label, *ends, strict=True)
            ]
    curve = threshold_curve(Units.from_records(rows, time_unit="ms"), thresholds=(80, 90))
    drop = np.array(curve.category_kappa[0]) - np.array(curve.category_kappa[1])
    assert drop[0] < 0.1 < drop[1]


def test_gseq_gives_category_kappas_about_12_percent_higher() -> None:
    """Table 3 against Figure 4, on average of the six categories: .803 and .678."""
    printed = [0.85, 0.86, 0.74, 0.86, 0.76, 0.75]
    found = [easydiag_table(TABLE_1, LABELS)[label].kappa for label in LABELS]
    assert np.mean(printed) - np.mean(found) == pytest.approx(0.12, abs=0.006)


def test_lengths_of_units_that_are_no_units_are_refused() -> None:
    with pytest.raises(InputError, match="Units"):
        unit_lengths([1, 2])  # type: ignore[arg-type]
    lengths = unit_lengths(Units.from_records([("R1", "x", 0, 4), ("R2", "x", 1, 5)]))
    assert np.isnan(lengths.row("x", "R1").standard_deviation)
    assert "mean length" in str(lengths)
    assert lengths.to_dict()["rows"][0]["n_units"] == 2
    with pytest.raises(InputError, match="x, R1"):
        lengths.row("z")


def test_figure_4_is_drawn_with_observed_chance_and_kappa_of_each_category() -> None:
    """ "The 97% observed agreement for category 's' ... chance agreement in this case is 92%." """
    ax = cs.plot.category_kappas(easydiag_table(TABLE_1, LABELS))
    order = [text.get_text() for text in ax.get_yticklabels()]
    assert order[0] == "pis"  # the most common one
    for marker, column in (("o", 0), ("|", 1), ("D", 2)):
        drawn = [float(line.get_xdata()[0]) for line in ax.lines if line.get_marker() == marker]
        printed = [BY_LABEL[label][column] for label in order]
        assert drawn == pytest.approx(printed, abs=FOUR_DECIMALS)
