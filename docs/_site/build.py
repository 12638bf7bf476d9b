"""Build the site: ``make docs``. No network is needed.

The pages stay plain Markdown that reads well where they lie. They are copied to
``docs/_build/source``, their links are made to fit, the reference and the gallery are written
beside them, and Sphinx does the rest. The navigation is that of ``docs/index.md``: every heading
is a section, every list below it the section's pages.
"""

from __future__ import annotations

import argparse
import os
import posixpath
import re
import runpy
import shutil
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
DOCS = HERE.parent
ROOT = DOCS.parent
BUILD = DOCS / "_build"
SOURCE = BUILD / "source"
SITE = BUILD / "html"
FENCE = re.compile(r"^(?P<fence>```+|:::+).*?^(?P=fence)$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"(!?\[(?:[^\]\\]|\\.)*\]\()([^)\s#]*)(#[^)\s]*)?\)")
# Pages that lie outside docs/, and where the site has them.
OUTSIDE = {
    "README.md": "project/readme.md",
    "CHANGELOG.md": "project/changelog.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "CODE_OF_CONDUCT.md": "project/code-of-conduct.md",
    "SECURITY.md": "project/security.md",
    "examples/README.md": "project/examples.md",
}


def pages() -> dict[Path, str]:
    """Return every page of the site, with its place there."""
    own = {
        path: path.relative_to(DOCS).as_posix()
        for path in sorted(DOCS.rglob("*.md"))
        if not any(part.startswith("_") for part in path.relative_to(DOCS).parts)
    }
    outside = {ROOT / path: place for path, place in OUTSIDE.items() if (ROOT / path).exists()}
    return {**own, **outside}


def with_links(text: str, page: Path, place: str, known: dict[Path, str]) -> str:
    """Make the links of a page fit; a file that is no page is copied and can be downloaded."""

    def fit(match: re.Match[str]) -> str:
        start, target, anchor = match[1], match[2], match[3] or ""
        if not target or "://" in target or target.startswith("mailto:"):
            return match[0]
        there = (page.parent / target).resolve()
        if there == DOCS / "index.md":  # its headings are pages of their own here
            end, anchor = f"{anchor.removeprefix('#') or 'index'}.md", ""
        elif there in known:
            end = known[there]
        elif there.is_dir():
            end = listing(there, known)
        else:
            end = copied(there)
        return f"{start}{posixpath.relpath(end, posixpath.dirname(place) or '.')}{anchor})"

    parts, last = [], 0
    for fence in FENCE.finditer(text):
        parts += [LINK.sub(fit, text[last : fence.start()]), fence[0]]
        last = fence.end()
    return "".join([*parts, LINK.sub(fit, text[last:])])


def with_arrows(text: str) -> str:
    """Write a diagram, which only some viewers draw, as a list of its arrows."""

    def plain(match: re.Match[str]) -> str:
        names = dict(re.findall(r'(\w+)\["([^"]+)"\]', match[1]))
        arrows = re.findall(r"^\s*(\w+)\S*.*? --> (\w+)", match[1], flags=re.MULTILINE)
        lines = [f"{names.get(a, a)} → {names.get(b, b)}" for a, b in arrows]
        return "```text\n" + "\n".join(lines).replace("<br>", " ") + "\n```"

    return re.sub(r"^```mermaid\n(.*?)^```$", plain, text, flags=re.DOTALL | re.MULTILINE)


def copied(path: Path) -> str:
    """Copy a file that a page leads to, and return its place."""
    inside = path.is_relative_to(DOCS)
    place = path.relative_to(DOCS).as_posix() if inside else f"files/{path.relative_to(ROOT)}"
    target = SOURCE / place
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    return place


def listing(folder: Path, known: dict[Path, str]) -> str:
    """Write a page with the files of a folder that a page leads to, and return its place."""
    name = folder.relative_to(ROOT).as_posix()
    place = f"files/{name}/index.md"
    target = SOURCE / place
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        lines = ["---", "orphan: true", "---", f"# {name}", ""]
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                copied(path)
                inside = path.relative_to(folder).as_posix()
                lines.append(f"- {{download}}`{inside} <{inside}>`")
        target.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return place


def sections() -> list[tuple[str, str, list[str]]]:
    """Return title, text and pages of each section of the index."""
    parts = re.split(r"^## (.+)$", (DOCS / "index.md").read_text(encoding="utf-8"), flags=re.M)
    found = []
    for title, text in zip(parts[1::2], parts[2::2], strict=True):
        links = re.findall(r"^- \[[^\]]+\]\(([^)#]+)\)", text, flags=re.MULTILINE)
        found.append((title, text.strip(), links))
    return found


def slug(title: str) -> str:
    """Return a section's name in addresses."""
    return re.sub(r"[^a-z]+", "-", title.lower()).strip("-")


def toctree(entries: list[str], *, hidden: bool = True) -> str:
    """Write the list that navigation is made from."""
    return "\n".join(["```{toctree}", ":hidden:" if hidden else "", "", *entries, "```", ""])


def write_sections(known: dict[Path, str]) -> list[str]:
    """Write a page for each section of the index, and return their names."""
    made = []
    for title, text, links in sections():
        places = [known[(DOCS / link).resolve()] for link in links]
        entries = [place.removesuffix(".md") for place in places if place != "project/readme.md"]
        if title == "Reference":
            entries.insert(0, "reference/index")
        body = with_links(text, DOCS / "index.md", f"{slug(title)}.md", known)
        if title == "Reference":
            body = f"- [Library](reference/index): every public name, with its example.\n{body}"
        page = f"# {title}\n\n{body}\n\n{toctree(entries)}"
        (SOURCE / f"{slug(title)}.md").write_text(page, encoding="utf-8")
        made.append(slug(title))
    return made


def write_pages_below() -> None:
    """Give the pages that stand for a folder the list of what is in it."""
    for index, folder in (
        (SOURCE / "cli" / "index.md", ""),
        (SOURCE / "conformance.md", "conformance/"),
    ):
        inside = index.parent / folder
        below = sorted(path.stem for path in inside.glob("*.md") if path != index)
        entries = [f"{folder}{name}" for name in below]
        index.write_text(index.read_text(encoding="utf-8") + "\n" + toctree(entries))


def stage() -> int:
    """Write everything that Sphinx reads; return the number of public names."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    SOURCE.mkdir(parents=True)
    runpy.run_path(str(DOCS / "_figures.py"))["write"](SOURCE / "figures")
    known = pages()
    for path, place in known.items():
        if path == DOCS / "index.md":
            continue
        target = SOURCE / place
        target.parent.mkdir(parents=True, exist_ok=True)
        text = with_links(with_arrows(path.read_text(encoding="utf-8")), path, place, known)
        target.write_text(text, encoding="utf-8")
    made = write_sections(known)
    write_pages_below()
    sys.path.insert(0, str(HERE))
    import gallery
    import reference

    gallery.write(SOURCE)
    found = reference.write(SOURCE / "reference")
    landing = (HERE / "landing.md").read_text(encoding="utf-8")
    entries = [*made, "project/readme"]
    landing += "\n" + toctree(entries[:-1])
    (SOURCE / "index.md").write_text(landing, encoding="utf-8")
    readme = SOURCE / "project" / "readme.md"
    readme.write_text("---\norphan: true\n---\n" + readme.read_text(encoding="utf-8"))
    return len(found)


def build(jobs: int) -> int:
    """Run Sphinx; a warning is an error."""
    from sphinx.cmd.build import main

    shutil.rmtree(SITE, ignore_errors=True)
    doctrees = str(BUILD / "doctrees")
    arguments = ["-W", "--keep-going", "-q", "-E", "-j", str(jobs), "-c", str(HERE)]
    return main([*arguments, "-d", doctrees, "-b", "html", str(SOURCE), str(SITE)])


def signature_lines(match: re.Match[str]) -> str:
    """Write the lines of a long signature, which explain no term, as lines."""
    lines = match[1].replace("<dd>", '<span class="sig-line">').replace("</dd>", "</span>")
    return f'<span class="sig-lines">{lines}</span>'


def tidy() -> None:
    """Mend what readers of the screen would stumble over in the theme's pages."""
    for path in SITE.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        text = text.replace("<summary>", '<summary aria-label="Pages below">')
        text = text.replace(' role="doc-biblioentry"', "").replace(
            '<div role="list" class="cit', '<div class="cit'
        )
        text = re.sub(r"<dl>\n((?:<dd>.*</dd>\n)+)</dl>", signature_lines, text)
        # A parameter that is only named still needs something that it is explained by.
        text = re.sub(r"</dt>(\s*)(<dt|</dl>)", r"</dt>\1<dd></dd>\2", text)
        path.write_text(text, encoding="utf-8")


def run() -> int:
    """Stage, build, and check that every link leads somewhere."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    wishes = parser.parse_args()
    start = time.perf_counter()
    n_names = stage()
    code = build(wishes.jobs)
    if code:
        return code
    tidy()
    import links

    n_links, broken = links.check(SITE)
    print(*broken, sep="\n", end="\n" if broken else "")
    n_pages = len(list(SITE.rglob("*.html")))
    print(
        f"{n_pages} pages, {n_names} public names, {n_links} links of which {len(broken)} lead"
        f" nowhere, {time.perf_counter() - start:.0f} s: {SITE.relative_to(ROOT)}/index.html"
    )
    return bool(broken)


if __name__ == "__main__":
    sys.exit(run())
