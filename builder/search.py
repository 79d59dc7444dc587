"""A query answered from an index: the Python twin of `web/src/engine/search.ts`."""

from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from nearpage.builder import exact, explain
from nearpage.builder.errors import EncoderError
from nearpage.builder.explain import HitExplanation, ResultExplanation
from nearpage.builder.format import ShownPassage
from nearpage.builder.ranking import Encode, Mode, Ranked, rank, read
from nearpage.builder.reader import Index


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
    explanation: HitExplanation | None = None


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The answer to a query, best hit first."""

    query: str
    status: Literal["ok", "nothing_relevant"]
    hits: list[Hit]
    suggestion: str | None = None
    """The query as the hits answer it, if words of it were taken for misspelt ones."""
    explanation: ResultExplanation | None = None


def search(
    index: Index, query: str, mode: Mode, limit: int, encode: Encode | None = None, explained: bool = False
) -> SearchResult:
    """The best `limit` passages for a query, and if it is to be `explained`, why these.

    `encode` gives the query's vector; hybrid and vector mode need it. An index without vectors answers
    hybrid queries lexically and refuses vector ones.
    """
    if mode == "vector" and index.manifest.vectors is None:
        raise EncoderError(
            "this index has no vectors; build it without --no-semantic, or search in lexical mode"
        )
    question = read(index, query)
    ranked = rank(index, question, mode, encode)
    why = explain.of_result(index, question, ranked) if explained else None
    if not ranked.order:
        return SearchResult(query, "nothing_relevant", [], explanation=why)
    looked = ranked.order[: max(limit, exact.MOST)]
    best = exact.verbatim_first(
        question.asked.text, looked, ranked.tiers, lambda number: _names(index.text(number))
    )[:limit]
    shown = [index.text(number) for number, _ in best]
    hits = [
        _hit(ranked, place, number, score, text)
        for place, ((number, score), text) in enumerate(zip(best, shown, strict=True), 1)
    ]
    if explained:
        numbers = [number for number, _ in best]
        reasons = explain.of_hits(index, question, ranked, numbers, [_names(text) for text in shown])
        hits = [replace(hit, explanation=each) for hit, each in zip(hits, reasons, strict=True)]
    return SearchResult(query, "ok", hits, question.suggestion, why)


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


def as_json(result: SearchResult) -> dict[str, Any]:
    """The result as the command line prints it and `window.nearpage.search` resolves to it."""
    optional = ("suggestion", "explanation")
    answer = asdict(result)
    for members in (answer, *answer["hits"]):
        for name in optional:
            if name in members and members[name] is None:
                del members[name]
    return answer
