"""What the product says to people: plain, short, modern English, one way to write a thing."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import consilience

SOURCE = Path(consilience.__file__).parent
# What was once said, and nobody understood at first reading; beside it what to say instead.
RIDDLES = {
    r"\d %|\} %": "95%",
    r"\btiers of sessions\b": "both raters annotated the one session",
    r"\bon Fisher's scale\b": "jackknife over items",
    r"\bcannot be told from\b|\bto be told from\b": "the interval includes 0.667",
    r"\bbeyond number\b": "cannot be counted",
    r"\btaken for each other\b": "confused",
    r"\bany two different ones\b": "every disagreement counts the same",
    r"\b[Hh]ers?\b(?! own)|\bshe\b": "this rater",
    r"\bhow (?:far|much|large|many)\b[^.;:]*\bhow (?:far|much|large|many|sure)\b": "two sentences",
    r"\bthat is how\b|\blies how\b": "how sure the model is of each label",
    r"\bNothing stands out\b": "no check fired",
    r"\bas far as can be told\b": "seem to",
    r"\bas its own idea\b": "built in",
}  # fmt: skip


SQL = re.compile(r"SELECT|WHERE|CREATE")


def written() -> Iterator[tuple[str, str]]:
    """Every text of the package that is no docstring, with its place."""
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE)
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        aside: set[int] = set()
        for node in nodes:
            body = getattr(node, "body", None)
            if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
                aside.add(id(body[0].value))
            if isinstance(node, ast.JoinedStr):
                aside |= {id(part) for part in node.values}
        for node in nodes:
            if isinstance(node, ast.JoinedStr):
                parts = [getattr(part, "value", "") for part in node.values]
                text = "".join(one if isinstance(one, str) else "{}" for one in parts)
                yield f"{name}:{node.lineno}", text
            elif isinstance(node, ast.Constant) and id(node) not in aside:
                yield f"{name}:{node.lineno}", node.value if isinstance(node.value, str) else ""


@pytest.fixture(scope="module")
def texts() -> list[tuple[str, str]]:
    return [(place, text) for place, text in written() if " " in text and not SQL.match(text)]


def test_no_text_is_a_riddle(texts: list[tuple[str, str]]) -> None:
    # Words for columns of files are other people's words.
    known = [(p, t) for p, t in texts if not p.startswith(("io/layout", "core/topics"))]
    found = [f"{place}: {text}\nsay rather: {better}" for riddle, better in RIDDLES.items()
             for place, text in known if re.search(riddle, text)]  # fmt: skip
    assert found == []


def test_the_texts_are_found(texts: list[tuple[str, str]]) -> None:
    assert len(texts) > 2_000
    assert any("Clearly too low" in text for _, text in texts)
