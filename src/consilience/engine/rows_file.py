"""Rows as a file: small, shareable, mergeable, and growing with each day's ratings."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from consilience._version import __version__
from consilience.core.arrays import Ints, dense
from consilience.core.database import Session, quoted
from consilience.core.input_files import PathLike, check_file
from consilience.core.output_files import check_target, written_beside
from consilience.document import Document, Table
from consilience.document.records import Recorded
from consilience.engine.table_reduction import ordered
from consilience.exceptions import ConsilienceError, InputError, UnsupportedDesignError
from consilience.ratings import Ratings
from consilience.ratings.clusters import need_independent_items
from consilience.ratings.duplicates import need_one_occasion
from consilience.ratings.patterns import distinct_rows
from consilience.ratings.stores import CodedMatrix, CountTable, LongTable, NumberMatrix
from consilience.rows import reduce_to_rows
from consilience.rows.distinct_rows import all_rows

# ---- Rows as a file: small, shareable, mergeable.
#
# A Parquet file with one line per distinct pattern and how many items have it, and a JSON record in
# its metadata that names the labels, the raters, the scale and the version of the form. It holds no
# item names and no text. The form, version 1:
#
# - ``kind = "patterns"``: columns ``r0, r1, ...`` (int16, or int32 for more than 32,768 labels: the
#   place of each rater's label among the labels, -1 for none) and ``items`` (int64);
# - ``kind = "counts"``: columns ``k0, k1, ...`` (int32, how many ratings each label has) and
#   ``items``; ``n_raters`` in the record is how many raters there were, where that is known.

FORM = "consilience/rows/1"
_KEY = "consilience"
_MOST_CELLS = 100_000_000


def save_rows(
    ratings: Ratings,
    path: PathLike,
    *,
    existing: str = "refuse",
    added: Iterable[dict[str, Any]] = (),
) -> Path:
    """Write ratings as rows with multiplicity; the file appears whole or not at all.

    Parameters
    ----------
    ratings : Ratings
        Categories only; numbers that hardly repeat have no small set of rows.
    path : file to write, usually with the ending .rows
    existing : {"refuse", "replace"}
        What to do with a file that is there already.
    added : records of the files that the ratings come from; see `add_to_rows`

    Returns
    -------
    Path
        The file that was written.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "day1.rows"
    >>> monday = Ratings.from_table([[20, 5], [4, 21]], categories=["no", "yes"])
    >>> load_rows(save_rows(monday, path)).n_items
    50
    """
    target = check_target(path, existing)
    need_independent_items("a file of rows", ratings.clusters)
    need_one_occasion("a file of rows", ratings)
    ratings = _in_order(ratings)
    kind, columns = _columns(ratings)
    record = {
        "form": FORM,
        "version": __version__,
        "kind": kind,
        "labels": [_tagged(label) for label in ratings.categories],
        "declared": ratings.categories_declared,
        "raters": [_tagged(rater) for rater in ratings.raters] if kind == "patterns" else [],
        "scale": ratings.scale,
        "scale_told": ratings.scale_told,
    }
    store = ratings.store
    if kind == "counts" and not (isinstance(store, CountTable) and store.n_raters is None):
        record["n_raters"] = ratings.n_raters
    files = list(added)
    if files:
        record["added"] = files
    _write(target, columns, record, existing)
    return target


def _in_order(ratings: Ratings) -> Ratings:
    """Put raters, and labels that were found and not declared, into one order for all files."""
    if ratings.raters and not isinstance(ratings.store, LongTable):
        raters = ordered(ratings.raters)
        if raters != ratings.raters:
            ratings = ratings.select(raters=raters)
    if not ratings.categories_declared and ratings.categories:
        ratings = ratings.recoded(ordered(ratings.categories))
    return ratings


def _columns(ratings: Ratings) -> tuple[str, dict[str, Any]]:
    store, n_labels = ratings.store, len(ratings.categories)
    if not isinstance(store, (CodedMatrix, CountTable)) and n_labels > 1_000:
        raise UnsupportedDesignError.needs(
            "a file of rows",
            "categories, at most a thousand",
            f"{n_labels:,} different labels",
            "round the numbers first, or keep the ratings themselves",
        )
    if isinstance(store, (CodedMatrix, NumberMatrix)):
        patterns = (store if isinstance(store, CodedMatrix) else store.coded[0]).patterns
        codes = patterns.codes.astype(np.int16 if n_labels <= 1 << 15 else np.int32)
        columns = {f"r{g}": codes[:, g] for g in range(codes.shape[1])}
        return "patterns", {**columns, "items": patterns.multiplicity.astype(np.int64)}
    counts, times = _counts(ratings)
    distinct, items = distinct_rows(counts[times > 0], 0, int(counts.max()), times[times > 0])
    columns = {f"k{k}": one.astype(np.int32) for k, one in enumerate(distinct.T)}
    return "counts", {**columns, "items": items}


def _counts(ratings: Ratings) -> tuple[Ints, Ints]:
    """Return how many ratings each label has, items x labels, and how many items have that."""
    from consilience.distances import get_distance

    store = ratings.store
    if isinstance(store, CountTable):
        return store.counts, store.times
    rows = all_rows(reduce_to_rows(ratings, get_distance("nominal", scale="nominal")))
    n_labels, n_rows = rows.vectors.shape
    if n_labels * n_rows > _MOST_CELLS:
        raise UnsupportedDesignError.needs(
            "a file of rows",
            f"items that repeat: at most {_MOST_CELLS:,} counts of labels by distinct item",
            f"{n_labels:,} labels and {n_rows:,} distinct items",
            "keep the ratings themselves",
        )
    times = rows.multiplicity.astype(np.int64)
    unrated = ratings.n_items - int(times.sum())  # no rows, but items all the same
    counts = dense(rows.vectors).T.astype(np.int64)
    return np.pad(counts, ((0, 1), (0, 0))), np.append(times, unrated)


def load_rows(path: PathLike) -> Ratings:
    """Read ratings from a file of rows.

    Parameters
    ----------
    path : file that `save_rows` or ``--save-rows`` wrote

    Returns
    -------
    Ratings

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "day1.rows"
    >>> load_rows(save_rows(Ratings.from_table([[20, 5], [4, 21]]), path)).n_items
    50
    """
    source = check_file(path)
    record, columns = _read(source)
    try:
        return _ratings(record, columns, source)
    except ConsilienceError:
        raise
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        raise _not_rows(source, "a record and rows that do not fit together") from None


def _ratings(record: dict[str, Any], columns: dict[str, Any], source: Path) -> Ratings:
    labels = [_untagged(one, source) for one in record["labels"]]
    items = columns.pop("items")
    table = np.stack([columns[name] for name in sorted(columns, key=_place)], axis=1)
    if record["kind"] == "patterns":
        return Ratings.from_patterns(
            table.astype(np.int64),
            items,
            categories=labels,
            raters=[_untagged(one, source) for one in record["raters"]],
            scale=_told(record),
            declared=record["declared"],
        )
    ratings = Ratings.from_counts(
        table,
        categories=labels,
        scale=_told(record),
        multiplicity=items,
        declared=record["declared"],
    )
    known = record.get("n_raters")
    return ratings if known is None else ratings.rated_by(int(known))


def _told(record: dict[str, Any]) -> str | None:
    """Return the scale, or None where it was the default; older files do not say."""
    default = record["scale"] == "nominal" and not record.get("scale_told", False)
    return None if default else str(record["scale"])


def merge_rows(paths: Iterable[PathLike], output: PathLike, *, existing: str = "refuse") -> Path:
    """Add up files of rows: multiplicities of equal patterns add.

    Refused are files whose raters, labels, scale or kind do not fit; the message says how they
    differ. In whatever order and grouping files are merged, the result is the same.

    Parameters
    ----------
    paths : files of rows
    output : file to write
    existing : {"refuse", "replace"}
        What to do with a file that is there already.

    Returns
    -------
    Path
        The file that was written.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> day = Ratings.from_table([[20, 5], [4, 21]])
    >>> days = [save_rows(day, folder / f"{name}.rows") for name in ("monday", "tuesday")]
    >>> load_rows(merge_rows(days, folder / "both.rows")).n_items
    100
    """
    every = [Path(path) for path in paths]
    if not every:
        raise InputError.expected("files of rows", "at least one", "none", "name the files")
    merged, added = load_rows(every[0]), list(record_of(every[0]).get("added", ()))
    for path in every[1:]:
        merged = add_rows(merged, load_rows(path), every[0], path)
        more = record_of(path).get("added", ())
        twice = {one["sha256"] for one in added} & {one["sha256"] for one in more}
        if twice:
            name = next(one["name"] for one in more if one["sha256"] in twice)
            raise InputError.expected(
                "merged rows",
                "of different files",
                f"{name} in {path}, which is in the others as well",
                "leave that file of rows out; 'consilience rows' lists what is inside",
            )
        added += more
    return save_rows(merged, output, existing=existing, added=added)


def record_of(path: PathLike) -> dict[str, Any]:
    """Return what a file of rows says of itself."""
    return _read(Path(path))[0]


def add_rows(left: Ratings, right: Ratings, first: Path, second: Path) -> Ratings:
    """Add the rows of two files, or say how they differ."""
    for what, mine, theirs in (
        ("scale", left.scale, right.scale),
        ("kind", left.design, right.design),
        ("raters", left.raters, right.raters),
        ("declared labels", left.categories_declared, right.categories_declared),
    ):
        if mine != theirs:
            raise InputError.expected(
                "merged rows",
                f"alike in their {what}",
                f"{_short(mine)} in {first} and {_short(theirs)} in {second}",
                "merge only rows of the same study",
            )
    if left.categories_declared and left.categories != right.categories:
        raise InputError.expected(
            "merged rows",
            "alike in their declared labels",
            f"{_short(left.categories)} in {first} and {_short(right.categories)} in {second}",
            "declare the same categories for both",
        )
    return left.merge(right)


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 60 else text[:59] + "…"


# ---- the file itself


def _write(target: Path, columns: dict[str, Any], record: dict[str, Any], existing: str) -> None:
    """Write Parquet through DuckDB, with the record in the file's own metadata."""
    order = np.lexsort([columns[key] for key in reversed(list(columns)) if key != "items"])
    ordered = {key: np.ascontiguousarray(value[order]) for key, value in columns.items()}
    text = json.dumps(record, sort_keys=True, ensure_ascii=False)
    with written_beside(target, existing=existing) as beside, Session() as session:
        session.show("rows_", ordered)
        session.save_parquet(
            "SELECT * FROM rows_",
            beside,
            f", COMPRESSION zstd, KV_METADATA {{{_KEY}: {quoted(text)}}}",
        )


def _read(source: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    with Session() as session:
        file = session.safe_path(source)
        try:
            found = session.rows(
                f"SELECT value FROM parquet_kv_metadata({file}) WHERE key::VARCHAR = '{_KEY}'"
            )
            columns = session.arrays(f"SELECT * FROM read_parquet({file})") if found else {}
        except (session.database_error, InputError, OSError) as error:
            raise _not_rows(source, str(error).splitlines()[0]) from None
    if not found:
        raise _not_rows(source, "a Parquet file without the record of rows")
    try:
        record = json.loads(bytes(found[0][0]).decode("utf-8"))
        form = record.get("form")
    except (AttributeError, RecursionError, TypeError, ValueError):
        raise _not_rows(source, "a record that cannot be read") from None
    if form != FORM:
        raise _not_rows(source, f"form {form!r}, this version reads {FORM!r}")
    return record, {name: np.asarray(column) for name, column in columns.items()}


def _not_rows(source: Path, got: str) -> InputError:
    return InputError(
        f"{source}: the file must be rows that Consilience saved. Got {got}. "
        "Hint: make it with 'consilience measure FILE --save-rows NAME.rows'."
    )


def _place(name: str) -> int:
    return int(name[1:])


def _tagged(value: object) -> Any:
    """Write a label so that its type comes back: text and numbers as they are, sets as a list."""
    if isinstance(value, frozenset):
        return {"set": sorted((_tagged(part) for part in value), key=str)}
    if isinstance(value, bool):
        return {"bool": value}
    if value is None or isinstance(value, (str, int, float)):
        return value
    return {"text": str(value)}


def _untagged(value: Any, source: Path) -> Any:
    if isinstance(value, dict):
        if "set" in value:
            return frozenset(_untagged(part, source) for part in value["set"])
        if "bool" in value:
            return bool(value["bool"])
        if "text" in value:
            return value["text"]
        raise _not_rows(source, f"a label of unknown kind {value!r}")
    return value


# ---- Rows that grow: today's ratings added to a file of rows, each file of ratings once.

_AT_ONCE = 1 << 20  # bytes


@dataclass(frozen=True, slots=True)
class AddedFile(Recorded):
    """A file whose ratings are among the rows: its name, the hash of its content, its sizes."""

    name: str
    sha256: str
    items: int
    ratings: int


@dataclass(frozen=True, slots=True)
class RowsInside(Recorded):
    """What a file of rows holds.

    Attributes
    ----------
    path : str
    ratings : Ratings
    added : tuple of AddedFile
        The files that were added to it, in that order; empty where it was saved at once.
    """

    unrecorded = ("ratings",)

    path: str
    ratings: Ratings
    added: tuple[AddedFile, ...]

    def document(self) -> Document:
        """Return what is inside as something to read."""
        ratings = self.ratings
        said = (
            f"{self.path}: {ratings.n_items:,} items, {ratings.n_raters:,} raters, "
            f"{ratings.n_ratings:,} ratings; {ratings.scale} scale, "
            f"{len(ratings.categories):,} categories"
        )
        content = ("content", lambda one: one.sha256[:12])
        table = Table.of(self.added, "file: name", "items", "ratings", content)
        return Document.of(said, table if self.added else "Saved at once, nothing was added.")


def rows_inside(path: PathLike) -> RowsInside:
    """Say what a file of rows holds, and which files were added to it.

    Parameters
    ----------
    path : a file of rows

    Returns
    -------
    RowsInside

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "day1.rows"
    >>> monday = Ratings.from_table([[20, 5], [4, 21]], categories=["no", "yes"])
    >>> rows_inside(save_rows(monday, path)).added
    ()
    """
    source = Path(path)
    added = tuple(AddedFile(**one) for one in record_of(source).get("added", ()))
    return RowsInside(str(path), load_rows(source), added)


def add_to_rows(
    ratings: Ratings, path: PathLike, *, sources: Sequence[PathLike]
) -> tuple[RowsInside, bool]:
    """Add ratings to a file of rows, unless the files they come from are in it already.

    The sum is written beside the file and put in its place at once; whoever else adds at the same
    time waits. What a file is, its content says, not its name.

    Parameters
    ----------
    ratings : Ratings
        What was read from the sources.
    path : file of rows; a new one if there is none
    sources : the files that the ratings were read from

    Returns
    -------
    RowsInside
        What is in the file now.
    bool
        Whether anything was added.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "day1.csv").write_text("what the ratings were read from")
    >>> monday = Ratings.from_table([[20, 5], [4, 21]], categories=["no", "yes"])
    >>> for _ in range(2):
    ...     rows, new = add_to_rows(monday, folder / "all.rows", sources=[folder / "day1.csv"])
    ...     print(rows.ratings.n_items, new)
    50 True
    50 False
    """
    target = Path(path)
    hashes = [_content_hash(Path(source)) for source in sources]
    with _alone(target):
        known = rows_inside(target) if target.exists() else RowsInside(str(path), ratings, ())
        inside = {one.sha256: one.name for one in known.added}
        again = [str(source) for source, h in zip(sources, hashes, strict=True) if h in inside]
        if len(again) == len(sources):
            return known, False
        if again:
            raise InputError.expected(
                f"what is added to {target}",
                "new",
                f"{', '.join(again)}, which was added before, among files that were not",
                "leave it out",
            )
        merged = _as_rows(ratings, target)
        if target.exists():
            merged = add_rows(known.ratings, merged, target, Path(sources[0]))
        # The sizes are those of all files of one call: they were read together.
        new = [
            AddedFile(
                Path(source).name,
                h,
                ratings.n_items if len(sources) == 1 else 0,
                ratings.n_ratings if len(sources) == 1 else 0,
            )
            for source, h in zip(sources, hashes, strict=True)
        ]
        every = (*known.added, *new)
        save_rows(merged, target, existing="replace", added=[one.to_dict() for one in every])
    return RowsInside(str(path), load_rows(target), every), True


def _as_rows(ratings: Ratings, target: Path) -> Ratings:
    """Return ratings as a file of rows has them: distinct items, raters and labels in order."""
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.") as folder:
        return load_rows(save_rows(ratings, Path(folder) / "new.rows"))


def _content_hash(source: Path) -> str:
    found = hashlib.sha256()
    with source.open("rb") as file:
        while part := file.read(_AT_ONCE):
            found.update(part)
    return found.hexdigest()


@contextlib.contextmanager
def _alone(target: Path) -> Iterator[None]:
    """Let one process at a time add to a file, where the system knows such locks."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    folder = os.open(target.parent, os.O_RDONLY)  # nothing of its own is left behind
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)
