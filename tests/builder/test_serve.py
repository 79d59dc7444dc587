import signal
import socket
import threading
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest
from nearpage.builder.errors import NearpageError, SourceError
from nearpage.builder.serve import serve, server


@pytest.fixture
def port(site: Path) -> Iterator[int]:
    """The port of a server of the site."""
    with server(site, 0) as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running.server_address[1]
        running.shutdown()
        thread.join()


def get(port: int, path: str) -> tuple[int, str, str, bytes]:
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", path)
    response = connection.getresponse()
    body = response.read()
    connection.close()
    kind, caching = response.headers["Content-Type"], response.headers["Cache-Control"]
    return response.status, kind, caching, body


def test_pages_come_as_they_are_and_are_asked_for_each_time(site: Path, port: int) -> None:
    page = (site / "guide/index.html").read_bytes()
    assert get(port, "/guide/") == (200, "text/html", "no-cache", page)


def test_scripts_are_served_as_scripts(site: Path, port: int) -> None:
    (site / "worker.js").write_text("1")
    assert get(port, "/worker.js")[1] == "text/javascript"


def test_what_is_outside_of_the_site_is_not_served(site: Path, port: int) -> None:
    (site.parent / "secret.txt").write_text("x")
    assert get(port, "/../secret.txt")[0] == 404
    assert get(port, "/%2e%2e/secret.txt")[0] == 404


def test_only_this_machine_is_served(site: Path) -> None:
    with server(site, 0) as running:
        assert running.server_address[0] == "127.0.0.1"


def test_a_visitor_who_leaves_early_is_no_error(
    site: Path, port: int, capfd: pytest.CaptureFixture[str]
) -> None:
    (site / "large.bin").write_bytes(bytes(8_000_000))
    visitor = socket.create_connection(("127.0.0.1", port))
    visitor.sendall(b"GET /large.bin HTTP/1.1\r\nHost: x\r\n\r\n")
    visitor.recv(1000)
    visitor.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # leave with a reset
    visitor.close()
    time.sleep(0.3)
    assert get(port, "/index.html")[0] == 200
    assert capfd.readouterr().err == ""


def test_other_errors_are_told_of(site: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with server(site, 0) as running:
        try:
            raise ValueError("ours")
        except ValueError:
            running.handle_error(None, ("127.0.0.1", 1))  # type: ignore[arg-type]
    assert "ValueError: ours" in capfd.readouterr().err


def test_a_port_in_use_is_told_of_with_the_remedy(site: Path, port: int) -> None:
    with pytest.raises(
        NearpageError, match=rf"port {port} cannot be used \(.*\); choose another with --port"
    ):
        server(site, port)


def test_a_site_that_is_not_there_is_told_of(site: Path) -> None:
    with pytest.raises(SourceError, match="nowhere: no such folder"):
        server(site / "nowhere", 0)
    with pytest.raises(SourceError, match=r"index.html: a file, not a folder"):
        server(site / "index.html", 0)


def test_ctrl_c_ends_the_server_quietly(site: Path) -> None:
    def interrupt(address: str) -> None:
        assert address.startswith("http://127.0.0.1:")
        threading.Timer(0.1, signal.raise_signal, [signal.SIGINT]).start()

    serve(site, 0, interrupt)
