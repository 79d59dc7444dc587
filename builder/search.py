"""A query answered from an index: the Python twin of `web/src/engine/search.ts`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from nearpage.builder import bm25, exact, fusion, operators, spelling, vectors
from nearpage.builder.errors import EncoderError
from nearpage.builder.format import ShownPassage
from nearpage.builder.query import QueryWord, is_code, query_words
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


@dataclass(frozen=True, slots=True)
class Question:
    """A query, read.

    `text` is what is encoded and compared with titles: the query without operators, its words corrected.
    `written` are the words as they were written, `suggestion` the query with its words corrected, if any was.
    """

    query: str
    asked: operators.Asked
    text: str
    words: Sequence[QueryWord]
    written: Sequence[QueryWord]
    suggestion: str | None


@dataclass(frozen=True, slots=True)
class Ranked:
    """The passages of an answer, best first with their scores; ranks count from 1.

    No order where nothing is relevant. `tiers` [passages]: see exact; all 0 where words took no part.
    """

    order: list[tuple[int, float]]
    tiers: npt.NDArray[np.int64]
    lexical_ranks: dict[int, int]
    vector_ranks: dict[int, int]


def search(index: Index, query: str, mode: Mode, limit: int, encode: Encode | None = None) -> SearchResult:
    """The best `limit` passages for a query.

    `encode` gives the query's vector; hybrid and vector mode need it. An index without vectors answers
    hybrid queries lexically and refuses vector ones.
    """
    if mode == "vector" and index.manifest.vectors is None:
        raise EncoderError(
            "this index has no vectors; build it without --no-semantic, or search in lexical mode"
        )
    question = read(index, query)
    ranked = rank(index, question, mode, encode)
    if not ranked.order:
        return SearchResult(query, "nothing_relevant", [])
    best = exact.verbatim_first(
        question.asked.text, ranked.order[:limit], ranked.tiers, lambda number: _names(index.text(number))
    )
    hits = [
        _hit(ranked, place, number, score, index.text(number))
        for place, (number, score) in enumerate(best, 1)
    ]
    return SearchResult(query, "ok", hits, question.suggestion)


def read(index: Index, query: str) -> Question:
    """The parts of a query, and its words as they are looked up."""
    light = index.manifest.light
    stem = stemmer(index.manifest.language)
    asked = operators.read(query, stem, lambda term: index.postings(term) is not None)
    written = query_words(asked.text, stem, frozenset(light.words), light.weight)
    places = spelling.misspelt(written, index.postings, index.expand)
    if not places:
        return Question(query, asked, asked.text, written, written, None)
    words, best = spelling.corrected(written, places, index.dictionary())
    suggestion = spelling.respelt(query, best) if best else None
    return Question(query, asked, spelling.respelt(asked.text, best), words, written, suggestion)


def rank(index: Index, question: Question, mode: Mode, encode: Encode | None) -> Ranked:
    """Every passage ranked; hybrid mode answers lexically where there are no vectors."""
    vectors_wanted = mode != "lexical" and index.manifest.vectors is not None
    parameters = index.manifest.fusion
    scored = _scored(index, question.words)
    # A spelling that was guessed is no evidence.
    known = scored if question.suggestion is None else _scored(index, question.written)
    tiers = exact.tiers(
        question.text,
        stemmer(index.manifest.language),
        index.postings,
        index.lengths,
        index.pages,
        frozenset(index.manifest.light.words),
    )
    allowed = _allowed(index, question.asked, scored.scores)
    lexical: list[int] = []
    by_vector: list[int] = []
    best_cosine = coverage = 0.0
    scores = fusion.supported(scored.scores, index.pages, parameters.lexical_support) + EXACT * tiers
    if mode != "vector":
        lexical = fusion.ranking(scores, parameters.depth, positive_only=True, allowed=allowed)
    if vectors_wanted and question.words:
        if encode is None:
            raise EncoderError("this search needs the query encoder")
        cosines = vectors.cosines(encode(question.text), index.codes())
        best_cosine = float(cosines.max(initial=0.0))
        # The root, for cosines of good and of middling passages differ by less than the scores of words.
        scores = fusion.supported(cosines * np.sqrt(index.boosts), index.pages, parameters.vector_support)
        by_vector = fusion.ranking(scores, parameters.depth, positive_only=False, allowed=allowed)
        coverage = float(known.coverage[by_vector].max(initial=0.0))
    if mode == "hybrid" and vectors_wanted:
        fused = fusion.fuse([lexical, by_vector], parameters.k)
        # What is in a tier was in the lexical ranking.
        lifted = [(number, score + float(tiers[number])) for number, score in fused]
        order = sorted(lifted, key=lambda item: (-item[1], item[0]))
    else:
        order = [(number, float(scores[number])) for number in lexical or by_vector]

    floor = index.manifest.floor
    is_below = vectors_wanted and best_cosine + floor.coverage_weight * coverage < floor.threshold
    # Who gives a title or words that all stand in one passage has found it, whatever half a word means.
    is_found = tiers.any() or scored.coverage.max(initial=0.0) == 1
    # To a vector any number is like any other.
    is_unknown = not scored.scores.any() and all(is_code(word) for word in question.words)
    if (is_below and not is_found) or is_unknown:
        order = []
    return Ranked(
        order, tiers if mode != "vector" else np.zeros_like(tiers), _ranks(lexical), _ranks(by_vector)
    )


def _ranks(passages: Sequence[int]) -> dict[int, int]:
    return {number: rank for rank, number in enumerate(passages, 1)}


def _hit(ranked: Ranked, rank: int, number: int, score: float, shown: ShownPassage) -> Hit:
    return Hit(
        rank=rank,
        url=f"{shown.url}#{shown.anchor}" if shown.anchor else shown.url,
        page=shown.url,
        anchor=shown.anchor,
        title=shown.title,
        heading_path=list(shown.heading_path),
        text="\n\n".join(block.text for block in shown.blocks),
        score=score,
        lexical_rank=ranked.lexical_ranks.get(number),
        vector_rank=ranked.vector_ranks.get(number),
    )


def _names(shown: ShownPassage) -> tuple[str, ...]:
    return (shown.title, *shown.heading_path[-1:])


def _scored(index: Index, words: Sequence[QueryWord]) -> bm25.LexicalScores:
    return bm25.score(words, index.postings, index.expand, index.norms, index.boosts, index.manifest.bm25)


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
