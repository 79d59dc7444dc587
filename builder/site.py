"""A folder of built HTML indexed where it stands: what `nearpage build` does."""

import os
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from urllib.parse import quote

from nearpage.builder.build import Options, Progress, Report, Silent, build
from nearpage.builder.extract import extract, language_of
from nearpage.builder.languages import group_tag
from nearpage.builder.lock import locked
from nearpage.builder.pages import find_pages, page_url, read_pages
from nearpage.builder.publish import FOLDER, Below, html_files, inject, redirect, remove_others


def build_site(
    site: Path,
    output: Path | None,
    options: Options,
    inject_loader: bool = True,
    progress: Progress | None = None,
) -> Report:
    """Index a built site into `output` (`nearpage/` in it by default) and add the loader to its pages."""
    progress = progress or Silent()
    output = output or site / FOLDER
    find_pages(site)  # before a folder is made for the index of a site that is none
    with locked(output):
        return _build_site(site, output, options, inject_loader, progress)


def _build_site(
    site: Path, output: Path, options: Options, inject_loader: bool, progress: Progress
) -> Report:
    report = Report()
    with report.timed("read"):
        total = len(find_pages(site))
        advance: Callable[[int], None] = progress.step("Reading", total)
        pages = []
        for url, html in read_pages(site):
            page = extract(url, html)
            if page is not None:
                pages.append(page)
            advance(1)
    root = quote(os.path.relpath(site.resolve(), output.resolve())) + "/"
    folders = build(pages, output, options, report, progress, root).keys()
    if inject_loader:
        with report.timed("inject"):
            files = html_files(site.resolve(), output.resolve())
            below = _below(site, folders, {page.url: page.language for page in pages})
            inject(files, output.resolve(), below, progress.step("Adding the loader", len(files)))
    remove_others(output, folders)
    return report


def redirect_pages(site: Path, output: Path, folders: Collection[str], languages: Mapping[str, str]) -> None:
    """Have the loader's tags that pages of a site have lead to the index of the page's language.

    `folders` are the names that `build` gave, `languages` those of pages by URL; others are read for theirs.
    What is there of languages that the site has no more is removed.
    """
    if len(folders) > 1:
        redirect(html_files(site.resolve(), output.resolve()), _below(site, folders, languages))
    remove_others(output, folders)


def _below(site: Path, folders: Collection[str], languages: Mapping[str, str]) -> Below:
    """Where the index of a page's language is."""
    root = site.resolve()

    def below(page: Path, html: bytes) -> str:
        if len(folders) == 1:
            return ""
        url = page_url(page.relative_to(root).as_posix())
        tag = group_tag(languages[url] if url in languages else language_of(html))
        return tag if tag in folders else ""

    return below
