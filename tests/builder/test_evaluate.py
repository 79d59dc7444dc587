import json
import math
from pathlib import Path

import pytest
from nearpage.builder.build import Options
from nearpage.builder.encoder import Encoder
from nearpage.builder.errors import UsageError
from nearpage.builder.evaluate import MEASURES, Query, evaluate, measured, read_queries
from nearpage.builder.page_names import normalised
from nearpage.builder.reader import Index
from nearpage.builder.site import build_site


@pytest.mark.parametrize(
    ("spelling", "page"),
    [
        ("tutorial/first-steps.md", "tutorial/first-steps"),
        ("tutorial/first-steps/", "tutorial/first-steps"),
        ("tutorial/first-steps/index.html", "tutorial/first-steps"),
        ("/tutorial/first-steps.html", "tutorial/first-steps"),
        ("tutorial/first-steps.htm", "tutorial/first-steps"),
        ("tutorial/index.md", "tutorial"),
        ("tutorial/first-steps/#run-it", "tutorial/first-steps"),
        ("index.md", ""),
        ("index.html", ""),
        ("", ""),
        ("/", ""),
        ("a%20b/caf%C3%A9/", "a b/café"),
        ("a b/café.md", "a b/café"),
        ("c%23.html", "c#"),
        ("library/index-of-things.html", "library/index-of-things"),
        ("reindex.md", "reindex"),
        ("release-1.2/", "release-1.2"),
        ("notes.html.md", "notes.html"),
    ],
)
def test_a_page_has_one_name_however_it_is_spelt(spelling: str, page: str) -> None:
    assert normalised(spelling) == page


def row(**expected: float) -> list[float]:
    return [pytest.approx(expected[name]) for name in ("ndcg", "mrr", "recall", "success")]


# By ir-measures 0.4.3 (nDCG@10, RR@10, R@5, Success@1 over pytrec_eval) for these rankings and grades.
@pytest.mark.parametrize(
    ("ranked", "grades", "expected"),
    [
        ("ab", {"a": 2, "b": 1}, row(ndcg=1, mrr=1, recall=1, success=1)),
        ("ba", {"a": 2, "b": 1}, row(ndcg=0.8597186998521972, mrr=1, recall=1, success=1)),
        ("xa", {"a": 2}, row(ndcg=0.6309297535714575, mrr=0.5, recall=1, success=0)),
        (
            "xyazb",
            {"a": 1, "b": 2, "c": 2},
            row(ndcg=0.33858404654682245, mrr=1 / 3, recall=2 / 3, success=0),
        ),
        ("tuvwxa", {"a": 2}, row(ndcg=0.3562071871080222, mrr=1 / 6, recall=0, success=0)),
        ("qrstuvwxyza", {"a": 2}, row(ndcg=0, mrr=0, recall=0, success=0)),
        ("", {"a": 1}, row(ndcg=0, mrr=0, recall=0, success=0)),
        ("ab", {}, row(ndcg=0, mrr=0, recall=0, success=0)),
    ],
)
def test_the_measures_are_those_of_ir_measures(
    ranked: str, grades: dict[str, int], expected: list[float]
) -> None:
    assert measured(list(ranked), grades) == expected


def test_the_gain_is_the_grade_itself() -> None:
    both = 2 + 1 / math.log2(3)
    assert measured(["a"], {"a": 2, "b": 1})[0] == pytest.approx(2 / both)
    assert measured(["b"], {"a": 2, "b": 1})[0] == pytest.approx(1 / both)


def write(path: Path, *lines: object) -> Path:
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return path


def question(number: int, query: str, page: str, grade: int = 2, kind: str = "question") -> dict[str, object]:
    relevant = [{"page": page, "anchor": None, "grade": grade}]
    return {"id": f"q{number}", "query": query, "kind": kind, "relevant": relevant}


def test_queries_are_read_with_their_pages_normalised(tmp_path: Path) -> None:
    line = question(1, "what", "guide/index.md")
    assert isinstance(line["relevant"], list)
    line["relevant"] += [{"page": "guide/", "grade": 1}, {"page": "no.md", "anchor": "x", "grade": 0}]
    queries = read_queries(write(tmp_path / "q.jsonl", line, "", question(2, "why", "index.md", 1, "other")))
    assert queries == [
        Query("q1", "what", "question", {"guide": 2}),  # the best grade counts; none is no answer
        Query("q2", "why", "other", {"": 1}),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        "3",
        '{"id": 1}',
        {"id": 1, "query": 3, "kind": "x", "relevant": []},
        {"id": 1, "query": "x", "kind": "x", "relevant": {"page": "x"}},
        {"id": 1, "query": "x", "kind": "x", "relevant": [{"page": 3, "grade": 1}]},
        {"id": 1, "query": "x", "kind": "x", "relevant": [{"page": "x", "grade": "much"}]},
    ],
)
def test_a_bad_line_is_named_in_one(tmp_path: Path, line: object) -> None:
    path = write(tmp_path / "q.jsonl", question(1, "what", "guide/"), line)
    with pytest.raises(UsageError, match=r"q.jsonl, line 2: not a query \(.*expected \{") as raised:
        read_queries(path)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("missing", "line"),
    [
        ("query", {"id": 1, "kind": "x", "relevant": []}),
        ("relevant", {"id": 1, "query": "x", "kind": "x"}),
        ("id", {"query": "x", "kind": "x", "relevant": []}),
        ("kind", {"id": 1, "query": "x", "relevant": []}),
        ("page", {"id": 1, "query": "x", "kind": "x", "relevant": [{"grade": 1}]}),
        ("grade", {"id": 1, "query": "x", "kind": "x", "relevant": [{"page": "x"}]}),
    ],
)
def test_what_a_line_lacks_is_named(tmp_path: Path, missing: str, line: object) -> None:
    path = write(tmp_path / "q.jsonl", question(1, "what", "guide/"), "", line)
    with pytest.raises(
        UsageError, match=rf'q.jsonl, line 3: not a query \(it has no "{missing}"\); expected'
    ):
        read_queries(path)


def test_a_file_without_queries_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no queries in it"):
        read_queries(write(tmp_path / "q.jsonl", "", ""))
    with pytest.raises(UsageError, match="cannot be read"):
        read_queries(tmp_path / "missing.jsonl")


@pytest.fixture
def index(small_assets: Path, site: Path, options: Options) -> Index:
    build_site(site, None, options)
    return Index(site / "nearpage")


def test_an_index_is_measured_by_kind_and_in_total(index: Index, tmp_path: Path) -> None:
    path = write(
        tmp_path / "q.jsonl",
        question(1, "descaling", "guide/advanced/descaling.md"),
        question(2, "kettle.exe powershell", "guide/windows.md", kind="total"),
        question(3, "kettle", "index.md", kind="words"),
        question(4, "xyzzy", "index.md", kind="words"),
    )
    evaluation = evaluate(index, read_queries(path), "lexical", None)
    assert list(evaluation.measures) == ["question", "total", "words"]
    assert evaluation.measures["total"]["queries"] == 4
    assert evaluation.measures["question"]["success@1"] == {"mean": 1.0, "low": 1.0, "high": 1.0}
    assert evaluation.measures["words"]["recall@5"] == {"mean": 0.5, "low": 0.0, "high": 1.0}
    assert [run.status for run in evaluation.runs] == ["ok", "ok", "ok", "nothing_relevant"]
    assert evaluation.runs[0].ranked[0] == "guide/advanced/descaling.html"
    assert evaluation.runs[3].ranked == []


def test_a_page_is_ranked_once_by_its_best_passage(index: Index, tmp_path: Path) -> None:
    queries = read_queries(write(tmp_path / "q.jsonl", question(1, "kettle water timeouts", "guide/")))
    for run in evaluate(index, queries, "lexical", None).runs:
        assert len(run.ranked) == len(set(run.ranked)) > 1


def test_the_same_run_gives_the_same_intervals(index: Index, tmp_path: Path, encoders: Path) -> None:
    encode = Encoder(encoders / "tiny").query
    lines = [question(number, text, "index.md") for number, text in enumerate(("water", "tea", "install"))]
    queries = read_queries(write(tmp_path / "q.jsonl", *lines))
    first, second = (evaluate(index, queries, "hybrid", encode) for _ in range(2))
    assert first == second
    for measure in MEASURES:
        summary = first.measures["total"][measure]
        assert 0 <= summary["low"] <= summary["mean"] <= summary["high"] <= 1
