"""Sessions of Spark: whose they are, how files are read, and what is said; no Java is started."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

import consilience as cs
from consilience.engine import spark
from consilience.engine.spark import SparkVotes
from consilience.exceptions import InputError, MissingDependencyError


class Session:
    """Remembers what it was asked for."""

    def __init__(self):
        self.stopped = 0
        self.asked = []

    def stop(self):
        self.stopped += 1

    @property
    def read(self):
        return self

    def csv(self, paths, **options):
        self.asked.append(("csv", paths, options))
        return "rows"

    def json(self, paths):
        self.asked.append(("json", paths))
        return "rows"

    def parquet(self, *paths):
        self.asked.append(("parquet", list(paths)))
        return "rows"


class Builder:
    """Makes a session, or cannot."""

    def __init__(self, made):
        self.made, self.asked = made, {}

    def appName(self, name):
        return self

    def config(self, name, value):
        return self

    def master(self, url):
        self.asked["master"] = url
        return self

    def getOrCreate(self):
        if isinstance(self.made, Exception):
            raise self.made
        return self.made


def pyspark(monkeypatch, active, made=None):
    builder = Builder(made)
    home = SimpleNamespace(getActiveSession=lambda: active, builder=builder)
    monkeypatch.setitem(sys.modules, "pyspark", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "pyspark.sql", SimpleNamespace(SparkSession=home))
    return builder


@pytest.fixture
def path(tmp_path):
    one = tmp_path / "long.csv"
    one.write_text("item,rater,label\n1,a,x\n")
    return str(one)


def test_a_session_that_was_there_stays_and_one_of_ours_is_stopped(path, monkeypatch):
    theirs, ours = Session(), Session()
    pyspark(monkeypatch, active=theirs, made=ours)
    with spark.on_spark([path], None) as frame:
        assert frame == "rows"
    assert (theirs.stopped, ours.stopped) == (0, 0)
    assert len(theirs.asked) == 1
    pyspark(monkeypatch, active=None, made=ours)
    with spark.on_spark([path], None):
        assert ours.stopped == 0  # only afterwards
    assert ours.stopped == 1


@pytest.mark.parametrize(
    "what", [RuntimeError("\n\nout of memory\nat line 7"), InputError("as is")]
)
def test_a_session_of_ours_is_stopped_whatever_happens(what, path, monkeypatch):
    ours = Session()
    pyspark(monkeypatch, active=None, made=ours)
    with pytest.raises(cs.ConsilienceError) as caught, spark.on_spark([path], None):
        raise what
    assert ours.stopped == 1
    said = str(caught.value)
    if isinstance(what, InputError):
        assert said == "as is"
    else:
        assert "Got out of memory. Hint: check the file and the cluster" in said
        assert said.startswith(path)


@pytest.mark.parametrize(("master", "url"), [(None, "local[*]"), ("spark://h:7077",) * 2])
def test_a_new_session_is_on_this_machine_unless_told(master, url, monkeypatch):
    made = Session()
    builder = pyspark(monkeypatch, active=None, made=made)
    assert spark._session(master) == (made, True)
    assert builder.asked == {"master": url}


def test_without_java_or_pyspark_it_is_said_what_to_install(monkeypatch):
    pyspark(monkeypatch, active=None, made=RuntimeError("Java gateway exited\nmore"))
    with pytest.raises(InputError, match=r"Java 17.* Got '?Java gateway exited'?\. Hint: install"):
        spark._session(None)
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(MissingDependencyError, match="consilience\\[spark\\]"):
        spark._session(None)


@pytest.mark.parametrize(
    ("names", "how", "sign"),
    [
        (["a.csv"], "csv", ","),
        (["a.CSV", "b.csv.gz"], "csv", ","),
        (["a.tsv"], "csv", "\t"),
        (["a.tsv.gz", "b.TSV"], "csv", "\t"),
        (["a.txt"], "csv", ","),
        (["a.jsonl", "b.ndjson", "c.json.gz"], "json", None),
        (["a.parquet"], "parquet", None),
        (["folder", "other"], "parquet", None),
    ],
)
def test_files_are_read_as_their_names_say(names, how, sign):
    session = Session()
    assert spark._read(session, names) == "rows"
    ((kind, paths, *options),) = session.asked
    assert (kind, paths) == (how, names)
    if sign is not None:
        # The first line names the columns, and a quote within quotes is written twice.
        assert options == [{"header": True, "sep": sign, "quote": '"', "escape": '"'}]


def test_the_cluster_forgets_ratings_that_are_done_with():
    votes = SparkVotes.__new__(SparkVotes)
    gone = []
    votes._votes = SimpleNamespace(unpersist=lambda: gone.append(True))
    votes.close()
    assert gone == [True]
