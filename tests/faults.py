"""Break the machine below the program: kills, signals, full disks, bad disks, little memory.

``make faults`` runs it for as long as you like; numbers are kept in a file, and a later run goes
on. Every command that writes is run in a process of its own and
struck at a random moment. After each run: every output is the whole new file, the old one, or not
there; nothing else lies beside it; no scratch is left; the exit code tells what happened; the
input is what it was. Linux only.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import errno
import fcntl
import io
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # a process with threads should not fork

from consilience.cli.program import run
from consilience.core.output_files import TemporaryFolder

OLD = b"what was here before"
NOBODY = 65_534
SECONDS = 900  # on a busy machine
_SETPIPE = 1_031  # F_SETPIPE_SZ
_NO_DISK = (errno.ENOSPC, errno.EIO, errno.EROFS, errno.EDQUOT)


# -------------------------------------------------------------------- commands that write


@dataclass(frozen=True)
class Scene:
    """A command with the files it writes, by name below the folder it runs in."""

    words: str
    outputs: tuple[str, ...]


SCENES = (
    *(Scene(f"measure r.csv -q -o o.{end}", (f"o.{end}",))
      for end in ("json", "csv", "md", "tex", "txt", "xlsx", "parquet")),
    Scene("measure r.csv -q --interval percentile --resamples 999 -o o.json", ("o.json",)),
    Scene("measure l.csv -q --save-rows o.rows --engine duckdb -o o.csv", ("o.rows", "o.csv")),
    Scene("merge a.rows b.rows -q -o o.rows", ("o.rows",)),
    Scene("report r.csv -q -o o.html", ("o.html",)),
    Scene("plot forest r.csv -q -o o.svg", ("o.svg",)),
    Scene("plot raters r.csv -q -o o.png", ("o.png",)),
    *(Scene(f"convert l.csv o.{end} -q", (f"o.{end}",)) for end in ("csv", "jsonl", "parquet")),
    Scene("adjudicate r.csv -q -o o.xlsx", ("o.xlsx",)),
    Scene("adjudicate r.csv -q -o o.csv", ("o.csv",)),
    Scene("adjudicate r.csv -q --read sheet.csv --json -o o.csv", ("o.csv",)),
    Scene("adjudicate r.csv -q --read sheet.csv --json -o o.parquet", ("o.parquet",)),
    Scene("panel r.csv -q --system Dee --people Ann --people Bob --people Cem --figure o.svg "
          "--report o.html -o o.json --resamples 99", ("o.svg", "o.html", "o.json")),
    Scene("units u.csv -q --time-unit ms --figure o.svg --report o.html -o o.json",
          ("o.svg", "o.html", "o.json")),
    Scene("compare r.csv s.csv -q --report o.html -o o.md", ("o.html", "o.md")),
    Scene("bias r.csv -q --figure o.svg -o o.csv", ("o.svg", "o.csv")),
    Scene("simulate --items 30 --agreement 0.7 --studies 60 --draw o.csv -o o.json",
          ("o.csv", "o.json")),
    Scene("latent r.csv -q --report o.html -o o.json", ("o.html", "o.json")),
    Scene("raters r.csv -q -o o.html", ("o.html",)),
    Scene("demo -o o.html", ("o.html",)),
)  # fmt: skip


def write_inputs(folder: Path) -> None:
    """Write everything that the commands read."""
    rng = random.Random(0)
    rows, long = ["item,Ann,Bob,Cem,Dee"], ["unit,coder,code"]
    for k in range(60):
        truth = rng.choice("xyz")
        codes = [truth if rng.random() < 0.8 else rng.choice("xyz") for _ in range(4)]
        rows.append(",".join([f"i{k}", *codes]))
        long += [f"i{k},{who},{code}" for who, code in zip("abcd", codes, strict=True)]
    (folder / "r.csv").write_text("\n".join(rows) + "\n")
    (folder / "s.csv").write_text("\n".join([rows[0], *rows[30:], *rows[1:20]]) + "\n")
    (folder / "l.csv").write_text("\n".join(long) + "\n")
    marks = []
    for k in range(20):
        for who in "AB":
            label = "xy"[(k + (who == "B") * (k % 5 == 0)) % 3 % 2]
            marks.append(f"{who},s,{k * 100 + rng.randrange(20)},{k * 100 + 70},{label}")
    (folder / "u.csv").write_text("rater,session,start,end,label\n" + "\n".join(marks) + "\n")
    with contextlib.chdir(folder), silence():
        for name in "ab":
            run(["measure", "l.csv", "-q", "--save-rows", f"{name}.rows"])
        run(["adjudicate", "r.csv", "-q", "-o", "sheet.csv"])
    filled = (folder / "sheet.csv").read_text("utf-8-sig").splitlines()
    heads = filled[0].split(",")
    cells = [line.split(",") for line in filled[1:]]
    for row in cells:
        row[heads.index("gold")] = "x"
    text = "\n".join(",".join(row) for row in [heads, *cells])
    (folder / "sheet.csv").write_text(text + "\n", "utf-8-sig")


@contextlib.contextmanager
def silence() -> Iterator[io.StringIO]:
    """Let nothing be printed; yield what was to go to stderr."""
    said = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
        yield said


# -------------------------------------------------------------------- faults

Fault = Callable[[random.Random, int], None]


def full_file(rng: random.Random, size: int) -> None:
    """No file may grow beyond a random size."""
    most = rng.randrange(2 * size + 1)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


def failing_call(rng: random.Random, size: int) -> None:
    """The n-th call that makes, links, renames or opens a file for writing fails."""
    left, number = [rng.randint(1, 9)], rng.choice(_NO_DISK)

    def hook(event: str, told: tuple[Any, ...]) -> None:
        makes = event in ("os.link", "os.rename", "os.mkdir")
        flags = (told[2] if event == "open" else 0) or 0
        writes = flags & (os.O_WRONLY | os.O_RDWR)
        if (makes or writes) and told[0] != os.devnull:
            left[0] -= 1
            if left[0] == 0:
                raise OSError(number, os.strerror(number))

    sys.addaudithook(hook)


class _Failing(io.FileIO):
    """A file that fails after some bytes."""

    left = 0
    number = errno.EIO

    def _spend(self, size: int) -> None:
        _Failing.left -= size
        if _Failing.left < 0:
            raise OSError(self.number, os.strerror(self.number))

    def write(self, data: Any) -> int:
        self._spend(len(data))
        return super().write(data)

    def readinto(self, into: Any) -> int:
        self._spend(len(into))
        return super().readinto(into)

    def readall(self) -> bytes:
        self._spend(1_000)
        return super().readall()


def _failing_files(modes: str, number: int, after: int) -> None:
    """Let all files that are opened in one of the modes fail after some bytes in all."""
    _Failing.left, _Failing.number = after, number
    before, here = io.open, Path.cwd()

    def opened(file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        named = None if isinstance(file, int) else Path(os.fsdecode(file)).absolute()
        ours = named is not None and (named.parent == here or "w" in mode)
        if not set(mode) & set(modes) or "+" in mode or not ours:
            return before(file, mode, *args, **kwargs)
        raw = _Failing(file, mode.replace("t", "").replace("b", ""))
        buffered: Any = io.BufferedReader(raw) if "r" in mode else io.BufferedWriter(raw)
        if "b" in mode:
            return buffered
        kept = {k: v for k, v in kwargs.items() if k in ("encoding", "errors", "newline")}
        return io.TextIOWrapper(buffered, **kept)

    import builtins

    io.open = builtins.open = opened  # type: ignore[assignment]


def full_disk(rng: random.Random, size: int) -> None:
    """The disk is full after a random number of bytes."""
    _failing_files("wax", errno.ENOSPC, rng.randrange(size + 1))


def bad_input(rng: random.Random, size: int) -> None:
    """The disk of the input fails after a random number of bytes."""
    _failing_files("r", errno.EIO, rng.randrange(30_000))


def bad_sync(rng: random.Random, size: int) -> None:
    """What was written cannot be kept: told by fsync."""

    def fails(handle: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    os.fsync = fails


def read_only(rng: random.Random, size: int) -> None:
    """Somebody runs it who may not write here."""
    Path().chmod(0o555)
    os.environ["TMPDIR"] = tempfile.tempdir = "/tmp"
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


def tiny_memory(rng: random.Random, size: int) -> None:
    """There is hardly any memory left."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + rng.randrange(1 << 27)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def full_stdout(rng: random.Random, size: int) -> None:
    """The disk below stdout is full."""
    os.dup2(os.open("/dev/full", os.O_WRONLY), 1)


def closed_pipe(rng: random.Random, size: int) -> None:
    """Whoever reads stdout has left."""
    ours, theirs = os.pipe()
    os.close(ours)
    os.dup2(theirs, 1)


BELOW: dict[str, Fault] = {
    "full file": full_file,
    "failing call": failing_call,
    "full disk": full_disk,
    "bad input": bad_input,
    "bad sync": bad_sync,
    "read-only folder": read_only,
    "tiny memory": tiny_memory,
    "full stdout": full_stdout,
    "closed pipe": closed_pipe,
}
SIGNALS = {"kill -9": signal.SIGKILL, "SIGTERM": signal.SIGTERM, "SIGINT": signal.SIGINT}
COLD = {f"{name}, from the start": number for name, number in SIGNALS.items()}
FAULTS = ("none", *BELOW, *SIGNALS, *COLD)


# -------------------------------------------------------------------- one run


@dataclass
class Outcome:
    """What a run left."""

    code: int
    said: str
    states: dict[str, str]
    left: list[str]
    wrong: list[str] = field(default_factory=list)


@dataclass
class Stage:
    """Inputs, and what every command gives when nothing goes wrong."""

    folder: Path
    inputs: dict[str, bytes]
    wanted: dict[Scene, dict[str, bytes]] = field(default_factory=dict)
    codes: dict[Scene, int] = field(default_factory=dict)
    seconds: dict[Scene, float] = field(default_factory=dict)

    @classmethod
    def made(cls, folder: Path) -> Stage:
        """Write the inputs, and run every command once; all that they need is then loaded."""
        first = folder / "inputs"
        first.mkdir()
        write_inputs(first)
        stage = cls(folder, {one.name: one.read_bytes() for one in first.iterdir()})
        for scene in SCENES:
            here = stage.set_up(scene, old=False)
            with contextlib.chdir(here), silence() as said:
                run(scene.words.split())  # the first time it loads
                started = time.monotonic()
                stage.codes[scene] = run([*scene.words.split(), "--force"])
            stage.seconds[scene] = time.monotonic() - started
            assert stage.codes[scene] == 0, (scene, said.getvalue())
            stage.wanted[scene] = {name: (here / name).read_bytes() for name in scene.outputs}
            shutil.rmtree(here)
        return stage

    def set_up(self, scene: Scene, *, old: bool) -> Path:
        """Make a fresh folder with the inputs, and with old outputs if asked."""
        here = Path(tempfile.mkdtemp(dir=self.folder))
        here.chmod(0o755)
        for name, data in self.inputs.items():
            (here / name).write_bytes(data)
        for name in scene.outputs if old else ():
            (here / name).write_bytes(OLD)
        return here

    def size(self, scene: Scene) -> int:
        """Bytes of the largest output."""
        return max(map(len, self.wanted[scene].values()))


@dataclass(frozen=True)
class Job:
    """One run: a command in a folder, and what is to go wrong."""

    scene: Scene
    words: list[str]
    here: Path
    scratch: Path
    fault: str
    rng: random.Random


def one_run(stage: Stage, scene: Scene, fault: str, rng: random.Random) -> Outcome:
    """Run a command under a fault, and look at what it leaves."""
    old = rng.random() < 0.5
    here = stage.set_up(scene, old=old)
    scratch = Path(tempfile.mkdtemp(dir=stage.folder))
    words = [*scene.words.split(), *(["--force"] if old else [])]
    job = Job(scene, words, here, scratch, fault, rng)
    code, said = _cold(job) if fault in COLD else _warm(stage, job)
    here.chmod(0o755)
    found = Outcome(code, said, _states(stage, scene, here), _left(stage, scene, here, scratch))
    found.wrong = list(_judged(stage, scene, fault, old, found))
    if fault.startswith("kill -9"):
        TemporaryFolder(scratch).remove()  # the next run removes what the killed one left
        ours = [one.name for one in scratch.iterdir() if one.name.startswith("consilience-")]
        found.wrong += [f"scratch not removed by the next run: {name}" for name in ours]
    for name, data in stage.inputs.items():
        if (here / name).read_bytes() != data:
            found.wrong.append(f"the input {name} was changed")
    shutil.rmtree(here)
    shutil.rmtree(scratch)
    return found


def _warm(stage: Stage, job: Job) -> tuple[int, str]:
    """Run in a copy of this process, where everything is loaded already."""
    ours, theirs = os.pipe()
    fcntl.fcntl(ours, _SETPIPE, 1 << 20)
    ready, begins = os.pipe()
    child = os.fork()
    if child == 0:
        _in_child(stage, job, theirs, begins)
    os.close(theirs)
    os.close(begins)
    os.read(ready, 1)  # what strikes before would strike this program, not the command
    os.close(ready)
    if job.fault in SIGNALS:
        time.sleep(job.rng.uniform(0.0, 1.2 * stage.seconds[job.scene]))
        os.kill(child, SIGNALS[job.fault])
    code = _waited(child)
    with os.fdopen(ours, "rb") as stream:
        return code, stream.read().decode("utf-8", "replace")


def _in_child(stage: Stage, job: Job, theirs: int, begins: int) -> None:
    code = 99
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # ends with its parent
        os.chdir(job.here)
        os.environ["TMPDIR"] = tempfile.tempdir = str(job.scratch)
        os.dup2(theirs, 2)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        if job.fault in BELOW:
            BELOW[job.fault](job.rng, stage.size(job.scene))
        os.write(begins, b".")
        os.close(begins)
        code = run(job.words)
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError):
                stream.flush()
    except BaseException:
        import traceback

        with contextlib.suppress(BaseException):
            traceback.print_exc()
            sys.stderr.flush()
        code = 70
    finally:
        os._exit(code)


def _waited(child: int) -> int:
    """Wait for a process; kill it when it hangs."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return 98


def _cold(job: Job) -> tuple[int, str]:
    """Run in a new process, so that it may be struck while it loads."""
    process = subprocess.Popen(
        [sys.executable, "-m", "consilience", *job.words], cwd=job.here, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, env={**os.environ, "TMPDIR": str(job.scratch)},
    )  # fmt: skip
    time.sleep(job.rng.uniform(0.0, 1.5))
    process.send_signal(COLD[job.fault])
    try:
        _, said = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return 98, ""
    return process.returncode, said.decode("utf-8", "replace")


def _states(stage: Stage, scene: Scene, here: Path) -> dict[str, str]:
    found = {}
    for name in scene.outputs:
        path = here / name
        data = path.read_bytes() if path.exists() else None
        whole = data == stage.wanted[scene][name] or (name == "o.html" and _is_page(data))
        found[name] = "absent" if data is None else "old" if data == OLD else (
            "new" if whole else "half")  # fmt: skip
    return found


def _is_page(data: bytes | None) -> bool:
    """A page names the command that made it, and --force is not always in it."""
    return data is not None and data.rstrip().endswith(b"</html>")


def _left(stage: Stage, scene: Scene, here: Path, scratch: Path) -> list[str]:
    beside = {one.name for one in here.iterdir()} - {*stage.inputs, *scene.outputs}
    return sorted([*beside, *(f"TMPDIR/{one.name}" for one in scratch.iterdir())])


# Exit codes that tell what happened, by fault; that of the command itself always may.
_CODES = {"kill -9": (-9,), "SIGTERM": (143, -15), "SIGINT": (130,), "closed pipe": ()}


def _judged(stage: Stage, scene: Scene, fault: str, old: bool, found: Outcome) -> Iterator[str]:
    """Say what is wrong with what a run left."""
    base = fault.partition(",")[0]
    done = stage.codes[scene]
    allowed = (done, *_CODES.get(base, () if fault == "none" else (3,)))
    if base == "SIGINT" and fault in COLD:
        allowed = (*allowed, -2, 1)  # before the program has the say
    if found.code not in allowed and not (fault == "tiny memory" and found.code < 0):
        yield f"exit code {found.code} is none of {allowed}"
    for name, state in found.states.items():
        if state == "half":
            yield f"{name} is half a file"
        if found.code == done and state != "new":
            yield f"{name} is {state} although the exit code is {done}"
        if state == "absent" and old:
            yield f"{name} is gone"
    if "Traceback" in found.said and not (fault in COLD and found.code in (-2, 1)):
        yield "a traceback"
    if found.code == 3 and found.said.count("Error: ") != 1:
        yield "no sentence"
    if base != "kill -9" and found.code >= 0:
        yield from (f"left behind: {name}" for name in found.left)
    elif found.code == -9:
        yield from (f"left behind: {n}" for n in found.left if not n.startswith("TMPDIR/"))


# -------------------------------------------------------------------- many runs


@dataclass
class Tally:
    """How often what came out of each fault; kept in a file."""

    path: Path | None
    runs: int = 0
    outcomes: dict[str, dict[str, int]] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    @classmethod
    def kept_in(cls, path: Path | None) -> Tally:
        """Go on where an earlier run has stopped."""
        if path is None or not path.exists():
            return cls(path)
        return cls(path, **json.loads(path.read_text()))

    def add(self, scene: Scene, fault: str, found: Outcome) -> None:
        """Count one run."""
        states = "+".join(sorted(set(found.states.values())))
        key = f"exit {found.code}, outputs {states}"
        by_fault = self.outcomes.setdefault(fault, {})
        by_fault[key] = by_fault.get(key, 0) + 1
        told = found.said.strip()[-300:]
        self.wrong += [f"run {self.runs}: {fault}: {scene.words}: {one}: {told}"
                       for one in found.wrong]  # fmt: skip
        self.runs += 1

    def save(self) -> None:
        """Write what was counted so far."""
        if self.path is not None:
            told = {"runs": self.runs, "outcomes": self.outcomes, "wrong": self.wrong}
            beside = self.path.with_suffix(".new")
            beside.write_text(json.dumps(told, indent=1))
            beside.replace(self.path)

    def __str__(self) -> str:
        lines = []
        for fault, found in sorted(self.outcomes.items()):
            lines.append(f"{fault}: {sum(found.values()):,} runs")
            lines += [f"  {n:>7,}  {what}" for what, n in sorted(found.items())]
        total = f"{self.runs:,} runs, {len(self.wrong)} wrong"
        return "\n".join([*lines, *self.wrong[:50], total])


def main() -> int:
    """Run commands under faults until there were so many runs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=86_400)
    parser.add_argument("--only", action="append", choices=FAULTS, help="a fault; repeat for more")
    parser.add_argument("--count", type=Path, help="file with the numbers; a later run goes on")
    wanted = parser.parse_args()
    warnings.simplefilter("ignore")
    tally = Tally.kept_in(wanted.count)
    end, last = time.monotonic() + wanted.seconds, tally.runs + wanted.runs
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        stage = Stage.made(Path(folder))
        while tally.runs < last and time.monotonic() < end and len(tally.wrong) < 100:
            rng = random.Random(f"fault {tally.runs}")
            scene, fault = rng.choice(SCENES), rng.choice(wanted.only or FAULTS)
            tally.add(scene, fault, one_run(stage, scene, fault, rng))
            if tally.runs % 20 == 0:
                tally.save()
    tally.save()
    print(tally)
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
