import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from nearpage.builder.build import Lines, Options, Report, build
from nearpage.builder.encoder import Encoder
from nearpage.builder.errors import NearpageError, SourceError
from nearpage.builder.extract import extract
from nearpage.builder.manifest import FILE_NAME, load
from nearpage.builder.publish import LOADER, with_tag
from nearpage.builder.reader import Index
from nearpage.builder.site import build_site

HERE = Path(__file__).parent
Snapshot = Callable[[Path], dict[str, bytes]]
Whole = Callable[[Path, str], None]


def edit(site: Path) -> None:
    """Change a page, add one, drop one, so that most files of the index change."""
    page = site / "index.html"
    page.write_text(page.read_text().replace("boils water", "boils water, slowly at altitude,"))
    (site / "guide/teapots.html").write_text("<h1>Teapots</h1><p>A kettle is no teapot.</p>")
    (site / "guide/windows.html").unlink()


def pages(files: dict[str, bytes]) -> dict[str, bytes]:
    return {name: data for name, data in files.items() if name.endswith(".html")}


@pytest.fixture
def edited(small_assets: Path, site: Path, options: Options) -> Path:
    """The site with the index of what it was before it was edited: what every killed build begins with."""
    build_site(site, None, options)
    edit(site)
    return site


@pytest.fixture
def finished(tmp_path: Path, edited: Path, options: Options, snapshot: Snapshot) -> dict[str, bytes]:
    """The edited site as a build leaves it that nobody stops."""
    site = Path(shutil.copytree(edited, tmp_path / "finished"))
    build_site(site, None, options)
    return snapshot(site)


def assert_old_or_new(
    site: Path, old: dict[str, bytes], new: dict[str, bytes], snapshot: Snapshot, assert_whole: Whole
) -> None:
    folder = site / "nearpage"
    assert_whole(folder, "kettle")
    assert (folder / FILE_NAME).read_bytes() in (old[f"nearpage/{FILE_NAME}"], new[f"nearpage/{FILE_NAME}"])
    assert (folder / LOADER).read_bytes() in (old[f"nearpage/{LOADER}"], new[f"nearpage/{LOADER}"])
    for name, data in pages(snapshot(site)).items():
        assert data in (old[name], new[name])


def test_a_build_killed_at_any_change_leaves_a_whole_index_and_the_next_one_cleans_up(
    tmp_path: Path,
    small_assets: Path,
    edited: Path,
    finished: dict[str, bytes],
    options: Options,
    snapshot: Snapshot,
    assert_whole: Whole,
) -> None:
    old = snapshot(edited)
    killed = tmp_path / "killed"
    killed.mkdir()
    arguments = [edited, killed, options.encoder, small_assets.parent]
    script = [sys.executable, str(HERE / "killed_builds.py"), *map(str, arguments)]
    kills = int(subprocess.run(script, check=True, capture_output=True, text=True).stdout) - 1

    written = len([name for name in finished if finished[name] != old.get(name)])
    removed = len([name for name in old if name not in finished])
    # A file is opened, renamed, and its temporary name removed if need be; one that goes is removed. The
    # lock is opened and removed.
    assert kills == 3 * written + removed + 2
    partly = 0
    for number in range(1, kills + 1):
        site = killed / str(number)
        assert_old_or_new(site, old, finished, snapshot, assert_whole)
        partly += snapshot(site) != old
        build_site(site, None, options)
        assert snapshot(site) == finished
    assert partly > kills / 2  # or the kills came before there was anything to spoil


def test_a_build_killed_at_any_moment_leaves_a_whole_index(
    tmp_path: Path,
    edited: Path,
    finished: dict[str, bytes],
    options: Options,
    snapshot: Snapshot,
    assert_whole: Whole,
) -> None:
    # The command as it is, with its own assets: the index before was built with other ones.
    command = [Path(sys.executable).parent / "nearpage", "build", "--encoder", str(options.encoder)]
    whole = Path(shutil.copytree(edited, tmp_path / "whole"))
    old = snapshot(edited)
    start = time.monotonic()
    subprocess.run([*command, whole], check=True, capture_output=True)
    duration = time.monotonic() - start
    new = snapshot(whole)

    moments = random.Random(7)
    site = Path(shutil.copytree(edited, tmp_path / "killed"))
    for _ in range(8):
        process = subprocess.Popen([*command, site], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(duration * moments.uniform(0.3, 1.0))
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert_old_or_new(site, old, new, snapshot, assert_whole)
    subprocess.run([*command, site], check=True, capture_output=True)
    assert snapshot(site) == new


def test_the_same_site_gives_the_same_bytes_wherever_and_however_it_is_built(
    tmp_path: Path, small_assets: Path, site: Path, options: Options, snapshot: Snapshot
) -> None:
    results = []
    for number, threads in enumerate((1, 2, 1)):  # the third with a warm cache
        folder = tmp_path / f"folder {number}" / "of another name"
        shutil.copytree(site, folder)
        cache = tmp_path / f"cache{number % 2}"
        build_site(folder, None, replace(options, threads=threads, cache=cache))
        results.append(snapshot(folder))
    assert results[0] == results[1] == results[2]
    assert len(results[0]) > 15
    assert with_tag(results[0]["index.html"], "nearpage/nearpage.js") == results[0]["index.html"]


def test_a_build_of_a_built_site_changes_nothing(
    small_assets: Path, site: Path, options: Options, snapshot: Snapshot
) -> None:
    build_site(site, None, options)
    before = {path: path.stat().st_mtime_ns for path in site.rglob("*.html")}
    built = snapshot(site)
    build_site(site, None, options)
    assert snapshot(site) == built
    assert {path: path.stat().st_mtime_ns for path in site.rglob("*.html")} == before


def test_unchanged_content_is_never_embedded_again(small_assets: Path, site: Path, options: Options) -> None:
    first = build_site(site, None, options)
    assert (first.embedded, first.reused) == (first.passages, 0)
    again = build_site(site, None, options)
    assert (again.embedded, again.reused) == (0, first.passages)

    page = site / "guide/bare.html"
    page.write_text(page.read_text().replace("does not mind", "minds"))
    changed = build_site(site, None, options)
    assert (changed.embedded, changed.reused) == (1, first.passages - 1)


def test_a_text_that_stands_on_two_pages_is_embedded_once(
    small_assets: Path, site: Path, options: Options
) -> None:
    shutil.copy(site / "guide/bare.html", site / "guide/twin.html")
    report = build_site(site, None, options)
    assert report.embedded < report.passages == report.embedded + report.reused


def test_no_passage_is_longer_than_the_encoder_takes_prefix_included(
    small_assets: Path, site: Path, options: Options
) -> None:
    words = " ".join(f"word{number}" for number in range(400))
    (site / "long.html").write_text(f"<h1>Long</h1><p>{words}.</p>")
    report = build_site(site, None, options)
    assert options.encoder is not None
    limit = Encoder(options.encoder).config.limit
    assert report.over_limit == 0
    assert limit - 20 < report.longest_passage_pieces <= limit


def test_the_report_adds_up(small_assets: Path, site: Path, options: Options) -> None:
    report = build_site(site, None, options)
    manifest = load((site / "nearpage" / FILE_NAME).read_bytes(), FILE_NAME)
    assert (report.pages, report.sections, report.passages) == (
        manifest.pages,
        manifest.sections,
        manifest.passages,
    )
    assert report.pages == 6
    assert sum(report.bytes.values()) == sum(Index(site / "nearpage").files().values())
    assert list(report.seconds) == ["read", "load", "cut", "embed", "post", "calibrate", "write", "inject"]


def test_a_failed_build_leaves_the_index_as_it_was(
    small_assets: Path, site: Path, options: Options, snapshot: Snapshot
) -> None:
    build_site(site, None, options)
    before = snapshot(site)
    (site / "gone.html").symlink_to(site / "gone.html")
    (site / "odd.html").mkdir()
    (small_assets / "dialog.js").unlink()
    with pytest.raises(NearpageError, match="no browser assets"):
        build_site(site, None, options)
    assert snapshot(site) == before


def test_pages_without_text_are_refused(tmp_path: Path, options: Options) -> None:
    page = extract("", b"<html><body><div id=app></div></body></html>")
    with pytest.raises(SourceError, match="no text found in any page"):
        build([page] if page else [], tmp_path / "out", options, Report())
    assert not (tmp_path / "out").exists()


def test_without_an_encoder_there_are_no_vectors_and_no_encoder(
    small_assets: Path, site: Path, options: Options
) -> None:
    report = build_site(site, None, replace(options, encoder=None))
    manifest = load((site / "nearpage" / FILE_NAME).read_bytes(), FILE_NAME)
    assert manifest.vectors is None
    assert manifest.encoder is None
    assert report.bytes["vectors"] == report.bytes["encoder"] == report.bytes["runtime"] == 0
    assert report.embedded == report.reused == 0


def test_an_index_may_be_moved_and_the_pages_follow(
    small_assets: Path, site: Path, options: Options, assert_whole: Whole
) -> None:
    build_site(site, None, options)
    build_site(site, site / "search files", options)
    html = (site / "guide/bare.html").read_bytes()
    assert html.count(b"data-nearpage") == 1
    assert b'src="../search%20files/nearpage.js"' in html
    assert_whole(site / "search files", "kettle")


def test_pages_are_left_alone_when_asked(small_assets: Path, site: Path, options: Options) -> None:
    before = (site / "index.html").read_bytes()
    build_site(site, None, options, inject_loader=False)
    assert (site / "index.html").read_bytes() == before


def test_a_log_hears_of_a_long_step_now_and_then_and_of_a_short_one_not_at_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    said: list[str] = []
    short, long = (Lines(said.append).step(name, 100) for name in ("Cutting", "Embedding"))
    short(100)
    for _ in range(100):
        now += 0.35
        long(1)
    assert said == ["Embedding: 29 of 100", "Embedding: 58 of 100", "Embedding: 87 of 100"]
