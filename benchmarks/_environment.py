"""Where the programs run: the peers' environment, and a description of the machine."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
_PEERS = ROOT / ".venv-peers"
_PINS = ROOT / "benchmarks" / "peers.txt"
_OURS = ("consilience", "numpy", "pandas", "polars")
_THEIRS = ("irrCAC", "krippendorff", "nltk", "scikit-learn", "statsmodels", "numpy", "pandas")
_VERSIONS = "import sys; from importlib.metadata import version; print(*map(version, sys.argv[1:]))"


def peers_python() -> str:
    """Return the peers' Python; install them first if they are not there yet."""
    python = _PEERS / ("Scripts" if os.name == "nt" else "bin") / "python"
    ready = _PEERS / "peers.txt"  # a copy of the pins that were installed
    if ready.exists() and ready.read_text() == _PINS.read_text():
        return str(python)
    if sys.version_info[:2] not in ((3, 11), (3, 12)):
        sys.exit("The peers must be run by Python 3.11 or 3.12 (irrCAC needs scipy 1.12.0).")
    print(f"Installing the peers into {_PEERS.name} (once) ...", file=sys.stderr, flush=True)
    subprocess.run([sys.executable, "-m", "venv", "--clear", _PEERS], check=True)
    pip = [python, "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
    subprocess.run([*pip, "-r", _PINS], check=True)
    ready.write_text(_PINS.read_text())
    return str(python)


def measure(call: str, size: int, *, peer: bool, seconds: float) -> dict[str, Any]:
    """Run one call in a process of its own, for about so many seconds; return what it printed."""
    python, module = (peers_python(), "peers") if peer else (sys.executable, "ours")
    quiet = ["-W", "ignore"] if peer else []  # the peers' deprecations are not our business
    command = [python, *quiet, "-m", "benchmarks._worker", module, call, str(size), str(seconds)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    record: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return record


def machine() -> list[str]:
    """Describe what the numbers were measured on, without naming the host."""
    return [
        f"{os.cpu_count()} cores of {_processor()}, {platform.system()} {platform.machine()}, "
        f"Python {platform.python_version()}",
        "Consilience's environment: " + _versions(sys.executable, _OURS),
        "The peers' environment: " + _versions(peers_python(), _THEIRS),
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
