"""What importing costs: nothing is loaded before it is used."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

# A bare interpreter with numpy loads about 200 modules; the package may add its own few.
MOST_MODULES = 230
HEAVY = {
    "click", "duckdb", "jinja2", "matplotlib", "narwhals", "openpyxl", "pandas", "polars",
    "pyarrow", "pyspark", "rich", "scipy", "sklearn", "starlette", "statsmodels",
}  # fmt: skip


def loaded_by(code: str) -> set[str]:
    """Run code in a fresh interpreter and return the modules that it loaded."""
    program = (
        f"import sys\n{code}\nimport json\nprint(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stderr.splitlines()[-1]))


def heavy(modules: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules} & HEAVY


def test_importing_the_package_stays_within_its_budget() -> None:
    modules = loaded_by("import consilience")
    assert not heavy(modules)
    assert len(modules) <= MOST_MODULES


def test_making_ratings_needs_numpy_and_nothing_heavier() -> None:
    modules = loaded_by(
        "import consilience as cs\n"
        "cs.Ratings.from_wide([['a', 'b'], ['a', 'a']])\n"
        "cs.coefficients, cs.distances, cs.exceptions, cs.inference"
    )
    assert "numpy" in modules
    assert not heavy(modules)


def test_a_value_from_plain_lists_loads_no_dataframe_library() -> None:
    modules = loaded_by("import consilience as cs\ncs.krippendorff_alpha([1, 2, 2], [1, 2, 1])")
    assert not heavy(modules) - {"scipy"}


def test_a_value_and_its_error_need_no_scipy() -> None:
    modules = loaded_by(
        "import consilience as cs\ncs.scott_pi([1, 2, 2], [1, 2, 1]).standard_error"
    )
    assert "scipy" not in heavy(modules)


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["measure", "--help"]], ids=str)
def test_asking_the_command_line_for_help_does_not_wait_for_numpy(arguments: list[str]) -> None:
    modules = loaded_by(
        "import io, contextlib\n"
        "from consilience.cli import main\n"
        f"sys.argv = ['consilience', *{arguments!r}]\n"
        "with contextlib.redirect_stdout(io.StringIO()) as out:\n"
        "    try:\n"
        "        main()\n"
        "    except SystemExit as done:\n"
        "        assert not done.code, done.code\n"
        "assert out.getvalue()"
    )
    assert not {name.partition(".")[0] for name in modules} & (
        HEAVY - {"click", "rich"} | {"numpy"}
    )


def test_the_module_can_be_run() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "consilience.cli", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "measure" in done.stdout
    assert done.stderr == ""


def test_importing_leaves_the_interpreter_as_it_was() -> None:
    loaded_by(
        "import locale, logging, threading, warnings\n"
        "import numpy\n"
        "def state():\n"
        "    return (threading.active_count(), logging.root.level, list(logging.root.handlers),\n"
        "            locale.setlocale(locale.LC_ALL), numpy.geterr(),\n"
        "            numpy.random.get_state()[1].tolist())\n"
        "filters, before = list(warnings.filters), state()\n"
        "import consilience as cs\n"
        "cs.Ratings, cs.coefficients()\n"
        "assert warnings.filters == filters\n"
        "cs.krippendorff_alpha([1, 2, 2], [1, 2, 1]).confidence_interval()\n"
        "assert state() == before"
    )
