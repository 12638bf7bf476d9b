"""Tables on Spark: expressions and votes run on the cluster, only rows and tables travel."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import sys
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from consilience.core.arrays import Floats
from consilience.core.input_files import check_file, is_address
from consilience.core.output_files import interrupts_given_back
from consilience.engine.backend import Vocabulary
from consilience.exceptions import (
    ConsilienceError,
    InputError,
    MissingDependencyError,
    Option,
    Words,
)

# ---- Tables on Spark: the expressions run on the cluster, only rows travel to the driver.


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


# ---- Ratings on Spark for many passes: every pass is a job, and only tables of raters travel.


class SparkVotes:
    """Ratings of a PySpark dataframe: who gave which label to what.

    Parameters
    ----------
    frame : PySpark dataframe with the columns item, rater and label, cleaned
    vocabulary : Vocabulary
    """

    def __init__(self, frame: Any, vocabulary: Vocabulary) -> None:
        from pyspark.sql import functions

        self._f = functions
        self._session = frame.sparkSession
        self.n_raters = len(vocabulary.raters)
        self.n_labels = len(vocabulary.reading.labels)
        coded = frame
        for role, code_of in (("rater", vocabulary.rater_of), ("label", vocabulary.label_of)):
            kind = frame.schema[role].dataType
            known = self._session.createDataFrame(
                [(cell, int(code)) for cell, code in code_of.items()],
                schema=_schema((role, kind), (f"{role}_code", "int")),
            )
            coded = coded.join(functions.broadcast(known), on=role)
        cell = functions.col("rater_code") * self.n_labels + functions.col("label_code")
        # Ratings of one item stay where they are: sums by item then need no further shuffle.
        self._votes = coded.select("item", cell.alias("cell")).repartition("item").persist()

    def close(self) -> None:
        """Let the cluster forget the ratings."""
        self._votes.unpersist()

    @cached_property
    def sizes(self) -> tuple[int, int]:
        """Number of items and of ratings."""
        f = self._f
        one = self._votes.agg(f.countDistinct("item"), f.count("*")).collect()[0]
        return int(one[0]), int(one[1])

    def started(self) -> tuple[Floats, Floats]:
        """Return expected counts, where the posterior of an item is its vote shares."""
        f = self._f
        label = f.col("cell") % self.n_labels
        shares = [f.avg((label == j).cast("double")).alias(f"t{j}") for j in range(self.n_labels)]
        return self._counted(self._votes.groupBy("item").agg(*shares))

    def passed(self, log_share_j: Floats, log_rate_cj: Floats) -> tuple[Floats, Floats, float]:
        """Return expected counts by (rater · label) and class, class totals, log-likelihood."""
        f = self._f
        beliefs = self._beliefs(log_share_j, log_rate_cj).persist()
        try:
            value = beliefs.agg(f.sum("evidence")).collect()[0][0]
            return (*self._counted(beliefs), float(value))
        finally:
            beliefs.unpersist()

    def _beliefs(self, log_share_j: Floats, log_rate_cj: Floats) -> Any:
        """Return the posterior t0, t1, ... of each item, and the logarithm of its evidence."""
        f = self._f
        names = [f"l{j}" for j in range(log_share_j.size)]
        rates = self._session.createDataFrame(
            [(c, *row) for c, row in enumerate(log_rate_cj.tolist())],
            schema=_schema(("cell", "int"), *((name, "double") for name in names)),
        )
        joint = (
            self._votes.join(f.broadcast(rates), on="cell")
            .groupBy("item")
            .agg(
                *(
                    (f.sum(name) + f.lit(float(log_share_j[j]))).alias(name)
                    for j, name in enumerate(names)
                )
            )
        )
        joint = joint.withColumn("top", f.greatest(*names))  # of two labels at least
        weights = [f.exp(f.col(name) - f.col("top")) for name in names]
        total = sum(weights[1:], weights[0])
        joint = joint.withColumn("total", total)
        beliefs = [(w / f.col("total")).alias(f"t{j}") for j, w in enumerate(weights)]
        return joint.select("item", *beliefs, (f.log("total") + f.col("top")).alias("evidence"))

    def _counted(self, beliefs: Any) -> tuple[Floats, Floats]:
        f = self._f
        names = [one for one in beliefs.columns if one.startswith("t")]
        sums = [f.sum(name) for name in names]
        totals = np.array(beliefs.agg(*sums).collect()[0], dtype=np.float64)
        found = self._votes.join(beliefs, on="item").groupBy("cell").agg(*sums).collect()
        counts = np.zeros((self.n_raters * self.n_labels, len(names)))
        for row in found:
            counts[row[0]] = row[1:]
        return counts, totals

    def write(
        self, path: str, log_share_j: Floats, log_rate_cj: Floats, categories: Sequence[object]
    ) -> None:
        """Write each item with its most probable label and the probability, as Parquet."""
        f = self._f
        beliefs = self._beliefs(log_share_j, log_rate_cj)
        names = [f"t{j}" for j in range(len(categories))]
        best = f.greatest(*names)
        label = f.coalesce(
            *(
                f.when(f.col(name) == best, f.lit(str(categories[j])))
                for j, name in enumerate(names)
            )
        )
        beliefs.select("item", label.alias("label"), best.alias("probability"), *names).write.mode(
            "overwrite"
        ).parquet(path)


def _schema(*columns: tuple[str, Any]) -> Any:
    from pyspark.sql import types

    known = {"int": types.IntegerType(), "double": types.DoubleType()}
    return types.StructType(
        [
            types.StructField(name, known[kind] if isinstance(kind, str) else kind)
            for name, kind in columns
        ]
    )
