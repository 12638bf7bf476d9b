"""Settings of the site. ``make docs`` builds it from a copy of the pages, see ``build.py``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from numpydoc.docscrape_sphinx import SphinxDocString

from consilience import __version__

HERE = Path(__file__).resolve().parent

project = "Consilience"
author = "The Consilience developers"
copyright = author
release = version = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "numpydoc",
    "sphinx_design",
    "sphinx_copybutton",
]
root_doc = "index"
exclude_patterns = ["files/**/README.md"]  # to be downloaded, not to be read here
nitpicky = False
default_role = "code"  # docstrings write names in single backticks
pygments_style = "a11y-high-contrast-light"

myst_enable_extensions = ["colon_fence", "deflist", "attrs_block"]
myst_heading_anchors = 4
# Examples of input and output are no language that could be coloured.
highlight_language = "none"

autodoc_typehints = "none"  # the sections of a docstring name the types
autodoc_member_order = "bysource"
python_maximum_signature_line_length = 80
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
# `load("x")` in a docstring is code of its reader, not of ours.
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True

html_theme = "pydata_sphinx_theme"
html_title = "Consilience"
html_static_path = [str(HERE / "static")]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_show_sourcelink = False
html_show_sphinx = False
html_copy_source = False
# A page that was opened from a folder may not read its neighbours, so search shows titles alone.
html_show_search_summary = False
html_domain_indices = False
html_theme_options = {
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "header_links_before_dropdown": 7,
    "show_nav_level": 1,
    "navigation_depth": 2,
    "collapse_navigation": True,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "show_prev_next": True,
    "back_to_top_button": False,
}
html_sidebars = {"index": [], "reference/**": ["sidebar-nav-bs"]}


def _escape_bars(*told: Any) -> None:
    """Keep the bars of |A ∩ B| in docstrings from being taken for markup; code stays as it is."""
    lines: list[str] = told[-1]
    for place, line in enumerate(lines):
        if "|" in line and not line.lstrip().startswith((">>>", "...")):
            parts = re.split(r"(`+[^`]*`+)", line)
            parts[::2] = [part.replace("|", "\\|") for part in parts[::2]]
            lines[place] = "".join(parts)


def _plain_names() -> None:
    """Write attributes as names: numpydoc would link each to any class with such a name."""
    as_it_was = SphinxDocString._process_param

    def plain(self: Any, param: str, desc: list[str], fake_autosummary: bool) -> Any:
        return as_it_was(self, param, desc, False)

    SphinxDocString._process_param = plain


def setup(app: Any) -> None:
    """Connect what must happen before numpydoc reads a docstring."""
    _plain_names()
    app.connect("autodoc-process-docstring", _escape_bars, priority=400)
