"""Which pages are changelogs.

They mention everything and explain little: what a question is about stands in them many times over, and the
page that answers it stands elsewhere. A changelog is told by its name, or by its headings.
"""

import regex
from nearpage.builder.model import Page

_NAME = regex.compile(
    r"(?:.*\P{L})?(?:change[ \-_]?logs?|releases?[ \-_](?:notes?|history)|version[ \-_]history)"
    r"(?:\s+(?:for|of|[-–—|:])\s.*)?"
    r"|what['’]?s[ \-_]new(?:\P{L}.*)?"
    r"|(?:changes|news|releases)",
    regex.IGNORECASE,
)
# A date, or that there is none yet, may follow: "2.0.1 (2026-03-01)", "Version 3.1rc2 - unreleased".
_VERSION = regex.compile(
    # With a number of the section in front, as in "E.1. Release 15.2", only after such a word.
    r"(?:(?:[A-Z\d]+\.(?:\d+\.?)* )?(?:version|release) )?v?\d+(?:\.\d+)+"
    r"(?:[.\-]?(?:a|b|c|rc|alpha|beta|dev|pre|post|final)[.\-]?\d*)?"
    r"(?:\s.{0,20}(?:\d{4}|unreleased|latest|current|final)\P{L}?.{0,12})?",
    regex.IGNORECASE,
)
FEWEST = 3
"""Versions of which a page must tell to be a changelog by them; they must head half of its sections."""


def is_changelog(page: Page) -> bool:
    """Whether a page tells what changed, version by version."""
    last = page.url.rstrip("/").rpartition("/")[2].removesuffix(".html")
    if any(_NAME.fullmatch(name.strip()) for name in (page.title, last)) or _is_version(page.title):
        return True
    versions = {
        heading for section in page.sections for heading in section.heading_path if _is_version(heading)
    }
    under = sum(any(map(_is_version, section.heading_path)) for section in page.sections)
    return len(versions) >= FEWEST and 2 * under >= len(page.sections)


def _is_version(heading: str) -> bool:
    return _VERSION.fullmatch(heading.strip()) is not None
