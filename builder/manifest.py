"""The manifest: the one small file that leads to every other file of an index and holds every number.

`web/src/engine/manifest.ts` is its reader in the browser; `docs/index-format.md` describes each member.
"""

import re
from dataclasses import asdict, dataclass, fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, get_args, get_origin

import orjson
from nearpage.builder.bm25 import Bm25Parameters
from nearpage.builder.errors import FormatError
from nearpage.builder.format import check_version
from nearpage.builder.fusion import FusionParameters
from nearpage.builder.postings import FIELDS

FILE_NAME = "manifest.json"


_FILE = re.compile(r"(?:\.\./)?[a-z]+-[0-9a-f]+\.(?:bin|js)")
"""What a file may be called: nothing leads anywhere but to the site's indexes."""


@dataclass(frozen=True, slots=True)
class File:
    """A file of the index: its name, which holds its content's hash, and its size in bytes.

    It stands beside the manifest, or, with `../` in front, beside that of the site's main language.
    """

    file: str
    bytes: int


def hash_in(file: File) -> str:
    """The hash in a file's name."""
    return file.file.rpartition("-")[2].partition(".")[0]


@dataclass(frozen=True, slots=True)
class PackFile:
    """A pack and the number of its first passage."""

    file: str
    bytes: int
    first: int


@dataclass(frozen=True, slots=True)
class VectorFiles:
    """Passage vectors: scheme, width and bits a number of their codes, fingerprint of the encoder."""

    scheme: str
    dims: int
    bits: int
    encoder: str
    packs: tuple[PackFile, ...]


@dataclass(frozen=True, slots=True)
class EncoderFiles:
    """The query encoder for the browser, and how it is to be used.

    `projection` leads from its vectors of `dims` numbers to the codes' space; None where that is its own.
    `light_share` of a query's vector, 0 to 1, is the light encoder's.
    """

    name: str
    fingerprint: str
    dims: int
    limit: int
    pooling: str
    query_prefix: str
    model: File
    tokenizer: File
    runtime: File
    projection: File | None
    light_share: float
    code: File

    def queries(self) -> list[File]:
        """What turns a query into a vector, runtime and script aside."""
        return [self.model, self.tokenizer, *([self.projection] if self.projection else [])]


@dataclass(frozen=True, slots=True)
class Code:
    """The scripts that the loader starts."""

    worker: File
    dialog: File


@dataclass(frozen=True, slots=True)
class Floor:
    """The relevance floor: an answer whose evidence is below the threshold is none.

    Evidence is the best cosine of any passage and `coverage_weight` times the best covered share. The
    threshold stands between the evidence of unrelated questions (median, 90th percentile) and that of the
    site's own headings (5th percentile, median); both are empty where nothing was measured.
    """

    coverage_weight: float
    threshold: float
    unrelated: tuple[float, ...]
    related: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class LightWords:
    """Words of a query (folded) that count for only `weight` of another word."""

    weight: float
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LightEncoderFiles:
    """The light query encoder: its tables, the one of every site first, and a floor for what it ranks."""

    tables: tuple[File, ...]
    floor: Floor


@dataclass(frozen=True, slots=True)
class Manifest:
    """An index; `vectors`, `light_encoder` and `encoder` are None when it was built without.

    `root` is the address of the site's root as seen from the index: pages' URLs are relative to it.
    """

    format: int
    generator: str
    language: str
    root: str
    pages: int
    sections: int
    passages: int
    bm25: Bm25Parameters
    fusion: FusionParameters
    floor: Floor
    light: LightWords
    table: File
    packs: File
    dictionary: File
    vectors: VectorFiles | None
    light_encoder: LightEncoderFiles | None
    encoder: EncoderFiles | None
    code: Code

    def files(self) -> list[File | PackFile]:
        """The files that the manifest names; those of postings and texts are named by the list of packs."""
        named: list[File | PackFile] = [
            self.table,
            self.packs,
            self.dictionary,
            self.code.worker,
            self.code.dialog,
        ]
        if self.vectors:
            named += self.vectors.packs
        if self.light_encoder:
            named += self.light_encoder.tables
        if self.encoder:
            named += [*self.encoder.queries(), self.encoder.runtime, self.encoder.code]
        return named


def dump(manifest: Manifest) -> bytes:
    """The manifest's bytes: JSON with the fields of BM25F by name."""
    members = asdict(manifest)
    members["bm25"]["fields"] = dict(zip(FIELDS, members["bm25"]["fields"], strict=True))
    return orjson.dumps(members)


def load(data: bytes, name: str) -> Manifest:
    """The manifest of its bytes, or a FormatError that names what is wrong."""
    try:
        members = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise FormatError(f"{name}: not valid JSON ({error}); build the index again") from error
    if not isinstance(members, dict) or "format" not in members:
        raise FormatError(f"{name}: not the manifest of a Nearpage index; build the index again")
    check_version(members["format"], name)
    try:
        by_name = members["bm25"]["fields"]
        members["bm25"]["fields"] = [by_name[field] for field in FIELDS]
        manifest: Manifest = _typed(Manifest, members)
    except (KeyError, TypeError) as error:
        raise FormatError(
            f"{name}: a member is missing or wrong ({error!r}); build the index again"
        ) from error
    return manifest


def _typed(kind: Any, value: Any) -> Any:
    """A JSON value as the type that a field declares, or a KeyError or TypeError."""
    kinds = get_args(kind) if get_origin(kind) is UnionType else (kind,)
    first = kinds[0]
    if isinstance(first, type) and is_dataclass(first) and not (value is None and NoneType in kinds):
        if first in (File, PackFile) and not _FILE.fullmatch(value["file"]):
            raise TypeError(f"{value['file']!r} where a file of an index is expected")
        return first(**{field.name: _typed(field.type, value[field.name]) for field in fields(first)})
    if get_origin(kind) is tuple and isinstance(value, list):
        return tuple(_typed(get_args(kind)[0], each) for each in value)
    if kind is float and isinstance(value, int):
        return float(value)
    if not isinstance(value, kinds):
        raise TypeError(f"{value!r} where {kind} is expected")
    return value
