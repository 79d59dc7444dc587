"""Measure Nearpage beside other engines on the same pages and the same questions (`make bench-relevance`)."""

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from nearpage.builder.evaluate import MEASURES, PAGES, Query, evaluate, read_queries
from nearpage.builder.queries import query_encoder
from nearpage.builder.reader import Index
from playwright.sync_api import Browser

from tests.bench import nearpage, pagefind
from tests.bench.browser import chromium
from tests.bench.corpora import (
    ROOT,
    content_selector,
    copied,
    file_of,
    keep_pages,
    own_docs,
    own_questions,
)
from tests.bench.relevance.measures import Rows, interval, judged, summary
from tests.bench.relevance.peers import BM25S, IN_NODE, Ranked, by_bm25s, in_node
from tests.bench.relevance.records import records
from tests.bench.relevance.report import markdown, show

OUTPUT = ROOT / "build/relevance.json"
MODES = {"Nearpage": "hybrid", "Nearpage, words": "lexical", "Nearpage, meaning": "vector"}
FIRST = "Nearpage"
"""The engine whose lead over the others is told."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A site's questions, and by engine the pages found for each."""

    queries: list[Query]
    ranked: dict[str, Ranked]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sites", nargs="*", type=Path, metavar="SITE", help="a built site's folder")
    parser.add_argument(
        "--queries", nargs="*", type=Path, default=[], metavar="FILE", help="in the same order"
    )
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    given = parser.parse_args()
    if len(given.queries) != len(given.sites):
        parser.error("give each site and its file of questions")
    missing = [str(path) for path in [*given.sites, *given.queries] if not path.exists()]
    if missing:
        parser.error(f"not there: {', '.join(missing)}")

    with TemporaryDirectory(prefix="nearpage-bench-") as name, chromium() as browser:
        work = Path(name)
        sites = [
            (path.stem, site.resolve(), read_queries(path))
            for site, path in zip(given.sites, given.queries, strict=True)
        ]
        if not sites:
            say("No sites given: the project's own docs and tests, which Nearpage passes. A trial, no proof.")
            sites = [("own docs", own_docs(work), own_questions())]
        answered = {}
        for title, site, queries in sites:
            say(f"{title}:")
            with TemporaryDirectory(dir=work) as folder:
                answered[title] = Answered(queries, rank(browser, site, queries, Path(folder)))
        results = {"versions": _versions(browser), **measured_all(answered)}
    OUTPUT.parent.mkdir(exist_ok=True)
    OUTPUT.write_text(json.dumps(results, indent=2) + "\n")
    if given.markdown:
        print(markdown(results))
    else:
        show(results)
    say(f"Everything is in {OUTPUT.relative_to(ROOT)}.")


def rank(browser: Browser, site: Path, queries: list[Query], work: Path) -> dict[str, Ranked]:
    """What every engine finds for every question, by page."""
    asked = [query.query for query in queries]
    ours = copied(site, work / "nearpage")
    say("  build Nearpage's index")
    command = Path(sys.executable).with_name("nearpage")
    subprocess.run([command, "build", ours, "--no-inject", "--json"], check=True, stdout=subprocess.DEVNULL)
    index = Index(ours / "nearpage")
    encode = query_encoder(index, "hybrid")
    ranked: dict[str, Ranked] = {}
    for name, mode in MODES.items():
        say(f"  ask {name}")
        runs = evaluate(index, queries, mode, encode).runs
        ranked[name] = [run.ranked[:PAGES] for run in runs]

    given = records(ours)
    peers: dict[str, Callable[[], Ranked]] = {
        BM25S: partial(by_bm25s, given, asked),
        **{name: partial(in_node, name, given, asked) for name in IN_NODE},
        "Pagefind": partial(_by_pagefind, browser, site, index, queries, work / "pagefind"),
    }
    for name, ask in peers.items():
        say(f"  ask {name}")
        ranked[name] = ask()
    return ranked


def _by_pagefind(browser: Browser, site: Path, index: Index, queries: list[Query], folder: Path) -> Ranked:
    theirs = copied(site, folder)
    urls = nearpage.urls(index)
    keep_pages(theirs, urls)
    root = content_selector(file_of(theirs, url) for url in urls)
    pagefind.build(theirs, root, index.manifest.language)
    return pagefind.rank(browser, theirs, queries)


def measured_all(answered: dict[str, Answered]) -> dict[str, Any]:
    """The measures of every engine in total, by site and by kind of question."""
    sites = {
        title: _group(
            each.queries, each.ranked, {name: judged(each.queries, each.ranked[name]) for name in each.ranked}
        )
        for title, each in answered.items()
    }
    queries = [query for each in answered.values() for query in each.queries]
    engines = next(iter(answered.values())).ranked
    ranked = {name: [pages for each in answered.values() for pages in each.ranked[name]] for name in engines}
    rows = {name: judged(queries, ranked[name]) for name in engines}
    kinds = {}
    for kind in sorted({query.kind for query in queries}):
        at = [number for number, query in enumerate(queries) if query.kind == kind]
        kinds[kind] = _group(
            [queries[number] for number in at],
            {name: [pages[number] for number in at] for name, pages in ranked.items()},
            {name: values[at] for name, values in rows.items()},
        )
    return {"total": _group(queries, ranked, rows), "sites": sites, "kinds": kinds}


def _group(queries: list[Query], ranked: dict[str, Ranked], rows: dict[str, Rows]) -> dict[str, Any]:
    column = MEASURES.index("ndcg@10")
    engines = {}
    for name, values in rows.items():
        engines[name] = summary(values, ranked[name])
        if name != FIRST:
            engines[name]["lead"] = interval(np.asarray(rows[FIRST] - values)[:, column])
    return {"queries": len(queries), "engines": engines}


def _versions(browser: Browser) -> dict[str, str]:
    packages = json.loads((pagefind.HERE / "package.json").read_bytes())["dependencies"]
    return {
        "nearpage": version("nearpage"),
        **packages,
        **{name: version(name) for name in ("bm25s", "mkdocs", "mkdocs-material")},
        "chromium": browser.version,
    }


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
