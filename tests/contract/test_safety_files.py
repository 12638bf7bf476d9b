"""Hostile and unlucky files: one sentence with the place, never a crash, never a lost file."""

from __future__ import annotations

import ast
import errno
import gzip
import io
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import pytest

import needed
from consilience.cli import main
from consilience.cli.program import COMMANDS, cli, run
from consilience.core.database import Session, interruptible
from consilience.core.output_files import check_target, written_beside
from consilience.exceptions import ConsilienceWarning, InputError, UnsupportedDesignError
from consilience.io import convert, load
from consilience.io.events import load_units, unit_formats
from consilience.io.files.parsing import check_blank_lines, decode, parse_json, parse_table
from consilience.io.files.source import Source
from consilience.io.layout.labels import _as_numbers
from consilience.ratings import Ratings
from consilience.report.rounds import compare_batches
from lookalikes import LOOKALIKES
from patience import PATIENCE

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "consilience"
RATINGS = "item,coder,code\n" + "".join(
    f"{k},{who},{'yes' if k % 3 else 'no'}\n" for k in range(6) for who in ("Ann", "Bob")
)
NOT_TEXT = os.fsdecode(b"\xff\xfe.csv")


@pytest.fixture
def ratings(tmp_path: Path) -> Path:
    path = tmp_path / "codes.csv"
    path.write_text(RATINGS)
    return path


# -------------------------------------------------------------------- every format

HOSTILE = {
    "one byte": b"x",
    "only a mark": b"\xef\xbb\xbf",
    "NUL bytes": b"\0" * 100,
    "deep nesting": b"[" * 5_000,
    "noise": random.Random(0).randbytes(3_000),
    "an empty archive": b"PK\x05\x06" + bytes(18),
    "a document type": b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
}


@pytest.mark.parametrize("name", sorted(LOOKALIKES))
def test_no_rating_format_falls_over_hostile_bytes(name: str, tmp_path: Path) -> None:
    if LOOKALIKES[name].needs:
        needed.package(str(LOOKALIKES[name].needs))
    original = LOOKALIKES[name].write(tmp_path)
    inside = original if original.is_file() else next(p for p in original.rglob("*") if p.is_file())
    for data in HOSTILE.values():
        inside.write_bytes(data)
        with pytest.raises(InputError, match=r"must be .* Got .* Hint: ") as refusal:
            load(original, format=name)
        assert original.name in str(refusal.value)


@pytest.mark.parametrize("name", sorted(set(unit_formats()) - {"brat", "xmi"}))
def test_no_unit_format_falls_over_hostile_bytes(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"codes{unit_formats()[name].suffixes[0]}"
    for data in HOSTILE.values():
        path.write_bytes(data)
        with pytest.raises(InputError, match=r"must be .* Got .* Hint: "):
            load_units(path, format=name)


@needed.ON_POSIX
@pytest.mark.parametrize("read", [load, load_units])
def test_what_is_no_file_is_not_opened(read: Any, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "one").symlink_to(tmp_path / "two")
    (tmp_path / "two").symlink_to(tmp_path / "one")
    (tmp_path / "gone.csv").symlink_to(tmp_path / "nothing.csv")
    (tmp_path / "folder.csv").mkdir()
    for name in ("pipe.csv", "one", "gone.csv", "folder.csv", "/dev/zero"):
        with pytest.raises(InputError):
            read(tmp_path / name)
    with pytest.raises(InputError, match="a link to a file that is gone"):
        read(tmp_path / "gone.csv")


def test_nothing_in_the_package_runs_what_it_reads() -> None:
    forbidden = {"eval", "exec", "__import__"}
    modules = {"pickle", "marshal", "shelve", "yaml", "dill"}
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if not any(word in text for word in (*forbidden, *modules, "allow_pickle")):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in forbidden, path
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                names = {one.name for one in node.names} | {getattr(node, "module", "") or ""}
                assert not names & modules, path
            if isinstance(node, ast.keyword):
                assert node.arg != "allow_pickle", path


# -------------------------------------------------------------------- cost must not explode
# The sizes below take minutes where work grows with the square of the input.


def test_a_key_given_twice_among_very_many_is_found_at_once() -> None:
    keys = ",".join(f'"k{k}":1' for k in range(150_000))
    with pytest.raises(InputError, match="'k149999' twice"):
        parse_json(f'{{{keys},"k149999":2}}', "x.json")


def test_numbers_written_twice_among_very_many_are_found_at_once() -> None:
    texts = [str(k) for k in range(60_000)] + ["7.0"]
    _, evidence = _as_numbers(texts, decimal_comma=False)
    assert evidence == ["labels written differently are one number: 7, 7.0"]


def test_a_column_name_without_end_is_refused() -> None:
    with pytest.raises(InputError, match=r"x\.csv, line 1, column 2: the name of a column"):
        parse_table("a," + "[" * 200_000 + "\n1,2\n", "x.csv")


@pytest.mark.parametrize("suffix", [".csv", ".json"])
def test_an_endless_first_line_is_refused_for_what_it_is(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"codes{suffix}"
    path.write_text('<r a="' + "x" * (2 << 20) + '"/>')
    with pytest.raises(InputError) as refusal:
        load(path)
    assert "blank" not in str(refusal.value)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_endless_blank_lines_are_refused_with_their_place(end: str, tmp_path: Path) -> None:
    text = f"item,coder,code{end}1,Ann,x{end}" + end * 2_100_000
    with pytest.raises(InputError, match=r"codes.csv, line 2: .* stretches of blanks"):
        check_blank_lines(text, "codes.csv")
    with pytest.raises(InputError, match="stretches of blanks"):
        decode(text.encode(), "codes.csv")
    path = tmp_path / "codes.csv"
    path.write_bytes(text.encode())
    with pytest.raises(InputError, match="stretches of blanks"):
        load(path)
    with pytest.raises(InputError, match="stretches of blanks"):
        load_units(path, format="table")


def test_blank_lines_as_people_leave_them_are_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "codes.csv"
    path.write_text(RATINGS + "\n" * 2_000)
    assert load(path).ratings.n_items == 6


def test_a_packed_export_that_bursts_is_stopped(tmp_path: Path) -> None:
    path = tmp_path / "tasks.json.gz"
    path.write_bytes(gzip.compress(b"[" + b" " * (70 << 20) + b"]", 6))
    with pytest.raises(InputError, match=r"200 times larger.* 64 MB"):
        Source((path,)).files[0].bytes()


def test_resamples_beyond_all_reason_are_refused(ratings: Path, capsys: Any) -> None:
    asked = ["measure", str(ratings), "-q", "--interval", "percentile", "--resamples", str(10**21)]
    assert run(asked) in (2, 3)
    assert "at most 10,000,000" in capsys.readouterr().err
    assert run(["latent", str(ratings), "-q", "--starts", str(10**21)]) in (2, 3)
    assert "at most 10,000,000" in capsys.readouterr().err


def test_a_significance_level_of_nothing_is_refused(capsys: Any) -> None:
    asked = ["plan", "--kappa0", "0.4", "--kappa1", "0.7", "--significance-level", "1e-300"]
    assert run(asked) == 2
    assert "must be reachable with 1,000,000,000 items" in capsys.readouterr().err


def test_silly_options_give_one_sentence(ratings: Path, tmp_path: Path, capsys: Any) -> None:
    units = tmp_path / "units.csv"
    rows = [f"{who},s,{k},{k + 7},{'xy'[k % 20 // 10]}\n" for k in range(0, 90, 10) for who in "AB"]
    units.write_text("rater,session,start,end,label\n" + "".join(rows))
    assert run(["units", str(units), "-q", "--delimiter", "nope"]) == 3
    assert "delimiter must be one character" in capsys.readouterr().err
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConsilienceWarning)
        assert run(["units", str(units), "-q", "--threshold", "1e-320"]) == 0
    asked = ["raters", str(ratings), "-q", "--camps", "yes", "--resamples", "1" * 21]
    assert run(asked) == 3
    assert "at most 10,000,000" in capsys.readouterr().err


def test_batches_of_one_rater_cannot_be_compared() -> None:
    alone = Ratings.from_wide([["x"], ["y"]], raters=["Ann"])
    both = Ratings.from_wide([["x", "x"], ["y", "y"], ["x", "y"]], raters=["Ann", "Bob"])
    with pytest.raises(UnsupportedDesignError, match="batch 'one' needs ratings"):
        compare_batches({"two": both, "one": alone}, coefficient="alpha")


# -------------------------------------------------------------------- names and places


@needed.ON_POSIX
def test_a_file_name_may_be_any_bytes(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / NOT_TEXT
    try:
        path.write_text(RATINGS)
    except OSError:
        needed.lacking(needed.SYSTEM, "file names of any bytes")
    assert load(path).ratings.n_items == 6
    assert run(["measure", str(path), "--json", "-o", str(tmp_path / "out.json")]) == 0
    assert run(["report", str(path), "-o", str(tmp_path / "out.html")]) == 0
    assert run(["merge", str(path), "-o", str(tmp_path / "out.rows")]) == 3
    assert run(["measure", str(path), "--engine", "duckdb"]) == 0
    assert "Traceback" not in capsys.readouterr().err


def test_messages_never_name_scratch_files(tmp_path: Path) -> None:
    path = tmp_path / "codes.json"
    path.write_text("{}\n{}\n")
    with pytest.raises(InputError, match=r"codes\.json") as refusal:
        load(path, format="json")
    assert "consilience-" not in str(refusal.value)


def test_layers_below_the_tokens_are_refused_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "ann.tsv"
    path.write_text("#FORMAT=WebAnno TSV 3.3\n#T_SP=a.POS|v\n\n1-1\t0-3\tJan\tN\n#T_SP=a.B|w\n")
    with pytest.raises(InputError, match=r"ann\.tsv, line 5: a layer must be named above"):
        load(path, format="webanno-tsv")


def test_lists_of_lists_in_parquet_are_no_labels(tmp_path: Path) -> None:
    path = tmp_path / "codes.parquet"
    with Session() as session:
        session.run(
            "COPY (SELECT item, rater, [[1], [2]] AS label FROM (VALUES (1, 'a'), (1, 'b'), "
            f"(2, 'a'), (2, 'b')) t(item, rater)) TO '{path}' (FORMAT parquet)"
        )
    with pytest.raises(InputError, match="a label must be one label or a list of labels"):
        load(path)


def test_only_an_interrupt_counts_as_one() -> None:
    with pytest.raises(KeyboardInterrupt), interruptible():
        raise RuntimeError("Query interrupted")
    with pytest.raises(InputError, match="std::bad_cast"), interruptible():
        raise RuntimeError("std::bad_cast")


def test_without_a_folder_for_temporary_files(monkeypatch: Any, ratings: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(ratings.parent / "nowhere"))
    with pytest.raises(InputError, match=r"folder for temporary files .* TMPDIR"):
        load(ratings)


@needed.ON_POSIX
def test_the_engine_opens_neither_pipes_nor_folders_for_files(tmp_path: Path, capsys: Any) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    assert run(["measure", str(tmp_path / "pipe.csv"), "--engine", "duckdb"]) == 3
    assert run(["merge", str(tmp_path), "-o", str(tmp_path / "out.rows")]) == 3
    assert "path must be a file. Got the folder" in capsys.readouterr().err


# -------------------------------------------------------------------- files out


@needed.ON_POSIX
@pytest.mark.parametrize("kind", ["pipe", "link", "link to a device"])
def test_force_never_replaces_what_is_no_plain_file(
    kind: str, ratings: Path, tmp_path: Path, capsys: Any
) -> None:
    target = tmp_path / "out.csv"
    if kind == "pipe":
        os.mkfifo(target)
    else:
        target.symlink_to(tmp_path / "other.csv" if kind == "link" else "/dev/null")
    before = target.lstat()
    for asked in (
        ["measure", str(ratings), "-q", "-o", str(target)],
        ["convert", str(ratings), str(target)],
        ["report", str(ratings), "-q", "-o", str(target)],
        ["adjudicate", str(ratings), "-q", "-o", str(target)],
    ):
        assert run([*asked, "--force"]) == 2
        assert "a link, a pipe or a device" in capsys.readouterr().err
    with pytest.raises(InputError, match="a link, a pipe or a device"):
        convert(ratings, target, existing="replace")
    assert (target.lstat().st_ino, target.lstat().st_mode) == (before.st_ino, before.st_mode)
    assert not (tmp_path / "other.csv").exists()


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    target.write_text("old")

    def fill() -> None:
        with written_beside(check_target(target, "replace", (".json",))) as beside:
            beside.write_text("half")
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(InputError, match="No space left on device; nothing was written"):
        fill()
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_an_interrupted_write_leaves_nothing(tmp_path: Path) -> None:
    def strike() -> None:
        with written_beside(tmp_path / "out.json") as beside:
            beside.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        strike()
    assert list(tmp_path.iterdir()) == []


class _Full(io.TextIOBase):
    def write(self, text: str) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_below_stdout_gives_one_sentence(monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.setattr(sys, "stdout", _Full())
    assert run(["coefficients"]) == 3
    assert "Got No space left on device. Hint: check the space" in capsys.readouterr().err


def test_a_full_disk_below_stderr_keeps_no_result_back(
    monkeypatch: Any, ratings: Path, capsys: Any
) -> None:
    monkeypatch.setattr(sys, "stderr", _Full())
    assert run(["measure", str(ratings)]) == 0
    assert "Krippendorff" in capsys.readouterr().out
    assert run(["measure", str(ratings) + "x"]) == 3
    assert run(["measure", "--nonsense"]) == 2


@needed.ON_POSIX
@pytest.mark.parametrize("closed", [">&-", "<&- 2>&-"])
def test_streams_that_are_closed_from_outside(closed: str, ratings: Path) -> None:
    command = f'exec "$0" -m consilience.cli measure -q "$1" {closed}'
    done = subprocess.run(
        ["sh", "-c", command, sys.executable, str(ratings)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert "Traceback" not in done.stderr


# -------------------------------------------------------------------- standard input


@needed.ON_POSIX
def test_a_device_as_standard_input_is_refused_unread() -> None:
    with open("/dev/zero", "rb") as zeros:
        done = subprocess.run(
            [sys.executable, "-m", "consilience.cli", "measure", "-"],
            stdin=zeros,
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 3
    assert "standard input must be a file or a pipe. Got a device" in done.stderr


def test_standard_input_is_bounded(monkeypatch: Any, capsys: Any) -> None:
    from consilience.cli import reading as _ratings_reading

    monkeypatch.setattr(_ratings_reading, "_LARGEST_STDIN", 1 << 20)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a,b\n" * (1 << 19))))
    assert run(["measure", "-"]) == 3
    assert "standard input must be at most" in capsys.readouterr().err


def _strike_while_loading(monkeypatch: Any, what: str, number: int, becomes: Any) -> None:
    """Strike when a module is looked for, and make another error of it as libraries do."""

    class Strike:
        def find_spec(self, name: str, *_: object) -> None:
            if name == what:
                try:
                    signal.raise_signal(number)
                except KeyboardInterrupt:
                    raise becomes from None

    monkeypatch.delitem(sys.modules, what, raising=False)
    monkeypatch.setattr(sys, "meta_path", [Strike(), *sys.meta_path])


_MADE_OF_INTERRUPTS = [KeyboardInterrupt(), ImportError("numpy did not load"), SystemError("?")]


@pytest.mark.parametrize("becomes", _MADE_OF_INTERRUPTS)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_before_anything_is_loaded(
    number: int, becomes: BaseException, monkeypatch: Any
) -> None:
    _strike_while_loading(monkeypatch, "consilience.cli.program", number, becomes)
    with pytest.raises(SystemExit) as left:
        main(["--version"])
    assert left.value.code == 128 + number


@pytest.mark.parametrize("becomes", _MADE_OF_INTERRUPTS)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_while_a_command_is_loaded(
    number: int, becomes: BaseException, monkeypatch: Any, capsys: Any
) -> None:
    home = "consilience.cli.files"
    _strike_while_loading(monkeypatch, home, number, becomes)
    monkeypatch.delitem(COMMANDS._entries, "find", raising=False)
    assert run(["find", "--help"]) == 128 + number
    said = {signal.SIGINT: "Interrupted.", signal.SIGTERM: "Ended from outside."}[number]
    assert capsys.readouterr().err.strip() == said


def test_an_interrupt_that_python_ignores_strikes_again(monkeypatch: Any, capsys: Any) -> None:
    class Gone:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGINT)

    def busy(*_: object, **__: object) -> int:
        gone = Gone()
        del gone
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            time.sleep(0.01)
        return 0

    monkeypatch.setattr(cli, "main", busy)
    assert run(["demo"]) == 130
    assert capsys.readouterr().err == "Interrupted.\n"


# -------------------------------------------------------------------- the same bytes again


def test_record_and_report_are_the_same_bytes_whatever_the_threads(
    ratings: Path, tmp_path: Path
) -> None:
    code = (
        "import sys; from consilience.cli.program import run; source = sys.argv[1]; "
        "run(['measure', source, '-q', '-o', 'out.json', '--interval', 'percentile']); "
        "run(['report', source, '-q', '-o', 'out.html'])"
    )
    for threads in ("1", "8"):
        (tmp_path / threads).mkdir()
        limits = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), threads)
        subprocess.run(
            [sys.executable, "-c", code, str(ratings)],
            cwd=tmp_path / threads,
            env={**os.environ, **limits, "PYTHONHASHSEED": threads},
            capture_output=True,
            check=True,
        )
    for name in ("out.json", "out.html"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "8" / name).read_bytes()
