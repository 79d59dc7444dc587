"""The languages of a site, by the `lang` of its pages: each gets an index of its own."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from nearpage.builder.model import Page

DEFAULT = "en"
"""The language of a site that names none."""

_PRIMARY = re.compile(r"[a-z]{2,3}")
_NO_LANGUAGE = frozenset({"mis", "mul", "und", "zxx"})
_TRADITIONAL = frozenset({"hant", "hk", "mo", "tw"})


@dataclass(frozen=True, slots=True)
class Group:
    """The pages of one language, in the site's order.

    `tag` is what they have in common (see `group_tag`), `language` the BCP 47 tag of most of them.
    """

    tag: str
    language: str
    pages: tuple[Page, ...]


def group_tag(language: str) -> str:
    """What pages are grouped by: `de` for `de-AT`; empty for what names no language.

    It is the primary subtag, but for Chinese: its two scripts share few words, so that `zh-TW` is
    `zh-Hant`, and plain `zh` is `zh-Hans`.
    """
    primary, *others = language.lower().split("-")
    if primary in _NO_LANGUAGE or not _PRIMARY.fullmatch(primary):
        return ""
    if primary != "zh":
        return primary
    is_traditional = "hans" not in others and not _TRADITIONAL.isdisjoint(others)
    return "zh-Hant" if is_traditional else "zh-Hans"


def by_language(pages: Sequence[Page]) -> list[Group]:
    """The groups of a site's pages; first the main one, to which pages without a language belong.

    The main language is that of most pages; of equals the home page's, or else the first in the alphabet.
    """
    tags = [group_tag(page.language) for page in pages]
    counts = Counter(filter(None, tags))
    home = next((tag for page, tag in zip(pages, tags, strict=True) if page.url == ""), "")
    ordered = sorted(counts, key=lambda tag: (-counts[tag], tag != home, tag)) or [group_tag(DEFAULT)]
    main = ordered[0]
    return [
        _group(tag, [page for page, own in zip(pages, tags, strict=True) if (own or main) == tag])
        for tag in (main, *sorted(ordered[1:]))
    ]


def _group(tag: str, pages: Sequence[Page]) -> Group:
    languages = Counter(page.language for page in pages if group_tag(page.language) == tag)
    language = min(languages, key=lambda each: (-languages[each], each), default=tag)
    return Group(tag, language, tuple(pages))
