"""Make the small studies of the tutorials and of the README's table.

Nothing here was measured. Every file is drawn with a fixed seed, from people who err as the
functions below say, so that a page can tell what is true and what was found. Run it to write the
files anew; a test compares what it writes with what lies here.
"""

from __future__ import annotations

import csv
import itertools
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
Rng = np.random.Generator


def write_csv(path: Path, heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a table."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows([heads, *rows])


def said(true: int, n_labels: int, right: float, rng: Rng) -> int:
    """Draw what a rater says who is right that often and else takes any other label."""
    if rng.random() < right:
        return true
    return int((true + rng.integers(1, n_labels)) % n_labels)


def beside(true: int, most: int, rng: Rng) -> int:
    """Draw a grade next to the right one."""
    return int(np.clip(true + rng.choice((-1, 1)), 0, most))


# --- linguists ------------------------------------------------------------------------------------


def reviews(folder: Path, rng: Rng) -> None:
    """Sixty reviews in the export of Prodigy; Cem takes many a neutral review for negative."""
    labels = ("negative", "neutral", "positive")
    with (folder / "reviews.jsonl").open("w", encoding="utf-8") as stream:
        for item in range(60):
            true = int(rng.choice(3, p=(0.3, 0.3, 0.4)))
            for who, right in (("ann", 0.92), ("bea", 0.88), ("cem", 0.9)):
                given = said(true, 3, right, rng)
                if who == "cem" and true == 1 and rng.random() < 0.5:
                    given = 0
                row = {
                    "text": f"Review {item + 1}",
                    "_input_hash": 1000 + item,
                    "_task_hash": 5000 + item,
                    "options": [{"id": label, "text": label} for label in labels],
                    "accept": [labels[given]],
                    "answer": "ignore" if rng.random() < 0.03 else "accept",
                    "_annotator_id": f"reviews-{who}",
                }
                stream.write(json.dumps(row) + "\n")


WORDS = (
    "Mara", "met", "Kim", "in", "Oslo", "before", "Nadia", "left", "for", "Lima", "with", "Acme",
)  # fmt: skip
NAMES = {"Mara": "PER", "Kim": "PER", "Nadia": "PER", "Oslo": "LOC", "Lima": "LOC", "Acme": "ORG"}


def entities(folder: Path, rng: Rng) -> None:
    """Twelve texts with names, marked in brat by two people; one takes some names for places."""
    for number in range(12):
        words = [WORDS[k] for k in rng.integers(0, len(WORDS), 30)]
        text = " ".join(words) + "."
        starts = np.cumsum([0, *(len(word) + 1 for word in words[:-1])]).tolist()
        for who, seen, right in (("ann", 0.95, 0.97), ("bea", 0.88, 0.9)):
            place = folder / "entities" / who
            place.mkdir(parents=True, exist_ok=True)
            lines = []
            for word, start in zip(words, starts, strict=True):
                if word not in NAMES or rng.random() > seen:
                    continue
                label = NAMES[word] if rng.random() < right else "LOC"
                last = start + len(word)
                lines.append(f"T{len(lines) + 1}\t{label} {start} {last}\t{word}\n")
            (place / f"text{number + 1:02}.txt").write_text(text + "\n", encoding="utf-8")
            (place / f"text{number + 1:02}.ann").write_text("".join(lines), encoding="utf-8")


def cuts(folder: Path, rng: Rng) -> None:
    """Ten texts of thirty sentences, cut into topics by three people; some cuts are one off."""
    rows = []
    for text in range(10):
        true = sorted(rng.choice(np.arange(2, 29), 5, replace=False).tolist())
        for who, near, missed in (("ann", 0.1, 0.05), ("bea", 0.25, 0.1), ("cem", 0.2, 0.25)):
            ends = {
                cut + (int(rng.choice((-1, 1))) if rng.random() < near else 0)
                for cut in true
                if rng.random() > missed
            }
            edges = [0, *sorted(ends - {0, 30}), 30]
            rows += [
                (who, f"text {text + 1:02}", start, end, "topic")
                for start, end in itertools.pairwise(edges)
            ]
    write_csv(folder / "cuts.csv", ("rater", "session", "start", "end", "label"), rows)


# --- doctors --------------------------------------------------------------------------------------


def readings(folder: Path, rng: Rng) -> None:
    """Three readers look at four lesions of each of 60 patients; few lesions are malign."""
    labels = ("benign", "malign")
    rows = []
    for patient in range(60):
        risk = rng.beta(0.35, 4.5)
        for lesion in range(4):
            true = int(rng.random() < risk)
            # A reader sees a malign lesion less surely than a benign one.
            shown = [
                labels[said(true, 2, sure if true else 0.985, rng)] for sure in (0.88, 0.85, 0.72)
            ]
            rows.append((f"p{patient + 1:02}", f"p{patient + 1:02}-{lesion + 1}", *shown))
    write_csv(folder / "readings.csv", ("patient", "lesion", "Dr A", "Dr B", "Dr C"), rows)


def devices(folder: Path, rng: Rng) -> None:
    """Peak flow of 40 patients by two meters; the second reads about 12 higher."""
    true = rng.normal(450, 90, 40)
    first = (true + rng.normal(0, 12, 40)).round()
    second = (true + 12 + rng.normal(0, 18, 40)).round()
    people = [f"p{k + 1:02}" for k in range(40)]
    rows = zip(people, first.astype(int), second.astype(int), strict=True)
    write_csv(folder / "devices.csv", ("patient", "meter_1", "meter_2"), rows)


def tests(folder: Path, rng: Rng) -> None:
    """Four tests for a disease that a quarter of 300 patients have; no gold standard."""
    sensitivity, specificity = (0.92, 0.8, 0.85, 0.7), (0.95, 0.9, 0.97, 0.88)
    rows = []
    for patient in range(300):
        ill = rng.random() < 0.25
        drawn = rng.random(4)
        hits = drawn < (sensitivity if ill else [1 - one for one in specificity])
        rows.append((f"p{patient + 1:03}", *("pos" if hit else "neg" for hit in hits)))
    write_csv(folder / "tests.csv", ("patient", "culture", "rapid", "pcr", "signs"), rows)


def twice(folder: Path, rng: Rng) -> None:
    """Two readers grade 60 films on two days; a third of the films they can only guess."""
    labels = ("mild", "moderate", "severe")
    rows = []
    for film in range(60):
        true, hard = int(rng.integers(0, 3)), rng.random() < 1 / 3
        for who in ("Dr A", "Dr B"):
            for day in (1, 2):
                given = int(rng.integers(0, 3)) if hard else true
                rows.append((f"f{film + 1:02}", who, day, labels[given]))
    write_csv(folder / "twice.csv", ("film", "reader", "day", "grade"), rows)


# --- teachers -------------------------------------------------------------------------------------


def marks(folder: Path, rng: Rng) -> None:
    """Three teachers mark 40 essays out of 20; Ms Castro is strict, and some marks are missing."""
    true = rng.normal(12.5, 3, 40)
    rows = []
    for k, worth in enumerate(true):
        given: list[Any] = [
            int(np.clip(round(worth + shift + rng.normal(0, noise)), 0, 20))
            for shift, noise in ((0.3, 1.2), (0.0, 1.4), (-2.0, 1.3))
        ]
        if rng.random() < 0.08:
            given[int(rng.integers(0, 3))] = ""
        rows.append((f"e{k + 1:02}", *given))
    write_csv(folder / "marks.csv", ("essay", "Abbott", "Brown", "Castro"), rows)


def rounds(folder: Path, rng: Rng) -> None:
    """The same 60 essays graded A to D before and after three teachers talked about the grades."""
    grades = "ABCD"
    true = rng.integers(0, 4, 60)
    for name, right in (("before", 0.58), ("after", 0.9)):
        rows = []
        for k, worth in enumerate(true):
            given = [
                grades[worth if rng.random() < right else beside(worth, 3, rng)] for _ in range(3)
            ]
            rows.append((f"e{k + 1:02}", *given))
        write_csv(folder / f"{name}.csv", ("essay", "Abbott", "Brown", "Castro"), rows)


def retest(folder: Path, rng: Rng) -> None:
    """Two teachers grade 40 essays in two rounds, and an expert has graded them too."""
    grades = ("fail", "pass", "good")
    rows = []
    for essay in range(40):
        true = int(rng.integers(0, 3))
        for who, right in (("Abbott", 0.9), ("Brown", 0.75)):
            for turn in (1, 2):
                given = grades[said(true, 3, right, rng)]
                rows.append((f"e{essay + 1:02}", who, turn, given, grades[true]))
    write_csv(folder / "retest.csv", ("essay", "teacher", "round", "grade", "expert"), rows)


# --- content analysts -----------------------------------------------------------------------------


def codes(folder: Path, rng: Rng) -> None:
    """Three coders and five variables on 80 news items; 'frame' is badly defined."""
    book = {
        "topic": (("economy", "health", "crime", "sports"), 0.93),
        "tone": (("negative", "neutral", "positive"), 0.82),
        "frame": (("conflict", "human interest", "duty"), 0.55),
        "sources": (("0", "1", "2", "3"), 0.9),
        "visual": (("no", "yes"), 0.96),
    }
    rows = []
    for unit in range(80):
        for variable, (labels, right) in book.items():
            shares = (0.9, 0.1) if variable == "visual" else None
            true = int(rng.choice(len(labels), p=shares))
            for who in ("Kim", "Lee", "Max"):
                if rng.random() < 0.03:
                    continue
                given = labels[said(true, len(labels), right, rng)]
                rows.append((f"n{unit + 1:02}", who, variable, given))
    write_csv(folder / "codes.csv", ("unit", "coder", "variable", "code"), rows)


# --- films ----------------------------------------------------------------------------------------


def events(rng: Rng, end: int, labels: Sequence[str]) -> list[tuple[int, int, str]]:
    """Draw events with pauses between them, in milliseconds."""
    found, now = [], int(rng.integers(300, 1500))
    while now < end - 4000:
        length = int(rng.integers(700, 3000))
        found.append((now, now + length, str(rng.choice(labels))))
        now += length + int(rng.integers(400, 2500))
    return found


def seen_by(
    true: list[tuple[int, int, str]], rng: Rng, labels: Sequence[str], shift: float, right: float
) -> list[tuple[int, int, str]]:
    """Draw what a coder marks: edges are off a little, some events are missed or misnamed."""
    found, last = [], 0
    for start, end, label in true:
        if rng.random() < 0.08:
            continue
        begins = max(last, start + int(rng.normal(0, shift)))
        ends = max(begins + 200, end + int(rng.normal(0, shift)))
        given = label if rng.random() < right else str(rng.choice(labels))
        found.append((begins, ends, given))
        last = ends
    return found


GESTURES = ("point", "trace", "wave")


def film(folder: Path, rng: Rng) -> None:
    """A film of three minutes in ELAN: two coders, one tier each."""
    true = events(rng, 180_000, GESTURES)
    slots, tiers = [], []
    for who, right in (("R1", 0.95), ("R2", 0.85)):
        tiers.append(f'  <TIER TIER_ID="gesture_{who}" LINGUISTIC_TYPE_REF="gesture">')
        for start, end, label in seen_by(true, rng, GESTURES, 150, right):
            k = len(slots)
            slots += [
                f'    <TIME_SLOT TIME_SLOT_ID="ts{k}" TIME_VALUE="{start}"/>',
                f'    <TIME_SLOT TIME_SLOT_ID="ts{k + 1}" TIME_VALUE="{end}"/>',
            ]
            tiers.append(
                f'    <ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a{k}" '
                f'TIME_SLOT_REF1="ts{k}" TIME_SLOT_REF2="ts{k + 1}">'
                f"<ANNOTATION_VALUE>{label}</ANNOTATION_VALUE>"
                "</ALIGNABLE_ANNOTATION></ANNOTATION>"
            )
        tiers.append("  </TIER>")
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<ANNOTATION_DOCUMENT AUTHOR="" DATE="2026-11-16T00:00:00Z" FORMAT="3.0" VERSION="3.0">',
        '  <HEADER MEDIA_FILE="" TIME_UNITS="milliseconds"/>',
        "  <TIME_ORDER>",
        *slots,
        "  </TIME_ORDER>",
        *tiers,
        '  <LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="gesture" TIME_ALIGNABLE="true"/>',
        "</ANNOTATION_DOCUMENT>",
    ]
    (folder / "film.eaf").write_text("\n".join(lines) + "\n", encoding="utf-8")


def films(folder: Path, rng: Rng) -> None:
    """Ten films of a minute, two coders: the second marks a little late and misses some."""
    rows: list[Sequence[Any]] = []
    for number in range(10):
        true = events(rng, 60_000, GESTURES)
        for who, right in (("Ann", 0.95), ("Bob", 0.85)):
            marked = seen_by(true, rng, GESTURES, 120, right)
            rows += [(who, f"film {number + 1:02}", *one) for one in marked]
    write_csv(folder / "films.csv", ("rater", "session", "start_ms", "end_ms", "label"), rows)


def hens(folder: Path, rng: Rng) -> None:
    """Five minutes of a hen in BORIS, coded without a break by two observers."""
    states = ("forage", "preen", "rest")
    edges = np.cumsum(rng.integers(8, 30, 18))
    true = [(int(a), int(b)) for a, b in zip([0, *edges[:-1]], edges, strict=True)]
    kinds = [states[(k * 2 + k // 3) % 3] for k in range(len(true))]
    observations = {}
    for who, right in (("Ada", 0.97), ("Ben", 0.88)):
        moves = [0.0, *(round(end + float(rng.normal(0, 0.8)), 1) for _, end in true)]
        marks_: list[list[Any]] = []
        for k, kind in enumerate(kinds):
            shown = kind if rng.random() < right else states[(states.index(kind) + 1) % 3]
            marks_ += [[moves[k], "hen", shown, "", ""], [moves[k + 1], "hen", shown, "", ""]]
        observations[f"day 1 {who}"] = {
            "type": "MEDIA",
            "file": {"1": ["hen.mp4"]},
            "media_info": {"length": {"hen.mp4": float(edges[-1]) + 3}},
            "independent_variables": {"observer": who},
            "events": marks_,
        }
    project = {
        "time_format": "s",
        "behaviors_conf": {
            str(k): {"type": "State event", "code": state} for k, state in enumerate(states)
        },
        "observations": observations,
    }
    (folder / "film.boris").write_text(json.dumps(project, indent=1) + "\n", encoding="utf-8")


def talk(folder: Path, rng: Rng) -> None:
    """A minute of talk in Praat: three people mark stretches of laughter and of doubt."""
    labels = ("doubt", "laughter")
    true = events(rng, 60_000, labels)
    lines = ['File type = "ooTextFile"', 'Object class = "TextGrid"', "", "0", "60", "<exists>"]
    lines.append("3")
    for who, right in (("ann", 0.95), ("bea", 0.9), ("cem", 0.8)):
        marked = seen_by(true, rng, labels, 120, right)
        edges: list[tuple[float, float, str]] = []
        now = 0.0
        for start, end, label in marked:
            if start / 1000 > now:
                edges.append((now, start / 1000, ""))
            edges.append((max(now, start / 1000), end / 1000, label))
            now = end / 1000
        edges.append((now, 60, ""))
        lines += ['"IntervalTier"', f'"mood_{who}"', "0", "60", str(len(edges))]
        for start, end, text in edges:
            lines += [f"{start}", f"{end}", f'"{text}"']
    (folder / "talk.TextGrid").write_text("\n".join(lines) + "\n", encoding="utf-8")


# --- crowds and judges ----------------------------------------------------------------------------


def crowd(folder: Path, rng: Rng) -> None:
    """Forty workers, 200 tweets, five labels each; three workers click without reading."""
    labels = ("hateful", "neither", "offensive")
    skill = np.where(np.arange(40) < 3, 0.0, rng.uniform(0.75, 0.95, 40))
    rows = []
    for tweet in range(200):
        true = int(rng.choice(3, p=(0.15, 0.6, 0.25)))
        for who in sorted(rng.choice(40, 5, replace=False).tolist()):
            given = said(true, 3, float(skill[who]), rng) if skill[who] else int(rng.integers(0, 3))
            rows.append((f"t{tweet + 1:03}", f"w{who + 1:02}", labels[given]))
    write_csv(folder / "crowd.csv", ("tweet", "worker", "label"), rows)


def runs(folder: Path, rng: Rng) -> None:
    """A tutor and a model mark 60 answers from 0 to 4; the model with three prompts."""
    rows: list[Sequence[Any]] = []
    for answer in range(60):
        worth = int(rng.integers(0, 5))
        rows.append((f"a{answer + 1:02}", "tutor", "", worth))
        for prompt, right in (("plain", 0.6), ("rubric", 0.8), ("examples", 0.78)):
            given = worth if rng.random() < right else beside(worth, 4, rng)
            rows.append((f"a{answer + 1:02}", "model", prompt, given))
    write_csv(folder / "runs.csv", ("item", "rater", "prompt", "mark"), rows)


STUDIES: dict[str, Callable[[Path, Rng], None]] = {
    one.__name__: one
    for one in (reviews, entities, cuts, readings, devices, tests, twice, marks, rounds, retest,
                codes, film, hens, talk, crowd, runs, films)
}  # fmt: skip


def write(folder: Path = HERE) -> None:
    """Write every study, each with a seed of its own."""
    for number, make in enumerate(STUDIES.values()):
        make(folder, np.random.default_rng([20261116, number]))


if __name__ == "__main__":
    write(*map(Path, sys.argv[1:]))
