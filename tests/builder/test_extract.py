"""What is taken from a page and what is not, on pages in the manner of each generator."""

from pathlib import Path

import pytest
from nearpage.builder.extract import Skipped, extract, language_of, read_page
from nearpage.builder.model import Page, Section

SITE = Path(__file__).parents[1] / "site"


def page_of(name: str) -> Page:
    page = read_page(name, (SITE / name).read_bytes())
    assert isinstance(page, Page)
    return page


def body(html: str, url: str = "x.html") -> Page:
    page = read_page(
        url, f"<!DOCTYPE html><html><head><title>T</title></head><body><main>{html}</main></body></html>"
    )
    assert isinstance(page, Page)
    return page


def outline(page: Page) -> list[tuple[str | None, str]]:
    return [(section.anchor, " > ".join(section.heading_path)) for section in page.sections]


def blocks(page: Page) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for section in page.sections for block in section.blocks]


def section(page: Page, anchor: str) -> Section:
    return next(section for section in page.sections if section.anchor == anchor)


# -- generators


def test_mkdocs_headings_keep_the_text_of_links_around_it_and_lose_permanent_links() -> None:
    page = page_of("mkdocs.html")
    assert page.title == "Ferrying boats"
    assert outline(page) == [
        ("ferrying-boats", "Ferrying boats"),
        ("ropes", "Ferrying boats > Ropes and knots"),
        ("hemp", "Ferrying boats > Ropes and knots > Hemp"),
        ("ferrying-boats", "Ferrying boats > Engines"),
    ]


def test_a_list_is_one_block_with_a_line_an_item_and_inline_elements_add_no_spaces() -> None:
    assert blocks(page_of("mkdocs.html")) == [
        ("prose", "Boats are ferried at high tide.\nNever at night."),
        ("prose", "Bowline\nfor the bow\ntwice\nCleat hitch\nfor the pier"),
        ("prose", "Strength\nMiddling\nPrice\nLow"),
        ("prose", "Start them with engine.start(), notever by hand."),
    ]


def test_a_page_without_h1_has_the_title_of_the_document_without_the_site() -> None:
    page = page_of("readthedocs.html")
    assert (page.title, page.language) == ("Marés", "pt-BR")
    assert outline(page) == [("alta", "Maré alta")]
    assert blocks(page) == [("prose", "A água sobe duas vezes por dia.")]


def test_material_text_is_read_without_line_numbers_buttons_tags_and_what_the_author_excluded() -> None:
    assert blocks(page_of("material.html")) == [
        ("prose", "It burns all night ."),
        ("prose", "Oil\nGas"),
        ("prose", "Fill the lamp."),
        ("prose", "Open the valve."),
        ("prose", "Then light it."),
        ("code", "if dark:\n    light() # (1)!"),
        ("prose", "Not before dusk."),
        ("prose", "Old lamps"),
        ("prose", "Smoky."),
        ("prose", "Lamps are cleaned daily."),
        ("prose", "Hire one"),
        ("prose", "Weather permitting."),
    ]


def test_headings_in_tabs_and_folds_end_with_them() -> None:
    assert outline(page_of("material.html")) == [
        ("lighthouse", "Lighthouse"),
        ("lamp", "Lighthouse > Lamp"),
        ("valve", "Lighthouse > Lamp > Valve"),
        ("lamp", "Lighthouse > Lamp"),
        ("whale-oil", "Lighthouse > Lamp > Whale oil"),
        ("lamp", "Lighthouse > Lamp"),
        ("keeper", "Lighthouse > Keeper"),
    ]


def test_mkdocstrings_signatures_are_signatures_and_sources_are_left_out() -> None:
    page = page_of("mkdocstrings.html")
    assert outline(page)[1:] == [
        ("harbour.Pier", "Reference > harbour.Pier"),
        ("harbour.Pier.moor", "Reference > harbour.Pier > moor"),
    ]
    assert blocks(page) == [
        ("signature", "Pier(length: int)"),
        ("prose", "A place to land."),
        ("table", "PARAMETER\tDESCRIPTION\nlength\tIn metres."),
        ("signature", "moor(boat)"),
        ("prose", "Tie a boat up."),
    ]


def test_sphinx_items_are_sections_named_by_their_ids_and_the_text_after_them_goes_on_above() -> None:
    page = page_of("furo.html")
    crane = "Cranes > Classes > harbour.Crane"
    assert outline(page) == [
        ("cranes", "Cranes"),
        ("classes", "Cranes > Classes"),
        ("harbour.Crane", crane),
        ("harbour.Crane.lift", f"{crane} > harbour.Crane.lift, harbour.Crane.hoist"),
        ("harbour.Crane", crane),
        ("classes", "Cranes > Classes"),
        ("cmdoption-crane-v", "Cranes > Classes > -v, --verbose"),
        ("classes", "Cranes > Classes"),
    ]
    assert blocks(page)[1:] == [
        ("signature", "class harbour.Crane(load)"),
        ("prose", "A crane."),
        ("signature", "lift()"),
        ("signature", "hoist()"),
        ("prose", "Raise the load."),
        ("prose", "Returns:\nNothing."),
        ("prose", "Cranes rust."),
        ("prose", "There are no other classes."),
        ("signature", "-v, --verbose"),
        ("prose", "Say more."),
        ("code", "crane = Crane()\ncrane.lift()"),
    ]


def test_a_chapters_front_page_has_its_table_of_contents_for_text() -> None:
    page = page_of("sphinx_rtd.html")
    assert page.title == "Handbook"
    assert blocks(page) == [("prose", "Arriving\nLeaving")]


def test_a_table_of_contents_is_no_text_beside_any_other_nor_if_it_lists_the_whole_site() -> None:
    contents = '<div class="toctree-wrapper"><ul>' + "<li>Somewhere else</li>" * 10 + "</ul></div>"
    assert blocks(body(f"<h1>A</h1><p>Text.</p>{contents}")) == [("prose", "Text.")]
    assert extract("x", f"<main><h1>A</h1>{contents * 100}</main>") is None


def test_docbook_is_read_in_its_own_encoding_with_the_ids_around_titles_and_on_terms() -> None:
    page = page_of("docbook.html")
    settings = "20.5. Tides > 20.5.1. Settings"
    assert (page.title, page.language) == ("20.5. Tides", "")
    assert outline(page) == [
        ("TIDES", "20.5. Tides"),
        ("TIDES-SETTINGS", settings),
        ("GUC-TIDE-LEVEL", f"{settings} > tide_level (enum)"),
        ("TERM-EBB", f"{settings} > Ebb"),
        ("TIDES-SETTINGS", settings),
    ]
    assert blocks(page) == [
        ("prose", "The café opens at ebb."),
        ("signature", "tide_level (enum)"),
        ("prose", "How high."),
        ("prose", "Falling water."),
        ("prose", "low\nBelow one metre."),
        ("table", "EBB\nFLOOD"),
        ("prose", "Example"),
        ("code", "tide\n  now"),
    ]


def test_rustdoc_methods_are_items_and_what_every_type_has_is_left_out() -> None:
    page = page_of("rustdoc.html")
    assert page.title == "Enum Buoy"
    assert outline(page)[3:] == [
        ("implementations", "Enum Buoy > Implementations"),
        ("impl-Buoy%3CT%3E", "Enum Buoy > Implementations > impl<T> Buoy<T>"),
        ("method.is_lit", "Enum Buoy > Implementations > impl<T> Buoy<T> > is_lit"),
        ("examples", "Enum Buoy > Implementations > impl<T> Buoy<T> > is_lit > Examples"),
    ]
    assert section(page, "method.is_lit").blocks[0].text == "pub fn is_lit(&self) -> bool"
    assert page.sections[0].anchor is None


def test_mdbook_headings_keep_their_text_and_code_loses_hidden_lines() -> None:
    page = page_of("mdbook.html")
    assert page.title == "Anchors"
    assert outline(page) == [
        ("anchors", "Anchors"),
        ("chains", "Anchors > Chains <links>"),
        ("chains", "Anchors > Chains <links> > Warning"),
        ("chains", "Anchors > Chains <links>"),
    ]
    assert blocks(page)[1] == ("code", "let anchor = drop();")


def test_vitepress_code_loses_its_language_and_line_numbers() -> None:
    page = page_of("vitepress.html")
    assert (page.title, page.language) == ("Sails", "en-US")
    assert blocks(page) == [
        ("prose", "Set them."),
        ("code", "set(sail)\n\nreef()"),
        ("prose", "TIP"),
        ("prose", "Mind the boom."),
    ]


def test_docusaurus_tabs_that_are_not_in_front_are_text_too() -> None:
    page = page_of("docusaurus.html")
    assert outline(page) == [(None, "Pilots"), ("calling", "Pilots > Calling")]
    assert blocks(page) == [
        ("prose", "They know the way."),
        ("prose", "Radio\nFlag"),
        ("code", "call(16)\nwait"),
        ("prose", "Raise the flag."),
    ]


def test_a_page_no_generator_wrote_is_read_from_what_there_is() -> None:
    page = page_of("generic.html")
    assert (page.title, page.language) == ("Fog signals", "")
    assert outline(page) == [(None, ""), ("horn", "Horn"), ("bell", "Bell"), (None, "Whistle")]
    assert blocks(page) == [
        ("prose", "Sound carries far."),
        ("prose", "One blast."),
        ("prose", "Two strokes."),
        ("table", "Signals\nSound\t\tMeaning\nlong\t\tgoing ahead"),
    ]


def test_marks_for_search_restrict_what_is_read() -> None:
    page = page_of("marked.html")
    assert page.language == "de-at"
    assert blocks(page) == [("prose", "Sicht unter einem Kilometer."), ("code", "eins\nzwei")]


# -- pages that are not searched


@pytest.mark.parametrize(
    ("head", "reason"),
    [
        ('<meta http-equiv="Refresh" content="0; URL=../new/">', "redirect"),
        ('<meta name="robots" content="NOINDEX, nofollow">', "noindex"),
    ],
)
def test_redirects_and_noindex_are_skipped_with_the_reason(head: str, reason: str) -> None:
    html = f"<head>{head}</head><main><h1>A</h1><p>Text.</p></main>"
    assert read_page("x", html) == Skipped(reason)
    assert extract("x", html) is None


def test_a_page_that_reloads_itself_or_redirects_only_without_scripts_is_kept() -> None:
    for meta in (
        '<meta http-equiv="refresh" content="300">',
        '<noscript><meta http-equiv="refresh" content="0; url=x"></noscript>',
    ):
        assert extract("x", f"<head>{meta}</head><main><p>Text.</p></main>") is not None


@pytest.mark.parametrize(
    "html",
    ["", b"", b"\xff\xfe", "<main><h1>Only a title</h1></main>", "<main><nav>Menu</nav></main>"],
)
def test_pages_without_text_are_skipped(html: str | bytes) -> None:
    assert extract("x", html) is None


def test_an_empty_place_for_the_text_is_not_filled_with_the_menu() -> None:
    assert extract("x", "<div>Menu</div><main></main><div>Imprint</div>") is None


def test_a_home_page_with_an_empty_article_is_read_from_around_its_heading() -> None:
    hero = f"<section><div><h1>Harbour</h1><p>{'Everything about boats. ' * 9}</p></div></section>"
    page = extract("", f'<div>Menu</div>{hero}<main><article class="md-content__inner"></article></main>')
    assert page is not None
    assert page.sections[0].blocks[0].text.startswith("Everything about boats.")


def test_a_heading_in_a_box_of_its_own_has_its_text_elsewhere() -> None:
    page = extract("x", "<div><h1>Harbour</h1></div><div><p>Everything about boats.</p></div>")
    assert page is not None
    assert (page.title, blocks(page)) == ("Harbour", [("prose", "Everything about boats.")])


# -- marks of the author


def test_an_excluded_heading_takes_everything_down_to_the_next_of_its_level() -> None:
    page = body(
        "<h1 id=a>A</h1><p>1</p><h2 id=b data-search-exclude>B</h2><p>2</p><h3 id=c>C</h3><pre>3</pre>"
        "<ul><li>4</ul><table><tr><td>5</table><dl><dt id=i>I</dt><dd>6</dd></dl><h2 id=d>D</h2><p>7</p>"
    )
    assert outline(page) == [("a", "A"), ("d", "A > D")]
    assert [text for _, text in blocks(page)] == ["1", "7"]


def test_an_excluded_block_goes_alone() -> None:
    page = body("<p>1</p><div data-search-exclude><h2>Gone</h2><p>2</p></div><p>3</p>")
    assert [text for _, text in blocks(page)] == ["1", "3"]
    assert outline(page) == [(None, "")]


def test_a_page_whose_title_is_excluded_is_not_searched() -> None:
    assert extract("x", "<main><h1 data-search-exclude>A</h1><p>Text.</p></main>") is None


# -- details


@pytest.mark.parametrize(
    ("html", "anchor"),
    [
        ("<h2 id=own><a id=inner></a>H</h2>", "own"),
        ("<h2><a id=inner></a>H</h2>", "inner"),
        ("<h2><a name=inner></a>H</h2>", "inner"),
        ('<p id=far>x</p><h2>H<a href="#far">¶</a></h2>', "far"),
        ('<h2>H<a href="#missing">¶</a></h2>', None),
        ("<section id=box><div><h2>H</h2></div></section>", "box"),
        ("<section id=box><h3>first</h3><h2>H</h2></section>", None),
        ("<span id=before></span> <h2>H</h2>", "before"),
        ("<span id=before>text</span><h2>H</h2>", None),
        ("<h2><button id=copy>Copy</button>H</h2>", None),
    ],
)
def test_an_anchor_is_found_where_generators_put_it_and_only_if_it_exists(
    html: str, anchor: str | None
) -> None:
    page = body(html + "<p>text</p>")
    found = next(section for section in page.sections if section.heading_path[-1:] == ("H",))
    assert found.anchor == anchor


def test_a_heading_without_an_anchor_has_that_of_the_heading_above_it() -> None:
    assert outline(body("<h2 id=a>A</h2><p>1</p><h3>B</h3><p>2</p><h2>C</h2><p>3</p>")) == [
        ("a", "A"),
        ("a", "A > B"),
        (None, "C"),
    ]


def test_a_higher_heading_within_a_quote_stays_under_the_headings_around_it() -> None:
    html = "<h1>A</h1><h3>B</h3><p>1</p><blockquote><h2>Q</h2><p>2</p><h1>R</h1><p>3</p></blockquote><p>4</p>"
    assert [path for _, path in outline(body(html))] == ["A", "A > B", "A > B > Q", "A > B > R", "A > B"]


@pytest.mark.parametrize(
    ("title", "url", "expected"),
    [
        ("Boats - Harbour", "x", "Boats"),
        ("Boats — Harbour 2.0 documentation", "x", "Boats"),
        ("Boats | Harbour", "x", "Boats"),
        ("Harbour - everything about boats", "", "Harbour - everything about boats"),
        ("Sub-heading", "x", "Sub-heading"),
        ("A - B - Harbour", "x", "A - B"),
        (" - Harbour", "x", "- Harbour"),
        ("", "guide/zwei%20Boote/", "zwei Boote"),
        ("", "guide/boats.html", "boats"),
        ("", "", "index"),
    ],
)
def test_the_title_of_a_document_loses_only_a_clear_suffix(title: str, url: str, expected: str) -> None:
    page = extract(url, f"<head><title>{title}</title></head><main><p>text</p></main>")
    assert page is not None
    assert page.title == expected


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ("<html lang=EN_gb>", "en-gb"),
        ("<!-- <html lang=fr> --><html class='a>b' lang=' zh-Hant-TW '>", "zh-Hant-TW"),
        ("<html lang=''>", ""),
        ("<html>", ""),
        ("", ""),
    ],
)
def test_the_language_is_the_one_that_the_document_names(tag: str, expected: str) -> None:
    html = f"<!doctype html>{tag}<head><title>x</title></head><body lang=it><main><p>text</p></main>"
    page = read_page("x", html)
    assert isinstance(page, Page)
    assert page.language == expected
    assert language_of(html.encode()) == expected


def test_a_page_that_is_not_searched_has_its_language_all_the_same() -> None:
    html = b'<html lang="de"><head><meta name=robots content=noindex></head><body></body>'
    assert extract("x", html) is None
    assert language_of(html) == "de"


def test_quotes_notes_and_nested_elements_are_read_once_and_in_order() -> None:
    page = body(
        "<blockquote>a<blockquote><p>b</p></blockquote>c</blockquote>"
        "<div class=admonition><p>d</p><pre>e</pre></div>"
        "<ul><li>f<pre>g</pre>h<ol><li>i</ol></li></ul><dl><dt>j<dd>k<dd><p>l</p><p>m</p></dl>"
        "<table><tr><td>n<table><tr><td>o</table>p</table><details><summary>q</summary>r</details>"
        "<figure>s<figcaption>t</figcaption></figure><a href=x><div>u</div></a>v"
    )
    assert "".join(text for _, text in blocks(page)).replace("\n", "") == "abcdefghijklmnopqrstuv"
    assert ("code", "g") in blocks(page)


def test_code_keeps_lines_and_indentation_and_loses_empty_lines_around_it() -> None:
    page = body("<pre>\n\n  a\n\n    b&nbsp;c  \n\n</pre><p>x <code>a  b</code><wbr>\u200b\u00ady</p>")
    assert blocks(page) == [("code", "  a\n\n    b c"), ("prose", "x a by")]


def test_markup_that_nests_without_end_is_read_all_the_same() -> None:
    assert blocks(body("<div><b>" * 5000 + "<p>deep</p>")) == [("prose", "deep")]


def test_bytes_and_text_give_the_same_page() -> None:
    html = (SITE / "material.html").read_bytes()
    assert read_page("x", html) == read_page("x", html.decode())
    assert read_page("x", b"\xef\xbb\xbf" + html) == read_page("x", html)


def test_what_was_read_does_not_depend_on_what_was_read_before() -> None:
    names = sorted(path.name for path in SITE.glob("*.html"))
    once = [page_of(name) for name in names]
    assert [page_of(name) for name in reversed(names)] == once[::-1]
    assert len(names) >= 12
