"""Compare Nearpage with Pagefind on built sites (`make bench`)."""

import argparse
import json
import os
import platform
import sys
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from nearpage.builder.evaluate import MEASURES, Query, evaluate, read_queries
from nearpage.builder.queries import query_encoder
from nearpage.builder.reader import Index
from playwright.sync_api import Browser

from tests.bench import nearpage, pagefind
from tests.bench.browser import chromium
from tests.bench.corpora import PYTHON_DOC, ROOT, content_selector, copied, file_of, keep_pages, own_docs
from tests.bench.engine import ask_in_turn
from tests.bench.relevance.measures import interval, judged, summary
from tests.bench.report import show

OUTPUT = ROOT / "build/bench.json"
TIMED = 5
"""Questions that are timed on each site."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sites", nargs="*", type=Path, metavar="SITE", help="a built site's folder")
    parser.add_argument(
        "--queries", nargs="*", type=Path, default=[], metavar="FILE", help="in the same order"
    )
    given = parser.parse_args()
    if len(given.queries) > max(1, len(given.sites)):
        parser.error("more files of questions than sites")
    missing = [str(path) for path in [*given.sites, *given.queries] if not path.exists()]
    if missing:
        parser.error(f"not there: {', '.join(missing)}")

    with TemporaryDirectory(prefix="nearpage-bench-") as name, chromium() as browser:
        work = Path(name)
        sites = {str(path): path.resolve() for path in given.sites}
        if not sites:
            sites = {"own docs": own_docs(work), "python3-doc": PYTHON_DOC}
        files = [*given.queries, *[None] * len(sites)]
        results: dict[str, Any] = {"machine": _machine(browser), "sites": {}}
        for (title, site), file in zip(sites.items(), files, strict=False):
            say(f"{title}:")
            with TemporaryDirectory(dir=work) as folder:
                queries = read_queries(file) if file else []
                results["sites"][title] = compare(browser, site, queries, Path(folder))
            show(title, results["sites"][title])
            OUTPUT.parent.mkdir(exist_ok=True)
            OUTPUT.write_text(json.dumps(results, indent=2) + "\n")
    say(f"Everything is in {OUTPUT.relative_to(ROOT)}.")


def compare(browser: Browser, site: Path, queries: list[Query], work: Path) -> dict[str, Any]:
    """Both engines on one site: the same pages, the same questions."""
    ours = copied(site, work / "nearpage")
    say("  build Nearpage's index, all passages embedded")
    by_us = nearpage.build(ours, work / "cache")
    index = Index(ours / "nearpage")
    urls = nearpage.urls(index)

    theirs = copied(site, work / "pagefind")
    keep_pages(theirs, urls)
    say("  build Pagefind's index of the same pages")
    root = content_selector(file_of(theirs, url) for url in urls)
    by_them = pagefind.build(theirs, root, index.manifest.language)

    asked = queries or [Query(text, text, "heading", {}) for text in nearpage.headings(index)]
    say(f"  rank {len(asked)} questions")
    ranked = {"pagefind": pagefind.rank(browser, theirs, asked)}
    results: dict[str, Any] = {"nearpage": by_us, "pagefind": by_them}
    if queries:
        results["relevance"] = _relevance(index, queries, ranked)
    found = [query.query for query, pages in zip(asked, ranked["pagefind"], strict=True) if pages]
    timed = [found[at * len(found) // TIMED] for at in range(min(TIMED, len(found)))]
    if len(timed) > 1:  # one to begin a visit, one to follow
        say(f"  ask {len(timed)} of them in the browser")
        both = [(ours, nearpage.ASKING), (theirs, pagefind.ASKING)]
        by_us["browser"], by_them["browser"] = ask_in_turn(browser, both, timed)
        by_us["browser"]["full_rung"] = nearpage.full_rung(browser, ours, timed)
        results["timed_questions"] = timed
    say("  build Nearpage's index again")
    by_us["build"] |= nearpage.rebuild(ours, work / "cache")
    return results


def _relevance(index: Index, queries: list[Query], ranked: dict[str, list[list[str]]]) -> dict[str, Any]:
    encode = query_encoder(index, "hybrid")
    for mode in ("lexical", "vector", "hybrid"):
        ranked[mode] = [run.ranked for run in evaluate(index, queries, mode, encode).runs]
    rows = {name: judged(queries, pages) for name, pages in ranked.items()}
    gains = rows["hybrid"] - rows["pagefind"]
    return {
        "queries": len(queries),
        **{name: summary(rows[name], pages) for name, pages in ranked.items()},
        "hybrid_minus_pagefind": {name: interval(gains[:, column]) for column, name in enumerate(MEASURES)},
    }


def _machine(browser: Browser) -> dict[str, Any]:
    return {
        "python": platform.python_version(),
        "nearpage": version("nearpage"),
        "pagefind": json.loads((pagefind.HERE / "package.json").read_bytes())["dependencies"]["pagefind"],
        "chromium": browser.version,
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
    }


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
