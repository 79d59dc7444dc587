"""Unit vectors to int8 codes, and the exact scan. Mirrored by `web/src/engine/vectors.ts`.

A code is int8 with one float32 scale a vector: `scale = max|x| / 127`, `code = round(x / scale)`. The
query is taken in units of 2**-24, which a float32 of a unit vector hardly notices; all products and
sums are then integers below 2**53, exact in float64 in any order and in either language.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

SCHEME = "int8"
UNIT = 2.0**24


@dataclass(frozen=True, slots=True)
class Codes:
    """Quantised vectors: scales float32 [n] and codes [n, dims], int8 or the same numbers in float64."""

    scales: npt.NDArray[np.float32]
    codes: npt.NDArray[np.int8] | Floats


def quantise(vectors: npt.NDArray[np.float32]) -> Codes:
    """The codes of vectors [n, dims]; halves are rounded to even."""
    scales = (np.abs(vectors).max(axis=1, initial=0.0) / np.float32(127)).astype(np.float32)
    scales = np.maximum(scales, np.finfo(np.float32).tiny)
    return Codes(scales, np.rint(vectors / scales[:, None]).astype(np.int8))


def cosines(query: npt.NDArray[np.float32], codes: Codes) -> Floats:
    """The cosine [n] of a query [dims] with every vector."""
    # floor(x + 0.5), for JavaScript's Math.round does not round halves to even.
    units = np.floor(query.astype(np.float64) * UNIT + 0.5)
    sums = codes.codes.astype(np.float64, copy=False) @ units
    return codes.scales.astype(np.float64) * (sums / UNIT)
