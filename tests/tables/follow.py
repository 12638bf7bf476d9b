"""Whether a refusal helps: its commands are pasted as they are printed."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
import warnings
from collections.abc import Iterator
from typing import Any

import consilience as cs
from tables.frames import frame_of
from tables.habits import Case
from tables.judge import difference, folder, same
from tables.studies import counted, nominal_alpha
from tables.written import write

COMMAND = re.compile(r"consilience (?:measure|report|raters) .*$", re.MULTILINE)
CALL = re.compile(r"cs\.(?:read|load)\(")


def follow(error_text: str, case: Case) -> bool:
    """Tell whether one of the commands or calls that a refusal prints gives the right result."""
    return any(_commands_help(error_text, case)) or any(_calls_help(error_text, case))


# ------------------------------------------------------------------------------ commands


def commands(text: str) -> list[list[str]]:
    """The commands in a text, split as a shell would, without the program's name."""
    found = []
    for match in COMMAND.finditer(text):
        with contextlib.suppress(ValueError):  # an unclosed quotation mark cannot be pasted
            found.append(shlex.split(match.group().strip().rstrip("`"))[1:])
    return found


def _commands_help(text: str, case: Case) -> Iterator[bool]:
    found = commands(text)
    if not found:
        return
    path = write(case, folder())
    try:
        for arguments in found:
            said, refusal = _run(arguments)
            yield _is_right(said, case)
            for again in commands(refusal):  # after the first line, the layout may be asked for
                yield _is_right(_run(again)[0], case)
    finally:
        path.unlink()


def _run(arguments: list[str]) -> tuple[dict[str, Any], str]:
    """Run one command in this process; return what it computes, or how it refuses."""
    from consilience.cli.program import run

    wanted = [one for one in arguments if one != "--json"]
    if "--coefficient" not in wanted:
        wanted += ["--coefficient", "krippendorff_alpha", "--distance", "nominal"]
    out, error = io.StringIO(), io.StringIO()
    with (
        warnings.catch_warnings(),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(error),
    ):
        warnings.simplefilter("ignore")
        code = run([*wanted, "--json"])
    if code not in (0, 1):
        return {}, error.getvalue()
    try:
        return dict(json.loads(out.getvalue())), ""
    except ValueError:
        return {}, ""


def _is_right(said: dict[str, Any], case: Case) -> bool:
    """Compare counts and alpha of each variable with the truth."""
    found = sorted(map(_figures, said.get("groups") or [said] if said else []))
    expected = sorted(
        (
            sum(cell is not None for row in study.rows for cell in row),
            {len(study.rated), len(study.rows)},  # items that nobody rated may be named
            nominal_alpha(counted(study.rows)),
        )
        for _, study in case.truth.variables
    )
    return len(found) == len(expected) and all(
        a[0] == b[0] and a[1] in b[1] and same(a[2], b[2])
        for a, b in zip(found, expected, strict=True)
    )


def _figures(said: dict[str, Any]) -> tuple[int, int, float]:
    """Ratings, items and alpha of one result."""
    values = [e["value"] for e in said.get("estimates", ())]
    alpha = values[0] if values and values[0] is not None else float("nan")
    return said["data"]["ratings"], said["data"]["items"], alpha


# ------------------------------------------------------------------------------ calls


def calls(text: str) -> list[str]:
    """The calls of `cs.read` in a text, up to the bracket that closes them."""
    found = []
    for match in CALL.finditer(text):
        depth, quote = 0, ""
        for place in range(match.end() - 1, len(text)):
            sign = text[place]
            if quote:
                quote = "" if sign == quote and text[place - 1] != "\\" else quote
            elif sign in "'\"":
                quote = sign
            else:
                depth += (sign in "([{") - (sign in ")]}")
            if depth == 0:
                found.append(text[match.start() : place + 1])
                break
    return found


def _calls_help(text: str, case: Case) -> Iterator[bool]:
    found = calls(text)
    if not found:
        return
    frame = frame_of(case)[0]
    for call in found:
        names = {"cs": cs, "frame": frame, "df": frame, "path": None}
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            try:
                result = eval(call, {"__builtins__": {}}, names)  # our own text, with no builtins
            except Exception:  # a call that fails does not help
                yield False
                continue
            groups = result.groups if hasattr(result, "groups") else {None: result}
            yield not difference(groups, case.truth)
