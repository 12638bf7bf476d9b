"""XML from strangers: no document type, no entities, no endless nesting."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.parsers import expat

from consilience.exceptions import InputError
from consilience.io.bytes.paths import Said

DEEPEST = 200

Begin = Callable[[str, dict[str, str], int], None]
End = Callable[[str, str], None]


def parse(data: bytes, path: Path, begin: Begin, end: End) -> None:
    """Call `begin` (name, attributes, line) and `end` (name, text inside) for each element."""
    parser: Any = expat.ParserCreate()
    parser.buffer_text = True
    texts: list[list[str]] = []

    def open_element(name: str, attributes: dict[str, str]) -> None:
        if len(texts) >= DEEPEST:
            raise _refused(path, parser, f"nested at most {DEEPEST} deep", "a deeper element")
        texts.append([])
        begin(name, attributes, parser.CurrentLineNumber)

    def close_element(name: str) -> None:
        end(name, "".join(texts.pop()))

    def text(piece: str) -> None:
        if texts:
            texts[-1].append(piece)

    def declaration(*_: Any) -> None:
        raise _refused(
            path, parser, "free of a document type and of entities", "a <!DOCTYPE or <!ENTITY"
        )

    parser.StartElementHandler = open_element
    parser.EndElementHandler = close_element
    parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = declaration
    parser.EntityDeclHandler = declaration
    parser.ExternalEntityRefHandler = declaration
    try:
        # In one piece: fed bit by bit, a very long attribute would be scanned again and again.
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise InputError.expected(
            "the file",
            "well-formed XML",
            Said(expat.errors.messages.get(error.code, "a fault")),
            "check that it was saved and copied completely",
            where=f"{path}, line {error.lineno}",
        ) from None
    except InputError:
        raise
    except (LookupError, ValueError) as error:
        raise InputError.expected(
            "the file",
            "XML in an encoding that can be read",
            Said(str(error)),
            "save it as UTF-8",
            where=str(path),
        ) from None


def check(data: bytes, path: Path) -> None:
    """Refuse XML that another parser should not be given."""
    parse(data, path, lambda *_: None, lambda *_: None)


def _refused(path: Path, parser: Any, expectation: str, got: str) -> InputError:
    return InputError.expected(
        "the XML",
        expectation,
        Said(got),
        "annotation files never need it; save the file again with the annotation program",
        where=f"{path}, line {parser.CurrentLineNumber}",
    )
