"""``consilience units --table``: a table of tallies that somebody else has made."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from consilience.cli import _output as out
from consilience.cli import _unit_reading as reading
from consilience.cli._heeded import only
from consilience.cli._options import gated
from consilience.cli._output import Answer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from consilience.io import NilTable

# What a table without times and sessions can answer to.
RULE = only("--table", "is_table", "method", "raters", "gates", "place", "report", "title",
            "delimiter", "encoding", when=lambda options: bool(options["is_table"]))  # fmt: skip


def from_table(options: dict[str, Any]) -> Answer:
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

    def draw() -> Any:
        return _drawn(read, names)

    def after() -> None:
        if options["place"] is not None:
            out.write_figure(options["place"], draw)

    caption = (
        "How often each label of one rater met each label of the other; nil is what one of them "
        "did not see."
    )
    kappa = ("kappa", found.kappa, None)
    return Answer(
        document=found.document(),
        record=whole,
        title=options["title"],
        drawings=[("tallies", caption, draw)],
        after=after,
        code=4 if found.status == "undefined" else 0,
        gates=lambda: gated(options["gates"], lambda gate: [kappa]),
    )


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
