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

REPEATS = 4
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


def page_load(browser: Browser, folder: Path, own: str) -> dict[str, dict[str, int]]:
    """What a page asks for before anybody searches: in all, and of an engine's folder."""
    with served(folder) as site, visit(browser, site):
        sent = site.sent()
    return {"all": total(sent), "own": total([each for each in sent if each.path.startswith(f"/{own}/")])}


class Answers:
    """What an engine took to answer: the first question of a visit, and those after it."""

    def __init__(self) -> None:
        self._sent: dict[str, list[dict[str, int]]] = {"first_result": [], "later_result": []}
        self._times: dict[str, list[float]] = {"first_result": [], "later_result": []}

    def ask(self, browser: Browser, folder: Path, asking: Asking, questions: Sequence[str]) -> None:
        """Each question first in a fresh context, followed by all others."""
        with served(folder) as site:
            for number in range(len(questions)):
                site.sent()
                with visit(browser, site, asking.script) as page:
                    sent = site.sent(f"{asking.folder}/")
                    when = "first_result"
                    for question in questions[number:] + questions[:number]:
                        self._times[when].append(ask(page, question))
                        page.wait_for_timeout(50)  # ms, for what was asked for and not waited for
                        self._sent[when].append(total(sent + site.sent(f"{asking.folder}/")))
                        sent, when = [], "later_result"

    def summary(self) -> dict[str, Any]:
        return {
            when: {
                "requests": spread(each["requests"] for each in self._sent[when]),
                "bytes": spread(each["bytes"] for each in self._sent[when]),
                "ms": spread(self._times[when]),
            }
            for when in self._times
        }


def ask_in_turn(
    browser: Browser, engines: Sequence[tuple[Path, Asking]], questions: Sequence[str]
) -> list[dict[str, Any]]:
    """Engines asked the same questions by turns, so that a busy moment of the machine strikes all."""
    answers = [Answers() for _ in engines]
    for repeat in range(REPEATS + 1):
        for (folder, asking), each in zip(engines, answers, strict=True):
            # The first time is not counted: then browser and disk see everything for the first time.
            counted = each if repeat else Answers()
            counted.ask(browser, folder, asking, questions if repeat else questions[:1])
    return [
        {"page_load": page_load(browser, folder, asking.folder), **each.summary()}
        for (folder, asking), each in zip(engines, answers, strict=True)
    ]
