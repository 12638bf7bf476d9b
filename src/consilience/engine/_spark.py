"""Reduction on Spark: the same expressions run on the cluster, only rows travel to the driver."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from consilience.engine._dataframes import FrameTable
from consilience.engine._table_reduction import reduced
from consilience.exceptions import InputError, MissingDependencyError
from consilience.ratings import Ratings


def reduce_with_spark(
    paths: list[str],
    *,
    master: str | None,
    item: str,
    rater: str,
    label: str,
    scale: str = "nominal",
    categories: Iterable[object] | None = None,
    missing_values: Collection[object] = (),
) -> Ratings:
    """Reduce files with a Spark session that is there already, or a new one on `master`."""
    session, is_ours = _session(master)
    try:
        frame = _read(session, paths)
        table = FrameTable(
            frame, item=item, rater=rater, label=label, missing_values=missing_values
        )
        return reduced(table, scale=scale, categories=categories)
    except InputError:
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
    builder = SparkSession.builder.appName("consilience").config("spark.ui.enabled", "false")
    try:
        return builder.master(master or "local[*]").getOrCreate(), True
    except Exception as error:
        raise InputError.expected(
            "Spark",
            "able to start (Java 17 or newer)",
            str(error).splitlines()[0][:200],
            "install a Java runtime, and check --master",
        ) from None


def _read(session: Any, paths: list[str]) -> Any:
    suffixes = {Path(path.removesuffix(".gz")).suffix.lower() for path in paths}
    if suffixes <= {".csv", ".tsv", ".txt"}:
        sign = "\t" if suffixes == {".tsv"} else ","
        return session.read.csv(paths, header=True, inferSchema=True, sep=sign)
    if suffixes <= {".jsonl", ".ndjson", ".json"}:
        return session.read.json(paths)
    return session.read.parquet(*paths)


def _told(error: Exception, paths: list[str]) -> InputError:
    first = next((line for line in str(error).splitlines() if line.strip()), "no reason given")
    return InputError(
        f"{paths[0]}: the reduction on Spark must run to its end. Got {first[:300]}. "
        "Hint: check the file and the cluster; nothing was written."
    )
