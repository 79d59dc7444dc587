"""What may stand under `nearpage` in the configuration. MkDocs itself adds `enabled`."""

from mkdocs.config import config_options as c
from mkdocs.config.base import Config


class _Semantic(c.Choice[str]):
    """A choice that takes a bare `off`, which YAML reads as false, for the word."""

    def run_validation(self, value: object) -> str:
        return super().run_validation("off" if value is False else value)


class PluginOptions(Config):
    """The plugin's options."""

    semantic = _Semantic(("full", "light", "off"), default="full")
    """How far search goes beyond keywords: `full` adds vectors, a small query encoder and the full one,
    which comes later and ranks better; `light` leaves out the full one, `off` all of it."""

    offline = c.Type(bool, default=False)
    """Whether the site must also search when opened from disk. Accepted, and without effect so far."""

    cache_dir = c.Dir(default=".cache/plugin/nearpage")
    """Where vectors are kept between builds, relative to the configuration file; outside `docs_dir`."""

    encoder = c.Optional(c.Dir(exists=True))
    """Another sentence encoder's folder, relative to the configuration file; the bundled one by default."""

    relevance_tests = c.Optional(c.File(exists=True))
    """A file of queries and what each must find, beside the configuration file; asked after each build."""
