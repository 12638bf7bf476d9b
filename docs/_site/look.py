"""Open pages of the built site in a browser, from their files: ``make docs docs-look``.

Light, dark and as wide as a phone; axe-core must have nothing to say, nothing may be loaded from
elsewhere, no page may be wider than its window, and the search must find a word without a server.
Pictures go to ``docs/_build/look``.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

BUILD = Path(__file__).resolve().parents[1] / "_build"
SITE = BUILD / "html"
PICTURES = BUILD / "look"
PAGES = (
    "index", "tutorials", "tutorials/doctors", "howto/coming-from", "explanation/prevalence",
    "gallery", "cli/measure", "reference/consilience.cohen_kappa", "reference/consilience",
    "conformance", "glossary", "search",
)  # fmt: skip
LOOKS: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "color_scheme": "light"},
}


def faults_of(page: Any, name: str, look: str) -> list[str]:
    """Return what is wrong with an open page."""
    found = []
    wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    if wide > 0:
        found.append(f"{name} ({look}): {wide} pixels wider than the window")
    for rule in Axe().run(page).response["violations"]:
        places = [node["html"][:120] for node in rule["nodes"][:3]]
        found.append(f"{name} ({look}): {rule['id']}, {rule['help']}: {places}")
    return found


def look_at(browser: Any, look: str) -> list[str]:
    """Open every page in one look."""
    found: list[str] = []
    context = browser.new_context(**LOOKS[look])
    page = context.new_page()
    far: list[str] = []
    page.on("request", lambda one: far.append(one.url) if one.url.startswith("http") else None)
    page.on("pageerror", lambda one: found.append(f"{page.url}: {one}"))
    for name in PAGES:
        page.goto((SITE / f"{name}.html").as_uri())
        page.wait_for_load_state("networkidle")
        found += faults_of(page, name, look)
        page.screenshot(path=str(PICTURES / f"{name.replace('/', '-')}-{look}.png"))
    context.close()
    return found + [f"{look}: loads {url}" for url in sorted(set(far))]


def search(browser: Any, word: str) -> list[str]:
    """Look for a word in the pages, as a reader does who has only the folder."""
    page = browser.new_page()
    page.goto((SITE / "search.html").as_uri() + f"?q={word}")
    page.wait_for_selector("#search-results li", timeout=20_000)
    found = [one.inner_text() for one in page.query_selector_all("#search-results li a")]
    page.close()
    return found


def main() -> int:
    """Look at all pages in all ways, and say what is wrong."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        faults = [one for look in LOOKS for one in look_at(browser, look)]
        results = search(browser, "prevalence")
        browser.close()
    if not any("Prevalence" in one for one in results):
        faults.append(f"search for prevalence finds {results}")
    print(*faults, sep="\n", end="\n" if faults else "")
    print(f"{len(PAGES)} pages in {len(LOOKS)} looks, {len(faults)} faults; {len(results)} found")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
