"""Final labels out: one row per item, for people or for machines."""

from __future__ import annotations

import math
from pathlib import Path

from consilience.core.database import Session
from consilience.core.input_files import PathLike
from consilience.core.output_files import check_target, written_beside
from consilience.document.csv_tables import csv_line
from consilience.exceptions import InputError
from consilience.io.adjudication import _sheet_cells as cells
from consilience.latent import Resolved

ENDINGS = (".csv", ".tsv", ".parquet")
_GUARDS = ("spreadsheet", "none")
HEADS = ("item", "label", "source", "probability")


def write_labels(
    resolved: Resolved, path: PathLike, *, existing: str = "refuse", guard: str = "spreadsheet"
) -> int:
    """Write the final label of every item: item, label, source, probability.

    Use it as the last step of adjudication. The source is "gold", "unanimous", "model",
    "majority" or "median"; "none" stands for an item that nobody rated.

    Parameters
    ----------
    resolved : Resolved
    path : path
        Ending in .csv, .tsv or .parquet.
    existing : {"refuse", "replace"}
    guard : {"spreadsheet", "none"}
        Whether text that a spreadsheet would compute gets an apostrophe; never in Parquet.

    Returns
    -------
    int
        Number of rows.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import consilience as cs
    >>> ratings = cs.Ratings.from_wide([["a", "a"], ["a", "b"]], items=["p", "q"])
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "labels.csv"
    >>> write_labels(cs.latent.resolve(ratings, {"q": "b"}), path)
    2
    >>> print(path.read_text().splitlines()[2])
    q,b,gold,1.0
    """
    if not isinstance(resolved, Resolved):
        raise InputError.expected(
            "resolved", "what read_sheet returned", type(resolved).__name__, "read the sheet first"
        )
    if guard not in _GUARDS:
        raise InputError.unknown_word("guard", guard, _GUARDS)
    target = check_target(path, existing, ENDINGS)
    suffix = target.suffix.lower()
    with written_beside(target, existing=existing) as beside:
        if suffix == ".parquet":
            _write_parquet(resolved, beside)
        else:
            delimiter = "," if suffix == ".csv" else "\t"
            _write_text(resolved, beside, delimiter, is_guarded=guard == "spreadsheet")
    return len(resolved.labels)


def _write_text(resolved: Resolved, path: Path, delimiter: str, *, is_guarded: bool) -> None:
    with path.open("w", encoding="utf-8", newline="", errors="replace") as stream:
        stream.write(csv_line(HEADS, delimiter=delimiter))
        for one in resolved.labels:
            row = [one.item, one.label]
            shown = [cells.cell_of(x) if is_guarded else _bare(x) for x in row]
            sure = "" if math.isnan(one.probability) else one.probability
            stream.write(csv_line([*shown, one.source, sure], delimiter=delimiter))


def _bare(value: object) -> object:
    return "" if value is None else cells.text_of(value)


def _write_parquet(resolved: Resolved, path: Path) -> None:
    """Let DuckDB write it, by way of a text file in its scratch folder."""
    with Session() as session:
        scratch = session.scratch / "labels.csv"
        _write_text(resolved, scratch, ",", is_guarded=False)
        kinds = (
            "{'item': 'VARCHAR', 'label': 'VARCHAR', 'source': 'VARCHAR', 'probability': 'DOUBLE'}"
        )
        session.save_parquet(
            f"SELECT * FROM read_csv({session.safe_path(scratch)}, header = true, delim = ',', "
            f"quote = '\"', escape = '\"', columns = {kinds}, auto_detect = false)",
            path,
        )
