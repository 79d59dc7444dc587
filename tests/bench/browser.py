"""A real Chromium, and a server that counts what it is asked for."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, sync_playwright

CHROMIUM = "/usr/bin/chromium"
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",  # fonts from afar say nothing about search
]


@dataclass(slots=True)
class Sent:
    """A request, and the bytes of its answer's body."""

    path: str
    bytes: int = 0


class Site:
    """A site that is being served, and what was asked of it since the last look."""

    def __init__(self, address: str, log: list[Sent]) -> None:
        self.address = address
        self._log = log

    def sent(self, folder: str = "") -> list[Sent]:
        """The requests for files of a folder since the last call."""
        found = list(self._log)
        self._log.clear()
        return [each for each in found if each.path.startswith(f"/{folder}")]


class _Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    extensions_map = SimpleHTTPRequestHandler.extensions_map | {".js": "text/javascript"}

    def __init__(self, log: list[Sent], *args: Any, **options: Any) -> None:
        self._sent = log
        super().__init__(*args, **options)

    def do_GET(self) -> None:
        self._sent.append(Sent(urlsplit(self.path).path))
        self._entry = self._sent[-1]
        super().do_GET()

    def copyfile(self, source: Any, outputfile: Any) -> None:
        body = source.read()
        self._entry.bytes = len(body)  # noted before the browser can know
        outputfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing on the terminal."""


@contextmanager
def served(folder: Path) -> Iterator[Site]:
    """A folder served on this machine, uncompressed and with keep-alive."""
    log: list[Sent] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, log, directory=str(folder)))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield Site(f"http://127.0.0.1:{server.server_address[1]}/", log)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield browser
        browser.close()


@contextmanager
def visit(browser: Browser, site: Site, script: str = "") -> Iterator[Page]:
    """A page of the site in a context of its own, loaded and at rest; the script runs before all else."""
    context = browser.new_context()
    context.set_default_timeout(60_000)  # ms
    if script:
        context.add_init_script(script)
    page = context.new_page()
    page.goto(site.address, wait_until="load")
    page.wait_for_timeout(300)  # ms
    yield page
    context.close()


def ask(page: Page, question: str) -> float:
    """Milliseconds until an engine's results, by the `ask` that its script defines."""
    script = """question => Promise.race([
      ask(question),
      new Promise((_, fail) => setTimeout(fail, 30_000, new Error("no results within 30 seconds"))),
    ])"""
    return float(page.evaluate(script, question))
