"""Measure one call in a process of its own: ``python -m benchmarks._worker ours six 1000000 5``.

Prints one line of JSON. Imports numpy and what the call itself imports, nothing else.
"""

from __future__ import annotations

import ctypes
import gc
import json
import resource
import statistics
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from benchmarks._call import Call

_MOST_REPEATS = 25
_WARM_UP_ITEMS = 200


def main(module: str, name: str, size: int, seconds: float) -> None:
    """Run the call, then print its times, its memory and the values that it found."""
    call = import_module(f"benchmarks._{module}").CALLS[name]
    call.run(call.prepare(_WARM_UP_ITEMS))  # imports and first-use costs are not what is compared
    given = call.prepare(size)
    values, extra = _peak_memory(call.run, given)
    times, baseline = _times(call, given, seconds)
    if call.check is not None:
        values = {**values, **call.check(given)}
    record = {
        "best": min(times),
        "median": statistics.median(times),
        "extra_bytes": extra,
        "input_bytes": _size_of(given),
        "baseline": min(baseline, default=None),
        "values": {key: float(value) for key, value in values.items()},
    }
    print(json.dumps(record))


def _times(call: Call, given: Any, seconds: float) -> tuple[list[float], list[float]]:
    """Time the call and its baseline in turn, so that a busy machine disturbs them alike."""
    times: list[float] = []
    baseline: list[float] = []
    while len(times) < _MOST_REPEATS and sum(times) < seconds:
        times.append(_time(call.run, given))
        if call.baseline is not None:
            baseline.append(_time(call.baseline, given))
    return times, baseline


def _time(run: Callable[[Any], object], given: Any) -> float:
    """Return the wall time without the waits for a processor that others were using.

    On an idle machine the two are the same for one thread, and the wall time is less for several.
    Long calls seldom get through undisturbed, so wall time alone would favour the faster program.
    """
    wall, processor = perf_counter(), process_time()
    run(given)
    return min(perf_counter() - wall, process_time() - processor)


def _peak_memory(run: Callable[[Any], Any], given: Any) -> tuple[Any, int]:
    """Return the result and by how much the process grew at most while making it."""
    gc.collect()
    if sys.platform != "linux":
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        result = run(given)
        return result, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    ctypes.CDLL(None).malloc_trim(0)  # give back what making the input left behind
    Path("/proc/self/clear_refs").write_text("5")  # sets the high-water mark to the present size
    before = _status("VmRSS")
    result = run(given)
    return result, max(_status("VmHWM") - before, 0)


def _status(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"/proc/self/status has no {field}")


def _size_of(given: Any) -> int:
    if isinstance(given, dict):
        given = list(given.values())
    if isinstance(given, list):
        return sum(int(getattr(part, "nbytes", 0)) for part in given)
    return int(getattr(given, "nbytes", 0))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))
