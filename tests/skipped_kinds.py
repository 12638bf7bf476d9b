"""At the end of a run: which kinds of tests were not run, and the command that mends it."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from needed import BROWSER, DATA, FIREFOX, JAVA, KINDS, PACKAGE, PROGRAM

INSTALLED = {BROWSER, FIREFOX, JAVA, PACKAGE, PROGRAM}
OTHER = "something else"
_MOST_NAMED = 5


def kind_of(said: str) -> tuple[str, str]:
    """Return the kind of a reason, and what exactly is missing."""
    said = said.removeprefix("Skipped: ")
    for kind in KINDS:
        if found := re.fullmatch(rf"needs {re.escape(kind)}(?:: (.*))?", said, re.DOTALL):
            return kind, found[1] or ""
    return OTHER, said


def summary(reasons: list[tuple[str, bool]]) -> list[str]:
    """Return the lines for these reasons; with each, whether a whole file was left out for it."""
    tests: Counter[str] = Counter()
    files: Counter[str] = Counter()
    missing: dict[str, dict[str, None]] = {}
    for said, is_file in reasons:
        kind, what = kind_of(said)
        (files if is_file else tests)[kind] += 1
        missing.setdefault(kind, {}).update({what: None} if what else {})
    lines = []
    for kind in (*KINDS, OTHER):
        if kind in missing:
            counts = [_counted(tests[kind], "test"), _counted(files[kind], "whole file")]
            count = " and ".join(one for one in counts if one)
            verb = "needs" if tests[kind] + files[kind] == 1 else "need"
            lines.append(f"{count} {verb} {kind}{_named(missing[kind])}")
    if INSTALLED & missing.keys():
        lines.append("To install what is missing: make test-tools")
    if DATA in missing:
        lines.append("The reference data belong to others: they are read from ../shared alone.")
    return lines


def _counted(n: int, noun: str) -> str:
    return f"{n} {noun}{'s' * (n > 1)}" if n else ""


def _named(what: dict[str, None]) -> str:
    """Name what is missing, where it has names; not all of them where they are many."""
    names = sorted(what)
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return f": {', '.join(names[:_MOST_NAMED])}{more}" if names else ""


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Tell it, whether tests ran here or in workers."""
    reasons = [
        (str(report.longrepr[2]), report.when == "collect")
        for report in terminalreporter.stats.get("skipped", ())
    ]
    if reasons:
        terminalreporter.ensure_newline()
        terminalreporter.section("not run")
        for line in summary(reasons):
            terminalreporter.write_line(line)
