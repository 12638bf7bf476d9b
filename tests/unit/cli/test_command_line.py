"""The command line as its users meet it: exit codes, streams, files, interruptions."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import consilience as cs
import needed
from consilience.cli.program import run
from consilience.io.reading_account import SHAPES

EXAMPLES = Path(__file__).parents[3] / "examples"
LONG = "unit,coder,code\n" + "".join(
    f"{i},{who},{'xyz'[(i + (who == 'Bob' and i % 4 == 0)) % 3]}\n"
    for i in range(12)
    for who in ("Ann", "Bob")
)


@pytest.fixture
def ratings(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text(LONG)
    return path


@pytest.fixture
def constant(tmp_path):
    path = tmp_path / "constant.csv"
    path.write_text("item,A,B\n1,x,x\n2,x,x\n3,x,x\n")
    return path


def consilience(*arguments, stdin=None, env=None, cwd=None):
    """Run the real program."""
    return subprocess.run(
        [sys.executable, "-m", "consilience.cli", *map(str, arguments)],
        capture_output=True,
        input=stdin,
        env={**os.environ, **(env or {})},
        cwd=cwd,
        check=False,
    )


# -------------------------------------------------------------------- the program


def test_measure_sends_data_to_stdout_and_messages_to_stderr(ratings):
    done = consilience("measure", ratings)
    assert done.returncode == 0
    assert b"Krippendorff's alpha" in done.stdout
    assert b"the columns are called" not in done.stdout
    assert b"item: unit; rater: coder; label: code" in done.stderr
    assert b"\x1b" not in done.stdout + done.stderr


def test_installed_program_is_the_same():
    program = Path(sys.executable).with_name("consilience")
    if not program.exists():
        needed.lacking(needed.PROGRAM, "consilience, installed as a program")
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"consilience {cs.__version__}\n"


def test_help_loads_nothing_heavy():
    program = (
        "import sys\n"
        "from consilience.cli.program import run\n"
        "codes = [run([*words, '--help']) for words in ([], ['measure'], ['demo'], "
        "['coefficients'])] + [run(['--version'])]\n"
        "heavy = {'numpy', 'scipy', 'duckdb', 'pandas', 'polars', 'rich', 'narwhals'}\n"
        "print(codes, sorted(heavy & set(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stderr == "[0, 0, 0, 0, 0] []\n"
    assert "Exit codes: 0 done" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 90


def test_demo_explains_itself():
    done = consilience("demo")
    assert done.returncode == 0
    text = done.stdout.decode()
    assert "Cohen's kappa         -0.053" in text
    assert "prevalence paradox" in text
    assert max(map(len, text.splitlines())) <= 80


def test_closed_pipe_is_quiet(ratings):
    command = f"{sys.executable} -m consilience.cli"
    for words in (f"measure {ratings} -q --json", "coefficients", "demo"):
        done = subprocess.run(
            ["bash", "-c", f"set -o pipefail; {command} {words} | true"],
            capture_output=True, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, b""), words


def test_interruption_leaves_with_130_and_no_half_file(tmp_path):
    big = tmp_path / "big.csv"
    with big.open("w") as stream:
        stream.write("item,rater,label\n")
        stream.writelines(
            f"document-{i},r{r},{(i * r) % 7}\n" for i in range(300_000) for r in (1, 2)
        )
    out = tmp_path / "out.json"
    process = subprocess.Popen(
        [sys.executable, "-m", "consilience.cli", "measure", str(big), "-o", str(out),
         "--interval", "percentile", "--resamples", "10000000"],  # not done before it is struck
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    _wait_until_loaded(process, "duckdb")
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert process.returncode == 130, errors
    assert b"Traceback" not in errors
    assert os.listdir(tmp_path) == ["big.csv"]


def _wait_until_loaded(process, library):
    """Wait until a process has a library in memory, which is when it starts to work."""
    maps = Path(f"/proc/{process.pid}/maps")
    if not maps.exists():
        needed.lacking(needed.SYSTEM, "/proc")
    while process.poll() is None and library not in maps.read_text():
        time.sleep(0.005)


def on_a_terminal(*arguments, env=None):
    """Run the program on a terminal of 80 columns and return what it shows."""
    reader, writer = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "consilience.cli", *map(str, arguments)],
        stdout=writer, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
        env={**os.environ, "COLUMNS": "80", "TERM": "xterm-256color", **(env or {})},
    )  # fmt: skip
    os.close(writer)
    shown = b""
    while True:
        try:
            part = os.read(reader, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        shown += part
    os.close(reader)
    process.communicate()
    return shown.decode().replace("\r\n", "\n")


def test_terminal_shows_bars_and_colour_within_80_columns(ratings):
    shown = on_a_terminal("measure", ratings, env={"NO_COLOR": ""})
    assert "\x1b[" in shown
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert "●" in plain
    assert max(map(len, plain.splitlines())) <= 80
    assert "\x1b" not in on_a_terminal("measure", ratings, env={"NO_COLOR": "1"})


def test_standard_input(ratings):
    done = consilience("measure", "-", "--json", stdin=ratings.read_bytes())
    assert done.returncode == 0
    assert json.loads(done.stdout)["data"]["sources"] == ["-"]
    broken = consilience("measure", "-", stdin=b"item,A,B\n1,x,y\n2,x\n")
    assert broken.returncode == 3
    assert b"standard input, line 3" in broken.stderr
    assert b"consilience-" not in broken.stderr


def test_output_is_utf8_whatever_the_locale(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("item,A,B\n1,é,ü\n2,ü,ü\n", encoding="utf-8")
    done = consilience("measure", path, env={"LC_ALL": "C", "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0, done.stderr
    assert "é, ü" in done.stdout.decode("utf-8")


def test_nothing_is_left_behind(ratings, tmp_path):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    consilience("measure", ratings, env={"TMPDIR": str(scratch)}, cwd=tmp_path)
    assert os.listdir(scratch) == []
    assert sorted(os.listdir(tmp_path)) == ["ratings.csv", "scratch"]


# -------------------------------------------------------------------- exit codes


@pytest.fixture
def places(ratings, constant, tmp_path):
    """Files that the arguments below name in braces."""
    counts = tmp_path / "counts.csv"
    yes = [1, 3, 0, 2, 3, 0, 1, 3, 3, 0]
    rows = "".join(f"t{k},{3 - n},{n},3\n" for k, n in enumerate(yes))
    counts.write_text(f"item,no,yes,total\n{rows}")
    one = tmp_path / "one.csv"
    one.write_text("item,rater,label\n1,A,x\n2,A,y\n")
    return {
        "ratings": ratings, "constant": constant, "folder": tmp_path, "counts": counts, "one": one
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ([], 2, "Usage"),
        (["measrue"], 2, "No such command"),
        (["measure"], 2, "Missing argument"),
        (["measure", "{ratings}", "--scale", "nominel"], 2, "nominal"),
        (["measure", "{ratings}", "-c", "alhpa"], 2, "Did you mean 'alpha'?"),
        (["measure", "{ratings}", "--distance", "quadradic"], 2, "quadratic"),
        (["measure", "{ratings}", "--distance", "circular"], 2, "circumference"),
        (["measure", "{ratings}", "--distance", "circular:x"], 2, "--distance"),
        (["measure", "{ratings}", "--confidence-level", "95"], 2, "--confidence-level"),
        (["measure", "{ratings}", "--categories", "a,,b"], 2, "empty label"),
        (["measure", "{ratings}", "--fail-under", "alpha"], 2, "alpha=0.667"),
        (["measure", "{ratings}", "--fail-under", "alpha=2"], 2, "alpha=0.667"),
        (["measure", "{ratings}", "--fail-under", "alfa=0.5"], 2, "unknown coefficient"),
        (["measure", "{ratings}", "--json", "--csv"], 2, "exclude each other"),
        (["measure", "{ratings}", "-o", "{ratings}", "--force"], 2, "is the input"),
        (["measure", "{ratings}", "-o", "{folder}"], 2, "is a folder"),
        (["measure", "{ratings}", "-o", "{folder}/no/x.json"], 2, "no folder"),
        (["measure", "{folder}/ratngs.csv"], 3, "ratings.csv was meant"),
        (["measure", "{folder}"], 3, "files read together"),
        (["measure", "{ratings}", "--by", "sit"], 3, "by must be one of"),
        (["measure", "{ratings}", "--categories", "x,y"], 3, "line 6"),
        (["measure", "{ratings}", "--shape", "counts"], 3, "whole number"),
        (["measure", "{constant}", "-c", "alpha"], 4, "undefined"),
        (["measure", "{constant}", "--fail-under", "alpha=0.5"], 4, "cannot be met"),
        (["measure", "{ratings}", "--fail-under", "alpha=0.999"], 1, "below 0.999"),
        (["measure", "{ratings}", "--fail-under", "alpha=0.1"], 0, ""),
        (["measure", "{constant}"], 0, ""),
        (["measure", "{counts}", "-c", "kappa"], 4, "who"),
        (["measure", "{counts}", "--fail-under", "kappa=0.5"], 4, "who"),
        (["measure", "{one}"], 4, "two"),
    ],
)
def test_exit_codes(arguments, code, words, places, capsys):
    assert run([word.format(**places) for word in arguments]) == code
    shown = capsys.readouterr()
    assert words in " ".join((shown.err + shown.out).split())
    assert "Traceback" not in shown.err
    if code in (2, 3):
        assert shown.out == ""


# -------------------------------------------------------------------- formats and files


def test_json_is_the_summary(ratings, capsys):
    assert run(["measure", str(ratings), "--json", "--quiet"]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    record = json.loads(shown.out)
    expected = cs.measure(cs.read(ratings), shape="long", sources=[str(ratings)])
    assert record == json.loads(expected.to_json())
    run(["measure", str(ratings), "--json"])
    assert capsys.readouterr().out == shown.out


def test_csv_and_markdown(ratings, capsys):
    run(["measure", str(ratings), "--csv", "-q", "-c", "alpha"])
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert float(row["value"]) == cs.krippendorff_alpha(cs.read(ratings)).value
    run(["measure", str(ratings), "--markdown", "-q", "-c", "alpha"])
    assert "| Krippendorff's alpha |" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "start"),
    [("a.json", "{"), ("a.csv", "coefficient,"), ("a.md", "**"), ("a.txt", "Beyond")],
)
def test_output_file_takes_the_format_of_its_name(ratings, tmp_path, capsys, name, start):
    target = tmp_path / name
    assert run(["measure", str(ratings), "-q", "-o", str(target)]) == 0
    assert capsys.readouterr().out == ""
    assert target.read_text().startswith(start)
    assert target.read_text().endswith("\n")
    assert sorted(os.listdir(tmp_path)) == sorted([name, "ratings.csv"])


def test_existing_file_is_replaced_only_with_force(ratings, tmp_path, capsys):
    target = tmp_path / "a.json"
    target.write_text("precious")
    assert run(["measure", str(ratings), "-o", str(target)]) == 2
    assert "--force" in capsys.readouterr().err
    assert target.read_text() == "precious"
    assert run(["measure", str(ratings), "-o", str(target), "--force"]) == 0
    json.loads(target.read_text())


def test_unreadable_data_leave_the_output_alone(tmp_path, capsys):
    bad = tmp_path / "bad.csv"
    bad.write_text("item,A,B\n1,x\n")
    target = tmp_path / "a.json"
    target.write_text("precious")
    assert run(["measure", str(bad), "-o", str(target), "--force"]) == 3
    assert target.read_text() == "precious"
    assert "bad.csv, line 2" in capsys.readouterr().err


def test_control_characters_in_data_and_names_do_not_reach_the_screen(tmp_path, capsys):
    path = tmp_path / "\x1b[31mred.csv"
    path.write_text("item,A,B\n1,\x1b[2Jx,y\n2,y,y\n")
    run(["measure", str(path)])
    run(["measure", str(tmp_path / "\x1b]0;title\x07.csv")])
    shown = capsys.readouterr()
    assert "\x1b" not in shown.out + shown.err
    assert "\\x1b[2Jx" in shown.out


# -------------------------------------------------------------------- options


def test_reading_options_reach_the_reader(tmp_path, capsys):
    path = tmp_path / "r.txt"
    path.write_bytes("1;Ann;1,5;-99\n1;Bob;2;x\n2;Ann;2;é\n2;Bob;NA;x\n".encode("cp1252"))
    words = ["--no-header", "--delimiter", ";", "--encoding", "cp1252", "--item", "1",
             "--rater", "2", "--label", "3", "--scale", "interval", "--distance", "interval",
             "--missing-value", "NA", "--missing-value", "-99", "--json"]  # fmt: skip
    assert run(["measure", str(path), *words]) == 0
    data = json.loads(capsys.readouterr().out)["data"]
    assert (data["ratings"], data["categories"], data["scale"]) == (3, [1.5, 2], "interval")


def test_categories_and_distance(ratings, capsys):
    words = ["--scale", "ordinal", "--categories", "x,y,z", "--distance", "linear", "--csv", "-q"]
    assert run(["measure", str(ratings), *words, "-c", "kappa"]) == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    direct = cs.cohen_kappa(
        cs.read(ratings, scale="ordinal", categories=["x", "y", "z"]), distance="linear"
    )
    assert row["distance"] == "linear"
    assert float(row["value"]) == direct.value


def test_circular_distance_takes_its_circumference(tmp_path, capsys):
    path = tmp_path / "hours.csv"
    path.write_text("item,A,B\n1,23,0\n2,12,13\n3,6,6\n")
    words = ["--scale", "interval", "--distance", "circular:24", "-c", "alpha", "--csv", "-q"]
    assert run(["measure", str(path), *words]) == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    direct = cs.krippendorff_alpha(
        cs.read(path, scale="interval"), distance=cs.distances.circular(24)
    )
    assert float(row["value"]) == direct.value


def test_duplicates_and_missing_rules(tmp_path, capsys):
    path = tmp_path / "twice.csv"
    path.write_text("item,rater,label\n1,A,x\n1,B,x\n1,A,y\n2,A,y\n2,B,y\n3,A,y\n")
    assert run(["measure", str(path), "-q"]) == 3
    assert "line 4" in capsys.readouterr().err
    words = ["--duplicates", "last", "--missing", "listwise", "--json"]
    assert run(["measure", str(path), *words]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["findings"][0]["code"] == "repeated_ratings"
    assert all(e["missing"] == "listwise" for e in record["estimates"])


def test_by_gives_one_line_per_group_and_coefficient(capsys):
    path = EXAMPLES / "headlines_long.csv"
    assert run(["measure", str(path), "--by", "variable", "--csv", "-q"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(row["variable"], row["coefficient"]) for row in rows] == [
        ("tone", "percent_agreement"), ("tone", "krippendorff_alpha"),
        ("topic", "percent_agreement"), ("topic", "krippendorff_alpha"),
    ]  # fmt: skip
    groups = cs.io.read_groups(path, by="variable")
    assert float(rows[1]["value"]) == cs.krippendorff_alpha(groups["tone"]).value
    assert run(["measure", str(path), "--by", "variable", "-c", "ac1", "--csv", "-q"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["coefficient"] for row in rows] == ["gwet_ac", "gwet_ac"]


def test_gate_holds_for_every_group(capsys):
    path = str(EXAMPLES / "headlines_long.csv")
    assert run(["measure", path, "--by", "variable", "--fail-under", "kappa=0.5"]) == 1
    shown = capsys.readouterr()
    assert "tone: " in shown.err
    assert "topic: " not in shown.err.split("variable", 1)[1].split("\n", 1)[1]
    assert "Conger's kappa" in shown.out


def test_several_labels_give_one_result_each(tmp_path, capsys):
    path = tmp_path / "r.csv"
    path.write_text("item,rater,tone,frame\n1,A,x,1\n1,B,x,2\n2,A,y,1\n2,B,x,1\n")
    assert run(["measure", str(path), "--label", "tone", "--label", "frame", "-q", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["by"] == "variable"
    assert [group["name"] for group in record["groups"]] == ["tone", "frame"]


def test_coefficients_are_listed(capsys):
    assert run(["coefficients"]) == 0
    text = capsys.readouterr().out
    assert run(["coefficients", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["schema"] == "consilience/1"
    assert record["version"] == cs.__version__
    assert [one["name"] for one in record["coefficients"]] == list(cs.coefficients())
    for one in record["coefficients"]:
        assert one["name"] in text
        assert all(alias in text for alias in one["aliases"])


EXAMPLE_COMMANDS = re.findall(
    r"`consilience (measure [^`]+)`", (EXAMPLES / "README.md").read_text()
)


@pytest.mark.parametrize("command", EXAMPLE_COMMANDS)
def test_examples_run_as_printed(command, capsys, monkeypatch):
    monkeypatch.chdir(EXAMPLES.parent)
    assert run(command.split()) == 0
    shown = capsys.readouterr()
    assert "Krippendorff's alpha" in shown.out
    shape = shape_in_name(command)
    assert shape is None or f": {shape} (" in shown.err


def shape_in_name(command):
    """The layout that an example's name ends with, if it does."""
    word = Path(command.split()[1]).stem.rpartition("_")[2]
    return word if word in SHAPES else None


def test_every_layout_has_an_example():
    shapes = {shape_in_name(command) for command in EXAMPLE_COMMANDS} - {None}
    assert shapes == set(SHAPES)
