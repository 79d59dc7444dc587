"""Pagefind, used as its documentation says: its command line, and its JavaScript API in the page."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nearpage.builder.evaluate import Query
from playwright.sync_api import Browser

from tests.bench.browser import served, visit
from tests.bench.engine import Asking, by_kind, timed

HERE = Path(__file__).parent
SHOWN = 5
"""Results whose text is fetched, as in Pagefind's own interface."""

ASKING = Asking(
    "pagefind",
    f"""
    window.ask = async (question) => {{
      const begun = performance.now();
      const pagefind = await import(new URL("pagefind/pagefind.js", location.href).href);
      const {{ results }} = await pagefind.search(question);
      await Promise.all(results.slice(0, {SHOWN}).map((result) => result.data()));
      return performance.now() - begun;
    }};
    """,
)
_RANK = """
async (question) => {
  const pagefind = await import(new URL("pagefind/pagefind.js", location.href).href);
  const { results } = await pagefind.search(question);
  const read = await Promise.all(results.slice(0, 10).map((result) => result.data()));
  return read.map(({ url }) => url);
}
"""

_KINDS = {
    ".pf_index": "words",
    ".pf_fragment": "texts",
    ".pf_meta": "words",
    ".json": "words",
    ".pagefind": "runtime",
}


def build(site: Path, root: str | None, language: str) -> dict[str, Any]:
    """Index a site's main content in the site's language."""
    command: list[str | Path] = [HERE / "node_modules/.bin/pagefind", "--site", site]
    if root:
        command += ["--root-selector", root]
    command += ["--force-language", language.split("-", maxsplit=1)[0]]
    seconds, _ = timed(command)
    folder = site / "pagefind"
    files = by_kind(folder, _kind)
    interface = ("pagefind-component-ui.js", "pagefind-component-ui.css")
    return {
        "pages": len(list(folder.rglob("*.pf_fragment"))),
        "root": root,
        "build": {"cold": seconds},
        "files": files,
        "interface_bytes": sum((folder / name).stat().st_size for name in interface),
    }


def rank(browser: Browser, folder: Path, queries: Sequence[Query]) -> list[list[str]]:
    """The pages found for each question, the best ten."""
    with served(folder) as site, visit(browser, site) as page:
        return [page.evaluate(_RANK, query.query) for query in queries]


def _kind(path: Path) -> str:
    return _KINDS.get(path.suffix, "code")
