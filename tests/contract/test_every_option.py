"""Nothing that was asked is ignored: every option of every command has an effect or is refused.

Each option is tried in each way that its command can go (`options_tried.MODES`): the run with it
must differ from the run without it in what is printed, in a file, or in the exit code, or name the
option and refuse it. All pairs take many minutes; here every option of a command is tried in its
ways, from one that its name picks, until one heeds it. All of them, with a list of what is ignored:

    make options, or: PYTHONPATH=src:tests python tests/contract/test_every_option.py [MODE...]
"""

from __future__ import annotations

import json
import sys
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

import consilience as cs
from consilience.cli import program as command_line
from consilience.cli.options import needs, only
from needed import package
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

# Options that rightly change nothing in a mode: the option, why, and the modes.
_RIGHTLY_NOTHING: tuple[tuple[str, str, str], ...] = (
    ("--seed", "nothing is drawn; scripts give one all the same",
     "plan formula; "
     "plan icc; rate; rate shares; rate difference; rate buy; rate tell; latent "
     "dawid-skene; latent one-coin; latent glad; latent trait; latent omega; latent aickin; "
     "latent duckdb; raters expert; units sequences; units alpha-u; units unitizing-alpha; "
     "units observer; units boris; units interact; units haccou-meelis; units jansen; units "
     "spans; units sets; units boundaries; units disparity; test auto; test analytic; "
     "critical; critical spearman; judges batch; judges length; prefer likelihood"),
    ("--all", "all of it fits a screen",
     "raters plain; "
     "measure by; marks icc; marks bland_altman; rate; rate difference; rate pick; "
     "soft; latent one-coin; latent mace; latent glad; latent trait; latent omega; "
     "latent aickin; latent duckdb; raters; raters order; raters batch; raters expert; "
     "compare; compare by; compare three; units alpha-u; units unitizing-alpha; units "
     "staccato; units boris; units interact; units haccou-meelis; units jansen; units spans; "
     "units sets; units boundaries; units links; units disparity; units table; units table "
     "gseq; rows; test; test auto; test analytic; critical; critical kappa; critical spearman; "
     "designs; designs gold; simulate; simulate accuracy; simulate samples; simulate file; "
     "find; bias; judges; judges batch; judges length; prefer; prefer likelihood"),
    ("--quiet", "nothing is said of how a file was read",
     "plan formula; "
     "plan; plan power; plan width; plan raters; plan simulated; plan icc; sweep differences; "
     "latent duckdb; units table; units table gseq; simulate; simulate accuracy; simulate "
     "samples"),
    ("--anonymise", "nobody who is to be hidden is named in the answer",
     "measure; measure by; measure counts; measure table; measure bootstrap; measure duckdb; "
     "rate shares; rate buy; rate tell; rate pick; soft; latent aickin; plot "
     "category-kappas; plot certainty; plot confusion; plot error-matrix; plot forest; plot "
     "funnel; plot items; plot tolerance; plot prevalence; plot variables; compare; compare "
     "by; compare three; test; test auto; test analytic; test by; simulate file; judges; "
     "judges length"),
    ("--categories", "a label that nobody used, and the order of names, change no number there",
     "plot accuracy; plot category-kappas; plot certainty; plot chance; plot prevalence; "
     "plot funnel; plot items; plot raters"),
    *((option, "the figure shows who rated what, whatever the label", "plot design")
      for option in ("--categories", "--map", "--sets", "--ignore-case")),
    *((option, "the table is clean: one rating for each rater and item, all lower case",
       "adjudicate read; adjudicate final; sweep; sweep refusals")
      for option in ("--ignore-case", "--no-rater", "--duplicates")),
    *((option, "the table is clean: one row per item, all lower case",
       "soft; plot chance; plot prevalence") for option in ("--ignore-case", "--duplicates")),
    ("--ignore-case", "numbers have no case",
     "plot marks; plot differences; plot histogram; plot bland-altman; plot tolerance"),
    ("--scale", "the figure draws numbers, whatever their scale",
     "plot marks; plot differences; plot histogram; plot bland-altman; plot tolerance"),
    *((option, "only the pair is drawn that was named", "plot differences; plot bland-altman")
      for option in ("--predictions", "--gold-answers", "--rater")),
    ("--text", "the column is left aside anyway where the others are named",
     "adjudicate read; adjudicate final"),
    ("--resamples", "all ways to deal four raters into two groups are tried", "raters groups"),
    ("--new-labels", "no gold label of this sheet is new", "adjudicate read"),
    ("--changed-ids", "no item of this sheet was changed", "adjudicate final"),
    ("--occasion", "every rating of this table is there once", "designs gold; latent trait"),
    ("--occasion", "the rows are in the order of the rounds anyway",
     "designs; latent omega"),
    *((option, "the differences of counts do not depend on it: no point events, no ties, no gates",
       "units disparity")
      for option in ("--confidence-level", "--time-unit", "--absent", "--tolerance", "--linking")),
    ("--asked", "both raters have events in every session", "units onsets"),
    ("--no-text", "the table has no texts", "convert; convert over"),
    ("--force", "no file is there to be replaced", "convert; convert export; merge"),
    ("--force", "a sheet holds one variable, so none is written", "adjudicate by"),
)  # fmt: skip
EXEMPT = {
    (mode.strip(), option): why
    for option, why, modes in _RIGHTLY_NOTHING
    for mode in modes.split(";")
}
# It would wait for a browser: what it hands on is tested below.
NOT_RUN = {"serve"}
# Where a large table is worked on leaves no trace in an answer; a senseless value is refused.
OF_LARGE_TABLES = ("--master", "--memory-limit", "--spill")
_SHARE = 6  # one option of reading in so many is tried with each command


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with workshop() as place:
        yield place


def ways(command: str, option: str) -> list[Mode]:
    """Return in which modes an option is tried here, one after another until it is heeded.

    Reading is one road for all commands: `measure` tries all of it, others a part, in one mode.
    """
    modes = [mode for mode in MODES if mode.command == command]
    modes = [mode for mode in modes if (mode.name, option) not in EXEMPT]
    place = zlib.crc32(f"{command} {option}".encode())
    if option in READING and command not in ("measure", "units", "prefer"):
        modes = [mode for mode in modes if takes_files(mode)] or modes
        return [modes[place % len(modes)]] if modes and place % _SHARE == 0 else []
    first = place % max(1, len(modes))
    return modes[first:] + modes[:first]


def found_in(mode: Mode, option: str, remembered: dict[str, Outcome]) -> str:
    """Say what an option does in a mode: "heeded", "refused", "exempt", or what is wrong."""
    tried = trials(mode, option)
    if not tried:
        return f"{mode.command} {option}: add a value to VALUES in tests/options_tried.py"
    is_exempt = (mode.name, option) in EXEMPT
    for one in tried:
        before, after = outcome(one.without, remembered=remembered), outcome(one.with_it)
        if command_line.OUR_FAULT in (before.code, after.code):
            return f"{one.with_it}: a fault, {after.aside[-300:]}"
        if refused(after, option):
            return "refused"
        if differs(after, before, option):
            return "heeded"
        if before.code == 0 or (before.code in (1, 4) and before.shown):
            return "exempt" if is_exempt else f"ignored: {one.with_it}"
    misfit = f"the table does not fit: {tried[-1].without}: {before.aside[-300:]}"
    return "exempt" if is_exempt else misfit


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


@pytest.mark.parametrize("command", sorted({mode.command for mode in MODES}))
def test_an_option_is_heeded_or_refused(command: str, folder: Path) -> None:
    remembered: dict[str, Outcome] = {}
    wrong = []
    for option in options_of(command):
        found = ""
        for mode in ways(command, option):
            found = found_in(mode, option, remembered)
            if found != "refused":
                break
        if found == "refused" and option not in READING and option not in OF_LARGE_TABLES:
            wrong.append(f"{command} {option} is refused everywhere: add a mode where it matters")
        elif found not in ("", "heeded", "refused"):
            wrong.append(found)
    assert wrong == []


def test_exemptions_name_modes_and_options() -> None:
    options = {mode.name: options_of(mode.command) for mode in MODES}
    assert [one for one in EXEMPT if one[1] not in options.get(one[0], ())] == []


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


@pytest.mark.parametrize("words", ["--watch", "--port 5000", "--host 127.0.0.2",
                                   "--project other.sqlite", "--no-browser"])  # fmt: skip
def test_the_workbench_is_told_what_was_asked(
    words: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    web = package("consilience.web")
    jobs = package("consilience.web.jobs")
    told: list[Any] = []
    monkeypatch.setattr(jobs, "process_maker", lambda: None)
    monkeypatch.setattr(web, "serve", lambda settings, browser: told.append((settings, browser)))
    assert ran("serve words.csv")[0] == ran(f"serve words.csv {words}")[0] == 0
    assert told[0] != told[1]
    assert words.split(maxsplit=1)[0] in options_of("serve")


# --------------------------------------------------------------------------- what was found


@pytest.mark.parametrize("line", ["critical --items 10", "find fleiss", "rows all.rows"])
def test_a_command_without_paths_writes_its_page(line: str, folder: Path) -> None:
    path = folder / "made.html"
    assert ran(f"{line} -o made.html")[0] == 0
    page = path.read_text(encoding="utf-8")
    path.unlink()
    assert page.startswith("<!DOCTYPE html>") or page.startswith("<!doctype html>")
    assert f"consilience {line.partition(' --')[0]}" in page  # how it was made


def test_documents_are_read_from_the_sheet_that_was_named(tmp_path: Path) -> None:
    openpyxl = package("openpyxl")
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
    lines = [f"{line},{'hour' if k == 0 else k}" for k, line in enumerate(text)]
    (folder / "timed.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    line = "raters timed.csv --columns '{variable}_{rater}' --order hour --batches 3 --resamples 9"
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


def everything(names: list[str]) -> int:
    """Try every option in every mode, and list what is ignored; return how many are."""
    known: dict[str, Outcome] = {}
    tally: Counter[str] = Counter()
    with workshop():
        for mode in MODES:
            if names and mode.name not in names:
                continue
            for option in options_of(mode.command):
                found = found_in(mode, option, known)
                is_fine = found in ("heeded", "refused", "exempt")
                if found == "heeded" and (mode.name, option) in EXEMPT:
                    is_fine, found = False, f"{option} is heeded: take it out of EXEMPT"
                tally[found if is_fine else "wrong"] += 1
                if not is_fine:
                    print(f"{mode.name}: {found}", flush=True)
    print(", ".join(f"{number} {what}" for what, number in sorted(tally.items())))
    return tally["wrong"]


if __name__ == "__main__":
    sys.exit(bool(everything(sys.argv[1:])))
