"""Which passages carry the query itself as their title or heading. Mirrored by `web/src/engine/exact.ts`.

A field is the query, but for the order of words, if it has the key of each of the query's lexemes as a
key of its own, and as many lexemes in all: `get` is no part of `get_current_user`, but `UPLOADFILE` is
`UploadFile`.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from nearpage.builder.format import decoded_length, length_code
from nearpage.builder.postings import FIELDS, PostingList
from nearpage.builder.terms import Stem, keys

TITLE = 2
"""Tier of the first passage of a page that has the query as its title."""
HEADING = 1
"""Tier of a passage that has the query as its own heading."""
MOST = 20
"""A heading that more passages have (`Example`) says nothing of what is sought."""

Integers = npt.NDArray[np.int64]


def tiers(
    query: str, stem: Stem, postings: Callable[[str], PostingList | None], lengths: Integers, pages: Integers
) -> Integers:
    """The tier [passages] of each passage, 0 for most.

    `lengths` [passages, fields] are those that the index keeps.
    """
    found = np.zeros(len(pages), np.int64)
    forms = keys(query, stem)
    if not forms:
        return found
    length = decoded_length(length_code(len(forms)))
    lists = [postings(form) for form in dict.fromkeys(forms)]
    heading = _carriers(lists, "heading", 2, lengths, length)
    if len(heading) <= MOST:
        found[heading] = HEADING
    title = _carriers(lists, "title", 1, lengths, length)
    is_first = np.diff(pages, prepend=-1) > 0
    found[title[is_first[title]]] = TITLE
    return found


def _carriers(
    lists: list[PostingList | None], name: str, bit: int, lengths: Integers, length: int
) -> Integers:
    """The passages whose field has every term as a key, and the length."""
    counts = np.zeros(len(lengths), np.int64)
    for found in lists:
        if found is not None:
            counts[found.passages[(found.keyed & bit) > 0]] += 1
    return np.flatnonzero((counts == len(lists)) & (lengths[:, FIELDS.index(name)] == length))
