"""The light query encoder: a text's vector as the weighted sum of its pieces' vectors, by a table.

Word pieces are those of the contextual encoder (WordPiece: Schuster and Nakajima, ICASSP 2012), of which a
table keeps only some: a word begins with the longest piece that the table knows, and so on from there, so
that it is cut anew where its own piece is not kept. The vectors are fitted so that sums lie where the encoder
puts the whole text (see `builder/all-MiniLM-L6-v2/fit.py`), in the space of the codes, which is why one
set of passage codes serves both. Static tables of this kind: Arora, Liang and Ma, "A Simple but
Tough-to-Beat Baseline for Sentence Embeddings", ICLR 2017.

Mirrored by `web/src/engine/light.ts`. Levels and weights are integers, so that sums are exact.
"""

import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import regex
from nearpage.builder.encoder_text import normalize_for_encoder
from nearpage.builder.vectors import Codes, codes_of, unit

INSIDE = "##"
"""Before a piece that does not begin a word."""
LONGEST = 100
"""Letters of a word; a longer one has no pieces, as in the encoder's own tokenizer."""
_SIGN = r"!-/:-@\[-`{-~\p{P}"
_IDEOGRAPH = r"\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF"
_MARK = regex.compile(r"\p{Mn}")
_WORD = regex.compile(rf"[{_SIGN}{_IDEOGRAPH}]|[^{_SIGN}{_IDEOGRAPH}\p{{Z}}\p{{Cc}}\p{{Cf}}]+")


@dataclass(frozen=True, slots=True)
class LightTable:
    """Pieces in the order of their code points, a weight of 16 bits each [n], and their codes."""

    pieces: tuple[str, ...]
    weights: npt.NDArray[np.uint16]
    codes: Codes


class LightEncoder:
    """Text to unit vectors by tables of which each knows other pieces."""

    def __init__(self, tables: Sequence[LightTable]) -> None:
        pieces = [piece for table in tables for piece in table.pieces]
        self._rows = {piece: row for row, piece in enumerate(pieces)}
        self._weighted = np.concatenate([table.weights[:, None] * table.codes.levels for table in tables])

    def query(self, text: str) -> npt.NDArray[np.float32]:
        """The unit vector [dims] of a text; zeros if no piece of it is known."""
        rows = [self._rows[piece] for word in words(text) for piece in cut(word, self._rows)]
        vector: npt.NDArray[np.float32] = unit(self._weighted[rows].sum(axis=0)[None])[0]
        return vector


def words(text: str) -> list[str]:
    """Words and single signs, in lower case and without marks, as the encoder's tokenizer has them."""
    folded = unicodedata.normalize("NFD", normalize_for_encoder(text).lower())
    found: list[str] = _WORD.findall(_MARK.sub("", folded))
    return found


def cut(word: str, pieces: Collection[str]) -> list[str]:
    """The longest piece that begins the word, then the longest that goes on; none if that comes to a halt."""
    found = []
    start = 0
    while start < len(word):
        prefix = INSIDE if start else ""
        ends = range(len(word), start, -1) if len(word) <= LONGEST else ()
        piece = next((each for end in ends if (each := prefix + word[start:end]) in pieces), None)
        if piece is None:
            return []
        found.append(piece)
        start += len(piece) - len(prefix)
    return found


def selected(table: LightTable, kept: Collection[str]) -> LightTable:
    """The part of a table that knows the pieces in `kept`."""
    rows = [row for row, piece in enumerate(table.pieces) if piece in kept]
    codes = codes_of(table.codes.bits, table.codes.levels[rows])
    return LightTable(tuple(table.pieces[row] for row in rows), table.weights[rows], codes)
