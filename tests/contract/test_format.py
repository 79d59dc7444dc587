"""What the reader says of bytes and manifests that are not what they should be: always a FormatError."""

import gzip
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from nearpage.builder import manifest as manifests
from nearpage.builder.errors import FormatError
from nearpage.builder.format import (
    Kind,
    PostingsPack,
    decode_light,
    decode_packs,
    decode_passages,
    decode_projection,
    decode_texts,
    decode_vectors,
    unwrap,
    varint,
)
from nearpage.builder.reader import Index

GOLDEN = Path(__file__).parent / "index"
WRITTEN = (GOLDEN / manifests.FILE_NAME).read_bytes()
NAMED = json.loads(WRITTEN)
TABLE = gzip.decompress((GOLDEN / NAMED["table"]["file"]).read_bytes())
PAGE = b"<!doctype html><title>Not found</title><p>Try the home page."


def changed(at: int, byte: int) -> bytes:
    return TABLE[:at] + bytes([byte]) + TABLE[at + 1 :]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        pytest.param(PAGE, "not a file of a Nearpage index", id="a page served in its place"),
        pytest.param(gzip.compress(PAGE), "not a file of a Nearpage index", id="such a page, compressed"),
        pytest.param(b"", "not a file of a Nearpage index", id="no bytes at all"),
        pytest.param(changed(4, 2), "index format 2, this reader knows 1; upgrade", id="a newer format"),
        pytest.param(changed(4, 0), "index format 0, this reader knows 1; build", id="an older format"),
        pytest.param(changed(6, 3), "holds kind 3, expected 1", id="another kind"),
        pytest.param(TABLE[:-1], r"\d+ bytes where \d+ were written", id="an end that is missing"),
        pytest.param(gzip.compress(TABLE)[:-9], "damaged or cut short", id="a gzip stream cut short"),
    ],
)
def test_an_envelope_is_refused_in_words(data: bytes, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        unwrap(Kind.PASSAGES, data, "table.bin")


@pytest.mark.parametrize(
    ("kind", "decode", "file"),
    [
        (Kind.PASSAGES, decode_passages, NAMED["table"]["file"]),
        (Kind.PACKS, decode_packs, NAMED["packs"]["file"]),
        (Kind.POSTINGS, PostingsPack, next(GOLDEN.glob("postings-*")).name),
        (Kind.TEXTS, decode_texts, next(GOLDEN.glob("texts-*")).name),
        (Kind.VECTORS, decode_vectors, NAMED["vectors"]["packs"][0]["file"]),
        (Kind.LIGHT, decode_light, NAMED["light_encoder"]["tables"][0]["file"]),
        (Kind.PROJECTION, decode_projection, NAMED["encoder"]["projection"]["file"]),
    ],
    ids=["passages", "packs", "postings", "texts", "vectors", "light", "projection"],
)
def test_a_payload_that_ends_too_early_is_refused(
    kind: Kind, decode: Callable[[bytes, str], object], file: str
) -> None:
    whole = unwrap(kind, (GOLDEN / file).read_bytes(), file)
    decode(whole, file)
    for kept in (0, 1, len(whole) // 2, len(whole) - 1):
        with pytest.raises(FormatError, match=file):
            decode(whole[:kept], file)


def test_a_file_that_the_host_decoded_is_read_all_the_same(tmp_path: Path) -> None:
    shutil.copytree(GOLDEN, tmp_path, dirs_exist_ok=True)
    for path in tmp_path.glob("*.bin"):
        path.write_bytes(gzip.decompress(path.read_bytes()))
    one, other = Index(tmp_path), Index(GOLDEN)
    assert one.text(3) == other.text(3)
    assert one.codes().levels.tolist() == other.codes().levels.tolist()


def test_numbers_are_leb128() -> None:
    # The examples in section 7.6 of the DWARF standard, version 5.
    expected = {2: "02", 127: "7f", 128: "8001", 129: "8101", 12857: "b964"}
    assert {value: varint(value).hex() for value in expected} == expected


def paths(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The paths of a manifest's members and of all within them."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield (*path, key)
            yield from paths(each, (*path, key))
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        yield from paths(value[0], (*path, "0"))


def edited(path: tuple[str, ...], change: Callable[[Any, Any], None]) -> bytes:
    """The manifest after a change to what holds the member at a path."""
    members = json.loads(WRITTEN)
    parent = members
    for key in path[:-1]:
        parent = parent[int(key) if isinstance(parent, list) else key]
    change(parent, path[-1])
    return json.dumps(members).encode()


def rename(parent: Any, key: str) -> None:
    parent[f"{key}s"] = parent.pop(key)


def corrupt(parent: Any, key: str) -> None:
    parent[key] = [{}]


def to_nan(parent: Any, key: str) -> None:
    parent[key] = float("nan")


@pytest.mark.parametrize("path", list(paths(NAMED)), ids=".".join)
@pytest.mark.parametrize("change", [rename, corrupt, to_nan])
def test_a_manifest_with_a_member_renamed_or_wrong_is_refused(
    path: tuple[str, ...], change: Callable[[Any, Any], None]
) -> None:
    with pytest.raises(FormatError, match="build the index again"):
        manifests.load(edited(path, change), "manifest.json")


NAMES = {
    "table-0123456789abcdef.bin": True,
    "../model-0123456789abcdef.bin": True,
    "../worker-0123456789abcdef.js": True,
    "../../model-0123456789abcdef.bin": False,
    "../de/model-0123456789abcdef.bin": False,
    "/model-0123456789abcdef.bin": False,
    "https://a.example/model-0123456789abcdef.bin": False,
    "manifest.json": False,
    "": False,
}


@pytest.mark.parametrize("name", NAMES)
def test_a_manifest_names_files_of_the_sites_indexes_and_no_others(name: str) -> None:
    written = WRITTEN.replace(NAMED["encoder"]["model"]["file"].encode(), name.encode())
    if NAMES[name]:
        assert manifests.load(written, "manifest.json").encoder.model.file == name  # type: ignore[union-attr]
    else:
        with pytest.raises(FormatError, match="build the index again"):
            manifests.load(written, "manifest.json")


@pytest.mark.parametrize("data", [b"", PAGE, b"null", b"[]", b"7", b"{}"])
def test_what_is_no_manifest_is_refused(data: bytes) -> None:
    with pytest.raises(FormatError, match="build the index again"):
        manifests.load(data, "manifest.json")


def test_a_manifest_of_a_newer_format_is_refused_with_both_numbers() -> None:
    with pytest.raises(FormatError, match="index format 2, this reader knows 1; upgrade nearpage"):
        manifests.load(WRITTEN.replace(b'{"format":1', b'{"format":2'), "manifest.json")


def test_a_manifest_is_read_as_it_was_written() -> None:
    assert manifests.dump(manifests.load(WRITTEN, "manifest.json")) == WRITTEN
