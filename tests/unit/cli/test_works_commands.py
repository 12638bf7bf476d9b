"""The commands that redo papers: test, critical, designs, simulate, find; words that lead on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import consilience as cs
from consilience.cli.program import run
from consilience.core.glossary import TOPICS

LABELS = str(Path(__file__).resolve().parents[3] / "examples" / "labels.csv")
EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
TABLE = str(Path(__file__).resolve().parents[3] / "examples" / "reviewers_table.csv")


def told(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert run(arguments) == code
    captured = capsys.readouterr()
    return captured.out + captured.err


def test_test_shows_what_the_library_finds(capsys: pytest.CaptureFixture[str]) -> None:
    shown = told(capsys, "test", LABELS, "-c", "ac1", "--null", "0.4", "-q", "--json")
    (found,) = json.loads(shown)["null_tests"]["tests"]
    test = cs.gwet_ac(cs.read(LABELS)).test(0.4, alternative="greater", method="monte-carlo")
    assert found["p_value"] == test.p_value


def test_test_goes_through_tenths_and_names_the_words(capsys: pytest.CaptureFixture[str]) -> None:
    shown = told(capsys, "test", LABELS, "-c", "ac1", "-q", "--resamples", "200", "--all")
    assert all(f"\n0.{k} " in shown for k in range(1, 10))
    assert "Rietveld & van Hout" in shown


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--null", "1.5"), "is not a number from -1 to below 1"),
        (("--words", "tarot"), "--words"),
        (("-c", "kapa"), "Did you mean 'kappa'?"),
    ],
)
def test_test_refuses(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
) -> None:
    assert said in told(capsys, "test", LABELS, *arguments, code=2)


def test_critical_values_of_every_statistic(capsys: pytest.CaptureFixture[str]) -> None:
    assert "0.564" in told(capsys, "critical", "--statistic", "spearman", "--items", "10")
    assert "0.467" in told(capsys, "critical", "--statistic", "kendall", "--items", "10")
    shown = json.loads(told(capsys, "critical", "--items", "10", "--null", "0,0.5", "--json"))
    first, second = shown["critical_values"]
    assert (first["null"], second["null"]) == (0, 0.5)
    assert first["levels"][1]["value"] == pytest.approx(
        cs.ac1_critical_values(n_items=10, n_raters=2, n_categories=2)[0.95]
    )
    said = told(capsys, "critical", "--statistic", "kendall", "--items", "9", "--raters", "3",
                code=2)  # fmt: skip
    assert "--raters is for coefficients such as ac1" in said


def test_critical_values_of_any_coefficient_by_any_of_its_names(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert "0.564" in told(capsys, "critical", "--statistic", "rho", "--items", "10")
    asked = ["critical", "--statistic", "fleiss", "--items", "30", "--raters", "4"]
    shown = told(capsys, *asked, "--categories", "3", "--resamples", "500")
    assert "Critical values of Fleiss' kappa" in shown
    (found,) = json.loads(told(capsys, *asked, "--resamples", "500", "--json"))["critical_values"]
    same = cs.coefficients.critical_values("pi", n_items=30, n_raters=4, n_resamples=500)
    assert [one["value"] for one in found["levels"]] == [one.value for one in same.critical_values]
    assert found["null"] is None
    said = told(capsys, "critical", "--statistic", "icc2", "--items", "9", code=2)
    assert "consilience marks FILE --measure icc" in said


def test_designs_of_a_retest_with_a_standard(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = ["item,coder,round,label,truth"]
    for item in range(12):
        for coder, slip in (("A", 4), ("B", 5)):
            for time in (1, 2):
                label = "yn"[(item + (time == 2 and item % slip == 0)) % 2]
                rows.append(f"{item},{coder},{time},{label},{'yn'[item % 2]}")
    path = tmp_path / "retest.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    asked = ("designs", str(path), "--occasion", "round", "--gold", "truth", "-q", "--json")
    found = json.loads(told(capsys, *asked))["designs"]["rows"]
    assert [(row["reliability"], row["who"]) for row in found] == [
        ("stability", "A"), ("stability", "B"), ("reproducibility", "all raters"),
        ("accuracy", "A"), ("accuracy", "B"),
    ]  # fmt: skip
    assert [row["estimate"]["value"] for row in found][2:] == [1, 1, 1]


def test_a_rater_who_is_the_standard_is_not_among_the_raters(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = told(capsys, "designs", LABELS, "--gold", "eve", "-q", "--json")
    found = json.loads(shown)["designs"]["rows"]
    assert [row["who"] for row in found] == ["all raters", "ann", "bob"]
    two = cs.read(LABELS).select(raters=["ann", "bob"])
    assert found[0]["estimate"]["value"] == pytest.approx(cs.gwet_ac(two).value)


def test_simulated_studies_are_those_of_the_library(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figure, drawn = tmp_path / "k.svg", tmp_path / "study.csv"
    described = "simulate --items 40 --agreement 0.6 --prevalence 0.2 -c kappa --studies 30 --json"
    asked = [*described.split(), "--figure", str(figure), "--draw", str(drawn)]
    assert run(asked) == 0
    (found,) = json.loads(capsys.readouterr().out)["distributions"]
    design = cs.simulate.Simulator(n_items=40, n_raters=2, agreement=0.6, prevalence=0.2)
    same = cs.simulate.sampling_distribution(design, "kappa", n_resamples=30, rng=0)
    assert found["mean"] == pytest.approx(same.mean)
    assert b"<svg" in figure.read_bytes()
    assert cs.read(str(drawn)).n_items == 40


def test_samples_are_drawn_from_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    shown = told(capsys, "simulate", TABLE, "--samples", "4", "-q", "--json")
    found = json.loads(shown)["samples"]
    assert len(found) == 4
    assert all(sum(map(sum, one["table"])) == 100 for one in found)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "describe the raters with --agreement or --accuracy"),
        ((TABLE, "--agreement", "0.5"), "--agreement describes raters"),
        (("--agreement", "0.5", "--prevalence", "x"), "is not like 0.3"),
        (("--agreement", "0.5", "--prevalence", "0.7,0.9"), "--prevalence"),
    ],
)
def test_simulate_refuses(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
) -> None:
    assert said in told(capsys, "simulate", *arguments, code=2)


WORDS = ["contingency", "golden formula", "Monte Carlo", "t_test", "wilcoxon", "manhattan",
         "tau_c", "simple metric"]  # fmt: skip


@pytest.mark.parametrize("word", WORDS)
def test_words_of_the_papers_lead_somewhere(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "consilience " in told(capsys, "find", word)
    said = told(capsys, word, code=2).split("No such command", 1)[1]
    assert ": consilience " in said
    with pytest.raises(AttributeError, match="Hint: "):
        getattr(cs, word.replace(" ", "_"))


def test_the_command_of_every_topic_exists() -> None:
    from consilience.cli.program import cli

    for topic in TOPICS:
        command = topic.command.split()
        assert command[0] == "consilience"
        known = {flag for param in cli.commands[command[1]].params for flag in param.opts}
        assert {word for word in command if word.startswith("-")} <= known


LIKELY = {
    "fleis": "scott_pi", "scott": "scott_pi", "krippendorf": "krippendorff_alpha", "icc2": "icc",
    "icc(2,1)": "icc", "gwet": "gwet_ac", "weighted": "cohen_kappa", "quadratic": "quadratic",
    "masi": "masi", "jaccard": "jaccard", "easydiag": "easydiag", "gamma": "gamma",
    "holle": "holle rein", "staccato": "staccato", "boundary": "boundaries", "span": "spans",
    "conger": "cohen_kappa", "light": "light_kappa", "PABAK": "pabak", "maxwell": "kappa max",
    "kripendorf alpha": "krippendorff_alpha", "tau-b": "kendall_tau", "rho": "spearman",
    "ccc": "lin_ccc", "bland altman": "bland_altman", "bootstrap": "bootstrap",
    "sample size": "sample size", "power": "sample size", "dawid": "dawid-skene",
    "praat": "textgrid", "elan": "eaf", "conll": "conll-coreference", "coref": "coreference",
    "histogram": "histogram", "critical": "critical", "paradox": "prevalence", "pk": "windowdiff",
    "f1": "f1", "recall": "precision", "gold": "accuracy of raters", "llm": "llm",
    "mcnemar": "mcnemar",
    "unitizing": "unitizing-alpha", "cochran": "mcnemar", "raw agreement": "percent_agreement",
}  # fmt: skip


def test_likely_words_of_users_lead_home() -> None:
    from consilience.cli.words import found_for

    for word, home in LIKELY.items():
        assert home in [hit.name for hit in found_for(word)], word


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("measure", LABELS, "-c", "fleis"), "Did you mean 'fleiss'?"),
        (("measure", LABELS, "-c", "krippendorf"), "Did you mean 'krippendorff'?"),
        (("measure", LABELS, "-c", "icc2"), "consilience marks FILE --measure icc."),
        (("measure", LABELS, "-c", "tau_b"), "consilience marks FILE --measure kendall_tau."),
        (("measure", LABELS, "-c", "easydiag"), "consilience units FILE --method easydiag."),
        (("measure", LABELS, "-c", "masi"), "consilience measure FILE --distance masi."),
        (("test", LABELS, "-c", "pabak"), "consilience measure FILE -c bennett_s."),
        (("measure", LABELS, "--distance", "jacard"), "did you mean 'jaccard'?"),
        (("marks", LABELS, "--measure", "fleiss"), "consilience measure FILE -c scott_pi."),
        (("units", LABELS, "--method", "boundary"), "Did you mean 'boundaries'?"),
        (("units", LABELS, "--method", "holle"), "linked by their overlap"),
        (("latent", LABELS, "--model", "dawid"), "Did you mean 'dawid-skene'?"),
        (("plot", "hist", LABELS), "Did you mean 'histogram'?"),
        (("masi",), "consilience measure FILE --distance masi"),
        (("kappa",), "consilience measure FILE -c cohen_kappa"),
    ],
)
def test_a_wrong_word_is_told_what_it_may_mean(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
) -> None:
    assert said in " ".join(told(capsys, *arguments, code=2).split())


def test_a_word_that_leads_nowhere_is_said_to(capsys: pytest.CaptureFixture[str]) -> None:
    assert "Nothing here is called 'xyzzy'" in told(capsys, "find", "xyzzy", code=1)
    assert "Did you mean" in told(capsys, "mesure", code=2)
    with pytest.raises(AttributeError, match=r"no attribute 'xyzzy'$"):
        _ = cs.xyzzy


@pytest.mark.parametrize("word", ["t_test", "wilcoxon", "manhattan", "tau_c", "simple metric"])
def test_measures_answer_to_these_words(word: str) -> None:
    assert word in cs.magnitudes.measures()


def test_tau_c_on_the_command_line_is_tau_c(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "marks.csv"
    rows = ["essay,ann,bob", *(f"e{i},{i % 5},{(i * i) % 4}" for i in range(12))]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    asked = ("marks", str(path), "-m", "tau_c", "-q", "--shape", "wide", "--item", "essay")
    assert "Kendall's tau-c" in told(capsys, *asked)


def test_the_manhattan_distance_of_labels_is_linear() -> None:
    assert cs.distances.get_distance("manhattan", scale="interval").name == "linear"


def test_cautions_judge_by_the_distance_that_was_asked_for(tmp_path, capsys) -> None:
    path = tmp_path / "marks.csv"
    marks = [(1, 1), (2, 3), (3, 3), (4, 5), (5, 5), (2, 1), (4, 4), (3, 4), (1, 2), (5, 4)] * 3
    rows = "".join(f"{k},{a},{b}\n" for k, (a, b) in enumerate(marks))
    path.write_text("essay,Ann,Bob\n" + rows)

    def codes(*more: str) -> set[str]:
        run(["measure", str(path), "--json", "-q", *more])
        return {one["code"] for one in json.loads(capsys.readouterr().out)["findings"]}

    assert "order_ignored" in codes()
    assert "order_ignored" not in codes("--distance", "quadratic")
    works = f"{EXAMPLES}/works/artstein_poesio_2005"
    weights = f"file:{works}_weights.csv"
    assert run(["measure", f"{works}_table_6.csv", "--distance", weights, "-q"]) == 0
    assert "both sides" not in capsys.readouterr().out  # .816 and .815; plain .801 and .800


def test_figure_4_and_its_chance_column_from_a_printed_table(tmp_path, capsys) -> None:
    """Holle & Rein, Figure 4: s has 97% observed and 92% chance agreement."""
    table = f"{EXAMPLES}/works/holle_rein_2015_table_1.csv"
    assert run(["units", table, "--table", "--figure", str(tmp_path / "figures"), "-q"]) == 0
    assert {one.name for one in (tmp_path / "figures").iterdir()} == {"labels.svg", "tallies.svg"}
    capsys.readouterr()
    assert run(["units", table, "--table", "--csv"]) == 0
    line = next(one for one in capsys.readouterr().out.splitlines() if one.startswith("s,52"))
    assert [round(float(cell), 2) for cell in line.split(",")[4:6]] == [0.97, 0.92]


def test_the_sentence_to_copy_has_its_overlap_threshold(tmp_path, capsys) -> None:
    """Holle & Rein: indices are always accompanied by the chosen overlap threshold."""
    page = tmp_path / "page.html"
    films = ["units", f"{EXAMPLES}/gestures.csv", "--time-unit", "ms", "--report", str(page), "-q"]
    assert run([*films, "--threshold", "70"]) == 0
    capsys.readouterr()
    assert "linked at 70% overlap" in page.read_text()


def test_a_setting_is_marked_in_the_figure(tmp_path, capsys) -> None:
    table = ["sweep", f"{EXAMPLES}/works/haley_2008_table_1_2.csv", "--setting", "marked answers",
             "--differences", "-q", "--settings-figure", str(tmp_path / "s.svg")]  # fmt: skip
    assert run([*table, "--at", "60"]) == 0
    assert run([*table, "--at", "61", "--force"]) == 2
    assert "no setting '61'" in capsys.readouterr().err
