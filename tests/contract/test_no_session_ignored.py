"""Every measure of units heeds sessions and tiers, and every way of making units reads them."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

import consilience as cs
from consilience import units
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.report.unit_methods import UNIT_METHODS

RATERS = ("R1", "R2")
# What a function needs beside units.
MORE: dict[str, dict[str, Any]] = {
    "semeval": {"reference": "R1", "hypothesis": "R2"},
    "boundary_hits": {"tolerance": 2},
}
LEFT_OUT = {
    "alignment_ratings": "needs an alignment, or makes the best one: see best_alignment",
}
# Where ignoring is right.
NO_SESSIONS = {"unit_lengths": "how long units are, in whichever session"}
NO_TIERS = {
    "unit_lengths": "how long units are, on whichever tier",
    "session_totals": "totals of a label in a session, on whichever tier, as Observer lists them",
    "method observer": "the same",
}


@cache
def columns() -> dict[str, list[Any]]:
    """Six recordings whose times overlap; in some of them raters use another tier."""
    rng = np.random.default_rng(1)
    found: dict[str, list[Any]] = {
        name: [] for name in ("rater", "label", "start", "end", "session", "tier")
    }
    for session in range(6):
        for k in range(5):
            label = "ABC"[int(rng.integers(0, 3))]
            for rater in RATERS:
                start = 100 * k + int(rng.integers(0, 12)) + 7 * session
                said = label if rng.random() < (0.3 if session % 2 else 0.95) else "A"
                tier = "hands" if rater == "R1" or rng.random() < 0.7 else "gaze"
                row = (rater, said, start, start + 70, f"film {session}", tier)
                for column, value in zip(found.values(), row, strict=True):
                    column.append(value)
    return found


def made(*names: str) -> cs.Units:
    """Make units of the columns, without those that are not named."""
    kept = {name: c for name, c in columns().items() if name not in ("session", "tier")}
    return cs.Units.from_columns(**kept, **{name: columns()[name] for name in names})


def subjects() -> Iterator[tuple[str, Callable[[cs.Units], Any]]]:
    listed = [(folder, name) for folder in (units, units.programs) for name in folder.__all__]
    for folder, name in listed:
        one = getattr(folder, name)
        if not inspect.isfunction(one) or name in LEFT_OUT:
            continue
        first = next(iter(inspect.signature(one).parameters.values()), None)
        if first is not None and "Units" in str(first.annotation):
            yield name, lambda given, one=one, name=name: one(given, **_more(one, name))  # type: ignore[misc]
    for name, method in UNIT_METHODS.items():
        yield f"method {name}", lambda given, method=method: method.run(given, {"n_resamples": 49})  # type: ignore[misc]


def _more(function: Callable[..., Any], name: str) -> dict[str, Any]:
    few = {"n_resamples": 49} if "n_resamples" in inspect.signature(function).parameters else {}
    return {**few, **MORE.get(name, {})}


SUBJECTS = dict(subjects())
_COUNTED = ("units_by_session", "sessions", "tiers", "n_sessions", "findings", "seed", "notes")


def said(subject: str, given: cs.Units) -> str:
    """Return the numbers of an answer, without the sessions that it lists, or its refusal."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return repr(_numbers(SUBJECTS[subject](given)))
        except (UnsupportedDesignError, InputError) as error:
            return str(error)


def _numbers(answer: Any) -> Any:
    if hasattr(answer, "to_dict"):
        return _numbers(answer.to_dict())
    if isinstance(answer, dict):
        return {str(k): _numbers(v) for k, v in answer.items() if k not in _COUNTED}
    if isinstance(answer, (list, tuple)):
        return [_numbers(one) for one in answer]
    if isinstance(answer, cs.Ratings):
        return answer.table(*answer.raters[:2]).tolist()
    return answer


def test_subjects_are_found() -> None:
    assert len(SUBJECTS) > 40
    assert {*MORE, *NO_TIERS, *NO_SESSIONS} <= set(SUBJECTS)


@pytest.mark.parametrize("subject", SUBJECTS)
def test_sessions_are_heeded(subject: str) -> None:
    ignored = said(subject, made("session")) == said(subject, made())
    assert ignored == (subject in NO_SESSIONS)


@pytest.mark.parametrize("subject", SUBJECTS)
def test_tiers_are_heeded(subject: str) -> None:
    ignored = said(subject, made("session", "tier")) == said(subject, made("session"))
    assert ignored == (subject in NO_TIERS)


# ------------------------------------------------------------------ ways in


def test_every_way_in_reads_sessions_and_tiers() -> None:
    import pandas as pd

    expected = made("session", "tier")
    names = list(columns())
    rows = list(zip(*columns().values(), strict=True))
    others = (
        cs.Units.from_frame(columns()),
        cs.Units.from_frame({name: np.array(c) for name, c in columns().items()}),
        cs.Units.from_frame(pd.DataFrame(columns())),
        cs.Units.from_records(rows),
        cs.Units.from_records([dict(zip(names, row, strict=True)) for row in rows]),
        cs.Units.from_frame(expected.to_frame(backend="pandas")),
    )
    for one in others:
        assert one.sessions == expected.sessions
        assert one.tiers == expected.tiers
        assert not [note for note in one.notes if note.code == "columns_unused"]
    assert [units.time_kappa(one).value for one in others] == [
        units.time_kappa(expected).value
    ] * len(others)


def test_a_column_named_otherwise_is_told_and_can_be_named() -> None:
    table = {("film" if name == "session" else name): c for name, c in columns().items()}
    found = cs.Units.from_frame(table)
    (note,) = found.notes
    assert note.code == "columns_unused"
    assert "film" in note.message
    assert cs.Units.from_frame(table, session="film").sessions == made("session").sessions


def test_a_column_that_is_named_and_not_there_is_refused() -> None:
    with pytest.raises(InputError, match="film"):
        cs.Units.from_frame(columns(), session="film")


def test_fragments_of_one_unit_are_read_from_a_frame() -> None:
    table = {"start": [0, 8, 1], "end": [5, 9, 9], "label": ["x"] * 3, "rater": ["a", "a", "b"],
             "span": [1, 1, 2]}  # fmt: skip
    assert cs.Units.from_frame(table).n_units == 2


def test_a_length_of_no_session_is_refused() -> None:
    cuts = {"a": {"text 1": [2, 5]}, "b": {"text 1": [5]}}
    with pytest.raises(InputError, match="text 2"):
        cs.Units.from_boundaries(cuts, length={"text 1": 9, "text 2": 4})
