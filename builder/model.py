"""The nouns: Page, Section, Block, Passage. Frozen, without logic beyond views of themselves."""

from dataclasses import dataclass
from typing import Literal

BlockKind = Literal["prose", "code", "table", "signature"]


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a section that belongs together.

    Code keeps its newlines; a table has one line a row, cells joined by tabs; prose has no newlines
    except where the author broke the line.
    """

    kind: BlockKind
    text: str


@dataclass(frozen=True, slots=True)
class Section:
    """What stands under one heading, up to the next one.

    `heading_path` runs from the page's first-level heading to the section's own heading; it is empty
    for what stands before the first heading. `anchor` is an id that exists in the page, or None.
    """

    anchor: str | None
    heading_path: tuple[str, ...]
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """One HTML document of the site.

    `url` is percent-encoded and relative to the site root; `index.html` is left off, so the home page
    is the empty string. `language` is the document's BCP 47 tag, empty where it names none. `boost`
    multiplies the page's lexical score and, by its root, its cosine (front matter `search.boost`).
    """

    url: str
    title: str
    language: str
    sections: tuple[Section, ...]
    boost: float = 1.0


@dataclass(frozen=True, slots=True)
class Passage:
    """The unit that is embedded, posted and shown, keyed by (page URL, anchor, ordinal).

    `page` is the index of its page in the build's order; `ordinal` counts the passages of one page
    that share an anchor.
    """

    page: int
    anchor: str | None
    ordinal: int
    heading_path: tuple[str, ...]
    blocks: tuple[Block, ...]

    @property
    def text(self) -> str:
        """The passage as shown: its blocks, an empty line between them."""
        return "\n\n".join(block.text for block in self.blocks)
