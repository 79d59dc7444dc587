"""Which passages carry the query itself as title, heading or name. Mirrored by `web/src/engine/exact.ts`.

A field is the query, but for the order of words, if it has the key of each of the query's lexemes as a
key of its own, and as many lexemes in all: `get` is no part of `get_current_user`, but `UPLOADFILE` is
`UploadFile`, and so is `upload file`. Light words of the query need not be in the field. With diacritics a
query is that spelling alone, without any it is every spelling.
"""

from collections.abc import Callable, Collection, Sequence

import numpy as np
import numpy.typing as npt
from nearpage.builder.format import decoded_length, length_code
from nearpage.builder.postings import FIELDS, PostingList
from nearpage.builder.query import is_plain, spans
from nearpage.builder.terms import Stem, keys, lexemes

TITLE = 3
"""Tier of the first passage of a page that has the query as its title."""
HEADING = 2
"""Tier of a passage that has the query as its own heading."""
NAME = 1
"""Tier of a passage in which the query, an identifier, stands anywhere."""
MOST = 20
"""A heading (`Example`) or name that more passages have says nothing of what is sought."""

Integers = npt.NDArray[np.int64]
Lookup = Callable[[str], PostingList | None]


def tiers(
    query: str, stem: Stem, postings: Lookup, lengths: Integers, pages: Integers, light: Collection[str]
) -> Integers:
    """The tier [passages] of each passage, 0 for most.

    `lengths` [passages, fields] are those that the index keeps.
    """
    found = np.zeros(len(pages), np.int64)
    forms = [exact for _, exact in keys(query, stem)]
    if not forms:
        return found
    named = None if _is_plain(query, stem) else postings(forms[0])
    if named is not None and len(named.passages) <= MOST:
        found[named.passages] = NAME
    written = [forms, *([joined] for at, end, joined in spans(forms) if end - at == len(forms))]
    heading = np.concatenate([_carriers(each, light, "heading", 2, postings, lengths) for each in written])
    if len(heading) <= MOST:
        found[heading] = HEADING
    title = np.concatenate([_carriers(each, light, "title", 1, postings, lengths) for each in written])
    is_first = np.diff(pages, prepend=-1) > 0
    found[title[is_first[title]]] = TITLE
    return found


def verbatim_first(
    query: str, order: Sequence[tuple[int, float]], tiers: Integers, named: Callable[[int], Collection[str]]
) -> list[tuple[int, float]]:
    """An order of (passage, score) in which, of each tier, those named just as the query is come first.

    So `Contact`, a class, comes before `contact`, a field, and after it where that is asked for. `named`
    gives a passage's title and own heading. Those without a tier stay where they are.
    """
    return sorted(
        order,
        key=lambda item: (-tiers[item[0]], bool(tiers[item[0]]) and not is_verbatim(query, named(item[0]))),
    )


def is_verbatim(query: str, names: Collection[str]) -> bool:
    """Whether one of a passage's names is the query as it is written."""
    return query.strip() in names


def _is_plain(query: str, stem: Stem) -> bool:
    """Whether a query is anything but one identifier."""
    every = list(lexemes(query, stem))
    return len(every) != 1 or is_plain(every[0])


def _carriers(
    forms: list[str], light: Collection[str], name: str, bit: int, postings: Lookup, lengths: Integers
) -> Integers:
    """The passages whose field has every form as a key, light ones if it has them, and nothing else."""
    heavy = [form for form in forms if form not in light] or forms
    required = set(heavy)
    counts = np.zeros(len(lengths), np.int64)
    optional = np.zeros(len(lengths), np.int64)
    for form in dict.fromkeys(forms):
        found = postings(form)
        if found is not None:
            (counts if form in required else optional)[found.passages[(found.keyed & bit) > 0]] += 1
    kept = [decoded_length(length_code(length)) for length in range(len(heavy), len(forms) + 1)]
    length = np.array(kept)[np.minimum(optional, len(kept) - 1)]
    return np.flatnonzero((counts == len(required)) & (lengths[:, FIELDS.index(name)] == length))
