"""A query as somebody else would have typed it. Pure, and the same on every run.

Each function gives the queries that a query may become; none where it has nothing of the kind.
"""

import re
from collections.abc import Callable, Iterator

STOP_WORDS = ("a", "the", "of", "to", "in", "for", "with", "is")
_IDENTIFIER = re.compile(r"(?<!\S)[A-Za-z_]\w*(?:\.\w+|_\w*|(?<=[a-z0-9])[A-Z]\w*)+(?!\S)", re.ASCII)
_DOTTED = re.compile(r"[a-z]\w*(?:\.\w+)+")
_PLAIN = re.compile(r"[a-z]{4,}")
_UNCOUNTED = ("ss", "us", "is", "ous", "ing", "ly", "ed")
"""Ends of words that have no plural, or of which an s at the end is none."""

Variants = Callable[[str], Iterator[str]]


def with_a_stop_word(query: str) -> Iterator[str]:
    """A stop word in each gap between two words, another in each; quotes must stay as they are."""
    words = query.split()
    if '"' in query:
        return
    for at in range(1, len(words)):
        yield " ".join([*words[:at], STOP_WORDS[at % len(STOP_WORDS)], *words[at:]])


def in_other_case(query: str) -> Iterator[str]:
    """Small letters, capitals, and capitals at the beginning of words."""
    words = [word[:1].upper() + word[1:] for word in query.split(" ")]
    yield from _others(query, query.lower(), query.upper(), " ".join(words))


def in_other_number(query: str) -> Iterator[str]:
    """Each plain word with an s at its end, or without."""
    words = query.split(" ")
    for at, word in enumerate(words):
        if not _PLAIN.fullmatch(word) or word in STOP_WORDS or word.endswith(_UNCOUNTED):
            continue
        other = word.removesuffix("s") if word.endswith("s") else f"{word}s"
        yield " ".join([*words[:at], other, *words[at + 1 :]])


def with_punctuation(query: str) -> Iterator[str]:
    """What stands around a query that was copied from a sentence."""
    bare = query.rstrip("?!., ")
    yield from _others(query, f"{bare}?", f"{bare}.", f"{bare}!", f"  {bare}  ", f"({bare})", f"{bare}:")


def with_marked_up_names(query: str) -> Iterator[str]:
    """What stands around an identifier that was copied from code or Markdown; but `"` is a demand."""
    for match in _IDENTIFIER.finditer(query):
        name = match.group()
        written = [f"`{name}`", f"{name}()", f"{name}(...)", f"'{name}'", f"{name},", f"{name}:"]
        if _DOTTED.fullmatch(name):
            written.append(f"@{name}(...)")
        for other in written:
            yield query[: match.start()] + other + query[match.end() :]


def in_other_order(query: str) -> Iterator[str]:
    """The words from the last to the first, and the first one moved to the end."""
    words = query.rstrip("?!.").split()
    if '"' not in query:
        yield from _others(query, " ".join(reversed(words)), " ".join([*words[1:], *words[:1]]))


def letter_by_letter(query: str) -> list[str]:
    """The query as it stands in the box after each letter; white space that ends a query is not typed."""
    return [query[:end] for end in range(1, len(query.rstrip()) + 1)]


def _others(query: str, *variants: str) -> Iterator[str]:
    yield from (variant for variant in dict.fromkeys(variants) if variant != query)
