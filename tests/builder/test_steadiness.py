"""A query written otherwise finds the same, and what is found stays while one types: on the project's docs.

By words alone, for that is what answers each letter. `make bench-steadiness` measures other sites.
"""

from collections.abc import Sequence

import pytest
from nearpage.builder import Options, build_site
from nearpage.builder.reader import Index

from tests.bench.corpora import own_docs, own_questions
from tests.bench.steadiness.measures import Failure
from tests.bench.steadiness.run import measured

MOST = {
    "stop word put in: first hit": 0.02,
    "stop word put in: first page": 0.01,
    "other case: all that is shown": 0.03,
    "other case: first hit": 0.0,
    "other number: first page in top five": 0.0,
    "punctuation around: first hit": 0.01,
    "marked-up name: first hit": 0.0,
    "other order: three of top five": 0.02,
    "typed: answer stays in top five": 0.02,
    "word grows: page is still found": 0.0,
}
"""The largest share of comparisons that may fail."""


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, Sequence[Failure]]]:
    """How often each comparison was made, and what failed."""
    site = own_docs(tmp_path_factory.mktemp("steadiness"))
    build_site(site, None, Options(encoder=None), inject_loader=False)
    rates = measured(Index(site / "nearpage"), own_questions(), "lexical")
    found = {}
    for name in MOST:
        kinds = [rate for kind, rate in rates.items() if kind.endswith(f", {name}")]
        found[name] = (
            sum(rate.asked for rate in kinds),
            [failure for rate in kinds for failure in rate.failures],
        )
    return found


@pytest.mark.parametrize("name", MOST)
def test_what_is_found_hardly_changes(compared: dict[str, tuple[int, Sequence[Failure]]], name: str) -> None:
    asked, failures = compared[name]
    assert asked >= 30
    assert len(failures) <= MOST[name] * asked, failures
