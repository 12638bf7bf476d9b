"""One private DuckDB for one reading: in memory, offline, with a scratch folder that goes away."""

from __future__ import annotations

import signal
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from consilience.exceptions import InputError, MissingDependencyError
from consilience.io.bytes.paths import Said

_LEAST = 64_000_000  # bytes without which the database does not work
_GLOB = "*?["
# What comes out of DuckDB's own Python part when texts in a damaged file are no texts.
_DAMAGED = (SystemError, UnicodeError)
_CONFIG = {
    "autoinstall_known_extensions": "false",  # nothing is ever fetched from the network
    "autoload_known_extensions": "false",
}


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Let Ctrl-C wait: DuckDB's library ends the process when it strikes while it is loaded."""
    if threading.current_thread() is not threading.main_thread():
        yield  # interrupts go to the main thread alone
        return
    struck: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: struck.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before or signal.default_int_handler)
    if struck:
        raise KeyboardInterrupt


class Session:
    """A connection and a scratch folder; both end with the ``with`` block.

    `where` names the files: what the database cannot read in them becomes one sentence. Beyond
    `memory_limit` tables are kept in the scratch folder, which `spill_folder` is the parent of.
    """

    def __init__(
        self,
        where: str | None = None,
        *,
        memory_limit: str | None = None,
        spill_folder: Path | None = None,
    ) -> None:
        try:
            with _interrupts_held_back():
                import duckdb
        except ImportError as error:
            raise MissingDependencyError.for_extra("reading files", "duckdb") from error
        self.where = where
        self.database_error: type[Exception] = duckdb.Error
        self._folder = _scratch_folder(spill_folder)
        self.scratch = Path(self._folder.name)
        self._connection = self._connect()
        self.memory = None if memory_limit is None else n_bytes(memory_limit)
        if self.memory is not None:  # the other half is for what the database hands over
            self._connection.execute(f"SET memory_limit = '{max(self.memory // 2, _LEAST)}B'")
        self._connection.execute("SET enable_progress_bar = false")
        self._names = 0

    def _connect(self) -> Any:
        import duckdb

        return duckdb.connect(":memory:", config={**_CONFIG, "temp_directory": str(self.scratch)})

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._connection.close()
        self._folder.cleanup()
        if self.where is not None and isinstance(error, (self.database_error, *_DAMAGED)):
            said = str(error).partition("\n")[0][:200]
            if isinstance(error, _DAMAGED):
                said = "text that cannot be decoded"
            raise InputError(
                f"{self.where}: the file must be readable to its end. Got {said}. Hint: "
                f"{_what_helps(said)}."
            ) from error

    def run(self, sql: str) -> Any:
        """Run one statement and return the cursor."""
        with interruptible():
            return self._connection.execute(sql)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Return the result as Python rows; for small results only."""
        cursor = self.run(sql)
        with interruptible():
            rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows

    def one(self, sql: str) -> Any:
        """Return the only value of a one-row, one-column result."""
        return self.rows(sql)[0][0]

    def arrays(self, sql: str) -> dict[str, Any]:
        """Return the result as numpy arrays, column by column."""
        cursor = self.run(sql)
        with interruptible():
            arrays: dict[str, Any] = cursor.fetchnumpy()
        return arrays

    def show(self, name: str, columns: dict[str, Any]) -> None:
        """Let the database look at columns that live in Python, under a name."""
        self._connection.register(name, columns)

    def new_name(self, stem: str) -> str:
        """Return a name that nothing else in this session has."""
        self._names += 1
        return f"{stem}_{self._names}"

    def safe_path(self, path: Path) -> str:
        """Return the quoted path, through a link where DuckDB would see a pattern in the name."""
        resolved = path.resolve()
        if any(sign in str(resolved) for sign in _GLOB) or not _is_text(str(resolved)):
            link = self.scratch / (self.new_name("input") + "".join(_last_suffixes(path)))
            link.symlink_to(resolved)
            resolved = link
        return quoted(str(resolved))


def n_bytes(size: str) -> int:
    """Return a size such as 512MB or 2GiB as a number of bytes."""
    text = size.strip().casefold()
    number = float(text.rstrip("kmgtib ytes"))
    unit = text.lstrip("0123456789. ")
    base = 1024 if "i" in unit else 1000
    return int(number * base ** ("kmgt".find(unit[:1]) + 1 if unit[:1] in "kmgt" else 0))


def _what_helps(said: str) -> str:
    if "Out of Memory" in said:
        return "raise the memory limit, or free space where tables are spilled"
    if "No space left" in said:
        return "free disk space, or name another folder to spill to"
    return "check that it was copied completely"


def _scratch_folder(parent: Path | None) -> tempfile.TemporaryDirectory[str]:
    try:
        return tempfile.TemporaryDirectory(prefix="consilience-", dir=parent)
    except OSError as error:
        raise InputError.expected(
            "the folder for temporary files", "one that can be written to",
            Said(error.strerror or str(error)),
            "set the environment variable TMPDIR to another folder",
        ) from error  # fmt: skip


@contextmanager
def interruptible() -> Iterator[None]:
    """Turn DuckDB's answer to Ctrl-C, a bare RuntimeError, back into what it was."""
    try:
        yield
    except RuntimeError as error:
        if "interrupted" not in str(error).casefold():
            raise InputError.expected(
                "the file", "one that the database can read", Said(str(error)[:200]),
                "check its name and its content",
            ) from error  # fmt: skip
        raise KeyboardInterrupt from error


def _is_text(name: str) -> bool:
    """Tell whether a name can be encoded: on disk it may be any bytes."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def quoted(text: str) -> str:
    """Write a text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def identifier(name: str) -> str:
    """Write a name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def _last_suffixes(path: Path) -> list[str]:
    return path.suffixes[-2:] if path.suffix == ".gz" else path.suffixes[-1:]
