"""consilience report and compare as a person uses them."""

from __future__ import annotations

import html
import json
import re
import shlex
from pathlib import Path

import pytest

from consilience.cli.program import run

WIDE = "item,ann,bob,cid\n" + "".join(
    f"{k},{'ab'[k % 2]},{'ab'[k % 2 if k % 5 else 0]},{'ab'[k % 2]}\n" for k in range(40)
)


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("ratings.csv").write_text(WIDE)
    return tmp_path


def test_the_page_is_named_after_the_file(folder, capsys):
    assert run(["report", "ratings.csv", "-q"]) == 0
    page = Path("ratings.html").read_text(encoding="utf-8")
    assert "Do the raters agree? ratings.csv" in page
    assert "consilience report ratings.csv" in page
    assert "Wrote ratings.html" in capsys.readouterr().err


def test_the_command_on_the_page_makes_the_same_page(folder):
    asked = ["report", "ratings.csv", "-q", "-o", "one.html", "--title", "Two words", "-c", "alpha",
             "--confidence-level", "0.9", "--categories", "a,b"]  # fmt: skip
    assert run(asked) == 0
    page = Path("one.html").read_text(encoding="utf-8")
    shown = re.search(r"<pre[^>]*>(consilience report .*?)</pre>", page)[1]
    command = shown.replace("&#39;", "'").replace("&#34;", '"')
    import shlex

    words = shlex.split(command)[1:]
    assert run([*words, "--force", "-q"]) == 0
    assert Path("one.html").read_text(encoding="utf-8") == page


def test_figures_go_to_a_folder(folder):
    assert run(["report", "ratings.csv", "-q", "--figures", "f", "--figure-format", "svg"]) == 0
    names = {path.name for path in Path("f").iterdir()}
    assert {"coefficients.svg", "labels.svg", "items.svg"} <= names


def test_nothing_is_written_over_without_force(folder, capsys):
    Path("ratings.html").write_text("mine")
    assert run(["report", "ratings.csv", "-q"]) == 2
    assert Path("ratings.html").read_text() == "mine"
    assert "--force" in capsys.readouterr().err


def test_the_input_is_never_the_output(folder):
    assert run(["report", "ratings.csv", "-o", "ratings.csv", "--force"]) == 2
    assert Path("ratings.csv").read_text() == WIDE


def test_several_labels_give_a_page_with_a_line_for_each(folder):
    Path("two.csv").write_text("item,rater,tone,topic\n1,a,x,y\n1,b,x,y\n2,a,y,y\n2,b,x,x\n")
    assert run(["report", "two.csv", "--label", "tone", "--label", "topic", "-q"]) == 0
    page = Path("two.html").read_text(encoding="utf-8")
    assert "2 variables" in page
    assert all(f">{name}<" in page for name in ("tone", "topic"))


@pytest.mark.parametrize(
    "scales", [["--scale", "ordinal"], ["--scale", "tone=ordinal", "--scale", "interval"]]
)
def test_the_command_on_the_page_makes_it_again(folder, scales):
    lines = [
        f"{k},{r},{(k + (r == 'b') * (k % 3 == 0)) % 3},{k % 4}" for k in range(9) for r in "ab"
    ]
    Path("two.csv").write_text("\n".join(["item,rater,tone,topic", *lines]) + "\n")
    typed = ["report", "two.csv", "--label", "tone,topic", "--output", "page.html", *scales]
    assert run([*typed, "-q"]) == 0
    page = html.unescape(Path("page.html").read_text(encoding="utf-8"))
    (command,) = re.findall(r"consilience (report [^<]*)", page)
    assert sorted(shlex.split(command)) == sorted(typed)
    assert run([*shlex.split(command), "--force", "-q"]) == 0
    assert html.unescape(Path("page.html").read_text(encoding="utf-8")) == page


def test_an_undefined_result_still_makes_a_page_and_exits_with_4(folder):
    Path("flat.csv").write_text("item,ann,bob\n1,a,a\n2,a,a\n3,a,a\n")
    assert run(["report", "flat.csv", "-q", "-c", "kappa"]) == 4
    assert "undefined" in Path("flat.html").read_text(encoding="utf-8")


def test_compare_writes_text_and_json(folder, capsys):
    Path("after.csv").write_text(WIDE.replace(",b,a,b\n", ",b,b,b\n"))
    assert run(["compare", "ratings.csv", "after.csv", "-q"]) == 0
    assert "item by item" in capsys.readouterr().out
    assert run(["compare", "ratings.csv", "after.csv", "-q", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["paired"] is True
    assert record["differences"][0]["difference"] > 0


def test_compare_takes_batches_of_one_file_and_draws_them(folder, capsys):
    rows = [f"{k},{r},{'ab'[(k + (k % 4 == 0) * (r == 'y')) % 2]},{'pqr'[k % 3]}"
            for k in range(60) for r in "xy"]  # fmt: skip
    Path("long.csv").write_text("\n".join(["item,rater,label,batch", *rows]) + "\n")
    assert run(["compare", "long.csv", "--by", "batch", "-q", "--figure", "b.svg"]) == 0
    assert "with 2 degrees" in capsys.readouterr().out
    assert Path("b.svg").read_text().startswith("<?xml")


def test_compare_needs_two(folder, capsys):
    assert run(["compare", "ratings.csv", "-q"]) == 2
    assert "at least two files" in capsys.readouterr().err


@pytest.mark.parametrize(("flag", "part"), [("--apa", "95% CI ["), ("--latex", r"\toprule")])
def test_measure_writes_what_papers_need(folder, capsys, flag, part):
    assert run(["measure", "ratings.csv", "-q", flag]) == 0
    assert part in capsys.readouterr().out


def completed(monkeypatch, words: str) -> list[str]:
    from click.shell_completion import BashComplete

    from consilience.cli.program import cli

    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
    shell = BashComplete(cli, {}, "consilience", "_CONSILIENCE_COMPLETE")
    arguments, incomplete = shell.get_completion_args()
    return [item.value for item in shell.get_completions(arguments, incomplete)]


def test_the_shell_completes_columns_of_the_file_at_hand(folder, monkeypatch):
    assert completed(monkeypatch, "consilience measure ratings.csv --rater b") == ["bob"]
    assert completed(monkeypatch, "consilience report ratings.csv --item it") == ["item"]
    assert completed(monkeypatch, "consilience measure nowhere.csv --rater b") == []


def test_the_shell_completes_names(folder, monkeypatch):
    assert "krippendorff_alpha" in completed(monkeypatch, "consilience measure a.csv -c kripp")
    assert completed(monkeypatch, "consilience measure a.csv --distance quad") == ["quadratic"]


def test_demo_writes_its_report(folder, capsys):
    assert run(["demo", "-o", "demo.html"]) == 0
    assert "prevalence paradox" in capsys.readouterr().out
    page = Path("demo.html").read_text(encoding="utf-8")
    assert "Eve stands apart" in page
    assert 'id="paradox"' in page
    assert "agree on 90.5 of 100" in page
    assert run(["demo", "-o", "demo.html"]) == 2
