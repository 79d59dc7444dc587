"""Relevance measured at page level on real questions.

nDCG with the grade as gain and discount log2(rank + 1) (Järvelin and Kekäläinen, TOIS 20(4), 2002), as
trec_eval and ir-measures compute it by default; MRR, Recall and Success at a cut-off; 95% intervals by
bootstrap over queries (10,000 resamples, fixed seed, percentiles).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from nearpage.builder.check import Expectation, Outcome, check
from nearpage.builder.errors import UsageError
from nearpage.builder.page_names import normalised
from nearpage.builder.ranking import Encode, Mode
from nearpage.builder.reader import Index
from nearpage.builder.search import SearchResult, search

MEASURES = ("ndcg@10", "mrr@10", "recall@5", "success@1")
PAGES = 10
"""Pages a query is judged on."""
RESAMPLES = 10_000


@dataclass(frozen=True, slots=True)
class Query:
    """A question and the grades (2 answers, 1 helps; none is 0) of pages, by normalised page."""

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


def read_queries(path: Path) -> list[Query]:
    """Queries of a JSON-lines file; a UsageError names the first bad line."""
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise UsageError(
            f"{path}: cannot be read ({error.strerror}); name a file of queries, a JSON line each"
        ) from error
    queries = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            queries.append(_query(orjson.loads(line)))
        except (TypeError, ValueError) as error:
            raise UsageError(
                f'{path}, line {number}: not a query ({error}); expected {{"id", "query", "kind", '
                '"relevant": [{"page", "anchor", "grade"}]}'
            ) from error
    if not queries:
        raise UsageError(f"{path}: no queries in it; expected a JSON line each")
    return queries


def _query(line: object) -> Query:
    """The query of a line's JSON; a TypeError or ValueError says what is wrong with it."""
    query = _member(line, "query", str)
    grades: dict[str, int] = {}
    for relevant in _member(line, "relevant", list):
        page = normalised(_member(relevant, "page", str))
        if grade := max(grades.get(page, 0), int(_member(relevant, "grade", object))):
            grades[page] = grade
    return Query(str(_member(line, "id", object)), query, str(_member(line, "kind", object)), grades)


def _member(members: object, name: str, kind: type) -> Any:
    if not isinstance(members, dict):
        raise TypeError(f"{members!r} is no object")
    if name not in members:
        raise ValueError(f'it has no "{name}"')
    if not isinstance(members[name], kind):
        raise TypeError(f'"{name}" is {members[name]!r}')
    return members[name]


def evaluate(index: Index, queries: Sequence[Query], mode: Mode, encode: Encode | None) -> Evaluation:
    """Ask every query and measure the rankings."""
    runs = []
    rows: dict[str, list[list[float]]] = {}
    for query in queries:
        result = _everything(index, query.query, mode, encode)
        ranked = list(dict.fromkeys(hit.page for hit in result.hits))
        runs.append(Run(query.id, ranked, result.status))
        row = measured([normalised(page) for page in ranked], query.grades)
        rows.setdefault(query.kind, []).append(row)
    measures = {kind: _summary(rows[kind]) for kind in sorted(rows)}
    measures["total"] = _summary([row for kind in rows.values() for row in kind])
    return Evaluation(measures, runs)


def check_index(
    index: Index, expectations: Sequence[Expectation], mode: Mode, encode: Encode | None
) -> list[Outcome]:
    """Ask an index what its owner expects of it."""

    def ask(query: str) -> list[str]:
        return [hit.url for hit in _everything(index, query, mode, encode).hits]

    return check(expectations, ask, index.addresses())


def _everything(index: Index, query: str, mode: Mode, encode: Encode | None) -> SearchResult:
    """All that the two rankings hold: two hundred passages."""
    return search(index, query, mode, 2 * index.manifest.fusion.depth, encode)


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
    return sum(grade / math.log2(rank + 1) for rank, grade in enumerate(grades, 1))


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


def table(evaluation: Evaluation) -> str:
    """The measures for people, a line a kind."""
    width = max(len(kind) for kind in evaluation.measures)
    lines = [f"{'kind':<{width}}  queries" + "".join(f"  {measure:<18}" for measure in MEASURES).rstrip()]
    for kind, summary in evaluation.measures.items():
        line = f"{kind:<{width}}  {summary['queries']:>7}"
        for measure in MEASURES:
            value = summary[measure]
            line += f"  {value['mean']:.3f} [{value['low']:.2f}, {value['high']:.2f}]"
        lines.append(line)
    return "\n".join(lines)
