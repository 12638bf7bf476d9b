"""Each distance on its own: known values, limits, and what it refuses."""

from __future__ import annotations

import doctest
import importlib
import math
import pkgutil
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consilience import distances
from consilience.distances import CallableDistance, LabelSpace, get_distance
from consilience.distances._distance import Distance, register
from consilience.exceptions import InputError

TEXT = LabelSpace.of(["low", "mid", "high"])
ORDERED = LabelSpace.of(["low", "mid", "high"], ordered=True)


def d(distance: object, labels: object, counts: object = None, ordered: bool | None = None):
    space = LabelSpace.of(labels, ordered=ordered)
    made = get_distance(distance, scale="nominal")
    return made.matrix(space, np.ones(space.size) if counts is None else np.asarray(counts))


class TestLabelSpace:
    def test_numbers_of_every_kind_are_found(self) -> None:
        labels = [1, 2.5, np.int8(3), np.float32(4), Decimal(5), Fraction(13, 2), True, np.True_]
        np.testing.assert_array_equal(
            LabelSpace.of(labels).numbers, [1, 2.5, 3, 4, 5, 6.5, 1.0, 1.0]
        )

    @pytest.mark.parametrize("labels", [["1", "2"], [1, "2"], [1, None], [1 + 2j], [{1}], []])
    def test_text_and_mixtures_are_no_numbers(self, labels: list[object]) -> None:
        space = LabelSpace.of(labels)
        assert space.numbers is None
        assert not space.ordered

    def test_numbers_are_ordered_unless_said_otherwise(self) -> None:
        assert LabelSpace.of([1, 2]).ordered
        assert not LabelSpace.of([1, 2], ordered=False).ordered
        assert LabelSpace.of(["a", "b"], ordered=True).ordered

    def test_spaces_of_the_same_labels_are_equal(self) -> None:
        assert LabelSpace.of([1, 2]) == LabelSpace.of([1, 2])
        assert LabelSpace.of([1, 2]) != LabelSpace.of([2, 1])

    def test_numbers_of_another_length_are_refused(self) -> None:
        with pytest.raises(InputError, match="one number for each of the 2 labels"):
            LabelSpace(("a", "b"), True, np.ones(3))


class TestLookup:
    def test_none_is_what_fits_the_scale(self) -> None:
        assert get_distance(None, scale="ratio").name == "ratio"

    def test_unknown_scale_is_refused(self) -> None:
        with pytest.raises(InputError, match="did you mean 'ordinal'"):
            get_distance(scale="ordinale")

    def test_a_distance_is_returned_as_it_is(self) -> None:
        circle = distances.circular(24)
        assert get_distance(circle, scale="nominal") is circle

    def test_misspelled_name_is_guessed(self) -> None:
        with pytest.raises(InputError, match=r"Got 'quadradic'\. Hint: did you mean 'quadratic'\?"):
            get_distance("quadradic", scale="nominal")

    def test_circular_by_name_is_refused_because_its_length_is_unknown(self) -> None:
        with pytest.raises(
            InputError, match=r"given with its parameter.*distances\.circular\(24\)"
        ):
            get_distance("circular", scale="nominal")

    @pytest.mark.parametrize(
        "bare", [np.eye(2), [[0, 1], [1, 0]], ((0, 1), (1, 0)), pd.DataFrame([[0, 1], [1, 0]])]
    )
    def test_a_bare_matrix_is_refused(self, bare: object) -> None:
        with pytest.raises(InputError, match=r"distances\.matrix\(d, categories\)"):
            get_distance(bare, scale="nominal")

    @pytest.mark.parametrize("nonsense", [3, 2.5, {"a": 1}, b"nominal"])
    def test_anything_else_is_refused(self, nonsense: object) -> None:
        with pytest.raises(InputError, match="a name, a Distance or a function of two labels"):
            get_distance(nonsense, scale="nominal")

    def test_a_class_is_refused(self) -> None:
        with pytest.raises(InputError, match="give an instance"):
            get_distance(type(distances.bipolar()), scale="nominal")

    @pytest.mark.parametrize("maker", [distances.circular, distances.bipolar, distances.taxonomy])
    def test_a_maker_that_was_not_called_is_refused(self, maker: object) -> None:
        with pytest.raises(InputError, match="function of two labels"):
            get_distance(maker, scale="nominal")

    def test_a_name_can_be_registered_once(self) -> None:
        class Again(Distance):
            name = "nominal"

        with pytest.raises(ValueError, match="already registered"):
            register(Again)


class TestOrdinal:
    def test_krippendorff_2011_worked_example(self) -> None:
        """The 4 × 12 example has 9, 13, 10, 5 and 3 pairable ratings of 1 to 5."""
        got = d("ordinal", [1, 2, 3, 4, 5], [9, 13, 10, 5, 3])
        want = [[0, 11, 22.5, 30, 34], [11, 0, 11.5, 19, 23]]
        np.testing.assert_array_equal(got[:2], np.square(want))

    @settings(max_examples=50, deadline=None)
    @given(st.lists(st.integers(0, 30), min_size=2, max_size=7))
    def test_equals_the_sum_of_counts_between(self, counts: list[int]) -> None:
        got = d("ordinal", range(len(counts)), counts)
        for k in range(len(counts)):
            for m in range(k + 1, len(counts)):
                between = sum(counts[k : m + 1]) - (counts[k] + counts[m]) / 2
                assert got[k, m] == between**2

    def test_declared_order_wins_over_the_size_of_numbers(self) -> None:
        np.testing.assert_array_equal(
            d("ordinal", [3, 1, 2], [2, 4, 6], ordered=True),
            d("ordinal", ["a", "b", "c"], [2, 4, 6], ordered=True),
        )

    def test_counts_may_be_stacked_for_resamples(self) -> None:
        ordinal = get_distance("ordinal", scale="ordinal")
        counts = np.array([[1.0, 2, 3], [4, 0, 2]])
        stacked = ordinal.matrix(ORDERED, counts)
        assert stacked.shape == (2, 3, 3)
        assert ordinal.coordinates(ORDERED, counts).shape == (2, 3, 1)
        for b in range(2):
            np.testing.assert_array_equal(stacked[b], ordinal.matrix(ORDERED, counts[b]))

    def test_complex_counts_give_derivatives(self) -> None:
        ordinal = get_distance("ordinal", scale="ordinal")
        step = 1e-30
        counts = np.array([1.0, 2, 3])
        slope = ordinal.matrix(ORDERED, counts + step * np.array([0, 1j, 0])).imag / step
        # d(n_1/2 + n_2 + n_3/2)²/dn_2 = 2 (n_1/2 + n_2 + n_3/2)
        assert slope[0, 2] == pytest.approx(2 * (0.5 + 2 + 1.5))

    @pytest.mark.parametrize("counts", [[1, 2], [1, -2, 3], [1, math.nan, 3], 5.0])
    def test_bad_counts_are_refused(self, counts: object) -> None:
        with pytest.raises(InputError, match="counts must be 3 numbers of ratings"):
            d("ordinal", ORDERED.labels, counts, ordered=True)

    def test_gwet_counts_pairs_of_ranks(self) -> None:
        np.testing.assert_array_equal(d("ordinal-gwet", [1, 5, 7, 100])[0], [0, 1, 3, 6])


# Landis & Koch (1977), two pathologists; weighted agreement from R irrCAC 1.0, rounding off.
PATHOLOGISTS = np.array([[22, 2, 2, 0], [5, 7, 14, 0], [0, 2, 36, 0], [0, 1, 17, 10]])


@pytest.mark.parametrize(
    ("distance", "agreement"),
    [
        ("ratio", 0.944071853474598),
        (distances.circular(4), 0.805084745762712),
    ],
)
def test_weighted_agreement_equals_irrcac(distance: object, agreement: float) -> None:
    got = d(distance, [1, 2, 3, 4])
    weight = 1 - got / got.max()
    assert (weight * PATHOLOGISTS).sum() / PATHOLOGISTS.sum() == pytest.approx(agreement, abs=1e-12)


class TestScores:
    def test_values(self) -> None:
        labels = [-1, 0, 3.5]
        np.testing.assert_array_equal(d("linear", labels)[0], [0, 1, 4.5])
        np.testing.assert_array_equal(d("quadratic", labels)[0], [0, 1, 20.25])
        np.testing.assert_array_equal(d("interval", labels)[0], [0, 1, 20.25])
        np.testing.assert_allclose(d("radical", labels)[0], [0, 1, math.sqrt(4.5)])

    @pytest.mark.parametrize("name", ["linear", "quadratic", "radical", "bipolar", "ordinal"])
    def test_text_without_an_order_is_refused(self, name: str) -> None:
        with pytest.raises(InputError, match=r'categories=\[…\] in order with scale="ordinal"'):
            d(name, TEXT.labels)

    @pytest.mark.parametrize("name", ["interval", "ratio"])
    def test_text_is_refused_even_in_order(self, name: str) -> None:
        with pytest.raises(InputError, match=r"must be numbers\. Got \['low', 'mid', 'high'\]"):
            d(name, TEXT.labels, ordered=True)

    @pytest.mark.parametrize("name", ["interval", "linear"])
    def test_numbers_stored_as_text_are_pointed_out(self, name: str) -> None:
        with pytest.raises(InputError, match="numbers stored as text"):
            d(name, ["1", "2", "10"])

    @pytest.mark.parametrize("name", ["linear", "quadratic", "interval", "ratio", "ordinal"])
    @pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 10**400])
    def test_labels_that_are_not_finite_are_refused(self, name: str, bad: float) -> None:
        with pytest.raises(InputError, match="finite numbers"):
            d(name, [1, bad])

    def test_different_labels_with_one_float_are_refused(self) -> None:
        with pytest.raises(InputError, match="distinct as 64-bit floats"):
            d("interval", [5, 2**53, 2**53 + 1])
        assert d("ordinal", [5, 2**53, 2**53 + 1], [2, 2, 2])[1, 2] == 4

    def test_differences_of_large_numbers_are_exact(self) -> None:
        assert d("interval", [1e15, 1e15 + 1])[0, 1] == 1

    @pytest.mark.parametrize("scale", [1e-120, 1e-100, 1e100, 1e120])
    def test_huge_and_tiny_numbers_keep_their_ratios(self, scale: float) -> None:
        got = d("interval", [0.0, scale, 3 * scale])
        assert got[0, 2] / got[0, 1] == pytest.approx(9)

    @pytest.mark.parametrize("labels", [[-1e308, 1e308], [0, 1e200], [0, 1e-200], [0, 5e-324]])
    def test_numbers_out_of_reach_are_refused_not_overflowed(self, labels: list[float]) -> None:
        interval = get_distance("interval", scale="interval")
        for attempt in (
            lambda: d("quadratic", labels),
            lambda: interval.coordinates(LabelSpace.of(labels), np.ones(2)),
        ):
            with pytest.raises(InputError, match="divide all of them by one constant"):
                attempt()

    def test_embedding_keeps_shape_and_missing_values(self) -> None:
        values = np.array([[1.0, math.nan], [2.5, 3.0]])
        for distance in (get_distance("interval", scale="interval"), distances.circular(2)):
            embedded = distance.embed(values)
            assert embedded is not None
            assert embedded.shape[1:] == values.shape
            assert (np.isnan(embedded) == np.isnan(values)).all()

    def test_embedding_exists_where_no_list_of_labels_is_needed(self) -> None:
        values = np.array([3.0, 1.0, 3.0])
        np.testing.assert_array_equal(
            get_distance("interval", scale="interval").embed(values), values[None]
        )
        assert distances.circular(7).embed(values).shape == (2, 3)
        for name in ("nominal", "ordinal", "linear", "ratio", "bipolar", "jaccard"):
            assert get_distance(name, scale="nominal").embed(values) is None
            if name != "ordinal":
                assert (
                    get_distance(name, scale="nominal").coordinates(LabelSpace.of([1]), values)
                    is None
                )


class TestRatio:
    def test_values(self) -> None:
        got = d("ratio", [0, 1, 2, 1000])
        np.testing.assert_array_equal(got[0], [0, 1, 1, 1])
        assert got[1, 2] == pytest.approx(1 / 9)

    def test_negative_numbers_are_refused(self) -> None:
        with pytest.raises(InputError, match=r"from zero upwards\. Got \[-1, -2\]"):
            d("ratio", [-1, 3, -2])

    @pytest.mark.parametrize("labels", [[1e308, 1.7e308], [1e-300, 1.7e-300], [1e-300, 1e308]])
    def test_no_number_is_too_large_or_small(self, labels: list[float]) -> None:
        low, high = (Fraction(x) for x in labels)
        assert d("ratio", labels)[0, 1] == pytest.approx(float(((high - low) / (high + low)) ** 2))


class TestCircular:
    def test_values(self) -> None:
        got = d(distances.circular(24), [0, 6, 12, 18, 23, 24, 36])[0]
        np.testing.assert_allclose(
            got, [0, 0.5, 1, 0.5, math.sin(math.pi / 24) ** 2, 0, 1], atol=1e-15
        )

    def test_a_whole_turn_is_no_distance_at_all(self) -> None:
        assert d(distances.circular(360), [0, 360, -720, 3.6e15]).max() == 0

    def test_weekdays_in_order_lie_one_apart(self) -> None:
        days = ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"]
        got = d(distances.circular(7), days, ordered=True)
        assert got[0, 6] == pytest.approx(got[0, 1])

    @pytest.mark.parametrize("bad", [0, -24, math.nan, math.inf, "24", None, [24]])
    def test_circumference_must_be_a_length(self, bad: object) -> None:
        with pytest.raises(InputError, match="circumference must be a finite number above zero"):
            distances.circular(bad)

    def test_circles_are_equal_when_they_are_equally_long(self) -> None:
        assert distances.circular(24) == distances.circular(24.0)
        assert distances.circular(24) != distances.circular(12)


class TestBipolar:
    def test_values(self) -> None:
        got = d("bipolar", [1, 2, 3, 4, 5])
        for k, c in enumerate(range(1, 6)):
            for m, other in enumerate(range(1, 6)):
                want = (
                    0.0 if c == other else (c - other) ** 2 / ((c + other - 2) * (10 - c - other))
                )
                assert got[k, m] == pytest.approx(want)

    def test_ends_of_the_scale_can_be_given(self) -> None:
        got = d(distances.bipolar(minimum=1, maximum=5), [2, 4])
        assert got[0, 1] == pytest.approx(4 / (4 * 4))
        assert d(distances.bipolar(maximum=5), [2, 4])[0, 1] == pytest.approx(4 / (2 * 4))

    def test_default_is_the_named_distance(self) -> None:
        assert distances.bipolar() == get_distance("bipolar", scale="ordinal")

    @pytest.mark.parametrize("ends", [{"minimum": 2}, {"maximum": 4}, {"minimum": 2, "maximum": 9}])
    def test_labels_beyond_the_ends_are_refused(self, ends: dict[str, float]) -> None:
        with pytest.raises(InputError, match="widen minimum= and maximum="):
            d(distances.bipolar(**ends), [1, 3, 5])

    @pytest.mark.parametrize("ends", [{"minimum": 2, "maximum": 2}, {"minimum": 3, "maximum": 1}])
    def test_ends_must_be_in_order(self, ends: dict[str, float]) -> None:
        with pytest.raises(InputError, match="below the maximum"):
            distances.bipolar(**ends)

    @pytest.mark.parametrize("bad", ["1", math.nan, math.inf])
    def test_ends_must_be_numbers(self, bad: object) -> None:
        with pytest.raises(InputError, match="maximum must be a finite number"):
            distances.bipolar(maximum=bad)

    def test_huge_numbers_do_not_overflow(self) -> None:
        np.testing.assert_allclose(d("bipolar", [1e200, 2e200, 3e200]), d("bipolar", [1, 2, 3]))


# jaccard, dice, passonneau, masi, overlap of two sets, from the definitions.
SET_CASES = [
    ({"1", "2", "3"}, {"4"}, (1, 1, 1, 1, 1)),
    ({"1", "2", "3"}, {"1", "2", "3"}, (0, 0, 0, 0, 0)),
    ({1, 2}, {1, 2, 3, 4}, (1 / 2, 1 / 3, 1 / 3, 2 / 3, 0)),
    ({1, 2}, {2, 3}, (2 / 3, 1 / 2, 2 / 3, 8 / 9, 1 / 2)),
    ({1, 2, 3, 4}, {3, 4, 5}, (3 / 5, 3 / 7, 2 / 3, 13 / 15, 1 / 3)),
    (set(), set(), (0, 0, 0, 0, 0)),
    (set(), {1}, (1, 1, 1, 1, 1)),
    ((1, 2, 2), [2, 1], (0, 0, 0, 0, 0)),
]
PAIRWISE = {
    "jaccard": distances.jaccard_distance,
    "dice": distances.dice_distance,
    "passonneau": distances.passonneau_distance,
    "masi": distances.masi_distance,
    "overlap": distances.overlap_distance,
}


class TestSets:
    @pytest.mark.parametrize(("a", "b", "expected"), SET_CASES)
    def test_values(self, a: object, b: object, expected: tuple[float, ...]) -> None:
        for distance, want in zip(PAIRWISE.values(), expected, strict=True):
            assert distance(a, b) == pytest.approx(want, abs=1e-15)
            assert distance(a, b) == distance(b, a)

    @settings(max_examples=60, deadline=None)
    @given(
        st.lists(st.frozensets(st.text("abcde", max_size=1)), min_size=2, max_size=6, unique=True)
    )
    def test_matrix_equals_the_definition(self, labels: list[frozenset[str]]) -> None:
        for name, distance in PAIRWISE.items():
            got = d(name, labels)
            for k, a in enumerate(labels):
                for m, b in enumerate(labels):
                    assert got[k, m] == distance(a, b) == pytest.approx(_definition(name, a, b))

    @pytest.mark.parametrize("name", PAIRWISE)
    @pytest.mark.parametrize("bad", ["anger", "", b"x", 3, None, {"a": 1}])
    def test_what_is_no_set_is_refused(self, name: str, bad: object) -> None:
        with pytest.raises(InputError, match="write the set with one member as"):
            d(name, [frozenset({"anger"}), bad])
        with pytest.raises(InputError, match="a set, frozenset, tuple or list"):
            PAIRWISE[name](bad, {"anger"})

    @pytest.mark.parametrize(
        ("a", "b", "product"),
        [
            ({1, 2}, {1, 2, 3, 4}, 1 / 2 * 1 / 3),  # MASI is 2/3 there
            ({1, 2}, {2, 3}, 2 / 3 * 2 / 3),
            ({1}, {2}, 1),
            (set(), {1}, 1),
            (set(), set(), 0),
        ],
    )
    def test_masi_of_dkpro_multiplies_two_distances(
        self, a: set[int], b: set[int], product: float
    ) -> None:
        got = d("masi_dkpro", [frozenset(a), frozenset(b)])
        assert got[0, 1] == got[1, 0] == pytest.approx(product)

    def test_members_must_be_hashable(self) -> None:
        with pytest.raises(InputError, match="hashable members"):
            distances.masi_distance([{1}], [{2}])

    def test_members_in_many_columns_are_all_counted(self) -> None:
        """More distinct members than are multiplied at once."""
        a, b = frozenset(range(9000)), frozenset(range(3000, 12000))
        assert d("jaccard", [a, b])[0, 1] == 6000 / 12000


def _definition(name: str, a: frozenset[str], b: frozenset[str]) -> float:
    if a == b:
        return 0.0
    shared, union = len(a & b), len(a | b)
    step = 3 if not shared else 1 if a < b or b < a else 2
    return {
        "jaccard": 1 - shared / union,
        "dice": 1 - 2 * shared / (len(a) + len(b)),
        "passonneau": step / 3,
        "masi": 1 - shared / union * (3 - step) / 3,
        "overlap": 1 - shared / max(1, min(len(a), len(b))),
    }[name]


PARENTS = {"poodle": "dog", "dog": "animal", "cat": "animal", "oak": "plant"}


class TestTaxonomy:
    def test_artstein_poesio_2005_senses_of_call(self) -> None:
        senses = distances.taxonomy(
            {"WN1": "LABEL", "WN3": "LABEL", "WN19": "SEE"}, distance="passonneau"
        )
        got = d(senses, ["WN1", "WN3", "LABEL", "WN19"])[0]
        np.testing.assert_allclose(got, [0, 2 / 3, 1 / 3, 1])

    def test_jaccard_of_the_label_with_its_ancestors(self) -> None:
        got = d(distances.taxonomy(PARENTS), ["poodle", "dog", "cat", "animal", "oak"])[0]
        np.testing.assert_allclose(got, [0, 1 / 3, 3 / 4, 2 / 3, 1])

    def test_several_parents(self) -> None:
        both = distances.taxonomy(
            {"mule": ["horse", "donkey"], "horse": "equid", "donkey": "equid"}
        )
        # {mule, horse, donkey, equid} against {horse, equid}
        assert d(both, ["mule", "horse"])[0, 1] == 0.5
        assert both == distances.taxonomy(
            {"donkey": "equid", "horse": ("equid",), "mule": {"donkey", "horse"}}
        )

    def test_roots_may_be_named(self) -> None:
        tree = distances.taxonomy({"a": "root", "root": None, "b": []})
        assert d(tree, ["a", "b"])[0, 1] == 1

    @pytest.mark.parametrize(
        "parents", [{"a": "b", "b": "c", "c": "a"}, {"a": "a"}, {"a": ["b", "x"], "b": "a"}]
    )
    def test_circles_are_refused(self, parents: dict[str, object]) -> None:
        with pytest.raises(InputError, match=r"free of circles.*'a'"):
            distances.taxonomy(parents)

    @pytest.mark.parametrize("label", ["fish", {"dog"}, ("dog", [])])
    def test_unknown_labels_are_refused(self, label: object) -> None:
        with pytest.raises(InputError, match="nodes of the taxonomy"):
            d(distances.taxonomy(PARENTS), ["dog", label])

    @pytest.mark.parametrize("bad", ["jacard", "linear", 3, np.abs])
    def test_only_set_distances_fit(self, bad: object) -> None:
        with pytest.raises(InputError, match="'masi', 'masi_dkpro', 'overlap', 'pass"):
            distances.taxonomy(PARENTS, distance=bad)

    def test_a_set_distance_may_be_given_as_an_object(self) -> None:
        masi = get_distance("masi", scale="nominal")
        assert distances.taxonomy(PARENTS, distance=masi) == distances.taxonomy(
            PARENTS, distance="masi"
        )

    @pytest.mark.parametrize("bad", [None, ["a", "b"], "dog"])
    def test_parents_must_be_a_mapping(self, bad: object) -> None:
        with pytest.raises(InputError, match="a mapping from each label to its parent"):
            distances.taxonomy(bad)

    def test_parents_must_be_hashable(self) -> None:
        with pytest.raises(InputError, match="the parents of 'a'"):
            distances.taxonomy({"a": [["b"]]})
        with pytest.raises(InputError, match="the parents of 'a'"):
            distances.taxonomy({"a": {"b": 1}})

    def test_deep_trees_do_not_exhaust_the_stack(self) -> None:
        deep = distances.taxonomy({k: k + 1 for k in range(3000)})
        assert d(deep, [2998, 2999])[0, 1] == pytest.approx(1 / 3)


class TestMatrix:
    TABLE = ((0, 1, 0.5), (1, 0, 0.5), (0.5, 0.5, 0))

    def test_rows_follow_the_labels_of_the_data(self) -> None:
        got = d(distances.matrix(self.TABLE, ["stat", "ireq", "chck"]), ["chck", "stat", "ireq"])
        np.testing.assert_array_equal(got, [[0, 0.5, 0.5], [0.5, 0, 1], [0.5, 1, 0]])

    def test_without_categories_the_order_is_that_of_the_data(self) -> None:
        np.testing.assert_array_equal(d(distances.matrix(self.TABLE), "abc"), self.TABLE)

    def test_categories_that_nobody_used_are_fine(self) -> None:
        assert d(distances.matrix(self.TABLE, "abc"), ["c", "a"])[0, 1] == 0.5

    def test_a_labelled_frame_brings_its_categories(self) -> None:
        frame = pd.DataFrame(self.TABLE, index=list("abc"), columns=list("abc"))
        assert distances.matrix(frame) == distances.matrix(self.TABLE, "abc")
        with pytest.raises(InputError, match="labelled alike by row and by column"):
            distances.matrix(frame[["b", "a", "c"]])

    def test_label_without_a_row_is_refused(self) -> None:
        with pytest.raises(InputError, match=r"Got \['x'\]"):
            d(distances.matrix(self.TABLE, "abc"), ["a", "x"])
        with pytest.raises(InputError, match="among the categories"):
            d(distances.matrix(self.TABLE, "abc"), ["a", ["b"]])

    def test_size_must_fit_the_labels(self) -> None:
        with pytest.raises(InputError, match=r"must be 2 × 2.*Got '3 × 3'"):
            d(distances.matrix(self.TABLE), "ab")

    @pytest.mark.parametrize(
        ("table", "message"),
        [
            ([[0, 1, 2], [1, 0, 3]], r"square.*Got '2 × 3'"),
            ([0, 1], "square"),
            (5, "square"),
            ([], "square"),
            ([[0, 1], [1]], "a square table of numbers"),
            ([["a", "b"], ["b", "a"]], "a square table of numbers"),
            ([[0, math.nan], [math.nan, 0]], r"finite number\. Got \[\(0, 1, nan\)"),
            ([[0, math.inf], [math.inf, 0]], "finite number"),
            ([[0, -1], [-1, 0]], "zero or more"),
            ([[1, 0], [0, 1]], r"zero for a label and itself.*1 - w"),
            ([[0, 1], [2, 0]], r"symmetric.*\[\(0, 1, 1\.0\), \(1, 0, 2\.0\)\].*symmetrise"),
            ([[0, 1e300], [1e300, 0]], "multiply all distances by one constant"),
        ],
    )
    def test_what_is_no_distance_is_refused(self, table: object, message: str) -> None:
        with pytest.raises(InputError, match=message):
            distances.matrix(table)

    @pytest.mark.parametrize("categories", [["a", "b"], ["a", "b", "c", "d"]])
    def test_categories_must_fit_the_rows(self, categories: list[str]) -> None:
        with pytest.raises(InputError, match="3 labels, one for each row"):
            distances.matrix(self.TABLE, categories)

    def test_categories_must_be_distinct(self) -> None:
        with pytest.raises(InputError, match="categories must be distinct"):
            distances.matrix(self.TABLE, ["a", "b", "a"])

    def test_rounding_is_not_held_against_it(self) -> None:
        noisy = np.array(self.TABLE) + 1e-15 * np.arange(9).reshape(3, 3) - 4e-15
        got = d(distances.matrix(noisy), "abc")
        np.testing.assert_array_equal(got, got.T)
        np.testing.assert_allclose(got, self.TABLE, atol=1e-14)
        assert got.min() == 0

    def test_later_changes_to_the_table_do_not_reach_it(self) -> None:
        table = np.array(self.TABLE)
        made = distances.matrix(table)
        table[:] = 0
        d(made, "abc")[:] = 7
        np.testing.assert_array_equal(d(made, "abc"), self.TABLE)

    def test_all_zero_is_a_distance(self) -> None:
        assert d(distances.matrix(np.zeros((2, 2))), "ab").max() == 0

    def test_equal_by_value(self) -> None:
        assert distances.matrix(self.TABLE, "abc") != distances.matrix(self.TABLE, "abd")
        assert distances.matrix(self.TABLE) != distances.matrix(np.multiply(self.TABLE, 2))


class TestCallable:
    def test_any_function_of_two_labels(self) -> None:
        got = d(lambda a, b: abs(len(a) - len(b)), ["a", "bb", "dddd"])
        np.testing.assert_array_equal(got, [[0, 1, 3], [1, 0, 2], [3, 2, 0]])

    def test_true_means_different(self) -> None:
        np.testing.assert_array_equal(d(lambda a, b: a != b, "abc"), d("nominal", "abc"))

    def test_library_functions_of_two_sets_fit(self) -> None:
        labels = [frozenset("ab"), frozenset("bc"), frozenset()]
        np.testing.assert_array_equal(d(distances.masi_distance, labels), d("masi", labels))

    def test_name_tells_the_function(self) -> None:
        assert get_distance(math.dist, scale="nominal").name == "callable:dist"
        assert get_distance(lambda a, b: 0, scale="nominal").name == "callable"
        assert CallableDistance(math.dist) == CallableDistance(math.dist)

    @pytest.mark.parametrize(
        ("function", "message"),
        [
            (lambda a, b: 1, r"zero for a label and itself.*\('a', 'a', 1\.0\)"),
            (lambda a, b: ord(a) - ord(b), r"zero or more.*\('a', 'b', -1\.0\)"),
            (
                lambda a, b: max(0, ord(a) - ord(b)),
                r"symmetric.*\('a', 'b', 0\.0\), \('b', 'a', 1\.0\)",
            ),
            (lambda a, b: math.nan, "finite number"),
            (lambda a, b: math.inf if a != b else 0, r"finite number.*\('a', 'b', inf\)"),
            (lambda a, b: "far", r"of 'a' and 'a' must be a number\. Got 'far'"),
            (lambda a, b: None, "must be a number"),
            (lambda a, b: np.zeros(1), "must be a number"),
        ],
    )
    def test_what_is_no_distance_is_refused(self, function: object, message: str) -> None:
        with pytest.raises(InputError, match=message):
            d(function, ["a", "b"])

    def test_labels_need_no_hash(self) -> None:
        assert d(lambda a, b: abs(len(a) - len(b)), [[1], [1, 2]])[0, 1] == 1
        with pytest.raises(InputError, match="zero for a label and itself"):
            d(lambda a, b: 1, [[1], [1, 2]])

    def test_rounding_is_not_held_against_it(self) -> None:
        got = d(lambda a, b: abs(math.log(a / b)), [1, 3, 7, 11])
        np.testing.assert_array_equal(got, got.T)

    def test_errors_of_the_function_pass_through(self) -> None:
        with pytest.raises(ZeroDivisionError):
            d(lambda a, b: 1 / 0, ["a", "b"])

    def test_functions_of_one_label_are_refused(self) -> None:
        with pytest.raises(InputError, match="a function of two labels"):
            get_distance(len, scale="nominal")


@pytest.mark.parametrize(
    "module", [found.name for found in pkgutil.iter_modules(distances.__path__)]
)
def test_examples_in_the_docstrings_run(module: str) -> None:
    loaded = importlib.import_module(f"consilience.distances.{module}")
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.testmod(loaded, optionflags=flags).failed == 0


def test_public_names() -> None:
    for name in distances.__all__:
        assert getattr(distances, name).__doc__
    assert list(distances.names()) == sorted(distances.names())
