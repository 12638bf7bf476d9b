"""Print the versions of everything that development needs, as pip resolves them today.

``make lock`` writes them to ``requirements-dev.lock``; ``pip install -r requirements-dev.lock``
gives the same environment again. Versions only, so that one file serves every system.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GROUPS = ("test", "lint", "docs", "release")


def resolved() -> dict[str, str]:
    """Return names and versions of what would be installed into an empty environment."""
    groups = [word for name in GROUPS for word in ("--group", f"{ROOT / 'pyproject.toml'}:{name}")]
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    command += ["--dry-run", "--ignore-installed", "--report", "-", str(ROOT), *groups]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, cwd=ROOT)
    found = [one["metadata"] for one in json.loads(done.stdout)["install"]]
    return {one["name"]: one["version"] for one in found if one["name"] != "consilience"}


if __name__ == "__main__":
    major, minor = sys.version_info[:2]
    print(f"# Written by `make lock` with Python {major}.{minor}: dependencies and all groups.")
    for name, version in sorted(resolved().items(), key=lambda pair: pair[0].lower()):
        print(f"{name}=={version}")
