"""An index to files: hashed names, atomic replacement, the loader and its tag in the pages."""

import codecs
import hashlib
import json
import os
import posixpath
import re
import secrets
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.resources import files as resources
from pathlib import Path
from urllib.parse import quote

from nearpage.builder import manifest as manifests
from nearpage.builder.errors import NearpageError, SourceError
from nearpage.builder.manifest import File, Manifest

FOLDER = "nearpage"
"""The index's folder in the site."""
LOADER = "nearpage.js"
"""The script that the pages name; its name is fixed, as are those of manifest and licences."""
LICENCES = "LICENSES.txt"
"""What the scripts bundle, and under which licences."""
PLACEHOLDER = b'"__NEARPAGE_MANIFEST__"'

_SUFFIXES = {
    **dict.fromkeys(
        (
            "table",
            "packs",
            "postings",
            "dictionary",
            "texts",
            "vectors",
            "model",
            "tokenizer",
            "runtime",
            "projection",
            "light",
        ),
        ".bin",
    ),
    **dict.fromkeys(("encoder", "worker", "dialog"), ".js"),
}
"""The files of an index, by the stem of their names."""
_HASHED = re.compile("|".join(rf"{stem}-[0-9a-f]{{16}}\{suffix}" for stem, suffix in _SUFFIXES.items()))
_TEMPORARY = re.compile(r"\.nearpage-[0-9a-f]{16}")
"""With _HASHED, the names that only this module gives; nothing else is ever removed."""

_NOT_PAGES = frozenset({"_downloads", "_sources", "_static"})
"""Folders of Sphinx whose HTML is fetched or taken away, not visited."""
_ATTRIBUTES = rb"""(?:[^<>"']|"[^"]*"|'[^']*')*+>"""
_MARKUP = re.compile(
    rb"<!--.*?-->"
    rb"|<(script|style|title|textarea|template|noscript)(?=[\s/>])" + _ATTRIBUTES + rb".*?</\1(?=[\s/>])"
    rb"|</(?P<end>head|body)(?=[\s/>])"
    rb"|<[a-z]" + _ATTRIBUTES,
    re.IGNORECASE | re.DOTALL,
)
"""What may hold a `</head>` that ends no head, or a tag that is none, and the ends themselves."""
_LOADER_TAG = re.compile(
    rb"""<script(?=\s)[^<>]*?\ssrc\s*=\s*["']?(?P<before>[^\s"'<>]*/|)nearpage\.js(?=["'\s?#>])[^<>]*>\s*</script""",
    re.IGNORECASE,
)
"""A tag of the loader, whoever wrote it: this module, the plugin's theme, the author."""
_TAG_END = re.compile(rb"\s*>\n?")
_LANGUAGE = "[a-z]{2,3}(?:-[A-Z][a-z]{3})?"
_LANGUAGE_FOLDER = re.compile(_LANGUAGE)
_INDEX = re.compile(rf"((?:.*/)?{FOLDER}/)(?:{_LANGUAGE}/)?".encode())
"""The address of an index as a loader's tag has it, and how much of it is the main one's."""

Below = Callable[[Path, bytes], str]
"""The name of the folder below the main index in which a page's own stands; empty for the main one itself."""


def asset(name: str) -> bytes:
    """A built browser asset."""
    path = resources("nearpage.web") / "dist" / name
    try:
        return path.read_bytes()
    except OSError as error:
        raise NearpageError(
            f"{path}: no browser assets in this installation; install the wheel, or run make assets"
        ) from error


class Folder:
    """An index folder that is being written: new files appear beside the old index, which stays whole.

    It may have indexes of further languages below it, in folders of theirs. `seal` puts the new manifests
    and loaders in the place of the old ones, and only then removes what was not added. Killed
    at any moment, every index in it is complete.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.files: dict[str, int] = {}
        """What was added, each once: its path in the folder, and its size in bytes."""
        self._loader = asset("loader.js")
        self._licences = asset(LICENCES)
        self._make("")

    def add(self, stem: str, data: bytes, below: str = "") -> File:
        """Write a file under the name of its content, into the folder or one below it."""
        name = f"{stem}-{hashlib.sha256(data).hexdigest()[:16]}{_SUFFIXES[stem]}"
        if below:
            self._make(below)
        _ensure(self.path / below / name, data)
        self.files[posixpath.join(below, name)] = len(data)
        return File(name, len(data))

    def _make(self, below: str) -> None:
        path = self.path / below
        with _told(
            f"{path}: the index's folder cannot be made", "choose another, or remove what is in its place"
        ):
            path.mkdir(parents=True, exist_ok=True)

    def seal(self, manifests_below: Mapping[str, Manifest]) -> None:
        """Make the new indexes, by the name of their folder, the ones that count; the main one's is empty."""
        _ensure(self.path / LICENCES, self._licences)
        # The main one last, so that it never stands alone where there were others.
        for below in sorted(manifests_below, reverse=True):
            data = manifests.dump(manifests_below[below])
            write_atomically(self.path / below / manifests.FILE_NAME, data)
            # In ASCII, for a script is read in the encoding of its page.
            script = json.dumps(json.loads(data), separators=(",", ":")).encode()
            write_atomically(self.path / below / LOADER, self._loader.replace(PLACEHOLDER, script))
        with _told(f"{self.path}: files of the index before cannot be removed"):
            for below in manifests_below:
                for path in sorted((self.path / below).iterdir()):
                    leftover = (
                        _HASHED.fullmatch(path.name) and posixpath.join(below, path.name) not in self.files
                    )
                    if leftover or _TEMPORARY.fullmatch(path.name):
                        path.unlink(missing_ok=True)


def remove_others(index: Path, kept: Collection[str]) -> None:
    """Remove the indexes below a folder whose languages a site has no more.

    To be called when no page names their loaders any longer. Whatever else is in their folders stays.
    """
    with _told(f"{index}: the index of a language that is gone cannot be removed"):
        for folder in sorted(index.iterdir()):
            is_other = _LANGUAGE_FOLDER.fullmatch(folder.name) and folder.name not in kept
            if not is_other or not (folder / LOADER).is_file():
                continue
            for path in sorted(folder.iterdir()):
                if _HASHED.fullmatch(path.name) or _TEMPORARY.fullmatch(path.name):
                    path.unlink(missing_ok=True)
            # The loader last: by it the folder is known as ours, should this build be stopped on the way.
            (folder / manifests.FILE_NAME).unlink(missing_ok=True)
            (folder / LOADER).unlink()
            with suppress(OSError):  # not empty
                folder.rmdir()


def _ensure(target: Path, data: bytes) -> None:
    # Compared byte for byte, so that a damaged file is mended by the next build.
    with _told(f"{target}: cannot be read"):
        known = target.is_file() and target.read_bytes() == data
    if not known:
        write_atomically(target, data)


def write_atomically(target: Path, data: bytes, flush: bool = True) -> None:
    """Replace a file by one rename, so that no reader ever sees a part of it; its mode is kept.

    Without `flush` that holds when the process is killed, but not when the power fails.
    """
    temporary = target.with_name(f".nearpage-{secrets.token_hex(8)}")
    with _told(f"{target}: cannot be written"):
        try:
            with temporary.open("xb") as file:
                file.write(data)
                if flush:
                    file.flush()
                    os.fsync(file.fileno())
            if target.exists():
                shutil.copymode(target, temporary)
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)


def html_files(site: Path, index: Path) -> list[Path]:
    """The HTML files of a site that visitors open, in order; links are left out, and the index's folder.

    Removes on its way what a killed build left behind.
    """

    def fail(error: OSError) -> None:
        raise error

    found = []
    with _told(f"{site}: its pages cannot be listed"):
        for name, folders, files in os.walk(site, onerror=fail):
            folder = Path(name)
            folders[:] = sorted(
                each
                for each in folders
                if not each.startswith(".") and each not in _NOT_PAGES and folder / each != index
            )
            for file in sorted(files):
                path = folder / file
                if _TEMPORARY.fullmatch(file):
                    path.unlink(missing_ok=True)
                elif file.lower().endswith((".html", ".htm")) and not path.is_symlink():
                    found.append(path)
    return found


def inject(pages: Iterable[Path], index: Path, below: Below, advance: Callable[[int], None]) -> None:
    """Put the tag of its loader into each page; a page that has it already is left alone.

    Pages and index are absolute, without links: the tag names the loader relative to each page.
    """

    def tagged(page: Path, html: bytes) -> bytes:
        loader = index / below(page, html) / LOADER
        relative = Path(os.path.relpath(loader, page.parent)).as_posix()
        return with_tag(html, quote(os.fsencode(relative)))

    for page in pages:
        _rewrite(page, tagged)
        advance(1)


def redirect(pages: Iterable[Path], below: Below) -> None:
    """Have the loader's tags that pages have lead to another index of the site."""
    for page in pages:
        _rewrite(page, lambda page, html: leading_to(html, below(page, html)))


def _rewrite(page: Path, change: Callable[[Path, bytes], bytes]) -> None:
    try:
        html = page.read_bytes()
    except OSError as error:
        raise SourceError(
            f"cannot read {page} ({error.strerror}); build the site again, and then its index"
        ) from error
    written = change(page, html)
    if written != html:
        # Pages come again with the next build of the site: to flush thousands of them is not worth it.
        write_atomically(page, written, flush=False)


def with_tag(html: bytes, source: str) -> bytes:
    """A page with the loader's tag at the end of its head, in the place of any earlier one.

    A page without `</head>` gets it at the end of its body, or of all. What has no markup, or is UTF-16,
    comes back as it is. `source` is a URL, percent-encoded.
    """
    if b"<" not in html or html.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return html
    bare = html
    for start, end, _ in reversed(list(_loader_tags(html))):
        bare = bare[:start] + bare[end:]
    ends = (found.start() for found in _MARKUP.finditer(bare) if found["end"])
    at = next(ends, len(bare))
    tag = f'<script data-nearpage src="{source}" defer></script>\n'
    return bare[:at] + tag.encode() + bare[at:]


def leading_to(html: bytes, below: str) -> bytes:
    """A page whose tags of the loader lead to the index `below` the main one, or if empty to that itself."""
    for _, _, tag in reversed(list(_loader_tags(html))):
        at = _INDEX.fullmatch(tag["before"])
        if at:
            start = tag.start("before")
            place = f"{below}/".encode() if below else b""
            html = html[: start + at.end(1)] + place + html[tag.end("before") :]
    return html


def _loader_tags(html: bytes) -> Iterator[tuple[int, int, re.Match[bytes]]]:
    """The loader's tags of a page, with their bounds, the end of their line included."""
    if LOADER.encode() not in html:
        return
    for element in _MARKUP.finditer(html):
        tag = _LOADER_TAG.fullmatch(html, *element.span())
        if tag:
            end = _TAG_END.match(html, tag.end())
            yield tag.start(), end.end() if end else tag.end(), tag


@contextmanager
def _told(what: str, remedy: str = "make room or change its permissions, and build again") -> Iterator[None]:
    """An OSError as an error of ours that says what could not be done."""
    try:
        yield
    except OSError as error:
        raise NearpageError(f"{what} ({error.strerror}); {remedy}") from error
