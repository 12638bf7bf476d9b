"""Every command in every mode, and a value of every option that should make a difference there.

`tests/contract/test_every_option.py` says what is done with it. An option is tried in a mode by two
runs, one with it and one without: the result, a file, or the exit code must differ.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import os
import random
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from consilience.cli import program as command_line

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Mode:
    """A way that a command can go: a command line, and values of options that only fit here.

    `{file}` stands for a table; `plain` tells whether it has words (a, b, c) or numbers as labels,
    and is empty where the command reads something of its own.
    """

    name: str
    line: str
    labels: str = ""
    values: dict[str, str] = field(default_factory=dict)

    @property
    def command(self) -> str:
        return self.line.split()[0]


# --------------------------------------------------------------------------- data

# The labels of each family of tables; {a}, {b} and {c} in a value stand for them.
FAMILIES = {
    "words": ("a", "b", "c"),
    "numbers": ("1", "2", "3"),
    "verdicts": ("pass", "fail", "refused it"),
    "orders": ("A", "B", "tie"),
    "retest": ("x", "y", "z"),
    "tallies": ("reject", "revise", "accept"),
    "tweets": ("hateful", "offensive", "neither"),
    "tones": ("negative", "neutral", "positive"),
    "marks": ("2", "3", "4"),
}
_RATERS = ("ann", "bob", "cem", "dee")


def _rows(labels: tuple[str, ...]) -> list[dict[str, str]]:
    rng = random.Random(3)
    rows = []
    for item in range(30):
        truth = rng.randrange(3)
        for rater in _RATERS:
            noisy = rng.random() < 0.35
            other = rng.random() < 0.2
            rows.append(
                {
                    "item": f"i{item:02}",
                    "rater": rater,
                    "label": labels[rng.randrange(3) if noisy else truth],
                    "label2": labels[rng.randrange(3) if other else truth],
                    "doc": f"d{item // 3}",
                    "gold": labels[truth],
                    "day": str(1 + item // 6),
                    "batch": f"b{item // 10}",
                    "size": str(10 + item * 7 % 30),
                    "unsure": f"{0.1 + item % 8 / 10:g}",
                    "weight": str(1 + item % 3),
                    "round": "1",
                    "system": "v1" if item % 2 else "v2",
                    "note": f"a text {item}",
                    "team": "old" if rater in _RATERS[:2] else "new",
                }
            )
    return rows


def _csv(rows: list[dict[str, str]], path: str, sign: str = ",", encoding: str = "utf-8") -> None:
    lines = [sign.join(rows[0]), *(sign.join(row.values()) for row in rows)]
    Path(path).write_text("\n".join(lines) + "\n", encoding=encoding)


def _variants(name: str, rows: list[dict[str, str]], within: str = "") -> None:
    """Write the table once for every option of reading, so that it matters there.

    `within` names the column of what is rated more than once, such as the round.
    """
    labels = FAMILIES[name]
    first, second, third = labels
    _csv(rows, f"{name}.csv")
    case = [{**r, "label": r["label"].swapcase() if r["label"] == first and k % 3 else r["label"]}
            for k, r in enumerate(rows)]  # fmt: skip
    _csv(case, f"{name}_case.csv")
    _csv([{**r, "label": f"{r['label']}+{third}" if k % 2 else r["label"]}
          for k, r in enumerate(rows)], f"{name}_sets.csv")  # fmt: skip
    _csv([{**r, "rater": "" if k % 13 == 5 else r["rater"]} for k, r in enumerate(rows)],
         f"{name}_norater.csv")  # fmt: skip
    twice = [one for k, r in enumerate(rows)
             for one in ((r, {**r, "label": labels[k % 2]}) if k % 7 == 2 else (r,))]  # fmt: skip
    _csv(twice, f"{name}_twice.csv")
    _csv([{**r, "label": r["label"] if r["label"] != second else "é"} for r in rows],
         f"{name}_latin.csv", encoding="latin-1")  # fmt: skip
    _csv([{**r, "note": "x,y"} for r in rows], f"{name}_pipe.csv", sign="|")
    groups: dict[tuple[str, str], list[dict[str, str]]] = {}
    for row in rows:
        groups.setdefault((row["item"], row.get(within, "")), []).append(row)
    raters = list(dict.fromkeys(row["rater"] for row in rows))

    def spread(kinds: dict[str, str]) -> list[dict[str, str]]:
        """One row per item, with a column for each rater and what else is known of the item."""
        found = []
        for group in groups.values():
            told = {row["rater"]: row for row in group}
            marks = {f"{kind}{rater}": told[rater][column] if rater in told else ""
                     for kind, column in kinds.items() for rater in raters}  # fmt: skip
            beside = {key: one for key, one in group[0].items()
                      if key not in ("rater", "label", "label2", "item")}  # fmt: skip
            found.append({"item": group[0]["item"], **marks, **beside})
        return found

    _csv(spread({"tone_": "label", "topic_": "label2"}), f"{name}_columns.csv")
    _csv(spread({"": "label"}), f"{name}_wide.csv")
    long = [
        {**{k: v for k, v in r.items() if k not in ("label", "label2")}, "variable": q,
         "label": r[c]}
        for r in rows
        for q, c in (("tone", "label"), ("topic", "label2"))
    ]  # fmt: skip
    _csv(long, f"{name}_variable.csv")
    import openpyxl

    book = openpyxl.Workbook()
    old, new = book.active, book.create_sheet("new")
    old.title = "old"
    for sheet, part in ((old, rows), (new, rows[: len(rows) * 3 // 4])):
        sheet.append(list(rows[0]))
        for row in part:
            sheet.append(list(row.values()))
    book.save(f"{name}_book.xlsx")
    _export(name, raters, labels)
    _links(name, raters)
    Path(f"{name}_shares.csv").write_text(
        "\n".join(["," + ",".join(labels), f"{first},.25,.13,.12", f"{second},.02,.12,.16",
                   f"{third},.03,.15,.02"]) + "\n", encoding="utf-8")  # fmt: skip


def _links(name: str, raters: list[str]) -> None:
    """Which mention before it does each rater link a mention to?"""
    rng = random.Random(1)
    rows = [f"mention,{','.join(raters)},doc,day"]
    for k in range(14):
        said = [f"m{k - 1 - (rng.random() < 0.3 and k > 1)}" if k else "" for _ in raters]
        rows.append(f"m{k},{','.join(said)},d{k // 3},{k // 2}")
    Path(f"{name}_links.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")


def _export(name: str, raters: list[str], labels: tuple[str, ...]) -> None:
    """An export of Label Studio with answers, empty and cancelled ones, a proposal and a gold."""
    rng = random.Random(2)
    tasks: list[dict[str, Any]] = []

    def choice(words: list[str]) -> list[dict[str, Any]]:
        return [{"from_name": "tone", "to_name": "text", "type": "choices",
                 "value": {"choices": words}}] if words else []  # fmt: skip

    for task in range(30):
        annotations = []
        for who, rater in enumerate(raters):
            label = rng.choice(labels) if rng.random() < 0.4 else labels[task % 3]
            label = label.title() if who == 3 else label
            given = choice([] if rng.random() < 0.1 else [label])
            annotations.append({"id": task * 9 + who, "completed_by": rater, "result": given,
                                "was_cancelled": rng.random() < 0.08,
                                "ground_truth": who == 1 and task % 4 == 0})  # fmt: skip
        tasks.append({"id": task, "data": {"text": f"a text {task}"}, "annotations": annotations,
                      "predictions": [{"id": task, "model_version": "gpt",
                                       "result": choice([labels[task % 3]])}]})  # fmt: skip
    Path(f"{name}_export.json").write_text(json.dumps(tasks), encoding="utf-8")


def _retest() -> list[dict[str, str]]:
    """Two raters who rated everything twice."""
    rng = random.Random(4)
    return [
        {"item": str(item), "rater": rater, "round": str(turn),
         "label": "xyz"[rng.randrange(3) if rng.random() < 0.3 else item % 3],
         "label2": "xyz"[rng.randrange(3) if rng.random() < 0.1 else item % 3],
         "expert": "xyz"[item % 3], "doc": f"d{item // 3}"}
        for item in range(24)
        for rater in ("ann", "bob")
        for turn in (1, 2)
    ]  # fmt: skip


def _events() -> None:
    """Two raters' events in two films on two tiers, and gaps between codings."""
    rng = random.Random(6)
    rows = ["rater,session,tier,start,end,label,mark"]
    for film in range(1, 13):
        clock = 0
        for _ in range(6):
            clock += rng.randrange(200, 900)
            length = rng.randrange(300, 1500)
            label = rng.choice(("p", "q", "r"))
            for rater in ("ann", "bob"):
                if rng.random() < 0.12:
                    continue
                begin = clock + rng.randrange(0, 250)
                end = begin + length + rng.randrange(0, 300)
                said = label if rng.random() < 0.8 else rng.choice(("p", "q"))
                tier = "left" if said == "p" else "right"
                rows.append(f"{rater},f{film},{tier},{begin},{end},{said},{said.upper()}")
            clock += length + 600
    rows.append("ann,f99,left,10,500,p,P")
    Path("events.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    _events_of_three(rows)
    onsets = ["rater,session,start,label"]
    onsets += [
        ",".join((one[0], one[1], one[3], one[5])) for one in (row.split(",") for row in rows[1:])
    ]
    Path("onsets.csv").write_text("\n".join(onsets) + "\n", encoding="utf-8")
    latin = "\n".join(rows).replace(",p,", ",é,")
    Path("events_latin.csv").write_text(latin + "\n", encoding="latin-1")
    Path("events_pipe.csv").write_text("\n".join(rows).replace(",", "|") + "\n")


def _events_of_three(rows: list[str]) -> None:
    third = [row.replace("ann,", "cem,", 1) for row in rows[1:] if row.startswith("ann,")]
    Path("three.csv").write_text("\n".join([*rows, *third]) + "\n", encoding="utf-8")
    words = ["rater,document,start,end,label"]
    rng = random.Random(8)
    for text in range(12):
        for rater in ("ann", "bob", "cem"):
            begin = 3 + rng.randrange(0, 2) * 4
            words.append(f"{rater},t{text},{begin},{begin + 8 + rng.randrange(0, 2) * 5},x")
            words.append(f"{rater},t{text},{begin + 30},{begin + 41},{rng.choice('xy')}")
    words.append("ann,t99,3,9,x")
    Path("spans.csv").write_text("\n".join(words) + "\n", encoding="utf-8")
    cuts = ["rater,session,start,end"]
    for text in range(12):
        for rater in ("ann", "bob"):
            edges = [0, *sorted(rng.sample(range(1, 40), 5)), 40]
            cuts += [f"{rater},t{text},{a},{b}" for a, b in itertools.pairwise(edges)]
    cuts += ["ann,t99,0,9", "ann,t99,9,40"]
    Path("cuts.csv").write_text("\n".join(cuts) + "\n", encoding="utf-8")


def _runs() -> None:
    rng = random.Random(5)
    rows = ["item,rater,setting,label"]
    for item in range(30):
        mark = 4 - item % 7 // 2
        rows.append(f"a{item},tutor,,{mark}")
        for amount, slip in ((10, 0.5), (50, 0.2)):
            off = rng.choice((-1, 1)) if rng.random() < slip else 0
            rows.append(f"a{item},computer,{amount},{max(0, mark - off)}")
    Path("runs.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")


def _verdicts(*, swapped: bool) -> list[dict[str, str]]:
    """Two judges and two people on sixty answers, in one order or in both; some refused."""
    rng = random.Random(9)
    rows = []
    for item in range(60):
        truth = rng.random() < 0.6
        beside = {"doc": f"d{item // 2}", "gold": "pass" if truth else "fail",
                  "day": str(1 + item // 10), "batch": f"b{item // 20}",
                  "size": str(10 + item * 7 % 30), "unsure": f"{0.1 + item % 8 / 10:g}",
                  "weight": str(1 + item % 3), "system": f"v{1 + item % 2}",
                  "author": "gpt-4" if item % 3 else "human"}  # fmt: skip
        for rater, slip in (("ann", 0.1), ("bob", 0.15), ("gpt-4", 0.25), ("claude-3", 0.3)):
            is_person = rater in ("ann", "bob")
            label = "pass" if (rng.random() > slip) == truth else "fail"
            other = "pass" if (rng.random() > slip) == truth else "fail"
            if rater == "gpt-4" and item % 20 == 4 and not swapped:
                label = "refused it"
            if is_person and item >= 40:
                continue
            again = label if is_person or rng.random() > 0.2 else "fail"
            if not swapped:
                rows.append({"item": f"q{item}", "rater": rater, "label": label, "label2": other,
                             **beside})  # fmt: skip
                continue
            for order, said, better in (("first", label, "AB"), ("second", again, "BA")):
                letter, second = (better[one == "fail"] for one in (said, other))
                rows.append({"item": f"q{item}", "rater": rater, "label": letter,
                             "label2": second, **beside, "order": order})  # fmt: skip
    return rows


def _people() -> None:
    Path("people.csv").write_text(
        "item,zoe\n" + "\n".join(f"q{k},{'pass' if k % 5 else 'fail'}" for k in range(30)) + "\n",
        encoding="utf-8",
    )


def _others() -> None:
    for path in [*(ROOT / "examples").glob("*.csv"), *(ROOT / "examples" / "works").glob("*.csv"),
                 *(ROOT / "examples" / "judges").glob("*.*[vl]"),
                 *(ROOT / "examples" / "studies").glob("*.jsonl")]:  # fmt: skip
        if not Path(path.name).exists():
            shutil.copy(path, path.name)
    Path("teams.csv").write_text("rater,team\nann,old\nbob,old\ncem,new\ndee,new\n")
    Path("weights.csv").write_text(",a,b,c\na,0,1,4\nb,1,0,1\nc,4,1,0\n", encoding="utf-8")
    Path("key.txt").write_text("secret\n", encoding="utf-8")
    for name in ("there.txt", "there.html", "there.svg", "there.csv", "there.rows", "there.xlsx"):
        Path(name).write_text("something\n", encoding="utf-8")
    for command in (
        "measure words.csv --item item --rater rater --label label --save-rows a.rows -q",
        "measure words.csv --item item --rater rater --label label2 --save-rows b.rows -q",
        "measure words.csv --item item --rater rater --label label --add-to all.rows -q",
        "adjudicate words.csv --item item --rater rater --label label --text note --all "
        "-o filled.csv -q",
    ):
        code, *said = ran(command)
        assert code == 0, said
    import csv

    with Path("filled.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    gold = next(name for name in rows[0] if name.startswith("gold"))
    for k, row in enumerate(rows):
        row[gold] = "abc"[k % 3] if k % 4 else ""
    for name, change in (("filled.csv", {}), ("novel.csv", {gold: "=d"})):
        with Path(name).open("w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, list(rows[0]))
            writer.writeheader()
            writer.writerows([{**row, **(change if k == 3 else {})} for k, row in enumerate(rows)])
    ids = [{**row, next(iter(row)): "3.0E+00"} if k == 2 else row for k, row in enumerate(rows)]
    with Path("changed.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(ids)


@contextlib.contextmanager
def workshop() -> Iterator[Path]:
    """A folder with all data, to work in."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for name in ("words", "numbers"):
                _variants(name, _rows(FAMILIES[name]))
            _variants("verdicts", _verdicts(swapped=False))
            _variants("orders", _verdicts(swapped=True), within="order")
            _variants("retest", _retest(), within="round")
            for write in (_events, _runs, _people, _others):
                write()
            yield Path(folder)
        finally:
            os.chdir(before)


def ran(line: str) -> tuple[int, str, str]:
    """Run one command; return its exit code, what it printed, and what it said beside."""
    screen, aside = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in "oe")
    with contextlib.redirect_stdout(screen), contextlib.redirect_stderr(aside):
        try:
            code = command_line.run(shlex.split(line))
        except Exception as error:  # what `main` calls a fault
            code = command_line.OUR_FAULT
            print(f"{type(error).__name__}: {error}", file=aside)
    screen.seek(0)
    aside.seek(0)
    return code, screen.read(), aside.read()


# --------------------------------------------------------------------------- options of reading

_LONG = "--item item --rater rater --label label"
# Option of reading: the variant of the table on which it matters, what is typed beside it in both
# runs instead of the columns, and its value. {t} is the family, {a}, {b} and {c} are its labels.
READING: dict[str, tuple[str, str, str]] = {
    "--scale": ("{t}.csv", _LONG, "ordinal"),
    "--categories": ("{t}.csv", _LONG, "'{c},{a},{b},zz'"),
    "--missing-value": ("{t}.csv", _LONG, "{b}"),
    "--map": ("{t}.csv", _LONG, "{b}={a}"),
    "--ignore-case": ("{t}_case.csv", _LONG, ""),
    "--sets": ("{t}_sets.csv", _LONG, "+"),
    "--chains": ("{t}_links.csv", "--item mention", "links"),
    "--shares-of": ("{t}_shares.csv", "", "200"),
    "--no-rater": ("{t}_norater.csv", _LONG, "skip"),
    "--format": ("{t}.csv", _LONG, "prodigy"),
    "--sheet": ("{t}_book.xlsx", _LONG, "new"),
    "--shape": ("{t}.csv", _LONG, "wide"),
    "--columns": ("{t}_columns.csv", "--variable tone", "'{{rater}}_{{variable}}'"),
    "--item": ("{t}.csv", "--rater rater --label label", "doc"),
    "--rater": ("{t}_wide.csv", "--item item --rater ann --rater bob", "cem"),
    "--label": ("{t}.csv", _LONG, "label2"),
    "--cluster": ("{t}.csv", _LONG, "doc"),
    "--variable": ("{t}_variable.csv", "--item item --rater rater", "tone"),
    "--variables": ("{t}_variable.csv", "--item item --rater rater", "tone"),
    "--duplicates": ("{t}_twice.csv", _LONG, "last"),
    "--empty": ("{t}_export.json", "", "label"),
    "--excluded": ("{t}_export.json", "", "keep"),
    "--predictions": ("{t}_export.json", "", "raters"),
    "--gold-answers": ("{t}_export.json", "", "leave_out_items"),
    "--delimiter": ("{t}_pipe.csv", _LONG, "';'"),
    "--encoding": ("{t}_latin.csv", _LONG, "cp437"),
    "--no-header": ("{t}.csv", _LONG, ""),
    "--explain": ("{t}.csv", _LONG, ""),
    "--anonymise": ("{t}.csv", _LONG, ""),
    "--quiet": ("{t}.csv", _LONG, ""),
}
# The same in a family where it matters on another table.
FITTING: dict[tuple[str, str], tuple[str, str, str]] = {
    # numbers are read as numbers, whatever their case
    ("numbers", "--ignore-case"): (
        "words_case.csv", f"{_LONG} --scale ordinal --categories a,b,c", ""),
    ("numbers", "--encoding"): ("words_latin.csv", f"{_LONG} --scale ordinal --categories a,é,c",
                                "cp437"),
}  # fmt: skip
# Options that are not about reading, and matter in another family of tables.
ELSEWHERE = {"latent --occasion": "retest"}
# In a mode with a table of its own, which is clean.
OF_ITS_OWN = {"--encoding": "utf-16", "--rater": "note", "--item": "label", "--sets": "a"}

# --------------------------------------------------------------------------- values of options

# What is typed after an option; "COMMAND --option" goes before "--option". A value may bring other
# words along in both runs after "||", and "COMMAND --option" may name a mode by its whole name.
VALUES: dict[str, str] = {
    "--confidence-level": "0.7",
    "--seed": "11",
    "--resamples": "57",
    "--coefficient": "pi",
    "--distance": "quadratic",
    "--missing": "listwise",
    "--interval": "jackknife",
    "--by": "batch",
    "--fail-under": "alpha=0.99",
    "--engine": "duckdb",
    "--master": "local[1]",
    "--memory-limit": "much",
    "--spill": "nowhere",
    "--save-rows": "new.rows",
    "--add-to": "new2.rows",
    "--all": "",
    "--json": "",
    "--csv": "",
    "--markdown": "",
    "--latex": "",
    "--apa": "",
    "--output": "written.html",
    "--force": " || -o there.txt",
    "--report": "page.html",
    "--figure": "drawn.svg",
    "--measure": "pearson",
    "--figures": "drawn",
    "--figure-format": "svg || --figures drawn",
    "--title": "'A heading'",
    "--date": "'a day'",
    "--order": "day",
    "--batch": "batch",
    "--batches": "3",
    "--camps": "no",
    "--expert": "ann",
    "--groups": "team",
    "--groups-file": "teams.csv",
    "--occasion": "round",
    "--gold": "gold",
    "--document": "doc",
    "--model": "majority",
    "--top": "2",
    "--text": "note",
    "--read": "filled.csv",
    "--new-labels": "accept",
    "--changed-ids": "repair",
    "--raw": "",
    "--null": "0.4",
    "--method": "auto",
    "--alternative": "two-sided",
    "--words": "fleiss",
    "--key": "secret",
    "--key-file": "key.txt",
    "--no-text": "",
    "--pair": "ann cem",
    "--of-label": "a",
    "adjudicate --output": "sheet.csv",
    "adjudicate --by": "entropy",
    "adjudicate --force": " || -o there.csv",
    "adjudicate --coefficient": "pi",
    "report --output": "written.html",
    "report --force": " || -o there.html",
    "plot --output": "written.svg",
    "plot --force": " || -o there.svg",
    "simulate --encoding": "utf-16",
    "plot --encoding": "utf-16",  # not every figure names labels
    "convert --force": "",
    "convert --key": "secret || --anonymise",
    "convert --key-file": "key.txt || --anonymise",
    "compare --resamples": "57 || --interval bca",
    "report --resamples": "57 || --interval bca",
    # latent
    "latent --model": "one-coin",
    "--classes": "3",
    "--chance": "pooled",
    "--weight": "weight",
    "latent --weight": "naive",
    "--positive": "a",
    "--above": "0.6",
    "--starts": "3",
    "--smoothing": "0.5",
    "--save-labels": "labels.parquet",
    # panel and judges
    "--system": "cem",
    "--people": "dee",
    "--margin": "0.2",
    "--epsilon": "0.05",
    "--time": "day",
    "--setting": "setting",
    "--sort-by": "ac1",
    "--differences": "",
    "--held-out": "0.4",
    "--swapped": "order",
    "--refusal": "fail",
    "--refused": "missing",
    "rate --of-label": "fail",
    "--correct": "people",
    "--stratum": "batch",
    "--answers-of": "system",
    "--buy": "0.05",
    "--tell-from": "0.4",
    "--power": "0.95",
    "--pick": "5",
    "--uncertainty": "unsure",
    "--probabilities": "calibrated.csv",
    "--settings-figure": "settings.svg",
    "--at": "50 || --settings-figure settings.svg",
    "panel --method": "bootstrap",
    "sweep --method": "bootstrap",
    "panel --fail-under": "gap=0.99",
    "--author": "author",
    "--length": "size",
    "--position": "weight",
    "--favour": "fail",
    "--baseline": "0.99",
    "judges --fail-under": "independent:low=0.999",
    # units
    "units --method": "gseq",
    "--threshold": "85",
    "--tolerance": "50",
    "--grid": "333",
    "--linking": "easydiag",
    "--matching": "overlap",
    "units --coefficient": "scott_pi",
    "--together": "labels",
    "--absent": "drop",
    "--disparity": "",
    "--table": "",
    "--base": "shorter",
    "--thresholds": "50,70",
    "--items": "words",
    "--pieces": "spans",
    "units --distance": "dice",
    "--raters": "bob,ann",
    "units --fail-under": "kappa=0.99",
    "--links": "",
    "--figure-session": "f2",
    "--from": "1000",
    "--to": "3000",
    "units --figure": "drawn.svg",
    "units --rater": "column:session",
    "--tier": "left",
    "--session": "one",
    "units --label": "mark",
    "--column": "label=mark",
    "units --format": "elan",
    "--time-unit": "s",
    "--ends": "point",
    "--asked": "all",
    "units --delimiter": "';'",
    "units --encoding": "utf-16",
    "units --no-header": "",
    "--quiet": "",
    # plan
    "--kappa0": "0.3",
    "--kappa1": "0.75",
    "--kappa": "0.6",
    "--width": "0.3",
    "--half-width": "0.14",
    "plan --items": "70",
    "plan --raters": "4",
    "--prevalence": "0.2",
    "plan --coefficient": "ac1",
    "plan --method": "goodness-of-fit",
    "measure --output": "written.txt",
    "plan --alternative": "greater",
    "--significance-level": "0.01",
    "--assurance": "0.5",
    "--pilot": "words_wide.csv",
    "--population": "200",
    "plan --scale": "ordinal",
    "plan --by": "batch",
    "--simulations": "30",
    # others
    "--statistic": "kappa",
    "critical --items": "15",
    "critical --resamples": "333",
    "critical --raters": "3",
    "critical --categories": "3",
    "critical --null": "0.3",
    "simulate --items": "25",
    "simulate --raters": "3",
    "simulate --categories": "x,y,z",
    "--agreement": "0.3",
    "--accuracy": "0.8",
    "--bias": "0.8,0.2",
    "--studies": "25",
    "--samples": "3",
    "--draw": "drawn.csv",
    "--first": "second",
    "--second": "first",
    "--winner": "first",
    "--judge": "prompt",
    "prefer --item": "judge",
    "--order-effect": "no",
    "prefer --method": "likelihood",
    "prefer --delimiter": "';'",
    "prefer --encoding": "utf-16",
    "merge --output": "sum.rows",
    "merge --force": "",
    "rows --force": " || -o there.txt",
    "demo --output": "demo.html",
    "demo --force": " || -o there.html",
}

# --------------------------------------------------------------------------- modes

_W, _N, _V = "words", "numbers", "verdicts"
_SIDES = "--people ann --people bob --system cem"
_OF_VERDICTS = "{file} {columns} --people ann --people bob --system gpt-4"
_VERDICTS, _RATED = f"panel {_OF_VERDICTS}", f"rate {_OF_VERDICTS}"
_RATE = {"--categories": "fail,pass,maybe", "--refusal": "fail"}
_EVENTS = "units events.csv"

MODES: tuple[Mode, ...] = (
    Mode("measure", "measure {file} {columns}", _W),
    Mode("measure by", "measure {file} {columns} --by day", _W, {"--by": "batch"}),
    Mode("measure counts", "measure tweets_counts.csv", "tweets"),
    Mode("measure table", "measure reviewers_table.csv", "tallies"),
    Mode("measure bootstrap", "measure {file} {columns} --interval bca --resamples 60",
         _W, {"--interval": "percentile"}),
    Mode("measure duckdb", "measure {file} {columns} --engine duckdb", _W),
    Mode("measure rows", "measure a.rows", values={"--save-rows": "new.rows"}),
    Mode("measure added", "measure {file} {columns} --add-to grown.rows", _W),
    Mode("marks", "marks {file} {columns}", _N),
    *(Mode(f"marks {name}", f"marks {{file}} {{columns}} --measure {name}", _N)
      for name in ("icc", "bland_altman")),
    Mode("demo", "demo"),
    Mode("coefficients", "coefficients"),
    Mode("plan", "plan --kappa0 0.4 --kappa1 0.6 --prevalence 0.2,0.3,0.5 --raters 3 "
         "--simulations 12"),
    Mode("plan power", "plan --kappa0 0.4 --kappa1 0.6 --prevalence 0.2,0.3,0.5 --items 80 "
         "--simulations 40"),
    Mode("plan width", "plan --kappa 0.7 --width 0.2 --simulations 12"),
    Mode("plan raters", "plan --kappa 0.7 --half-width 0.12 --items 200 --simulations 12",
         values={"--half-width": "0.05"}),
    Mode("plan simulated", "plan --kappa 0.7 --half-width 0.15 --method simulation -c pi "
         "--simulations 12"),
    Mode("plan formula", "plan --kappa0 0.4 --kappa1 0.6 --prevalence 0.2 "
         "--method goodness-of-fit", values={"--method": "cohen"}),
    Mode("plan icc", "plan --kappa0 0.4 --kappa1 0.6 -c icc --raters 3",
         values={"--alternative": "two-sided"}),
    Mode("plan pilot", "plan --pilot {file} {columns} --half-width 0.1 --simulations 12", _W,
         {"--pilot": "numbers.csv"}),
    Mode("panel", f"panel {{file}} {{columns}} {_SIDES} --resamples 30", _W,
         {"--refusal": "c"}),
    Mode("panel ordinal", f"panel {{file}} {{columns}} {_SIDES} --scale ordinal --resamples 30",
         _N, {"--refusal": "3", "--coefficient": "kappa:quadratic", "--scale": "interval"}),
    Mode("panel beside", f"panel {{file}} {{columns}} {_SIDES} --document doc --gold gold "
         "--resamples 30", _W, {"--document": "batch", "--gold": "label2", "--refusal": "c"}),
    Mode("panel time", f"panel {{file}} {{columns}} {_SIDES} --scale ordinal --time day "
         "--resamples 30", _N, {"--time": "batch", "--refusal": "3", "--scale": "interval"}),
    Mode("panel refusals", _VERDICTS + " --refusal 'refused it' --resamples 30", _V,
         {**_RATE, "--excluded": "leave_out"}),
    Mode("panel swapped", "panel {file} {columns} --people ann --people bob --system gpt-4 "
         "--system claude-3 --swapped order --resamples 30", "orders",
         {"--categories": "A,B,tie,odd", "--refusal": "B"}),
    Mode("sweep", "sweep runs.csv --setting setting --people tutor --scale ordinal "
         "--resamples 30", "marks", {"--fail-under": "identical=1", "--coefficient": "kappa:linear",
                                   "--refusal": "2"}),
    Mode("sweep refusals", "sweep runs.csv --setting setting --people tutor --refusal 2 "
         "--resamples 30", "marks", {"--fail-under": "identical=1", "--refusal": "3"}),
    Mode("sweep differences", "sweep haley_2008_table_1_2.csv --setting 'marked answers' "
         "--differences", values={"--fail-under": "identical=0.9"}),
    Mode("rate", _RATED + " --of-label pass", _V, {"--fail-under": "rate=0.99", **_RATE}),
    Mode("rate shares", _RATED, _V, _RATE),
    Mode("rate difference", _RATED + " --of-label pass --answers-of system",
         _V, {"--fail-under": "difference=0.9", **_RATE}),
    Mode("rate buy", _RATED + " --of-label pass --buy 0.06",
         _V, {"--fail-under": "rate=0.99", **_RATE}),
    Mode("rate tell", _RATED + " --of-label pass --tell-from 0.5",
         _V, {"--fail-under": "rate=0.99", **_RATE}),
    Mode("rate pick", _RATED + " --of-label pass --pick 4",
         _V, {"--fail-under": "rate=0.99", **_RATE}),
    Mode("soft", "soft opinions.csv --probabilities calibrated.csv",
         values={"--fail-under": "accuracy=0.99", "--probabilities": "too_sure.csv",
                 "--people": "Ann",
                 "--categories": "rude,neutral,kind,odd", "--missing-value": "rude",
                 "--map": "rude=neutral", "--document": "Fay", "--shape": "long"}),
    *(Mode(f"latent {name}", f"latent {{file}} {{columns}} --model {name}", _W)
      for name in ("dawid-skene", "one-coin", "mace", "glad")),
    Mode("latent lca", "latent {file} {columns} --model lca --resamples 20", _W),
    Mode("latent trait", "latent {file} {columns} --scale ordinal --categories a,b,c "
         "--model latent-trait", _W, {"--scale": "nominal", "--encoding": "utf-16",
         "--categories": "a,b,c,d", "--resamples": "5", "--model": "dawid-skene"}),
    Mode("latent omega", "latent {file} {columns} --model omega --occasion round", "retest",
         {"--coefficient": "alpha"}),
    Mode("latent aickin", "latent reviewers_table.csv --model aickin", "tallies"),
    Mode("latent duckdb", "latent {file} {columns} --engine duckdb", _W),
    Mode("raters plain", "raters {file} {columns}", _W),
    Mode("raters", "raters {file} {columns} --resamples 29", _W),
    Mode("raters order", "raters {file} {columns} --order day --batches 3 --resamples 29", _W,
         {"--order": "round"}),
    Mode("raters batch", "raters {file} {columns} --batch batch --resamples 29", _W,
         {"--batch": "day"}),
    Mode("raters expert", "raters {file} {columns} --expert bob", _W),
    Mode("raters groups", "raters {file} {columns} --groups-file teams.csv", _W),
    Mode("raters by", "raters {file} {columns} --by batch --resamples 29",
         _W, {"--by": "day"}),
    Mode("adjudicate", "adjudicate {file} {columns}", _W),
    Mode("adjudicate sheet", "adjudicate {file} {columns} -o sheet.csv", _W,
         {"--output": "other.csv"}),
    Mode("adjudicate text", "adjudicate {file} {columns} --text note -o sheet.csv", _W,
         {"--output": "other.csv"}),
    Mode("adjudicate read", f"adjudicate words.csv {_LONG} --text note --read changed.csv "
         "--changed-ids repair",
         values={"--output": "final.csv"}),
    Mode("adjudicate final", f"adjudicate words.csv {_LONG} --text note --read novel.csv "
         "--new-labels accept -o final.csv"),
    Mode("adjudicate by", "adjudicate {file} {columns} --label label2", _W),
    Mode("report", "report {file} {columns} -o page.html", _W),
    Mode("report by", "report {file} {columns} --by day -o page.html", _W),
    *(Mode(f"plot {name}", f"plot {name} {{file}} {{columns}} -o figure.svg", _W)
      for name in ("accuracy", "category-kappas", "certainty", "confusion", "design",
                   "error-matrix", "forest", "funnel", "items", "label-use", "leave-one-out",
                   "raters")),
    *(Mode(f"plot {name}", f"plot {name} {{file}} {{columns}} --scale interval -o figure.svg", _N)
      for name in ("histogram", "marks", "tolerance")),
    *(Mode(f"plot {name}", f"plot {name} {{file}} {{columns}} --scale interval --pair ann bob "
           "-o figure.svg", _N) for name in ("bland-altman", "differences")),
    *(Mode(f"plot {name}", f"plot {name} labels.csv --rater ann --rater bob -o figure.svg", "tones",
           {"--shape": "long"})
      for name in ("chance", "prevalence")),
    Mode("plot variables", "plot variables {file} {columns} --by day -o figure.svg", _W),
    Mode("compare", "compare {file} {file} {columns} -c alpha", _W,
         {"--coefficient": "pi"}),
    Mode("compare by", "compare {file} {columns} --by batch", _W),
    Mode("compare three", "compare {file} {file} {file} {columns}", _W),
    Mode("convert", "convert {file} out.csv {columns}", _W),
    Mode("convert over", "convert {file} there.csv {columns} --force", _W),
    Mode("merge over", "merge a.rows b.rows -o there.rows --force"),
    Mode("convert export", "convert words_export.json out.csv",
         values={"--encoding": "utf-16", "--variable": "topic", "--variables": "topic"}),
    *(Mode(f"units {name}", f"{_EVENTS} --method {name}",
           values={"--raters": "ann"} if "alpha" in name else {})  # whoever comes first
      for name in ("easydiag", "gseq", "sequences", "time", "gamma", "alpha-u", "unitizing-alpha",
                   "staccato", "observer", "boris", "elan", "interact", "haccou-meelis",
                   "jansen")),
    Mode("units spans", "units spans.csv --method spans"),
    Mode("units sets", "units spans.csv --method sets"),
    Mode("units boundaries", "units cuts.csv --method boundaries"),
    Mode("units figure", f"{_EVENTS} --figure drawn.svg", values={"--figure": "other.svg"}),
    Mode("units folder", f"{_EVENTS} --figure drawn", values={"--figure": "other"}),
    Mode("units report", f"{_EVENTS} --report page.html"),
    Mode("units links", f"{_EVENTS} --links --json"),
    Mode("units disparity", f"{_EVENTS} --disparity"),
    Mode("units thresholds", f"{_EVENTS} --thresholds 60,80", values={"--thresholds": "50-90:20"}),
    Mode("units onsets", "units onsets.csv --ends next",
         values={"--label": "session"}),
    Mode("units pipe", "units events_pipe.csv", values={"--delimiter": "','"}),
    Mode("units table", "units holle_rein_2015_table_1.csv --table"),
    Mode("units table gseq", "units holle_rein_2015_table_1.csv --table --method gseq",
         values={"--method": "elan"}),
    Mode("merge", "merge a.rows b.rows -o both.rows"),
    Mode("rows", "rows all.rows"),
    Mode("test", "test {file} {columns} -c alpha --null 0,0.4 --resamples 40", _W,
         {"--null": "0.5"}),
    Mode("test auto", "test {file} {columns} --method auto", _W, {"--method": "analytic"}),
    Mode("test analytic", "test {file} {columns} --method analytic", _W),
    Mode("test by", "test {file} {columns} --by day --resamples 20", _W),
    Mode("critical", "critical --items 10"),
    Mode("critical kappa", "critical --statistic kappa --items 10 --resamples 200",
         values={"--statistic": "pi"}),
    Mode("critical spearman", "critical --statistic spearman --items 10"),
    Mode("designs", "designs {file} {columns} --occasion round", "retest"),
    Mode("designs gold", "designs {file} {columns} --gold gold", _W, {"--gold": "label2"}),
    Mode("simulate", "simulate --items 30 --agreement 0.6 --studies 20"),
    Mode("simulate accuracy", "simulate --items 30 --accuracy 0.8 --studies 20"),
    Mode("simulate samples", "simulate --items 30 --agreement 0.6 --samples 2",
         values={"--samples": "4"}),
    Mode("simulate file", "simulate {file} {columns} --items 20 --studies 20", _W),
    Mode("find", "find fleiss"),
    Mode("bias", "bias {file} {columns}", _W),
    Mode("judges", "judges {file} {columns} --people ann --people bob --system gpt-4 "
         "--system claude-3", _V, _RATE),
    Mode("judges batch", "judges {file} {columns} --people ann --people bob --system gpt-4 "
         "--batch day", _V, {**_RATE, "--batch": "batch"}),
    Mode("judges length", "judges {file} {columns} --people ann --people bob --system gpt-4 "
         "--length size --favour pass", _V, {**_RATE, "--length": "weight"}),
    Mode("prefer", "prefer battles.csv --resamples 40"),
    Mode("prefer likelihood", "prefer battles.csv --method likelihood",
         values={"--method": "bootstrap"}),
)  # fmt: skip

# Tried on what is read, not on the JSON, which has all of it and never names the raters.
FORMS = ("--json", "--csv", "--markdown", "--latex", "--apa", "--output", "--force", "--all",
         "--disparity")  # fmt: skip
# What these do is said beside the result: nothing, or who reduced the ratings.
SAID_BESIDE = ("--quiet", "--engine")
_ECHOES = ("version", "seed", "confidence_level", "level", "command")


def options_of(command: str) -> list[str]:
    """Return the names of a command's options; a switch by its side that is not the default."""
    found = []
    for one in command_line.COMMANDS[command].params:
        if isinstance(one, click.Option):
            found.append(max(one.secondary_opts or one.opts, key=len))
    return list(dict.fromkeys(found))


def takes_files(mode: Mode) -> bool:
    return "{file}" in mode.line


@dataclass(frozen=True)
class Try:
    """An option in a mode: the command line without it and with it."""

    mode: Mode
    option: str
    without: str
    with_it: str


def trials(mode: Mode, option: str) -> list[Try]:
    """Return how an option is tried in a mode: the first fits, the next where that one fails.

    An option of reading is tried on a table on which it matters; where the mode cannot use that
    table, it is tried on the plain one. None where no value is known.
    """
    is_read = option in READING and mode.command not in ("units", "prefer", "merge")
    own = mode.values.get(option, VALUES.get(f"{mode.command} {option}", VALUES.get(option)))
    if not is_read:
        if own is None:
            return []
        other = ELSEWHERE.get(f"{mode.command} {option}")
        tables = [f"{other}.csv"] if other else []
        return [_try(mode, option, table, _LONG, own) for table in (*tables, "{t}.csv")]
    file, columns, usual = FITTING.get((mode.labels, option), READING[option])
    usual = VALUES.get(f"{mode.command} {option}", usual)
    value = mode.values.get(option, usual)
    if not takes_files(mode):
        return [_try(mode, option, "", "", mode.values.get(option, OF_ITS_OWN.get(option, usual)))]
    found = [_try(mode, option, file, columns, value)]
    if (file, columns) != ("{t}.csv", _LONG):
        found.append(_try(mode, option, "{t}.csv", _LONG, value))
    return found


def _try(mode: Mode, option: str, file: str, columns: str, value: str) -> Try:
    a, b, c = FAMILIES[mode.labels or "words"]
    told = {"t": mode.labels, "a": a, "b": b, "c": c}
    typed, _, beside = value.partition("||")
    base = mode.line.format(file=file.format(**told), columns=columns)
    json_too = "--json" in options_of(mode.command) and option not in FORMS
    json_too = json_too and "--disparity" not in mode.line  # a table to read
    base = f"{base} {beside.strip()}{' --json' if json_too else ''}".strip()
    if option in READING:
        typed = typed.format(**told)
    words = f"{option} {typed.strip()}".strip()
    if f" {words} " in f"{base} ":  # the mode is made of it
        return Try(mode, option, f"{base} ".replace(f" {words} ", " ", 1).strip(), base)
    return Try(mode, option, base, f"{base} {words}")


@dataclass(frozen=True)
class Outcome:
    """What a command left: its exit code, what it printed, what it said beside, and files."""

    code: int
    shown: Any
    aside: str
    files: dict[str, bytes]


def outcome(line: str, *, remembered: dict[str, Outcome] | None = None) -> Outcome:
    """Run a command in a folder whose files are put back, and say what it left."""
    if remembered is not None and line in remembered:
        return remembered[line]
    before = {path.name: path.stat().st_mtime_ns for path in Path().iterdir()}
    kept = {path.name: path.read_bytes() for path in Path().iterdir()
            if path.name.startswith(("there", "all.rows")) and path.is_file()}  # fmt: skip
    code, shown, aside = ran(line)
    files: dict[str, bytes] = {}
    for path in sorted(Path().rglob("*")):
        top = path.parts[0]
        changed = top in kept and path.read_bytes() != kept[top]
        if path.is_file() and (top not in before or changed):
            files[str(path)] = _steady(path.read_bytes())
    for path in list(Path().iterdir()):
        if path.name not in before:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    for name, content in kept.items():
        Path(name).write_bytes(content)
    found = Outcome(code, _plain(shown), aside, files)
    if remembered is not None:
        remembered[line] = found
    return found


def _plain(text: str) -> Any:
    """Return JSON without what only says again what was typed; other text as it is."""
    try:
        return _bare(json.loads(text))
    except ValueError:
        return text


def _bare(one: Any) -> Any:
    if isinstance(one, dict):
        return {key: _bare(part) for key, part in one.items() if key not in _ECHOES}
    return [_bare(part) for part in one] if isinstance(one, list) else one


def _steady(content: bytes) -> bytes:
    """Leave out of a page the command that was typed, which differs by the option's own name."""
    import re

    return re.sub(rb"consilience [a-z]+ [^<]*", b"", content)


def refused(one: Outcome, option: str) -> bool:
    return one.code == 2 and option in one.aside


def differs(one: Outcome, other: Outcome, option: str) -> bool:
    """Tell whether a run with an option shows it: by its result, its files or its exit code."""
    same = one.code == other.code and one.shown == other.shown and one.files == other.files
    if option in SAID_BESIDE:
        same = same and one.aside == other.aside
    return not same
