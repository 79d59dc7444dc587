"""Vectors of passages embedded before, so that unchanged content is never embedded again.

One SQLite file: whole under concurrent builds and killed ones. The key is the encoder's fingerprint and
the embedded text, so a cache may be shared by any number of sites and versions.
"""

import hashlib
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import numpy.typing as npt
from nearpage.builder.errors import SourceError

Vector = npt.NDArray[np.float32]

FILE_NAME = "vectors-1.sqlite"
LONGEST_UNUSED = 60
"""Builds after which a vector that none of them needed is dropped."""
_CHUNK = 500


class VectorCache:
    """Vectors [dims] by text, for one encoder."""

    def __init__(self, connection: sqlite3.Connection, fingerprint: str) -> None:
        self._connection = connection
        self._fingerprint = fingerprint.encode()
        self._build = connection.execute("SELECT COALESCE(MAX(used), 0) + 1 FROM vectors").fetchone()[0]

    def get(self, texts: Sequence[str]) -> dict[int, Vector]:
        """The vectors that are known, by position in `texts`."""
        keys = [self._key(text) for text in texts]
        known: dict[bytes, Vector] = {}
        for start in range(0, len(keys), _CHUNK):
            chunk = keys[start : start + _CHUNK]
            marks = ",".join("?" * len(chunk))
            rows = self._connection.execute(f"SELECT key, vector FROM vectors WHERE key IN ({marks})", chunk)  # noqa: S608
            known.update((key, np.frombuffer(vector, "<f4").astype(np.float32)) for key, vector in rows)
            with self._connection:
                self._connection.execute(
                    f"UPDATE vectors SET used = ? WHERE key IN ({marks})",  # noqa: S608
                    [self._build, *chunk],
                )
        return {position: known[key] for position, key in enumerate(keys) if key in known}

    def put(self, texts: Sequence[str], vectors: Vector) -> None:
        """Keep vectors [n, dims] of texts."""
        rows = [
            (self._key(text), vector.astype("<f4").tobytes(), self._build)
            for text, vector in zip(texts, vectors, strict=True)
        ]
        with self._connection:
            self._connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)

    def prune(self) -> None:
        """Drop what the last LONGEST_UNUSED builds did not need."""
        with self._connection:
            self._connection.execute("DELETE FROM vectors WHERE used < ?", [self._build - LONGEST_UNUSED])

    def _key(self, text: str) -> bytes:
        return hashlib.sha256(self._fingerprint + b"\0" + text.encode()).digest()


@contextmanager
def open_cache(folder: Path, fingerprint: str) -> Iterator[VectorCache]:
    """The cache in a folder, which is made where it is missing; a damaged file is begun anew."""
    path = folder / FILE_NAME
    try:
        folder.mkdir(parents=True, exist_ok=True)
        connection = _connect(path)
    except (OSError, sqlite3.OperationalError) as error:
        raise SourceError(f"{path}: the cache cannot be opened ({error}); choose another folder") from error
    with closing(connection):
        yield VectorCache(connection, fingerprint)


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=60)
    try:
        connection.execute(
            "CREATE TABLE IF NOT EXISTS vectors"
            " (key BLOB PRIMARY KEY, vector BLOB NOT NULL, used INTEGER NOT NULL) WITHOUT ROWID"
        )
    except sqlite3.OperationalError:
        connection.close()
        raise
    except sqlite3.DatabaseError:
        connection.close()
        path.unlink()
        return _connect(path)
    return connection


def default_folder() -> Path:
    """Where the command line keeps the cache: $NEARPAGE_CACHE_DIR, or the user's cache folder."""
    own = os.environ.get("NEARPAGE_CACHE_DIR")
    base = os.environ.get("XDG_CACHE_HOME")
    return Path(own) if own else (Path(base) if base else Path.home() / ".cache") / "nearpage"
