"""A sample of the items of a large file, drawn once and read like any other file."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from consilience.exceptions import ConsilienceError, UnsupportedDesignError
from consilience.io.sampled_items import sample_items
from consilience.web.plain_messages import as_message, of_message
from consilience.web.work.named_ratings import renamed

_TOLD = "sample.json"


def sample_of(file: Mapping[str, Any], reading: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return a sample of a file, made where there is none yet; None where items are no rows."""
    what = as_message([file["path"], dict(reading)])
    folder = Path(file["scratch"]) / f"sample-{hashlib.sha256(what).hexdigest()[:24]}"
    if not folder.exists():
        making = Path(tempfile.mkdtemp(prefix="making-", dir=file["scratch"]))
        try:
            _write(file, reading, making)
            os.rename(making, folder)
        except OSError:
            if not folder.exists():  # else somebody else was quicker
                raise
        finally:
            shutil.rmtree(making, ignore_errors=True)
    found: dict[str, Any] | None = of_message((folder / _TOLD).read_bytes())
    return None if found is None else found | {"path": str(folder / found["path"])}


def _write(file: Mapping[str, Any], reading: Mapping[str, Any], folder: Path) -> None:
    try:
        found = sample_items(
            [file["path"]],
            folder,
            most=file["sampled"],
            memory_limit=file["memory"],
            **dict(reading),
        )
    except ConsilienceError as error:
        raise renamed(error, file["path"], file["shown"]) from error
    told = None if found is None else asdict(found) | {"path": found.path.name}
    (folder / _TOLD).write_bytes(as_message(told))


def sample(
    *, file: Mapping[str, Any], reading: Mapping[str, Any], tell: Callable[[str], None]
) -> dict[str, Any]:
    """Return a sample to be opened by itself."""
    tell("Drawing a sample of the items")
    found = sample_of(file, reading)
    if found is None:
        raise UnsupportedDesignError.needs(
            "a sample of items", "a table with items in its rows", "another layout",
            "measure the whole file in a terminal",
        )  # fmt: skip
    return found
