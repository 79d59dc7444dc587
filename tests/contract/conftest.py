"""What the contract's tests share: the browser's text functions, run by Node."""

import json
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def mirror() -> Callable[..., list[Any]]:
    """What `terms` or `stems` gives for each (algorithm, text), or the `unassigned` ranges."""

    def run(what: str, lines: Iterable[tuple[str, str]] = ()) -> list[Any]:
        done = subprocess.run(
            ["node", str(ROOT / "tests/web/mirror.mjs"), what],
            input="".join(json.dumps(line) + "\n" for line in lines),
            stdout=subprocess.PIPE,
            encoding="utf-8",
            check=True,
        )
        return [json.loads(line) for line in done.stdout.splitlines()]

    return run
