"""How big the house is: code lines and files by package, public names, imports, five walks.

    python -m benchmarks.house             # all of it
    python -m benchmarks.house --table     # by capability, beside two peers: docs/architecture.md

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

# What somebody comes for, the packages that do it, and two peers that do part of it or something
# like it: their code lines without tests, counted by `code_lines` from the wheel of that version.
CAPABILITIES = {
    "labels: coefficients, errors, tests": (
        ("ratings", "distances", "rows", "inference", "coefficients", "diagnosis", "findings"),
        ("irrCAC 0.4.4, whole", 1_045),
        ("statsmodels 0.15 stats", 15_450),
    ),
    "marks": (
        ("magnitudes",),
        ("pingouin 0.7, whole", 3_907),
        ("scikit-learn 1.9 metrics", 6_754),
    ),
    "events, spans, segments": (
        ("units",),
        ("pygamma-agreement 0.5.9", 1_926),
        ("segeval 2.0.11", 3_193),
    ),
    "who is right, what to adjudicate": (
        ("latent",),
        ("crowd-kit 1.4.2 aggregation", 2_780),
        ("crowd-kit 1.4.2, whole", 3_532),
    ),
    "systems and LLM judges": (
        ("panel", "judges"),
        ("NLTK 3.10 metrics", 2_942),
        ("arviz-stats 0.8", 9_077),
    ),
    "plans and simulation": (
        ("plan", "simulate"),
        ("statsmodels 0.15 power", 534),
        ("statsmodels 0.15 power, proportion", 1_706),
    ),
    "files, frames, engines": (
        ("io", "engine", "datasets"),
        ("frictionless 5.21", 19_266),
        ("sqlite-utils 4.2.1", 8_588),
    ),
    "reports and figures": (
        ("report", "plot", "document"),
        ("ydata-profiling 4.18.4", 11_275),
        ("arviz-plots 0.8", 13_013),
    ),
    "command line": (
        ("cli",),
        ("sqlite-utils 4.2.1 cli.py", 3_093),
        ("rich-click 1.9.9", 5_278),
    ),
    "workbench": (("web",), ("datasette 0.65.5", 18_217)),
    "what all of them share": (("core", "testing", "(top)"),),
}
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


def capability_table() -> str:
    """Write code lines by capability beside those of two peers, in Markdown."""
    lines = {name: n for name, (_, n) in packages().items()}
    rows = ["| what | packages | code lines | peers |", "| --- | --- | --: | --- |"]
    for what, (names, *peers) in CAPABILITIES.items():
        shown = ", ".join(f"`{name}`" for name in names if name.isidentifier())
        n = sum(lines[name] for name in names)
        beside = "; ".join(f"{peer}: {size:,}" for peer, size in peers) or "-"
        rows.append(f"| {what} | {shown} | {n:,} | {beside} |")
    rows.append(f"| all | | {sum(lines.values()):,} | |")
    return "\n".join(rows) + "\n"


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
    if "--table" in sys.argv[1:]:
        print(capability_table(), end="")
        return
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
