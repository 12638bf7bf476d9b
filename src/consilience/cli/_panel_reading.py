"""How ``consilience panel`` reads: who is a system, and columns that say more about the items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from consilience.cli import _output as out
from consilience.cli._again import typed_command
from consilience.cli._people_file import with_people, without_files
from consilience.cli._ratings_reading import load, wishes_of

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


def sides_of(ctx: click.Context, options: dict[str, Any]) -> Sides:
    """Read the file, and find out who is a person and who a system."""
    asked, options = options, without_files(options)
    reading = {**for_reading(options, options["swapped"]), **roles(options)}
    loaded, found, narrower = _loaded(options, reading)
    if not narrower and (narrower := _columns_named(options, loaded)):
        loaded = load({**reading, **narrower, "quiet": True})
        if not options["quiet"]:
            out.tell(f"  read again, raters as named: {', '.join(narrower['rater'])}")
    reading |= narrower
    shown = loaded
    if options["anonymise"] and "-" not in options["paths"]:
        shown = load({**reading, "anonymise": False, "quiet": True})
    if loaded.reading.shape == "counts" and options["shape"] is None:
        raise click.UsageError(
            "the file was taken for counts per label, which do not say who rated. If its columns "
            "are raters, add --shape wide."
        )
    shown, seats = with_people(asked, shown, quiet=False)
    if shown is not loaded:
        loaded = with_people(asked, loaded, quiet=True)[0] if asked["anonymise"] else shown
    options = {**options, "people": (*options["people"], *seats)}
    plain = _orders(options, shown)[0]
    names = plain.raters
    who = _who(ctx, options, plain, loaded.reading.systems)
    if shown is not loaded:
        loaded = _systems_named(loaded, shown, {str(name) for name in who.systems})
    first, second = _orders(options, loaded)
    place = {name: first.raters[k] for k, name in enumerate(names)}
    people, systems = ([place[one] for one in side] for side in (who.people, who.systems))
    left = [name for name in found if str(name) not in narrower.get("rater", ())]
    return Sides(loaded, first, second, people, systems, left if narrower else [])


def _loaded(
    options: dict[str, Any], reading: dict[str, Any]
) -> tuple[Loaded, list[object], dict[str, Any]]:
    """Read the file, list everybody who rated in it, and say what was told for that.

    Where the columns of the raters are in doubt, people and systems that are named settle it.
    """
    from consilience.io.tables.recogniser.refusal import AmbiguousTableError

    try:
        loaded = load(reading)
    except AmbiguousTableError as error:
        names = _all_named(options)
        cause = error.__cause__ if isinstance(error.__cause__, AmbiguousTableError) else error
        wide = [o.options for o in cause.offers if o.options.get("shape") == "wide"]
        fitting = [one for one in wide if names and set(names) <= set(one["rater"])]
        if not fitting:
            raise
        item, everybody = fitting[0].get("item", ()), fitting[0]["rater"]
        told = {"shape": "wide", "item": item, "rater": tuple(names)}
        return load({**reading, **told}), list(everybody), told
    everybody = [name for part in loaded.groups.values() for name in part.raters]
    return loaded, list(dict.fromkeys(everybody)), {}


def _all_named(options: dict[str, Any]) -> list[str]:
    """Return the raters where all people and all systems are named in full."""
    told = [part for word in (*options["people"], *options["systems"]) for part in word.split(",")]
    is_plain = not any(sign in word for word in told for sign in "*?[")
    if options["rater"] or not (options["people"] and options["systems"] and is_plain):
        return []
    return [word.strip() for word in told]


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
        asked = {**for_reading(options, options["swapped"]), **roles(options)}
        try:
            one = load({**asked, "paths": (path,), "quiet": True, "anonymise": False})
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


def roles(options: dict[str, Any]) -> dict[str, Any]:
    """Find which columns are items, raters and labels once the columns with a part are set aside.

    A column of essays or of times may well look like an item's name, or like one more rater of a
    wide table. The reader sets a grouping column aside, so it is asked what the rest would be.
    """
    from consilience.exceptions import ConsilienceError

    apart = [options[name] for name in ("document", "gold", "time") if options[name]]
    if not apart or "-" in options["paths"] or options["item"] or options["swapped"]:
        return {}
    for column in apart:
        try:
            asked = {**for_reading(options, column), "quiet": True, "duplicates": "first"}
            reading = load(asked).reading
        except ConsilienceError:
            continue
        found = {role: reading.columns.get(role, ()) for role in ("item", "rater", "label")}
        if not any(name in apart for names in found.values() for name in names):
            return {**found, "shape": reading.shape}
    return {}


def named_by_file(options: dict[str, Any]) -> tuple[str, ...]:
    from consilience.io.tables.formats.nested_json import systems_in

    return tuple(name for path in options["paths"] if path != "-" for name in systems_in(path))


def columns_of(options: dict[str, Any], loaded: Loaded, ratings: Ratings) -> dict[str, Any]:
    """Return what other columns of the file say about the items."""
    found: dict[str, Any] = {}
    for name, argument in (("document", "clusters"), ("time", "order")):
        if options[name]:
            found[argument] = by_item(options, loaded, options[name], f"--{name}")
    if options["gold"]:
        is_rater = options["gold"] in {str(rater) for rater in ratings.raters}
        found["gold"] = (
            options["gold"] if is_rater else by_item(options, loaded, options["gold"], "--gold")
        )
    return found


# Options that say how the file itself is to be taken, whichever of its columns is read.
_OF_THE_FILE = ("format", "sheet", "delimiter", "encoding", "header", "no_rater")


def by_item(options: dict[str, Any], loaded: Loaded, column: str, option: str) -> dict[str, object]:
    """Read another column as if it held the labels, and return its value for each item."""
    from consilience.exceptions import InputError
    from consilience.io import load as load_files
    from consilience.ratings.item_codes import code_matrix

    if "-" in options["paths"]:
        raise click.UsageError(f"{option} needs a file: standard input can be read once only.")
    if loaded.reading.title:
        return _beside_verdicts(options, loaded, column, option)
    columns = loaded.reading.columns
    shape = loaded.reading.shape
    roles: dict[str, Any] = {"item": columns.get("item"), "rater": (column,)}
    if shape == "long":
        roles = {"item": columns.get("item"), "rater": columns.get("rater"), "label": (column,)}
    told = {name: wish for name, wish in wishes_of(options).items() if name in _OF_THE_FILE}
    if option == "--gold":
        told |= {name: options[name] for name in ("sets",) if options.get(name)}
    try:
        other = load_files(list(options["paths"]), shape=shape, duplicates="first", **roles, **told)
    except InputError as error:  # the reader knows the column as a rater or a label
        said = str(error)
        for role in ("rater", "label"):
            said = said.replace(f"{role} must be one of", f"{option} must be one of the columns")
        raise InputError(said) from error
    codes = code_matrix(other.ratings)
    values: dict[str, object] = {}
    for item, row in zip(other.ratings.items, codes, strict=True):
        given = {int(code) for code in row if code >= 0}
        if len(given) > 1 and option != "--time":
            labels = [str(other.ratings.categories[code]) for code in sorted(given)]
            raise InputError.expected(
                f"the column {column!r}",
                "the same in all rows of an item",
                f"{', '.join(labels)} for item {item}",
                f"correct the file, or leave out {option}",
                where=loaded.reading.sources[0],
            )
        if given:
            values[str(item)] = other.ratings.categories[min(given)]
    return _as_labels(options, loaded, values) if option == "--gold" else values


def _as_labels(
    options: dict[str, Any], loaded: Loaded, values: dict[str, object]
) -> dict[str, object]:
    """Clean what a column says as the raters' labels were cleaned, to be compared with them."""
    from consilience.io.side_columns import labels_like

    told = {name: options[name] for name in ("map", "ignore_case", "missing_values")
            if options.get(name)}  # fmt: skip
    return labels_like(loaded.ratings, values, **told)


def _beside_verdicts(
    options: dict[str, Any], loaded: Loaded, column: str, option: str
) -> dict[str, object]:
    """Return what a field of a flat export says about each item."""
    from consilience.exceptions import InputError
    from consilience.io.plain_columns import read_columns

    named = {one.what: one.taken for one in loaded.reading.guesses}
    values: dict[str, object] = {}
    for path in options["paths"]:
        table = read_columns(path, delimiter=options["delimiter"], encoding=options["encoding"])
        item = named.get("item", "")
        for name in (column, item):
            if name not in table:
                said = str(InputError.unknown_word(f"{path}: {option}", name, list(table)))
                raise InputError(said.replace("must be one of", "must be one of the columns", 1))
        for key, value in zip(table[item], table[column], strict=True):
            if value is None:
                continue
            before = values.setdefault(str(key), value)
            if before != value and option != "--time":
                raise InputError.expected(
                    f"the column {column!r}", "the same in all rows of an item",
                    f"{before}, {value} for item {key}", f"correct the file, or leave out {option}",
                    where=path,
                )  # fmt: skip
    return _as_labels(options, loaded, values) if option == "--gold" else values
