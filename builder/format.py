"""The only module that knows bytes.

The contract is `docs/index-format.md`, its reader in the browser `web/src/engine/format.ts`.

Every file is a gzip stream of an envelope: magic, version, kind, payload length, payload. A host that
decodes the gzip on its way, or a folder copied after decoding, does no harm: the reader looks at the
first two bytes.
"""

import gzip
import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import accumulate, groupby
from math import isqrt

import numpy as np
import numpy.typing as npt
import orjson
from nearpage.builder.errors import FormatError
from nearpage.builder.light import LightTable
from nearpage.builder.model import Block, BlockKind, Page, Passage
from nearpage.builder.postings import FIELDS, PostingList
from nearpage.builder.vectors import SCHEME, Codes, Projection, codes_of

FORMAT = 1
"""Version of everything in an index; a reader refuses a newer one."""

MAGIC = b"NRPG"
HEADER = struct.Struct("<4sHHI")
GZIP_MAGIC = b"\x1f\x8b"
LEAST_PACK_BYTES = 4 * 1024
"""No pack is closed before its payload has reached this size; see pack_bytes."""
MORE = 1 << len(FIELDS)
"""The bit of a posting's byte that says that frequencies follow."""
KEYED = len(FIELDS) + 1
"""Where in a posting's byte the two bits stand that say where the term is a key."""
VECTORS_A_PACK = 16_384
"""Vectors in one file; at 64 bytes each a megabyte, well below the 25 MiB a file that hosts allow."""

_KIND_LETTERS: dict[BlockKind, str] = {"prose": "p", "code": "c", "table": "t", "signature": "s"}
_KINDS = {letter: kind for kind, letter in _KIND_LETTERS.items()}


class Kind(IntEnum):
    """What an envelope holds."""

    PASSAGES = 1
    POSTINGS = 2
    TEXTS = 3
    VECTORS = 4
    ENCODER = 5
    """A file of the encoder as it is: model, tokenizer or runtime."""
    DICTIONARY = 6
    PROJECTION = 7
    LIGHT = 8
    """A table of the light encoder."""
    PACKS = 9
    """The list of the packs of postings and texts."""


# Envelope ------------------------------------------------------------------------------------------


def wrap(kind: Kind, payload: bytes) -> bytes:
    """A file's bytes; the same payload always gives the same bytes."""
    envelope = HEADER.pack(MAGIC, FORMAT, kind, len(payload)) + payload
    data = gzip.compress(envelope, compresslevel=9, mtime=0)
    # The byte that names the operating system is "unknown", whatever Python and platform write there.
    return data[:9] + b"\xff" + data[10:]


def unwrap(kind: Kind, data: bytes, name: str) -> bytes:
    """The payload of a file, or a FormatError that names it."""
    if data[:2] == GZIP_MAGIC:
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as error:
            raise FormatError(f"{name}: damaged or cut short ({error}); build the index again") from error
    if len(data) < HEADER.size or data[:4] != MAGIC:
        raise FormatError(f"{name}: not a file of a Nearpage index; build the index again")
    _, version, found, length = HEADER.unpack_from(data)
    check_version(version, name)
    if found != kind:
        raise FormatError(f"{name}: holds kind {found}, expected {int(kind)}; build the index again")
    if len(data) - HEADER.size != length:
        raise FormatError(
            f"{name}: {len(data) - HEADER.size} bytes where {length} were written; build the index again"
        )
    return data[HEADER.size :]


def check_version(version: object, name: str) -> None:
    """Refuse what this reader does not know."""
    if version != FORMAT:
        newer = isinstance(version, int) and version > FORMAT
        remedy = "upgrade nearpage" if newer else "build the index again"
        raise FormatError(f"{name}: index format {version}, this reader knows {FORMAT}; {remedy}")


# Numbers -------------------------------------------------------------------------------------------


def varint(value: int) -> bytes:
    """LEB128 of a non-negative integer."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


class Cursor:
    """A reading position in a payload."""

    def __init__(self, data: bytes, name: str) -> None:
        self._data = data
        self._at = 0
        self._name = name

    def varint(self) -> int:
        """The LEB128 number at the position."""
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def take(self, count: int) -> bytes:
        """The next `count` bytes."""
        piece = self._data[self._at : self._at + count]
        if len(piece) != count:
            raise FormatError(f"{self._name}: ends too early; build the index again")
        self._at += count
        return piece


def length_code(length: int) -> int:
    """A length in one byte: exact below 24, then three significant bits below the leading one.

    Lucene's SmallFloat.intToByte4 (org.apache.lucene.util.SmallFloat), which rounds down.
    """
    free = 24
    if length < free:
        return length
    value = length - free
    if value < 16:
        return free + value
    bits = value.bit_length() - 4
    return min(255, free + ((value >> bits & 7) | (bits + 1) << 3))


def decoded_length(code: int) -> int:
    """The length that a code stands for."""
    free = 24
    if code < free:
        return code
    value = code - free
    bits = (value >> 3) - 1
    return free + (value if bits < 0 else ((value & 7) | 8) << bits)


# Passages: what ranking needs to know of every passage ------------------------------------------------


@dataclass(frozen=True, slots=True)
class PassageTable:
    """The page of each passage [n], its boost [n], and its lengths [n, 5] as the codes keep them."""

    pages: npt.NDArray[np.int64]
    boosts: npt.NDArray[np.float64]
    lengths: npt.NDArray[np.int64]


def encode_passages(
    pages: Sequence[Page], passages: Sequence[Passage], lengths: npt.NDArray[np.int64]
) -> bytes:
    """Passages a page, boosts that are not 1, then a column of length codes for each field."""
    counts = [0] * len(pages)
    for passage in passages:
        counts[passage.page] += 1
    out = bytearray(varint(len(pages)))
    for count in counts:
        out += varint(count)
    boosted = [(number, page.boost) for number, page in enumerate(pages) if page.boost != 1.0]
    out += varint(len(boosted))
    for number, boost in boosted:
        out += varint(number) + struct.pack("<f", boost)
    for field in range(len(FIELDS)):
        out += bytes(length_code(int(length)) for length in lengths[:, field])
    return bytes(out)


def decode_passages(payload: bytes, name: str) -> PassageTable:
    """The inverse of encode_passages."""
    cursor = Cursor(payload, name)
    counts = [cursor.varint() for _ in range(cursor.varint())]
    boosts = np.ones(len(counts))
    for _ in range(cursor.varint()):
        number = cursor.varint()
        boosts[number] = struct.unpack("<f", cursor.take(4))[0]
    pages = np.repeat(np.arange(len(counts)), counts)
    table = np.array([decoded_length(code) for code in range(256)], np.int64)
    columns = [table[np.frombuffer(cursor.take(len(pages)), np.uint8)] for _ in FIELDS]
    return PassageTable(pages, boosts[pages], np.stack(columns, axis=1))


# Postings ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Pack:
    """A payload and the key of its first entry: a term, or a passage number."""

    first: str | int
    payload: bytes


def pack_bytes(total: int) -> int:
    """The size at which a pack of postings or texts is closed, for payloads of `total` bytes in all.

    A query pays for the list of the packs, which grows with their number, and for some ten packs, which grow
    as it falls. The sum is least where packs are as large as a constant times the root of the total; this
    constant is more than twice that one, for the sake of fewer files.
    """
    return max(LEAST_PACK_BYTES, 4 * isqrt(total))


def encode_postings(lists: dict[str, PostingList]) -> Iterator[Pack]:
    """Packs of terms in code-point order: a dictionary, then the lists it tells the lengths of.

    Dictionary entry: bytes shared with the term before, bytes of the rest, the rest, df, bytes of the list.
    Posting: gap to the passage before (which starts at -1), then a byte whose low bits say in which
    fields the term stands; bit 5 says that frequencies follow, one for each such field, else all are 1;
    bits 6 and 7 that the term is the key of a lexeme in the title and in the own heading.
    """
    entries = [(term, len(found.passages), _encode_list(found)) for term, found in lists.items()]
    sizes = [len(term) + len(encoded) + 3 for term, _, encoded in entries]
    for start, end in _cuts(sizes):
        yield _postings_pack(entries[start:end])


def _cuts(sizes: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The bounds of the packs of entries of these sizes."""
    most = pack_bytes(sum(sizes))
    start = size = 0
    for at, each in enumerate(sizes, 1):
        size += each
        if size >= most or at == len(sizes):
            yield start, at
            start, size = at, 0


def _encode_list(found: PostingList) -> bytes:
    out = bytearray()
    before = -1
    columns = (found.passages.tolist(), found.frequencies.tolist(), found.keyed.tolist())
    for passage, frequencies, keyed in zip(*columns, strict=True):
        out += varint(passage - before)
        before = passage
        present = [frequency for frequency in frequencies if frequency]
        mask = sum(1 << field for field, frequency in enumerate(frequencies) if frequency)
        mask |= keyed << KEYED
        if max(present) == 1:
            out.append(mask)
        else:
            out.append(mask | MORE)
            for frequency in present:
                out += varint(frequency)
    return bytes(out)


def _postings_pack(entries: list[tuple[str, int, bytes]]) -> Pack:
    dictionary = bytearray(varint(len(entries)))
    before = b""
    for term, df, encoded in entries:
        written = term.encode()
        dictionary += _front_coded(before, written) + varint(df) + varint(len(encoded))
        before = written
    return Pack(entries[0][0], bytes(dictionary) + b"".join(encoded for _, _, encoded in entries))


def _front_coded(before: bytes, written: bytes) -> bytes:
    """How many bytes are shared with what stands before, how many follow, and these."""
    shared = _shared(before, written)
    return varint(shared) + varint(len(written) - shared) + written[shared:]


class PostingsPack:
    """A decoded dictionary; lists are decoded when they are asked for."""

    def __init__(self, payload: bytes, name: str) -> None:
        cursor = Cursor(payload, name)
        self._entries: dict[str, tuple[int, int]] = {}
        self._name = name
        sizes = []
        before = b""
        for _ in range(cursor.varint()):
            shared = cursor.varint()
            before = before[:shared] + cursor.take(cursor.varint())
            sizes.append((before.decode(), cursor.varint(), cursor.varint()))
        self._lists = {}
        for term, df, size in sizes:
            self._entries[term] = (df, size)
            self._lists[term] = cursor.take(size)

    def frequencies(self) -> Iterable[tuple[str, int]]:
        """(term, df) in term order."""
        return ((term, df) for term, (df, _) in self._entries.items())

    def get(self, term: str) -> PostingList | None:
        """The posting list of a term, None for one that is not here."""
        if term not in self._entries:
            return None
        cursor = Cursor(self._lists[term], self._name)
        passages = []
        rows = []
        keyed = []
        passage = -1
        for _ in range(self._entries[term][0]):
            passage += cursor.varint()
            fields = cursor.take(1)[0]
            rows.append(
                [
                    (cursor.varint() if fields & MORE else 1) if fields >> field & 1 else 0
                    for field in range(len(FIELDS))
                ]
            )
            passages.append(passage)
            keyed.append(fields >> KEYED)
        return PostingList(*(np.array(column, np.int64) for column in (passages, rows, keyed)))


# The dictionary: what words are compared with that the site does not have -----------------------------


def encode_dictionary(frequencies: Iterable[tuple[str, int]]) -> bytes:
    """A line a (term, df): a letter for what it shares with the term before, the rest, the df if above 1."""
    lines = []
    before = ""
    for term, df in frequencies:
        shared = 0
        while shared < min(len(before), len(term)) and before[shared] == term[shared]:
            shared += 1
        lines.append(f"{chr(65 + shared)}{term[shared:]}{df if df > 1 else ''}\n")
        before = term
    return "".join(lines).encode()


def decode_dictionary(payload: bytes, name: str) -> list[tuple[str, int]]:
    """The inverse of encode_dictionary."""
    found = []
    term = ""
    for line in payload.decode().split("\n")[:-1]:
        rest = line[1:].rstrip("0123456789")
        term = term[: ord(line[0]) - 65] + rest
        found.append((term, int(line[1 + len(rest) :] or 1)))
    return found


# Texts: what a hit shows -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ShownPassage:
    """A passage as a hit shows it."""

    url: str
    title: str
    anchor: str | None
    heading_path: tuple[str, ...]
    blocks: tuple[Block, ...]


def encode_texts(pages: Sequence[Page], passages: Sequence[Passage]) -> Iterator[Pack]:
    """Packs of JSON: [[url, title, [[anchor, heading path, [kind, text, kind, text, ...]], ...]], ...].

    A page that does not fit into what is left of a pack goes on in the next one, named again.
    """
    rows = [
        [
            passage.anchor,
            passage.heading_path,
            [part for block in passage.blocks for part in (_KIND_LETTERS[block.kind], block.text)],
        ]
        for passage in passages
    ]
    for start, end in _cuts([len(orjson.dumps(row)) for row in rows]):
        by_page = groupby(range(start, end), lambda number: passages[number].page)
        written = [
            [pages[page].url, pages[page].title, [rows[number] for number in numbers]]
            for page, numbers in by_page
        ]
        yield Pack(start, orjson.dumps(written))


def decode_texts(payload: bytes, name: str) -> list[ShownPassage]:
    """The passages of a pack in order."""
    try:
        return [
            ShownPassage(
                url,
                title,
                anchor,
                tuple(path),
                tuple(
                    Block(_KINDS[letter], text)
                    for letter, text in zip(blocks[::2], blocks[1::2], strict=True)
                ),
            )
            for url, title, passages in orjson.loads(payload)
            for anchor, path, blocks in passages
        ]
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError) as error:
        raise FormatError(f"{name}: texts that cannot be read ({error}); build the index again") from error


# Packs: the files that hold postings and texts -------------------------------------------------------

_HASH_BYTES = 8


@dataclass(frozen=True, slots=True)
class ListedPack:
    """A pack by the hash in its name, 16 hexadecimal digits, and the key of its first entry."""

    first: str | int
    hash: str


@dataclass(frozen=True, slots=True)
class PackList:
    """The packs of an index, in the order of their keys: terms of postings, passage numbers of texts."""

    postings: tuple[ListedPack, ...]
    texts: tuple[ListedPack, ...]


def encode_packs(packs: PackList) -> bytes:
    """How many packs of postings, their first terms, their hashes; the same of texts, by first passages.

    Terms are written as in a pack's dictionary, passages as the gap to the one before.
    """
    out = bytearray(varint(len(packs.postings)))
    before = b""
    for pack in packs.postings:
        written = str(pack.first).encode()
        out += _front_coded(before, written)
        before = written
    out += b"".join(bytes.fromhex(pack.hash) for pack in packs.postings)
    out += varint(len(packs.texts))
    passage = 0
    for pack in packs.texts:
        out += varint(int(pack.first) - passage)
        passage = int(pack.first)
    return bytes(out) + b"".join(bytes.fromhex(pack.hash) for pack in packs.texts)


def decode_packs(payload: bytes, name: str) -> PackList:
    """The inverse of encode_packs."""
    cursor = Cursor(payload, name)
    terms: list[str] = []
    before = b""
    for _ in range(cursor.varint()):
        before = before[: cursor.varint()] + cursor.take(cursor.varint())
        terms.append(before.decode())
    postings = tuple(ListedPack(term, cursor.take(_HASH_BYTES).hex()) for term in terms)
    passages = list(accumulate(cursor.varint() for _ in range(cursor.varint())))
    return PackList(postings, tuple(ListedPack(each, cursor.take(_HASH_BYTES).hex()) for each in passages))


# Vectors -------------------------------------------------------------------------------------------

_VECTORS_HEADER = struct.Struct("<8sIII")
_PROJECTION_HEADER = struct.Struct("<II")
_LIGHT_HEADER = struct.Struct("<III")
_BITS = (1, 2, 4, 8)


def encode_vectors(codes: Codes) -> Iterator[Pack]:
    """Packs: scheme (8 bytes, zero-padded ASCII), count, dims, bits, then the rows.

    A level `l` is kept as `(l + 2**bits - 1) / 2`; a byte holds 8 / bits, the first in its lowest bits.
    """
    dims = codes.levels.shape[1]
    rows = _packed(codes)
    for start in range(0, len(rows), VECTORS_A_PACK):
        part = rows[start : start + VECTORS_A_PACK]
        header = _VECTORS_HEADER.pack(SCHEME.encode(), len(part), dims, codes.bits)
        yield Pack(start, header + part.tobytes())


def decode_vectors(payload: bytes, name: str) -> Codes:
    """The inverse of encode_vectors for one pack."""
    cursor = Cursor(payload, name)
    scheme, count, dims, bits = _VECTORS_HEADER.unpack(cursor.take(_VECTORS_HEADER.size))
    if scheme.rstrip(b"\0").decode("ascii", "replace") != SCHEME or bits not in _BITS:
        raise FormatError(
            f"{name}: vector codes of scheme {scheme!r} with {bits} bits, this reader knows {SCHEME} with "
            "1, 2, 4 or 8; upgrade nearpage"
        )
    return _unpacked(cursor, count, dims, bits)


def _packed(codes: Codes) -> npt.NDArray[np.uint8]:
    count, dims = codes.levels.shape
    in_byte = 8 // codes.bits
    padded = np.zeros((count, -(-dims // in_byte), in_byte), np.uint8)
    padded.reshape(count, padded.shape[1] * in_byte)[:, :dims] = (codes.levels + (2**codes.bits - 1)) / 2
    shifts = np.arange(in_byte, dtype=np.uint8) * codes.bits
    rows: npt.NDArray[np.uint8] = np.bitwise_or.reduce(padded << shifts, axis=2)
    return rows


def _unpacked(cursor: Cursor, count: int, dims: int, bits: int) -> Codes:
    in_byte = 8 // bits
    width = -(-dims // in_byte)
    rows = np.frombuffer(cursor.take(count * width), np.uint8).reshape(count, width, 1)
    shifts = np.arange(in_byte, dtype=np.uint8) * bits
    kept = (rows >> shifts & (2**bits - 1)).reshape(count, width * in_byte)[:, :dims]
    return codes_of(bits, 2.0 * kept - (2**bits - 1))


def encode_projection(projection: Projection) -> bytes:
    """Width of the encoder's vectors and of the codes', mean (float32), rows (int8)."""
    dims, width = projection.rows.shape
    return (
        _PROJECTION_HEADER.pack(width, dims)
        + projection.mean.astype("<f4").tobytes()
        + projection.rows.tobytes()
    )


def decode_projection(payload: bytes, name: str) -> Projection:
    """The inverse of encode_projection."""
    cursor = Cursor(payload, name)
    width, dims = _PROJECTION_HEADER.unpack(cursor.take(_PROJECTION_HEADER.size))
    mean = np.frombuffer(cursor.take(4 * width), "<f4").astype(np.float32)
    return Projection(mean, np.frombuffer(cursor.take(dims * width), np.int8).reshape(dims, width))


def encode_light(table: LightTable) -> bytes:
    """Count, dims, bits; pieces (bytes shared with the one before, length of the rest, it); weights; rows."""
    count, dims = table.codes.levels.shape
    out = bytearray(_LIGHT_HEADER.pack(count, dims, table.codes.bits))
    before = b""
    for piece in table.pieces:
        written = piece.encode()
        out += _front_coded(before, written)
        before = written
    return bytes(out) + table.weights.astype("<u2").tobytes() + _packed(table.codes).tobytes()


def decode_light(payload: bytes, name: str) -> LightTable:
    """The inverse of encode_light."""
    cursor = Cursor(payload, name)
    count, dims, bits = _LIGHT_HEADER.unpack(cursor.take(_LIGHT_HEADER.size))
    if bits not in _BITS:
        raise FormatError(f"{name}: codes of {bits} bits, this reader knows 1, 2, 4 and 8; upgrade nearpage")
    pieces = []
    before = b""
    for _ in range(count):
        before = before[: cursor.varint()] + cursor.take(cursor.varint())
        pieces.append(before.decode())
    weights = np.frombuffer(cursor.take(2 * count), "<u2").astype(np.uint16)
    return LightTable(tuple(pieces), weights, _unpacked(cursor, count, dims, bits))


def _shared(one: bytes, other: bytes) -> int:
    """How many bytes two texts begin with alike."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (left, right) in enumerate(pairs) if left != right), min(len(one), len(other)))
