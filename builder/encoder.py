"""The sentence encoder: text to unit vector. The only module that imports onnxruntime and tokenizers.

An encoder is a folder as sentence-transformers writes it: an ONNX model (`model.onnx` or
`onnx/model.onnx`), `tokenizer.json` and, where they are there, `sentence_bert_config.json` (limit),
`config_sentence_transformers.json` (prompts), `1_Pooling/config.json` (pooling); what
`PROJECTION` and `LIGHT` name goes with them. `QUERY_MODEL` names a smaller model of the same space and the
same pieces, for queries alone: a file of an index of kind ENCODER, which is published as it is.
"""

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt
import onnxruntime
import orjson
from nearpage.builder.encoder_text import normalize_for_encoder
from nearpage.builder.errors import EncoderError, FormatError
from nearpage.builder.format import Kind, unwrap, wrap
from tokenizers import Tokenizer

Vector = npt.NDArray[np.float32]
Pooling = Literal["mean", "cls"]
T = TypeVar("T")

BUNDLED = Path(__file__).parent / "all-MiniLM-L6-v2"
PROJECTION = "projection.bin"
"""In the encoder's folder, if it has one: see vectors.Projection."""
LIGHT = ("light-base.bin", "light-rest.bin")
"""There too, if it has a light twin: tables of the pieces that every site gets, and of the others."""
QUERY_MODEL = "query_model.bin"
"""Of an encoder's folder: what the browser loads in the place of the model that passages have."""
BATCH = 16
"""Passages of one length run together; more gains nothing (353 a second with 16, 359 with 32)."""
SHORTEST_LIMIT = 32
"""Word pieces an encoder must take: the title and a line of text."""


@dataclass(frozen=True, slots=True)
class EncoderConfig:
    """What the browser must know to encode a query as the builder encoded the passages.

    `fingerprint` is that of the passages' vectors, by files and settings: the same for the same encoder in a
    folder of another name, and whatever model the queries have.
    """

    name: str
    fingerprint: str
    dims: int
    limit: int
    pooling: Pooling
    query_prefix: str
    passage_prefix: str


class PieceCounter:
    """The encoder's own tokenizer, without truncation or padding."""

    def __init__(self, path: Path) -> None:
        try:
            self.tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # the library raises bare Exception
            raise EncoderError(
                f"{path}: not a tokenizer.json that can be read ({_first_line(error)}); give another"
            ) from error
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()

    def ids(self, text: str) -> list[int]:
        """Piece ids with the specials."""
        return list(self.tokenizer.encode(normalize_for_encoder(text)).ids)

    def ids_batch(self, texts: Sequence[str]) -> list[list[int]]:
        """Piece ids with the specials, for many texts at once."""
        encodings = self.tokenizer.encode_batch([normalize_for_encoder(text) for text in texts])
        return [list(encoding.ids) for encoding in encodings]


class Model:
    """An ONNX model: rows of piece ids of one length to vectors, one a piece or one a row."""

    def __init__(self, path: Path, data: bytes) -> None:
        self._path = path
        self._session = _session(path, data)
        self._inputs = {declared.name for declared in self._session.get_inputs()}
        foreign = self._inputs - {"input_ids", "attention_mask", "token_type_ids"}
        if foreign or "input_ids" not in self._inputs:
            raise EncoderError(
                f"{path}: not a sentence encoder; its inputs are {', '.join(sorted(self._inputs))}, "
                "expected input_ids, attention_mask, token_type_ids"
            )
        self._output = self._session.get_outputs()[0].name

    def run(self, rows: list[list[int]]) -> Vector:
        """Raw output [rows, pieces, dims] or [rows, dims]."""
        ids = np.array(rows, np.int64)
        feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        try:
            output = self._session.run([self._output], {name: feeds[name] for name in self._inputs})[0]
        except Exception as error:  # the library has no common base of its errors
            raise EncoderError(
                f"{self._path.parent}: the model fails on a text of {ids.shape[1]} pieces "
                f"({_first_line(error)}); do {self._path.name}, tokenizer.json and max_seq_length belong "
                "together?"
            ) from error
        return np.asarray(output, np.float32)


class Encoder:
    """Text to unit vectors of `config.dims` float32; the same text gives the same bytes, always.

    Queries have the folder's QUERY_MODEL; where that is not there, the passages' model.
    """

    def __init__(self, folder: Path = BUNDLED) -> None:
        self.folder = folder
        self._path = _existing(folder, "model.onnx", "onnx/model.onnx")
        tokenizer_path = _existing(folder, "tokenizer.json")
        self._model = _bytes(self._path)
        self.tokenizer = _bytes(tokenizer_path)
        self.projection = _bytes(folder / PROJECTION) if (folder / PROJECTION).is_file() else None
        self.light = [_bytes(folder / name) for name in LIGHT if (folder / name).is_file()]
        self.pieces = PieceCounter(tokenizer_path)
        path = folder / QUERY_MODEL
        self._query_file = _bytes(path) if path.exists() else None
        self._query = self._passage if self._query_file is None else _query_model(path, self._query_file)
        self.config = self._read_config(self._path if self._query_file is None else path)

    @property
    def has_query_model(self) -> bool:
        """Whether queries have a model of their own."""
        return self._query_file is not None

    def take_query_model(self, path: Path) -> None:
        """Encode queries by the model in an index's file, if the folder has another for them.

        So the command line does as the browser, whichever version of the package has built the index.
        """
        if self._query_file is None:
            return
        data = _bytes(path)
        if data != self._query_file:
            self._query, self._query_file = _query_model(path, data), data

    @cached_property
    def _passage(self) -> Model:
        """Loaded when it is needed: a search asks queries alone."""
        return Model(self._path, self._model)

    @property
    def query_file(self) -> bytes:
        """The queries' model as an index keeps it."""
        return self._query_file or wrap(Kind.ENCODER, self._model)

    def _read_config(self, path: Path) -> EncoderConfig:
        path_of_limit = self.folder / "sentence_bert_config.json"
        limit = _member(path_of_limit, "max_seq_length", 256)
        if limit < SHORTEST_LIMIT:
            raise EncoderError(
                f"{path_of_limit}: max_seq_length is {limit}; an encoder must take {SHORTEST_LIMIT} or more"
            )
        path_of_prompts = self.folder / "config_sentence_transformers.json"
        prompts: dict[str, Any] = _member(path_of_prompts, "prompts", {})
        if not all(isinstance(prompt, str) for prompt in prompts.values()):
            raise EncoderError(f"{path_of_prompts}: a prompt is not text; mend it or delete it")
        passage = prompts.get("passage") or prompts.get("document") or ""
        output = self._probed(self._query)
        if output.ndim not in {2, 3}:
            raise EncoderError(
                f"{path}: not a sentence encoder; its first output is {output.ndim}-dimensional, expected "
                "a vector a text or a vector a piece"
            )
        # Ready-made sentence vectors are pooled by the graph, however that may be.
        pooling = _pooling(self.folder / "1_Pooling" / "config.json") if output.ndim == 3 else "mean"
        settings = (output.shape[-1], limit, pooling, prompts.get("query") or "", passage)
        digest = hashlib.sha256(repr(settings).encode())
        for data in (self._model, self.tokenizer):
            digest.update(hashlib.sha256(data).digest())
        return EncoderConfig(self.folder.resolve().name, digest.hexdigest()[:16], *settings)

    def _probed(self, model: Model) -> Vector:
        return model.run([self.pieces.ids("a text, to see what comes")])

    def encode_rows(self, rows: list[list[int]]) -> Vector:
        """Unit vectors, as passages have them, of rows of piece ids, specials included, all of one length."""
        return pooled(self._passage.run(rows), self.config.pooling)

    def query(self, text: str) -> Vector:
        """The unit vector [dims] of a query; what is beyond the limit is cut off."""
        ids = self._cut(self.pieces.ids(self.config.query_prefix + text))
        vector: Vector = pooled(self._query.run([ids]), self.config.pooling)[0]
        return vector

    def _cut(self, ids: list[int]) -> list[int]:
        """The ids that fit the limit, the special one at the end kept."""
        return ids if len(ids) <= self.config.limit else [*ids[: self.config.limit - 1], ids[-1]]

    def passages(
        self, texts: Sequence[str], advance: Callable[[int], None], threads: int | None = None
    ) -> Vector:
        """Unit vectors [len(texts), dims], on `threads` cores (all by default); prefixes are added here.

        Only passages of the same number of pieces share a batch, so none is padded, and pooling is done
        here: a row of the model's output has then the same bits whatever its neighbours, which a
        padded batch, or the graph's own mean over a batch, has not.
        """
        prefixed = [self.config.passage_prefix + text for text in texts]
        rows = [self._cut(ids) for ids in self.pieces.ids_batch(prefixed)]
        order = sorted(range(len(rows)), key=lambda index: len(rows[index]))
        vectors = np.zeros((len(rows), self.config.dims), np.float32)
        # Loads the model before the threads ask for it.
        if self._probed(self._passage).shape != self._probed(self._query).shape:
            raise EncoderError(
                f"{self.folder}: {QUERY_MODEL} and {self._path.name} give vectors of different shapes; "
                "delete the first"
            )

        def encode(batch: list[int]) -> int:
            vectors[batch] = self.encode_rows([rows[index] for index in batch])
            return len(batch)

        with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
            # Longest first: the last batches are then short, and no core waits long for another.
            for done in pool.map(encode, list(_batches(order, rows))[::-1]):
                advance(done)
        return vectors


def pooled(output: Vector, pooling: Pooling) -> Vector:
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


def _session(path: Path, model: bytes) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4  # what is wrong is in the exception
    try:
        # From its bytes: the browser gets no more, so weights in a second file must fail here as well.
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the library has no common base of its errors
        raise EncoderError(
            f"{path}: not an ONNX model, in one file, that can be run ({_first_line(error)}); give the "
            "folder of another encoder"
        ) from error


def _query_model(path: Path, data: bytes) -> Model:
    """The model in an index's file of kind ENCODER."""
    try:
        return Model(path, unwrap(Kind.ENCODER, data, str(path)))
    except FormatError as error:
        raise EncoderError(str(error)) from error


def _existing(folder: Path, *names: str) -> Path:
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise EncoderError(
        f"{folder}: no {names[0]} there; give a sentence encoder's folder with model.onnx and tokenizer.json"
    )


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise EncoderError(f"{path}: cannot be read ({error.strerror}); make it readable") from error


def _pooling(path: Path) -> Pooling:
    """How token vectors become one, of the modes that the browser knows too."""
    known: dict[str, Pooling] = {
        "pooling_mode_cls_token": "cls",
        "pooling_mode_mean_tokens": "mean",
        "pooling_mode_mean_sqrt_len_tokens": "mean",  # of the same direction, and all vectors become units
    }
    chosen = [name for name, value in _members(path).items() if name.startswith("pooling_mode_") and value]
    if not chosen:
        return "mean"
    if len(chosen) > 1 or chosen[0] not in known:
        raise EncoderError(
            f"{path}: pools by {', '.join(chosen)}; only the mean and the cls token are known here, so give "
            "another encoder"
        )
    return known[chosen[0]]


def _members(path: Path) -> dict[str, Any]:
    """The members of a JSON object; none where the file is not there."""
    if not path.exists():
        return {}
    try:
        members = orjson.loads(_bytes(path))
    except orjson.JSONDecodeError as error:
        raise EncoderError(f"{path}: not valid JSON ({error}); mend it or delete it") from error
    if not isinstance(members, dict):
        raise EncoderError(f"{path}: not a JSON object; mend it or delete it")
    return members


def _member(path: Path, name: str, default: T) -> T:
    """A member of a JSON file, of the type of its default."""
    value = _members(path).get(name)
    if value is None:
        return default
    if not isinstance(value, type(default)):
        raise EncoderError(f"{path}: {name} is {value!r}; mend it or delete it")
    return value


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n", maxsplit=1)[0]
