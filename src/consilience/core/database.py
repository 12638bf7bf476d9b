"""The one place where DuckDB is opened: in memory, offline, without extensions.

Nothing is installed or loaded: extensions are looked for where no folder can be, and no setting
can be changed afterwards. Files are named by `Session.safe_path` alone, which makes every name
that of one local file.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from consilience.core.input_files import Said
from consilience.core.output_files import TemporaryFolder, interrupts_held_back
from consilience.exceptions import InputError, MissingDependencyError

_LEAST = 64_000_000  # bytes without which the database does not work
_GLOB = "*?["
SETTINGS = {
    "autoinstall_known_extensions": "false",  # nothing is ever fetched from the network
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_unsigned_extensions": "false",
    "extension_directory": os.path.join(os.devnull, "none"),  # nothing can be planted there
    "python_enable_replacements": "false",  # a name in SQL is never a variable of Python
}


# What comes out of DuckDB's own Python part when texts in a damaged file are no texts.
_DAMAGED = (SystemError, UnicodeError)


def open_database(**more: str) -> Any:
    """Open a database in memory with the one set of settings, and lock them."""
    import duckdb

    connection = duckdb.connect(":memory:", config={**SETTINGS, **more})
    connection.execute("SET enable_progress_bar = false")
    connection.execute("SET lock_configuration = true")
    return connection


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
            with interrupts_held_back():  # the library ends the process if one strikes here
                import duckdb
        except ImportError as error:
            raise MissingDependencyError.for_extra("reading files", "duckdb") from error
        self.where = where
        self.database_error: type[Exception] = duckdb.Error
        self._folder = TemporaryFolder(spill_folder)
        self.scratch = self._folder.path
        self.memory = None if memory_limit is None else n_bytes(memory_limit)
        self._names = 0
        try:
            self.connection = self._connect(memory_limit)
        except BaseException:
            self._folder.remove()
            raise

    def _connect(self, memory_limit: str | None) -> Any:
        limits = {}
        if self.memory is not None:  # the other half is for what the database hands over
            limits["memory_limit"] = f"{max(self.memory // 2, _LEAST)}B"
        return open_database(temp_directory=str(self.scratch), **limits)

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self.connection.close()
        finally:
            self._folder.remove()
        if isinstance(error, (self.database_error, *_DAMAGED)):
            raise self._told(error) from error

    def _told(self, error: BaseException) -> InputError:
        said = _plainly(str(error)).replace(str(self.scratch), "a temporary folder")[:200]
        if isinstance(error, _DAMAGED):
            said = "text that cannot be decoded"
        what = f"{self.where}: the file" if self.where else "a table in the making"
        return InputError(
            f"{what} must be readable to its end. Got {said}. Hint: {_what_helps(said)}."
        )

    def run(self, sql: str) -> Any:
        """Run one statement and return the cursor."""
        with interruptible():
            return self.connection.execute(sql)

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

    def show(self, name: str, columns: Any) -> None:
        """Let the database look at columns that live in Python, under a name."""
        self.connection.register(name, columns)

    def save_parquet(self, select: str, target: Path, more: str = "") -> None:
        """Write what a statement selects; the database itself writes into its own folder only."""
        made = self.scratch / self.new_name("made")
        self.run(f"COPY ({select}) TO {quoted(str(made))} (FORMAT parquet{more})")
        shutil.copyfile(made, target)

    def save_text(self, select: str, target: Path) -> None:
        """Write what a statement selects as CSV, as `save_parquet` does."""
        made = self.scratch / self.new_name("made")
        self.run(f"COPY ({select}) TO {quoted(str(made))} (FORMAT csv, HEADER, FORCE_QUOTE *)")
        shutil.copyfile(made, target)

    def new_name(self, stem: str) -> str:
        """Return a name that nothing else in this database has."""
        self._names += 1
        return f"{stem}_{self._names}"

    def safe_path(self, path: Path) -> str:
        """Return the quoted path, through a link where DuckDB would see a pattern in the name."""
        resolved = path.resolve()
        if any(sign in str(resolved) for sign in _GLOB) or not _is_text(str(resolved)):
            packed = ".gz" if path.suffix.lower() == ".gz" else ""
            link = self.scratch / (self.new_name("input") + packed)
            link.symlink_to(resolved)
            resolved = link
        # What is left are signs in the name of the folder for temporary files.
        return quoted("".join(f"[{c}]" if c in _GLOB else c for c in str(resolved)))


def n_bytes(size: str) -> int:
    """Return a size such as 512MB or 2GiB as a number of bytes."""
    found = re.fullmatch(r"([\d.]+)([kmgt]?)(i?).*", re.sub(r"\s", "", size.casefold()))
    if found is None:
        raise InputError.expected(
            "memory_limit", "a number with its unit", size, "write it like 512MB or 2GB"
        )
    number, unit, binary = found.groups()
    power = "kmgt".index(unit) + 1 if unit else 0
    return int(float(number) * (1024 if binary else 1000) ** power)


@contextmanager
def interruptible() -> Iterator[None]:
    """Turn DuckDB's answer to Ctrl-C, a bare RuntimeError, back into what it was."""
    try:
        yield
    except RuntimeError as error:
        if "interrupted" not in str(error).casefold():
            raise InputError.expected(
                "the file",
                "one that the database can read",
                Said(str(error)[:200]),
                "check its name and its content",
            ) from error
        raise KeyboardInterrupt from error


def quoted(text: str) -> str:
    """Write a text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def identifier(name: str) -> str:
    """Write a name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def _plainly(said: str) -> str:
    """Return what the database said without its own kinds of errors and the form of a record."""
    inside = re.search(r'"exception_message":"((?:[^"\\]|\\.)*)"', said)
    text = inside[1].replace('\\"', '"') if inside else said.partition("\n")[0]
    return re.sub(r"^[A-Z]\w*(?: [A-Z]\w*)* Error: ", "", text)


def _what_helps(said: str) -> str:
    if "Out of Memory" in said:
        return "raise the memory limit, or free space where tables are spilled"
    if "No space left" in said or "File too large" in said:
        return "free disk space, or name another folder to spill to"
    return "check that it was copied completely"


def _is_text(name: str) -> bool:
    """Tell whether a name can be encoded: on disk it may be any bytes."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
