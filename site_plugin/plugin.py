"""The events of an MkDocs build, each a call or two into the builder."""

from pathlib import Path
from typing import Any, Literal

from jinja2 import Environment
from mkdocs.config.config_options import ExtraScriptValue
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, event_priority, get_plugin_logger
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page as MkDocsPage
from mkdocs.utils.templates import TemplateContext
from nearpage.builder import (
    BUNDLED,
    FOLDER,
    LOADER,
    Expectation,
    Index,
    Lines,
    NearpageError,
    Options,
    Page,
    Report,
    build,
    check_index,
    locked,
    parse_checks,
    query_encoder,
    redirect_pages,
)
from nearpage.site_plugin.options import PluginOptions
from nearpage.site_plugin.pages import read, read_built
from nearpage.site_plugin.themes import Box, add_templates, silence_search

log = get_plugin_logger(__name__)

SCRIPT = f"{FOLDER}/{LOADER}"
FIRST, LAST = 100, -100
"""Priorities: before and after what other plugins do at the same event."""


class NearpagePlugin(BasePlugin[PluginOptions]):
    """Indexes the pages of a build as they are rendered."""

    def __init__(self) -> None:
        self._dirty = False
        self._build: MkDocsConfig | None = None
        self._box: Box
        # By URL, with the page's source for the order; None for what search is not to find.
        self._pages: dict[str, tuple[str, Page | None]] = {}

    def on_startup(self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:
        """Stay the same plugin while `mkdocs serve` builds again: MkDocs keeps those that listen to this."""
        self._dirty = dirty

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Check the options; add the loader and the templates. May be called several times in one build."""
        cache = Path(self.config.cache_dir)
        if cache.is_relative_to(config.docs_dir):
            raise PluginError(
                f"nearpage: cache_dir {cache} lies in docs_dir, which mkdocs serve watches; "
                "choose a folder outside of it"
            )
        if config is not self._build:
            self._begin(config)
        if SCRIPT not in map(str, config.extra_javascript):
            script = ExtraScriptValue(SCRIPT)
            script.defer = True
            config.extra_javascript.append(script)
        add_templates(config.theme)
        return config

    def _begin(self, config: MkDocsConfig) -> None:
        """Begin a new build, which is not another language of the one under way."""
        self._build = config
        if not self._dirty:
            self._pages.clear()
        if self.config.offline:
            log.info("offline: search in a site opened from disk is not there yet; built for a web server")

    def on_pre_build(self, *, config: MkDocsConfig) -> None:
        """Be the only search."""
        silence_search(config)

    @event_priority(LAST)
    def on_env(self, env: Environment, *, config: MkDocsConfig, files: Files) -> None:
        """Have the theme draw its search box; in a dirty build, find the pages that are not built again."""
        # Not before: plugins that look for the search plugin at earlier events must not find ours.
        self._box = Box(config)
        self._box.show()
        if self._dirty:
            self._keep_unchanged(files)

    def _keep_unchanged(self, files: Files) -> None:
        earlier, self._pages = self._pages, {}
        for file in files.documentation_pages():
            if file.page is not None:
                url = file.page.url
                self._pages[url] = earlier.get(url) or (file.src_uri, read_built(file, url))

    @event_priority(LAST)
    def on_page_context(
        self, context: TemplateContext, *, page: MkDocsPage, config: MkDocsConfig, nav: Navigation
    ) -> None:
        """Take a page when other plugins are done with it, and before the theme surrounds it."""
        if not page.file.inclusion.is_excluded():  # a draft, which is only in the preview
            self._pages[page.url] = (page.file.src_uri, read(page, config))

    @event_priority(FIRST)
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Write the index into the site."""
        self._box.restore()
        ordered = sorted((source, url) for url, (source, _) in self._pages.items())
        pages = [page for _, url in ordered if (page := self._pages[url][1]) is not None]
        folder, options, report = Path(config.site_dir) / FOLDER, self._options(), Report()
        try:
            expectations = self._expectations()
            with locked(folder):
                folders = build(pages, folder, options, report, Lines(log.info)).keys()
                languages = {page.url: page.language for page in pages}
                redirect_pages(Path(config.site_dir), folder, folders, languages)
            log.info(_summary(report))
            _check(Index(folder), expectations, options.encoder)
        except NearpageError as error:
            raise PluginError(f"nearpage: {error}") from error

    def _expectations(self) -> list[Expectation]:
        """What the author expects of search, read before the index is built."""
        file = self.config.relevance_tests
        return parse_checks(Path(file).read_bytes(), file) if file else []

    def _options(self) -> Options:
        encoder = Path(self.config.encoder) if self.config.encoder else BUNDLED
        return Options(
            encoder=None if self.config.semantic == "off" else encoder,
            cache=Path(self.config.cache_dir),
            full=self.config.semantic == "full",
        )


def _check(index: Index, expectations: list[Expectation], encoder: Path | None) -> None:
    """Tell whether the index finds what its author expects."""
    if not expectations:
        return
    encode = query_encoder(index, "hybrid", encoder)
    failed = [outcome for outcome in check_index(index, expectations, "hybrid", encode) if not outcome.ok]
    for outcome in failed:
        log.warning("relevance test failed: %s", outcome)
    if not failed:
        log.info("relevance tests: all %d hold", len(expectations))


def _summary(report: Report) -> str:
    kinds: dict[str, Any] = report.bytes
    index = sum(kinds[kind] for kind in ("postings", "texts", "vectors")) / 1e6
    encoder = (kinds["encoder"] + kinds["runtime"]) / 1e6
    languages = f" in {len(report.languages)} languages" if len(report.languages) > 1 else ""
    return (
        f"{report.pages} pages{languages}, {report.passages} passages "
        f"({report.embedded} embedded, {report.reused} reused); index {index:.2f} MB, "
        f"encoder and runtime {encoder:.1f} MB; {sum(report.seconds.values()):.1f} s"
    )
