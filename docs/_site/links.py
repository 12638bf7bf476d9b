"""Check that every link, picture, script and style of a built site leads somewhere."""

from __future__ import annotations

import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The anchors of a page and what it refers to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.targets: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag is called and where it leads."""
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            elif name in ("href", "src") and value:
                self.targets.append(value)


@cache
def page_at(path: Path) -> Page:
    """Read a page once."""
    return Page(path)


def lacks(path: Path, anchor: str) -> bool:
    """Say whether a page has no place of that name."""
    return bool(anchor) and path.suffix == ".html" and anchor not in page_at(path).anchors


def check(site: Path) -> tuple[int, list[str]]:
    """Return the number of links inside the site, and those that lead nowhere or load from afar."""
    number, broken = 0, []
    for path in sorted(site.rglob("*.html")):
        if "_static" in path.parts:  # templates of the theme
            continue
        for target in page_at(path).targets:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            number += 1
            there = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not there.is_file():
                broken.append(f"{path.relative_to(site)}: {target} does not exist")
            elif lacks(there, unquote(parts.fragment)):
                broken.append(f"{path.relative_to(site)}: {target} has no such heading")
    return number, broken


if __name__ == "__main__":
    count, wrong = check(Path(sys.argv[1]).resolve())
    print(*wrong, f"{count} links, {len(wrong)} lead nowhere", sep="\n")
    sys.exit(bool(wrong))
