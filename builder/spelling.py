"""Words that the site does not have, as it may write them. Mirrored by `web/src/engine/spelling.ts`.

A plain word of at least SHORTEST letters of which the index has nothing stands also for the terms at the
smallest number of edits: one (insert, delete, replace, swap neighbours), from LONG letters two.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import regex
from nearpage.builder.postings import PostingList
from nearpage.builder.query import QueryWord
from nearpage.builder.terms import Stem, is_cjk, lexemes

WEIGHT = 0.5
"""Weight of a corrected spelling, against the word as written."""
SHORTEST = 4
LONG = 8
MOST_WORDS = 2
"""Most words of a query that are corrected."""
MOST_TERMS = 5
"""Most spellings of a word; of equals the first in term order."""
APOSTROPHES = frozenset("'’")
"""A contraction is not a word that somebody misspelt."""
LONGEST = 24
"""Longest term of a dictionary."""

_LETTERS = regex.compile(r"[\p{L}\p{M}]+")


def is_correctable(term: str) -> bool:
    """Whether a dictionary holds such a term: letters alone, all in Unicode's first plane."""
    return (
        len(term) <= LONGEST
        and _LETTERS.fullmatch(term) is not None
        and max(term) <= "\uffff"
        and not is_cjk(term)
    )


def misspelt(
    words: Sequence[QueryWord],
    postings: Callable[[str], PostingList | None],
    expand: Callable[[str], Sequence[tuple[str, int]]],
) -> list[int]:
    """The places of the words that may be corrected."""
    return [
        at
        for at, word in enumerate(words)
        # A light word that a site does not use is none that somebody misspelt.
        if word.written
        and word.weight == 1
        and not APOSTROPHES & set(word.written)
        and len(first := next(iter(word.alternatives), "")) >= SHORTEST
        and is_correctable(first)
        and not any(postings(term) for term in word.alternatives)
        and not (word.prefix is not None and expand(word.prefix))
    ][:MOST_WORDS]


def corrected(
    words: Sequence[QueryWord], places: Sequence[int], dictionary: Sequence[tuple[str, int]]
) -> tuple[list[QueryWord], dict[str, str]]:
    """The words with their other spellings, and the best spelling of each as written that has one.

    `dictionary` holds (term, df) in term order.
    """
    found = list(words)
    best: dict[str, str] = {}
    for at in places:
        word = words[at]
        spellings = similar(next(iter(word.alternatives)), dictionary)
        if spellings:
            alternatives = {**word.alternatives, **dict.fromkeys(spellings, WEIGHT)}
            found[at] = replace(word, alternatives=alternatives)
            best[word.written] = spellings[0]
    return found, best


def respelt(text: str, best: Mapping[str, str], stem: Stem) -> str:
    """A text with the best spelling of each lexeme that has one."""
    for lexeme in reversed(list(lexemes(text, stem))):
        spelling = best.get(text[lexeme.start : lexeme.end])
        if spelling is not None:
            text = text[: lexeme.start] + spelling + text[lexeme.end :]
    return text


def similar(word: str, dictionary: Sequence[tuple[str, int]]) -> list[str]:
    """The terms of a dictionary with the fewest edits: of the same letters first, then the most frequent."""
    limit = 2 if len(word) >= LONG else 1
    nearest: list[tuple[str, int]] = []
    for term, df in dictionary:
        if abs(len(term) - len(word)) > limit:
            continue
        edits = distance(word, term, limit)
        # Two edits of which one is the first letter make another word more often than they mend one.
        if edits == 2 and term[0] != word[0]:
            continue
        if edits < limit:
            limit, nearest = edits, []
        if edits == limit:
            nearest.append((term, df))
    letters = sorted(word)
    nearest.sort(key=lambda pair: (sorted(pair[0]) != letters, -pair[1]))
    return [term for term, _ in nearest[:MOST_TERMS]]


def distance(one: str, other: str, limit: int) -> int:
    """Edits between two words, a swap of neighbours being one; limit + 1 if there are more."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        two_before, before, row = before, row, [at]
        for place, another in enumerate(other, 1):
            edits = min(before[place] + 1, row[place - 1] + 1, before[place - 1] + (letter != another))
            if at > 1 and place > 1 and letter == other[place - 2] and one[at - 2] == another:
                edits = min(edits, two_before[place - 2] + 1)
            row.append(edits)
        if min(row) > limit:
            return limit + 1
    return min(row[-1], limit + 1)
