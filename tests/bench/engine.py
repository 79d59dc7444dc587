"""What both engines are measured by: the time of a command, and a visitor's questions in a browser."""

import os
import statistics
import subprocess
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser

from tests.bench.browser import Sent, ask, served, visit

REPEATS = 3
"""Fresh contexts for each question."""


@dataclass(frozen=True, slots=True)
class Asking:
    """How a browser asks an engine: a script that defines `ask(question)`, milliseconds to the results."""

    folder: str
    script: str


def timed(command: Sequence[str | Path]) -> tuple[dict[str, float], str]:
    """A command's seconds, wall and CPU, and its output."""
    before, begun = os.times(), time.perf_counter()
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    wall, after = time.perf_counter() - begun, os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return {"wall": round(wall, 2), "cpu": round(cpu, 2)}, output


def by_kind(folder: Path, kind_of: Any) -> dict[str, dict[str, int]]:
    """Files and bytes of a folder, by kind and in all."""
    kinds: dict[str, dict[str, int]] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            for kind in (kind_of(path), "all"):
                row = kinds.setdefault(kind, {"files": 0, "bytes": 0})
                row["files"] += 1
                row["bytes"] += path.stat().st_size
    return kinds


def spread(values: Iterable[float]) -> dict[str, float]:
    known = sorted(values)
    return {
        "min": round(known[0], 1),
        "median": round(statistics.median(known), 1),
        "max": round(known[-1], 1),
        "times": len(known),
    }


def total(sent: list[Sent]) -> dict[str, int]:
    return {"requests": len(sent), "bytes": sum(each.bytes for each in sent)}


def ask_all(browser: Browser, folder: Path, asking: Asking, questions: Sequence[str]) -> dict[str, Any]:
    """A page load, then each question first in a fresh context, followed by all others."""
    cold: list[float] = []
    warm: list[float] = []
    first: list[dict[str, int]] = []
    later: list[dict[str, int]] = []
    with served(folder) as site:
        with visit(browser, site):
            everything = site.sent()
        own = [each for each in everything if each.path.startswith(f"/{asking.folder}/")]
        # Once unmeasured: the browser and the disk have then seen everything.
        with visit(browser, site, asking.script) as page:
            ask(page, questions[0])
        for repeat in range(REPEATS):
            for number in range(len(questions)):
                site.sent()
                with visit(browser, site, asking.script) as page:
                    loaded = site.sent(f"{asking.folder}/")
                    cold.append(ask(page, questions[number]))
                    page.wait_for_timeout(100)  # ms, for what was asked for and not waited for
                    if repeat == 0:
                        first.append(total(loaded + site.sent(f"{asking.folder}/")))
                    for question in questions[number + 1 :] + questions[:number]:
                        site.sent()
                        warm.append(ask(page, question))
                        if repeat == 0:
                            later.append(total(site.sent(f"{asking.folder}/")))
    return {
        "page_load": {"all": total(everything), "own": total(own)},
        "first_result": {
            "requests": spread(each["requests"] for each in first),
            "bytes": spread(each["bytes"] for each in first),
            "ms": spread(cold),
        },
        "later_result": {
            "requests": spread(each["requests"] for each in later),
            "bytes": spread(each["bytes"] for each in later),
            "ms": spread(warm),
        },
    }
