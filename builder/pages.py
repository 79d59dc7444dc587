"""A folder of built HTML as pages: (URL, bytes), in the order of their URLs."""

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from nearpage.builder.errors import SourceError

OUTPUT_FOLDER = "nearpage"  # where the index goes, in the root of the site

# Machine-made lists and second copies of pages, by the name of the file or of a folder above it.
_SKIPPED_FILES = frozenset({"404.html"})
_SKIPPED_FOLDERS = frozenset(
    {
        "_modules",  # Sphinx: highlighted sources
        "_sources",  # Sphinx: the reStructuredText
        "_downloads",  # Sphinx: files to take away
        "_static",  # Sphinx: assets, now and then with HTML fragments
        "_print",  # Hugo: whole chapters on one page
        "print_page",  # mkdocs-print-site: the whole site on one page
    }
)
_RUSTDOC_FILES = frozenset({"all.html", "help.html", "settings.html"})
_RUSTDOC_MARK = b'<meta name="generator" content="rustdoc">'


def read_pages(folder: Path, output: str = OUTPUT_FOLDER) -> Iterator[tuple[str, bytes]]:
    """The pages of a built site: (URL, HTML), sorted by URL.

    The folder is looked through at once, so that a wrong one is reported at once; files are read as the
    iterator gets to them. `output` is the folder of our own files in the root of the site. Raises
    SourceError if the folder is missing, is none, holds no page, or if a file cannot be read.
    """
    return _read(find_pages(folder, output))


def find_pages(folder: Path, output: str = OUTPUT_FOLDER) -> list[tuple[str, Path]]:
    """The pages of a built site as (URL, path of the file), sorted by URL; errors as in `read_pages`."""
    if not folder.exists():
        raise SourceError(
            f"{folder} does not exist: build the site first, then name the folder it was built to"
        )
    if not folder.is_dir():
        raise SourceError(f"{folder} is a file: name the folder the site was built to")
    root = folder.resolve()
    found = [(page_url(path.relative_to(root).as_posix()), path) for path in _html_files(root, output)]
    if not found:
        raise SourceError(f"{folder} holds no HTML pages: name the folder the site was built to")
    return sorted(found)


def page_url(path: str) -> str:
    """The URL, relative to the site root, of a file: `a b/index.html` → `a%20b/`, `index.html` → ``."""
    # The same characters are left as they are as in MkDocs, so that both sources agree on a page's URL.
    bare = path.removesuffix("index.html") if PurePosixPath(path).name == "index.html" else path
    # By its bytes, for a file's name need not be UTF-8.
    return quote(os.fsencode(bare))


def _read(found: list[tuple[str, Path]]) -> Iterator[tuple[str, bytes]]:
    for url, path in found:
        try:
            html = path.read_bytes()
        except OSError as error:
            reason = error.strerror or str(error)
            raise SourceError(f"cannot read {path} ({reason}): make it readable or delete it") from error
        if path.name in _RUSTDOC_FILES and _RUSTDOC_MARK in html[:4096]:
            continue
        yield url, html


def _html_files(root: Path, output: str) -> Iterator[Path]:
    """The HTML files below a folder, but for what is skipped by name.

    Folders that are symbolic links are not entered: inside the tree they would double pages (mike's
    aliases) or never end, outside of it they are not the site (Debian links its documentation about).
    """

    def fail(error: OSError) -> None:
        reason = error.strerror or str(error)
        raise SourceError(
            f"cannot read {error.filename} ({reason}): make it readable or delete it"
        ) from error

    for name, folders, files in os.walk(root, onerror=fail):
        folder = Path(name)
        folders[:] = sorted(f for f in folders if not _is_skipped_folder(folder, f, root, output))
        siblings = frozenset(files)
        for file in files:
            path = folder / file
            is_page = file.lower().endswith((".html", ".htm"))
            if not is_page or _is_skipped_file(file, siblings, folder == root):
                continue
            if not path.is_symlink() or _leads_within(path, root):
                yield path


def _leads_within(link: Path, root: Path) -> bool:
    """Whether a symbolic link ends at something in the site; it may also end nowhere or at itself."""
    try:
        return link.resolve(strict=True).is_relative_to(root)
    except (OSError, RuntimeError):  # RuntimeError: a loop, before Python 3.13
        return False


def _is_skipped_folder(folder: Path, name: str, root: Path, output: str) -> bool:
    if name.startswith(".") or name in _SKIPPED_FOLDERS:
        return True
    if folder == root and name == output:
        return True
    # rustdoc's highlighted sources stand beside its settings page.
    return name == "src" and (folder / "settings.html").exists() and (folder / "help.html").exists()


def _is_skipped_file(name: str, siblings: frozenset[str], in_root: bool) -> bool:
    if name in _SKIPPED_FILES or name.startswith("."):
        return True
    if name.startswith("genindex") or name.endswith("-modindex.html"):
        return True
    # A page about searching may well be called search.html; Sphinx's form has its index beside it.
    return name == "search.html" and (in_root or "searchindex.js" in siblings)
