"""The engines that Nearpage is measured beside, each with the pages it finds for each question."""

import json
import subprocess
from collections.abc import Sequence
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path

import bm25s
import snowballstemmer
from nearpage.builder.evaluate import PAGES

from tests.bench.relevance.records import Record

HERE = Path(__file__).parent
IN_NODE = {
    "MiniSearch, as VitePress sets it": "minisearch",
    "MiniSearch, stemmed": "minisearch_stemmed",
    "lunr, as MkDocs sets it": "mkdocs",
    "lunr, as Material sets it": "material",
}
BM25S = "bm25s, stemmed, titles x3"
_TITLES = 3
"""How often titles and headings are repeated before the text."""

Ranked = list[list[str]]


def in_node(engine: str, records: Sequence[Record], queries: Sequence[str]) -> Ranked:
    """An engine of peers.mjs."""
    workers = Path(str(files("material"))) / "templates/assets/javascripts/workers"
    [worker] = workers.glob("search.*.min.js")
    given = json.dumps({"records": [asdict(record) for record in records], "queries": list(queries)})
    ran = subprocess.run(
        ["node", "--max-old-space-size=4096", HERE / "peers.mjs", IN_NODE[engine], worker],
        input=given,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    ranked: Ranked = json.loads(ran.stdout)
    return ranked


def by_bm25s(records: Sequence[Record], queries: Sequence[str]) -> Ranked:
    """BM25 as Lucene has it, over English stems without stop words; a page is as good as its best record."""
    stem = snowballstemmer.stemmer("english").stemWords
    texts = [" ".join([record.title, *record.headings] * _TITLES + [record.text]) for record in records]
    index = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    index.index(_tokens(texts, stem), show_progress=False)
    found, scores = index.retrieve(_tokens(queries, stem), k=len(records), show_progress=False)
    ranked = []
    for numbers, values in zip(found, scores, strict=True):
        pages = (records[at].page for at, value in zip(numbers, values, strict=True) if value > 0)
        ranked.append(list(dict.fromkeys(pages))[:PAGES])
    return ranked


def _tokens(texts: Sequence[str], stem: object) -> object:
    return bm25s.tokenize(list(texts), stopwords="en", stemmer=stem, show_progress=False)
