"""Why a hit stands where it stands, in the numbers that ranked it. Mirrored by `web/src/engine/explain.ts`.

The fields of the dataclasses are the members of the JSON, which `docs/index-format.md` describes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from nearpage.builder import bm25, exact
from nearpage.builder.postings import FIELDS, PostingList
from nearpage.builder.query import QueryWord
from nearpage.builder.ranking import EXACT, Question, Ranked, Reason
from nearpage.builder.reader import Index

Tier = Literal["title", "heading", "name"]
TIERS: dict[int, Tier] = {exact.TITLE: "title", exact.HEADING: "heading", exact.NAME: "name"}


@dataclass(frozen=True, slots=True)
class FieldPart:
    """A term in a field: how often, the field's weight over its length normalisation, what it adds."""

    field: str
    frequency: int
    weight: float
    contribution: float


@dataclass(frozen=True, slots=True)
class TermPart:
    """The term that counts for a word of the query, and what it adds to the score; its fields' parts add up.

    `weight` is the word's in the query times the term's as its alternative.
    """

    word: str
    term: str
    weight: float
    idf: float
    contribution: float
    fields: list[FieldPart]


@dataclass(frozen=True, slots=True)
class LexicalPart:
    """How words ranked a passage: `score` = `bm25` + `support` + `exact`, `bm25` = the terms' contributions.

    `coverage` is the share of the query that the passage has, `missing` are the words that it has not. No
    rank for a passage that this ranking did not find.
    """

    rank: int | None
    score: float
    bm25: float
    support: float
    exact: float
    coverage: float
    terms: list[TermPart]
    missing: list[str]


@dataclass(frozen=True, slots=True)
class VectorPart:
    """How its vector ranked a passage: `score` = `cosine` times the root of the page's boost, + `support`."""

    rank: int | None
    score: float
    cosine: float
    support: float


@dataclass(frozen=True, slots=True)
class FusionPart:
    """A fused score is their sum: 1 / (k + rank) of each ranking, 0 without a rank; the tier's number."""

    lexical: float
    vector: float
    exact: float


@dataclass(frozen=True, slots=True)
class ExactPart:
    """The tier that lifted a passage, and whether it is named just as the query is written."""

    tier: Tier
    verbatim: bool


@dataclass(frozen=True, slots=True)
class HitExplanation:
    """Every number of a hit; None for what took no part. `boost` is the owner's times that of a changelog."""

    boost: float
    exact: ExactPart | None
    lexical: LexicalPart | None
    vector: VectorPart | None
    fusion: FusionPart | None


@dataclass(frozen=True, slots=True)
class WordPart:
    """A word of the query as it is looked up: its weight, and the terms that it may stand for with theirs."""

    word: str
    weight: float
    terms: dict[str, float]
    prefix: str | None


@dataclass(frozen=True, slots=True)
class FloorPart:
    """What the relevance floor said; see `floor.Verdict`."""

    applied: bool
    reason: str
    cosine: float | None
    coverage: float | None
    coverage_weight: float
    evidence: float | None
    threshold: float


@dataclass(frozen=True, slots=True)
class ResultExplanation:
    """What holds for all hits: the query's words, spellings taken for misspelt ones, the floor.

    `nothing_relevant` is the reason why there are no hits, None if there are.
    """

    words: list[WordPart]
    corrections: dict[str, list[str]]
    floor: FloorPart
    nothing_relevant: Reason | None


def of_result(index: Index, question: Question, ranked: Ranked) -> ResultExplanation:
    """What holds for the whole of an answer."""
    verdict, floor = ranked.verdict, index.floor
    return ResultExplanation(
        words=[WordPart(name(word), word.weight, word.alternatives, word.prefix) for word in question.words],
        corrections={
            name(word): [term for term in word.alternatives if term not in before.alternatives]
            for before, word in zip(question.written, question.words, strict=True)
            if word is not before
        },
        floor=FloorPart(
            applied=verdict.reason == "below",
            reason=verdict.reason,
            cosine=verdict.cosine,
            coverage=verdict.coverage,
            coverage_weight=floor.coverage_weight,
            evidence=verdict.evidence,
            threshold=floor.threshold,
        ),
        nothing_relevant=ranked.reason,
    )


def of_hits(
    index: Index, question: Question, ranked: Ranked, passages: Sequence[int], names: Sequence[Sequence[str]]
) -> list[HitExplanation]:
    """Why each of the passages stands where it stands; `names` are their titles and own headings."""
    matches = [
        (word, list(bm25.matches(word, index.postings, index.expand, len(index.norms))))
        for word in question.words
    ]
    return [
        HitExplanation(
            boost=float(index.boosts[passage]),
            exact=_exact(question, ranked, passage, named),
            lexical=_lexical(index, ranked, matches, passage),
            vector=_vector(index, ranked, passage),
            fusion=_fusion(index, ranked, passage),
        )
        for passage, named in zip(passages, names, strict=True)
    ]


def name(word: QueryWord) -> str:
    """A word of the query as it is shown: as it was written, or as it is looked up."""
    return word.written or next(iter(word.alternatives), "")


def _exact(question: Question, ranked: Ranked, passage: int, named: Sequence[str]) -> ExactPart | None:
    tier = TIERS.get(int(ranked.tiers[passage]))
    return tier and ExactPart(tier, exact.is_verbatim(question.asked.text, named))


def _lexical(
    index: Index, ranked: Ranked, matches: list[tuple[QueryWord, list[bm25.Match]]], passage: int
) -> LexicalPart | None:
    if ranked.words is None or ranked.by_words is None:
        return None
    parameters = index.manifest.bm25
    share = ranked.words.coverage[passage : passage + 1]
    scale = float((bm25.covering(share, parameters.coverage) * index.boosts[passage])[0])
    parts = [_term(index, word, those, passage, scale) for word, those in matches]
    score, supported = float(ranked.words.scores[passage]), float(ranked.by_words[passage])
    lift = float(EXACT * ranked.tiers[passage])
    return LexicalPart(
        rank=ranked.lexical_ranks.get(passage),
        score=supported + lift,
        bm25=score,
        support=supported - score,
        exact=lift,
        coverage=float(share[0]),
        terms=[part for part in parts if part],
        missing=[name(word) for (word, _), part in zip(matches, parts, strict=True) if not part],
    )


def _term(
    index: Index, word: QueryWord, matches: Sequence[bm25.Match], passage: int, scale: float
) -> TermPart | None:
    """The best of a word's matches in a passage, None if it has none; `scale` is the passage's own factor."""
    best, chosen = 0.0, None
    for match in matches:
        found = _only(match.found, passage)
        if found is None:
            continue
        weighted = bm25.weighted(found, index.norms)
        tf = float(bm25.summed(weighted)[0])
        value = match.weight * match.idf * (tf / (index.manifest.bm25.k1 + tf))
        if value > best:
            best, chosen = value, (match, found.frequencies[0].tolist(), (weighted[0] / tf).tolist())
    if chosen is None:
        return None
    match, frequencies, shares = chosen
    added = word.weight * best * scale
    return TermPart(
        word=name(word),
        term=match.term,
        weight=word.weight * match.weight,
        idf=match.idf,
        contribution=added,
        fields=[
            FieldPart(FIELDS[at], frequency, float(index.norms[passage, at]), added * shares[at])
            for at, frequency in enumerate(frequencies)
            if frequency
        ],
    )


def _only(found: PostingList, passage: int) -> PostingList | None:
    """A posting list with one passage alone, None if that is not in it."""
    at = int(np.searchsorted(found.passages, passage))
    if at == len(found.passages) or found.passages[at] != passage:
        return None
    here = slice(at, at + 1)
    return PostingList(found.passages[here], found.frequencies[here], found.keyed[here])


def _vector(index: Index, ranked: Ranked, passage: int) -> VectorPart | None:
    if ranked.cosines is None or ranked.by_vector is None:
        return None
    cosine, score = ranked.cosines[passage], float(ranked.by_vector[passage])
    boosted = float(cosine * np.sqrt(index.boosts[passage]))
    return VectorPart(ranked.vector_ranks.get(passage), score, float(cosine), score - boosted)


def _fusion(index: Index, ranked: Ranked, passage: int) -> FusionPart | None:
    if ranked.words is None or ranked.cosines is None:
        return None

    def added(ranks: dict[int, int]) -> float:
        rank = ranks.get(passage)
        return 0.0 if rank is None else 1 / (index.manifest.fusion.k + rank)

    return FusionPart(added(ranked.lexical_ranks), added(ranked.vector_ranks), float(ranked.tiers[passage]))
