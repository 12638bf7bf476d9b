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
from pathlib import Path

import click

import consilience
from consilience.cli._main import cli
from consilience.coefficients import Coefficient, Design, registry
from consilience.distances._distance import registry as distance_registry
from consilience.report import UNIT_METHODS

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


def options_of(command: str) -> Callable[[], str]:
    """Return a writer of the table of a command's options."""

    def write() -> str:
        options = [p for p in cli.commands[command].params if isinstance(p, click.Option)]
        rows = ((spelling(option), meaning(option)) for option in options if not option.hidden)
        return table(("option", "meaning"), rows)

    return write


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
    **{f"options of {name}": options_of(name) for name in cli.commands},
}


def render(page: str) -> str:
    """Return a page with its generated tables written anew."""
    return REGION.sub(lambda m: f"{m[1]}{WRITERS[m[2]]()}{m[3]}", page)


def main() -> None:
    """Write all pages anew."""
    for path in sorted(DOCS.glob("*.md")):
        page = path.read_text(encoding="utf-8")
        if render(page) != page:
            path.write_text(render(page), encoding="utf-8")
            print(f"{path.name} written anew")
    runpy.run_path(str(DOCS / "_figures.py"))["write"]()
    manual = runpy.run_path(str(DOCS / "_man_page.py"))
    manual["PAGE"].write_text(manual["page"](), encoding="utf-8")


if __name__ == "__main__":
    main()
