"""Make the notebook for pandas users from its page; `python docs/_generate.py` calls this.

The page is the source: its blocks are run by the tests, and the output on it is the notebook's.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
PAGE = DOCS / "tutorials" / "pandas.md"
NOTEBOOK = DOCS.parent / "examples" / "pandas.ipynb"
_BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.DOTALL | re.MULTILINE)


def made() -> str:
    """Return the notebook as text."""
    # The notebook lies in examples/, the page's commands start one folder above.
    text = PAGE.read_text(encoding="utf-8").replace('"examples/', '"')
    text = re.sub(r"\[([^\]]+)\]\((?!https?:)[^)]+\)", r"\1", text)
    cells: list[dict[str, Any]] = []
    last = 0
    for match in _BLOCK.finditer(text):
        _add_words(cells, text[last : match.start()])
        _add_code(cells, match[1], match[2] or "")
        last = match.end()
    _add_words(cells, text[last:])
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    book = {
        "cells": [{**cell, "id": f"cell-{k}"} for k, cell in enumerate(cells)],
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(book, indent=1, ensure_ascii=False) + "\n"


def _add_words(cells: list[dict[str, Any]], text: str) -> None:
    if text.strip():
        source = text.strip().splitlines(keepends=True)
        cells.append({"cell_type": "markdown", "metadata": {}, "source": source})


def _add_code(cells: list[dict[str, Any]], code: str, printed: str) -> None:
    said = {"name": "stdout", "output_type": "stream", "text": printed.splitlines(keepends=True)}
    cells.append(
        {
            "cell_type": "code",
            "execution_count": 1 + sum(cell["cell_type"] == "code" for cell in cells),
            "metadata": {},
            "outputs": [said] if printed else [],
            "source": code.strip().splitlines(keepends=True),
        }
    )
