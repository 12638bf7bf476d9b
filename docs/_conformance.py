"""Write the pages of conformance from the reference records: theirs, ours, and who is right.

``python docs/_conformance.py`` runs the tests of the records once, notes what each of them
compares, and writes ``docs/conformance.md`` and a page for each program. It takes some ten seconds,
so the suite only checks that every record is on its page, with the number that it holds.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
REFERENCES = ROOT / "tests" / "references"
PAGES = DOCS / "conformance"
TITLES = {"definition": "Definitions", "degenerate": "Edge cases", "printed": "Publications"}
Seen = dict[tuple[str, str], float | None]


def files() -> list[Path]:
    """Return the files of records, but for those of our own commands."""
    return [path for path in sorted(REFERENCES.rglob("*.json")) if path.parent.name != "commands"]


def program(path: Path, source: dict[str, str]) -> str:
    """Return whose numbers a file holds."""
    return TITLES.get(path.stem) or re.sub(r"^two independent fits.*", "Two fits", source["tool"])


def number(value: Any) -> str:
    """Write a number with seven digits, so that no machine differs from another."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "undefined" if value is None else str(value)
    return "undefined" if math.isnan(value) else f"{value:.7g}"


def compared() -> Seen:
    """Run the tests of the records and note every number that they compare with ours."""
    import pytest

    sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "src")]
    import golden

    seen: Seen = {}
    check = golden.Record.check

    def noting(self: Any, key: str, got: float | None) -> None:
        seen[self.id, key] = got
        check(self, key, got)

    golden.Record.check = noting  # type: ignore[method-assign]
    tests = sorted(map(str, (ROOT / "tests" / "contract").glob("test_golden*.py")))
    tests = [test for test in tests if not test.endswith("test_golden_json.py")]
    options = ["-q", "-p", "no:randomly", "-p", "no:cacheprovider", "-n", "0", "--no-header"]
    code = pytest.main([*options, "--rootdir", str(ROOT), *tests])
    golden.Record.check = check  # type: ignore[method-assign]
    if code:
        raise SystemExit("a record does not come out: mend that first")
    return seen


def rows_of(entry: dict[str, Any], seen: Seen) -> list[tuple[str, ...]]:
    """Write the rows of one record: a row for each number in it."""
    rows = []
    for key, theirs in entry["expected"].items():
        if isinstance(theirs, list | dict):
            rows.append((entry["id"], key, f"{len(theirs)} numbers", "within tolerance", ""))
            continue
        if isinstance(theirs, str):
            rows.append((entry["id"], key, theirs, "as stated", ""))
            continue
        ours = seen.get((entry["id"], key), "within tolerance")
        rows.append((entry["id"], key, number(theirs), number(ours), verdict(entry, theirs, ours)))
    return rows


def verdict(entry: dict[str, Any], theirs: float | None, ours: Any) -> str:
    """Say who is right where two numbers differ."""
    defect = entry["params"].get("differs")
    if defect:
        return f"ours: see {defect}"
    if isinstance(ours, str) or theirs is None or ours is None:
        return ""
    return "" if number(theirs) == number(ours) else f"{abs(theirs - ours):.0e} apart"


def table(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Write a Markdown table."""
    lines = [heads, ("---",) * len(heads), *rows]
    return (
        "\n".join("| " + " | ".join(cell or "-" for cell in line) + " |" for line in lines) + "\n"
    )


def slug(title: str) -> str:
    """Return a program's name as the name of a file."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def page(title: str, parts: list[tuple[Path, dict[str, Any]]], seen: Seen) -> tuple[str, int, int]:
    """Write the page of one program; return it with its numbers of records and of values."""
    lines, n_records, n_values = [f"# {title}\n"], 0, 0
    for path, content in parts:
        source = content["source"]
        about = [f"`tests/references/{path.relative_to(REFERENCES)}`: {content['why']}"]
        if source["version"]:
            about.append(f"{source['tool']} {source['version']}, {source['license']}.")
        if source["command"]:
            about.append(f"Run as: {source['command']}.")
        rows = [row for entry in content["expect"] for row in rows_of(entry, seen)]
        n_records, n_values = n_records + len(content["expect"]), n_values + len(rows)
        heads = ("record", "number", "theirs", "ours", "who is right")
        lines += [f"## {path.relative_to(REFERENCES).with_suffix('')}\n", " ".join(about) + "\n"]
        lines.append(table(heads, rows))
    return "\n".join(lines), n_records, n_values


def defects() -> str:
    """Return the table of defects from the page of validation, without the column of tests."""
    text = (DOCS / "validation.md").read_text(encoding="utf-8")
    section = text.split("\n## Defects in other programs\n", 1)[1]
    rows = re.findall(
        r"^\| ([\w-]+-\d+) \| (.+?) \| (.+?) \| (.+?) \| .+ \|$", section, re.MULTILINE
    )
    return table(("defect", "program", "what it does", "what is right, and comes out here"), rows)


def write() -> None:
    """Write all pages of conformance."""
    seen = compared()
    groups: dict[str, list[tuple[Path, dict[str, Any]]]] = defaultdict(list)
    for path in files():
        content = json.loads(path.read_text(encoding="utf-8"))
        groups[program(path, content["source"])].append((path, content))
    PAGES.mkdir(exist_ok=True)
    for old in PAGES.glob("*.md"):
        old.unlink()
    rows, totals = [], [0, 0]
    for title, parts in sorted(groups.items()):
        text, n_records, n_values = page(title, parts, seen)
        (PAGES / f"{slug(title)}.md").write_text(text, encoding="utf-8")
        versions = ", ".join(sorted({one["source"]["version"] for _, one in parts} - {""}))
        link = f"[{title}](conformance/{slug(title)}.md)"
        rows.append((link, versions, str(n_records), str(n_values)))
        totals = [totals[0] + n_records, totals[1] + n_values]
    rows.append(("all", "", *map(str, totals)))
    summary = table(("from", "version", "records", "numbers"), rows)
    index = DOCS / "conformance.md"
    text = index.read_text(encoding="utf-8")
    for name, body in (("conformance", summary), ("defects", defects())):
        mark = re.compile(rf"(<!-- written: {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        text = mark.sub(lambda m, body=body: f"{m[1]}{body}{m[2]}", text)
    index.write_text(text, encoding="utf-8")
    print(f"{totals[0]} records, {totals[1]} numbers, {len(seen)} noted while they were compared")


if __name__ == "__main__":
    write()
