"""What holds for every registered distance."""

from __future__ import annotations

import dataclasses
import inspect
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consilience import distances
from consilience.distances import Distance, LabelSpace
from consilience.distances._distance import registry
from consilience.exceptions import InputError

# Coordinates go through sine and cosine, or through squares of large numbers.
ROUNDING = 1e-12

FAST = settings(max_examples=40, deadline=None)

NUMBERS = st.lists(st.integers(0, 60), min_size=1, max_size=8, unique=True).map(sorted)
SETS = st.lists(st.frozensets(st.integers(0, 5)), min_size=1, max_size=8, unique=True)
TREE = {f"n{k}": f"n{k // 2}" for k in range(1, 20)} | {"n1": None, "x": ["n2", "n3"]}
TABLE = np.abs(np.subtract.outer(np.arange(61.0), np.arange(61.0))) ** 1.5

PARAMETERISED = {
    "circular": lambda: distances.circular(61),
    "matrix": lambda: distances.matrix(TABLE, range(61)),
    "taxonomy": lambda: distances.taxonomy(TREE),
}
SET_VALUED = {"jaccard", "dice", "masi", "masi_dkpro", "overlap", "passonneau"}
EVERY = sorted(registry)


def make(name: str) -> Distance:
    if name in PARAMETERISED:
        return PARAMETERISED[name]()
    return distances.get_distance(name, scale="nominal")


def labels_for(name: str) -> st.SearchStrategy[list[object]]:
    if name in SET_VALUED:
        return SETS
    if name == "taxonomy":
        return st.lists(st.sampled_from(sorted(TREE)), min_size=1, max_size=8, unique=True)
    return NUMBERS


@st.composite
def cases(draw: st.DrawFn, name: str) -> tuple[LabelSpace, np.ndarray]:
    labels = draw(labels_for(name))
    counts = draw(
        st.lists(st.integers(0, 50), min_size=len(labels), max_size=len(labels)).map(np.array)
    )
    return LabelSpace.of(labels), counts.astype(float)


def test_every_distance_that_needs_a_parameter_has_a_sample() -> None:
    assert {name for name, made in registry.items() if made.recipe} == set(PARAMETERISED)
    assert set(distances.names()) == set(registry) - set(PARAMETERISED)


def test_each_scale_has_one_default() -> None:
    scales = [made.fits_scale for made in registry.values() if made.fits_scale]
    assert sorted(scales) == ["interval", "nominal", "ordinal", "ratio"]
    for scale in scales:
        assert distances.get_distance(scale=scale).name == scale


@pytest.mark.parametrize("name", EVERY)
class TestEveryDistance:
    @FAST
    @given(data=st.data())
    def test_is_symmetric_not_negative_and_zero_on_the_diagonal(
        self, name: str, data: st.DataObject
    ) -> None:
        space, counts = data.draw(cases(name))
        d = make(name).matrix(space, counts)
        assert d.shape == (space.size, space.size)
        assert d.dtype == np.float64
        assert np.isfinite(d).all()
        assert (d >= 0).all()
        assert (np.diag(d) == 0).all()
        np.testing.assert_array_equal(d, d.T)

    @FAST
    @given(data=st.data())
    def test_coordinates_reproduce_the_matrix(self, name: str, data: st.DataObject) -> None:
        space, counts = data.draw(cases(name))
        distance = make(name)
        x = distance.coordinates(space, counts)
        if x is not None:
            assert x.shape[0] == space.size
            squared = ((x[:, None] - x[None]) ** 2).sum(axis=-1)
            np.testing.assert_allclose(
                squared, distance.matrix(space, counts), rtol=ROUNDING, atol=ROUNDING
            )

    @FAST
    @given(data=st.data())
    def test_embedding_equals_coordinates(self, name: str, data: st.DataObject) -> None:
        space, counts = data.draw(cases(name))
        distance = make(name)
        if space.numbers is not None:
            embedded = distance.embed(space.numbers)
            if embedded is not None:
                np.testing.assert_array_equal(embedded.T, distance.coordinates(space, counts))

    @FAST
    @given(data=st.data())
    def test_only_a_data_dependent_distance_looks_at_the_counts(
        self, name: str, data: st.DataObject
    ) -> None:
        space, counts = data.draw(cases(name))
        distance = make(name)
        if not distance.data_dependent:
            np.testing.assert_array_equal(
                distance.matrix(space, counts), distance.matrix(space, counts + 1)
            )

    @FAST
    @given(data=st.data())
    def test_order_of_the_labels_does_not_matter(self, name: str, data: st.DataObject) -> None:
        space, counts = data.draw(cases(name))
        shuffled = data.draw(st.permutations(range(space.size)))
        other = LabelSpace.of([space.labels[k] for k in shuffled], ordered=False)
        distance = make(name)
        np.testing.assert_array_equal(
            distance.matrix(other, counts[shuffled]),
            distance.matrix(space, counts)[np.ix_(shuffled, shuffled)],
        )

    def test_no_label_and_one_label_are_fine(self, name: str) -> None:
        one = {"taxonomy": "n1"}.get(name, frozenset("a") if name in SET_VALUED else 3)
        np.testing.assert_array_equal(
            make(name).matrix(LabelSpace.of([one]), np.array([4.0])), [[0.0]]
        )
        if name != "matrix":
            assert make(name).matrix(LabelSpace.of([]), np.empty(0)).shape == (0, 0)

    def test_is_frozen_and_equal_by_value(self, name: str) -> None:
        a, b = make(name), make(name)
        assert a == b
        assert hash(a) == hash(b)
        assert a != "something else"
        assert dataclasses.is_dataclass(a)
        with pytest.raises(dataclasses.FrozenInstanceError):
            a.surprise = 1
        assert pickle.loads(pickle.dumps(a)) == a

    def test_is_found_by_its_name_or_says_what_it_needs(self, name: str) -> None:
        if name in PARAMETERISED:
            with pytest.raises(InputError, match=f"distances\\.{name}\\("):
                distances.get_distance(name, scale="nominal")
        else:
            assert distances.get_distance(name, scale="nominal").name == name

    def test_its_maker_or_class_has_references(self, name: str) -> None:
        makers = [
            registry[name],
            getattr(distances, name, None),
            getattr(distances, f"{name}_distance", None),
        ]
        texts = [inspect.getdoc(maker) or "" for maker in makers if maker is not None]
        assert any("References\n" in text and "Examples\n" in text for text in texts)

    def test_unordered_text_is_refused_or_compared_without_an_order(self, name: str) -> None:
        space = LabelSpace.of(["low", "mid", "high"])
        if name == "nominal":
            assert make(name).matrix(space, np.ones(3)).sum() == 6
        else:
            with pytest.raises(InputError, match="Hint: "):
                make(name).matrix(space, np.ones(3))


@pytest.mark.parametrize("name", ["linear", "radical", "quadratic", "interval", "bipolar"])
@FAST
@given(labels=NUMBERS, shift=st.integers(-100, 100), factor=st.sampled_from([0.5, 2, 4, -2]))
def test_affine_changes_of_the_scores_only_rescale(
    name: str, labels: list[int], shift: int, factor: float
) -> None:
    distance = make(name)
    d = distance.matrix(LabelSpace.of(labels), np.ones(len(labels)))
    moved = LabelSpace.of([factor * label + shift for label in labels])
    e = distance.matrix(moved, np.ones(len(labels)))
    np.testing.assert_allclose(d * e.max(), e * d.max(), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", ["ordinal", "ordinal-gwet"])
@FAST
@given(data=st.data())
def test_rank_distances_ignore_the_size_of_numbers(name: str, data: st.DataObject) -> None:
    space, counts = data.draw(cases(name))
    stretched = LabelSpace.of([10.0**k for k in range(space.size)])
    np.testing.assert_array_equal(
        make(name).matrix(space, counts), make(name).matrix(stretched, counts)
    )


@pytest.mark.parametrize("name", ["linear", "radical", "quadratic", "bipolar", "ordinal-gwet"])
def test_ordered_text_counts_as_one_two_three(name: str) -> None:
    text = LabelSpace.of(["low", "mid", "high", "top"], ordered=True)
    number = LabelSpace.of([1, 2, 3, 4])
    np.testing.assert_array_equal(
        make(name).matrix(text, np.ones(4)), make(name).matrix(number, np.ones(4))
    )


@pytest.mark.parametrize("name", ["linear", "radical", "jaccard"])
@FAST
@given(data=st.data())
def test_metrics_obey_the_triangle_inequality(name: str, data: st.DataObject) -> None:
    space, counts = data.draw(cases(name))
    d = make(name).matrix(space, counts)
    assert (d[:, :, None] <= d[:, None, :] + d.T[None, :, :] + ROUNDING).all()
