"""BM25F over five fields. Mirrored by `web/src/engine/bm25.ts`, operation by operation.

Robertson, Zaragoza and Taylor, "Simple BM25 extension to multiple weighted fields" (CIKM 2004), with a
length normalisation for each field (Zaragoza et al., TREC-13, 2004):

    tf~  = sum over fields f of  weight_f * tf_f / (1 - b_f + b_f * length_f / mean_length_f)
    idf  = ln(1 + (N - df + 0.5) / (df + 0.5))          rounded to float32
    term = idf * tf~ / (k1 + tf~)

A query word scores its best alternative in a passage. The terms that an unfinished word may become count as
one term, with the idf of all passages that have any of them, so that a ranking hardly moves from letter to
letter. Words add up; the sum is scaled by how much of the query the passage covers. The idf is rounded
because two platforms' logarithms may differ in the last bit; everything else is IEEE arithmetic in the same
order, so both languages get equal scores.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from nearpage.builder.postings import PostingList
from nearpage.builder.query import QueryWord

Floats = npt.NDArray[np.float64]

EXPANSIONS = 50
"""Most terms that a prefix stands for: those in most passages first."""


@dataclass(frozen=True, slots=True)
class FieldParameters:
    """A field's weight, its length normalisation b in [0, 1], and its mean length in lexemes where it is."""

    weight: float
    b: float
    mean_length: float


@dataclass(frozen=True, slots=True)
class Bm25Parameters:
    """Parameters of the formula above; `coverage` in [0, 1] is how much an uncovered query costs."""

    k1: float
    coverage: float
    fields: tuple[FieldParameters, ...]


@dataclass(frozen=True, slots=True)
class LexicalScores:
    """Scores [passages] (0 where nothing matched) and the covered share [passages] of the query."""

    scores: Floats
    coverage: Floats


class Match(NamedTuple):
    """A term that a query word may stand for: its weight there, its idf and its posting list."""

    term: str
    weight: float
    idf: float
    found: PostingList


def idf(passages: int, df: int) -> float:
    """Inverse document frequency of a term that stands in `df` of `passages`."""
    return float(np.float32(math.log(1 + (passages - df + 0.5) / (df + 0.5))))


def score(
    words: Sequence[QueryWord],
    postings: Callable[[str], PostingList | None],
    expand: Callable[[str], Sequence[tuple[str, int]]],
    norms: Floats,
    boosts: Floats,
    parameters: Bm25Parameters,
) -> LexicalScores:
    """Score every passage.

    `postings` gives a term's posting list (None for an unknown term), `expand` the (term, df) pairs of a
    prefix, `norms` [passages, fields] each field's weight over its length normalisation (see `norm`),
    `boosts` [passages] the factor of each passage's page.
    """
    count = len(norms)
    total = np.zeros(count)
    covered = np.zeros(count)
    asked = 0.0
    for word in words:
        best = np.zeros(count)
        rarest = 0.0
        for match in matches(word, postings, expand, count):
            factor = match.weight * match.idf
            rarest = max(rarest, factor)
            tf = summed(weighted(match.found, norms))
            value = factor * (tf / (parameters.k1 + tf))
            best[match.found.passages] = np.maximum(best[match.found.passages], value)
        # A word that the site does not know is asked for all the same.
        importance = word.weight * (rarest or idf(count, 0))
        asked += importance
        total += word.weight * best
        covered += np.where(best > 0, importance, 0.0)
    share = covered / asked if asked else covered
    scores = total * covering(share, parameters.coverage) * boosts
    return LexicalScores(scores, share)


def matches(
    word: QueryWord,
    postings: Callable[[str], PostingList | None],
    expand: Callable[[str], Sequence[tuple[str, int]]],
    count: int,
) -> Iterator[Match]:
    """The terms, of `count` passages, that a word may stand for; in a passage the best one counts."""
    for term, weight in word.alternatives.items():
        found = postings(term)
        if found is not None:
            yield Match(term, weight, idf(count, len(found.passages)), found)
    if word.prefix is None:
        return
    lists, df = begun(word.prefix, postings, expand, count)
    for term, found in lists:
        yield Match(term, 1.0, idf(count, df), found)


def begun(
    prefix: str,
    postings: Callable[[str], PostingList | None],
    expand: Callable[[str], Sequence[tuple[str, int]]],
    count: int,
) -> tuple[list[tuple[str, PostingList]], int]:
    """The terms that a prefix stands for, with posting lists, and how many of `count` passages have any."""
    lists = []
    having = np.zeros(count, np.bool_)
    for term in chosen_expansions(expand(prefix)):
        found = postings(term)
        if found is not None:
            lists.append((term, found))
            having[found.passages] = True
    return lists, int(np.count_nonzero(having))


def weighted(found: PostingList, norms: Floats) -> Floats:
    """What each field [n, fields] of a posting list's passages adds to tf~."""
    return np.asarray(found.frequencies * norms[found.passages], np.float64)


def summed(weighted: Floats) -> Floats:
    """tf~ [n]: field by field, and not by sum(), which may add in another order."""
    tf = weighted[:, 0]
    for field in range(1, weighted.shape[1]):
        tf = tf + weighted[:, field]
    return tf


def covering(share: Floats, coverage: float) -> Floats:
    """The factor [n] of passages that cover such shares [n] of the query."""
    return 1 - coverage + coverage * share


def norm(lengths: Floats, parameters: Bm25Parameters) -> Floats:
    """weight_f / (1 - b_f + b_f * length_f / mean_length_f) for lengths [passages, fields]."""
    columns = []
    for index, field in enumerate(parameters.fields):
        relative = lengths[:, index] / field.mean_length if field.mean_length else lengths[:, index] * 0
        columns.append(field.weight / (1 - field.b + field.b * relative))
    return np.stack(columns, axis=1)


def chosen_expansions(candidates: Sequence[tuple[str, int]]) -> list[str]:
    """At most EXPANSIONS of (term, df) pairs in term order: the most frequent, ties in term order."""
    by_frequency = sorted(candidates, key=lambda pair: -pair[1])
    return [term for term, _ in by_frequency[:EXPANSIONS]]
