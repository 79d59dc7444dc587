"""Passages to postings: which terms stand in which passage, in which field, how often."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from nearpage.builder.model import Page, Passage
from nearpage.builder.terms import Stem, terms

FIELDS = ("title", "headings", "body", "code")
CODE_KINDS = frozenset({"code", "signature"})


@dataclass(frozen=True, slots=True)
class PostingList:
    """A term's postings: passage numbers [n], rising, and frequencies [n, 4] in the FIELDS."""

    passages: npt.NDArray[np.int64]
    frequencies: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Postings:
    """Posting lists by term, in code-point order, and the lengths [passages, 4] of the fields in terms."""

    lists: dict[str, PostingList]
    lengths: npt.NDArray[np.int64]


def post(pages: Sequence[Page], passages: Iterable[Passage], stem: Stem) -> Postings:
    """The postings of passages, which come in the order of their numbers."""
    numbers: dict[str, list[int]] = {}
    rows: dict[str, list[tuple[int, int, int, int]]] = {}
    lengths = []
    for number, passage in enumerate(passages):
        page = pages[passage.page]
        fields = [
            Counter(terms(page.title, stem)),
            Counter(term for heading in headings(page, passage) for term in terms(heading, stem)),
            Counter(_block_terms(passage, stem, code=False)),
            Counter(_block_terms(passage, stem, code=True)),
        ]
        title, head, body, code = fields
        lengths.append((title.total(), head.total(), body.total(), code.total()))
        for term in title.keys() | head.keys() | body.keys() | code.keys():
            numbers.setdefault(term, []).append(number)
            rows.setdefault(term, []).append((title[term], head[term], body[term], code[term]))
    lists = {
        term: PostingList(np.array(numbers[term], np.int64), np.array(rows[term], np.int64))
        for term in sorted(numbers)
    }
    return Postings(lists, np.array(lengths, np.int64).reshape(-1, len(FIELDS)))


def headings(page: Page, passage: Passage) -> tuple[str, ...]:
    """The heading path without a first heading that only repeats the page's title."""
    path = passage.heading_path
    return path[1:] if path and path[0] == page.title else path


def _block_terms(passage: Passage, stem: Stem, code: bool) -> Iterable[str]:
    for block in passage.blocks:
        if (block.kind in CODE_KINDS) is code:
            yield from terms(block.text, stem)
