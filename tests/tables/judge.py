"""Whether a reader found in a table what is in it."""

from __future__ import annotations

import atexit
import math
import os
import re
import shutil
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

import consilience as cs
from consilience.exceptions import ConsilienceError
from one_database import one_database
from tables.frames import frame_of
from tables.habits import Case
from tables.kit import Truth
from tables.studies import Study, counted, nominal_alpha, percent_agreement
from tables.written import write

NUMBER = re.compile(r"[-+]?\d+([.,]\d+)?([eE][-+]?\d+)?")
TOLERANCE = 1e-9  # both sides are double precision over at most some ten thousand ratings
LEXICON = "consilience.io.layout.lexicon"


@dataclass(frozen=True)
class Verdict:
    """One of "right", "refused", "misread" and "crashed", and why."""

    kind: str
    detail: str = ""


def folder() -> Path:
    """A folder in memory where the system has one, of this process alone."""
    place = Path("/dev/shm" if os.access("/dev/shm", os.W_OK) else os.environ.get("TMPDIR", "/tmp"))
    own = place / f"tables-{os.getpid()}"
    if not own.exists():
        own.mkdir()
        atexit.register(shutil.rmtree, own, ignore_errors=True)
    return own


def judge(case: Case, route: str = "file") -> Verdict:
    """Have a case read by one of the routes "file", "workbook", "frame" and "value".

    What nobody could know must be refused; what is doubtful may be.
    """
    verdict = _judged(case, route)
    if verdict.kind == "refused" and case.table.expected != "read":
        return Verdict("right", verdict.detail)
    return verdict


def _judged(case: Case, route: str) -> Verdict:
    on_disk = route in ("file", "workbook")
    source = write(case, folder(), route) if on_disk else frame_of(case)[0]
    try:
        with warnings.catch_warnings(), one_database():
            warnings.simplefilter("ignore")
            problem = _ROUTES[route](case, source)
            if case.table.expected == "ask":
                problem = "it was read, and nobody can know how"
    except ConsilienceError as error:
        several = route == "value" and len(case.truth.variables) > 1
        return Verdict("right" if several else "refused", str(error))
    except Exception as error:  # any other exception is a class of its own
        return Verdict("crashed", f"{type(error).__name__}: {error}")
    finally:
        if on_disk:
            source.unlink()
    return Verdict("misread", problem) if problem else Verdict("right")


def _by_file(case: Case, path: Path) -> str:
    return difference(cs.load(path).groups, case.truth)


def _by_frame(case: Case, frame: Any) -> str:
    if len(case.truth.variables) > 1:
        return difference(cs.load(frame).groups, case.truth)
    return difference({None: cs.read(frame)}, case.truth)


def _by_value(case: Case, frame: Any) -> str:
    """A coefficient of a frame; for several variables there is no one right value."""
    estimate = cs.krippendorff_alpha(frame, distance="nominal", on_undefined="ignore")
    if len(case.truth.variables) > 1:
        return f"one value, {estimate.value}, for several variables"
    study = case.truth.variables[0][1]
    expected = nominal_alpha(counted(study.rows))
    if not same(estimate.value, expected):
        return f"alpha {estimate.value:.6f}, not {expected:.6f}"
    return ""


_ROUTES = {"file": _by_file, "workbook": _by_file, "frame": _by_frame, "value": _by_value}


# ------------------------------------------------------------------------------ comparison


def difference(groups: Mapping[Any, Any], truth: Truth) -> str:
    """Say what differs from the truth, or nothing."""
    if len(groups) != len(truth.variables):
        return f"{len(groups)} variables, not {len(truth.variables)}"
    if len(truth.variables) == 1:
        return difference_of_one(next(iter(groups.values())), truth.variables[0][1], truth.naming)
    found = {folded(name): ratings for name, ratings in groups.items()}
    for name, study in truth.variables:
        if folded(name) not in found:
            return f"no variable {name!r} among {sorted(found)}"
        problem = difference_of_one(found[folded(name)], study, truth.naming)
        if problem:
            return f"{name}: {problem}"
    return ""


def difference_of_one(ratings: Any, study: Study, naming: str) -> str:
    """Say what differs from one study, or nothing."""
    if ratings.n_raters != (n := _n_raters(study, naming)):
        return f"{ratings.n_raters} raters, not {n}"
    n_rated = len(study.rated)
    n_ratings = sum(cell is not None for row in study.rows for cell in row)
    if ratings.n_ratings != n_ratings:
        return f"{ratings.n_ratings} ratings, not {n_ratings}"
    if naming == "counts":
        if ratings.n_items != n_rated:
            return f"{ratings.n_items} items, not {n_rated}"
    elif problem := _difference_in_patterns(ratings, study, naming):
        return problem
    return _difference_in_agreement(ratings, study)


def _n_raters(study: Study, naming: str) -> int:
    """Counts know no raters, only how many rated an item at most."""
    if naming == "counts":
        return max(sum(cell is not None for cell in row) for row in study.rows)
    return len(study.raters)


def _difference_in_patterns(ratings: Any, study: Study, naming: str) -> str:
    """Compare who said what of the same item, whatever the item is called."""
    table = ratings.to_frame("pyarrow").to_pydict()
    raters = list(ratings.raters)
    items: dict[Any, dict[int, Any]] = {}
    places = {rater: r for r, rater in enumerate(raters)}
    for item, rater, label in zip(table["item"], table["rater"], table["label"], strict=True):
        items.setdefault(item, {})[places[rater]] = plain(label)
    if len(items) != len(study.rated):
        return f"{len(items)} items, not {len(study.rated)}"
    order = _matched(raters, study.raters) if naming == "names" else list(range(len(raters)))
    if order is None:
        return f"raters {raters[:6]}, not {list(study.raters[:6])}"
    found = Counter(
        _pattern({order[r]: v for r, v in row.items()}, naming) for row in items.values()
    )
    expected = Counter(
        _pattern({r: plain(v) for r, v in enumerate(row) if v is not None}, naming)
        for row in study.rated
    )
    odd = list((found - expected).items())[:1]
    return f"items with other labels, such as {odd}" if odd else ""


def _pattern(labels: Mapping[int, Any], naming: str) -> tuple[Any, ...]:
    """The labels of an item by rater; in a cross-table nobody knows who is first."""
    if naming == "none":
        return tuple(sorted(map(str, labels.values())))
    return tuple(sorted(labels.items(), key=str))


def _matched(found: Sequence[Any], expected: Sequence[str]) -> list[int] | None:
    """Return the true place of each rater found, by name; what all names share may be cut."""
    names = [folded(name) for name in found]
    truth = [folded(name) for name in expected]
    for a, b in ((names, truth), (_core(names), _core(truth))):
        if sorted(a) == sorted(b) and len(set(a)) == len(a):
            return [b.index(name) for name in a]
    return None


def _core(names: Sequence[str]) -> list[str]:
    """Cut from the names the beginning and the end that all of them share."""
    start = _shared(names)
    rest = [name[start:] for name in names]
    end = _shared([name[::-1] for name in rest])
    return [name[: len(name) - end] for name in rest]


def _shared(names: Sequence[str]) -> int:
    """How many signs all names begin with."""
    length = 0
    for signs in zip(*names, strict=False):
        if len(set(signs)) > 1:
            break
        length += 1
    return length


def _difference_in_agreement(ratings: Any, study: Study) -> str:
    rows = counted(study.rows)
    options: dict[str, Any] = {"distance": "nominal", "on_undefined": "ignore"}
    alpha = cs.krippendorff_alpha(ratings, **options).value
    if not same(alpha, expected := nominal_alpha(rows)):
        return f"alpha {alpha:.6f}, not {expected:.6f}"
    share = cs.percent_agreement(ratings, on_undefined="ignore", distance="nominal").value
    if not same(share, expected := percent_agreement(rows)):
        return f"agreement {share:.6f}, not {expected:.6f}"
    return ""


def same(a: float, b: float) -> bool:
    """Equal, or both undefined."""
    return (math.isnan(a) and math.isnan(b)) or abs(a - b) <= TOLERANCE


def plain(value: Any) -> Any:
    """A label as text, or as a number if it is one: 1 = 1.0 = "1" = "1,0"."""
    if isinstance(value, (set, frozenset, list, tuple)):
        value = ",".join(map(str, value))
    return _plain(str(value))


@lru_cache(maxsize=4096)
def _plain(text: str) -> Any:
    text = " ".join(text.split())
    if NUMBER.fullmatch(text):
        return float(text.replace(",", "."))
    parts = re.split(r"\s*[,;|]\s*", text)  # a set is the same in any order
    if len(parts) > 1:
        return "|".join(sorted(parts))
    return text.casefold() if text.casefold() in ("true", "false") else text


def folded(name: Any) -> str:
    """A name without what readers may mend: case, blanks, a number's zeros."""
    return str(plain(name)).casefold()


# ------------------------------------------------------------------------------ lexicon


@contextmanager
def without_half_of_lexicon(seed: int) -> Iterator[None]:
    """Let the recogniser know only every second word of each role, chosen at random."""
    from importlib import import_module

    words = import_module(LEXICON).WORDS
    rng = Random(seed)
    halved = {
        role: frozenset(word for word in sorted(known) if rng.random() < 0.5)
        for role, known in words.items()
    }
    with mock.patch(f"{LEXICON}.WORDS", halved):
        yield
