"""What is fetched until the first results are there, and what has to wait for what."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, Route

NewTab = Callable[..., Any]

SAVES = "Object.defineProperty(navigator, 'connection', { get: () => ({ saveData: true }) });"
"""A browser that saves data, to which no encoder comes in between."""
QUESTION = "how large is the encoder that visitors load?"
BEGINNING = {"dialog", "packs", "table", "worker"}
AT_REST = 400
"""After so long, in ms, without a further request it waits for an answer."""


class Held:
    """Requests for files of the index, which get no answer until they are let go."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._routes: list[Route] = []
        self.bytes = 0

    def add(self, route: Route) -> None:
        self._routes.append(route)

    def at_rest(self) -> list[str]:
        """The kinds of files that are asked for now; one at least."""
        seen = 0
        while not seen or seen < len(self._routes):
            seen = len(self._routes)
            self._page.wait_for_timeout(AT_REST)
        return [
            Path(urlsplit(route.request.url).path).name.partition("-")[0].removesuffix(".js")
            for route in self._routes
        ]

    def let_go(self) -> None:
        routes, self._routes = self._routes, []
        for route in routes:
            answer = route.fetch()
            self.bytes += len(answer.body())
            route.fulfill(response=answer)


@contextmanager
def holding(page: Page) -> Iterator[Held]:
    held = Held(page)
    page.context.route("**/nearpage/*", held.add)
    yield held
    page.context.unroute("**/nearpage/*")


@pytest.fixture
def tab(new_tab: NewTab, address: str) -> Any:
    tab = new_tab()
    tab.page.add_init_script(SAVES)
    tab.page.goto(address, wait_until="networkidle")
    return tab


def test_after_the_opening_results_take_two_fetches_one_after_the_other(tab: Any) -> None:
    with holding(tab.page) as held:
        tab.page.keyboard.press("Control+k")
        assert sorted(held.at_rest()) == sorted(BEGINNING)
        held.let_go()
        tab.page.wait_for_selector("nearpage-search dialog[open]")
        tab.page.locator("nearpage-search input").fill(QUESTION)
        assert set(held.at_rest()) == {"postings"}
        held.let_go()
        assert set(held.at_rest()) == {"texts"}
        held.let_go()
        tab.view("results")
        # Of these small docs; the budget for 150 pages is 150 kB.
        assert held.bytes < 106_000
    assert tab.errors == []


def test_what_a_search_begins_with_comes_when_the_pointer_does(tab: Any) -> None:
    tab.page.hover(".md-search__form")
    tab.page.wait_for_load_state("networkidle")
    kinds = {name.partition("-")[0] for name in tab.of_index()}
    assert kinds == {"nearpage.js", *BEGINNING}
    assert tab.page.locator("nearpage-search dialog").count() == 0
    # None of it comes again.
    tab.open()
    names = tab.of_index()
    assert len(names) == len(set(names))
    assert tab.errors == []
