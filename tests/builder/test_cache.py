import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from nearpage.builder import cache as caches
from nearpage.builder.cache import FILE_NAME, LONGEST_UNUSED, Vector, default_folder, open_cache
from nearpage.builder.errors import NearpageError, UsageError

TEXTS = [f"passage {number}" for number in range(2000)]


def vectors(count: int = len(TEXTS), dims: int = 12) -> Vector:
    return np.random.default_rng(1).normal(size=(count, dims)).astype(np.float32)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A cache that knows TEXTS."""
    with open_cache(tmp_path / "cache", "encoder") as cache:
        cache.put(TEXTS, vectors())
    return tmp_path / "cache"


def known(folder: Path, fingerprint: str = "encoder", texts: list[str] = TEXTS) -> dict[int, Vector]:
    with open_cache(folder, fingerprint) as cache:
        return cache.get(texts)


def test_a_vector_comes_back_bit_for_bit(folder: Path) -> None:
    found = known(folder)
    assert list(found) == list(range(len(TEXTS)))
    assert np.stack(list(found.values())).tobytes() == vectors().tobytes()


def test_what_was_never_put_is_not_known(folder: Path) -> None:
    assert list(known(folder, texts=["passage 1", "another", "passage 1"])) == [0, 2]
    assert known(folder, texts=[]) == {}


def test_the_vectors_of_another_encoder_are_not_used(folder: Path) -> None:
    assert known(folder, fingerprint="another") == {}


def test_without_a_folder_vectors_are_kept_for_the_build_alone() -> None:
    with open_cache(None, "encoder") as cache:
        cache.put(TEXTS[:1], vectors(1))
        assert len(cache.get(TEXTS)) == 1
    with open_cache(None, "encoder") as cache:
        assert cache.get(TEXTS) == {}


def test_vectors_that_no_build_needs_are_dropped_after_a_while(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()

    def build(day: int) -> None:
        monkeypatch.setattr(time, "time", lambda: now + day * 86_400)
        with open_cache(folder, "encoder") as cache:
            cache.get(TEXTS[:10])
            cache.prune()

    build(LONGEST_UNUSED)
    assert len(known(folder, texts=TEXTS[10:])) == len(TEXTS) - 10
    build(2 * LONGEST_UNUSED + 1)  # the look above was the last time that anyone needed the others
    assert len(known(folder)) == 10


@pytest.mark.parametrize("damage", ["garbage", "empty", "half", "page", "text", "other schema"])
def test_a_damaged_file_is_begun_anew_without_a_word(folder: Path, damage: str) -> None:
    path = folder / FILE_NAME
    data = path.read_bytes()
    ruined = {
        "garbage": b"SQLite? " * 4096,
        "empty": b"",
        "half": data[: len(data) // 2],
        "page": data[:4096] + bytes(8192) + data[12288:],
        "text": data[:100] + b"\xff" * 3000 + data[3100:],
    }
    path.write_bytes(ruined.get(damage, b""))
    if damage == "other schema":
        connection = sqlite3.connect(path)
        connection.execute("CREATE TABLE vectors (key TEXT)")
        connection.close()
    with open_cache(folder, "encoder") as cache:
        cache.get(TEXTS)
        cache.put(TEXTS, vectors())
        cache.prune()
    assert np.stack(list(known(folder).values())).tobytes() == vectors().tobytes()


def test_a_file_damaged_anywhere_does_not_stop_a_build(folder: Path) -> None:
    path = folder / FILE_NAME
    whole = path.read_bytes()
    random = np.random.default_rng(3)
    for _ in range(30):
        data = bytearray(whole)
        start = int(random.integers(len(data)))
        data[start : start + 600] = random.bytes(len(data[start : start + 600]))
        path.write_bytes(data[: int(random.integers(1, len(data)))] if random.random() < 0.3 else data)
        with open_cache(folder, "encoder") as cache:
            for vector in cache.get(TEXTS).values():
                assert vector.shape == (12,)
            cache.put(TEXTS[:50], vectors()[:50])
            cache.prune()


BUILD = """
import sys, numpy as np
from pathlib import Path
from nearpage.builder.cache import open_cache
texts = [f"passage {number}" for number in range(2000)]
vectors = np.random.default_rng(1).normal(size=(2000, 12)).astype(np.float32)
with open_cache(Path(sys.argv[1]), "encoder") as cache:
    for start in range(0, 2000, 50):
        cache.get(texts[start : start + 50])
        cache.put(texts[start : start + 50], vectors[start : start + 50])
    cache.prune()
"""


def test_builds_at_the_same_time_share_a_cache(tmp_path: Path) -> None:
    command = [sys.executable, "-c", BUILD, str(tmp_path)]
    builds = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(3)]
    assert [(build.communicate()[1], build.returncode) for build in builds] == [(b"", 0)] * 3
    assert np.stack(list(known(tmp_path).values())).tobytes() == vectors().tobytes()


def test_a_cache_that_stays_locked_is_told_of(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caches, "LONGEST_WAIT", 0.05)
    other = sqlite3.connect(folder / FILE_NAME)
    other.execute("BEGIN EXCLUSIVE")
    with (
        pytest.raises(
            NearpageError, match=r"vectors-1.sqlite: the cache cannot be used \(database is locked\)"
        ),
        open_cache(folder, "encoder") as cache,
    ):
        cache.put(TEXTS[:1], vectors(1))
    other.close()


def test_a_full_disk_is_told_of_and_the_cache_stays(folder: Path) -> None:
    with (
        pytest.raises(NearpageError, match=r"database or disk is full.*choose another with --cache-dir"),
        open_cache(folder, "encoder") as cache,
    ):
        cache._connection.execute("PRAGMA max_page_count = 1")
        cache.put([f"more {number}" for number in range(2000)], vectors())
    assert len(known(folder)) == len(TEXTS)


def test_a_folder_that_is_a_file_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "cache").touch()
    with pytest.raises(NearpageError, match=r"the cache cannot be used \(File exists\)"):
        known(tmp_path / "cache")


def test_twenty_thousand_vectors_are_read_in_well_under_two_seconds(tmp_path: Path) -> None:
    texts = [f"passage {number} " + "words " * 60 for number in range(20_000)]
    with open_cache(tmp_path, "encoder") as cache:
        cache.put(texts, vectors(20_000, 384))
    start = time.process_time()
    assert len(known(tmp_path, texts=texts)) == 20_000
    assert time.process_time() - start < 2


def test_the_cache_s_folder_is_the_user_s_choice_or_the_system_s(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert default_folder() == tmp_path / "cache"
    monkeypatch.delenv("NEARPAGE_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    assert default_folder() == Path("/x/nearpage")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/me")
    assert default_folder() == Path("/home/me/.cache/nearpage")

    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    with pytest.raises(UsageError, match="no home folder to keep the cache in"):
        default_folder()
