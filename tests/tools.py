"""Install what tests need beside Python packages: a browser, Java, groff, Playwright's Firefox.

Only what is missing is installed, by the means of the system: `python tests/tools.py`. With
``--say`` the commands are said and not run. What cannot be had on a machine is named and is no
error: tests that need it are left out, and the last lines of a run say so.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from needed import BROWSER, FIREFOX, JAVA, brought, chromium_path, has_java

Command = list[str]
GROFF = "groff"
PLAYWRIGHT = [sys.executable, "-m", "playwright", "install"]


def ways(system: str, is_ubuntu: bool = False) -> dict[str, list[Command]]:
    """Return how each tool is installed on a system: one way, and others if it fails.

    A system is "apt" or a name as `platform.system` gives it.
    """
    browsers = [*PLAYWRIGHT, "--with-deps"] if system == "apt" else PLAYWRIGHT
    found: dict[str, list[Command]] = {
        BROWSER: [[*browsers, "chromium"]], FIREFOX: [[*browsers, "firefox"]],
        JAVA: [], GROFF: [],
    }  # fmt: skip
    if system == "apt":
        apt = ["apt-get", "install", "-y", "-qq", "--no-install-recommends"]
        if not is_ubuntu:  # whose own is a snap
            found[BROWSER].insert(0, [*apt, "chromium"])
        found[JAVA] = [[*apt, f"openjdk-{number}-jre-headless"] for number in (17, 21)]
        found[GROFF] = [[*apt, "groff-base"]]
    elif system == "Darwin":
        found[JAVA] = [["brew", "install", "--cask", "temurin@17"]]
        found[GROFF] = [["brew", "install", "groff"]]
    elif system == "Windows":
        found[JAVA] = [["winget", "install", "--id", "EclipseAdoptium.Temurin.17.JRE"]]
    return found


def missing() -> list[str]:
    """Return the tools that this machine does not have."""
    from playwright.sync_api import sync_playwright

    has_java.cache_clear()
    with sync_playwright() as driver:
        there = {
            BROWSER: chromium_path(driver) is not None, FIREFOX: bool(brought(driver.firefox)),
            JAVA: has_java(), GROFF: shutil.which("groff") is not None,
        }  # fmt: skip
    return [name for name, is_there in there.items() if not is_there]


def install(
    wanted: list[str],
    found: dict[str, list[Command]],
    run: Callable[[Command], bool],
) -> None:
    """Run the commands for what is wanted; where one fails, the next one."""
    commands = [command for name in wanted for command in found[name]]
    if any(command[0] == "apt-get" for command in commands):
        run(["apt-get", "update", "-qq"])
    for name in wanted:
        for command in found[name]:
            if run(command):
                break


def outcome(left: list[str]) -> str:
    """Say what is there, and what becomes of the tests that need what is not."""
    if not left:
        return "All tools are there."
    return (
        f"Not to be had here: {', '.join(left)}. All else is there; the tests that need what is "
        "not are left out, and the last lines of make test say so."
    )


def main() -> None:
    """Install what can be had, and say what cannot."""
    is_apt = platform.system() == "Linux" and shutil.which("apt-get") is not None
    about = Path("/etc/os-release")
    is_ubuntu = about.exists() and "ID=ubuntu" in about.read_text(encoding="utf-8").split()
    rights = ["sudo"] if is_apt and os.geteuid() else []

    def run(command: Command) -> bool:
        whole = [*rights, *command] if command[0] == "apt-get" else command
        print(" ".join(whole), flush=True)
        if "--say" in sys.argv:
            return True
        quiet = {"stdout": subprocess.DEVNULL} if command[0] == "apt-get" else {}
        try:
            return subprocess.run(whole, check=False, **quiet).returncode == 0
        except OSError as error:
            print(error)
            return False

    install(missing(), ways("apt" if is_apt else platform.system(), is_ubuntu), run)
    print(outcome(missing()))


if __name__ == "__main__":
    main()
