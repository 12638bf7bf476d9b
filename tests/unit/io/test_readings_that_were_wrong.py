"""Tables that were once misread in silence: read rightly, or refused; never the wrong number."""

from __future__ import annotations

import json
import random

import pytest

import consilience as cs
import needed
from consilience.exceptions import InputError, ReadingWarning
from lookalikes import written

pd = needed.package("pandas")

pytestmark = pytest.mark.filterwarnings("ignore::consilience.exceptions.ReadingWarning")


def rated(n, labels, raters, *, seed=1, noise=0.2):
    """Rows of labels by several raters who mostly agree."""
    rng = random.Random(seed)
    rows = []
    for _ in range(n):
        truth = rng.choice(labels)
        rows.append([rng.choice(labels) if rng.random() < noise else truth for _ in range(raters)])
    return rows


def alpha_of(rows):
    return cs.krippendorff_alpha(rows, on_undefined="ignore").value


def text_of(names, rows):
    return "\n".join(",".join(map(str, row)) for row in [names, *rows]) + "\n"


def right_or_refused(data, expected, **options):
    """Read a file or a frame; the number is right, or the refusal names ways to go on."""
    try:
        ratings = cs.read(data, **options)
    except InputError as error:
        if "Hint: " not in str(error):
            raise
        return None
    value = cs.krippendorff_alpha(ratings, distance="nominal", on_undefined="ignore").value
    assert value == pytest.approx(expected, abs=1e-12)
    return ratings


IDENTIFIERS = ["student_id", "nr", "no", "#", "idx", "uid", "video_id", "clip", "trial", "paper",
               "prompt_id", "response_id", "conversation_id"]  # fmt: skip


@pytest.mark.parametrize("name", IDENTIFIERS)
def test_an_identifier_taken_for_a_rater(name, tmp_path):
    rows = rated(100, range(1, 6), 2)
    text = text_of([name, "Smith", "Jones"], [[k + 1, *row] for k, row in enumerate(rows)])
    path = written(tmp_path, "ids.csv", text)
    ratings = right_or_refused(path, alpha_of(rows))
    assert ratings is not None  # ordinary enough to be read
    assert ratings.raters == ("Smith", "Jones")
    assert ratings.reading.columns["item"] == (name,)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("batch", lambda k: k // 10 + 1),
        ("year", lambda k: 2001 + k % 7),
        ("seconds", lambda k: 13 + (k * 37) % 50),
        ("nr", lambda k: k + 1),
    ],
)
def test_another_number_column_taken_for_a_rater(name, value, tmp_path):
    rows = rated(40, range(1, 6), 2, seed=2)
    text = text_of(
        ["text_id", "Ann", "Bob", name],
        [[f"t{k:02}", *row, value(k)] for k, row in enumerate(rows)],
    )
    ratings = right_or_refused(written(tmp_path, "side.csv", text), alpha_of(rows))
    if ratings is not None:
        aside = {one.name: one.reason for one in ratings.reading.account.set_aside}
        assert aside.get(name)  # told by name and reason


def test_a_dissenting_rater_left_out(tmp_path):
    rows = [["yes", "yes", "no"] if k % 2 else ["maybe", "maybe", "no"] for k in range(20)]
    text = text_of(["item", "Ann", "Bob", "Cem"], [[f"i{k}", *row] for k, row in enumerate(rows)])
    ratings = right_or_refused(written(tmp_path, "dissent.csv", text), alpha_of(rows))
    assert ratings is None or ratings.raters == ("Ann", "Bob", "Cem")


def test_columns_called_rater_and_label_overruled(tmp_path):
    rows = rated(30, ["wave", "point", "nod"], 3, seed=4)
    lines = [
        [f"g{k}", rater, k % 5 + 1, row[r]]
        for k, row in enumerate(rows)
        for r, rater in enumerate(["R1", "R2", "R3"])
    ]
    path = written(tmp_path, "long.csv", text_of(["gesture", "rater", "day", "label"], lines))
    ratings = right_or_refused(path, alpha_of(rows))
    assert ratings is not None
    assert ratings.reading.shape == "long"


def test_long_tables_with_unlisted_names(tmp_path):
    rows = rated(60, ["praise", "blame", "fact"], 3, seed=5)
    lines = [[row[s], f"staff{s}", 1000 + 7 * k] for k, row in enumerate(rows) for s in range(3)]
    path = written(tmp_path, "odd.csv", text_of(["tag", "staff", "student_id"], lines))
    right_or_refused(path, alpha_of(rows))


def test_a_cross_table_with_numeric_labels_and_an_empty_corner(tmp_path):
    path = written(tmp_path, "cross.csv", ",1,2\n1,45,5\n2,5,45\n")
    pairs = [(1, 1)] * 45 + [(1, 2)] * 5 + [(2, 1)] * 5 + [(2, 2)] * 45
    right_or_refused(path, alpha_of(pairs))
    told = cs.read(path, shape="table")
    assert cs.cohen_kappa(told).value == pytest.approx(0.8)
    assert told.n_items == 100


@pytest.mark.parametrize("names", [["1", "2"], ["a", "b"], ["y", "n"]])
def test_counts_with_numeric_or_short_label_names(names, tmp_path):
    rows = [[3, 0] if k % 3 else [0, 3] for k in range(30)]
    path = written(
        tmp_path, "counts.csv",
        text_of(["phrase", *names], [[f"doc_{k:03}", *row] for k, row in enumerate(rows)]),
    )  # fmt: skip
    right_or_refused(path, 1.0)
    told = cs.read(path, shape="counts", item="phrase", categories=names)
    assert cs.krippendorff_alpha(told).value == pytest.approx(1.0)


def test_json_the_wrong_way_round(tmp_path):
    rng = random.Random(6)
    items = [f"The {w} of the {v} was long and hard." for w in "abcdefgh" for v in "pqrstuvwxyz"]
    rows = rated(len(items), ["yes", "no"], 6, seed=7)
    nested = {
        str(r + 1): {item: row[r] for item, row in zip(items, rows, strict=True)
                     if rng.random() < 2}
        for r in range(6)
    }  # fmt: skip
    path = written(tmp_path, "nested.json", json.dumps(nested))
    right_or_refused(path, alpha_of(rows))


def test_columns_of_different_kinds_taken_as_raters(tmp_path):
    rng = random.Random(8)
    records = [
        {
            "pair": f"p{k}",
            "entailment": [rng.randint(0, 100) for _ in range(3)],
            "label_count": [rng.randint(0, 5) for _ in range(3)],
            "label": rng.choice(["e", "n", "c"]),
        }
        for k in range(30)
    ]
    path = written(tmp_path, "kinds.json", json.dumps(records))
    with pytest.raises(InputError):
        cs.read(path)


LONG = [
    {"doc": f"d{k}", "coder": rater, "code": row[r]}
    for k, row in enumerate(rated(40, ["x", "y", "z"], 3, seed=9))
    for r, rater in enumerate(["Ann", "Bob", "Cem"])
]
LONG_ALPHA = alpha_of(rated(40, ["x", "y", "z"], 3, seed=9))


class TestFramesInPython:
    """Frames given to a coefficient function."""

    def test_a_frame_with_an_id_column(self):
        rows = rated(50, range(1, 6), 2, seed=10)
        frame = pd.DataFrame(rows, columns=["Smith", "Jones"])
        frame.insert(0, "student_id", range(1, 51))
        value = cs.krippendorff_alpha(frame).value
        assert value == pytest.approx(alpha_of(rows), abs=1e-12)

    def test_a_long_frame(self):
        value = cs.krippendorff_alpha(pd.DataFrame(LONG)).value
        assert value == pytest.approx(LONG_ALPHA, abs=1e-12)

    def test_a_pivot(self):
        wide = pd.DataFrame(LONG).pivot(index="doc", columns="coder", values="code")
        ratings = cs.read(wide)
        assert ratings.raters == ("Ann", "Bob", "Cem")
        assert set(ratings.items) == {f"d{k}" for k in range(40)}
        assert cs.krippendorff_alpha(wide).value == pytest.approx(LONG_ALPHA, abs=1e-12)

    def test_a_crosstab(self):
        rows = rated(80, ["pos", "neg", "neu"], 2, seed=11)
        ann, bob = (pd.Series(column, name=name) for column, name in
                    zip(zip(*rows, strict=True), ["Ann", "Bob"], strict=True))  # fmt: skip
        for margins in (False, True):
            table = pd.crosstab(ann, bob, margins=margins)
            value = cs.krippendorff_alpha(table).value
            assert value == pytest.approx(alpha_of(rows), abs=1e-12)
            assert cs.read(table).n_items == 80

    def test_counts(self):
        rows = [[3, 0, 0] if k % 3 == 0 else [1, 2, 0] if k % 3 == 1 else [0, 1, 2]
                for k in range(30)]  # fmt: skip
        frame = pd.DataFrame(rows, columns=["agree", "neutral", "disagree"])
        frame.insert(0, "statement", [f"s{k:02}" for k in range(30)])
        names = cs.krippendorff_alpha(cs.Ratings.from_counts(rows)).value
        found = cs.krippendorff_alpha(frame, distance="nominal").value
        assert found == pytest.approx(names, abs=1e-12)
        # The columns are words of one scale, so the frame is ordinal, from one end to the other.
        steps = cs.Ratings.from_counts(rows, scale="ordinal", categories=list(frame.columns[1:]))
        assert cs.krippendorff_alpha(frame).value == pytest.approx(
            cs.krippendorff_alpha(steps).value, abs=1e-12
        )

    def test_two_levels_of_columns_are_variables_by_raters(self):
        tone, topic = rated(30, ["a", "b", "c"], 2, seed=12), rated(30, ["x", "y"], 2, seed=13)
        frame = pd.DataFrame(
            [[*one, *two] for one, two in zip(tone, topic, strict=True)],
            columns=pd.MultiIndex.from_product([["tone", "topic"], ["Ann", "Bob"]]),
        )
        groups = cs.load(frame).groups
        assert {str(name): cs.krippendorff_alpha(r).value for name, r in groups.items()} == (
            pytest.approx({"tone": alpha_of(tone), "topic": alpha_of(topic)})
        )

    def test_ordered_categories_are_an_ordinal_scale(self):
        rows = rated(30, ["low", "mid", "high"], 2, seed=14)
        order = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
        frame = pd.DataFrame(rows, columns=["Ann", "Bob"]).astype(order)
        frame.index = [f"case {k}" for k in range(30)]
        ratings = cs.read(frame)
        assert (ratings.scale, ratings.categories) == ("ordinal", ("low", "mid", "high"))

    def test_a_moment_is_never_a_label(self):
        rows = rated(30, ["a", "b", "c"], 2, seed=15)
        frame = pd.DataFrame(rows, columns=["Ann", "Bob"])
        frame["coded"] = pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-03"] * 10)
        right_or_refused(frame, alpha_of(rows))

    def test_whole_floats_beside_gaps_are_integers(self):
        rows = [[float(a), float(b)] for a, b in rated(30, [1, 2, 3], 2, seed=16)]
        rows[4][1] = float("nan")
        frame = pd.DataFrame(rows, columns=["Ann", "Bob"], index=[f"u{k}" for k in range(30)])
        ratings = cs.read(frame)
        assert ratings.categories == (1, 2, 3)
        assert all(isinstance(label, int) for label in ratings.categories)
        assert ratings.n_missing == 1

    def test_long_identifiers_stay_apart(self):
        rows = rated(20, ["a", "b", "c"], 2, seed=17)
        ids = [1234567890123456780 + k for k in range(20)]
        frame = {
            "tweet_id": [i for i in ids for _ in "ab"],
            "coder": ["Ann", "Bob"] * 20,
            "code": [label for row in rows for label in row],
        }
        ratings = right_or_refused(frame, alpha_of(rows))
        assert ratings is not None
        assert ratings.n_items == 20

    def test_series_go_together_by_their_index_or_not_at_all(self):
        rows = rated(20, ["a", "b"], 2, seed=18)
        ann, bob = (pd.Series(c, index=[f"i{k}" for k in range(20)])
                    for c in zip(*rows, strict=True))  # fmt: skip
        turned = bob.iloc[::-1]
        for value in (
            cs.krippendorff_alpha(ann, turned).value,
            cs.krippendorff_alpha({"Ann": ann, "Bob": turned}).value,
            cs.krippendorff_alpha(cs.Ratings.from_wide({"Ann": ann, "Bob": turned})).value,
        ):
            assert value == pytest.approx(alpha_of(rows), abs=1e-12)
        with pytest.raises(InputError, match="by their index"):
            cs.krippendorff_alpha(ann, turned.rename(index=lambda name: f"{name}x"))

    def test_the_item_of_a_wide_table_can_be_named(self):
        rows = rated(12, [1, 2, 3], 2, seed=19)
        frame = pd.DataFrame(rows, columns=["Ann", "Bob"])
        frame["page"] = range(101, 113)
        ratings = cs.Ratings.from_wide(frame, item="page")
        assert ratings.raters == ("Ann", "Bob")
        assert list(ratings.items) == list(range(101, 113))
        assert cs.krippendorff_alpha(ratings).value == pytest.approx(alpha_of(rows), abs=1e-12)


def test_numbers_measured_as_names(tmp_path):
    rng = random.Random(20)
    rows = []
    for k in range(60):
        mark = rng.randint(20, 95)
        rows.append([f"essay{k:02}", mark, max(0, min(100, mark + rng.randint(-5, 5)))])
    ratings = cs.read(written(tmp_path, "marks.csv", text_of(["essay", "Ann", "Bob"], rows)))
    assert ratings.scale_undecided
    summary = cs.measure(ratings)
    assert not any("no better than chance" in one.message for one in summary.findings)


def test_a_workbook_without_names_keeps_its_columns_apart(tmp_path):
    openpyxl = needed.package("openpyxl")
    rows = [[1, 4, 1], *rated(20, range(1, 6), 3, seed=21)]
    book = openpyxl.Workbook()
    for k, row in enumerate(rows):
        book.active.append([f"scan{10 * k:04}.wav", *row])
    book.save(tmp_path / "bare.xlsx")
    right_or_refused(tmp_path / "bare.xlsx", alpha_of(rows))
    told = cs.read(tmp_path / "bare.xlsx", header=False)
    assert cs.krippendorff_alpha(told).value == pytest.approx(alpha_of(rows), abs=1e-12)


def test_notes_above_a_file_from_windows(tmp_path):
    rows = rated(20, ["a", "b", "c"], 2, seed=22)
    body = text_of(["unit", "Ann", "Bob"], [[f"u{k}", *row] for k, row in enumerate(rows)])
    path = tmp_path / "notes.csv"
    path.write_bytes(("Export of the project,,\r\n" + body.replace("\n", "\r\n")).encode())
    assert right_or_refused(path, alpha_of(rows)) is not None


def test_what_could_matter_is_warned_of(tmp_path):
    rows = rated(24, ["1", "2", "3"], 2, seed=23)
    text = text_of(
        ["item", "rater1", "rater2", "certainty"],
        [[f"i{k}", *row, "123"[k % 3]] for k, row in enumerate(rows)],
    )
    path = written(tmp_path, "aside.csv", text)
    with pytest.warns(ReadingWarning, match="certainty"):
        ratings = cs.read(path)
    (aside,) = ratings.reading.account.set_aside
    assert (aside.kind, aside.name, aside.matters) == ("columns", "certainty", True)
    assert aside.reason
    assert "certainty" in str(ratings.reading)
    assert cs.measure(ratings).to_dict()["reading"]["set_aside"][0]["name"] == "certainty"
    with pytest.warns(ReadingWarning, match="certainty"):
        cs.measure(pd.read_csv(path))


def test_empty_cells_of_counts_are_zeros_and_that_is_told(tmp_path):
    rows = rated(20, ["good", "middling", "bad"], 5)
    counts = [[row.count(label) or "" for label in ("good", "middling", "bad")] for row in rows]
    text = text_of(
        ["elev", "god", "middel", "dårlig"], [[f"S{k}", *c] for k, c in enumerate(counts)]
    )
    loaded = cs.load(written(tmp_path, "counts.csv", text))
    assert loaded.reading.shape == "counts"
    assert any("empty cells count as 0" in words for words in loaded.reading.evidence)
    value = cs.krippendorff_alpha(loaded.ratings, distance="nominal").value
    assert value == pytest.approx(alpha_of(rows), abs=1e-12)


@pytest.mark.parametrize("mark", ["missing", "not rated", "nicht bewertet", "non évalué"])
def test_words_that_nobody_rated_are_no_labels(mark, tmp_path):
    rows = rated(30, ["yes", "no", "unclear"], 3)
    rows[4][1] = rows[9][0] = mark
    text = text_of(["doc", "Ann", "Bob", "Cem"], [[f"d{k}", *row] for k, row in enumerate(rows)])
    loaded = cs.load(written(tmp_path, "marks.csv", text))
    assert loaded.ratings.categories == ("no", "unclear", "yes")
    assert any(repr(mark) in words for words in loaded.reading.evidence)


@pytest.mark.parametrize("other", [["present"], ["present", "partial"]])
def test_missing_beside_present_is_a_label(other, tmp_path):
    rows = rated(30, ["missing", *other], 2)
    text = text_of(["doc", "Ann", "Bob"], [[f"d{k}", *row] for k, row in enumerate(rows)])
    ratings = cs.read(written(tmp_path, "found.csv", text))
    assert ratings.categories == tuple(sorted(["missing", *other]))


def test_last_item_that_is_rated_with_the_rounded_mean_is_data(tmp_path):
    rows = [[1, 1], [1, 1], [4, 4], [1, 1], [4, 4], [1, 1], [1, 1], [5, 5], [1, 1], [1, 1], [2, 2]]
    names = [f"{word} mayor likes {thing}" for word in ("The", "Our", "No", "A") for thing in "xyz"]
    text = text_of(
        ["segment", "Almeida", "Pham"], [[n, *r] for n, r in zip(names, rows, strict=False)]
    )
    right_or_refused(written(tmp_path, "last.csv", text), alpha_of(rows))


def test_codes_that_a_frame_keeps_as_text_in_one_column_are_the_same_codes():
    rows = rated(30, [1, 2, 3, 4], 3)
    frame = pd.DataFrame(rows, columns=["Ann", "Bob", "Cem"])
    frame.insert(0, "video", [f"v{k}" for k in range(30)])
    frame["Ann"] = [f"{code:02}" for code in frame["Ann"]]
    assert right_or_refused(frame, alpha_of(rows)) is not None


@pytest.mark.parametrize("named", [("reviewer", None), ("", "ann{}@uni.edu"), ("grader", "{}")])
def test_rows_named_by_raters_are_no_items(named, tmp_path):
    corner, form = named
    columns = list(zip(*rated(8, ["A", "B", "tie"], 30), strict=True))
    rows = [[(form or "reviewer{}").format(k), *row] for k, row in enumerate(columns, start=1)]
    path = written(tmp_path, "t.csv", text_of([corner, *range(1, 9)], rows))
    right_or_refused(path, alpha_of(list(zip(*columns, strict=True))))


def test_every_item_of_a_transposed_table_stays(tmp_path):
    rng = random.Random(4)
    marks = [[round(rng.uniform(0, 10), 1) for _ in range(5)] for _ in range(40)]
    marks[7] = sorted(marks[7])  # in order by chance
    names = [f"text {k} is a sentence, the {k} of them" for k in range(40)]
    rows = [[name, *(item[j] for item in marks)] for j, name in enumerate("ABCDE")]
    heads = ["rater", *(f'"{name}"' for name in names)]
    right_or_refused(written(tmp_path, "t.csv", text_of(heads, rows)), alpha_of(marks))


@pytest.mark.parametrize("heads", [("label", "quality", "accuracy"), ("code", "tone", "topic")])
def test_all_columns_called_labels_are_read(heads, tmp_path):
    each = [rated(25, labels, 3, seed=k) for k, labels in enumerate(["ab", "xyz", "12345"])]
    rows = [
        [f"hit{i}", f"w{j}", *(each[v][i][j] for v in range(3))]
        for i in range(25) for j in range(3)
    ]  # fmt: skip
    loaded = cs.load(written(tmp_path, "long.csv", text_of(["HITId", "WorkerId", *heads], rows)))
    assert set(loaded.groups) == set(heads)


def test_an_unknown_column_beside_the_label_is_asked_about(tmp_path):
    each = [rated(25, labels, 3, seed=k) for k, labels in enumerate(["ab", "xyz"])]
    rows = [[f"d{i}", f"w{j}", each[0][i][j], each[1][i][j]] for i in range(25) for j in range(3)]
    with pytest.raises(InputError) as caught:
        cs.load(written(tmp_path, "l.csv", text_of(["document", "coder", "label", "blorb"], rows)))
    offers = [one.options.get("label") for one in caught.value.offers]
    assert ("label",) in offers
    assert ("label", "blorb") in offers


def test_dissenter_among_many_raters_stays(tmp_path):
    rng = random.Random(3)
    true = [rng.uniform(4, 8) for _ in range(13)]
    rows = [[round(t + rng.gauss(0, 0.2), 1) for _ in range(12)] for t in true]
    for row in rows:
        row[6] = round(rng.uniform(0, 10), 1)
    names = ["Ann", "Tina", "Eve", "Yara", "Kate", "Liam", "Noah", "Olga", "Mia", "Sam", "Al", "Bo"]
    text = text_of(["student", *names], [[f"S{k}", *row] for k, row in enumerate(rows)])
    right_or_refused(written(tmp_path, "d.csv", text), alpha_of(rows))


def test_no_offer_is_refused_for_ratings_given_twice(tmp_path):
    each = [rated(12, labels, 2, seed=k) for k, labels in enumerate(["ab", "xyz"])]
    rows = [[f"d{i}", f"w{j}", each[0][i][j], each[1][i][j]] for i in range(12) for j in range(2)]
    path = written(tmp_path, "l.csv", text_of(["document", "coder", "label", "blorb"], rows))
    with pytest.raises(InputError) as caught:
        cs.load(path)
    for offer in caught.value.offers:
        cs.load(path, **offer.options)


def test_empty_rows_below_a_cross_table_are_no_labels(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text('A / B,1,2,3\n1,11,3,0\n2,1,8,2\n3,0,1,9\n"","","",""\n"","","",""\n')
    ratings = cs.read(path)
    assert (ratings.n_items, ratings.n_raters, ratings.categories) == (35, 2, (1, 2, 3))


@pytest.mark.parametrize("names", [("Green", "Jones", "Page"), ("Dr. Öz", "prof_Lee", "Page, A.")])
def test_a_dissenter_is_not_dropped_for_a_name_that_things_have_too(names):
    rng = random.Random(2)
    rows = []
    for k in range(40):
        first = rng.choice(["yes", "maybe"])
        second = first if rng.random() < 0.8 else rng.choice(["yes", "maybe"])
        rows.append({"story": f"s{k}", names[0]: first, names[1]: second, names[2]: "no"})
    with pytest.raises(InputError, match="several readings") as refused:
        cs.read(rows)
    offered = f"rater={list(names)!r}"
    assert offered in str(refused.value)  # one of the lines keeps all three
    told = cs.read(rows, shape="wide", item="story", rater=list(names))
    assert cs.krippendorff_alpha(told).value < 0.2


def test_many_raters_who_agree_are_not_the_means_of_each_other(tmp_path):
    rng = random.Random(5)
    rows = [
        [round(truth + rng.choice((0, 0, 0, 0.1)), 1) for _ in range(29)]
        for truth in (round(rng.uniform(20, 25), 1) for _ in range(27))
    ]
    names = ["essay", *(f"a{k + 1}" for k in range(29))]
    text = text_of(names, [[f"e{k:02}", *row] for k, row in enumerate(rows)])
    ratings = right_or_refused(written(tmp_path, "means.csv", text), alpha_of(rows))
    assert ratings is not None
    assert len(ratings.raters) == 29


def test_a_letter_among_letters_is_no_total():
    rng = random.Random(6)
    letters = "ABCDEFGHIJKLMNOPQRS"
    truth = [round(rng.uniform(20, 25), 1) for _ in range(60)]
    frame = pd.DataFrame(dict.fromkeys(letters, truth), index=[f"x{k:03}" for k in range(60)])
    frame.loc["x003", "A"] = 21.0
    frame.index.name = "sample"
    assert cs.read(frame).raters == tuple(letters)


@pytest.mark.parametrize("name", ["KA", "M", "n"])
def test_a_last_row_called_by_initials_is_somebody(name, tmp_path):
    rows = rated(5, range(1, 6), 27, noise=0.6)  # here rows are raters
    heads = ["annotator", *(f"text{k:02}" for k in range(1, 28))]
    text = text_of(
        heads, [[who, *row] for who, row in zip(["AT", "BA", "MJ", "JB", name], rows, strict=True)]
    )
    ratings = right_or_refused(
        written(tmp_path, "initials.csv", text), alpha_of(list(zip(*rows, strict=True)))
    )
    assert ratings is None or len(ratings.raters) == 5


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_a_first_row_with_gaps_above_no_names_is_data(kind, tmp_path):
    rows = [["", "1", ""], *([str(x) for x in row] for row in rated(27, (0, 1), 3))]
    cells = [[f"essay_{k + 1:03}", *row] for k, row in enumerate(rows)]
    path = tmp_path / f"gaps.{kind}"
    if kind == "csv":
        path.write_text("\n".join(map(",".join, cells)) + "\n")
    else:
        openpyxl = needed.package("openpyxl")
        book = openpyxl.Workbook()
        for row in cells:
            book.active.append([None if cell == "" else cell for cell in row])
        book.save(path)
    try:
        ratings = cs.read(path)
    except InputError:
        return  # two readings of its first line
    assert (ratings.n_items, ratings.n_ratings) == (28, 82)


def test_numbers_of_persons_with_gaps_are_no_counts():
    rng = random.Random(7)
    rows = [[rng.choice([1, 1, None]), rng.choice([4, 5, 1, None])] for _ in range(120)]
    frame = pd.DataFrame(rows, columns=["Weber", "Liu"], index=[f"s{k}" for k in range(120)])
    frame.index.name = "student"
    try:
        ratings = cs.read(frame)
    except InputError:
        return
    assert ratings.raters == ("Weber", "Liu")


def test_one_of_a_family_who_differs_from_all_stays():
    rows = [["D", *row] for row in rated(21, ("B", "C"), 2)]
    frame = pd.DataFrame(rows, columns=["a1", "a2", "a3"])
    frame.insert(0, "title", [f"t{k}" for k in range(21)])
    assert cs.read(frame).raters == ("a1", "a2", "a3")


def test_a_zero_beside_signs_is_the_same_zero_in_every_column():
    frame = pd.DataFrame({
        "case": [f"c{k:02}" for k in range(20)],
        "Ann": [0.0 if k else None for k in range(20)],
        "Bob": ["+" if k == 3 else "0" for k in range(20)],
        "Eve": ["0" for _ in range(20)],
    })  # fmt: skip
    assert set(cs.read(frame).categories) == {"+", "0"}


def test_a_table_of_zeros_and_ones_is_no_cross_table(tmp_path):
    rows = rated(34, (0, 1), 28, noise=0.05)
    heads = ["zin", *(str(k + 1) for k in range(28))]
    text = text_of(heads, [[f"{k + 1:04}", *row] for k, row in enumerate(rows)])
    ratings = right_or_refused(written(tmp_path, "ones.csv", text), alpha_of(rows))
    assert ratings is None or len(ratings.raters) == 28


@pytest.mark.parametrize("label", ["tag", "Tag"])
def test_a_tag_of_numbers_is_no_day(label, tmp_path):
    rows = rated(40, (101, 602, 904), 3)
    names = ("Weber", "Meyer", "Adams")
    long = [
        [f"p{k}", who, mark, 30 + (7 * k + j) % 50]
        for k, row in enumerate(rows)
        for j, (who, mark) in enumerate(zip(names, row, strict=True))
    ]
    text = text_of(["post", "evaluator", label, "time_spent"], long)
    right_or_refused(written(tmp_path, "tags.csv", text), alpha_of(rows))


def test_variables_by_raters_have_words_or_numbers_of_their_own(tmp_path):
    rng = random.Random(8)
    names = [f"{who} ({what})" for what in ("Akteur", "Wertung") for who in ("Astrid", "Felix")]
    rows = [
        [f"{k:04}", *(rng.choice(("ja", "nein")) for _ in "ab"), *(rng.randint(1, 5) for _ in "ab")]
        for k in range(1, 5)
    ]
    path = written(tmp_path, "grid.csv", text_of(["Patient", *names], rows))
    assert set(cs.load(path).groups) == {"Akteur", "Wertung"}


def test_a_numbered_question_with_answers_of_its_own_is_one_of_the_list(tmp_path):
    heads = ["Timestamp", "Your name", *(f"{k}. Essay?" for k in range(1, 6))]
    rows = [
        ["2023-08-18 14:37:50", "baker11_0", 201, 201, 101, 402, 304],
        ["2023-08-18 16:08:59", "meyer94_1", 201, 202, 101, 402, 305],
        ["2023-08-18 17:00:00", "hall12_2", 201, 201, 102, 402, 304],
    ]
    ratings = cs.load(written(tmp_path, "form.csv", text_of(heads, rows))).ratings
    assert ratings.raters == ("baker11_0", "meyer94_1", "hall12_2")
    assert (ratings.n_items, ratings.n_ratings) == (5, 15)
