"""Each theme in Chromium: its own box opens our dialog, and a result leads to its section."""

import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

# Below the root of its host, as project sites are.
PLACE = "docs/v2/"
# Nothing is to come from other hosts.
THEMES: dict[str, dict[str, Any]] = {
    "mkdocs": {"name": "mkdocs", "highlightjs": False},
    "readthedocs": {"name": "readthedocs", "highlightjs": False},
    "material": {"name": "material", "font": False, "features": ["navigation.instant", "search.suggest"]},
}
BOXES = {
    "mkdocs": 'a[data-bs-target="#mkdocs_search_modal"]',
    "readthedocs": "#rtd-search-form input",
    "material": "button[data-nearpage-open]",
}


@dataclass
class Visit:
    """A tab on a built site, with what went wrong in it and what it asked for."""

    page: Page
    home: str
    theme: str
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    @property
    def dialog(self) -> Any:
        return self.page.locator("nearpage-search dialog")

    def go(self, place: str = "") -> None:
        self.page.goto(self.home + place)
        self.page.evaluate("window.nearpage.ready")

    def search_and_follow(self) -> None:
        """Type, see a result, and end at its section with the dialog closed."""
        expect(self.dialog).to_be_visible()
        self.page.keyboard.type("feeder exclude unset")
        self.dialog.get_by_role("option").first.click()
        self.page.wait_for_url(self.home + "guide/feeding/#the-feeders-options")
        expect(self.dialog).to_be_hidden()
        expect(self.page.locator("#the-feeders-options")).to_be_in_viewport()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not logged."""


@pytest.fixture(scope="module")
def homes(
    tmp_path_factory: pytest.TempPathFactory, site_at: Callable[[Path], Any]
) -> Iterator[Callable[..., str]]:
    """The address of a theme's site, built when it is first asked for."""
    root = tmp_path_factory.mktemp("www")
    handler = partial(_Quiet, directory=str(root))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        host = f"http://127.0.0.1:{server.server_address[1]}"

        def home(theme: str, *others: str) -> str:
            name = "-".join([theme, *others])
            place = f"{name}/{PLACE}"
            if not (root / place).exists():
                site = site_at(tmp_path_factory.mktemp(name))
                plugins = [*others, {"nearpage": {"semantic": "off"}}]
                site.configure(*plugins, theme=THEMES[theme], site_url=f"{host}/{place}")
                site.build("--strict")
                (root / place).parent.mkdir(parents=True)
                site.output.rename(root / place)
            return f"{host}/{place}"

        yield home
        server.shutdown()


@pytest.fixture
def visit(browser: Browser, homes: Callable[..., str]) -> Iterator[Callable[..., Visit]]:
    """A tab on a theme's site, which must not break, nor ask other hosts, nor load another search."""
    visits: list[Visit] = []
    context = browser.new_context(viewport={"width": 1280, "height": 800})

    def begin(theme: str, *others: str) -> Visit:
        page = context.new_page()
        visit = Visit(page, homes(theme, *others), theme)
        page.on("pageerror", lambda error: visit.errors.append(str(error)))
        page.on("request", lambda request: visit.requests.append(request.url))
        visits.append(visit)
        visit.go()
        return visit

    yield begin
    for visit in visits:
        assert visit.errors == []
        own = re.compile(r"data:|blob:|" + re.escape(visit.home))
        assert [url for url in visit.requests if not own.match(url)] == []
        assert [url for url in visit.requests if "/search/" in url or "/workers/search" in url] == []
    context.close()


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("others", [[], ["search"]], ids=["alone", "with search"])
def test_the_box_of_the_theme_opens_the_dialog(visit: Any, theme: str, others: list[str]) -> None:
    tab = visit(theme, *others)
    tab.page.locator(BOXES[theme]).click()
    tab.search_and_follow()


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("key", ["Control+k", "/"])
def test_keys_open_the_dialog(visit: Any, theme: str, key: str) -> None:
    tab = visit(theme)
    tab.page.keyboard.press(key)
    tab.search_and_follow()


@pytest.mark.parametrize("theme", THEMES)
def test_the_theme_has_one_box_and_we_add_none(visit: Any, theme: str) -> None:
    tab = visit(theme)
    expect(tab.page.locator(BOXES[theme])).to_have_count(1)
    expect(tab.page.locator("nearpage-search button.opener")).to_have_count(0)


@pytest.mark.parametrize("theme", THEMES)
def test_the_404_page_searches_too(visit: Any, theme: str) -> None:
    tab = visit(theme)
    tab.go("404.html")
    tab.page.locator(BOXES[theme]).click()
    tab.search_and_follow()


@pytest.mark.parametrize("theme", THEMES)
def test_a_search_goes_on_from_a_page_reached_by_a_link(visit: Any, theme: str) -> None:
    tab = visit(theme)
    tab.page.locator('a[href$="guide/shearing/"]').first.evaluate("link => link.click()")
    tab.page.wait_for_url(tab.home + "guide/shearing/")
    tab.page.evaluate("window.nearpage.ready")
    tab.page.locator(BOXES[theme]).click()
    tab.search_and_follow()


def test_the_theme_s_modal_stays_away(visit: Any) -> None:
    tab = visit("mkdocs")
    tab.page.keyboard.press("s")
    expect(tab.dialog).to_be_visible()
    expect(tab.page.locator("#mkdocs_search_modal")).to_be_hidden()
    # The theme listens for letters: these turn the page.
    tab.page.keyboard.type("npn")
    expect(tab.dialog.get_by_role("combobox")).to_have_value("npn")
    assert tab.page.url == tab.home


def test_the_search_page_of_readthedocs_opens_with_the_query_of_its_address(visit: Any) -> None:
    tab = visit("readthedocs")
    tab.go("search.html?q=winter+hay")
    expect(tab.dialog.get_by_role("combobox")).to_have_value("winter hay")
    tab.dialog.get_by_role("option").first.click()
    tab.page.wait_for_url(tab.home + "guide/feeding/#winter-hay")


def test_the_search_page_of_readthedocs_does_not_turn_in_circles_without_the_loader(visit: Any) -> None:
    tab = visit("readthedocs")
    tab.page.route("**/nearpage.js", lambda route: route.abort())
    tab.page.goto(tab.home + "search.html?q=hay")
    tab.page.wait_for_timeout(300)
    assert tab.page.url == tab.home + "search.html?q=hay"


def test_what_is_typed_in_the_box_of_readthedocs_goes_along(visit: Any) -> None:
    tab = visit("readthedocs")
    tab.page.locator(BOXES["readthedocs"]).focus()
    expect(tab.dialog).to_be_hidden()
    tab.page.keyboard.type("hay")
    expect(tab.dialog.get_by_role("combobox")).to_have_value("hay")


def test_the_icon_of_material_on_a_small_screen_opens_the_dialog(visit: Any) -> None:
    tab = visit("material")
    tab.page.set_viewport_size({"width": 400, "height": 700})
    tab.page.locator('label.md-header__button[for="__search"]').click()
    tab.search_and_follow()
    assert not tab.page.locator("#__search").is_checked()


def test_the_box_of_material_is_reached_by_keyboard_and_shows_its_icon(visit: Any) -> None:
    tab = visit("material")
    expect(tab.page.locator(".md-search__icon svg").first).to_be_visible()
    tab.page.locator(BOXES["material"]).focus()
    tab.page.keyboard.press("Enter")
    tab.search_and_follow()
