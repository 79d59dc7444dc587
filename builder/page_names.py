"""One name for a page, however source, file and address spell it."""

import re
from urllib.parse import unquote


def normalised(page: str) -> str:
    """A page's path without what source and site spell differently: `a/b.md`, `a/b/index.html` are `a/b`."""
    path = unquote(page.split("#", maxsplit=1)[0]).strip("/")
    path = re.sub(r"\.(md|html?)$", "", path)
    return re.sub(r"(^|/)index$", "", path).strip("/")
