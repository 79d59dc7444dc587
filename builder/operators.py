"""What a query demands: `"these words in order"`, `-without`. Mirrored by `web/src/engine/operators.ts`.

A phrase is the exact keys of its lexemes, of which a text has each as it is or folded, and which must follow
each other in a title, a heading or a block. The postings know no positions: they narrow the candidates, and
the best CHECKED of these are read.

In a question that goes on for more than PROSE words around them, quotes are those of the author, not of
somebody who searches: its phrases are ordinary words. So is what is quoted within code, `f("x")`, and what
nobody wrote: phrases of more than PROSE words in all that stand nowhere, such as a pasted message.

A minus directly before a letter, after white space or at the beginning, excludes what the word, in any
spelling or by its stem, stands in; unless the index has the flag itself as a term. `--flag` is always a flag.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import regex
from nearpage.builder.postings import PostingList
from nearpage.builder.query import forms
from nearpage.builder.terms import Stem, keys, lexemes

CHECKED = 200
"""Most passages that are read for a phrase: the best by keywords."""

PROSE = 4
"""Most words beside the phrases of a query that means its quotes as a demand, and most of a demand that is
kept if nothing meets it."""

Lookup = Callable[[str], PostingList | None]

_OPERATOR = regex.compile(
    r'(?<![^\p{Z}\t-\r(])["“](?P<phrase>[^"“”]*)["”](?![\p{L}\p{N}_])|(?<![^\p{Z}\t-\r])(?P<without>-(?=\p{L})[^\p{Z}\t-\r"“”]+)'
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A query: its text without operators, its phrases as keys, and what is excluded.

    For every excluded word there are its lexemes, and for each of them the terms that it may stand as.
    """

    text: str
    phrases: tuple[tuple[str, ...], ...]
    excluded: tuple[tuple[tuple[str, ...], ...], ...]


def read(query: str, stem: Stem, is_term: Callable[[str], bool]) -> Asked:
    """The parts of a query; without operators its text is the query."""
    phrases: list[tuple[str, ...]] = []
    excluded: list[tuple[tuple[str, ...], ...]] = []
    text = ""
    beside = ""
    end = 0
    for match in _OPERATOR.finditer(query):
        word = match["without"]
        if word is not None and is_term(_flag(word, stem)):
            continue
        text += query[end : match.start()]
        beside += query[end : match.start()]
        if word is None:
            text += f" {match['phrase']} "
            phrases.append(tuple(exact for _, exact in keys(match["phrase"], stem)))
        else:
            text += " "
            excluded.append(tuple(forms(lexeme) for lexeme in lexemes(word[1:], stem)))
        end = match.end()
    is_prose = len(keys(beside + query[end:], stem)) > PROSE
    return Asked(text + query[end:], () if is_prose else tuple(filter(None, phrases)), tuple(excluded))


def _flag(word: str, stem: Stem) -> str:
    """The term that a flag would be; empty where the script has none."""
    return next((form for lexeme in lexemes(word, stem) for form in lexeme.whole), "")


def allowed(asked: Asked, postings: Lookup, count: int) -> npt.NDArray[np.bool_]:
    """Whether each passage has no excluded word and every word of the phrases."""
    mask = np.ones(count, np.bool_)
    for word in asked.excluded:
        mask &= ~_having(word, postings, count)
    for phrase in asked.phrases:
        mask &= _having([(key,) for key in phrase], postings, count)
    return mask


def _having(word: Iterable[Sequence[str]], postings: Lookup, count: int) -> npt.NDArray[np.bool_]:
    """Whether each passage has one of the terms of every lexeme."""
    every = np.ones(count, np.bool_)
    for terms in word:
        some = np.zeros(count, np.bool_)
        for term in terms:
            found = postings(term)
            if found is not None:
                some[found.passages] = True
        every &= some
    return every


def is_long(asked: Asked) -> bool:
    """Whether phrases that stand nowhere are to be ordinary words."""
    return sum(len(phrase) for phrase in asked.phrases) > PROSE


def stand(phrases: Iterable[Sequence[str]], texts: Iterable[str], stem: Stem) -> bool:
    """Whether each phrase stands in one of the texts."""
    written = [keys(text, stem) for text in texts]
    return all(any(_follows(phrase, each) for each in written) for phrase in phrases)


def _follows(phrase: Sequence[str], written: Sequence[tuple[str, str]]) -> bool:
    return any(
        all(key in both for key, both in zip(phrase, written[at:], strict=False))
        for at in range(len(written) - len(phrase) + 1)
    )
