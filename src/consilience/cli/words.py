"""Words of the literature and of the library, in those of the command line."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from shlex import quote
from typing import TYPE_CHECKING

from consilience.core.glossary import TOPICS, words_in
from consilience.core.options import flag, typed_as
from consilience.core.registry import folded
from consilience.core.works import part_of_a_work, works_named

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import click

    from consilience.core.works import Work
    from consilience.exceptions import ConsilienceError, Option

# ---- Hints: the library speaks of arguments, the shell of options

_OPTIONS = {
    "scale": "--scale",
    "distance": "--distance",
    "missing": "--missing",
    "duplicates": "--duplicates",
    "method": "--interval",
    "model": "--model",
    "new_labels": "--new-labels",
    "changed_ids": "--changed-ids",
}
_FLAGS = {'which="all"': "--all", 'existing="replace"': "--force", "top=1000": "--top 1000"}
_CHOICE = re.compile(
    r"\b(" + "|".join(_OPTIONS) + r')="([\w-]+)"((?:, "[\w-]+")*(?: or "[\w-]+")?)'
)
_COLUMN = re.compile(r"\bcolumns=\{'(\w+)': …\}")
_CATEGORIES = re.compile(r"\bcategories=\[([^\]]*)\]")
_RESAMPLES = re.compile(r"(?<![\w'\"/.-])n_resamples(?:=(\d+))?(?![\w=/.'\"-]\w)")
_PROGRAMS_ONLY = (", or use read_groups", ", or an ordered categorical")
_MISSING = re.compile(r"\bmissing_values=\[([^\]]*)\]")


def in_options(error: ConsilienceError) -> str:
    """Return the message of an error in the words of the command line.

    Lines to be pasted, which stand below the sentence, are commands already.
    """
    said = error.words.worded(flag)
    if not getattr(error, "offers", ()):
        return as_options(said)
    sentence, line_end, lines = said.partition("\n  ")
    return as_options(sentence) + line_end + lines


def flags_of(command: click.Command, also: Mapping[str, str]) -> Callable[[Option], str]:
    """Return how a command calls arguments: as its own options, where it has them.

    `also` names the parameters of the command that stand for arguments called otherwise.
    """
    own = {one.name: max(one.opts, key=len) for one in command.params}

    def say(option: Option) -> str:
        called = own.get(also.get(option.name, option.name))
        return flag(option) if called is None else typed_as(option, called)

    return say


def as_options(message: str) -> str:
    """Turn arguments in the hint of a message into options of the command line.

    >>> as_options('Got x. Hint: pass duplicates="first", "last" or "occasions".')
    'Got x. Hint: pass --duplicates first, last or occasions.'
    >>> as_options("Got x. Hint: pass categories=['low', 'high'] in order.")
    'Got x. Hint: pass --categories low,high in order.'
    >>> as_options("Got x. Hint: name it: columns={'start': …}.")
    'Got x. Hint: name it: --column start=NAME.'
    >>> as_options("Got 'n/a'. Hint: pass missing_values=['n/a', '-'].")
    "Got 'n/a'. Hint: pass --missing-value 'n/a' --missing-value '-'."
    >>> as_options("n_resamples must be at least 10. Got 1. Hint: try n_resamples=999.")
    '--resamples must be at least 10. Got 1. Hint: try --resamples 999.'
    """
    message = _RESAMPLES.sub(lambda f: f"--resamples {f[1]}" if f[1] else "--resamples", message)
    said, mark, hint = message.rpartition("Hint: ")
    for words in _PROGRAMS_ONLY:
        hint = hint.replace(words, "")
    for word, typed in _FLAGS.items():
        hint = hint.replace(word, typed)
    hint = _COLUMN.sub(r"--column \1=NAME", hint)
    hint = _MISSING.sub(lambda found: _repeated("--missing-value", found[1]), hint)
    hint = _CATEGORIES.sub(lambda found: f"--categories {_listed(found[1])}", hint)
    hint = _CHOICE.sub(
        lambda found: f"{_OPTIONS[found[1]]} {found[2]}{found[3].replace(chr(34), '')}", hint
    )
    return said + mark + hint


def _listed(inside: str) -> str:
    labels = [part.strip().strip("'\"") for part in inside.split(",")]
    return "A,B,C" if labels in (["..."], ["…"], [""]) else quote(",".join(labels))


def _repeated(option: str, inside: str) -> str:
    return " ".join(f"{option} {part.strip()}" for part in inside.split(","))


# ---- Where a word of the literature leads: coefficients, measures, methods, figures, files

_CLOSE, _NEAR = 0.75, 0.6
_LEAST = 3  # letters from which on a part of a name is looked for


@dataclass(frozen=True)
class Hit:
    """One thing that a word may mean."""

    name: str
    about: str
    library: str
    command: str


def found_for(word: str, *, most: int = 8, described: bool = True) -> list[Hit]:
    """Return what a word may mean.

    A numbered part of a work comes first, then the same name, then names that share words, the
    more the better, then near ones, then works by their authors; only where there are none, and
    if `described`, things whose description has the word.
    """
    parts = [_hit_of_part(*part) for part in part_of_a_work(word)]
    if parts:
        return parts[:most]
    wanted = words_in(word)
    known = list(_everything())
    ranked: list[tuple[int, float, int]] = []
    for place, (names, hit) in enumerate(known):
        spelt = [words_in(name) for name in names]
        shared = max((_shared(wanted, name) for name in spelt), default=0.0)
        if any("".join(wanted) == "".join(name) for name in spelt):
            ranked.append((0, 0.0, place))
        elif shared:
            ranked.append((1, -shared, place))
        elif difflib.get_close_matches(
            "_".join(wanted), ["_".join(name) for name in spelt], n=1, cutoff=_CLOSE
        ):
            ranked.append((2, 0.0, place))
        elif described and len("".join(wanted)) >= _LEAST and {*wanted} <= {*words_in(hit.about)}:
            ranked.append((3, 0.0, place))
    best = min((rank for rank, _, _ in ranked), default=3)
    works = [_hit_of_work(work) for work in works_named(word)]
    ranked = [one for one in ranked if one[0] <= max(best, 1) and not (works and one[0] > 1)]
    found = [known[place][1] for _, _, place in sorted(ranked)]
    return list(dict.fromkeys([*found[: most - len(works)], *works]))


def _shared(wanted: Sequence[str], name: Sequence[str]) -> float:
    """Return how much of two names is the same, where all words of one are among the other's."""
    mine, theirs = set(wanted), set(name)
    both = "".join(mine & theirs)
    if len(both) < _LEAST or not (mine <= theirs or theirs <= mine):
        return 0.0
    return len(both) / len("".join(mine | theirs))


def _hit_of_part(work: Work, part: str, word: str) -> Hit:
    hit = found_for(word, most=1)[0]
    return replace(hit, name=f"{work.title}, {part}", about=f"{hit.name}: {hit.about}")


def _hit_of_work(work: Work) -> Hit:
    return Hit(
        work.title,
        "all its tables, figures and formulas: docs/works.md",
        "",
        f"consilience find {quote(f'{work.names[0]} {next(iter(work.numbered()))}')}",
    )


def _everything() -> Iterator[tuple[tuple[str, ...], Hit]]:
    for topic in TOPICS:
        yield topic.words, Hit(topic.words[0], topic.about, topic.library, topic.command)
    yield from _coefficients()
    yield from _measures()
    yield from _distances()
    yield from _methods()
    yield from _commands()
    yield from _figures()
    yield from _files()


def _commands() -> Iterator[tuple[tuple[str, ...], Hit]]:
    from consilience.cli.program import COMMANDS, summary_of

    for name, one in COMMANDS.items():
        yield (name,), Hit(name, summary_of(one), "", f"consilience {name} --help")


def _figures() -> Iterator[tuple[tuple[str, ...], Hit]]:
    from consilience import plot
    from consilience.cli.raters import FIGURES

    for word, name in FIGURES.items():
        about = (getattr(plot, name).__doc__ or "").partition("\n")[0]
        library = f"plot.{name}(ratings)"
        yield (word, name), Hit(word, about, library, f"consilience plot {word} FILE")


def _files() -> Iterator[tuple[tuple[str, ...], Hit]]:
    from consilience.io import formats
    from consilience.io.events import unit_formats

    for name, kind in formats().items():
        about = f"a file that is read: {kind.title}"
        yield (name, kind.title), Hit(name, about, "read(path)", "consilience measure FILE")
    for name, unit in unit_formats().items():
        about = f"a file of units that is read: {unit.title}"
        yield (name, unit.title), Hit(name, about, "read_units(path)", "consilience units FILE")


def nearest(word: str, names: Sequence[str]) -> str | None:
    """Return the one of several words that was meant, perhaps: it begins alike, or looks alike."""
    wanted = folded(word)
    known = {folded(name): name for name in names}
    begins = [name for short, name in known.items() if wanted and short.startswith(wanted)]
    close = difflib.get_close_matches(wanted, list(known), n=1, cutoff=_NEAR)
    found = sorted(begins, key=len)[:1] or [known[one] for one in close]
    return found[0] if found else None


def instead_of(word: str, names: Sequence[str] = ()) -> str:
    """Say what a word that an option does not know may mean: a near one, or something elsewhere."""
    close = nearest(word, names)
    guess = f" Did you mean {close!r}?" if close else ""
    elsewhere = [hit for hit in found_for(word, most=2) if hit.name not in names]
    exactly = [hit for hit in elsewhere if _is_called(hit, word)]
    leads = exactly or ([] if close else elsewhere)
    if leads:
        guess += f" {_led(leads[0])}."
    return guess


def _is_called(hit: Hit, word: str) -> bool:
    """Tell whether a word names a thing in full, in any spelling."""
    wanted = "".join(words_in(word))
    return any(
        "".join(words_in(name)) == wanted
        for names, one in _everything()
        if one == hit
        for name in names
    )


def _coefficients() -> Iterator[tuple[tuple[str, ...], Hit]]:
    from consilience.coefficients import registry

    for one in registry.values():
        command = f"consilience measure FILE -c {one.name}"
        names = (one.name, *one.aliases)
        yield names, Hit(one.name, one.summary, f"{one.name}(ratings)", command)


def _measures() -> Iterator[tuple[tuple[str, ...], Hit]]:
    from consilience.magnitudes import measures

    for one in measures().values():
        command = f"consilience marks FILE --measure {one.name}"
        library = f"magnitudes.{one.name}(ratings)"
        yield (one.name, *one.aliases), Hit(one.name, one.title, library, command)


def _distances() -> Iterator[tuple[tuple[str, ...], Hit]]:
    from consilience.distances import names

    for name in names():
        command = f"consilience measure FILE --distance {name}"
        yield (
            (name, f"{name} distance"),
            Hit(name, "a distance between labels", f'distance="{name}"', command),
        )


def _methods() -> Iterator[tuple[tuple[str, ...], Hit]]:
    from consilience.latent.model_registry import LATENT_MODELS
    from consilience.report.unit_methods import UNIT_METHODS

    for unit in UNIT_METHODS.values():
        command = f"consilience units FILE --method {unit.name}"
        yield (unit.name,), Hit(unit.name, unit.title, "", command)
    for model in LATENT_MODELS.values():
        command = f"consilience latent FILE --model {model.name}"
        yield (model.name,), Hit(model.name, model.title, "", command)


def hint_for(word: str, *, exactly: bool = False) -> str:
    """Return a sentence on where a word that is no command leads; empty where nowhere."""
    hits = found_for(word, most=2)
    same = [hit for hit in hits if _is_called(hit, word)]
    return "; or ".join(map(_led, same or ([] if exactly else hits[:1])))


def library_hint(name: str) -> str:
    """Say what a name that the package does not have is called in it; empty where nothing is.

    >>> library_hint("t_test")
    "the paired t-test of two raters' marks: magnitudes.paired_differences(a, b).test()"
    >>> library_hint("weather")
    ''
    """
    for hit in found_for(name, most=1, described=False):
        return f"{hit.about.rstrip('.')}: {hit.library or hit.command}"
    return ""


def _led(hit: Hit) -> str:
    about = hit.about.rstrip(".")
    return f"{about[:1].upper()}{about[1:]}: {hit.command}"
