"""What other searches are blamed for does not happen here: `complaints.yml`, in both languages.

The sites are built from HTML with the bundled encoder. Each query is asked in both languages, which must
give the same answer to the last bit, and that answer is held against what the file says.
"""

import json
import re
import subprocess
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from html import escape
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml
from nearpage.builder import Options, Report, build, publish
from nearpage.builder.encoder import BUNDLED, Encoder
from nearpage.builder.extract import extract
from nearpage.builder.format import Kind, encode_projection, wrap
from nearpage.builder.manifest import EncoderFiles, File
from nearpage.builder.model import Page
from nearpage.builder.ranking import Mode, read
from nearpage.builder.reader import Index
from nearpage.builder.search import as_json, search
from nearpage.builder.settings import LIGHT_SHARE
from nearpage.builder.vectors import Projection, blending, projecting

HERE = Path(__file__).parent
LIMIT = 10
NEAR, TOP = 3, 5
"""Pages that a visitor reads, and those in sight."""
LOST = 0.02
"""The largest share of letters that may drive a page out of sight."""


@dataclass(frozen=True, slots=True)
class Expected:
    """A query of the file and what is said of it, under the names used there."""

    query: str
    first: str | None = None
    near: Sequence[str] = ()
    finds: Sequence[str] = ()
    only: Sequence[str] = ()
    never: Sequence[str] = ()
    nothing: bool = False
    suggestion: str | None = None
    typed: str | None = None
    modes: Sequence[Mode] = ("lexical", "hybrid")


@dataclass(frozen=True, slots=True)
class Complaint:
    """An entry of the file."""

    holds: str
    pages: dict[str, dict[str, Any]] = field(default_factory=dict)
    asks: Sequence[dict[str, Any]] = ()

    def expected(self) -> Iterable[Expected]:
        return (Expected(**ask) for ask in self.asks)


FILE = {
    language: [Complaint(**entry) for entry in entries]
    for language, entries in yaml.safe_load((HERE / "complaints.yml").read_text()).items()
}
ASKED = [
    (language, complaint, expected, mode)
    for language, complaints in FILE.items()
    for complaint in complaints
    for expected in complaint.expected()
    for mode in expected.modes
]


class Site:
    """The pages of one language as an index, and the answers that Python and the browser's code give."""

    def __init__(self, language: str, folder: Path, encoder: Encoder) -> None:
        self.members = {url: page for each in FILE[language] for url, page in each.pages.items()}
        pages = [page_of(url, page, language) for url, page in self.members.items()]
        build(pages, folder, Options(threads=1), Report())
        self._index = Index(folder)
        full = projecting(encoder.query, self._index.projection())
        asking = blending(full, self._index.light_encoder().query, LIGHT_SHARE)
        self._encode = cache(asking)
        self.answers: dict[tuple[str, Mode], dict[str, Any]] = {}
        self.disagreed: list[Any] = []

    def ask(self, queries: Iterable[tuple[str, Mode]]) -> None:
        """Answer all of them in both languages."""
        asked = [query for query in dict.fromkeys(queries) if query not in self.answers]
        here = [as_json(search(self._index, query, mode, LIMIT, self._encode)) for query, mode in asked]
        lines = []
        for query, mode in asked:
            vector = None if mode == "lexical" else self._encode(read(self._index, query).text).tolist()
            lines.append(json.dumps([query, mode, LIMIT, vector]))
        ran = subprocess.run(
            ["node", str(HERE.parent / "web/ask.mjs"), str(self._index.folder)],
            input="\n".join(lines),
            stdout=subprocess.PIPE,
            encoding="utf-8",
            check=True,
        )
        there = [json.loads(line) for line in ran.stdout.splitlines()]
        for query, one, other in zip(asked, here, there, strict=True):
            self.answers[query] = one
            if other != one:
                self.disagreed.append((query, one, other))

    def urls(self, query: str, mode: Mode) -> list[str]:
        return [hit["url"] for hit in self.answers[query, mode]["hits"]]

    def pages(self, query: str, mode: Mode) -> list[str]:
        return list(dict.fromkeys(url.partition("#")[0] for url in self.urls(query, mode)))


def page_of(url: str, members: dict[str, Any], language: str) -> Page:
    """A page of the file as the extractor reads its HTML."""
    html = f'<html lang="{language}"><main><h1>{escape(members["title"])}</h1>'
    for heading, content in members["sections"].items():
        text = content if content.startswith("<") else f"<p>{escape(content)}</p>"
        html += f'<h2 id="{anchor(heading)}">{escape(heading)}</h2>{text}'
    page = extract(url, html)
    assert page
    return replace(page, boost=members.get("boost", 1.0))


def anchor(heading: str) -> str:
    """A heading in lower case with hyphens."""
    return re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", heading.lower()).strip())


def letters(query: str) -> list[str]:
    """The query as it grows."""
    return [query[:end] for end in range(1, len(query) + 1)]


def _not_written(
    folder: publish.Folder, encoder: Encoder, projection: Projection, has_light: bool
) -> EncoderFiles:
    config, file = encoder.config, File("model-0000000000000000.bin", 0)
    return EncoderFiles(
        name=config.name,
        fingerprint=config.fingerprint,
        dims=config.dims,
        limit=config.limit,
        pooling=config.pooling,
        query_prefix="",
        model=file,
        tokenizer=file,
        runtime=file,
        projection=folder.add("projection", wrap(Kind.PROJECTION, encode_projection(projection))),
        light_share=LIGHT_SHARE if has_light else 0.0,
        code=file,
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterable[Callable[[str], Site]]:
    """The site of a language, built and asked all at once when it is first wanted."""
    encoder = Encoder(BUNDLED)
    with pytest.MonkeyPatch.context() as patch:
        # What is for the browser alone takes seconds to compress, and nobody looks at it here.
        module = import_module("nearpage.builder.build")  # whose name the package gives to its function
        patch.setattr(module, "_encoder_files", _not_written)
        patch.setattr(module, "asset", lambda name: b"")
        patch.setattr(publish, "asset", lambda name: b"")

        @cache
        def made(language: str) -> Site:
            found = Site(language, tmp_path_factory.mktemp(language), encoder)
            found.ask(
                (query, mode)
                for asked, _, expected, mode in ASKED
                if asked == language
                for query in (letters(expected.query) if expected.typed else [expected.query])
            )
            return found

        yield made


@pytest.mark.parametrize(
    ("language", "expected", "mode"),
    [
        pytest.param(language, expected, mode, id=f"{complaint.holds}: {expected.query} ({mode})")
        for language, complaint, expected, mode in ASKED
    ],
)
def test_a_query_finds_what_it_must(
    site: Callable[[str], Site], language: str, expected: Expected, mode: Mode
) -> None:
    found = site(language)
    answer = found.answers[expected.query, mode]
    urls, pages = found.urls(expected.query, mode), found.pages(expected.query, mode)
    said = {
        url.partition("#")[0] for url in (*expected.near, *expected.finds, *expected.only, *expected.never)
    }
    assert said <= set(found.members), "the file names a page that it does not have"
    if expected.nothing:
        assert (answer["status"], urls) == ("nothing_relevant", [])
        return
    assert answer["status"] == "ok"
    if expected.suggestion != "any":
        assert answer.get("suggestion") == expected.suggestion
    if expected.first:
        assert expected.first in (urls[0], pages[0]), urls
    sight = [url for url in urls if url.partition("#")[0] in pages[:NEAR]]
    assert set(expected.near) <= {*sight, *pages[:NEAR]}, urls
    assert set(expected.finds) <= {*urls, *pages}
    assert not set(expected.never) & set(pages)
    if expected.only:
        assert all(url in expected.only or url.partition("#")[0] in expected.only for url in urls), urls


@pytest.mark.parametrize("mode", ["lexical", "hybrid"])
@pytest.mark.parametrize("language", sorted({language for language, _, asked, _ in ASKED if asked.typed}))
def test_hardly_a_letter_drives_a_page_out_of_sight(
    site: Callable[[str], Site], language: str, mode: Mode
) -> None:
    found = site(language)
    steps, lost = 0, []
    for _, _, expected, _ in [each for each in ASKED if each[0] == language and each[3] == mode]:
        if expected.typed:
            typing = letters(expected.query)
            in_sight = [expected.typed in found.pages(query, mode)[:TOP] for query in typing]
            assert in_sight[-1]
            steps += len(typing) - 1
            lost += [typing[at] for at in range(1, len(typing)) if in_sight[at - 1] and not in_sight[at]]
    assert steps >= 20
    assert len(lost) <= LOST * steps, lost


@pytest.mark.parametrize("mode", ["lexical", "hybrid"])
@pytest.mark.parametrize("language", FILE)
def test_every_title_as_a_query_gives_its_page_first(
    site: Callable[[str], Site], language: str, mode: Mode
) -> None:
    found = site(language)
    titles = {page["title"]: url for url, page in found.members.items()}
    found.ask((title, mode) for title in titles)
    assert {title: found.pages(title, mode)[:1] for title in titles} == {
        title: [url] for title, url in titles.items()
    }


@pytest.mark.parametrize("length", [2, 3, 4])
def test_every_piece_of_text_without_spaces_finds_all_pages_that_have_it(
    site: Callable[[str], Site], length: int
) -> None:
    found = site("zh")
    texts = {
        url: [page["title"], *(part for section in page["sections"].items() for part in section)]
        for url, page in found.members.items()
    }
    pieces = {
        part[at : at + length]
        for parts in texts.values()
        for part in parts
        for at in range(len(part) - length + 1)
        if re.fullmatch(r"[\u4e00-\u9fff]+", part[at : at + length])
    }
    assert len(pieces) > 50
    found.ask((piece, "lexical") for piece in sorted(pieces))
    missing = {
        piece: having - set(found.pages(piece, "lexical"))
        for piece in pieces
        if (having := {url for url, parts in texts.items() if any(piece in part for part in parts)})
        - set(found.pages(piece, "lexical"))
    }
    assert missing == {}


@pytest.mark.parametrize("language", FILE)
def test_both_languages_give_the_same_answers(site: Callable[[str], Site], language: str) -> None:
    assert site(language).disagreed == []
