"""Passages to postings: which terms stand in which passage, in which field, how often."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from nearpage.builder.model import Page, Passage
from nearpage.builder.terms import Stem, keys, length, surfaces, terms

FIELDS = ("title", "path", "heading", "body", "code")
"""The page's title; the headings above the section's own; its own heading; prose and tables; code."""
CODE_KINDS = frozenset({"code", "signature"})


@dataclass(frozen=True, slots=True)
class PostingList:
    """A term's postings.

    Passage numbers [n], rising; frequencies [n, 5] in the FIELDS; where the term is the key of a lexeme, or
    its exact form [n]: 1 in the title, 2 in the own heading, 3 in both.
    """

    passages: npt.NDArray[np.int64]
    frequencies: npt.NDArray[np.int64]
    keyed: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Postings:
    """Posting lists by term, in code-point order; the lengths [passages, 5] of the fields in lexemes.

    `surfaces` are the terms that a text has as a word or part of one, and not only as a stem or a whole.
    """

    lists: dict[str, PostingList]
    lengths: npt.NDArray[np.int64]
    surfaces: frozenset[str]


def post(pages: Sequence[Page], passages: Iterable[Passage], stem: Stem) -> Postings:
    """The postings of passages, which come in the order of their numbers."""
    numbers: dict[str, list[int]] = {}
    rows: dict[str, list[list[int]]] = {}
    lengths = []
    words: set[str] = set()
    for number, passage in enumerate(passages):
        page = pages[passage.page]
        path = headings(page, passage)
        title_keys = {key for both in keys(page.title, stem) for key in both}
        heading_keys = {key for heading in path[-1:] for both in keys(heading, stem) for key in both}
        for text in (page.title, *path, *(block.text for block in passage.blocks)):
            words.update(surfaces(text))
        fields = [
            Counter(terms(page.title, stem)),
            Counter(term for heading in path[:-1] for term in terms(heading, stem)),
            Counter(term for heading in path[-1:] for term in terms(heading, stem)),
            Counter(_block_terms(passage, stem, code=False)),
            Counter(_block_terms(passage, stem, code=True)),
        ]
        lengths.append(
            [
                length(page.title),
                sum(length(heading) for heading in path[:-1]),
                sum(length(heading) for heading in path[-1:]),
                _block_length(passage, code=False),
                _block_length(passage, code=True),
            ]
        )
        for term in set().union(*fields):
            numbers.setdefault(term, []).append(number)
            keyed = (term in title_keys) + 2 * (term in heading_keys)
            rows.setdefault(term, []).append([*(field[term] for field in fields), keyed])
    lists = {}
    for term in sorted(numbers):
        table = np.array(rows[term], np.int64)
        lists[term] = PostingList(np.array(numbers[term], np.int64), table[:, :-1], table[:, -1])
    return Postings(lists, np.array(lengths, np.int64).reshape(-1, len(FIELDS)), frozenset(words))


def dictionary(postings: Postings, is_kept: Callable[[str], bool]) -> Iterable[tuple[str, int]]:
    """(term, df) of the surfaces that are kept, in term order."""
    for term, found in postings.lists.items():
        if term in postings.surfaces and is_kept(term):
            yield term, len(found.passages)


def headings(page: Page, passage: Passage) -> tuple[str, ...]:
    """The heading path without a first heading that only repeats the page's title."""
    path = passage.heading_path
    return path[1:] if path and path[0] == page.title else path


def _block_length(passage: Passage, code: bool) -> int:
    return sum(length(block.text) for block in passage.blocks if (block.kind in CODE_KINDS) is code)


def _block_terms(passage: Passage, stem: Stem, code: bool) -> Iterable[str]:
    for block in passage.blocks:
        if (block.kind in CODE_KINDS) is code:
            yield from terms(block.text, stem)
