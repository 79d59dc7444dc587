"""Nearpage for MkDocs: one plugin, built on the builder's public names alone."""

from nearpage.site_plugin.plugin import NearpagePlugin

__all__ = ["NearpagePlugin"]
