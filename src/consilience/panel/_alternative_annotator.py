"""The alternative annotator test: may a system stand in for one of the people?"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from consilience.core.arrays import Floats, Ints
from consilience.core.result import Several
from consilience.core.tails import student_below
from consilience.core.words import listed
from consilience.document import Document, Finding, Table
from consilience.document.blocks import found
from consilience.document.records import Recorded
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference.influence import linearised_error
from consilience.judges.people_and_systems import matching
from consilience.panel._panel import Panel, cluster_codes, prepare
from consilience.ratings import as_ratings
from consilience.ratings.duplicates import need_one_occasion

EPSILONS = {"experts": 0.2, "skilled": 0.15, "crowd": 0.1}
SCORINGS = ("accuracy", "neg_rmse")
_FEWEST_PEOPLE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonTest(Recorded):
    """One person left out: does the system agree with the others as well as she does?

    `advantage` is the share of items on which the system agrees with the others at least as well
    as this person, `person_advantage` the reverse; a tie counts for both.
    """

    person: object
    n_items: int
    advantage: float
    person_advantage: float
    statistic: float
    p_value: float
    rejected: bool
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AlternativeTest(Recorded, Several):
    """Whether a system may stand in for a person, by the alternative annotator test.

    Attributes
    ----------
    winning_rate : float
        Share of the people tested against whom the system holds its own.
    advantage_probability : float
        Mean over people of the chance that the system agrees with the others at least as well.
    passed : bool
        Whether the winning rate is at least one half.
    people : tuple of PersonTest
        Each person; one with too few items has a `reason` and is not counted.
    """

    system: object
    scoring: str
    epsilon: float
    false_discovery_rate: float
    fewest_items: int
    winning_rate: float
    advantage_probability: float
    passed: bool
    people: tuple[PersonTest, ...]
    expert: object = None
    findings: tuple[Finding, ...] = ()

    @property
    def p_values(self) -> list[float]:
        """One p-value per person, NaN for those who were skipped."""
        return [one.p_value for one in self.people]

    def document(self) -> Document:
        """Return the test as something to read."""
        verdict = "passes" if self.passed else "does not pass"
        if math.isnan(self.winning_rate):
            verdict = "could not be tested"
        text = (
            f"{self.system} {verdict}: winning rate {self.winning_rate:.2f}, advantage probability "
            f"{self.advantage_probability:.3f} (epsilon {self.epsilon:g}, "
            f"{scoring_name(self.scoring)})."
        )
        table = Table.of(
            self.people,
            "person!s",
            "items: n_items",
            "advantage",
            "p: p_value!p",
            ("system holds its own", lambda one: one.reason or ("yes" if one.rejected else "no")),
        )
        return Document.of(
            text,
            table,
            title=f"Alternative annotator test: {self.system} against "
            f"{listed(one.person for one in self.people)}",
            findings=self.findings,
        )


def scoring_name(scoring: str) -> str:
    """Name a scoring for people."""
    return {"neg_rmse": "minus RMSE"}.get(scoring, scoring)


def alternative_annotator_test(
    ratings: Any,
    *,
    system: object,
    people: Any = None,
    scoring: str | Callable[[Any, Any], float] | None = None,
    epsilon: float | str = 0.2,
    expert: object = None,
    false_discovery_rate: float = 0.05,
    fewest_items: int = 30,
) -> AlternativeTest:
    """Test whether a system may stand in for one of the people who rated.

    Each person is left out in turn: on her items, does the system agree with the other people at
    least as well as she does? The tests are joined by the procedure of Benjamini & Yekutieli.
    Where items go together (`Ratings.with_clusters`) each t has the error of sums over clusters.

    Parameters
    ----------
    ratings : Ratings
    system : name of a rater
    people : names of raters
        Default: all others, where their names leave no doubt; see `compare`.
    scoring : {"accuracy", "neg_rmse"} or callable of two labels, optional
        How far a label agrees with those of the others: the share that is equal (default for
        nominal labels), minus the root mean square difference (default for marks), or the mean of
        any similarity.
    epsilon : float or {"experts", "skilled", "crowd"}, default 0.2
        What a person's effort is worth: 0.2 for experts, 0.15 for skilled raters, 0.1 for a crowd.
    expert : name of a rater, optional
        Where there is one expert: the others and the system are compared with the expert only.
    false_discovery_rate : float, default 0.05
    fewest_items : int, default 30
        People with fewer items are not tested.

    Returns
    -------
    AlternativeTest

    References
    ----------
    .. [1] Calderon, N., Reichart, R. & Dror, R. (2025). The alternative annotator test for
       LLM-as-a-judge: how to statistically justify replacing human annotators with LLMs.

    Examples
    --------
    >>> from consilience import Ratings
    >>> wide = {"Ann": [1, 2] * 20, "Bob": [1, 2] * 20, "Cid": [2, 2] * 20, "gpt": [1, 2] * 20}
    >>> found = alternative_annotator_test(Ratings.from_wide(wide), system="gpt")
    >>> found.winning_rate, found.passed
    (1.0, True)
    """
    need_one_occasion("the alternative annotator test", as_ratings(ratings))
    panel = prepare(ratings, systems=[system], people=people)
    return alternative_test(
        panel,
        panel.systems[0],
        clusters=cluster_codes(panel.ratings, None, as_ratings(ratings).clusters),
        scoring=scoring,
        epsilon=epsilon,
        expert=expert,
        false_discovery_rate=false_discovery_rate,
        fewest_items=fewest_items,
    )


def alternative_test(
    panel: Panel,
    system: object,
    *,
    clusters: Ints | None = None,
    scoring: Any = None,
    epsilon: float | str = 0.2,
    expert: object = None,
    false_discovery_rate: float = 0.05,
    fewest_items: int = 30,
) -> AlternativeTest:
    """Run the test on a panel that is prepared already; `clusters` are those of its items."""
    bar = check_epsilon(epsilon)
    if not 0.0 < false_discovery_rate < 1.0:
        raise InputError.expected(
            "false_discovery_rate", "between 0 and 1", false_discovery_rate, "for example 0.05"
        )
    if expert is not None:
        (expert,) = matching(panel.ratings.raters, [expert], "expert")
        if expert == system:
            raise InputError.expected("expert", "a person", expert, "name one of the people")
    if len(panel.people) < 2:
        raise UnsupportedDesignError.needs(
            "the alternative annotator test",
            "at least two people, each compared with the others",
            f"{len(panel.people)}",
            "let another person rate some of the items",
        )
    name, cost = _costs(panel, scoring)
    tests = [
        _person(
            panel,
            system,
            person,
            [one for one in panel.people if one != person] if expert is None else [expert],
            cost=cost,
            epsilon=bar,
            fewest_items=fewest_items,
            clusters=clusters,
        )
        for person in panel.people
        if person != expert
    ]
    tests = _benjamini_yekutieli(tests, false_discovery_rate)
    tested = [one for one in tests if one.reason is None]
    rate = float(np.mean([one.rejected for one in tested])) if tested else math.nan
    advantage = float(np.mean([one.advantage for one in tested])) if tested else math.nan
    return AlternativeTest(
        system=system,
        scoring=name,
        epsilon=bar,
        false_discovery_rate=false_discovery_rate,
        fewest_items=fewest_items,
        winning_rate=rate,
        advantage_probability=advantage,
        passed=bool(rate >= 0.5),
        people=tuple(tests),
        expert=expert,
        findings=_findings(panel, tests, tested, expert),
    )


def check_epsilon(epsilon: float | str) -> float:
    """Return epsilon as a number; a word stands for the authors' advice."""
    if isinstance(epsilon, str):
        if epsilon in EPSILONS:
            return EPSILONS[epsilon]
        word = epsilon
        try:
            epsilon = float(word)
        except ValueError:
            close = difflib.get_close_matches(word, EPSILONS, n=1)
            raise InputError.expected(
                "epsilon",
                "a number from 0 to below 1, or one of 'experts', 'skilled', 'crowd'",
                epsilon,
                f"did you mean {close[0]!r}?" if close else "0.2 is the advice for experts",
            ) from None
    if isinstance(epsilon, bool) or not 0.0 <= epsilon < 1.0:
        raise InputError.expected(
            "epsilon", "from 0 to below 1", epsilon, '0.2, or "experts", "skilled" or "crowd"'
        )
    return float(epsilon)


Cost = Callable[[Ints, Ints], Floats]


def _costs(panel: Panel, scoring: Any) -> tuple[str, Cost]:
    """Return how far labels are from others, code by code: smaller sums agree better.

    The root of a mean of squares orders like the sum of squares, for as many others on both sides.
    """
    if scoring is None:
        scoring = "accuracy" if panel.ratings.scale == "nominal" else "neg_rmse"
    if callable(scoring):
        return getattr(scoring, "__name__", "similarity"), _by_similarity(panel, scoring)
    if scoring not in SCORINGS:
        raise InputError.unknown_word("scoring", scoring, SCORINGS)
    if scoring == "accuracy":
        return scoring, lambda one, other: (one != other).astype(np.float64)
    points = panel.points
    if points is None:
        raise InputError.expected(
            "scoring",
            '"accuracy" or a similarity for labels that are no numbers',
            scoring,
            'declare scale="ordinal" with categories in order, or use "accuracy"',
        )
    return scoring, lambda one, other: (points[one] - points[other]) ** 2


def _by_similarity(panel: Panel, similarity: Callable[[Any, Any], float]) -> Cost:
    """Ask for every pair of labels that occurs, once."""
    labels = panel.ratings.categories

    def cost(one: Ints, other: Ints) -> Floats:
        pairs, inverse = np.unique(np.stack([one, other]), axis=1, return_inverse=True)
        similar = [float(similarity(labels[a], labels[b])) for a, b in pairs.T.tolist()]
        return -np.array(similar)[inverse.ravel()]

    return cost


def _person(
    panel: Panel,
    system: object,
    person: object,
    others: list[object],
    *,
    cost: Cost,
    epsilon: float,
    fewest_items: int,
    clusters: Ints | None,
) -> PersonTest:
    own = panel.codes[:, panel.column(person)]
    theirs = panel.codes[:, panel.column(system)]
    refused = panel.refused[:, panel.column(system)]
    columns = panel.codes[:, [panel.column(p) for p in others]]
    use = (own >= 0) & ((theirs >= 0) | refused) & (columns >= 0).any(axis=1)
    own, theirs, refused, columns = own[use], theirs[use], refused[use], columns[use]
    of_system, of_person = np.zeros(len(own)), np.zeros(len(own))
    for column in columns.T:  # a missing other adds nothing on either side
        given = column >= 0
        both = given & ~refused
        of_person[given] += cost(own[given], column[given])
        of_system[both] += cost(theirs[both], column[both])
    of_system = np.where(refused, np.inf, of_system)
    slack = 1e-9 * max(float(np.abs(of_person).max(initial=0.0)), 1.0)
    wins = of_system <= of_person + slack
    losses = of_person <= of_system + slack
    n = int(use.sum())
    blank = PersonTest(
        person=person,
        n_items=n,
        advantage=float(wins.mean()) if n else math.nan,
        person_advantage=float(losses.mean()) if n else math.nan,
        statistic=math.nan,
        p_value=math.nan,
        rejected=False,
        reason=f"fewer than {fewest_items} items" if n < max(fewest_items, 2) else None,
    )
    if blank.reason:
        return blank
    clusters = None if clusters is None else np.unique(clusters[use], return_inverse=True)[1]
    return _tested(blank, losses.astype(float) - wins, epsilon, clusters)


def _tested(blank: PersonTest, d: Floats, epsilon: float, clusters: Ints | None) -> PersonTest:
    """One-sided t test that the person's lead is at least epsilon; by cluster, where there are."""
    mean, spread = float(d.mean()), float(d.std(ddof=1))
    if spread < 1e-12:  # all items alike: t would be 0/0
        return replace(blank, statistic=math.nan, p_value=0.0 if mean < epsilon else 1.0)
    if clusters is None:
        error, freedom = spread / math.sqrt(d.size), d.size - 1.0
    else:
        error, freedom = linearised_error(d, clusters)
    if not error > 0.0 or freedom < 1.0:
        return replace(blank, reason="fewer than two documents that differ")
    statistic = (mean - epsilon) / error
    return replace(blank, statistic=statistic, p_value=student_below(statistic, freedom))


def _benjamini_yekutieli(tests: list[PersonTest], rate: float) -> list[PersonTest]:
    """Reject the k smallest p-values, k the largest with p_(k) <= k rate / (m sum 1/i)."""
    places = [k for k, one in enumerate(tests) if one.reason is None]
    m = len(places)
    if not m:
        return tests
    p = np.array([tests[k].p_value for k in places])
    order = np.argsort(p, kind="stable")
    harmonic = float(np.sum(1.0 / np.arange(1, m + 1)))
    below = np.flatnonzero(p[order] <= np.arange(1, m + 1) * rate / (m * harmonic))
    winners = {places[k] for k in order[: below[-1] + 1]} if below.size else set()
    return [replace(one, rejected=k in winners) for k, one in enumerate(tests)]


def _findings(
    panel: Panel, tests: list[PersonTest], tested: list[PersonTest], expert: object
) -> tuple[Finding, ...]:
    skipped = [str(one.person) for one in tests if one.reason is not None]
    return found(
        (
            len(panel.people) < _FEWEST_PEOPLE and expert is None,
            "few_people",
            "caution",
            f"The alternative annotator test is made for at least {_FEWEST_PEOPLE} people; "
            f"there are {len(panel.people)}. Let another person rate some of the items.",
        ),
        (
            skipped,
            "people_skipped",
            "caution" if tested else "problem",
            f"Too few items to test the system against {', '.join(skipped)}: "
            f"{tests[0].reason if len(skipped) == len(tests) else 'see the table'}. "
            "Have each person rate more items.",
        ),
    )
