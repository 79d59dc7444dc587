"""What engines that take text are given: the sections that Nearpage's own extractor finds."""

from dataclasses import dataclass
from pathlib import Path

from nearpage.builder import extract
from nearpage.builder.pages import read_pages


@dataclass(slots=True)
class Record:
    """All text of a page under one anchor; the empty one is the page's beginning."""

    page: str
    anchor: str
    title: str
    headings: list[str]
    text: str


def records(site: Path) -> list[Record]:
    """The records of a built site, a page's in its order, its beginning first."""
    found: dict[tuple[str, str], Record] = {}
    for url, html in read_pages(site):
        page = extract(url, html)
        if page is None:
            continue
        found[url, ""] = Record(url, "", page.title, [], "")
        for section in page.sections:
            # The first heading is the page's own, and what stands under it the page's beginning.
            anchor = section.anchor or "" if len(section.heading_path) > 1 else ""
            text = "\n".join(block.text for block in section.blocks)
            record = found.setdefault((url, anchor), Record(url, anchor, page.title, [], ""))
            if anchor or len(section.heading_path) == 1:
                record.headings = record.headings or list(section.heading_path)
            record.text += f"{text}\n"
    return list(found.values())
