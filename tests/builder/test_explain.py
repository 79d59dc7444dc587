"""The numbers of an explanation are those that ranked, and add up. In both languages: tests/contract."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from nearpage.builder.explain import HitExplanation, LexicalPart
from nearpage.builder.ranking import Encode, Mode
from nearpage.builder.reader import Index
from nearpage.builder.search import Hit, SearchResult, as_json, search

MODES: tuple[Mode, ...] = ("hybrid", "lexical", "vector")
GOLDEN = Path(__file__).parents[1] / "contract"
QUERIES = [entry["query"] for entry in json.loads((GOLDEN / "queries.json").read_text())]


def near(value: float) -> object:
    return pytest.approx(value, rel=1e-9, abs=1e-12)


@pytest.fixture(scope="module")
def golden() -> Index:
    return Index(GOLDEN / "index")


def answers(index: Index, encode: Encode) -> Iterator[tuple[Mode, SearchResult]]:
    """Every query of the contract and what it becomes when half typed or misspelt, in every mode."""
    written = [*QUERIES, *(query[: len(query) // 2] for query in QUERIES)]
    written += [query.replace("e", "", 1) for query in QUERIES]
    written += [str(number) for number in range(4_700, 4_720)]
    for query in written:
        for mode in MODES:
            yield mode, search(index, query, mode, 20, encode, explained=True)


@pytest.fixture(scope="module")
def explained(golden: Index) -> list[tuple[Mode, SearchResult]]:
    # Any vector will do, far from every passage or that of one: what it says must add up.
    rng = np.random.default_rng(7)
    passages = golden.codes().levels.astype(np.float32)

    def encode(text: str) -> npt.NDArray[np.float32]:
        vector = rng.choice(passages) if rng.random() < 0.3 else rng.standard_normal(passages.shape[1])
        return np.asarray(vector / np.linalg.norm(vector), np.float32)

    return list(answers(golden, encode))


def hits(explained: list[tuple[Mode, SearchResult]]) -> Iterator[tuple[Mode, Hit, HitExplanation]]:
    for mode, result in explained:
        for hit in result.hits:
            assert hit.explanation
            yield mode, hit, hit.explanation


def lexical_parts(explained: list[tuple[Mode, SearchResult]]) -> Iterator[tuple[Mode, Hit, LexicalPart]]:
    for mode, hit, explanation in hits(explained):
        if explanation.lexical:
            yield mode, hit, explanation.lexical


def test_the_terms_add_up_to_bm25_and_their_fields_to_them(
    explained: list[tuple[Mode, SearchResult]],
) -> None:
    several = 0
    for _, hit, lexical in lexical_parts(explained):
        assert sum(term.contribution for term in lexical.terms) == near(lexical.bm25), hit.url
        for term in lexical.terms:
            assert sum(field.contribution for field in term.fields) == near(term.contribution)
            assert all(field.frequency > 0 for field in term.fields)
        several += len(lexical.terms) > 1
    assert several > 100


def test_bm25_support_and_tier_add_up_to_the_score_that_ranked(
    explained: list[tuple[Mode, SearchResult]],
) -> None:
    for mode, hit, lexical in lexical_parts(explained):
        assert lexical.score == near(lexical.bm25 + lexical.support + lexical.exact)
        assert lexical.rank == hit.lexical_rank
        if mode == "lexical":
            assert lexical.score == hit.score


def test_boosted_cosine_and_support_add_up_to_the_score_that_ranked(
    explained: list[tuple[Mode, SearchResult]],
) -> None:
    boosts = set()
    for mode, hit, explanation in hits(explained):
        if vector := explanation.vector:
            assert vector.score == near(vector.cosine * explanation.boost**0.5 + vector.support)
            assert vector.rank == hit.vector_rank
            boosts.add(explanation.boost)
            if mode == "vector":
                assert vector.score == hit.score
    assert len(boosts) > 1


def test_a_fused_score_is_what_both_rankings_and_the_tier_add(
    explained: list[tuple[Mode, SearchResult]], golden: Index
) -> None:
    k = golden.manifest.fusion.k
    for mode, hit, explanation in hits(explained):
        fusion = explanation.fusion
        assert bool(fusion) is (mode == "hybrid")
        if fusion:
            assert hit.score == near(fusion.lexical + fusion.vector + fusion.exact)
            assert fusion.lexical == (1 / (k + hit.lexical_rank) if hit.lexical_rank else 0)
            assert fusion.vector == (1 / (k + hit.vector_rank) if hit.vector_rank else 0)
            assert bool(fusion.exact) is bool(explanation.exact)


def test_what_took_no_part_is_not_explained(explained: list[tuple[Mode, SearchResult]]) -> None:
    for mode, _, explanation in hits(explained):
        assert (explanation.lexical is None) is (mode == "vector")
        assert (explanation.vector is None) is (mode == "lexical")


def test_every_word_is_there_or_missing_and_the_share_tells_which(
    explained: list[tuple[Mode, SearchResult]],
) -> None:
    for _, result in explained:
        assert result.explanation
        words = sorted(word.word for word in result.explanation.words)
        for hit in result.hits:
            if hit.explanation and (lexical := hit.explanation.lexical):
                assert sorted([*(term.word for term in lexical.terms), *lexical.missing]) == words
                assert (lexical.coverage == near(1)) is (not lexical.missing)


def test_the_floor_says_why_there_is_nothing(
    explained: list[tuple[Mode, SearchResult]],
) -> None:
    reasons = set()
    for mode, result in explained:
        assert result.explanation
        floor = result.explanation.floor
        nothing = result.explanation.nothing_relevant
        assert (nothing is None) is (result.status == "ok")
        if mode == "lexical":
            assert (floor.reason, floor.evidence) == ("no_vectors", None)
        if floor.evidence is not None:
            assert floor.cosine is not None
            assert floor.coverage is not None
            assert floor.evidence == floor.cosine + floor.coverage_weight * floor.coverage
            assert (floor.evidence < floor.threshold) is (floor.reason != "reached")
        assert floor.applied is (floor.reason == "below")
        if floor.applied:
            assert nothing in {"floor", "no_match"}
        reasons.add((floor.reason, nothing))
    assert {reason for reason, _ in reasons} == {"no_vectors", "reached", "exact", "covered", "below"}
    assert {nothing for _, nothing in reasons} == {None, "floor", "no_match", "unknown_number"}


def test_a_corrected_word_is_explained_by_the_term_it_stands_for(golden: Index) -> None:
    result = search(golden, "backgruond", "lexical", 1, explained=True)
    assert result.explanation
    assert result.explanation.corrections == {"backgruond": ["background"]}
    [hit] = result.hits
    assert hit.explanation
    assert hit.explanation.lexical
    [term] = hit.explanation.lexical.terms
    assert (term.word, term.term, term.weight) == ("backgruond", "background", 0.5)


def test_an_unfinished_word_is_explained_by_the_term_it_begins(golden: Index) -> None:
    [hit] = search(golden, "conn", "lexical", 1, explained=True).hits
    assert hit.explanation
    assert hit.explanation.lexical
    [term] = hit.explanation.lexical.terms
    assert (term.word, term.weight) == ("conn", 1.0)
    assert term.term.startswith("conn")


def test_nothing_is_explained_that_was_not_asked_for(golden: Index) -> None:
    plain = as_json(search(golden, "retries", "lexical", 3))
    assert "explanation" not in plain
    assert all("explanation" not in hit for hit in plain["hits"])
    explained = as_json(search(golden, "retries", "lexical", 3, explained=True))
    del explained["explanation"]
    for hit in explained["hits"]:
        del hit["explanation"]
    assert explained == plain
