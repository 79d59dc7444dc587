"""An index on disk, opened for searching: the reference reader. Packs are read when they are needed."""

from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Literal, TypeVar

import numpy as np
from nearpage.builder import manifest as manifests
from nearpage.builder.bm25 import Floats, norm
from nearpage.builder.errors import EncoderError, FormatError
from nearpage.builder.format import (
    Kind,
    ListedPack,
    PostingsPack,
    ShownPassage,
    decode_dictionary,
    decode_light,
    decode_packs,
    decode_passages,
    decode_projection,
    decode_texts,
    decode_vectors,
    unwrap,
)
from nearpage.builder.light import LightEncoder
from nearpage.builder.manifest import Floor, Manifest
from nearpage.builder.postings import PostingList
from nearpage.builder.vectors import Codes, Projection, codes_of

T = TypeVar("T")
Rung = Literal["light", "full"]


class Index:
    """What a search asks of an index. `folder` is the one that holds the manifest.

    `rung` says whose query vectors it is asked with: by default, of the best encoder that it has.

    Any method raises FormatError when a file is missing, damaged, or not of this index.
    """

    def __init__(self, folder: Path, rung: Rung | None = None) -> None:
        self.folder = folder
        self.manifest = read_manifest(folder)
        has_full = self.manifest.encoder is not None or self.manifest.light_encoder is None
        self.rung: Rung = rung or ("full" if has_full else "light")
        self._count = self.manifest.passages
        file = self.manifest.table.file
        table = self._decoded(Kind.PASSAGES, file, decode_passages)
        self._require(len(table.pages) == self._count, file)
        self.pages = table.pages
        self.boosts: Floats = table.boosts
        self.lengths = table.lengths
        self.norms: Floats = norm(table.lengths.astype(np.float64), self.manifest.bm25)
        self.packs = self._decoded(Kind.PACKS, self.manifest.packs.file, decode_packs)
        self._postings_pack = cache(self._read_postings)
        self._texts_pack = cache(self._read_texts)
        self._codes: Codes | None = None
        self._dictionary: list[tuple[str, int]] | None = None

    def postings(self, term: str) -> PostingList | None:
        """A term's posting list, None for an unknown term."""
        packs = self.packs.postings
        at = _pack_of(packs, term)
        found = self._postings_pack(at).get(term) if at >= 0 else None
        if found is not None:
            file = _postings_file(packs[at])
            self._require(0 < len(found.passages) <= self._count, file)
            self._require(int(found.passages[-1]) < self._count, file)
        return found

    def expand(self, prefix: str) -> list[tuple[str, int]]:
        """(term, df) of every term that begins with `prefix`, in term order."""
        found: list[tuple[str, int]] = []
        packs = self.packs.postings
        at = max(0, _pack_of(packs, prefix))
        while at < len(packs) and (str(packs[at].first) <= prefix or str(packs[at].first).startswith(prefix)):
            found += [pair for pair in self._postings_pack(at).frequencies() if pair[0].startswith(prefix)]
            at += 1
        return found

    def dictionary(self) -> list[tuple[str, int]]:
        """(term, df) of the words that a misspelt one is compared with, in term order."""
        if self._dictionary is None:
            file = self.manifest.dictionary.file
            self._dictionary = self._decoded(Kind.DICTIONARY, file, decode_dictionary)
        return self._dictionary

    def terms(self) -> int:
        """How many terms the index knows."""
        return sum(len(list(self._postings_pack(at).frequencies())) for at in range(len(self.packs.postings)))

    def files(self) -> dict[str, int]:
        """The sizes in bytes of all files of the index but the manifest, by their names."""
        packs = [
            *(_postings_file(pack) for pack in self.packs.postings),
            *(_texts_file(pack) for pack in self.packs.texts),
        ]
        named = {each.file: each.bytes for each in self.manifest.files()}
        try:
            return named | {file: (self.folder / file).stat().st_size for file in packs}
        except OSError as error:
            raise FormatError(
                f"{error.filename}: cannot be read ({error.strerror}); build the index again"
            ) from error

    def text(self, passage: int) -> ShownPassage:
        """A passage as a hit shows it."""
        at = _pack_of(self.packs.texts, passage)
        pack = self.packs.texts[at]
        shown = self._texts_pack(at)
        offset = passage - int(pack.first)
        self._require(offset < len(shown), _texts_file(pack))
        return shown[offset]

    def addresses(self) -> Iterator[str]:
        """The address of every passage: its page, and its anchor if it has one."""
        for passage in range(self._count):
            shown = self.text(passage)
            yield f"{shown.url}#{shown.anchor}" if shown.anchor else shown.url

    def codes(self) -> Codes:
        """The codes of all passages; only for an index that has vectors."""
        if self._codes is None:
            vectors = self.manifest.vectors
            packs = vectors.packs if vectors else ()
            read = [self._decoded(Kind.VECTORS, pack.file, decode_vectors) for pack in packs]
            bits, dims = (vectors.bits, vectors.dims) if vectors else (0, 0)
            fitting = all(each.bits == bits and each.levels.shape[1] == dims for each in read)
            self._require(fitting and sum(len(each.levels) for each in read) == self._count, packs[0].file)
            self._codes = codes_of(bits, np.concatenate([each.levels for each in read]))
        return self._codes

    @property
    def floor(self) -> Floor:
        """The floor of the rung."""
        light = self.manifest.light_encoder
        return light.floor if light and self.rung == "light" else self.manifest.floor

    def light_encoder(self) -> LightEncoder:
        """The light query encoder, or an EncoderError if the index has none."""
        files = self.manifest.light_encoder
        if files is None:
            raise EncoderError(
                f"{self.folder}: built without a light encoder; build it with the bundled encoder"
            )
        tables = [self._decoded(Kind.LIGHT, file.file, decode_light) for file in files.tables]
        dims = self.manifest.vectors.dims if self.manifest.vectors else 0
        for file, table in zip(files.tables, tables, strict=True):
            self._require(table.codes.levels.shape[1] == dims, file.file)
        return LightEncoder(tables)

    def projection(self) -> Projection | None:
        """From the encoder's vectors to the codes' space; None where that is the encoder's own."""
        encoder = self.manifest.encoder
        if encoder is None or encoder.projection is None:
            return None
        file = encoder.projection.file
        projection = self._decoded(Kind.PROJECTION, file, decode_projection)
        dims = self.manifest.vectors.dims if self.manifest.vectors else 0
        self._require(projection.rows.shape == (dims, encoder.dims), file)
        return projection

    def _decoded(self, kind: Kind, file: str, decode: Callable[[bytes, str], T]) -> T:
        path = self.folder / file
        try:
            data = path.read_bytes()
        except OSError as error:
            raise FormatError(f"{path}: cannot be read ({error.strerror}); build the index again") from error
        try:
            return decode(unwrap(kind, data, str(path)), str(path))
        except (ValueError, LookupError, OverflowError, MemoryError) as error:
            # What a decoder trips over when the bytes are not what they should be.
            raise FormatError(f"{path}: damaged ({error}); build the index again") from error

    def _require(self, sound: bool, file: str) -> None:
        if not sound:
            raise FormatError(
                f"{self.folder / file}: does not fit the manifest beside it; build the index again"
            )

    def _read_postings(self, at: int) -> PostingsPack:
        return self._decoded(Kind.POSTINGS, _postings_file(self.packs.postings[at]), PostingsPack)

    def _read_texts(self, at: int) -> list[ShownPassage]:
        return self._decoded(Kind.TEXTS, _texts_file(self.packs.texts[at]), decode_texts)


def read_manifest(folder: Path) -> Manifest:
    """The manifest of an index folder, or a FormatError that says what to do."""
    path = folder / manifests.FILE_NAME
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise FormatError(f"{folder}: no index there; run nearpage build on the site first") from error
    except OSError as error:
        raise FormatError(
            f"{path}: cannot be read ({error.strerror}); give the folder of an index, or of its site"
        ) from error
    return manifests.load(data, str(path))


def _postings_file(pack: ListedPack) -> str:
    return f"postings-{pack.hash}.bin"


def _texts_file(pack: ListedPack) -> str:
    return f"texts-{pack.hash}.bin"


def _pack_of(packs: tuple[ListedPack, ...], key: str | int) -> int:
    """The number of the pack whose range holds a key, -1 before the first."""
    return bisect_right([pack.first for pack in packs], key) - 1
