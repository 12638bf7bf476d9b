"""Ratings of a file as every job reads them: cached beside the file, called what people call it."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from consilience.exceptions import ConsilienceError
from consilience.io import Loaded, anonymised, load

_LARGE = 2 << 20  # bytes from which on a second reading is worth a file of its own


def load_named(
    file: Mapping[str, str], reading: Mapping[str, Any], *, anonymise: bool = False
) -> Loaded:
    """Read a file; what is said about it uses the name that people know.

    `file` says where its bytes are ("path"), what it is called ("shown"), and which folder is ours
    ("scratch").
    """
    path, shown = file["path"], file["shown"]
    kept = _kept_at(path, reading, Path(file["scratch"]))
    loaded = _from(kept)
    if loaded is None:
        try:
            loaded = load([path], **dict(reading))
        except ConsilienceError as error:
            raise renamed(error, path, shown) from error
        if kept is not None:
            _keep(kept, loaded)
    loaded = replace(loaded, reading=replace(loaded.reading, sources=(shown,)))
    return anonymised(loaded) if anonymise else loaded


def renamed(error: ConsilienceError, path: str, shown: str) -> ConsilienceError:
    """Return the same error about the name that people know."""

    def other(text: str) -> str:
        return text.replace(path, shown).replace(Path(path).name, shown)

    again = error.retold(error.words.changed(other))
    if hasattr(again, "sentence"):
        again.sentence = other(again.sentence)
    return again


def _kept_at(path: str, reading: Mapping[str, Any], folder: Path) -> Path | None:
    """Name the file in our own folder that holds a large reading; None for a small one."""
    place = Path(path)
    if not place.is_file() or place.stat().st_size < _LARGE:
        return None
    status = place.stat()
    what = json.dumps([path, status.st_mtime_ns, status.st_size, dict(reading)], default=repr)
    return folder / f"{hashlib.sha256(what.encode()).hexdigest()}.ratings"


def _from(kept: Path | None) -> Loaded | None:
    """Return what an earlier job kept; these files are ours alone, in a folder of our own."""
    if kept is None or not kept.exists():
        return None
    try:
        with kept.open("rb") as stream:
            found = pickle.load(stream)
    except (OSError, pickle.UnpicklingError, EOFError, AttributeError):
        return None
    return found if isinstance(found, Loaded) else None


def _keep(kept: Path, loaded: Loaded) -> None:
    beside = kept.with_suffix(f".{os.getpid()}")
    try:
        with beside.open("wb") as stream:
            pickle.dump(loaded, stream, protocol=pickle.HIGHEST_PROTOCOL)
        beside.replace(kept)
    except (OSError, pickle.PicklingError, TypeError, AttributeError):
        beside.unlink(missing_ok=True)
