"""Search boxes of the themes we know, drawn by the theme and opening our dialog.

A theme draws its box if a search plugin of a certain name is there, so one is put in for as long as templates
are rendered. Where a theme's own box would start its own search, a template of ours takes its place.
"""

from pathlib import Path

from mkdocs.config import config_options as c
from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import BasePlugin, get_plugin_logger
from mkdocs.theme import Theme

log = get_plugin_logger(__name__)

_TEMPLATES = Path(__file__).parent / "templates"
_SEARCH_PLUGINS = {
    "mkdocs": "search",
    "readthedocs": "search",
    "material": "material/search",
    "materialx": "materialx/search",
}
"""By the theme's name, the plugin that it asks for."""
_TEMPLATE_FOLDERS = {"readthedocs": "readthedocs", "material": "material", "materialx": "material"}
_SCRIPT = "search/main.js"
_HARMLESS = frozenset({"startup", "shutdown", "config", "pre_build"})
"""Events in which a search plugin only prepares itself; other plugins may rely on that."""


class _StandInOptions(Config):
    enabled = c.Type(bool, default=True)


class _StandIn(BasePlugin[_StandInOptions]):
    """What a theme takes for its search plugin."""


class Box:
    """The theme's search box during one build."""

    def __init__(self, config: MkDocsConfig) -> None:
        self._plugins = config.plugins
        self._key = _SEARCH_PLUGINS.get(config.theme.name or "")
        self._replaced: BasePlugin[Config] | None = None

    def show(self) -> None:
        """Have the theme draw its box."""
        if self._key is None:
            return
        stand_in = _StandIn()
        stand_in.load_config({})
        self._replaced = self._plugins.get(self._key)
        # Not by the collection's own method, which would register events.
        dict.__setitem__(self._plugins, self._key, stand_in)

    def restore(self) -> None:
        """Leave the plugins as they were found."""
        if self._key is None:
            return
        if self._replaced is None:
            dict.pop(self._plugins, self._key, None)
        else:
            dict.__setitem__(self._plugins, self._key, self._replaced)


def add_templates(theme: Theme) -> None:
    """Put our templates before the theme's and behind the author's own."""
    folder = _TEMPLATE_FOLDERS.get(theme.name or "")
    if folder is None:
        return
    path = str(_TEMPLATES / folder)
    if path not in theme.dirs:
        theme.dirs.insert(1 if theme.custom_dir else 0, path)
    if theme.get("include_search_page"):
        theme.static_templates.add("search.html")


def silence_search(config: MkDocsConfig) -> None:
    """Take a search plugin listed beside ours out of the build: no second index, no second script."""
    listed = [key for key in {"search", *_SEARCH_PLUGINS.values()} if key in config.plugins]
    if not listed:
        return
    own_key = _SEARCH_PLUGINS.get(config.theme.name or "")
    if own_key not in listed:
        log.info("the theme keeps its own search beside Nearpage, which opens by its button and by Ctrl+K")
        return
    plugin = config.plugins[own_key]
    for event, methods in config.plugins.events.items():
        if event not in _HARMLESS:
            methods[:] = [method for method in methods if getattr(method, "__self__", None) is not plugin]
    config.extra_javascript[:] = [script for script in config.extra_javascript if str(script) != _SCRIPT]
    log.info("takes the place of the search plugin, which may go from the configuration")
