"""Judge many cases, in several processes."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from functools import partial
from multiprocessing import get_context
from typing import Any

from tables.habits import Case, draw
from tables.judge import folder, judge, without_half_of_lexicon

KINDS = ("right", "refused", "misread", "crashed")
Row = dict[str, Any]


def judged(wanted: dict[str, Any]) -> Iterator[Row]:
    """Judge the cases in as many processes as wanted, in order."""
    numbers = range(wanted["first"], wanted["first"] + wanted["n"])
    work = partial(judge_number, wanted)
    if wanted["jobs"] < 2:
        yield from _found(map(work, numbers))
        shutil.rmtree(folder(), ignore_errors=True)
        return
    with get_context("forkserver").Pool(wanted["jobs"], initializer=_begin) as pool:
        yield from _found(pool.imap(work, numbers, chunksize=25))


def _begin() -> None:
    """Clean up behind a process when it ends."""
    from multiprocessing import util

    util.Finalize(None, shutil.rmtree, args=(folder(), True), exitpriority=1)


def _found(rows: Iterable[Row | None]) -> Iterator[Row]:
    yield from (row for row in rows if row is not None)


def judge_number(wanted: dict[str, Any], number: int) -> Row | None:
    """Judge one case; only what did not go right is kept whole."""
    case = draw(wanted["habit"], wanted["half"], wanted["seed"], number)
    if wanted["layout"] and case.layout != wanted["layout"]:
        return None
    halved = wanted["lexicon"] == "half"
    with without_half_of_lexicon(number) if halved else nullcontext():
        verdict = judge(case, wanted["route"])
        row: Row = {
            "number": number, "layout": case.layout, "small": case.small,
            "ambiguous": case.ambiguous, "verdict": verdict.kind,
        }  # fmt: skip
        if verdict.kind == "refused" and wanted["follow"]:
            from tables.follow import follow

            row["helped"] = follow(verdict.detail, case)
    if verdict.kind != "right":
        row |= {"name": case.name, "detail": verdict.detail} | _whole(case)
    return row


def _whole(case: Case) -> Row:
    """The case as plain values, for study."""
    return {
        "features": case.features,
        "cells": case.cells,
        "naming": case.truth.naming,
        "truth": {
            name: {"raters": study.raters, "rows": study.rows}
            for name, study in case.truth.variables
        },
    }
