"""The sentence encoder: text to unit vector. The only module that imports onnxruntime and tokenizers.

An encoder is a folder as sentence-transformers writes it: an ONNX model (`model.onnx` or
`onnx/model.onnx`), `tokenizer.json` and, where they are there, `sentence_bert_config.json` (limit),
`config_sentence_transformers.json` (prompts) and `1_Pooling/config.json` (pooling).
"""

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import onnxruntime
import orjson
from nearpage.builder.encoder_text import normalize_for_encoder
from nearpage.builder.errors import EncoderError
from tokenizers import Tokenizer

Vector = npt.NDArray[np.float32]

BUNDLED = Path(__file__).parent / "all-MiniLM-L6-v2"
BATCH = 16
"""Passages of one length run together; more gains nothing (353 a second with 16, 359 with 32)."""


@dataclass(frozen=True, slots=True)
class EncoderConfig:
    """What the browser must know to encode a query as the builder encoded the passages."""

    name: str
    fingerprint: str
    dims: int
    limit: int
    pooling: Literal["mean", "cls"]
    query_prefix: str
    passage_prefix: str


class PieceCounter:
    """The encoder's own tokenizer, without truncation or padding."""

    def __init__(self, path: Path) -> None:
        try:
            self.tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # the library raises bare Exception
            raise EncoderError(f"{path}: not a tokenizer.json that can be read ({error})") from error
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()

    def ids(self, text: str) -> list[int]:
        """Piece ids with the specials."""
        return list(self.tokenizer.encode(normalize_for_encoder(text)).ids)

    def ids_batch(self, texts: Sequence[str]) -> list[list[int]]:
        """Piece ids with the specials, for many texts at once."""
        encodings = self.tokenizer.encode_batch([normalize_for_encoder(text) for text in texts])
        return [list(encoding.ids) for encoding in encodings]


class Encoder:
    """Text to unit vectors of `config.dims` float32; the same text gives the same bytes, always."""

    def __init__(self, folder: Path = BUNDLED) -> None:
        self.folder = folder
        self.model_path = _existing(folder, "model.onnx", "onnx/model.onnx")
        self.tokenizer_path = _existing(folder, "tokenizer.json")
        self.pieces = PieceCounter(self.tokenizer_path)
        self._session = _session(self.model_path)
        self._inputs = {declared.name for declared in self._session.get_inputs()}
        foreign = self._inputs - {"input_ids", "attention_mask", "token_type_ids"}
        if foreign or "input_ids" not in self._inputs:
            raise EncoderError(
                f"{self.model_path}: not a sentence encoder; its inputs are "
                f"{', '.join(sorted(self._inputs))}, expected input_ids, attention_mask, token_type_ids"
            )
        self._output = self._session.get_outputs()[0].name
        self.config = self._read_config()

    def _read_config(self) -> EncoderConfig:
        sizes = _json(self.folder / "sentence_bert_config.json")
        prompts = _json(self.folder / "config_sentence_transformers.json").get("prompts", {})
        pooling = _json(self.folder / "1_Pooling" / "config.json")
        digest = hashlib.sha256()
        for path in (self.model_path, self.tokenizer_path):
            digest.update(path.read_bytes())
        width = self._session.get_outputs()[0].shape[-1]
        if not isinstance(width, int):
            width = self._run([self.pieces.ids("width")]).shape[-1]
        config = EncoderConfig(
            name=self.folder.name,
            fingerprint="",
            dims=int(width),
            limit=int(sizes.get("max_seq_length", 256)),
            pooling="cls" if pooling.get("pooling_mode_cls_token") else "mean",
            query_prefix=prompts.get("query", ""),
            passage_prefix=prompts.get("passage", prompts.get("document", "")),
        )
        digest.update(repr(config).encode())
        return EncoderConfig(**{**_fields(config), "fingerprint": digest.hexdigest()[:16]})

    def _run(self, rows: list[list[int]]) -> Vector:
        """Raw model output for rows of one length."""
        ids = np.array(rows, np.int64)
        feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        output = self._session.run([self._output], {name: feeds[name] for name in self._inputs})[0]
        return np.asarray(output, np.float32)

    def _encode_rows(self, rows: list[list[int]]) -> Vector:
        return pooled(self._run(rows), self.config.pooling)

    def query(self, text: str) -> Vector:
        """The unit vector [dims] of a query; what is beyond the limit is cut off."""
        ids = self.pieces.ids(self.config.query_prefix + text)
        if len(ids) > self.config.limit:
            ids = [*ids[: self.config.limit - 1], ids[-1]]
        vector: Vector = self._encode_rows([ids])[0]
        return vector

    def passages(
        self, texts: Sequence[str], advance: Callable[[int], None], threads: int | None = None
    ) -> Vector:
        """Unit vectors [len(texts), dims], on `threads` cores (all by default).

        Only passages of the same number of pieces share a batch, so none is padded, and pooling is done
        here: a row of the model's output has then the same bits whatever its neighbours, which a
        padded batch, or the graph's own mean over a batch, has not.
        """
        rows = self.pieces.ids_batch([self.config.passage_prefix + text for text in texts])
        order = sorted(range(len(rows)), key=lambda index: len(rows[index]))
        vectors = np.zeros((len(rows), self.config.dims), np.float32)

        def encode(batch: list[int]) -> int:
            vectors[batch] = self._encode_rows([rows[index] for index in batch])
            return len(batch)

        with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
            # Longest first: the last batches are then short, and no core waits long for another.
            for done in pool.map(encode, list(_batches(order, rows))[::-1]):
                advance(done)
        return vectors


def pooled(output: Vector, pooling: Literal["mean", "cls"]) -> Vector:
    """Unit vectors [batch, dims] from token vectors [batch, pieces, dims]; [batch, dims] passes through.

    Sums run in float64 from the first piece on, as in the browser, and are rounded once at the end.
    """
    exact = output.astype(np.float64)
    if exact.ndim == 3:
        # cumsum adds strictly in order; sum() adds in pairs.
        exact = exact[:, 0] if pooling == "cls" else np.cumsum(exact, axis=1)[:, -1] / exact.shape[1]
    norms = np.sqrt(np.cumsum(exact * exact, axis=1)[:, -1:])
    return (exact / np.maximum(norms, 1e-12)).astype(np.float32)


def _batches(order: list[int], rows: list[list[int]]) -> Iterator[list[int]]:
    for _, group in groupby(order, key=lambda index: len(rows[index])):
        same_length = list(group)
        for start in range(0, len(same_length), BATCH):
            yield same_length[start : start + BATCH]


def _session(path: Path) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the library has no common base of its errors
        raise EncoderError(f"{path}: not an ONNX model that can be run ({error})".splitlines()[0]) from error


def _existing(folder: Path, *names: str) -> Path:
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise EncoderError(
        f"{folder}: no {names[0]} there; give a sentence encoder's folder with model.onnx and tokenizer.json"
    )


def _json(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        value = orjson.loads(path.read_bytes())
    except orjson.JSONDecodeError as error:
        raise EncoderError(f"{path}: not valid JSON ({error})") from error
    return value if isinstance(value, dict) else {}


def _fields(config: EncoderConfig) -> dict[str, Any]:
    return {name: getattr(config, name) for name in config.__slots__}
