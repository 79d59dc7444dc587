"""What a visitor meets: search from the first key to the section, on the project's own docs."""

import json
import shutil
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from nearpage.builder import Index
from nearpage.builder.format import Kind, ListedPack, PackList, encode_packs, wrap
from nearpage.builder.queries import query_encoder
from nearpage.builder.search import as_json, search

from tests.bench.agreement import MODES, differ, in_browser, in_python, queries

NewTab = Callable[..., Any]

QUESTION = "how does it stay fast while the model loads?"
QUESTIONS = [
    QUESTION,
    "what happens when a build is killed half way",
    "how are passages ranked",
    "how large is the encoder that visitors load",
    "can I use my own sentence encoder",
    "leave a page out of search",
    "does anything leave the visitor's browser",
    "which headers should I set for caching",
    "search says nothing relevant, why",
    "GitHub Actions cache for vectors",
    "window.nearpage.search",
    "data-search-exclude",
    "nearpage_rung",
    "NEARPAGE_CACHE_DIR",
    "APIRouter.include_router",
    "use_directory_urls",
    "over_limit",
    "--no-inject",
    "nDCG@10",
    "wasm-unsafe-eval",
    "readthed",
    "mani",
    "stem",
    "Reciprocal Rank Fusion",
    "best pizza dough recipe with fresh yeast",
]


def ask(tab: Any, query: str, mode: str, limit: int = 10) -> Any:
    return tab.page.evaluate(
        "([query, options]) => window.nearpage.search(query, options)",
        [query, {"mode": mode, "limit": limit}],
    )


@pytest.mark.parametrize(
    ("arguments", "name", "part"),
    [
        ("3", "TypeError", "the query must be a string"),
        ("'x', {mode: 'magic'}", "RangeError", "mode must be"),
        ("'x', {limit: 0}", "RangeError", "limit must be"),
    ],
)
def test_a_search_with_a_wrong_argument_is_rejected(
    new_tab: NewTab, address: str, arguments: str, name: str, part: str
) -> None:
    tab = new_tab()
    tab.page.goto(address)
    told = tab.page.evaluate(
        f"() => window.nearpage.search({arguments}).then(() => null, error => [error.name, error.message])"
    )
    assert told[0] == name
    assert part in told[1]
    assert tab.of_index() == ["nearpage.js"]


def test_the_browser_explains_as_the_command_line_does(new_tab: NewTab, address: str, docs: Path) -> None:
    tab = new_tab()
    tab.page.goto(address)
    for query in ("how large is the encoder", "window.nearpage.search", "pasta reciepe"):
        there = tab.page.evaluate(
            "query => window.nearpage.search(query, {mode: 'lexical', limit: 3, explain: true})", query
        )
        index = Index(docs / "nearpage")
        assert there == as_json(search(index, query, "lexical", 3, explained=True))
        assert "explanation" in there


def test_a_page_load_asks_for_the_loader_and_nothing_else(new_tab: NewTab, address: str) -> None:
    tab = new_tab()
    tab.page.goto(address, wait_until="networkidle")
    tab.page.evaluate("() => window.nearpage.ready")
    tab.page.wait_for_timeout(1_000)
    assert tab.of_index() == ["nearpage.js"]
    assert tab.rung() == "lexical"
    assert tab.errors == []


def test_results_come_before_the_models_and_get_better_with_each(new_tab: NewTab, address: str) -> None:
    tab = new_tab()
    held: dict[str, list[Callable[[], None]]] = {"light": [], "model": []}
    tab.page.route("**/nearpage/light-*", lambda route: held["light"].append(route.continue_))
    tab.page.route("**/nearpage/model-*", lambda route: held["model"].append(route.continue_))
    tab.page.goto(address)
    tab.open()
    tab.page.keyboard.type(QUESTION)
    tab.view("results")
    assert tab.rung() == "lexical"
    early = tab.urls()
    assert early
    while tab.rung() != "light":
        while held["light"]:
            held["light"].pop()()
        tab.page.wait_for_timeout(50)
    while not held["model"]:
        tab.page.wait_for_timeout(50)
    held["model"].pop()()
    tab.wait_for_full()
    tab.page.wait_for_function(
        "early => JSON.stringify([...document.querySelector('nearpage-search').shadowRoot"
        ".querySelectorAll('[role=option]')].map(a => a.dataset.url)) !== early",
        arg=json.dumps(early, separators=(",", ":")),
    )
    assert tab.errors == []


def test_the_browser_gives_the_command_lines_hits(new_tab: NewTab, address: str, docs: Path) -> None:
    tab = new_tab()
    tab.page.goto(address)
    tab.page.evaluate("() => window.nearpage.open()")
    tab.wait_for_full()
    index = Index(docs / "nearpage")
    encode = query_encoder(index, "hybrid", None)
    asked = queries(index, QUESTIONS)
    assert len(asked) >= 300
    here, there = in_python(index, encode), in_browser(tab.page)
    statuses = set()
    for mode in MODES:
        for query in asked:
            answer = here(query, mode)
            assert not differ(answer, there(query, mode), mode), (mode, query)
            statuses.add(answer["status"])
    assert statuses == {"ok", "nothing_relevant"}


def test_enter_lands_on_the_section_and_escape_gives_the_focus_back(new_tab: NewTab, address: str) -> None:
    tab = new_tab()
    tab.page.goto(address)
    tab.page.keyboard.press("/")
    tab.page.wait_for_selector("nearpage-search dialog[open] input:focus")
    tab.page.keyboard.press("Escape")
    tab.page.wait_for_selector("nearpage-search dialog:not([open])", state="attached")

    tab.open()
    tab.page.keyboard.type("Leaving things out")
    tab.view("results")
    tab.page.wait_for_function(
        "() => document.querySelector('nearpage-search').shadowRoot"
        ".querySelector('[role=option]').dataset.url === 'mkdocs/#leaving-things-out'"
    )
    tab.page.keyboard.press("ArrowDown")
    tab.page.keyboard.press("Enter")
    tab.page.wait_for_url("**/mkdocs/#leaving-things-out")
    assert tab.page.locator("#leaving-things-out").is_visible()
    assert tab.errors == []


def test_nothing_relevant_and_could_not_load_are_two_things(new_tab: NewTab, address: str) -> None:
    tab = new_tab()
    tab.page.goto(address)
    tab.open()
    tab.wait_for_full()
    tab.page.keyboard.type("best pizza dough recipe with fresh yeast")
    tab.view("nothing")
    tab.page.wait_for_function(
        "() => document.querySelector('nearpage-search').shadowRoot.querySelector('[role=status]')"
        ".textContent.startsWith('Nothing relevant')"
    )

    broken = new_tab()
    broken.page.route("**/nearpage/postings-*", lambda route: route.abort())
    broken.page.goto(address)
    broken.open()
    broken.page.keyboard.type("vectors")
    broken.view("failed")
    broken.page.unroute("**/nearpage/postings-*")
    broken.page.get_by_role("button", name="Try again").click()
    broken.view("results")


def test_without_the_model_the_words_go_on(new_tab: NewTab, address: str) -> None:
    tab = new_tab()
    for name in ("model", "light"):
        tab.page.route(f"**/nearpage/{name}-*", lambda route: route.fulfill(status=500))
    tab.page.goto(address)
    tab.open()
    tab.page.keyboard.type("how are passages ranked")
    tab.view("results")
    tab.page.get_by_text("semantic search could not be loaded").wait_for()
    assert tab.rung() == "lexical"
    assert ask(tab, QUESTION, "hybrid") == ask(tab, QUESTION, "lexical")
    failure = tab.page.evaluate(
        "() => window.nearpage.search('x', {mode: 'vector'}).catch(error => error.code)"
    )
    assert failure in {"fetch", "encoder"}


def test_a_page_from_before_a_new_index_goes_on_with_the_new_one(
    new_tab: NewTab, own_copy: tuple[Path, str]
) -> None:
    site, address = own_copy
    tab = new_tab()
    tab.page.goto(address)
    # The new index has the same words under other names; the page still has the old loader.
    folder = site / "nearpage"
    rename_index(folder)
    assert ask(tab, "Leaving things out", "lexical")["hits"][0]["anchor"] == "leaving-things-out"


def test_a_search_from_before_a_new_index_goes_on_with_the_new_one(
    new_tab: NewTab, own_copy: tuple[Path, str]
) -> None:
    site, address = own_copy
    tab = new_tab()
    tab.page.goto(address)
    assert ask(tab, "retries", "lexical")["status"]
    # The worker has the old list of packs, none of which is there any longer.
    rename_index(site / "nearpage")
    assert ask(tab, "Leaving things out", "lexical")["hits"][0]["anchor"] == "leaving-things-out"


def rename_index(folder: Path) -> None:
    """As a new index does: all of its own files have other names."""
    manifest = (folder / "manifest.json").read_text()
    packs = Index(folder).packs

    def renamed(stem: str, packs: Iterable[ListedPack]) -> tuple[ListedPack, ...]:
        for pack in packs:
            shutil.move(folder / f"{stem}-{pack.hash}.bin", folder / f"{stem}-{pack.hash[::-1]}.bin")
        return tuple(replace(pack, hash=pack.hash[::-1]) for pack in packs)

    new = PackList(renamed("postings", packs.postings), renamed("texts", packs.texts))
    next(folder.glob("packs-*")).write_bytes(wrap(Kind.PACKS, encode_packs(new)))
    for path in [*folder.glob("packs-*"), *folder.glob("table-*")]:
        name = path.name.replace("-", "-0", 1)
        manifest = manifest.replace(path.name, name)
        shutil.move(path, folder / name)
    (folder / "manifest.json").write_text(manifest)


def test_indexed_text_is_never_run(new_tab: NewTab, own_copy: tuple[Path, str]) -> None:
    site, address = own_copy
    evil = "<img src=x onerror=window.ran=1><script>window.ran=1</script>"
    shown = evil.replace("<", "&lt;")
    page = site / "evil" / "index.html"
    page.parent.mkdir()
    page.write_text(
        f"<title>{shown}</title><main><h1>{shown}</h1><p>zebra {shown}</p><pre>zebra {shown}</pre></main>"
    )
    from nearpage.builder import Options, build_site

    build_site(site, None, Options(encoder=None))
    tab = new_tab()
    tab.page.goto(address)
    tab.open()
    tab.page.keyboard.type("zebra")
    tab.view("results")
    assert evil in tab.page.locator("nearpage-search [role=option]").first.inner_text().replace("\n", "")
    assert tab.page.evaluate("() => window.ran") is None


def test_an_index_without_an_encoder_is_searched_by_words(
    new_tab: NewTab, own_copy: tuple[Path, str]
) -> None:
    from nearpage.builder import Options, build_site

    site, address = own_copy
    build_site(site, None, Options(encoder=None))
    tab = new_tab()
    tab.page.goto(address)
    tab.open()
    tab.page.keyboard.type("how are passages ranked")
    tab.view("results")
    tab.page.wait_for_timeout(1_500)
    assert not [
        name for name in tab.of_index() if name.startswith(("model", "runtime", "encoder", "vectors"))
    ]
    assert tab.rung() == "lexical"


def test_an_index_in_another_folder_leads_to_the_same_sections(
    new_tab: NewTab, own_copy: tuple[Path, str]
) -> None:
    from nearpage.builder import Options, build_site

    site, address = own_copy
    shutil.rmtree(site / "nearpage")
    build_site(site, site / "assets" / "search", Options(encoder=None))
    tab = new_tab()
    tab.page.goto(f"{address}getting-started/")
    tab.open()
    tab.page.keyboard.type("Leaving things out")
    tab.view("results")
    tab.page.locator("nearpage-search [data-url='mkdocs/#leaving-things-out']").click()
    tab.page.wait_for_url("**/mkdocs/#leaving-things-out")
    assert tab.page.locator("#leaving-things-out").is_visible()


def test_what_is_typed_while_the_dialog_loads_is_kept(new_tab: NewTab, address: str) -> None:
    tab = new_tab()
    held: list[Any] = []
    tab.page.route("**/nearpage/dialog-*", lambda route: held.append(route))
    tab.page.goto(address)
    tab.page.keyboard.press("Control+k")
    tab.page.keyboard.type("ranxk")
    tab.page.keyboard.press("Backspace")
    tab.page.keyboard.press("Backspace")
    tab.page.keyboard.type("king")
    while not held:
        tab.page.wait_for_timeout(50)
    held[0].continue_()
    tab.page.wait_for_selector("nearpage-search dialog[open] input:focus")
    assert tab.page.locator("nearpage-search input").input_value() == "ranking"
    assert tab.page.url == address


def test_enter_that_ends_a_composition_opens_nothing(new_tab: NewTab, address: str) -> None:
    tab = new_tab()
    tab.page.goto(address)
    tab.open()
    keys = tab.page.context.new_cdp_session(tab.page)

    def enter(**also: object) -> None:
        code = {"code": "Enter", "key": "Enter", "windowsVirtualKeyCode": 13, **also}
        keys.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", **code})
        keys.send("Input.dispatchKeyEvent", {"type": "keyUp", **code})

    tab.page.evaluate(
        """() => {
          window.composing = [];
          window.addEventListener("keydown", (event) => composing.push(event.isComposing), true);
        }"""
    )
    word = "Leaving things out"
    keys.send(
        "Input.imeSetComposition", {"text": word, "selectionStart": len(word), "selectionEnd": len(word)}
    )
    tab.view("results")
    enter()
    assert tab.page.evaluate("() => composing") == [True]
    keys.send("Input.insertText", {"text": word})
    # Safari ends the composition first: the key that did so comes after it, as the input method's own.
    enter(windowsVirtualKeyCode=229)
    tab.page.wait_for_timeout(500)
    assert tab.page.url == address
    assert tab.page.locator("nearpage-search dialog[open]").count() == 1
    assert tab.page.locator("nearpage-search input").input_value() == word

    tab.view("results")
    enter()
    tab.page.wait_for_url("**/#*")
    assert tab.errors == []


def test_code_is_shown_as_code_line_by_line(new_tab: NewTab, own_copy: tuple[Path, str]) -> None:
    from nearpage.builder import Options, build_site

    site, address = own_copy
    page = site / "tree" / "index.html"
    page.parent.mkdir()
    page.write_text(
        "<title>Tree</title><main><h1>Tree</h1><pre><code>zebra_project\n├── main.py\n│   └── run.py\n"
        "└── zebra.toml\n</code></pre></main>"
    )
    build_site(site, None, Options(encoder=None))
    tab = new_tab()
    tab.page.goto(address)
    tab.open()
    tab.page.keyboard.type("zebra_project")
    tab.view("results")
    shown = tab.page.locator("nearpage-search [data-url='tree/'] pre code")
    assert shown.inner_text().splitlines() == [
        "zebra_project",
        "├── main.py",
        "│   └── run.py",
        "└── zebra.toml",
    ]
    assert shown.locator("mark").first.inner_text() == "zebra_project"
