"""Relevance measured at page level on real questions.

nDCG with gain 2^grade - 1 and discount log2(rank + 1) (Järvelin and Kekäläinen 2002; Burges et al.
2005), MRR, Recall and Success at a cut-off; 95% intervals by bootstrap over queries (10,000 resamples,
fixed seed, percentiles).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import orjson
from nearpage.builder.errors import UsageError
from nearpage.builder.reader import Index
from nearpage.builder.search import Encode, Mode, search
from rich.table import Table

MEASURES = ("ndcg@10", "mrr@10", "recall@5", "success@1")
PAGES = 10
"""Pages a query is judged on."""
RESAMPLES = 10_000


@dataclass(frozen=True, slots=True)
class Query:
    """A question and the grades (2 answers, 1 helps) of the pages that answer it, by normalised page."""

    id: str
    query: str
    kind: str
    grades: dict[str, int]


@dataclass(frozen=True, slots=True)
class Run:
    """A query's pages as they were ranked, best first."""

    id: str
    ranked: list[str]
    status: str


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Measures by kind of query and in total, and the rankings behind them."""

    measures: dict[str, Any]
    runs: list[Run]


def normalised(page: str) -> str:
    """A page's path without what source and site spell differently: `a/b.md`, `a/b/index.html` are `a/b`."""
    path = unquote(page).split("#")[0].strip("/")
    for ending in (".md", ".html", ".htm"):
        path = path.removesuffix(ending)
    return "" if path == "index" else path.removesuffix("/index").strip("/")


def read_queries(path: Path) -> list[Query]:
    """Queries of a JSON-lines file; a UsageError names the first bad line."""
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror})") from error
    queries = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            members = orjson.loads(line)
            grades: dict[str, int] = {}
            for relevant in members["relevant"]:
                page = normalised(relevant["page"])
                grades[page] = max(grades.get(page, 0), int(relevant["grade"]))
            queries.append(Query(str(members["id"]), members["query"], str(members["kind"]), grades))
        except (KeyError, TypeError, ValueError) as error:
            raise UsageError(
                f'{path}, line {number}: not a query ({error!r}); expected {{"id", "query", "kind", '
                '"relevant": [{"page", "anchor", "grade"}]}'
            ) from error
    if not queries:
        raise UsageError(f"{path}: no queries in it")
    return queries


def evaluate(index: Index, queries: Sequence[Query], mode: Mode, encode: Encode | None) -> Evaluation:
    """Ask every query and measure the rankings."""
    runs = []
    rows: dict[str, list[list[float]]] = {}
    for query in queries:
        # Two hundred passages are all that the two rankings hold.
        result = search(index, query.query, mode, 2 * index.manifest.fusion.depth, encode)
        ranked = list(dict.fromkeys(hit.page for hit in result.hits))
        runs.append(Run(query.id, ranked, result.status))
        row = measured([normalised(page) for page in ranked], query.grades)
        rows.setdefault(query.kind, []).append(row)
        rows.setdefault("total", []).append(row)
    kinds = [*sorted(kind for kind in rows if kind != "total"), "total"]
    return Evaluation({kind: _summary(rows[kind]) for kind in kinds}, runs)


def measured(ranked: Sequence[str], grades: dict[str, int]) -> list[float]:
    """The MEASURES of one ranking."""
    top = [grades.get(page, 0) for page in ranked[:PAGES]]
    ideal = _dcg(sorted(grades.values(), reverse=True)[:PAGES])
    first = next((rank for rank, grade in enumerate(top, 1) if grade), None)
    return [
        _dcg(top) / ideal if ideal else 0.0,
        1 / first if first else 0.0,
        sum(grade > 0 for grade in top[:5]) / len(grades) if grades else 0.0,
        float(first == 1),
    ]


def _dcg(grades: Sequence[int]) -> float:
    return sum((2.0**grade - 1) / math.log2(rank + 1) for rank, grade in enumerate(grades, 1))


def _summary(rows: list[list[float]]) -> dict[str, Any]:
    values = np.array(rows)
    samples = np.random.default_rng(0).integers(0, len(values), (RESAMPLES, len(values)))
    summary: dict[str, Any] = {"queries": len(values)}
    for column, measure in enumerate(MEASURES):
        means = values[:, column][samples].mean(axis=1)
        low, high = np.percentile(means, [2.5, 97.5])
        mean = float(values[:, column].mean())
        summary[measure] = {
            "mean": round(mean, 4),
            "low": round(float(low), 4),
            "high": round(float(high), 4),
        }
    return summary


def table(evaluation: Evaluation) -> Table:
    """The measures for people."""
    drawn = Table("kind", "queries", *MEASURES)
    for kind, summary in evaluation.measures.items():
        cells = [
            f"{summary[measure]['mean']:.3f} [{summary[measure]['low']:.2f}, {summary[measure]['high']:.2f}]"
            for measure in MEASURES
        ]
        drawn.add_row(kind, str(summary["queries"]), *cells)
    return drawn
