"""What every export shares: guarded files, states, policies, variables, recognising, shapes."""

from __future__ import annotations

import io
import json
import stat
import zipfile
from pathlib import Path

import pytest

import consilience as cs
import needed
from consilience.cli.words import flag
from consilience.exceptions import InputError, Option
from consilience.io import anonymised, load, read, read_groups
from consilience.io.exports import Sample, exports, recognise
from consilience.io.exports.export_entries import Annotations
from consilience.io.exports.registry import Signs
from consilience.io.files.parsing import decode, parse_json, parse_records, parse_table
from consilience.io.files.source import Source
from lookalikes import LOOKALIKES, json_lines, written

SHARED = needed.SHARED / "data" / "ratings"


def task(number, who, answer="accept", **more):
    return {
        "text": f"Text {number}", "_input_hash": number, "_task_hash": number * 7,
        "_annotator_id": who, "answer": answer, "_view_id": "classification", **more,
    }  # fmt: skip


# -------------------------------------------------------------------- JSON


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": 1, "a": 2}', "'a' twice"),
        ('{"a": Infinity}', "Infinity"),
        ('{"a": 1e400}', "1e400"),
        ('{"a": ' + "9" * 5000 + "}", "5,000 digits"),
        ('{"a": "\\ud800"}', "lone surrogate"),
        ('{"\\udfff": 1}', "lone surrogate"),
        ("[" * 201 + "]" * 201, "nested so deeply"),
        ("[" * 100_000, "nested so deeply"),
        ('{"a": 1', "line 1: the file must be JSON"),
        ("", "must be JSON"),
    ],
)
def test_json_that_would_be_misread_is_refused(text, words):
    with pytest.raises(InputError, match=words):
        parse_json(text, "x.json")


def test_json_keeps_what_it_can():
    assert parse_json('{"a": NaN, "b": "\\ud83d\\ude00"}', "x") == {"a": None, "b": "😀"}
    assert parse_json("[" * 200 + "]" * 200, "x")
    assert parse_json("1" * 300, "x") == int("1" * 300)


def test_records_know_their_place():
    assert parse_records('{"a": 1}\n\n{"a": 2}\n', "x.jsonl")[1] == ("x.jsonl, line 3", {"a": 2})
    assert parse_records('[{"a": 1}]', "x.json") == [("x.json, record 1", {"a": 1})]
    assert parse_records('{\n"a": 1\n}', "x.json") == [("x.json", {"a": 1})]
    with pytest.raises(InputError, match=r"x\.jsonl, line 2: .*one JSON record a line"):
        parse_records('{"a": 1}\n{"a": \n', "x.jsonl")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_text_in_the_usual_encodings(encoding):
    text = "Ärger über Café, and more of the same\n"
    assert decode(text.encode(encoding), "x") == text


def test_text_that_is_none_is_refused():
    with pytest.raises(InputError, match=r"line 2: .* NUL"):
        decode(b"one line that is long enough\nand \0 more of it\n", "x")
    with pytest.raises(InputError, match="encoding"):
        decode(b"a", "x", encoding="klingon")
    with pytest.raises(InputError, match="must be ascii"):
        decode("ä".encode(), "x", encoding="ascii")


# -------------------------------------------------------------------- delimited text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b\n1,2\n3\n", r"x\.csv, line 3, column 2: every line must be cut into 2 cells. Got 1"),
        ("a,b\n1,2,3\n", "line 2, column 3"),
        ('a,b\n1,"2\n', "line 2: a quotation mark"),
        ("a,b\n1,x" + "y" * (1 << 20) + "\n", "line 2: every cell must be at most 1,048,576"),
        (",".join("a" * 100_000) + "\n", "at most 10,000 columns wide. Got 100,000"),
        ("\n\n", "no lines"),
    ],
)
def test_ragged_and_endless_tables_are_refused_with_their_place(text, words):
    with pytest.raises(InputError, match=words):
        parse_table(text, "x.csv")


def test_a_column_name_that_stands_twice_is_refused_when_rows_are_taken_by_name():
    table = parse_table("a,a\n1,2\n", "x.csv")
    assert table.rows == [(2, ["1", "2"])]
    with pytest.raises(InputError, match="'a' twice"):
        list(table.records())


# -------------------------------------------------------------------- archives and folders


def archive(path, members, **how):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, content in members:
            out.writestr(name, content, **how)
    return path


@pytest.mark.parametrize("name", ["../x.json", "/etc/x", "a/../../x", "C:x", "\\x"])
def test_archives_that_lead_out_of_themselves_are_refused(name, tmp_path):
    path = archive(tmp_path / "x.zip", [(name, "{}")])
    with pytest.raises(InputError, match="a name that leads out of it"):
        _ = Source((path,)).members


def test_links_in_archives_are_refused(tmp_path):
    info = zipfile.ZipInfo("link")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    path = archive(tmp_path / "x.zip", [(info, "/etc/passwd")])
    with pytest.raises(InputError, match="a link"):
        _ = Source((path,)).members


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_members_that_are_there_twice_are_refused(tmp_path):
    path = archive(tmp_path / "x.zip", [("a", "1"), ("a", "2")])
    with pytest.raises(InputError, match="twice"):
        _ = Source((path,)).members


def test_archives_that_burst_are_stopped_while_they_are_unpacked(tmp_path):
    path = archive(tmp_path / "x.zip", [("a.json", b" " * (64 << 20))])
    (member,) = Source((path,)).members
    with pytest.raises(InputError, match="200 times larger"):
        member.bytes()


def test_archives_in_archives_in_archives_are_refused(tmp_path):
    inner = io.BytesIO()
    archive(inner, [("a.txt", "text")])
    middle = io.BytesIO()
    archive(middle, [("inner.zip", inner.getvalue())])
    path = archive(tmp_path / "x.zip", [("middle.zip", middle.getvalue())])
    (found,) = Source((path,)).members
    (deeper,) = found.members()
    assert deeper.name == "inner.zip"
    with pytest.raises(InputError, match="at most 2 times"):
        deeper.members()


def test_damaged_archives_are_refused(tmp_path):
    path = archive(tmp_path / "x.zip", [("a.txt", "text" * 100)])
    path.write_bytes(path.read_bytes()[:60])
    with pytest.raises(InputError, match="a complete zip archive"):
        _ = Source((path,)).members


def test_folders_pass_over_links_and_hidden_files(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.json").write_text("{}")
    (tmp_path / ".hidden").write_text("{}")
    (tmp_path / "link.json").symlink_to("/etc/hostname")
    assert [member.name for member in Source((tmp_path,)).files] == ["a/x.json"]


def test_a_sample_never_raises(tmp_path):
    for name, content in (("a.json", b'{"a": '), ("b.csv", b"\0\0"), ("c.zip", b"PK\x03\x04xx")):
        (tmp_path / name).write_bytes(content)
        sample = Sample(Source((tmp_path / name,)))
        assert sample.json_head() is None
        assert sample.records() == []
        assert sample.members() == ()
        assert sample.parquet_columns() == ()


def test_a_sample_sees_the_first_records_of_a_large_file(tmp_path):
    records = [{"n": n, "text": "x" * 1000} for n in range(3000)]
    path = written(tmp_path, "big.json", json.dumps(records))
    sample = Sample(Source((path,)))
    assert sample.json_form == "list"
    assert [record["n"] for record in sample.records()] == list(range(20))
    path = written(tmp_path, "long.json", json.dumps([{"text": "x" * (2 << 20)}]))
    assert len(Sample(Source((path,))).records()) == 1


# -------------------------------------------------------------------- recognising


def test_two_formats_that_fit_are_an_error_that_names_both(tmp_path, monkeypatch):
    path = LOOKALIKES["prodigy"].write(tmp_path)
    monkeypatch.setattr(type(exports()["tidy"].reader), "recognise", lambda self, sample: "a whim")
    monkeypatch.setattr(Signs, "fit", lambda self, name: True)
    with pytest.raises(InputError, match=r'Prodigy .* and Consilience .*format="prodigy" or'):
        load(path)
    assert load(path, format="prodigy").reading.format == "prodigy"


def test_whoever_names_all_columns_has_a_table(tmp_path):
    path = LOOKALIKES["prodigy"].write(tmp_path)
    assert recognise(Source((path,))) is not None
    found = load(path, item="text", rater="_annotator_id", label="answer")
    assert found.reading.format == "json"


def test_a_file_is_known_by_its_content_not_its_name(tmp_path):
    path = LOOKALIKES["prodigy"].write(tmp_path)
    other = path.rename(tmp_path / "export.txt")
    assert load(other).reading.format == "prodigy"
    plain = written(tmp_path, "r.csv", '{"Ann": {"1": "a", "2": "b"}, "Bob": {"1": "a", "2": "a"}}')
    assert load(plain).reading.format == "json"


def test_the_account_names_an_argument_for_each_guess(tmp_path):
    path = written(tmp_path, "r.csv", "unit;coder;code\n1;A;1,5\n1;B;2\n2;A;2\n2;B;2\n")
    reading = load(path).reading
    found = {one.what: (one.taken, flag(Option(one.argument))) for one in reading.guesses}
    assert found["format"] == ("delimited text", "--format")
    assert found["shape"] == ("long", "--shape")
    assert found["item"] == ("unit", "--item")
    assert found["rater"] == ("coder", "--rater")
    assert found["label"] == ("code", "--label")
    assert found["delimiter"] == ("semicolon", "--delimiter")
    assert found["encoding"] == ("utf-8", "--encoding")
    assert found["header"][0] == "yes"
    assert found["scale"] == ("interval", "--scale")
    assert found["missing"] == ("empty cells", "--missing-value")
    assert "overruled by" in reading.explain().text()
    assert "--missing-value" in reading.explain(flag).text()
    assert "missing_values=" in reading.explain().text()
    assert "decimal commas were read as decimal points" in reading.explain().text()


@pytest.mark.parametrize(
    "text",
    [
        "annotator,label,start,end\nA,x,0.5,1.5\nB,x,0.6,1.4\nA,y,2,3\n",
        "tier,begin_time,end_time,code\na,0,10,x\nb,1,9,x\nb,10,19,y\n",
        "coder,Onset (ms),Offset (ms),code\na,0,10,x\nb,1,9,x\nb,10,19,y\n",
        "0.0\t1.5\tA\n1.5\t2.25\tB\n2.25\t4.5\tA\n4.5\t6.0\tC\n",
    ],
)
def test_timed_units_are_sent_to_their_own_command(text, tmp_path):
    with pytest.raises(InputError, match="consilience units"):
        load(written(tmp_path, "units.csv", text))


def test_whoever_says_so_may_rate_times(tmp_path):
    text = "item,rater,start,end\n1,A,1,2\n1,B,1,3\n2,A,4,5\n2,B,4,6\n"
    path = written(tmp_path, "times.csv", text)
    assert read(path, item="item", rater="rater", label="start").n_items == 2


# -------------------------------------------------------------------- states and policies


@pytest.fixture
def states(tmp_path):
    rows = [
        ("a", "Ann", "tone", "3", "number", "labelled", "", "person"),
        ("a", "Bob", "tone", "4", "number", "labelled", "", "person"),
        ("a", "gpt", "tone", "5", "number", "labelled", "", "prediction"),
        ("a", "key", "tone", "3", "number", "labelled", "", "gold"),
        ("b", "Ann", "tone", "", "", "empty", "", "person"),
        ("b", "Bob", "tone", "4", "number", "excluded", "draft", "person"),
        ("b", "Cid", "tone", "4", "number", "labelled", "", "person"),
        ("c", "Ann", "frame", '["x", "y"]', "set", "labelled", "", "person"),
        ("c", "Bob", "frame", '["x"]', "set", "labelled", "", "person"),
        ("d", "Ann", "frame", "[]", "set", "labelled", "", "person"),
        ("d", "Bob", "frame", "", "", "excluded", "skipped", "person"),
    ]
    names = ("item", "rater", "variable", "label", "label_type", "state", "reason", "kind")
    return json_lines(tmp_path, "tidy.jsonl", [dict(zip(names, row, strict=True)) for row in rows])


def test_three_states_are_counted_apart(states):
    reading = load(states).reading
    assert reading.states == {
        "not asked": 1,
        "asked, no label": 1,
        "excluded": {"draft": 1, "skipped": 1},
    }
    assert "not asked: 1; asked, no label: 1; excluded: 2 (draft 1, skipped 1)" in str(reading)


def test_states_travel_with_the_ratings_and_into_the_record(states):
    loaded = load(states, variable="tone")
    (note,) = [one for one in loaded.ratings.notes if one.code == "entry_states"]
    assert "3 labelled, 1 asked without a label, 1 excluded (draft 1), 1 not asked" in note.message
    record = cs.measure(loaded.ratings, states=loaded.reading.states).to_dict()
    assert record["data"]["states"] == {
        "not_asked": 1,
        "asked_no_label": 1,
        "excluded": {"draft": 1},
    }
    assert "states" not in cs.measure(loaded.ratings).to_dict()["data"]


def test_policies_decide_what_counts(states):
    def tone(**policies):
        return read(states, variable="tone", **policies)

    assert tone().n_ratings == 3
    assert tone().categories == (3, 4)
    assert tone(empty="label").categories == (3, 4, "(no label)")
    assert tone(excluded="keep").n_ratings == 4
    assert "gpt" in tone(predictions="raters").raters
    assert "key" in tone(gold="rater").raters
    codes = {note.code for note in tone().notes}
    assert {"prediction_left_out", "gold_left_out"} <= codes
    with pytest.raises(InputError, match="empty must be one of 'missing', 'label'"):
        tone(empty="missin")


def test_sets_are_labels_and_a_distance_is_advised(states):
    frame = read(states, variable="frame")
    assert set(frame.categories) == {frozenset("xy"), frozenset("x"), frozenset()}
    found = {one.code: one.sentence for one in cs.measure(frame).findings}
    assert "masi" in found["several_labels"]


def test_several_variables_are_groups(states):
    assert list(read_groups(states)) == ["tone", "frame"]
    assert list(read_groups(states, variable="t*")) == ["tone"]
    with pytest.raises(InputError, match='variable="tone"'):
        read(states)
    with pytest.raises(InputError, match=r"variable must be one of 'tone', 'frame'.*did you mean"):
        read(states, variable="tune")


def test_everything_excluded_is_said():
    found = Annotations()
    found.add("a", "Ann", "x", reason="draft")
    found.add("a", "Bob", None)
    assert found.states()["excluded"] == {"draft": 1}
    assert found.state == ["excluded", "empty"]


def test_only_the_newest_answer_of_a_rater_counts():
    found = Annotations()
    found.add("a", "Ann", "old", time="2024-01-01")
    found.add("a", "Ann", "new", time="2024-01-02")
    found.add("a", "Ann", "older", time="2023-01-01")
    found.add("a", "Bob", "only")
    found.keep_newest()
    assert found.state == ["excluded", "labelled", "excluded", "labelled"]
    assert found.notes[0].message.startswith("2 older answers by 1 rater were left out")


def test_an_entry_must_name_item_and_rater():
    found = Annotations()
    for bad in (None, "", "  "):
        with pytest.raises(InputError, match="names its item and its rater"):
            found.add("a", bad, "x")
        with pytest.raises(InputError, match="names its item and its rater"):
            found.add(bad, "Ann", "x")


# -------------------------------------------------------------------- Prodigy


def test_prodigy_binary_questions(tmp_path):
    path = json_lines(
        tmp_path,
        "p.jsonl",
        [task(1, "d-A"), task(1, "d-B", "reject"), task(2, "d-A"), task(2, "d-B", "ignore")],
    )
    ratings = read(path)
    assert ratings.categories == ("accept", "reject")
    assert list(ratings.items) == [7, 14]
    assert ratings.n_ratings == 3


def test_prodigy_several_choices_are_sets(tmp_path):
    more = {"options": [{"id": "a"}, {"id": "b"}], "config": {"choice_style": "multiple"}}
    path = json_lines(
        tmp_path,
        "p.jsonl",
        [task(1, "A", accept=["a", "b"], **more), task(1, "B", accept=[], **more)],
    )
    assert set(read(path).categories) == {frozenset("ab"), frozenset()}


def test_prodigy_reviews_and_odd_answers_are_refused(tmp_path):
    with pytest.raises(InputError, match="the data set must be one of annotations"):
        read(json_lines(tmp_path, "p.jsonl", [task(1, "A", versions=[])]))
    with pytest.raises(InputError, match="line 2: an answer must be one of accept"):
        read(json_lines(tmp_path, "p.jsonl", [task(1, "A"), task(1, "B", "perhaps")]))


# -------------------------------------------------------------------- shapes


@pytest.mark.parametrize(
    "cells",
    [
        '1,"Ann1,Ann2","0,1"\n2,"Ann1,Ann3,Ann2","1,1,0"\n',
        "1,\"['Ann1', 'Ann2']\",\"[0, 1]\"\n2,\"['Ann1', 'Ann3', 'Ann2']\",\"[1, 1, 0]\"\n",
        '1,"Ann1;Ann2",0;1\n2,Ann1;Ann3;Ann2,1;1;0\n',
    ],
)
def test_lists_in_a_cell_are_taken_apart(cells, tmp_path):
    found = load(written(tmp_path, "l.csv", "id,annotators,annotations\n" + cells))
    assert (found.ratings.n_items, found.ratings.n_raters, found.ratings.n_ratings) == (2, 3, 5)
    assert found.ratings.categories == (0, 1)
    assert any("were taken apart" in line for line in found.reading.evidence)


def test_lists_of_uneven_length_are_refused_with_their_line(tmp_path):
    rows = "".join(f'{n},"A,B","0,1"\n' for n in range(1500)) + '9999,"A,B","0"\n'
    with pytest.raises(InputError, match=r"line 1502: lists in one row must be of one length"):
        load(written(tmp_path, "l.csv", "id,annotators,annotations\n" + rows))


def test_lists_in_cells_are_no_programs():
    from consilience.io.building._requested_layout import parts_of

    assert parts_of("[__import__('os')]") is None
    assert parts_of("[1, [2]]") == [1, [2]]


def test_nested_lists_in_json_records_are_taken_apart(tmp_path):
    records = {
        "1": {"text": "t", "annotators": "Ann1,Ann2", "annotations": "0,1", "soft": {"0": 0.5}},
        "2": {"text": "u", "annotators": "Ann1,Ann2", "annotations": "1,1", "soft": {"1": 1}},
    }
    found = read(written(tmp_path, "l.json", json.dumps(records)))
    assert (found.n_items, found.n_raters, found.n_ratings) == (2, 2, 4)
    assert list(found.items) == ["1", "2"]


# -------------------------------------------------------------------- many variables


def test_sixty_variables_in_one_file(tmp_path):
    names = [f"v{k:02}" for k in range(60)]
    lines = [",".join(["unit", "coder", *names, "comment"])]
    for unit in range(8):
        for coder in "AB":
            codes = [str((unit * 7 + k + (coder == "B" and unit == k % 8)) % 3) for k in range(60)]
            lines.append(",".join([str(unit), coder, *codes, f"note {unit} {coder}"]))
    path = written(tmp_path, "codes.csv", "\n".join(lines) + "\n")
    assert list(read_groups(path)) == names
    assert list(read_groups(path, label="v0*")) == names[:10]
    assert list(read_groups(path, label="v07")) == ["v07"]
    summary = cs.measure(read_groups(path), by="variable")
    assert len(summary.groups) == 60


# -------------------------------------------------------------------- anonymous raters


def test_names_are_hidden_everywhere(tmp_path):
    path = written(tmp_path, "r.csv", "item,ann@x.org,bob@x.org\n1,a,a\n2,b,a\n3,b,b\n")
    found = anonymised(load(path))
    assert found.ratings.raters == ("R1", "R2")
    told = str(found.reading) + found.reading.explain().text() + repr(found.ratings)
    assert "@" not in told
    assert "R1" in told
    assert read(path).raters == ("ann@x.org", "bob@x.org")
    value = cs.krippendorff_alpha(found.ratings).value
    assert value == cs.krippendorff_alpha(read(path)).value


def test_a_key_gives_the_same_codes_in_every_file(tmp_path):
    one = written(tmp_path, "1.csv", "item,Ann,Bob\n1,a,a\n2,b,a\n3,b,b\n")
    two = written(tmp_path, "2.csv", "item,Bob,Ann\n1,a,a\n2,b,a\n3,b,b\n")
    first, second = (anonymised(load(path), key="secret").ratings.raters for path in (one, two))
    assert first == second[::-1]
    assert anonymised(load(one), key="other").ratings.raters != first


def test_files_named_after_raters_are_hidden(tmp_path):
    for name in ("Ann", "Bob"):
        written(tmp_path, f"{name}.csv", "item,label\n1,x\n2,y\n")
    found = anonymised(load(tmp_path))
    assert [Path(source).name for source in found.reading.sources] == ["R1.csv", "R2.csv"]


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_ratings_go_back_into_a_dataframe(backend, tmp_path):
    needed.package(backend)
    frame = read(written(tmp_path, "r.csv", "item,A,B\n1,x,x\n2,y,\n")).to_frame(backend)
    assert type(frame).__module__.partition(".")[0] in (backend, "pyarrow")
    again = cs.Ratings.from_long(frame)
    assert (again.n_items, again.n_ratings) == (2, 3)


# -------------------------------------------------------------------- real files


@needed.needs_data(SHARED)
@pytest.mark.parametrize(
    ("name", "options", "counts", "value"),
    [
        ("snow2008_rte_item_x_worker.csv", {}, (800, 164, 8000), 0.24147876613881025),
        ("summeval_experts.json.gz", {"scale": "interval"}, (6400, 3, 19200), 0.71869677819),
        ("summeval_experts.json.gz", {"scale": "ordinal"}, (6400, 3, 19200), 0.69529805640),
        ("davidson2017_label_counts.csv.gz", {}, (24783, 9, None), 0.5427989975742868),
    ],
)
def test_real_files_are_read_without_a_flag(name, options, counts, value):
    ratings = read(SHARED / name, **options)
    assert (ratings.n_items, ratings.n_raters) == counts[:2]
    assert counts[2] in (None, ratings.n_ratings)
    assert cs.krippendorff_alpha(ratings).value == pytest.approx(value, abs=1e-10)
