"""Sentences and headings of technical documentation, in reStructuredText out of source distributions.

They are what `shrink_model.py` trains on and calibrates with. The projects are general ones; none of
their text becomes part of the model's file.
"""

import re
import tarfile
from pathlib import Path

_NOT_DOCS = re.compile(r"change|release|history|tests/|roots|author|licen|locale", re.IGNORECASE)
_RULE = re.compile(r"\s*([=\-~^\"#*+`'.])\1{2,}\s*$")
_ITEM = re.compile(r"^\s*(?:[-*]|\d+\.|#\.)\s+")
_SPOKEN = re.compile(r"\s*\.\. (?:note|warning|admonition|tip|seealso|version\w+|important)::")
_LENGTHS = range(6, 221)
"""Characters of what is kept."""


def sentences(folder: Path) -> list[str]:
    """The distinct sentences of the `docs/` of every `.tar.gz` in a folder, in a fixed order."""
    found: dict[str, str] = {}
    for archive in sorted(folder.glob("*.tar.gz")):
        with tarfile.open(archive) as tar:
            for member in sorted(tar.getmembers(), key=lambda member: member.name):
                is_docs = {"docs", "doc"} & set(member.name.split("/")) and not _NOT_DOCS.search(member.name)
                file = tar.extractfile(member) if is_docs and member.name.endswith((".rst", ".txt")) else None
                for sentence in _of_page(file.read().decode("utf-8", "replace")) if file else ():
                    if len(sentence) in _LENGTHS and re.search("[a-z]{3}", sentence.lower()):
                        found.setdefault(sentence.lower(), sentence)
    return list(found.values())


def _of_page(text: str) -> list[str]:
    found: list[str] = []
    paragraph: list[str] = []
    below = None  # the indentation of a directive or a `::`, whose content is left out

    def flush() -> None:
        found.extend(part for part in re.split(r"(?<=[.!?:])\s+", _plain(" ".join(paragraph))) if part)
        paragraph.clear()

    for line in text.expandtabs().splitlines():
        indent = len(line) - len(line.lstrip())
        if below is not None:
            if not line.strip() or indent > below:
                continue
            below = None
        if not line.strip():
            flush()
        elif _RULE.match(line):
            if len(paragraph) == 1:
                found.append(_plain(paragraph[0]))
            paragraph.clear()
        elif line.lstrip().startswith(".. "):
            flush()
            below = None if _SPOKEN.match(line) else indent
        elif not line.lstrip().startswith((">>>", "$ ", "...")) and not re.match(r"\s*:[\w ]+:", line):
            paragraph.append(_ITEM.sub("", re.sub(r"::\s*$", ":", line)))
            if line.rstrip().endswith("::"):
                flush()
                below = indent
    flush()
    return found


def _plain(text: str) -> str:
    """Text without the marks of roles, links and emphasis."""
    for pattern, kept in (
        (r":[\w:+-]+:`~?!?\.?([^`<]*?)\s*(?:<[^`>]*>)?`", r"\1"),
        (r"``([^`]*)``", r"\1"),
        (r"`([^`<]*?)\s*<[^`>]*>`__?", r"\1"),
        (r"`([^`]*)`_?_?", r"\1"),
        (r"\*\*?([^*]+)\*\*?", r"\1"),
        (r"\|[^|]+\|", ""),
    ):
        text = re.sub(pattern, kept, text)
    return " ".join(text.split())
