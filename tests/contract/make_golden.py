"""Writes the golden index of `pages.json` and the answers to queries: `make golden`. The diff is the review.

Nothing here is measured: the numbers of ranking are fixed, packs are small so that there are several, and
a stand-in takes the place of the encoder.
"""

import hashlib
import json
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
from nearpage.builder import format as formats
from nearpage.builder import manifest as manifests
from nearpage.builder.bm25 import Bm25Parameters, FieldParameters
from nearpage.builder.format import Kind, ListedPack, Pack, PackList, wrap
from nearpage.builder.fusion import FusionParameters
from nearpage.builder.light import LightTable
from nearpage.builder.manifest import (
    Code,
    EncoderFiles,
    File,
    Floor,
    LightEncoderFiles,
    LightWords,
    Manifest,
    PackFile,
    VectorFiles,
    hash_in,
)
from nearpage.builder.model import Block, Page, Passage
from nearpage.builder.postings import dictionary, post
from nearpage.builder.ranking import Mode, read
from nearpage.builder.reader import Index
from nearpage.builder.search import SearchResult, as_json, search
from nearpage.builder.spelling import is_correctable
from nearpage.builder.terms import stemmer, terms
from nearpage.builder.vectors import SCHEME, Encode, Projection, blending, projected, projecting, quantise

HERE = Path(__file__).parent
INDEX = HERE / "index"
ANSWERS = HERE / "queries.json"
EXPLANATIONS = HERE / "explanations.json"
LANGUAGE = "en"
DIMS = 24
INNER_DIMS = 11
LEAST_PACK_BYTES = 1_200
VECTORS_A_PACK = 10
LIGHT_SHARE = 0.25
LIMIT = 10
EXPLAINED_HITS = 3
MODES: tuple[Mode, ...] = ("hybrid", "lexical", "vector")

QUERIES = (
    "how do I run something after the response has been sent?",
    "retry a failed task ",
    "include_router",
    "includeRouter",
    "APIRouter.include_router",
    "response model exclude unset",
    "getHTTPResponse",
    "@app.get",
    "app.get",
    "C++",
    "C#",
    ".env",
    "$KITE_HOME",
    "--reload",
    "max-body-size",
    "e-mail",
    "1.8",
    "18",
    "v2.0.1",
    "urls",
    "user's settings",
    "routes routing",
    "ro",
    "conn",
    "t",
    "the",
    "Strasse",
    "naive résumé",
    "Straße",
    "resume",
    '"résumé"',
    '"Strasse"',
    "l'overview",
    "объем",
    "οδος",
    "日本語の検索",
    "検索",
    "검",
    "語API",
    "हिन्दी",
    "مَرْحَبًا",
    "𐐀",
    "𐐨𐐩",
    "quantum chromodynamics of penguins",
    "kite penguins",
    "websokcet",
    "how do I run backgruond taks",
    "respnose ",
    "xylophone configuratino",
    '"after the response"',
    'tasks "the response has been"',
    '"sent been has"',
    '"APP.include_router" -websocket',
    "“検索、文書” ",
    '"unclosed quote',
    "router -include_router",
    "tasks -tasks",
    "-tasks",
    "file -reload",
    "-日本語 検索",
    "1" * 65,
    "?!",
    "",
)


EXPLAINED = (
    "how do I run something after the response has been sent?",
    "retry a failed task ",
    "APIRouter.include_router",
    "routes routing",
    "conn",
    "urls",
    "v2.0.1",
    "18",
    "日本語の検索",
    "quantum chromodynamics of penguins",
    "how do I run backgruond taks",
    'tasks "the response has been"',
    "router -include_router",
    "First steps",
    "?!",
)
"""Queries of which the answers are explained too."""


def encode(text: str) -> npt.NDArray[np.float32]:
    """A unit vector of the hashed terms of a text; integers up to the root, so that every machine agrees."""
    sums = [0] * DIMS
    for term in terms(text, stemmer(LANGUAGE)):
        digest = hashlib.sha256(term.encode()).digest()
        for byte in digest[:3]:
            sums[byte % DIMS] += 1 if byte < 128 else -1
    norm = np.sqrt(float(sum(value * value for value in sums))) or 1.0
    return np.array([value / norm for value in sums], np.float32)


def light_tables() -> Iterator[LightTable]:
    """Tables of the letters and of a few longer pieces, whose vectors are as arbitrary as the encoder's."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    for pieces in ([*letters, *(f"##{each}" for each in letters)], ["##er", "task", "route", "run", "file"]):
        vectors = projected(np.stack([encode(piece.strip("#")) for piece in sorted(pieces)]), PROJECTION)
        weights = np.array([7 + 1000 * len(piece) for piece in sorted(pieces)], np.uint16)
        yield LightTable(tuple(sorted(pieces)), weights, quantise(vectors, 2))


def source() -> tuple[list[Page], list[Passage]]:
    """The pages and passages of `pages.json`."""
    pages, passages = [], []
    for number, page in enumerate(json.loads((HERE / "pages.json").read_text())):
        pages.append(Page(page["url"], page["title"], page["language"], (), page.get("boost", 1.0)))
        for passage in page["passages"]:
            blocks = tuple(Block(kind, text) for kind, text in passage["blocks"])
            passages.append(Passage(number, passage["anchor"], 0, tuple(passage["heading_path"]), blocks))
    return pages, passages


PROJECTION = Projection(
    np.linspace(-0.1, 0.1, DIMS, dtype=np.float32),
    np.array(
        [[(31 * row + 7 * column) ** 2 % 255 - 127 for column in range(DIMS)] for row in range(INNER_DIMS)],
        np.int8,
    ),
)


def write(folder: Path) -> None:
    """The index as files in a folder."""
    with (
        patch.object(formats, "LEAST_PACK_BYTES", LEAST_PACK_BYTES),
        patch.object(formats, "VECTORS_A_PACK", VECTORS_A_PACK),
    ):
        _write(folder)


def _write(folder: Path) -> None:
    def add(stem: str, suffix: str, data: bytes) -> File:
        name = f"{stem}-{hashlib.sha256(data).hexdigest()[:16]}{suffix}"
        (folder / name).write_bytes(data)
        return File(name, len(data))

    def files(stem: str, kind: Kind, each: Iterable[Pack]) -> Iterator[tuple[File, Pack]]:
        for pack in each:
            yield add(stem, ".bin", wrap(kind, pack.payload)), pack

    def listed(stem: str, kind: Kind, each: Iterable[Pack]) -> tuple[ListedPack, ...]:
        return tuple(ListedPack(pack.first, hash_in(file)) for file, pack in files(stem, kind, each))

    def part(stem: str) -> File:
        return add(stem, ".bin", wrap(Kind.ENCODER, f"the {stem} of a stand-in".encode()))

    pages, passages = source()
    postings = post(pages, passages, stemmer(LANGUAGE))
    vectors = np.stack([encode(f"{' '.join(passage.heading_path)}\n{passage.text}") for passage in passages])
    means = [round(float(mean), 6) for mean in postings.lengths.mean(axis=0)]
    rows = zip((2.0, 2.0, 2.0, 1.0, 1.0), (0.3, 0.3, 0.3, 0.5, 0.5), means, strict=True)
    codes = quantise(projected(vectors, PROJECTION), 2)
    packs = PackList(
        listed("postings", Kind.POSTINGS, formats.encode_postings(postings.lists)),
        listed("texts", Kind.TEXTS, formats.encode_texts(pages, passages)),
    )
    manifest = Manifest(
        format=formats.FORMAT,
        generator="nearpage, tests/contract/make_golden.py",
        language=LANGUAGE,
        root="../",
        pages=len(pages),
        sections=len(passages),
        passages=len(passages),
        bm25=Bm25Parameters(2.0, 0.8, tuple(FieldParameters(*row) for row in rows)),
        fusion=FusionParameters(60, 20, 0.3, 0.2),
        floor=Floor(0.2, 0.6, (0.3, 0.5), (0.7, 0.9)),
        light=LightWords(0.3, ("a", "after", "do", "has", "how", "i", "of", "the")),
        table=add(
            "table", ".bin", wrap(Kind.PASSAGES, formats.encode_passages(pages, passages, postings.lengths))
        ),
        packs=add("packs", ".bin", wrap(Kind.PACKS, formats.encode_packs(packs))),
        dictionary=add(
            "dictionary",
            ".bin",
            wrap(Kind.DICTIONARY, formats.encode_dictionary(dictionary(postings, is_correctable))),
        ),
        vectors=VectorFiles(
            SCHEME,
            INNER_DIMS,
            2,
            "stand-in",
            tuple(
                PackFile(file.file, file.bytes, int(pack.first))
                for file, pack in files("vectors", Kind.VECTORS, formats.encode_vectors(codes))
            ),
        ),
        light_encoder=LightEncoderFiles(
            tuple(
                add("light", ".bin", wrap(Kind.LIGHT, formats.encode_light(table)))
                for table in light_tables()
            ),
            Floor(0.7, 0.65, (0.3, 0.5), (0.7, 0.9)),
        ),
        encoder=EncoderFiles(
            name="stand-in",
            fingerprint="stand-in",
            dims=DIMS,
            limit=64,
            pooling="mean",
            query_prefix="",
            model=part("model"),
            tokenizer=part("tokenizer"),
            runtime=part("runtime"),
            projection=add(
                "projection", ".bin", wrap(Kind.PROJECTION, formats.encode_projection(PROJECTION))
            ),
            light_share=LIGHT_SHARE,
            code=add("encoder", ".js", b"// the encoder of a stand-in\n"),
        ),
        code=Code(
            worker=add("worker", ".js", b"// the worker of a stand-in\n"),
            dialog=add("dialog", ".js", b"// the dialog of a stand-in\n"),
        ),
    )
    (folder / manifests.FILE_NAME).write_bytes(manifests.dump(manifest))


def meaning(encode: Encode, index: Index) -> Encode:
    """A query's vector in the space of the codes, as `queries.py` has it for a real encoder."""
    return blending(projecting(encode, index.projection()), index.light_encoder().query, LIGHT_SHARE)


def answers(folder: Path) -> Iterator[dict[str, Any]]:
    """Every query with its vector, and its answer in every mode: [url, score, lexical rank, vector rank]."""
    index = Index(folder)
    light = Index(folder, "light")
    light_encoder = light.light_encoder()
    for query in QUERIES:
        encoded: list[float] = []

        def encode_and_keep(text: str, kept: list[float] = encoded) -> npt.NDArray[np.float32]:
            vector = encode(text)
            kept[:] = vector.tolist()
            return vector

        meant = meaning(encode_and_keep, index)
        answer: dict[str, Any] = {"query": query, "encoded": encoded}
        for mode in MODES:
            answer[mode] = _answered(search(index, query, mode, LIMIT, meant))
        answer["light"] = _answered(search(light, query, "hybrid", LIMIT, light_encoder.query))
        yield answer


def _answered(result: SearchResult) -> dict[str, Any]:
    hits = [[hit.url, hit.score, hit.lexical_rank, hit.vector_rank] for hit in result.hits]
    answer: dict[str, Any] = {"status": result.status, "hits": hits}
    return answer if result.suggestion is None else {**answer, "suggestion": result.suggestion}


def explanations(folder: Path) -> Iterator[dict[str, Any]]:
    """Queries with their vectors, and why each of their best hits, and the answer, is so in every mode."""
    index = Index(folder)
    encode_inner = meaning(encode, index)
    for query in EXPLAINED:
        explained: dict[str, Any] = {"query": query, "encoded": encode(read(index, query).text).tolist()}
        for mode in MODES:
            result = as_json(search(index, query, mode, EXPLAINED_HITS, encode_inner, explained=True))
            hits = [{"url": hit["url"], **hit["explanation"]} for hit in result["hits"]]
            explained[mode] = {"result": result["explanation"], "hits": hits}
        yield explained


def main() -> None:
    """Write the index anew, and then the answers that it gives."""
    shutil.rmtree(INDEX, ignore_errors=True)
    INDEX.mkdir()
    write(INDEX)
    for path, found in ((ANSWERS, answers(INDEX)), (EXPLANATIONS, explanations(INDEX))):
        lines = [json.dumps(each, ensure_ascii=False) for each in found]
        path.write_text("[\n" + ",\n".join(lines) + "\n]\n")


if __name__ == "__main__":
    main()
