"""The site as `make docs` has built it: it asks for nothing over a network, every link leads somewhere, every page is in the
navigation and in the search, every public name is described.

External links are only counted: no test goes out to look.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlparse

import pytest
from lxml import html

import unitai

pytestmark = pytest.mark.contract

if "TESTS_SITE" not in os.environ:
    pytest.skip("`make docs` builds the site and tells where it is", allow_module_level=True)

ROOT = Path(__file__).parent.parent.parent
SITE = (ROOT / os.environ["TESTS_SITE"]).resolve()
#: Made by Sphinx, not of a page of ours.
OWN = {"genindex.html", "search.html", "py-modindex.html"}
PAGES = {str(path.relative_to(SITE)): html.parse(str(path)) for path in sorted(SITE.rglob("*.html"))}
#: Pages of ours, by the file that they are made of.
SOURCES = {
    str(path.relative_to(ROOT / "docs").with_suffix(".html"))
    for path in (ROOT / "docs").rglob("*.md")
    if "launch" not in path.relative_to(ROOT / "docs").parts
}


def is_external(address: str) -> bool:
    return bool(urlparse(address).netloc)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_asks_for_nothing_over_a_network(name):
    page = PAGES[name]
    asked = [str(found) for found in page.xpath("//@src | //@srcset | //link/@href | //object/@data | //@poster")]
    assert [address for address in asked if is_external(address)] == []
    assert "http" not in "".join(page.xpath("//style/text()"))


def test_styles_and_scripts_ask_for_nothing_over_a_network():
    files = [path for kind in ("*.css", "*.js") for path in SITE.rglob(kind)]
    wanted = r"(?:url\(|@import|import\(|importScripts\(|fetch\(|\.src ?=|\.open\(\W*GET\W+)\s*[\"'`]?(?:https?:)?//"
    found = {path.name for path in files if re.search(wanted, path.read_text(encoding="utf-8"))}
    assert len(files) > 5
    assert found == set()


@pytest.mark.parametrize("name", PAGES)
def test_every_link_and_anchor_leads_somewhere(name):
    broken = []
    for found in PAGES[name].xpath("//a/@href"):
        address, anchor = urldefrag(str(found))
        if is_external(address) or address.startswith("mailto:"):
            continue
        target = str(((SITE / name).parent / unquote(address)).resolve().relative_to(SITE)) if address else name
        if target not in PAGES:
            if not (SITE / target).is_file():
                broken.append(str(found))
        elif anchor and anchor != "top" and not PAGES[target].xpath("//*[@id=$id]", id=unquote(anchor)):
            broken.append(str(found))
    assert broken == []


def test_every_page_is_there_and_in_the_navigation():
    assert set(PAGES) - OWN == SOURCES
    (tree,) = PAGES["index.html"].xpath("//div[contains(@class, 'sidebar-tree')]")
    named = {urldefrag(str(link))[0] for link in tree.xpath(".//a/@href")} - {"", "#"}
    assert SOURCES - named == {"index.html"}
    assert [link for link in tree.xpath(".//a") if not (link.text_content() or "").strip()] == []


def test_no_page_stands_twice_in_the_navigation():
    (tree,) = PAGES["index.html"].xpath("//div[contains(@class, 'sidebar-tree')]")
    links = [str(link) for link in tree.xpath(".//a/@href")]
    assert sorted(links) == sorted(set(links))


def test_every_page_can_be_searched_for():
    text = (SITE / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(text[text.index("{") : text.rindex("}") + 1])
    assert {f"{name}.html" for name in index["docnames"]} == SOURCES
    assert "refund" in index["terms"]


def test_every_public_name_is_described():
    described = {str(found) for found in PAGES["reference/python.html"].xpath("//dt/@id")}
    errors = (ROOT / "docs" / "reference" / "errors" / "README.md").read_text(encoding="utf-8")
    assert {name for name in unitai.__all__ if f"unitai.{name}" not in described and f"`{name}`" not in errors} == set()


def test_external_links_are_known(capsys):
    """They are listed for whoever wants to look; none of them is opened here."""
    links = {
        str(link) for page in PAGES.values() for link in page.xpath("//article//a/@href") if is_external(str(link))
    }
    assert links
    assert {urlparse(link).scheme for link in links} <= {"https", "http"}
    with capsys.disabled():
        print(f"\n{len(links)} external links to {', '.join(sorted({urlparse(link).netloc for link in links}))}")
