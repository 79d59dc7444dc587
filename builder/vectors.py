"""Unit vectors to codes of a few bits, and the exact scan. Mirrored by `web/src/engine/vectors.ts`.

A number of a vector becomes one of 2**bits odd integers, its **level**: -3, -1, 1, 3 with two bits. Of all
codes that steps of one size give, a vector gets the one nearest in angle, found exactly by going through
the sizes at which some number changes its level (Gao et al., "Practical and Asymptotically Optimal
Quantization of High-Dimensional Vectors in Euclidean Space for Approximate Nearest Neighbor Search", SIGMOD
2025). What they keep beside the code, its length and the cosine between vector and code, is not kept here:
the first follows from the code, and the second is nearly the same for all.

Queries and vectors are taken in units of 2**-24, which a float32 of a unit vector hardly notices; products
and sums are then integers below 2**53, exact in float64 in any order and in either language.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Encode = Callable[[str], npt.NDArray[np.float32]]

SCHEME = "levels"
UNIT = 2.0**24
_ROWS = 1024
"""Vectors at a time, so that what is sorted stays small."""


@dataclass(frozen=True, slots=True)
class Codes:
    """Quantised vectors: `bits` a number, levels [n, dims], and the length of each row of them [n]."""

    bits: int
    levels: Floats
    lengths: Floats


@dataclass(frozen=True, slots=True)
class Projection:
    """From an encoder's space to that of the codes: mean float32 [width], rows int8 [dims, width].

    The scale of the rows does not matter, for what they give is made a unit vector.
    """

    mean: npt.NDArray[np.float32]
    rows: npt.NDArray[np.int8]


def units(vectors: npt.NDArray[np.float32]) -> Floats:
    """Numbers in units of 2**-24, halves upwards, for JavaScript's Math.round does not round them to even."""
    return np.floor(vectors.astype(np.float64) * UNIT + 0.5)


def projected(vectors: npt.NDArray[np.float32], projection: Projection | None) -> npt.NDArray[np.float32]:
    """Unit vectors [n, dims] in the space of the codes; without a projection that is the encoder's own."""
    if projection is None:
        return vectors
    inner = (units(vectors) - units(projection.mean)) @ projection.rows.astype(np.float64).T
    return unit(inner)


def projecting(encode: Encode, projection: Projection | None) -> Encode:
    """A query encoder that ends in the space of the codes."""

    def inner(text: str) -> npt.NDArray[np.float32]:
        vector: npt.NDArray[np.float32] = projected(encode(text)[None], projection)[0]
        return vector

    return inner


def blending(encode: Encode, light: Encode, share: float) -> Encode:
    """Two query encoders of one space as one: the unit vector of their sum, `share` of it the second's."""

    def inner(text: str) -> npt.NDArray[np.float32]:
        full, other = encode(text).astype(np.float64), light(text).astype(np.float64)
        vector: npt.NDArray[np.float32] = unit((full * (1 - share) + other * share)[None])[0]
        return vector

    return inner


def unit(vectors: Floats) -> npt.NDArray[np.float32]:
    """Vectors [n, dims] at length 1, or 0 as they are."""
    # cumsum adds strictly in order, as the browser does; sum() adds in pairs.
    lengths = np.sqrt(np.cumsum(vectors * vectors, axis=1)[:, -1:])
    return (vectors / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)


def quantise(vectors: npt.NDArray[np.float32], bits: int) -> Codes:
    """The codes of unit vectors [n, dims]."""
    blocks = [_levels(units(vectors[at : at + _ROWS]), bits) for at in range(0, len(vectors), _ROWS)]
    return codes_of(bits, np.concatenate(blocks) if blocks else np.zeros(vectors.shape))


def codes_of(bits: int, levels: npt.NDArray[np.int8] | Floats) -> Codes:
    """Codes with what the scan needs of them."""
    exact = levels.astype(np.float64)
    return Codes(bits, exact, np.sqrt((exact * exact).sum(axis=1)))


def _levels(vectors: Floats, bits: int) -> Floats:
    count, dims = vectors.shape
    sizes = np.abs(vectors)
    # A number passes from level 2m-1 to 2m+1 where half a step is the m-th part of it.
    rises = np.arange(1, 2 ** (bits - 1))
    changes = (sizes[:, :, None] / rises).reshape(count, -1)
    order = np.argsort(-changes, axis=1, kind="stable")
    number = order // len(rises)
    # By each change the product with the vector grows by twice the number, the square of the length by 8m.
    products = sizes.sum(axis=1, keepdims=True) + np.cumsum(
        2 * np.take_along_axis(sizes, number, axis=1), axis=1
    )
    squares = dims + np.cumsum(8.0 * rises[order % len(rises)], axis=1)
    before = sizes.sum(axis=1, keepdims=True) / np.sqrt(dims)
    cosines = np.concatenate([before, products / np.sqrt(squares)], axis=1)
    taken = np.arange(order.shape[1]) < cosines.argmax(axis=1)[:, None]
    risen = np.zeros((count, dims))
    np.add.at(risen, (np.arange(count)[:, None], number), taken)
    return np.where(vectors < 0, -1.0, 1.0) * (2 * risen + 1)


def cosines(query: npt.NDArray[np.float32], codes: Codes) -> Floats:
    """The cosine [n] of a unit query [dims] with every code."""
    return (codes.levels @ units(query)) / (UNIT * codes.lengths)
