"""One register for everything that has a name and that another package may add to."""

from __future__ import annotations

import re
import sys
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from consilience.core.lazy import sources
from consilience.exceptions import ConsilienceWarning, InputError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")

_GENITIVE = re.compile(r"['\u2018\u2019\u02bc\u00b4`]s?(?=\W|_|$)")
_NO_LETTERS = re.compile(r"[\W_]+")
# What stands after the decorator `register`: a class with a name, or a function.
BY_CLASS = r'\n    name = "([^"]+)"'
BY_FUNCTION = r"\ndef (\w+)"


def folded(name: object) -> str:
    """Reduce a name to its words: Fleiss' kappa and fleiss-kappa are fleiss_kappa.

    >>> folded("Cohen's Kappa"), folded("Gwet\u2019s AC1"), folded(" brennan-prediger ")
    ('cohen_kappa', 'gwet_ac1', 'brennan_prediger')
    """
    bare = _GENITIVE.sub("", str(name).strip().casefold())
    return _NO_LETTERS.sub("_", bare).strip("_")


def registered_in(*packages: str, name: str) -> dict[str, str]:
    """Return the module in which each name is registered, by name, as the files of folders say.

    Nothing is imported; `name` is a regular expression for what names the thing registered.

    >>> registered_in("consilience.distances", name=BY_CLASS)["ordinal"].rpartition(".")[0]
    'consilience.distances'
    """
    named = re.compile(f"\n@register\\b.*?{name}", re.DOTALL)
    found: dict[str, str] = {}
    for package in packages:
        folder = sys.modules.get(package) or import_module(package)
        for module, text in sources(folder, "\n@register"):
            found.update(dict.fromkeys(named.findall(text), module))
    return dict(sorted(found.items()))


class Registry(Mapping[str, T]):
    """Entries of one kind by name, in the order of registration; look-ups take aliases too.

    An entry is added where it lives. Each of our own is imported when it is asked for; those of
    other packages come with entry points, when all entries are needed or a name is not known.

    Parameters
    ----------
    what : str
        What an entry is, in messages.
    group : str
        Entry points of the group ``consilience.<group>`` add entries: each names the entry and
        the module that adds it.
    homes : dict, optional
        The module of each of our own entries, by name.
    titles : function, optional
        What results print for an entry; look-ups take that as well.
    """

    def __init__(
        self,
        what: str,
        *,
        group: str,
        homes: Mapping[str, str] = MappingProxyType({}),
        titles: Callable[[T], Iterable[str]] | None = None,
    ) -> None:
        self.what, self.group, self.homes = what, f"consilience.{group}", homes
        self._titles = titles
        self._entries: dict[str, T] = {}
        self._names = {folded(name): name for name in homes}  # and aliases, once they are known
        self._all_at_home = not homes
        self._asked_others = False

    def add(self, entry: T) -> T:
        """Register an entry under its name and its aliases; a decorator as well."""
        name = _name_of(entry)
        if not name:
            raise InputError.expected(
                f"a {self.what}", "an object with a name", entry, "give its class a name = '...'"
            )
        if name not in self.homes:
            self._load_homes()  # so that what is taken is known
        for word in (name, *_aliases_of(entry)):
            owner = self._names.setdefault(folded(word), name)
            if owner != name:
                raise ValueError(f"{word!r} already names the {self.what} {owner!r}")
        if name in self._entries and self._entries[name] != entry:
            raise ValueError(f"a {self.what} named {name!r} is already registered")
        self._entries[name] = entry
        return entry

    def find(self, word: object) -> str | None:
        """Return the registered name that a name, an alias or a printed title stands for."""
        key = folded(word)
        steps: tuple[Callable[[], None], ...] = (
            lambda: self._load_homes(key),
            self._load_homes,
            self._load_others,
        )
        for load in steps:
            if key in self._names:
                return self._names[key]
            load()
        return self._names.get(key) or next(
            (name for name, entry in self.items() if key in self._printed(entry)), None
        )

    def words(self) -> list[str]:
        """Return every name and alias."""
        return [word for name, one in self.items() for word in (name, *_aliases_of(one))]

    @contextmanager
    def as_before(self) -> Iterator[None]:
        """Forget what was registered inside the block."""
        self._load_homes()
        entries, names = dict(self._entries), dict(self._names)
        try:
            yield
        finally:
            self._entries, self._names = entries, names

    def _printed(self, entry: T) -> set[str]:
        return {folded(title) for title in self._titles(entry)} if self._titles else set()

    def _load_homes(self, word: str = "") -> None:
        """Import our own entries; with a word, only the files that have it in quotes."""
        if self._all_at_home:
            return
        ours = set(self.homes.values())
        if word:
            for package in dict.fromkeys(module.rpartition(".")[0] for module in sorted(ours)):
                for module, _ in sources(import_module(package), f'"{word}"'):
                    if module in ours:
                        import_module(module)
            return
        self._all_at_home = True
        for module in dict.fromkeys(self.homes.values()):
            import_module(module)

    def _load_others(self) -> None:
        if self._asked_others:
            return
        self._asked_others = True
        for point in _entry_points()[self.group]:
            try:
                point.load()
            except Exception as error:
                said = f"cannot be loaded: {type(error).__name__}: {error}"
            else:
                if folded(point.name) in self._names:
                    continue
                said = f"registers no {self.what} of that name"
            warnings.warn(
                f"the plug-in {point.name!r} ({self.group}, {point.value}) {said}",
                ConsilienceWarning,
                stacklevel=2,
            )

    def __getitem__(self, word: str) -> T:
        if not isinstance(word, str):
            raise InputError.unknown_word(self.what, word, self.words())
        name = word if word in self._entries else self.find(word)
        if name is None:
            raise InputError.unknown_word(self.what, word, self.words())
        if name not in self._entries:
            import_module(self.homes[name])
        return self._entries[name]

    def get(self, word: str, default: Any = None) -> Any:
        """Return an entry, or the default where there is none of that name."""
        name = self.find(word)
        return default if name is None else self[name]

    def __contains__(self, word: object) -> bool:
        return self.find(word) is not None

    def __iter__(self) -> Iterator[str]:
        self._load_others()
        return iter([*self.homes, *(name for name in self._entries if name not in self.homes)])

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __repr__(self) -> str:
        lines = [f"{self.what.capitalize()}s"]
        for name, one in self.items():
            about = getattr(one, "summary", "") or getattr(one, "title", "")
            also = ", ".join(_aliases_of(one))
            lines.append(f"  {name}: {about}" + (f" Also: {also}." if also else ""))
        return "\n".join(lines)


def _name_of(entry: object) -> str:
    """Return what an entry is called: functions carry their name, all others have one."""
    return str(getattr(entry, "name", None) or getattr(entry, "__name__", ""))


def _aliases_of(entry: object) -> tuple[str, ...]:
    return getattr(entry, "aliases", ())


@cache
def _entry_points() -> dict[str, list[EntryPoint]]:
    """Return the entry points of all installed packages for us, by group."""
    from importlib.metadata import distributions

    found: dict[str, dict[str, EntryPoint]] = defaultdict(dict)
    for package in distributions():
        if "consilience." not in (package.read_text("entry_points.txt") or ""):
            continue  # taking apart what all others have listed takes long
        for point in package.entry_points:
            if point.group.startswith("consilience."):
                found[point.group].setdefault(point.name, point)
    return defaultdict(list, {group: list(points.values()) for group, points in found.items()})
