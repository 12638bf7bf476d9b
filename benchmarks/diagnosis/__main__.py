"""Say how often the cause is named: ``python -m benchmarks.diagnosis [--studies N] [--seed N]``."""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from benchmarks.diagnosis.studies import CLEAN, FAULTS, Planted, clean, planted, two_planted
from consilience.diagnosis import diagnose
from consilience.diagnosis._diagnosis import Cause

CALLED = {
    "guess": "raters_guess", "apart": "rater_apart", "exchanged": "labels_exchanged",
    "level": "rater_level", "spread": "rater_spread", "groups": "rater_groups",
    "confused": "labels_confused", "nobody_shares": "label_not_shared", "section": "section_apart",
    "drift": "rater_drift", "copied": "copied_rater", "rare": "rare_labels",
    "items": "contested_items", "order": "order_ignored",
}  # fmt: skip
CODES = (*FAULTS, "order")
BANDS = (
    (-9.0, 0.05, "under .05"), (0.05, 0.1, ".05 to .1"), (0.1, 0.2, ".1 to .2"),
    (0.2, 9.0, "over .2"),
)  # fmt: skip
_FORTY = 40  # items below which chance hides much
SAME = {"guess": {"guess", "apart"}, "apart": {"guess", "apart"}}


def found(ratings: Any) -> tuple[list[Cause], float]:
    """Return what is found in a study, and in which time."""
    began = time.perf_counter()
    causes = list(diagnose(ratings).causes)
    return causes, time.perf_counter() - began


def is_right(one: Cause, study: Planted) -> bool:
    """Tell whether the right cause is named, of the right raters and labels."""
    same = SAME.get(study.code, {study.code})
    if study.code == "drift" and study.ratings.n_raters == 2:
        same = {"drift", "section"}  # of two raters nobody can tell which
    if one.code not in {CALLED[code] for code in same}:
        return False
    of_labels = study.code in ("confused", "nobody_shares", "exchanged")
    if study.labels and of_labels and set(one.labels) != set(study.labels):
        return False
    return names_who(one, study)


def names_who(one: Cause, study: Planted) -> bool:
    """Tell whether the raters that are named are those of the fault."""
    who = {int(str(name)[1:]) - 1 for name in one.raters}
    if study.code in ("guess", "apart", "exchanged", "level", "spread", "drift", "copied"):
        if len(study.ratings.raters) == 2:
            return bool(who) or one.code == CALLED["section"]
        if study.code == "guess" and len(study.raters) > 1:
            return bool(who) and who <= study.raters
        if study.code == "level" and len(study.raters) > 1:
            return True
        return who == study.raters
    if study.code == "groups":
        rest = set(range(len(study.ratings.raters))) - study.raters
        wrong = min(len(who ^ set(study.raters)), len(who ^ rest))
        return wrong <= 0.15 * len(study.ratings.raters)  # of many, one may be on the other side
    return not who


def is_right_person(one: Cause, study: Planted) -> bool:
    """Tell whether at least nobody but the raters of the fault is named."""
    who = {int(str(name)[1:]) - 1 for name in one.raters}
    return bool(who) and bool(study.raters) and who <= study.raters


def score(study: Planted, causes: list[Cause]) -> str:
    """Return "first", "named", "person", "misled" or "nothing"."""
    if not causes:
        return "nothing"
    if is_right(causes[0], study):
        return "first"
    if any(is_right(one, study) for one in causes[1:]):
        return "named"
    return "person" if is_right_person(causes[0], study) else "misled"


def tables(codes: Iterable[str], studies: int, seed: int, verbose: bool) -> None:
    """Print the tables by true gain and by cause."""
    by_band: dict[str, list[str]] = defaultdict(list)
    by_cause: dict[str, list[str]] = defaultdict(list)
    by_band_of_forty: dict[str, list[str]] = defaultdict(list)
    by_items: dict[int, list[str]] = defaultdict(list)
    by_raters: dict[int, list[str]] = defaultdict(list)
    times = []
    for code in codes:
        for k in range(studies):
            study = planted(code, seed + k)
            causes, took = found(study.ratings)
            times.append(took)
            gain, told = study.gain, score(study, causes)
            band = next(name for low, high, name in BANDS if low <= gain < high)
            by_band[band].append(told)
            if study.ratings.n_items >= _FORTY:
                by_band_of_forty[band].append(told)
            if gain >= 0.1:
                by_cause[code].append(told)
                by_items[study.ratings.n_items].append(told)
                by_raters[study.ratings.n_raters].append(told)
            if verbose and (told in ("misled", "person") or (gain > 0.1 and told != "first")):
                what = [(one.code, one.raters, one.labels, round(one.gain, 3)) for one in causes]
                planted_in = f"{sorted(study.raters)} {sorted(map(str, study.labels))}"
                where = f"{code} {seed + k} {study.kind} {study.ratings} gain {gain:.2f}"
                print(f"  {where} {told}: {planted_in} -> {what}")
    for title, rows in (
        ("true gain", by_band), ("true gain, from 40 items", by_band_of_forty),
        ("cause (gain .1 or more)", by_cause),
        ("items", dict(sorted(by_items.items()))), ("raters", dict(sorted(by_raters.items()))),
    ):  # fmt: skip
        print(f"\n| {title} | studies | first | named at all | right person | misled | nothing |")
        print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
        for name, told in rows.items():
            print(_row(str(name), told))
    times.sort()
    middle, most = times[len(times) // 2], times[int(0.99 * len(times))]
    print(f"\ntime: median {1e3 * middle:.0f} ms, 99 % under {1e3 * most:.0f} ms")


def _row(name: str, told: list[str]) -> str:
    share = {
        word: told.count(word) / len(told)
        for word in ("first", "named", "person", "misled", "nothing")
    }
    named = share["first"] + share["named"]
    cells = (share["first"], named, share["person"], share["misled"], share["nothing"])
    return f"| {name} | {len(told)} | " + " | ".join(f"{100 * x:.1f} %" for x in cells) + " |"


def false_alarms(studies: int, seed: int, verbose: bool) -> None:
    """Print how often a cause is named where there is none."""
    print("\n| without a fault | studies | a cause named |")
    print("| --- | ---: | ---: |")
    for kind in CLEAN:
        named = []
        for k in range(studies):
            ratings = clean(kind, seed + k)
            causes, _ = found(ratings)
            named.append(bool(causes))
            if causes and verbose:
                print("  ", kind, seed + k, ratings, [(one.code, one.raters) for one in causes])
        print(f"| {kind} | {studies} | {100 * sum(named) / studies:.1f} % |")


def two_faults(studies: int, seed: int) -> None:
    """Print how often one, and both, of two faults are named."""
    first, both, misled = [], [], []
    for k in range(studies):
        study = two_planted(seed + k)
        other = study.second
        assert other is not None
        causes, _ = found(study.ratings)
        first.append(bool(causes) and any(is_right(causes[0], s) for s in (study, other)))
        hits = [any(is_right(one, s) for one in causes) for s in (study, other)]
        both.append(all(hits))
        misled.append(bool(causes) and not first[-1] and not any(
            is_right_person(causes[0], s) for s in (study, other)
        ))  # fmt: skip
    n = len(first)
    print(f"\ntwo faults, {n} studies: one of them first {sum(first) / n:.0%}, both named "
          f"{sum(both) / n:.0%}, misled {sum(misled) / n:.1%}")  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    """Run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.diagnosis", description=__doc__)
    parser.add_argument("--studies", type=int, default=50, help="of each kind")
    parser.add_argument("--seed", type=int, default=1_000_000, help="the judging seeds begin here")
    parser.add_argument("--only", nargs="*", default=CODES)
    parser.add_argument("--verbose", action="store_true", help="print what went wrong")
    parser.add_argument("--no-clean", action="store_true")
    told = parser.parse_args(arguments)
    if told.only:
        tables(told.only, told.studies, told.seed, told.verbose)
    if not told.no_clean:
        false_alarms(2 * told.studies, told.seed, told.verbose)
        two_faults(told.studies, told.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
