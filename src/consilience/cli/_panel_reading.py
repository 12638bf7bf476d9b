"""How ``consilience panel`` reads: who is a system, and columns that say more about the items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from consilience.cli._ratings_reading import load

if TYPE_CHECKING:
    from consilience.io import Loaded
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


def loaded_of(options: dict[str, Any]) -> tuple[Loaded, Ratings, Ratings | None]:
    """Read the file; with --swapped, the ratings of one order and of the other."""
    reading = {**for_reading(options, options["swapped"]), **roles(options)}
    loaded = load(reading)
    if options["anonymise"] and "-" not in options["paths"]:
        loaded = _systems_named(loaded, reading, {*options["systems"], *named_by_file(options)})
    if not options["swapped"]:
        return loaded, loaded.ratings, None
    if len(loaded.groups) != 2:
        raise click.UsageError(
            f"--swapped {options['swapped']} must hold two orders. It holds "
            f"{', '.join(str(name) for name in list(loaded.groups)[:6])}."
        )
    first, second = loaded.groups.values()
    return loaded, first, second


def _systems_named(loaded: Loaded, reading: dict[str, Any], systems: set[str]) -> Loaded:
    """Give systems their names back: --anonymise is for people, and they are named by option."""
    from dataclasses import replace

    from consilience.ratings import Ratings

    plain = load({**reading, "anonymise": False, "quiet": True})
    names = {
        code: name
        for hidden, shown in zip(loaded.groups.values(), plain.groups.values(), strict=True)
        for code, name in zip(hidden.raters, shown.raters, strict=True)
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


def by_item(options: dict[str, Any], loaded: Loaded, column: str, option: str) -> dict[str, object]:
    """Read another column as if it held the labels, and return its value for each item."""
    from consilience.exceptions import InputError
    from consilience.io import load as load_files
    from consilience.panel.panel_data import code_matrix

    if "-" in options["paths"]:
        raise click.UsageError(f"{option} needs a file: standard input can be read once only.")
    columns = loaded.reading.columns
    shape = loaded.reading.shape
    roles: dict[str, Any] = {"item": columns.get("item"), "rater": (column,)}
    if shape == "long":
        roles = {"item": columns.get("item"), "rater": columns.get("rater"), "label": (column,)}
    told = {name: options[name] for name in ("delimiter", "encoding", "header")}
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
    return values
