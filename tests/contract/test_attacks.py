"""Attacks on every door and every writer: what docs/trust.md promises, tried on every route."""

from __future__ import annotations

import ast
import errno
import io
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

import consilience as cs
import needed
from consilience import engine, plot
from consilience.cli.program import run
from consilience.core import output_files
from consilience.core.database import Session
from consilience.core.input_files import check_file
from consilience.core.output_files import TemporaryFolder
from consilience.document import Document, Table
from consilience.io import convert, read_taxonomy, read_weights
from consilience.io.building import _build_ratings as _reduced
from consilience.io.events import load_units
from consilience.io.grids import json_tables as nested_json
from consilience.io.small_tables import read_differences
from faults import OLD, SCENES, Scene, write_inputs

pytestmark = needed.ON_POSIX
PACKAGE = Path(cs.__file__).parent


def rows(labels: str | list[str], n: int = 12) -> list[tuple[str, str, str]]:
    return [(f"i{k}", who, labels[(k + (who == "b") * (k % 3 == 0)) % len(labels)])
            for k in range(n) for who in "ab"]  # fmt: skip


def write(path: Path, labels: str | list[str]) -> Path:
    """Write one table in the format that the ending names."""
    table = rows(labels)
    if path.suffix == ".csv":
        path.write_text("item,rater,label\n" + "".join(",".join(row) + "\n" for row in table))
    elif path.suffix == ".jsonl":
        names = ("item", "rater", "label")
        lines = [json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in table]
        path.write_text("".join(lines))
    elif path.suffix == ".rows":
        wide = [[a[2], b[2]] for a, b in zip(table[::2], table[1::2], strict=True)]
        engine.save_rows(cs.Ratings.from_wide(wide), path)
    else:
        values = ", ".join(str(row) for row in table)
        made = path.parent / "made.tmp"
        duckdb.connect().execute(
            f"COPY (SELECT * FROM (VALUES {values}) t(item, rater, label)) TO '{made}' "
            "(FORMAT parquet)"
        )
        made.replace(path)
    return path


def by_command(path: Path, *more: str) -> tuple[str, ...]:
    """Read by the command line, and return the labels."""
    target = path.parent / "found.json"
    assert run(["measure", str(path), "-q", "-o", str(target), "--force", *more]) in (0, 4)
    return tuple(json.loads(target.read_text())["data"]["categories"])


ROUTES: dict[str, Callable[[Path], tuple[str, ...]]] = {
    "read": lambda path: cs.read(path).categories,
    "read, many rows": lambda path: cs.read(path, items="forget").categories,
    "engine": lambda path: engine.reduce_files(path).categories,
    "command": by_command,
    "command with engine": lambda path: by_command(path, "--engine", "duckdb"),
}


@pytest.fixture
def _large(request: Any, monkeypatch: Any) -> None:
    """Let every file count as large."""
    monkeypatch.setattr(_reduced, "MANY_ROWS", 0)
    monkeypatch.setattr(nested_json, "_LARGEST", 1)


# -------------------------------------------------------------------- names and types


@pytest.mark.parametrize("large", [False, True], ids=["small", "large"])
@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".jsonl"])
def test_a_name_with_signs_is_the_file_of_that_name(
    suffix: str, large: bool, tmp_path: Path, request: Any
) -> None:
    if large:
        request.getfixturevalue("_large")
    names = (("a[1]", "a1"), ("b*", "bc"), ("c?", "cd"), ("e\\[1]", "e1"))
    for k, (name, decoy) in enumerate(names):
        path = write(tmp_path / f"{name}{suffix}", ["asked", "for"])
        write(tmp_path / f"{decoy}{suffix}", ["another", "file"])
        # Each name by each route: half of them small, the other half large.
        for route, labels in list(ROUTES.items())[(k + large) % 2 :: 2]:
            assert labels(path) == ("asked", "for"), (name, route)


def test_a_file_of_rows_is_the_one_of_that_name(tmp_path: Path) -> None:
    path = write(tmp_path / "a[1].rows", ["asked", "for"])
    write(tmp_path / "a1.rows", ["another", "file"])
    assert engine.load_rows(path).categories == ("asked", "for")
    merged = engine.merge_rows([path], tmp_path / "sum[1].rows")
    assert engine.load_rows(merged).categories == ("asked", "for")
    assert by_command(path) == ("asked", "for")


def test_a_folder_for_temporary_files_with_signs_in_its_name(
    tmp_path: Path, monkeypatch: Any
) -> None:
    folder = tmp_path / "tmp[1]*"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    path = write(tmp_path / "a[1].parquet", ["asked", "for"])
    assert cs.read(path).categories == ("asked", "for")
    assert list(folder.iterdir()) == []


def test_a_pattern_is_told(tmp_path: Path, capsys: Any) -> None:
    write(tmp_path / "part1.csv", "xy")
    other = (tmp_path / "part1.csv").read_text().replace("i", "j").replace("jtem", "item")
    (tmp_path / "part2.csv").write_text(other)
    pattern = str(tmp_path / "part*.csv")
    found = engine.reduce_files(pattern)
    assert found.n_items == 24
    assert f"no file is called {pattern}: a pattern, for 2 files" in found.reading.evidence
    assert run(["measure", pattern, "--engine", "duckdb"]) == 0
    assert "a pattern, for 2 files" in capsys.readouterr().err


LABELS = ["yes", "true", "2020-1-1", "2020-01-01", "01", "1", "1.0", "n"]


@pytest.mark.parametrize("large", [False, True], ids=["small", "large"])
@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".jsonl"])
def test_labels_stay_text_as_written(
    suffix: str, large: bool, tmp_path: Path, request: Any
) -> None:
    if large:
        request.getfixturevalue("_large")
    path = write(tmp_path / f"t{suffix}", LABELS)
    for route, labels in ROUTES.items():
        assert set(labels(path)) == set(LABELS), route


def test_names_of_folders_stay_text(tmp_path: Path) -> None:
    for day in ("01", "1"):
        (tmp_path / f"rater={day}").mkdir()
        target = tmp_path / f"rater={day}" / "part.parquet"
        duckdb.connect().execute(
            "COPY (SELECT 'i' || k AS item, ['x', 'y'][1 + k % 2] AS label FROM range(9) t(k)) "
            f"TO '{target}' (FORMAT parquet)"
        )
    found = engine.reduce_files(tmp_path, item="item", rater="rater", label="label")
    assert set(found.raters) == {"01", "1"}


# -------------------------------------------------------------------- the database


def _modules_with(*words: str) -> Iterator[tuple[Path, ast.Module]]:
    """Parse the modules in which a word stands; the others cannot do what it names."""
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if any(word in text for word in words):
            yield path, ast.parse(text)


def test_the_database_is_opened_in_one_place() -> None:
    opens = {"connect", "sql", "query", "read_csv", "read_parquet", "read_json", "from_query"}
    found = set()
    for path, tree in _modules_with("duckdb"):
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in opens:
                owner = node.value
                if isinstance(owner, ast.Name) and owner.id == "duckdb":
                    found.add(path.name)
    assert found == {"database.py"}


def test_the_database_loads_nothing_and_keeps_its_settings() -> None:
    with Session() as session:
        for sql in ("LOAD httpfs", "INSTALL httpfs", "SET threads = 1",
                    "SET autoload_known_extensions = true", "SET extension_directory = '/tmp'",
                    "SELECT * FROM read_csv('http://127.0.0.1:9/x.csv')"):  # fmt: skip
            with pytest.raises(session.database_error):
                session.run(sql)
        planted = np.array([1])  # noqa: F841 - must not be seen by the database
        with pytest.raises(session.database_error):
            session.run("SELECT * FROM planted")


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """A server that must hear nothing."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        server.setblocking(False)
        yield server
        with pytest.raises(BlockingIOError):
            server.accept()


def _plant(home: Path) -> None:
    """Put something that calls itself an extension where DuckDB looks by default."""
    with duckdb.connect() as connection:
        version = connection.execute("SELECT library_version FROM pragma_version()").fetchone()[0]
        platform = connection.execute("PRAGMA platform").fetchone()[0]
    folder = home / ".duckdb" / "extensions" / version / platform
    folder.mkdir(parents=True)
    (folder / "httpfs.duckdb_extension").write_bytes(b"\x7fELF planted")


READERS: dict[str, Callable[[str], object]] = {
    "read": cs.read,
    "engine": engine.reduce_files,
    "spark": lambda path: engine.reduce_files(path, engine="spark"),
    "rows": engine.load_rows,
    "merge": lambda path: engine.merge_rows([path], "merged.rows"),
    "units": load_units,
    "convert": lambda path: convert(path, "out.csv"),
    "weights": read_weights,
    "taxonomy": read_taxonomy,
    "chains": cs.io.read_chains,
    "shares": lambda path: cs.read(path, shares_of=10),
    "differences": lambda path: read_differences(path, setting="s"),
}
COMMANDS = {
    "measure": "measure {}",
    "measure with engine": "measure {} --engine duckdb",
    "report": "report {} -o o.html",
    "units": "units {}",
    "merge": "merge {} -o o.rows",
    "convert": "convert {} o.csv",
    "key file": "convert r.csv o.csv --anonymise --key-file {}",
    "sheet": "adjudicate r.csv --read {}",
    "distance": "measure r.csv --distance {}",
    "panel": "panel {}",
    "compare": "compare r.csv {}",
    "plot": "plot forest {} -o o.svg",
}


@pytest.mark.parametrize("address", ["http://127.0.0.1:{}/a.{}", "s3://127.0.0.1:{}/a.{}"])
def test_no_address_is_ever_asked(
    address: str, listener: socket.socket, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    _plant(tmp_path)
    write(tmp_path / "r.csv", "xy")
    for suffix in ("csv", "parquet", "rows"):
        name = address.format(listener.getsockname()[1], suffix)
        for read in READERS.values():
            with pytest.raises(cs.ConsilienceError):
                read(name)
        for words in COMMANDS.values():
            assert run(words.format(name).split()) in (2, 3), words
    assert "Traceback" not in capsys.readouterr().err
    with pytest.raises(cs.ConsilienceError, match="nothing is fetched from the network"):
        check_file(name)


# -------------------------------------------------------------------- what is no file


@pytest.fixture
def _no_hanging() -> Iterator[None]:
    def hangs(number: int, frame: Any) -> None:
        raise AssertionError("it waits for a pipe")

    before = signal.signal(signal.SIGALRM, hangs)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("_no_hanging")
@pytest.mark.parametrize("suffix", ["csv", "parquet", "rows", "json"])
def test_pipes_devices_and_sockets_are_refused_unopened(
    suffix: str, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "r.csv", "xy")
    os.mkfifo(f"pipe.{suffix}")
    os.symlink("/dev/zero", f"device.{suffix}")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(f"socket.{suffix}")
        for name in (f"pipe.{suffix}", f"device.{suffix}", f"socket.{suffix}"):
            for read in READERS.values():
                with pytest.raises(cs.ConsilienceError):
                    read(name)
            for words in COMMANDS.values():
                assert run(words.format(name).split()) in (2, 3), words
    assert "Traceback" not in capsys.readouterr().err


# -------------------------------------------------------------------- files out


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: Any) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("inputs")
    write_inputs(folder)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def here(inputs: dict[str, bytes], tmp_path: Path, monkeypatch: Any) -> Path:
    for name, data in inputs.items():
        (tmp_path / name).write_bytes(data)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("kind", ["file", "link", "pipe", "input"])
def test_no_command_writes_over_anything(kind: str, here: Path, capsys: Any) -> None:
    """Every command that writes, every one of its outputs."""
    for scene in SCENES:
        for output in scene.outputs:
            words, path = scene.words.split(), here / output
            if kind == "file":
                path.write_bytes(OLD)
            elif kind == "link":
                path.symlink_to(here / "elsewhere")
                words.append("--force")
            elif kind == "pipe":
                os.mkfifo(path)
                words.append("--force")
            elif scene.words.split()[1] in ("r.csv", "l.csv", "u.csv"):
                os.link(words[1], path)  # the input by another name
                words.append("--force")
            else:
                continue
            before = path.lstat()
            assert run(words) == 2, words
            assert path.lstat().st_mtime_ns == before.st_mtime_ns
            assert kind != "file" or path.read_bytes() == OLD
            path.unlink()
    assert not (here / "elsewhere").exists()
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    ["measure l.csv -o o.csv --save-rows o.csv", "panel r.csv --figure o.svg --report o.svg",
     "units u.csv --report ./o.html -o o.html", "compare r.csv s.csv --report o.html -o o.html",
     "simulate --items 9 --agreement 0.7 --draw o.csv -o o.csv"],
)  # fmt: skip
def test_two_outputs_on_one_path_are_refused(words: str, here: Path, capsys: Any) -> None:
    assert run(words.split()) == 2
    assert "Name two files" in capsys.readouterr().err
    assert not list(here.glob("o.*"))


def test_writers_of_the_library_refuse_what_is_there(here: Path) -> None:
    ratings = cs.read("r.csv")
    axes = plot.forest(ratings)
    writers: dict[str, Callable[..., object]] = {
        "o.rows": lambda path, **o: engine.save_rows(ratings, path, **o),
        "m.rows": lambda path, **o: engine.merge_rows(["a.rows"], path, **o),
        "o.svg": lambda path, **o: plot.save(axes, path, **o),
        "o.csv": lambda path, **o: convert("l.csv", path, **o),
        "o.xlsx": lambda path, **o: cs.io.write_sheet(cs.latent.adjudicate(ratings), path, **o),
    }
    for name, write_to in writers.items():
        Path(name).write_bytes(OLD)
        with pytest.raises(cs.ConsilienceError, match="which exists"):
            write_to(name)
        assert Path(name).read_bytes() == OLD
        write_to(name, existing="replace")
        assert Path(name).read_bytes() != OLD
        Path(name).unlink()
        for place in (Path(name), here / "none"):
            os.symlink("elsewhere", name) if place.name == name else None
            with pytest.raises(cs.ConsilienceError):
                write_to(name if place.name == name else place / name, existing="replace")
    assert not (here / "elsewhere").exists()


def test_a_file_that_appears_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    target = tmp_path / "o.txt"

    def write_late() -> None:
        with output_files.written_beside(target) as beside:
            beside.write_text("ours")
            target.write_text("theirs")

    with pytest.raises(cs.ConsilienceError, match="which exists"):
        write_late()
    assert target.read_text() == "theirs"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("nameless", [True, False])
def test_both_ways_to_write(nameless: bool, tmp_path: Path, monkeypatch: Any) -> None:
    """Files without a name where the system has them, and files beside where it has not."""
    if not nameless:
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    target = tmp_path / "o.bin"
    output_files.write_bytes(target, b"one")
    with pytest.raises(cs.ConsilienceError, match="which exists"):
        output_files.write_bytes(target, b"two")
    output_files.write_bytes(target, b"three", existing="replace")
    assert target.read_bytes() == b"three"
    assert target.stat().st_mode & 0o777 == 0o666 & ~_umask()
    for strike in (KeyboardInterrupt, OSError(errno.ENOSPC, "No space left on device")):
        with pytest.raises((KeyboardInterrupt, cs.ConsilienceError)):
            _half(target, strike)
    assert target.read_bytes() == b"three"
    assert list(tmp_path.iterdir()) == [target]


def _half(target: Path, strike: type[BaseException] | BaseException) -> None:
    with output_files.written_beside(target, existing="replace") as beside:
        beside.write_bytes(b"half")
        raise strike


def _umask() -> int:
    umask = os.umask(0)
    os.umask(umask)
    return umask


# One command for each way in which files are made.
FULL = [one for one in SCENES if one.words in (
    "measure r.csv -q -o o.json", "measure r.csv -q -o o.xlsx", "measure r.csv -q -o o.parquet",
    "merge a.rows b.rows -q -o o.rows", "plot forest r.csv -q -o o.svg",
    "convert l.csv o.parquet -q", "adjudicate r.csv -q -o o.xlsx", "report r.csv -q -o o.html",
    "bias r.csv -q --figure o.svg -o o.csv")]  # fmt: skip


@pytest.mark.parametrize("scene", FULL, ids=lambda scene: scene.words)
def test_a_full_disk_is_one_sentence(
    scene: Scene, here: Path, monkeypatch: Any, capsys: Any
) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    before = {path.name for path in here.iterdir()}
    monkeypatch.setattr(output_files.os, "fsync", full)
    assert run(scene.words.split()) == 3
    said = capsys.readouterr().err
    assert said.count("Error: ") == 1
    assert "No space left on device; nothing was written" in said
    assert {path.name for path in here.iterdir()} == before


# Files that are written anywhere else lie in the folder of a session or of the workbench, and go
# with it.
SCRATCH = {
    "output.py", "output_files.py", "duckdb_engine.py", "_convert.py", "_sheet.py",
    "_requested_layout.py", "_child_main.py", "text.py", "_header.py", "delimited.py",
    "json_tables.py", "workbooks.py", "file.py", "items.py", "reading.py",
}  # fmt: skip


def test_there_is_one_writer() -> None:
    found = set()
    for path, tree in _modules_with("open(", "write_text", "write_bytes"):
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            called = getattr(node.func, "attr", getattr(node.func, "id", ""))
            modes = [a.value for a in node.args if isinstance(a, ast.Constant)]
            writes = called == "open" and any(isinstance(m, str) and m[:1] in "wax" for m in modes)
            owned = called in ("write_text", "write_bytes") and isinstance(node.func, ast.Attribute)
            if writes or owned:
                found.add(path.name)
    assert found <= SCRATCH


# -------------------------------------------------------------------- how a run ends


class _Gone(io.BytesIO):
    """A pipe whose reader has left."""

    def write(self, data: Any) -> int:
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")


@pytest.mark.parametrize(
    "words",
    ["measure r.csv -q --fail-under alpha=0.99", "measure l.csv -q --json --fail-under alpha=0.99",
     "units u.csv -q --time-unit ms --fail-under kappa=0.99",
     "panel r.csv -q --system Dee --people Ann --people Bob --people Cem --fail-under kappa=0.99 "
     "--resamples 99"],
)  # fmt: skip
def test_a_gate_is_told_even_if_nobody_reads(words: str, here: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(_Gone(), write_through=True))
    assert run(words.split()) == 1


def test_a_gate_before_a_pipe_that_closes(here: Path) -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    done = subprocess.run(
        [sys.executable, "-m", "consilience", "measure", "r.csv", "-q", "--fail-under", "pi=0.99"],
        stdout=theirs, stderr=subprocess.PIPE, check=False,
    )  # fmt: skip
    os.close(theirs)
    assert (done.returncode, b"Traceback" in done.stderr) == (1, False), done.stderr


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_request_to_end_cleans_up(
    number: int, code: int, here: Path, monkeypatch: Any, capsys: Any
) -> None:
    scratch = here / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    before = Session.one

    def strike(self: Session, sql: str) -> Any:
        signal.raise_signal(number)
        return before(self, sql)

    monkeypatch.setattr(Session, "one", strike)
    handler = signal.getsignal(number)
    if number == signal.SIGINT:  # which shells let processes in the background ignore
        signal.signal(number, signal.default_int_handler)
    try:
        struck = signal.getsignal(number)
        assert run(["measure", "r.csv", "-q", "-o", "o.json"]) == code
        assert signal.getsignal(number) == struck
    finally:
        signal.signal(number, handler)
    assert capsys.readouterr().err.strip() in ("Ended from outside.", "Interrupted.")
    assert not (here / "o.json").exists()
    assert list(scratch.iterdir()) == []


def test_a_request_to_end_while_a_file_takes_its_place(tmp_path: Path, monkeypatch: Any) -> None:
    target = tmp_path / "o.txt"
    before = signal.signal(signal.SIGTERM, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    link = os.link

    def strike(*args: Any, **kwargs: Any) -> None:
        signal.raise_signal(signal.SIGTERM)
        link(*args, **kwargs)

    monkeypatch.setattr(os, "link", strike)
    with pytest.raises(KeyboardInterrupt):
        output_files.write_bytes(target, b"whole")
    signal.signal(signal.SIGTERM, before)
    assert target.read_bytes() == b"whole"
    assert list(tmp_path.iterdir()) == [target]


def test_what_a_killed_run_left_is_removed_by_the_next(tmp_path: Path) -> None:
    child = os.fork()
    if child == 0:
        killed = TemporaryFolder(tmp_path)
        (killed.path / "half").write_text("x")
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    alive = TemporaryFolder(tmp_path)  # removes that of the killed one, and is not removed itself
    (tmp_path / "consilience-mine").mkdir()  # somebody's own folder stays
    with TemporaryFolder(tmp_path) as folder:
        assert {*tmp_path.iterdir()} == {alive.path, folder, tmp_path / "consilience-mine"}
    alive.remove()
    assert [path.name for path in tmp_path.iterdir()] == ["consilience-mine"]


def test_a_fault_of_ours_has_a_code_of_its_own(here: Path, monkeypatch: Any, capsys: Any) -> None:
    from consilience.cli import program as _main

    monkeypatch.setattr(_main, "run", lambda arguments: 1 // 0)
    with pytest.raises(SystemExit) as left:
        _main.main(["measure", "r.csv"])
    assert left.value.code == 70
    assert "a fault of Consilience" in capsys.readouterr().err


# -------------------------------------------------------------------- texts


@pytest.mark.parametrize(
    "words",
    [["\x1b[31mred"], ["measure", "\x1b[2J.csv"], ["measure", "r.csv", "--\x1b[31m"],
     ["measure", "r.csv", "-c", "\x1b[31m"], ["measure", "r.csv", "-o", "\x1b[31m.zip"],
     ["plot", "\x1b]0;title\x07", "r.csv"], ["measure", "r.csv", "--scale", "\x1b[31m"]],
)  # fmt: skip
def test_what_was_typed_cannot_steer_the_screen(words: list[str], here: Path, capsys: Any) -> None:
    assert run(words) in (2, 3)
    said = capsys.readouterr()
    assert "\x1b" not in said.err + said.out
    assert "\x07" not in said.err + said.out


@pytest.mark.parametrize("cell", ["[2ex] a", "*", " [x]", "*b"])
def test_latex_takes_no_cell_for_an_option(cell: str) -> None:
    table = Document(blocks=(Table(heads=(cell, "n"), rows=[[cell, 1], ["b", 2], [cell, 3]]),))
    lines = table.latex().splitlines()
    assert not [line for line in lines if line.lstrip().startswith(("[", "*"))]
    assert sum(line.startswith("{}") for line in lines) == 3


def test_ids_that_differ_in_unicode_form_get_a_hint(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "t.csv"
    lines = [f"caf\u00e9 {k},a,{'xy'[k % 2]}\ncafe\u0301 {k},b,{'xy'[k % 2]}\n" for k in range(9)]
    path.write_text("item,rater,label\n" + "".join(lines), encoding="utf-8")
    notes = {note.code: note.message for note in cs.read(path).notes}
    assert r"'caf\xe9 0' and 'cafe\u0301 0'" in notes["names_differ_in_form"]
    assert cs.read(path).n_items == 18  # never merged
    run(["measure", str(path)])
    assert "one Unicode form" in "".join(capsys.readouterr())


# -------------------------------------------------------------------- numbers


def _tables() -> dict[str, Callable[[Any], cs.Ratings]]:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, 60)
    codes = np.where(rng.random((60, 3)) < 0.7, truth[:, None], rng.integers(0, 3, (60, 3)))
    marks = rng.normal(size=(60, 1)) + rng.normal(size=(60, 3))
    many = rng.integers(0, 300, (60, 3))
    counts = np.stack([np.bincount(row, minlength=3) for row in codes])

    def long(order: Any) -> cs.Ratings:
        every = [(f"i{k}", "xyz"[g], "abc"[codes[k, g]]) for k in order for g in order[:3] % 3]
        listed = list(dict.fromkeys(every))
        return cs.Ratings.from_long(dict(zip(("item", "rater", "label"), zip(*listed, strict=True),
                                             strict=True)))  # fmt: skip

    return {
        "wide": lambda order: cs.Ratings.from_wide(codes[order].tolist()),
        "interval": lambda order: cs.Ratings.from_wide(marks[order].tolist(), scale="interval"),
        "ordinal": lambda order: cs.Ratings.from_wide(marks[order].round(1).tolist(),
                                                      scale="ordinal"),
        "many labels": lambda order: cs.Ratings.from_wide(
            [[f"l{v}" for v in row] for row in many[order]]),
        "counts": lambda order: cs.Ratings.from_counts(counts[order], categories=list("abc")),
        "long": long,
    }  # fmt: skip


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("kind", _tables())
def test_intervals_do_not_depend_on_the_order_of_rows(kind: str, method: str) -> None:
    make = _tables()[kind]
    coefficients = [cs.krippendorff_alpha] + [cs.cohen_kappa] * (kind in ("wide", "long"))
    turned = np.random.default_rng(2).permutation(60)
    if kind == "long":  # each rater once, in whatever order
        turned = np.concatenate([[1, 2, 0], [k for k in turned if k > 2]])
    for coefficient in coefficients:
        one, other = (
            coefficient(make(order)).confidence_interval(method=method, n_resamples=99, rng=1)
            for order in (np.arange(60), turned)
        )
        assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=1e-9)


def test_what_a_database_says_of_a_full_disk_is_one_sentence(tmp_path: Path) -> None:
    from consilience.core.database import _plainly

    said = 'IO Error: Async write failed for range [offset=4, size=9]: {"exception_type":"IO",'
    said += '"exception_message":"Could not write file \\"made_1\\": File too large"}'
    assert _plainly(said) == 'Could not write file "made_1": File too large'
    assert _plainly("Out of Memory Error: failed\nmore") == "Out of Memory Error: failed"
    assert _plainly("Invalid Input Error: no\nmore") == "no"


def test_what_lxml_says_of_a_full_disk_is_an_error_of_the_system(
    tmp_path: Path, monkeypatch: Any
) -> None:
    import errno
    import gc

    from consilience.io.grids.workbooks import new_workbook

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    said = type("SerialisationError", (Exception,), {"__module__": "lxml.etree"})

    def broken(error: Exception) -> None:
        with new_workbook() as book:
            book.create_sheet("a").append([1])
            assert list(tmp_path.iterdir()) != []
            raise error

    with pytest.raises(OSError, match="No space left") as caught:
        broken(said("IO_ENOSPC"))
    assert caught.value.errno == errno.ENOSPC
    with pytest.raises(ValueError, match="other"):
        broken(ValueError("other"))
    assert list(tmp_path.iterdir()) == []
    gc.collect()  # what is thrown away is silent


@pytest.mark.parametrize("method", ["auto", "percentile", "analytic"])
@pytest.mark.parametrize("kind", ["labels", "values", "many values"])
@pytest.mark.parametrize("seed", range(6))
def test_intervals_do_not_depend_on_the_order_of_clusters_or_raters(
    kind: str, method: str, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, (12, 1)).repeat(4, 0)
    given = truth + rng.integers(-1, 2, (48, 3))
    if kind == "many values":
        given = given + rng.integers(0, 9, (48, 3)) / 10  # ties that rounding could break
    patient = np.arange(12).repeat(4)

    def limits(order: Any, raters: list[int]) -> list[float]:
        made = cs.Ratings.from_wide(
            given[np.ix_(order, raters)].tolist(), raters=[f"r{k}" for k in raters],
            scale="nominal" if kind == "labels" else "interval",
        ).with_clusters([f"p{patient[k]}" for k in order])  # fmt: skip
        every = []
        for coefficient in (cs.krippendorff_alpha, cs.cohen_kappa):
            options = {"n_resamples": 99, "rng": 1, "by": "cluster"}
            if method != "percentile":
                options = {}
            interval = coefficient(made).confidence_interval(method=method, **options)
            every += [interval.low, interval.high]
        return every

    turned = limits(rng.permutation(48), [2, 0, 1])
    assert turned == pytest.approx(limits(np.arange(48), [0, 1, 2]), abs=1e-9)


# -------------------------------------------------------------------- the page of promises


def test_every_test_that_the_page_names_exists() -> None:
    root = Path(__file__).resolve().parents[2]
    named = set(re.findall(r"`(test_\w+)`", (root / "docs" / "trust.md").read_text("utf-8")))
    text = "\n".join(path.read_text("utf-8") for path in (root / "tests").rglob("test_*.py"))
    assert named - set(re.findall(r"def (test_\w+)\(", text)) == set()
