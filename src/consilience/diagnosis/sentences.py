"""What a cause is told as: a sentence, what to do, the option that shows the number without it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from consilience.core.labels import LabelSet
from consilience.core.words import counted, enumerated, listed, shortened
from consilience.diagnosis._cause import Candidate
from consilience.diagnosis._table import RatingTable

_LONGEST_LABEL = 48
_MOST_NAMED = 6


def shown(label: object) -> str:
    """Write a label in a sentence.

    >>> shown("joke")
    "'joke'"
    """
    if isinstance(label, LabelSet):
        return shortened(str(label), _LONGEST_LABEL)
    return f"'{shortened(str(label), _LONGEST_LABEL)}'"


def named(rater: object) -> str:
    """Write a rater in a sentence; one without a name is a number.

    >>> named("Ann"), named(2)
    ('Ann', 'rater 2')
    """
    text = shortened(str(rater), _LONGEST_LABEL)
    return f"rater {text}" if text.isdecimal() else text


def upper_first(sentence: str) -> str:
    """Begin a sentence with a capital.

    >>> upper_first("rater 2 guesses"), upper_first("ann guesses")
    ('Rater 2 guesses', 'ann guesses')
    """
    return sentence[:1].upper() + sentence[1:] if sentence.startswith("rater ") else sentence


@dataclass(frozen=True, slots=True)
class Told:
    """A cause in words: what was found, what to do, how to see the number without it."""

    what: str
    without: str  # as in "without R2, alpha would be .8"
    advice: str
    option: str = ""


Words = Callable[["Seen"], Told]
_TOLD: dict[str, Words] = {}


@dataclass(frozen=True)
class Seen:
    """A cause with the names that its sentence needs."""

    table: RatingTable
    cause: Candidate
    items: Sequence[object]

    @property
    def who(self) -> list[str]:
        """The raters."""
        return [named(self.table.raters[g]) for g in self.cause.raters]

    @property
    def labels(self) -> list[str]:
        """The labels."""
        return [shown(self.table.labels[k]) for k in self.cause.labels]

    @property
    def two(self) -> str | None:
        """Both raters, where there are no others: then the data cannot say who is off."""
        if self.table.n_raters != 2:
            return None
        return enumerated([named(name) for name in self.table.raters])

    @property
    def other(self) -> str:
        """The other one of two raters."""
        rest = [g for g in range(2) if g not in self.cause.raters]
        return named(self.table.raters[rest[0]])

    @property
    def facts(self) -> dict[str, Any]:
        """Numbers for the sentence."""
        return self.cause.facts

    def place(self, row: int) -> str:
        """Name an item: by its place in the file, as places are what a stretch is made of."""
        return f"item {row + 1:,}"


def tell(table: RatingTable, cause: Candidate, items: Sequence[object]) -> Told:
    """Put a cause into words."""
    return _TOLD[cause.code](Seen(table, cause, items))


def _told(code: str) -> Callable[[Words], Words]:
    def add(words: Words) -> Words:
        _TOLD[code] = words
        return words

    return add


def _option(*pairs: tuple[object, object]) -> str:
    """Return options that map labels, as a shell takes them."""
    from shlex import quote

    return " ".join(f"--map {quote(f'{old}={new}')}" for old, new in pairs)


_LOOK = "'consilience raters' shows who differs where."


@_told("order")
def _order(one: Seen) -> Told:
    first, second, last = (one.table.labels[k] for k in (0, 1, -1))
    return Told(
        f"The labels are numbers measured as mere names: {first} and {second} count as far apart "
        f"as {first} and {last}.",
        "with their order",
        'If the numbers are grades or marks, pass scale="ordinal" or "interval" (--scale ordinal).',
        "--scale ordinal",
    )


@_told("copied")
def _copied(one: Seen) -> Told:
    g, h = one.who
    same, common = one.facts["same"], one.facts["common"]
    never = "never differ" if same == common else f"differ on {common - same:,} of {common:,} items"
    if one.table.n_raters == 3:
        rest = named(one.table.raters[next(k for k in range(3) if k not in one.cause.raters)])
        what = f"{g} and {h} {never}, {rest} does: they are copies, or {rest} is off."
        what = what if same == common else (
            f"{g} and {h} {never}, {rest} far more: they are copies, or {rest} is off."
        )  # fmt: skip
    else:
        what = f"{g} and {h} {never}, though all others do: one may be a copy of the other."
    return Told(
        upper_first(what),
        "with one of the two left out",
        "Check that they worked alone and that no column was copied; copies raise every "
        "coefficient.",
    )


@_told("exchanged")
def _exchanged(one: Seen) -> Told:
    if one.facts.get("reversed"):
        if one.two:
            what = f"{one.two} use the scale from opposite ends; the data cannot say who is off."
        else:
            what = f"{one.who[0]} seems to use the scale from its other end."
        return Told(upper_first(what), "turned round", "Ask what the ends of the scale meant.")
    labels = enumerated(one.labels)
    if one.two:
        what = (
            f"{one.two} seem to use {labels} the other way round; the data cannot say who is off."
        )
    else:
        what = f"{one.who[0]} seems to have exchanged {labels}."
    return Told(
        upper_first(what),
        "put right",
        "Ask what these labels meant, and put the ratings right.",
    )


def _amount(one: Seen, g: int, shift: float) -> str:
    """Say by how much a rater's ratings lie above those of the others, in units of the scale."""
    table = one.table
    if not table.has_steps:
        return f"{abs(shift):.2g}"
    mine = table.given[:, g]
    rest = table.given.copy()
    rest[:, g] = False
    both = mine & rest.any(axis=1)
    others = (np.where(rest, table.codes, 0).sum(axis=1) / np.maximum(rest.sum(axis=1), 1))[both]
    steps = abs(float((table.codes[both, g] - others).mean()))
    return f"{steps:.1f} steps"


@_told("level")
def _level(one: Seen) -> Told:
    shifts = one.facts["shift"]
    what = "labels" if one.table.has_steps else "numbers"
    if len(shifts) > 1:
        order = np.argsort(shifts)
        low, high = (named(one.table.raters[one.cause.raters[k]]) for k in (order[0], order[-1]))
        apart = abs(shifts[int(order[-1])] - shifts[int(order[0])])
        by = "" if one.table.has_steps else f", {apart:.2g} apart on the same items"
        return Told(
            f"Raters differ in how strict they are: {low} gives the lowest {what}, {high} the "
            f"highest{by}.",
            "with their means moved together",
            f"Settle in the guidelines what each level means. {_LOOK}",
        )
    g, shift = one.cause.raters[0], shifts[0]
    way = "higher" if shift > 0 else "lower"
    amount = _amount(one, g, shift)
    if one.two:
        text = f"{one.who[0]} gives {what} {amount} {way} than {one.other}; the data cannot say "
        text += "who is off."
    else:
        text = f"{one.who[0]} gives {what} {amount} {way} than the others do to the same items."
    return Told(
        upper_first(text),
        "with that mean moved to the others'" if not one.two else "with the means moved together",
        f"Agree on what each level means before more is rated. {_LOOK}",
    )


@_told("spread")
def _spread(one: Seen) -> Told:
    ratio = one.facts["ratio"]
    much = f"{ratio:.1f} times as widely" if ratio > 1 else f"only {ratio:.1f} times as widely"
    if one.two:
        text = (
            f"{one.who[0]} spreads ratings {much} as {one.other}; the data cannot say who is off."
        )
    else:
        text = f"{one.who[0]} spreads ratings {much} as the others."
    return Told(
        upper_first(text),
        "with mean and spread moved to the others'" if not one.two else "with the spreads equal",
        f"Settle with examples what the ends of the scale are for. {_LOOK}",
    )


@_told("drift")
def _drift(one: Seen) -> Told:
    at = one.place(one.facts["from"])
    when = f"from {at} on" if one.facts["late"] else f"before {at}"
    if one.two:
        return Told(
            f"{one.two} differ {when} more than elsewhere; the data cannot say who changed.",
            "with that put right",
            f"Ask both what changed. {_LOOK}",
        )
    shift = one.facts["shift"]
    if shift is None:
        text = f"{one.who[0]} differs from the others {when} more than elsewhere."
    else:
        way = "higher" if shift > 0 else "lower"
        text = f"{one.who[0]} gives {way} ratings than the others {when}."
    return Told(
        upper_first(text),
        "without these ratings" if shift is None else "with these ratings moved to the others'",
        f"Ask what changed then, and have these items rated again. {_LOOK}",
    )


@_told("groups")
def _groups(one: Seen) -> Told:
    second = set(one.cause.raters)
    first = [g for g in range(one.table.n_raters) if g not in second]
    sides = [
        listed([named(one.table.raters[g]) for g in side], 10) for side in (first, sorted(second))
    ]
    if "within" in one.facts:
        low, high = sorted(one.facts["within"])
        apart = one.facts["across"]
        how = f" Agreement is {low:.2f} and {high:.2f} within, {apart:.2f} across."
    else:
        how = " One gives higher ratings than the other to the same items."
    return Told(
        f"The raters fall into two groups that follow different rules: {sides[0]}; and "
        f"{sides[1]}.{how}",
        "within the groups" if "within" in one.facts else "with the groups' means moved together",
        "Let both groups talk through items on which they differ, and settle one rule; neither is "
        "wrong by these data.",
    )


def _left_out(one: Seen) -> str:
    return "without " + ("them" if len(one.who) > 1 else one.who[0])


@_told("guess")
def _guess(one: Seen) -> Told:
    many = len(one.who)
    share = one.facts["ratings"] / one.facts["all_ratings"]
    if many > 1:
        what = (
            f"{many} of {one.table.n_raters:,} raters ({listed(one.who, _MOST_NAMED)}; "
            f"{share:.0%} of the ratings) seem to answer at random."
        )
    else:
        what = f"{one.who[0]} hardly agrees with anybody, as if answering at random."
    return Told(
        upper_first(what),
        _left_out(one),
        f"Leave {'them' if many > 1 else 'these ratings'} out, and have the items rated again. "
        f"{_LOOK}",
    )


@_told("apart")
def _apart(one: Seen) -> Told:
    rest, among = one.facts["with_rest"], one.facts["among_rest"]
    if len(one.who) > 1:
        what = f"{listed(one.who, _MOST_NAMED)} stand apart: their agreement with the others is "
        what += f"{rest:.2f}, that of the others {among:.2f}."
    else:
        what = f"{one.who[0]} stands apart: agreement with the others is {rest:.2f}, among the "
        what += f"others {among:.2f}."
    if one.table.has_names and one.table.n_labels == 2 and len(one.who) == 1:
        what += f" {_shares(one)}"
    if one.table.n_raters == 3:
        what += f" Either {one.who[0]} follows a rule of their own, or the other two share one."
    return Told(
        upper_first(what),
        _left_out(one),
        f"Talk the items through on which they differ. {_LOOK}",
    )


def _shares(one: Seen) -> str:
    """Say how often a rater gives one of two labels, and the others do."""
    g, codes = one.cause.raters[0], one.table.codes
    mine, rest = codes[:, g], np.delete(codes, g, axis=1)
    own, others = (float((x[x >= 0] == 1).mean()) for x in (mine, rest))
    return (
        f"{named(one.table.raters[g])} gives {shown(one.table.labels[1])} to {own:.0%} of items, "
        f"the others to {others:.0%}."
    )


@_told("confused")
def _confused(one: Seen) -> Told:
    first, second = one.cause.labels
    labels = one.table.labels
    return Told(
        f"{enumerated(one.labels)} are confused: {one.facts['share']:.0%} of all disagreements are "
        "between these two.",
        "with both merged",
        "Sharpen the line between them in the guidelines, or merge them if the question allows.",
        _option((labels[second], labels[first])),
    )


@_told("section")
def _section(one: Seen) -> Told:
    first, last = one.facts["first"], one.facts["last"]
    if one.two and last >= one.table.rows[-1]:
        what = f"{one.two} differ from {one.place(first)} on more than before."
    else:
        what = f"Raters agree less on items {first + 1:,} to {last + 1:,} of the file."
    return Told(
        what,
        "without these items",
        "Look what is different about them: their source, their kind, the day.",
    )


@_told("nobody_shares")
def _nobody_shares(one: Seen) -> Told:
    label = one.labels[0]
    return Told(
        f"{label} is a label that raters hardly share: it was given on {one.facts['items']:,} "
        f"items, and by two raters or more on {one.facts['shared']:,}.",
        "without it",
        "Give the label a definition with examples, or drop it.",
        _option((one.table.labels[one.cause.labels[0]], "")),
    )


@_told("rare")
def _rare(one: Seen) -> Told:
    return Told(
        f"{one.labels[0]} makes up {one.facts['share']:.0%} of the ratings: raters agree on "
        f"{one.facts['agreed']:.0%} of pairs, and hardly anything beyond chance can be shown.",
        "if all labels were equally common",
        "Have more items with the rarer labels rated before you judge the raters.",
    )


@_told("items")
def _items(one: Seen) -> Told:
    names = [shortened(str(one.items[row])) for row in one.facts["rows"]]
    return Told(
        f"Disagreement gathers on {counted(len(names), 'item')} of {one.table.n_items:,}: "
        f"{listed(names, _MOST_NAMED)}.",
        "without them",
        "'consilience adjudicate' lists them, the most contested first.",
    )
