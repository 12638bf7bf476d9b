"""What the process that reads SPSS and Stata files answers; run by `_child_main`."""

from __future__ import annotations

from typing import Any

MOST_MEMORY = 8 << 30


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return None if value != value else value  # noqa: PLR0124 - NaN
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Read one file."""
    import pyreadstat

    read = pyreadstat.read_sav if request["kind"] == "spss" else pyreadstat.read_dta
    encoding = request["encoding"]
    _, meta = read(request["path"], metadataonly=True, encoding=encoding)
    width, height = len(meta.column_names), meta.number_rows
    found: dict[str, Any] = {"width": width, "height": height, "columns": []}
    if width > request["most_columns"] or width * (height or 0) > request["most_cells"]:
        return found
    data, meta = read(
        request["path"],
        user_missing=True,
        output_format="dict",
        encoding=encoding,
        row_limit=request["most_cells"] // max(1, width),
    )
    for name, values in data.items():
        labels = (meta.variable_value_labels or {}).get(name, {})
        ranges: Any = (meta.missing_ranges or {}).get(name, ())
        found["columns"].append(
            {
                "name": name,
                "values": [_plain(value) for value in values],
                "labels": [[_plain(value), str(label)] for value, label in labels.items()],
                "ranges": [[_plain(one["lo"]), _plain(one["hi"])] for one in ranges],
                "letters": list((meta.missing_user_values or {}).get(name, ())),
                "measure": (meta.variable_measure or {}).get(name, ""),
            }
        )
    return found
