"""Nearpage for MkDocs."""
