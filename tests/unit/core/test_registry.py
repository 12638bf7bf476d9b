"""One register for everything that has a name."""

from __future__ import annotations

import pkgutil
from dataclasses import dataclass
from importlib import import_module

import pytest

import consilience as cs
from consilience.core.registry import Registry
from consilience.exceptions import InputError


@dataclass(frozen=True)
class Fruit:
    name: str
    aliases: tuple[str, ...] = ()
    title: str = ""


def fruits() -> Registry[Fruit]:
    made: Registry[Fruit] = Registry("fruit", group="fruits", titles=lambda one: [one.title])
    made.add(Fruit("pear-tree", ("Birne",), "Newton's"))
    made.add(Fruit("apple", ("apfel", "pomme")))
    return made


def test_entries_come_in_the_order_of_registration() -> None:
    assert list(fruits()) == ["pear-tree", "apple"]
    assert len(fruits()) == 2
    assert "apfel" in repr(fruits())


@pytest.mark.parametrize("word", ["pear-tree", "Pear tree", "PEAR_TREE", "birne", "Newton\u2019s"])
def test_names_aliases_and_titles_are_understood_in_any_spelling(word: str) -> None:
    assert fruits()[word].name == "pear-tree"
    assert word in fruits()


def test_a_name_that_is_not_known_is_guessed() -> None:
    with pytest.raises(InputError, match=r"fruit must be one of .*did you mean 'apple'"):
        fruits()["appel"]
    assert fruits().get("appel") is None


def test_a_name_is_given_once_and_the_same_entry_may_come_again() -> None:
    known = fruits()
    known.add(Fruit("apple", ("apfel", "pomme")))
    with pytest.raises(ValueError, match="already registered"):
        known.add(Fruit("apple"))
    with pytest.raises(ValueError, match="'Pomme' already names the fruit 'apple'"):
        known.add(Fruit("potato", ("Pomme",)))


def test_what_is_registered_for_a_while_is_forgotten() -> None:
    known = fruits()
    with known.as_before():
        known.add(Fruit("fig"))
        assert "fig" in known
    assert "fig" not in known


def test_every_entry_of_ours_lives_where_the_registry_says() -> None:
    """Also those that no registry has heard of, before their file is imported."""
    for module in pkgutil.walk_packages(cs.__path__, "consilience."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    from consilience.distances._distance import registry as distances
    from consilience.findings._study import CHECKS
    from consilience.io.events.registry import UNIT_FORMATS
    from consilience.io.exports.registry import EXPORTS
    from consilience.io.registry import _HOMES, FORMATS
    from consilience.latent import LATENT_MODELS
    from consilience.report.unit_methods import UNIT_METHODS

    for one in (cs.coefficients(), distances, CHECKS, FORMATS, EXPORTS, UNIT_FORMATS, LATENT_MODELS,
                UNIT_METHODS, cs.magnitudes.measures()):  # fmt: skip
        assert set(one) == set(one.homes)
        assert all(entry is not None for entry in one.values())
    assert {name: home.suffixes for name, home in _HOMES.items()} == {
        name: one.suffixes for name, one in FORMATS.items()
    }
