"""Stable codes instead of the raters' names, everywhere that a name may show."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from consilience.exceptions import InputError
from consilience.io._explain import Guess
from consilience.io._read import Loaded
from consilience.io._reading import Reading
from consilience.ratings import Note, Ratings

_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")


@dataclass
class RaterCodes:
    """Codes for names: R1, R2, ... in order of first appearance, or from a key and the name.

    With the same key the same name has the same code in every file, and nobody without the key
    can find the name by trying.
    """

    key: str | None = None
    codes: dict[str, str] = field(default_factory=dict)

    def code(self, name: object) -> str:
        """Return the code of a name."""
        text = str(name)
        if text not in self.codes:
            self.codes[text] = self._new(text)
        return self.codes[text]

    def _new(self, name: str) -> str:
        if self.key is None:
            return f"R{len(self.codes) + 1}"
        code = "R" + hmac.new(self.key.encode(), name.encode(), hashlib.sha256).hexdigest()[:10]
        if code in self.codes.values():
            raise InputError.expected(
                "the key", "one that tells all raters apart", "two raters with one code",
                "choose another key",
            )  # fmt: skip
        return code

    def hide(self, text: str) -> str:
        """Replace names and e-mail addresses in a sentence."""
        names = [name for name in sorted(self.codes, key=len, reverse=True) if not name.isdigit()]
        if names:
            listed = "|".join(map(re.escape, names))
            text = re.sub(rf"(?<!\w)(?:{listed})(?!\w)", lambda m: self.codes[m.group()], text)
        return without_emails(text)


def without_emails(text: str) -> str:
    """Replace e-mail addresses in a sentence."""
    return _EMAIL.sub("(e-mail)", text)


def anonymised(loaded: Loaded, *, key: str | None = None) -> Loaded:
    """Return the same ratings with codes for the raters' names.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "codes.csv"
    >>> _ = path.write_text("item,ann@x.org,bob@x.org\\n1,yes,yes\\n2,no,yes\\n")
    >>> from consilience.io import load
    >>> anonymised(load(path)).ratings.raters
    ('R1', 'R2')
    """
    codes = RaterCodes(key)
    for ratings in loaded.groups.values():
        for name in ratings.raters:
            codes.code(name)
    groups = {name: _renamed(ratings, codes) for name, ratings in loaded.groups.items()}
    return Loaded(groups, _hidden(loaded.reading, codes), loaded.by)


def _renamed(ratings: Ratings, codes: RaterCodes) -> Ratings:
    parts = ratings._parts()
    if parts.raters is None:
        return ratings
    return Ratings._make(
        replace(
            parts,
            raters=tuple(codes.code(name) for name in parts.raters),
            notes=_notes(parts.notes, codes),
        )
    )


def _notes(notes: Iterable[Note], codes: RaterCodes) -> tuple[Note, ...]:
    return tuple(Note(note.code, codes.hide(note.message)) for note in notes)


def _hidden(reading: Reading, codes: RaterCodes) -> Reading:
    columns: dict[str, Any] = dict(reading.columns)
    if reading.shape in ("wide", "table"):
        columns["rater"] = tuple(codes.hide(name) for name in columns.get("rater", ()))
    return replace(
        reading,
        sources=tuple(_source(source, codes) for source in reading.sources),
        columns={role: names for role, names in columns.items() if names},
        evidence=tuple(codes.hide(line) for line in reading.evidence),
        notes=_notes(reading.notes, codes),
        guesses=tuple(
            Guess(one.what, codes.hide(one.taken), codes.hide(one.because), one.flag)
            for one in reading.guesses
        ),
    )


def _source(source: str, codes: RaterCodes) -> str:
    """Hide a file that is called after its rater."""
    path = Path(source)
    if path.stem in codes.codes:
        return str(path.with_name(codes.codes[path.stem] + path.suffix))
    return source
