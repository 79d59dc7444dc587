import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from nearpage.builder.build import Options
from nearpage.builder.languages import by_language, group_tag
from nearpage.builder.manifest import FILE_NAME, load
from nearpage.builder.model import Page
from nearpage.builder.publish import LOADER
from nearpage.builder.reader import Index
from nearpage.builder.search import search
from nearpage.builder.site import build_site

HERE = Path(__file__).parent
Snapshot = Callable[[Path], dict[str, bytes]]
Whole = Callable[[Path, str], None]


def page(language: str, url: str = "x") -> Page:
    return Page(url, "", language, ())


def groups(*pages: Page) -> list[tuple[str, str, int]]:
    return [(group.tag, group.language, len(group.pages)) for group in by_language(pages)]


def loaders(site: Path) -> dict[str, str]:
    """The loader that each page names that has one, relative to the site."""
    found = {}
    for path in sorted(site.rglob("*.html")):
        html = path.read_text("latin-1")
        assert html.count(LOADER) <= 1
        if LOADER not in html:
            continue
        source = html.partition('src="')[2].partition('"')[0]
        found[path.relative_to(site).as_posix()] = (
            (path.parent / source).resolve().relative_to(site).as_posix()
        )
    return found


@pytest.mark.parametrize(
    ("language", "tag"),
    [
        ("de", "de"),
        ("de-AT", "de"),
        ("DE-at-1996", "de"),
        ("gsw", "gsw"),
        ("zh", "zh-Hans"),
        ("zh-CN", "zh-Hans"),
        ("zh-SG", "zh-Hans"),
        ("zh-Hans-HK", "zh-Hans"),
        ("zh-TW", "zh-Hant"),
        ("zh-hk", "zh-Hant"),
        ("zh-MO", "zh-Hant"),
        ("zh-Hant-CN", "zh-Hant"),
        ("", ""),
        ("und", ""),
        ("x-klingon", ""),
        ("english", ""),
        ("{{ lang }}", ""),
        ("../..", ""),
    ],
)
def test_pages_are_grouped_by_primary_subtag_and_chinese_by_script(language: str, tag: str) -> None:
    assert group_tag(language) == tag


def test_the_main_language_is_that_of_most_pages_and_takes_those_without_one() -> None:
    pages = [page("de"), page("en-US"), page("en"), page(""), page("en-US"), page("{{ lang }}"), page("de")]
    assert groups(*pages) == [("en", "en-US", 5), ("de", "de", 2)]


def test_of_languages_with_as_many_pages_the_home_page_s_is_the_main_one() -> None:
    assert groups(page("de", "de/"), page("fr", ""), page("en", "en/")) == [
        ("fr", "fr", 1),
        ("de", "de", 1),
        ("en", "en", 1),
    ]
    assert groups(page("de", "de/"), page("en", "en/"))[0][0] == "de"
    assert groups(page("de", "de/"), page("de", "de/a"), page("en", ""))[0][0] == "de"


def test_a_site_that_names_no_language_is_english() -> None:
    assert groups(page(""), page("C")) == [("en", "en", 2)]


def test_each_language_is_an_index_of_its_own(
    small_assets: Path, mixed_site: Path, options: Options, assert_whole: Whole
) -> None:
    report = build_site(mixed_site, None, options)
    assert report.languages == {
        "en": {"pages": 7, "passages": report.passages - 3},
        "de": {"pages": 2, "passages": 2},
        "ko": {"pages": 1, "passages": 1},
    }
    assert report.pages == 10
    folder = mixed_site / "nearpage"
    queries = {"": "kettle", "de": "kocht", "ko": "주전자"}
    for below, query in queries.items():
        assert_whole(folder / below, query)
    for below in queries:
        for other, query in queries.items():
            hits = search(Index(folder / below), query, "lexical", 10).hits
            assert bool(hits) == (below == other), (below, query)
    assert [hit.url for hit in search(Index(folder), "spout", "lexical", 10).hits] == ["bare.html"]
    german = load((folder / "de" / FILE_NAME).read_bytes(), "de")
    assert (german.language, german.root, german.pages, german.passages) == ("de", "../../", 2, 2)


def test_what_languages_share_is_there_once(small_assets: Path, mixed_site: Path, options: Options) -> None:
    report = build_site(mixed_site, None, options)
    folder = mixed_site / "nearpage"
    manifests = {below: json.loads((folder / below / FILE_NAME).read_bytes()) for below in ("", "de", "ko")}
    for below in ("de", "ko"):
        for part in ("model", "tokenizer", "runtime", "code"):
            ours, main = manifests[below]["encoder"][part], manifests[""]["encoder"][part]
            assert ours == {"file": f"../{main['file']}", "bytes": main["bytes"]}
        assert manifests[below]["code"]["dialog"]["file"] == f"../{manifests['']['code']['dialog']['file']}"
        assert not list((folder / below).glob("model-*"))
    workers = {below: each["code"]["worker"]["file"] for below, each in manifests.items()}
    assert len({file.removeprefix("../") for file in workers.values()}) == 3
    assert b"stemmer-german.js" in (folder / "de" / workers["de"]).read_bytes()
    assert b"stemmer-" not in (folder / "ko" / workers["ko"]).read_bytes()
    hashed = [path for path in folder.rglob("*-*.*") if path.is_file()]
    assert sum(report.bytes.values()) == sum(path.stat().st_size for path in hashed)


def test_each_page_names_the_loader_of_its_language_text_or_not(
    small_assets: Path, mixed_site: Path, options: Options
) -> None:
    (mixed_site / "de/404.html").write_text('<html lang="de"><head></head><body></body></html>')
    (mixed_site / "fr.html").write_text('<html lang="fr"><head></head><body></body></html>')
    build_site(mixed_site, None, options)
    found = loaders(mixed_site)
    assert found["index.html"] == found["guide/bare.html"] == "nearpage/nearpage.js"
    assert found["bare.html"] == found["fr.html"] == "nearpage/nearpage.js"
    assert found["de/index.html"] == found["de/ch.html"] == found["de/404.html"] == "nearpage/de/nearpage.js"
    assert found["ko/index.html"] == "nearpage/ko/nearpage.js"


def test_a_language_that_is_gone_leaves_nothing_behind(
    small_assets: Path, mixed_site: Path, options: Options, snapshot: Snapshot
) -> None:
    shutil.copytree(mixed_site, mixed_site.with_name("fresh"))
    build_site(mixed_site, None, options)
    for site in (mixed_site, mixed_site.with_name("fresh")):
        shutil.rmtree(site / "ko")
        german = site / "de/index.html"
        german.write_text(german.read_text("utf-8").replace('lang="de"', 'lang="fr"'), "utf-8")
        shutil.rmtree(site / "guide")
        (site / "de/ch.html").unlink()
        (site / "index.html").unlink()
        build_site(site, None, options)
    assert (mixed_site / "nearpage/fr" / FILE_NAME).is_file()
    assert not (mixed_site / "nearpage/de").exists()
    assert not (mixed_site / "nearpage/ko").exists()
    assert snapshot(mixed_site) == snapshot(mixed_site.with_name("fresh"))
    for path in (mixed_site / "de/index.html", mixed_site / "nearby/nearpage/index.html"):
        path.unlink()
    build_site(mixed_site, None, options)
    assert [path.name for path in (mixed_site / "nearpage").iterdir() if path.is_dir()] == []


def test_only_a_folder_of_an_index_is_taken_for_a_language_that_is_gone(
    small_assets: Path, mixed_site: Path, options: Options
) -> None:
    folder = mixed_site / "nearpage"
    (folder / "fr").mkdir(parents=True)
    (folder / "fr/manifest.json").write_text("of a web app")
    build_site(mixed_site, None, options)
    (folder / "ko/notes.txt").write_text("not ours")
    (mixed_site / "ko/index.html").unlink()
    build_site(mixed_site, None, options)
    assert (folder / "fr/manifest.json").read_text() == "of a web app"
    assert [path.name for path in (folder / "ko").iterdir()] == ["notes.txt"]


def test_builds_of_several_languages_give_the_same_bytes(
    tmp_path: Path, small_assets: Path, mixed_site: Path, options: Options, snapshot: Snapshot
) -> None:
    twin = Path(shutil.copytree(mixed_site, tmp_path / "another" / "name"))
    build_site(mixed_site, None, options)
    build_site(twin, None, options)
    assert snapshot(mixed_site) == snapshot(twin)
    build_site(twin, None, options)
    assert snapshot(mixed_site) == snapshot(twin)


def test_a_killed_build_of_several_languages_leaves_whole_indexes_and_the_next_one_cleans_up(
    tmp_path: Path,
    small_assets: Path,
    mixed_site: Path,
    options: Options,
    snapshot: Snapshot,
    assert_whole: Whole,
) -> None:
    build_site(mixed_site, None, options)
    page = mixed_site / "de/index.html"
    page.write_text(page.read_text("utf-8").replace("kocht Wasser", "kocht Wasser schnell"), "utf-8")
    (mixed_site / "ko/index.html").unlink()
    french = (
        '<html lang="fr"><head></head><body><main><h1>Bouilloire</h1><p>Elle bout.</p></main></body></html>'
    )
    (mixed_site / "fr.html").write_text(french)
    old = snapshot(mixed_site)
    finished = Path(shutil.copytree(mixed_site, tmp_path / "finished"))
    build_site(finished, None, options)
    new = snapshot(finished)
    killed = tmp_path / "killed"
    killed.mkdir()
    arguments = [mixed_site, killed, options.encoder, small_assets.parent]
    script = [sys.executable, str(HERE / "killed_builds.py"), *map(str, arguments)]
    kills = int(subprocess.run(script, check=True, capture_output=True, text=True).stdout) - 1
    assert kills > 20
    queries = {"": "kettle", "de": "kocht", "ko": "주전자", "fr": "bouilloire"}
    for number in range(1, kills + 1):
        site = killed / str(number)
        named = {loader.removeprefix("nearpage/").rpartition("/")[0] for loader in loaders(site).values()}
        for below in named:
            assert_whole(site / "nearpage" / below, queries[below])
        for name, data in snapshot(site).items():
            if name.endswith((FILE_NAME, LOADER, ".html")):
                assert data in (old.get(name), new.get(name)), name
        build_site(site, None, options)
        assert snapshot(site) == new
