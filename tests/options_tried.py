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

from consilience.cli import _main as command_line

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

_WORDS, _NUMBERS = ("a", "b", "c"), ("1", "2", "3")
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
                }
            )
    return rows


def _csv(rows: list[dict[str, str]], path: str, sign: str = ",", encoding: str = "utf-8") -> None:
    lines = [sign.join(rows[0]), *(sign.join(row.values()) for row in rows)]
    Path(path).write_text("\n".join(lines) + "\n", encoding=encoding)


def _variants(name: str, labels: tuple[str, ...]) -> None:
    """Write the table once for every option of reading, so that it matters there."""
    rows = _rows(labels)
    _csv(rows, f"{name}.csv")
    third = labels[2]
    case = [
        {**r, "label": r["label"].upper() if r["label"] == "a" and k % 3 else r["label"]}
        for k, r in enumerate(rows)
    ]
    if labels == _NUMBERS:  # 1e0 and 1E0 are different names and the same number
        case = [{**r, "label": {"1": "1e0", "2": "2"}.get(r["label"], r["label"])} for r in rows]
        case = [
            {**r, "label": "1E0" if r["label"] == "1e0" and k % 3 else r["label"]}
            for k, r in enumerate(case)
        ]
    _csv(case, f"{name}_case.csv")
    _csv([{**r, "label": f"{r['label']}+{third}" if k % 2 else r["label"]}
          for k, r in enumerate(rows)], f"{name}_sets.csv")  # fmt: skip
    _csv([{**r, "rater": "" if k % 13 == 5 else r["rater"]} for k, r in enumerate(rows)],
         f"{name}_norater.csv")  # fmt: skip
    twice = [one for k, r in enumerate(rows)
             for one in ((r, {**r, "label": labels[k % 3]}) if k % 7 == 2 else (r,))]  # fmt: skip
    _csv(twice, f"{name}_twice.csv")
    _csv([{**r, "label": r["label"] if r["label"] != third else "é"} for r in rows],
         f"{name}_latin.csv", encoding="latin-1")  # fmt: skip
    _csv([{**r, "note": "x,y"} for r in rows], f"{name}_pipe.csv", sign="|")
    wide = [
        {
            "item": f"i{k:02}",
            **{q + "_" + r["rater"]: r[c] for r in rows[4 * k : 4 * k + 4]
               for q, c in (("tone", "label"), ("topic", "label2"))},
        }
        for k in range(30)
    ]  # fmt: skip
    _csv(wide, f"{name}_columns.csv")
    _csv([{"item": f"i{k:02}", **{r["rater"]: r["label"] for r in rows[4 * k : 4 * k + 4]},
           "gold": rows[4 * k]["gold"], "doc": rows[4 * k]["doc"]}
          for k in range(30)], f"{name}_wide.csv")  # fmt: skip
    _csv([{"item": f"i{k:02}", **{r["rater"]: r["label"] for r in rows[4 * k : 4 * k + 4]}}
          for k in range(30)], f"{name}_plain.csv")  # fmt: skip
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
    for sheet, part in ((old, rows), (new, rows[:88])):
        sheet.append(list(rows[0]))
        for row in part:
            sheet.append(list(row.values()))
    book.save(f"{name}_book.xlsx")


def _exports() -> None:
    """An export of Label Studio with answers, empty and cancelled ones, a proposal and a gold."""
    rng = random.Random(2)
    tasks: list[dict[str, Any]] = []

    def choice(words: list[str]) -> list[dict[str, Any]]:
        return [{"from_name": "tone", "to_name": "text", "type": "choices",
                 "value": {"choices": words}}] if words else []  # fmt: skip

    for task in range(30):
        annotations = []
        for who in range(4):
            label = rng.choice("abc") if rng.random() < 0.4 else "abc"[task % 3]
            given = choice([] if rng.random() < 0.1 else [label])
            annotations.append({"id": task * 9 + who, "completed_by": who + 1, "result": given,
                                "was_cancelled": rng.random() < 0.08,
                                "ground_truth": who == 3 and task % 4 == 0})  # fmt: skip
        tasks.append({"id": task, "data": {"text": f"a text {task}"}, "annotations": annotations,
                      "predictions": [{"id": task, "model_version": "gpt",
                                       "result": choice(["abc"[task % 3]])}]})  # fmt: skip
    Path("export.json").write_text(json.dumps(tasks), encoding="utf-8")


def _retest() -> None:
    rows = ["item,rater,round,label,expert"]
    rng = random.Random(4)
    for item in range(24):
        for rater in ("ann", "bob"):
            for turn in (1, 2):
                label = "xyz"[rng.randrange(3) if rng.random() < 0.3 else item % 3]
                rows.append(f"{item},{rater},{turn},{label},{'xyz'[item % 3]}")
    Path("retest.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")


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
    Path("spans.csv").write_text("\n".join(words) + "\n", encoding="utf-8")
    cuts = ["rater,session,start,end"]
    for text in range(12):
        for rater in ("ann", "bob"):
            edges = [0, *sorted(rng.sample(range(1, 40), 5)), 40]
            cuts += [f"{rater},t{text},{a},{b}" for a, b in itertools.pairwise(edges)]
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


def _verdicts() -> None:
    """Two judges and two people on sixty answers; some in both orders, some refused."""
    rng = random.Random(9)
    rows = ["item,rater,label,doc,gold,day,batch,size,unsure,weight,system,order,author"]
    for item in range(60):
        truth = rng.random() < 0.6
        beside = (f"d{item // 2},{'pass' if truth else 'fail'},{1 + item // 10},b{item // 20},"
                  f"{10 + item * 7 % 30},{0.1 + item % 8 / 10:g},{1 + item % 3},"
                  f"v{1 + item % 2}")  # fmt: skip
        for rater, slip in (("ann", 0.1), ("bob", 0.15), ("gpt-4", 0.25), ("claude-3", 0.3)):
            said = truth if rng.random() > slip else not truth
            label = "pass" if said else "fail"
            if rater == "gpt-4" and item % 20 == 4:
                label = "refused it"
            if rater in ("ann", "bob") and item >= 40:
                continue
            author = "gpt-4" if item % 3 else "human"
            rows.append(f"q{item},{rater},{label},{beside},first,{author}")
            if rater not in ("ann", "bob"):
                again = label if rng.random() > 0.2 else "fail"
                rows.append(f"q{item},{rater},{again},{beside},second,{author}")
            else:
                rows.append(f"q{item},{rater},{label},{beside},second,{author}")
    Path("orders.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    first = [rows[0], *(row for row in rows[1:] if ",first," in row)]
    Path("verdicts.csv").write_text("\n".join(first) + "\n", encoding="utf-8")
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
    Path("weights.csv").write_text(",a,b,c\na,0,1,4\nb,1,0,1\nc,4,1,0\n", encoding="utf-8")
    Path("links.csv").write_text(
        "mention,ann,bob\n" + "\n".join(f"m{k},{f'm{k - 1}' if k else ''},"
                                        f"{f'm{k - 1 - k % 2}' if k > 1 else ''}"
                                        for k in range(14)) + "\n", encoding="utf-8")  # fmt: skip
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
            _variants("words", _WORDS)
            _variants("numbers", _NUMBERS)
            for write in (_exports, _retest, _events, _runs, _verdicts, _others):
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
# runs instead of the columns, and its value. {c} is the third label.
READING: dict[str, tuple[str, str, str]] = {
    "--scale": ("{t}.csv", _LONG, "ordinal"),
    "--categories": ("{t}.csv", _LONG, "{a},{b},{c},zz"),
    "--missing-value": ("{t}.csv", _LONG, "{c}"),
    "--map": ("{t}.csv", _LONG, "{c}={b}"),
    "--ignore-case": ("{t}_case.csv", _LONG, ""),
    "--sets": ("{t}_sets.csv", _LONG, "+"),
    "--chains": ("links.csv", "", "links"),
    "--shares-of": ("artstein_poesio_2005_table_2.csv", "", "100"),
    "--no-rater": ("{t}_norater.csv", _LONG, "skip"),
    "--format": ("{t}.csv", _LONG, "prodigy"),
    "--sheet": ("{t}_book.xlsx", _LONG, "new"),
    "--shape": ("{t}.csv", _LONG, "wide"),
    "--columns": ("{t}_columns.csv", "", "'{{rater}}_{{variable}}'"),
    "--item": ("{t}.csv", "--rater rater --label label", "doc"),
    "--rater": ("{t}_plain.csv", "", "ann --rater bob --rater cem"),
    "--label": ("{t}.csv", _LONG, "label2"),
    "--cluster": ("{t}.csv", _LONG, "doc"),
    "--variable": ("{t}_variable.csv", "--item item --rater rater", "tone"),
    "--variables": ("{t}_variable.csv", "--item item --rater rater", "tone"),
    "--duplicates": ("{t}_twice.csv", _LONG, "last"),
    "--empty": ("export.json", "", "label"),
    "--excluded": ("export.json", "", "keep"),
    "--predictions": ("export.json", "", "raters"),
    "--gold-answers": ("export.json", "", "leave_out_items"),
    "--delimiter": ("{t}_pipe.csv", _LONG, "';'"),
    "--encoding": ("{t}_latin.csv", _LONG, "cp437"),
    "--no-header": ("{t}.csv", _LONG, ""),
    "--explain": ("{t}.csv", _LONG, ""),
    "--anonymise": ("{t}.csv", _LONG, ""),
    "--quiet": ("{t}.csv", _LONG, ""),
}

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
    "convert --force": "",
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
    "--sweep": "setting",
    "--sort-by": "ac1",
    "--differences": "",
    "--held-out": "0.4",
    "--swapped": "order",
    "--refusal": "fail",
    "--refused": "missing",
    "--rate": "pass",
    "--correct": "people",
    "--stratum": "batch",
    "--answers-of": "system",
    "--buy": "0.05",
    "--tell-from": "0.4",
    "--power": "0.95",
    "--pick": "5",
    "--uncertainty": "unsure",
    "--soft": "calibrated.csv",
    "--settings-figure": "settings.svg",
    "panel --method": "bootstrap",
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

_W, _N = "words", "numbers"
_SIDES = "--people ann --people bob --system cem"
_VERDICTS = f"panel verdicts.csv {_LONG} --people ann --people bob --system gpt-4"
_RATE = {"--categories": "fail,pass,maybe", "--refusal": "fail"}
_EVENTS = "units events.csv --resamples 60"

MODES: tuple[Mode, ...] = (
    Mode("measure", "measure {file} {columns}", _W),
    Mode("measure by", "measure words.csv " + _LONG + " --by day", values={"--by": "batch"}),
    Mode("measure counts", "measure tweets_counts.csv"),
    Mode("measure table", "measure reviewers_table.csv"),
    Mode("measure bootstrap", f"measure words.csv {_LONG} --interval bca --resamples 60",
         values={"--interval": "percentile"}),
    Mode("measure duckdb", "measure {file} {columns} --engine duckdb", _W,
         {"--engine": "spark"}),
    Mode("measure rows", "measure a.rows", values={"--save-rows": "new.rows"}),
    Mode("measure added", f"measure words.csv {_LONG} --add-to grown.rows"),
    Mode("marks", "marks {file} {columns}", _N),
    *(Mode(f"marks {name}", f"marks {{file}} {{columns}} --measure {name}", _N)
      for name in ("icc", "bland_altman")),
    Mode("demo", "demo"),
    Mode("coefficients", "coefficients"),
    Mode("plan", "plan --kappa0 0.4 --kappa1 0.6 --prevalence 0.2,0.3,0.5 --raters 3 "
         "--simulations 12"),
    Mode("plan power", "plan --kappa0 0.4 --kappa1 0.6 --prevalence 0.2,0.3,0.5 --items 80 "
         "--simulations 12"),
    Mode("plan width", "plan --kappa 0.7 --width 0.2 --simulations 12"),
    Mode("plan raters", "plan --kappa 0.7 --half-width 0.12 --items 200 --simulations 12"),
    Mode("plan simulated", "plan --kappa 0.7 --half-width 0.15 --method simulation -c pi "
         "--simulations 12"),
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
    Mode("panel time", f"panel {{file}} {{columns}} {_SIDES} --time day --resamples 30", _W,
         {"--time": "batch", "--refusal": "c"}),
    Mode("panel refusals", f"{_VERDICTS} --refusal 'refused it' --resamples 30", values=_RATE),
    Mode("panel swapped", f"panel orders.csv {_LONG} --people ann --people bob --system gpt-4 "
         "--system claude-3 --swapped order --resamples 30", values=_RATE),
    Mode("panel sweep", "panel runs.csv --sweep setting --people tutor --scale ordinal "
         "--resamples 30", values={"--fail-under": "identical=1", "--coefficient": "kappa:linear",
                                   "--refusal": "0"}),
    Mode("panel differences", "panel haley_2008_table_1_2.csv --sweep 'marked answers' "
         "--differences", values={"--fail-under": "identical=0.9"}),
    Mode("panel rate", f"{_VERDICTS} --rate pass", values={"--fail-under": "rate=0.99", **_RATE}),
    Mode("panel shares", f"{_VERDICTS} --rate '*'", values=_RATE),
    Mode("panel difference", f"{_VERDICTS} --rate pass --answers-of system",
         values={"--fail-under": "difference=0.9", **_RATE}),
    Mode("panel buy", f"{_VERDICTS} --rate pass --buy 0.06",
         values={"--fail-under": "rate=0.99", **_RATE}),
    Mode("panel tell", f"{_VERDICTS} --rate pass --tell-from 0.5",
         values={"--fail-under": "rate=0.99", **_RATE}),
    Mode("panel pick", f"{_VERDICTS} --rate pass --pick 4",
         values={"--fail-under": "rate=0.99", **_RATE}),
    Mode("panel soft", "panel opinions.csv --soft calibrated.csv",
         values={"--fail-under": "accuracy=0.99", "--soft": "too_sure.csv", "--people": "Ann",
                 "--categories": "rude,neutral,kind,odd", "--missing-value": "rude",
                 "--map": "rude=neutral", "--document": "Fay"}),
    *(Mode(f"latent {name}", f"latent {{file}} {{columns}} --model {name}", _W)
      for name in ("dawid-skene", "one-coin", "mace", "glad")),
    Mode("latent lca", "latent labels.csv --model lca --resamples 20"),
    Mode("latent trait", "latent labels.csv --scale ordinal --categories "
         "negative,neutral,positive --model latent-trait",
         values={"--resamples": "5", "--model": "dawid-skene"}),
    Mode("latent omega", "latent retest.csv --model omega --occasion round --resamples 19",
         values={"--coefficient": "alpha"}),
    Mode("latent aickin", "latent reviewers_table.csv --model aickin"),
    Mode("latent duckdb", f"latent words.csv {_LONG} --engine duckdb"),
    Mode("raters", "raters {file} {columns} --resamples 29", _W),
    Mode("raters order", "raters {file} {columns} --order day --batches 3 --resamples 29", _W,
         {"--order": "round"}),
    Mode("raters batch", "raters {file} {columns} --batch batch --resamples 29", _W,
         {"--batch": "day"}),
    Mode("raters expert", "raters {file} {columns} --expert bob", _W),
    Mode("raters by", f"raters words.csv {_LONG} --by batch --resamples 29",
         values={"--by": "day"}),
    Mode("adjudicate", "adjudicate {file} {columns}", _W),
    Mode("adjudicate sheet", f"adjudicate words.csv {_LONG} -o sheet.csv"),
    Mode("adjudicate text", "adjudicate {file} {columns} --text note -o sheet.csv", _W),
    Mode("adjudicate read", f"adjudicate words.csv {_LONG} --text note --read filled.csv",
         values={"--output": "final.csv"}),
    Mode("adjudicate final", f"adjudicate words.csv {_LONG} --text note --read filled.csv "
         "-o final.csv"),
    Mode("adjudicate by", f"adjudicate words.csv {_LONG} --label label2"),
    Mode("report", "report {file} {columns} -o page.html", _W),
    Mode("report by", f"report words.csv {_LONG} --by day -o page.html"),
    *(Mode(f"plot {name}", f"plot {name} words.csv {_LONG} -o figure.svg")
      for name in ("accuracy", "category-kappas", "certainty", "confusion", "design",
                   "error-matrix", "forest", "funnel", "items", "label-use", "leave-one-out",
                   "raters")),
    *(Mode(f"plot {name}", f"plot {name} numbers.csv {_LONG} --scale interval -o figure.svg")
      for name in ("bland-altman", "differences", "histogram", "marks", "tolerance")),
    *(Mode(f"plot {name}", f"plot {name} labels.csv --rater ann --rater bob -o figure.svg")
      for name in ("chance", "prevalence")),
    Mode("plot variables", f"plot variables words.csv {_LONG} --by day -o figure.svg"),
    Mode("compare", "compare {file} words.csv {columns} -c alpha", _W,
         {"--coefficient": "pi"}),
    Mode("compare by", f"compare words.csv {_LONG} --by batch"),
    Mode("compare three", f"compare words.csv numbers.csv words.csv {_LONG}"),
    Mode("convert", "convert {file} out.csv {columns}", _W),
    Mode("convert over", f"convert words.csv there.csv {_LONG}"),
    Mode("merge over", "merge a.rows b.rows -o there.rows"),
    Mode("convert export", "convert export.json out.csv"),
    *(Mode(f"units {name}", f"{_EVENTS} --method {name}")
      for name in ("easydiag", "gseq", "sequences", "time", "gamma", "alpha-u", "unitizing-alpha",
                   "staccato", "observer", "boris", "elan", "interact", "haccou-meelis",
                   "jansen")),
    Mode("units spans", "units spans.csv --method spans --resamples 60"),
    Mode("units sets", "units spans.csv --method sets --resamples 60"),
    Mode("units boundaries", "units cuts.csv --method boundaries --resamples 60"),
    Mode("units figure", f"{_EVENTS} --figure drawn.svg", values={"--figure": "other.svg"}),
    Mode("units folder", f"{_EVENTS} --figure drawn", values={"--figure": "other"}),
    Mode("units report", f"{_EVENTS} --report page.html"),
    Mode("units links", f"{_EVENTS} --links"),
    Mode("units disparity", f"{_EVENTS} --disparity"),
    Mode("units thresholds", f"{_EVENTS} --thresholds 60,80", values={"--thresholds": "50-90:20"}),
    Mode("units onsets", "units onsets.csv --ends next --resamples 60",
         values={"--label": "session"}),
    Mode("units pipe", "units events_pipe.csv --resamples 60", values={"--delimiter": "','"}),
    Mode("units table", "units holle_rein_2015_table_1.csv --table"),
    Mode("units table gseq", "units holle_rein_2015_table_1.csv --table --method gseq",
         values={"--method": "elan"}),
    Mode("merge", "merge a.rows b.rows -o both.rows"),
    Mode("rows", "rows all.rows"),
    Mode("test", "test {file} {columns} -c alpha --null 0,0.4 --resamples 40", _W,
         {"--null": "0.5"}),
    Mode("test analytic", f"test words.csv {_LONG} --method analytic"),
    Mode("test by", f"test words.csv {_LONG} --by day --resamples 20"),
    Mode("critical", "critical --items 10 --resamples 200"),
    Mode("critical kappa", "critical --statistic kappa --items 10 --resamples 200",
         values={"--statistic": "pi"}),
    Mode("critical spearman", "critical --statistic spearman --items 10 --resamples 200"),
    Mode("designs", "designs retest.csv --occasion round"),
    Mode("designs gold", "designs {file} {columns} --gold gold", _W, {"--gold": "label2"}),
    Mode("simulate", "simulate --items 30 --agreement 0.6 --studies 20"),
    Mode("simulate accuracy", "simulate --items 30 --accuracy 0.8 --studies 20"),
    Mode("simulate samples", "simulate --items 30 --agreement 0.6 --samples 2",
         values={"--samples": "4"}),
    Mode("simulate file", "simulate {file} {columns} --items 20 --studies 20", _W),
    Mode("find", "find fleiss"),
    Mode("bias", "bias {file} {columns}", _W),
    Mode("judges", f"judges verdicts.csv {_LONG} --people ann --people bob --system gpt-4 "
         "--system claude-3", values=_RATE),
    Mode("judges batch", f"judges verdicts.csv {_LONG} --people ann --people bob --system gpt-4 "
         "--batch day", values={**_RATE, "--batch": "batch"}),
    Mode("judges length", f"judges verdicts.csv {_LONG} --people ann --people bob --system gpt-4 "
         "--length size --favour pass", values={**_RATE, "--length": "weight"}),
    Mode("prefer", "prefer battles.csv --resamples 40"),
    Mode("prefer likelihood", "prefer battles.csv --method likelihood",
         values={"--method": "bootstrap"}),
)  # fmt: skip

# Tried on what is read, not on the JSON, which has all of it and never names the raters.
FORMS = ("--json", "--csv", "--markdown", "--latex", "--apa", "--output", "--force", "--all",
         "--disparity", "--anonymise")  # fmt: skip
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


def trial(mode: Mode, option: str) -> Try | None:
    """Return how an option is tried in a mode; None where no value is known."""
    columns, file = _LONG, "{t}.csv"
    value = mode.values.get(option, VALUES.get(f"{mode.command} {option}", VALUES.get(option)))
    is_read = option in READING and mode.command not in ("units", "prefer", "merge")
    if is_read:
        file, columns, usual = READING[option]
        if not takes_files(mode):
            file, columns = "", ""
        value = mode.values.get(option, usual)
    if value is None:
        return None
    a, b, c = _NUMBERS if mode.labels == _N else _WORDS
    told = {"t": mode.labels, "a": a, "b": b, "c": c}
    typed, _, beside = value.partition("||")
    base = mode.line.format(file=file.format(**told), columns=columns)
    json_too = "--json" in options_of(mode.command) and option not in FORMS
    base = f"{base} {beside.strip()}{' --json' if json_too else ''}".strip()
    words = f"{option} {(typed.format(**told) if is_read else typed).strip()}".strip()
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
    if option == "--quiet":
        same = same and one.aside == other.aside
    return not same
