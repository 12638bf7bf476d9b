"""Read SPSS and Stata files in a process of their own: a damaged one can end it.

Run as a script by `_readstat`. Every line of input is a request, every line of output says whether
the answer stands in the file that the request named.
"""

from __future__ import annotations

import json
import sys
from typing import Any

_MOST_MEMORY = 8 << 30


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return None if value != value else value  # noqa: PLR0124 - NaN
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    import pyreadstat

    read = pyreadstat.read_sav if request["kind"] == "spss" else pyreadstat.read_dta
    encoding = request["encoding"]
    _, meta = read(request["path"], metadataonly=True, encoding=encoding)
    width, height = len(meta.column_names), meta.number_rows
    answer: dict[str, Any] = {"width": width, "height": height, "columns": []}
    if width > request["most_columns"] or width * (height or 0) > request["most_cells"]:
        return answer
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
        answer["columns"].append(
            {
                "name": name,
                "values": [_plain(value) for value in values],
                "labels": [[_plain(value), str(label)] for value, label in labels.items()],
                "ranges": [[_plain(one["lo"]), _plain(one["hi"])] for one in ranges],
                "letters": list((meta.missing_user_values or {}).get(name, ())),
                "measure": (meta.variable_measure or {}).get(name, ""),
            }
        )
    return answer


def _limit_memory() -> None:
    """Let a file that claims to be huge fail by itself, where the system can see to it."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
    except (ImportError, OSError, ValueError):
        pass  # Windows has no such limit


def main() -> None:
    """Answer requests until there are no more."""
    _limit_memory()
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = _answer(request)
        except Exception as error:
            answer = {"error": str(error)[:80] or type(error).__name__}
        with open(request["target"], "w", encoding="utf-8") as stream:
            json.dump(answer, stream)
        print("done", flush=True)


if __name__ == "__main__":
    main()
