"""The manifest: the one small file that names every other file of an index and holds every number.

`web/src/engine/manifest.ts` is its reader in the browser; `docs/index-format.md` describes each member.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

import orjson
from nearpage.builder.bm25 import Bm25Parameters, FieldParameters
from nearpage.builder.errors import FormatError
from nearpage.builder.format import FORMAT, check_version
from nearpage.builder.fusion import FusionParameters
from nearpage.builder.postings import FIELDS

FILE_NAME = "manifest.json"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class File:
    """A file beside the manifest: its name, which holds its content's hash, and its size in bytes."""

    file: str
    bytes: int


@dataclass(frozen=True, slots=True)
class PackFile:
    """A pack and the key of its first entry: a term of postings, a passage number otherwise."""

    file: str
    bytes: int
    first: str | int


@dataclass(frozen=True, slots=True)
class VectorFiles:
    """Passage vectors: scheme of their codes, width, the fingerprint of the encoder that made them."""

    scheme: str
    dims: int
    encoder: str
    packs: tuple[PackFile, ...]


@dataclass(frozen=True, slots=True)
class EncoderFiles:
    """The query encoder for the browser, and how it is to be used."""

    name: str
    fingerprint: str
    dims: int
    limit: int
    pooling: str
    query_prefix: str
    model: File
    tokenizer: File
    runtime: File
    code: File


@dataclass(frozen=True, slots=True)
class Code:
    """The scripts that the loader starts."""

    worker: File
    dialog: File


@dataclass(frozen=True, slots=True)
class Floor:
    """The relevance floor: an answer below both its cosine and its coverage is none."""

    cosine: float
    coverage: float


@dataclass(frozen=True, slots=True)
class LightWords:
    """Words of a query (folded) that count for only `weight` of another word."""

    weight: float
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Manifest:
    """An index. `semantic` files are None when it was built without."""

    format: int
    generator: str
    language: str
    pages: int
    sections: int
    passages: int
    bm25: Bm25Parameters
    fusion: FusionParameters
    floor: Floor
    light: LightWords
    table: File
    postings: tuple[PackFile, ...]
    texts: tuple[PackFile, ...]
    vectors: VectorFiles | None
    encoder: EncoderFiles | None
    code: Code

    def files(self) -> list[str]:
        """The names of all files of the index but the manifest itself."""
        named: list[File | PackFile] = [
            self.table,
            *self.postings,
            *self.texts,
            self.code.worker,
            self.code.dialog,
        ]
        if self.vectors:
            named += self.vectors.packs
        if self.encoder:
            named += [self.encoder.model, self.encoder.tokenizer, self.encoder.runtime, self.encoder.code]
        return [each.file for each in named]


def dump(manifest: Manifest) -> bytes:
    """The manifest's bytes: JSON with the fields of BM25F by name."""
    members = asdict(manifest)
    fields = members["bm25"]["fields"]
    members["bm25"]["fields"] = dict(zip(FIELDS, fields, strict=True))
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
        bm25 = members["bm25"]
        fields = tuple(FieldParameters(**bm25["fields"][field]) for field in FIELDS)
        vectors, encoder = members["vectors"], members["encoder"]
        return Manifest(
            format=FORMAT,
            generator=members["generator"],
            language=members["language"],
            pages=int(members["pages"]),
            sections=int(members["sections"]),
            passages=int(members["passages"]),
            bm25=Bm25Parameters(float(bm25["k1"]), float(bm25["coverage"]), fields),  # type: ignore[arg-type]
            fusion=FusionParameters(**members["fusion"]),
            floor=Floor(**members["floor"]),
            light=LightWords(float(members["light"]["weight"]), tuple(members["light"]["words"])),
            table=File(**members["table"]),
            postings=_all(members["postings"], lambda pack: PackFile(**pack)),
            texts=_all(members["texts"], lambda pack: PackFile(**pack)),
            vectors=vectors
            and VectorFiles(**{**vectors, "packs": _all(vectors["packs"], lambda pack: PackFile(**pack))}),
            encoder=encoder and _encoder(encoder),
            code=Code(File(**members["code"]["worker"]), File(**members["code"]["dialog"])),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(
            f"{name}: a member is missing or wrong ({error!r}); build the index again"
        ) from error


def _all(values: Sequence[Any], make: Callable[[Any], T]) -> tuple[T, ...]:
    return tuple(make(value) for value in values)


def _encoder(members: dict[str, Any]) -> EncoderFiles:
    files = {name: File(**members[name]) for name in ("model", "tokenizer", "runtime", "code")}
    return EncoderFiles(**{**members, **files})
