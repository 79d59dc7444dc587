"""A query as words to look up. Mirrored by `web/src/engine/query.ts`.

A word is a set of alternatives (spellings and stems of one thing) of which the best one counts. A plain
word gives one; an identifier gives one for the whole and, lighter, one for each segment and part, so
that `APIRouter.include_router` finds the whole name first and its parts all the same. Unless white
space follows it, the last word is also a prefix: the visitor may still be typing it. Beside other words its
first letter says nothing yet, and its second and third little (see `unfinished.py`).
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import regex
from nearpage.builder.terms import LONGEST, Lexeme, Part, Segment, Stem, is_cjk, lexemes, symbols

JOINED = 0.95
"""Weight of the spelling without separators, against the one as written."""
STEM = 0.85
"""Weight of a stem, against its surface."""
FOLDED = 0.8
"""Weight of any other spelling, against that of a query with diacritics."""
LEAF = 0.7
"""Weight of the last segment of a dotted name, against the whole."""
PART = 0.35
"""Weight of any smaller piece of an identifier, against the whole."""
UNFINISHED = {2: 0.1, 3: 0.5}
"""What is sure, by its letters, of a last word beside others."""
SHORTEST_PREFIX = 2
MOST_JOINED = 3
"""Most words of a query that may also be one word."""

_NUMBER = regex.compile(r"\p{N}")


@dataclass(frozen=True, slots=True)
class QueryWord:
    """One thing asked for: `alternatives` maps terms to weights; terms beginning with `prefix` also count.

    `written` is a plain word as the query has it, empty for all else. `sure` is the least share of its weight
    that it keeps for being perhaps the beginning of another word.
    """

    weight: float
    alternatives: dict[str, float]
    prefix: str | None = None
    written: str = ""
    sure: float = 1.0


def query_words(
    query: str, stem: Stem, light: Collection[str] = (), light_weight: float = 1.0
) -> list[QueryWord]:
    """The words of a query in order, each thing once; a word in `light` counts for `light_weight` of it."""
    every = list(lexemes(query, stem))
    last = every[-1] if every and every[-1].end == len(query) else None
    if last is not None and len(every) > 1 and _is_letter(query[last.start :]):
        every.pop()
    words: dict[str, QueryWord] = {}
    for lexeme in every:
        for found in _words(lexeme, is_last=lexeme is last):
            key = next(iter(found.alternatives), "")
            if key in light:
                word = replace(found, weight=found.weight * light_weight)
            else:
                word = replace(found, sure=_sure(found.prefix)) if len(every) > 1 else found
            if is_plain(lexeme):
                word = replace(word, written=query[lexeme.start : lexeme.end])
            # A later mention wins over an earlier one of less weight: it may carry the prefix.
            if key not in words or word.weight >= words[key].weight:
                words[key] = word
    for symbol in symbols(query):
        if not every or _is_telling(symbol):
            words.setdefault(symbol, QueryWord(light_weight if every else 1.0, {symbol: 1.0}))
    if all(is_plain(lexeme) for lexeme in every):
        keys = [key for key, word in words.items() if word.written]
        for at, end, joined in spans(keys):
            for key in () if any(key in light for key in keys[at:end]) else keys[at:end]:
                alternatives = {**words[key].alternatives}
                alternatives.setdefault(joined, JOINED)
                words[key] = replace(words[key], alternatives=alternatives)
    return list(words.values())


def spans(written: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """The neighbours of a short query, joined: what is written as two words may be one, or a name.

    Each with the places [at, end) that it spans.
    """
    if len(written) > MOST_JOINED or any(is_cjk(word) for word in written):
        return
    for at in range(len(written)):
        for end in range(at + 2, len(written) + 1):
            yield at, end, "".join(written[at:end])


def is_code(word: QueryWord) -> bool:
    """Whether a word has a number in it, so that nothing is like it but itself."""
    return _NUMBER.search(next(iter(word.alternatives), "")) is not None


def _is_telling(symbol: str) -> bool:
    # A sign beside words is punctuation, and so are a dash and a mark for emphasis.
    return len(symbol) > 1 and not set(symbol) <= set("-?")


def _is_letter(text: str) -> bool:
    return len(text) == 1 and text.isalpha() and not is_cjk(text)


def _sure(prefix: str | None) -> float:
    return 1.0 if prefix is None or is_cjk(prefix) else UNFINISHED.get(len(prefix), 1.0)


def is_plain(lexeme: Lexeme) -> bool:
    """Whether a lexeme is a word and no identifier."""
    return not lexeme.whole and not any(segment.spellings for segment in lexeme.segments)


def forms(lexeme: Lexeme) -> tuple[str, ...]:
    """The terms that a lexeme itself may stand as, without its parts."""
    return tuple(next(_words(lexeme, is_last=False)).alternatives)


def _words(lexeme: Lexeme, is_last: bool) -> Iterator[QueryWord]:
    whole = dict.fromkeys(lexeme.whole, 1.0)
    segments = lexeme.segments
    if not segments:
        yield _word(1.0, whole, is_last)
        return
    if len(segments) == 1:
        if whole and next(iter(whole))[-1] in "+#":  # `C++` is not `C`
            yield _word(1.0, whole, is_last)
            return
        spellings = _spellings(segments[0])
        if whole:  # the form with its symbol comes first
            spellings = {term: weight * JOINED for term, weight in spellings.items()}
        yield _word(1.0, {**spellings, **whole} if not whole else {**whole, **spellings}, is_last)
        yield from _parts(segments[0], PART, is_last)
        return
    yield _word(1.0, whole, is_last)
    for segment in segments:
        leaf = segment is segments[-1]
        yield _word(LEAF if leaf else PART, _spellings(segment), is_last and leaf)
        yield from _parts(segment, PART, is_last and leaf)


def _spellings(segment: Segment) -> dict[str, float]:
    if len(segment.parts) == 1 and not segment.spellings:
        return _forms(segment.parts[0])
    return {spelling: 1.0 if index == 0 else JOINED for index, spelling in enumerate(segment.spellings)}


def _parts(segment: Segment, weight: float, is_last: bool) -> Iterator[QueryWord]:
    if not segment.spellings:
        return
    for part in segment.parts:
        yield _word(weight, _forms(part), is_last and part is segment.parts[-1])


def _forms(part: Part) -> dict[str, float]:
    """A part's terms with their weights; the surface comes first, for it is what the word is known by."""
    folded = 1.0 if part.exact == part.surface else FOLDED
    forms = {part.surface: folded}
    if part.stem != part.surface:
        forms[part.stem] = STEM * folded
    if part.exact != part.surface:
        forms[part.exact] = 1.0
    return forms


def _word(weight: float, alternatives: dict[str, float], is_last: bool) -> QueryWord:
    usable = {term: value for term, value in alternatives.items() if term and len(term) <= LONGEST}
    first = next(iter(usable), "")
    prefix = first if is_last and (len(first) >= SHORTEST_PREFIX or is_cjk(first)) else None
    return QueryWord(weight, usable, prefix)
