"""How big the house is: code lines and files by package, public names, imports, five walks.

    python -m benchmarks.house

Code lines are lines with code on them: no docstrings, comments or blanks. A public name is one
that an ``__all__`` of the package lists. A walk is what runs, in how many functions and files of
ours, between a person's call and the answer.
"""

from __future__ import annotations

import ast
import importlib
import io
import pkgutil
import sys
import tempfile
import tokenize
import warnings
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).resolve().parents[1] / "src" / "consilience"
BLANK = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
    tokenize.ENDMARKER, tokenize.ENCODING,
}  # fmt: skip


def code_lines(text: str) -> int:
    """Count the lines with code on them."""
    told: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        body = getattr(node, "body", None)
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        first = body[0] if body else None
        text_of = getattr(getattr(first, "value", None), "value", None)
        if isinstance(first, ast.Expr) and isinstance(text_of, str):
            told.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in BLANK:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - told)


def packages() -> dict[str, tuple[int, int]]:
    """Return files and code lines of each package."""
    found: dict[str, tuple[int, int]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        inside = path.relative_to(SOURCE)
        name = inside.parts[0] if len(inside.parts) > 1 else "(top)"
        files, lines = found.get(name, (0, 0))
        found[name] = files + 1, lines + code_lines(path.read_text(encoding="utf-8"))
    return found


def public_names() -> dict[str, list[str]]:
    """Return the names that each module's `__all__` lists."""
    import consilience

    found = {}
    for module in pkgutil.walk_packages(consilience.__path__, "consilience."):
        if any(part.startswith("_") for part in module.name.split(".")):
            continue
        loaded = importlib.import_module(module.name)
        if module.ispkg and getattr(loaded, "__all__", None):
            found[module.name] = sorted(loaded.__all__)
    found["consilience"] = sorted(consilience.__all__)
    return found


def imports() -> dict[str, set[str]]:
    """Return which modules of ours each module imports when it is loaded."""
    modules = {}
    for path in SOURCE.rglob("*.py"):
        parts = path.relative_to(SOURCE.parent).with_suffix("").parts
        modules[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    found: dict[str, set[str]] = defaultdict(set)
    for name, path in modules.items():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("consilience"):
                for alias in node.names:
                    whole = f"{node.module}.{alias.name}"
                    found[name].add(whole if whole in modules else node.module or "")
    return found


def longest_chain() -> list[str]:
    """Return the longest chain of modules in which each imports the next."""
    edges = imports()

    @cache
    def chain(name: str) -> tuple[str, ...]:
        ahead = (chain(other) for other in sorted(edges.get(name, ())) if other != name)
        return (name, *max(ahead, key=len, default=()))

    sys.setrecursionlimit(10_000)
    return list(max((chain(name) for name in list(edges)), key=len))


def walked(work: Callable[[Any], Any], start: Callable[[], Any]) -> tuple[int, int, int]:
    """Return how many functions and files of ours run, and how many calls they are."""
    seen: set[tuple[str, str, int]] = set()
    calls = 0

    def look(frame: Any, event: str, _: Any) -> None:
        nonlocal calls
        if event == "call" and frame.f_code.co_filename.startswith(str(SOURCE)):
            code = frame.f_code
            calls += 1
            seen.add((code.co_filename, code.co_qualname, code.co_firstlineno))

    work(start())  # modules are loaded and tables made: what follows is the walk itself
    fresh = start()  # with nothing remembered from before
    sys.setprofile(look)
    try:
        work(fresh)
    finally:
        sys.setprofile(None)
    own = {one for one in seen if one[1] != "<module>"}
    return len(own), len({one[0] for one in own}), calls


def walks() -> dict[str, tuple[int, int, int]]:
    """Return the five walks."""
    import consilience as cs

    folder = Path(tempfile.mkdtemp())
    table = folder / "ratings.csv"
    table.write_text("item,ann,bob\n1,a,a\n2,a,b\n3,b,b\n4,b,b\n5,a,a\n6,b,a\n", encoding="utf-8")
    events = folder / "events.csv"
    events.write_text(
        "rater,start,end,label\nann,0,900,nod\nann,1200,1500,wave\nbob,40,880,nod\n"
        "bob,1210,1490,wave\n", encoding="utf-8",
    )  # fmt: skip

    def marks() -> Any:
        rows = [[1, 1, 1, 2], [2, 2, 1, 2], [3, 3, 3, 3], [1, 2, 1, 1], [3, 3, 2, 3], [2, 2, 2, 1]]
        return cs.Ratings.from_wide(rows * 4, raters=["ann", "bob", "eve", "gpt"])

    def read() -> Any:
        return cs.read(table)

    return {
        "a six-row CSV to Ratings": walked(cs.read, lambda: table),
        "an event file to Units": walked(
            lambda f: cs.read_units(f, time_unit="ms"), lambda: events
        ),
        "alpha with its interval": walked(
            lambda ratings: cs.krippendorff_alpha(ratings).confidence_interval(), read
        ),
        "mcnemar": walked(cs.mcnemar, read),
        "panel.compare": walked(
            lambda ratings: cs.panel.compare(ratings, systems=["gpt"], n_resamples=99, rng=0), marks
        ),
    }


def main() -> None:
    """Print all of it."""
    warnings.simplefilter("ignore")
    total = [0, 0]
    for name, (files, lines) in packages().items():
        print(f"{name:14} {files:4} files {lines:7,} code lines")
        total = [total[0] + files, total[1] + lines]
    print(f"{'all':14} {total[0]:4} files {total[1]:7,} code lines\n")
    names = public_names()
    print(f"{len({n for one in names.values() for n in one})} public names in {len(names)} places")
    chain = longest_chain()
    print(f"longest chain of imports: {len(chain)}\n")
    for name, (functions, files, calls) in walks().items():
        print(f"{name:26} {functions:4} functions {files:3} files {calls:6} calls")


if __name__ == "__main__":
    main()
