"""Nothing that was asked is ignored: every option of every command has an effect or is refused.

Each option is tried in each way that its command can go (`options_tried.MODES`): the run with it
must differ from the run without it in what is printed, in a file, or in the exit code. All pairs
take many minutes; here every option is tried once in every command and a fixed part of the rest.
All of them, with a list of what is ignored:

    PYTHONPATH=src:tests python tests/contract/test_every_option.py [MODE...]
"""

from __future__ import annotations

import json
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

import consilience as cs
from consilience.cli import _main as command_line
from consilience.cli._heeded import needs, only
from options_tried import (
    MODES,
    READING,
    Mode,
    Outcome,
    differs,
    options_of,
    outcome,
    ran,
    refused,
    takes_files,
    trials,
    workshop,
)

pytestmark = pytest.mark.filterwarnings("default")

# Options that may rightly change nothing that is printed, and why.
MAY_CHANGE_NOTHING = {
    "--all": "what fits a screen is shown whole anyway, and JSON always is",
    "--quiet": "nothing was said",
    "--seed": "nothing is drawn; the record says which seed was given",
    "--engine": "says where the work is done: the answer is to be the same",
    "--anonymise": "no rater is named",
    "--force": "nothing is there to be replaced",
}
# It would wait for a browser: what it is given is tested with the workbench.
NOT_RUN = {"serve"}
# Measures of marks that do not read clusters yet; goes when they do.
OF_MEASURES_OF_MARKS: set[tuple[str, str]] = {
    ("marks bland_altman", "--cluster"),
    ("marks", "--cluster"),
}
# Ways that read something else than ratings, so that options of reading are to be refused.
READ_OTHERWISE = {"measure rows", "simulate", "panel differences", "latent duckdb"}
_SHARE = 6  # one pair in so many is tried here


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with workshop() as place:
        yield place


@pytest.fixture(scope="module")
def remembered() -> dict[str, Outcome]:
    """What the runs without an option left, which many options share."""
    return {}


def chosen(mode: Mode) -> list[str]:
    """Return the options that are tried in a mode here: all in a command's first mode.

    Reading is one road: its options are tried on the first table that a command reads, a part of
    them in each command.
    """
    first = next(one for one in MODES if one.command == mode.command)
    found = []
    for option in options_of(mode.command):
        is_read = option in READING and mode.command not in ("units", "prefer")
        if is_read and not takes_files(mode) and mode.name not in READ_OTHERWISE:
            continue
        share = _SHARE if is_read else 1 if mode is first else _SHARE
        if is_read and (mode.name in ("measure", "convert")):
            share = 1
        if zlib.crc32(f"{mode.name} {option}".encode()) % share == 0:
            found.append(option)
    return found


def ignored(mode: Mode, option: str, remembered: dict[str, Outcome]) -> str | None:
    """Say how an option is ignored in a mode; None where it is not, or rightly so."""
    tried = trials(mode, option)
    if not tried:
        return f"{mode.command} {option}: add a value to VALUES in tests/options_tried.py"
    is_exempt = mode.name in MAY_CHANGE_NOTHING.get(option, {})
    for one in tried:
        before, after = outcome(one.without, remembered=remembered), outcome(one.with_it)
        if command_line.OUR_FAULT in (before.code, after.code):
            return f"{one.with_it}: a fault, {after.aside[-300:]}"
        if refused(after, option) or differs(after, before, option):
            return None
        if before.code == 0 or (before.code in (1, 4) and before.shown):
            return None if is_exempt else f"ignored: {one.with_it}"
    return f"the table does not fit: {tried[-1].without}: {before.aside[-300:]}"


def test_every_command_has_a_mode_and_every_option_a_value() -> None:
    known = {mode.command for mode in MODES}
    missing = [f"add a Mode of {name!r} to MODES in tests/options_tried.py"
               for name in command_line.COMMANDS if name not in known | NOT_RUN]  # fmt: skip
    for mode in {one.command: one for one in MODES}.values():
        missing += [
            f"{mode.command} {option}: add a value to VALUES in tests/options_tried.py"
            for option in options_of(mode.command)
            if not trials(mode, option)
        ]
    assert missing == []


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
def test_an_option_is_heeded_or_refused(
    mode: Mode, folder: Path, remembered: dict[str, Outcome]
) -> None:
    told = [ignored(mode, option, remembered) for option in chosen(mode)]
    assert [one for one in told if one is not None] == []


# --------------------------------------------------------------------------- rules


def test_rules_name_options_that_there_are() -> None:
    for name, command in command_line.COMMANDS.items():
        params = {param.name for param in command.params}
        for rule in getattr(command, "rules", ()):
            unknown = set() if rule.is_all_but else set(rule.names) - params
            assert not unknown - {"save_labels", "order", "by", "add_to"}, (name, rule.said)


def test_a_rule_looks_at_what_was_typed_only() -> None:
    @click.command(cls=command_line.COMMANDS["measure"].__class__,
                   rules=(needs("--figure FILE", "title"),
                          only("--table", "table", "figure", when=lambda o: o["table"])),
    )  # fmt: skip
    @click.option("--figure")
    @click.option("--title", default="untitled")
    @click.option("--table", is_flag=True)
    def draw(**options: Any) -> None:
        click.echo("drawn")

    def said(*words: str) -> str:
        try:
            draw.main(list(words), standalone_mode=False)
        except click.UsageError as error:
            return error.message
        return ""

    assert said() == ""
    assert said("--title", "untitled").startswith("--title goes with --figure FILE. Hint: add")
    assert said("--title", "x", "--figure", "f.svg") == ""
    assert said("--table", "--figure", "f.svg") == ""
    with_all = said("--table", "--title", "x", "--figure", "f.svg")
    assert with_all == "--title has no effect with --table. Hint: leave it out."


# --------------------------------------------------------------------------- what was found


@pytest.mark.parametrize(
    "line", ["critical --items 10 --resamples 200", "find fleiss", "rows all.rows"]
)
def test_a_command_without_paths_writes_its_page(line: str, folder: Path) -> None:
    path = folder / "made.html"
    assert ran(f"{line} -o made.html")[0] == 0
    page = path.read_text(encoding="utf-8")
    path.unlink()
    assert page.startswith("<!DOCTYPE html>") or page.startswith("<!doctype html>")
    assert f"consilience {line.partition(' --')[0]}" in page  # how it was made


def test_documents_are_read_from_the_sheet_that_was_named(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    old, new = book.active, book.create_sheet("new")
    for sheet, size in ((old, 1), (new, 5)):
        sheet.append(["item", "rater", "label", "essay"])
        for item in range(40):
            for k, rater in enumerate(("ann", "bob", "gpt")):
                label = "yes" if (item + (k * item) // 7) % 3 else "no"
                sheet.append([f"i{item}", rater, label, f"e{item // size}"])
    path = tmp_path / "two.xlsx"
    book.save(path)
    line = f"panel {path} --sheet new --document essay -s gpt --people ann --people bob --json"
    code, text, aside = ran(line)
    assert code == 0, aside
    told = json.loads(text)["data"]["clusters"]
    assert (told["column"], told["number"]) == ("essay", 8)


def _gold_of(words: str, folder: Path) -> dict[str, Any]:
    line = (f"panel {{}} --item item --rater rater --label label --people ann --people bob "
            f"--system cem --gold gold --resamples 20 --json {words}")  # fmt: skip
    text = (folder / "words.csv").read_text(encoding="utf-8").splitlines()
    place = text[0].split(",").index("gold")
    rows = [line.split(",") for line in text[1:]]
    for row in rows:
        row[place] = row[place].upper()
    (folder / "shouted.csv").write_text(
        "\n".join([text[0], *(",".join(row) for row in rows)]) + "\n", encoding="utf-8"
    )
    code, shown, aside = ran(line.format("shouted.csv"))
    plain = ran(line.format("words.csv").replace(words, ""))[1]
    (folder / "shouted.csv").unlink()
    assert code == 0, aside
    return {"found": json.loads(shown)["accuracy"], "plain": json.loads(plain)["accuracy"]}


def test_gold_labels_are_cleaned_as_ratings_are(folder: Path) -> None:
    said = _gold_of("--ignore-case", folder)
    assert said["found"] == said["plain"]
    mapped = _gold_of("--map a=A --map b=B --map c=C", folder)
    values = [one["correct"]["value"] for one in mapped["found"]]
    assert values == [one["correct"]["value"] for one in mapped["plain"]]


def test_labels_beside_are_spelt_as_the_raters_spell_them() -> None:
    from consilience.io.side_columns import labels_like

    ratings = cs.Ratings.from_wide([["yes", "no"], ["yes", "yes"]])
    values = {"1": "YES", "2": "Nope", "3": "n/a"}
    found = labels_like(
        ratings, values, map={"nope": "no"}, ignore_case=True, missing_values=("N/A",)
    )
    assert found == {"1": "yes", "2": "no"}


def test_a_pattern_of_columns_and_a_column_beside_go_together(folder: Path) -> None:
    text = (folder / "words_columns.csv").read_text(encoding="utf-8").splitlines()
    lines = [f"{line},{'day' if k == 0 else k}" for k, line in enumerate(text)]
    (folder / "timed.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    line = "raters timed.csv --columns '{variable}_{rater}' --order day --batches 3 --resamples 9"
    code, _, aside = ran(line)
    (folder / "timed.csv").unlink()
    assert code == 0, aside


def test_a_long_table_has_one_column_of_raters(folder: Path) -> None:
    code, _, aside = ran("measure words.csv --item item --rater rater --rater system --label label")
    assert code == 3
    assert "rater must be one column" in aside
    assert "--shape wide" in aside


def test_a_table_of_tallies_is_drawn_reported_and_held_against_gates(folder: Path) -> None:
    table = "units holle_rein_2015_table_1.csv --table"
    code, _, aside = ran(f"{table} --figure t.svg --report t.html --title Tallies")
    assert code == 0, aside
    drawn, page = Path("t.svg").read_text("utf-8"), Path("t.html").read_text("utf-8")
    Path("t.svg").unlink()
    Path("t.html").unlink()
    assert "<svg" in drawn
    assert "Tallies" in page
    assert ran(f"{table} --fail-under kappa=0.99")[0] == 1
    code, _, aside = ran(f"{table} --thresholds 50-90")
    assert (code, "--thresholds has no effect with --table" in aside) == (2, True)


def test_shared_errors_are_told_at_the_level_that_was_asked_for(folder: Path) -> None:
    line = ("judges verdicts.csv --item item --rater rater --label label --people ann --people bob "
            "--system gpt-4 --system claude-3 --json --confidence-level {}")  # fmt: skip
    wide, narrow = (json.loads(ran(line.format(x))[1])["estimates"][0] for x in (0.95, 0.5))
    reach = [one["interval"]["high"] - one["interval"]["low"] for one in (wide, narrow)]
    assert reach[0] > reach[1]


def everything(names: list[str]) -> None:
    """Try every option in every mode, and list what is ignored."""
    known: dict[str, Outcome] = {}
    with workshop():
        for mode in MODES:
            if names and mode.name not in names:
                continue
            for option in options_of(mode.command):
                told = ignored(mode, option, known)
                if told is not None:
                    print(f"{mode.name}: {told}", flush=True)


if __name__ == "__main__":
    everything(sys.argv[1:])
