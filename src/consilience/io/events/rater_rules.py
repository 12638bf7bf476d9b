"""Which rater, session and tier each strand of a file belongs to, and what found no place."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from consilience.core.reading_account import Account, Ledger
from consilience.exceptions import InputError
from consilience.io.events.registry import Found, Strand, listed
from consilience.io.events.unit_files import File
from consilience.io.files.limits import refused

# ---- rules

ONE_SESSION = "session"
ONE_TIER = "tier"
CURATORS = ("curation_user", "curator", "curation")
RULES = (
    "tier-suffix", "tier-prefix", "tier", "participant", "annotator", "observation", "column",
    "file", "file-suffix", "file-prefix", "folder",
)  # fmt: skip
PATTERNS = ("column:NAME", "variable:NAME", "tier:{tier}_{rater}", "file:{session}_{rater}")
_FACTS = ("participant", "annotator", "observation", "column", "media")
_LONGEST_NAME = 300  # longer ones are no names, and slow to cut
_CUT = r"[\s_\-.@:/|]"
_NOT_CUT = r"[^\s_\-.@:/|]"
_NUMBERED = re.compile(rf"(?P<rest>.+?){_CUT}*(?P<rater>R[1-9]\d?)")
_LAST = re.compile(rf"(?P<rest>.+?){_CUT}+(?P<rater>{_NOT_CUT}+)")
_FIRST = re.compile(rf"(?P<rater>{_NOT_CUT}+?){_CUT}+(?P<rest>.+)")
_LIKE_RATERS = re.compile(
    r"[rc]\d{1,2}|(?:rater|coder|annotator|ann|observer|obs|judge|user|reader)[\s_-]?[0-9a-z]?\d*",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Place:
    """Where the units of a strand belong."""

    rater: str
    session: str
    tier: str


@dataclass(frozen=True)
class Task:
    """One strand of one file; `used` if it has units."""

    file: File
    strand: Strand
    used: bool


Places = list[Place | None]
Rule = Callable[[Sequence[Task]], Places]


def split_last(name: str) -> tuple[str, str] | None:
    """Cut a rater off the end of a name: gesture_R1, gestureR1, gesture-Anna."""
    if len(name) > _LONGEST_NAME:
        return None
    match = _NUMBERED.fullmatch(name) or _LAST.fullmatch(name)
    return (match["rest"], match["rater"]) if match else None


def split_first(name: str) -> tuple[str, str] | None:
    """Cut a rater off the beginning of a name."""
    match = _FIRST.fullmatch(name) if len(name) <= _LONGEST_NAME else None
    return (match["rest"], match["rater"]) if match else None


def rule_named(name: str) -> Rule:
    """Return the rule for a word; refuse an unknown one."""
    kind, colon, pattern = name.partition(":")
    if colon and kind in ("tier", "file") and "{rater}" in pattern:
        cut = _template(name, pattern)
        return _by_tier(cut) if kind == "tier" else _by_file_name(cut)
    if name in _FACTS or (colon and pattern and kind in ("column", "variable")):
        return _by_fact("column" if kind == "column" else name)
    known: dict[str, Rule] = {
        "tier-suffix": _by_tier(split_last),
        "tier-prefix": _by_tier(split_first),
        "tier": _each_tier,
        "file": _by_file,
        "file-suffix": _by_file_name(split_last),
        "file-prefix": _by_file_name(split_first),
        "folder": _by_folder,
    }
    if name not in known:
        raise InputError.unknown_word("rater", name, [*RULES, *PATTERNS])
    return known[name]


# ---- rules


def _by_tier(cut: Callable[[str], tuple[str, str] | None]) -> Rule:
    def rule(tasks: Sequence[Task]) -> Places:
        homes = _homes(tasks)
        places: Places = []
        for task, home in zip(tasks, homes, strict=True):
            parts = cut(task.strand.tier)
            places.append(Place(parts[1], home, parts[0]) if parts else None)
        sure = _paired_raters(places)
        # A name such as hand_shape can be cut, too; its last word is nobody who rates.
        return [p if p and (not sure or p.rater in sure) else None for p in places]

    return rule


def _each_tier(tasks: Sequence[Task]) -> Places:
    # ELAN opens every file with an empty tier called default; it is nobody's.
    return [
        None
        if task.strand.tier == "default" and not task.used
        else Place(task.strand.tier, home, ONE_TIER)
        for task, home in zip(tasks, _homes(tasks), strict=True)
    ]


def _by_fact(name: str) -> Rule:
    def rule(tasks: Sequence[Task]) -> Places:
        raters = [task.strand.fact(name) for task in tasks]
        by_observation = name == "observation" or name.startswith("variable:")
        homes = _recordings(tasks, raters) if by_observation else _homes(tasks)
        tiers = _common_tiers(tasks, raters, homes)
        return [
            Place(rater, home, tier) if rater else None
            for rater, home, tier in zip(raters, homes, tiers, strict=True)
        ]

    return rule


def _by_file(tasks: Sequence[Task]) -> Places:
    folders = {task.file.path.absolute().parent for task in tasks}
    places: Places = []
    for task in tasks:
        folder = task.file.path.absolute().parent.name
        home = folder if len(folders) > 1 else ONE_SESSION
        places.append(Place(task.file.stem, task.strand.session or home, task.strand.tier))
    return places


def _by_file_name(cut: Callable[[str], tuple[str, str] | None]) -> Rule:
    def rule(tasks: Sequence[Task]) -> Places:
        places: Places = []
        for task in tasks:
            parts = cut(task.file.stem)
            home = task.strand.session or (parts[0] if parts else "")
            places.append(Place(parts[1], home, task.strand.tier) if parts else None)
        return places

    return rule


def _by_folder(tasks: Sequence[Task]) -> Places:
    return [
        Place(
            task.file.path.absolute().parent.name or "rater",
            task.strand.session or task.file.stem,
            task.strand.tier,
        )
        for task in tasks
    ]


def by_mapping(mapping: Mapping[Any, Any], tasks: Sequence[Task]) -> Places:
    """Follow a mapping of tiers, observations, files or folders to raters."""
    views: dict[str, list[str]] = {
        "observation": [task.strand.fact("observation") or "" for task in tasks],
        "tier": [task.strand.tier for task in tasks],
        "file name": [task.file.path.name for task in tasks],
        "file": [task.file.stem for task in tasks],
        "folder": [task.file.path.absolute().parent.name for task in tasks],
        "annotator": [task.strand.fact("annotator") or "" for task in tasks],
        "column": [task.strand.fact("column") or "" for task in tasks],
    }
    keys = [str(key) for key in mapping]
    fitting = [kind for kind, names in views.items() if keys and set(keys) <= set(names)]
    if not fitting:
        known = sorted({name for names in views.values() for name in names if name})
        unknown = next((key for key in keys if key not in known), None)
        raise InputError.unknown_word("a key of rater", unknown, known[:40])
    names = views[fitting[0]]
    wanted = {str(key): value for key, value in mapping.items()}
    raters = [_rater_in(wanted.get(name)) for name in names]
    homes = _homes(tasks)
    if fitting[0] == "observation":
        homes = _recordings(tasks, raters)
    elif fitting[0].startswith("file"):
        homes = [task.strand.session or ONE_SESSION for task in tasks]
    elif fitting[0] == "folder":
        homes = [task.strand.session or task.file.stem for task in tasks]
    tiers = _common_tiers(tasks, raters, homes)
    places: Places = []
    for name, rater, home, tier in zip(names, raters, homes, tiers, strict=True):
        value = wanted.get(name)
        where = value[1] if isinstance(value, (tuple, list)) and len(value) == 2 else None
        if rater is None:
            places.append(None)
        elif fitting[0] == "tier":
            places.append(Place(rater, home, str(where) if where is not None else tier))
        else:
            places.append(Place(rater, str(where) if where is not None else home, tier))
    return places


def _rater_in(value: Any) -> str | None:
    if isinstance(value, (tuple, list)):
        value = value[0] if len(value) == 2 else ""
    if value is None:
        return None
    if not str(value):
        needed = "a rater, or a pair of rater and tier or session"
        hint = "for example rater={'gesture A': ('Anna', 'gesture')}"
        raise InputError.expected("a value of rater", needed, value, hint)
    return str(value)


# ---- sessions and tiers


def _homes(tasks: Sequence[Task]) -> list[str]:
    """Session of each strand where a file holds all raters: what the file says, or its name."""
    paths = {task.file.path: task.file.stem for task in tasks}
    twins = {stem for stem, often in Counter(paths.values()).items() if often > 1}
    return [
        task.strand.session
        or (
            f"{task.file.path.absolute().parent.name}/{task.file.stem}"
            if task.file.stem in twins
            else task.file.stem
        )
        for task in tasks
    ]


def _recordings(tasks: Sequence[Task], raters: Sequence[str | None]) -> list[str]:
    """Session of each observation: its recording if two raters saw each one, else one for all."""
    media = [task.strand.fact("media") for task in tasks]
    seen: dict[str | None, set[str]] = defaultdict(set)
    for medium, rater in zip(media, raters, strict=True):
        if rater is not None:
            seen[medium].add(rater)
    if None not in seen and all(len(by) > 1 for by in seen.values()):
        return [medium or ONE_SESSION for medium in media]
    return [ONE_SESSION] * len(tasks)


def _common_tiers(
    tasks: Sequence[Task], raters: Sequence[str | None], homes: Sequence[str]
) -> list[str]:
    """Names under which the tiers of different raters meet."""
    tiers = [task.strand.tier for task in tasks]

    def pairs(names: Sequence[str]) -> bool:
        seen: dict[tuple[str, str], set[str]] = defaultdict(set)
        own: dict[tuple[str, str, str], set[str]] = defaultdict(set)
        for name, tier, rater, home in zip(names, tiers, raters, homes, strict=True):
            if rater is not None:
                seen[home, name].add(rater)
                own[home, name, rater].add(tier)
        return any(len(by) > 1 for by in seen.values()) and all(len(t) == 1 for t in own.values())

    if pairs(tiers) or len(set(raters) - {None}) < 2:
        return tiers
    stripped = [_without(t, rater) for t, rater in zip(tiers, raters, strict=True)]
    suffixed = [(split_last(tier) or (tier, ""))[0] for tier in tiers]
    prefixed = [(split_first(tier) or (tier, ""))[0] for tier in tiers]
    types = [task.strand.fact("type") or "" for task in tasks]
    single = [ONE_TIER] * len(tiers)
    for names in (stripped, suffixed, prefixed, single, types):
        if pairs(names):
            return names
    return tiers


def _without(tier: str, rater: str | None) -> str:
    """Return the name of a tier without the rater's name in it."""
    if not rater:
        return tier
    place = tier.casefold().find(rater.casefold())
    if place < 0:
        return tier
    rest = tier[:place] + " " + tier[place + len(rater) :]
    return re.sub(rf"^{_CUT}+|{_CUT}+$", "", rest) or ONE_TIER


def _template(name: str, pattern: str) -> Callable[[str], tuple[str, str] | None]:
    """Turn '{session}_{rater}' into a cut; the rater's part is the shortest that fits."""
    parts = re.split(r"(\{\w+\})", pattern)
    seen: set[str] = set()
    expression = ""
    for part in parts:
        if not re.fullmatch(r"\{\w+\}", part):
            expression += re.escape(part)
            continue
        word = part[1:-1]
        if word not in ("rater", "tier", "session") or word in seen:
            needed = "made of {rater} and one of {tier}, {session}, each once"
            hint = "for example rater='file:{session}_{rater}'"
            raise InputError.expected("a pattern for raters", needed, name, hint)
        seen.add(word)
        expression += f"(?P<{word}>.+?)" if word == "rater" else f"(?P<{word}>.+)"
    regex = re.compile(expression)

    def cut(text: str) -> tuple[str, str] | None:
        match = regex.fullmatch(text) if len(text) <= _LONGEST_NAME else None
        if not match:
            return None
        rest = [value for key, value in match.groupdict().items() if key != "rater"]
        return (rest[0] if rest else ONE_SESSION, match["rater"])

    return cut


# ---- choosing a rule


def blocks(places: Iterable[Place | None]) -> dict[tuple[str, str], set[str]]:
    """Return who marked each tier of each session."""
    seen: dict[tuple[str, str], set[str]] = defaultdict(set)
    for place in places:
        if place is not None:
            seen[place.session, place.tier].add(place.rater)
    return seen


def _paired_raters(places: Sequence[Place | None]) -> set[str]:
    """Raters who share at least one tier of a session with another rater."""
    return {rater for by in blocks(places).values() if len(by) > 1 for rater in by}


def fits(name: str, tasks: Sequence[Task], places: Places) -> bool:
    """Tell whether a rule leaves no unit over and pairs all raters."""
    used = [(task, place) for task, place in zip(tasks, places, strict=True) if task.used]
    sure = _paired_raters(places)
    if not used or not sure or any(p is None or p.rater not in sure for _, p in used):
        return False
    if name.startswith("tier-"):
        # The participant is who was recorded; a tier named after one says nothing of raters.
        told = [task.strand.fact("participant") for task, _ in used]
        return any(
            t is None or p is None or t != p.rater for t, (_, p) in zip(told, used, strict=True)
        )
    if name.startswith("file-"):
        sessions = {p.session for _, p in used if p}
        return len(sessions) > 1 or all(_LIKE_RATERS.fullmatch(rater) for rater in sure)
    return True


def choose(rules: Sequence[str], tasks: Sequence[Task], *, what: str) -> tuple[str, Places]:
    """Find the one rule that fits; refuse to guess where none or several do."""
    found: dict[str, Places] = {}
    for name in rules:
        if name in ("tier", "file", "participant", "observation", "media", "column"):
            continue  # these fit always: they are taken when asked for only
        places = rule_named(name)(tasks)
        if fits(name, tasks, places):
            found[name] = places
    telling = {
        name: places
        for name, places in found.items()
        if all(_LIKE_RATERS.fullmatch(rater) for rater in _paired_raters(places))
    }
    if len(found) > 1 and len(telling) == 1:
        found = telling
    if not found:
        raise _no_rule(rules, tasks, what)
    (first, places), *others = found.items()
    for second, other in others:
        if other != places:
            names = [sorted({p.rater for p in x if p}) for x in (places, other)]
            got = f"{first} ({listed(names[0], 4)}) and {second} ({listed(names[1], 4)})"
            hint = f"both rules fit; pass rater={first!r} or rater={second!r}"
            raise refused(what, "the raters", "clear", got, hint)
    return first, places


def able_rules(rules: Sequence[str], tasks: Sequence[Task]) -> list[str]:
    """Name the rules that would do: a hint must work when it is followed."""
    able = [rule for rule in rules if _paired_raters(rule_named(rule)(tasks))]
    words = [repr(rule) for rule in able]
    if "column" in rules and "column" not in able:
        words.append("'column:NAME' with the name of a column")
    return [*words, "a mapping of names to raters"]


def _no_rule(rules: Sequence[str], tasks: Sequence[Task], what: str) -> InputError:
    tiers = sorted({task.strand.tier for task in tasks if task.used})
    files = {task.file.path for task in tasks}
    seen = sorted({task.strand.fact("observation") or "" for task in tasks} - {""})
    if seen:
        got = f"{len(seen)} observations ({listed(seen, 5)})"
    else:
        got = f"{len(files)} file{'s' * (len(files) > 1)} with the tiers {listed(tiers, 6)}"
    words = able_rules(rules, tasks)
    needed = "told by a rule; they are never guessed"
    return refused(what, "the raters", needed, got, f"pass rater=, one of {', '.join(words)}")


# ---- the account

NOT_MEASURED = "they are not measured yet"
TIERED = ("eaf", "textgrid")  # formats whose tiers are there even when they are empty


def pooled(accounts: Iterable[Account]) -> Account:
    """Put accounts together; the same thing in many files is told once, with its number."""
    ledger = Ledger()
    for account in accounts:
        for kind, count in account.used.items():
            ledger.use(kind, count)
        for one in account.set_aside:
            ledger.set_aside(one.kind, one.name, one.count, reason=one.reason, matters=one.matters)
    return ledger.close()


def n_units(found: Found, rows: Iterable[int]) -> int:
    """Count units; the fragments of one are one."""
    chosen = list(rows)
    if found.span is None:
        return len(chosen)
    whole = [found.span[row] for row in chosen]
    return sum(span is None for span in whole) + len({span for span in whole if span is not None})


def account_of(
    ledger: Ledger,
    format_name: str,
    founds: Sequence[Found],
    places: Sequence[Places],
    reasons: Sequence[dict[int, tuple[str, bool]]],
) -> Account:
    """Close all ledgers: what the readers wrote down, and which units and tiers were placed."""
    for found, by, why in zip(founds, places, reasons, strict=True):
        strand = np.asarray(found.strand, dtype=np.int64)
        rows: dict[int, list[int]] = {}
        for row, number in enumerate(strand.tolist()):
            rows.setdefault(number, []).append(row)
        tiers: Counter[str] = Counter()
        for number, place in enumerate(by):
            units = n_units(found, rows.get(number, ()))
            name = found.strands[number].fact("observation") or found.strands[number].tier
            if place is not None:
                ledger.use("units", units)
                tiers["used"] += 1
                continue
            reason, matters = why.get(number, ("it was not asked for", False))
            matters = matters and bool(units)
            ledger.set_aside("units", name, units, reason=reason, matters=matters)
            if format_name in TIERED:
                ledger.set_aside("tiers", name, reason=reason, matters=matters)
        if format_name in TIERED:
            ledger.use("tiers", tiers["used"])
    ledger.use("files", len(founds))
    return pooled([ledger.close(), *(found.ledger.close() for found in founds)])
