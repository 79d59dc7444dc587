import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from nearpage.builder.build import Options
from nearpage.builder.errors import NearpageError, SourceError
from nearpage.builder.manifest import FILE_NAME
from nearpage.builder.publish import (
    LOADER,
    PLACEHOLDER,
    Folder,
    asset,
    html_files,
    inject,
    leading_to,
    with_tag,
    write_atomically,
)
from nearpage.builder.site import build_site

TAG = b'<script data-nearpage src="nearpage/nearpage.js" defer></script>\n'


def main(page: Path, html: bytes) -> str:
    """Every page has the main language."""
    return ""


def tagged(html: bytes) -> bytes:
    return with_tag(html, "nearpage/nearpage.js")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(b"<head><title>T</title>", b"</head><body></body>", id="at the end of the head"),
        pytest.param(b"<HEAD>", b"</HEAD ><BODY></BODY>", id="whatever the case of the tags"),
        pytest.param(b"<p>no head<p>", b"</body></html>", id="without a head at the end of the body"),
        pytest.param(b"<title>T</title><p>neither", b"", id="without either at the end of the page"),
        pytest.param(b"<head><!-- </head> -->", b"</head>", id="not in a comment"),
        pytest.param(b'<head><script>a="</head>"</script>', b"</head>", id="not in a script"),
        pytest.param(b"<head><style>/*</head>*/</style>", b"</head>", id="not in a style"),
        pytest.param(b"<title>the </head> tag</title>", b"</head>", id="not in a title"),
        pytest.param(b'<head><meta content="a </head> b">', b"</head>", id="not in an attribute"),
        pytest.param(b"<head><script src='x>y'></script>", b"</head>", id="a > in an attribute ends no tag"),
        pytest.param(b"<body><header>x</header>", b"</body>", id="a header is no head"),
        pytest.param(b"<head-line></head-line><p>", b"</body>", id="nor is an element of another name"),
        pytest.param(b"\xef\xbb\xbf<head>\r\n", b"</head>\r\n", id="after a BOM and CRLF"),
        pytest.param(b"<head><title>caf\xe9</title>", b"</head>\xff\xfe", id="with bytes that are no UTF-8"),
        pytest.param(b"<head><!-- never closed", b"</head>", id="with a comment that never ends"),
    ],
)
def test_the_tag_goes_in_and_every_other_byte_stays(before: bytes, after: bytes) -> None:
    assert tagged(before + after) == before + TAG + after


@pytest.mark.parametrize("html", [b"", b"google-site-verification: google1.html", "<p>".encode("utf-16")])
def test_what_is_not_markup_is_left_alone(html: bytes) -> None:
    assert tagged(html) == html


@pytest.mark.parametrize("html", [b"<head></head>", b"<p>x", b"<head>\r\n</head>\r\n", b"<body>\n</body>"])
def test_a_tag_is_put_in_once_and_moves_with_the_index(html: bytes) -> None:
    once = tagged(html)
    assert once.count(TAG) == 1
    assert tagged(once) == once
    assert with_tag(with_tag(once, "../elsewhere/nearpage.js"), "nearpage/nearpage.js") == once


@pytest.mark.parametrize(
    "tag",
    [
        b'<script src="nearpage/nearpage.js" defer></script>',
        b'<script src="../../nearpage/nearpage.js" defer></script>\n',
        b'<script src="/docs/v2/nearpage/nearpage.js" defer></script>',
        b"<script defer src='https://a.example/search/nearpage.js?v=1'></script>",
        b"<SCRIPT SRC=nearpage/nearpage.js DEFER></SCRIPT>",
        b"<script\n  data-nearpage\n  src=nearpage.js\n></script >",
    ],
)
def test_any_tag_of_the_loader_gives_way_to_ours(tag: bytes) -> None:
    page = b"<head><title>T</title>%s</head><body><p>x%s</body>"
    bare = page % (b"", b"")
    assert tagged(page % (tag, b"")) == tagged(page % (b"", tag)) == tagged(bare)
    assert tagged(page % (tag, tag)) == tagged(bare)


@pytest.mark.parametrize(
    "other",
    [
        b'<script src="js/notnearpage.js"></script>',
        b'<script src="nearpage.json"></script>',
        b'<script src="nearpage.js/other.js"></script>',
        b'<script src="nearpage.js">of its own</script>',
        b'<script>load("nearpage.js")</script>',
        b'<script data-src="nearpage.js"></script>',
        b'<!-- <script src="nearpage/nearpage.js" defer></script> -->',
        b'<textarea><script src="nearpage.js"></script></textarea>',
    ],
)
def test_what_is_no_tag_of_the_loader_stays(other: bytes) -> None:
    html = b"<head></head><body>%s</body>" % other
    assert tagged(html) == html.replace(b"</head>", TAG + b"</head>")


@pytest.mark.parametrize(
    ("before", "main", "german"),
    [
        (b"nearpage/", b"nearpage/", b"nearpage/de/"),
        (b"../nearpage/fr/", b"../nearpage/", b"../nearpage/de/"),
        (b"/docs/nearpage/zh-Hant/", b"/docs/nearpage/", b"/docs/nearpage/de/"),
        (b"js/", b"js/", b"js/"),
    ],
)
def test_a_tag_is_led_to_the_index_of_another_language(before: bytes, main: bytes, german: bytes) -> None:
    page = b'<head></head><body><script src="%snearpage.js" defer></script></body>'
    assert leading_to(page % before, "") == page % main
    assert leading_to(page % before, "de") == page % german


def test_a_large_page_of_unclosed_quotes_takes_no_time() -> None:
    html = b"<p title='" * 20_000
    assert tagged(html) == html + TAG


def test_each_page_names_the_loader_relative_to_itself(site: Path) -> None:
    inject(html_files(site, site / "nearpage"), site / "nearpage", main, lambda done: None)
    assert b' src="nearpage/nearpage.js"' in (site / "index.html").read_bytes()
    assert b' src="../nearpage/nearpage.js"' in (site / "guide/bare.html").read_bytes()
    assert b' src="../../nearpage/nearpage.js"' in (site / "guide/advanced/descaling.html").read_bytes()
    assert b' src="../../nearpage/nearpage.js"' in (site / "nearby/nearpage/index.html").read_bytes()


def test_the_folder_s_name_becomes_a_url(site: Path) -> None:
    index = site / 'a "b" & <c>#?%é:'
    inject([site / "index.html"], index, main, lambda done: None)
    expected = b' src="a%20%22b%22%20%26%20%3Cc%3E%23%3F%25%C3%A9%3A/nearpage.js"'
    assert expected in (site / "index.html").read_bytes()


def test_pages_are_all_html_files_but_links_and_our_own_folder(site: Path) -> None:
    for name in ("nearpage/demo.html", ".git/x.html", "_static/macros.html", "OLD.HTM", "404.html"):
        (site / name).parent.mkdir(exist_ok=True)
        (site / name).write_text("<p>")
    (site / "link.html").symlink_to("index.html")
    (site / "folder.html").mkdir()
    found = [path.relative_to(site).as_posix() for path in html_files(site, site / "nearpage")]
    assert sorted(found) == [
        "404.html",
        "OLD.HTM",
        "guide/advanced/descaling.html",
        "guide/bare.html",
        "guide/index.html",
        "guide/windows.html",
        "index.html",
        "nearby/nearpage/index.html",
    ]


def test_what_a_killed_build_left_among_the_pages_goes(site: Path) -> None:
    ours, not_ours = site / "guide/.nearpage-0123456789abcdef", site / "guide/.nearpage-notes"
    ours.touch()
    not_ours.touch()
    html_files(site, site / "nearpage")
    assert not ours.exists()
    assert not_ours.exists()


def test_a_page_that_vanishes_before_it_is_injected_is_named(site: Path) -> None:
    gone = site / "gone.html"
    with pytest.raises(SourceError, match=rf"cannot read {gone} \(No such file"):
        inject([gone], site / "nearpage", main, lambda done: None)


def test_a_page_keeps_its_permissions(site: Path) -> None:
    page = site / "index.html"
    page.chmod(0o640)
    inject([page], site / "nearpage", main, lambda done: None)
    assert stat.S_IMODE(page.stat().st_mode) == 0o640


def test_a_new_file_gets_the_permissions_that_the_user_wants(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_atomically(tmp_path / "file", b"x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640


@pytest.mark.parametrize("failing", ["fsync", "replace"])
def test_a_full_disk_leaves_the_old_file_and_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    target = tmp_path / "file"
    target.write_bytes(b"old")

    def full(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, failing, full)
    with pytest.raises(
        NearpageError, match=r"file: cannot be written \(No space left on device\); make room"
    ):
        write_atomically(target, b"new")
    monkeypatch.undo()
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert target.read_bytes() == b"old"


def test_only_files_that_bear_our_names_are_removed(small_assets: Path, site: Path, options: Options) -> None:
    folder = site / "nearpage"
    folder.mkdir()
    ours = {f"postings-{'0' * 16}.bin", f"worker-{'a' * 16}.js", ".nearpage-" + "0" * 16}
    not_ours = {f"main-{'0' * 16}.js", f"runtime-{'0' * 16}.js", "postings-1.bin", ".nearpage", "notes.txt"}
    for name in ours | not_ours:
        (folder / name).touch()
    build_site(site, None, options)
    left = {path.name for path in folder.iterdir()}
    assert left >= not_ours
    assert not left & ours


def test_a_damaged_file_of_an_index_is_mended_by_the_next_build(
    small_assets: Path, site: Path, options: Options, snapshot: Callable[[Path], dict[str, bytes]]
) -> None:
    build_site(site, None, options)
    whole = snapshot(site)
    damaged = next((site / "nearpage").glob("texts-*.bin"))
    damaged.write_bytes(bytes(damaged.stat().st_size))
    build_site(site, None, options)
    assert snapshot(site) == whole


def test_a_folder_that_cannot_be_made_is_told_of_before_the_work(small_assets: Path, site: Path) -> None:
    (site / "nearpage").write_text("a file")
    with pytest.raises(NearpageError, match=r"nearpage: the index's folder cannot be made \(File exists\)"):
        Folder(site / "nearpage")


def test_the_built_loader_has_a_place_for_the_manifest() -> None:
    assert asset("loader.js").count(PLACEHOLDER) == 1


def test_an_asset_that_was_not_built_says_how_to_get_it() -> None:
    with pytest.raises(NearpageError, match="no browser assets in this installation; install the wheel"):
        asset("never.js")


def test_the_manifest_and_the_loader_are_written_last(
    small_assets: Path, site: Path, options: Options, monkeypatch: pytest.MonkeyPatch
) -> None:
    replaced: list[str] = []
    replace = os.replace

    def noted(source: str, target: str) -> None:
        replaced.append(Path(target).name)
        replace(source, target)

    monkeypatch.setattr(os, "replace", noted)
    build_site(site, None, options, inject_loader=False)
    assert replaced[-2:] == [FILE_NAME, LOADER]
