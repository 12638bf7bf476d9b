"""How much a column is like a rater's column beside others, and what speaks against it.

All numbers are in nats: the logarithm of how much more probable the cells are if the column is one
of the raters than if it has nothing to do with them.
"""

from __future__ import annotations

import math
import re
import unicodedata
from bisect import bisect
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from consilience.core.cell_values import as_number
from consilience.io.layout.computed_parts import computed_from, is_summed, settled_weight
from consilience.io.layout.lexicon import (
    CODES,
    is_capitalised,
    is_loose_code,
    looks_like_model,
    looks_like_person,
    roles_of,
    style_of,
)
from consilience.io.layout.profile import Column, Profile
from consilience.io.layout.standing import standing_of

_MOST_SHARED, _LEAST_SHARED = 10.0, -18.0
_MOST_BESIDE, _MOST_NUMBERS = 6, 300  # columns and numbers of each that tell the scale
_MOST_MEASURED = 0.5  # a scale alone says little: it may be a stranger's
_ESCAPE = 0.1  # probability that a rater uses a label that no other rater uses
_MOST_IN_RANGE = 4.5  # such a number says little: the range may be a stranger's
_IN_RANGE = 0.15  # probability of a number nobody else gave, inside the range of the others
_NEVER_RATER = ("item", "side", "date", "total", "derived", "confidence", "comment", "text")
_NAME_AGAINST = 5.0
_UNIT = re.compile(r"[\s_.]*[(\[]?(?:s|ms|sec|secs|seconds|min|h|%)[)\]]?", re.IGNORECASE)
_NOT_CALLED_SO = -2.0
_STRANGE, _STRANGE_BESIDE_RATERS = 3.0, 6.0  # no member of the others' family
_COMPUTED_SURELY = 30.0  # called a mean, and it is the mean
_CLEARLY_SETTLED = 3.0  # nats
_FOREIGN = 3.0  # several labels, and not one of them anybody else's
_COMPUTED = {"total", "derived", "confidence"}
_MANY, _NEARLY_ALL = 4.0, 0.8  # columns that make a family of a table
_MOST_WORDS = 3  # of a name that others go with
_SHARES = 3.0  # nats that values in common are worth
_FEW_CODES = 7  # different values that say nothing about who gave them


@dataclass(frozen=True)
class Reason:
    """Why a column is not one of the raters."""

    nats: float
    words: str
    is_name: bool = False  # it is the name alone that says so
    is_dissent: bool = False  # a rater who differs from all others would look the same


@lru_cache(maxsize=65536)
def alphabet_probability(value: str, is_number: bool) -> float:
    """Return how probable a value is in a column about which nothing is known."""
    if is_number:
        number = as_number(value) or 0.0
        whole = abs(int(number)) if abs(number) < 1e15 else 10**15
        scale = 2.0 / ((whole + 2) * (whole + 3))
        return scale if number == int(number) and abs(number) < 1e15 else scale * 0.05
    return 1 / 60 if len(value) == 1 else 1 / 300 if len(value) <= 3 else 1 / 1500


class Group:
    """Columns taken for raters, summed up so that each can be held against the others quickly."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self.columns = tuple(c for c in columns if c.counts)
        self.memo: dict[tuple[str, int], Any] = {}
        self.places = frozenset(c.j for c in self.columns)
        self.owners: Counter[str] = Counter()
        self.stems: Counter[str] = Counter()
        for column in self.columns:
            self.owners.update(column.keys.keys())
            if column.family is not None:
                self.stems[column.family.stem] += 1
        self.n_owners = self.owners.total()
        self.top_stems = self.stems.most_common(2)
        self.by_name = {c.name.strip().casefold(): c for c in reversed(self.columns)}
        self.persons = sum(is_someone(c.name) for c in self.columns)
        self.raters = sum(standing_of(c.name) == "rater" for c in self.columns)
        found = Counter(style_of(c.name) for c in self.columns)
        self.style, self.styles = found.most_common(1)[0] if found else ("", 0)
        self.numeric = sum(c.is_number for c in self.columns)
        self.whole = sum(c.kind == "whole" for c in self.columns)
        self.rates = sorted((c.collision_rate, c.j) for c in self.columns)[:2]
        self.blocks = sorted(((c.blocks, c.j) for c in self.columns), reverse=True)[:2]
        ends = [(min(c.known), max(c.known), c.j) for c in self.columns if c.is_number]
        self.widest = sorted(ends, key=lambda end: end[0] - end[1])[:2]

    @cached_property
    def measured(self) -> list[Column]:
        """Columns of fractions that hardly come back."""
        return [c for c in self.columns if c.is_measured]

    @cached_property
    def place_measured(self) -> dict[int, int]:
        """Where each of these stands among them."""
        return {c.j: k for k, c in enumerate(self.measured)}

    @cached_property
    def summed(self) -> list[Column]:
        """Columns of numbers that a sum or a mean may be made of."""
        return [c for c in self.columns if is_summed(c)]

    @cached_property
    def sums(self) -> list[tuple[float, int]]:
        """Sum of the numbers in each row, and how many there are."""
        rows = zip(*(c.numbers for c in self.summed), strict=True)
        return [
            (sum(x for x in row if x is not None), sum(x is not None for x in row)) for row in rows
        ]

    def span(self, i: int, column: Column) -> float:
        """Return how far the numbers of the other columns in a row are apart."""
        if ("ends", i) not in self.memo:
            ends = sorted((x, c.j) for c in self.summed if (x := c.numbers[i]) is not None)
            self.memo["ends", i] = ends[:2], ends[-2:]
        lows, highs = self.memo["ends", i]
        low = next((x for x, j in lows if j != column.j), 0.0)
        return float(next((x for x, j in reversed(highs) if j != column.j), low) - low)

    @cached_property
    def first(self) -> int:
        """Where the first of the columns stands."""
        return min(self.places)

    @cached_property
    def last(self) -> int:
        """Where the last of the columns stands."""
        return max(self.places)

    def others(self, column: Column) -> int:
        """How many columns there are beside this one."""
        return len(self.columns) - (column.j in self.places)

    def range_beside(self, column: Column) -> tuple[float, float]:
        """Range of the numbers of the other column that has the widest."""
        ends = ((low, high) for low, high, j in self.widest if j != column.j)
        return next(ends, (math.inf, -math.inf))


def shared(column: Column, group: Group) -> float:
    """Weigh which values of the column the others have, too.

    Each rater has a distribution of her own; what raters have in common is the list of labels. So
    only the first occurrence of each value counts: a label of the others, by how many of them use
    it, is worth what it would cost to guess it; a new one costs the probability of a new label.
    """
    key = ("shared", column.j)
    if key not in group.memo:
        group.memo[key] = _shared(column, group)
    return float(group.memo[key])


def _shared(column: Column, group: Group) -> float:
    n_others = group.others(column)
    if not n_others:
        return 0.0
    inside = column.j in group.places
    own = sum(group.owners[value] == 1 for value in column.keys) if inside else 0
    n_known = max(1, len(group.owners) - own)
    told = max(1, group.n_owners - (len(column.keys) if inside else 0))
    is_number = column.is_number and group.numeric - (inside and column.is_number) == n_others
    n_measured = len(group.measured) - (inside and column.is_measured)
    in_common = sum(group.owners[value] > inside for value in column.keys)
    if column.is_measured and 2 * n_measured >= n_others and 2 * in_common < len(column.keys):
        return max(_LEAST_SHARED, min(_MOST_MEASURED, _measured_alike(column, group)))
    low, high = group.range_beside(column) if is_number else (0.0, 0.0)
    total = 0.0
    for value in column.keys:
        chance = alphabet_probability(value, column.is_number)
        probability = _ESCAPE * chance
        if group.owners[value] > inside:
            probability += (1 - _ESCAPE) * (group.owners[value] - inside) / told
        elif is_number and low <= (as_number(value) or 0.0) <= high:
            probability += _IN_RANGE / max(1.0, high - low + 1, n_known)
            probability = min(probability, _MOST_IN_RANGE * chance)
        total += math.log(probability / chance)
    return max(_LEAST_SHARED, min(_MOST_SHARED, total))


def _measured_alike(column: Column, group: Group) -> float:
    """Weigh numbers that hardly come back: not which the others have, but where theirs are dense.

    The density of theirs at a number is that of its nearest neighbours among them.
    """
    own = group.place_measured.get(column.j, len(group.measured))
    n_beside = len(group.measured) - (own < len(group.measured))
    step = -(-n_beside // _MOST_BESIDE)
    few = [group.measured[k + (k >= own)] for k in range(0, n_beside, step)]
    theirs = sorted(x for c in few for x in c.known[:: -(-len(c.known) // _MOST_NUMBERS)])
    reach = max(1, round(math.sqrt(len(theirs)) / 2))
    total = 0.0
    for number in {as_number(value) or 0.0 for value in column.keys}:
        whole = min(abs(number), 1e15) // 1.0
        unknown = 1.0 / ((whole + 2) * (whole + 3))  # about a column of which nothing is known
        place = bisect(theirs, number)
        density = 0.0
        if 0 < place < len(theirs):
            low, high = max(0, place - reach), min(len(theirs) - 1, place + reach)
            width = max(theirs[high] - theirs[low], 1e-12)
            density = (1.0 - _ESCAPE) * (high - low) / (len(theirs) + 1) / width
        total += math.log(min(_ESCAPE + density / unknown, _MOST_IN_RANGE))
    return total


def named_as_rater(column: Column) -> float:
    """Weigh whether the name says that a column is a rater's."""
    if column.family is not None:
        stem = column.family.stem
        if stem in ("r#", "j#", "rater#", "coder#"):
            return 2.0
        if "#" in stem and "rater" in roles_of(stem.partition("#")[0]):
            return 3.0
    if "rater" in column.roles and not column.roles & {"item", "date"}:
        return 3.0
    return 1.0 if "label" in column.roles and column.family is not None else 0.0


def named_alike(column: Column, group: Group) -> float:
    """Weigh whether the name belongs with the names of the other columns."""
    total, n_others = 0.0, group.others(column)
    inside = column.j in group.places
    own = column.family.stem if column.family is not None else None
    mine = _stem_beside(column, group)
    alike = 0 if mine is None else group.stems[mine] - (inside and mine == own)
    most = max((alike, *(m for stem, m in group.top_stems if stem != mine)))
    if alike > 0:
        total += 4.0 if alike > 1 else 2.5
    elif most >= 2 and most >= 0.7 * n_others:
        known = _is_surely_someone(column.name)
        called = "rater" in roles_of(group.top_stems[0][0].partition("#")[0])
        total -= _STRANGE_BESIDE_RATERS if called and not known else _STRANGE
    persons = group.persons - (inside and is_someone(column.name))
    if persons >= max(1.0, 0.7 * n_others) and most < 2:
        total += 1.0 if is_someone(column.name) else -3.0
    elif most < 2 and not column.roles:
        styles = group.styles - (inside and style_of(column.name) == group.style)
        is_alike = style_of(column.name) == group.style and styles >= max(1.0, 0.7 * n_others)
        total += 1.0 if is_alike else 0.0
    return total


def called_otherwise(column: Column, group: Group) -> float:
    """Weigh a word that says nothing about who rated, beside names that only raters have."""
    if standing_of(column.name) in ("rater", "somebody"):
        return 0.0
    return _NOT_CALLED_SO if group.raters >= max(2.0, 0.7 * group.others(column)) else 0.0


def _stem_beside(column: Column, group: Group) -> str | None:
    """Return the family of a name: beside codes such as A3XO4K, AMHLK96 is one of them."""
    own = column.family.stem if column.family is not None else None
    codes = bool(group.top_stems) and group.top_stems[0][0] == CODES
    return CODES if codes and is_loose_code(column.name) else own


def _is_surely_someone(name: str) -> bool:
    """Tell whether a name is a person's or a model's, where a family says that others are not."""
    return looks_like_model(name) or (looks_like_person(name) and is_capitalised(name))


@lru_cache(maxsize=65536)
def is_someone(name: str) -> bool:
    """Tell whether a name may be a person's or a model's."""
    return looks_like_person(name) or looks_like_model(name)


def against(column: Column, group: Group) -> tuple[Reason, ...]:
    """Return the reasons why a column is no rater's, the strongest first."""
    key = ("against", column.j)
    if key not in group.memo:
        group.memo[key] = _against(column, group)
    reasons: tuple[Reason, ...] = group.memo[key]
    return reasons


def _against(column: Column, group: Group) -> tuple[Reason, ...]:
    found = [*_by_values(column), *_beside(column, group), *_by_relation(column, group)]
    if column.is_index and (column.is_unique or not has_labels_of(column, group)):
        found.append(Reason(8.0, "the index of the frame"))
    name = _by_name(column, group)
    if name is not None:
        found.append(name)
    return tuple(sorted(found, key=lambda reason: -reason.nats))


def _by_values(column: Column) -> list[Reason]:
    n = column.filled
    found: list[Reason] = []
    if column.kind == "date":
        found.append(Reason(10.0, "dates or times"))
    if column.is_running:
        found.append(Reason(min(12.0, math.lgamma(n + 1)), "runs on from row to row"))
    elif column.is_rising:
        found.append(Reason(min(10.0, 0.8 * math.lgamma(n + 1)), "goes up from row to row"))
    elif column.is_permutation:
        found.append(Reason(min(12.0, 0.7 * n), "each number once"))
    return found


def _beside(column: Column, group: Group) -> list[Reason]:
    found: list[Reason] = []
    n, n_others = column.filled, group.others(column)
    if not n_others:
        return found
    inside = column.j in group.places
    known = sum(group.owners[value] > inside for value in column.keys) / max(1, column.distinct)
    if column.is_prose and known < 0.5:
        found.append(Reason(10.0, "long texts"))
    if column.is_templated and column.is_unique and known < 0.5:  # a diagnosis is of one, too
        found.append(Reason(8.0, "identifiers of one pattern"))
    own = column.collision_rate
    lowest = next((rate for rate, j in group.rates if j != column.j), 0.0)  # a lazy one says little
    expected = lowest * n * (n - 1) / 2
    seen = own * n * (n - 1) / 2
    are_codes = column.distinct <= _FEW_CODES or has_labels_of(column, group)  # another habit
    if lowest < 0.99 and expected > 1 and seen < expected / 3 and not are_codes:
        surprise = expected - seen - (seen * math.log(expected / seen) if seen else 0.0)
        found.append(Reason(min(12.0, surprise), "its values hardly come back"))
    blocks = next((most for most, j in group.blocks if j != column.j), 0.0)
    if 1 < column.distinct < n and column.blocks > 6.0 and blocks < 0.3 * column.blocks:
        found.append(Reason(min(4.0, 0.4 * column.blocks), "equal values stand together"))
    numeric = group.numeric - (inside and column.is_number)
    whole = group.whole - (inside and column.kind == "whole")
    if column.is_number and numeric < 0.3 * n_others and known < 0.5:
        found.append(Reason(6.0, "numbers beside words"))
    if column.kind == "text" and numeric > 0.7 * n_others and known < 0.5:
        found.append(Reason(6.0, "words beside numbers"))
    says_something = column.distinct > 1 or 4 * n < len(column.values)  # a remark here and there
    is_word = column.kind == "text" and says_something and numeric < 0.3 * n_others
    if is_word and not inside and known == 0:
        found.append(Reason(_FOREIGN, "none of its values is another's", is_dissent=True))
    if column.kind == "decimal" and whole == n_others:
        found.append(Reason(4.0, "fractions beside whole numbers"))
    return found


def _by_name(column: Column, group: Group) -> Reason | None:
    roles = [role for role in _NEVER_RATER if role in column.roles]
    if not roles:
        return None
    if column.roles & {"rater", "label"}:
        return Reason(0.5, f"called {column.name!r}")
    if _is_in_family(column, group) or _is_initials(column, group):
        return Reason(0.5, f"called {column.name!r}")
    if not set(roles) & _COMPUTED and _is_one_of(column, group):
        # Raters are called Price, Page or Land as well; a name alone drops nobody.
        return Reason(1.5 if shared(column, group) > _SHARES else 3.0, f"called {column.name!r}")
    return Reason(_NAME_AGAINST, f"called {column.name!r}", is_name=True)


def _is_in_family(column: Column, group: Group) -> bool:
    """Tell whether the name counts on with others: ann1, ann2, ann3."""
    if column.family is None or column.family.stem.endswith(("_#", " #")):
        return False
    alike = group.stems[column.family.stem] - (column.j in group.places)
    return alike >= max(2.0, 0.7 * group.others(column))


def is_of_one_family(column: Column, group: Group) -> bool:
    """Tell whether a name counts on with nearly all others, of which there are several."""
    if column.family is None:
        return False
    n_others = group.others(column)
    alike = group.stems[column.family.stem] - (column.j in group.places)
    return alike >= max(_MANY, _NEARLY_ALL * n_others)


def _is_initials(column: Column, group: Group) -> bool:
    """Tell whether a name is two or three capitals like all the others."""
    name = column.name.strip()
    if not (1 < len(name) <= 3 and name.isupper() and name.isalpha()):
        return False
    others = (c.name.strip() for c in group.columns if c.j != column.j)
    return group.others(column) > 0 and all(len(o) == len(name) and o.isupper() for o in others)


def _is_one_of(column: Column, group: Group) -> bool:
    """Tell whether a name is in the style of the others, and the labels may be a rater's."""
    n_others = group.others(column)
    style = style_of(column.name)
    alike = group.styles - (column.j in group.places and style == group.style)
    return (
        style == group.style
        and (style.startswith(("upper", "title")) or "#" in style)
        and alike >= max(2.0, 0.9 * n_others)
        and (
            shared(column, group) > _SHARES
            or has_labels_of(column, group)
            or _could_dissent(column, group)
        )
    )


def _could_dissent(column: Column, group: Group) -> bool:
    """Tell whether few words may be those of a rater who says what nobody else says."""
    others = [c for c in group.columns if c.j != column.j]
    if column.kind != "text" or not all(c.kind == "text" for c in others):
        return False
    return column.distinct <= max(c.distinct for c in others) and is_someone(column.name)


def has_labels_of(column: Column, group: Group) -> bool:
    """Tell whether all values are those of the others, or some of them numbers near by."""
    inside = column.j in group.places
    known = sum(group.owners[value] > inside for value in column.keys)
    if known == column.distinct or not column.is_number:
        return known == column.distinct
    low, high = group.range_beside(column)
    near = 0.5 * (high - low)
    return known > 0 and low - near <= min(column.known) and max(column.known) <= high + near


def _by_relation(column: Column, group: Group) -> list[Reason]:
    found: list[Reason] = []
    base = companion_of(column, group)
    if base is not None and _goes_with(column, base, group):
        found.append(Reason(10.0, f"goes with {base.name!r}"))
    word = computed_from(column, group)
    if word:
        found.append(
            Reason(_COMPUTED_SURELY if column.roles & {"total", "derived"} else 12.0, word)
        )
    return found


def _goes_with(column: Column, base: Column, group: Group) -> bool:
    """Tell whether what is added to another's name says what else was told, or the values do.

    gpt-4o-mini beside gpt-4o says neither: nobody is set aside by a name.
    """
    known = any(group.owners[value] > (column.j in group.places) for value in column.keys)
    return _says_beside(_added(column, base)) or (not known and shared(column, group) < 0)


def companion_of(column: Column, group: Group) -> Column | None:
    """Return the column that this one goes with: Ann_conf beside Ann."""
    name = column.name.strip().casefold()
    for cut, sign in enumerate(name):
        if sign in " _.-([:/" and cut and len(name) - cut > 2 and name[:cut] in group.by_name:
            base = group.by_name[name[:cut]]
            if len(base.name.split()) > _MOST_WORDS:
                continue  # a sentence that begins like another
            if base.j != column.j and any(c.isalpha() for c in name[cut:]):
                return base
    return None


def sure_companions(profile: Profile) -> frozenset[int]:
    """Return the columns that tell something else about what stands in another: Ann_conf.

    What is added to the name says so, or it is added to several names and the values are of
    another sort.
    """
    return profile.remembered("companions", lambda: _sure_companions(profile))


def _sure_companions(profile: Profile) -> frozenset[int]:
    group = Group(profile.live)
    pairs = [(c, base) for c in group.columns if (base := companion_of(c, group)) is not None]
    added = Counter(_added(c, base) for c, base in pairs)
    found = set()
    for column, base in pairs:
        rest = _added(column, base)
        often = added[rest] > 1 and not looks_like_model(base.name)
        apart = column.is_number != base.is_number or not set(column.keys) & set(base.keys)
        if _says_beside(rest) or (often and apart):
            found.add(column.j)
    return frozenset(found)


def _added(column: Column, base: Column) -> str:
    return column.name.strip()[len(base.name.strip()) :].casefold()


def _says_beside(rest: str) -> bool:
    beside = {"confidence", "comment", "side", "date", "text", "derived"}
    return bool(_UNIT.fullmatch(rest)) or bool(roles_of(rest) & beside)


def may_be_settled(column: Column, group: Group) -> bool:
    """Tell whether a last or first column that nobody is called by is what most raters say.

    Gold is called so in many languages and by many words.
    """
    places = [c.j for c in group.columns if c.j != column.j]
    inside = len(places) > 1 and min(places) < column.j < max(places)
    if len(places) < 2 or inside or standing_of(column.name) == "rater":
        return False
    is_odd = group.raters >= len(places) or _script(column.name) not in {
        _script(c.name) for c in group.columns if c.j != column.j
    }
    return is_odd and settled_weight(column, group) > _CLEARLY_SETTLED


def _script(name: str) -> str:
    """Return the script of the first letter: LATIN, CJK, HANGUL."""
    first = next((c for c in name if c.isalpha()), "")
    return unicodedata.name(first, "").partition(" ")[0] if first else ""


def is_stranger(column: Column, group: Group) -> bool:
    """Tell whether a column stands beside the others under a name of another sort.

    Gold and majority columns do, whatever language calls them, and so do facts about the item; but
    it may be one more rater. Nobody can tell by the name alone.
    """
    known = "rater" in column.roles or _is_surely_someone(column.name)
    if group.others(column) < 2 or known or named_alike(column, group) >= 0:
        return False
    return not group.first < column.j < group.last
