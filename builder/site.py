"""A folder of built HTML indexed where it stands: what `nearpage build` does."""

import os
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from nearpage.builder.build import Options, Progress, Report, Silent, build
from nearpage.builder.extract import extract
from nearpage.builder.pages import find_pages, read_pages
from nearpage.builder.publish import FOLDER, LOADER, html_files, inject


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
    build(pages, output, options, report, progress, root)
    if inject_loader:
        with report.timed("inject"):
            index = output.resolve()
            files = html_files(site.resolve(), index)
            inject(files, index / LOADER, progress.step("Adding the loader", len(files)))
    return report
