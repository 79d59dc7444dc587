"""Passages fit the encoder, lose nothing, and lead to where their text stands."""

import functools
import random
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nearpage.builder.encoder_text import normalize_for_encoder
from nearpage.builder.extract import extract
from nearpage.builder.model import Block, Page, Passage, Section
from nearpage.builder.passages import Cutter
from tokenizers import Tokenizer

ROOT = Path(__file__).parents[2]


@functools.cache
def tokenizer() -> Tokenizer:
    loaded = Tokenizer.from_file(str(ROOT / "builder/all-MiniLM-L6-v2/tokenizer.json"))
    loaded.no_padding()
    loaded.no_truncation()
    return loaded


def size(text: str) -> int:
    return len(tokenizer().encode(normalize_for_encoder(text)).ids)


def words(count: int, word: str = "boat") -> str:
    return " ".join([word] * count)


def prose(text: str) -> Block:
    return Block("prose", text)


def section(path: str, *blocks: Block, anchor: str | None = None) -> Section:
    headings = tuple(part for part in path.split(" > ") if part)
    return Section(anchor or (headings[-1].lower() if headings else None), headings, blocks)


def page(*sections: Section, title: str = "Harbour") -> Page:
    return Page("x/", title, "en", sections)


def cut(page: Page, **sizes: int) -> list[Passage]:
    return Cutter(tokenizer(), **sizes).cut(7, page)


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def summary(passages: Sequence[Passage]) -> list[tuple[str | None, str, str]]:
    return [(passage.anchor, " > ".join(passage.heading_path), passage.text) for passage in passages]


# -- the laws

WORD = st.one_of(
    st.sampled_from(
        [
            "boat",
            "response_model_exclude_unset",
            "C++",
            "Übergrößenträger",
            "x" * 300,
            "[SEP]",
            "港湾" * 20,
            "🚢",
        ]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12),
    st.text(st.characters(min_codepoint=0x1F000, max_codepoint=0x2FFFF), min_size=1, max_size=9),
)
LINE = st.lists(WORD, min_size=1, max_size=40).map(" ".join)
BLOCK = st.builds(
    Block,
    st.sampled_from(["prose", "code", "table", "signature"]),
    st.lists(LINE, min_size=1, max_size=8).map("\n".join),
)
PATH = st.lists(st.sampled_from(["Harbour", "Ropes", "Cranes and other " + words(40), "港"]), max_size=4).map(
    tuple
)
SECTION = st.builds(Section, st.sampled_from([None, "a", "b"]), PATH, st.lists(BLOCK, max_size=4).map(tuple))
PAGE = st.builds(
    Page,
    st.just("x/"),
    st.sampled_from(["Harbour", "", words(90)]),
    st.just("en"),
    st.lists(SECTION, max_size=6).map(tuple),
)
SIZES = st.sampled_from([(256, 200), (128, 100), (64, 64), (40, 20)])


@given(PAGE, SIZES)
@settings(max_examples=120, deadline=None)
def test_nothing_is_over_the_limit_and_nothing_is_lost(page: Page, sizes: tuple[int, int]) -> None:
    limit, target = sizes
    cutter = Cutter(tokenizer(), limit, target)
    passages = cutter.cut(0, page)
    texts = [cutter.embedded_text(page, passage) for passage in passages]
    assert all(size(text) <= limit for text in texts)
    assert cutter.sizes(texts) == [size(text) for text in texts]

    # Headings may have become lines between the blocks, so every block is looked for behind the last one.
    whole = squeezed("".join(passage.text for passage in passages))
    position = 0
    for block in (block for section in page.sections for block in section.blocks):
        text = squeezed(block.text)
        position = whole.find(text, position)
        assert position >= 0, text
        position += len(text)
    assert all(passage.blocks for passage in passages)


@given(PAGE)
@settings(max_examples=40, deadline=None)
def test_passages_are_keyed_by_anchor_and_ordinal_and_the_same_every_time(page: Page) -> None:
    passages = cut(page)
    keys = [(passage.anchor, passage.ordinal) for passage in passages]
    assert len(set(keys)) == len(keys)
    for anchor in {passage.anchor for passage in passages}:
        ordinals = [passage.ordinal for passage in passages if passage.anchor == anchor]
        assert ordinals == list(range(len(ordinals)))
    warm = Cutter(tokenizer())
    warm.cut(7, page)
    assert warm.cut(7, page) == passages
    assert {passage.page for passage in passages} <= {7}


@given(PAGE)
@settings(max_examples=40, deadline=None)
def test_a_passage_has_an_anchor_and_headings_of_the_page(page: Page) -> None:
    anchors = {section.anchor for section in page.sections}
    paths = {section.heading_path[:end] for section in page.sections for end in range(5)}
    for passage in cut(page):
        assert passage.anchor in anchors
        assert passage.heading_path in paths


def test_pages_of_every_generator_are_cut_without_loss() -> None:
    cutter = Cutter(tokenizer(), 48, 40)
    for path in sorted((ROOT / "tests/site").glob("*.html")):
        found = extract(path.name, path.read_bytes())
        assert found is not None
        passages = cutter.cut(0, found)
        whole = squeezed("".join(passage.text for passage in passages))
        for block in (block for section in found.sections for block in section.blocks):
            assert squeezed(block.text) in whole
        assert max(cutter.sizes([cutter.embedded_text(found, passage) for passage in passages])) <= 48


# -- context


def test_the_embedded_text_starts_with_title_and_headings_and_does_not_repeat_the_title() -> None:
    cutter = Cutter(tokenizer())
    own = page(section("Harbour > Ropes", prose(words(30))))
    other = page(section("The harbour! > Ropes", prose(words(30))))
    assert cutter.embedded_text(own, cutter.cut(0, own)[0]) == f"Harbour > Ropes\n{words(30)}"
    assert cutter.embedded_text(other, cutter.cut(0, other)[0]).startswith("Harbour > The harbour! > Ropes\n")
    shouted = page(section("HARBOUR. > Ropes", prose(words(30))))
    assert cutter.embedded_text(shouted, cutter.cut(0, shouted)[0]).startswith("Harbour > Ropes\n")


def test_a_context_over_a_quarter_of_the_limit_loses_outer_headings_first_then_ends_of_both() -> None:
    cutter = Cutter(tokenizer(), 64)

    def context(path: str, title: str) -> str:
        one = page(section(path, prose(words(30))), title=title)
        return cutter.embedded_text(one, cutter.cut(0, one)[0]).split("\n")[0]

    assert context(f"Harbour > {words(14, 'rope')} > Knots", "Harbour") == "Harbour > Knots"
    line = context(words(40, "rope"), words(40, "crane"))
    assert line == f"{words(7, 'crane')} > {words(7, 'rope')}"
    assert size(line) - 2 <= 16


# -- joining


def test_a_section_that_fits_is_one_passage_with_its_blocks_as_they_are() -> None:
    blocks = (prose(words(100)), Block("code", "a\n\n  b"), Block("table", "c\td"))
    passages = cut(page(section("Harbour > Ropes", *blocks)))
    assert [passage.blocks for passage in passages] == [blocks]


def test_a_heading_without_text_goes_where_the_next_headings_repeat_it_and_stays_a_line_elsewhere() -> None:
    passages = cut(
        page(section("Harbour"), section("Harbour > Ropes", prose(words(40))), section("Harbour > Todo"))
    )
    assert summary(passages) == [
        ("ropes", "Harbour > Ropes", words(40)),
        ("todo", "Harbour > Todo", "Todo"),
    ]
    passages = cut(page(section("Harbour > Todo"), section("Harbour > Ropes", prose(words(40)))))
    assert [passage.text for passage in passages] == ["Todo", words(40)]


def test_a_runt_joins_the_section_below_it_which_keeps_its_anchor() -> None:
    passages = cut(
        page(
            section("Harbour > Ropes", prose("Two kinds:")),
            section("Harbour > Ropes > Hemp", prose(words(40))),
        )
    )
    assert summary(passages) == [("hemp", "Harbour > Ropes > Hemp", f"Two kinds:\n\n{words(40)}")]


def test_what_a_page_says_of_itself_stands_alone_unless_it_is_next_to_nothing() -> None:
    below = section("Harbour > Ropes", prose(words(40)))
    alone = cut(page(section("Harbour", prose(words(12))), below))
    assert [passage.anchor for passage in alone] == ["harbour", "ropes"]
    joined = cut(page(section("Harbour", prose("Welcome.")), below))
    assert [passage.anchor for passage in joined] == ["ropes"]


def test_runts_side_by_side_join_under_what_they_share_with_their_headings_as_lines() -> None:
    passages = cut(
        page(
            section("Harbour > Ropes", prose("Of hemp.")),
            section("Harbour > Cranes", prose("Of iron.")),
            section("Harbour > Boats", prose(words(40))),
        )
    )
    assert summary(passages) == [
        ("ropes", "Harbour", "Ropes\n\nOf hemp.\n\nCranes\n\nOf iron."),
        ("boats", "Harbour > Boats", words(40)),
    ]


def test_enough_runts_are_enough() -> None:
    runts = [section(f"Harbour > R{i}", prose(words(20)), anchor=f"r{i}") for i in range(4)]
    assert [passage.anchor for passage in cut(page(*runts))] == ["r0", "r2"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Harbour > Ropes", "Airport > Planes"),
        ("Harbour", "Airport"),
        ("Harbour > Ropes > Hemp", "Harbour > Cranes"),
        ("Harbour > Ropes", "Harbour > Cranes > Iron"),
    ],
)
def test_runts_that_share_nothing_stay_apart(first: str, second: str) -> None:
    passages = cut(page(section(first, prose("One.")), section(second, prose("Two."))))
    assert [" > ".join(passage.heading_path) for passage in passages] == [first, second]


def test_items_keep_their_own_anchors_however_small() -> None:
    items = [
        section(f"Harbour > Ropes > rope.{n}", Block("signature", f"{n}()"), anchor=f"rope.{n}")
        for n in "abc"
    ]
    passages = cut(page(section("Harbour > Ropes", prose("Functions:")), *items))
    assert [passage.anchor for passage in passages] == ["ropes", "rope.a", "rope.b", "rope.c"]


def test_an_item_below_an_item_stays_apart() -> None:
    crane = section("Harbour > Crane", Block("signature", "class Crane"))
    lift = section("Harbour > Crane > lift", Block("signature", "lift()"))
    assert [passage.anchor for passage in cut(page(crane, lift))] == ["crane", "lift"]


def test_headings_within_the_description_of_an_item_join_it_if_all_fits() -> None:
    item = section("Harbour > moor", Block("signature", "moor()"), prose(words(30)))
    example = section("Harbour > moor > Examples", Block("code", "moor()"))
    assert summary(cut(page(item, example))) == [
        ("moor", "Harbour > moor", f"moor()\n\n{words(30)}\n\nExamples\n\nmoor()")
    ]
    long = section("Harbour > moor > Examples", prose(words(170)))
    assert [passage.anchor for passage in cut(page(item, long))] == ["moor", "examples"]


# -- splitting


def test_a_long_section_is_split_between_blocks_into_parts_of_similar_size() -> None:
    blocks = [prose(words(45, word)) for word in ("one", "two", "three", "four", "five", "six")]
    passages = cut(page(section("Harbour > Ropes", *blocks)))
    assert [len(passage.blocks) for passage in passages] == [3, 3]
    assert [(passage.anchor, passage.ordinal) for passage in passages] == [("ropes", 0), ("ropes", 1)]


def test_a_place_between_blocks_is_better_than_an_even_one_within() -> None:
    blocks = [Block("table", "\n".join([words(10)] * rows)) for rows in (11, 17)]
    assert [passage.blocks for passage in cut(page(section("Harbour", *blocks)))] == [
        (blocks[0],),
        (blocks[1],),
    ]


def test_parts_aim_at_the_target_not_at_the_limit() -> None:
    blocks = [prose(words(50)) for _ in range(12)]
    assert [len(passage.blocks) for passage in cut(page(section("Harbour", *blocks)))] == [3, 3, 3, 3]


def test_parts_are_balanced_rather_than_one_full_and_a_runt() -> None:
    lines = Block("table", "\n".join([words(10)] * 26))
    sizes = [size(passage.text) for passage in cut(page(section("Harbour", lines)))]
    assert len(sizes) == 2
    assert max(sizes) - min(sizes) <= 10


def test_code_and_tables_are_split_between_lines_and_keep_their_kind_and_indentation() -> None:
    lines = [f"    call({i}, {words(10)})" for i in range(40)]
    passages = cut(page(section("Harbour", Block("code", "\n".join(lines)))))
    assert len(passages) > 1
    assert [line for passage in passages for line in passage.text.split("\n")] == lines
    assert {block.kind for passage in passages for block in passage.blocks} == {"code"}


def test_a_long_paragraph_is_split_between_sentences() -> None:
    sentences = [f"Boat {words(20, 'sails')}." for _ in range(20)]
    passages = cut(page(section("Harbour", prose(" ".join(sentences)))))
    assert len(passages) > 1
    assert all(passage.text.startswith("Boat") and passage.text.endswith(".") for passage in passages)
    assert " ".join(passage.text for passage in passages) == " ".join(sentences)


def test_a_sentence_without_end_is_split_between_words_and_a_word_without_end_within() -> None:
    sentence = words(600)
    parts = [passage.text for passage in cut(page(section("Harbour", prose(sentence))))]
    assert " ".join(parts) == sentence
    word = "/".join(["harbour"] * 400)
    parts = [passage.text for passage in cut(page(section("Harbour", Block("code", word))))]
    assert len(parts) > 1
    assert "".join(parts) == word


@pytest.mark.parametrize("line", ["For example:", "Python 3.10+"])
def test_a_line_that_announces_something_stays_with_it(line: str) -> None:
    blocks = [prose(words(90)), prose(line), Block("code", words(90)), prose(words(90))]
    passages = cut(page(section("Harbour", *blocks)))
    assert len(passages) == 2
    assert not any(passage.text.endswith(line) for passage in passages)


def test_characters_that_join_words_for_the_tokenizer_are_no_way_over_the_limit() -> None:
    chooser = random.Random(1)
    text = "".join(
        chooser.choice(["ab", "-", "\x1c", "\x85", "\u2028", "\u3000", "\U000203ff", "𐀀"])
        for _ in range(4000)
    )
    cutter = Cutter(tokenizer())
    one = page(section("Harbour", prose(text)))
    passages = cutter.cut(0, one)
    assert max(size(cutter.embedded_text(one, passage)) for passage in passages) <= 256
    assert squeezed("".join(passage.text for passage in passages)) == squeezed(text)


def test_words_that_are_more_pieces_together_than_apart_are_measured_as_they_are() -> None:
    # The tokenizer removes the separator and sees one word, Python's str.split sees several.
    together = "\x1c".join(["banana", "apple", "pencil"] * 5)
    assert size(together) > sum(size(word) - 2 for word in together.split()) + 2
    cutter = Cutter(tokenizer())
    for count in range(4, 17):
        one = page(section("Harbour", prose(" ".join([together] * count))))
        passages = cutter.cut(0, one)
        assert max(size(cutter.embedded_text(one, passage)) for passage in passages) <= 256


def test_a_page_without_sections_has_no_passages() -> None:
    assert cut(page()) == []


def test_a_tokenizer_that_cuts_off_is_refused() -> None:
    cutting = Tokenizer.from_str(tokenizer().to_str())
    cutting.enable_truncation(128)
    with pytest.raises(ValueError, match="truncate"):
        Cutter(cutting)
