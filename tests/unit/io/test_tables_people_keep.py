"""Sums below and beside tables, decimal commas, first lines of numbers, side columns."""

from __future__ import annotations

import pytest

import consilience as cs
from consilience.exceptions import InputError
from lookalikes import written

pytestmark = pytest.mark.filterwarnings("ignore::consilience.exceptions.ReadingWarning")


def pairs_of(ratings):
    """The table of two raters, as counts by pair of labels."""
    frame = ratings.to_frame("pyarrow").to_pydict()
    items = {}
    for item, label in zip(frame["item"], frame["label"], strict=True):
        items.setdefault(item, []).append(str(label))
    return sorted(map(tuple, map(sorted, items.values())))


# ------------------------------------------------------------------------------ cross-tables


def test_a_label_that_is_the_sum_of_the_others_on_one_side_stays(tmp_path):
    text = "RZ/TZ,poor,very good,excellent\npoor,0,0,0\nvery good,0,0,0\nexcellent,5,6,11\n"
    ratings = cs.read(written(tmp_path, "t.csv", text))
    assert (ratings.n_items, ratings.n_ratings) == (22, 44)


@pytest.mark.parametrize("name", ["n", "total", "Zusammen", "xyz"])
def test_margins_are_known_by_their_sums_whatever_they_are_called(name, tmp_path):
    text = f",pass,fail,{name}\npass,11,2,13\nfail,3,29,32\n{name},14,31,45\n"
    ratings = cs.read(written(tmp_path, "t.csv", text))
    assert (ratings.n_items, ratings.n_ratings) == (45, 90)
    assert sorted(map(str, ratings.categories)) == ["fail", "pass"]


# ------------------------------------------------------------------------------ computed rows


def ratings_with_a_last_row(last, ids=lambda k: f"doc_{k:02}", end=""):
    rows = [(ids(k), f"{3 + k % 7}.5", 1 + k % 5, 1 + (k * 3) % 5) for k in range(20)]
    lines = ["essay,seconds,Ann,Bob", *(",".join(map(str, row)) for row in rows), last]
    return "\n".join(lines) + "\n" + end


@pytest.mark.parametrize("word", ["avg", "qwertz"])
@pytest.mark.parametrize("end", ["", ",,,\n,,,\n"])
def test_a_row_of_means_below_side_columns_is_no_item(word, end, tmp_path):
    # 1 + k % 5 over 20 rows has the mean 3, and so has 1 + 3 k % 5: only a sum is no rating.
    path = written(tmp_path, "t.csv", ratings_with_a_last_row(f"{word},,60,60", end=end))
    ratings = cs.read(path)
    assert (ratings.n_items, ratings.n_ratings) == (20, 40)


def test_a_sum_that_no_rating_could_be_needs_no_name(tmp_path):
    ids = (
        "the cat sat here",
        "a dog ran off",
        "we saw it rain",
        "he did not go",
        "nobody came",
    ).__getitem__
    text = ratings_with_a_last_row("so,19.5,60,60", ids=lambda k: f"{ids(k % 5)} {'abcd'[k // 5]}")
    ratings = cs.read(written(tmp_path, "t.csv", text.replace("so,19.5", "so,")))
    assert ratings.n_items == 20


def test_a_last_item_like_the_others_stays(tmp_path):
    text = ratings_with_a_last_row("doc_20,4.5,3,3")
    assert cs.read(written(tmp_path, "t.csv", text)).n_items == 21


# ------------------------------------------------------------------------------ first lines


def test_commas_in_numbers_do_not_cut_the_lines(tmp_path):
    rows = [("35,0", "35,0", "30,5"), ("20,5", "15,0", "20,0"), ("30,0", "", "35,0")] * 5
    text = "coder_A;coder_B;coder_C\n" + "".join(";".join(row) + "\n" for row in rows)
    ratings = cs.read(written(tmp_path, "t.csv", text))
    assert ratings.raters == ("coder_A", "coder_B", "coder_C")
    assert (ratings.n_items, ratings.n_ratings) == (15, 40)


def test_an_empty_corner_over_numbered_rows_is_a_line_of_names(tmp_path):
    text = ",0,1\n" + "".join(f"{3722 - 7 * k},{k % 4},{3 - k % 4}\n" for k in range(30))
    ratings = cs.read(written(tmp_path, "t.csv", text))
    assert (ratings.n_items, ratings.n_ratings) == (30, 90)


def test_a_first_line_of_labels_under_an_unknown_word_is_asked_about(tmp_path):
    words = ["lemon", "mirror", "tunnel", "violin", "bridge", "anchor", "butter", "shadow"]
    text = "zzdoc,0,1\n" + "".join(f"{w},{k % 4},{3 - k % 4}\n" for k, w in enumerate(words))
    with pytest.raises(InputError) as refusal:
        cs.read(written(tmp_path, "t.csv", text))
    assert {"header"} == {name for offer in refusal.value.offers for name in offer.options}


# ------------------------------------------------------------------------------ beside raters


def test_how_sure_each_rater_was_is_no_second_variable(tmp_path):
    names = "text,ann@uni.ac.uk,ann@uni.ac.uk_conf,bob@uni.ac.uk,bob@uni.ac.uk_conf"
    rows = [f"{k},{'NJ'[k % 3 > 0]},0.{70 + k},{'NJ'[k % 2]},0.{90 - k}" for k in range(1, 12)]
    loaded = cs.load(written(tmp_path, "t.csv", "\n".join([names, *rows]) + "\n"))
    assert list(loaded.groups) == [None]
    assert loaded.ratings.raters == ("ann@uni.ac.uk", "bob@uni.ac.uk")


def test_a_column_beside_r1_and_r2_makes_neither_more_of_a_rater(tmp_path):
    rows = [f"{1000 + k},{'BCCCA'[k % 5]},D,{'AB'[k > 22]}" for k in range(45)]
    path = written(tmp_path, "t.csv", "\n".join([",R1,R2,조", *rows]) + "\n")
    with pytest.raises(InputError) as refusal:
        cs.read(path)
    named = [set(offer.options.get("rater", ())) for offer in refusal.value.offers]
    assert {"R1", "R2"} in named
    assert {"R1", "R2", "조"} in named


def test_a_code_like_the_other_codes_is_a_rater(tmp_path):
    names = ["AMHLK96", "A90DA43", "AP7SDON", "AF0JQ8A", "AACS8NZ", "AD4GN61"]
    rows = [
        [f"word{k}", *(("yes", "no")[(k * (r + 2)) % 3 > 0] for r in range(6))] for k in range(19)
    ]
    text = "\n".join(",".join(row) for row in [["item", *names], *rows]) + "\n"
    assert cs.read(written(tmp_path, "t.csv", text)).raters == tuple(names)


# ------------------------------------------------------------------------------ forms


def test_marks_in_a_form_are_no_answers_and_names_are_no_questions(tmp_path):
    text = (
        "Zeitstempel,E-Mail-Adresse,1. Warum?,2. Wieso?,3. Weshalb?\n"
        "2023-08-18T14:37:50Z,Heike Kowalski,ja,n/a,nein\n"
        "2023-08-18T16:08:59Z,José Levi,ja,nein,n/a\n"
        "2023-08-18T17:00:00Z,Ana Silva,nein,nein,ja\n"
    )
    loaded = cs.load(written(tmp_path, "form.csv", text))
    assert loaded.ratings.raters == ("Heike Kowalski", "José Levi", "Ana Silva")
    assert loaded.ratings.n_ratings == 7
    assert "'n/a' stands for no answer, in 2 cells" in loaded.reading.evidence


def test_a_question_with_codes_of_the_same_sort_is_one_of_the_questions(tmp_path):
    text = (
        "Timestamp,Your name,1. Chest?,2. Head?,3. Foot?,4. Sex?\n"
        "2023-08-18 14:37:50,Heike,F25.8,I47.4,F25.8,m\n"
        "2023-08-18 16:08:59,Bob,F25.8,I47.4,F28.1,f\n"
        "2023-08-18 17:00:00,Ana,F28.1,I47.4,F28.1,f\n"
    )
    ratings = cs.load(written(tmp_path, "form.csv", text)).ratings
    assert (ratings.n_items, ratings.n_ratings) == (3, 9)
