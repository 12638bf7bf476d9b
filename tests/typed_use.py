"""Run mypy and pyright on a program outside the package that uses it: ``make types``.

The package says that it is typed (``py.typed``); this is what somebody else's type checker makes
of that.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = ROOT / "examples" / "typed_use.py"


def main() -> int:
    """Copy the program away from the clone and check it there; also that a mistake is found."""
    with tempfile.TemporaryDirectory() as away:
        good = Path(away) / "good.py"
        good.write_text(PROGRAM.read_text(encoding="utf-8"), encoding="utf-8")
        bad = Path(away) / "bad.py"
        bad.write_text(
            "import consilience as cs\n\ncs.krippendorff_alpha([[1, 1]], confidence=2)\n",
            encoding="utf-8",
        )
        codes = []
        for checker in (
            ["mypy", "--strict", "--no-incremental"],
            ["pyright", "--pythonpath", sys.executable],
        ):
            command = [sys.executable, "-m", *checker]
            codes.append(subprocess.run([*command, good.name], cwd=away, check=False).returncode)
            wrong = subprocess.run([*command, bad.name], cwd=away, capture_output=True, check=False)
            if wrong.returncode == 0:
                print(f"{checker[0]} does not see an option that does not exist")
                codes.append(1)
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
