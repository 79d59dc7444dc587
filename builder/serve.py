"""A static server on 127.0.0.1, for trying a built site."""

import sys
from collections.abc import Callable
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from nearpage.builder.errors import NearpageError, SourceError


class _Handler(SimpleHTTPRequestHandler):
    # Debian's mime.types may call JavaScript something else, and a worker must be a script.
    extensions_map = SimpleHTTPRequestHandler.extensions_map | {".js": "text/javascript"}

    def end_headers(self) -> None:
        """Have the browser ask each time: what is tried is often built again."""
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not logged."""


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that leaves early is no error to tell of; a file that vanished is the browser's 404."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


def server(site: Path, port: int) -> ThreadingHTTPServer:
    """A server that is bound and not yet running; port 0 takes a free one."""
    if not site.is_dir():
        what = "a file, not a folder" if site.exists() else "no such folder"
        raise SourceError(f"{site}: {what}; name the folder the site was built to")
    try:
        return _Server(("127.0.0.1", port), partial(_Handler, directory=str(site)))
    except OSError as error:
        raise NearpageError(
            f"port {port} cannot be used ({error.strerror}); choose another with --port"
        ) from error


def serve(site: Path, port: int, announce: Callable[[str], None]) -> None:
    """Serve until interrupted; `announce` is told the address."""
    with server(site, port) as running:
        announce(f"http://127.0.0.1:{running.server_address[1]}/")
        try:
            running.serve_forever()
        except KeyboardInterrupt:
            return
