"""A static server on 127.0.0.1, for trying a built site."""

from collections.abc import Callable
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from nearpage.builder.errors import SourceError


class _Handler(SimpleHTTPRequestHandler):
    # Debian's mime.types may call JavaScript something else, and a worker must be a script.
    extensions_map = SimpleHTTPRequestHandler.extensions_map | {".js": "text/javascript"}

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not logged."""


def server(site: Path, port: int) -> ThreadingHTTPServer:
    """A server that is bound and not yet running; port 0 takes a free one."""
    if not site.is_dir():
        raise SourceError(f"{site}: no such folder; build the site first")
    try:
        return ThreadingHTTPServer(("127.0.0.1", port), partial(_Handler, directory=str(site)))
    except OSError as error:
        raise SourceError(
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
