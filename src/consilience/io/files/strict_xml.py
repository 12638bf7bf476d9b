"""XML from strangers: no document type, no entities, no endless nesting."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.parsers import expat

from consilience.exceptions import InputError
from consilience.io.files.limits import DEEPEST, refused

_AGAIN = "save it again with the program that wrote it"

Begin = Callable[[str, dict[str, str], int], None]
End = Callable[[str, str], None]


def walk(
    data: bytes,
    where: str,
    start: Callable[[str, dict[str, str]], object],
    end: Callable[[str], object],
    text: Callable[[str], object] | None,
    *,
    parser: Any = None,
) -> None:
    """Call `start` (name, attributes), `end` (name) and `text` (a piece of it) in turn.

    Names come without their prefix. `parser` is a new one of expat, for who wants to ask it.
    """
    parser = parser or expat.ParserCreate()
    parser.buffer_text = True
    depth = 0

    def refuse(expectation: str, got: str) -> InputError:
        place = f"{where}, line {parser.CurrentLineNumber}"
        return refused(place, "the XML", expectation, got, _AGAIN)

    def opened(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            raise refuse(f"nested at most {DEEPEST} deep", "a deeper element")
        start(name.rpartition(":")[2], attributes)

    def closed(name: str) -> None:
        nonlocal depth
        depth -= 1
        end(name.rpartition(":")[2])

    def declared(*_: Any) -> None:
        raise refuse("free of a document type and of entities", "a <!DOCTYPE or <!ENTITY")

    parser.StartElementHandler = opened
    parser.EndElementHandler = closed
    parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = declared
    parser.EntityDeclHandler = declared
    parser.ExternalEntityRefHandler = declared
    try:
        # In one piece: fed bit by bit, a very long attribute would be scanned again and again.
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise refused(
            f"{where}, line {error.lineno}",
            "the file",
            "well-formed XML",
            expat.errors.messages.get(error.code, "a fault"),
            "check that it was saved and copied completely",
        ) from None


def parse(data: bytes, path: Path, begin: Begin, end: End) -> None:
    """Call `begin` (name, attributes, line) and `end` (name, text inside) for each element."""
    parser: Any = expat.ParserCreate()
    texts: list[list[str]] = [[]]

    def opened(name: str, attributes: dict[str, str]) -> None:
        texts.append([])
        begin(name, attributes, parser.CurrentLineNumber)

    def closed(name: str) -> None:
        end(name, "".join(texts.pop()))

    def text(piece: str) -> None:
        texts[-1].append(piece)

    try:
        walk(data, str(path), opened, closed, text, parser=parser)
    except InputError:
        raise
    except (LookupError, ValueError) as error:
        needed = "XML in an encoding that can be read"
        raise refused(str(path), "the file", needed, str(error), "save it as UTF-8") from None


def check(data: bytes, path: Path) -> None:
    """Refuse XML that another parser should not be given."""
    parse(data, path, lambda *_: None, lambda *_: None)
