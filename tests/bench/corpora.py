"""The sites that engines are compared on: clean copies, so that nothing is left of an earlier index."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote

from nearpage.builder.check import parse_checks
from nearpage.builder.evaluate import Query
from nearpage.builder.page_names import normalised
from selectolax.lexbor import LexborHTMLParser

ROOT = Path(__file__).parents[2]
PYTHON_DOC = Path("/usr/share/doc/python3-doc/html")
ENGINES = ("nearpage", "pagefind")

_TAG = re.compile(rb"<script[^>]*nearpage/nearpage\.js[^>]*></script>\n?")
_CONTENT = ("article.md-content__inner", "div[role=main]", "[role=main]", "main", "article")
"""Where the text of a page stands, the narrowest first; what most pages have is taken."""


def own_docs(folder: Path) -> Path:
    """The project's own docs, built without its plugin."""
    config = folder / "mkdocs.yml"
    site = folder / "own-docs"
    settings = {
        "INHERIT": str(ROOT / "mkdocs.yml"),
        "docs_dir": str(ROOT / "docs"),
        "site_dir": str(site),
        "plugins": [],
    }
    config.write_text(json.dumps(settings))  # JSON is YAML
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "-f", str(config)]
    subprocess.run(command, check=True, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"})
    return site


def own_questions() -> list[Query]:
    """The project's own relevance tests; those that must find nothing are left out."""
    file = ROOT / "relevance.yml"
    tests = [test for test in parse_checks(file.read_bytes(), file.name) if test.expect]
    return [
        Query(str(at), test.query, "own", {normalised(page): 2 for page in test.expect})
        for at, test in enumerate(tests, 1)
    ]


def copied(site: Path, to: Path) -> Path:
    """A copy of a site without indices and without the loader's tag."""
    ignore = shutil.ignore_patterns(*ENGINES)

    def skip(folder: str, names: list[str]) -> Iterable[str]:
        return ignore(folder, names) if Path(folder) == site else ()

    shutil.copytree(site, to, ignore=skip, ignore_dangling_symlinks=True)
    for page in to.rglob("*.html"):
        html = page.read_bytes()
        if _TAG.search(html):
            page.write_bytes(_TAG.sub(b"", html))
    return to


def keep_pages(site: Path, urls: Iterable[str]) -> None:
    """Remove the pages of a copy that are not among these."""
    kept = {file_of(site, url) for url in urls}
    for page in [*site.rglob("*.html"), *site.rglob("*.htm")]:
        if page not in kept:
            page.unlink()


def file_of(site: Path, url: str) -> Path:
    path = unquote(url)
    return site / (path + "index.html" if path == "" or path.endswith("/") else path)


def content_selector(pages: Iterable[Path]) -> str | None:
    """The selector of the pages' main content, None if no known one fits most of them."""
    trees = [LexborHTMLParser(page.read_bytes()) for page in pages]
    for selector in _CONTENT:
        if sum(tree.css_first(selector) is not None for tree in trees) > 0.9 * len(trees):
            return selector
    return None


def change(page: Path) -> None:
    """Change every paragraph of a page."""
    page.write_bytes(page.read_bytes().replace(b"</p>", b" This is new.</p>"))
