"""Writes encoders/: sentence encoders of a few kilobytes, and a model that is none.

    pip install onnx==1.23.2
    python tests/builder/make_tiny_encoder.py

`tiny/` is laid out as sentence-transformers does it and has prefixes; a vector a piece comes out, from a
table of random numbers. `pooled.onnx` gives one vector a text instead, `image.onnx` takes no text at all.
The same bytes on every run.
"""

import json
import string
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, normalizers, pre_tokenizers, processors
from tokenizers.models import WordPiece

HERE = Path(__file__).parent / "encoders"
DIMS = 12
CHARACTERS = string.ascii_lowercase + string.digits
PIECES = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    *string.punctuation,
    *CHARACTERS,
    *(f"##{c}" for c in CHARACTERS),
]
INPUTS = ("input_ids", "attention_mask", "token_type_ids")


def tokenizer() -> Tokenizer:
    """A character a piece, as BERT marks them."""
    made = Tokenizer(WordPiece({piece: number for number, piece in enumerate(PIECES)}, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return made


def model(nodes: list[onnx.NodeProto], inputs: tuple[str, ...], output: list[str | int]) -> bytes:
    """A model that looks pieces up in the table and goes on with `nodes`, which name their result `out`."""
    table = np.random.default_rng(0).normal(size=(len(PIECES), DIMS)).astype(np.float32)
    graph = helper.make_graph(
        [helper.make_node("Gather", ["table", inputs[0]], ["looked_up"], axis=0), *nodes],
        "tiny",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "pieces"]) for name in inputs],
        [helper.make_tensor_value_info("out", TensorProto.FLOAT, output)],
        [numpy_helper.from_array(table, "table"), numpy_helper.from_array(np.array([1]), "pieces_axis")],
    )
    opset = [helper.make_opsetid("", 18)]
    made = helper.make_model(graph, opset_imports=opset, ir_version=8, producer_name="nearpage")
    onnx.checker.check_model(made)
    return made.SerializeToString(deterministic=True)


def main() -> None:
    """Write the files."""
    tiny = HERE / "tiny"
    for folder in (tiny / "onnx", tiny / "1_Pooling"):
        folder.mkdir(parents=True, exist_ok=True)
    per_piece = [helper.make_node("Identity", ["looked_up"], ["out"])]
    mean = [helper.make_node("ReduceMean", ["looked_up", "pieces_axis"], ["out"], keepdims=0)]
    (tiny / "onnx" / "model.onnx").write_bytes(model(per_piece, INPUTS, ["batch", "pieces", DIMS]))
    (HERE / "pooled.onnx").write_bytes(model(mean, INPUTS[:1], ["batch", DIMS]))
    (HERE / "image.onnx").write_bytes(model(per_piece, ("pixel_values",), ["batch", "pieces", DIMS]))
    (tiny / "tokenizer.json").write_text(tokenizer().to_str(), encoding="utf-8")
    settings = {
        "sentence_bert_config.json": {"max_seq_length": 160, "do_lower_case": False},
        "config_sentence_transformers.json": {"prompts": {"query": "query: ", "passage": "passage: "}},
        "1_Pooling/config.json": {"word_embedding_dimension": DIMS, "pooling_mode_mean_tokens": True},
    }
    for name, members in settings.items():
        (tiny / name).write_text(json.dumps(members) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
