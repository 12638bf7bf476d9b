"""Write the tables of these pages that the code itself knows; a test keeps them up to date.

Run ``python docs/_generate.py`` after a change to a registry, to the command line or to the
reference records. A page marks the place with ``<!-- generated: name -->``.
"""

from __future__ import annotations

import inspect
import json
import re
import runpy
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import click

import consilience
from consilience.cli.program import cli, grouped_commands, grouped_options, summary_of
from consilience.coefficients import Coefficient, Design, registry
from consilience.distances._distance import registry as distance_registry
from consilience.report.unit_methods import UNIT_METHODS

DOCS = Path(__file__).resolve().parent
REFERENCES = DOCS.parent / "tests" / "references"
REGION = re.compile(r"(<!-- generated: (.+?) -->\n).*?(<!-- end -->)", re.DOTALL)
KINDS = {
    "printed": "numbers printed in publications",
    "definition": "exact arithmetic, or two independent programs that agree",
    "degenerate": "edge cases, decided here and stated in each record",
}


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Write a Markdown table."""
    names = list(heads)
    lines = [names, ["---"] * len(names), *([cell or "-" for cell in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def code(words: Iterable[str]) -> str:
    """Write words as code, separated by commas."""
    return ", ".join(f"`{word}`" for word in words)


def first_sentence(thing: object) -> str:
    """Return the first sentence of a docstring."""
    return (inspect.getdoc(thing) or "").partition("\n\n")[0].replace("\n", " ")


def cube() -> str:
    """Name the cells: a chance model, two raters or more, labels equal or at a distance."""
    heads = ("function", "chance model", "2 raters", "more", "2 raters, distance", "more, distance")
    designs = [Design(raters, 3, nominal) for nominal in (True, False) for raters in (2, 3)]

    def cell(one: Coefficient, design: Design) -> str:
        exists = design.n_raters == 2 or not one.two_raters_only
        return one.title(design) if exists and (design.nominal or not one.nominal_only) else ""

    rows = (
        (
            f"`{one.name}`",
            one.summary.removeprefix("Chance: "),
            *(cell(one, design) for design in designs),
        )
        for one in registry.values()
    )
    return table(heads, rows)


def accepted() -> str:
    """List what each coefficient accepts."""
    heads = ("function", "also called", "input", "`missing=`", "`standard_error=`", "in `measure`")

    def needs(one: Coefficient) -> str:
        raters = "two raters" if one.two_raters_only else "any number of raters"
        return f"{raters}, by name" if one.needs_raters else f"{raters}, or counts"

    rows = (
        (
            f"`{one.name}`",
            code(one.aliases),
            needs(one),
            code(one.missing_rules),
            code(one.standard_errors),
            "yes" if one.in_summary else "on request",
        )
        for one in registry.values()
    )
    return table(heads, rows)


def distances() -> str:
    """List the distances."""
    rows = (
        (f"`{name}`", first_sentence(made), made.fits_scale, made.recipe or f'`distance="{name}"`')
        for name, made in distance_registry.items()
    )
    return table(("name", "what it is", "default for the scale", "how to ask for it"), rows)


def functions() -> str:
    """List the public functions that are no coefficient."""
    found = {name: getattr(consilience, name) for name in consilience.__all__}
    rows = (
        (f"`{name}`", first_sentence(one))
        for name, one in found.items()
        if inspect.isfunction(one) and name not in registry
    )
    return table(("function", "what it does"), rows)


def references() -> str:
    """Count the reference records by where they come from."""
    rows, total = [], 0
    for path in sorted(REFERENCES.rglob("*.json")):
        if (
            path.parent.name == "commands"
        ):  # what the commands write, frozen: no reference of others
            continue
        content = json.loads(path.read_text(encoding="utf-8"))
        source, n = content["source"], len(content["expect"])
        kind = KINDS.get(path.stem) or f"{source['tool']} {source['version']}"
        rows.append((f"`{path.relative_to(REFERENCES)}`", str(n), kind, content["why"]))
        total += n
    return table(("file", "records", "from", "what for"), [*rows, ("all", str(total), "", "")])


def unit_methods() -> str:
    """List the methods for units, and the settings of each."""
    rows = (
        (f"`{one.name}`", one.title, code(f"--{name}" for name in one.takes))
        for one in UNIT_METHODS.values()
    )
    return table(("method", "what it does", "its own options"), rows)


def context(command: str) -> click.Context:
    """Return a command as it is called."""
    above = click.Context(cli, info_name="consilience", **cli.context_settings)
    return click.Context(cli.commands[command], parent=above, info_name=command)


def options_of(command: str) -> Callable[[], str]:
    """Return a writer of the tables of a command's options, in the groups that help has."""

    def write() -> str:
        groups = grouped_options(cli.commands[command], context(command))
        shown = {
            group: [one for one in options if "--help" not in one.opts]
            for group, options in groups.items()
        }
        return "\n".join(
            f"### {group}\n\n"
            + table(("option", "meaning"), ((spelling(one), meaning(one)) for one in options))
            for group, options in shown.items()
            if options
        )

    return write


def usage_of(command: str) -> Callable[[], str]:
    """Return a writer of how a command is called, and what it does in a sentence."""

    def write() -> str:
        pieces = " ".join(cli.commands[command].collect_usage_pieces(context(command)))
        return (
            f"{summary_of(cli.commands[command])}\n\n```sh\nconsilience {command} {pieces}\n```\n"
        )

    return write


def commands() -> str:
    """List the commands by what they are for, each with a link to its page."""
    ctx = click.Context(cli, info_name="consilience", **cli.context_settings)
    return "\n".join(
        f"**{group}**\n\n"
        + table(
            ("command", "what it does"),
            (
                (f"[`consilience {name}`]({name}.md)", summary_of(cli.commands[name]))
                for name in names
            ),
        )
        for group, names in grouped_commands(cli, ctx).items()
    )


def spelling(option: click.Option) -> str:
    """Write an option's names and what it takes."""
    names = " / ".join(", ".join(words) for words in (option.opts, option.secondary_opts) if words)
    if option.is_flag:
        return f"`{names}`"
    taken = option.metavar or option.type.name.partition(" ")[0].upper()
    return f"`{names} {'WORD' if isinstance(option.type, click.Choice) else taken}`"


def meaning(option: click.Option) -> str:
    """Write an option's help, its words and its default."""
    text = option.help or ""
    if isinstance(option.type, click.Choice):
        text += f" One of {code(option.type.choices)}."
    return f"{text} Default: {option.default}." if option.show_default else text


@cache
def peers() -> dict[str, Any]:
    """Return the calls of other programs."""
    return runpy.run_path(str(DOCS.parent / "tests" / "peers.py"))


def short(value: float) -> str:
    """Write a number with six decimals."""
    return f"{value:.6f}"


def evaluated(code: str) -> float:
    """Return what a call of ours gives, with the data that both calls see."""
    return float(eval(code, {**peers()["namespace"](), "cs": consilience}))


def row_of_peer(what: str, theirs: str, ours: str, value: float, differs: str) -> tuple[str, ...]:
    """Write a call of theirs beside ours."""
    note = f"differs: [{differs}](../conformance.md#where-others-differ-and-who-is-right)"
    return (
        what,
        short(value),
        short(evaluated(ours)),
        f"`{theirs}`",
        f"`{ours}`",
        note if differs else "",
    )


def coming_from(name: str) -> Callable[[], str]:
    """Return a writer of the table of a program that was run."""

    def write() -> str:
        path = REFERENCES / "peers" / f"{name}.json"
        content = json.loads(path.read_text(encoding="utf-8"))
        rows = [
            row_of_peer(
                one["coefficient"],
                one["params"]["theirs"],
                one["params"]["ours"],
                one["expected"]["value"],
                one["params"]["differs"],
            )
            for one in content["expect"]
        ]
        source = content["source"]
        told = f"Run: {source['tool'].removeprefix('Python ')} {source['version']}.\n\n"
        return told + table(("what", "theirs", "ours", "there", "here", "note"), rows)

    return write


def recorded_from(name: str) -> Callable[[], str]:
    """Return a writer of the table of a program whose numbers were recorded before."""

    def write() -> str:
        rows = []
        for theirs, ours, file, key in peers()["RECORDED"][name]:
            content = json.loads((REFERENCES / file).read_text(encoding="utf-8"))
            (entry,) = [one for one in content["expect"] if one["id"] == key]
            value = next(iter(entry["expected"].values()))
            rows.append(
                row_of_peer(entry["coefficient"].replace("_", " "), theirs, ours, value, "")
            )
        told = f"Recorded: {content['source']['tool']} {content['source']['version']}.\n\n"
        return told + table(("what", "theirs", "ours", "there", "here", "note"), rows)

    return write


def peer_data() -> str:
    """Show the data that both calls see."""
    return f"```py\n{peers()['DATA'].strip()}\n```\n"


def figures() -> str:
    """Show every figure below the code that draws it."""
    return str(runpy.run_path(str(DOCS / "_figures.py"))["gallery"]())


WRITERS: dict[str, Callable[[], str]] = {
    "cube": cube,
    "accepted by coefficients": accepted,
    "distances": distances,
    "functions": functions,
    "figures": figures,
    "references": references,
    "methods for units": unit_methods,
    "commands": commands,
    "data of peers": peer_data,
    **{f"coming from {name}": coming_from(name) for name in peers()["PEERS"]},
    **{f"coming from {name}": recorded_from(name) for name in peers()["RECORDED"]},
    **{f"options of {name}": options_of(name) for name in cli.commands},
    **{f"usage of {name}": usage_of(name) for name in cli.commands},
}


def render(page: str) -> str:
    """Return a page with its generated tables written anew."""
    return REGION.sub(lambda m: f"{m[1]}{WRITERS[m[2]]()}{m[3]}", page)


def main() -> None:
    """Write all pages anew."""
    for path in sorted(DOCS.rglob("*.md")):
        if "_build" in path.parts:
            continue
        page = path.read_text(encoding="utf-8")
        if render(page) != page:
            path.write_text(render(page), encoding="utf-8")
            print(f"{path.relative_to(DOCS)} written anew")
    runpy.run_path(str(DOCS / "_figures.py"))["write"]()
    notebook = runpy.run_path(str(DOCS / "_notebook.py"))
    notebook["NOTEBOOK"].write_text(notebook["made"](), encoding="utf-8")
    manual = runpy.run_path(str(DOCS / "_man_page.py"))
    manual["PAGE"].write_text(manual["page"](), encoding="utf-8")


if __name__ == "__main__":
    main()
