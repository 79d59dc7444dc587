"""Relevance of rankings by page, with 95% bootstrap intervals, and of two on the same questions."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from nearpage.builder.evaluate import MEASURES, RESAMPLES, Query, measured
from nearpage.builder.page_names import normalised

Rows = npt.NDArray[np.float64]


def judged(queries: Sequence[Query], ranked: Sequence[Sequence[str]]) -> Rows:
    """The measures [queries, MEASURES] of the pages found for each question."""
    return np.array(
        [
            measured([normalised(page) for page in pages], query.grades)
            for query, pages in zip(queries, ranked, strict=True)
        ]
    )


def summary(rows: Rows, ranked: Sequence[Sequence[str]]) -> dict[str, Any]:
    found = {name: interval(rows[:, column]) for column, name in enumerate(MEASURES)}
    return {**found, "no_result": round(sum(not pages for pages in ranked) / len(ranked), 4)}


def interval(values: npt.NDArray[np.float64]) -> dict[str, float]:
    """The mean and its interval."""
    samples = np.random.default_rng(0).integers(0, len(values), (RESAMPLES, len(values)))
    low, high = np.percentile(values[samples].mean(axis=1), [2.5, 97.5])
    return {
        "mean": round(float(values.mean()), 4),
        "low": round(float(low), 4),
        "high": round(float(high), 4),
    }
