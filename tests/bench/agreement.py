"""Ask the same queries in Chromium and in Python and compare the answers (`make bench-agreement`).

The browser's side is the whole of it: the pages' own script, the worker, the encoder in wasm. Answers must be
the same to the last bit, but for the cosines of vector mode: two runtimes' floats differ in the last digits.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from nearpage.builder.evaluate import read_queries
from nearpage.builder.queries import query_encoder
from nearpage.builder.ranking import Encode, Mode
from nearpage.builder.reader import Index
from nearpage.builder.search import as_json, search
from playwright.sync_api import Browser, Page

from tests.bench.browser import chromium, served, visit
from tests.bench.corpora import copied

MODES: tuple[Mode, ...] = ("lexical", "hybrid", "vector")
FEWEST = 300
"""Queries asked of a site."""
LIMIT = 10
COSINE = 1e-6
"""How far two runtimes' cosines may be apart."""

FOREIGN = (
    "как вернуть ошибку 404",
    "объём ёлка й",
    "日本語 のドキュメント",
    "如何上传文件",
    "한국어 검색",
    "Übersetzung der Straße",
    "requête asynchrone très rapide",
    "¿cómo subo un archivo?",
    "हिन्दी में खोज",
    "مَرْحَبًا بك",
    "ΟΔΟΣ οδός",
    "İstanbul ılık",
    "🚀 𝐀𝛼 𐐀𐐨 ﬁ ½",
)
HOSTILE = (
    *("", " ", "?!", '"', '"" -', "-", "--", "the of and", "C++", "1.8", "x" * 300, "how " * 300),
    *("<script>alert(1)</script>", "'; DROP TABLE passages; --", "\u0000a\ud7ff"),
)

Ask = Callable[[str, Mode], Any]


def queries(index: Index, given: Sequence[str], fewest: int = FEWEST) -> list[str]:
    """The given queries, then others made of the site's own text until there are enough, each once.

    Titles, headings and symbols as they stand, half typed, with a slip, as a phrase and with a word excluded.
    """
    shown = [index.text(at) for at in range(index.manifest.passages)]
    texts = dict.fromkeys(text for each in shown for text in (each.title, *each.heading_path[-1:]) if text)
    found = dict.fromkeys([*given, *FOREIGN, *HOSTILE])
    makers = (str, _half, _slip, _phrase, _without, str.upper)
    # Evenly out of the site, each made into something else than the one before; out of a small site again.
    step = max(1, len(texts) // max(1, fewest - len(found)))
    chosen = list(texts)[::step]
    for turn in range(len(makers)):
        for at, text in enumerate(chosen):
            if len(found) < fewest:
                found[makers[(at + turn) % len(makers)](text)] = None
    return list(found)


def _half(text: str) -> str:
    return text[: -(len(text.rsplit(maxsplit=1)[-1]) // 2) or None]


def _slip(text: str) -> str:
    middle = len(text) // 2
    return text[:middle] + text[middle + 1 : middle + 2] + text[middle : middle + 1] + text[middle + 2 :]


def _phrase(text: str) -> str:
    return f'"{text}"'


def _without(text: str) -> str:
    first, *others = text.split()
    return " ".join([*others, f"-{first}"])


def in_browser(page: Page) -> Ask:
    """What the script of a page answers."""
    script = "([query, options]) => window.nearpage.search(query, options)"
    return lambda query, mode: page.evaluate(script, [query, {"mode": mode, "limit": LIMIT}])


def in_python(index: Index, encode: Encode | None) -> Ask:
    """What the command line answers."""
    return lambda query, mode: as_json(search(index, query, mode, LIMIT, encode))


def differ(one: Any, other: Any, mode: Mode) -> bool:
    """Whether two answers to a query are not the same."""
    if mode != "vector":
        return bool(one != other)
    apart = [
        abs(here["score"] - there["score"]) for here, there in zip(one["hits"], other["hits"], strict=False)
    ]
    return _without_scores(one) != _without_scores(other) or max(apart, default=0) > COSINE


def _without_scores(answer: Any) -> Any:
    return {**answer, "hits": [{**hit, "score": None} for hit in answer["hits"]]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sites", nargs="+", type=Path, metavar="SITE", help="a built site's folder")
    parser.add_argument(
        "--queries", nargs="*", type=Path, default=[], metavar="FILE", help="of questions for all"
    )
    given = parser.parse_args()
    asked = [query.query for file in given.queries for query in read_queries(file)]
    with TemporaryDirectory(prefix="nearpage-bench-") as work, chromium() as launched:
        differing: list[str] = []
        for at, site in enumerate(given.sites):
            differing += compared(launched, site, asked, Path(work) / str(at))
    print("\n".join(differing))
    sys.exit(bool(differing))


def compared(launched: Browser, site: Path, given: Sequence[str], work: Path) -> Iterator[str]:
    """What differs on one site, a line each."""
    built = copied(site.resolve(), work)
    command = Path(sys.executable).with_name("nearpage")
    subprocess.run([command, "build", built, "--json"], check=True, stdout=subprocess.DEVNULL)
    index = Index(built / "nearpage")
    here = in_python(index, query_encoder(index, "hybrid", None))
    asked = queries(index, given)
    with served(built) as address, visit(launched, address) as page:
        there = in_browser(page)
        for mode in MODES:
            statuses: dict[str, int] = {}
            begun, differing = time.monotonic(), 0
            for query in asked:
                one, other = here(query, mode), there(query, mode)
                statuses[one["status"]] = statuses.get(one["status"], 0) + 1
                if differ(one, other, mode):
                    differing += 1
                    yield f"{site.name}, {mode}: {json.dumps(query, ensure_ascii=False)}"
            print(
                f"{site.name}, {mode}: {len(asked)} queries, {differing} differ; {statuses}; "
                f"{time.monotonic() - begun:.0f} s",
                file=sys.stderr,
                flush=True,
            )


if __name__ == "__main__":
    main()
