"""Rows below the data: notes and totals are taken off before anybody looks at the table."""

from __future__ import annotations

from dataclasses import replace

from consilience.io.tables.recogniser.footers import n_footers
from consilience.io.tables.table import Table

_MOST_ROWS = 5_000  # where people write below their data, the table is theirs, not a program's


def without_footers(table: Table, *, told: bool = False) -> Table:
    """Return the table without the rows below its data; `told`: the layout was named."""
    if not 3 <= table.n_rows <= _MOST_ROWS or table.file is not None:
        return table
    count = n_footers(table.all_rows(), table.names, told=told)
    if not count:
        return table
    relation = table.session.new_name("data")
    table.session.run(
        f"CREATE TEMP TABLE {relation} AS SELECT * FROM {table.relation} "
        f"WHERE {table.row} < {table.n_rows - count} ORDER BY {table.row}"
    )
    rows = f"{count} row{'s' if count > 1 else ''}"
    return replace(
        table,
        relation=relation,
        row="rowid",
        n_rows=table.n_rows - count,
        n_below=count,
        evidence=(*table.evidence, f"left out, as notes or totals below the data: {rows}"),
    )
