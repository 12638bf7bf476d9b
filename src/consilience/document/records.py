"""Results as data: the JSON record of every command, and tables as CSV."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any, ClassVar

from consilience._version import __version__
from consilience.document.blocks import Cell, Document, Range, Table

# ---- The record that every command writes as JSON: one envelope, plain values, sorted keys.

SCHEMA = "consilience/1"
_SHARED = ("data", "estimates", "findings", "seed", "verdict")  # the envelope of every command
_PLAIN = (str, int, bool)  # JSON holds them as they are; of floats, only those that are numbers


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema that every record of this version fulfils.

    Returns
    -------
    dict

    Examples
    --------
    >>> json_schema()["title"]
    'consilience/1'
    """
    from importlib.resources import files

    text = files(__package__).joinpath(f"{SCHEMA.replace('/', '-')}.schema.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def envelope(
    *,
    data: Mapping[str, Any] | None,
    estimates: Iterable[Any] = (),
    findings: Iterable[Any] = (),
    seed: int | None = None,
    **more: Any,
) -> dict[str, Any]:
    """Return the record that all commands share, with each command's own keys beside it.

    A verdict is left out where there is none.

    Parameters
    ----------
    data : mapping or None
        What was measured: items, raters, ratings.
    estimates, findings : iterables
        Each with `to_dict()`, or plain already.
    seed : int, optional
    more
        The command's own keys.

    Returns
    -------
    dict

    Examples
    --------
    >>> sorted(envelope(data={"items": 2}, links=[]))
    ['data', 'estimates', 'findings', 'links', 'schema', 'seed', 'version']
    """
    record = {
        "schema": SCHEMA,
        "version": __version__,
        "seed": seed,
        "data": data,
        "estimates": list(estimates),
        "findings": list(findings),
        **{key: value for key, value in more.items() if key != "verdict" or value is not None},
    }
    return plain_record(record)


def plain(value: Any) -> Any:
    """Turn a value into what JSON can hold; a number that does not exist becomes None.

    Parameters
    ----------
    value : anything that a result holds

    Returns
    -------
    None, bool, int, float, str, list or dict

    Examples
    --------
    >>> plain({"value": float("nan"), "labels": frozenset({"b", "a"})})
    {'value': None, 'labels': ['a', 'b']}
    """
    if value is None or type(value) in _PLAIN:  # most of what comes
        return value
    for convert in ("to_dict", "tolist"):  # results; numpy's scalars and arrays
        if hasattr(value, convert):
            return plain(getattr(value, convert)())
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(item) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted((plain(part) for part in value), key=str)
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    return _scalar(value)


def _scalar(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, (str, int)) else str(value)


def plain_record(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record as plain data.

    Parameters
    ----------
    record : mapping

    Returns
    -------
    dict

    Examples
    --------
    >>> plain_record({"value": float("inf"), "items": (1, 2)})
    {'value': None, 'items': [1, 2]}
    """
    return {str(key): plain(value) for key, value in record.items()}


def plain_fields(result: Any, *, leave_out: Collection[str] = (), **more: Any) -> dict[str, Any]:
    """Return the fields of a dataclass as plain data; `more` comes beside them or in their place.

    Parameters
    ----------
    result : dataclass
    leave_out : names of fields
    more
        Further keys, or other values for fields.

    Returns
    -------
    dict

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> Marks = dataclass(type("Marks", (), {"__annotations__": {"low": float, "high": float}}))
    >>> plain_fields(Marks(1.0, float("nan")), leave_out=("low",), unit="points")
    {'high': None, 'unit': 'points'}
    """
    names = [one.name for one in fields(result) if one.name not in leave_out]
    return plain_record({name: getattr(result, name) for name in names} | more)


class Recorded:
    """A dataclass whose record is its fields, each under its own name.

    `unrecorded` names fields that are left out, `recorded` properties that come beside the fields,
    `renamed` those that are called otherwise in the record. What has to be computed for the
    record is returned by `_beside`.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> class Counted(Recorded):
    ...     renamed = {"n_items": "items"}
    ...     n_items: int
    >>> dataclass(Counted)(n_items=3).to_dict()
    {'items': 3}
    """

    __slots__ = ()
    unrecorded: ClassVar[tuple[str, ...]] = ()
    recorded: ClassVar[tuple[str, ...]] = ()
    renamed: ClassVar[Mapping[str, str]] = {}

    def to_dict(self) -> dict[str, Any]:
        """Return plain data with stable keys."""
        names = [one.name for one in fields(self) if one.name not in self.unrecorded]  # type: ignore[arg-type]
        named = {
            self.renamed.get(name, name): getattr(self, name) for name in (*names, *self.recorded)
        }
        beside = dict(self._beside())
        return plain_record(beside | named | beside)

    def _beside(self) -> Mapping[str, Any]:
        """Return further keys, or other values for fields; they come first."""
        return {}


class Enveloped(Recorded):
    """A result whose record stands in the envelope that all commands share.

    Its `data`, `estimates`, `findings`, `seed` and `verdict` fill the envelope where it has them.
    """

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the record that the command line writes as JSON."""
        shared = {name: getattr(self, name) for name in _SHARED if hasattr(self, name)}
        own = {k: v for k, v in super().to_dict().items() if k not in _SHARED}
        return envelope(**({"data": None} | shared | own))


class Reasoned:
    """A result that is undefined exactly where it gives a reason."""

    __slots__ = ()
    reason: str | None

    @property
    def status(self) -> str:
        """Whether the value is defined: "ok" or "undefined"."""
        return "ok" if self.reason is None else "undefined"


def to_json(record: Mapping[str, Any]) -> str:
    """Write a record as JSON: sorted keys, no timestamp, null where a number is missing.

    Parameters
    ----------
    record : mapping

    Returns
    -------
    str

    Examples
    --------
    >>> print(to_json({"b": float("nan"), "a": 1}))
    {
      "a": 1,
      "b": null
    }
    """
    return json.dumps(plain(record), sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False)


# ---- Tables as CSV: unrounded, and safe to open in a spreadsheet.

_NEEDS_QUOTES = re.compile(r'["\r\n]|^\s|\s$')
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def csv_text(document: Document) -> str:
    """Render the tables, a blank line between them; an interval takes two columns."""
    tables = [block for block in document.blocks if isinstance(block, Table)]
    return "\n\n".join(_table(table) for table in tables)


def _table(table: Table) -> str:
    return written(flat_rows(table))


def flat_rows(table: Table) -> list[list[object]]:
    """Return the names and the unrounded cells of a table; an interval takes two columns."""
    ranges = [any(isinstance(row[j], Range) for row in table.rows) for j in range(len(table.heads))]
    heads: list[object] = []
    for head, is_range in zip(table.heads, ranges, strict=True):
        heads += [f"{head} low", f"{head} high"] if is_range else [head]
    return [heads, *(_flat(row, ranges) for row in table.rows)]


def _flat(row: Sequence[Cell], ranges: Sequence[bool]) -> list[object]:
    flat: list[object] = []
    for cell, is_range in zip(row, ranges, strict=True):
        if isinstance(cell, Range):
            flat += [_number(cell.low), _number(cell.high)]
        else:
            flat += [_number(cell), None] if is_range else [_number(cell)]
    return flat


def _number(cell: object) -> object:
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell


def written(rows: Sequence[Sequence[object]], *, raw: bool = False) -> str:
    """Write rows as CSV; texts that a spreadsheet would compute are guarded unless `raw`."""
    lines = (csv_line(row if raw else map(spreadsheet_safe, row)) for row in rows)
    return "".join(lines).rstrip("\n")


def csv_line(cells: Iterable[object], *, delimiter: str = ",") -> str:
    r"""Return one line of CSV; a lone carriage return is quoted too, as csv.writer does not.

    Examples
    --------
    >>> csv_line(["a\rb", 0.5, None, "c, d"])
    '"a\rb",0.5,,"c, d"\n'
    """
    line = delimiter.join(_quoted("" if c is None else str(c), delimiter) for c in cells)
    return (line or '""') + "\n"  # a blank line would be no row


def _quoted(cell: str, delimiter: str) -> str:
    if delimiter in cell or _NEEDS_QUOTES.search(cell):
        return '"' + cell.replace('"', '""') + '"'
    return cell


def spreadsheet_safe(cell: object) -> object:
    """Keep a spreadsheet from taking a text for a formula; numbers stay numbers.

    Parameters
    ----------
    cell : text, number or None

    Returns
    -------
    object
        The same, a text that looks like a formula with an apostrophe before it.

    Examples
    --------
    >>> spreadsheet_safe("=1+1"), spreadsheet_safe(-0.5)
    ("'=1+1", -0.5)
    """
    if isinstance(cell, str) and cell.lstrip(" ").startswith(_FORMULA):
        return "'" + cell
    return cell
