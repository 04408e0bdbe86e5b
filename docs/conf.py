"""How Sphinx makes the site of the Markdown of this folder. `make docs` builds it, offline and without a warning."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from pygments.lexers.special import TextLexer
from sphinx.ext.napoleon import Config, GoogleDocstring

if TYPE_CHECKING:
    from sphinx.application import Sphinx

DOCS = Path(__file__).parent
ROOT = DOCS.parent
REPOSITORY = "https://github.com/unitai-dev/unitai"

project = "UnitAI"
author = "The UnitAI authors"
project_copyright = "The UnitAI authors"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton"]
#: Drafts of announcements are no documentation.
exclude_patterns = ["launch/*", "_static/*"]
#: Headings are anchors by the rule that GitHub has, so that one link works there and here.
myst_heading_anchors = 4
#: What stands first in a block says what it is for to the tests; to a reader it is text.
highlight_language = "text"

#: Docstrings are written for readers of code: a word between backticks is code.
default_role = "literal"
autodoc_default_options = {"members": True, "undoc-members": True}
autodoc_member_order = "bysource"
autodoc_typehints = "none"
add_module_names = False

html_theme = "furo"
html_title = "UnitAI"
html_static_path = ["_static"]
html_css_files = ["unitai.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_theme_options = {"source_repository": REPOSITORY, "source_branch": "main", "source_directory": "docs/"}
copybutton_prompt_text = "$ "
copybutton_only_copy_prompt_lines = True


def leave_the_site(app: Sphinx, page: str, source: list[str]) -> None:
    """Files of the project that are no pages are shown where the project is kept."""
    here = (DOCS / page).parent

    def elsewhere(found: re.Match[str]) -> str:
        path = (here / found[1]).resolve()
        if path.is_relative_to(DOCS.resolve()) and not path.is_dir():
            return found[0]
        kind = "tree" if path.is_dir() else "blob"
        return f"]({REPOSITORY}/{kind}/main/{path.relative_to(ROOT.resolve())}{found[2] or ''})"

    parts = re.split(r"(^ *```.*?^ *```|`[^`\n]*`)", source[0], flags=re.M | re.S)
    prose = (re.sub(r"\]\(((?![a-z]+:|#)[^)#\s]+)(#[^)]*)?\)", elsewhere, part) for part in parts[::2])
    source[0] = "".join(text for pair in zip(prose, [*parts[1::2], ""], strict=True) for text in pair)


def read_docstring(app: Sphinx, what: str, name: str, found: object, options: object, lines: list[str]) -> None:
    """Sections of docstrings become lists. Those of attributes are one sentence, in which a colon is a colon."""
    if what not in ("attribute", "data", "property"):
        lines[:] = GoogleDocstring(lines, Config()).lines()


def name_the_rest(app: Sphinx, page: str, source: list[str]) -> None:
    """A guide that the table of contents does not name yet stands where it says `guides/*`."""
    if page == "index":
        named = set(re.findall(r"^guides/([\w-]+)$", source[0], re.M))
        rest = sorted({path.stem for path in (DOCS / "guides").glob("*.md")} - named)
        source[0] = source[0].replace("guides/*\n", "".join(f"guides/{name}\n" for name in rest))


def list_the_folder(app: Sphinx, page: str, source: list[str]) -> None:
    """A page that stands for its folder has the others of it below."""
    if page.startswith("reference/") and page.endswith("/README"):
        source[0] += "\n```{toctree}\n:hidden:\n:glob:\n\n*\n```\n"


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    for language in ("expressions", "patterns", "references", "broken"):
        app.add_lexer(language, TextLexer)
    app.connect("source-read", leave_the_site)
    app.connect("source-read", name_the_rest)
    app.connect("source-read", list_the_folder)
    app.connect("autodoc-process-docstring", read_docstring)
