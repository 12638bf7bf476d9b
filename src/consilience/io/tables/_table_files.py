"""Which files of a folder are tables, where no export was recognised in it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from consilience.exceptions import InputError
from consilience.io.bytes._source import MOST_MEMBERS, Source
from consilience.io.bytes.paths import Said, check_paths
from consilience.io.format_registry import table_formats
from consilience.io.tables.formats import delimited, excel, nested_json, parquet_tables, spss_stata  # noqa: F401 - registers the formats


def table_files(source: Source) -> Sequence[Path]:
    """Return the files; a folder stands for the tables in it, one per rater or alike."""
    found: list[Path] = []
    for path in source.paths:
        found.extend(_inside(path) if path.is_dir() else [path])
    return check_paths(found)


def _inside(folder: Path) -> list[Path]:
    endings = {suffix for one in table_formats().values() for suffix in one.suffixes}
    try:
        files = sorted(path for path in folder.iterdir() if path.is_file())
    except OSError as error:
        raise InputError.expected(
            "the folder", "one you may read", str(error.strerror), "change it", where=str(folder)
        ) from None
    tables = [
        path
        for path in files
        if not path.name.startswith(".")
        and Path(path.name.lower().removesuffix(".gz")).suffix in endings
    ]
    if not tables or len(tables) > MOST_MEMBERS:
        listed = ", ".join(path.name for path in files[:4]) or "no files"
        raise InputError.expected(
            "the folder",
            "an export, or a folder of tables",
            Said(listed if not tables else f"{len(tables):,} tables"),
            "name the files with the ratings",
            where=str(folder),
        )
    return tables
