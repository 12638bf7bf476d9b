"""MACE and GLAD against simulated truth: spammers and hard items are found."""

from __future__ import annotations

import json

import numpy as np
import pytest

import consilience as cs
from consilience.latent import TruthModel, glad, mace


@pytest.fixture(scope="module")
def crowd() -> cs.simulate.Simulated:
    """Seven raters who know eight of ten answers, three who mostly say the first label."""
    return cs.simulate(
        n_items=500, n_raters=10, categories=["a", "b", "c"], accuracy=[0.8] * 7 + [0.0] * 3,
        bias=[0.8, 0.1, 0.1], ratings_per_item=5, rng=3,
    )  # fmt: skip


def share_right(labels: tuple[object, ...], study: cs.simulate.Simulated) -> float:
    return float((np.array(labels) == study.truth).mean())


@pytest.mark.parametrize("method", ["variational", "em"])
def test_mace_finds_the_spammers_and_what_they_say(
    crowd: cs.simulate.Simulated, method: str
) -> None:
    found = mace(crowd.ratings, method=method)
    assert found.spammers == (7, 8, 9)
    assert found.competence[:7] == pytest.approx([0.8] * 7, abs=0.12)
    assert (found.competence[7:] < 0.15).all()
    assert found.habits[7:].mean(axis=0) == pytest.approx([0.8, 0.1, 0.1], abs=0.08)
    assert "spammers" in {one.code for one in found.findings}
    assert share_right(found.labels, crowd) > 0.93
    assert len(found.starts) == 10


@pytest.mark.parametrize("method", ["variational", "em"])
def test_mace_never_gets_worse(crowd: cs.simulate.Simulated, method: str) -> None:
    found = mace(crowd.ratings, method=method, n_starts=1, tolerance=0, max_iterations=150)
    assert (np.diff(found.history) > -1e-8).all()
    plain = mace(crowd.ratings, method="em", smoothing=0, n_starts=1)
    assert plain.objective == pytest.approx(plain.log_likelihood)


def test_mace_beats_a_majority_vote(crowd: cs.simulate.Simulated) -> None:
    from consilience.latent.votes import votes_of

    votes = votes_of("a vote", crowd.ratings)
    place = votes.of_items(votes.shares()).argmax(axis=1)
    vote = float((np.array(["a", "b", "c"])[place] == crowd.truth).mean())
    assert share_right(mace(crowd.ratings).labels, crowd) > vote + 0.03


def test_mace_is_the_same_for_the_same_seed(crowd: cs.simulate.Simulated) -> None:
    one, other = (mace(crowd.ratings, n_starts=3, rng=5) for _ in range(2))
    assert (one.posterior == other.posterior).all()
    assert one.starts == other.starts


@pytest.fixture(scope="module")
def mixed() -> cs.simulate.Simulated:
    """Easy items and hard ones, good raters and one who is mostly wrong."""
    return cs.simulate(
        n_items=400, n_raters=8, categories=3, accuracy=[0.97] * 6 + [0.75, 0.2], hard_share=0.3,
        hard_accuracy=[0.6] * 6 + [0.45, 0.3], rng=1,
    )  # fmt: skip


def test_glad_finds_the_hard_items_and_the_poor_raters(mixed: cs.simulate.Simulated) -> None:
    found = glad(mixed.ratings)
    hard = mixed.hard
    # The chance that a hard item is rated harder than an easy one.
    above = (found.difficulty[hard][:, None] > found.difficulty[~hard][None]).mean()
    assert above > 0.85
    assert found.ability[6] < found.ability[:6].min()
    assert found.ability[7] < 0
    assert share_right(found.labels, mixed) > 0.93
    assert found.raters[7].accuracy < 0.4


def test_glad_never_gets_worse(mixed: cs.simulate.Simulated) -> None:
    found = glad(mixed.ratings, tolerance=0, max_iterations=120)
    assert (np.diff(found.history) > -1e-8).all()


def test_glad_ends_at_a_maximum(mixed: cs.simulate.Simulated) -> None:
    """A small change of any parameter lowers the objective."""
    from consilience.latent._crowds import _ListedVotes, _log_prior
    from consilience.latent._em import logarithm
    from consilience.latent.votes import votes_of

    found = glad(mixed.ratings, tolerance=1e-12, max_iterations=3000)
    votes = votes_of("glad", mixed.ratings)
    entries = _ListedVotes.of(votes)
    by_row = np.empty(votes.n_rows)
    assert votes.row is not None
    by_row[votes.row] = 1.0 / found.difficulty

    def value(ability: np.ndarray, ease: np.ndarray) -> float:
        log_ease, log_share = np.log(ease), logarithm(found.prevalence)
        each = entries.expect(ability, log_ease, log_share).value
        return float(votes.multiplicity @ each) + _log_prior(ability, log_ease, votes.multiplicity)

    top = value(found.ability, by_row)
    assert top == pytest.approx(found.objective)
    for k in range(8):
        for by in (-0.01, 0.01):
            moved = found.ability.copy()
            moved[k] += by
            assert value(moved, by_row) < top
    for by in (0.97, 1.03):
        assert value(found.ability, by_row * by) < top


def test_repeated_ratings_count() -> None:
    study = cs.simulate(n_items=100, n_raters=4, accuracy=0.8, occasions=2, rng=2)
    both = cs.Ratings.from_long(study.to_long(), occasion="occasion", duplicates="occasions")
    assert mace(both, n_starts=1).n_ratings == 800
    assert glad(both).n_ratings == 800


@pytest.mark.parametrize("model", [mace, glad], ids=["mace", "glad"])
def test_items_without_ratings_have_no_label(model: object) -> None:
    rows = [["a", "a", "b"], ["b", "b", "b"], [None, None, None], ["a", "a", "a"], ["b", "a", "b"]]
    found = model(cs.Ratings.from_wide(rows))  # type: ignore[operator]
    assert found.labels[2] is None
    assert np.isnan(found.posterior[2]).all()
    assert "unrated_items" in {one.code for one in found.findings}


@pytest.mark.parametrize("model", [mace, glad], ids=["mace", "glad"])
def test_results_show_themselves_and_become_json(
    model: object, crowd: cs.simulate.Simulated
) -> None:
    found = model(crowd.ratings)  # type: ignore[operator]
    assert isinstance(found, TruthModel)
    record = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert {"raters", "items", "objective"} <= set(record)
    assert "least accurate first" in str(found)
    assert found._repr_markdown_()
