r"""Text to terms. One specification in two languages: `web/src/engine/terms.ts` mirrors this file.

1. **Lexemes.** Scanning from left to right, a lexeme is a chain of words (letters, marks, numbers,
   underscores) joined by single `-`, `'`, `.` or `::`. A symbol that names things belongs to it: in
   front `--`, `-`, `@`, `.` or `$` (not after a word or another such symbol), behind `++`, or `#` after
   one or two letters. Where a script without spaces stands in it (Han, Hiragana, Katakana, and Hangul,
   whose endings are joined to the word), the chain is divided: every two neighbouring characters of such a
   run are a lexeme (`日本語` is `日本` and `本語`), as is one alone; what is between is read by itself.
2. **Segments, units, parts.** `.` and `::` divide a lexeme into segments, `-` a segment into units,
   underscores and changes of case a unit into parts: `APIRouter.include_router` has the segments
   `APIRouter` and `include_router`, the parts `API`, `Router`, `include`, `router`. A possessive `'s`
   is dropped, and so is a word that French or Italian elides before a vowel or h (`l'application`,
   `dell'utente`, whatever the site's language); other apostrophes join (`don't` is `dont`).
3. **Forms.** The whole (segments joined by `.`), every segment as written and joined (without `-` and
   `_`), every part. A lexeme of numbers (`1.8`, `v2.0.1`) is only whole, for `1.8` is not `18`. A
   lexeme with a symbol also gives itself with it (`--flag` and `flag`).
4. **Folding.** NFKC; lower case by code point; without the combining marks U+0300 to U+036F; `ß` is
   `ss`, `œ` is `oe`, `æ` is `ae`, `ø` is `o`, `ł` is `l`, `đ` is `d`, `ς` is `σ`, `ı` is `i`. A part that
   loses something by it also gives its **exact** form, which is not folded but for `ς`.
5. **Stems.** A part of three or more letters also gives its folded Snowball stem, if the site's language
   has a stemmer and the stemmer reads all of these letters (`READ`). In German `ae`, `oe` and `ue` are
   read as umlauts (`PREPARED`), so that `Zuerich` has the stem of `Zürich`.

6. **Symbols.** One to three signs between spaces, such as `!!` or `~`, are a term, but no lexeme.

Forms longer than `LONGEST` code points are left out; their parts remain.
"""

import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module

import regex

LONGEST = 64

Stem = Callable[[str], str]

_WORD = r"[\p{L}\p{M}\p{N}_]+"
_LEXEME = regex.compile(
    r"(?:(?<![\p{L}\p{M}\p{N}_\-@.$])(?:--?|[@.$]))?"
    rf"{_WORD}(?:(?:[\-'’.]|::){_WORD})*"
    r"(?:\+\+(?!\+)|(?<=(?<![\p{L}\p{M}\p{N}_])\p{L}{1,2})#(?![\p{L}\p{M}\p{N}_]))?"
)
_SYMBOLS = regex.compile(r"(?<![^ \t\n])[!#$%&*+\-/:<=>?@\\^|~]{1,3}(?![^ \t\n])")
_CJK = r"\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u30fc\uff70\uff9e\uff9f"
_RUNS = regex.compile(rf"[{_CJK}][{_CJK}\p{{M}}]*|[^{_CJK}]+")
# A letter of such a run with its marks; a Hangul syllable may be written as its letters.
_CHARACTERS = regex.compile(
    rf"(?:[\u1100-\u115f]+[\u1160-\u11a7]*[\u11a8-\u11ff]*|[{_CJK}])[\p{{M}}\uff9e\uff9f]*"
)
_BEGINS_CJK = regex.compile(f"[{_CJK}]")
_JOINTS = "-'’.:"
_PREFIX = regex.compile(r"^(?:--?|[@.$])")
_SUFFIX = regex.compile(r"(?:\+\+|#)$")
_SEGMENTS = regex.compile(r"\.|::")
_POSSESSIVE = regex.compile(r"['’][sS](?![\p{L}\p{M}\p{N}_])")
# Words that lose their vowel before another's, in either case: case-insensitivity differs between engines.
_ELIDED = (
    "c d j l m n s t v gl qu jusqu lorsqu puisqu quoiqu un all dall dell nell sull quell quest bell buon "
    "sant nessun alcun ciascun tutt mezz senz anch com cos dov quand"
)
_ELISION = regex.compile(
    r"(?<![\p{L}\p{M}\p{N}_'’])(?:"
    + "|".join("".join(f"[{letter}{letter.upper()}]" for letter in word) for word in _ELIDED.split())
    + r")['’](?=[aeiouyhàáâäæèéêëìíîïòóôöœùúûüAEIOUYHÀÁÂÄÆÈÉÊËÌÍÎÏÒÓÔÖŒÙÚÛÜ])"
)
_APOSTROPHE = regex.compile(r"['’]")
_NUMBERS = regex.compile(r"^[vV]?\p{N}+(?:\.\p{N}+)+$")
# A lower-case letter or number before a capital, and the last capital of a run before a word: "URLs" is one.
# A number goes with one capital that ends the name (`I2C`).
_CASE = regex.compile(
    r"(?<=\p{Ll})(?=\p{Lu})|(?<=\p{N})(?=\p{Lu}[\p{Lu}\p{Ll}])|(?<=\p{Lu})(?=\p{Lu}\p{Ll}{2})"
)
_LETTERS = regex.compile(r"^[\p{L}\p{M}]{3,}$")
_MARKS = regex.compile(r"[\u0300-\u036f]")
_FOLDED = str.maketrans({"ß": "ss", "œ": "oe", "æ": "ae", "ø": "o", "ł": "l", "đ": "d", "ς": "σ", "ı": "i"})

STEMMERS = {
    "da": "danish",
    "de": "german",
    "en": "english",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "tr": "turkish",
}
"""Primary language subtag to Snowball algorithm."""

READ = {
    "danish": "a-zæøå",
    "finnish": "a-zäö",
    "french": r"\u0000-êìíîð-\uffff",  # all but ë and ï
}
"""Letters that an algorithm reads, as a class of a regular expression: elsewhere its two libraries differ."""
READ_BY_OTHERS = r"\u0000-\uffff"
"""One library counts code points, the other UTF-16 units."""


PREPARED = {
    # As in Snowball's German2, whose rules newer versions of German have.
    "german": (("ae", "ä"), ("oe", "ö"), ("(?<![aeq])ue", "ü")),
}
"""What an algorithm reads in the place of parts of a word: regular expressions, in order."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a unit: its folded surface, its folded stem (the same where there is none), its exact form.

    The exact form is the surface where folding loses nothing.
    """

    surface: str
    stem: str
    exact: str


@dataclass(frozen=True, slots=True)
class Segment:
    """What stands between dots: how it is spelt, as written and joined, and its parts in order."""

    spellings: tuple[str, ...]
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Lexeme:
    """A word or identifier of a text at [start, end) code points.

    `whole` are the forms that stand for all of it and for no segment alone (with its symbols, dotted);
    a lexeme of numbers has no segments.
    """

    start: int
    end: int
    whole: tuple[str, ...]
    segments: tuple[Segment, ...]


def fold(text: str) -> str:
    """The folded form of a word (rule 4)."""
    bare = _MARKS.sub("", unicodedata.normalize("NFD", _lowered(text)))
    return unicodedata.normalize("NFC", bare).translate(_FOLDED)


def _lowered(text: str) -> str:
    return "".join(character.lower() for character in unicodedata.normalize("NFKC", text))


@cache
def stemmer(language: str) -> Stem:
    """The Snowball stemmer of a language tag (`pt-BR`); the identity where there is none."""
    algorithm = STEMMERS.get(language.split("-", maxsplit=1)[0].lower())
    if algorithm is None:
        return lambda word: word
    # Not snowballstemmer.stemmer(), which takes PyStemmer where that is installed: another version.
    module = import_module(f"snowballstemmer.{algorithm}_stemmer")
    stem: Stem = getattr(module, f"{algorithm.title()}Stemmer")().stemWord
    is_read = regex.compile(f"[{READ.get(algorithm, READ_BY_OTHERS)}]+").fullmatch
    prepared = [(regex.compile(found), letter) for found, letter in PREPARED.get(algorithm, ())]

    def stem_of(word: str) -> str:
        if not is_read(word):
            return word
        for found, letter in prepared:
            word = found.sub(letter, word)
        return stem(word)

    return cache(stem_of)


def is_cjk(term: str) -> bool:
    """Whether a term begins with a character of a script without spaces."""
    return _BEGINS_CJK.match(term) is not None


def lexemes(text: str, stem: Stem) -> Iterator[Lexeme]:
    """The lexemes of a text in order (rules 1 to 5); those of a run overlap."""
    for start, lexeme in _found(text):
        whole, segments = _forms(lexeme, stem)
        yield Lexeme(start, start + len(lexeme), whole, segments)


def terms(text: str, stem: Stem) -> Iterator[str]:
    """Every term of a text, a form as often as it occurs, each form once a lexeme."""
    for _, lexeme in _found(text):
        yield from _terms(lexeme, stem)
    yield from symbols(text)


def symbols(text: str) -> Iterator[str]:
    """The signs that stand by themselves (rule 6)."""
    return (match.group() for match in _SYMBOLS.finditer(text))


def _found(text: str) -> Iterator[tuple[int, str]]:
    for match in _LEXEME.finditer(text):
        if match.group().isascii():
            yield match.start(), match.group()
        else:
            yield from _divided(match.start(), match.group())


def _divided(start: int, chain: str) -> Iterator[tuple[int, str]]:
    """A chain at the changes of script (rule 1)."""
    for run in _RUNS.finditer(chain):
        if is_cjk(run.group()):
            ends = [character.end() for character in _CHARACTERS.finditer(run.group())]
            for first, last in zip([0, *ends], ends[1:] or ends, strict=False):
                yield start + run.start() + first, run.group()[first:last]
        elif run.end() - run.start() == len(chain):
            yield start, chain
        else:
            # Within a chain a joint is no symbol.
            inner = run.group().lstrip(_JOINTS) if run.start() else run.group()
            for match in _LEXEME.finditer(inner):
                yield start + run.end() - len(inner) + match.start(), match.group()


def surfaces(text: str) -> Iterator[str]:
    """The surfaces of a text's parts."""
    for _, lexeme in _found(text):
        yield from _surfaces(lexeme)


@cache
def _surfaces(lexeme: str) -> tuple[str, ...]:
    _, segments = _forms(lexeme, lambda word: word)
    return tuple(part.surface for segment in segments for part in segment.parts)


def length(text: str) -> int:
    """The length of a text: how many lexemes it has."""
    return sum(1 for _ in _found(text))


def keys(text: str, stem: Stem) -> list[tuple[str, str]]:
    """The key of each lexeme: one term that all its spellings share (`includerouter`), and its exact form.

    The two are the same but for a plain word that loses something when it is folded.
    """
    return [_key(lexeme) for lexeme in lexemes(text, stem)]


def _key(lexeme: Lexeme) -> tuple[str, str]:
    if lexeme.whole:
        return lexeme.whole[0], lexeme.whole[0]
    [segment] = lexeme.segments
    if segment.spellings:
        return segment.spellings[-1], segment.spellings[-1]
    return segment.parts[0].surface, segment.parts[0].exact


@cache
def _terms(lexeme: str, stem: Stem) -> tuple[str, ...]:
    whole, segments = _forms(lexeme, stem)
    forms = dict.fromkeys(whole)
    for segment in segments:
        forms.update(dict.fromkeys(segment.spellings))
        for part in segment.parts:
            forms[part.surface] = forms[part.stem] = forms[part.exact] = None
    return tuple(form for form in forms if form and len(form) <= LONGEST)


def _forms(lexeme: str, stem: Stem) -> tuple[tuple[str, ...], tuple[Segment, ...]]:
    prefix = _PREFIX.match(lexeme)
    suffix = _SUFFIX.search(lexeme)
    bare = lexeme[prefix.end() if prefix else 0 : suffix.start() if suffix else len(lexeme)]
    bare = _APOSTROPHE.sub("", _ELISION.sub("", _POSSESSIVE.sub("", bare)))
    written = [segment for segment in _SEGMENTS.split(bare) if segment]
    dotted = ".".join(fold(segment) for segment in written)
    whole = [fold(lexeme)] if prefix or suffix else []
    if _NUMBERS.match(bare):
        return (*whole, dotted.removeprefix("v")), ()
    if len(written) > 1:
        whole.append(dotted)
    return tuple(whole), tuple(_segment(segment, stem) for segment in written)


def _segment(written: str, stem: Stem) -> Segment:
    exact = fold(written)
    joined = exact.replace("-", "").replace("_", "")
    parts = [
        Part(fold(part), _stem(part, stem), _exact(part))
        for unit in regex.split(r"[\-_]+", written)
        for part in _CASE.split(unit)
        if part
    ]
    if len(parts) == 1 and exact == parts[0].surface:
        return Segment((), tuple(parts))
    return Segment((exact, joined) if joined and joined != exact else (exact,), tuple(parts))


def _stem(part: str, stem: Stem) -> str:
    # Stemmed before folding: the stemmers know their language's accents.
    return fold(stem(_lowered(part)) if _LETTERS.match(part) else part)


def _exact(part: str) -> str:
    # Where in a word a sigma stands is no matter of spelling.
    return unicodedata.normalize("NFC", _lowered(part)).replace("ς", "σ")
