"""A real cluster: a master, two workers and their executors are processes of their own.

One test, because starting the cluster is what takes long. Nothing of Consilience is installed on
the workers: they run expressions of Spark's own, and only rows travel to the driver.
"""

from __future__ import annotations

import os
import signal
import threading
import warnings

import numpy as np
import pytest

import consilience as cs
import needed
from consilience import engine, latent
from consilience.core.output_files import interrupts_given_back
from patience import PATIENCE, until
from spark_jobs import SMALL_JOBS

from . import spark_cluster
from .conftest import long_table
from .test_every_engine import assert_same, parquet

pytestmark = needed.needs(needed.has_java(), needed.JAVA)
_ITEMS = 20_000
_MANY = 1_000_000  # ratings of one item


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    needed.package("pyspark")
    with spark_cluster.started(tmp_path_factory.mktemp("cluster")) as one:
        yield one


@pytest.fixture(scope="module")
def session(cluster):
    from pyspark.sql import SparkSession

    if (other := SparkSession.getActiveSession()) is not None:
        other.stop()  # a process has one session: that of other tests, on this machine alone
    SparkSession.builder._options.clear()
    builder = SparkSession.builder.master(cluster.url).appName("tests")
    more = {
        "spark.executor.memory": "512m",
        "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.sql.shuffle.partitions": "4",
        # What a dead executor had made is asked for once more, and then made again.
        "spark.shuffle.io.maxRetries": "1",
        "spark.shuffle.io.retryWait": "100ms",
        "spark.locality.wait": "0",
    }
    for name, value in {**SMALL_JOBS, **more}.items():
        builder = builder.config(name, value)
    with interrupts_given_back():
        made = builder.getOrCreate()
    made.sparkContext.setLogLevel("OFF")
    yield made
    made.stop()
    SparkSession.builder._options.clear()  # the next one is not for this cluster


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    table = long_table(seed=3, n_items=_ITEMS)
    path = parquet(table, tmp_path_factory.mktemp("many"))
    return path, engine.reduce_files(str(path))


def rows_of(ratings, path):
    return engine.save_rows(ratings, path, existing="replace").read_bytes()


def during(work, session, act):
    """Do some work, and act as soon as tasks of it run."""
    done = {}

    def run():
        try:
            done["result"] = work()
        except BaseException as error:
            done["error"] = error

    thread = threading.Thread(target=run)
    thread.start()
    tracker = session.sparkContext.statusTracker()

    def is_running():
        stages = (tracker.getStageInfo(one) for one in tracker.getActiveStageIds())
        return any(one is not None and one.numActiveTasks for one in stages)

    until(lambda: is_running() or not thread.is_alive(), "a task runs")
    act()
    thread.join(2 * PATIENCE)
    assert not thread.is_alive()
    if "error" in done:
        raise done["error"]
    return done["result"]


def test_a_cluster_gives_the_same_numbers_whatever_dies(cluster, session, many, tmp_path):
    warnings.simplefilter("ignore")  # of PySpark's own dependencies
    path, here = many
    wanted = rows_of(here, tmp_path / "here.rows")
    frame = session.read.parquet(str(path))

    # The same rows to the byte, from two executors.
    assert rows_of(engine.reduce(frame), tmp_path / "a.rows") == wanted
    assert len(cluster.executors()) == 2

    # An executor is killed while its tasks run: they are done again elsewhere.
    def kill_an_executor():
        os.kill(next(iter(cluster.executors())), signal.SIGKILL)

    found = during(lambda: engine.reduce(frame), session, kill_an_executor)
    assert rows_of(found, tmp_path / "b.rows") == wanted

    # A whole worker is lost with its executor; the other one does its work.
    until(lambda: len(cluster.executors()) == 2, "there are two executors")

    def lose_a_worker():
        lost = [pid for pid, worker in cluster.executors().items() if worker == 0]
        for pid in (cluster.workers[0].pid, *lost):
            os.kill(pid, signal.SIGKILL)

    found = during(lambda: engine.reduce(frame), session, lose_a_worker)
    assert rows_of(found, tmp_path / "c.rows") == wanted
    assert_same(found, here)

    # Dawid & Skene's model as jobs: the posteriors of memory, and tables of raters only.
    _truth(tmp_path)

    # One item has very many ratings, the others few.
    _skewed(session)


def _skewed(session):
    n = _MANY
    session.conf.set("spark.sql.codegen.wholeStage", "true")  # a million rows are worth compiling
    session.conf.set("spark.sql.codegen.factoryMode", "FALLBACK")
    ids = session.range(n).selectExpr("0 AS item", "id AS rater", "id % 3 AS label")
    few = session.range(3_000).selectExpr(
        "1 + id DIV 3 AS item", "id % 3 AS rater", "(id DIV 7) % 3 AS label"
    )
    found = engine.reduce(ids.union(few), scale="nominal")
    assert (found.n_items, found.n_ratings, found.n_raters) == (1_001, n + 3_000, n)
    counts = np.zeros((1_001, 3))
    counts[0] = np.bincount(np.arange(n) % 3)
    number = np.arange(3_000)
    np.add.at(counts, (1 + number // 3, number // 7 % 3), 1)
    expected = cs.krippendorff_alpha(cs.Ratings.from_counts(counts.astype(int)))
    assert cs.krippendorff_alpha(found).value == pytest.approx(expected.value, abs=1e-12)


def _truth(tmp_path):
    import duckdb

    table = long_table(seed=5, n_items=300, raters="abcdef")
    path = parquet(table, tmp_path)
    memory = latent.dawid_skene(cs.Ratings.from_long(table), max_iterations=2)
    labels = tmp_path / "labels.parquet"
    spark = engine.truth_of_files(
        str(path), engine="spark", max_iterations=2, save_labels=str(labels)
    )
    assert spark.log_likelihood == pytest.approx(memory.log_likelihood, abs=1e-8)
    assert (spark.n_items, spark.n_ratings) == (memory.n_items, memory.n_ratings)
    found = duckdb.sql(f"SELECT item, t0, t1, t2 FROM '{labels}/*.parquet'").fetchall()
    order = [list(memory.categories).index(label) for label in spark.categories]
    place = {item: k for k, item in enumerate(memory.items)}
    for item, *chances in found:
        np.testing.assert_allclose(chances, memory.posterior[place[item], order], atol=1e-9)
