"""Run by test_build.py: builds that end without a word at the first, second, ... change to a file.

    python killed_builds.py ORIGINAL FOLDER ENCODER ASSETS

For each n, a copy FOLDER/n of the folder ORIGINAL is built by a child process that is gone at its n-th
change: before a file is renamed or removed, or when one opened for writing has got its first byte. Ends
with the first n that a build needs no more, and prints it. The code that is killed is the code as it is.
"""

import os
import shutil
import sys
from pathlib import Path
from typing import Any

from nearpage.builder import publish
from nearpage.builder.build import Options
from nearpage.builder.site import build_site


def end_at(change: int, folder: Path) -> None:
    """End this process when it changes a file in the folder for the `change`-th time."""
    left = change

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal left
        writes = event == "open" and arguments[2] & (os.O_WRONLY | os.O_RDWR)
        if (writes or event in {"os.rename", "os.remove"}) and str(arguments[0]).startswith(str(folder)):
            left -= 1
            if left == 0:
                if writes:
                    os.write(os.open(arguments[0], arguments[2]), b"h")
                os._exit(9)

    sys.addaudithook(watch)


def main() -> None:
    """Kill builds until one is not reached by its kill."""
    original, folder, encoder, assets = map(Path, sys.argv[1:])
    publish.resources = lambda package: assets
    change = 0
    status = 9
    while status == 9:
        change += 1
        site = shutil.copytree(original, folder / str(change))
        child = os.fork()
        if child == 0:
            end_at(change, site)
            build_site(site, None, Options(encoder, None, threads=1))
            os._exit(0)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(change)
    sys.exit(status)


if __name__ == "__main__":
    main()
