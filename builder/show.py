"""Hits and explanations for people, by rich. Indexed text is shown as it stands, never read as markup."""

from collections.abc import Iterator

from nearpage.builder.explain import HitExplanation, LexicalPart, ResultExplanation
from nearpage.builder.search import Hit, SearchResult
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

FLOOR = {
    "no_vectors": "not asked, for no ranking by vector took part",
    "reached": "reached",
    "exact": "not applied, for a title, heading or name is the query",
    "covered": "not applied, for one passage has all words",
    "below": "applied: nothing relevant",
}
NOTHING = {
    "no_match": "no passage matches",
    "floor": "the evidence is below the floor",
    "unknown_number": "the site does not have this number",
}


def show(output: Console, result: SearchResult) -> None:
    """Print a result, and why it is so where it was explained."""
    if result.status == "nothing_relevant":
        output.print("Nothing relevant.")
    if result.explanation:
        for line in _answer(result.explanation):
            output.print(Text(line, style="dim"), soft_wrap=True)
        output.print()
    for hit in result.hits:
        title = escape(" > ".join([hit.title, *hit.heading_path]))
        output.print(f"[bold]{hit.rank}. {title}[/bold]", soft_wrap=True)
        output.print(f"   [cyan]{escape(hit.url)}[/cyan]", soft_wrap=True)
        if hit.explanation:
            for line in _places(hit, hit.explanation):
                output.print(Text(f"   {line}"), soft_wrap=True)
            if hit.explanation.lexical and hit.explanation.lexical.terms:
                output.print(Padding(_terms(hit.explanation.lexical), (0, 0, 0, 3)))
            output.print()
        else:
            output.print(f"   {escape(' '.join(hit.text.split())[:240])}\n")


def _answer(explanation: ResultExplanation) -> Iterator[str]:
    """Lines on what holds for all hits."""
    words = (
        word.word
        + (f" ×{_number(word.weight)}" if word.weight != 1 else "")
        + (f" ({word.prefix}…)" if word.prefix else "")
        for word in explanation.words
    )
    yield f"Words: {', '.join(words)}"
    for word, terms in explanation.corrections.items():
        yield f"Misspelt: {word}, taken for {', '.join(terms)}"
    floor = explanation.floor
    verdict = FLOOR[floor.reason]
    if floor.cosine is None or floor.coverage is None or floor.evidence is None:
        yield f"Floor: {verdict}"
    else:
        yield (
            f"Floor {_number(floor.threshold)}: {verdict}; evidence {_number(floor.evidence)} = "
            f"cosine {_number(floor.cosine)} + {_number(floor.coverage_weight)} × "
            f"coverage {_number(floor.coverage)}"
        )
    if explanation.nothing_relevant:
        yield f"No hits: {NOTHING[explanation.nothing_relevant]}"


def _places(hit: Hit, explanation: HitExplanation) -> Iterator[str]:
    """Lines on a hit's score and its place in each ranking."""
    exact, fusion, lexical, vector = (
        explanation.exact,
        explanation.fusion,
        explanation.lexical,
        explanation.vector,
    )
    if exact:
        yield f"its {exact.tier} is the query" + (", just as it is written" if exact.verbatim else "")
    if fusion:
        parts = [f"{_number(fusion.lexical)} by words", f"{_number(fusion.vector)} by vector"]
        parts += [f"{_number(fusion.exact)} exact"] if fusion.exact else []
        yield f"score {_number(hit.score)} = {' + '.join(parts)}"
    boost = f" (boost {_number(explanation.boost)})" if explanation.boost != 1 else ""
    if vector:
        root = f" × √{_number(explanation.boost)}" if boost else ""
        yield (
            f"{_rank(vector.rank)} by vector: {_number(vector.score)}, cosine {_number(vector.cosine)}"
            f"{root} + {_number(vector.support)} of its page"
        )
    if lexical:
        parts = [f"{_number(lexical.bm25)} BM25{boost}", f"{_number(lexical.support)} of its page"]
        parts += [f"{_number(lexical.exact)} exact"] if lexical.exact else []
        yield (
            f"{_rank(lexical.rank)} by words: {_number(lexical.score)} = {' + '.join(parts)}; "
            f"covers {lexical.coverage:.0%}"
            + (f", not {', '.join(filter(None, lexical.missing))}" if lexical.missing else "")
        )


def _terms(lexical: LexicalPart) -> Table:
    """What each term adds to BM25, and in which fields it stands how often."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for heading in ("word", "term", "weight", "idf", "adds", "in"):
        table.add_column(heading, justify="left" if heading in {"word", "term", "in"} else "right")
    for part in lexical.terms:
        fields = (
            f"{each.field} {each.frequency}×"
            + (f" ({each.contribution:.3f})" if len(part.fields) > 1 else "")
            for each in part.fields
        )
        numbers = map(_number, (part.weight, part.idf, part.contribution))
        table.add_row(*map(Text, (part.word, part.term, *numbers, ", ".join(fields))))
    return table


def _rank(rank: int | None) -> str:
    return f"#{rank}" if rank else "unranked"


def _number(value: float) -> str:
    """As many digits as tell two neighbours in a ranking apart."""
    return f"{value:.4g}" if abs(value) < 1000 else f"{value:.3f}"
