"""Reading units: rules for raters, encodings, times, and files that mean harm."""

from __future__ import annotations

import gzip
import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import needed
from consilience.exceptions import ConsilienceError, InputError, MissingDependencyError
from consilience.io.events import load_units, read_units, unit_formats
from consilience.units import Units

# What is set aside on purpose is told; the accounts have tests of their own.
pytestmark = pytest.mark.filterwarnings("ignore::consilience.exceptions.ReadingWarning")

ROOT = Path(__file__).resolve().parents[3]
DATA = needed.SHARED / "data"
needs_data = needed.needs_data(DATA)


def put(folder: Path, **files: str | bytes) -> Path:
    """Write files; __ in a name is a folder, the last _ the dot."""
    for name, data in files.items():
        stem, _, suffix = name.rpartition("_")
        path = folder / f"{stem.replace('__', '/')}.{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8"))
    return folder


def eaf(tiers: dict[str, list[tuple[int, int, str]]], **attributes: dict[str, str]) -> str:
    """Write an ELAN document with aligned tiers."""
    slots, body = [], []
    for name, marks in tiers.items():
        more = "".join(f' {k}="{v[name]}"' for k, v in attributes.items() if name in v)
        body.append(f'<TIER TIER_ID="{name}" LINGUISTIC_TYPE_REF="t"{more}>')
        for start, end, label in marks:
            k = len(slots)
            slots += [f'<TIME_SLOT TIME_SLOT_ID="s{k}" TIME_VALUE="{start}"/>',
                      f'<TIME_SLOT TIME_SLOT_ID="s{k + 1}" TIME_VALUE="{end}"/>']  # fmt: skip
            body.append(
                f'<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a{k}" TIME_SLOT_REF1="s{k}" '
                f'TIME_SLOT_REF2="s{k + 1}"><ANNOTATION_VALUE>{label}</ANNOTATION_VALUE>'
                "</ALIGNABLE_ANNOTATION></ANNOTATION>"
            )
        body.append("</TIER>")
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<ANNOTATION_DOCUMENT>\n<TIME_ORDER>'
        + "\n".join(slots)
        + "</TIME_ORDER>\n"
        + "\n".join(body)
        + '\n<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="t"/></ANNOTATION_DOCUMENT>'
    )


def grid(tiers: dict[str, list[tuple[float, float, str]]], end: float = 10) -> str:
    """Write a short TextGrid."""
    out = ['File type = "ooTextFile"', 'Object class = "TextGrid"', "", "0", f"{end}", "<exists>"]
    out.append(str(len(tiers)))
    for name, marks in tiers.items():
        out += ['"IntervalTier"', f'"{name}"', "0", f"{end}", str(len(marks))]
        for start, stop, text in marks:
            out += [f"{start}", f"{stop}", f'"{text}"']
    return "\n".join(out) + "\n"


ONE = [(0, 5, "x")]


def short(units: Units) -> list[tuple[Any, ...]]:
    return [
        (units.raters[r], units.sessions[s], units.tiers[t], a.item(), b.item())
        for r, s, t, a, b in zip(
            units.rater, units.session, units.tier, units.start, units.end, strict=True
        )
    ]


# --- rules for raters -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tiers", "rater", "expected"),
    [
        (["hand_R1", "hand_R2"], None, ("R1", "R2")),
        (["handR1", "handR2"], None, ("R1", "R2")),
        (["hand-Anna", "hand-Ben"], None, ("Anna", "Ben")),
        (["R1_hand", "R2_hand"], None, ("R1", "R2")),
        (["R1 hand", "R1 gaze", "R2 hand", "R2 gaze"], None, ("R1", "R2")),
        (["a_x", "a_y", "b_x", "b_y"], "tier-suffix", ("x", "y")),
        (["a_x", "a_y", "b_x", "b_y"], "tier-prefix", ("a", "b")),
        (["Maureen", "Robin"], "tier", ("Maureen", "Robin")),
        (["hand by Jo at 1", "hand by Al at 1"], "tier:{tier} by {rater} at 1", ("Al", "Jo")),
        (["left", "right"], {"left": "Jo", "right": "Al"}, ("Al", "Jo")),
    ],
)
def test_raters_by_tiers(
    tiers: list[str], rater: Any, expected: tuple[str, ...], tmp_path: Path
) -> None:
    put(tmp_path, film_eaf=eaf(dict.fromkeys(tiers, ONE)))
    units = read_units(tmp_path / "film.eaf", rater=rater)
    assert units.raters == expected
    assert units.n_sessions == 1
    assert len(units.tiers) == len(tiers) // len(expected)


def test_two_rules_that_fit_equally_well_are_named(tmp_path: Path) -> None:
    put(tmp_path, film_eaf=eaf(dict.fromkeys(["eye_lid", "eye_brow", "lip_lid", "lip_brow"], ONE)))
    with pytest.raises(InputError, match=r"tier-suffix.*and tier-prefix.*both rules fit") as caught:
        read_units(tmp_path)
    assert "film.eaf" in str(caught.value)


def test_tiers_without_a_pattern_are_no_raters(tmp_path: Path) -> None:
    put(tmp_path, film_eaf=eaf({"words": ONE, "gestures": ONE}))
    with pytest.raises(InputError, match=r"never guessed.*'gestures', 'words'.*one of 'tier'"):
        read_units(tmp_path)


def test_participants_are_who_was_recorded_unless_the_caller_says_so(tmp_path: Path) -> None:
    who = {"xds@FA1": "FA1", "xds@MA1": "MA1"}
    put(tmp_path, film_eaf=eaf({"xds@FA1": ONE, "xds@MA1": ONE}, PARTICIPANT=who))
    with pytest.raises(InputError, match="never guessed"):
        read_units(tmp_path)
    units = read_units(tmp_path, rater="participant")
    assert units.raters == ("FA1", "MA1")
    assert units.tiers == ("xds",)


def test_annotators_are_raters(tmp_path: Path) -> None:
    who = {"hand A": "Jo", "hand B": "Al", "gaze A": "Jo", "gaze B": "Al"}
    put(tmp_path, film_eaf=eaf(dict.fromkeys(who, ONE), ANNOTATOR=who))
    units = read_units(tmp_path, rater="annotator")
    assert units.raters == ("Al", "Jo")
    assert units.tiers == ("gaze", "hand")


def test_a_rule_leaves_out_other_tiers_and_says_so(tmp_path: Path) -> None:
    tiers = {"hand_R1": ONE, "hand_R2": ONE, "gaze_R1": ONE, "notes": ONE, "lip_shape": ONE}
    put(tmp_path, film_eaf=eaf(tiers))
    loaded = load_units(tmp_path, rater="tier-suffix")
    assert loaded.units.raters == ("R1", "R2")
    assert loaded.units.tiers == ("hand",)
    assert loaded.pairs == {("film", "hand"): ("R1", "R2")}
    assert "'lip_shape', 'notes'" in loaded.explain()
    aside = {one.name: one.reason for one in loaded.units.reading.account.that_matters}
    assert "only 'R1' has this tier" in aside["gaze_R1"]
    loaded = load_units(tmp_path, rater="tier-suffix", asked="all")
    assert loaded.units.tiers == ("gaze", "hand")
    assert loaded.pairs == {("film", "gaze"): ("R1",), ("film", "hand"): ("R1", "R2")}


def test_an_empty_tier_is_a_rater_who_marked_nothing(tmp_path: Path) -> None:
    put(tmp_path, film_eaf=eaf({"hand_R1": ONE, "hand_R2": []}))
    units = read_units(tmp_path)
    assert units.raters == ("R1", "R2")
    assert units.counts().tolist() == [[1], [0]]


def test_the_empty_tier_of_every_new_elan_file_is_nobody(tmp_path: Path) -> None:
    put(tmp_path, film_eaf=eaf({"default": [], "Jo": ONE, "Al": ONE}))
    assert read_units(tmp_path, rater="tier").raters == ("Al", "Jo")


FILES = {"jo__f1_eaf": ONE, "al__f1_eaf": ONE, "jo__f2_eaf": ONE, "al__f2_eaf": ONE}


def test_a_folder_for_each_rater(tmp_path: Path) -> None:
    put(tmp_path, **{name: eaf({"hand": marks}) for name, marks in FILES.items()})
    loaded = load_units(tmp_path)
    assert loaded.rule == "folder"
    assert loaded.units.raters == ("al", "jo")
    assert loaded.units.sessions == ("f1", "f2")


def test_a_folder_for_each_session(tmp_path: Path) -> None:
    put(
        tmp_path, **{f"s{k}__{who}_eaf": eaf({"hand": ONE}) for k in (1, 2) for who in ("jo", "al")}
    )
    units = read_units(tmp_path, rater="file")
    assert units.raters == ("al", "jo")
    assert units.sessions == ("s1", "s2")


@pytest.mark.parametrize("rater", [None, "file-suffix", "file:{session}_{rater}"])
def test_raters_in_the_names_of_files(rater: str | None, tmp_path: Path) -> None:
    names = ["film_1_jo", "film_1_al", "film_2_jo", "film_2_al"]
    for name in names:
        (tmp_path / f"{name}.eaf").write_text(eaf({"hand": ONE}), encoding="utf-8")
    units = read_units(tmp_path, rater=rater)
    assert units.raters == ("al", "jo")
    assert units.sessions == ("film_1", "film_2")


def test_numbered_films_are_no_raters(tmp_path: Path) -> None:
    for name in ("film_1", "film_2"):
        (tmp_path / f"{name}.eaf").write_text(eaf({"hand": ONE}), encoding="utf-8")
    with pytest.raises(InputError, match="never guessed"):
        read_units(tmp_path)


def test_two_files_of_one_rater_and_session_are_refused(tmp_path: Path) -> None:
    put(tmp_path, **{f"{f}__jo__f1_eaf": eaf({"hand": ONE}) for f in ("a", "b")})
    with pytest.raises(
        InputError, match="'jo' on tier 'hand' of session 'f1' must be found in one"
    ):
        read_units(tmp_path, rater="folder")


def test_tiers_can_be_chosen_renamed_and_put_together(tmp_path: Path) -> None:
    put(tmp_path, film_eaf=eaf(dict.fromkeys(["h_R1", "h_R2", "g_R1", "g_R2"], ONE)))
    assert read_units(tmp_path, tier="h").tiers == ("h",)
    assert read_units(tmp_path, tier=["h_R1", "h_R2"]).tiers == ("h",)
    assert read_units(tmp_path, tier={"h": "hand"}).tiers == ("hand",)
    assert read_units(tmp_path, tier="one").tiers == ("tier",)
    with pytest.raises(InputError, match=r"tier must be one of .*'hx'"):
        read_units(tmp_path, tier="hx")


def test_tiers_that_are_not_chosen_do_not_blur_the_rule(tmp_path: Path) -> None:
    put(tmp_path, film_eaf=eaf({"h_R1": ONE, "h_R2": ONE, "notes": ONE}))
    with pytest.raises(InputError, match="never guessed"):
        read_units(tmp_path)
    assert read_units(tmp_path, tier=["h_R1", "h_R2"]).raters == ("R1", "R2")


def test_sessions_can_be_told(tmp_path: Path) -> None:
    put(tmp_path, one_eaf=eaf({"h_R1": ONE, "h_R2": ONE}), two_eaf=eaf({"h_R1": ONE, "h_R2": ONE}))
    assert read_units(tmp_path).sessions == ("one", "two")
    named = read_units(tmp_path, session={"one": "Monday", "two.eaf": "Tuesday"})
    assert named.sessions == ("Monday", "Tuesday")
    with pytest.raises(InputError, match=r"session must be one of .*did you mean 'folder'"):
        read_units(tmp_path, session="foldr")


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"rater": "tier-sufix"}, "did you mean 'tier-suffix'"),
        ({"rater": 3}, "a rule or a mapping"),
        ({"rater": {}}, "a rule or a mapping"),
        ({"rater": {"nobody": "x"}}, "a key of rater must be one of"),
        ({"rater": {"h_R1": ()}}, "a value of rater"),
        ({"rater": "file:{rater}{who}"}, "made of {rater}"),
        ({"rater": "annotator"}, "a rule that these files can follow"),
        ({"format": "elan"}, "format must be one of"),
        ({"time_unit": "h"}, "time_unit must be one of"),
        ({"time_unit": "s"}, "'ms', as the files say"),
        ({"columns": {"begin": "a"}}, "a key of columns"),
        ({"columns": 3}, "a mapping of roles"),
        ({"bounds": "0-9"}, "bounds must be"),
        ({"bounds": (0, 1)}, "around all its units"),
        ({"tier": 3}, "tier must be"),
        ({"encoding": "utf-99", "format": "textgrid"}, "one that Python knows"),
    ],
)
def test_a_wrong_option_is_refused(options: dict[str, Any], match: str, tmp_path: Path) -> None:
    put(tmp_path, film_eaf=eaf({"h_R1": ONE, "h_R2": ONE}))
    with pytest.raises(InputError, match=match):
        read_units(tmp_path / "film.eaf", **options)


# --- times ----------------------------------------------------------------------------------------


def test_seconds_become_whole_milliseconds_where_that_is_exact(tmp_path: Path) -> None:
    put(tmp_path, a_TextGrid=grid({"h_R1": [(0.1, 0.3, "x")], "h_R2": [(1.005, 2, "x")]}))
    units = read_units(tmp_path)
    assert (units.time_unit, units.start.tolist()) == ("ms", [100, 1005])
    assert units.start.dtype == np.int64
    assert units.bounds.tolist() == [[0, 10_000]]
    kept = read_units(tmp_path, time_unit="s")
    assert (kept.time_unit, kept.end.tolist()) == ("s", [0.3, 2.0])


def test_other_seconds_stay_what_they_are(tmp_path: Path) -> None:
    put(
        tmp_path,
        a_TextGrid=grid({"h_R1": [(0.12345, 0.3, "x")], "h_R2": [(1, 2, "x")]}, end=2.55555),
    )
    units = read_units(tmp_path)
    assert (units.time_unit, units.start.tolist()) == ("s", [0.12345, 1.0])
    rounded = read_units(tmp_path, time_unit="ms")
    assert rounded.start.tolist() == [123, 1000]
    assert rounded.bounds.tolist() == [[0, 2556]]
    assert "rounded_times" in [note.code for note in rounded.notes]


def test_an_end_before_its_start_names_file_and_place(tmp_path: Path) -> None:
    put(tmp_path, film_eaf=eaf({"h_R1": [(5, 2, "x")], "h_R2": ONE}))
    with pytest.raises(InputError, match=r"film\.eaf, line \d+, annotation 'a0'.*5 to 2"):
        read_units(tmp_path)
    put(tmp_path, t_csv="rater,start,end,label\na,0,5,x\nb,9,5,y\n")
    with pytest.raises(InputError, match=r"t\.csv, line 3: the unit 'y'"):
        read_units(tmp_path / "t.csv")


@pytest.mark.parametrize("word", ["nan", "inf", "-inf", "1e999", "soon", "", "1_0"])
def test_what_is_no_time_is_refused(word: str, tmp_path: Path) -> None:
    put(tmp_path, t_csv=f"rater,start,end,label\na,0,5,x\nb,{word},5,y\n")
    with pytest.raises(InputError, match=r"t\.csv, line 3"):
        read_units(tmp_path)


def test_frames_stay_frames(tmp_path: Path) -> None:
    text = eaf({"h_R1": ONE, "h_R2": ONE})
    text = text.replace("<TIME_ORDER>", '<HEADER TIME_UNITS="PAL-frames"/><TIME_ORDER>')
    assert read_units(put(tmp_path, film_eaf=text)).time_unit == "frame"


def test_slots_without_a_time_follow_the_chain_of_their_tier(tmp_path: Path) -> None:
    """Slots of another tier that lie between in the list do not count."""
    text = eaf({"h_R1": [(0, 1, "x"), (1, 2, "y"), (2, 900, "z")], "h_R2": [(100, 200, "x")]})
    for old, new in (("s1", "s1"), ("s2", "s1"), ("s3", "s3"), ("s4", "s3")):
        text = text.replace(f'REF1="{old}"', f'REF1="{new}"')
    for value in ("1", "2"):
        text = text.replace(f' TIME_VALUE="{value}"/>', "/>")
    loaded = load_units(put(tmp_path, film_eaf=text))
    assert short(loaded.units)[:3] == [
        ("R1", "film", "h", 0, 300),
        ("R1", "film", "h", 300, 600),
        ("R1", "film", "h", 600, 900),
    ]
    assert "2 time slots" in loaded.explain()


def test_a_slot_beyond_all_known_times_is_refused(tmp_path: Path) -> None:
    text = eaf({"h_R1": [(0, 7, "x")], "h_R2": []}).replace(' TIME_VALUE="7"/>', "/>")
    with pytest.raises(InputError, match="time slot 's1' must be given a time"):
        read_units(put(tmp_path, film_eaf=text))


CLOCK = "00:00:00.780\t00:00:01.000\t00:00:00.220"


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("Tier\tBegin Time - msec\tEnd Time - msec\tAnnotation\n"
         "h_R1\t780\t900\tx\nh_R2\t1\t2\tx\n", 780),
        ("Tier\tBegin Time - hh:mm:ss.ms\tEnd Time - hh:mm:ss.ms\tAnnotation\n"
         "h_R1\t00:01:00.780\t00:02:00.000\tx\nh_R2\t00:00:01.5\t00:00:02.000\tx\n", 60_780),
        ("Begin Time - ss.msec\tEnd Time - ss.msec\th_R1\th_R2\n"
         "0.78\t0.9\tx\t\n0.5\t0.9\t\ty\n", 780),
        ("#file:///C:/a/film.eaf\nh_R1\t\t0.78\t0.9\tx\nh_R2\t\t0.1\t0.2\tx\n", 780),
        (f"h_R1\t\t{CLOCK}\tx\ta.eaf\nh_R2\t\t{CLOCK}\tx\ta.eaf\n", 780),
    ],
)  # fmt: skip
def test_columns_of_elan_as_they_were_ticked(text: str, start: int, tmp_path: Path) -> None:
    loaded = load_units(put(tmp_path, export_txt=text))
    assert loaded.format == "elan-tab"
    assert loaded.units.start[0] == start
    assert loaded.units.raters == ("R1", "R2")
    assert loaded.units.time_unit == "ms"


def test_easydiag_refuses_an_empty_cell(tmp_path: Path) -> None:
    put(tmp_path, a_txt="hR1\t0\t5\tx\nhR2\t1\t6\n")
    with pytest.raises(InputError, match=r"a\.txt, line 2"):
        read_units(tmp_path, format="easydiag")


# --- formats --------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
def test_encodings_of_a_textgrid(encoding: str, tmp_path: Path) -> None:
    text = grid({"h_R1": [(0, 1, "müde")], "h_R2": [(0, 1, "ə")]})
    put(tmp_path, a_TextGrid=text.encode(encoding))
    told = {"encoding": encoding} if encoding == "utf-16-le" else {}
    assert read_units(tmp_path, **told).labels == ("müde", "ə")


def test_another_encoding_has_to_be_named(tmp_path: Path) -> None:
    put(tmp_path, a_TextGrid=grid({"h_R1": [(0, 1, "müde")], "h_R2": []}).encode("cp1252"))
    with pytest.raises(InputError, match=r'a\.TextGrid, line 15: .*encoding="cp1252"'):
        read_units(tmp_path)
    assert read_units(tmp_path, encoding="cp1252").labels == ("müde",)


def test_a_binary_textgrid_is_refused_with_a_hint(tmp_path: Path) -> None:
    put(tmp_path, a_TextGrid=b"ooBinaryFile\x08TextGrid\0\0\0")
    with pytest.raises(InputError, match="Save as text file"):
        read_units(tmp_path)


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        (["B-A", "I-A", "O", "B-A"], [(0, 2, "A"), (3, 4, "A")]),
        (["I-A", "I-A", "B-A", "O"], [(0, 2, "A"), (2, 3, "A")]),
        (["O", "I-A", "I-B", "I-B"], [(1, 2, "A"), (2, 4, "B")]),
        (["S-A", "B-A", "E-A", "I-A"], [(0, 1, "A"), (1, 3, "A"), (3, 4, "A")]),
        (["U-A", "B-B", "I-B", "L-B"], [(0, 1, "A"), (1, 4, "B")]),
        (["O", "E-A", "E-A", "O"], [(1, 2, "A"), (2, 3, "A")]),
    ],
)
def test_schemes_of_tags(
    tags: list[str], expected: list[tuple[int, int, str]], tmp_path: Path
) -> None:
    body = "".join(f"w{k} {tag}\n" for k, tag in enumerate(tags))
    units = read_units(put(tmp_path, d_R1_conll=body), rater="file-suffix")
    found = zip(units.start.tolist(), units.end.tolist(), units.label.tolist(), strict=True)
    assert [(a, b, units.labels[c]) for a, b, c in found] == expected


def test_a_column_of_tags_for_each_rater(tmp_path: Path) -> None:
    text = "token\tjo\tal\nJan\tB-PER\tO\nsaw\tO\tO\nNew\tB-LOC\tB-LOC\nYork\tI-LOC\tO\n"
    put(tmp_path, d_tsv=text)
    units = read_units(tmp_path, rater="column", format="conll")
    assert short(units) == [
        ("jo", "d", "tier", 0, 1), ("jo", "d", "tier", 2, 4), ("al", "d", "tier", 2, 3)
    ]  # fmt: skip


def test_raters_with_different_words_are_refused(tmp_path: Path) -> None:
    put(tmp_path, d_R1_conll="a O\nb B-X\nc O\n", d_R2_conll="a O\nB B-X\nc O\n")
    with pytest.raises(InputError, match=r"the same for all raters.*from word 2 on"):
        read_units(tmp_path)


def test_brat_refuses_another_text_and_another_place(tmp_path: Path) -> None:
    put(tmp_path, jo__d_txt="a fox", jo__d_ann="T1\tX 2 5\tfox\n")
    put(tmp_path, al__d_txt="a dog", al__d_ann="T1\tX 2 5\tdog\n")
    with pytest.raises(InputError, match=r"d\.ann.*the same for all raters"):
        read_units(tmp_path)
    put(tmp_path, al__d_txt="a fox", al__d_ann="T1\tX 1 4\tfox\n")
    with pytest.raises(InputError, match=r"d\.ann, line 1: T1 \('fox'\) must be at its place"):
        read_units(tmp_path)


def test_brat_without_a_text_says_so(tmp_path: Path) -> None:
    put(tmp_path, jo__d_ann="T1\tX 2 5\tfox\n", al__d_ann="T1\tX 2 5\tfox\n")
    units = read_units(tmp_path)
    assert "no_text" in [note.code for note in units.notes]
    assert units.bounds_from == ("fallback",)


def test_fragments_of_a_span_are_one_unit(tmp_path: Path) -> None:
    put(tmp_path, jo__d_ann="T1\tX 0 2;4 6\ta b\nT2\tX 0 2\ta\n", al__d_ann="")
    units = read_units(tmp_path)
    assert (len(units), units.n_units) == (3, 2)
    assert units.span is not None


def boris(**observations: list[list[Any]]) -> str:
    kinds = {"0": {"code": "p", "type": "Point event"}, "1": {"code": "s", "type": "State event"}}
    listed = {name: {"events": events} for name, events in observations.items()}
    return json.dumps({"behaviors_conf": kinds, "observations": listed})


def test_an_unpaired_state_matters_where_its_observation_is_wanted(tmp_path: Path) -> None:
    odd = [[1.0, "", "s", "", ""], [2.0, "", "s", "", ""], [3.0, "", "s", "", ""]]
    even = odd[:2]
    put(tmp_path, p_boris=boris(a=even, b=even, c=odd))
    with pytest.raises(InputError, match=r"observation 'c', event 3: state 's'"):
        read_units(tmp_path, rater="observation")
    units = read_units(tmp_path, rater={"a": "Jo", "b": "Al"})
    assert units.raters == ("Al", "Jo")
    assert units.start.tolist() == [1000, 1000]


def test_observations_are_not_taken_for_raters_unasked(tmp_path: Path) -> None:
    put(tmp_path, p_boris=boris(a=[[1.0, "", "p", "", ""]], b=[[1.0, "", "p", "", ""]]))
    with pytest.raises(InputError, match=r"2 observations \('a', 'b'\).*'observation'"):
        read_units(tmp_path)


def test_modifiers_can_be_part_of_the_label(tmp_path: Path) -> None:
    put(tmp_path, p_boris=boris(a=[[1.0, "", "p", "m1|m2", ""]]))
    units = read_units(tmp_path, rater="observation", label="behavior+modifiers")
    assert units.labels == ("p: m1|m2",)


def test_tabular_events_of_boris(tmp_path: Path) -> None:
    text = (
        "Observation id\tday 1\t\t\t\n\t\t\t\t\nTime offset (s)\t0.0\t\t\t\n\t\t\t\t\n"
        "Time\tTotal length\tSubject\tBehavior\tStatus\n"
        "3.300\t60.0\then\ts\tSTART\n5.000\t60.0\t\tp\tPOINT\n7.750\t60.0\then\ts\tSTOP\n"
    )
    units = read_units(put(tmp_path, e_tsv=text), rater="observation")
    assert short(units) == [
        ("day 1", "session", "No focal subject", 5000, 5000),
        ("day 1", "session", "hen", 3300, 7750),
    ]
    assert units.bounds.tolist() == [[0, 60_000]]


def test_sound_in_label_studio_is_in_seconds(tmp_path: Path) -> None:
    region = {"id": "r", "from_name": "who", "type": "labels", "original_length": 12.5,
              "value": {"start": 1.25, "end": 2.5, "channel": 0, "labels": ["speech"]}}  # fmt: skip
    made = [{"completed_by": k, "result": [region]} for k in (1, 2)]
    put(tmp_path, a_json=json.dumps([{"id": 1, "data": {"audio": "a.wav"}, "annotations": made}]))
    units = read_units(tmp_path)
    assert short(units)[0] == ("1", "1", "who", 1250, 2500)
    assert units.bounds.tolist() == [[0, 12_500]]


def test_columns_can_be_named(tmp_path: Path) -> None:
    put(tmp_path, t_csv="wer;von;dauer;was;film\na;1,5;2;x;f\nb;2;2;y;f\n")
    columns = {"start": "von", "duration": "dauer", "label": "was", "session": "film"}
    units = read_units(tmp_path, columns=columns, rater="column:wer", time_unit="s")
    assert short(units) == [("a", "f", "tier", 1.5, 3.5), ("b", "f", "tier", 2.0, 4.0)]
    assert units.time_unit == "s"
    assert short(read_units(tmp_path)) == [("a", "f", "tier", 1.5, 3.5), ("b", "f", "tier", 2, 4)]
    put(tmp_path, t_csv="k;p;q;film\na;1,5;2;f\nb;2;2;f\n")
    with pytest.raises(InputError, match="one with a column for the start"):
        read_units(tmp_path)


def test_a_table_without_raters_is_one_raters(tmp_path: Path) -> None:
    for name in ("jo", "al"):
        (tmp_path / f"{name}.csv").write_text("start,end,label\n0,5,x\n", encoding="utf-8")
    with pytest.raises(InputError, match="never guessed"):
        read_units(tmp_path)
    assert read_units(tmp_path, rater="file").raters == ("al", "jo")


def test_xmi_without_its_library_names_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "cassis", None)
    put(tmp_path, d_xmi='<xmi:XMI xmlns:xmi="http://www.omg.org/XMI"/>')
    with pytest.raises(MissingDependencyError, match=r"pip install 'consilience\[uima\]'"):
        read_units(tmp_path)


def test_formats_are_not_mixed(tmp_path: Path) -> None:
    put(tmp_path, a_eaf=eaf({"h_R1": ONE}), a_TextGrid=grid({"h_R2": [(0, 1, "x")]}))
    with pytest.raises(InputError, match=r"of one format.*textgrid.*eaf"):
        read_units(tmp_path)


# --- files that mean harm -------------------------------------------------------------------------

LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;">'
    '<!ENTITY c "&b;&b;&b;&b;&b;&b;">]><ANNOTATION_DOCUMENT>&c;</ANNOTATION_DOCUMENT>'
)
BEGUN = 'File type = "ooTextFile"\n"TextGrid"\n0\n1\n<exists>\n'
OUTSIDE = (
    '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]>'
    "<ANNOTATION_DOCUMENT>&a;</ANNOTATION_DOCUMENT>"
)


@pytest.mark.parametrize("text", [LAUGHS, OUTSIDE, LAUGHS.replace("&c;", "")])
@pytest.mark.parametrize("suffix", ["eaf", "xmi"])
def test_document_types_and_entities_are_refused(text: str, suffix: str, tmp_path: Path) -> None:
    put(tmp_path, **{f"film_{suffix}": text})
    with pytest.raises(InputError, match=rf"film\.{suffix}, line 1: .*free of a document type"):
        read_units(tmp_path, rater="file")


def test_utf16_hides_no_document_type(tmp_path: Path) -> None:
    text = LAUGHS.replace('"1.0"', '"1.0" encoding="utf-16"')
    put(tmp_path, film_eaf=text.encode("utf-16"))
    with pytest.raises(InputError, match="free of a document type"):
        read_units(tmp_path, rater="file")


@pytest.mark.parametrize(
    ("name", "text", "match"),
    [
        ("a_eaf", "<ANNOTATION_DOCUMENT>" + "<a>" * 5000, "nested at most 200 deep"),
        ("a_eaf", "<ANNOTATION_DOCUMENT><TIER", "well-formed XML"),
        ("a_eaf", "<html></html>", "an ANNOTATION_DOCUMENT"),
        ("a_eaf", '<?xml version="1.0" encoding="x-user-defined"?><a/>', "XML|encoding"),
        ("a_boris", "[" * 100_000, "not nested so deeply"),
        ("a_boris", '{"observations": {}, "observations": {}}', "'observations' twice"),
        ("a_boris", '{"observations": NaN}', "one with observations"),
        ("a_boris", '{"observations": ' + "9" * 10_000 + "}", "at most 300 digits"),
        ("a_TextGrid", grid({"h_R1": [(0, 1, "x")]})[:-20], "a number|a text|closed"),
        ("a_TextGrid", BEGUN + "9999999999\n", "the number of tiers"),
        ("a_TextGrid", BEGUN + "1" * 200_000 + "x", "the number of tiers"),
        ("a_rttm", "SPEAKER a 1 x 2 <NA> <NA> A <NA> <NA>\n", "a_rttm|the onset must be a number"),
        ("a_ann", "T1\tX 5 2\tfox\n", "none ending before it starts"),
        ("a_conll", "a B-X\nb\n", "cut into 2 cells"),
        ("a_csv", 'rater,start,end,label\na,0,1,"x\nb,0,1,y\n', "quotation mark|cut into|must be"),
    ],
)  # fmt: skip
def test_damaged_and_hostile_files(name: str, text: str, match: str, tmp_path: Path) -> None:
    put(tmp_path, **{name: text})
    with pytest.raises(InputError, match=match):
        read_units(tmp_path, rater="file")


def test_a_packed_file_that_bursts_is_stopped(tmp_path: Path) -> None:
    put(tmp_path, a_eaf=b"")
    (tmp_path / "a.eaf").unlink()
    (tmp_path / "a.eaf.gz").write_bytes(gzip.compress(b"<a>" + b" " * 70_000_000))
    with pytest.raises(InputError, match="200 times larger"):
        read_units(tmp_path, rater="file")


def test_a_packed_file_that_ends_early(tmp_path: Path) -> None:
    whole = gzip.compress(eaf({"h_R1": ONE, "h_R2": ONE}).encode())
    (tmp_path / "a.eaf.gz").write_bytes(whole[:-20])
    with pytest.raises(InputError, match="readable to its end"):
        read_units(tmp_path)


def test_half_a_surrogate_pair_is_no_label(tmp_path: Path) -> None:
    text = boris(a=[[1.0, "", "p", "", ""]]).replace('"p"', '"\\ud800"')
    with pytest.raises(InputError, match="half a character"):
        read_units(put(tmp_path, p_boris=text), rater="observation")


@pytest.mark.parametrize("what", ["missing", "folder", "pipe", "number", "nothing"])
def test_what_is_no_file(what: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    os.mkfifo(tmp_path / "pipe.eaf")
    paths: dict[str, Any] = {
        "missing": tmp_path / "film.eaf",
        "folder": tmp_path / "empty",
        "pipe": tmp_path / "pipe.eaf",
        "number": 3,
        "nothing": [],
    }
    with pytest.raises(InputError):
        read_units(paths[what])


def test_unknown_binary_data_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(bytes(range(256)) * 4)
    with pytest.raises(ConsilienceError, match="a format that is known"):
        read_units(tmp_path / "a.bin")


# --- files of other programs ----------------------------------------------------------------------


@needs_data
def test_an_elan_file_with_all_kinds_of_tiers() -> None:
    units = read_units(DATA / "platforms" / "elan" / "sample_3.0.eaf.gz", rater="file")
    counts = {name: int(np.sum(units.tier == k)) for k, name in enumerate(units.tiers)}
    assert counts == {
        "gest_included": 1197, "gestures": 1197, "text": 399,
        "words-pos": 1995, "words-symsub": 1995, "words-timesub": 1995,
    }  # fmt: skip
    words = units.select(tiers=["words-symsub"])
    assert words.start[:3].tolist() == [2000, 2600, 3200]


@needs_data
def test_two_spellings_of_one_textgrid_are_one() -> None:
    short_form, long_form = (
        read_units(DATA / "units" / "textgrid" / f"mary{name}.TextGrid", rater="file")
        for name in ("", "_longfile")
    )
    assert short_form.start.tolist() == long_form.start.tolist()
    assert short_form.labels == long_form.labels
    assert short_form.n_units == 22


@needs_data
def test_spans_in_brat_folders_give_the_published_f1() -> None:
    from consilience.units import span_f1

    units = read_units(DATA / "platforms" / "brat" / "example-project")
    found = span_f1(units)
    expected = json.loads((DATA / "units" / "expected.json").read_text(encoding="utf-8"))
    mean, deviation = expected["bratiaa_example"]["instance_f1_mean_sd"]
    assert found.summary.mean == pytest.approx(mean, abs=1e-7)
    assert found.summary.sd == pytest.approx(deviation, abs=1e-7)


@needs_data
def test_every_pygamma_file_is_read_in_its_order() -> None:
    for path in sorted((DATA / "units" / "pygamma").glob("*.csv")):
        units = read_units(path)
        assert len(units) == len(path.read_text(encoding="utf-8").split())
        assert units.n_raters > 1


@needs_data
def test_an_observation_of_boris_and_its_copy() -> None:
    units = read_units(
        DATA / "units" / "boris" / "test.boris",
        rater={"observation #2": "first", "observation #2 (copy)": "second"},
    )
    assert units.counts().tolist() == [[18], [18]]
    assert units.bounds.tolist() == [[0, 539_920]]


def test_every_format_says_what_it_is() -> None:
    for name, one in unit_formats().items():
        assert name == one.name
        assert one.title
        assert one.suffixes
        assert one.rules


def test_a_tab_delimited_file_of_very_many_lines_is_refused_at_once(tmp_path):
    path = tmp_path / "tiers.txt"
    path.write_text('A\t1\t2\t"x\n' + "y\n" * 2_000_001)
    with pytest.raises(InputError, match="at most 2,000,000 lines long"):
        read_units(path, format="elan-tab")


def stored(number: int, rater: int, start: int, **more: Any) -> dict[str, Any]:
    """Return an annotation of Label Studio as its storage keeps it, the task inside."""
    value = {"start": start, "end": start + 3, "text": "the cat sat"[start : start + 3],
             "labels": ["X"]}  # fmt: skip
    region = {"id": "r", "from_name": "ner", "type": "labels", "value": value}
    task = {"id": 7, "data": {"text": "the cat sat"}}
    return {"id": number, "completed_by": rater, "result": [region], "task": task, **more}


def test_label_studio_keeps_one_annotation_a_file(tmp_path: Path) -> None:
    files = {f"{k}_json": json.dumps(stored(k, k, 4 * (k - 1))) for k in (1, 2)}
    units = read_units(put(tmp_path, **files))
    assert units.raters == ("1", "2")
    assert [units.start.tolist(), units.end.tolist()] == [[0, 4], [3, 7]]


def test_label_studio_counts_an_annotation_once(tmp_path: Path) -> None:
    tasks = []
    for one in (stored(1, 1, 0), stored(1, 1, 0), stored(2, 2, 4)):
        task = one.pop("task")
        tasks.append({**task, "annotations": [one]})
    units = read_units(put(tmp_path, tasks_json=json.dumps(tasks)))
    assert len(units) == 2
    assert "there twice" in " ".join(note.message for note in units.notes)
