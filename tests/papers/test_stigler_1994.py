"""Stigler (1994), Citation patterns in the journals of statistics and probability.

Citations of four journals by each other, the cited one taken as the winner; Agresti (2002, table
10.16). R's BradleyTerry2 gives -2.9491, -0.4796 and 0.2690 against Biometrika, and a residual
deviance of 4.293 on 3 degrees of freedom.
"""

from __future__ import annotations

import numpy as np
import pytest

from consilience import judges
from consilience.judges.preferences import Preferences

# cited: {citing: citations}
CITED = {
    "Biometrika": {"Communications": 730, "JASA": 498, "JRSS-B": 221},
    "Communications": {"Biometrika": 33, "JASA": 68, "JRSS-B": 17},
    "JASA": {"Biometrika": 320, "Communications": 813, "JRSS-B": 142},
    "JRSS-B": {"Biometrika": 284, "Communications": 276, "JASA": 325},
}
PRINTED = 5e-5


@pytest.fixture(scope="module")
def found() -> Preferences:
    rows = [(a, b) for a, others in CITED.items() for b, n in others.items() for _ in range(n)]
    first, second = zip(*rows, strict=True)
    columns = {"first": first, "second": second, "winner": first}
    return judges.preferences(columns, order_effect=False)


def test_abilities_and_deviance_are_those_of_bradley_terry_2(found: Preferences) -> None:
    zero = found["Biometrika"].value
    against = {str(one.system): one.value - zero for one in found.systems}
    assert against["Communications"] == pytest.approx(-2.9491, abs=PRINTED)
    assert against["JASA"] == pytest.approx(-0.4796, abs=PRINTED)
    assert against["JRSS-B"] == pytest.approx(0.2690, abs=PRINTED)
    assert found.deviance == pytest.approx(4.293, abs=5e-4)
    assert found.degrees_of_freedom == 3


def test_standard_errors_are_those_of_the_curvature_of_the_likelihood(
    found: Preferences,
) -> None:
    names = list(CITED)

    def log_likelihood(s: np.ndarray) -> float:
        return sum(
            n * (s[names.index(a)] - np.logaddexp(s[names.index(a)], s[names.index(b)]))
            for a, others in CITED.items()
            for b, n in others.items()
        )

    at = np.array([found[name].value for name in names])
    step = 1e-4
    moves = np.eye(4)[1:] * step  # the first journal stays where it is
    curve = np.array([
        [(log_likelihood(at + x + y) - log_likelihood(at + x - y) - log_likelihood(at - x + y)
          + log_likelihood(at - x - y)) / (4 * step**2) for y in moves]
        for x in moves
    ])  # fmt: skip
    errors = np.sqrt(np.diag(np.linalg.inv(-curve)))
    for name, error in zip(names[1:], errors, strict=True):
        (lead,) = [x for x in found.leads if {str(x.first), str(x.second)} == {names[0], name}]
        assert lead.standard_error == pytest.approx(error, rel=1e-4)


def test_all_four_are_told_apart_at_once(found: Preferences) -> None:
    assert [one.ranks for one in found.systems] == [(1, 1), (2, 2), (3, 3), (4, 4)]
    assert found.verdict.code == "ahead"


def test_abilities_add_up_to_nothing(found: Preferences) -> None:
    assert sum(one.value for one in found.systems) == pytest.approx(0.0, abs=1e-9)
    assert np.allclose(found.covariance.sum(axis=0), 0.0, atol=1e-12)
