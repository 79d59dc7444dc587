"""Standard output that may be full, or read by a program that has read enough."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import Any, TextIO, cast

from nearpage.builder.errors import OutputError


@contextmanager
def watched_output() -> Iterator[None]:
    """Standard output, flushed at the end; raises OutputError where it cannot be written."""
    output = sys.stdout
    if output is None:  # the program was started without one
        yield
        return
    watched = cast(TextIO, _Watched(output))
    try:
        with redirect_stdout(watched):
            yield
        watched.flush()
    except OutputError:
        # What is left in the buffer goes nowhere; the interpreter would try to write it at its end.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, output.fileno())
        os.close(nowhere)
        raise


class _Watched:
    """A stream of which a failed write is an OutputError: an OSError of a closed pipe click would hide."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        with _told():
            return self._stream.write(text)

    def flush(self) -> None:
        with _told():
            self._stream.flush()


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputError(
            f"standard output cannot be written ({error.strerror}); what was printed is not complete"
        ) from error
