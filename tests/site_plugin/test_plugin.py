"""The plugin in MkDocs: every theme we know, every kind of address, and what authors get wrong."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.localization import parse_locale
from nearpage.builder import Index, Options, build_site, search
from nearpage.builder.queries import query_encoder

THEMES = ["mkdocs", "readthedocs", "material"]
SITE_URLS = [None, "https://llama.example/", "https://llama.example/docs/v2/"]
LEXICAL = {"nearpage": {"semantic": "off"}}


def loaded(site: Any, **settings: Any) -> MkDocsConfig:
    return load_config(str(site.folder / "mkdocs.yml"), site_dir=str(site.output), **settings)


# -- every theme, every kind of address


@pytest.fixture(
    scope="module",
    params=list(product(THEMES, [True, False], SITE_URLS)),
    ids=lambda param: "-".join(map(str, param)),
)
def built(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, site_at: Callable[[Path], Any]
) -> Iterator[tuple[Any, bool, str | None]]:
    theme, directories, site_url = request.param
    site = site_at(tmp_path_factory.mktemp("site"))
    settings = {"site_url": site_url} if site_url else {}
    site.configure(LEXICAL, theme=theme, use_directory_urls=directories, **settings)
    site.log = site.build("--strict")
    yield site, directories, site_url


def test_the_index_knows_every_page_by_its_address(built: Any) -> None:
    site, directories, _ = built
    assert site.urls() == (
        {"", "guide/feeding/", "guide/shearing/", "hidden/paddock/"}
        if directories
        else {"index.html", "guide/feeding.html", "guide/shearing.html", "hidden/paddock.html"}
    )


def test_a_search_leads_to_a_section_that_is_there(built: Any) -> None:
    site, directories, _ = built
    page, _, anchor = site.find("feeder_exclude_unset")[0].partition("#")
    assert anchor == "the-feeders-options"
    assert f'id="{anchor}"' in site.html()[page + "index.html" if directories else page]


def test_the_loader_is_once_in_every_page_and_where_the_page_says(built: Any) -> None:
    site, _, site_url = built
    assert "404.html" in site.html()
    for file in site.html():
        assert site.loaders(file, site_url) == [site.output / "nearpage" / "nearpage.js"], file
    assert (site.output / "nearpage" / "nearpage.js").is_file()


def test_the_404_page_names_the_loader_from_the_root_because_it_stands_for_any_address(built: Any) -> None:
    site, _, site_url = built
    root = (site_url or "https://llama.example/").removeprefix("https://llama.example")
    assert f'src="{root}nearpage/nearpage.js"' in site.html()["404.html"]


def test_a_build_says_one_line_about_the_index_and_warns_of_nothing(built: Any) -> None:
    lines = [line for line in built[0].log.splitlines() if "nearpage:" in line]
    assert len(lines) == 1
    assert "INFO" in lines[0]
    assert "4 pages" in lines[0]


# -- what is taken from a page


def test_titles_are_those_of_the_first_heading_or_of_the_page(site: Any) -> None:
    site.configure(LEXICAL, site_name="Llama & Co")
    site.build("--strict")
    index = site.index()
    titles = {(shown := index.text(number)).url: shown.title for number in range(index.manifest.passages)}
    assert titles["guide/shearing/"] == "Shearing & wool"
    assert titles["hidden/paddock/"] == "Fences - and gates"


@pytest.mark.parametrize("title", ["Fish &amp; chips", "Fish & chips"])
def test_titles_may_be_html_or_text(site: Any, title: str) -> None:
    site.write("docs/hidden/paddock.md", f"---\ntitle: {title}\n---\nSalt and vinegar.\n")
    site.configure(LEXICAL)
    site.build()
    assert search(site.index(), "vinegar", "lexical", 1).hits[0].title == "Fish & chips"


def test_pages_with_search_exclude_are_left_out(site: Any) -> None:
    site.write("docs/hidden/secret.md", "---\nsearch:\n  exclude: true\n---\n# Secret\n\nOf the hay.\n")
    site.configure(LEXICAL)
    site.build("--strict")
    assert "hidden/secret/" not in site.urls()


def test_sections_marked_by_their_author_are_left_out(site: Any) -> None:
    site.write(
        "docs/hidden/notes.md",
        "# Notes\n\nAlpaca.\n\n## Draft {data-search-exclude}\n\nVicuna.\n\n## Done\n\nGuanaco.\n",
    )
    site.configure(LEXICAL, markdown_extensions=["attr_list"])
    site.build("--strict")
    assert site.find("vicuna") == []
    assert site.find("guanaco")


def test_search_boost_lifts_a_page(site: Any) -> None:
    for name, boost in (("a", 1), ("b", 3)):
        site.write(f"docs/{name}.md", f"---\nsearch: {{boost: {boost}}}\n---\n# Camelids\n\nOf the Andes.\n")
    site.configure(LEXICAL)
    site.build("--strict")
    assert [url.split("#")[0] for url in site.find("camelids")] == ["b/", "a/"]


@pytest.mark.parametrize("value", ["", "{}", "{exclude: }", "{boost: }", "{exclude: false, boost: 2}"])
def test_search_in_the_front_matter_may_be_empty(site: Any, value: str) -> None:
    site.write("docs/hidden/paddock.md", f"---\nsearch: {value}\n---\n# Fence\n\nWire.\n")
    site.configure(LEXICAL)
    site.build("--strict")
    assert "hidden/paddock/" in site.urls()


@pytest.mark.parametrize(
    "value", ["yes please", "{boost: high}", "{boost: 0}", "{boost: -1}", "{boost: true}"]
)
def test_front_matter_that_makes_no_sense_is_a_warning_that_names_the_page(site: Any, value: str) -> None:
    site.write("docs/hidden/paddock.md", f"---\nsearch: {value}\n---\n# Fence\n\nWire.\n")
    site.configure(LEXICAL)
    log = site.build()
    assert "WARNING" in log
    assert "hidden/paddock.md: search" in log
    assert "hidden/paddock/" in site.urls()
    assert site.run("--strict").exit_code == 1


def test_content_that_looks_like_a_main_part_does_not_hide_the_rest(site: Any) -> None:
    site.write("docs/hidden/html.md", "# HTML\n\n<div role='main'>Inner yak</div>\n\nOuter gnu.\n")
    site.configure(LEXICAL)
    site.build()
    assert site.find("gnu")
    assert site.find("yak")


def test_drafts_of_the_preview_are_not_found(site: Any) -> None:
    site.configure(LEXICAL, draft_docs="hidden/")
    build(loaded(site), serve_url="http://127.0.0.1:8000/")
    assert (site.output / "hidden" / "paddock" / "index.html").is_file()
    assert "hidden/paddock/" not in site.urls()


@pytest.mark.parametrize(
    ("theme", "language"),
    [
        ({"name": "mkdocs", "locale": "fr"}, "fr"),
        ({"name": "readthedocs", "locale": "pt_BR"}, "pt-BR"),
        ({"name": "material", "language": "de"}, "de"),
        ({"name": "material"}, "en"),
    ],
)
def test_the_index_is_in_the_language_of_the_theme(site: Any, theme: dict[str, str], language: str) -> None:
    site.configure(LEXICAL, theme=theme)
    site.build()
    assert site.index().manifest.language == language


# -- search boxes


def test_the_mkdocs_theme_has_its_button_and_the_modal_without_which_its_script_breaks(site: Any) -> None:
    site.configure(LEXICAL, theme="mkdocs")
    site.build("--strict")
    for html in site.html().values():
        assert 'data-bs-target="#mkdocs_search_modal"' in html
        assert 'id="mkdocs_search_modal"' in html
        assert "search/main.js" not in html


def test_the_readthedocs_theme_has_its_box_and_a_page_for_it_to_lead_to(site: Any) -> None:
    site.configure(LEXICAL, theme="readthedocs")
    site.build("--strict")
    assert all('id ="rtd-search-form"' in html for html in site.html().values())
    page = site.html()["search.html"]
    assert "data-nearpage-open" in page
    assert "mkdocs-search-results" not in page
    assert "search.html" not in site.urls()


@pytest.mark.parametrize(
    "plugins", [[LEXICAL], ["search", LEXICAL], [{"search": {"enabled": False}}, LEXICAL]]
)
def test_material_has_a_box_that_its_own_script_does_not_know(site: Any, plugins: list[Any]) -> None:
    site.configure(*plugins, theme="material")
    site.build("--strict")
    for html in site.html().values():
        assert html.count("data-nearpage-open") == 1
        assert 'data-md-component="search' not in html
        assert 'name="search"' not in html


def test_a_template_of_the_author_goes_before_ours(site: Any) -> None:
    site.write("overrides/partials/search.html", "<p>the author's own box</p>")
    site.configure(LEXICAL, theme={"name": "material", "custom_dir": "overrides"})
    site.build("--strict")
    assert "the author's own box" in site.html()["index.html"]
    assert "data-nearpage-open" not in site.html()["index.html"]


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("plugins", [["search", LEXICAL], [LEXICAL, "search"]], ids=["before", "after"])
def test_a_search_plugin_listed_too_leaves_nothing_of_its_own(
    site: Any, theme: str, plugins: list[Any]
) -> None:
    site.configure(*plugins, theme=theme)
    log = site.build("--strict")
    assert "takes the place of the search plugin" in log
    assert not (site.output / "search" / "search_index.json").exists()
    assert all("search/main.js" not in html for html in site.html().values())
    assert site.find("hay")


@pytest.mark.parametrize("plugins", [[LEXICAL], ["search", LEXICAL]], ids=["alone", "with search"])
def test_plugins_are_left_as_they_were(site: Any, plugins: list[Any]) -> None:
    site.configure(*plugins, theme="material")
    config = loaded(site)
    before = dict(config.plugins)
    build(config)
    assert dict(config.plugins) == before


def test_a_theme_we_do_not_know_keeps_its_search(site: Any) -> None:
    site.write("theme/main.html", "<html><head></head><body>{{ page.content }}</body></html>")
    site.configure("search", LEXICAL, theme={"name": None, "custom_dir": "theme"})
    assert "the theme keeps its own search" in site.build()
    assert (site.output / "search" / "search_index.json").is_file()
    assert site.find("hay")


# -- options


def test_vectors_are_built_by_default_and_found_by_meaning(site: Any) -> None:
    site.configure("nearpage")
    site.build("--strict")
    index = site.index()
    encode = query_encoder(index, "vector")
    result = search(index, "what to give the animals in the cold season", "vector", 1, encode)
    assert result.hits[0].url == "guide/feeding/#winter-hay"


@pytest.mark.parametrize(
    ("value", "vectors"), [("full", True), ("light", True), ("'off'", False), ("off", False)]
)
def test_semantic_says_whether_there_are_vectors(site: Any, value: str, vectors: bool) -> None:
    site.write("mkdocs.yml", f"site_name: Llamas\nplugins:\n  - nearpage:\n      semantic: {value}\n")
    site.build("--strict")
    assert (site.index().manifest.vectors is not None) == vectors


def test_offline_says_that_it_is_still_to_come(site: Any) -> None:
    site.configure({"nearpage": {"semantic": "off", "offline": True}})
    assert "search in a site opened from disk is not there yet" in site.build("--strict")


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"semantic": "half"}, "'semantic'"),
        ({"semantic": True}, "'semantic'"),
        ({"offline": "maybe"}, "'offline'"),
        ({"encoder": "nowhere"}, "'encoder'"),
        ({"relevance_tests": "nowhere.yml"}, "'relevance_tests'"),
    ],
)
def test_a_wrong_option_is_named(site: Any, options: dict[str, Any], named: str) -> None:
    site.configure({"nearpage": options})
    result = site.run()
    assert result.exit_code == 1
    assert named in result.output
    assert "Traceback" not in result.output


def test_relevance_tests_that_hold_are_a_line(site: Any) -> None:
    site.write("relevance.yml", "- query: what llamas eat in the cold season\n  expect: guide/feeding.md\n")
    site.configure({"nearpage": {"relevance_tests": "relevance.yml"}})
    log = site.build("--strict")
    assert "nearpage: relevance tests: all 1 hold" in log
    assert "WARNING" not in log


def test_each_relevance_test_that_fails_is_a_warning(site: Any) -> None:
    entries = "- {query: hay, expect: guide/shearing.md}\n- {query: xyzzy, nothing: true}\n"
    site.write("relevance.yml", entries + "- {query: wool, nothing: true}\n")
    site.configure({"nearpage": {"semantic": "off", "relevance_tests": "relevance.yml"}})
    warnings = [line for line in site.build().splitlines() if "WARNING" in line]
    assert len(warnings) == 2
    assert "'hay' must find guide/shearing.md within 3: not found; it found 1. guide/feeding/" in warnings[0]
    assert "'wool' must find nothing relevant" in warnings[1]
    assert site.run("--strict").exit_code == 1


def test_a_file_of_relevance_tests_that_is_none_is_one_line(site: Any) -> None:
    site.write("relevance.yml", "- query: hay\n")
    site.configure({"nearpage": {"semantic": "off", "relevance_tests": "relevance.yml"}})
    result = site.run()
    assert result.exit_code == 1
    assert "relevance.yml, entry 1 (line 1): expect is missing" in result.output
    assert "Traceback" not in result.output
    assert not (site.output / "nearpage").exists()


def test_mkdocs_own_switch_turns_the_plugin_off(site: Any) -> None:
    site.configure({"nearpage": {"enabled": False}})
    site.build("--strict")
    assert not (site.output / "nearpage").exists()
    assert "nearpage.js" not in site.html()["index.html"]


def test_the_cache_is_beside_the_configuration(site: Any) -> None:
    site.configure("nearpage")
    assert "embedded, 0 reused)" in site.build()
    assert list((site.folder / ".cache" / "plugin" / "nearpage").iterdir())
    assert "(0 embedded" in site.build()


def test_a_cache_in_the_docs_would_make_the_preview_build_for_ever(site: Any) -> None:
    site.configure({"nearpage": {"cache_dir": "docs/.cache"}})
    result = site.run()
    assert result.exit_code == 1
    assert "choose a folder outside" in result.output
    assert not (site.folder / "docs" / ".cache").exists()


def test_an_encoder_that_is_none_is_one_line(site: Any) -> None:
    site.write("model/README", "no model here")
    site.configure({"nearpage": {"encoder": "model"}})
    result = site.run()
    assert result.exit_code == 1
    assert "nearpage: " in result.output
    assert "no model.onnx there" in result.output
    assert "Traceback" not in result.output


def test_a_site_without_text_is_one_line(tmp_path: Path, site: Any) -> None:
    site.write("empty/index.md", "")
    site.configure("nearpage", docs_dir="empty", nav=None)
    result = site.run()
    assert result.exit_code == 1
    assert "nearpage: no text found" in result.output
    assert "Traceback" not in result.output


def test_the_configuration_may_come_from_standard_input(site: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(site.folder)
    result = site.run("--strict", stdin="site_name: Llamas\nplugins: [nearpage]\n")
    assert result.exit_code == 0, result.output
    assert site.find("hay")
    assert (site.folder / ".cache" / "plugin" / "nearpage").is_dir()


def test_plugins_may_be_a_mapping(site: Any) -> None:
    site.configure(plugins={"nearpage": {"semantic": "off"}})
    site.build("--strict")
    assert site.find("hay")


# -- again and again


def test_a_configuration_event_that_comes_twice_adds_nothing_twice(site: Any) -> None:
    site.configure(LEXICAL, theme="material")
    config = loaded(site)
    nearpage = config.plugins["nearpage"]
    nearpage.on_config(config)
    scripts, folders = list(config.extra_javascript), list(config.theme.dirs)
    nearpage.on_config(config)
    assert config.extra_javascript == scripts
    assert config.theme.dirs == folders


def test_a_loader_listed_by_the_author_is_not_listed_again(site: Any) -> None:
    site.configure(LEXICAL, extra_javascript=["nearpage/nearpage.js"])
    site.build()
    assert site.html()["index.html"].count("nearpage.js") == 1


def test_one_plugin_builds_many_times_and_keeps_no_page_that_is_gone(site: Any) -> None:
    site.configure("nearpage")
    site.build()
    passages = site.index().manifest.passages
    site.write("docs/hidden/paddock.md", "# Paddock\n\nA wall of stone instead.\n")
    (site.folder / "docs" / "guide" / "shearing.md").unlink()
    site.configure("nearpage", nav=None)
    assert f"(1 embedded, {passages - 2} reused)" in site.build("--strict")
    assert "guide/shearing/" not in site.urls()
    assert site.find("stone")


def test_pages_of_several_builds_with_one_configuration_end_in_one_index(site: Any) -> None:
    """Plugins for translated sites build once a language, with one configuration and one folder."""
    site.configure(LEXICAL, nav=None)
    config = loaded(site)
    build(config)
    before = site.urls()
    config.docs_dir = str(site.folder / "more")
    site.write("more/more/index.md", "# Farm\n\nOf llamas.\n")
    build(config)
    assert site.urls() == before | {"more/"}


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("site_url", SITE_URLS)
def test_each_language_of_such_a_site_is_an_index_of_its_own(
    site: Any, theme: str, site_url: str | None
) -> None:
    site.configure(LEXICAL, nav=None, theme=theme, **({"site_url": site_url} if site_url else {}))
    config = loaded(site)
    build(config)
    before = site.urls()
    config.docs_dir = str(site.folder / "fr")
    site.write("fr/fr/index.md", "# Ferme\n\nDes lamas dans les collines.\n")
    site.write("fr/fr/vide.md", "---\nsearch:\n  exclude: true\n---\n# Vide\n")
    config.theme["locale"] = parse_locale("fr")
    if theme == "material":
        config.theme["language"] = "fr"
    build(config, dirty=True)  # which leaves the folder as it is
    assert site.urls() == before
    french = Index(site.output / "nearpage/fr")
    assert {french.text(number).url for number in range(french.manifest.passages)} == {"fr/"}
    index = (site.output / "nearpage").resolve()
    for file, folder in {
        "index.html": index,
        "guide/feeding/index.html": index,
        "fr/index.html": index / "fr",
        "fr/vide/index.html": index / "fr",
        "404.html": index / "fr",  # written last, in French
    }.items():
        assert [path.resolve() for path in site.loaders(file, site_url)] == [folder / "nearpage.js"], file


def test_a_build_of_the_command_over_the_plugins_leaves_one_loader(site: Any) -> None:
    site.configure(LEXICAL, theme="material")
    site.build()
    build_site(site.output, None, Options(encoder=None))
    for file, html in site.html().items():
        assert html.count("nearpage.js") == 1, file


def test_a_dirty_build_finds_pages_that_it_did_not_build(site: Any) -> None:
    """In a process of its own, which cannot remember them."""
    site.write("docs/hidden/secret.md", "---\nsearch:\n  exclude: true\n---\n# Secret\n\nOf the hay.\n")
    site.configure(LEXICAL)
    site.build()
    before = site.urls()
    stamp = (site.output / "index.html").stat().st_mtime
    for path in (site.folder / "docs").rglob("*.md"):
        os.utime(path, (stamp - 100, stamp - 100))
    site.write("docs/index.md", "# Llama farm\n\nNow with alpacas.\n")
    os.utime(site.folder / "docs" / "index.md", (stamp + 100, stamp + 100))
    command = [sys.executable, "-m", "mkdocs", "build", "--dirty", "-f", str(site.folder / "mkdocs.yml")]
    subprocess.run(command, check=True, capture_output=True)
    assert site.find("alpacas") == ["#llama-farm"]
    assert site.urls() == before


def test_a_dirty_preview_remembers_the_pages_that_it_did_not_build(site: Any) -> None:
    site.configure(LEXICAL)
    config = loaded(site)
    config.plugins.on_startup(command="serve", dirty=True)
    try:
        build(config, dirty=True)
        before = site.urls()
        (site.output / "guide" / "feeding" / "index.html").write_text("not read again")
        build(loaded(site), dirty=True)
        assert site.urls() == before
        assert site.find("hay")
    finally:
        config.plugins.on_startup(command="serve", dirty=False)


def test_two_builds_in_two_folders_give_the_same_bytes(
    tmp_path: Path, site_at: Callable[[Path], Any]
) -> None:
    indexes = []
    for name in ("one", "another/one"):
        site = site_at(tmp_path / name)
        site.configure("nearpage", theme="material")
        site.build()
        files = sorted((site.output / "nearpage").iterdir())
        indexes.append({path.name: path.read_bytes() for path in files})
    assert indexes[0] == indexes[1]
