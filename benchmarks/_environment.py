"""Where the programs run: the peers' environment, and a description of the machine."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
_VERSIONS = "import sys; from importlib.metadata import version; print(*map(version, sys.argv[1:]))"
_PROGRAMS = {
    "ours": ("consilience", "numpy", "pandas", "polars"),
    "peers": (
        "krippendorff",
        "nltk",
        "pingouin",
        "scikit-learn",
        "segeval",
        "statsmodels",
        "numpy",
        "pandas",
    ),
    "irrcac": ("irrCAC", "numpy", "pandas"),
    "pygamma": ("pygamma-agreement", "numpy"),
}


@cache
def python_of(home: str) -> str:
    """Return the Python of an environment; install the peers first if they are not there yet."""
    if home == "ours":
        return sys.executable
    folder = ROOT / ".venv-peers" / home
    pins = ROOT / "benchmarks" / f"{home}.txt"
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    ready = folder / "installed.txt"  # a copy of the pins
    if ready.exists() and ready.read_text() == pins.read_text():
        return str(python)
    print(f"Installing benchmarks/{pins.name} (once) ...", file=sys.stderr, flush=True)
    subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
    pip = [str(python), "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
    subprocess.run([*pip, "-r", str(pins)], check=True)
    ready.write_text(pins.read_text())
    return str(python)


def measure(call: str, size: int, *, home: str, seconds: float) -> dict[str, Any]:
    """Run one call in a process of its own, for about so many seconds; return what it printed."""
    ours = home == "ours"
    quiet = [] if ours else ["-W", "ignore"]  # the peers' deprecations are not our business
    worker = ["-m", "benchmarks._worker", "ours" if ours else "peers"]
    command = [python_of(home), *quiet, *worker, call, str(size), str(seconds)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    record: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return record


def machine() -> list[str]:
    """Describe what the numbers were measured on, without naming the host."""
    system = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    return [
        f"{os.cpu_count()} cores of {_processor()}, {system}",
        *(_versions(python_of(home), names) for home, names in _PROGRAMS.items()),
    ]


def _versions(python: str, names: tuple[str, ...]) -> str:
    command = [python, "-c", _VERSIONS, *names]
    found = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    return ", ".join(f"{name} {version}" for name, version in zip(names, found, strict=True))


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or "an unnamed processor"
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else "an unnamed processor"
