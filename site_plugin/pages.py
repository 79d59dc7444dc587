"""MkDocs' pages as the builder's, read by the extractor that reads built sites: both give the same."""

import math
from collections.abc import Mapping
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import get_plugin_logger
from mkdocs.structure.files import File
from mkdocs.structure.pages import Page as MkDocsPage
from mkdocs.utils.meta import get_data
from nearpage.builder import Page, extract

log = get_plugin_logger(__name__)


def read(page: MkDocsPage, config: MkDocsConfig) -> Page | None:
    """The page as it is about to be put into the theme; None if search is not to find it."""
    document = _document(page, config)
    return _with_meta(extract(page.url, document), page.meta, page.file.src_uri)


def read_built(file: File, url: str) -> Page | None:
    """The page as an earlier build wrote it; None if it is not there or search is not to find it."""
    path = Path(file.abs_dest_path)
    if not path.is_file():
        return None
    return _with_meta(extract(url, path.read_bytes()), get_data(file.content_string)[1], file.src_uri)


def _document(page: MkDocsPage, config: MkDocsConfig) -> str:
    """The page's content in the least HTML that tells the extractor what the theme would."""
    site = escape(config.site_name)
    # MkDocs' titles are HTML or text, by where they come from; in <title> both read the same.
    title = str(page.title or "").replace("<", "&lt;")
    head = f'<title>{title} - {site}</title><meta property="og:site_name" content="{site}">' if title else ""
    # The class is the first that the extractor looks for: nothing in the content can then pass for all of it.
    return (
        f'<!doctype html><html lang="{escape(_language(page, config))}"><head>{head}</head>'
        f'<body><main class="md-content__inner">{page.content or ""}</main></body></html>'
    )


def _language(page: MkDocsPage, config: MkDocsConfig) -> str:
    """Its own language on a site in several, else what the theme says in one way or another."""
    own = getattr(page.file, "locale", None)
    return str(own or config.theme.get("language") or config.theme.locale or "en")


def _with_meta(page: Page | None, meta: Mapping[str, Any], source: str) -> Page | None:
    """The page as its front matter wants it."""
    options = meta.get("search") or {}
    if not isinstance(options, Mapping):
        log.warning("%s: search in the front matter must hold exclude or boost, not %r", source, options)
        options = {}
    if page is None or options.get("exclude"):
        return None
    return replace(page, boost=_boost(options.get("boost"), source))


def _boost(value: object, source: str) -> float:
    if value is None:
        return 1.0
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < math.inf:
        return float(value)
    log.warning("%s: search.boost in the front matter must be a number above 0, not %r", source, value)
    return 1.0
