"""A site of six pages, tiny encoders, and what makes builds of them quick."""

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from nearpage.builder import publish
from nearpage.builder.build import Options
from nearpage.builder.manifest import FILE_NAME, load
from nearpage.builder.reader import Index
from nearpage.builder.search import search

HERE = Path(__file__).parent


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A fresh copy of the site."""
    return Path(shutil.copytree(HERE / "sites" / "kettle", tmp_path / "site"))


@pytest.fixture
def mixed_site(site: Path) -> Path:
    """The site with pages in German, Swiss German and Korean, and one without a language."""
    pages = {
        "de/index.html": ("de", "Kessel", "Der Kessel kocht Wasser und meldet sich, sobald es kocht."),
        "de/ch.html": ("de-CH", "Wasserkocher", "Der Wasserkocher kocht Wasser in Zürich."),
        "ko/index.html": ("ko", "주전자", "주전자는 물을 끓이고 물이 끓으면 알려 줍니다."),
        "bare.html": ("", "Spout", "Nobody says in which language the spout is."),
    }
    for name, (language, title, text) in pages.items():
        (site / name).parent.mkdir(exist_ok=True)
        opening = f'<html lang="{language}">' if language else "<html>"
        html = f"<!doctype html>{opening}<head><title>{title}</title></head><body><main><h1>{title}</h1>"
        (site / name).write_text(f"{html}<p>{text}</p></main></body></html>", "utf-8")
    return site


@pytest.fixture
def encoders() -> Path:
    """The folder that make_tiny_encoder.py writes."""
    return HERE / "encoders"


@pytest.fixture
def options(tmp_path: Path, encoders: Path) -> Options:
    """The tiny encoder, and a cache of the test's own."""
    return Options(encoders / "tiny", tmp_path / "cache", threads=1)


@pytest.fixture
def small_assets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of browser assets of a few bytes: to compress the real ones takes seconds a build."""
    folder = tmp_path / "assets" / "dist"
    folder.mkdir(parents=True)
    for name in (
        "worker.js",
        "dialog.js",
        "encoder.js",
        "runtime.wasm",
        "stemmer-english.js",
        "stemmer-french.js",
        "stemmer-german.js",
        "LICENSES.txt",
    ):
        (folder / name).write_text(f"/* {name} */")
    (folder / "loader.js").write_bytes(b"start(" + publish.PLACEHOLDER + b");")
    monkeypatch.setattr(publish, "resources", lambda package: folder.parent)
    return folder


@pytest.fixture(autouse=True)
def no_cache_at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the command line away from the user's cache."""
    monkeypatch.setenv("NEARPAGE_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture
def snapshot() -> Callable[[Path], dict[str, bytes]]:
    """Every file below a folder, by its path in it."""

    def take(folder: Path) -> dict[str, bytes]:
        files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}

    return take


@pytest.fixture
def assert_whole() -> Callable[[Path, str], None]:
    """Checks every file that manifest or loader name, by size and hash, and that a query finds something."""

    def check(folder: Path, query: str) -> None:
        loader = (folder / publish.LOADER).read_text()
        embedded, _ = json.JSONDecoder().raw_decode(loader[loader.index('{"format"') :])
        for data in ((folder / FILE_NAME).read_bytes(), json.dumps(embedded).encode()):
            for file in load(data, FILE_NAME).files():
                content = (folder / file.file).read_bytes()
                assert len(content) == file.bytes
                assert hashlib.sha256(content).hexdigest()[:16] in file.file
        index = Index(folder)
        for name, size in index.files().items():
            content = (folder / name).read_bytes()
            assert len(content) == size
            assert hashlib.sha256(content).hexdigest()[:16] in name
        assert search(index, query, "lexical", 3).hits

    return check
