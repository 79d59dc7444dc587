"""One build at a time over one index: a lock of the operating system, which ends with its process."""

import errno
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from nearpage.builder.errors import NearpageError

FILE_NAME = ".nearpage-lock"
LONGEST_WAIT = 60.0
"""Seconds to wait while another build writes."""
_PAUSE = 0.05  # seconds
_TAKEN = {errno.EACCES, errno.EAGAIN, errno.EDEADLK}

if sys.platform == "win32":
    import msvcrt

    def _take(file: BinaryIO) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _take(file: BinaryIO) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def locked(folder: Path, wait: float = LONGEST_WAIT) -> Iterator[None]:
    """Be the only build that writes an index into a folder, which is made where it is missing.

    What a killed build leaves is an empty file that locks nothing. Raises NearpageError if another build
    still writes after `wait` seconds.
    """
    path = folder / FILE_NAME
    last = time.monotonic() + wait
    try:
        while (file := _opened(path)) is None:
            if time.monotonic() >= last:
                raise NearpageError(
                    f"{folder}: another build is writing this index; wait until it ends, and build again"
                )
            time.sleep(_PAUSE)
    except OSError as error:
        raise NearpageError(
            f"{folder}: the index's folder cannot be made or locked ({error.strerror}); choose another, or "
            "remove what is in its place"
        ) from error
    try:
        yield
    finally:
        # While it is still ours, but where an open file cannot be removed.
        ending = (file.close, path.unlink) if sys.platform == "win32" else (path.unlink, file.close)
        for step in (*ending, folder.rmdir):  # the folder, if a failed build leaves it empty
            with suppress(OSError):
                step()


def _opened(path: Path) -> BinaryIO | None:
    """The lock's file, locked; None if another build has it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    file = path.open("ab")
    try:
        _take(file)
        # The build before may have removed it between our opening and its end.
        if os.path.samestat(os.fstat(file.fileno()), path.stat()):
            return file
    except FileNotFoundError:
        pass
    except OSError as error:
        if error.errno not in _TAKEN:
            file.close()
            raise
    file.close()
    return None
