"""Nearpage: its command line, and its dialog in the page."""

import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nearpage.builder.reader import Index
from playwright.sync_api import Browser

from tests.bench.browser import Sent, ask, served, visit
from tests.bench.corpora import change, file_of
from tests.bench.engine import Asking, by_kind, spread, timed, total

# Opens the dialog where it is not open yet, types the whole question and waits until its results are drawn.
_ASK = """
window.ask = async (question) => {
  const begun = performance.now();
  const root = document.querySelector("nearpage-search").shadowRoot;
  if (!root.querySelector("dialog[open]")) await window.nearpage.open();
  const dialog = root.querySelector("dialog");
  const drawn = new Promise((done) => {
    const observer = new MutationObserver(() => {
      if (dialog.dataset.view === "empty") return;
      observer.disconnect();
      done(dialog.dataset.view);
    });
    observer.observe(root.querySelector("[role=listbox]"), { childList: true, subtree: true });
    observer.observe(dialog, { attributes: true, attributeFilter: ["data-view"] });
  });
  const input = dialog.querySelector("input");
  input.value = question;
  input.dispatchEvent(new Event("input"));
  const view = await drawn;
  if (view === "failed") throw new Error("the search failed");
  return performance.now() - begun;
};
"""
# A browser that saves data: the encoder stays where it is, and words alone rank.
_SAVES = "Object.defineProperty(navigator, 'connection', { get: () => ({ saveData: true }) });"

ASKING = Asking("nearpage", _SAVES + _ASK)
_KINDS = {
    "table": "words",
    "postings": "words",
    "manifest": "words",
    "texts": "texts",
    "vectors": "vectors",
    "model": "encoder",
    "tokenizer": "encoder",
    "runtime": "runtime",
    "encoder": "runtime",
}


def build(site: Path, cache: Path) -> dict[str, Any]:
    """Index a site with an empty cache."""
    seconds, report = _build(site, cache)
    return {
        "pages": report["pages"],
        "passages": report["passages"],
        "passages_per_second": round(report["embedded"] / report["seconds"]["embed"], 1),
        "build": {"cold": seconds, "cold_steps": report["seconds"]},
        "files": by_kind(site / "nearpage", lambda path: _kind(path.name)),
    }


def rebuild(site: Path, cache: Path) -> dict[str, Any]:
    """Index a site again: unchanged, then with every paragraph of a page of middle size changed."""
    unchanged, _ = _build(site, cache)
    change(file_of(site, _middle_page(site)))
    changed, report = _build(site, cache)
    return {"unchanged": unchanged, "one_page": changed, "one_page_embedded": report["embedded"]}


def full_rung(browser: Browser, folder: Path, questions: Sequence[str]) -> dict[str, Any]:
    """What comes in the background until meaning ranks too, and the time of a question then."""
    with served(folder) as site, visit(browser, site, _ASK) as page:
        site.sent()
        begun = page.evaluate("performance.now()")
        ask(page, questions[0])
        page.wait_for_selector("nearpage-search[data-nearpage-rung=full]", state="attached")
        seconds = (page.evaluate("performance.now()") - begun) / 1000
        page.wait_for_timeout(500)  # ms, in which what is on screen is ranked anew
        semantic = [each for each in site.sent("nearpage/") if _is_semantic(each)]
        asked = [ask(page, question) for question in questions[1:] * 3]
    kinds: Counter[str] = Counter()
    for each in semantic:
        kinds[_kind(Path(each.path).name)] += each.bytes
    return {**total(semantic), "kinds": dict(kinds), "seconds": round(seconds, 2), "ms": spread(asked)}


def urls(index: Index) -> list[str]:
    return list(dict.fromkeys(index.text(at).url for at in range(index.manifest.passages)))


def headings(index: Index) -> list[str]:
    """Headings of two to five words, in the order of the site: questions where none are given."""
    found = (index.text(at).heading_path[-1:] for at in range(index.manifest.passages))
    texts = dict.fromkeys(text for path in found for text in path)
    return [text for text in texts if 2 <= len(text.split()) <= 5]


def _build(site: Path, cache: Path) -> tuple[dict[str, float], dict[str, Any]]:
    command = Path(sys.executable).with_name("nearpage")
    seconds, output = timed([command, "build", site, "--cache-dir", cache, "--json"])
    return seconds, json.loads(output)


def _middle_page(site: Path) -> str:
    index = Index(site / "nearpage")
    counts = Counter(index.text(at).url for at in range(index.manifest.passages))
    return sorted(counts, key=lambda url: (counts[url], url))[len(counts) // 2]


def _kind(name: str) -> str:
    return _KINDS.get(name.removesuffix(".json").split("-", maxsplit=1)[0], "code")


def _is_semantic(sent: Sent) -> bool:
    return _kind(Path(sent.path).name) in {"vectors", "encoder", "runtime"}
