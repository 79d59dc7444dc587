"""An index to files: hashed names, atomic replacement, the loader and its tag in the pages."""

import hashlib
import os
import re
import tempfile
from collections.abc import Callable, Iterable
from importlib.resources import files as resources
from pathlib import Path, PurePosixPath

from nearpage.builder import manifest as manifests
from nearpage.builder.errors import NearpageError, SourceError
from nearpage.builder.manifest import File, Manifest

FOLDER = "nearpage"
"""The index's folder in the site."""
LOADER = "nearpage.js"
"""The script that the pages name; the only file of an index, with the manifest, whose name is fixed."""
PLACEHOLDER = b'"__NEARPAGE_MANIFEST__"'
_OURS = re.compile(r"[a-z]+-[0-9a-f]{16}\.(bin|js)|\.nearpage-\w+")
"""Names that only this module gives; nothing else in a folder is ever removed."""
_TAG = re.compile(rb"<script data-nearpage [^>]*></script>\n?")
_HEAD_END = re.compile(rb"</head\s*>", re.IGNORECASE)
_BODY_END = re.compile(rb"</body\s*>", re.IGNORECASE)


def asset(name: str) -> bytes:
    """A built browser asset."""
    path = resources("nearpage.web") / "dist" / name
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
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
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SourceError(f"{path}: the folder cannot be made ({error.strerror})") from error

    def add(self, stem: str, suffix: str, data: bytes) -> File:
        """Write a file under the name of its content."""
        name = f"{stem}-{hashlib.sha256(data).hexdigest()[:16]}{suffix}"
        target = self.path / name
        # A file of this name has this content, unless an earlier write was cut by the file system itself.
        if not target.is_file() or target.stat().st_size != len(data):
            write_atomically(target, data)
        return File(name, len(data))

    def seal(self, manifest: Manifest) -> None:
        """Make the new index the one that counts."""
        data = manifests.dump(manifest)
        loader = asset("loader.js").replace(PLACEHOLDER, data)
        write_atomically(self.path / manifests.FILE_NAME, data)
        write_atomically(self.path / LOADER, loader)
        kept = {*manifest.files(), manifests.FILE_NAME, LOADER}
        for path in self.path.iterdir():
            if _OURS.fullmatch(path.name) and path.name not in kept:
                path.unlink()


def write_atomically(target: Path, data: bytes) -> None:
    """Replace a file by one rename, so that no reader ever sees a part of it."""
    try:
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=".nearpage-", delete=False) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o644
        Path(file.name).chmod(mode)
        Path(file.name).replace(target)
    except OSError as error:
        raise SourceError(
            f"{target}: cannot be written ({error.strerror}); the index is as it was"
        ) from error


def inject(pages: Iterable[Path], loader: Path, advance: Callable[[int], None]) -> None:
    """Put the loader's tag into pages; a page that has it already is left alone."""
    for page in pages:
        data = page.read_bytes()
        source = PurePosixPath(os.path.relpath(loader, page.parent)).as_posix()
        written = with_tag(data, source)
        if written != data:
            write_atomically(page, written)
        advance(1)


def with_tag(html: bytes, source: str) -> bytes:
    """A page with the loader's tag at the end of its head, in the place of any earlier one."""
    tag = f'<script data-nearpage src="{source}" defer></script>\n'.encode()
    bare = _TAG.sub(b"", html)
    end = _HEAD_END.search(bare) or _BODY_END.search(bare)
    at = end.start() if end else len(bare)
    return bare[:at] + tag + bare[at:]
