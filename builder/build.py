"""The steps of a build in order; the only place that knows all of them."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt
from nearpage.builder import format as formats
from nearpage.builder.bm25 import Bm25Parameters, FieldParameters, norm, score
from nearpage.builder.cache import open_cache
from nearpage.builder.changelog import is_changelog
from nearpage.builder.encoder import BUNDLED, Encoder, PieceCounter
from nearpage.builder.errors import SourceError
from nearpage.builder.floor import COVERAGE_WEIGHT, calibrate, uncalibrated
from nearpage.builder.format import FORMAT, Kind, Pack, decoded_length, length_code, wrap
from nearpage.builder.fusion import ranking, supported
from nearpage.builder.manifest import Code, EncoderFiles, File, Manifest, PackFile, VectorFiles
from nearpage.builder.model import Page, Passage
from nearpage.builder.passages import Cutter
from nearpage.builder.postings import Postings, dictionary, post
from nearpage.builder.publish import Folder, asset
from nearpage.builder.query import query_words
from nearpage.builder.settings import (
    CHANGELOG_BOOST,
    COVERAGE,
    FIELD_NORMALISATIONS,
    FIELD_WEIGHTS,
    FUSION,
    K1,
    light_words,
)
from nearpage.builder.spelling import is_correctable
from nearpage.builder.terms import STEMMERS, stemmer
from nearpage.builder.vectors import SCHEME, Codes, cosines, quantise


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
    `threads` None takes every core.
    """

    encoder: Path | None = BUNDLED
    cache: Path | None = None
    threads: int | None = None


@dataclass(slots=True)
class Report:
    """What a build did. Sizes in bytes by kind, times in seconds by step."""

    pages: int = 0
    sections: int = 0
    passages: int = 0
    over_limit: int = 0
    longest_passage_pieces: int = 0
    embedded: int = 0
    reused: int = 0
    bytes: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def timed(self, step: str) -> Iterator[None]:
        """Add the time of a step."""
        start = time.perf_counter()
        yield
        self.seconds[step] = round(self.seconds.get(step, 0.0) + time.perf_counter() - start, 3)


def build(
    pages: Sequence[Page],
    output: Path,
    options: Options,
    report: Report,
    progress: Progress | None = None,
    root: str = "../",
) -> Manifest:
    """Index pages, in the order given, into a folder; `report` is filled in on the way.

    `root` is the address of the site's root as seen from the folder, which pages' URLs are relative to.
    """
    progress = progress or Silent()
    report.pages = len(pages)
    report.sections = sum(len(page.sections) for page in pages)
    if not report.sections:
        raise SourceError("no text found in any page; is this a built site with its content in the HTML?")

    with report.timed("load"):
        encoder = Encoder(options.encoder) if options.encoder else None
        # Before the long work, so that a folder that cannot be written, or assets that are not there, end it.
        folder = Folder(output)
        # Without an encoder passages are cut all the same as with the bundled one.
        pieces = encoder.pieces if encoder else PieceCounter(BUNDLED / "tokenizer.json")
        limit = encoder.config.limit if encoder else 256
        prefix = encoder.config.passage_prefix if encoder else ""

    changelogs = {number for number, page in enumerate(pages) if is_changelog(page)}
    pages = [
        replace(page, boost=page.boost * CHANGELOG_BOOST) if number in changelogs else page
        for number, page in enumerate(pages)
    ]
    with report.timed("cut"):
        advance = progress.step("Cutting", len(pages))
        cutter = Cutter(pieces.tokenizer, limit - len(pieces.ids(prefix)) + len(pieces.ids("")))
        passages: list[Passage] = []
        for number, page in enumerate(pages):
            passages += cutter.cut(number, page)
            advance(1)
        texts = [cutter.embedded_text(pages[passage.page], passage) for passage in passages]
        lengths = [len(ids) for ids in pieces.ids_batch([prefix + text for text in texts])]
        report.passages = len(passages)
        report.longest_passage_pieces = max(lengths)
        report.over_limit = sum(length > limit for length in lengths)

    vectors = _embed(encoder, texts, options, report, progress) if encoder else None

    with report.timed("post"):
        language = _language(pages)
        postings = post(pages, passages, stemmer(language))

    with report.timed("calibrate"):
        parameters = _parameters(postings)
        codes = None if vectors is None else quantise(vectors)
        floor = uncalibrated()
        if encoder and codes:
            evidence = _evidence(encoder, codes, pages, passages, postings, parameters, language)
            # What a changelog's headings (versions, `Fixes`) ask is no question.
            asked = [p for p in passages if p.heading_path and p.page not in changelogs]
            floor = calibrate(evidence, [passage.heading_path[-1] for passage in asked])

    with report.timed("write"):
        manifest = Manifest(
            format=FORMAT,
            generator=f"nearpage {version('nearpage')}",
            language=language,
            root=root,
            pages=report.pages,
            sections=report.sections,
            passages=report.passages,
            bm25=parameters,
            fusion=FUSION,
            floor=floor,
            light=light_words(language),
            table=folder.add(
                "table",
                wrap(Kind.PASSAGES, formats.encode_passages(pages, passages, postings.lengths)),
            ),
            postings=_packs(folder, "postings", Kind.POSTINGS, formats.encode_postings(postings.lists)),
            dictionary=folder.add(
                "dictionary",
                wrap(Kind.DICTIONARY, formats.encode_dictionary(dictionary(postings, is_correctable))),
            ),
            texts=_packs(folder, "texts", Kind.TEXTS, formats.encode_texts(pages, passages)),
            vectors=_vector_files(folder, encoder, codes),
            encoder=_encoder_files(folder, encoder),
            code=_code(folder, language),
        )
        folder.seal(manifest)
    report.bytes = sizes(manifest)
    return manifest


def sizes(manifest: Manifest) -> dict[str, int]:
    """Bytes of an index by kind, as they travel."""
    encoder = manifest.encoder
    return {
        "postings": manifest.table.bytes + sum(pack.bytes for pack in manifest.postings),
        "dictionary": manifest.dictionary.bytes,
        "texts": sum(pack.bytes for pack in manifest.texts),
        "vectors": sum(pack.bytes for pack in manifest.vectors.packs) if manifest.vectors else 0,
        "encoder": encoder.model.bytes + encoder.tokenizer.bytes if encoder else 0,
        "runtime": encoder.runtime.bytes + encoder.code.bytes if encoder else 0,
        "code": manifest.code.worker.bytes + manifest.code.dialog.bytes,
    }


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


def _language(pages: Sequence[Page]) -> str:
    """The language of most pages; of equals, the first in the alphabet."""
    languages = sorted({page.language for page in pages})
    return max(languages, key=lambda language: sum(page.language == language for page in pages))


def _parameters(postings: Postings) -> Bm25Parameters:
    # Six decimals: the number in the manifest is then short, and the same in either language.
    # Of the passages that have the field: where few have code, a line of it is not long.
    means = [
        round(float(column[column > 0].mean()), 6) if column.any() else 0.0 for column in postings.lengths.T
    ]
    rows = zip(FIELD_WEIGHTS, FIELD_NORMALISATIONS, means, strict=True)
    return Bm25Parameters(K1, COVERAGE, tuple(FieldParameters(weight, b, mean) for weight, b, mean in rows))


def _packs(folder: Folder, stem: str, kind: Kind, packs: Iterator[Pack]) -> tuple[PackFile, ...]:
    written = []
    for pack in packs:
        file = folder.add(stem, wrap(kind, pack.payload))
        written.append(PackFile(file.file, file.bytes, pack.first))
    return tuple(written)


def _evidence(
    encoder: Encoder,
    codes: Codes,
    pages: Sequence[Page],
    passages: Sequence[Passage],
    postings: Postings,
    parameters: Bm25Parameters,
    language: str,
) -> Callable[[str], float]:
    """What a query has for it in an index that is about to be written: see floor."""
    numbers = np.array([passage.page for passage in passages], np.int64)
    roots = np.sqrt([pages[number].boost for number in numbers])
    kept = [[decoded_length(length_code(length)) for length in row] for row in postings.lengths.tolist()]
    norms = norm(np.array(kept, np.float64), parameters)
    ones = np.ones(len(norms))
    exact = Codes(codes.scales, codes.codes.astype(np.float64))
    stem, light = stemmer(language), light_words(language)

    def evidence(query: str) -> float:
        # A white space, for what is asked here is not half typed.
        words = query_words(f"{query} ", stem, frozenset(light.words), light.weight)
        scored = score(words, postings.lists.get, lambda prefix: [], norms, ones, parameters)
        near = cosines(encoder.query(query), exact)
        scores = supported(near * roots, numbers, FUSION.vector_support)
        nearest = ranking(scores, FUSION.depth, positive_only=False)
        best = float(scored.coverage[nearest].max(initial=0.0))
        return float(near.max(initial=0.0)) + COVERAGE_WEIGHT * best

    return evidence


def _vector_files(folder: Folder, encoder: Encoder | None, codes: Codes | None) -> VectorFiles | None:
    if encoder is None or codes is None:
        return None
    packs = _packs(folder, "vectors", Kind.VECTORS, formats.encode_vectors(codes))
    return VectorFiles(SCHEME, encoder.config.dims, encoder.config.fingerprint, packs)


def _encoder_files(folder: Folder, encoder: Encoder | None) -> EncoderFiles | None:
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
        model=add("model", encoder.model),
        tokenizer=add("tokenizer", encoder.tokenizer),
        runtime=add("runtime", asset("runtime.wasm")),
        code=folder.add("encoder", asset("encoder.js")),
    )


def _code(folder: Folder, language: str) -> Code:
    """The worker begins with the stemmer of the site's language, so that both come in one request."""
    algorithm = STEMMERS.get(language.split("-", maxsplit=1)[0].lower())
    stem = asset(f"stemmer-{algorithm}.js") + b"\n" if algorithm else b""
    return Code(
        worker=folder.add("worker", stem + asset("worker.js")),
        dialog=folder.add("dialog", asset("dialog.js")),
    )
