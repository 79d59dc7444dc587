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
    """RRF's constant, and how many of each ranking take part."""

    k: int
    depth: int


def ranking(scores: npt.NDArray[np.float64], depth: int, positive_only: bool) -> list[int]:
    """The numbers of the `depth` best passages, best first."""
    order = np.argsort(-scores, kind="stable")[:depth]
    return [int(number) for number in order if not positive_only or scores[number] > 0]


def fuse(rankings: Sequence[Sequence[int]], k: int) -> list[tuple[int, float]]:
    """(passage, score) of every passage in any ranking, best first."""
    scores: dict[int, float] = {}
    for single in rankings:
        for index, passage in enumerate(single):
            scores[passage] = scores.get(passage, 0.0) + 1 / (k + index + 1)
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))
