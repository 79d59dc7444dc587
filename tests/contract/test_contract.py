"""The cases that both languages must answer alike; `tests/web/contract.test.ts` runs them in the other."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from nearpage.builder import bm25, exact, fusion, light, operators, spelling, unfinished, vectors
from nearpage.builder.format import decoded_length, length_code
from nearpage.builder.postings import PostingList
from nearpage.builder.query import QueryWord, query_words
from nearpage.builder.terms import stemmer, terms

CASES = Path(__file__).parent / "cases"


def run_terms(given: dict[str, Any]) -> Any:
    return list(terms(given["text"], stemmer(given["language"])))


def run_query(given: dict[str, Any]) -> Any:
    words = query_words(
        given["query"], stemmer(given["language"]), frozenset(given["light"]), given["light_weight"]
    )
    return [
        {"weight": word.weight, "alternatives": word.alternatives, "prefix": word.prefix}
        | ({"sure": word.sure} if word.sure < 1 else {})
        for word in words
    ]


def run_unfinished(given: dict[str, Any]) -> Any:
    lists = {
        term: PostingList(np.array(found), np.ones((len(found), 5), np.int64), np.zeros(len(found)))
        for term, found in given["postings"].items()
    }
    words = unfinished.weighed(
        [QueryWord(**word) for word in given["words"]],
        lists.get,
        lambda prefix: [
            (term, len(lists[term].passages)) for term in sorted(lists) if term.startswith(prefix)
        ],
        given["passages"],
    )
    return [word.weight for word in words]


def run_spelling(given: dict[str, Any]) -> Any:
    return spelling.similar(given["word"], [(term, df) for term, df in given["dictionary"]])


def run_respelt(given: dict[str, Any]) -> Any:
    return spelling.respelt(given["text"], given["best"], stemmer(given["language"]))


def run_operators(given: dict[str, Any]) -> Any:
    asked = operators.read(given["query"], stemmer(given["language"]), set(given["terms"]).__contains__)
    return {
        "text": asked.text,
        "phrases": [list(phrase) for phrase in asked.phrases],
        "excluded": [[list(forms) for forms in word] for word in asked.excluded],
    }


def run_bm25(given: dict[str, Any]) -> Any:
    fields = tuple(bm25.FieldParameters(*field) for field in given["parameters"]["fields"])
    parameters = bm25.Bm25Parameters(given["parameters"]["k1"], given["parameters"]["coverage"], fields)
    rows = {term: np.array(found, np.int64) for term, found in given["postings"].items()}
    lists = {term: PostingList(found[:, 0], found[:, 1:], found[:, 0] * 0) for term, found in rows.items()}
    lengths = np.array(given["lengths"], np.float64)
    scored = bm25.score(
        [QueryWord(**word) for word in given["words"]],
        lists.get,
        lambda prefix: [(term, len(rows[term])) for term in sorted(rows) if term.startswith(prefix)],
        bm25.norm(lengths, parameters),
        np.array(given.get("boosts", [1] * len(lengths)), np.float64),
        parameters,
    )
    return {"scores": scored.scores.tolist(), "coverage": scored.coverage.tolist()}


def run_vectors(given: dict[str, Any]) -> Any:
    if "vectors" in given:
        codes = vectors.quantise(np.array(given["vectors"], np.float32), given["bits"])
        return {"levels": codes.levels.tolist()}
    query = np.array(given["query"], np.float32)
    if "rows" in given:
        mean, rows = np.array(given["mean"], np.float32), np.array(given["rows"], np.int8)
        return {"projected": vectors.projected(query[None], vectors.Projection(mean, rows))[0].tolist()}
    codes = vectors.codes_of(given["bits"], np.array(given["levels"], np.float64))
    return {"cosines": vectors.cosines(query, codes).tolist()}


def run_light(given: dict[str, Any]) -> Any:
    if "weights" not in given:
        return [piece for word in light.words(given["text"]) for piece in light.cut(word, given["pieces"])]
    pieces = tuple(given["pieces"])
    codes = vectors.codes_of(2, np.array(given["levels"], np.float64))
    table = light.LightTable(pieces, np.array(given["weights"], np.uint16), codes)
    return light.LightEncoder([table]).query(given["text"]).tolist()


def run_exact(given: dict[str, Any]) -> Any:
    lists = {}
    for term, rows in given["keys"].items():
        table = np.array(rows, np.int64)
        lists[term] = PostingList(table[:, 0], np.zeros((len(rows), 5), np.int64), table[:, 1])
    nothing = [0] * len(given["pages"])
    columns = (given["titles"], nothing, given["headings"], nothing, nothing)
    lengths, pages = np.array(columns, np.int64).T, np.array(given["pages"], np.int64)
    return exact.tiers(
        given["query"], stemmer(given["language"]), lists.get, lengths, pages, given.get("light", ())
    ).tolist()


def run_fusion(given: dict[str, Any]) -> Any:
    if "pages" in given:
        scores, pages = np.array(given["scores"], np.float64), np.array(given["pages"], np.int64)
        return fusion.supported(scores, pages, given["weight"]).tolist()
    if "rankings" in given:
        return [list(pair) for pair in fusion.fuse(given["rankings"], given["k"])]
    return fusion.ranking(np.array(given["scores"], np.float64), given["depth"], given["positive_only"])


def run_length_code(given: dict[str, Any]) -> Any:
    code = length_code(given["length"])
    return {"code": code, "reads_as": decoded_length(code)}


def near(expected: Any) -> Any:
    """Numbers to five decimals: they are written by hand, or by a formula in another order."""
    if isinstance(expected, dict):
        return {key: near(each) for key, each in expected.items()}
    if isinstance(expected, list):
        return [near(each) for each in expected]
    return pytest.approx(expected, abs=5e-6) if isinstance(expected, int | float) else expected


@pytest.mark.parametrize(
    ("name", "given", "expect"),
    [
        pytest.param(path.stem, case["given"], case["expect"], id=f"{path.stem}: {case['why']}")
        for path in sorted(CASES.glob("*.json"))
        for case in json.loads(path.read_text())
    ],
)
def test_case(name: str, given: dict[str, Any], expect: Any) -> None:
    assert globals()[f"run_{name}"](given) == near(expect)
