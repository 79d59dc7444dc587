"""The HTML of one page as a Page: its main content, cut at headings, in blocks that keep their kind.

The selectors were tried on the output of each generator; what is dropped is what a visitor would not call
the page's text: navigation, permanent links, line numbers, buttons, hidden copies.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import unquote

from nearpage.builder.model import Block, BlockKind, Page, Section
from selectolax.lexbor import LexborHTMLParser, LexborNode

# Where a page's own text stands: what a generator is known to write first, then what any might.
_MAIN = (
    ".md-content__inner",  # Material for MkDocs, Zensical
    "article#furo-main-content",  # Sphinx: furo
    "article.bd-article",  # Sphinx: pydata, book (their <main> repeats the title)
    '.rst-content [itemprop="articleBody"]',  # Sphinx: Read the Docs; MkDocs: readthedocs
    'div.body[role="main"]',  # Sphinx: basic, alabaster, Python's own
    ".theme-doc-markdown",  # Docusaurus
    "#__blog-post-container",  # Docusaurus: a post
    ".td-content",  # Hugo: Docsy
    "#main-content.content",  # rustdoc
    "#mdbook-content main",  # mdBook
    "#content main",  # mdBook before 0.5
    ".vp-doc",  # VitePress
    ".sl-markdown-content",  # Starlight
    "[role=main]",
    "main",
)

_DROP = ", ".join(
    (
        # not text, or not the page's
        "script, style, noscript, template, svg, iframe, object, canvas, video, audio, form, button, select",
        "textarea, dialog, nav, footer, [role=navigation], [role=search], [aria-hidden=true]",
        ".visually-hidden, .sr-only, [data-pagefind-ignore]",
        # The panels of tabs that are not in front are hidden too, but a visitor can bring them there.
        "[hidden]:not([role=tabpanel]):not([hidden=until-found])",
        # KaTeX and Temml repeat a formula in its source form
        "annotation",
        # permanent links
        ".headerlink, a.hash-link, a.header-anchor, a.td-heading-self-link, a.sl-anchor-link",
        "a.anchor, a.doc-anchor, .anchorjs-link",
        # line numbers
        ".linenos, .linenodiv, .lineno, .line-numbers-wrapper, .boring",
        # marks of footnotes
        ".footnote-ref, .footnote-backref, .footnote-reference, .fn-backref",
        # MkDocs, Material
        ".mkdocs-draft-marker, .md-content__button, .md-source-file, .md-feedback, .md-tags",
        ".md-post--excerpt, #__skip, details.mkdocstrings-source, .doc-labels",
        ".rst-footer-buttons, .rst-versions",
        # Sphinx
        ".content-icon-container, .viewcode-link, .copybtn, .sphinxsidebar, div.related",
        ".prev-next-footer, .bd-header-article, div.contents.topic, nav.contents",
        # DocBook
        ".navheader, .navfooter, div.toc > p",
        # Docusaurus
        ".theme-doc-breadcrumbs, .theme-doc-version-badge, .theme-doc-toc-mobile, .theme-doc-footer",
        ".pagination-nav",
        # Docsy
        ".article-meta, [class^=feedback--], .td-page-meta__lastmod, .section-index, .td-byline",
        # rustdoc
        ".rustdoc-breadcrumbs, rustdoc-toolbar, .sub-heading, #copy-path, summary.hideme, a.src, .rightside",
        ".since, a.tooltip",
        # what every Rust type has, on the page of each
        "#synthetic-implementations, #synthetic-implementations-list, #blanket-implementations",
        "#blanket-implementations-list",
        # VitePress, Starlight
        "div[class*=language-] > span.lang, .sl-banner, .expressive-code .copy",
        # asked for by the author
        "[data-search-exclude]:not(h1):not(h2):not(h3):not(h4):not(h5):not(h6)",
    )
)

# Lists of the pages below: the text of a chapter's front page if it has no other.
_CONTENTS = ".toctree-wrapper, div.toc"
_CONTENTS_MOST = 3000  # characters; longer ones list the whole site

# Headings in these stand apart from the text around them: when the element ends, so does their section.
_SCOPES = ", ".join(
    (
        "blockquote, li, dd, td, th, details, figure, aside, [role=tabpanel]",
        ".admonition, .tabbed-block, .sd-tab-content, .theme-admonition, .custom-block",
    )
)
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_LISTS = frozenset({"ul", "ol", "menu", "dl"})
_BLOCKS = frozenset(
    (
        *_HEADINGS,
        *("address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details"),
        *("dialog", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "header", "hgroup"),
        *(
            "hr",
            "label",
            "legend",
            "li",
            "main",
            "menu",
            "ol",
            "p",
            "section",
            "summary",
            "table",
            "tbody",
            "td",
        ),
        *("tfoot", "th", "thead", "tr", "ul"),
    )
)
# Tables that only place things: their cells are read one after the other.
_LAYOUT = "pre, table, h1, h2, h3, h4, h5, h6"
_ITEM_LEVEL = 100  # below every heading; nested lists of items count on from here

_SPACE = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff]")
_BREAK = "\x0b"  # stands for <br> until white space is folded
_CHARSET = re.compile(rb"""<meta[^>]+charset\s*=\s*["']?\s*([\w-]+)""", re.IGNORECASE)
_SUFFIX = re.compile(r"\s+[-–—|·]\s+[^-–—|·]+$")
_PERMALINK = re.compile("[#¶§🔗⚓\ufe0e\ufe0f\\s]*")  # what a link to its own heading may consist of
_NAME = re.compile(r"[A-Za-z_]\w*(?:\.\w+)*")


@dataclass(frozen=True, slots=True)
class Skipped:
    """Why a page is not in the index, in words for the build's report."""

    reason: str


def extract(url: str, html: str | bytes) -> Page | None:
    """The page, or None if it is one that search should not find; `read_page` says why."""
    page = read_page(url, html)
    return page if isinstance(page, Page) else None


def read_page(url: str, html: str | bytes) -> Page | Skipped:
    """The page, or why it is left out: a redirect, marked `noindex`, or without text of its own.

    `url` is taken over as it is.
    """
    tree = LexborHTMLParser(html if isinstance(html, str) else _decoded(html))
    if tree.root is None or tree.body is None:
        return Skipped("empty")
    if reason := _unwanted(tree):
        return Skipped(reason)
    walk = _read_main(tree)
    if walk is None:
        return Skipped("no text of its own")
    title = walk.title or _document_title(tree, url) or _name_from(url)
    return Page(url, title, _language(tree), walk.result())


def language_of(html: bytes) -> str:
    """The language that a page names, whether search is to find it or not; empty if it names none."""
    # As far as it has to be read.
    return _language(LexborHTMLParser(_decoded(html.partition(b"<body")[0])))


# -- the document ------------------------------------------------------------------------------------------


def _decoded(html: bytes) -> str:
    """The text of a file: by its byte order mark, else its `<meta charset>`, else as UTF-8."""
    if html.startswith(b"\xef\xbb\xbf"):
        return html[3:].decode("utf-8", "replace")
    if html.startswith((b"\xff\xfe", b"\xfe\xff")):
        return html.decode("utf-16", "replace")
    named = _CHARSET.search(html[:2048])
    try:
        return html.decode(named[1].decode("ascii") if named else "utf-8", "replace")
    except LookupError:  # a charset nobody knows
        return html.decode("utf-8", "replace")


def _unwanted(tree: LexborHTMLParser) -> str | None:
    for meta in tree.css("meta[http-equiv], meta[name]"):
        attributes = meta.attributes
        content = (attributes.get("content") or "").lower()
        if (attributes.get("http-equiv") or "").lower() == "refresh" and "url" in content:
            if not _is_within(meta, "noscript"):
                return "redirect"
        elif (attributes.get("name") or "").lower() == "robots" and "noindex" in content:
            return "noindex"
    if tree.css_first("div.index > div.titlepage") is not None:
        return "an index of terms"  # DocBook's; those of other generators are known by their files' names
    return None


def _is_within(node: LexborNode, tag: str) -> bool:
    parent = node.parent
    while parent is not None:
        if parent.tag == tag:
            return True
        parent = parent.parent
    return False


def _ids(tree: LexborHTMLParser) -> frozenset[str]:
    """Every id a fragment of a URL can lead to."""
    ids = {node.id for node in tree.css("[id]")}
    ids.update(node.attributes.get("name") for node in tree.css("a[name]"))
    return frozenset(name for name in ids if name)


def _read_main(tree: LexborHTMLParser) -> "_Walk | None":
    """The first candidate for the main content that has text, read; None if no candidate has."""
    ids = _ids(tree)
    for roots in _candidates(tree):
        walk = _Walk(ids, f"{_DROP}, {_CONTENTS}")
        for root in roots:
            walk.read(root)
        if walk.length:
            return walk
    for roots in _candidates(tree):
        walk = _Walk(ids, _DROP)
        for root in roots:
            walk.read(root)
        if 0 < walk.length <= _CONTENTS_MOST:
            return walk
    return None


def _candidates(tree: LexborHTMLParser) -> Iterator[list[LexborNode]]:
    """What may be the main content, likeliest first; lists, because authors can mark several elements."""
    if marked := tree.css("[data-pagefind-body]"):
        yield [node for node in marked if node.parent is None or not _is_among(node.parent, marked)]
        return
    found = False
    for selector in _MAIN:
        if (node := tree.css_first(selector)) is not None:
            found = True
            yield [node]
    unwanted = tree.css(_DROP)
    articles = tree.css("article")
    if len(articles) == 1 and not _is_among(articles[0], unwanted):
        found = True
        yield articles
    heading = next((node for node in tree.css("h1") if not _is_among(node, unwanted)), None)
    box = heading.parent if heading is not None else None
    # A heading in a box of its own has its text elsewhere.
    if box is not None and heading is not None and len(box.text()) > len(heading.text()) + 100:
        yield [box]
    # Where there is a place for the page's text and it is empty, the rest of the page is no substitute.
    if not found and tree.body is not None:
        yield [tree.body]


def _is_among(node: LexborNode, nodes: list[LexborNode]) -> bool:
    """Whether a node or an element around it is one of these."""
    known = {other.mem_id for other in nodes}
    inner: LexborNode | None = node
    while inner is not None:
        if inner.mem_id in known:
            return True
        inner = inner.parent
    return False


def _document_title(tree: LexborHTMLParser, url: str) -> str:
    """The text of `<title>` without the name of the site behind it."""
    node = tree.css_first("head > title") or tree.css_first("title")
    title = _folded(node.text()) if node is not None else ""
    site = tree.css_first('meta[property="og:site_name"]')
    name = _folded(site.attributes.get("content") or "") if site is not None else ""
    if name and title.endswith(name) and (cut := title.removesuffix(name).rstrip(" -–—|·")):
        return cut
    # The title of a home page often is "Name - what it does": nothing to take off.
    return title if url in ("", "index.html") else _SUFFIX.sub("", title) or title


def _name_from(url: str) -> str:
    parts = [part for part in unquote(url).split("/") if part]
    return parts[-1].removesuffix(".html") if parts else "index"


def _language(tree: LexborHTMLParser) -> str:
    node = tree.css_first("html")
    language = (node.attributes.get("lang") or "").strip().replace("_", "-") if node is not None else ""
    primary, dash, rest = language.partition("-")
    return primary.lower() + dash + rest


# -- text --------------------------------------------------------------------------------------------------


def _folded(text: str) -> str:
    """Text on one line: white space folded, invisible characters gone."""
    return _SPACE.sub(" ", _INVISIBLE.sub("", text)).strip()


def _prose(text: str) -> str:
    """Text with the author's line breaks as its only ones."""
    if _BREAK not in text:
        return _folded(text)
    return "\n".join(line for part in text.split(_BREAK) if (line := _folded(part)))


def _code(text: str) -> str:
    """Preformatted text without the empty lines around it."""
    lines = _INVISIBLE.sub("", text.replace("\xa0", " ").replace("\r", "")).split("\n")
    lines = [line.rstrip() for line in lines]
    first = next((i for i, line in enumerate(lines) if line), len(lines))
    while lines and not lines[-1]:
        lines.pop()
    return "\n".join(lines[first:])


@dataclass(slots=True)
class _Open:
    """A section that is still being filled."""

    anchor: str | None
    path: tuple[str, ...]
    blocks: list[Block] = field(default_factory=list)
    heading: bool = True  # False if it goes on where another one stopped


class _Heading(NamedTuple):
    level: int
    text: str
    anchor: str | None


class _Walk:
    """One pass over the main content in the order of the document.

    It goes without recursion, because broken markup can nest thousands of elements. On its stack stand
    nodes still to be entered and things still to be done when an element ends.
    """

    def __init__(self, ids: frozenset[str], drop: str) -> None:
        self.title = ""  # the text of the first <h1>
        self.length = 0  # characters in blocks
        self._ids = ids
        self._drop = drop
        self._sections = [_Open(None, (), heading=False)]
        self._headings: list[_Heading] = []  # those we are under, outermost first
        self._floor = 0  # headings up to here stay, whatever follows: they stand outside the element
        self._excluded: int | None = None  # level of the heading that hides what follows
        self._pieces: list[str] = []  # inline text since the last boundary
        self._lines: list[str] = []  # of the list we are in
        self._list_depth = 0
        self._item_depth = 0
        self._last_item = 0  # the <dt> read last
        self._dropped: set[int] = set()
        self._scopes: set[int] = set()
        self._signatures: set[int] = set()
        self._labels: set[int] = set()
        self._root: LexborNode
        self._todo: list[LexborNode | Callable[[], None]] = []

    def read(self, root: LexborNode) -> None:
        """Read one element that holds main content."""
        self._root = root
        self._dropped = {node.mem_id for node in root.css(self._drop)}
        self._scopes = {node.mem_id for node in root.css(_SCOPES)}
        self._signatures = {node.mem_id for node in root.css(".doc-signature pre")}  # mkdocstrings
        self._labels = {node.mem_id for node in root.css(".tabbed-labels")}  # of tabs, one beside the other
        todo = self._todo
        todo.extend(_children(root))
        while todo:
            item = todo.pop()
            if isinstance(item, LexborNode):
                self._enter(item)
            else:
                item()
        self._flush()
        self._end_list()

    def result(self) -> tuple[Section, ...]:
        """What was read. A heading without text under it is a section without blocks."""
        return tuple(
            Section(section.anchor, section.path, tuple(section.blocks))
            for section in self._sections
            if section.blocks or section.heading
        )

    # -- elements

    def _enter(self, node: LexborNode) -> None:
        tag = node.tag
        if tag == "-text":
            self._pieces.append(node.text_content or "")
            return
        if node.mem_id in self._dropped:
            return
        if tag == "br":
            self._pieces.append(_BREAK)
        elif tag == "pre":
            self._flush()
            kind: BlockKind = "signature" if node.mem_id in self._signatures else "code"
            self._add(kind, _code(self._text(node, "\n")))
        elif tag in _HEADINGS:
            self._flush()
            self._heading(node, int(tag[1]))
        elif tag == "table" and not self._is_layout(node):
            self._flush()
            self._add("table", "\n".join(self._rows(node)))
        elif tag in _BLOCKS:
            self._flush()
            self._block(node, tag)
        else:
            self._todo.extend(_children(node))

    def _block(self, node: LexborNode, tag: str) -> None:
        if tag == "dt" and node.id:
            self._item(node)
            return
        if tag == "dl" and any(child.tag == "dt" and child.id for child in node.iter()):
            self._items(node)
            return
        todo = self._todo
        if tag in _LISTS or node.mem_id in self._labels:
            self._list_depth += 1
            todo.append(self._leave_list)
        todo.append(self._flush)
        if node.mem_id in self._scopes:
            todo.append(self._leaver())
        todo.extend(_children(node))

    def _leave_list(self) -> None:
        self._list_depth -= 1
        if self._list_depth == 0:
            self._end_list()

    def _leaver(self) -> Callable[[], None]:
        """What to do at the end of an element whose headings count only inside of it."""
        section, headings, floor = self._sections[-1], list(self._headings), self._floor
        excluded, lists = self._excluded, self._list_depth
        self._floor = len(headings)

        def leave() -> None:
            self._flush()
            self._floor, self._excluded, self._list_depth = floor, excluded, lists
            if self._sections[-1] is not section and headings:
                self._end_list()
                self._headings = headings
                self._sections.append(_Open(section.anchor, section.path, heading=False))

        return leave

    # -- headings and items

    def _heading(self, node: LexborNode, level: int) -> None:
        for link in node.css('a[href*="#"]'):
            if _PERMALINK.fullmatch(link.text()):
                self._dropped.add(link.mem_id)
        text = _folded(self._text(node, " "))
        if not text:
            return
        attributes = node.attributes
        if "data-search-exclude" in attributes:
            if self._excluded is None or level <= self._excluded:
                self._excluded = level
        elif self._excluded is not None and level <= self._excluded:
            self._excluded = None
        if level == 1 and not self.title and self._excluded is None:
            self.title = text
        classes = (attributes.get("class") or "").split()
        if "code-header" in classes:  # rustdoc: a signature in the place of a heading
            anchor = self._anchor(node)
            self._open(anchor, _item_name(anchor or "", text), level)
            self._add("signature", text)
        else:
            self._open(self._anchor(node), text, level)

    def _open(self, anchor: str | None, text: str, level: int) -> None:
        self._end_list()
        while len(self._headings) > self._floor and self._headings[-1].level >= level:
            self._headings.pop()
        if anchor is None and self._headings:
            anchor = self._headings[-1].anchor  # nearer than the top of the page
        self._headings.append(_Heading(level, text, anchor))
        if self._excluded is None:
            self._sections.append(_Open(anchor, self._path()))

    def _path(self) -> tuple[str, ...]:
        return tuple(heading.text for heading in self._headings)

    def _items(self, node: LexborNode) -> None:
        """A list of things with ids: functions, options, terms of a glossary."""
        self._end_list()
        self._item_depth += 1
        lists, self._list_depth = self._list_depth, 0

        def leave() -> None:
            self._item_depth -= 1
            self._list_depth = lists

        self._todo.append(leave)
        self._todo.append(self._leaver())
        self._todo.extend(_children(node))

    def _item(self, node: LexborNode) -> None:
        text = _folded(self._text(node, " "))
        is_code = "sig" in (node.attributes.get("class") or "").split() or node.css_first("code") is not None
        # A term of a glossary is a heading, and as such stands in the heading path alone.
        name = _item_name(node.id or "", text) if is_code else text
        previous = node.prev
        while previous is not None and previous.tag in ("-text", "-comment"):
            previous = previous.prev
        if not text:
            return
        if previous is not None and previous.mem_id == self._last_item:
            # Several names for one description: one section with all of them.
            first = self._headings.pop()
            self._headings.append(first._replace(text=f"{first.text}, {name}"))
            if self._excluded is None:
                self._sections[-1].path = self._path()
        else:
            self._open(node.id, name, _ITEM_LEVEL + self._item_depth)
        self._last_item = node.mem_id
        if is_code:
            self._add("signature", text)

    def _anchor(self, heading: LexborNode) -> str | None:
        """The id that leads to a heading, or None; where it sits differs from generator to generator."""
        if heading.id:
            return heading.id
        for inner in heading.css("[id], a[name]"):
            if inner.mem_id in self._dropped:
                continue
            if name := inner.id or inner.attributes.get("name"):
                return name
        for link in heading.css('a[href^="#"]'):
            if (name := unquote((link.attributes.get("href") or "")[1:])) in self._ids:
                return name
        parent = heading.parent
        while parent is not None and parent.mem_id != self._root.mem_id:
            first = parent.css_first("h1, h2, h3, h4, h5, h6")
            if first is None or first.mem_id != heading.mem_id:
                break
            if parent.id:
                return parent.id
            parent = parent.parent
        previous = heading.prev
        while previous is not None and previous.tag == "-text" and not (previous.text_content or "").strip():
            previous = previous.prev
        if previous is not None and previous.tag in ("a", "span") and not previous.text(strip=True):
            return previous.id or previous.attributes.get("name") or None
        return None

    # -- blocks

    def _add(self, kind: BlockKind, text: str) -> None:
        self._end_list()
        self._append(kind, text)

    def _append(self, kind: BlockKind, text: str) -> None:
        if text and self._excluded is None:
            self.length += len(text)
            self._sections[-1].blocks.append(Block(kind, text))

    def _flush(self) -> None:
        """End a paragraph, or a line of the list we are in."""
        if not self._pieces:
            return
        text = _prose("".join(self._pieces))
        self._pieces.clear()
        if not text:
            return
        if self._list_depth:
            self._lines.append(text)
        else:
            self._add("prose", text)

    def _end_list(self) -> None:
        if self._lines:
            lines, self._lines = self._lines, []
            self._append("prose", "\n".join(lines))

    def _is_layout(self, table: LexborNode) -> bool:
        attributes = table.attributes
        if attributes.get("role") == "presentation" or "hlist" in (attributes.get("class") or "").split():
            return True
        return any(node.mem_id != table.mem_id for node in table.css(_LAYOUT))

    def _rows(self, table: LexborNode) -> Iterator[str]:
        for row in table.css("caption, tr"):
            if row.mem_id in self._dropped or (row.parent and row.parent.mem_id in self._dropped):
                continue
            if row.tag == "caption":
                line = _folded(self._text(row, " "))
            else:
                cells = [n for n in row.iter() if n.tag in ("td", "th") and n.mem_id not in self._dropped]
                line = "\t".join(_folded(self._text(cell, " ")) for cell in cells).rstrip()
            if line.strip():
                yield line

    def _text(self, node: LexborNode, boundary: str) -> str:
        """All text in a node but for what is dropped, `boundary` where a block begins or ends."""
        pieces: list[str] = []
        todo: list[LexborNode | str] = [*_children(node)]
        while todo:
            item = todo.pop()
            if isinstance(item, str):
                if pieces and not pieces[-1].endswith(boundary):
                    pieces.append(item)
                continue
            tag = item.tag
            if tag == "-text":
                pieces.append(item.text_content or "")
            elif item.mem_id in self._dropped:
                continue
            elif tag == "br":
                pieces.append(boundary)
            elif tag in _BLOCKS:
                if pieces and not pieces[-1].endswith(boundary):
                    pieces.append(boundary)
                todo.append(boundary)
                todo.extend(_children(item))
            else:
                todo.extend(_children(item))
        return "".join(pieces)


def _children(node: LexborNode) -> list[LexborNode]:
    """The children of a node, last one first, as a stack wants them."""
    children = list(node.iter(include_text=True))
    children.reverse()
    return children


def _item_name(anchor: str, text: str) -> str:
    """A short name for an item: its id if that is a dotted name seen in the signature, else the signature."""
    if _NAME.fullmatch(anchor) and anchor.rpartition(".")[2] in text:
        # Sphinx puts the domain before names of C; rustdoc the kind before those of everything.
        return re.sub(
            r"^(c|method|tymethod|variant|structfield|associatedconstant|associatedtype)\.", "", anchor
        )
    return text if len(text) <= 60 else text[:57].rsplit(" ", 1)[0] + " …"
