"""Another package adds one of each kind: installed, never imported, used by name."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import consilience

PLUGIN = Path(__file__).resolve().parents[2] / "examples" / "plugin"
USED = """
import json, pathlib, sys
import consilience as cs
from consilience.cli import main
from consilience.latent import LATENT_MODELS
from consilience.report import measure_units

ratings = cs.datasets.load("krippendorff_2011")
two = cs.Ratings.from_wide([["a", "a"], ["b", "a"], ["b", "b"], ["a", "a"]])
pathlib.Path("votes.jsonl").write_text("".join(
    json.dumps({"poll": poll, "voter": voter, "vote": vote}) + "\\n"
    for poll, voter, vote in [(1, "a", "x"), (1, "b", "x"), (2, "a", "y"), (2, "b", "x")]
))
units = cs.Units.from_records([("Ann", "nod", 0, 9), ("Ann", "nod", 9, 12), ("Bob", "nod", 1, 9)])
print(json.dumps({
    "coefficient": round(cs.measure(ratings)["Pi of the urn"].value, 4),
    "alias": cs.coefficients()["URN"].name,
    "distance": cs.percent_agreement([1, 2, 3, 5], [2, 2, 5, 4], distance="within-one").value,
    "finding": [one.code for one in cs.measure(two).findings if one.code == "few_raters"],
    "export": cs.load("votes.jsonl").reading.format,
    "told": cs.read("votes.jsonl", format="votes").n_items,
    "units": measure_units(units, method="counts")["count_ratio"].value,
    "model": LATENT_MODELS["plurality"].fit(two).labels[0],
    "loaded": "agreement_extras" in sys.modules,
}))
"""


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder that holds what an installer makes of the package.

    No build backend need be at hand offline, so that the few files are written here.
    """
    told = tomllib.loads((PLUGIN / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    site = tmp_path / "site"
    shutil.copytree(PLUGIN / "src", site)
    about = site / f"agreement_extras-{told['version']}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {told['name']}\nVersion: {told['version']}\n",
        encoding="utf-8",
    )
    groups = [
        "\n".join([f"[{group}]", *(f"{name} = {value}" for name, value in points.items())])
        for group, points in told["entry-points"].items()
    ]
    (about / "entry_points.txt").write_text("\n\n".join(groups) + "\n", encoding="utf-8")
    return site


def run(code: str, site: Path, *, warnings: str = "error") -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(site), str(Path(consilience.__file__).parents[1])])
    return subprocess.run(
        [sys.executable, "-W", warnings, "-c", code],
        check=False, capture_output=True, text=True, cwd=site.parent,
        env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip


def test_a_package_adds_one_of_each_kind(installed: Path) -> None:
    done = run(USED, installed)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "coefficient": 0.7605,
        "alias": "urn_pi",
        "distance": 0.75,
        "finding": ["few_raters"],
        "export": "votes",
        "told": 2,
        "units": 0.5,
        "model": "a",
        "loaded": True,
    }


def test_the_command_line_knows_what_was_added(installed: Path) -> None:
    table = installed.parent / "two.csv"
    table.write_text("item,ann,bob\n1,yes,yes\n2,no,yes\n3,no,no\n4,yes,yes\n", encoding="utf-8")
    code = (
        "from consilience.cli import main\n"
        f"main(['latent', {str(table)!r}, '--model', 'plurality', '--json', '-q'])"
    )
    done = run(code, installed)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["models"][0]["labels"]["1"] == "yes"


def test_one_that_fails_is_named_in_a_warning_and_the_others_stay(installed: Path) -> None:
    broken = installed / "agreement_extras" / "coefficient.py"
    broken.write_text("import no_such_library\n", encoding="utf-8")
    code = (
        "import consilience as cs\n"
        "print(len(cs.coefficients()), 'urn' in cs.coefficients(), "
        "'within-one' in cs.distances.names())"
    )
    done = run(code, installed, warnings="default")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["11", "False", "True"]
    assert done.stderr.count("the plug-in 'urn_pi'") == 1
    assert "No module named 'no_such_library'" in done.stderr


def test_one_that_registers_nothing_is_named(installed: Path) -> None:
    silent = installed / "agreement_extras" / "distance.py"
    silent.write_text("", encoding="utf-8")
    done = run("import consilience as cs\ncs.distances.names()", installed, warnings="default")
    assert "registers no distance of that name" in done.stderr
