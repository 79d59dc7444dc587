"""An index on disk, opened for searching: the reference reader. Packs are read when they are needed."""

from bisect import bisect_right
from functools import cache
from pathlib import Path

import numpy as np
from nearpage.builder import manifest as manifests
from nearpage.builder.bm25 import Floats, norm
from nearpage.builder.errors import FormatError
from nearpage.builder.format import (
    Kind,
    PostingsPack,
    ShownPassage,
    decode_passages,
    decode_texts,
    decode_vectors,
    unwrap,
)
from nearpage.builder.manifest import Manifest, PackFile
from nearpage.builder.postings import PostingList
from nearpage.builder.vectors import Codes


class Index:
    """What a search asks of an index. `folder` is the one that holds the manifest."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest = read_manifest(folder)
        table = decode_passages(
            self._payload(Kind.PASSAGES, self.manifest.table.file), self.manifest.table.file
        )
        if len(table.pages) != self.manifest.passages:
            raise FormatError(
                f"{folder}: {len(table.pages)} passages, the manifest tells of {self.manifest.passages}"
            )
        self.boosts: Floats = table.boosts
        self.norms: Floats = norm(table.lengths.astype(np.float64), self.manifest.bm25)
        self._postings_pack = cache(self._read_postings)
        self._texts_pack = cache(self._read_texts)
        self._codes: Codes | None = None

    def postings(self, term: str) -> PostingList | None:
        """A term's posting list, None for an unknown term."""
        at = _pack_of(self.manifest.postings, term)
        return self._postings_pack(at).get(term) if at >= 0 else None

    def expand(self, prefix: str) -> list[tuple[str, int]]:
        """(term, df) of every term that begins with `prefix`, in term order."""
        found: list[tuple[str, int]] = []
        packs = self.manifest.postings
        at = max(0, _pack_of(packs, prefix))
        while at < len(packs) and (str(packs[at].first) <= prefix or str(packs[at].first).startswith(prefix)):
            found += [pair for pair in self._postings_pack(at).frequencies() if pair[0].startswith(prefix)]
            at += 1
        return found

    def terms(self) -> int:
        """How many terms the index knows."""
        return sum(
            len(list(self._postings_pack(at).frequencies())) for at in range(len(self.manifest.postings))
        )

    def text(self, passage: int) -> ShownPassage:
        """A passage as a hit shows it."""
        at = _pack_of(self.manifest.texts, passage)
        return self._texts_pack(at)[passage - int(self.manifest.texts[at].first)]

    def codes(self) -> Codes:
        """The codes of all passages; only for an index that has vectors."""
        if self._codes is None:
            packs = self.manifest.vectors.packs if self.manifest.vectors else ()
            read = [decode_vectors(self._payload(Kind.VECTORS, pack.file), pack.file) for pack in packs]
            self._codes = Codes(
                np.concatenate([each.scales for each in read]), np.concatenate([each.codes for each in read])
            )
        return self._codes

    def _payload(self, kind: Kind, file: str) -> bytes:
        try:
            data = (self.folder / file).read_bytes()
        except OSError as error:
            raise FormatError(
                f"{self.folder / file}: cannot be read ({error.strerror}); build the index again"
            ) from error
        return unwrap(kind, data, file)

    def _read_postings(self, at: int) -> PostingsPack:
        file = self.manifest.postings[at].file
        return PostingsPack(self._payload(Kind.POSTINGS, file), file)

    def _read_texts(self, at: int) -> list[ShownPassage]:
        file = self.manifest.texts[at].file
        return decode_texts(self._payload(Kind.TEXTS, file), file)


def read_manifest(folder: Path) -> Manifest:
    """The manifest of an index folder, or a FormatError that says what to do."""
    path = folder / manifests.FILE_NAME
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise FormatError(f"{folder}: no index there; run nearpage build on the site first") from error
    except OSError as error:
        raise FormatError(f"{path}: cannot be read ({error.strerror})") from error
    return manifests.load(data, str(path))


def _pack_of(packs: tuple[PackFile, ...], key: str | int) -> int:
    """The number of the pack whose range holds a key, -1 before the first."""
    return bisect_right([pack.first for pack in packs], key) - 1
