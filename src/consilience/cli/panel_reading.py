"""How people and systems are read and told of: who is which, refusals, answers, figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from consilience.cli import output as out
from consilience.cli.options import apart, option, together
from consilience.cli.output import Answer, facts, joined, typed_command
from consilience.cli.reading import (
    GOLD,
    ByItem,
    gold_in,
    read_beside,
    read_with,
    settled_by,
    told,
    wishes_of,
)

if TYPE_CHECKING:
    from consilience.io import Loaded
    from consilience.judges.people_and_systems import UnclearPanelError, Who
    from consilience.ratings import Ratings

# ---- Who is asked about, in every command on people and systems

_PEOPLE = "Rater that is a person, by name or pattern"
PEOPLE_NAMED = option("--people NAME...", f"{_PEOPLE}; repeat for more.")
# Who is a system, who a person, and what is right.
SIDES = together(
    option(
        "--system -s NAME...",
        "Rater that is a system, such as a judge, by name or pattern (gpt*); repeat for more.",
        to="systems",
    ),
    option(
        "--people NAME...",
        f"{_PEOPLE}, or a file with people's labels, joined by the items' names; repeat for more. "
        "Default: all others, where their names leave no doubt.",
    ),
    GOLD,
)
DOCUMENT = option(
    "--document COLUMN",
    "Document or prompt of each item: what belongs together, resampled whole.",
)
DOCUMENT_RULE = apart("--document", "cluster")
REFUSALS = option(
    "--refusal LABEL...", "Label that means refused or unparsable; repeat for more.", to="refusals"
)

# ---- People's labels in a file of their own, beside the verdicts

_SHARED = ("delimiter", "encoding", "missing_values", "map", "ignore_case", "scale", "variable",
           "variables")  # fmt: skip


def people_files(options: dict[str, Any]) -> list[str]:
    """Return those of the people that are named by a file that exists."""
    return [word for word in options["people"] if Path(word).is_file()]


def without_files(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options with the names of people only."""
    files = people_files(options)
    return {**options, "people": tuple(word for word in options["people"] if word not in files)}


def with_people(
    options: dict[str, Any], loaded: Loaded, *, quiet: bool
) -> tuple[Loaded, list[str]]:
    """Join the labels of people's files to the verdicts, say what does not join, and who came."""
    files = people_files(options)
    if not files:
        return loaded, []
    from consilience.io.side_columns import load_people
    from consilience.judges.verdicts import join_people

    verdicts = loaded.ratings
    wishes = wishes_of(dict.fromkeys(options) | {n: options.get(n) for n in _SHARED})
    items, labels = {str(x) for x in verdicts.items}, {str(x) for x in verdicts.categories}
    second = [load_people(path, items=items, labels=labels, **wishes) for path in files]
    joined = None
    for one in second:
        told(one, {**options, "quiet": quiet or options["quiet"], "explain": False})
        name = next(iter(loaded.groups))
        own = one.groups.get(name) or one.ratings
        joined = join_people(verdicts if joined is None else joined.ratings, own)
        if not quiet:
            out.tell(f"{one.reading.sources[0]}: {joined.told}")
    assert joined is not None
    seats = [str(who) for one in second for part in one.groups.values() for who in part.raters]
    return replace(loaded, groups={next(iter(loaded.groups)): joined.ratings}), seats


# ---- How ``consilience panel`` reads: who is a system, and columns that say more about the items


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
    reading = for_reading(options, options.get("swapped"))
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


def truth_of(options: dict[str, Any], sides: Sides) -> dict[str, Any]:
    """Return who says what is right: the gold standard where one is named, else people."""
    if options["gold"]:
        return {"gold": gold_in(options, sides.ratings, sides.beside)}
    return {"people": sides.people} if sides.people else {}


def _loaded(
    options: dict[str, Any], reading: dict[str, Any]
) -> tuple[Loaded, ByItem, list[object], dict[str, Any]]:
    """Read the file, list everybody who rated in it, and say what was told for that.

    Where the columns of the raters are in doubt, people and systems that are named settle it.
    """
    from consilience.io.layout.decision import AmbiguousTableError

    try:
        loaded, beside = read_beside(options, reading)
    except AmbiguousTableError as error:
        names = _all_named(options)
        cause = error.__cause__ if isinstance(error.__cause__, AmbiguousTableError) else error
        wide = [o.options for o in cause.offers if o.options.get("shape") == "wide"]
        fitting = [one for one in wide if names and set(names) <= set(one["rater"])]
        if not fitting:
            settled = settled_by(error, options["people"])
            if not settled:
                raise
            loaded, beside = read_beside(options, {**reading, **settled})
            return loaded, beside, list(settled["rater"]), settled
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
    if not options.get("swapped"):
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
    if not is_wide or "-" in options["paths"] or options.get("swapped"):
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
    from consilience.ratings.rating_tables import labels_used

    used = labels_used(ratings)
    named = {label for name, own in used.items() if str(name) in names for label in own}
    return any(own - named for own in used.values())


def _who(
    ctx: click.Context, options: dict[str, Any], ratings: Ratings, by_file: Sequence[str] = ()
) -> Who:
    """Sort the raters; where only the user can tell, refuse with a command for each reading."""
    from consilience.judges.people_and_systems import UnclearPanelError, sorted_out
    from consilience.ratings.rating_tables import labels_used

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
        asked = {**for_reading(options, options.get("swapped")), "paths": (path,)}
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

    from consilience.ratings import Ratings

    names = {
        code: name
        for hidden, plain in zip(loaded.groups.values(), shown.groups.values(), strict=True)
        for code, name in zip(hidden.raters, plain.raters, strict=True)
        if str(name) in systems
    }
    groups = {
        key: Ratings.of_parts(
            replace(part.parts(), raters=tuple(names.get(code, code) for code in part.raters))
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
    """Return the systems that the file itself names."""
    from consilience.io.grids.json_tables import systems_in

    return tuple(name for path in options["paths"] if path != "-" for name in systems_in(path))


# ---- What the numbers about judges need beside the verdicts: columns that say more of the items

NO_VERDICTS = ("refusal", "refused", "unparsable", "unparseable", "parse_error", "error",
               "no verdict")  # fmt: skip


def keeping_refusals(options: dict[str, Any]) -> dict[str, Any]:
    """Return options by which refusals and failures are answers of their own, not gaps."""
    changed = dict(options)
    changed["excluded"] = options["excluded"] or "label"
    if options["gold"] and not options["gold_answers"]:
        changed["gold_answers"] = "rater"
    return changed


def refusals_of(options: dict[str, Any], ratings: Ratings) -> tuple[str, ...]:
    """Return the labels that mean no verdict: as told, and those that say so by their name."""
    used = {str(label).casefold(): str(label) for label in ratings.categories}
    return (*options["refusals"], *(used[word] for word in NO_VERDICTS if word in used))


# ---- Figures of the results about judges: on their pages, and in a file by ``--figure``

Drawing = tuple[str, str, Callable[[], Any]]


def drawings_of(results: Iterable[Any]) -> list[Drawing]:
    """Return name, caption and how to draw each figure that some results have, in order."""
    from consilience import plot
    from consilience.judges.corrected_rates import CorrectedRate

    every = list(results)
    found: list[Drawing] = []
    rates = [one for one in every if isinstance(one, CorrectedRate)]
    if rates:
        found.append(
            ("rates", "Corrected rate (blue) with its interval, what people's labels say alone "
             "(grey), and what the judge says (diamond).", lambda: plot.corrected_rates(rates))
        )  # fmt: skip
    for k, one in enumerate(every):
        drawn = _drawing(one, k)
        if drawn is not None:
            found.append(drawn)
    return found


def answer_on(
    found: Sequence[Any],
    loaded: Loaded,
    options: dict[str, Any],
    title: str,
    *,
    who: str = "",
    estimates: Iterable[Any] = (),
    **more: Any,
) -> Answer:
    """Return what results on judges say, one below the other; `more` goes into the record."""
    from consilience.document import envelope

    document = joined([one.document() for one in found], who)
    record = envelope(
        data=facts(loaded),
        estimates=estimates,
        findings=document.findings,
        seed=options["seed"],
        verdict=document.verdict,
        **more,
    )
    return Answer(document=document, record=record, title=title, drawings=drawings_of(found))


# Kind of result to the name of its figure, the function that draws it, and the caption.
_FIGURES = {
    "RateDifference": ("systems", "corrected_rates", "Corrected rate of each system (blue), what "
                       "people's labels say alone (grey), and what the judge says (diamond)."),
    "CorrectedShares": ("shares", "corrected_rates", "Corrected share of each label (blue), and "
                        "what {judge} says (diamond)."),
    "SharedErrors": ("shared-errors", "shared_errors", "Correlation of two judges' errors: 0 where "
                     "they err independently."),
    "Watch": ("drift", "control_chart", "{judge} batch by batch: control limits (dashed), and the "
              "share so far with limits that hold at every look (band)."),
    "Preferences": ("ranks", "ranks", "Ranks that all comparisons together leave open, for all "
                    "systems at once."),
    "SoftAgreement": ("soft", "soft_labels", "{system}: how much farther predictions are from "
                      "people than people are from each other; 0 is the noise ceiling."),
}  # fmt: skip


def _drawing(one: Any, k: int) -> Drawing | None:
    from consilience import plot

    known = _FIGURES.get(type(one).__name__)
    if known is None:
        return None
    name, figure, caption = known
    said = caption.format(**{who: getattr(one, who, "") for who in ("judge", "system")})
    return f"{name}-{k}", said, lambda: getattr(plot, figure)(one)
