"""Spans as labels of tokens or characters, for every coefficient of ratings."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from consilience.coefficients import Estimate, estimate, registry
from consilience.core.arguments import check_word
from consilience.core.arrays import Ints
from consilience.core.labels import is_missing
from consilience.core.result import Several
from consilience.document import Document, Finding, Paragraph, Table
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.ratings import Ratings
from consilience.units._boundaries import in_atoms
from consilience.units._columns import expand
from consilience.units._unit_results import Enveloped, said_units, unit_counts
from consilience.units.checks import absent_findings, check_several_raters, check_words, heard
from consilience.units.model import ABSENT, Units

ITEMS = ("all", "marked")
NESTED = ("refuse", "set")
USUAL = ("percent_agreement", "cohen_kappa", "scott_pi", "krippendorff_alpha")
_MOST_CELLS = 200_000_000


@dataclass(frozen=True, slots=True)
class _Painted:
    """The label of every token by every rater, as codes."""

    code: NDArray[np.int32]  # tokens x raters; 0 outside, -1 missing
    labels: tuple[Any, ...]
    session: Ints  # of each token
    number: Ints  # of each token in its text, from 1


def token_ratings(
    units: Units,
    *,
    items: Literal["all", "marked"] = "all",
    tokens: Mapping[str, Any] | None = None,
    atom: float = 1,
    outside: Any = "O",
    nested: Literal["refuse", "set"] = "refuse",
    absent: Literal["asked", "drop", "count"] = "asked",
) -> Ratings:
    """Turn spans into one rating for each token, or each character, and rater.

    Use it to run any coefficient on spans, without the letters B and I of tagging schemes. Prefer
    `token_agreement` to see both choices of items side by side.

    Parameters
    ----------
    units : Units
        Times count tokens or characters, unless `tokens` says where tokens are.
    items : {"all", "marked"}
        All tokens of the sessions' bounds, or those that at least one rater marked.
    tokens : mapping of session to (start, end) pairs, optional
        Where tokens are, in the units' times; a span marks every token that it touches.
    atom : number, default 1
        Length of a token if `tokens` is not given.
    outside : label, default "O"
        The label of tokens that a rater did not mark.
    nested : {"refuse", "set"}
        What to do with a token that one rater marked twice with different labels: refuse it, or
        let the label of every token be the set of its labels, the empty set outside.
    absent : {"asked", "drop", "count"}
        A rater without a unit in a session counts as having marked nothing if she was asked
        there (`Units.asked`) and is left out if that is not known; is left out; or counts.

    Returns
    -------
    Ratings

    Raises
    ------
    InputError
        Nested spans, unknown words, tokens that overlap, times that are no multiples of `atom`.
    UnsupportedDesignError
        Fewer than two raters, nothing to rate, or more than 200 million ratings.

    Examples
    --------
    >>> units = Units.from_records(
    ...     [("Ann", "PER", 0, 2), ("Ann", "LOC", 5, 6), ("Bob", "PER", 0, 3)], bounds=(0, 8))
    >>> ratings = token_ratings(units)
    >>> ratings.n_items, ratings.categories
    (8, ('O', 'LOC', 'PER'))
    >>> token_ratings(units, items="marked").n_items
    4
    """
    check_word("items", items, ITEMS)
    painted = _paint(units, tokens=tokens, atom=atom, outside=outside, nested=nested, absent=absent)
    return _ratings(units, painted, items)


@dataclass(frozen=True, kw_only=True)
class TokenAgreement(Several, Enveloped):
    """Coefficients of token labels over all tokens and over marked ones; see `token_agreement`."""

    all: Mapping[str, Estimate]
    marked: Mapping[str, Estimate]
    n_all: int
    n_marked: int

    def _estimates(self) -> Iterator[dict[str, Any]]:
        for name, side in (("all", self.all), ("marked", self.marked)):
            for found in side.values():
                yield {"items": name, **found.to_dict()}

    def _sizes(self) -> dict[str, Any]:
        return {"tokens": self.n_all, "marked": self.n_marked}

    def document(self) -> Document:
        """Return the result as something to read."""
        text = said_units(self.units_by_session) + (
            f" {self.n_all:,} tokens, {self.n_marked:,} of them marked by at least one rater. "
            "Tokens that nobody marked raise the first column, and leaving them out lowers the "
            "second: report both."
        )
        table = Table.of(
            self.all.items(),
            "coefficient: 1.name",
            "all tokens: 1.value",
            ("marked tokens", lambda one: self.marked[one[0]].value),
        )
        blocks = (Paragraph(text), table)
        return Document(title="Agreement about tokens", blocks=blocks, findings=self.findings)


def token_agreement(
    units: Units,
    *,
    coefficients: Iterable[str] = USUAL,
    distance: Any = None,
    tokens: Mapping[str, Any] | None = None,
    atom: float = 1,
    outside: Any = "O",
    nested: Literal["refuse", "set"] = "refuse",
    absent: Literal["asked", "drop", "count"] = "asked",
) -> TokenAgreement:
    """Coefficients of token or character labels: over all tokens, and over those marked by anybody.

    Use it for spans in text that has tokens. Prefer `span_f1` if whole spans matter.

    Parameters
    ----------
    units, tokens, atom, outside, nested, absent
        As in `token_ratings`.
    coefficients : names
        Any of ``consilience.coefficients()``.
    distance : optional
        Of the labels; with ``nested="set"`` "masi" or "jaccard".

    Returns
    -------
    TokenAgreement

    Notes
    -----
    Over all tokens, the many that nobody marked raise agreement; over marked tokens, agreement
    about "not marked" is left out by construction, so values are biased downward. Both are given
    because neither is right. Standard errors take tokens for independent of each other.

    Examples
    --------
    >>> units = Units.from_records(
    ...     [("Ann", "PER", 0, 2), ("Ann", "LOC", 5, 6), ("Bob", "PER", 0, 3)], bounds=(0, 8))
    >>> found = token_agreement(units)
    >>> round(found.all["cohen_kappa"].value, 3), round(found.marked["cohen_kappa"].value, 3)
    (0.515, 0.111)
    """
    if isinstance(coefficients, str) or not isinstance(coefficients, Iterable):
        raise InputError.expected(
            "coefficients", "a list of names", coefficients, 'for example ["krippendorff_alpha"]'
        )
    chosen = [registry[name] for name in coefficients]
    painted = _paint(units, tokens=tokens, atom=atom, outside=outside, nested=nested, absent=absent)
    sides = [_ratings(units, painted, items) for items in ITEMS]
    both: list[dict[str, Estimate]] = [
        {
            one.name: estimate(one, (ratings,), distance=distance, on_undefined="ignore")
            for one in chosen
        }
        for ratings in sides
    ]
    message = (
        "Standard errors of token coefficients take tokens for independent of each other; tokens "
        "of one span are not. Trust intervals that resample whole sessions."
    )
    return TokenAgreement(
        all=both[0],
        marked=both[1],
        n_all=sides[0].n_items,
        n_marked=sides[1].n_items,
        parameters={"atom": atom, "outside": outside, "nested": nested, "absent": absent},
        findings=(
            *absent_findings(units, absent),
            Finding("tokens_are_not_independent", "info", message),
        ),
        units_by_session=unit_counts(units),
    )


# ---- painting


def _ratings(units: Units, painted: _Painted, items: str) -> Ratings:
    code = painted.code
    keep = np.arange(len(code)) if items == "all" else np.flatnonzero((code > 0).any(axis=1))
    if not len(keep):
        why = "no tokens" if items == "all" else "no token that anybody marked"
        raise UnsupportedDesignError.needs(
            "ratings of tokens", "at least one token", why, "check the bounds of the sessions"
        )
    names = [
        f"{units.sessions[s]} {n}"
        for s, n in zip(painted.session[keep].tolist(), painted.number[keep].tolist(), strict=True)
    ]
    used, coded = np.unique(code[keep], return_inverse=True)
    shift = int(len(used) > 0 and used[0] == -1)
    cells = coded.reshape(len(keep), -1) - shift
    item, rater = (x.ravel() for x in np.indices(cells.shape))
    return Ratings.from_codes(
        item=item,
        rater=rater,
        label=cells.ravel(),
        items=names if len(set(names)) == len(names) else None,
        raters=list(units.raters),
        categories=[painted.labels[k] for k in used[shift:]],
    )


def _paint(
    units: Any, *, tokens: Any, atom: Any, outside: Any, nested: str, absent: str
) -> _Painted:
    check_several_raters(units, "agreement about tokens")
    check_words(nested=(nested, NESTED), absent=(absent, ABSENT))
    if is_missing(outside) or not isinstance(outside, Hashable):
        raise InputError.expected("outside", "a label", outside, 'for example outside="O"')
    if outside in units.labels and nested == "refuse":
        raise InputError.expected(
            "outside", "a label that no span has", outside, 'choose another, such as outside="none"'
        )
    blocks = units.sorted_blocks()
    session = blocks.session.astype(np.int64)
    empty = np.setdiff1d(np.arange(units.n_sessions), session)
    session = np.concatenate([session, empty])  # sessions in which nobody marked anything
    low, high, length = _token_ranges(units, blocks, session, tokens, atom)
    offset = np.cumsum(length) - length
    total = int(length.sum())
    if total * units.n_raters > _MOST_CELLS:
        raise UnsupportedDesignError.needs(
            "agreement about tokens",
            f"at most {_MOST_CELLS:,} ratings",
            f"{total:,} tokens by {units.n_raters} raters",
            "give a larger atom=, or use unitizing_alpha, which needs no tokens",
        )
    entry, at = expand(offset[blocks.block] + low, high - low)
    cell = at * units.n_raters + blocks.rater[entry]
    code = np.zeros(total * units.n_raters, dtype=np.int32)
    labels = _fill(code, (cell, blocks.label[entry]), units, outside=outside, nested=nested)
    table = code.reshape(total, units.n_raters)
    text = np.repeat(np.arange(len(length)), length)
    if absent != "count":
        there: NDArray[np.bool_] = heard(units, absent).T[session]
        if absent == "drop":
            there[: blocks.n_blocks] = np.diff(blocks.offsets, axis=1) > 0
        table[~there[text]] = -1
        kept = np.asarray(there.any(axis=1))[text]
        table, text = table[kept], text[kept]
        number = (np.arange(total) - offset[np.repeat(np.arange(len(length)), length)])[kept]
    else:
        number = np.arange(total) - offset[text]
    return _Painted(table, labels, session[text], number + 1)


def _fill(
    code: NDArray[np.int32], marks: tuple[Ints, Any], units: Units, *, outside: Any, nested: str
) -> tuple[Any, ...]:
    """Write the codes into the cells; return the labels that they stand for."""
    cell, label = marks
    n_labels = max(len(units.labels), 1)
    key = np.unique(cell * n_labels + label)  # the same label twice is one
    cell, label = key // n_labels, key % n_labels
    new = np.append(True, cell[1:] != cell[:-1])[: len(cell)]
    if nested == "refuse":
        if not new.all():
            row = int(np.flatnonzero(~new)[0])
            rater = units.raters[int(cell[row] % units.n_raters)]
            raise InputError.expected(
                f"each token, for rater {rater!r},",
                "given one label",
                [units.labels[label[row - 1]], units.labels[label[row]]],
                'put kinds that may be nested on tiers of their own, or use nested="set"',
            )
        code[cell] = label + 1
        return (outside, *units.labels)
    known: dict[frozenset[Any], int] = {frozenset(): 0}
    heads = np.flatnonzero(new)
    groups = np.split(label, heads[1:]) if len(heads) else []
    plain: dict[tuple[int, ...], int] = {}
    for head, group in zip(heads.tolist(), groups, strict=True):
        kind = tuple(group.tolist())
        if kind not in plain:
            plain[kind] = known.setdefault(frozenset(units.labels[k] for k in kind), len(known))
        code[cell[head]] = plain[kind]
    return tuple(known)


def _token_ranges(
    units: Units, blocks: Any, session: Ints, tokens: Any, atom: Any
) -> tuple[Ints, Ints, Ints]:
    """Return the first and last token of each unit, and the number of tokens of each text."""
    if tokens is None:
        begin = units.bounds[:, 0]
        length = in_atoms(units.bounds[:, 1] - begin, atom, "the length of a session")[session]
        origin = begin[session[blocks.block]]
        low = in_atoms(blocks.start - origin, atom, "the start of a span")
        return low, in_atoms(blocks.end - origin, atom, "the end of a span"), length
    places = _token_places(tokens, units.sessions)
    low, high = np.zeros((2, len(blocks.start)), dtype=np.int64)
    for s, (first, last) in enumerate(places):
        rows = np.flatnonzero(session[blocks.block] == s)
        low[rows] = np.searchsorted(last, blocks.start[rows], side="right")
        high[rows] = np.searchsorted(first, blocks.end[rows], side="left")
        lost = rows[high[rows] <= low[rows]]
        if lost.size:
            row = int(lost[0])
            raise InputError.expected(
                f"every span of session {units.sessions[s]!r}",
                "one that touches a token",
                (blocks.start[row].item(), blocks.end[row].item()),
                "check that tokens and spans count the same characters",
            )
    length = np.array([len(first) for first, _ in places], dtype=np.int64)
    return low, high, length[session]


def _token_places(tokens: Any, sessions: Sequence[str]) -> list[tuple[Any, Any]]:
    hint = '{"text 1": [(0, 3), (4, 9)]}; with one session a list of pairs will do'
    if not isinstance(tokens, Mapping):
        if len(sessions) != 1:
            raise InputError.expected("tokens", "a mapping of session to pairs", tokens, hint)
        tokens = {sessions[0]: tokens}
    known = {str(name): value for name, value in tokens.items()}
    out = []
    for name in sessions:
        if name not in known:
            raise InputError.unknown_word("a session in tokens", name, known)
        try:
            table = np.array(known[name], dtype=np.float64).reshape(-1, 2)
        except (TypeError, ValueError):
            raise InputError.expected(
                f"the tokens of session {name!r}", "(start, end) pairs", known[name], hint
            ) from None
        flat = table.ravel()
        if (
            not np.isfinite(flat).all()
            or (np.diff(flat) < 0).any()
            or (table[:, 0] >= table[:, 1]).any()
        ):
            raise InputError.expected(
                f"the tokens of session {name!r}",
                "in order and apart from each other",
                known[name],
                "sort them, and leave out empty tokens",
            )
        out.append((table[:, 0], table[:, 1]))
    return out
