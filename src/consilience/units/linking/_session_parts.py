"""Link sessions apart from each other, in processes of their own: links stay within a session."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from consilience.core.arrays import Ints
from consilience.units.linking._overlap_linking import Links, exact_times, link
from consilience.units.model._ordered_units import Blocks
from consilience.units.model.unit_checks import check_time

_PARTS_EACH = 4  # for every process, so that none waits long for the last one


def link_in_processes(
    blocks: Blocks,
    *,
    threshold: Fraction,
    rule: str,
    point_tolerance: float | None,
    processes: int = 1,
) -> Links:
    """Link units of the two raters of the blocks, some sessions in each process."""
    has_points = bool((blocks.start == blocks.end).any())
    refused = has_points and point_tolerance is None
    if processes == 1 or blocks.n_blocks < 2 or refused:
        return link(blocks, threshold=threshold, rule=rule, point_tolerance=point_tolerance)
    # Times are made exact once for all: a part alone could have fewer decimals.
    start, end, factor = exact_times(blocks.start, blocks.end)
    tolerance = None
    if point_tolerance is not None:
        tolerance = check_time(point_tolerance, "point_tolerance", zero="allowed") * factor
    exact = replace(blocks, start=start, end=end)
    parts = list(_parts(exact, processes * _PARTS_EACH))
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(min(processes, len(parts)), get_context("spawn")) as pool:
        waiting = [
            pool.submit(link, part, threshold=threshold, rule=rule, point_tolerance=tolerance)
            for part in parts
        ]
        found = [one.result() for one in waiting]
    return _merged(found, [len(part.start) for part in parts])


def _parts(blocks: Blocks, n_parts: int) -> Iterator[Blocks]:
    """Yield blocks of some sessions, about as many units in each part."""
    sizes = np.diff(blocks.offsets[:, [0, -1]], axis=1).ravel()
    before = np.cumsum(sizes) - sizes
    n_sessions = int(blocks.session.max()) + 1
    first = np.zeros(n_sessions, dtype=np.int64)
    first[blocks.session[::-1]] = before[::-1]  # the first block of each session decides
    part_of: Ints = first * n_parts // max(int(sizes.sum()), 1)
    for number in np.unique(part_of[blocks.session]):
        yield blocks.only(part_of == number)


def _merged(found: list[Links], sizes: list[int]) -> Links:
    """Put the links of parts together, in the order of all units: point events come last."""
    offsets = np.cumsum([0, *sizes[:-1]])
    first, second = (
        np.concatenate([getattr(one, name) + k for one, k in zip(found, offsets, strict=True)])
        for name in ("first", "second")
    )
    overlap, longest, share = (
        np.concatenate([getattr(one, name) for one in found])
        for name in ("overlap", "longest", "share")
    )
    order = np.argsort(longest == 0, kind="stable")
    ambiguous = sum(one.ambiguous for one in found)
    return Links(
        first[order], second[order], overlap[order], longest[order], share[order], ambiguous
    )
