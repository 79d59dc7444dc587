"""Small sites, built by MkDocs as its command builds them."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
import yaml
from click.testing import CliRunner, Result
from mkdocs.__main__ import cli
from nearpage.builder import Index, search

PAGES = {
    "index.md": "# Llama farm\n\nHow to keep llamas in the hills.\n",
    # Sections long enough to be passages of their own.
    "guide/feeding.md": (
        "# Feeding\n\nLlamas graze most of the day.\n\n"
        "## Winter hay\n\nIn winter a llama needs hay every morning and water that is not frozen. "
        "Store it dry and above the ground, and throw away what smells of mould.\n\n"
        "## The feeder's options\n\nSet `feeder_exclude_unset` so that empty troughs are left alone. "
        "The feeder reads its options when it starts and whenever their file has changed.\n"
    ),
    "guide/shearing.md": "# Shearing & wool\n\nShear once a year, before the summer heat.\n",
    # Not in the navigation, and without a heading that could be its title.
    "hidden/paddock.md": "---\ntitle: Fences - and gates\n---\nA paddock wants a fence of wire.\n",
}
NAVIGATION = ["index.md", {"Guide": ["guide/feeding.md", "guide/shearing.md"]}]


@dataclass
class Site:
    """A folder with mkdocs.yml, docs/ and, once built, site/."""

    folder: Path

    @property
    def output(self) -> Path:
        return self.folder / "site"

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    def configure(self, *plugins: Any, **settings: Any) -> None:
        defaults = {"site_name": "Llama docs", "plugins": list(plugins) or ["nearpage"], "nav": NAVIGATION}
        self.write("mkdocs.yml", yaml.safe_dump(defaults | settings, sort_keys=False))

    def run(self, *arguments: str, stdin: str | None = None) -> Result:
        """What `mkdocs build` answers."""
        named = ["-f", "-" if stdin else str(self.folder / "mkdocs.yml"), "-d", str(self.output)]
        return CliRunner().invoke(cli, ["build", *named, *arguments], input=stdin)

    def build(self, *arguments: str) -> str:
        """The log of a build that succeeds."""
        result = self.run(*arguments)
        assert result.exit_code == 0, result.output
        return result.output

    def index(self) -> Index:
        return Index(self.output / "nearpage")

    def urls(self) -> set[str]:
        """The pages that the index knows."""
        index = self.index()
        return {index.text(number).url for number in range(index.manifest.passages)}

    def find(self, query: str) -> list[str]:
        return [hit.url for hit in search(self.index(), query, "lexical", 10).hits]

    def html(self) -> dict[str, str]:
        """Every HTML file by its path in the site."""
        files = sorted(self.output.rglob("*.html"))
        return {path.relative_to(self.output).as_posix(): path.read_text("utf-8") for path in files}

    def loaders(self, file: str, site_url: str | None) -> list[Path]:
        """The files that the loader's tags of a page lead to, as a browser resolves them."""
        sources = re.findall(r'<script src="([^"]*nearpage\.js)" defer></script>', self.html()[file])
        root = site_url or "https://llama.example/"
        resolved = [urljoin(urljoin(root, file), source) for source in sources]
        assert all(url.startswith(root) for url in resolved), resolved
        return [self.output / url.removeprefix(root) for url in resolved]


@pytest.fixture(autouse=True)
def _quiet_material(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_MKDOCS_2_WARNING", "1")


@pytest.fixture(scope="session")
def site_at() -> Callable[[Path], Site]:
    """A site with the usual pages in a folder, still to be configured and built."""

    def make(folder: Path) -> Site:
        site = Site(folder)
        for name, text in PAGES.items():
            site.write(f"docs/{name}", text)
        return site

    return make


@pytest.fixture
def site(tmp_path: Path, site_at: Callable[[Path], Site]) -> Site:
    """A site with the usual pages in the folder of the test."""
    return site_at(tmp_path)
