"""Every command in every form it can be written in: record before walls move, compare after.

    python tests/forms.py --into /tmp/before       # text, --all, Markdown, ..., page, figure
    python tests/forms.py --into /tmp/after && diff -r /tmp/before /tmp/after

The commands are those of the frozen records; the forms are what each command's options offer.
"""

from __future__ import annotations

import argparse
import re
import shlex
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent / "contract")]
import test_golden_json as records  # noqa: E402

FLAGS = ("--all", "--markdown", "--latex", "--csv", "--apa", "--json")
FILES = {"--output": ("page.html", "tables.xlsx"), "--report": ("page.html",),
         "--figure": ("figure.svg",)}  # fmt: skip
PAGES = (
    "report labels.csv -o page.html",
    "report essays_wide.csv --scale ordinal -o page.html",
    "report headlines_long.csv --by variable -o page.html",
)
PLOTTED = ("labels.csv", "essays_wide.csv --scale interval")


def pages() -> dict[str, str]:
    """Return reports, and every figure of two studies."""
    (figures,) = (p.type for p in records.command_line.cli.commands["plot"].params
                  if p.name == "figure")  # fmt: skip
    found = {f"report_{k}": f"{command} > page.html" for k, command in enumerate(PAGES)}
    for k, study in enumerate(PLOTTED):
        for name in figures.choices:
            found[f"plot_{name}_{k}"] = f"plot {name} {study} -o figure.svg > figure.svg"
    return found


def forms() -> Iterator[tuple[str, str, list[str]]]:
    """Yield the name of a form, the commands that lead to it, and the files it writes."""
    for case, whole in {**records.CASES, **pages()}.items():
        commands, _, written = whole.partition(" > ")
        plain = commands.removesuffix(" --json")
        yield f"{case}.text", plain, [written] if written not in ("", "-") else []
        command = records.command_line.cli.commands[shlex.split(plain.split("; ")[-1])[0]]
        options = {name for option in command.params for name in option.opts}
        for flag in FLAGS:
            if flag in options and not written:
                yield f"{case}{flag}", f"{plain} {flag}", []
        for option, names in FILES.items():
            for name in names:
                if option in options and not written and " -o " not in plain.split("; ")[-1]:
                    yield f"{case}{option}-{name}", f"{plain} {option} {name}", [name]


def settled(text: str) -> str:
    """Leave out what changes from run to run: folders, dates, times."""
    text = re.sub(r"/tmp/\w+", "FOLDER", text)
    text = re.sub(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?)?", "DATE", text)
    return re.sub(r"\b\d+(\.\d+)? (ms|s)\b", "TIME", text)


def outcome(commands: str, files: list[str]) -> str:
    """Run commands in a folder with the examples; return all that a person gets of the last."""
    with records.workshop() as folder:
        for step in commands.split("; "):
            code, text = records.run(step)
        shown = [f"exit {code}", text]
        for name in files:
            path = folder / name
            if path.suffix == ".xlsx" and path.exists():
                import openpyxl

                book = openpyxl.load_workbook(path)
                shown += [str([[cell.value for cell in row] for row in sheet]) for sheet in book]
            elif path.exists():
                shown.append(path.read_text(encoding="utf-8"))
        return settled("\n".join(shown))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--into", type=Path, required=True)
    into: Path = arguments.parse_args().into
    into.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    for name, commands, files in forms():
        try:
            found = outcome(commands, files)
        except Exception as error:  # a crash is an outcome, too
            found = f"crash: {error!r}"
        (into / f"{name}.out").write_text(found, encoding="utf-8")


if __name__ == "__main__":
    main()
