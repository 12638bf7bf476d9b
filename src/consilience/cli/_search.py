"""Where a word of the literature leads: commands, coefficients, measures, distances, methods."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass

from consilience.core.registry import folded
from consilience.core.topics import TOPICS, topic_of

_CLOSE = 0.75
_LEAST = 3  # letters from which on a part of a name is looked for


@dataclass(frozen=True)
class Hit:
    """One thing that a word may mean."""

    name: str
    about: str
    library: str
    command: str


def found_for(word: str, *, most: int = 8) -> list[Hit]:
    """Return what a word may mean: the same name first, then parts of names, then near ones."""
    wanted = folded(word)
    known = list(_everything())
    ranked: list[tuple[int, int]] = []
    for place, (names, _) in enumerate(known):
        spelt = [folded(name) for name in names]
        if wanted in spelt:
            ranked.append((0, place))
        elif len(wanted) >= _LEAST and any(_is_part(wanted, name) for name in spelt):
            ranked.append((1, place))
        elif difflib.get_close_matches(wanted, spelt, n=1, cutoff=_CLOSE):
            ranked.append((2, place))
    if any(rank == 0 for rank, _ in ranked):
        ranked = [one for one in ranked if one[0] < 2]
    return [known[place][1] for _, place in sorted(ranked)][:most]


def _is_part(wanted: str, name: str) -> bool:
    """Tell whether all words of one are among those of the other."""
    mine, theirs = set(wanted.split("_")), set(name.split("_"))
    return mine <= theirs or theirs <= mine


def _everything() -> Iterator[tuple[tuple[str, ...], Hit]]:
    for topic in TOPICS:
        yield topic.words, Hit(topic.words[0], topic.about, topic.library, topic.command)
    yield from _coefficients()
    yield from _measures()
    yield from _distances()
    yield from _methods()


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
        yield (unit.name,), Hit(unit.name, unit.title, "units", command)
    for model in LATENT_MODELS.values():
        command = f"consilience latent FILE --model {model.name}"
        yield (model.name,), Hit(model.name, model.title, "latent", command)


def hint_for(word: str, *, exactly: bool = False) -> str:
    """Return a sentence on where a word that is no command leads; empty where nowhere."""
    topic = topic_of(word)
    if exactly and (topic is None or folded(word) not in map(folded, topic.words)):
        return ""
    if topic is not None:
        return f"{topic.about[0].upper()}{topic.about[1:]}: {topic.command}"
    hits = found_for(word, most=1)
    return f"{hits[0].about.rstrip('.')}: {hits[0].command}" if hits else ""
