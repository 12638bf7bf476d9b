"""Tables on Spark: the expressions run on the cluster, only rows travel to the driver."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from consilience.core.input_files import check_file, is_address
from consilience.core.interrupts import interrupts_given_back
from consilience.exceptions import (
    ConsilienceError,
    InputError,
    MissingDependencyError,
    Option,
    Words,
)


@contextlib.contextmanager
def on_spark(paths: list[str], master: str | None) -> Iterator[Any]:
    """Yield the files as a dataframe of a Spark session: the one there is, or a new one."""
    literal = [_checked(path) for path in paths]  # before anything is started
    with interrupts_given_back():
        session, is_ours = _session(master)
        try:
            yield _read(session, literal)
        except ConsilienceError:
            raise
        except Exception as error:  # whatever the cluster says, the user gets a sentence
            raise _told(error, paths) from None
        finally:
            if is_ours:
                with contextlib.suppress(Exception):  # a session that died cannot be stopped
                    session.stop()


def _session(master: str | None) -> tuple[Any, bool]:
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise MissingDependencyError.for_extra("Spark", "pyspark", "spark") from None
    active = SparkSession.getActiveSession()
    if active is not None:
        return active, False
    logging.getLogger("py4j").setLevel(logging.CRITICAL)  # what happened is said in one sentence
    if (master or "local").startswith("local"):  # not another Python that is on the path
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("consilience").config("spark.ui.enabled", "false")
    try:
        return builder.master(master or "local[*]").getOrCreate(), True
    except Exception as error:
        raise InputError.expected(
            "Spark",
            "able to start (Java 17 or newer)",
            str(error).splitlines()[0][:200],
            Words("install a Java runtime, and check ", Option("master")),
        ) from None


_CLUSTER = ("hdfs", "s3a", "abfs", "abfss", "gs", "dbfs", "viewfs", "maprfs", "file")
_PATTERN = re.compile(r"[][*?{}\\]")


def _checked(path: str) -> str:
    """Return a path as Spark takes it literally; a pattern only where no file is called so.

    What lies on the cluster is the cluster's; an address of anything else is refused.
    """
    if os.path.lexists(path):
        check_file(path, folders="allow")
        return _PATTERN.sub(lambda sign: "\\" + sign[0], path)
    if is_address(path) and path.partition(":")[0].lower() not in _CLUSTER:
        check_file(path)  # says what is wrong with it
    return path


def _read(session: Any, paths: list[str]) -> Any:
    """Read files; the cells of text files stay text, as everywhere."""
    suffixes = {Path(path.removesuffix(".gz")).suffix.lower() for path in paths}
    if suffixes <= {".csv", ".tsv", ".txt"}:
        sign = "\t" if suffixes == {".tsv"} else ","
        return session.read.csv(paths, header=True, sep=sign, quote='"', escape='"')
    if suffixes <= {".jsonl", ".ndjson", ".json"}:
        return session.read.json(paths)
    return session.read.parquet(*paths)


def _told(error: Exception, paths: list[str]) -> InputError:
    first = next((line for line in str(error).splitlines() if line.strip()), "no reason given")
    return InputError(
        f"{paths[0]}: the reduction on Spark must run to its end. Got {first[:300]}. "
        "Hint: check the file and the cluster; nothing was written."
    )
