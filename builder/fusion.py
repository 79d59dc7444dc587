"""Scores to rankings, and rankings to one. Mirrored by `web/src/engine/fusion.ts`.

Reciprocal Rank Fusion (Cormack, Clarke and Büttcher, SIGIR 2009): each ranking adds 1 / (k + rank), by
position only. Ties, here as in a ranking, go to the passage that comes first in the site.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class FusionParameters:
    """RRF's constant, how many of each ranking take part, and the support that each ranking gives."""

    k: int
    depth: int
    lexical_support: float
    vector_support: float


def ranking(
    scores: npt.NDArray[np.float64],
    depth: int,
    positive_only: bool,
    allowed: npt.NDArray[np.bool_] | None = None,
) -> list[int]:
    """The numbers of the `depth` best passages, best first; only of those that are `allowed`."""
    order = np.argsort(-scores, kind="stable")
    order = (order if allowed is None else order[allowed[order]])[:depth]
    return [int(number) for number in order if not positive_only or scores[number] > 0]


def supported(
    scores: npt.NDArray[np.float64], pages: npt.NDArray[np.int64], weight: float
) -> npt.NDArray[np.float64]:
    """Scores [passages] with `weight` times the two best other scores of the passage's page added.

    A page that answers a question in several places is a better answer than one that mentions it once;
    by taking two others only, a long page gains no more than a short one. What scored nothing stays so, and
    within a page no passage passes another. `pages` [passages] rises.
    """
    found = scores.copy()
    starts = np.flatnonzero(np.diff(pages, prepend=-1))
    for start, end in zip(starts, np.append(starts[1:], len(pages)), strict=True):
        own = np.maximum(scores[start:end], 0.0)
        first, second, third = [*sorted(own.tolist(), reverse=True)[:3], 0.0, 0.0][:3]
        others = np.where(
            own == first, second + third, np.where(own == second, first + third, first + second)
        )
        found[start:end] += np.where(own > 0, weight * others, 0.0)
    return found


def fuse(rankings: Sequence[Sequence[int]], k: int) -> list[tuple[int, float]]:
    """(passage, score) of every passage in any ranking, best first."""
    scores: dict[int, float] = {}
    for single in rankings:
        for index, passage in enumerate(single):
            scores[passage] = scores.get(passage, 0.0) + 1 / (k + index + 1)
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))
