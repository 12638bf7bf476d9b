"""``consilience coefficients``: what can be computed, and under which names."""

from __future__ import annotations

import textwrap

import click

from consilience.cli._main import command
from consilience.cli._options import option


@command()
@option("--json", "Write JSON: stable keys, unrounded.", to="as_json")
def coefficients(*, as_json: bool) -> None:
    """List the coefficients and their other names."""
    from consilience.coefficients import registry

    if as_json:
        from consilience.document import envelope, to_json

        records = [
            {
                "name": one.name,
                "aliases": list(one.aliases),
                "summary": one.summary,
                "two_raters_only": one.two_raters_only,
                "needs_raters": one.needs_raters,
                "missing": list(one.missing_rules),
            }
            for one in registry.values()
        ]
        click.echo(to_json(envelope(data=None, coefficients=records)))
        return
    for one in registry.values():
        click.echo(one.name)
        click.echo(textwrap.fill(one.summary, 78, initial_indent="  ", subsequent_indent="  "))
        if one.aliases:
            names = "also: " + ", ".join(one.aliases)
            click.echo(textwrap.fill(names, 78, initial_indent="  ", subsequent_indent="  "))
