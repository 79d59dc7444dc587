"""What a last word counts that may be the beginning of another. Mirrored by `web/src/engine/unfinished.ts`.

What two or three letters may become says more about the site than about the question: beside whole words they
would push out what these have found, and the next letter would bring it back. Yet `list files os` has ended,
and on a site where few words begin so but `os` itself, that shows.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from nearpage.builder.bm25 import begun
from nearpage.builder.postings import PostingList
from nearpage.builder.query import QueryWord


def weighed(
    words: Sequence[QueryWord],
    postings: Callable[[str], PostingList | None],
    expand: Callable[[str], Sequence[tuple[str, int]]],
    count: int,
) -> list[QueryWord]:
    """The words of a query; those that may go on have lost weight.

    One keeps the root of the share that the passages with its first alternative have in those, of all
    `count`, with a term that begins so, and `sure` at least. The root, for a word that is often begun is
    often meant, too.
    """
    return [
        word
        if word.sure == 1 or word.prefix is None
        else replace(word, weight=word.weight * _share(word, word.prefix, postings, expand, count))
        for word in words
    ]


def _share(
    word: QueryWord,
    prefix: str,
    postings: Callable[[str], PostingList | None],
    expand: Callable[[str], Sequence[tuple[str, int]]],
    count: int,
) -> float:
    itself = postings(prefix)
    if itself is None:
        return word.sure
    _, df = begun(prefix, postings, expand, count)
    return max(word.sure, math.sqrt(len(itself.passages) / df))
