"""How steady a ranking is when a query is written otherwise."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import zip_longest

from nearpage.builder.evaluate import Query
from nearpage.builder.page_names import normalised

from tests.bench.steadiness import variants

TOP = 5
"""Pages that a visitor looks at."""
_WORD = re.compile(r"[A-Za-z]{4,}")


@dataclass(frozen=True, slots=True)
class Answer:
    """The hits that a visitor is shown, and the pages of all, best first."""

    urls: tuple[str, ...]
    pages: tuple[str, ...]

    @property
    def top(self) -> tuple[str, ...]:
        """The pages that a visitor looks at."""
        return self.pages[:TOP]


Ask = Callable[[str], Answer]


@dataclass(frozen=True, slots=True)
class Failure:
    """A query, what it became, and what was lost on the way."""

    before: str
    after: str
    lost: str


@dataclass(slots=True)
class Rate:
    """How many of the comparisons held, and those that did not."""

    asked: int = 0
    failures: list[Failure] = field(default_factory=list)

    def note(self, failure: Failure | None) -> None:
        self.asked += 1
        if failure:
            self.failures.append(failure)

    @property
    def failed(self) -> float:
        """The share that did not hold."""
        return len(self.failures) / self.asked if self.asked else 0.0


def first_hit_stays(before: Answer, after: Answer) -> str:
    """The first hit if it is not the first any more; empty if it is."""
    return "" if before.urls[:1] == after.urls[:1] else before.urls[0] if before.urls else "nothing"


def first_page_stays(before: Answer, after: Answer) -> str:
    """The first page if it is not the first any more; empty if it is."""
    return "" if before.pages[:1] == after.pages[:1] else before.pages[0] if before.pages else "nothing"


def same_hits(before: Answer, after: Answer) -> str:
    """The first hit that is not where it was; empty if there is none."""
    pairs = zip_longest(before.urls, after.urls, fillvalue="none")
    return next((url for url, other in pairs if url != other), "")


def first_page_stays_in_sight(before: Answer, after: Answer) -> str:
    """The first page if it is not among the top ones any more; empty if it is."""
    return "" if set(before.pages[:1]) <= set(after.top) else before.pages[0]


def most_pages_stay(before: Answer, after: Answer) -> str:
    """The top pages that are no longer such, if there are more than two of five; else empty."""
    lost = [page for page in before.top if page not in after.top]
    return ", ".join(lost) if len(lost) > 0.4 * len(before.top) else ""


COMPARISONS: dict[str, tuple[variants.Variants, Callable[[Answer, Answer], str]]] = {
    "stop word put in: first hit": (variants.with_a_stop_word, first_hit_stays),
    "stop word put in: first page": (variants.with_a_stop_word, first_page_stays),
    "other case: all that is shown": (variants.in_other_case, same_hits),
    "other case: first hit": (variants.in_other_case, first_hit_stays),
    "other number: first page in top five": (variants.in_other_number, first_page_stays_in_sight),
    "punctuation around: first hit": (variants.with_punctuation, first_hit_stays),
    "marked-up name: first hit": (variants.with_marked_up_names, first_hit_stays),
    "other order: three of top five": (variants.in_other_order, most_pages_stay),
}
"""What is written otherwise and what must stay."""


def compared(queries: Iterable[str], ask: Ask) -> dict[str, Rate]:
    """The rate of every comparison."""
    rates = {name: Rate() for name in COMPARISONS}
    for query in queries:
        before = ask(query)
        if not before.urls:
            continue
        for name, (vary, lost) in COMPARISONS.items():
            for variant in vary(query):
                what = lost(before, ask(variant))
                rates[name].note(Failure(query, variant, what) if what else None)
    return rates


def typed(queries: Iterable[Query], ask: Ask) -> Rate:
    """Of the letters typed while a page that answers was in the top five, how many made it drop out."""
    rate = Rate()
    for query in queries:
        targets = {page for page, grade in query.grades.items() if grade == max(query.grades.values())}
        typing = variants.letter_by_letter(query.query)
        tops = [{normalised(page) for page in ask(text).top} for text in typing]
        for at in range(1, len(typing)):
            for target in sorted(targets & tops[at - 1]):
                lost = target not in tops[at]
                rate.note(Failure(typing[at - 1], typing[at], target) if lost else None)
    return rate


def grown(queries: Iterable[str], ask: Ask, everything: Ask, contains: Callable[[str, str], bool]) -> Rate:
    """Whether a word finds the top pages of its beginnings, as far as they contain it: (page, word).

    `everything` answers with all pages that are found, and not with the best alone.
    """
    rate = Rate()
    for word in dict.fromkeys(word for query in queries for word in _words(query)):
        found = set(everything(word).pages)
        for beginning in variants.letter_by_letter(word)[1:-1]:
            for page in ask(beginning).top:
                if contains(page, word):
                    rate.note(None if page in found else Failure(beginning, word, page))
    return rate


def _words(query: str) -> Iterator[str]:
    yield from _WORD.findall(query.lower())
