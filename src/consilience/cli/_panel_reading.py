"""How ``consilience panel`` reads: who is a system, and columns that say more about the items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from consilience.cli import _output as out
from consilience.cli._again import typed_command
from consilience.cli._item_columns import ByItem, read_beside
from consilience.cli._people_file import with_people, without_files
from consilience.cli._ratings_reading import read_with, told

if TYPE_CHECKING:
    from consilience.io import Loaded
    from consilience.judges.people_and_systems import UnclearPanelError, Who
    from consilience.ratings import Ratings


def for_reading(options: dict[str, Any], by: str | None) -> dict[str, Any]:
    """Return the options for the reader: refusals are labels there, so marks stay names."""
    changed = {**options, "by": by}
    if options["refusals"] and not options["excluded"]:
        changed["excluded"] = "keep"  # a reader that knows refusals would leave them out
    if options["refusals"] and options["scale"] not in (None, "nominal"):
        changed["scale"] = None
        if options["categories"]:
            changed["categories"] = (*options["categories"], *options["refusals"])
    return changed


@dataclass(frozen=True)
class Sides:
    """What a panel is made of: the ratings (of one order and, swapped, of the other), and who."""

    loaded: Loaded
    ratings: Ratings
    swapped: Ratings | None
    people: list[object]
    systems: list[object]
    left_out: list[object]
    beside: ByItem


def sides_of(ctx: click.Context, options: dict[str, Any]) -> Sides:
    """Read the file, and find out who is a person and who a system."""
    asked, options = options, without_files(options)
    reading = for_reading(options, options["swapped"])
    shown, beside, found, narrower = _loaded(options, reading)
    loaded = told(shown, {**reading, **narrower})
    if not narrower and (narrower := _columns_named(options, shown)):
        shown, beside = read_beside(options, {**reading, **narrower})
        loaded = told(shown, {**reading, **narrower, "quiet": True})
        if not options["quiet"]:
            out.tell(f"  read again, raters as named: {', '.join(narrower['rater'])}")
    if loaded.reading.shape == "counts" and options["shape"] is None:
        raise click.UsageError(
            "the file was taken for counts per label, which do not say who rated. If its columns "
            "are raters, add --shape wide."
        )
    hidden = options["anonymise"]
    shown, seats = with_people(asked, shown, quiet=False)
    loaded = with_people(asked, loaded, quiet=True)[0] if hidden else shown
    options = {**options, "people": (*options["people"], *seats)}
    plain = _orders(options, shown)[0]
    names = plain.raters
    who = _who(ctx, options, plain, loaded.reading.systems)
    if hidden:
        loaded = _systems_named(loaded, shown, {str(name) for name in who.systems})
    first, second = _orders(options, loaded)
    place = {name: first.raters[k] for k, name in enumerate(names)}
    people, systems = ([place[one] for one in side] for side in (who.people, who.systems))
    left = [name for name in found if str(name) not in narrower.get("rater", ())]
    return Sides(loaded, first, second, people, systems, left if narrower else [], beside)


def _loaded(
    options: dict[str, Any], reading: dict[str, Any]
) -> tuple[Loaded, ByItem, list[object], dict[str, Any]]:
    """Read the file, list everybody who rated in it, and say what was told for that.

    Where the columns of the raters are in doubt, people and systems that are named settle it.
    """
    from consilience.io.tables.recogniser.refusal import AmbiguousTableError

    try:
        loaded, beside = read_beside(options, reading)
    except AmbiguousTableError as error:
        names = _all_named(options)
        cause = error.__cause__ if isinstance(error.__cause__, AmbiguousTableError) else error
        wide = [o.options for o in cause.offers if o.options.get("shape") == "wide"]
        fitting = [one for one in wide if names and set(names) <= set(one["rater"])]
        if not fitting:
            raise
        item, everybody = fitting[0].get("item", ()), fitting[0]["rater"]
        narrower = {"shape": "wide", "item": item, "rater": tuple(names)}
        loaded, beside = read_beside(options, {**reading, **narrower})
        return loaded, beside, list(everybody), narrower
    everybody = [name for part in loaded.groups.values() for name in part.raters]
    return loaded, beside, list(dict.fromkeys(everybody)), {}


def _all_named(options: dict[str, Any]) -> list[str]:
    """Return the raters where all people and all systems are named in full."""
    named = [part for word in (*options["people"], *options["systems"]) for part in word.split(",")]
    is_plain = not any(sign in word for word in named for sign in "*?[")
    if options["rater"] or not (options["people"] and options["systems"] and is_plain):
        return []
    return [word.strip() for word in named]


def _orders(options: dict[str, Any], loaded: Loaded) -> tuple[Ratings, Ratings | None]:
    if not options["swapped"]:
        return loaded.ratings, None
    if len(loaded.groups) != 2:
        raise click.UsageError(
            f"--swapped {options['swapped']} must hold two orders. It holds "
            f"{', '.join(str(name) for name in list(loaded.groups)[:6])}."
        )
    first, second = loaded.groups.values()
    return first, second


def _columns_named(options: dict[str, Any], loaded: Loaded) -> dict[str, Any]:
    """Return the columns that are raters where all of them are named: no others are read then.

    So a column of gold labels, which is no rater's unless somebody says so, is one when it is named
    among the people, and other numbers do not mix with the labels.
    """
    names = _all_named(options)
    if not names:
        return {}
    is_wide = loaded.reading.shape == "wide" and not loaded.reading.variables
    if not is_wide or "-" in options["paths"] or options["swapped"]:
        return {}
    found = {str(name) for part in loaded.groups.values() for name in part.raters}
    if not set(names) - found and not _has_other_labels(loaded.ratings, names):
        return {}
    gold = [options["gold"]] if options["gold"] in found else []
    return {
        "rater": tuple(dict.fromkeys([*names, *gold])),
        "item": loaded.reading.columns.get("item", ()),
        "shape": "wide",
    }


def _has_other_labels(ratings: Ratings, names: Sequence[str]) -> bool:
    """Tell whether raters who are not named use labels that no named one uses."""
    from consilience.ratings.item_codes import labels_used

    used = labels_used(ratings)
    named = {label for name, own in used.items() if str(name) in names for label in own}
    return any(own - named for own in used.values())


def _who(
    ctx: click.Context, options: dict[str, Any], ratings: Ratings, by_file: Sequence[str] = ()
) -> Who:
    """Sort the raters; where only the user can tell, refuse with a command for each reading."""
    from consilience.judges.people_and_systems import UnclearPanelError, sorted_out
    from consilience.ratings.item_codes import labels_used

    raters = ratings.raters
    gold = [name for name in raters if str(name) == options["gold"]]
    declared = {*named_by_file(options), *by_file}
    try:
        return sorted_out(
            raters,
            systems=options["systems"] or None,
            people=options["people"] or None,
            apart=gold,
            files=_files(options, raters),
            labels=None if options["people"] else labels_used(ratings),
            declared=[name for name in raters if str(name) in declared],
        )
    except UnclearPanelError as error:
        raise click.UsageError(_both_readings(ctx, options, error)) from error


def _files(options: dict[str, Any], raters: Sequence[object]) -> dict[object, set[str]]:
    """Say which raters each of several files holds."""
    from consilience.exceptions import ConsilienceError

    paths = options["paths"]
    if len(paths) < 2 or options["people"] or "-" in paths:
        return {}
    found: dict[object, set[str]] = {name: set() for name in raters}
    for path in paths:
        asked = {**for_reading(options, options["swapped"]), "paths": (path,)}
        try:
            one, _ = read_beside({**options, "paths": (path,)}, asked)
        except ConsilienceError:  # a file that says little by itself
            return {}
        for name in {name for part in one.groups.values() for name in part.raters}:
            found.setdefault(name, set()).add(path)
    return found


def _both_readings(ctx: click.Context, options: dict[str, Any], error: UnclearPanelError) -> str:
    """Say both readings, each with the command that chooses it."""
    from consilience.core.words import listed, printable

    lines = [f"Who is a person and who a system? Got {printable(error.why)}."]
    for letter, one in zip("AB", error.readings, strict=False):
        named = [word for name in one.people for word in ("--people", str(name))]
        named += [word for name in one.systems for word in ("--system", str(name))]
        command = typed_command(ctx, without=("people", "systems"), more=named)
        said = f"people {listed(one.people)}; systems {listed(one.systems)}"
        lines += [f"  {letter}  {printable(said)}:", f"     {command}"]
    if not error.readings:
        lines.append("Name the systems with --system and the people with --people.")
    return "\n".join(lines)


def _systems_named(loaded: Loaded, shown: Loaded, systems: set[str]) -> Loaded:
    """Give systems their names back: --anonymise is for people."""
    from dataclasses import replace

    from consilience.ratings import Ratings

    names = {
        code: name
        for hidden, plain in zip(loaded.groups.values(), shown.groups.values(), strict=True)
        for code, name in zip(hidden.raters, plain.raters, strict=True)
        if str(name) in systems
    }
    groups = {
        key: Ratings._make(
            replace(part._parts(), raters=tuple(names.get(code, code) for code in part.raters))
        )
        for key, part in loaded.groups.items()
    }
    return replace(loaded, groups=groups)


def roles(options: dict[str, Any], column: str | None) -> dict[str, Any]:
    """Find which columns are items, raters and labels once one is set aside.

    The reader sets a grouping column aside, so it is asked what the rest would be.
    """
    from consilience.exceptions import ConsilienceError

    if column is None or "-" in options["paths"] or options["item"]:
        return {}
    try:
        reading = read_with({**for_reading(options, column), "duplicates": "first"}, {})[0].reading
    except ConsilienceError:
        return {}
    found = {role: reading.columns.get(role, ()) for role in ("item", "rater", "label")}
    return {**found, "shape": reading.shape}


def named_by_file(options: dict[str, Any]) -> tuple[str, ...]:
    from consilience.io.tables.formats.nested_json import systems_in

    return tuple(name for path in options["paths"] if path != "-" for name in systems_in(path))
