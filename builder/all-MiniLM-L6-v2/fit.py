"""Fits projection.bin, the space in which vectors are compared, and light-*.bin, a query encoder for it.

    python builder/all-MiniLM-L6-v2/fit.py --texts DIR DOCS_DIR...

`DOCS_DIR` are built HTML docs, none of them a site that we measure on; README.md says which were taken.
Their headings and sentences are kept in `--texts` with their vectors, which take minutes.

The mean of all vectors becomes the origin, their principal axes (Jolliffe, "Principal Component Analysis",
2002) the subspace, and a random rotation evens out what the axes carry, so that each number deserves the
same few bits (Gao and Long, "RaBitQ", SIGMOD 2024).

The light encoder's vector of a text is a weighted sum of its pieces' vectors, with weights that rare pieces
earn more of (SIF: Arora, Liang and Ma, ICLR 2017; frequencies by Zipf's law, for BERT's vocabulary is
sorted). The vectors start from what the encoder gives for the piece alone, mapped linearly, and are fitted to
the texts by ridge regression towards that start, with conjugate gradients (Hestenes and Stiefel, 1952).
"""

import argparse
import json
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
from nearpage.builder.encoder import LIGHT, PROJECTION, Encoder
from nearpage.builder.extract import extract
from nearpage.builder.format import encode_light, encode_projection
from nearpage.builder.light import INSIDE, LightTable
from nearpage.builder.model import Page
from nearpage.builder.vectors import Projection, codes_of, projected, quantise
from scipy import sparse

HERE = Path(__file__).parent
DIMS = 256
SEED = 0
BITS = 2
BASE = 2500
FIRST_WORD = 1996
"""The first id of BERT's vocabulary that is a word; from there on the frequent come first."""
RARE = 1e-4
RIDGE = 0.5
ITERATIONS = 15
SPECIAL = re.compile(r"\[(unused\d+|PAD|UNK|CLS|SEP|MASK)\]")
PAGES, TEXTS = 400, 3500
"""Most of each folder, so that none drowns the others."""
SENTENCE_END = re.compile(r'(?<=[.!?:])\s+(?=[A-Z`"(])|\n+')


def pages(folder: Path) -> Iterator[Page]:
    """Pages of a folder in English, the same chance choice on each run."""
    files = [path for path in sorted(folder.rglob("*.html")) if path.is_file() and not path.is_symlink()]
    random.Random(folder.name).shuffle(files)  # noqa: S311
    for path in files[:PAGES]:
        # Django's theme has no mark for its main part.
        html = path.read_bytes().replace(b'<div class="yui-g"', b'<main class="yui-g"')
        page = extract(path.name, html)
        if page and page.language.startswith("en"):
            yield page


def texts_of(folder: Path) -> list[str]:
    """Headings, now and then with their page's title, and sentences: at most TEXTS."""
    chance = random.Random(folder.name)  # noqa: S311
    headings: dict[str, None] = {}
    sentences: dict[str, None] = {}
    for page in pages(folder):
        for section in page.sections:
            if section.heading_path:
                heading = section.heading_path[-1]
                alone = heading.lower() in page.title.lower() or chance.random() < 0.7
                text = heading if alone else f"{heading} {page.title}"
                if 3 < len(text) < 150:
                    headings[text] = None
            for block in section.blocks:
                if block.kind == "prose":
                    sentences.update(dict.fromkeys(filter(_is_sentence, SENTENCE_END.split(block.text))))
    chosen = chance.sample(list(headings), min(len(headings), TEXTS // 3))
    return chosen + chance.sample(list(sentences), min(len(sentences), TEXTS - len(chosen)))


def _is_sentence(text: str) -> bool:
    words = sum(letter.isalpha() or letter == " " for letter in text)
    return 25 < len(text) < 300 and words > 0.75 * len(text)


def embedded(folder: Path, docs: list[Path]) -> tuple[list[str], npt.NDArray[np.float32]]:
    """The texts of all docs and their vectors, from `folder` if they are there."""
    texts, vectors = folder / "texts.json", folder / "vectors.npy"
    if not vectors.exists():
        folder.mkdir(parents=True, exist_ok=True)
        found = list(dict.fromkeys(text for each in docs for text in texts_of(each)))
        random.Random(SEED).shuffle(found)  # noqa: S311
        texts.write_text(json.dumps(found))
        done = 0

        def advance(count: int) -> None:
            nonlocal done
            done += count
            sys.stderr.write(f"\r{done} of {len(found)}")

        np.save(vectors, Encoder(HERE).passages(found, advance))
    return json.loads(texts.read_text()), np.load(vectors)


def projection_of(vectors: npt.NDArray[np.float32]) -> Projection:
    """The projection of a sample [n, width] to DIMS dimensions."""
    mean = vectors.mean(axis=0, dtype=np.float64)
    centred = vectors - mean
    axes = np.linalg.eigh(centred.T @ centred)[1].T[::-1][:DIMS]
    rotation = np.linalg.qr(np.random.default_rng(SEED).normal(size=(DIMS, DIMS)))[0]
    rows = rotation @ axes
    return Projection(mean.astype(np.float32), np.rint(rows * (127 / np.abs(rows).max())).astype(np.int8))


def light_tables(
    texts: list[str], vectors: npt.NDArray[np.float32], projection: Projection
) -> tuple[LightTable, LightTable]:
    """Tables of the BASE most frequent pieces, with ASCII's letters and signs, and of all others."""
    encoder = Encoder(HERE)
    vocabulary = encoder.pieces.tokenizer.get_vocab()
    rows = [ids[1:-1] for ids in encoder.pieces.ids_batch(texts)]
    start = projected(_alone(encoder, len(vocabulary)), projection).astype(np.float64)
    frequencies = 1 / (np.maximum(np.arange(len(vocabulary)) - FIRST_WORD, 0) + 1)
    weights = RARE / (RARE + frequencies / frequencies.sum())
    bags = _bags(rows, weights)
    fitted = _fitted(bags, projected(vectors, projection).astype(np.float64), start) * weights[:, None]
    fitted = fitted.astype(np.float32)

    counts = np.bincount(np.concatenate(rows), minlength=len(vocabulary))
    often = set(np.argsort(-counts, kind="stable")[:BASE].tolist())
    single = {piece for piece in vocabulary if piece.isascii() and len(piece.removeprefix(INSIDE)) == 1}
    base = single | {piece for piece, row in vocabulary.items() if row in often}
    known = {
        piece for piece in vocabulary if not re.fullmatch(r"\[(unused\d+|PAD|UNK|CLS|SEP|MASK)\]", piece)
    }
    lengths = np.sqrt((fitted.astype(np.float64) ** 2).sum(axis=1))
    codes = quantise(fitted / np.maximum(lengths, 1e-9)[:, None].astype(np.float32), BITS)
    scaled = lengths / codes.lengths
    steps = np.rint(scaled * (65535 / scaled[[vocabulary[piece] for piece in known]].max()))

    def table(pieces: set[str]) -> LightTable:
        ordered = sorted(pieces)
        at = [vocabulary[piece] for piece in ordered]
        return LightTable(tuple(ordered), steps[at].astype(np.uint16), codes_of(BITS, codes.levels[at]))

    return table(known & base), table(known - base)


def _alone(encoder: Encoder, count: int) -> npt.NDArray[np.float32]:
    """What the encoder gives for each piece alone."""
    first, last = encoder.pieces.ids("")
    return np.concatenate(
        [
            encoder.encode_rows([[first, piece, last] for piece in range(at, min(at + 64, count))])
            for at in range(0, count, 64)
        ]
    )


def _bags(rows: list[list[int]], weights: npt.NDArray[np.float64]) -> sparse.csr_matrix:
    """The weighted pieces of each text, of sum 1."""
    texts = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    pieces = np.concatenate(rows).astype(np.int64)
    values = weights[pieces] / np.bincount(texts, weights[pieces], len(rows))[texts]
    return sparse.csr_matrix((values, (texts, pieces)), shape=(len(rows), len(weights)))


def _fitted(
    bags: sparse.csr_matrix, wanted: npt.NDArray[np.float64], start: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Vectors of pieces whose sums by bag come near what is wanted, near their mapped start themselves."""
    sums = bags @ start
    square = sums.T @ sums
    ridge = 1e-3 * np.trace(square) / len(square) * np.eye(len(square))
    mapped = start @ np.linalg.solve(square + ridge, sums.T @ wanted)
    across = bags.T.tocsr()
    added = np.zeros_like(mapped)
    left = across @ (wanted - bags @ mapped)
    step, size = left.copy(), (left * left).sum(axis=0)
    for _ in range(ITERATIONS):
        product = across @ (bags @ step) + RIDGE * step
        share = size / ((step * product).sum(axis=0) + 1e-12)
        added += share * step
        left -= share * product
        before, size = size, (left * left).sum(axis=0)
        step = left + size / (before + 1e-12) * step
    return mapped + added


def main() -> None:
    """Write the files beside this script."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("docs", nargs="*", type=Path)
    parser.add_argument("--texts", type=Path, required=True)
    arguments = parser.parse_args()
    texts, vectors = embedded(arguments.texts, arguments.docs)
    projection = projection_of(vectors)
    (HERE / PROJECTION).write_bytes(encode_projection(projection))
    for name, table in zip(LIGHT, light_tables(texts, vectors, projection), strict=True):
        (HERE / name).write_bytes(encode_light(table))


if __name__ == "__main__":
    main()
