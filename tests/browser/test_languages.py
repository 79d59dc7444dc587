"""A site in three languages: a page's search finds its own, and the model is loaded from one address."""

import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from nearpage.builder import BUNDLED, Options, build_site

NewTab = Callable[..., Any]

PAGES = {
    "index.html": ("en", "Kettle", "The kettle boils water and rings a bell. WLAN is not needed."),
    "tea.html": ("en-GB", "Tea", "Tea wants water that has just boiled, as coffee does not."),
    "de/index.html": ("de", "Kessel", "Der Kessel kocht Wasser und läutet eine Glocke, auch ohne WLAN."),
    "ko/index.html": ("ko", "주전자", "주전자는 WLAN 없이 물을 끓이고 종을 울립니다."),
}


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory, serving: Callable[..., Any]) -> Iterator[str]:
    """The address of the site, indexed with the bundled encoder."""
    site = tmp_path_factory.mktemp("mixed")
    for name, (language, title, text) in PAGES.items():
        (site / name).parent.mkdir(exist_ok=True)
        head = f'<head><meta charset="utf-8"><title>{title}</title></head>'
        body = f"<body><main><h1>{title}</h1><p>{text}</p></main></body>"
        (site / name).write_text(f'<!doctype html><html lang="{language}">{head}{body}</html>', "utf-8")
    build_site(site, None, Options(BUNDLED, None, threads=1))
    with serving(site) as address:
        yield address


def ask(tab: Any, query: str, mode: str = "lexical") -> list[str]:
    found = tab.page.evaluate("([query, mode]) => window.nearpage.search(query, { mode })", [query, mode])
    return sorted(hit["url"].partition("#")[0] for hit in found["hits"])


def test_each_page_s_search_finds_only_its_language(new_tab: NewTab, mixed: str) -> None:
    found = {}
    for place in ("", "tea.html", "de/", "ko/"):
        tab = new_tab()
        tab.page.goto(mixed + place)
        found[place] = {query: ask(tab, query) for query in ("WLAN", "kettle", "Glocken", "주전자")}
        assert tab.errors == []
    english = {"WLAN": [""], "kettle": [""], "Glocken": [], "주전자": []}
    assert found[""] == found["tea.html"] == english
    assert found["de/"] == {"WLAN": ["de/"], "kettle": [], "Glocken": ["de/"], "주전자": []}
    assert found["ko/"] == {"WLAN": ["ko/"], "kettle": [], "Glocken": [], "주전자": ["ko/"]}


def test_a_visitor_who_changes_language_loads_no_model_again(new_tab: NewTab, mixed: str) -> None:
    tab = new_tab()
    loaded = []
    for place in ("", "de/", "ko/"):
        tab.page.goto(mixed + place)
        tab.requests.clear()
        assert set(ask(tab, "WLAN", "hybrid")) <= ({place} if place else {"", "tea.html"})
        assert tab.rung() == "full"
        paths = {urlsplit(url).path for url in tab.requests}
        loaded.append({path for path in paths if re.search(r"/(model|tokenizer|runtime|encoder)-", path)})
    assert loaded[0] == loaded[1] == loaded[2]
    assert len(loaded[0]) == 4
    assert tab.errors == []


def test_a_hit_leads_from_the_index_of_a_language_to_its_page(new_tab: NewTab, mixed: str) -> None:
    tab = new_tab()
    tab.page.goto(mixed + "de/")
    tab.open()
    tab.page.keyboard.type("Glocke")
    tab.view("results")
    link = tab.page.locator("nearpage-search [role=option]").first
    assert link.evaluate("a => a.href").startswith(f"{mixed}de/")


def test_a_page_that_names_the_loader_twice_has_one_search(new_tab: NewTab, mixed: str) -> None:
    tab = new_tab()
    second = '<script src="/nearpage/nearpage.js" defer></script></head>'

    def doubled(route: Any) -> None:
        response = route.fetch()
        route.fulfill(response=response, body=response.text().replace("</head>", second))

    tab.page.route("**/de/", doubled)
    tab.page.goto(f"{mixed}de/", wait_until="networkidle")
    assert tab.page.locator("script[src$='nearpage.js']").count() == 2
    assert ask(tab, "Glocken") == ["de/"]
    tab.open()
    assert tab.page.locator("nearpage-search").count() == 1
    assert tab.page.locator("nearpage-search dialog").count() == 1
    assert tab.errors == []
