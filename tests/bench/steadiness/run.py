"""Measure how steady the ranking is when queries are written otherwise (`make bench-steadiness`)."""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path

from nearpage.builder.cli import open_index
from nearpage.builder.evaluate import Query, read_queries
from nearpage.builder.format import ShownPassage
from nearpage.builder.page_names import normalised
from nearpage.builder.queries import query_encoder
from nearpage.builder.ranking import Encode, Mode
from nearpage.builder.reader import Index
from nearpage.builder.search import search
from rich.console import Console
from rich.table import Table

from tests.bench.corpora import ROOT
from tests.bench.steadiness.measures import Answer, Ask, Rate, compared, grown, typed

OUTPUT = ROOT / "build/steadiness.json"
SHOWN = 10
"""Hits that a visitor is shown."""
NAMES = 100
"""Titles of a site, and headings, that are taken as queries."""
SAMPLED = 5
"""Every so manyth query is typed letter by letter in hybrid mode, where each letter is encoded."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sites", nargs="+", type=Path, metavar="SITE", help="a site with its index")
    parser.add_argument(
        "--queries", nargs="+", type=Path, required=True, metavar="FILE", help="in this order"
    )
    parser.add_argument("--modes", nargs="+", choices=("lexical", "hybrid"), default=["lexical", "hybrid"])
    parser.add_argument("--examples", type=int, default=0, metavar="N", help="of each failure, print N")
    given = parser.parse_args()
    if len(given.queries) != len(given.sites):
        parser.error("give each site and its file of queries")
    results: dict[str, dict[str, Rate]] = {}
    for site, file in zip(given.sites, given.queries, strict=True):
        index = open_index(site)
        for mode in given.modes:
            say(f"{file.stem}, {mode}")
            results[f"{file.stem} {mode}"] = measured(index, read_queries(file), mode)
    OUTPUT.parent.mkdir(exist_ok=True)
    OUTPUT.write_text(json.dumps(results, default=asdict, indent=1, ensure_ascii=False) + "\n")
    show(results, given.examples)
    say(f"Everything is in {OUTPUT.relative_to(ROOT)}.")


def measured(index: Index, queries: Sequence[Query], mode: Mode) -> dict[str, Rate]:
    """Every rate of one site in one mode."""
    encode = query_encoder(index, mode, None)
    ask = asker(index, mode, encode)
    every = 1 if mode == "lexical" else SAMPLED
    rates: dict[str, Rate] = {}
    kinds = {
        "questions": queries,
        "titles": names(index, lambda shown: shown.title),
        "headings": names(index, lambda shown: "".join(shown.heading_path[1:][-1:])),
    }
    for kind, asked in kinds.items():
        texts = [query.query for query in asked]
        found = compared(texts, ask)
        found["typed: answer stays in top five"] = typed(asked[::every], ask)
        if mode == "lexical":
            everything = asker(unlimited(index), mode, encode)
            found["word grows: page is still found"] = grown(texts, ask, everything, containing(index))
        rates |= {f"{kind}, {name}": rate for name, rate in found.items()}
    return rates


def asker(index: Index, mode: Mode, encode: Encode | None) -> Ask:
    """The answer to a query, kept for the next time."""

    @cache
    def ask(query: str) -> Answer:
        hits = search(index, query, mode, 2 * index.manifest.fusion.depth, encode).hits
        urls = tuple(hit.url for hit in hits[:SHOWN])
        return Answer(urls, tuple(dict.fromkeys(hit.page for hit in hits)))

    return ask


def unlimited(index: Index) -> Index:
    """The same index, which ranks all that it finds."""
    other = Index(index.folder)
    fusion = replace(other.manifest.fusion, depth=other.manifest.passages)
    other.manifest = replace(other.manifest, fusion=fusion)
    return other


def names(index: Index, name: Callable[[ShownPassage], str]) -> list[Query]:
    """Names of what is there as queries, evenly out of all; pages that share one are all its answers."""
    pages: dict[str, dict[str, int]] = defaultdict(dict)
    for at in range(index.manifest.passages):
        shown = index.text(at)
        pages[name(shown)][normalised(shown.url)] = 2
    pages.pop("", None)
    found = [Query(text, text, "name", grades) for text, grades in pages.items()]
    most = min(NAMES, len(found))
    return [found[at * len(found) // most] for at in range(most)]


def containing(index: Index) -> Callable[[str, str], bool]:
    """Whether a page contains a word as such, whatever its case."""
    texts: dict[str, list[str]] = defaultdict(list)
    for at in range(index.manifest.passages):
        shown = index.text(at)
        texts[shown.url] += [shown.title, *shown.heading_path, *(block.text for block in shown.blocks)]
    words = {url: set("\n".join(each).lower().split()) for url, each in texts.items()}
    return lambda page, word: word in words[page]


def show(results: dict[str, dict[str, Rate]], examples: int) -> None:
    table = Table("failed of compared", *results)
    for name in dict.fromkeys(name for rates in results.values() for name in rates):
        rates = [rates.get(name, Rate()) for rates in results.values()]
        table.add_row(name, *(f"{rate.failed:.1%} of {rate.asked}" if rate.asked else "" for rate in rates))
    Console(width=None if Console().is_terminal else 180).print(table)
    for title, rates in results.items():
        for name, rate in rates.items():
            shown = rate.failures[:: max(1, len(rate.failures) // examples)][:examples] if examples else []
            for failure in shown:
                print(f"{title} | {name} | {failure.before!r} -> {failure.after!r} | {failure.lost}")


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
