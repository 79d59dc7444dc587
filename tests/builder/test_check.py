import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from nearpage.builder import cli
from nearpage.builder.build import Options
from nearpage.builder.check import Expectation, Outcome, as_json, check, parse_checks, table
from nearpage.builder.errors import UsageError
from nearpage.builder.site import build_site

HITS = {
    "upload": ["request-files/#uploadfile", "forms/", "request-files/#many", "background/"],
    "pasta": [],
}


def outcome(expect: str | list[str], within: int = 3, query: str = "upload") -> Outcome:
    addresses = (expect,) if isinstance(expect, str) else tuple(expect)
    held = ["request-files/#uploadfile", "forms/", "request-files/#many", "background/", "a%20b/#caf%C3%A9"]
    return check([Expectation(query, addresses, within, 1)], lambda asked: HITS[asked], held)[0]


# The file ---------------------------------------------------------------------------------------------


def test_yaml_and_json_lines_say_the_same() -> None:
    yaml = b"""\
# What visitors ask
- query: How do I upload a file?
  expect: request-files.md
- {query: upload, expect: [a.md, "b.md#c"], within: 1}

- query: pasta
  nothing: true
"""
    lines = b"""\
{"query": "How do I upload a file?", "expect": "request-files.md", "nothing": false}
{"query": "upload", "expect": ["a.md", "b.md#c"], "within": 1}

{"query": "pasta", "nothing": true}
"""
    expected = [("How do I upload a file?", ("request-files.md",), 3), ("upload", ("a.md", "b.md#c"), 1)]
    expected.append(("pasta", (), 0))
    for data, name, at in ((yaml, "r.yml", [2, 4, 6]), (lines, "r.jsonl", [1, 2, 4])):
        read = parse_checks(data, name)
        assert [(each.query, each.expect, each.within) for each in read] == expected
        assert [each.line for each in read] == at


@pytest.mark.parametrize("query", ["404", "no", "3.10", "2026-13-45", "null", "0x1F"])
def test_a_query_in_yaml_is_the_text_it_is(query: str) -> None:
    assert parse_checks(f"- query: {query}\n  expect: a.md".encode(), "r.yml")[0].query == query


@pytest.mark.parametrize(
    ("data", "parts"),
    [
        ("", ["no entries"]),
        ("# nothing\n", ["no entries"]),
        ("[]", ["no entries"]),
        ("query: a\nexpect: b\n", ["line 1: not a list"]),
        ("- query: a\n  expect: b\n- pasta\n", ["entry 2 (line 3)", "'pasta' is no entry"]),
        ("- expect: b\n", ["entry 1 (line 1)", "query must be text"]),
        ("- query: ' '\n  expect: b\n", ["query must be text"]),
        ("- query: [a]\n  expect: b\n", ["query must be text"]),
        ("- query: a\n", ["expect is missing"]),
        ("- query: a\n  expect:\n", ["expect must be a page", "index.md"]),
        ("- query: a\n  expect: []\n", ["expect must be a page"]),
        ("- query: a\n  expect: [b, {c: d}]\n", ["expect must be a page"]),
        ("- query: a\n  expects: b\n", ["expects is not known"]),
        ("- query: a\n  expect: b\n  within: 0\n", ["within must be a whole number", "'0'"]),
        ("- query: a\n  expect: b\n  within: three\n", ["within must be", "'three'"]),
        ("- query: a\n  expect: b\n  nothing: true\n", ["nothing excludes expect"]),
        ("- query: a\n  nothing: perhaps\n", ["nothing must be true or false", "'perhaps'"]),
        ("- query: a\n  nothing: false\n", ["expect is missing"]),
        ("- query: a\n  expect: 'b\n", ["line 3", "not YAML"]),
        ("- query: a\n  expect: b: c\n", ["line 2", "not YAML"]),
        ("- query: a\n--- \n- query: b\n", ["not YAML"]),
        ("- \0", ["not YAML"]),
        (b"- \xff\xfe\xff", ["not YAML"]),
        ("[" * 5000, ["not YAML"]),
        ("- ? [a]\n  : b\n", ["not YAML"]),
    ],
)
def test_a_bad_file_is_one_line_that_says_where(data: str | bytes, parts: list[str]) -> None:
    with pytest.raises(UsageError) as raised:
        parse_checks(data.encode() if isinstance(data, str) else data, "tests.yml")
    message = str(raised.value)
    assert message.startswith("tests.yml")
    assert "\n" not in message
    for part in parts:
        assert part in message


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ('{"query": 404, "expect": "b"}', "query must be text, not 404"),
        ('{"query": "a", "expect": "b", "within": true}', "within must be"),
        ('{"query": "a", "expect": "b", "within": 1.5}', "within must be"),
        ('{"query": "a", "expect": null}', "expect must be"),
        ('{"query": "a"', "not JSON"),
        ("[]", "is no entry"),
    ],
)
def test_a_bad_json_line_is_named(line: str, part: str) -> None:
    with pytest.raises(UsageError) as raised:
        parse_checks(b'{"query": "a", "expect": "b"}\n\n' + line.encode(), "r.jsonl")
    assert "r.jsonl, entry 2 (line 3): " in str(raised.value)
    assert part in str(raised.value)


# The outcomes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expect", "within", "ok", "rank"),
    [
        ("request-files.md", 1, True, 1),
        ("request-files/", 1, True, 1),
        ("request-files/index.html#uploadfile", 1, True, 1),
        ("request-files.md#many", 1, False, 2),  # a section counts where it comes, below two pages
        ("request-files.md#many", 2, True, 2),
        ("background.md", 3, True, 3),
        ("background.md", 2, False, 3),
        (["nowhere.md", "forms.md"], 2, True, 2),
        ("request-files.md#other", 9, False, None),
        ("nowhere.md", 9, False, None),
    ],
)
def test_pages_are_counted_from_the_top(
    expect: str | list[str], within: int, ok: bool, rank: int | None
) -> None:
    found = outcome(expect, within)
    assert (found.ok, found.rank) == (ok, rank)


def test_what_came_is_the_best_hit_of_each_page() -> None:
    assert outcome("nowhere.md").came == ("request-files/#uploadfile", "forms/", "background/")


def test_nothing_relevant_is_expected_or_not() -> None:
    assert outcome([], query="pasta").ok
    assert not outcome([], query="upload").ok
    assert str(outcome([], query="upload")).startswith("'upload' must find nothing relevant; it found 1. req")
    assert str(outcome("forms.md", query="pasta")).endswith("within 3: not found; it found nothing")


def test_an_address_that_the_index_does_not_hold_is_told() -> None:
    assert outcome("nowhere.md").missing == ("nowhere.md",)
    assert "not in the index" in str(outcome("nowhere.md"))
    assert outcome("a b.md#café").missing == ()
    assert outcome(["forms.md", "forms.md#gone"]).missing == ()  # holds, so nobody looks
    assert outcome(["a b.md", "request-files.md#gone"]).missing == ("request-files.md#gone",)


def test_the_index_is_not_read_through_when_all_hold() -> None:
    def unread() -> object:
        raise AssertionError
        yield

    assert check([Expectation("upload", ("forms.md",), 3, 1)], HITS.__getitem__, unread())[0].ok


def test_the_table_shows_failures_first_with_what_came_instead() -> None:
    outcomes = [outcome("forms.md"), outcome("background.md", 2), outcome([], query="pasta")]
    assert table(outcomes).splitlines() == [
        "        query   expected           found at",
        "failed  upload  background.md (2)  3",
        "        came instead: 1. request-files/#uploadfile, 2. forms/",
        "ok      upload  forms.md (3)       2",
        "ok      pasta   nothing            nothing",
        "2 of 3 hold",
    ]


def test_a_long_or_broken_query_stays_on_its_line() -> None:
    outcomes = check([Expectation("word\n" * 30, (), 0, 1)], lambda query: [], [])
    assert len(table(outcomes).splitlines()) == 3
    assert max(map(len, table(outcomes).splitlines())) < 100


def test_the_document_keeps_the_order_of_the_file() -> None:
    document = as_json([outcome("forms.md"), outcome("nowhere.md", 1)])
    assert (document["passed"], document["failed"]) == (1, 1)
    assert document["entries"][1] == {
        "line": 1,
        "query": "upload",
        "expect": ["nowhere.md"],
        "within": 1,
        "ok": False,
        "rank": None,
        "url": None,
        "missing": ["nowhere.md"],
        "came": ["request-files/#uploadfile", "forms/", "background/"],
    }


# The command ------------------------------------------------------------------------------------------


@pytest.fixture
def run(
    site: Path,
    options: Options,
    small_assets: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> Callable[..., tuple[int, str, str]]:
    """`nearpage check` on the site of six pages."""
    build_site(site, None, options)

    def call(*arguments: object) -> tuple[int, str, str]:
        named = ["check", *arguments, "--index", site, "--encoder", options.encoder]
        monkeypatch.setattr(sys, "argv", ["nearpage", *map(str, named)])
        capfd.readouterr()
        try:
            cli.main()
            code = 0
        except SystemExit as stopped:
            code = int(stopped.code or 0)
        return (code, *capfd.readouterr())

    return call


@pytest.mark.parametrize("mode", ["lexical", "hybrid"])
def test_the_command_exits_with_0_when_all_hold(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path, mode: str
) -> None:
    file = tmp_path / "relevance.yml"
    file.write_text("- query: boil_timeout\n  expect: guide.md#timeouts\n  within: 1\n")
    code, out, err = run(file, "--mode", mode)
    assert (code, err) == (0, "")
    assert out.splitlines()[-1] == "1 of 1 hold"


def test_the_command_exits_with_1_when_one_fails(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    file = tmp_path / "relevance.jsonl"
    file.write_text('{"query": "boil_timeout", "expect": "teapot.md"}\n{"query": "xyzzy", "nothing": true}\n')
    code, out, err = run(file, "--mode", "lexical")
    assert (code, err) == (1, "")
    assert "not in the index" in out
    assert "came instead: 1. guide/#timeouts" in out
    code, out, err = run(file, "--mode", "lexical", "--json")
    assert (code, err) == (1, "")
    assert [entry["ok"] for entry in json.loads(out)["entries"]] == [False, True]


def test_the_command_exits_with_2_for_a_bad_file(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    file = tmp_path / "relevance.yml"
    code, out, err = run(file)
    assert (code, out) == (2, "")
    assert f"{file}: cannot be read" in err
    file.write_text("- query: a\n  expect: b\n- query: c\n")
    code, out, err = run(file)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert f"{file}, entry 2 (line 3): expect is missing" in err
