"""Read units from files: the format, the strands, raters named by a rule, and what was done."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from consilience.core.arguments import check_word
from consilience.core.input_files import PathLike
from consilience.core.labels import Note
from consilience.core.reading_account import Account, Ledger
from consilience.core.words import counted, first_of
from consilience.exceptions import InputError, ReadingWarning, warn
from consilience.io.events._build_units import (
    build,
    check_bounds_wish,
    check_tiers,
    check_twice,
    paired,
    settle,
    unplaced,
    wanted,
)
from consilience.io.events.rater_rules import (
    CURATORS,
    TIERED,
    Places,
    Task,
    able_rules,
    account_of,
    blocks,
    by_mapping,
    choose,
    rule_named,
)
from consilience.io.events.registry import (
    UNIT_FORMATS,
    Found,
    UnitFormat,
    Wishes,
    format_of,
    listed,
    noted,
)
from consilience.io.events.unit_files import File, find_files, unpacked
from consilience.io.files.limits import refused
from consilience.io.options import checked_delimiter
from consilience.units import Units
from consilience.units.model import TIME_UNITS, UnitReading

# ---- what is said of files

Pairs = Mapping[tuple[str, str], tuple[str, ...]]


def notes_of(
    one: UnitFormat,
    founds: Sequence[Found],
    rule: str,
    places: Sequence[Places],
    pairs: Pairs,
) -> list[Note]:
    """Say what was taken for what."""
    files = f"{len(founds)} file{'s' * (len(founds) > 1)}"
    raters = sorted({rater for by in pairs.values() for rater in by})
    left: set[str] = set()
    for found, by in zip(founds, places, strict=True):
        missed = {k for k, place in enumerate(by) if place is None} & set(found.strand)
        left |= {found.strands[k].fact("observation") or found.strands[k].tier for k in missed}
    names = listed(sorted(left))
    curator = next((name for name in raters if name.casefold() in CURATORS), None)
    saw = (
        f"{curator!r} saw what the others marked and is no independent rater; leave "
        "it out with select(raters=…)."
    )
    return noted(
        (True, "read_as", f"Read {files} as {one.title} (format {one.name!r})."),
        (True, "raters_by", f"Raters by {rule!r}: {listed(raters)}. {_met(pairs, raters)}"),
        (left, "left_out", f"Left out, not being asked for or without a rater: {names}."),
        *_not_asked(pairs, raters),
        (curator is not None and len(raters) > 1, "curator", saw),
    )


def _not_asked(pairs: Pairs, raters: Sequence[str]) -> list[tuple[object, str, str]]:
    """Say in how many sessions there is nothing of a rater."""
    asked: dict[str, set[str]] = {}
    for (home, _), by in pairs.items():
        asked.setdefault(home, set()).update(by)
    silent = sorted(home for home, by in asked.items() if len(by) < len(raters))
    if not silent:
        return []
    who = next(name for name in raters if name not in asked[silent[0]])
    told = (
        f"In {len(silent)} of {len(asked)} sessions there is nothing of some rater (for "
        f"example of {who!r} in {silent[0]!r}), who may not have been asked and is left out "
        "of that comparison; asked='all' says that everybody was asked everywhere."
    )
    return [(True, "not_everybody_asked", told)]


def _met(pairs: Pairs, raters: Sequence[str]) -> str:
    """Say in how many sessions raters can be compared.

    >>> _met({("film", "gestures"): ["Ann", "Bob"]}, ["Ann", "Bob"])
    'Both raters annotated the one session.'
    """
    homes = list(dict.fromkeys(home for home, _ in pairs))
    if len(raters) > 1 and all(len(by) == len(raters) for by in pairs.values()):
        who = "Both" if len(raters) == 2 else f"All {len(raters)}"
        few = {1: "the one session", 2: "both sessions"}
        where = few.get(len(homes), f"all {len(homes):,} sessions")
        return f"{who} raters annotated {where}."
    shared = {key: by for key, by in pairs.items() if len(by) > 1}
    met = len({home for home, _ in shared})
    which = f": {_shown_pairs(shared)}" if shared else ""
    return f"Two or more raters annotated {met:,} of {counted(len(homes), 'session')}{which}."


def _shown_pairs(pairs: Pairs, most: int = 4) -> str:
    shown = [f"{tier} of {home} ({', '.join(by[:6])})" for (home, tier), by in pairs.items()]
    more = len(shown) - most
    return "; ".join(shown[:most]) + (f" and {more} more" if more > 0 else "")


# ---- reading

_BY_PATH = ("table", "parquet")  # read by the database, which opens the file itself
_TOLD = 4  # things set aside that a warning names
ENDS = ("next", "point")
_COLUMNS = ("start", "end", "duration", "label", "rater", "session", "tier", "span")


@dataclass(frozen=True, kw_only=True)
class LoadedUnits:
    """Units from files, and how the files were understood.

    Attributes
    ----------
    units : Units
    format : str
        Name of the format.
    rule : str
        The rule that named the raters.
    pairs : dict
        (session, tier) to the raters who marked it.
    """

    units: Units
    format: str
    rule: str
    pairs: dict[tuple[str, str], tuple[str, ...]]

    def explain(self) -> str:
        """Return what was taken for what, a line for each point."""
        return "\n".join(note.message for note in self.units.notes)


def load_units(
    paths: PathLike | Iterable[PathLike],
    *,
    rater: Any = None,
    tier: Any = None,
    session: Any = None,
    label: str | None = None,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    time_unit: str | None = None,
    bounds: Any = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    ends: str | None = None,
    asked: Any = None,
) -> LoadedUnits:
    """Read units and keep the account of how the files were understood.

    The parameters are those of `read_units`.

    Parameters
    ----------
    paths, rater, tier, session, label, format, columns, time_unit, bounds, encoding, ...
        As in `read_units`.

    Returns
    -------
    LoadedUnits
        The units, and `explain()`, which says what was taken for what.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "units.csv"
    >>> _ = path.write_text("rater,start,end,label\\na,0,5,x\\nb,1,6,x\\na,7,9,y\\nb,7,8,y\\n")
    >>> load_units(path).units.n_units
    4
    """
    _check_wishes(rater, time_unit, columns)
    check_word("ends", ends, ENDS) if ends is not None else None
    if tier is not None and not isinstance(tier, Iterable):
        raise InputError.expected("tier", "a name or a list of names", tier, "name the tiers")
    check_bounds_wish(bounds)
    named = None if format is None else UNIT_FORMATS[format]
    known = [named] if named else list(UNIT_FORMATS.values())
    endings = sorted({ending for one in known for ending in one.suffixes})
    ledger = Ledger()
    found_paths = find_files(paths, endings, ledger)
    files, told = unpacked([File.on_disk(path, encoding) for path in found_paths], endings, ledger)
    one = named or format_of(files)
    wishes = Wishes(
        columns=_wished_columns(columns, rater, session, tier, label),
        label=label,
        rater=rater,
        session=session,
        tiers=tuple(wanted(tier)),
        ends=ends,
        bounds=bounds,
        encoding=encoding,
        delimiter=checked_delimiter(delimiter),
        header=header,
    )
    founds = [_read(one, file, wishes) for file in files]
    rule, places = _assign(one, files, founds, rater, wanted(tier))
    check_tiers(founds, places, wanted(tier))
    reasons = [unplaced(rule, by) for by in places]
    places = [
        settle(file, found, by, session, tier)
        for file, found, by in zip(files, founds, places, strict=True)
    ]
    check_twice(founds, places, rule)
    if one.name in TIERED and asked != "all":  # there an empty tier is a tier, too
        places = paired(places, reasons)
    pairs = _pairs(places)
    notes = [*notes_of(one, founds, rule, places, pairs), *told]
    account = account_of(ledger, one.name, founds, places, reasons)
    how = UnitReading(
        sources=tuple(str(found.path) for found in founds),
        format=one.name,
        title=one.title,
        rater=rule,
        session=_session_from(session, founds, rule),
        account=account,
    )
    units = build(
        founds, places, time_unit=time_unit, bounds=bounds, notes=notes, asked=asked, reading=how
    )
    _warn(account)
    return LoadedUnits(units=units, format=one.name, rule=rule, pairs=pairs)


def read_units(
    paths: PathLike | Iterable[PathLike],
    *,
    rater: Any = None,
    tier: Any = None,
    session: Any = None,
    label: str | None = None,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    time_unit: str | None = None,
    bounds: Any = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    ends: str | None = None,
    asked: Any = None,
) -> Units:
    """Read timed events, spans or segments from annotation files.

    Use it for ELAN, Praat, BORIS, brat, WebAnno, INCEpTION, CoNLL, Label Studio, Prodigy, doccano,
    Argilla, Potato, RTTM, UIMA XMI and CAS JSON, for zip archives of them, and for tables with
    columns; `load_units` also tells how the files were understood, and so do
    the notes of the units. Raters are never guessed: where no rule fits, or two fit equally
    well, the message names the rules.

    Parameters
    ----------
    paths : path or list of paths
        Files, or folders with them.
    rater : str or mapping, optional
        What tells the rater: "tier-suffix", "tier-prefix", "tier", "participant", "annotator",
        "observation", "file", "file-suffix", "file-prefix", "folder", "column", "column:NAME",
        "variable:NAME", a pattern such as "file:{session}_{rater}" or "tier:{tier}-{rater}", or
        a mapping of tiers, observations, files or folders to raters (or to pairs of rater and
        tier or session); what it does not name is left out.
    tier : str, list or mapping, optional
        Tiers to keep, by the name in the file or without the rater's; a mapping renames them;
        "one" puts all on one tier; "column:NAME" for tables.
    session : str or mapping, optional
        "file", "folder", "media", "one", "column:NAME", or a mapping of file names to sessions;
        found out when left out.
    label : str, optional
        The column or feature with the label; for BORIS "behavior+modifiers".
    format : str, optional
        Name of the format (`unit_formats`); recognised when left out.
    columns : mapping, optional
        For tables: role ("start", "end", "duration", "label", "rater", "session", "tier",
        "span") to column.
    time_unit : {"ms", "s", "frame", "character", "token"}, optional
        What the numbers of a table are. Files in seconds become whole milliseconds where that
        is exact, else seconds; "ms" rounds them, "s" keeps them.
    bounds : pair or mapping of session to pair, optional
        The continuum, if it is not the one that the files state.
    encoding, delimiter, header : optional
        How to take text files; found out when left out.
    ends : {"next", "point"}, optional
        For tables of onsets: an event ends where the rater's next one begins, or is a point.
    asked : "all" or mapping of session to raters, optional
        Who was asked where. By default whoever has a file, a tier, a document or a row in a
        session; of others it is not known, and they are left out of its comparison.

    Returns
    -------
    Units

    Raises
    ------
    InputError
        A file cannot be read, a time is impossible, or the raters are not clear; the message
        names the file and the place in it.
    MissingDependencyError
        The format needs a library that is not installed.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "units.csv"
    >>> _ = path.write_text("Ann,noun,0,7\\nAnn,verb,9,12\\nBob,noun,0,8\\n")
    >>> read_units(path)
    Units(n_units=3, raters=('Ann', 'Bob'), sessions=1, tiers=1, labels=('noun', 'verb'))
    """
    return load_units(**locals()).units  # the very same arguments


def _session_from(wish: Any, founds: Sequence[Found], rule: str) -> str:
    """Say what a session is."""
    if wish is not None:
        return wish if isinstance(wish, str) else "a mapping"
    told = {found.session_from for found in founds if found.session_from}
    if told:
        return ", ".join(sorted(told))
    if any(strand.session is not None for found in founds for strand in found.strands):
        return "named in the files"
    return "folder, or one for all" if rule == "file" else "file"


def _warn(account: Account) -> None:
    """Say in Python, too, that something was set aside that could change the answer."""
    told = account.that_matters
    if told:
        more = f"; and {len(told) - _TOLD} more" if len(told) > _TOLD else ""
        said = "; ".join(map(str, told[:_TOLD]))
        warn(f"{said}{more}. units.reading tells all.", ReadingWarning)


def _check_wishes(rater: Any, time_unit: str | None, columns: Any) -> None:
    if time_unit is not None and time_unit not in TIME_UNITS:
        raise InputError.unknown_word("time_unit", time_unit, TIME_UNITS)
    if isinstance(rater, str):
        rule_named(rater)
    elif rater is not None and (not isinstance(rater, Mapping) or not rater):
        raise InputError.expected(
            "rater", "a rule or a mapping", rater, "for example rater='tier-suffix'"
        )
    if columns is not None and not isinstance(columns, Mapping):
        raise InputError.expected(
            "columns", "a mapping of roles to columns", columns, "for example {'start': 'onset'}"
        )
    for role in columns or ():
        if role not in _COLUMNS:
            raise InputError.unknown_word("a key of columns", role, _COLUMNS)


def _wished_columns(
    columns: Mapping[str, str] | None, rater: Any, session: Any, tier: Any, label: str | None
) -> dict[str, str]:
    wished = {str(role): str(name) for role, name in (columns or {}).items()}
    for role, wish in (("rater", rater), ("session", session), ("tier", tier), ("label", label)):
        if isinstance(wish, str) and wish.startswith("column:"):
            wished[role] = wish[len("column:") :]
    return wished


def _read(one: UnitFormat, file: File, wishes: Wishes) -> Found:
    if not file.start.strip() and not one.may_be_empty:
        raise refused(
            str(file.path), "the file", "filled with units", "an empty file", "check the export"
        )
    if file.others is not None and one.name in _BY_PATH:
        where = str(file.path)
        what = "tables of units"
        raise refused(where, what, "files of their own", "one in an archive", "unpack it first")
    found = one.read(file, wishes)
    for cached in ("data", "text", "head", "start"):  # one file in memory at a time
        file.__dict__.pop(cached, None)
    return found


def _assign(
    one: UnitFormat,
    files: Sequence[File],
    founds: Sequence[Found],
    rater: Any,
    tiers: Sequence[str],
) -> tuple[str, list[Places]]:
    tasks = []
    raw = {strand.tier for found in founds for strand in found.strands}
    chosen = set(tiers) if tiers and set(tiers) <= raw else raw
    for file, found in zip(files, founds, strict=True):
        used = set(found.strand.tolist() if hasattr(found.strand, "tolist") else found.strand)
        tasks += [
            Task(file, strand, k in used and strand.tier in chosen)
            for k, strand in enumerate(found.strands)
        ]
    what = first_of([file.path for file in files], 1)
    if not any(task.used for task in tasks):
        raise refused(what, "the files", "filled with units", "none", _instead(founds))
    if isinstance(rater, Mapping):
        rule, flat = "mapping", by_mapping(rater, tasks)
    elif isinstance(rater, str):
        rule, flat = rater, rule_named(rater)(tasks)
    elif one.is_settled and _tells(one.rules[0], tasks):
        rule, flat = one.rules[0], rule_named(one.rules[0])(tasks)
    else:
        rule, flat = choose(_with_variables(one.rules, tasks), tasks, what=what)
    if all(place is None for place in flat):
        tiers = sorted({task.strand.tier for task in tasks})
        needed = "a rule that these files can follow"
        hint = f"use another rule, one of {', '.join(able_rules(one.rules, tasks))}"
        raise refused(what, f"rater={rule!r}", needed, f"the tiers {listed(tiers)}", hint)
    places, k = [], 0
    for found in founds:
        places.append(flat[k : k + len(found.strands)])
        k += len(found.strands)
    return rule, places


def _instead(founds: Sequence[Found]) -> str:
    """Say what to do with files in which nothing is marked."""
    answers = sum(found.ledger.close().found.get("answers", 0) for found in founds)
    if answers:
        return f"they hold {answers:,} answers about whole items: read them with measure"
    return "check the export"


def _tells(rule: str, tasks: Sequence[Task]) -> bool:
    """Tell whether the files name what the usual rule of their format needs."""
    if rule not in ("annotator", "column"):
        return True
    return all(task.strand.fact(rule) is not None for task in tasks)


def _with_variables(rules: Sequence[str], tasks: Sequence[Task]) -> list[str]:
    """Add the variables of an observation that are named like raters."""
    words = ("rater", "coder", "observer", "annotator", "scorer")
    names = {key for task in tasks for key, _ in task.strand.facts if key.startswith("variable:")}
    return [*rules, *sorted(name for name in names if name[9:].strip().casefold() in words)]


def _pairs(places: Sequence[Places]) -> dict[tuple[str, str], tuple[str, ...]]:
    seen = blocks(chain.from_iterable(places))
    return {key: tuple(sorted(seen[key])) for key in sorted(seen)}
