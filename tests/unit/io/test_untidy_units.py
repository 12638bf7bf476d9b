"""Untidy files of units, made by the dozen: read right, or refused clearly; never otherwise."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from consilience.exceptions import InputError
from consilience.io.events import read_units
from consilience.units import Units, span_f1

pytestmark = pytest.mark.filterwarnings("ignore::consilience.exceptions.ReadingWarning")
ROUNDS = 120

# start, end, label, rater, session, tier; in several languages and habits.
NAMES = [
    ("start", "end", "label", "rater", "session", "tier"),
    ("start_frame", "end_frame", "code", "coder", "movie_title", "layer"),
    ("onset_ms", "offset_ms", "behavior", "observer", "video_id", "track"),
    ("Beginn", "Ende", "Kategorie", "Kodierer", "Film", "Ebene"),
    ("début", "fin", "étiquette", "annotateur", "enregistrement", "piste"),
    ("inicio", "fin", "código", "codificador", "vídeo", "capa"),
    ("startTime", "endTime", "category", "annotatorID", "fileName", "tier"),
    ("begin (s)", "end (s)", "tag", "user", "dyad", "tier"),
    ("tmin", "tmax", "class", "judge", "tape_nr", "track"),
    ("inizio", "fine", "categoria", "osservatore", "registrazione", "tier"),
    ("from", "to", "type", "worker_id", "document", "layer"),
    ("시작", "끝", "label", "평가자_id", "영상", "tier"),
]
SIDE = ["comment", "confidence", "created", "id", "note"]
Row = tuple[str, str, str, str, int, int]  # rater, session, tier, label, start, end


@dataclass
class Study:
    """What raters marked, and who was asked where."""

    rows: list[Row]
    asked: set[tuple[str, str]]
    raters: list[str]
    sessions: list[str]
    tiers: list[str] = field(default_factory=lambda: ["tier"])


def study(rng: random.Random, *, absent: bool) -> Study:
    raters = rng.sample(["Ann", "Bob", "R3", "x1", "Zoë"], rng.randint(2, 3))
    sessions = rng.sample(["f1", "f2", "f3", "talk 4", "5", "06"], rng.randint(1, 4))
    tiers = ["tier"] if rng.random() < 0.6 else ["hand", "gaze"]
    rows: list[Row] = []
    asked = {(who, home) for who in raters for home in sessions}
    if absent and len(sessions) > 1:
        for home in sessions[1:]:
            if rng.random() < 0.5:
                asked.discard((rng.choice(raters), home))
    for home in sessions:
        for tier in tiers:
            at = 0
            for _ in range(rng.randint(4, 9)):
                at += rng.randint(1, 30)
                stop = at + rng.randint(3, 20)
                label = rng.choice(["nod", "point", "rest"])
                for who in raters:
                    if (who, home) in asked:
                        shift = rng.randint(0, 1)
                        rows.append((who, home, tier, label, at + shift, stop + shift))
                at = stop + 2
    return Study(rows, asked, raters, sessions, tiers)


def expected(made: Study) -> Units:
    by_home = {home: [w for w in made.raters if (w, home) in made.asked] for home in made.sessions}
    return Units.from_records([(r, k, a, b, s, t) for r, s, t, k, a, b in made.rows], asked=by_home)


def table(made: Study, rng: random.Random, names: tuple[str, ...]) -> str:
    """Write a study as a table in some order of columns and rows."""
    with_tier, with_session = len(made.tiers) > 1, len(made.sessions) > 1 or rng.random() < 0.5
    columns = [3, 0, 1, 2] + ([4] if with_session else []) + ([5] if with_tier else [])
    side = rng.sample(SIDE, rng.randint(0, 2))
    rng.shuffle(columns)
    sign = rng.choice([",", ";", "\t"])
    rows = sorted(made.rows, key=lambda row: (row[1], row[0], row[2], row[4]))
    if rng.random() < 0.5:
        rows.sort(key=lambda row: (row[0], row[1], row[2], row[4]))
    lines = [sign.join([*(names[k] for k in columns), *side])]
    for number, (who, home, tier, label, start, end) in enumerate(rows):
        cells = {0: str(start), 1: str(end), 2: label, 3: who, 4: home, 5: tier}
        more = [str(number) if name == "id" else f"{number % 7}" for name in side]
        lines.append(sign.join([*(cells[k] for k in columns), *more]))
    return "\n".join(lines) + "\n"


def plain(units: Units) -> list[tuple[object, ...]]:
    return sorted(
        (units.raters[units.rater[k]], units.labels[units.label[k]], units.start[k].item(),
         units.end[k].item(), units.sessions[units.session[k]] if units.n_sessions > 1 else "",
         units.tiers[units.tier[k]] if len(units.tiers) > 1 else "")
        for k in range(len(units))
    )  # fmt: skip


def test_tables_are_read_right_or_refused(tmp_path: Path) -> None:
    for seed in range(ROUNDS):
        rng = random.Random(seed)
        made = study(rng, absent=rng.random() < 0.6)
        names = NAMES[seed % len(NAMES)]
        (tmp_path / "u.csv").write_text(table(made, rng, names), encoding="utf-8")
        units = read_units(tmp_path / "u.csv")
        wanted = expected(made)
        assert plain(units) == plain(wanted)
        assert span_f1(units).value == pytest.approx(span_f1(wanted).value, nan_ok=True)


def test_an_unknown_word_for_the_session_is_never_pooled(tmp_path: Path) -> None:
    for seed in range(60):
        rng = random.Random(1000 + seed)
        made = study(rng, absent=False)
        names = (*NAMES[seed % len(NAMES)][:4], "zug", "tier")
        (tmp_path / "u.csv").write_text(table(made, rng, names), encoding="utf-8")
        wanted = expected(made)
        try:
            units = read_units(tmp_path / "u.csv")
        except InputError as refusal:
            assert "session='column:zug'" in str(refusal)  # noqa: PT017 - both ends are right
            units = read_units(tmp_path / "u.csv", session="column:zug")
        assert plain(units) == plain(wanted) or len(made.sessions) == 1


@pytest.mark.parametrize("seed", range(20))
def test_a_file_for_each_rater_and_session(seed: int, tmp_path: Path) -> None:
    """Folders of headerless files, with absent ones, empty ones and read-me files among them."""
    rng = random.Random(seed)
    made = study(rng, absent=True)
    for who, home in sorted(made.asked):
        rows = [row for row in made.rows if row[:2] == (who, home) and row[2] == made.tiers[0]]
        (tmp_path / who).mkdir(exist_ok=True)
        lines = [f"{a},{b},{label}" for *_, label, a, b in rows]
        header = "start,end,label\n" if seed % 2 else ""
        (tmp_path / who / f"{home}.csv").write_text(header + "\n".join(lines) + "\n", "utf-8")
    (tmp_path / "README.txt").write_text("about the data", encoding="utf-8")
    made.rows = [row for row in made.rows if row[2] == made.tiers[0]]
    made.tiers = ["tier"]
    units = read_units(tmp_path, rater="folder")
    wanted = expected(made)
    assert plain(units) == plain(wanted)
    assert units.asked.tolist() == wanted.asked.tolist()


def test_an_empty_file_is_somebody_who_marked_nothing(tmp_path: Path) -> None:
    for who, text in (("ann", "0,5,x\n9,12,y\n"), ("bob", "0,5,x\n9,12,y\n")):
        (tmp_path / who).mkdir()
        (tmp_path / who / "f1.csv").write_text("start,end,label\n" + text, encoding="utf-8")
        (tmp_path / who / "f2.csv").write_text("start,end,label\n", encoding="utf-8")
    (tmp_path / "ann" / "f2.csv").write_text("start,end,label\n1,2,x\n", encoding="utf-8")
    units = read_units(tmp_path, rater="folder")
    assert units.asked.all()
    assert span_f1(units).value == pytest.approx(4 / 5)
    (tmp_path / "bob" / "f2.csv").unlink()
    units = read_units(tmp_path, rater="folder")
    assert not units.asked.all()
    assert span_f1(units).value == 1


@pytest.mark.parametrize(
    ("head", "cells", "unit", "times"),
    [
        ("onset_ms,offset_ms", ("100", "250"), "ms", (100, 250)),
        ("start_frame,end_frame", ("4", "9"), "frame", (4, 9)),
        ("start (s),end (s)", ("0.5", "2.5"), "s", (0.5, 2.5)),
        ("begin_min,end_min", ("1.5", "2"), "s", (90, 120)),
        ("start,end", ("00:01:02.5", "00:01:10"), "s", (62.5, 70)),
        ("start,end", ("01:02", "1:10"), "s", (62, 70)),
        ("start_char,end_char", ("3", "8"), "character", (3, 8)),
        ("onset,duration", ("3", "8"), "unknown", (3, 11)),
        ("offset,length", ("3", "8"), "unknown", (3, 11)),
    ],
)
def test_times_and_their_units(
    head: str, cells: tuple[str, str], unit: str, times: tuple[float, float], tmp_path: Path
) -> None:
    rows = [f"{who},{cells[0]},{cells[1]},x" for who in "ab"]
    (tmp_path / "u.csv").write_text("\n".join([f"rater,{head},label", *rows, ""]), "utf-8")
    units = read_units(tmp_path / "u.csv")
    assert units.time_unit == unit
    assert (units.start[0], units.end[0]) == times


def test_onsets_without_an_end_need_a_word(tmp_path: Path) -> None:
    text = "rater,onset,label\na,0,x\na,10,y\na,20,end\nb,0,x\nb,12,y\nb,20,end\n"
    (tmp_path / "u.csv").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"ends='next'.*ends='point'"):
        read_units(tmp_path / "u.csv")
    units = read_units(tmp_path / "u.csv", ends="next")
    assert plain(units) == [
        ("a", "x", 0, 10, "", ""), ("a", "y", 10, 20, "", ""),
        ("b", "x", 0, 12, "", ""), ("b", "y", 12, 20, "", ""),
    ]  # fmt: skip
    assert read_units(tmp_path / "u.csv", ends="point").n_units == 6
    (tmp_path / "u.csv").write_text(text.replace("a,20,end\n", "").replace("b,20,end\n", ""))
    assert read_units(tmp_path / "u.csv", ends="next").n_units == 2
    assert read_units(tmp_path / "u.csv", ends="next", bounds=(0, 30)).end.max() == 30


def test_smpte_and_mixed_units_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "u.csv"
    path.write_text("rater,start,end,label\na,00:00:01:12,00:00:02:00,x\n", encoding="utf-8")
    with pytest.raises(InputError, match="counts frames"):
        read_units(path)
    path.write_text("rater,start_ms,end_frame,label\na,1,2,x\nb,1,2,x\n", encoding="utf-8")
    with pytest.raises(InputError, match="end"):
        read_units(path)


def test_two_columns_that_may_be_the_label_are_both_named(tmp_path: Path) -> None:
    rows = [f"{w},{k},{k + 1},{'ab'[k % 2]},{'xyz'[k % 3]}" for w in "pq" for k in range(9)]
    path = tmp_path / "u.csv"
    path.write_text("\n".join(["rater,start,end,gesture,mood", *rows, ""]), encoding="utf-8")
    with pytest.raises(InputError, match="label='gesture' or label='mood'"):
        read_units(path)
    assert read_units(path, label="mood").labels == ("x", "y", "z")


def test_two_columns_that_may_be_the_session_are_both_named(tmp_path: Path) -> None:
    rows = [
        f"{who},{dyad},{film},{10 * k},{10 * k + 5},x"
        for who in "pq" for dyad in "de" for film in "fg" for k in range(3)
    ]  # fmt: skip
    path = tmp_path / "u.csv"
    path.write_text("\n".join(["rater,dyad,film,start,end,label", *rows, ""]), encoding="utf-8")
    with pytest.raises(InputError, match=r"column:film\+dyad|column:dyad\+film"):
        read_units(path)
    assert read_units(path, session="column:dyad+film").n_sessions == 4
    assert read_units(path, session="column:dyad").n_sessions == 2
