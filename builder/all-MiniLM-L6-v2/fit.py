"""Fits projection.bin: the space in which vectors of this encoder are compared.

    python builder/all-MiniLM-L6-v2/fit.py --texts DIR DOCS_DIR...

`DOCS_DIR` are built HTML docs, none of them a site that we measure on; README.md says which were taken.
Their headings and sentences are kept in `--texts` with their vectors, which take minutes.

The mean of all vectors becomes the origin, their principal axes (Jolliffe, "Principal Component Analysis",
2002) the subspace, and a random rotation evens out what the axes carry, so that each number deserves the
same few bits (Gao and Long, "RaBitQ", SIGMOD 2024).
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
from nearpage.builder.encoder import PROJECTION, Encoder
from nearpage.builder.extract import extract
from nearpage.builder.format import encode_projection
from nearpage.builder.model import Page
from nearpage.builder.vectors import Projection

HERE = Path(__file__).parent
DIMS = 192
SEED = 0
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


def main() -> None:
    """Write the file beside this script."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("docs", nargs="*", type=Path)
    parser.add_argument("--texts", type=Path, required=True)
    arguments = parser.parse_args()
    _, vectors = embedded(arguments.texts, arguments.docs)
    (HERE / PROJECTION).write_bytes(encode_projection(projection_of(vectors)))


if __name__ == "__main__":
    main()
