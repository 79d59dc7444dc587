import gzip
import hashlib
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from nearpage.builder.build import Options
from nearpage.builder.encoder import BATCH, BUNDLED, QUERY_MODEL, Encoder, pooled
from nearpage.builder.errors import EncoderError
from nearpage.builder.format import Kind, unwrap, wrap
from nearpage.builder.manifest import FILE_NAME, load
from nearpage.builder.queries import query_encoder
from nearpage.builder.reader import Index
from nearpage.builder.search import search
from nearpage.builder.site import build_site

REFERENCE = Path(__file__).parent.parent / "contract" / "encoder_reference.json"


def nothing(done: int) -> None:
    """Progress that nobody looks at."""


@pytest.fixture(scope="module")
def bundled() -> Encoder:
    return Encoder()


@pytest.fixture
def foreign(tmp_path: Path, encoders: Path) -> Path:
    """A copy of the tiny encoder, to be spoilt."""
    return Path(shutil.copytree(encoders / "tiny", tmp_path / "foreign"))


def write(path: Path, value: Any) -> None:
    path.write_text(value if isinstance(value, str) else json.dumps(value))


# The bundled encoder ---------------------------------------------------------------------------------


def test_the_shipped_weights_keep_the_vectors_of_the_published_ones(bundled: Encoder) -> None:
    reference = json.loads(REFERENCE.read_text())
    vectors = bundled.passages([text for text, _ in reference], nothing)
    cosines = [float(found @ np.array(vector)) for found, (_, vector) in zip(vectors, reference, strict=True)]
    print(f"cosine with fp32: least {min(cosines):.6f}, mean {np.mean(cosines):.6f} of {len(cosines)}")
    assert min(cosines) >= 0.999


def test_the_model_for_queries_comes_close_to_the_published_one(bundled: Encoder) -> None:
    reference = json.loads(REFERENCE.read_text())
    cosines = [float(bundled.query(text) @ np.array(vector)) for text, vector in reference]
    for cosine, (text, _) in zip(cosines, reference, strict=True):
        print(f"{cosine:.3f} {text[:60]}")
    assert min(cosines[:7]) >= 0.88  # English and code, of a query's length
    assert min(cosines) >= 0.55  # it was trained on nothing else


def test_the_model_for_queries_is_small_and_the_one_that_its_readme_names(bundled: Encoder) -> None:
    assert bundled.query_file == (BUNDLED / QUERY_MODEL).read_bytes()
    assert len(bundled.query_file) + len(wrap(Kind.ENCODER, bundled.tokenizer)) <= 5_300_000
    model = unwrap(Kind.ENCODER, bundled.query_file, QUERY_MODEL)
    assert hashlib.sha256(model).hexdigest() in (BUNDLED / "README.md").read_text()


def test_the_bundled_encoder_is_the_one_of_the_design(bundled: Encoder) -> None:
    config = bundled.config
    assert (config.name, config.dims, config.limit) == ("all-MiniLM-L6-v2", 384, 256)
    assert (config.pooling, config.query_prefix, config.passage_prefix) == ("mean", "", "")


def test_a_passage_s_vector_has_the_same_bits_alone_in_any_batch_and_on_any_number_of_threads(
    bundled: Encoder,
) -> None:
    # Of few lengths, so that batches are full, part full and single.
    texts = [f"word {'word ' * (number % 3)}{chr(97 + number % 26)}" for number in range(2 * BATCH + 5)]
    texts.append("one of another length, " * 20)
    alone = np.concatenate([bundled.passages([text], nothing, 1) for text in texts])
    for threads in (1, 2, 3):
        assert bundled.passages(texts, nothing, threads).tobytes() == alone.tobytes()
    assert bundled.passages(texts[::-1], nothing, 2)[::-1].tobytes() == alone.tobytes()


def test_a_query_and_a_passage_of_the_same_words_have_the_same_vector(foreign: Path) -> None:
    (foreign / "config_sentence_transformers.json").unlink()  # the prefixes
    encoder = Encoder(foreign)
    assert encoder.query("Größe").tobytes() == encoder.passages(["Größe"], nothing)[0].tobytes()


def test_vectors_are_units(bundled: Encoder) -> None:
    for text in ("", "a", "a text", "\ud800", "𐍈" * 50):
        assert abs(float(np.linalg.norm(bundled.query(text))) - 1) < 1e-6


def test_a_query_is_cut_at_the_limit_and_keeps_its_end_mark(bundled: Encoder) -> None:
    words = ["tea"] * (bundled.config.limit - 2)
    fits = bundled.query(" ".join(words))
    assert len(bundled.pieces.ids(" ".join(words))) == bundled.config.limit
    assert bundled.query(" ".join([*words, "coffee"])).tobytes() == fits.tobytes()
    assert bundled.query(" ".join([*words[:-1], "coffee"])).tobytes() != fits.tobytes()


def test_progress_tells_of_every_passage(bundled: Encoder) -> None:
    told: list[int] = []
    bundled.passages([f"text {number}" for number in range(40)], told.append)
    assert sum(told) == 40


# Pooling ---------------------------------------------------------------------------------------------

TOKENS = np.array([[[3, 0], [0, 4]], [[0, 2], [0, 4]]], np.float32)


def test_the_mean_of_token_vectors_becomes_a_unit() -> None:
    assert pooled(TOKENS, "mean").tolist() == [pytest.approx([0.6, 0.8]), [0, 1]]


def test_the_cls_token_stands_for_all() -> None:
    assert pooled(TOKENS, "cls").tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_sentence_vectors_are_only_made_units(pooling: Any) -> None:
    assert pooled(np.array([[3, 4], [0, 0]], np.float32), pooling).tolist() == [
        pytest.approx([0.6, 0.8]),
        [0, 0],
    ]


# A model for queries ---------------------------------------------------------------------------------


def test_a_model_for_queries_is_for_queries_alone(foreign: Path, encoders: Path) -> None:
    alone = Encoder(foreign)
    other = (encoders / "tiny" / "onnx" / "model.onnx").read_bytes()
    (foreign / QUERY_MODEL).write_bytes(wrap(Kind.ENCODER, other))
    (foreign / "onnx" / "model.onnx").write_bytes(b"not a model, and not asked for")
    encoder = Encoder(foreign)
    assert encoder.query("tea").tobytes() == alone.query("tea").tobytes()
    assert encoder.query_file == (foreign / QUERY_MODEL).read_bytes()
    with pytest.raises(EncoderError, match=r"onnx/model.onnx: not an ONNX model"):
        encoder.passages(["tea"], nothing)


def test_the_vectors_of_passages_do_not_depend_on_the_model_for_queries(foreign: Path) -> None:
    fingerprint = Encoder(foreign).config.fingerprint
    (foreign / QUERY_MODEL).write_bytes(wrap(Kind.ENCODER, (foreign / "onnx" / "model.onnx").read_bytes()))
    assert Encoder(foreign).config.fingerprint == fingerprint


def test_a_search_takes_the_model_that_the_index_brings(
    small_assets: Path, site: Path, options: Options, foreign: Path
) -> None:
    whole = wrap(Kind.ENCODER, (foreign / "onnx" / "model.onnx").read_bytes())
    (foreign / QUERY_MODEL).write_bytes(whole)
    build_site(site, None, replace(options, encoder=foreign))
    index = Index(site / "nearpage")
    assert index.manifest.encoder is not None
    path = index.folder / index.manifest.encoder.model.file
    assert path.read_bytes() == whole
    (foreign / QUERY_MODEL).write_bytes(gzip.decompress(whole))

    encode = query_encoder(index, "vector", foreign)
    assert encode is not None
    assert encode("tea").tobytes() == Encoder(foreign).query("tea").tobytes()

    path.write_bytes(b"cut short")
    with pytest.raises(EncoderError, match=r"model-\w+.bin: not a file of a Nearpage index"):
        query_encoder(index, "vector", foreign)


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (lambda data: data[: len(data) // 2], "damaged or cut short"),
        (lambda data: b"<html>not found</html>", "not a file of a Nearpage index"),
        (lambda data: wrap(Kind.TEXTS, data), "holds kind 3, expected 5"),
        (lambda data: wrap(Kind.ENCODER, b"no model"), "not an ONNX model"),
    ],
)
def test_a_spoilt_model_for_queries_is_refused(
    foreign: Path, spoil: Callable[[bytes], bytes], complaint: str
) -> None:
    whole = wrap(Kind.ENCODER, (foreign / "onnx" / "model.onnx").read_bytes())
    (foreign / QUERY_MODEL).write_bytes(spoil(whole))
    with pytest.raises(EncoderError, match=f"{QUERY_MODEL}: .*{complaint}"):
        Encoder(foreign)


def test_models_that_do_not_belong_together_are_refused(foreign: Path, encoders: Path) -> None:
    pooling = (encoders / "pooled.onnx").read_bytes()
    (foreign / QUERY_MODEL).write_bytes(wrap(Kind.ENCODER, pooling))
    encoder = Encoder(foreign)
    with pytest.raises(EncoderError, match="give vectors of different shapes; delete the first"):
        encoder.passages(["tea"], nothing)


# Foreign encoders ------------------------------------------------------------------------------------


def test_a_folder_as_sentence_transformers_writes_it_works_from_build_to_search(
    small_assets: Path, site: Path, options: Options
) -> None:
    report = build_site(site, None, options)
    assert report.over_limit == 0
    manifest = load((site / "nearpage" / FILE_NAME).read_bytes(), FILE_NAME)
    assert manifest.vectors is not None
    assert manifest.encoder is not None
    assert manifest.vectors.dims == manifest.encoder.dims == 12
    assert manifest.encoder.query_prefix == "query: "
    assert manifest.encoder.limit == 160

    assert options.encoder is not None
    encoder = Encoder(options.encoder)
    index = Index(site / "nearpage")
    text = "Descaling\nLime gathers on the heater. Fill with vinegar"
    hits = search(index, text, "vector", 3, encoder.query).hits
    assert hits[0].page == "guide/advanced/descaling.html"


def test_prefixes_go_before_queries_and_passages_once(encoders: Path, foreign: Path) -> None:
    with_prefixes = Encoder(encoders / "tiny")
    (foreign / "config_sentence_transformers.json").unlink()
    without = Encoder(foreign)
    assert with_prefixes.query("tea").tobytes() == without.query("query: tea").tobytes()
    passages = with_prefixes.passages(["tea"], nothing)
    assert passages.tobytes() == without.passages(["passage: tea"], nothing).tobytes()


def test_the_embedded_text_has_the_prefix_once(
    small_assets: Path, site: Path, options: Options, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoded: list[str] = []
    passages = Encoder.passages

    def noted(self: Encoder, texts: list[str], advance: Callable[[int], None], threads: int | None) -> Any:
        encoded.extend(texts)
        return passages(self, texts, advance, threads)

    monkeypatch.setattr(Encoder, "passages", noted)
    build_site(site, None, options)
    assert encoded
    assert not any(text.startswith("passage:") for text in encoded)  # passages() puts it there


def test_a_model_that_pools_by_itself_works(foreign: Path, encoders: Path) -> None:
    per_piece = Encoder(foreign)
    shutil.copy(encoders / "pooled.onnx", foreign / "onnx" / "model.onnx")
    write(foreign / "1_Pooling" / "config.json", {"pooling_mode_max_tokens": True})  # no business of ours
    pooling = Encoder(foreign)
    assert pooling.config.dims == 12
    assert np.allclose(pooling.query("tea"), per_piece.query("tea"), atol=1e-6)


def test_the_cls_token_is_taken_where_the_encoder_s_settings_say_so(foreign: Path) -> None:
    mean = Encoder(foreign)
    write(foreign / "1_Pooling" / "config.json", {"pooling_mode_cls_token": True})
    cls = Encoder(foreign)
    assert cls.config.pooling == "cls"
    # The table looks at no neighbour: the first piece, [CLS], has one vector in every text.
    assert cls.query("tea").tobytes() == cls.query("coffee").tobytes()
    assert mean.query("tea").tobytes() != mean.query("coffee").tobytes()


def test_the_fingerprint_is_of_files_and_settings_and_not_of_names(foreign: Path, encoders: Path) -> None:
    fingerprint = Encoder(encoders / "tiny").config.fingerprint
    assert Encoder(foreign).config.fingerprint == fingerprint
    changes: list[tuple[str, Any]] = [
        ("sentence_bert_config.json", {"max_seq_length": 100}),
        ("config_sentence_transformers.json", {"prompts": {"query": "ask: ", "passage": "passage: "}}),
        ("1_Pooling/config.json", {"pooling_mode_cls_token": True}),
        ("tokenizer.json", (foreign / "tokenizer.json").read_text() + "\n"),
    ]
    seen = {fingerprint}
    for name, value in changes:
        write(foreign / name, value)
        seen.add(Encoder(foreign).config.fingerprint)
    assert len(seen) == 1 + len(changes)


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        (
            "onnx/model.onnx",
            "not a model",
            r"onnx/model.onnx: not an ONNX model, in one file, that can be run",
        ),
        ("onnx/model.onnx", None, "foreign: no model.onnx there; give a sentence encoder's folder"),
        ("tokenizer.json", None, "foreign: no tokenizer.json there; give a sentence encoder's folder"),
        ("tokenizer.json", "{", "tokenizer.json: not a tokenizer.json that can be read"),
        ("sentence_bert_config.json", "{", "sentence_bert_config.json: not valid JSON"),
        ("sentence_bert_config.json", [1], "sentence_bert_config.json: not a JSON object"),
        ("sentence_bert_config.json", {"max_seq_length": "x"}, "max_seq_length is 'x'; mend it or delete it"),
        ("sentence_bert_config.json", {"max_seq_length": 8}, "max_seq_length is 8; an encoder must take 32"),
        ("config_sentence_transformers.json", {"prompts": 1}, "prompts is 1; mend it or delete it"),
        ("config_sentence_transformers.json", {"prompts": {"query": 1}}, "a prompt is not text"),
        ("1_Pooling/config.json", {"pooling_mode_lasttoken": True}, "pools by pooling_mode_lasttoken; only"),
    ],
)
def test_a_spoilt_encoder_is_refused_in_one_line_that_says_where_and_what_to_do(
    foreign: Path, name: str, value: Any, complaint: str
) -> None:
    if value is None:
        (foreign / name).unlink()
    else:
        write(foreign / name, value)
    with pytest.raises(EncoderError, match=complaint) as raised:
        Encoder(foreign)
    assert "\n" not in str(raised.value)
    assert ";" in str(raised.value)


@pytest.mark.parametrize("members", [{}, {"max_seq_length": None}])
def test_an_encoder_that_names_no_limit_gets_the_usual_one(foreign: Path, members: dict[str, None]) -> None:
    write(foreign / "sentence_bert_config.json", members)
    assert Encoder(foreign).config.limit == 256


def test_a_model_that_takes_other_inputs_is_named_with_them(foreign: Path, encoders: Path) -> None:
    shutil.copy(encoders / "image.onnx", foreign / "onnx" / "model.onnx")
    with pytest.raises(EncoderError, match="not a sentence encoder; its inputs are pixel_values, expected"):
        Encoder(foreign)


def test_a_model_and_a_tokenizer_that_do_not_belong_together_are_refused(foreign: Path) -> None:
    shutil.copy(BUNDLED / "tokenizer.json", foreign / "tokenizer.json")
    with pytest.raises(
        EncoderError, match=r"do model.onnx, tokenizer.json and max_seq_length belong together"
    ):
        Encoder(foreign)


def test_a_text_that_the_model_has_no_positions_for_is_told_of(tmp_path: Path) -> None:
    folder = tmp_path / "long"
    folder.mkdir()
    for name in ("model.onnx", "tokenizer.json"):
        (folder / name).symlink_to(BUNDLED / name)
    write(folder / "sentence_bert_config.json", {"max_seq_length": 512})  # the model was made for 256
    with pytest.raises(EncoderError, match="the model fails on a text of 302 pieces"):
        Encoder(folder).query("tea " * 300)
