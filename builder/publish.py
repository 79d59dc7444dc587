"""An index to files: hashed names, atomic replacement, the loader and its tag in the pages."""

import codecs
import hashlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
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
        ("table", "postings", "dictionary", "texts", "vectors", "model", "tokenizer", "runtime"), ".bin"
    ),
    **dict.fromkeys(("encoder", "worker", "dialog"), ".js"),
}
"""The files of an index, by the stem of their names."""
_HASHED = re.compile("|".join(rf"{stem}-[0-9a-f]{{16}}\{suffix}" for stem, suffix in _SUFFIXES.items()))
_TEMPORARY = re.compile(r"\.nearpage-[0-9a-f]{16}")
"""With _HASHED, the names that only this module gives; nothing else is ever removed."""

_NOT_PAGES = frozenset({"_downloads", "_sources", "_static"})
"""Folders of Sphinx whose HTML is fetched or taken away, not visited."""
_TAG = re.compile(rb"<script data-nearpage [^>]*></script>\n?")
_ATTRIBUTES = rb"""(?:[^<>"']|"[^"]*"|'[^']*')*+>"""
_MARKUP = re.compile(
    rb"<!--.*?-->"
    rb"|<(script|style|title|textarea|template|noscript)(?=[\s/>])" + _ATTRIBUTES + rb".*?</\1(?=[\s/>])"
    rb"|</(?P<end>head|body)(?=[\s/>])"
    rb"|<[a-z]" + _ATTRIBUTES,
    re.IGNORECASE | re.DOTALL,
)
"""What may hold a `</head>` that ends no head, and the ends themselves."""


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

    `seal` puts the new manifest and then the new loader in the place of the old ones, and only then
    removes what the new index does not name. Killed at any moment, the folder holds one complete index.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._loader = asset("loader.js")
        self._licences = asset(LICENCES)
        with _told(
            f"{path}: the index's folder cannot be made", "choose another, or remove what is in its place"
        ):
            path.mkdir(parents=True, exist_ok=True)

    def add(self, stem: str, data: bytes) -> File:
        """Write a file under the name of its content."""
        name = f"{stem}-{hashlib.sha256(data).hexdigest()[:16]}{_SUFFIXES[stem]}"
        self._ensure(name, data)
        return File(name, len(data))

    def _ensure(self, name: str, data: bytes) -> None:
        target = self.path / name
        # Compared byte for byte, so that a damaged file is mended by the next build.
        with _told(f"{target}: cannot be read"):
            known = target.is_file() and target.read_bytes() == data
        if not known:
            write_atomically(target, data)

    def seal(self, manifest: Manifest) -> None:
        """Make the new index the one that counts."""
        self._ensure(LICENCES, self._licences)
        data = manifests.dump(manifest)
        write_atomically(self.path / manifests.FILE_NAME, data)
        # In ASCII, for a script is read in the encoding of its page.
        script = json.dumps(json.loads(data), separators=(",", ":")).encode()
        write_atomically(self.path / LOADER, self._loader.replace(PLACEHOLDER, script))
        kept = {each.file for each in manifest.files()}
        with _told(f"{self.path}: files of the index before cannot be removed"):
            for path in sorted(self.path.iterdir()):
                leftover = _HASHED.fullmatch(path.name) and path.name not in kept
                if leftover or _TEMPORARY.fullmatch(path.name):
                    path.unlink(missing_ok=True)


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


def inject(pages: Iterable[Path], loader: Path, advance: Callable[[int], None]) -> None:
    """Put the loader's tag into pages; a page that has it already is left alone.

    Pages and loader are absolute, without links: the tag names the loader relative to each page.
    """
    for page in pages:
        try:
            html = page.read_bytes()
        except OSError as error:
            raise SourceError(
                f"cannot read {page} ({error.strerror}); build the site again, and then its index"
            ) from error
        relative = Path(os.path.relpath(loader, page.parent)).as_posix()
        written = with_tag(html, quote(os.fsencode(relative)))
        if written != html:
            # Pages come again with the next build of the site: to flush thousands of them is not worth it.
            write_atomically(page, written, flush=False)
        advance(1)


def with_tag(html: bytes, source: str) -> bytes:
    """A page with the loader's tag at the end of its head, in the place of any earlier one.

    A page without `</head>` gets it at the end of its body, or of all. What has no markup, or is UTF-16,
    comes back as it is. `source` is a URL, percent-encoded.
    """
    if b"<" not in html or html.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return html
    bare = _TAG.sub(b"", html)
    ends = (found.start() for found in _MARKUP.finditer(bare) if found["end"])
    at = next(ends, len(bare))
    tag = f'<script data-nearpage src="{source}" defer></script>\n'
    return bare[:at] + tag.encode() + bare[at:]


@contextmanager
def _told(what: str, remedy: str = "make room or change its permissions, and build again") -> Iterator[None]:
    """An OSError as an error of ours that says what could not be done."""
    try:
        yield
    except OSError as error:
        raise NearpageError(f"{what} ({error.strerror}); {remedy}") from error
