"""Wide tables with several variables: column names that are made of a variable and a rater."""

from __future__ import annotations

import inspect
import random

import openpyxl
import pytest

import consilience as cs
from consilience.cli.program import cli
from consilience.exceptions import InputError
from consilience.io import load
from consilience.io import options as request
from consilience.io.layout.variable_columns import factorings, likeness, told_factors

TONE, SCALE, YES_NO = ["neg", "neu", "pos"], [1, 2, 3, 4, 5], [0, 1]
DIFFERENT, SAME = (TONE, SCALE), (YES_NO, YES_NO)


@pytest.fixture
def write(tmp_path):
    """Write a table with the given columns; each pair of dictionaries goes to one variable."""

    def written(names, dictionaries, *, first="unit", n=20, seed=1):
        rng = random.Random(seed)
        lines = [",".join([first] * bool(first) + [f'"{name}"' for name in names])]
        for k in range(n):
            cells = [str(rng.choice(values)) for values in dictionaries]
            lines.append(",".join([str(k + 1)] * bool(first) + cells))
        path = tmp_path / "codes.csv"
        path.write_text("\n".join(lines) + "\n")
        return path

    return written


def named(form, variables, raters):
    return [form.format(v=v, r=r) for v in variables for r in raters]


def of_each(dictionaries, n_raters):
    return [values for values in dictionaries for _ in range(n_raters)]


def read_as(path, **options):
    loaded = load(path, **options)
    return loaded.by, {name: tuple(one.raters) for name, one in loaded.groups.items()}


# -------------------------------------------------------------------- recognised


FORMS = ["{v}_{r}", "{r}_{v}", "{v}.{r}", "{r}.{v}", "{v} ({r})", "{v} [{r}]", "{v} - {r}",
         "{v}-{r}", "{v} / {r}", "{v}: {r}", "{v}__{r}", "{v} {r}"]  # fmt: skip


CASES = [
    (("v1", "v2"), ("A", "B"), SAME),
    (("v1", "v2", "v3"), ("coder1", "coder2"), (*SAME, YES_NO)),
    (("tone", "topic"), ("AK", "BM", "CL"), SAME),
    (("tone", "topic"), ("Ann", "Bob"), SAME),
    (("Tone", "Topic"), ("Ann", "Bob"), DIFFERENT),
    (("Tone", "Topic"), ("Ann Lee", "Bob M."), DIFFERENT),
    (("tone", "topic"), ("1", "2"), DIFFERENT),
    (("score", "label"), ("1", "2"), SAME),
]


@pytest.mark.parametrize(
    ("form", "case"),
    [
        *((form, CASES[4]) for form in FORMS),
        *((form, case) for form in FORMS[:2] for case in CASES),
    ],
)
def test_names_and_values_tell_variables_from_raters(write, form, case):
    variables, raters, dictionaries = case
    path = write(named(form, variables, raters), of_each(dictionaries, len(raters)))
    assert read_as(path) == ("variable", dict.fromkeys(variables, raters))


@pytest.mark.parametrize("names", [
    ["toneA", "toneB", "topicA", "topicB"], ["v1a", "v1b", "v2a", "v2b"],
    ["coder1tone", "coder2tone", "coder1topic", "coder2topic"],
    ["tonecoder1", "tonecoder2", "topiccoder1", "topiccoder2"],
    ["ATone", "BTone", "ATopic", "BTopic"],
])  # fmt: skip
def test_no_sign_need_stand_between_the_parts(write, names):
    by, groups = read_as(write(names, of_each(DIFFERENT, 2)))
    assert (by, len(groups)) == ("variable", 2)
    assert {len(raters) for raters in groups.values()} == {2}


def test_the_parts_may_hold_the_sign_themselves(write):
    variables = ("news_tone", "news_topic", "ad_tone", "ad_topic")
    path = write(named("{v}_{r}", variables, "AB"), of_each((TONE, SCALE) * 2, 2))
    assert read_as(path)[1] == dict.fromkeys(variables, ("A", "B"))


def test_a_rater_of_one_variable_alone_is_kept(write):
    path = write(["v1_A", "v1_B", "v1_C", "v2_A", "v2_B"], [TONE] * 3 + [SCALE] * 2)
    assert read_as(path)[1] == {"v1": ("A", "B", "C"), "v2": ("A", "B")}


def test_other_columns_are_left_out_and_told(write):
    names = ["outlet", "v1_A", "v1_B", "v2_A", "v2_B", "v1_comment", "author"]
    path = write(names, [["X", "Y"], TONE, TONE, SCALE, SCALE, ["hm", "oh"], ["Jo", "Al"]])
    loaded = load(path)
    assert list(loaded.groups) == ["v1", "v2"]
    told = "left out, as no rater's: 'outlet', 'v1_comment' and 'author'"
    assert told in loaded.reading.evidence


def test_remarks_are_no_variable(write):
    texts = [f"text number {k}" for k in range(400)]
    path = write(["A_tone", "A_comment", "B_tone", "B_comment"], [TONE, texts, TONE, texts])
    loaded = load(path)
    assert loaded.by is None
    assert loaded.ratings.raters == ("A", "B")
    assert any("left out, as no codes: comment" in words for words in loaded.reading.evidence)


def test_sixty_variables_give_a_line_each(write, invoke):
    variables = [f"var{k}" for k in range(1, 61)]
    path = write(named("{v}_{r}", variables, ("AK", "BM", "CL")), [YES_NO] * 180)
    summary = cs.measure(cs.read_groups(path), coefficients="alpha", by="variable")
    assert [group.name for group in summary.groups] == variables
    lines = invoke("measure", path, "-c", "alpha", "--quiet", "--all").splitlines()
    assert sum(line.startswith("var") for line in lines) >= 60


@pytest.fixture
def invoke():
    from click.testing import CliRunner

    def run(*words):
        result = CliRunner().invoke(cli, [str(word) for word in words])
        assert result.exit_code == 0, result.output
        return result.output

    return run


def test_the_report_has_a_line_for_each_variable(write, invoke, tmp_path):
    variables = [f"var{k}" for k in range(1, 13)]
    path = write(named("{v}_{r}", variables, ("AK", "BM", "CL")), [YES_NO] * 36)
    page = tmp_path / "page.html"
    invoke("report", path, "-o", page, "--quiet")
    html = page.read_text(encoding="utf-8")
    assert "12 variables" in html
    assert all(f">{name}<" in html for name in variables)
    made = cs.report.report(cs.read_groups(path), by="code")
    assert made.recommendation is None
    assert [group.name for group in made.summary.groups] == variables
    assert made.summary.by == "code"


def test_values_of_the_groups_are_those_of_the_columns(write):
    path = write(["v1_A", "v1_B", "v2_A", "v2_B"], of_each(DIFFERENT, 2))
    groups = cs.read_groups(path)
    plain = cs.read(path, rater=["v2_A", "v2_B"])
    assert groups["v2"].raters == ("A", "B")
    assert plain.raters == ("v2_A", "v2_B")
    value = cs.krippendorff_alpha(plain).value
    assert cs.krippendorff_alpha(groups["v2"]).value == value


def test_a_column_to_group_by_goes_with_it(write):
    path = write(["wave", "v1_A", "v1_B", "v2_A", "v2_B"], [["x", "y"], *of_each(DIFFERENT, 2)])
    by, groups = read_as(path, by="wave")
    assert by == "wave"
    assert sorted(groups) == ["v1 · x", "v1 · y", "v2 · x", "v2 · y"]


def test_names_of_raters_can_be_hidden(write, invoke):
    path = write(named("{v}_{r}", ("tone", "topic"), ("Ann", "Bob")), of_each(DIFFERENT, 2))
    shown = invoke("measure", path, "--anonymise") + invoke(
        "measure", path, "--anonymise", "--explain"
    )
    assert "R1, R2" in shown
    assert "Ann" not in shown
    assert "Bob" not in shown


# -------------------------------------------------------------------- told


def test_a_variable_is_chosen_by_its_name(write):
    path = write(["v1_A", "v1_B", "v2_A", "v2_B"], of_each(DIFFERENT, 2))
    assert cs.read(path, variable="v2").categories == (1, 2, 3, 4, 5)
    assert list(cs.read_groups(path, label="v*")) == ["v1", "v2"]
    assert list(cs.read_groups(path, variable="v1")) == ["v1"]
    with pytest.raises(InputError, match=r"variable must be one of 'v1', 'v2'. Got 'v9'"):
        cs.read(path, variable="v9")


def test_raters_are_chosen_by_their_names(write):
    path = write(named("{v}_{r}", ("v1", "v2"), "ABC"), of_each(DIFFERENT, 3))
    assert read_as(path, rater=["A", "C"])[1] == {"v1": ("A", "C"), "v2": ("A", "C")}
    assert read_as(path, rater=["v1", "v2"])[1] == dict.fromkeys("ABC", ("v1", "v2"))


@pytest.mark.parametrize(
    ("pattern", "groups"),
    [
        ("{variable}_{rater}", {"alba": ("1", "2"), "bova": ("1", "2")}),
        ("{rater}_{variable}", {"1": ("alba", "bova"), "2": ("alba", "bova")}),
        ("{rater}", {None: ("alba_1", "alba_2", "bova_1", "bova_2")}),
    ],
)
def test_where_nothing_tells_the_caller_is_asked_and_one_option_settles_it(write, pattern, groups):
    path = write(named("{v}_{r}", ("alba", "bova"), "12"), of_each(SAME, 2))
    with pytest.raises(InputError, match="which part of the column names is the rater") as caught:
        load(path)
    assert f"--columns {pattern!r}" in str(caught.value)
    for both in ("(alba, bova) by 2 raters (1, 2)", "(1, 2) by 2 raters (alba, bova)"):
        assert both in str(caught.value)
    assert read_as(path, columns=pattern)[1] == groups


def test_names_that_contradict_the_values_are_asked_about(write):
    path = write(named("{v}_{r}", ("A", "B"), ("tone", "topic")), [TONE, TONE, SCALE, SCALE])
    with pytest.raises(InputError, match="which part of the column names"):
        load(path)


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("{coder}_{variable}", "a pattern with {rater} and {variable} once each"),
        ("{rater}_{rater}", "once each"),
        ("{variable}-{rater}", "the columns are 'unit', 'v1_A'"),
        ("", "once each"),
        (5, "once each"),
    ],
)
def test_a_pattern_that_does_not_fit_is_refused(write, pattern, words):
    path = write(["v1_A", "v1_B", "v2_A", "v2_B"], of_each(SAME, 2))
    with pytest.raises(InputError) as caught:
        load(path, columns=pattern)
    assert words in str(caught.value)


def test_a_pattern_is_for_wide_tables(write):
    path = write(["v1_A", "v1_B", "v2_A", "v2_B"], of_each(SAME, 2))
    with pytest.raises(InputError, match="columns must be given for a wide table only"):
        load(path, columns="{variable}_{rater}", shape="long")


def test_a_pattern_may_cut_what_holds_its_sign_twice():
    names = dict(enumerate(["a_b_X", "a_b_Y", "c_d_X", "c_d_Y"]))
    factors, rater = told_factors("{variable}_{rater}", names)
    assert (factors.part(rater), factors.part(1 - rater)) == (["X", "Y"], ["a_b", "c_d"])


# -------------------------------------------------------------------- left as it was


@pytest.mark.parametrize(
    ("text", "shape", "n_raters"),
    [
        ("unit,human_1,human_2,gpt_1,gpt_2\n" + "1,a,a,a,b\n2,b,a,b,b\n3,a,a,b,b\n4,b,b,b,b\n",
         "wide", 4),
        ("unit,a1,a2,b1,b2\n" + "1,x,x,x,y\n2,y,x,y,y\n3,x,x,y,y\n4,y,y,y,y\n", "wide", 4),
        ("rater,q1_1,q1_2,q2_1,q2_2\nAnn,1,2,1,2\nBob,1,2,2,2\nCy,1,1,2,2\n", "transposed", 3),
        ("unit,strongly_agree,strongly_disagree,slightly_agree,slightly_disagree\n"
         + "".join(f"{k},{k % 3},{2 - k % 3},1,0\n" for k in range(12)), "counts", 3),
    ],
)  # fmt: skip
def test_names_that_only_happen_to_form_a_grid(tmp_path, text, shape, n_raters):
    path = tmp_path / "codes.csv"
    path.write_text(text)
    loaded = load(path)
    assert (loaded.reading.shape, loaded.by) == (shape, None)
    assert loaded.ratings.n_raters == n_raters


def test_a_long_table_with_such_names_stays_long(tmp_path):
    rows = [f"{k},{coder},{k % 2},{k % 3},{k % 2}" for k in range(8) for coder in ("Ann", "Bob")]
    path = tmp_path / "codes.csv"
    path.write_text("unit,coder,v1_a,v1_b,v2_a\n" + "\n".join(rows) + "\n")
    assert load(path).reading.shape == "long"


def test_ten_thousand_names_are_cut_in_a_moment():
    names = {j: f"v{j // 4}_{'ABCD'[j % 4]}" for j in range(10_000)}
    (factors,) = factorings(names)
    assert (len(factors.part(0)), len(factors.part(1))) == (2500, 4)


@pytest.mark.parametrize(
    ("words", "beside", "value"),
    [
        (["coder1", "coder2"], ["tone"], 4), (["Coder A", "Coder B"], ["tone"], 4),
        (["R1", "R2"], ["v1"], 3), (["A", "B"], ["tone"], 2), (["A", "B"], ["1", "2"], 0),
        (["Ann", "Bob"], ["tone"], 1), (["tone", "topic"], ["A"], -3),
        (["alba", "bova"], ["A"], 0), (["Marks", "Page", "Long"], ["etiqueta"], 1),
        (["ann@uni.edu", "bob@uni.edu"], ["tone"], 4), (["gpt-4o", "claude-3"], ["tone"], 4),
        (["Beurteiler 1", "Beurteiler 2"], ["Note"], 4), (["Urteil", "Befund"], ["Arzt"], -3),
        (["v1", "q2"], ["A"], -2), (["score", "rating"], ["1"], -3),
    ],
)  # fmt: skip
def test_what_looks_like_a_rater(words, beside, value):
    assert likeness(words, beside) == value


# -------------------------------------------------------------------- names in two rows


TWO_ROWS = [
    [None, "Tone", "Tone", "Topic", "Topic"],
    ["item", "Ann", "Bob", "Ann", "Bob"],
    *[[k, "ab"[k % 2], "abb"[k % 3], k % 3, k % 2] for k in range(1, 9)],
]
GROUPS = {"Tone": ("Ann", "Bob"), "Topic": ("Ann", "Bob")}


@pytest.mark.parametrize("style", ["merged", "blank", "repeated"])
def test_variables_above_raters_in_a_workbook(tmp_path, style):
    book = openpyxl.Workbook()
    for row in TWO_ROWS:
        book.active.append(row)
    if style != "repeated":
        book.active["C1"] = book.active["E1"] = None
    if style == "merged":
        book.active.merge_cells("B1:C1")
        book.active.merge_cells("D1:E1")
    book.save(tmp_path / "codes.xlsx")
    assert read_as(tmp_path / "codes.xlsx") == ("variable", GROUPS)


@pytest.mark.parametrize("top", [",Tone,Tone,Topic,Topic", ",Tone,,Topic,"])
def test_variables_above_raters_in_a_text_file(tmp_path, top):
    lines = [top, *(",".join(map(str, row)) for row in TWO_ROWS[1:])]
    path = tmp_path / "codes.csv"
    path.write_text("\n".join(lines) + "\n")
    assert read_as(path) == ("variable", GROUPS)
    path.write_text("\n".join(lines) + "\n1,a,b,0,1\n")
    with pytest.raises(InputError, match="line 11: each rater must rate an item at most once"):
        load(path)


# -------------------------------------------------------------------- one list of options


def test_read_takes_every_option_of_reading():
    given = set(inspect.signature(cs.read).parameters) - {"path"}
    assert given == set(request.ReadingOptions.__annotations__) - {"by", "ungrouped"}


@pytest.mark.parametrize("function", [cs.load, cs.read_groups])
def test_an_unknown_option_is_named(write, function):
    path = write(["Ann", "Bob"], [TONE, TONE])
    with pytest.raises(InputError, match=r"has no option shap. Hint: did you mean 'shape'"):
        function(path, shap="wide")


@pytest.mark.parametrize(
    ("pattern", "variables", "raters"),
    [
        ("{r} - {v}", ("Kategorie", "Befund"), ("Beurteiler 1", "Beurteiler 2")),
        ("{r} - {v}", ("accuracy", "fluency"), ("model_1", "model_2")),
        ("{v} ({r})", ("fluency", "quality"), ("expert1", "expert2")),
        ("{v}.{r}", ("quality", "tone"), ("Mark", "Kate")),
        ("{v}_{r}", ("kategoria", "diagnoza"), ("mark@uni.edu", "eve@uni.edu")),
        ("{r}.{v}", ("valence", "fluency"), ("gpt-4o", "claude-3-opus")),
        ("{r}: {v}", ("note", "avis"), ("Martin", "Durand")),
    ],
)
def test_names_of_raters_and_variables_tell_though_all_share_labels(
    write, pattern, variables, raters
):
    path = write(named(pattern, variables, raters), of_each(SAME, 2))
    assert read_as(path)[1] == dict.fromkeys(variables, raters)


def test_numbers_with_a_sign_between_are_no_grid(tmp_path):
    names = [f"{a}-{b}" for a in (1, 2, 3) for b in range(1, 9)]
    rows = [[f"Rater{k}", *((3 * j) % 7 + (k * j) % 2 for j in range(24))] for k in range(1, 5)]
    path = tmp_path / "items.csv"
    path.write_text("\n".join(",".join(map(str, row)) for row in [["rater", *names], *rows]) + "\n")
    assert load(path).reading.shape == "transposed"


# -------------------------------------------------------------------- rows that come back


def test_names_that_are_hardly_sure_give_way_where_items_come_back(tmp_path):
    """Each row may then be somebody's; unless a column is told that keeps the rows apart."""
    rng = random.Random(1)
    path = tmp_path / "codes.csv"

    def read(units, **options):
        lines = ["unit,wave,q1.1,q1.2,q2.1,q2.2"]
        lines += [",".join([unit, *(str(rng.choice(SCALE)) for _ in range(4))]) for unit in units]
        path.write_text("\n".join(lines) + "\n")
        return read_as(path, **options)[1]

    both = {"q1": ("1", "2"), "q2": ("1", "2")}
    assert read(f"t{k},w" for k in range(18)) == both
    twice = [f"t{k // 2},w{k % 2}" for k in range(18)]
    with pytest.raises(InputError, match="the layout must be clear"):
        read(twice)
    assert read(twice, by="wave") == {
        f"{name} · w{k}": raters for name, raters in both.items() for k in (0, 1)
    }
