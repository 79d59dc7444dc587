"""Vectors of passages embedded before, so that unchanged content is never embedded again.

One SQLite file: whole under concurrent builds and killed ones. The key is the encoder's fingerprint and
the embedded text, so a cache may be shared by any number of sites and versions.
"""

import hashlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from nearpage.builder.errors import NearpageError, UsageError

Vector = npt.NDArray[np.float32]
T = TypeVar("T")

FILE_NAME = "vectors-1.sqlite"
LONGEST_UNUSED = 60
"""Days after which a vector that no build needed is dropped."""
LONGEST_WAIT = 60
"""Seconds to wait while another build writes."""
_CHUNK = 500
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR}
"""Error codes of a file that is not what we wrote. Others, as a full disk or a lock, say nothing of it."""
_DAY = 86_400  # seconds


class VectorCache:
    """Vectors [dims] by text, for one encoder; a file that turns out to be damaged is begun anew."""

    def __init__(self, path: Path | str, fingerprint: str) -> None:
        self._path = path
        self._fingerprint = fingerprint.encode()
        self._today = int(time.time()) // _DAY
        self._connection = sqlite3.connect(path, timeout=LONGEST_WAIT)
        self._mended(self._prepare)

    def get(self, texts: Sequence[str]) -> dict[int, Vector]:
        """The vectors that are known, by position in `texts`."""
        keys = [self._key(text) for text in texts]
        known = self._mended(lambda: self._read(keys))
        return {position: known[key] for position, key in enumerate(keys) if key in known}

    def put(self, texts: Sequence[str], vectors: Vector) -> None:
        """Keep vectors [n, dims] of texts."""
        rows = [
            (self._key(text), vector.astype("<f4").tobytes(), self._today)
            for text, vector in zip(texts, vectors, strict=True)
        ]
        self._mended(lambda: self._write("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows))

    def prune(self) -> None:
        """Drop what no build of the last LONGEST_UNUSED days needed."""
        oldest = [(self._today - LONGEST_UNUSED,)]
        self._mended(lambda: self._write("DELETE FROM vectors WHERE used < ?", oldest))

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def _prepare(self) -> None:
        self._connection.execute(
            "CREATE TABLE IF NOT EXISTS vectors"
            " (key BLOB PRIMARY KEY, vector BLOB NOT NULL, used INTEGER NOT NULL)"
        )

    def _read(self, keys: list[bytes]) -> dict[bytes, Vector]:
        known: dict[bytes, Vector] = {}
        stale = []
        for start in range(0, len(keys), _CHUNK):
            chunk = keys[start : start + _CHUNK]
            marks = ",".join("?" * len(chunk))
            query = f"SELECT key, vector, used FROM vectors WHERE key IN ({marks})"  # noqa: S608
            for key, vector, used in self._connection.execute(query, chunk):
                known[key] = np.frombuffer(vector, "<f4").astype(np.float32)
                if used < self._today:
                    stale.append((self._today, key))
        # Once a day: to note a use is to write the whole row again.
        self._write("UPDATE vectors SET used = ? WHERE key = ?", stale)
        return known

    def _write(self, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
        with self._connection:
            self._connection.executemany(statement, rows)

    def _mended(self, work: Callable[[], T]) -> T:
        """The work's result, on a file begun anew where SQLite finds the old one damaged."""
        try:
            return work()
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode & 0xFF not in _DAMAGED:
                raise
            self._begin_anew()
            return work()

    def _begin_anew(self) -> None:
        self._connection.close()
        try:
            # The journal first: SQLite would roll a new file back to the state of the damaged one.
            for path in (f"{self._path}-journal", self._path):
                Path(path).unlink(missing_ok=True)
        except OSError as error:
            raise _unusable(self._path, error) from error
        self._connection = sqlite3.connect(self._path, timeout=LONGEST_WAIT)
        self._prepare()

    def _key(self, text: str) -> bytes:
        return hashlib.sha256(self._fingerprint + b"\0" + text.encode()).digest()


@contextmanager
def open_cache(folder: Path | None, fingerprint: str) -> Iterator[VectorCache]:
    """The cache in a folder, which is made where it is missing; None keeps vectors in memory alone.

    Raises NearpageError, here and from within the block, when the file cannot be used.
    """
    path = folder / FILE_NAME if folder else ":memory:"
    if folder:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _unusable(path, error) from error
    try:
        with closing(VectorCache(path, fingerprint)) as cache:
            yield cache
    except sqlite3.Error as error:
        raise _unusable(path, error) from error


def _unusable(path: Path | str, error: Exception) -> NearpageError:
    reason = error.strerror if isinstance(error, OSError) else error
    return NearpageError(f"{path}: the cache cannot be used ({reason}); choose another with --cache-dir")


def default_folder() -> Path:
    """Where the command line keeps the cache: $NEARPAGE_CACHE_DIR, or the user's cache folder."""
    own = os.environ.get("NEARPAGE_CACHE_DIR")
    if own:
        return Path(own)
    try:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    except RuntimeError as error:  # a user without an entry in the system's list, as in some containers
        raise UsageError("no home folder to keep the cache in; choose a folder with --cache-dir") from error
    return base / "nearpage"
