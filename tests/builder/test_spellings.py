"""Words with and without diacritics, on pages of the test's own."""

from collections.abc import Callable
from pathlib import Path

import pytest
from nearpage.builder.build import Options
from nearpage.builder.reader import Index
from nearpage.builder.search import search
from nearpage.builder.site import build_site

Ask = Callable[[str], list[str]]


@pytest.fixture
def indexed(tmp_path: Path, small_assets: Path) -> Callable[..., Ask]:
    """Indexes pages in a language, named by what they say, and gives what asks them."""

    def make(language: str, **texts: str) -> Ask:
        site = tmp_path / "pages"
        site.mkdir()
        for name, text in {**texts, "other": "Nothing of the kind stands here."}.items():
            html = f'<html lang="{language}"><head><meta charset="utf-8"><title>{name}</title></head>'
            (site / f"{name}.html").write_text(
                f"{html}<body><main><p>{text}</p></main></body></html>", "utf-8"
            )
        build_site(site, None, Options(None, None))
        index = Index(site / "nearpage")
        return lambda query: [hit.page for hit in search(index, query, "lexical", 10).hits]

    return make


def test_what_is_typed_with_diacritics_comes_first_so_spelt(indexed: Callable[..., Ask]) -> None:
    ask = indexed("de", a="Das ist schon gut.", b="Das ist schön gut.")
    assert ask("schön ") == ["b.html", "a.html"]
    assert ask("schon ") == ["a.html", "b.html"]
    assert ask('"schön"') == ["b.html"]
    assert ask('"schon"') == ["a.html", "b.html"]


@pytest.mark.parametrize("query", ["Zürich", "Zurich", "Zuerich", "zürich ", "ZUERICH"])
def test_every_spelling_of_a_city_finds_every_other(indexed: Callable[..., Ask], query: str) -> None:
    texts = {"a": "Nach Zurich fahren.", "b": "Nach Zuerich fahren.", "c": "Nach Zürich fahren."}
    found = indexed("de", **texts)(query)
    assert sorted(found) == ["a.html", "b.html", "c.html"]
    spelt = {"zürich": "c.html", "zuerich": "b.html"}.get(query.strip().lower())
    assert spelt is None or found[0] == spelt


def test_an_english_site_has_foreign_words_in_their_spelling(indexed: Callable[..., Ask]) -> None:
    ask = indexed("en", a="The facade of the house.", b="The façade of the house.")
    assert ask("façade ") == ["b.html", "a.html"]
    assert sorted(ask("facade ")) == sorted(ask("faca")) == ["a.html", "b.html"]


def test_ss_is_the_sharp_s_of_a_street(indexed: Callable[..., Ask]) -> None:
    ask = indexed("de", a="Die Strasse nach Bern.", b="Die Straße nach Bern.")
    assert ask("Straße ") == ["b.html", "a.html"]
    assert sorted(ask("Strasse ")) == ["a.html", "b.html"]


def test_a_title_with_diacritics_is_the_query_in_that_spelling(indexed: Callable[..., Ask]) -> None:
    ask = indexed("de", schon="Ein Wort.", schön="Ein anderes Wort.")
    assert ask("schön") == ["sch%C3%B6n.html", "schon.html"]


def test_an_elided_article_is_no_part_of_a_word(indexed: Callable[..., Ask]) -> None:
    ask = indexed("fr", a="Ouvrir l'application.", b="Ouvrir d’autres applications.")
    assert sorted(ask("application ")) == sorted(ask("l’application ")) == ["a.html", "b.html"]
    assert ask('"application"') == ["a.html"]
