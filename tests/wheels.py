"""Build the wheel and the source archive twice, compare the bytes, and look into them.

``make wheels`` leaves them in ``dist``; ``make sbom`` adds a bill of materials of an environment
that holds the wheel and nothing else.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NEEDED = ("consilience/py.typed", "consilience/__init__.py", "share/man/man1/consilience.1")
FORBIDDEN = re.compile(r"(^|/)(tests?|benchmarks|docs|__pycache__)/")


def released() -> int:
    """Return the moment of the release that the changelog names: files get this date."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    (date,) = re.findall(r"^## \[[\d.]+\] - (\S+)$", text, flags=re.MULTILINE)[:1]
    return int(datetime.fromisoformat(date).replace(tzinfo=UTC).timestamp())


def tree(folder: Path) -> Path:
    """Copy what is committed, so that nothing else can get in."""
    target = folder / "tree"
    target.mkdir()
    names = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True
    ).stdout.split("\0")
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, target / name)
    return target


def built(folder: Path) -> dict[str, Path]:
    """Build once and return the files by name."""
    out = folder / "out"
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(released())}
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out)]
    subprocess.run(
        [*command, str(tree(folder))], check=True, env=environment, stdout=subprocess.DEVNULL
    )
    return {path.name: path for path in sorted(out.iterdir())}


def digest(path: Path) -> str:
    """Return the checksum of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def check_contents(wheel: Path) -> None:
    """Refuse a wheel that lacks something or brings along what is not ours to install."""
    names = zipfile.ZipFile(wheel).namelist()
    lacking = [one for one in NEEDED if not any(name.endswith(one) for name in names)]
    package = [name for name in names if name.startswith("consilience/")]
    stray = [name for name in package if FORBIDDEN.search(name)]
    if lacking or stray:
        raise SystemExit(f"{wheel.name}: lacks {lacking}, should not hold {stray}")


def environment_with(
    wheel: Path, folder: Path, versions: Sequence[str] = (), base: str = sys.executable
) -> Path:
    """Install the wheel, and what it needs in these versions, and return the Python."""
    subprocess.run([base, "-m", "venv", str(folder)], check=True)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, str(wheel), *versions], check=True)
    return python


def smoke(python: Path) -> None:
    """Measure an example with what was installed, away from this clone."""
    example = str(ROOT / "examples" / "labels.csv")
    command = [str(python), "-m", "consilience", "measure", example, "-c", "alpha", "--csv", "-q"]
    with tempfile.TemporaryDirectory() as away:
        done = subprocess.run(command, cwd=away, stdout=subprocess.PIPE, text=True, check=True)
    if "0.579" not in done.stdout:
        raise SystemExit(f"the installed wheel measures something else:\n{done.stdout}")


def make(into: Path) -> Path:
    """Build twice, compare, check, and return the wheel."""
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        one, two = built(Path(first)), built(Path(second))
        sums = [{name: digest(path) for name, path in each.items()} for each in (one, two)]
        if sums[0] != sums[1]:
            raise SystemExit(f"two builds differ: {sums}")
        into.mkdir(exist_ok=True)
        for name, path in one.items():
            shutil.copyfile(path, into / name)
            print(f"{sums[0][name]}  {name}")
    (wheel,) = into.glob("*.whl")
    check_contents(wheel)
    files = [str(path) for path in into.iterdir() if path.suffix in (".whl", ".gz")]
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *files], check=True)
    with tempfile.TemporaryDirectory() as folder:
        smoke(environment_with(wheel, Path(folder)))
    print("built twice with the same bytes, checked, installed and run")
    return wheel


def write_sbom(wheel: Path, into: Path) -> None:
    """Write what an environment with the wheel holds."""
    out = into / f"{wheel.stem.split('-py')[0]}.cdx.json"
    with tempfile.TemporaryDirectory() as folder:
        python = environment_with(wheel, Path(folder))
        command = [sys.executable, "-m", "cyclonedx_py", "environment", str(python)]
        command += ["--output-reproducible", "--of", "JSON", "-o", str(out)]
        subprocess.run(command, check=True)
    print(f"wrote {out.name}")


def main() -> None:
    """Do what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, default=ROOT / "dist")
    parser.add_argument("--sbom", action="store_true", help="write the bill of materials")
    wishes = parser.parse_args()
    found = sorted(wishes.into.glob("*.whl")) if wishes.into.exists() else []
    wheel = found[-1] if wishes.sbom and found else make(wishes.into)
    if wishes.sbom:
        write_sbom(wheel, wishes.into)


if __name__ == "__main__":
    main()
