"""The builder's public names: pages in, a static index out, and the index searched."""

from nearpage.builder.build import Lines, Options, Progress, Report, build
from nearpage.builder.check import Expectation, Outcome, parse_checks
from nearpage.builder.encoder import BUNDLED, Encoder
from nearpage.builder.errors import EncoderError, FormatError, NearpageError, SourceError, UsageError
from nearpage.builder.evaluate import check_index
from nearpage.builder.extract import extract
from nearpage.builder.lock import locked
from nearpage.builder.model import Block, Page, Passage, Section
from nearpage.builder.publish import FOLDER, LOADER
from nearpage.builder.queries import query_encoder
from nearpage.builder.reader import Index
from nearpage.builder.search import Hit, SearchResult, search
from nearpage.builder.site import build_site, redirect_pages

__all__ = [
    "BUNDLED",
    "FOLDER",
    "LOADER",
    "Block",
    "Encoder",
    "EncoderError",
    "Expectation",
    "FormatError",
    "Hit",
    "Index",
    "Lines",
    "NearpageError",
    "Options",
    "Outcome",
    "Page",
    "Passage",
    "Progress",
    "Report",
    "SearchResult",
    "Section",
    "SourceError",
    "UsageError",
    "build",
    "build_site",
    "check_index",
    "extract",
    "locked",
    "parse_checks",
    "query_encoder",
    "redirect_pages",
    "search",
]
