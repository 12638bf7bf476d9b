"""Thousands of collected tests are left alone when garbage is looked for, and let go at the end.

What is frozen when Python ends is never freed, and libraries complain about each object of theirs
that stays: the database names some forty in each worker.
"""

from __future__ import annotations

import atexit
import functools
import gc


def pytest_collection_finish() -> None:
    """Freeze what there is: looking for garbage takes a tenth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    atexit.register(let_go)  # however the run ends


def let_go() -> None:
    """Let all be freed, and empty the caches, which hold types of the database to the very end."""
    gc.unfreeze()
    for one in gc.get_objects():
        if isinstance(one, functools._lru_cache_wrapper):
            one.cache_clear()
    gc.collect()
