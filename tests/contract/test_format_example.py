"""The example in `docs/index-format.md` is what the writer writes, byte for byte."""

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from nearpage.builder import format as formats
from nearpage.builder.format import Kind, wrap
from nearpage.builder.model import Block, Page, Passage
from nearpage.builder.postings import post
from nearpage.builder.terms import stemmer
from nearpage.builder.vectors import Projection, quantise

DOCUMENT = Path(__file__).parents[2] / "docs/index-format.md"
PAGES = [Page("a/", "Hi", "en", (), boost=1.5)]
PASSAGES = [
    Passage(0, None, 0, (), (Block("prose", "Go go"),)),
    Passage(0, "b", 0, ("Hi", "Be"), (Block("prose", "go"), Block("code", "C++"))),
]
VECTORS = np.array([[1, 0], [0.6, -0.8]], np.float32)

PROJECTION = Projection(np.array([0.5, 0, -0.25], np.float32), np.array([[1, 2, 3], [-1, 0, 127]], np.int8))


def written() -> dict[str, bytes]:
    """The payloads of the example, and one whole file."""
    postings = post(PAGES, PASSAGES, stemmer("en"))
    passages = formats.encode_passages(PAGES, PASSAGES, postings.lengths)
    (pack,) = formats.encode_postings(postings.lists)
    (texts,) = formats.encode_texts(PAGES, PASSAGES)
    (vectors,) = formats.encode_vectors(quantise(VECTORS, bits=4))
    projection = formats.encode_projection(PROJECTION)
    return {
        "file": gzip.decompress(wrap(Kind.PASSAGES, passages)),
        "passages": passages,
        "postings": pack.payload,
        "texts": texts.payload,
        "vectors": vectors.payload,
        "projection": projection,
    }


def shown() -> dict[str, bytes]:
    """The bytes of each block of the page that begins with the word `bytes` and a name.

    A line is bytes in hex, at least three spaces, and words.
    """
    blocks = re.findall(
        r"^```text\nbytes of the (\w+)\n(.*?)^```", DOCUMENT.read_text(), re.MULTILINE | re.DOTALL
    )
    return {
        name: bytes.fromhex("".join(line.split("   ")[0] for line in block.splitlines()))
        for name, block in blocks
    }


@pytest.mark.parametrize("name", ["file", "passages", "postings", "texts", "vectors", "projection"])
def test_the_page_shows_what_the_writer_writes(name: str) -> None:
    assert shown()[name].hex(" ") == written()[name].hex(" ")


def members(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from members(each)


def test_the_page_describes_every_member_of_the_manifest() -> None:
    section = DOCUMENT.read_text().partition("## Manifest")[2].partition("\n## ")[0]
    described = {name for quoted in re.findall(r"`([^`]+)`", section) for name in re.findall(r"\w+", quoted)}
    manifest = json.loads((Path(__file__).parent / "index/manifest.json").read_bytes())
    assert set(members(manifest)) - described == set()
