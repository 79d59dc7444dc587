"""A query read, and every passage of an index ranked: what `web/src/engine/search.ts` does in the browser."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt
from nearpage.builder import bm25, exact, fusion, operators, spelling, unfinished, vectors
from nearpage.builder.errors import EncoderError
from nearpage.builder.floor import Verdict, judge
from nearpage.builder.query import QueryWord, is_code, query_words
from nearpage.builder.reader import Index
from nearpage.builder.terms import stemmer

Mode = Literal["hybrid", "lexical", "vector"]
Encode = vectors.Encode
Floats = npt.NDArray[np.float64]

Reason = Literal["no_match", "floor", "unknown_number"]
"""Why nothing is relevant: no passage is ranked; the floor; the query is a number that the site has not."""

EXACT = 1000
"""What a tier adds to a lexical score: more than any words do."""


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

    No order where nothing is relevant, and then the `reason` why. `tiers` [passages]: see exact; all 0 where
    words took no part.

    The scores behind it, [passages] each: of the words, and with their page's support; the cosines, and with
    their page's boost and support. None for a ranking that took no part.
    """

    order: list[tuple[int, float]]
    reason: Reason | None
    verdict: Verdict
    tiers: npt.NDArray[np.int64]
    lexical_ranks: dict[int, int]
    vector_ranks: dict[int, int]
    words: bm25.LexicalScores | None
    by_words: Floats | None
    cosines: Floats | None
    by_vector: Floats | None


def read(index: Index, query: str) -> Question:
    """The parts of a query, and its words as they are looked up."""
    light = index.manifest.light
    stem = stemmer(index.manifest.language)
    asked = operators.read(query, stem, lambda term: index.postings(term) is not None)
    words = query_words(asked.text, stem, frozenset(light.words), light.weight)
    written = unfinished.weighed(words, index.postings, index.expand, len(index.norms))
    places = spelling.misspelt(written, index.postings, index.expand)
    if not places:
        return Question(query, asked, asked.text, written, written, None)
    words, best = spelling.corrected(written, places, index.dictionary())
    suggestion = spelling.respelt(query, best, stem) if best else None
    return Question(query, asked, spelling.respelt(asked.text, best, stem), words, written, suggestion)


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
    vector = cosines = vector_scores = near = None
    word_scores = fusion.supported(scored.scores, index.pages, parameters.lexical_support)
    lexical_scores = word_scores + EXACT * tiers
    if mode != "vector":
        lexical = fusion.ranking(lexical_scores, parameters.depth, positive_only=True, allowed=allowed)
    if vectors_wanted and question.words:
        if encode is None:
            raise EncoderError("this search needs the query encoder")
        vector = encode(question.text)
    if vector is not None and vector.any():
        cosines = vectors.cosines(vector, index.codes())
        # The root, for cosines of good and of middling passages differ by less than the scores of words.
        boosted = cosines * np.sqrt(index.boosts)
        vector_scores = fusion.supported(boosted, index.pages, parameters.vector_support)
        by_vector = fusion.ranking(vector_scores, parameters.depth, positive_only=False, allowed=allowed)
        near = float(cosines.max(initial=0.0)), float(known.coverage[by_vector].max(initial=0.0))
    if mode == "hybrid" and vector_scores is not None:
        fused = fusion.fuse([lexical, by_vector], parameters.k)
        # What is in a tier was in the lexical ranking.
        lifted = [(number, score + float(tiers[number])) for number, score in fused]
        order = sorted(lifted, key=lambda item: (-item[1], item[0]))
    else:
        scores = lexical_scores if vector_scores is None else vector_scores
        order = [(number, float(scores[number])) for number in lexical or by_vector]

    is_covered = bool(scored.coverage.max(initial=0.0) == 1)
    verdict = judge(index.floor, near, bool(tiers.any()), is_covered)
    # To a vector any number is like any other.
    is_unknown = not scored.scores.any() and all(is_code(word) for word in question.words)
    reason: Reason | None = None
    if not order:
        reason = "no_match"
    elif verdict.reason == "below":
        reason = "floor"
    elif is_unknown:
        reason = "unknown_number"
    return Ranked(
        order=[] if reason else order,
        reason=reason,
        verdict=verdict,
        tiers=tiers if mode != "vector" else np.zeros_like(tiers),
        lexical_ranks=_ranks(lexical),
        vector_ranks=_ranks(by_vector),
        words=scored if mode != "vector" else None,
        by_words=word_scores if mode != "vector" else None,
        cosines=cosines,
        by_vector=vector_scores,
    )


def _ranks(passages: Sequence[int]) -> dict[int, int]:
    return {number: rank for rank, number in enumerate(passages, 1)}


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
