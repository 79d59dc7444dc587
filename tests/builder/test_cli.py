import json
import os
import pty
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import pytest
from nearpage.builder import cli
from nearpage.builder.manifest import FILE_NAME

NEARPAGE = Path(sys.executable).parent / "nearpage"
Snapshot = Callable[[Path], dict[str, bytes]]


@dataclass
class Ran:
    code: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """The command, in this process."""

    def call(*arguments: object) -> Ran:
        monkeypatch.setattr(sys, "argv", ["nearpage", *map(str, arguments)])
        capfd.readouterr()
        try:
            cli.main()
            code = 0
        except SystemExit as stopped:
            code = int(stopped.code or 0)
        return Ran(code, *capfd.readouterr())

    return call


@pytest.fixture
def built(small_assets: Path, site: Path, encoders: Path, run: Run) -> Path:
    """The site with an index."""
    assert run("build", site, "--encoder", encoders / "tiny").code == 0
    return site


def assert_one_line(ran: Ran, code: int, *parts: object) -> None:
    assert (ran.code, ran.out) == (code, "")
    assert ran.err.startswith("nearpage: ")
    assert ran.err.endswith("\n")
    assert ran.err.count("\n") == 1
    assert "Traceback" not in ran.err
    for part in parts:
        assert str(part) in ran.err


# Standard output ---------------------------------------------------------------------------------------

PRINTING = (
    ["--help"],
    ["search", "--help"],
    ["--version"],
    ["stats"],
    ["stats", "--json"],
    ["search", "kettle"],
)


def printing(arguments: list[str], site: Path) -> list[str]:
    """A command that prints, with an index where it needs one."""
    needs_index = arguments[0] in {"stats", "search"} and "--help" not in arguments
    lexical = ["--mode", "lexical"] if arguments == ["search", "kettle"] else []
    return [str(NEARPAGE), *arguments, *lexical, *(["--index", str(site)] if needs_index else [])]


@pytest.mark.parametrize("arguments", PRINTING, ids=" ".join)
def test_a_full_disk_is_one_line(built: Path, arguments: list[str]) -> None:
    command = printing(arguments, built)
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    expected = "nearpage: standard output cannot be written (No space left on device); what was printed is"
    assert (ran.returncode, ran.stderr) == (1, f"{expected} not complete\n")


@pytest.mark.parametrize("arguments", PRINTING, ids=" ".join)
def test_a_closed_pipe_is_one_line(built: Path, arguments: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = printing(arguments, built)
    ran = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert ran.returncode == 1
    assert ran.stderr.startswith("nearpage: standard output cannot be written (Broken pipe); ")
    assert ran.stderr.count("\n") == 1


def test_a_program_without_standard_output_does_its_work(built: Path) -> None:
    command = 'exec "$0" stats --index "$1" >&-'
    ran = subprocess.run(["sh", "-c", command, NEARPAGE, built], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")


# What goes wrong -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["build"], ["Missing argument 'SITE_DIR'", "nearpage build --help"]),
        (["build", "a", "b"], ["unexpected extra argument", "nearpage build --help"]),
        (["build", "a", "--fast"], ["No such option", "--fast", "nearpage build --help"]),
        (["build", "a", "--threads", "0"], ["--threads", "0 is not in the range", "nearpage build --help"]),
        (["build", "a", "--no-semantic", "--encoder", "x"], ["exclude each other", "drop one"]),
        (["search", "q"], ["--index", "nearpage search --help"]),
        (["search", "q", "--index", "x", "--mode", "magic"], ["magic", "hybrid", "nearpage search --help"]),
        (["search", "q", "--index", "x", "--limit", "0"], ["--limit", "nearpage search --help"]),
        (["serve", "x", "--port", "99999"], ["--port", "nearpage serve --help"]),
        (["find"], ["No such command 'find'", "nearpage --help"]),
    ],
)
def test_wrong_usage_is_one_line_and_exits_with_2(run: Run, arguments: list[str], parts: list[str]) -> None:
    assert_one_line(run(*arguments), 2, *parts)


def test_a_folder_that_does_not_exist(run: Run, tmp_path: Path) -> None:
    assert_one_line(
        run("build", tmp_path / "no"), 1, tmp_path / "no", "does not exist", "build the site first"
    )


def test_a_file_instead_of_a_folder(run: Run, site: Path) -> None:
    assert_one_line(run("build", site / "index.html"), 1, "index.html is a file", "name the folder")


def test_a_folder_without_pages(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    assert_one_line(run("build", folder), 1, folder, "no HTML pages", "name the folder")
    (folder / "page.md").write_text("# Markdown")
    assert_one_line(run("build", folder), 1, folder, "no HTML pages", "name the folder")
    assert [path.name for path in folder.iterdir()] == ["page.md"]


def test_pages_without_text(run: Run, tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site/index.html").write_text("<html><body><div id='root'></div></body></html>")
    assert_one_line(run("build", tmp_path / "site"), 1, "no text found")
    assert [path.name for path in (tmp_path / "site").iterdir()] == ["index.html"]


@pytest.mark.parametrize("odd", ["dangling link", "link to itself", "folder", "link to a folder"])
def test_what_only_looks_like_a_page_is_passed_over(
    run: Run, built: Path, encoders: Path, snapshot: Snapshot, odd: str
) -> None:
    before = snapshot(built)
    page = built / "odd.html"
    if odd == "folder":
        page.mkdir()
    else:
        page.symlink_to({"dangling link": "gone", "link to itself": "odd.html"}.get(odd, "guide"))
    assert run("build", built, "--encoder", encoders / "tiny").code == 0
    assert snapshot(built) == before


@pytest.mark.parametrize("moment", ["read", "injected"])
def test_a_page_that_cannot_be_read(
    run: Run, built: Path, encoders: Path, snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    before = snapshot(built)
    read = Path.read_bytes
    reads = 0

    def fails(path: Path) -> bytes:
        nonlocal reads
        if path.name == "bare.html":
            reads += 1
            if reads == (1 if moment == "read" else 2):
                raise OSError(5, "Input/output error")
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", fails)
    ran = run("build", built, "--encoder", encoders / "tiny")
    monkeypatch.undo()
    assert_one_line(ran, 1, "cannot read", built / "guide/bare.html", "Input/output error")
    assert snapshot(built) == before


@pytest.mark.parametrize(
    ("spoil", "parts"),
    [
        (lambda folder, encoders: shutil.rmtree(folder / "onnx"), ["no model.onnx there", "give a sentence"]),
        (
            lambda folder, encoders: (folder / "onnx/model.onnx").write_text("no model"),
            ["onnx/model.onnx: not an ONNX model", "give the folder of another"],
        ),
        (
            lambda folder, encoders: shutil.copy(encoders / "image.onnx", folder / "onnx/model.onnx"),
            ["its inputs are pixel_values", "expected input_ids"],
        ),
    ],
)
def test_a_missing_or_foreign_encoder(
    run: Run,
    built: Path,
    encoders: Path,
    tmp_path: Path,
    snapshot: Snapshot,
    spoil: Callable[[Path, Path], None],
    parts: list[str],
) -> None:
    before = snapshot(built)
    folder = Path(shutil.copytree(encoders / "tiny", tmp_path / "foreign"))
    spoil(folder, encoders)
    assert_one_line(run("build", built, "--encoder", folder), 1, folder, *parts)
    assert_one_line(run("search", "kettle", "--index", built, "--encoder", folder), 1, folder, *parts)
    assert snapshot(built) == before


def test_an_encoder_of_another_width_than_the_index(run: Run, built: Path) -> None:
    ran = run("search", "kettle", "--index", built)
    assert_one_line(ran, 1, "tiny (12 dimensions", "all-MiniLM-L6-v2 (384", "--encoder", "build the index")
    assert run("search", "kettle", "--index", built, "--mode", "lexical").code == 0


def test_vector_search_in_an_index_without_vectors(run: Run, small_assets: Path, site: Path) -> None:
    run("build", site, "--no-semantic")
    assert_one_line(
        run("search", "kettle", "--index", site, "--mode", "vector"), 1, "no vectors", "lexical mode"
    )
    assert run("search", "kettle", "--index", site).code == 0


def test_no_index(run: Run, site: Path) -> None:
    assert_one_line(run("search", "q", "--index", site), 1, f"{site}: no index there", "run nearpage build")
    assert_one_line(run("stats", "--index", site / "nowhere"), 1, "nowhere: no index there", "nearpage build")
    assert_one_line(
        run("stats", "--index", site / "index.html"), 1, "index.html", "give the folder of an index"
    )


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        (lambda manifest: manifest.update(format=99), ["format 99", "upgrade nearpage"]),
        (lambda manifest: manifest.update(format="old"), ["format old", "build the index again"]),
        (lambda manifest: manifest.pop("table"), ["'table'", "build the index again"]),
        (lambda manifest: manifest.update(passages="6"), ["'6'", "build the index again"]),
        (lambda manifest: manifest.update(passages=7000), ["does not fit", "build the index again"]),
        (lambda manifest: manifest.update(packs={}), ["missing or wrong", "build the index again"]),
        (lambda manifest: manifest.update(vectors=[]), ["missing or wrong", "build the index again"]),
        (lambda manifest: manifest["bm25"].update(k1=None), ["None", "build the index again"]),
        (lambda manifest: manifest["bm25"]["fields"].pop("body"), ["'body'", "build the index again"]),
        (lambda manifest: manifest["fusion"].update(k="60"), ["'60'", "build the index again"]),
    ],
)
def test_a_manifest_that_is_newer_or_wrong(
    run: Run, built: Path, change: Callable[[Any], None], parts: list[str]
) -> None:
    path = built / "nearpage" / FILE_NAME
    manifest = orjson.loads(path.read_bytes())
    change(manifest)
    path.write_bytes(orjson.dumps(manifest))
    assert_one_line(run("search", "kettle", "--index", built, "--mode", "lexical"), 1, "nearpage", *parts)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"<!doctype html>", b"\xff\xfe", b'{"version": 2}'])
def test_a_manifest_that_is_none(run: Run, built: Path, content: bytes) -> None:
    path = built / "nearpage" / FILE_NAME
    path.write_bytes(content)
    assert_one_line(run("stats", "--index", built), 1, path, "build the index again")


@pytest.mark.parametrize("kind", ["table", "packs", "postings", "texts", "vectors"])
@pytest.mark.parametrize("damage", ["cut", "empty", "garbage", "gone", "of another kind"])
def test_an_index_file_that_is_cut_short_or_garbage(
    run: Run, built: Path, encoders: Path, kind: str, damage: str
) -> None:
    path = next((built / "nearpage").glob(f"{kind}-*"))
    data = path.read_bytes()
    other = next((built / "nearpage").glob("texts-*" if kind != "texts" else "table-*")).read_bytes()
    ruined = {"cut": data[:-9], "empty": b"", "garbage": b"\1" * len(data), "of another kind": other}
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes(ruined[damage])
    ran = run("search", "kettle", "--index", built, "--encoder", encoders / "tiny", "--json")
    assert_one_line(ran, 1, path, "build the index again")


def test_an_output_that_cannot_be_written(run: Run, built: Path, encoders: Path, snapshot: Snapshot) -> None:
    before = snapshot(built)
    (built.parent / "file").write_text("x")
    for output in (built.parent / "file", built.parent / "file" / "index"):
        ran = run("build", built, "--encoder", encoders / "tiny", "--output", output)
        assert_one_line(ran, 1, output, "cannot be made", "choose another")
    assert snapshot(built) == before


def test_a_full_disk(
    run: Run, built: Path, encoders: Path, snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = snapshot(built)
    page = built / "index.html"
    page.write_text(page.read_text().replace("boils", "warms"))
    edited = {**before, "index.html": page.read_bytes()}

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert_one_line(run("build", built, "--encoder", encoders / "tiny"), 1, "No space left", "make room")
    assert snapshot(built) == edited


def test_missing_browser_assets(
    run: Run, built: Path, encoders: Path, small_assets: Path, snapshot: Snapshot
) -> None:
    before = snapshot(built)
    shutil.rmtree(small_assets)
    ran = run("build", built, "--encoder", encoders / "tiny")
    assert_one_line(ran, 1, small_assets, "no browser assets", "install the wheel, or run make assets")
    assert snapshot(built) == before


def test_a_cache_that_cannot_be_used(run: Run, site: Path, encoders: Path, small_assets: Path) -> None:
    ran = run("build", site, "--encoder", encoders / "tiny", "--cache-dir", site / "index.html")
    assert_one_line(ran, 1, site / "index.html", "cache cannot be used", "--cache-dir")


def test_queries_that_cannot_be_read(run: Run, built: Path, tmp_path: Path) -> None:
    queries = tmp_path / "queries.jsonl"
    arguments = ("eval", queries, "--index", built, "--mode", "lexical")
    assert_one_line(run(*arguments), 2, queries, "cannot be read")
    queries.write_text('{"id": 1, "query": "kettle"}\n')
    assert_one_line(run(*arguments), 2, f"{queries}, line 1", "not a query", "expected")
    queries.write_text('{"id": 1, "query": "kettle", "kind": "k", "relevant": []}\n')
    assert_one_line(run(*arguments, "--run", built), 1, built, "cannot be written", "--run")


def test_a_port_in_use(run: Run, site: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert_one_line(run("serve", site, "--port", port), 1, f"port {port}", "choose another with --port")


@pytest.mark.parametrize(
    "name", ["[red]", "[/]", "a:boom:b", "x" * 200, "two\nlines", "tab  s", r"back\[slash]", "é"]
)
def test_a_path_is_shown_as_it_is_on_one_line(run: Run, tmp_path: Path, name: str) -> None:
    ran = run("build", tmp_path / name)
    assert_one_line(ran, 1, "does not exist")
    assert f"{tmp_path / name} does".replace("\n", " ") in ran.err


def test_errors_of_the_real_command_are_one_line_as_well(tmp_path: Path, site: Path) -> None:
    (tmp_path / "model.onnx").write_text("no model")
    (tmp_path / "tokenizer.json").write_text("{}")
    for arguments, code in (
        (["build", site, "--encoder", tmp_path], 1),
        (["build", tmp_path / ("deep " * 40)], 1),
        (["build"], 2),
    ):
        ran = subprocess.run([NEARPAGE, *arguments], capture_output=True, text=True, check=False)
        assert_one_line(Ran(ran.returncode, ran.stdout, ran.stderr), code)


# What goes well --------------------------------------------------------------------------------------


def test_a_build_says_what_it_did_on_standard_error_alone(
    run: Run, small_assets: Path, site: Path, encoders: Path
) -> None:
    ran = run("build", site, "--encoder", encoders / "tiny")
    assert (ran.code, ran.out) == (0, "")
    assert re.fullmatch(r"6 pages, \d+ passages \(\d+ embedded, 0 reused\); index .* s\n", ran.err)


def test_the_report_is_json_on_standard_output(
    run: Run, small_assets: Path, site: Path, encoders: Path
) -> None:
    ran = run("build", site, "--encoder", encoders / "tiny", "--json")
    report = json.loads(ran.out)
    assert list(report) == [
        "pages",
        "sections",
        "passages",
        "over_limit",
        "longest_passage_pieces",
        "embedded",
        "reused",
        "languages",
        "bytes",
        "seconds",
    ]
    assert ran.err == ""


def test_a_search_gives_the_members_that_the_browser_gives(run: Run, built: Path, encoders: Path) -> None:
    ran = run(
        "search", "boil_timeout", "--index", built, "--encoder", encoders / "tiny", "--json", "--limit", 2
    )
    result = json.loads(ran.out)
    assert (ran.code, ran.err) == (0, "")
    assert list(result) == ["query", "status", "hits"]
    assert (result["query"], result["status"], len(result["hits"])) == ("boil_timeout", "ok", 2)
    hit = result["hits"][0]
    text = hit.pop("text")
    assert "Set boil_timeout to give up" in text
    assert isinstance(hit.pop("score"), float)
    assert isinstance(hit.pop("vector_rank"), int)
    assert hit == {
        "rank": 1,
        "url": "guide/#timeouts",
        "page": "guide/",
        "anchor": "timeouts",
        "title": "Guide",
        "heading_path": ["Guide", "Timeouts"],
        "lexical_rank": 1,
    }


def test_the_index_may_be_named_by_its_site_or_by_itself(run: Run, built: Path) -> None:
    for folder in (built, built / "nearpage"):
        ran = run("search", "descaling", "--index", folder, "--mode", "lexical", "--json")
        assert json.loads(ran.out)["hits"][0]["vector_rank"] is None


def test_nonsense_finds_nothing_relevant(run: Run, built: Path) -> None:
    arguments = ("search", "xyzzy plugh", "--index", built, "--mode", "lexical")
    assert json.loads(run(*arguments, "--json").out) == {
        "query": "xyzzy plugh",
        "status": "nothing_relevant",
        "hits": [],
    }
    assert run(*arguments).out == "Nothing relevant.\n"


def test_hits_for_people_show_text_as_it_stands(run: Run, built: Path) -> None:
    out = run("search", "install", "--index", built, "--mode", "lexical", "--limit", 1).out
    assert "1. Kettle > Kettle" in out
    assert "kettle[thermostat]" in out


def test_a_query_of_bytes_that_are_no_text_is_answered(run: Run, built: Path) -> None:
    ran = run("search", "kettle \udcff", "--index", built, "--mode", "lexical", "--json")
    assert json.loads(ran.out)["query"] == "kettle \ufffd"


def test_an_explanation_adds_to_the_json_and_changes_none_of_it(
    run: Run, built: Path, encoders: Path
) -> None:
    arguments = ("search", "boil_timeout ", "--index", built, "--encoder", encoders / "tiny", "--json")
    plain = json.loads(run(*arguments).out)
    explained = json.loads(run(*arguments, "--explain").out)
    assert explained.pop("explanation")["floor"]["threshold"] > 0
    for hit in explained["hits"]:
        assert list(hit.pop("explanation")) == ["boost", "exact", "lexical", "vector", "fusion"]
    assert explained == plain


def test_an_explanation_for_people(run: Run, built: Path, encoders: Path) -> None:
    arguments = ("search", "boil_timeout", "--index", built, "--encoder", encoders / "tiny", "--explain")
    out = run(*arguments, "--limit", 1).out
    assert re.search(r"^Floor [\d.]+: (reached|not applied, .*); evidence [\d.]+ = cosine", out, re.MULTILINE)
    assert re.search(r"^   score [\d.]+ = [\d.]+ by words \+ [\d.]+ by vector \+ 1 exact$", out, re.MULTILINE)
    assert "its name is the query" in out
    assert re.search(r"^   #1 by words: [\d.]+ = [\d.]+ BM25 \+ .*; covers 100%$", out, re.MULTILINE)
    assert re.search(r"^   boil_timeout +boil_timeout +1 .* (body|code) 1×", out, re.MULTILINE)


def test_nothing_relevant_is_explained(run: Run, built: Path) -> None:
    out = run("search", "xyzzy plugh", "--index", built, "--mode", "lexical", "--explain").out
    assert out.startswith("Nothing relevant.\nWords: xyzzy, plugh")
    assert "No hits: no passage matches" in out


def test_eval_prints_measures_and_writes_the_run(
    run: Run, built: Path, encoders: Path, tmp_path: Path
) -> None:
    queries, ranked = tmp_path / "queries.jsonl", tmp_path / "run.jsonl"
    relevant = [{"page": "guide/index.md", "anchor": None, "grade": 2}]
    line = {"id": "q1", "query": "boil_timeout", "kind": "identifier", "relevant": relevant}
    queries.write_text(json.dumps(line) + "\n")
    arguments = ("eval", queries, "--index", built, "--encoder", encoders / "tiny", "--run", ranked)
    measures = json.loads(run(*arguments, "--json").out)
    assert list(measures) == ["identifier", "total"]
    assert list(measures["total"]) == ["queries", "ndcg@10", "mrr@10", "recall@5", "success@1"]
    assert measures["total"]["success@1"] == {"mean": 1.0, "low": 1.0, "high": 1.0}
    [written] = [json.loads(line) for line in ranked.read_text().splitlines()]
    assert list(written) == ["id", "ranked", "status"]
    assert (written["id"], written["ranked"][0], written["status"]) == ("q1", "guide/", "ok")
    assert run(*arguments).out.splitlines()[2].split()[:5] == ["total", "1", "1.000", "[1.00,", "1.00]"]


def test_stats_tell_what_an_index_holds(run: Run, built: Path) -> None:
    stats = json.loads(run("stats", "--index", built, "--json").out)
    assert (stats["format"], stats["pages"], stats["encoder"]) == (1, 6, "tiny")
    assert stats["files"] + 3 == len(list((built / "nearpage").iterdir()))
    assert stats["terms"] > 50
    assert "postings" in run("stats", "--index", built).out


def test_the_command_alone_shows_its_help(run: Run) -> None:
    ran = run()
    assert (ran.code, ran.err) == (0, "")
    for command in ("build", "search", "eval", "check", "stats", "serve"):
        assert f"\n  {command} " in ran.out
    assert run("--help").out == ran.out


def test_the_version_is_told(run: Run) -> None:
    assert re.fullmatch(r"nearpage, version \d+\.\d+\.\d+\n", run("--version").out)


# Progress --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("environment", [{}, {"FORCE_COLOR": "1"}, {"CI": "true"}])
def test_a_log_is_not_flooded(site: Path, encoders: Path, environment: dict[str, str]) -> None:
    command = [NEARPAGE, "build", site, "--no-semantic"]
    ran = subprocess.run(
        command, capture_output=True, text=True, check=True, env={**os.environ, **environment}
    )
    assert ran.stdout == ""
    assert ran.stderr.count("\n") == 1


def test_a_terminal_is_left_with_the_last_line_alone(site: Path) -> None:
    ours, theirs = pty.openpty()
    subprocess.run(
        [NEARPAGE, "build", site, "--no-semantic"],
        stderr=theirs,
        check=True,
        env={**os.environ, "TERM": "xterm"},
    )
    os.close(theirs)
    shown = os.read(ours, 1_000_000).decode()
    os.close(ours)
    assert "Reading" in shown
    visible = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown).splitlines()
    assert visible[-1].startswith("6 pages")
