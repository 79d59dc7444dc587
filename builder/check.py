"""A site owner's own relevance tests: what a query must find, and whether it does.

    - query: How do I upload a file?
      expect: tutorial/request-files.md    # or page.md#section, or a list of which one suffices
      within: 3                            # pages from the top; 3 if left out
    - query: pasta recipes
      nothing: true

The same as JSON lines if the file's name ends in `.jsonl`.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import unquote

import orjson
import yaml
from nearpage.builder.errors import UsageError
from nearpage.builder.page_names import normalised

WITHIN = 3
_MEMBERS = ("query", "expect", "within", "nothing")
_WIDTH = 60
"""Characters of a column of the table; longer text is cut."""

Ask = Callable[[str], Sequence[str]]
"""A query to the addresses of its hits, best first; none if nothing is relevant."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a query must find: one of some pages or sections, or nothing if there are none."""

    query: str
    expect: tuple[str, ...]
    within: int
    line: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a query found: where the first expected address came, and the best of each page.

    `rank` counts pages, and `missing` names expected addresses that the index does not hold.
    """

    expectation: Expectation
    ok: bool
    rank: int | None
    found: str | None
    came: tuple[str, ...]
    missing: tuple[str, ...]

    def __str__(self) -> str:
        """What was expected and what came, in a line."""
        expectation = self.expectation
        came = _came(self) or "nothing"
        if not expectation.expect:
            return f"{expectation.query!r} must find nothing relevant; it found {came}"
        wanted = f"{' or '.join(expectation.expect)} within {expectation.within}"
        return f"{expectation.query!r} must find {wanted}: {_place(self)}; it found {came}"


def parse_checks(data: bytes, name: str) -> list[Expectation]:
    """The entries of a file; a UsageError names the first bad one and its line."""
    entries = _json_lines(data, name) if name.endswith(".jsonl") else _yaml(data, name)
    expectations = [
        _expectation(members, line, f"{name}, entry {number} (line {line})")
        for number, (members, line) in enumerate(entries, 1)
    ]
    if not expectations:
        raise UsageError(f"{name}: no entries in it; expected a list, each with query and expect")
    return expectations


def _json_lines(data: bytes, name: str) -> Iterator[tuple[Any, int]]:
    for number, (line, text) in enumerate(
        ((at, text) for at, text in enumerate(data.splitlines(), 1) if text.strip()), 1
    ):
        try:
            yield orjson.loads(text), line
        except orjson.JSONDecodeError as error:
            raise UsageError(f"{name}, entry {number} (line {line}): not JSON ({error})") from error


def _yaml(data: bytes, name: str) -> Iterator[tuple[Any, int]]:
    try:
        # Every scalar is read as the text it is: a query may be 404, or no.
        loader = yaml.BaseLoader(data)
        root = loader.get_single_node()
        if root is None:
            return
        if not isinstance(root, yaml.SequenceNode):
            line = root.start_mark.line + 1
            raise UsageError(f"{name}, line {line}: not a list; begin each entry with '- query:'")
        for node in root.value:
            yield loader.construct_object(node, deep=True), node.start_mark.line + 1
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f", line {mark.line + 1}" if mark else ""
        raise UsageError(f"{name}{where}: not YAML ({error.problem or error.context})") from error
    except (yaml.YAMLError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise UsageError(f"{name}: not YAML ({reason})") from error


def _expectation(members: object, line: int, where: str) -> Expectation:
    if not isinstance(members, dict):
        raise UsageError(f"{where}: {members!r} is no entry; expected query, and expect or nothing")
    unknown = [str(member) for member in members if member not in _MEMBERS]
    if unknown:
        raise UsageError(f"{where}: {unknown[0]} is not known; an entry may hold {', '.join(_MEMBERS)}")
    query = members.get("query")
    if not isinstance(query, str) or not query.strip():
        raise UsageError(f"{where}: query must be text, not {query!r}")
    nothing = str(members.get("nothing", False)).lower()
    if nothing not in ("true", "false"):
        raise UsageError(f"{where}: nothing must be true or false, not {members['nothing']!r}")
    if nothing == "true":
        if "expect" in members or "within" in members:
            raise UsageError(f"{where}: nothing excludes expect and within; drop one of them")
        return Expectation(query, (), 0, line)
    if "expect" not in members:
        raise UsageError(f"{where}: expect is missing; name a page, or say nothing: true")
    expect = members["expect"]
    addresses = expect if isinstance(expect, list) else [expect]
    if not addresses or not all(isinstance(address, str) and address.strip() for address in addresses):
        raise UsageError(
            f"{where}: expect must be a page, page#section or a list of them, not {expect!r}; "
            "the home page is index.md"
        )
    return Expectation(query, tuple(addresses), _within(members.get("within", WITHIN), where), line)


def _within(value: object, where: str) -> int:
    whole = isinstance(value, int) and not isinstance(value, bool)
    if whole or (isinstance(value, str) and value.isascii() and value.isdigit()):
        within = int(str(value))
        if within > 0:
            return within
    raise UsageError(f"{where}: within must be a whole number above 0, not {value!r}")


def check(expectations: Iterable[Expectation], ask: Ask, addresses: Iterable[str]) -> list[Outcome]:
    """Ask every query. `addresses` are all that the index holds; they are read if something fails."""
    outcomes = []
    held: set[tuple[str, str]] = set()
    for expectation in expectations:
        outcome = _outcome(expectation, ask(expectation.query))
        if not outcome.ok and expectation.expect:
            if not held:
                held = {_key(address) for address in addresses}
                held |= {(page, "") for page, _ in held}
            missing = tuple(address for address in expectation.expect if _key(address) not in held)
            outcome = replace(outcome, missing=missing)
        outcomes.append(outcome)
    return outcomes


def _outcome(expectation: Expectation, hits: Sequence[str]) -> Outcome:
    best: dict[str, str] = {}
    rank = found = None
    for hit in hits:
        page, _ = key = _key(hit)
        best.setdefault(page, hit)
        if found is None and any(wanted in (key, (page, "")) for wanted in map(_key, expectation.expect)):
            rank, found = len(best), hit
    ok = not hits if not expectation.expect else rank is not None and rank <= expectation.within
    return Outcome(expectation, ok, rank, found, tuple(best.values()), ())


def _key(address: str) -> tuple[str, str]:
    """A page's normalised name, and the anchor if there is one."""
    return normalised(address), unquote(address.partition("#")[2])


def _place(outcome: Outcome) -> str:
    if outcome.rank is not None:
        return f"found at {outcome.rank}"
    if outcome.missing and len(outcome.missing) == len(outcome.expectation.expect):
        return "not in the index"
    return "not found"


def _came(outcome: Outcome) -> str:
    shown = outcome.came[: outcome.expectation.within or WITHIN]
    return ", ".join(f"{rank}. {_shown(address)}" for rank, address in enumerate(shown, 1))


def _shown(address: str) -> str:
    return address if address and not address.startswith("#") else f"/{address}"


def table(outcomes: Sequence[Outcome]) -> str:
    """The outcomes for people: failures first, each with what came instead."""
    rows = [("", "query", "expected", "found at")]
    below = [""]
    for outcome in sorted(outcomes, key=lambda outcome: outcome.ok):
        expectation = outcome.expectation
        expected = f"{' or '.join(expectation.expect)} ({expectation.within})"
        if not expectation.expect:
            expected = "nothing"
        place = str(outcome.rank) if outcome.rank is not None else _place(outcome)
        if not expectation.expect:
            place = "nothing" if outcome.ok else "something"
        rows.append(("ok" if outcome.ok else "failed", expectation.query, expected, place))
        below.append("" if outcome.ok else f"        came instead: {_came(outcome) or 'nothing'}")
    cut = [tuple(_cut(cell) for cell in row) for row in rows]
    widths = [max(len(row[column]) for row in cut) for column in range(len(cut[0]))]
    lines = []
    for row, under in zip(cut, below, strict=True):
        lines.append("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
        lines += [under] if under else []
    held = sum(outcome.ok for outcome in outcomes)
    return "\n".join([*lines, f"{held} of {len(outcomes)} hold"])


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _WIDTH else line[: _WIDTH - 1] + "…"


def as_json(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The outcomes in the order of the file."""
    return {
        "passed": sum(outcome.ok for outcome in outcomes),
        "failed": sum(not outcome.ok for outcome in outcomes),
        "entries": [
            {
                "line": outcome.expectation.line,
                "query": outcome.expectation.query,
                "expect": list(outcome.expectation.expect),
                "within": outcome.expectation.within or None,
                "ok": outcome.ok,
                "rank": outcome.rank,
                "url": outcome.found,
                "missing": list(outcome.missing),
                "came": list(outcome.came[: max(outcome.expectation.within, WITHIN)]),
            }
            for outcome in outcomes
        ],
    }
