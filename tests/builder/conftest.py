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
        assert search(Index(folder), query, "lexical", 3).hits

    return check
