"""The project's own docs, built and served, in a real Chromium that may talk to this machine only."""

import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from nearpage.builder.serve import server
from playwright.sync_api import Browser, Page

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def docs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project's docs as MkDocs builds them, with their index."""
    site = tmp_path_factory.mktemp("docs") / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(site)]
    subprocess.run(command, cwd=ROOT, check=True)
    return site


@contextmanager
def served(site: Path) -> Iterator[str]:
    """The address of a folder that is being served."""
    running = server(site, 0)
    thread = threading.Thread(target=running.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{running.server_address[1]}/"
    finally:
        running.shutdown()
        running.server_close()
        thread.join()


@pytest.fixture(scope="session")
def serving() -> Callable[[Path], AbstractContextManager[str]]:
    """What serves a folder."""
    return served


@pytest.fixture(scope="session")
def address(docs: Path) -> Iterator[str]:
    """Where the docs are served."""
    with served(docs) as found:
        yield found


@pytest.fixture
def own_copy(docs: Path, tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A copy of the docs that a test may change, and its address."""
    site = tmp_path / "site"
    shutil.copytree(docs, site)
    with served(site) as found:
        yield site, found


class Tab:
    """A page, every request it made, and every error it threw."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.requests: list[str] = []
        self.errors: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def of_index(self) -> list[str]:
        """The names of the index's files asked for until now."""
        paths = [urlsplit(url).path for url in self.requests]
        return [path.rsplit("/", 1)[1] for path in paths if "/nearpage/" in path]

    def rung(self) -> str | None:
        """What the element says answers now."""
        return self.page.get_attribute("nearpage-search", "data-nearpage-rung")

    def wait_for_full(self) -> None:
        """Until the encoder answers."""
        self.page.wait_for_selector(
            "nearpage-search[data-nearpage-rung=full]", state="attached", timeout=120_000
        )

    def open(self) -> None:
        """Open the dialog by its key."""
        self.page.keyboard.press("Control+k")
        self.page.wait_for_selector("nearpage-search dialog[open] input:focus")

    def view(self, name: str) -> None:
        """Until the dialog shows `empty`, `results`, `nothing` or `failed`."""
        self.page.wait_for_selector(f"nearpage-search dialog[data-view={name}]")

    def urls(self) -> list[str]:
        """The addresses of the hits on screen."""
        return self.page.eval_on_selector_all(
            "nearpage-search [role=option]", "all => all.map(a => a.dataset.url)"
        )


@pytest.fixture
def new_tab(browser: Browser) -> Iterator[Callable[..., Tab]]:
    """Makes tabs, each in a context of its own; a request that leaves this machine fails the test."""
    contexts = []
    tabs: list[Tab] = []

    def make(**options: object) -> Tab:
        context = browser.new_context(**options)
        context.set_default_timeout(60_000)
        contexts.append(context)
        tab = Tab(context.new_page())
        tabs.append(tab)
        return tab

    yield make
    for context in contexts:
        context.close()
    foreign = [
        url for tab in tabs for url in tab.requests if urlsplit(url).hostname not in {"127.0.0.1", None}
    ]
    assert foreign == []
