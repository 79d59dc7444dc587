"""A query answered from an index: the Python twin of `web/src/engine/search.ts`."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from nearpage.builder import bm25, exact, fusion, operators, spelling, vectors
from nearpage.builder.errors import EncoderError
from nearpage.builder.query import query_words
from nearpage.builder.reader import Index
from nearpage.builder.terms import stemmer

Mode = Literal["hybrid", "lexical", "vector"]
Encode = Callable[[str], npt.NDArray[np.float32]]

EXACT = 1000
"""What a tier adds to a lexical score: more than any words do."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One result, with its rank in every ranking that found it; ranks count from 1."""

    rank: int
    url: str
    page: str
    anchor: str | None
    title: str
    heading_path: list[str]
    text: str
    score: float
    lexical_rank: int | None
    vector_rank: int | None


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The answer to a query, best hit first."""

    query: str
    status: Literal["ok", "nothing_relevant"]
    hits: list[Hit]
    suggestion: str | None = None
    """The query as the hits answer it, if words of it were taken for misspelt ones."""


def search(index: Index, query: str, mode: Mode, limit: int, encode: Encode | None = None) -> SearchResult:
    """The best `limit` passages for a query.

    `encode` gives the query's vector; hybrid and vector mode need it. An index without vectors answers
    hybrid queries lexically and refuses vector ones.
    """
    if mode == "vector" and index.manifest.vectors is None:
        raise EncoderError(
            "this index has no vectors; build it without --no-semantic, or search in lexical mode"
        )
    lexical_wanted = mode != "vector"
    vectors_wanted = mode != "lexical" and index.manifest.vectors is not None
    parameters = index.manifest.fusion

    light = index.manifest.light
    stem = stemmer(index.manifest.language)
    asked = operators.read(query, stem, lambda term: index.postings(term) is not None)
    words = query_words(asked.text, stem, frozenset(light.words), light.weight)
    suggestion = None
    if places := spelling.misspelt(words, index.postings, index.expand):
        words, suggestion = spelling.corrected(query, words, places, index.dictionary())
    lexical: list[int] = []
    by_vector: list[int] = []
    scored = bm25.score(words, index.postings, index.expand, index.norms, index.boosts, index.manifest.bm25)
    coverage = float(scored.coverage.max(initial=0.0))
    best_cosine = 0.0
    tiers = exact.tiers(asked.text, stem, index.postings, index.lengths, index.pages)
    scores = fusion.supported(scored.scores, index.pages, parameters.lexical_support) + EXACT * tiers
    allowed = _allowed(index, asked, scored.scores)
    if lexical_wanted:
        lexical = fusion.ranking(scores, parameters.depth, positive_only=True, allowed=allowed)
    if vectors_wanted and words:
        if encode is None:
            raise EncoderError("this search needs the query encoder")
        cosines = vectors.cosines(encode(asked.text), index.codes())
        best_cosine = float(cosines.max(initial=0.0))
        scores = fusion.supported(cosines, index.pages, parameters.vector_support)
        by_vector = fusion.ranking(scores, parameters.depth, positive_only=False, allowed=allowed)
    if mode == "hybrid" and vectors_wanted:
        fused = fusion.fuse([lexical, by_vector], parameters.k)
        # What is in a tier was in the lexical ranking.
        lifted = [(number, score + float(tiers[number])) for number, score in fused]
        order = sorted(lifted, key=lambda item: (-item[1], item[0]))
    else:
        order = [(number, float(scores[number])) for number in lexical or by_vector]

    floor = index.manifest.floor
    evidence = best_cosine + floor.coverage_weight * coverage
    if not order or (vectors_wanted and evidence < floor.threshold):
        return SearchResult(query, "nothing_relevant", [])
    lexical_ranks = {number: rank for rank, number in enumerate(lexical, 1)}
    vector_ranks = {number: rank for rank, number in enumerate(by_vector, 1)}
    hits = []
    for rank, (number, score) in enumerate(order[:limit], 1):
        shown = index.text(number)
        hits.append(
            Hit(
                rank=rank,
                url=f"{shown.url}#{shown.anchor}" if shown.anchor else shown.url,
                page=shown.url,
                anchor=shown.anchor,
                title=shown.title,
                heading_path=list(shown.heading_path),
                text="\n\n".join(block.text for block in shown.blocks),
                score=score,
                lexical_rank=lexical_ranks.get(number),
                vector_rank=vector_ranks.get(number),
            )
        )
    return SearchResult(query, "ok", hits, suggestion)


def _allowed(
    index: Index, asked: operators.Asked, scores: npt.NDArray[np.float64]
) -> npt.NDArray[np.bool_] | None:
    """Whether each passage meets the demands of the query; None where it has none."""
    if not asked.phrases and not asked.excluded:
        return None
    allowed = operators.allowed(asked, index.postings, len(scores))
    if not asked.phrases:
        return allowed
    passing = np.zeros(len(scores), np.bool_)
    stem = stemmer(index.manifest.language)
    for number in fusion.ranking(scores, operators.CHECKED, positive_only=False, allowed=allowed):
        shown = index.text(number)
        texts = [shown.title, *shown.heading_path, *(block.text for block in shown.blocks)]
        passing[number] = operators.stand(asked.phrases, texts, stem)
    if not passing.any() and operators.is_long(asked):
        return operators.allowed(replace(asked, phrases=()), index.postings, len(scores))
    return passing


def as_json(result: SearchResult) -> dict[str, Any]:
    """The result as the command line prints it and `window.nearpage.search` resolves to it."""
    hits = [{name: getattr(hit, name) for name in Hit.__slots__} for hit in result.hits]
    answer: dict[str, Any] = {"query": result.query, "status": result.status, "hits": hits}
    return answer if result.suggestion is None else {**answer, "suggestion": result.suggestion}
