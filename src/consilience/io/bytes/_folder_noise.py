"""Files that lie in folders and archives and hold no data: read-me files, licences, leftovers."""

from __future__ import annotations

from pathlib import PurePosixPath

_FOLDERS = ("__MACOSX", ".git", ".svn", ".ipynb_checkpoints", "__pycache__")
_FILES = ("thumbs.db", "desktop.ini", "ehthumbs.db", "icon\r")
_STEMS = ("readme", "read_me", "read me", "liesmich", "lisezmoi", "leeme", "license", "licence",
          "copying", "changelog", "changes", "authors", "contributors", "contributing", "citation",
          "notice")  # fmt: skip
_PROSE = ("", ".txt", ".md", ".rst", ".html", ".htm", ".pdf", ".docx", ".rtf", ".cff", ".bib")
_SETTINGS = (".conf", ".cfg", ".ini", ".lock", ".log")


def noise_in(name: str) -> str | None:
    """Say why a file is no data, by its path below the folder; None if it may well be.

    >>> noise_in("a/README.md"), noise_in("__MACOSX/._a.eaf"), noise_in("a/talk.eaf")
    ('a file about the data', 'a leftover of the system', None)
    """
    path = PurePosixPath(name.replace("\\", "/"))
    if any(part in _FOLDERS for part in path.parts) or path.name.casefold() in _FILES:
        return "a leftover of the system"
    if any(part.startswith(".") and part not in (".", "..") for part in path.parts):
        return "a hidden file"
    suffix = path.suffix.casefold()
    if path.stem.casefold() in _STEMS and suffix in _PROSE:
        return "a file about the data"
    return "settings of a program" if suffix in _SETTINGS else None
