"""Stable codes instead of the raters' names, everywhere that a name may show."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from consilience.core.labels import Note
from consilience.exceptions import InputError
from consilience.io._read import Loaded
from consilience.io.reading_account import Guess, Reading
from consilience.ratings import Ratings

_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")


@dataclass
class RaterCodes:
    """Codes for names: R1, R2, ... in order of first appearance, or from a key and the name.

    With the same key the same name has the same code in every file, and nobody without the key
    can find the name by trying.
    """

    key: str | None = None
    codes: dict[str, str] = field(default_factory=dict)
    mails: dict[str, str] = field(default_factory=dict)  # of people who are no raters

    def code(self, name: object) -> str:
        """Return the code of a name."""
        text = str(name)
        if text not in self.codes:
            self.codes[text] = self._new(text, "R", self.codes)
        return self.codes[text]

    def _new(self, name: str, letter: str, known: dict[str, str]) -> str:
        if self.key is None:
            return f"{letter}{len(known) + 1}"
        digest = hmac.new(self.key.encode(), name.encode(), hashlib.sha256).hexdigest()[:10]
        code = letter + digest
        if code in known.values():
            raise InputError.expected(
                "the key",
                "one that tells all raters apart",
                "two raters with one code",
                "choose another key",
            )
        return code

    def hide(self, text: str) -> str:
        """Replace names and e-mail addresses in a sentence."""
        names = [name for name in sorted(self.codes, key=len, reverse=True) if not name.isdigit()]
        if names:
            listed = "|".join(map(re.escape, names))
            text = re.sub(rf"(?<!\w)(?:{listed})(?!\w)", lambda m: self.codes[m.group()], text)
        return self.without_mails(text)

    def without_mails(self, text: str) -> str:
        """Replace e-mail addresses by codes: the rater's own, or M1, M2, ... for other people."""
        return _EMAIL.sub(lambda match: self._mail(match.group()), text) if "@" in text else text

    def _mail(self, address: str) -> str:
        if address in self.codes:
            return self.codes[address]
        if address not in self.mails:
            self.mails[address] = self._new(address, "M", self.mails)
        return self.mails[address]

    def items(self, names: Iterable[object]) -> list[object]:
        """Return the items without addresses, and without the names of raters who rate each other.

        Different items stay different.
        """
        given = list(names)
        taken = {name for name in given if isinstance(name, str)}
        new: dict[object, object] = {}
        for name in dict.fromkeys(given):
            hidden = name
            if isinstance(name, str) and name in self.codes and not name.isdigit():
                hidden = self.codes[name]
            elif isinstance(name, str):
                hidden = self.without_mails(name)
            while hidden != name and hidden in taken:
                hidden = f"{hidden}*"
            if hidden != name:
                taken.add(str(hidden))
            new[name] = hidden
        return [new[name] for name in given]

    def label(self, label: Any) -> Any:
        """Return a label without addresses; sets and rankings part by part."""
        if isinstance(label, (frozenset, tuple)):
            return type(label)(map(self.label, label))
        return self.without_mails(label) if isinstance(label, str) else label


def without_emails(text: str) -> str:
    """Replace e-mail addresses in a sentence."""
    return _EMAIL.sub("(e-mail)", text)


def anonymised(loaded: Loaded, *, key: str | None = None) -> Loaded:
    r"""Return the same ratings with codes for the raters' names.

    Parameters
    ----------
    loaded : Loaded
    key : str, optional
        A secret that codes are made from, the same in every file; without it raters are numbered.

    Returns
    -------
    Loaded

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "codes.csv"
    >>> _ = path.write_text("item,ann@x.org,bob@x.org\n1,yes,yes\n2,no,yes\n")
    >>> from consilience.io import load
    >>> anonymised(load(path)).ratings.raters
    ('R1', 'R2')
    """
    codes = RaterCodes(key)
    for ratings in loaded.groups.values():
        for name in ratings.raters:
            codes.code(name)
    groups = {
        None if name is None else codes.without_mails(name): _renamed(ratings, codes)
        for name, ratings in loaded.groups.items()
    }
    reading = _hidden(loaded.reading, codes)
    return Loaded(
        {name: ratings.read_as(reading) for name, ratings in groups.items()}, reading, loaded.by
    )


def _renamed(ratings: Ratings, codes: RaterCodes) -> Ratings:
    parts = ratings.parts()
    raters, items, labels = parts.raters, parts.items, parts.labels
    if items is not None and any(_is_telling(name, codes) for name in items):
        items = codes.items(items)
    hidden = tuple(map(codes.label, labels.labels))
    if hidden != labels.labels and len(set(hidden)) == len(hidden):
        labels = replace(labels, labels=hidden)
    return Ratings.of_parts(
        replace(
            parts,
            raters=None if raters is None else tuple(codes.code(name) for name in raters),
            items=items,
            labels=labels,
            notes=_notes(parts.notes, codes),
        )
    )


def _is_telling(name: object, codes: RaterCodes) -> bool:
    return isinstance(name, str) and ("@" in name or name in codes.codes)


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
            Guess(one.what, codes.hide(one.taken), codes.hide(one.because), one.argument)
            for one in reading.guesses
        ),
        seen=None,  # it shows names and cells as they are
        account=replace(
            reading.account,
            set_aside=tuple(
                replace(one, name=codes.hide(one.name), reason=codes.hide(one.reason))
                for one in reading.account.set_aside
            ),
        ),
    )


def _source(source: str, codes: RaterCodes) -> str:
    """Hide a file that is called after its rater."""
    path = Path(source)
    if path.stem in codes.codes:
        return str(path.with_name(codes.codes[path.stem] + path.suffix))
    return source
