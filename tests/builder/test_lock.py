import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from nearpage.builder.build import Options
from nearpage.builder.errors import NearpageError
from nearpage.builder.lock import FILE_NAME, locked
from nearpage.builder.site import build_site

HOLD = """
import sys
from pathlib import Path
from nearpage.builder.lock import locked

with locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def holder(folder: Path) -> subprocess.Popen[str]:
    """Another process that has the lock until its input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def end(process: subprocess.Popen[str]) -> None:
    process.communicate()


def test_a_second_build_says_that_another_one_is_writing(tmp_path: Path) -> None:
    process = holder(tmp_path)
    message = "another build is writing this index; wait until it ends"
    with pytest.raises(NearpageError, match=message), locked(tmp_path, wait=0.2):
        pass
    end(process)
    with locked(tmp_path, wait=0):
        pass
    assert list(tmp_path.glob("*")) == []


def test_a_second_build_waits_for_the_first_one_to_end(tmp_path: Path) -> None:
    process = holder(tmp_path)
    threading.Timer(0.5, end, [process]).start()
    start = time.monotonic()
    with locked(tmp_path, wait=30):
        assert time.monotonic() - start >= 0.4


def test_a_killed_build_locks_nothing(tmp_path: Path) -> None:
    process = holder(tmp_path)
    process.kill()
    end(process)
    assert (tmp_path / FILE_NAME).is_file()
    with locked(tmp_path, wait=0):
        pass
    assert not (tmp_path / FILE_NAME).exists()


def test_many_who_want_it_have_it_one_at_a_time(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    inside = 0
    most = 0

    def work() -> None:
        nonlocal inside, most
        for _ in range(20):
            with locked(folder):
                inside += 1
                most = max(most, inside)
                time.sleep(0.001)
                inside -= 1

    threads = [threading.Thread(target=work) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1
    assert not folder.exists()


def test_a_folder_that_cannot_be_made_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "index").write_text("a file")
    message = r"index: the index's folder cannot be made or locked"
    with pytest.raises(NearpageError, match=message), locked(tmp_path / "index"):
        pass


def test_builds_at_once_of_one_site_end_in_what_one_build_gives(
    tmp_path: Path, small_assets: Path, mixed_site: Path, options: Options, snapshot: Callable[[Path], object]
) -> None:
    errors = []

    def work() -> None:
        try:
            build_site(mixed_site, None, options)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    together = snapshot(mixed_site)
    build_site(mixed_site, None, options)
    assert snapshot(mixed_site) == together
