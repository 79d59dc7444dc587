"""Every error a user can meet, each with a message that says what is wrong, where, and what to do.

NearpageError               anything below; the command line prints its message and exits with 1
├── UsageError              wrong options or configuration; exits with 2
├── SourceError             the site's folder or one of its pages cannot be read
├── EncoderError            the encoder is missing, foreign or does not fit the index
├── FormatError             index bytes that are wrong, truncated or newer than this reader
└── OutputError             standard output is full or closed
"""


class NearpageError(Exception):
    """Base of all errors meant for a user; the message is one line."""

    exit_code = 1


class UsageError(NearpageError):
    """Wrong options or configuration."""

    exit_code = 2


class SourceError(NearpageError):
    """The site's folder or one of its pages cannot be read."""


class EncoderError(NearpageError):
    """The encoder is missing, foreign or does not fit the index."""


class FormatError(NearpageError):
    """Index bytes that are wrong, truncated or newer than this reader."""


class OutputError(NearpageError):
    """Standard output is full or closed."""
