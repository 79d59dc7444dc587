"""The steps of a build in order; the only place that knows all of them."""

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt
from nearpage.builder import format as formats
from nearpage.builder.bm25 import Bm25Parameters, FieldParameters, norm, score
from nearpage.builder.cache import open_cache
from nearpage.builder.changelog import is_changelog
from nearpage.builder.encoder import BUNDLED, LIGHT, PROJECTION, Encoder, PieceCounter
from nearpage.builder.errors import EncoderError, SourceError
from nearpage.builder.floor import LIGHT as LIGHT_SCALE
from nearpage.builder.floor import calibrate, uncalibrated
from nearpage.builder.format import (
    FORMAT,
    Kind,
    ListedPack,
    Pack,
    PackList,
    decoded_length,
    length_code,
    wrap,
)
from nearpage.builder.fusion import ranking, supported
from nearpage.builder.languages import Group, by_language
from nearpage.builder.light import LightEncoder, LightTable, selected
from nearpage.builder.manifest import (
    Code,
    EncoderFiles,
    File,
    Floor,
    LightEncoderFiles,
    Manifest,
    PackFile,
    VectorFiles,
    hash_in,
)
from nearpage.builder.model import Page, Passage
from nearpage.builder.passages import Cutter
from nearpage.builder.postings import Postings, dictionary, post
from nearpage.builder.publish import Folder, asset
from nearpage.builder.query import query_words
from nearpage.builder.settings import (
    BITS,
    CHANGELOG_BOOST,
    COVERAGE,
    FIELD_NORMALISATIONS,
    FIELD_WEIGHTS,
    FUSION,
    K1,
    LIGHT_FEWEST,
    LIGHT_SHARE,
    PROJECTED_BITS,
    light_words,
)
from nearpage.builder.spelling import is_correctable
from nearpage.builder.terms import STEMMERS, stemmer
from nearpage.builder.vectors import (
    SCHEME,
    Codes,
    Projection,
    blending,
    cosines,
    projected,
    projecting,
    quantise,
)


class Progress(Protocol):
    """Where a build tells how far it has come."""

    def step(self, name: str, total: int) -> Callable[[int], None]:
        """A step begins; the function returned is told of each amount done."""


class Silent:
    """Progress that nobody looks at."""

    def step(self, name: str, total: int) -> Callable[[int], None]:
        """Nothing is shown."""
        return lambda done: None


class Lines:
    """Progress as a line now and then, for logs. `say` is given the line."""

    EVERY = 10.0  # seconds

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say

    def step(self, name: str, total: int) -> Callable[[int], None]:
        """Nothing is said of a step while it is short."""
        done = 0
        last = time.monotonic()

        def advance(amount: int) -> None:
            nonlocal done, last
            done += amount
            now = time.monotonic()
            if now - last >= self.EVERY and done < total:
                last = now
                self._say(f"{name}: {done} of {total}")

        return advance


@dataclass(frozen=True, slots=True)
class Options:
    """How to build.

    `encoder` None leaves vectors and encoder out; `cache` None keeps no vectors for the next build;
    `threads` None takes every core; without `full` the browser gets the light query encoder alone.
    """

    encoder: Path | None = BUNDLED
    cache: Path | None = None
    threads: int | None = None
    full: bool = True


@dataclass(slots=True)
class Report:
    """What a build did. Sizes in bytes by kind, times in seconds by step.

    `languages` has the numbers of pages and passages of each language's index, the main one's first.
    """

    pages: int = 0
    sections: int = 0
    passages: int = 0
    over_limit: int = 0
    longest_passage_pieces: int = 0
    embedded: int = 0
    reused: int = 0
    languages: dict[str, dict[str, int]] = field(default_factory=dict)
    bytes: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def timed(self, step: str) -> Iterator[None]:
        """Add the time of a step."""
        start = time.perf_counter()
        yield
        self.seconds[step] = round(self.seconds.get(step, 0.0) + time.perf_counter() - start, 3)


@dataclass(frozen=True, slots=True)
class _Cut:
    """One language's passages, which name their page by its place in the group, and their embedded texts."""

    group: Group
    passages: list[Passage]
    texts: list[str]


@dataclass(frozen=True, slots=True)
class _Weighed:
    """What one language's passages are found by; `codes` is None without an encoder."""

    postings: Postings
    parameters: Bm25Parameters
    codes: Codes | None
    floor: Floor
    light: tuple[LightTable, Floor] | None
    """The light encoder's table of the pieces that other sites have not, and its floor."""


def build(
    pages: Sequence[Page],
    output: Path,
    options: Options,
    report: Report,
    progress: Progress | None = None,
    root: str = "../",
) -> dict[str, Manifest]:
    """Index pages, in the order given, into a folder; `report` is filled in on the way.

    The index of the main language is the folder's own; those of the others are in folders below it, named
    by their tags. Gives the manifests by these names, the main one's being empty.

    `root` is the address of the site's root as seen from the folder, which pages' URLs are relative to.
    """
    progress = progress or Silent()
    report.pages = len(pages)
    report.sections = sum(len(page.sections) for page in pages)
    if not report.sections:
        raise SourceError("no text found in any page; is this a built site with its content in the HTML?")

    with report.timed("load"):
        encoder = Encoder(options.encoder) if options.encoder else None
        projection = _projection(encoder)
        light = _light_tables(encoder, projection)
        if encoder and not (light or options.full):
            raise EncoderError(
                f"{encoder.folder}: has no light twin ({', '.join(LIGHT)}); take the bundled encoder, or the "
                "full one in the browser"
            )
        # Before the long work, so that a folder that cannot be written, or assets that are not there, end it.
        folder = Folder(output)
        # Without an encoder passages are cut all the same as with the bundled one.
        pieces = encoder.pieces if encoder else PieceCounter(BUNDLED / "tokenizer.json")
        limit = encoder.config.limit if encoder else 256
        prefix = encoder.config.passage_prefix if encoder else ""

    changelogs = {page.url for page in pages if is_changelog(page)}
    pages = [
        replace(page, boost=page.boost * CHANGELOG_BOOST) if page.url in changelogs else page
        for page in pages
    ]
    with report.timed("cut"):
        advance = progress.step("Cutting", len(pages))
        cutter = Cutter(pieces.tokenizer, limit - len(pieces.ids(prefix)) + len(pieces.ids("")))
        cuts = [_cut(group, cutter, advance) for group in by_language(pages)]
        texts = [text for cut in cuts for text in cut.texts]
        rows = pieces.ids_batch([prefix + text for text in texts])
        lengths = [len(ids) for ids in rows]
        report.passages = len(texts)
        report.longest_passage_pieces = max(lengths)
        report.over_limit = sum(length > limit for length in lengths)
        report.languages = {
            cut.group.tag: {"pages": len(cut.group.pages), "passages": len(cut.passages)} for cut in cuts
        }

    vectors = None
    if encoder:
        vectors = projected(_embed(encoder, texts, options, report, progress), projection)

    ends = np.cumsum([len(cut.texts) for cut in cuts])
    own_vectors = [None] * len(cuts) if vectors is None else np.split(vectors, ends[:-1])
    weighed = []
    for cut, own, end in zip(cuts, own_vectors, ends.tolist(), strict=True):
        codes = None if own is None else quantise(own, PROJECTED_BITS if projection else BITS)
        tables = light and _kept_tables(light, pieces, rows[end - len(cut.texts) : end])
        weighed.append(_weigh(cut, encoder, projection, codes, tables, changelogs, report))

    with report.timed("write"):
        encoder_files = _encoder_files(folder, encoder, projection, bool(light)) if options.full else None
        fingerprint = encoder.config.fingerprint if encoder else ""
        base = light and folder.add("light", wrap(Kind.LIGHT, formats.encode_light(light[0])))
        manifests: dict[str, Manifest] = {}
        for cut, each in zip(cuts, weighed, strict=True):
            below = cut.group.tag if manifests else ""
            manifests[below] = _write(folder, below, root, cut, each, fingerprint, base, encoder_files)
        folder.seal(manifests)
    report.bytes = sizes(folder.files)
    return manifests


def _cut(group: Group, cutter: Cutter, advance: Callable[[int], None]) -> _Cut:
    passages: list[Passage] = []
    for number, page in enumerate(group.pages):
        passages += cutter.cut(number, page)
        advance(1)
    return _Cut(group, passages, [cutter.embedded_text(group.pages[each.page], each) for each in passages])


def _weigh(
    cut: _Cut,
    encoder: Encoder | None,
    projection: Projection | None,
    codes: Codes | None,
    tables: Sequence[LightTable] | None,
    changelogs: Collection[str],
    report: Report,
) -> _Weighed:
    language, passages = cut.group.language, cut.passages
    with report.timed("post"):
        postings = post(cut.group.pages, passages, stemmer(language))
    with report.timed("calibrate"):
        parameters = _parameters(postings)
        floor, light = uncalibrated(), None
        if encoder and codes:
            encode = projecting(encoder.query, projection)
            if tables and encoder.has_query_model:
                encode = blending(encode, LightEncoder(tables).query, LIGHT_SHARE)
            # What a changelog's headings (versions, `Fixes`) ask is no question.
            asked = [p for p in passages if p.heading_path and cut.group.pages[p.page].url not in changelogs]
            headings = [passage.heading_path[-1] for passage in asked]
            floor = calibrate(_near(encode, codes, cut, postings, parameters), headings)
            if tables:
                near = _near(LightEncoder(tables).query, codes, cut, postings, parameters)
                light = tables[-1], calibrate(near, headings, LIGHT_SCALE)
    return _Weighed(postings, parameters, codes, floor, light)


def _write(
    folder: Folder,
    below: str,
    root: str,
    cut: _Cut,
    weighed: _Weighed,
    fingerprint: str,
    base: File | None,
    encoder: EncoderFiles | None,
) -> Manifest:
    """The manifest of one language's index, whose files are written by now."""
    language, pages, passages, postings = cut.group.language, cut.group.pages, cut.passages, weighed.postings

    def add(stem: str, kind: Kind, payload: bytes) -> File:
        return folder.add(stem, wrap(kind, payload), below)

    def listed(stem: str, kind: Kind, written: Iterator[Pack]) -> tuple[ListedPack, ...]:
        return tuple(ListedPack(pack.first, hash_in(add(stem, kind, pack.payload))) for pack in written)

    vectors = light = None
    if weighed.codes:
        files = [
            (add("vectors", Kind.VECTORS, pack.payload), int(pack.first))
            for pack in formats.encode_vectors(weighed.codes)
        ]
        written = tuple(PackFile(file.file, file.bytes, first) for file, first in files)
        dims, bits = weighed.codes.levels.shape[1], weighed.codes.bits
        vectors = VectorFiles(SCHEME, dims, bits, fingerprint, written)
    if base and weighed.light:
        table, floor = weighed.light
        light = LightEncoderFiles((base, add("light", Kind.LIGHT, formats.encode_light(table))), floor)
    packs = PackList(
        listed("postings", Kind.POSTINGS, formats.encode_postings(postings.lists)),
        listed("texts", Kind.TEXTS, formats.encode_texts(pages, passages)),
    )
    terms = formats.encode_dictionary(dictionary(postings, is_correctable))
    manifest = Manifest(
        format=FORMAT,
        generator=f"nearpage {version('nearpage')}",
        language=language,
        root=root,
        pages=len(pages),
        sections=sum(len(page.sections) for page in pages),
        passages=len(passages),
        bm25=weighed.parameters,
        fusion=FUSION,
        floor=weighed.floor,
        light=light_words(language),
        table=add("table", Kind.PASSAGES, formats.encode_passages(pages, passages, postings.lengths)),
        packs=add("packs", Kind.PACKS, formats.encode_packs(packs)),
        dictionary=add("dictionary", Kind.DICTIONARY, terms),
        vectors=vectors,
        light_encoder=light,
        encoder=encoder,
        code=_code(folder, language),
    )
    return _seen_from_below(manifest) if below else manifest


def _seen_from_below(manifest: Manifest) -> Manifest:
    """A manifest whose encoder and scripts, and the site's root, are one folder further up."""

    def up(file: File) -> File:
        return File(f"../{file.file}", file.bytes)

    light, encoder, code = manifest.light_encoder, manifest.encoder, manifest.code
    return replace(
        manifest,
        root=f"../{manifest.root}",
        light_encoder=light and replace(light, tables=(up(light.tables[0]), *light.tables[1:])),
        encoder=encoder
        and replace(
            encoder,
            model=up(encoder.model),
            tokenizer=up(encoder.tokenizer),
            runtime=up(encoder.runtime),
            projection=encoder.projection and up(encoder.projection),
            code=up(encoder.code),
        ),
        code=Code(worker=up(code.worker), dialog=up(code.dialog)),
    )


def sizes(files: Mapping[str, int]) -> dict[str, int]:
    """Bytes by kind, as they travel, of files by their paths."""
    found = dict.fromkeys(_KINDS.values(), 0)
    for path, size in files.items():
        found[_KINDS[path.rpartition("/")[2].partition("-")[0]]] += size
    return found


_KINDS = {
    "table": "postings",
    "packs": "postings",
    "postings": "postings",
    "dictionary": "dictionary",
    "texts": "texts",
    "vectors": "vectors",
    "model": "encoder",
    "tokenizer": "encoder",
    "projection": "encoder",
    "light": "light",
    "runtime": "runtime",
    "encoder": "runtime",
    "worker": "code",
    "dialog": "code",
}
"""What a file is reported as, by the stem of its name."""


def _embed(
    encoder: Encoder, texts: list[str], options: Options, report: Report, progress: Progress
) -> npt.NDArray[np.float32]:
    """Vectors [len(texts), dims]: each distinct text embedded once, and only if the cache has none."""
    with report.timed("embed"), open_cache(options.cache, encoder.config.fingerprint) as cache:
        distinct = list(dict.fromkeys(texts))
        vectors = np.zeros((len(distinct), encoder.config.dims), np.float32)
        known = cache.get(distinct)
        for position, vector in known.items():
            vectors[position] = vector
        missing = [position for position in range(len(distinct)) if position not in known]
        advance = progress.step("Embedding", len(missing))
        # In portions, so that a build that is stopped has not worked in vain.
        for start in range(0, len(missing), _PORTION):
            portion = missing[start : start + _PORTION]
            wanted = [distinct[position] for position in portion]
            vectors[portion] = encoder.passages(wanted, advance, options.threads)
            cache.put(wanted, vectors[portion])
        cache.prune()
        report.embedded, report.reused = len(missing), len(texts) - len(missing)
        row = {text: position for position, text in enumerate(distinct)}
        return vectors[[row[text] for text in texts]]


_PORTION = 2048


def _parameters(postings: Postings) -> Bm25Parameters:
    # Six decimals: the number in the manifest is then short, and the same in either language.
    # Of the passages that have the field: where few have code, a line of it is not long.
    means = [
        round(float(column[column > 0].mean()), 6) if column.any() else 0.0 for column in postings.lengths.T
    ]
    rows = zip(FIELD_WEIGHTS, FIELD_NORMALISATIONS, means, strict=True)
    return Bm25Parameters(K1, COVERAGE, tuple(FieldParameters(weight, b, mean) for weight, b, mean in rows))


def _projection(encoder: Encoder | None) -> Projection | None:
    if encoder is None or encoder.projection is None:
        return None
    path = str(encoder.folder / PROJECTION)
    projection = formats.decode_projection(encoder.projection, path)
    width = projection.rows.shape[1]
    if width != encoder.config.dims:
        raise EncoderError(
            f"{path}: for vectors of {width} numbers, the encoder's have {encoder.config.dims}; delete it or "
            "fit it again"
        )
    return projection


def _light_tables(
    encoder: Encoder | None, projection: Projection | None
) -> tuple[LightTable, LightTable] | None:
    """The light encoder's tables: of the pieces that every site gets, and of all others."""
    if encoder is None or len(encoder.light) < len(LIGHT):
        return None
    paths_of_tables = [str(encoder.folder / name) for name in LIGHT]
    base, rest = map(formats.decode_light, encoder.light, paths_of_tables)
    dims = len(projection.rows) if projection else encoder.config.dims
    for path, table in zip(paths_of_tables, (base, rest), strict=True):
        if table.codes.levels.shape[1] != dims:
            raise EncoderError(f"{path}: not for codes of {dims} numbers; delete it or fit it again")
    return base, rest


def _kept_tables(
    tables: tuple[LightTable, LightTable], pieces: PieceCounter, rows: Iterable[Sequence[int]]
) -> tuple[LightTable, LightTable]:
    """The tables for one site, whose passages have the piece ids in `rows`."""
    base, rest = tables
    counts = Counter(chain.from_iterable(rows))
    often = [piece for piece, count in counts.items() if count >= LIGHT_FEWEST]
    return base, selected(rest, {str(pieces.tokenizer.id_to_token(piece)) for piece in often})


def _near(
    encode: Callable[[str], npt.NDArray[np.float32]],
    codes: Codes,
    cut: _Cut,
    postings: Postings,
    parameters: Bm25Parameters,
) -> Callable[[str], tuple[float, float]]:
    """The best cosine and coverage of a query in an index that is about to be written: see floor."""
    language = cut.group.language
    numbers = np.array([passage.page for passage in cut.passages], np.int64)
    roots = np.sqrt([cut.group.pages[number].boost for number in numbers])
    kept = [[decoded_length(length_code(length)) for length in row] for row in postings.lengths.tolist()]
    norms = norm(np.array(kept, np.float64), parameters)
    ones = np.ones(len(norms))
    stem, light = stemmer(language), light_words(language)

    def near(query: str) -> tuple[float, float]:
        # A white space, for what is asked here is not half typed.
        words = query_words(f"{query} ", stem, frozenset(light.words), light.weight)
        scored = score(words, postings.lists.get, lambda prefix: [], norms, ones, parameters)
        found = cosines(encode(query), codes)
        scores = supported(found * roots, numbers, FUSION.vector_support)
        nearest = ranking(scores, FUSION.depth, positive_only=False)
        best = float(scored.coverage[nearest].max(initial=0.0))
        return float(found.max(initial=0.0)), best

    return near


def _encoder_files(
    folder: Folder, encoder: Encoder | None, projection: Projection | None, has_light: bool
) -> EncoderFiles | None:
    if encoder is None:
        return None
    config = encoder.config

    def add(stem: str, data: bytes) -> File:
        return folder.add(stem, wrap(Kind.ENCODER, data))

    return EncoderFiles(
        name=config.name,
        fingerprint=config.fingerprint,
        dims=config.dims,
        limit=config.limit,
        pooling=config.pooling,
        query_prefix=config.query_prefix,
        model=folder.add("model", encoder.query_file),
        tokenizer=add("tokenizer", encoder.tokenizer),
        runtime=add("runtime", asset("runtime.wasm")),
        projection=folder.add("projection", wrap(Kind.PROJECTION, formats.encode_projection(projection)))
        if projection
        else None,
        light_share=LIGHT_SHARE if has_light and encoder.has_query_model else 0.0,
        code=folder.add("encoder", asset("encoder.js")),
    )


def _code(folder: Folder, language: str) -> Code:
    """The worker begins with the stemmer of the index's language, so that both come in one request."""
    algorithm = STEMMERS.get(language.split("-", maxsplit=1)[0].lower())
    stem = asset(f"stemmer-{algorithm}.js") + b"\n" if algorithm else b""
    return Code(
        worker=folder.add("worker", stem + asset("worker.js")),
        dialog=folder.add("dialog", asset("dialog.js")),
    )
