"""``consilience units --table``: a table of tallies that somebody else has made."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from consilience.cli import _output as out
from consilience.cli import _unit_reading as reading
from consilience.cli._heeded import only

if TYPE_CHECKING:
    from collections.abc import Sequence

    from consilience.io import NilTable
    from consilience.report import Page

# What a table without times and sessions can answer to.
RULE = only("--table", "is_table", "method", "raters", "gates", "figure", "report", "title",
            "delimiter", "encoding", when=lambda options: bool(options["is_table"]))  # fmt: skip


def from_table(options: dict[str, Any], form: str) -> int:
    """Measure a table, draw it, and hold it against gates."""
    from consilience.document import envelope
    from consilience.io import read_nil_table
    from consilience.report import measure_nil_table

    if len(options["paths"]) != 1:
        raise click.UsageError("--table takes one file.")
    told = {name: options[name] for name in ("delimiter", "encoding") if options[name]}
    with reading.in_options():
        read = read_nil_table(options["paths"][0], **told)
        names = options["raters"] or ("first", "second")
        found = measure_nil_table(read.table, read.labels, method=options["method"], raters=names)
    found = replace(found, findings=(*read.findings, *found.findings))
    for gate in options["gates"]:
        if gate.name != "kappa":
            raise click.BadParameter(
                f"a table has no {gate.name!r}, but kappa.", param_hint="--fail-under"
            )
    record = found.to_dict()
    findings = record.pop("findings")
    facts = {
        "units": int(read.table.sum()),
        "raters": 2,
        "sessions": 1,
        "tiers": 1,
        "labels": list(read.labels),
        "format": "table",
        "sources": list(options["paths"]),
    }
    one = {key: record.get(key) for key in ("value", "status", "reason")}
    named = {"coefficient": "kappa", "name": "kappa", "value": found.kappa}
    whole = envelope(
        data=facts, estimates=[{**one, **named}], findings=findings, results={"kappa": record}
    )

    def page() -> Page:
        drawn = [("tallies", "How often each label of one rater met each label of the other; nil "
                  "is what one of them did not see.", lambda: _drawn(read, names))]  # fmt: skip
        return out.plain_page(found.document(), options["title"], drawn)

    out.emit(found.document(), whole, form, options["output"], page)
    if options["figure"] is not None:
        from consilience import plot

        plot.save(_drawn(read, names), options["figure"], existing=out.existing(options))
        out.tell(f"Wrote {options['figure']}")
    if options["report"] is not None:
        out.write_page(page(), options)
    code = 4 if found.status == "undefined" else 0
    gated: list[int] = [one.exit_code("kappa", found.kappa, None) for one in options["gates"]]
    return max([code, *gated])


def _drawn(read: NilTable, raters: Sequence[str]) -> Any:
    """Draw the tallies, as many as there are of each pair of labels."""
    import numpy as np

    from consilience.plot import heat_map

    values = np.asarray(read.table, dtype=np.float64)
    names = [*map(str, read.labels), "nil"]
    texts = [[f"{one:,.0f}" for one in row] for row in values]
    axes = heat_map(values, texts, names, names, high=float(values.max()) or 1.0)
    axes.set_ylabel(raters[0])
    axes.set_xlabel(raters[1])
    return axes
