"""The golden index in Python: written as it was, read as it was. The browser's side: `golden.test.ts`.

After an intended change run `make golden` and review the diff; no test rewrites anything.
"""

import gzip
import hashlib
import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from nearpage.builder.manifest import FILE_NAME
from nearpage.builder.reader import Index
from nearpage.builder.search import Mode, search

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def golden() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_golden", HERE / "make_golden.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def described(folder: Path) -> Any:
    """The manifest, and its packs, with what each file holds in the place of its name and size.

    Builds of zlib compress differently, so names and sizes may be others elsewhere; payloads may not.
    """

    def holds(file: str) -> str:
        data = (folder / file).read_bytes()
        return (gzip.decompress(data) if file.endswith(".bin") else data).hex()

    def walk(value: Any) -> Any:
        if isinstance(value, list):
            return [walk(each) for each in value]
        if not isinstance(value, dict):
            return value
        if "file" in value:
            kind = value["file"].partition("-")[0]
            # Of the list of packs, the names are what differs.
            if kind == "packs":
                return kind
            return {**value, "file": kind, "bytes": None, "holds": holds(value["file"])}
        return {key: walk(each) for key, each in value.items()}

    packs = Index(folder).packs
    listed = {
        kind: [[pack.first, holds(f"{kind}-{pack.hash}.bin")] for pack in each]
        for kind, each in (("postings", packs.postings), ("texts", packs.texts))
    }
    return walk(json.loads((folder / FILE_NAME).read_bytes())) | listed


def test_the_writer_writes_the_golden_index(golden: ModuleType, tmp_path: Path) -> None:
    golden.write(tmp_path)
    written, expected = described(tmp_path), described(golden.INDEX)
    assert written.keys() == expected.keys()
    for member in expected:
        assert written[member] == expected[member], f"{member} has changed; if that is meant, make golden"


def test_the_same_input_gives_the_same_bytes(golden: ModuleType, tmp_path: Path) -> None:
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
        golden.write(folder)
    one, two = ({path.name: path.read_bytes() for path in folder.iterdir()} for folder in folders)
    assert one == two


def test_a_file_is_named_by_its_content_and_the_index_knows_its_size(golden: ModuleType) -> None:
    named = Index(golden.INDEX).files()
    assert {path.name for path in golden.INDEX.iterdir()} == {*named, FILE_NAME}
    for name, size in named.items():
        data = (golden.INDEX / name).read_bytes()
        assert len(data) == size
        assert hashlib.sha256(data).hexdigest()[:16] in name


def test_postings_texts_and_vectors_have_several_packs(golden: ModuleType) -> None:
    index = Index(golden.INDEX)
    assert index.manifest.vectors
    packs = (index.packs.postings, index.packs.texts, index.manifest.vectors.packs)
    assert min(map(len, packs)) > 2


def test_every_query_is_answered_as_before_to_the_last_bit(golden: ModuleType) -> None:
    expected = json.loads(golden.ANSWERS.read_text())
    for answer, wanted in zip(golden.answers(golden.INDEX), expected, strict=True):
        assert answer == wanted


def test_every_explanation_is_as_before_to_the_last_bit(golden: ModuleType) -> None:
    expected = json.loads(golden.EXPLANATIONS.read_text())
    for explained, wanted in zip(golden.explanations(golden.INDEX), expected, strict=True):
        assert explained == wanted


@pytest.mark.parametrize("mode", ["hybrid", "lexical", "vector"])
def test_fewer_hits_are_the_first_of_more(golden: ModuleType, mode: Mode) -> None:
    index = Index(golden.INDEX)
    encode = golden.meaning(golden.encode, index)
    for query in golden.QUERIES:
        more = search(index, query, mode, 10, encode).hits
        fewer = search(index, query, mode, 1, encode).hits
        assert fewer == more[:1], query
