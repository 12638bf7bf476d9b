"""Break files in many ways; only `InputError` may come out.

Run ``python tests/fuzzing.py --seconds 600`` for as long as you like; the suite runs a short part.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import shutil
import sys
import tempfile
import time
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from consilience.exceptions import ConsilienceError
from consilience.io import load
from lookalikes import LOOKALIKES
from one_database import one_database

_TOKENS = (
    b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b'"', b"'", b",", b";", b"\t", b"\r", b"\n", b"{", b"}",
    b"[", b"]", b"[[[[", b"null", b"NaN", b"1e400", b"-1", b"1" * 400, b"\\ud800", b"\xc3",
    b"<!DOCTYPE x [", b"=1+1", b"\xe2\x80\xae", b"", b" ",
)  # fmt: skip
_VALUES: tuple[Any, ...] = (
    None, "", " ", [], {}, 0, -1, 1.5, True, "x", "\ud7ff", ["a"], {"a": 1}, [[1]], [None], 10**30,
    "2020-01-01", "a@b.org", ["a", "a"], {"choices": ["a"]}, [{}], 1e300, "\n", "0", "None",
)  # fmt: skip


def mutated(data: bytes, rng: random.Random) -> bytes:
    """Return the bytes with one to four faults, of the file's own kind or of any."""
    if data.startswith(b"PK\x03\x04") and rng.random() < 0.8:
        return _archive(data, rng)
    for _ in range(rng.randint(1, 4)):
        data = rng.choice((_structure, _structure, _splice, _flip, _cut, _repeat))(data, rng)
    return data


def _structure(data: bytes, rng: random.Random) -> bytes:
    """Change a value inside JSON, or a cell inside a table."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return _splice(data, rng)
    lines = text.split("\n")
    for whole in (True, False):
        k = 0 if whole else rng.randrange(len(lines))
        try:
            value = json.loads(text if whole else lines[k])
        except (ValueError, RecursionError):
            continue
        changed = json.dumps(_changed(value, rng))
        lines[k] = changed
        return (changed if whole else "\n".join(lines)).encode()
    k = rng.randrange(len(lines))
    mark = max(",;\t|", key=lines[k].count)
    cells = lines[k].split(mark)
    j = rng.randrange(len(cells))
    action = rng.randrange(4)
    if action == 0:
        cells[j] = str(rng.choice(_VALUES))
    elif action == 1:
        del cells[j]
    elif action == 2:
        cells.insert(j, str(rng.choice(_VALUES)))
    else:
        rng.shuffle(cells)
    lines[k] = mark.join(cells)
    return "\n".join(lines).encode("utf-8", "replace")


def _changed(value: Any, rng: random.Random, depth: int = 0) -> Any:
    """Walk down a random way and put something else at its end."""
    if isinstance(value, dict) and value and (depth == 0 or rng.random() < 0.85):
        key = rng.choice(list(value))
        new = dict(value)
        action = rng.randrange(10)
        if action == 0:
            del new[key]
        elif action == 1:
            new[rng.choice(("x", "", "id", "label"))] = new.pop(key)
        else:
            new[key] = _changed(value[key], rng, depth + 1)
        return new
    if isinstance(value, list) and value and (depth == 0 or rng.random() < 0.85):
        k = rng.randrange(len(value))
        if rng.random() < 0.15:
            return value[:k] + value[k + 1 :]
        if rng.random() < 0.15:
            return [*value, value[k]]
        return [*value[:k], _changed(value[k], rng, depth + 1), *value[k + 1 :]]
    return rng.choice(_VALUES)


def _splice(data: bytes, rng: random.Random) -> bytes:
    k = rng.randint(0, len(data))
    return data[:k] + rng.choice(_TOKENS) + data[k + rng.randint(0, 3) :]


def _flip(data: bytes, rng: random.Random) -> bytes:
    if not data:
        return data
    changed = bytearray(data)
    changed[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _cut(data: bytes, rng: random.Random) -> bytes:
    a, b = sorted((rng.randint(0, len(data)), rng.randint(0, len(data))))
    return data[:a] if rng.random() < 0.3 else data[:a] + data[b:] if b - a < 200 else data[:b]


def _repeat(data: bytes, rng: random.Random) -> bytes:
    a = rng.randint(0, len(data))
    part = data[a : a + rng.randint(1, 200)]
    return data[:a] + part * rng.randint(1, 3) + data[a:]


def _archive(data: bytes, rng: random.Random) -> bytes:
    """Break one member of a zip archive and pack it again."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = [(one.filename, archive.read(one)) for one in archive.infolist()]
    except Exception:
        return _flip(data, rng)
    k = rng.randrange(len(parts))
    name, content = parts[k]
    if rng.random() < 0.1:
        name = rng.choice(("../x", "/etc/x", "C:x", name + "/", "x", "a" * 300))
    parts[k] = (name, mutated(content, rng) if content else content)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for inside, content in parts:
            archive.writestr(inside, content)
    return out.getvalue()


def files_of(path: Path) -> list[Path]:
    """Return the file, or the files of a folder."""
    return [path] if path.is_file() else sorted(one for one in path.rglob("*") if one.is_file())


@dataclass(frozen=True)
class Target:
    """Something to break: how its files are written, and how they are read when told or not."""

    write: Callable[[Path], Path]
    read: Callable[[Path, bool], object]


def targets() -> dict[str, Target]:
    """Return everything that is read: tables and exports, units, rows."""
    from consilience import engine
    from consilience.io.events import load_units
    from contract.test_units_formats import LOOK_ALIKES, write

    found = {name: Target(one.write, _reads(name)) for name, one in LOOKALIKES.items()}
    for name, make in LOOK_ALIKES.items():
        case = make()

        def read(path: Path, told: bool, case: Any = case, name: str = name) -> object:
            return load_units(path, **case.options, **({"format": name} if told else {}))

        found[f"units: {name}"] = Target(partial(_written, write, case.files), read)
    found["rows"] = Target(_rows, lambda path, told: engine.load_rows(path))
    return found


def _reads(name: str) -> Callable[[Path, bool], object]:
    return lambda path, told: load(path, format=name if told else None)


def _written(write: Callable[..., object], files: dict[str, bytes], folder: Path) -> Path:
    write(folder, files)
    return folder


def _rows(folder: Path) -> Path:
    from consilience import Ratings, engine

    ratings = Ratings.from_wide([["a", "b"], ["b", "b"], ["a", "a"], [None, "b"]])
    return engine.save_rows(ratings, folder / "day.rows")


def fuzz(
    name: str,
    folder: Path,
    *,
    times: int,
    seed: int,
    told: bool,
    strict: bool = False,
    target: Target | None = None,
) -> list[str]:
    """Break a format's look-alike many times; return what came out besides `ConsilienceError`.

    A strict run also reports where a reader stumbled and only the net below it caught the fall.
    """
    target = target or Target(LOOKALIKES[name].write, _reads(name))
    original = target.write(folder)
    files = files_of(original)
    contents = {path: path.read_bytes() for path in files}
    rng = random.Random(f"{name} {seed}")
    faults = []
    with one_database():
        for k in range(times):
            path = rng.choice(files)
            path.write_bytes(mutated(contents[path], rng))
            fault = outcome(lambda: target.read(original, told), strict=strict)
            if fault:
                faults.append(f"{name}, seed {seed}, number {k}: {fault}")
            path.write_bytes(contents[path])
    return faults


def outcome(action: Callable[[], object], *, strict: bool = False) -> str | None:
    """Run something; say what came out if it is no error of ours."""
    try:
        action()
    except ConsilienceError as error:
        stumbled = strict and "in the form that" in str(error) and error.__cause__ is not None
        return f"stumbled: {error}" if stumbled else None if str(error) else "no sentence"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


@dataclass
class Count:
    """How many files of each format were broken, and what went wrong; kept in a file."""

    path: Path | None
    seed: int = 0
    broken: dict[str, int] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    @classmethod
    def kept_in(cls, path: Path | None) -> Count:
        """Go on where an earlier run has stopped."""
        if path is None or not path.exists():
            return cls(path)
        return cls(path, **json.loads(path.read_text()))

    def save(self) -> None:
        """Write what was counted so far."""
        if self.path is not None:
            told = {"seed": self.seed, "broken": self.broken, "faults": self.faults}
            beside = self.path.with_suffix(".new")
            beside.write_text(json.dumps(told, indent=1))
            beside.replace(self.path)

    def __str__(self) -> str:
        lines = [f"{n:>12,}  {name}" for name, n in sorted(self.broken.items())]
        total = f"{sum(self.broken.values()):,} broken files, {len(self.faults)} faults"
        return "\n".join([*lines, *self.faults, total])


def main() -> int:
    """Fuzz every format in turn until the time is over."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--strict", action="store_true", help="also report stumbles")
    parser.add_argument("--only", action="append", help="name of a format; repeat for more")
    parser.add_argument("--count", type=Path, help="file with the numbers; a later run goes on")
    wanted = parser.parse_args()
    warnings.simplefilter("ignore")
    known, count = targets(), Count.kept_in(wanted.count)
    end = time.monotonic() + wanted.seconds
    while time.monotonic() < end and len(count.faults) < 20:
        for name in wanted.only or sorted(known):
            folder = Path(tempfile.mkdtemp())
            try:
                told, strict, one = count.seed % 4 > 0, wanted.strict, known[name]
                count.faults += fuzz(
                    name, folder, times=50, seed=count.seed, told=told, strict=strict, target=one
                )
            finally:
                shutil.rmtree(folder)
            count.broken[name] = count.broken.get(name, 0) + 50
        count.seed += 1
        count.save()
    print(count)
    return 1 if count.faults else 0


if __name__ == "__main__":
    sys.exit(main())
