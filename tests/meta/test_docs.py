"""The pages say what the code does: blocks are run, tables and lists are compared with it."""

from __future__ import annotations

import ast
import datetime
import re
import runpy
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from _blocks import FENCE, OF_DOCS, PAGES, Block, is_same, printed, rewritten, transcript
from _blocks import blocks as blocks_of
from _blocks import workshop as workshop_in

import consilience as cs
from consilience.cli import program as command_line

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "consilience"
DOCS = ROOT / "docs"
# Pages whose links and commands must be right, though no block of theirs is run.
ALL_PAGES = [*PAGES, ROOT / "CHANGELOG.md", ROOT / "examples" / "README.md"]
SCRIPTS = sorted([*(ROOT / "examples").glob("*.py"), *(ROOT / "examples" / "works").glob("*.py")])
TESTS = {
    f"consilience.inference.{name}"
    for name in ("_expert", "goodness_of_fit", "_groups", "_null", "_symmetry")
}


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def blocks(page: Path, language: str) -> list[Block]:
    return blocks_of(read(page), language)


def table_column(text: str, heading: str) -> list[str]:
    """The first column of the tables under a heading."""
    section = re.split(r"^#+ ", text.split(f"\n{heading}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)
    return re.findall(r"^\| (.+?) \|", section[0], flags=re.MULTILINE)


def words(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


@pytest.fixture
def workshop(tmp_path: Path) -> Iterator[Path]:
    """A folder with the examples, and registries in which a page may register what it likes."""
    with workshop_in(tmp_path) as folder:
        yield folder


# --- blocks are run -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("page", "language"),
    [(page, one) for one in ("console", "python") for page in PAGES if blocks(page, one)],
    ids=lambda one: one if isinstance(one, str) else name_of(one),
)
@pytest.mark.usefixtures("workshop")
def test_blocks_print_what_the_page_shows(page: Path, language: str) -> None:
    for block, output in printed(read(page), language, name_of(page)):
        where = f"{name_of(page)}, line {block.line}; run: make blocks"
        assert is_same(output, block.output), f"{where}\n{output}"


PAGE = """
```console
$ consilience find fleiss
old
```

```python
x = 2
print(x)
print(0.1 + 0.2)
```

```text
3
0.30000000000000005
```

```python
y = 1
```
"""


def test_blocks_are_written_anew_where_they_print_something_else() -> None:
    page = rewritten(PAGE, "page.md")
    console, first, second = (*blocks_of(page, "console"), *blocks_of(page, "python"))
    assert console.text.startswith("$ consilience find fleiss\n")
    assert "old" not in console.text
    assert "scott_pi" in console.text
    assert first.output == "2\n0.30000000000000004\n"
    assert second.shown is None
    assert rewritten(page, "page.md") == page
    almost = page.replace("0.30000000000000004", "0.30000000000000003")
    assert rewritten(almost, "page.md") == almost
    with pytest.raises(SystemExit, match="line 7: a block that prints must be followed by"):
        rewritten(PAGE.replace("```text", "```"), "page.md")


def test_what_a_page_registers_is_gone_afterwards() -> None:
    assert "urn_pi" not in cs.coefficients()
    assert "within-one" not in cs.distances.names()
    assert not {"codes", "votes"} & set(cs.formats())
    assert "mad" not in cs.magnitudes.measures()
    assert "few_raters" not in [check.__name__ for check in cs.findings.checks()]
    assert "counts" not in cs.report.UNIT_METHODS


def anchors(page: Path) -> set[str]:
    """What a link to a heading of the page may say after the #."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", read(page)), flags=re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_links_lead_somewhere() -> None:
    dead = [
        f"{name_of(page)}: {target}#{heading}"
        for page in ALL_PAGES
        for target, heading in re.findall(r"\]\(([^)#]*)#?([^)]*)\)", FENCE.sub("", read(page)))
        if not target.startswith("https://")
        for there in [page.parent / target if target else page]
        if not there.exists() or (heading and heading not in anchors(there))
    ]
    assert dead == []


def test_every_page_is_in_the_index() -> None:
    listed = re.findall(
        r"^- \[[^]]+\]\(([\w/-]+\.md)\)", read(DOCS / "index.md"), flags=re.MULTILINE
    )
    # The page of all commands leads to each of them.
    pages = {str(page.relative_to(DOCS)) for page in OF_DOCS} - {"index.md"}
    below = {page for page in pages if page.startswith(("cli/", "conformance/"))}
    assert sorted(listed) == sorted(pages - below | {"cli/index.md"})


def inline(page: Path) -> list[str]:
    """What stands in the running text as code."""
    return [" ".join(word.split()) for word in words(FENCE.sub("", read(page)))]


def in_running_text() -> Iterator[tuple[str, str]]:
    """The name of every page, with each piece of code in its running text."""
    for page in ALL_PAGES:
        for text in inline(page):
            yield name_of(page), text


def test_commands_in_the_text_exist() -> None:
    for page, text in in_running_text():
        program, *arguments = text.split()
        if program == "consilience" and arguments and re.fullmatch(r"[a-z]+", arguments[0]):
            assert arguments[0] in command_line.cli.commands, (page, text)
            command = command_line.cli.commands[arguments[0]]
            known = {name for one in command.params for name in (*one.opts, *one.secondary_opts)}
            options = [word for word in arguments if re.fullmatch(r"-\w|--[a-z-]+", word)]
            assert set(options) <= known, (page, text)


def test_functions_in_the_text_exist() -> None:
    for page, text in in_running_text():
        name = re.match(r"cs((?:\.[A-Za-z_]\w*)+)", text)
        if name:
            thing: Any = cs
            for part in name[1].split(".")[1:]:
                assert hasattr(thing, part), (page, text)
                thing = getattr(thing, part)


def test_make_targets_exist() -> None:
    targets = set(re.findall(r"^([\w-]+):", read(ROOT / "Makefile"), flags=re.MULTILINE))
    for page in PAGES:
        lines = "\n".join(block.text for block in blocks(page, "sh"))
        named = set(re.findall(r"^make ([\w-]+)", lines, flags=re.MULTILINE))
        assert named <= targets, name_of(page)


# --- generated tables -----------------------------------------------------------------------------


def test_generated_tables_are_up_to_date() -> None:
    render = runpy.run_path(str(DOCS / "_generate.py"))["render"]
    pages = [page for page in OF_DOCS if "<!-- generated: " in read(page)]
    old = [name_of(page) for page in pages if render(read(page)) != read(page)]
    assert old == [], "run: python docs/_generate.py"


def test_every_coefficient_and_distance_is_in_the_tables() -> None:
    from consilience.distances._distance import registry

    page = read(DOCS / "coefficients.md")
    for one in cs.coefficients().values():
        assert all(f"`{word}`" in page for word in (one.name, *one.aliases, *one.missing_rules))
        assert all(f"| `{word}`" in page or f", `{word}`" in page for word in one.standard_errors)
    assert all(f"| `{name}` |" in page for name in registry)


def test_every_public_function_is_on_a_page() -> None:
    pages = "".join(map(read, PAGES))
    functions = [name for name in cs.__all__ if name.islower() and callable(getattr(cs, name))]
    assert [name for name in functions if not re.search(rf"\b{name}\b", pages)] == []


def test_every_interval_unit_of_resampling_and_test_is_on_the_page_of_inference() -> None:
    from consilience.coefficients.resampled import UNITS
    from consilience.core.interval import INTERVALS

    page = read(DOCS / "inference.md")
    assert sorted(words(" ".join(table_column(page, "## Intervals")))) == sorted(
        set(INTERVALS) - {"auto"}
    )
    assert words(" ".join(table_column(page, "## What is resampled")))[1:] == [
        f'"{unit}"' for unit in UNITS
    ]
    functions = [
        name for name in cs.__all__ if getattr(getattr(cs, name), "__module__", "") in TESTS
    ]
    assert [name for name in functions if name.islower() and f"`{name}`" not in page] == []


def test_every_finding_is_on_the_page_of_the_report() -> None:
    from consilience.diagnosis._diagnosis import _CODES as CODES
    from consilience.diagnosis._diagnosis import _RATERS as RATERS

    column = table_column(read(DOCS / "report.md"), "## Findings")
    codes = {check.__name__ for check in cs.findings.checks()}
    codes |= {*CODES.values(), RATERS}  # causes, which are told as findings
    assert words(" ".join(column)) == sorted(codes)


def test_every_test_of_reference_records_is_named_in_the_validation() -> None:
    page = read(DOCS / "validation.md")
    for path in (ROOT / "tests" / "contract").glob("test_golden*.py"):
        assert f"`tests/contract/{path.name}`" in page
    for path in (ROOT / "tests" / "references").rglob("*.json"):
        if path.parent.name == "commands":
            continue
        assert f"| `{path.relative_to(ROOT / 'tests' / 'references')}` |" in page


# --- README, changelog, citation ------------------------------------------------------------------


def test_the_readme_keeps_its_order() -> None:
    headings = re.findall(r"^## (.+)$", read(ROOT / "README.md"), flags=re.MULTILINE)
    assert headings == [
        "Install",
        "Three minutes",
        "What do you have?",
        "How far to trust it",
        "Where to read on",
        "Cite",
    ]


def test_the_readme_leads_to_every_command() -> None:
    named = " ".join(inline(ROOT / "README.md")) + read(ROOT / "README.md")
    background = {"coefficients", "convert", "demo", "merge", "rows"}
    for command in set(command_line.cli.commands) - background:
        assert f"consilience {command} " in named, command


def test_numbers_in_the_readme_are_those_of_the_generated_pages() -> None:
    section = read(ROOT / "README.md").split("\n## How far to trust it\n")[1].split("\n## ")[0]
    section = " ".join(section.split())
    times = re.findall(r"[\d.]+ m?s\b", section)
    cells = re.findall(r"\d+ of \d+", section)
    assert len(times) == 6, times
    assert len(cells) == 1, cells
    assert [time for time in times if f"| {time} |" not in read(DOCS / "benchmarks.md")] == []
    assert [cell for cell in cells if f"**{cell} cells" not in read(DOCS / "coverage.md")] == []
    (least,) = re.findall(r"more than (\d+) recorded results", section)
    (records,) = re.findall(r"^\| all \| (\d+) \|", read(DOCS / "validation.md"), re.MULTILINE)
    assert int(records) > int(least)


def rows_of_the_readme() -> list[str]:
    """Every command of the table that leads from what people have to what they want."""
    section = read(ROOT / "README.md").split("\n## What do you have?\n")[1].split("\n## ")[0]
    cells = re.findall(r"^\| .+ \| .+ \| (`.+`) \| .+ \|$", section, flags=re.MULTILINE)
    assert len(cells) > 20
    return [command for cell in cells for command in words(cell)]


def bare(command: str) -> str:
    """A command without the words that change only how much is shown."""
    return re.sub(r" (--quiet|-q|--top \d+)(?= |$)", "", command)


def run_elsewhere() -> set[str]:
    """The commands of the blocks that other tests run and compare."""
    every = [
        line
        for page in PAGES
        for block in blocks(page, "console")
        for line in block.text.splitlines()
    ]
    return {bare(line[2:]) for line in every if line.startswith("$ consilience ")}


@pytest.mark.parametrize("command", sorted(set(rows_of_the_readme()) - run_elsewhere()))
@pytest.mark.usefixtures("workshop")
def test_every_row_of_the_table_in_the_readme_runs(command: str) -> None:
    shown = transcript([command, "echo $?"])
    assert shown.endswith("$ echo $?\n0\n"), shown


def changelog() -> list[tuple[str, str, str]]:
    """Version, date and text of each section, the newest first."""
    text = read(ROOT / "CHANGELOG.md").split("\n## [Unreleased]\n", 1)[1]
    parts = re.split(r"^## \[(\S+)\] - (\S+)$", text, flags=re.MULTILINE)
    return list(zip(parts[1::3], parts[2::3], parts[3::3], strict=True))


def test_the_changelog_has_dated_sections_of_known_kinds() -> None:
    dates = [datetime.date.fromisoformat(date) for _, date, _ in changelog()]
    assert dates == sorted(dates, reverse=True)
    for _, _, text in changelog():
        kinds = re.findall(r"^### (.+)$", text, flags=re.MULTILINE)
        known = [
            "Numbers changed", "Added", "Changed", "Deprecated", "Removed", "Fixed", "Security",
        ]  # fmt: skip
        assert kinds == [kind for kind in known if kind in kinds]


def test_changelog_and_citation_name_the_version() -> None:
    version, date, _ = changelog()[0]
    lines = read(ROOT / "CITATION.cff").splitlines()
    fields = dict(line.split(": ", 1) for line in lines if re.match(r"[a-z-]+: ", line))
    assert version == fields["version"] == cs.__version__
    assert fields["date-released"] == date
    assert fields["cff-version"] == "1.2.0"
    assert fields["license"] == "BSD-3-Clause"
    assert {"message", "title", "type"} <= set(fields)
    assert "  - name: The Consilience developers" in lines[lines.index("authors:") + 1 :]


# --- examples -------------------------------------------------------------------------------------


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_every_example_script_runs_and_writes_what_it_says(
    script: Path, workshop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = runpy.run_path(str(workshop / script.relative_to(ROOT)), run_name="__main__")
    printed = capsys.readouterr().out
    assert printed.count("\n") > 3
    wrote = set(re.findall(r"^Wrote (\S+)$", printed, flags=re.MULTILINE))
    assert {name for name in wrote if (workshop / name).stat().st_size > 1_000} == wrote
    promised = set(re.findall(r"``([\w]+\.(?:html|svg))``", found["__doc__"]))
    assert wrote == promised


def test_the_page_of_examples_lists_every_script_and_file() -> None:
    page = read(ROOT / "examples" / "README.md")
    files = [path.name for path in (ROOT / "examples").iterdir() if path.is_file()]
    assert [name for name in files if f"`{name}`" not in page and name != "README.md"] == []


@pytest.mark.parametrize(
    "command",
    [
        text
        for text in inline(ROOT / "examples" / "README.md")
        if text.startswith("consilience ") and "examples/" in text
    ],
)
@pytest.mark.usefixtures("workshop")
def test_every_command_on_the_page_of_examples_runs(command: str) -> None:
    shown = transcript([command, "echo $?"])
    assert shown.endswith("$ echo $?\n0\n"), shown


# --- architecture ---------------------------------------------------------------------------------


def folders() -> set[str]:
    return {path.parent.name for path in SOURCE.glob("*/__init__.py")}


def imported_folders(folder: str) -> set[str]:
    """Folders that a folder imports, but for the one that every folder may import."""
    found = set()
    for path in (SOURCE / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(read(path))):
            if not isinstance(node, ast.ImportFrom) or not node.module:
                continue
            top, _, rest = node.module.partition(".")
            if top == "consilience":
                names = [rest.split(".")[0]] if rest else [alias.name for alias in node.names]
                found.update(names)
    return found & folders() - {folder, "core"}


def test_the_architecture_lists_the_folders_that_exist_and_what_they_import() -> None:
    page = read(DOCS / "architecture.md")
    rows = re.findall(r"^\| `(\w+)/` \| .+ \| (.+) \|$", page, flags=re.MULTILINE)
    assert sorted(name for name, _ in rows) == sorted(folders())
    for name, listed in rows:
        allowed = set(listed.split(", ")) - {"-"}
        assert imported_folders(name) <= allowed <= folders(), name


def test_files_and_names_in_the_architecture_exist() -> None:
    page = read(DOCS / "architecture.md")
    source = "\n".join(map(read, SOURCE.rglob("*.py")))
    for word in re.findall(r"`([^`\n]+)`", page):
        if re.fullmatch(r"[\w/]+\.py", word):
            assert any((base / word).exists() for base in (ROOT, SOURCE)), word
        elif re.fullmatch(r"[A-Za-z_]\w+", word):
            assert re.search(rf"\b{word}\b", source), word


def test_the_table_of_code_lines_is_at_most_a_tenth_off() -> None:
    from benchmarks.house import capability_table

    def lines(page: str) -> dict[str, int]:
        rows = re.findall(r"^\| ([^|]+) \| [^|]* \| ([\d,]+) \|", page, flags=re.MULTILINE)
        return {name.strip(): int(number.replace(",", "")) for name, number in rows}

    shown, counted = lines(read(DOCS / "architecture.md")), lines(capability_table())
    assert counted
    assert shown.keys() >= counted.keys()
    far = {name: n for name, n in counted.items() if abs(shown[name] - n) > n / 10}
    assert far == {}, "run: python -m benchmarks.house --table, and copy it to docs/architecture.md"


def traced(arguments: Sequence[str]) -> list[tuple[str, str]]:
    """Run a command and return the file and name of every function of ours, as first called."""
    code = (
        "import sys\n"
        "from consilience.cli.program import run\n"
        "seen = {}\n"
        "def note(frame, event, argument):\n"
        "    if event == 'call' and '/consilience/' in (file := frame.f_code.co_filename):\n"
        "        seen[file.rpartition('/consilience/')[2], frame.f_code.co_qualname] = None\n"
        "sys.setprofile(note)\n"
        "code = run(sys.argv[1:])\n"
        "sys.setprofile(None)\n"
        "print(*map('\\t'.join, seen), sep='\\n', file=sys.stderr)\n"
        "sys.exit(code)\n"
    )
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    lines = [line.split("\t") for line in done.stderr.splitlines() if "\t" in line]
    return [(file, name) for file, name in lines]


def test_the_walks_in_the_architecture_pass_the_functions_that_are_called() -> None:
    section = read(DOCS / "architecture.md").split("\n## Two walks\n", 1)[1].split("\n## ", 1)[0]
    walks = re.split(r"`consilience ([^`]+)`:", section)[1:]
    assert len(walks) == 4
    for command, table in zip(walks[::2], walks[1::2], strict=True):
        steps = re.findall(r"^\| `([\w/]+\.py)` \| `([\w.]+)` \|", table, flags=re.MULTILINE)
        assert len(steps) > 15
        called = traced(command.split())
        assert [step for step in steps if step not in called] == []
        assert sorted(steps, key=called.index) == steps


# --- validation -----------------------------------------------------------------------------------


def test_every_paper_is_listed_in_the_validation() -> None:
    page = read(DOCS / "validation.md")
    tests = {path.name for path in (ROOT / "tests" / "papers").glob("test_*.py")}
    listed = re.findall(r"^\| `tests/papers/(test_\w+\.py)` \|", page, flags=re.MULTILINE)
    assert sorted(listed) == sorted(tests - {"test_every_dataset.py"})


def test_every_defect_of_a_peer_cites_its_test() -> None:
    page = read(DOCS / "validation.md")
    tests = read(ROOT / "tests" / "contract" / "test_peer_defects.py")
    named = set(re.findall(r"^def (test_\d\d_\w+)", tests, flags=re.MULTILINE))
    assert set(re.findall(r"`(test_\d\d_\w+)`", page)) == named
    rows = re.findall(r"^\| ([\w-]+-\d+) \| (\S+)", page, flags=re.MULTILINE)
    assert len({number for number, _ in rows}) == len(rows)
    assert all(number.startswith(peer.strip(",").lower()) for number, peer in rows)


def test_other_tests_named_in_the_validation_exist() -> None:
    source = "\n".join(map(read, (ROOT / "tests").rglob("test_*.py")))
    for word in re.findall(r"`(test_\w+)`", read(DOCS / "validation.md")):
        assert f"def {word}(" in source, word


# --- command line ---------------------------------------------------------------------------------


def test_every_command_has_a_page() -> None:
    pages = {page.stem for page in (DOCS / "cli").glob("*.md")} - {"index"}
    assert pages == set(command_line.cli.commands)


def test_every_option_that_help_shows_is_on_the_page() -> None:
    from click.testing import CliRunner

    for name in command_line.cli.commands:
        shown = CliRunner().invoke(command_line.cli, [name, "--help"]).output
        section = read(DOCS / "cli" / f"{name}.md").split("\n## Options\n", 1)[1]
        options = re.findall(r"^  (?:-\w, )?(--[\w-]+)", shown, flags=re.MULTILINE)
        on_page = [
            word
            for cell in re.findall(r"^\| `(-[^`]+)` \|", section, flags=re.MULTILINE)
            for word in re.findall(r"--[\w-]+", cell)
        ]
        assert set(options) - {"--help"} == set(on_page) - {"--no-header"}, name


def test_the_exit_codes_are_those_of_the_program() -> None:
    column = table_column(read(DOCS / "cli" / "index.md"), "## Exit codes")
    codes = (
        command_line.DONE,
        command_line.GATE_NOT_MET,
        command_line.WRONG_USAGE,
        command_line.BAD_DATA,
        command_line.UNDEFINED,
        command_line.OUR_FAULT,
        command_line.INTERRUPTED,
        128 + signal.SIGTERM,
    )
    assert [int(cell) for cell in column if cell.isdigit()] == list(codes)


def test_the_keys_of_the_json_are_on_the_page() -> None:
    column = table_column(read(DOCS / "cli" / "index.md"), "## JSON")
    split = column.index("key of an estimate")
    envelope = [word for cell in column[:split] for word in words(cell)]
    estimate = [word for cell in column[split:] for word in words(cell)]
    table = cs.Ratings.from_table([[4, 1], [1, 4]])
    grouped = cs.measure({"a": table}, by="site").to_dict()
    assert sorted(envelope) == sorted(grouped | cs.measure(table).to_dict())
    assert sorted(estimate) == sorted(grouped["groups"][0]["estimates"][0])
    text = read(DOCS / "cli" / "index.md")
    inner = [*grouped["data"], *grouped["groups"][0]]
    inner += grouped["groups"][0]["estimates"][0]["interval"]
    assert all(f"`{key}`" in text for key in inner)
