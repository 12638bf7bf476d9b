"""The cases: which programs do the same job on the same data, and what Consilience promises."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

EXACT = 1e-9
CLIPPED_RATES = 1e-3
FIVE_DIGITS = 0.5e-5 + 1e-9  # irrCAC rounds what it returns
SINGLE = 1e-5  # pygamma-agreement computes in 32-bit floats

Record = Mapping[str, Any]  # what a worker prints


@dataclass(frozen=True)
class Program:
    """One call in one environment."""

    call: str
    home: str = "peers"  # the environment: "ours", "peers", "irrcac" or "pygamma"
    tolerance: float = EXACT
    checks_only: bool = False  # does a part of the job, to compare values


_IN_UNITS = {
    "seconds": ("best", 1.0),
    "milliseconds": ("best", 1e-3),
    "gigabytes": ("extra_bytes", 1e9),
}


@dataclass(frozen=True)
class Goal:
    """A bound on the ratio of two measurements."""

    text: str
    bound: float
    against: str = ""  # a peer's call; empty: the baseline in the same process
    of: str = "time"
    at_least: bool = False
    share: float = 1.0  # of the job that the peer does, when the whole would take too long

    def ratio(self, ours: Record, others: Mapping[str, Record]) -> float:
        """Return how the measurements compare."""
        if self.of == "memory":
            return float(ours["extra_bytes"] / ours["input_bytes"])
        if self.of in _IN_UNITS:
            what, unit = _IN_UNITS[self.of]
            return float(ours[what] / unit)
        if self.of == "memory-of-peer":
            return float(others[self.against]["extra_bytes"] / ours["extra_bytes"])
        if self.against:
            return float(others[self.against]["best"] / self.share / ours["best"])
        return float(ours["best"] / ours["baseline"])

    def met(self, ratio: float) -> bool:
        """Tell whether the ratio keeps the promise."""
        return ratio >= self.bound if self.at_least else ratio <= self.bound


@dataclass(frozen=True)
class Case:
    """One job; the first program is ours and the one that the goals are about."""

    name: str
    title: str
    size: int
    programs: tuple[Program, ...]
    goals: tuple[Goal, ...] = ()
    baseline: str = ""  # what the baseline of the first program is

    def scaled(self, scale: float) -> int:
        """Return the number of items (of ratings, in long format)."""
        return round(self.size * scale)


def _ours(call: str) -> Program:
    return Program(call, home="ours")


def _irrcac(call: str, *, checks_only: bool = False) -> Program:
    return Program(call, home="irrcac", tolerance=FIVE_DIGITS, checks_only=checks_only)


def _faster(peer: str, shown: str, bound: float, *, share: float = 1.0) -> Goal:
    return Goal(f"{shown} / consilience", bound, against=peer, at_least=True, share=share)


_MILLION = 1_000_000


def _reading(kind: str, title: str, raters: str, bound: float) -> Case:
    return Case(
        f"read-{kind}",
        f"{{size}} shuffled ratings in a {title} file to Ratings, {raters} raters",
        10 * _MILLION,
        (_ours(f"read-{kind}"),),
        (
            Goal("time / counting distinct (item, label) in DuckDB", bound),
            Goal("peak memory, GB", 3.0, of="gigabytes"),
        ),
        baseline="SELECT count(*) FROM (SELECT DISTINCT item, label)",
    )


CASES = (
    Case(
        "wide",
        "{size} items × 5 raters, int8, 20 % missing",
        10 * _MILLION,
        (_ours("six"), _irrcac("irrcac-head", checks_only=True)),
        (
            Goal("time / arr.sum()", 2.0),
            Goal("extra memory / array", 0.25, of="memory"),
        ),
        baseline="arr.sum()",
    ),
    Case(
        "alpha",
        "{size} items × 5 raters, 20 % missing",
        _MILLION,
        (_ours("alpha"), Program("krippendorff")),
        (_faster("krippendorff", "krippendorff", 40.0),),
    ),
    Case(
        "kappa",
        "{size} items × 2 raters, int8",
        10 * _MILLION,
        (_ours("kappa"), Program("sklearn"), Program("statsmodels-kappa")),
        (_faster("sklearn", "scikit-learn", 10.0),),
    ),
    Case(
        "interval",
        "{size} items × 3 raters, distinct floats",
        _MILLION,
        (_ours("interval"), Program("krippendorff-interval-head", checks_only=True)),
        (
            Goal("time / X.sum()", 12.0),
            Goal("extra memory / array", 2.0, of="memory"),
        ),
        baseline="X.sum()",
    ),
    Case(
        "icc",
        "{size} items × 5 raters, distinct floats",
        _MILLION,
        (_ours("icc"), Program("pingouin")),
        (
            _faster("pingouin", "pingouin", 20.0),
            Goal("time / X.sum()", 40.0),
            Goal("extra memory / array", 0.25, of="memory"),
        ),
        baseline="X.sum()",
    ),
    Case(
        "crowd-sorted",
        "{size} ratings in long format, sorted by item",
        _MILLION,
        (_ours("long-sorted"), Program("krippendorff-sorted")),
        (_faster("krippendorff-sorted", "krippendorff", 20.0),),
    ),
    Case(
        "crowd-shuffled",
        "{size} ratings in long format, shuffled",
        _MILLION,
        # Half of our time is the check that nobody rated an item twice, which the peer does not
        # make.
        (_ours("long-shuffled"), _ours("long-pandas"), Program("krippendorff-shuffled")),
        (_faster("krippendorff-shuffled", "krippendorff", 20.0),),
    ),
    _reading("csv", "CSV", "5", 2.0),
    _reading("parquet", "Parquet", "5", 2.0),
    # Ratings of a crowd cannot be put together item by item inside the database.
    _reading("csv-crowd", "CSV", "1,000", 2.0),
    _reading("parquet-crowd", "Parquet", "1,000", 2.0),
    Case(
        "columns",
        "a CSV file of 300 items × {size} raters, a column each, to Ratings",
        5_000,
        (_ours("columns"),),
        (Goal("seconds", 10.0, of="seconds"),),
    ),
    Case(
        "engine",
        "{size} ratings in a Parquet file, 5 raters: six coefficients, errors, 10,000 resamples",
        100 * _MILLION,
        (_ours("engine"),),
        (
            Goal("time / GROUP BY item in DuckDB", 1.3),
            Goal("peak memory, GB", 3.0, of="gigabytes"),
        ),
        baseline="SELECT count(*) ... GROUP BY item",
    ),
    Case(
        "parquet",
        "{size} ratings in a Parquet file, 5 raters: alpha",
        10 * _MILLION,
        (_ours("parquet"), Program("krippendorff-parquet")),
        (
            _faster("krippendorff-parquet", "krippendorff", 15.0),
            Goal(
                "memory of krippendorff / consilience",
                3.0,
                against="krippendorff-parquet",
                of="memory-of-peer",
                at_least=True,
            ),
        ),
    ),
    Case(
        "truth",
        "{size} ratings in long format, Dawid-Skene",
        _MILLION,
        # crowd-kit keeps every rate above 1e-10, which moves the log-likelihood a little.
        (_ours("dawid-skene"), Program("crowd-kit", tolerance=CLIPPED_RATES)),
        (
            _faster("crowd-kit", "crowd-kit", 10.0),
            Goal("peak memory, GB", 0.3, of="gigabytes"),
        ),
    ),
    Case(
        "bootstrap",
        "10,000 resamples of {size} items × 5 raters, 20 % missing",
        10_000,
        (
            _ours("bootstrap"),
            Program("krippendorff-bootstrap"),
            _irrcac("irrcac-bootstrap"),
        ),
        (
            _faster("krippendorff-bootstrap", "krippendorff", 200.0, share=20 / 10_000),
            _faster("irrcac-bootstrap", "irrCAC", 500.0, share=5 / 10_000),
        ),
    ),
    Case(
        "default-intervals",
        "default intervals of six coefficients, {size} items × 5 raters, 20 % missing",
        10_000,
        (_ours("default-intervals"),),
        (Goal("time / 10,000 resamples of the six", 1.0),),
        baseline="10,000 bootstrap resamples of the same six",
    ),
    Case(
        "bootstrap-large",
        "10,000 resamples of {size} items × 5 raters, 20 % missing",
        10 * _MILLION,
        (_ours("bootstrap-large"),),
        (Goal("time / time for 10,000 items", 1.5),),
        baseline="10,000 resamples of the first 10,000 items",
    ),
    Case(
        "text",
        "{size} items × 2 raters, text labels",
        _MILLION,
        (
            _ours("text-numpy"),
            _ours("text-lists"),
            _ours("text-pandas"),
            _ours("text-polars"),
            Program("sklearn-text"),
            Program("sklearn-objects"),
        ),
    ),
    Case(
        "floats",
        "{size} items × 5 raters, floats with NaN",
        10 * _MILLION,
        (_ours("floats"),),
        baseline="X.astype(int16)",
    ),
    Case(
        "everything",
        "{size} items × 5 raters, 20 % missing",
        100_000,
        (
            _ours("six"),
            _irrcac("irrcac"),
            Program("krippendorff"),
            Program("nltk"),
        ),
    ),
    Case(
        "complete",
        "{size} items × 5 raters, nothing missing",
        _MILLION,
        (_ours("pi"), Program("statsmodels-fleiss")),
    ),
    Case(
        "panel",
        "{size} items × 3 people and 5 systems, 2,000 resamples",
        100_000,
        (_ours("panel"),),
        (Goal("time / time for 10,000 items", 6.0),),
        baseline="the first 10,000 items",
    ),
    Case(
        "judges",
        "{size} verdicts by each of 10 judges, people's labels of 1 %: one judge's corrected rate",
        _MILLION,
        (_ours("judges"),),
        (Goal("seconds after reading", 2.0, of="seconds"),),
    ),
    Case(
        "sets",
        "{size} items × 5 raters, sets over 12 labels",
        5_000,
        (_ours("masi"), Program("nltk-masi")),
        (_faster("nltk-masi", "nltk", 60.0),),
    ),
    Case(
        "pairs",
        "{size} items × 100 raters: kappa of every pair, errors",
        1_000,
        (_ours("pairs"),),
        (Goal("milliseconds", 25.0, of="milliseconds"),),
    ),
    Case(
        "pairs-crowd",
        "{size} ratings by 2,000 raters: kappa of every pair, errors",
        _MILLION,
        (_ours("pairs-crowd"),),
        (Goal("milliseconds", 5_000.0, of="milliseconds"),),
    ),
    Case(
        "many-labels",
        "{size} items × 2 raters, 20,000 labels: five coefficients with their default intervals",
        20_000,
        (_ours("many-labels"),),
        (Goal("peak memory, GB", 0.2, of="gigabytes"),),
    ),
    Case(
        "gamma",
        "{size} units of each of 3 raters, 30 random continua",
        200,
        (_ours("gamma"), Program("pygamma", home="pygamma", tolerance=SINGLE)),
        # The peer aligns the observed continuum only, one of 31 alignments.
        (_faster("pygamma", "pygamma-agreement", 20.0, share=1 / 31),),
    ),
    Case(
        "segmentation",
        "{size} texts of 500 sentences divided by 4 raters",
        20,
        (_ours("segmentation"), Program("segeval")),
        (_faster("segeval", "segeval", 50.0),),
    ),
)


def disagreements(case: Case, records: Mapping[str, Record]) -> list[str]:
    """Say where a program's values differ from ours by more than its precision."""
    ours = records[case.programs[0].call]["values"]
    out = []
    for program in case.programs[1:]:
        theirs = records[program.call]["values"]
        shared = [name for name in theirs if name in ours]
        if not shared:
            out.append(f"{case.name}: {program.call} returned nothing to compare")
        out += [
            f"{case.name}: {name} is {ours[name]!r} here and {theirs[name]!r} in {program.call}"
            for name in shared
            if not abs(ours[name] - theirs[name]) <= program.tolerance
        ]
    return out
