"""The relevance floor: where "nothing relevant" begins on a site, found out when its index is built.

`judge` is what a search does with it; `web/src/engine/floor.ts` mirrors it.

A query's evidence is its best cosine with any passage, and a part of the best share of its words that any of
the nearest passages covers: words that stand together where the meaning leads are no accident, elsewhere on a
large site they are, and a spelling that was guessed is no evidence. The floor stands between what questions
reach that have nothing to do with the site (nobody's docs answer all of UNRELATED; a site on one of its
subjects answers a few) and what the site's own headings earn, asked as questions.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from nearpage.builder.manifest import Floor

UNCALIBRATED = (0.3, 0.45)
"""The least cosine and coverage on sites with too few headings to tell, and without vectors, where they are
not used."""
FEWEST = 5
MOST = 100
"""Headings that are asked: enough for a percentile, few enough to take no time."""


@dataclass(frozen=True, slots=True)
class Scale:
    """How the evidence of a rung is read.

    `coverage_weight` is that of the covered share, for cosines alone tell unrelated questions apart less
    well. The floor stands `towards` the related (5th percentile) on the way from a `percentile` of the
    unrelated.
    """

    coverage_weight: float
    percentile: int
    towards: float


FULL = Scale(0.3, 90, 0.2)
LIGHT = Scale(0.8, 75, 0.0)
"""Its cosines tell less, and headings are easy for it: their words stand in the passage. Of two errors it
rather makes the one that the visitor sees through, to answer what the site has nothing on."""

UNRELATED = (
    "best pizza dough recipe with fresh yeast",
    "how long to boil an egg",
    "flights from Paris to Tokyo in May",
    "who won the football world cup in 1998",
    "train a puppy not to bite",
    "growing tomatoes on a balcony",
    "symptoms of iron deficiency",
    "how to remove red wine stains from a carpet",
    "mortgage interest rates this year",
    "history of the Roman aqueducts",
    "learn to play the guitar as an adult",
    "tallest mountain in South America",
    "winter tyres for a small car",
    "how do bees make honey",
    "lyrics of an old love song",
    "Unity shader is pink after upgrading the project",
    "Blender cycles render is noisy",
    "Photoshop layer mask not working",
    "Excel pivot table shows wrong totals",
    "Minecraft server crashes when a mod is loaded",
    "printer offline after Windows update",
    "iPhone does not charge beyond 80 percent",
    "Kubernetes pod stuck in pending because of taints",
    "Terraform plan wants to destroy my security group",
    "NVIDIA driver not found after kernel update",
    "Xcode provisioning profile expired",
    "Gradle sync failed in Android Studio",
    "Arduino stepper motor vibrates and does not turn",
    "3D printer first layer does not stick",
    "React Native build fails on M1",
    "WordPress plugin breaks the checkout page",
    "Jenkins agent offline after restart",
    "MATLAB plot with two y axes",
    "R ggplot legend order",
    "LaTeX table too wide for the page",
    "Vue component does not update when props change",
    "Ansible playbook hangs at gathering facts",
    "SwiftUI list row height",
    "MongoDB aggregation lookup with two fields",
    "Kafka consumer lag keeps growing",
    "Elasticsearch cluster is red",
    "Rails migration adds index concurrently",
    "C# async deadlock in a form",
    "Laravel queue worker memory leak",
    "Power BI date slicer",
    "Docker build cache invalidated by copy",
    "nginx 502 bad gateway after deploy",
    "git rebase lost my commits",
)


def uncalibrated(scale: Scale = FULL) -> Floor:
    """The floor of a site of which nothing is known."""
    cosine, coverage = UNCALIBRATED
    return Floor(scale.coverage_weight, round(cosine + scale.coverage_weight * coverage, 4), (), ())


def calibrate(
    near: Callable[[str], tuple[float, float]], headings: Sequence[str], scale: Scale = FULL
) -> Floor:
    """The floor of a site, from a query's best cosine and coverage, and the site's headings in order."""

    def evidence(query: str) -> float:
        cosine, coverage = near(query)
        return cosine + scale.coverage_weight * coverage

    distinct = list(dict.fromkeys(headings))
    if len(distinct) < FEWEST:
        return uncalibrated(scale)
    most = min(MOST, len(distinct))
    chosen = [distinct[at * len(distinct) // most] for at in range(most)]
    unrelated = [evidence(query) for query in UNRELATED]
    related = _percentiles([evidence(query) for query in chosen], (5, 50))
    (start,) = _percentiles(unrelated, (scale.percentile,))
    threshold = start + scale.towards * (related[0] - start)
    return Floor(scale.coverage_weight, round(threshold, 4), _percentiles(unrelated, (50, 90)), related)


def _percentiles(values: list[float], which: tuple[int, ...]) -> tuple[float, ...]:
    return tuple(round(float(value), 4) for value in np.percentile(values, which))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the floor said of an answer.

    `cosine` is the best of any passage, `coverage` the best covered share of the nearest passages, `evidence`
    their weighted sum; all None where no ranking by vector took part, for there the floor says nothing. The
    reason is `below` where the floor was applied; else `no_vectors`, `reached`, or what lifts an answer over
    any floor: `exact` (a passage is in a tier) or `covered` (one has all words of the query).
    """

    cosine: float | None
    coverage: float | None
    evidence: float | None
    reason: Literal["no_vectors", "reached", "exact", "covered", "below"]


def judge(floor: Floor, near: tuple[float, float] | None, is_exact: bool, is_covered: bool) -> Verdict:
    """The verdict on an answer with the best cosine and coverage `near`."""
    if near is None:
        return Verdict(None, None, None, "no_vectors")
    cosine, coverage = near
    evidence = cosine + floor.coverage_weight * coverage
    if evidence >= floor.threshold:
        return Verdict(cosine, coverage, evidence, "reached")
    # Who gives a title or words that all stand in one passage has found it, whatever half a word means.
    return Verdict(cosine, coverage, evidence, "exact" if is_exact else "covered" if is_covered else "below")
