"""The columns of a table, each looked at once: kind, values, order, name.

Everything here is about one column or one pair of columns; what that means for a layout is said in
`likeness`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, TypeVar

from consilience.core.cell_values import as_exact, as_number, holds_number
from consilience.io.layout.lexicon import (
    LIKELY_MARKS,
    SURE_MARKS,
    Family,
    family_of,
    is_template,
    roles_of,
)

Kind = Literal["empty", "whole", "decimal", "date", "text"]
Cell = str | None
T = TypeVar("T")

_WHOLE = re.compile(r"[+\-−–]?\d{1,18}(?:\.0+)?")
_LONG_CODE = re.compile(r"[+-]?\d{19,}")  # it numbers something, and counts nothing
_MONTH = r"[^\W\d_]{3,12}"
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d+)?(?: ?[AaPp][Mm])?"
_DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[T ]\d{1,2}:\d{2}.*)?"
    r"|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2})(?:[T ,]+\d{1,2}:\d{2}.*)?"
    rf"|\d{{1,2}}[-. ]+{_MONTH}[-., ]+\d{{2,4}}|{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}"
    rf"|{_CLOCK}|\d{{1,2}}[hH]\d{{2}}"
)
_LONG_TEXT = 25  # characters; labels are shorter
_FEW_CODES, _DAYS = 7, 31  # more different numbers than labels have, up to the days of a month


@dataclass(frozen=True)
class Column:
    """One column and what can be said of it alone."""

    j: int
    name: str
    cells: tuple[Cell, ...] = field(repr=False)
    is_index: bool = False  # the index of a frame, which names rows

    @cached_property
    def marks(self) -> Counter[str]:
        """Cells that are written marks for a missing value, such as NA."""
        texts = Counter(c for c in self.cells if c is not None)
        sure = {c for c in texts if c.casefold() in SURE_MARKS}
        likely = {c for c in texts if c.casefold() in LIKELY_MARKS}
        rest = texts.keys() - sure - likely
        if rest and all(_is_number(c) for c in rest):
            sure |= likely  # among numbers no word is a label
        return Counter({c: texts[c] for c in sure})

    @cached_property
    def values(self) -> tuple[Cell, ...]:
        """Cells, None where there is nothing or a mark for a missing value."""
        marks = self.marks
        return tuple(None if c in marks else c for c in self.cells) if marks else self.cells

    @cached_property
    def counts(self) -> Counter[str]:
        """How often each value occurs; 1, 1.0 and 01 are left as they are written."""
        return Counter(c for c in self.values if c is not None)

    @property
    def n(self) -> int:
        """Rows."""
        return len(self.cells)

    @cached_property
    def filled(self) -> int:
        """Rows with a value."""
        return self.counts.total()

    @property
    def distinct(self) -> int:
        """Different values."""
        return len(self.counts)

    @cached_property
    def kind(self) -> Kind:
        """What the values are."""
        if not self.counts:
            return "empty"
        values = list(self.counts)
        if all(_WHOLE.fullmatch(v) for v in values):
            return "whole"
        if all(_is_number(v) for v in values):
            return "decimal"
        if all(_DATE.fullmatch(v) for v in values):
            return "date"
        return "text"

    @property
    def is_number(self) -> bool:
        """Every value is a number."""
        return self.kind in ("whole", "decimal")

    @cached_property
    def numbers(self) -> tuple[float | None, ...]:
        """The values as numbers, where every one is a number."""
        known: dict[Cell, float | None] = {value: as_number(value) for value in self.counts}
        return tuple(map(known.get, self.values))

    @cached_property
    def known(self) -> list[float]:
        """The numbers that are there."""
        return [x for x in self.numbers if x is not None]

    @cached_property
    def keys(self) -> Counter[str]:
        """Values in one spelling: 1.0 and 1 are one, and so are words in other case."""
        found: Counter[str] = Counter()
        for value, times in self.counts.items():
            found[spelling(value, self.is_number)] += times
        return found

    @cached_property
    def is_measured(self) -> bool:
        """Fractions that hardly come back: no list of labels, but a scale."""
        return self.kind == "decimal" and _FEW_CODES < self.filled < 2 * self.distinct

    @cached_property
    def is_unique(self) -> bool:
        """No value comes back."""
        return bool(self.counts) and self.distinct == self.filled

    @cached_property
    def is_complete(self) -> bool:
        """Every row has a value."""
        return self.filled == self.n

    @cached_property
    def is_running(self) -> bool:
        """Whole numbers that go up by one step from row to row, or texts that number them."""
        if self.filled < 3 or not self.is_unique:
            return False
        numbers = self.known if self.kind == "whole" else _tail_numbers(list(self.counts))
        if numbers is None or len(numbers) < 3:
            return False
        steps = {b - a for a, b in pairwise(numbers)}
        return len(steps) == 1 and 0 < steps.pop() <= 1

    @cached_property
    def is_rising(self) -> bool:
        """Numbers that go up from row to row without a step back or a repetition."""
        if self.filled < 4 or not self.is_unique:
            return False
        numbers = self.known if self.is_number else _tail_numbers(list(self.counts))
        return numbers is not None and all(a < b for a, b in pairwise(numbers))

    @cached_property
    def is_permutation(self) -> bool:
        """Whole numbers from 0 or 1 on, each once, in any order."""
        if self.kind != "whole" or not self.is_unique or self.filled < 3:
            return False
        low, high = min(self.known), max(self.known)
        return low in (0, 1) and high - low + 1 == self.filled

    @cached_property
    def blocks(self) -> float:
        """How unlikely it is that equal values would stand together like this, in nats."""
        values = [v for v in self.values if v is not None]
        if not 1 < self.distinct < len(values):
            return 0.0
        runs = 1 + sum(a != b for a, b in pairwise(values))
        n = len(values)
        same = sum(m * (m - 1) for m in self.counts.values()) / (n * (n - 1))
        expected = 1 + (n - 1) * (1 - same)
        return max(0.0, (expected - runs) * 0.5) if runs < expected else 0.0

    @cached_property
    def length(self) -> float:
        """Mean length of the values in characters."""
        return sum(len(v) * m for v, m in self.counts.items()) / max(1, self.filled)

    @cached_property
    def is_prose(self) -> bool:
        """Long texts that hardly come back: what was rated, or remarks."""
        if self.kind != "text" or self.filled < 2:
            return False
        spaced = sum(m for v, m in self.counts.items() if v.count(" ") >= 3)
        return (
            self.length > _LONG_TEXT
            and spaced > 0.5 * self.filled
            and self.distinct > 0.5 * self.filled
        )

    @cached_property
    def is_templated(self) -> bool:
        """Names of one pattern with a number in it, such as doc_001: identifiers."""
        return self.kind == "text" and is_template(list(self.counts))

    @cached_property
    def roles(self) -> frozenset[str]:
        """What the name suggests; of words that mean two things, the values say which.

        A note that is no remark is a mark, and a Tag without dates is a tag.
        """
        roles = roles_of(self.name) if self.name.strip() else frozenset()
        if {"comment", "label"} <= roles:
            return frozenset(("comment", "side") if self.is_remark else ("label",))
        if {"date", "label"} <= roles:
            if self.kind == "date":
                return roles - {"label"}
            return roles if self._may_be_days else roles - {"date", "side"}
        return roles

    @property
    def _may_be_days(self) -> bool:
        """Whole numbers of which there are as many as days of a month, and none is too large."""
        days = self.kind == "whole" and self.distinct > _FEW_CODES
        return days and min(self.known) >= 1 and max(self.known) <= _DAYS

    @cached_property
    def is_remark(self) -> bool:
        """Words that hardly come back: several in many cells, or any in few rows."""
        if self.kind != "text" or self.distinct <= 0.5 * self.filled:
            return False
        spaced = sum(m for v, m in self.counts.items() if " " in v)
        return self.filled < 0.6 * self.n or spaced > 0.25 * self.filled

    @cached_property
    def family(self) -> Family | None:
        """The name cut into a stem and a number or letter."""
        return family_of(self.name)

    @cached_property
    def value_roles(self) -> Counter[str]:
        """Part of the values that sound like a role: rater1, doc_3."""
        found: Counter[str] = Counter()
        for value in list(self.counts)[:40]:
            found.update(roles_of(value) if len(value) <= 40 else ())
        return found

    @cached_property
    def collision_rate(self) -> float:
        """Probability that two of its cells are equal."""
        n = self.filled
        return sum(m * (m - 1) for m in self.keys.values()) / (n * (n - 1)) if n > 1 else 0.0


@dataclass(frozen=True)
class Profile:
    """A table, or a sample of it: columns with their profiles, and what holds between them."""

    columns: tuple[Column, ...]
    n: int
    file_of: tuple[int, ...] | None = (
        None  # number of the file of each row, where there are several
    )
    columns_name: str = ""  # what a frame calls its columns, as a pivot does
    _codes: dict[int, tuple[int, ...]] = field(default_factory=dict, repr=False)
    _memo: dict[object, Any] = field(default_factory=dict, repr=False)

    def remembered(self, key: object, make: Callable[[], T]) -> T:
        """Return what was worked out under this key before, or work it out now."""
        if key not in self._memo:
            self._memo[key] = make()
        found: T = self._memo[key]
        return found

    @cached_property
    def live(self) -> list[Column]:
        """Columns that hold something."""
        return [c for c in self.columns if c.kind != "empty"]

    def codes(self, j: int) -> tuple[int, ...]:
        """The values of a column as numbers by first appearance; -1 where there is none."""
        if j not in self._codes:
            seen: dict[str, int] = {}
            self._codes[j] = tuple(
                -1 if v is None else seen.setdefault(v, len(seen)) for v in self.columns[j].values
            )
        return self._codes[j]

    def joint(self, js: Sequence[int]) -> tuple[object, ...]:
        """The values of several columns together."""
        if len(js) == 1:
            return self.codes(js[0])
        places = tuple(js)
        return self.remembered(
            ("joint", places),
            lambda: tuple(zip(*(self.codes(j) for j in places), strict=True)),
        )

    def times(self, js: Sequence[int]) -> Counter[object]:
        """How often each value of several columns together comes."""
        return self.remembered(("times", tuple(js)), lambda: Counter(self.joint(js)))

    def depends(self, j: int, on: Sequence[int]) -> bool:
        """Tell whether column j is a function of other columns, whose values do come back."""
        return self.remembered(("depends", j, tuple(on)), lambda: self._depends(j, on))

    def _depends(self, j: int, on: Sequence[int]) -> bool:
        seen: dict[object, int] = {}
        returns = 0
        for key, value in zip(self.joint(on), self.codes(j), strict=True):
            if value < 0:
                continue
            if key in seen:
                returns += 1
                if seen[key] != value:
                    return False
            else:
                seen[key] = value
        return returns > 0

    def same_partition(self, a: int, b: int) -> bool:
        """Tell whether two columns name the same things."""
        return self.codes(a) == self.codes(b)


def profile_of(names: Sequence[str], rows: Sequence[Sequence[Cell]], *, index: int = 0) -> Profile:
    """Profile a table; the first `index` columns are the index of a frame."""
    cells = list(zip(*rows, strict=True)) if rows else [()] * len(names)
    columns = tuple(
        Column(j, name, tuple(column), is_index=j < index)
        for j, (name, column) in enumerate(zip(names, cells, strict=True))
    )
    return Profile(columns, len(rows))


def plain_name(text: str) -> str:
    """Return a name as it is compared between rows and columns: as it is, but 1 for 1.0."""
    text = text.strip()
    return text.removesuffix(".0") if text.replace(".", "").isdigit() else text


def spelling(value: str, is_number: bool) -> str:
    """Return one spelling of a value: 1 for 1.0, yes for Yes."""
    if not is_number:
        return value.casefold()
    number = as_exact(value)
    if number is None:
        return value
    return str(number) if isinstance(number, int) else f"{number:.15g}"


def _is_number(text: str) -> bool:
    return holds_number(text) and not _LONG_CODE.fullmatch(text)


def _tail_numbers(values: Sequence[str]) -> list[float] | None:
    """Return the last number in each text; None where one has none or the rest differs."""
    found = []
    stems = set()
    for value in values:
        match = re.fullmatch(r"(.*?)(\d{1,15})(\D*)", value)
        if match is None:
            return None
        stems.add((match[1], match[3]))
        found.append(float(match[2]))
        if len(stems) > 1:
            return None
    return found
