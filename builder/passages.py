"""Pages as passages: the pieces of text that are embedded, posted and shown.

Sizes are in word pieces of the encoder's own tokenizer. The whole embedded text is measured: two special
tokens, a line of context (page title and headings), and the passage. Nothing is ever over the limit, and
no text is lost: the passages of a page, one after the other, give back every block.

1. Sections that are too small to stand alone (runts) join what follows them, if its headings stay true.
2. A section that fits is one passage. Others are split into parts of similar size, preferably between
   blocks, then between lines, then between sentences, then wherever a word piece ends.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice

from nearpage.builder.encoder_text import normalize_for_encoder
from nearpage.builder.model import Block, BlockKind, Page, Passage, Section
from tokenizers import Tokenizer

LIMIT = 256  # what the encoder reads: all-MiniLM-L6-v2 was trained on no longer texts
TARGET = 200  # a part of a long section
RUNT = 24  # less text than this does not stand alone
_SPECIALS = 2  # [CLS] and [SEP]
_LABEL = 6  # a block of prose up to this is the title of what follows
_LONG_LINE = 60  # prose lines over this may also be split between sentences

# What it costs to split at a place, against 1 for a part that is empty instead of its ideal size.
_AT_LINE = 0.15
_AT_SENTENCE = 0.3
_AT_PIECE = 0.6
_ANNOUNCED = 0.1  # between "For example:", "Note" or the label of a tab, and what follows

_SENTENCE_END = re.compile(r"(?<=[.!?:;])\s+(?=\S)|(?<=[。！？；])")


@dataclass(frozen=True, slots=True)
class _Unit:
    """The smallest thing that is not split further: a line, a sentence, or a piece of one.

    `glue` stands before it when the unit before it is of the same block and in the same passage.
    """

    block: int
    kind: BlockKind
    text: str
    glue: str
    size: int
    cost: float


@dataclass(frozen=True, slots=True)
class _Draft:
    """What shares an anchor and headings: one section, or several that were joined."""

    anchor: str | None
    path: tuple[str, ...]
    sections: tuple[Section, ...]
    size: int
    is_group: bool = False  # of sections side by side, under the headings they share

    @property
    def is_item(self) -> bool:
        return any(block.kind == "signature" for block in self.sections[0].blocks)

    @property
    def is_empty(self) -> bool:
        return not any(section.blocks for section in self.sections)

    def blocks(self) -> tuple[Block, ...]:
        """All blocks; a heading that is not among the draft's own becomes a line before its section's."""
        blocks: list[Block] = []
        for section in self.sections:
            heading = " > ".join(section.heading_path[_shared(section.heading_path, self.path) :])
            if heading:
                blocks.append(Block("prose", heading))
            blocks.extend(section.blocks)
        return tuple(blocks) or (Block("prose", self.path[-1]),)


class Cutter:
    """Cuts pages into passages for one encoder. It remembers the sizes of words, nothing else.

    `tokenizer` must neither pad nor truncate. `limit` is a hard one; `target` is what the parts of a long
    section are aimed at; less text than `runt` joins its neighbour. All in word pieces.
    """

    def __init__(
        self, tokenizer: Tokenizer, limit: int = LIMIT, target: int = TARGET, runt: int = RUNT
    ) -> None:
        if tokenizer.padding is not None or tokenizer.truncation is not None:
            raise ValueError("the tokenizer must neither pad nor truncate: sizes would be wrong")
        self._tokenizer = tokenizer
        self._limit, self._target, self._runt = limit, min(target, limit), runt
        self._sizes: dict[str, int] = {}

    def cut(self, index: int, page: Page) -> list[Passage]:
        """The passages of a page, in its order; `index` is the page's place in the build."""
        sections = [section for section in page.sections if section.blocks or section.heading_path]
        self._learn(block.text for section in sections for block in section.blocks)
        self._learn(" ".join((page.title, *section.heading_path)) for section in sections)
        drafts = self._joined(sections)
        parts = [self._parts(page, draft) for draft in drafts]
        texts = [
            self._embedded(page, draft.path, blocks)
            for draft, own in zip(drafts, parts, strict=True)
            for blocks in own
        ]
        fits = iter([size <= self._limit for size in self.sizes(texts)])
        passages: list[Passage] = []
        ordinals: dict[str | None, int] = {}
        for draft, own in zip(drafts, parts, strict=True):
            own_fits = list(islice(fits, len(own)))
            fitting = own if all(own_fits) else self._fitting(page, draft)
            for blocks in fitting:
                ordinal = ordinals.get(draft.anchor, 0)
                ordinals[draft.anchor] = ordinal + 1
                passages.append(Passage(index, draft.anchor, ordinal, draft.path, blocks))
        return passages

    def embedded_text(self, page: Page, passage: Passage) -> str:
        """What the encoder reads: a line of context, then the passage as shown."""
        return self._embedded(page, passage.heading_path, passage.blocks)

    def _embedded(self, page: Page, path: tuple[str, ...], blocks: Iterable[Block]) -> str:
        text = "\n\n".join(block.text for block in blocks)
        return f"{self._context(page, path)}\n{text}"

    def sizes(self, texts: Sequence[str]) -> list[int]:
        """The sizes of whole texts, special tokens included, as the tokenizer itself counts them."""
        normal = [normalize_for_encoder(text) for text in texts]
        return [len(encoding.ids) for encoding in self._tokenizer.encode_batch_fast(normal)]

    # -- sizes

    def _learn(self, texts: Iterable[str]) -> None:
        """Measure the words not met before, all at once."""
        new = list({word for text in texts for word in text.split() if word not in self._sizes})
        normal = [normalize_for_encoder(word) for word in new]
        encodings = self._tokenizer.encode_batch_fast(normal, add_special_tokens=False)
        self._sizes.update((word, len(encoding.ids)) for word, encoding in zip(new, encodings, strict=True))

    def _size(self, text: str) -> int:
        """The size of a text without special tokens: words are cut up one by one, so theirs add up."""
        sizes = self._sizes
        try:
            return sum([sizes[word] for word in text.split()])
        except KeyError:
            self._learn([text])
            return sum([sizes[word] for word in text.split()])

    # -- context

    def _context(self, page: Page, path: tuple[str, ...]) -> str:
        """Title and headings, at most a quarter of the limit; the outer headings go first."""
        headings = path[1:] if path and _letters(path[0]) == _letters(page.title) else path
        most = self._limit // 4
        while True:
            line = " > ".join((page.title, *headings))
            if self._size(line) <= most:
                return line
            if len(headings) > 1:
                headings = headings[1:]
            else:
                break
        # Even title and last heading are too long: half for each.
        parts = [page.title, *headings]
        each = most // len(parts) - 1
        return " > ".join(self._start_of(part, each) for part in parts)

    def _start_of(self, text: str, most: int) -> str:
        if self._size(text) <= most:
            return text
        ends = [end for _, end in self._tokenizer.encode(text, add_special_tokens=False).offsets]
        while most > 0:
            start = text[: ends[min(most, len(ends)) - 1]].rstrip()
            if self._size(start) <= most:
                return start
            most -= 1
        return ""

    # -- joining

    def _joined(self, sections: Sequence[Section]) -> list[_Draft]:
        """The sections as drafts, those that are too small joined to a neighbour.

        - A heading without text is dropped where the next section's headings repeat it.
        - A runt joins the first section below it, which keeps its anchor and headings; only the text under
          the page's own title stands alone, since it says what the page is about.
        - Runts side by side join under the headings they share, with the anchor of the first.
        - An item with a signature keeps its own anchor, because its name is what people look for; headings
          within its description ("Examples") join it if all fits.
        - What is left stands alone: joined to anything else, its headings or those of the other would lie.
        """
        drafts: list[_Draft] = []
        for section in sections:
            draft = _Draft(section.anchor, section.heading_path, (section,), self._text_size(section))
            joined = self._join(drafts[-1], draft) if drafts else None
            if joined is None:
                drafts.append(draft)
            else:
                drafts[-1] = joined
        return drafts

    def _join(self, first: _Draft, second: _Draft) -> _Draft | None:
        """Two neighbours as one draft, or None if they should stay apart."""
        size = first.size + second.size
        sections = first.sections + second.sections
        is_below = second.path[: len(first.path)] == first.path
        if first.is_empty and is_below:
            return second
        if first.is_item:
            fits = size <= self._target - self._limit // 4
            return (
                replace(first, sections=sections, size=size)
                if is_below and not second.is_item and fits
                else None
            )
        if first.size >= self._runt or second.is_item:
            return None
        if is_below and not first.is_group:
            is_introduction = len(first.path) <= 1 and first.size >= self._runt // 3
            return None if is_introduction else replace(second, sections=sections, size=size)
        parent = first.path if first.is_group else first.path[:-1]
        if parent and second.path[:-1] == parent and second.size < self._runt:
            return _Draft(first.sections[0].anchor, parent, sections, size, is_group=True)
        return None

    def _text_size(self, section: Section) -> int:
        return sum(self._size(block.text) for block in section.blocks)

    # -- splitting

    def _parts(self, page: Page, draft: _Draft, slack: int = 0) -> list[tuple[Block, ...]]:
        """The draft's blocks in parts that should fit, with so many pieces to spare."""
        blocks = draft.blocks()
        taken = _SPECIALS + self._size(self._context(page, draft.path)) + slack
        hard = self._limit - taken
        if sum(self._size(block.text) for block in blocks) <= hard:
            return [blocks]
        return self._split(blocks, max(1, hard), max(1, self._target - taken))

    def _fitting(self, page: Page, draft: _Draft) -> list[tuple[Block, ...]]:
        """The parts of a draft for which the sizes of words do not add up to what the tokenizer counts.

        That is so where control characters stand between them. Room is left until all fit.
        """
        slack = 0
        while True:
            parts = self._parts(page, draft, slack)
            over = max(self.sizes([self._embedded(page, draft.path, part) for part in parts])) - self._limit
            if over <= 0 or slack > self._limit:
                return parts
            slack += over

    def _split(self, blocks: Sequence[Block], hard: int, soft: int) -> list[tuple[Block, ...]]:
        units = [unit for i, block in enumerate(blocks) for unit in self._units(i, block, hard)]
        total = sum(unit.size for unit in units)
        ideal = total / max(1, -(-total // soft))
        starts = _best_starts(units, hard, ideal)
        ends = [*starts[1:], len(units)]
        parts = [_blocks(units[start:end]) for start, end in zip(starts, ends, strict=True)]
        return [part for part in parts if part]  # without those of empty lines only

    def _units(self, index: int, block: Block, hard: int) -> Iterable[_Unit]:
        """A block as lines, its long lines as sentences if it is prose, what is over `hard` as pieces."""
        glue, cost = "", 0.0
        for line in block.text.split("\n"):
            size = self._size(line)
            if size <= (min(hard, _LONG_LINE) if block.kind == "prose" else hard):
                yield _Unit(index, block.kind, line, glue, size, cost)
            else:
                yield from self._line_units(index, block.kind, line, glue, cost, hard)
            glue, cost = "\n", _AT_LINE

    def _line_units(
        self, index: int, kind: BlockKind, line: str, glue: str, cost: float, hard: int
    ) -> Iterable[_Unit]:
        for text, gap in _sentences(line) if kind == "prose" else [(line, "")]:
            size = self._size(text)
            if size <= hard:
                yield _Unit(index, kind, text, glue, size, cost)
            else:
                for piece in self._pieces(text, hard):
                    yield _Unit(index, kind, piece, glue, self._size(piece), cost)
                    glue, cost = "", _AT_PIECE
            glue, cost = gap, _AT_SENTENCE

    def _pieces(self, text: str, hard: int) -> Iterable[str]:
        """A text in parts of at most `hard`, cut after a word piece, best after white space."""
        ends = [end for _, end in self._tokenizer.encode(text, add_special_tokens=False).offsets]
        start = 0
        while start < len(text):
            end = self._piece_end(text, start, [end for end in ends if end > start], hard)
            yield text[start:end]
            start = end

    def _piece_end(self, text: str, start: int, ends: Sequence[int], hard: int) -> int:
        """Where a part from `start` has to end; `ends` are those of the word pieces after it."""
        most = min(hard, len(ends))
        while most > 0:
            end = ends[most - 1] if most < len(ends) else len(text)
            if end < len(text):
                space = text.rfind(" ", start + (end - start) // 2, end)
                end = space + 1 if space > 0 else end
            if self._size(text[start:end]) <= hard:
                return end
            most -= 1  # half a word can be more pieces than it was within the whole
        # A single piece that gets bigger when normalised: a long unknown word.
        end = ends[0] if ends else len(text)
        while end - start > 1 and self._size(text[start:end]) > hard:
            end = start + (end - start) // 2
        return end


def _letters(text: str) -> str:
    """What two titles are compared by: capitals and punctuation often differ from `<title>` to heading."""
    return re.sub(r"[\W_]+", "", text.casefold()) or text


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """How many headings two paths have in common, from the outermost on."""
    return next(
        (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


def _sentences(line: str) -> list[tuple[str, str]]:
    """A line as sentences, each with the white space after it."""
    found: list[tuple[str, str]] = []
    start = 0
    for match in _SENTENCE_END.finditer(line):
        if match.start() > start:
            found.append((line[start : match.start()], match[0]))
            start = match.end()
    found.append((line[start:], ""))
    return found


def _announces(unit: _Unit, following: _Unit) -> bool:
    """Whether a unit says little without the one after it: it ends in a colon, or is a few words' block."""
    is_label = unit.kind == "prose" and unit.size <= _LABEL and unit.block != following.block
    return unit.text.endswith(":") or (is_label and not unit.text.endswith((".", "!", "?")))


def _best_starts(units: Sequence[_Unit], hard: int, ideal: float) -> list[int]:
    """Where the parts begin, so that all fit and the sum of what is wrong with them is least.

    A part is wrong by the square of its distance from the ideal size, and by what splitting there costs.
    Of equal ways the one with the later start of the last part is taken.
    """
    best: list[tuple[float, int]] = [(0.0, 0)]  # up to unit i: (least sum, start of the last part)
    for end in range(1, len(units) + 1):
        size = 0
        choice = (float("inf"), end - 1)
        for start in range(end - 1, -1, -1):
            size += units[start].size
            if size > hard and start < end - 1:
                break
            wrong = best[start][0] + ((size - ideal) / ideal) ** 2
            if start:
                wrong += units[start].cost + (_ANNOUNCED if _announces(units[start - 1], units[start]) else 0)
            if wrong < choice[0]:
                choice = (wrong, start)
        best.append(choice)
    starts: list[int] = []
    end = len(units)
    while end > 0:
        end = best[end][1]
        starts.append(end)
    starts.reverse()
    return starts


def _blocks(units: Sequence[_Unit]) -> tuple[Block, ...]:
    """Units put together again; what was between a part and the one before is gone."""
    blocks: list[Block] = []
    for _, group in groupby(units, key=lambda unit: unit.block):
        members = list(group)
        text = members[0].text + "".join(unit.glue + unit.text for unit in members[1:])
        text = text.strip("\n").rstrip()
        if text:
            blocks.append(Block(members[0].kind, text))
    return tuple(blocks)
