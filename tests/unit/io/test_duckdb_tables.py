"""Tables of DuckDB databases: one is read, as it is now; views and other files never."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

import consilience as cs
from consilience.exceptions import InputError
from consilience.io import load

ROWS = [(f"i{k // 2}", "ab"[k % 2], "yn"[k % 3 == 0]) for k in range(40)]


def database(path: Path, *more: str, table: str = "codes") -> Path:
    with duckdb.connect(str(path)) as opened:
        opened.execute(f'CREATE TABLE "{table}" (item TEXT, rater TEXT, label TEXT)')
        opened.executemany(f'INSERT INTO "{table}" VALUES (?, ?, ?)', ROWS)
        for statement in more:
            opened.execute(statement)
    return path


def test_the_only_table_is_read_and_equals_the_same_as_text(tmp_path: Path) -> None:
    path = database(tmp_path / "study.duckdb")
    text = tmp_path / "codes.csv"
    text.write_text("item,rater,label\n" + "\n".join(map(",".join, ROWS)) + "\n")
    before = path.read_bytes()
    found = load(path)
    assert found.reading.format == "duckdb"
    assert "table 'codes'" in found.reading.evidence
    assert cs.krippendorff_alpha(found.ratings).value == cs.krippendorff_alpha(cs.read(text)).value
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir() if "wal" in one.name] == []


def test_one_of_several_is_named_as_a_sheet(tmp_path: Path) -> None:
    path = database(
        tmp_path / "study.ddb", "CREATE TABLE notes (x INTEGER)", "CREATE SCHEMA old",
        "CREATE TABLE old.codes AS FROM codes LIMIT 20",
    )  # fmt: skip
    with pytest.raises(InputError, match=r'the table must be named.*sheet="codes", "notes" or'):
        cs.read(path)
    assert cs.read(path, sheet="codes").n_ratings == 40
    assert cs.read(path, sheet="old.codes").n_ratings == 20
    with pytest.raises(InputError, match="sheet must be one of"):
        cs.read(path, sheet="code")


def test_what_is_not_written_through_yet_counts(tmp_path: Path) -> None:
    path = database(tmp_path / "study.duckdb")
    with duckdb.connect(str(path)) as writing:
        writing.execute("INSERT INTO codes VALUES ('new', 'a', 'y'), ('new', 'b', 'y')")
        for one in (path, Path(f"{path}.wal")):
            (tmp_path / one.name.replace("study", "copy")).write_bytes(one.read_bytes())
        assert cs.read(tmp_path / "copy.duckdb").n_ratings == 42


def test_a_view_is_never_asked(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    path = tmp_path / "study.duckdb"
    with duckdb.connect(str(path)) as opened:
        opened.execute(f"CREATE VIEW codes AS SELECT * FROM read_text('{secret}')")
    with pytest.raises(InputError, match="views are not read"):
        cs.read(path)
    with pytest.raises(InputError, match="views are not read"):
        cs.read(path, sheet="codes")


def test_columns_keep_their_kinds(tmp_path: Path) -> None:
    path = tmp_path / "marks.duckdb"
    with duckdb.connect(str(path)) as opened:
        opened.execute("CREATE TABLE marks (item INTEGER, ann DECIMAL(4, 1), bob DOUBLE)")
        opened.execute("INSERT INTO marks SELECT i, i / 2, i / 2 + 0.5 FROM range(20) t(i)")
    found = load(path, scale="interval")
    assert found.reading.shape == "wide"
    assert found.ratings.numbers is not None


@pytest.mark.parametrize("content", [b"", b"no database", b"\0" * 8 + b"DUCK" + b"\0" * 4096])
def test_what_is_no_database_is_one_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken.duckdb"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"broken\.duckdb: the file must be"):
        cs.read(path)
