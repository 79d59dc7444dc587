"""Which files of a built site are pages, under which URLs, and what is said when there are none."""

import os
from pathlib import Path

import pytest
from nearpage.builder.errors import SourceError
from nearpage.builder.pages import page_url, read_pages


def site(root: Path, *files: str, html: str = "<p>text") -> Path:
    for file in files:
        path = root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(html, encoding="utf-8")
    return root


def urls(root: Path) -> list[str]:
    return [url for url, _ in read_pages(root)]


@pytest.mark.parametrize(
    ("path", "url"),
    [
        ("index.html", ""),
        ("guide/index.html", "guide/"),
        ("guide/boats.html", "guide/boats.html"),
        ("guide/my-index.html", "guide/my-index.html"),
        ("zwei Wörter/index.html", "zwei%20W%C3%B6rter/"),
        ("macro.a!b.html", "macro.a%21b.html"),
        ("50%.html", "50%25.html"),
    ],
)
def test_a_url_is_relative_percent_encoded_and_without_index_html(path: str, url: str) -> None:
    assert page_url(path) == url


def test_pages_come_sorted_by_url_with_their_bytes(tmp_path: Path) -> None:
    site(tmp_path, "z.html", "index.html", "a/index.html", "a/b.html", "a.html", "note.txt")
    (tmp_path / "z.html").write_bytes(b"\xff\x00")
    pages = list(read_pages(tmp_path))
    assert [url for url, _ in pages] == ["", "a.html", "a/", "a/b.html", "z.html"]
    assert pages[-1] == ("z.html", b"\xff\x00")


@pytest.mark.parametrize(
    "file",
    [
        "404.html",
        "fr/404.html",
        "genindex.html",
        "genindex-A.html",
        "py-modindex.html",
        "search.html",
        "_modules/harbour/pier.html",
        "_sources/index.html",
        "_static/frame.html",
        "docs/_print/index.html",
        "print_page/index.html",
        "nearpage/demo.html",
        ".cache/old.html",
        ".hidden.html",
    ],
)
def test_what_machines_made_is_no_page(tmp_path: Path, file: str) -> None:
    assert urls(site(tmp_path, "index.html", file)) == [""]


@pytest.mark.parametrize("file", ["guide/nearpage/index.html", "setup/search.html", "guide/help.html"])
def test_pages_that_only_look_like_it_are_kept(tmp_path: Path, file: str) -> None:
    assert urls(site(tmp_path, "index.html", file)) == ["", page_url(file)]


def test_the_search_form_of_a_sphinx_project_in_a_subfolder_is_skipped(tmp_path: Path) -> None:
    site(tmp_path, "api/index.html", "api/search.html", "api/searchindex.js")
    assert urls(tmp_path) == ["api/"]


def test_rustdoc_lists_and_sources_are_skipped_but_only_those_of_rustdoc(tmp_path: Path) -> None:
    names = ("all.html", "help.html", "settings.html")
    rust = site(tmp_path / "rust", "index.html", *names, html='<meta name="generator" content="rustdoc">')
    site(rust, "src/harbour/pier.rs.html")
    assert urls(rust) == [""]
    other = site(tmp_path / "other", "index.html", *names, "guide/src/index.html")
    assert urls(other) == ["", "all.html", "guide/src/", "help.html", "settings.html"]


def test_linked_folders_are_not_entered_and_linked_files_only_within_the_site(tmp_path: Path) -> None:
    root = site(tmp_path / "site", "1.0/index.html")
    site(tmp_path / "elsewhere", "index.html")
    (root / "latest").symlink_to("1.0")
    (root / "1.0/loop").symlink_to("..")
    (root / "out").symlink_to(tmp_path / "elsewhere")
    (root / "same.html").symlink_to("1.0/index.html")
    (root / "foreign.html").symlink_to(tmp_path / "elsewhere/index.html")
    (root / "nowhere.html").symlink_to("gone.html")
    (root / "itself.html").symlink_to("itself.html")
    assert urls(root) == ["1.0/", "same.html"]


def test_a_site_may_itself_be_a_link(tmp_path: Path) -> None:
    site(tmp_path / "real", "index.html")
    (tmp_path / "link").symlink_to("real")
    assert urls(tmp_path / "link") == [""]


@pytest.mark.parametrize(
    ("name", "words"), [("gone", "does not exist"), ("file", "is a file"), ("empty", "no HTML pages")]
)
def test_a_wrong_folder_is_reported_at_once_with_what_to_do(tmp_path: Path, name: str, words: str) -> None:
    (tmp_path / "file").touch()
    site(tmp_path / "empty", "404.html")
    with pytest.raises(SourceError) as raised:
        read_pages(tmp_path / name)
    message = str(raised.value)
    assert words in message
    assert str(tmp_path / name) in message
    assert "the folder" in message
    assert "\n" not in message


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site(tmp_path, "index.html", "locked.html")
    read_bytes = Path.read_bytes

    def refuse(path: Path) -> bytes:
        if path.name == "locked.html":
            raise PermissionError(13, "Permission denied", str(path))
        return read_bytes(path)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(SourceError, match=r"locked\.html \(Permission denied\): make it readable"):
        list(read_pages(tmp_path))


def test_a_file_whose_name_is_not_utf8_has_a_url_all_the_same() -> None:
    assert page_url(os.fsdecode(b"caf\xe9/index.html")) == "caf%E9/"
    assert page_url("café.html") == "caf%C3%A9.html"
