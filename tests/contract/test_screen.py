"""What commands print on a screen of 80 columns: short, no line too long, no word broken."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest

from consilience.cli.program import run
from consilience.document.text import MOST_LINES

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PANEL = "panel verdicts_long.csv --item item --refusal refused --people Ann --people Bob"
CASES = {
    "measure": "measure labels.csv",
    "measure of variables": "measure headlines_long.csv",
    "panel": f"{PANEL} --people Cid --system gpt --system bert",
    "marks": "marks essays_wide.csv",
    "plan": "plan --kappa0 0.4 --kappa1 0.6 --raters 3 --simulations 200",
    "plan from a pilot": "plan --pilot labels.csv --half-width 0.1 --simulations 200",
    "units": "units gestures.csv",
    "raters": "raters essays_wide.csv --scale ordinal",
    "raters by variable": "raters headlines_long.csv",
    "compare": "compare labels.csv essays_wide.csv -c alpha -c ac1",
    "latent": "latent verdicts_long.csv",
    "latent classes": "latent essays_wide.csv --model lca",
}


def printed(command: str, monkeypatch: pytest.MonkeyPatch, *, columns: int) -> list[str]:
    monkeypatch.chdir(EXAMPLES)
    monkeypatch.setenv("COLUMNS", str(columns))
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        assert run([*shlex.split(command)]) == 0
    return out.getvalue().splitlines()


@pytest.mark.parametrize("name", CASES)
def test_a_screen_holds_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = printed(CASES[name], monkeypatch, columns=80)
    assert len(lines) <= MOST_LINES
    assert max(map(len, lines)) <= 80


def words(lines: list[str]) -> set[str]:
    """The words on a screen, without colour and what is drawn of lines."""
    text = re.sub(r"\x1b\[[\d;]*m", "", "\n".join(lines))
    return {word for word in text.split() if not set(word) <= set("·━●─")}


@pytest.mark.parametrize("screen", ["pipe", "terminal"])
@pytest.mark.parametrize("name", CASES)
def test_no_word_is_broken(name: str, screen: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if screen == "terminal":
        monkeypatch.setenv("FORCE_COLOR", "1")
    whole = CASES[name] + ("" if name.startswith("plan") else " --all")
    wide = words(printed(whole, monkeypatch, columns=1000))
    lines = printed(whole, monkeypatch, columns=80)
    assert words(lines) <= wide
    assert max(len(re.sub(r"\x1b\[[\d;]*m", "", line)) for line in lines) <= 80


@pytest.mark.parametrize("name", ["measure", "marks", "latent"])
def test_colour_is_as_the_environment_says(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b" not in "".join(printed(CASES[name], monkeypatch, columns=80))
    monkeypatch.setenv("FORCE_COLOR", "1")
    coloured = "\n".join(printed(CASES[name], monkeypatch, columns=80))
    assert "\x1b[" in coloured
    assert "●" in coloured  # the interval as a bar
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in "".join(printed(CASES[name], monkeypatch, columns=80))
