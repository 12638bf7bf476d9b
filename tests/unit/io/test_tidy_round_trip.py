"""What `convert` writes is read back as it was: every label, state, time and text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from consilience.cli.program import run
from consilience.io import anonymised, convert, load
from consilience.io._convert import _WRITERS, _rows
from consilience.io.anonymise import RaterCodes
from consilience.io.exports import ExportOptions, exports
from consilience.io.exports.export_entries import KINDS, Annotations
from consilience.io.exports.registry import entries_of, export_for
from consilience.io.files.source import Source
from consilience.io.options import request_of
from lookalikes import LOOKALIKES, json_lines, written

COLUMNS = ("item", "rater", "variable", "label", "state", "reason", "time", "kind", "text")
OURS = ("mturk", "toloka", "crowdflower", "forms", "qualtrics", "surveymonkey", "limesurvey",
        "redcap", "langfuse", "eval-records")  # fmt: skip

ONCE_MORE = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
words = st.text(
    st.sampled_from('aé ,"\n\r\t\'=-+@01.\u2028😀\ufeff[]{}\\N\x0b\x1c\x85#|;'),
    min_size=1, max_size=6,
).filter(str.strip)  # fmt: skip
numbers = st.integers(-(2**40), 2**40) | st.floats(allow_nan=False, allow_infinity=False)
labels = st.one_of(
    st.none(), st.booleans(), numbers, words, st.frozensets(words, max_size=3),
    st.lists(words, max_size=3).map(tuple),
)  # fmt: skip


@st.composite
def entries(draw):
    found = Annotations()
    for _ in range(draw(st.integers(1, 4))):
        found.add(
            draw(words), draw(words), draw(labels), variable=draw(words).strip(),
            reason=draw(st.sampled_from(["", "rejected"])), kind=draw(st.sampled_from(KINDS)),
            time=draw(st.none() | words.map(str.strip)),
            text=draw(st.none() | words.map(str.strip)),
        )  # fmt: skip
    return found


def read_back(path: Path) -> Annotations:
    return exports()["tidy"].read(Source((path,)), ExportOptions())


@pytest.mark.parametrize("ending", sorted(_WRITERS))
@ONCE_MORE
@given(before=entries())
def test_whatever_an_export_holds_comes_back(ending, before, tmp_path):
    path = tmp_path / f"tidy{ending}"
    _WRITERS[ending](path, _rows(before, keep_text=True))
    after = read_back(path)
    for name in COLUMNS:
        assert getattr(after, name) == getattr(before, name), name


@pytest.mark.parametrize("ending", sorted(_WRITERS))
@pytest.mark.parametrize("name", OURS)
def test_every_entry_of_an_export_comes_back(name, ending, tmp_path):
    source = Source((LOOKALIKES[name].write(tmp_path),))
    request = request_of()
    before = entries_of(source, export_for(source, request)[0], request)
    target = tmp_path / f"tidy{ending}"
    convert(source.paths[0], target)
    after = read_back(target)
    for column in COLUMNS:
        told = map(str, getattr(before, column)) if column == "item" else getattr(before, column)
        assert [str(one) if column == "item" else one for one in getattr(after, column)] == list(
            told
        ), column


def test_later_occasions_are_later_rows(tmp_path):
    rows = "item,rater,label\n" + "".join(
        f"{i},{r},{x}\n" for x in "ab" for i in "12" for r in "AB"
    )
    path = written(tmp_path, "twice.csv", rows)
    target = tmp_path / "tidy.csv"
    assert convert(path, target, duplicates="occasions").n_rows == 8
    after = load(target, duplicates="occasions").ratings
    before = load(path, duplicates="occasions").ratings
    assert after.to_frame("pyarrow").to_pylist() == before.to_frame("pyarrow").to_pylist()


# -------------------------------------------------------------------- names and addresses


def test_addresses_among_items_texts_and_labels_are_hidden(tmp_path, capsys):
    text = "item,rater,label\n" + "".join(
        f"{who}@x.org,{rater}@x.org,{label}\n"
        for who, rater, label in (("ann", "bob", "good"), ("ann", "cem", "ask ed@x.org"),
                                  ("dora", "bob", "good"), ("dora", "cem", "bad"))
    )  # fmt: skip
    path = written(tmp_path, "people.csv", text)
    target = tmp_path / "tidy.csv"
    assert run(["convert", str(path), str(target), "--anonymise"]) == 0
    assert "@" not in target.read_text() + capsys.readouterr().err
    ratings = load(target).ratings
    assert list(ratings.items) == ["M1", "M2"]  # different people stay different
    assert "ask M3" in ratings.categories
    hidden = anonymised(load(path)).ratings
    assert (list(hidden.items), hidden.categories) == (["M1", "M2"], ("ask M3", "bad", "good"))


def test_raters_who_rate_each_other_have_one_code_in_both_places(tmp_path):
    records = [{"item": i, "rater": r, "label": "a"} for i, r in
               (("ann", "bob"), ("ann", "cem"), ("bob", "ann"), ("cem", "ann"))]  # fmt: skip
    target = tmp_path / "tidy.csv"
    convert(json_lines(tmp_path, "peers.jsonl", records), target, raters="codes")
    after = read_back(target)
    assert after.rater == ["R1", "R2", "R3", "R3"]
    assert after.item == ["R3", "R3", "R1", "R2"]


def test_hidden_items_stay_different_from_those_that_are_called_like_a_code():
    codes = RaterCodes()
    assert codes.code("Bob") == "R1"
    assert codes.items(["R1", "Bob", "x@y.org", "M1", 7]) == ["R1", "R1*", "M1*", "M1", 7]
    keyed = RaterCodes(key="secret")
    assert keyed.items(["x@y.org"]) == RaterCodes(key="secret").items(["x@y.org"])
    assert keyed.label(frozenset(("x@y.org", "fine"))) == frozenset(
        (keyed.mails["x@y.org"], "fine")
    )
