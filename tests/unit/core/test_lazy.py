"""Public names are listed once, in each folder, and imported when they are asked for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

import consilience as cs

FOLDER = '''"""A folder."""

from typing import TYPE_CHECKING

from consilience.core.lazy import callable_folder, public_names

if TYPE_CHECKING:
    from typing import Any

    from borrowed._files import tall as tall, wide as wide
    from borrowed.narrow import narrow as narrow
    from borrowed._files import (
        deep as deep,
    )

MOVED = {"long": "wide(...) does that"}
public_names(__name__)
callable_folder(__name__, "wide")
'''
FILES = '''"""Where the names are at home."""
def wide(x=1): return x
tall, deep = 2, 3
'''


@pytest.fixture
def borrowed(tmp_path: Path) -> Path:
    with ZipFile(tmp_path / "borrowed.zip", "w") as archive:
        archive.writestr("borrowed/__init__.py", FOLDER)
        archive.writestr("borrowed/_files.py", FILES)
        archive.writestr("borrowed/narrow.py", "narrow = 4\n")
    return tmp_path / "borrowed.zip"


def said(archive: Path, code: str) -> str:
    program = f"import sys\nsys.path.insert(0, {str(archive)!r})\nimport borrowed\n{code}"
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.strip()


def test_names_are_found_in_the_source_also_inside_a_zip(borrowed: Path) -> None:
    assert said(borrowed, "print(*borrowed.__all__, borrowed.tall, borrowed.deep)") == (
        "deep narrow tall wide 2 3"
    )
    assert said(borrowed, "print('borrowed._files' in sys.modules)") == "False"
    assert said(borrowed, "from borrowed import *; print(wide(5))") == "5"


def test_a_file_may_bear_the_name_of_what_it_defines(borrowed: Path) -> None:
    assert said(borrowed, "import borrowed.narrow; print(borrowed.narrow)") == "4"


def test_a_folder_can_be_called(borrowed: Path) -> None:
    assert said(borrowed, "print(borrowed(x=7))") == "7"
    assert said(borrowed, "import inspect; print(inspect.signature(borrowed))") == "(x=1)"


def test_a_name_that_has_gone_says_where_to(borrowed: Path) -> None:
    program = "try: borrowed.long\nexcept AttributeError as error: print(error)"
    assert said(borrowed, program) == (
        "module 'borrowed' has no attribute 'long'. Hint: wide(...) does that"
    )


def test_a_word_of_the_literature_says_where_it_is_found() -> None:
    with pytest.raises(AttributeError, match=r"Hint: the table of two raters' labels: Ratings"):
        cs.contingency  # noqa: B018
