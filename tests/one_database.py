"""One database for many sessions, each with tables of its own: opening one takes long.

Tests of how a database is opened, limited, interrupted or broken open their own (see conftest.py).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import cache
from typing import Any
from unittest import mock

from consilience.core.database import Session, open_database


@cache
def _database() -> Any:
    return open_database(threads="1")  # tables of tests are small


def _connected(session: Session, memory_limit: str | None) -> Any:
    if memory_limit is not None:
        return _connect(session, memory_limit)
    return _database().cursor()


_connect = Session._connect


@contextlib.contextmanager
def one_database() -> Iterator[None]:
    """Let sessions without a limit of memory share a database."""
    with mock.patch.object(Session, "_connect", _connected):
        yield
