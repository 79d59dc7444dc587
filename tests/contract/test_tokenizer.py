"""The Python side of tokenizer_cases.json.gz; `tests/web/tokenizer.test.ts` is the other."""

import gzip
import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_tokenizer_cases", HERE / "make_tokenizer_cases.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_stored_cases_are_what_the_library_gives_today(generator: ModuleType) -> None:
    stored = json.loads(gzip.decompress(generator.CASES.read_bytes()))
    fresh = json.loads(json.dumps(generator.cases()))
    assert len(stored["texts"]) >= 2_000
    assert fresh["texts"] == stored["texts"]
    assert fresh == stored


@pytest.mark.parametrize(
    ("text", "normalized"),
    [
        ("plain", "plain"),
        ("ΟΔΟΣ", "ΟΔΟσ"),
        ("a𠀀b", "a 𠀀 b"),
        ("a\u2e43b", "a b"),
        ("\ud800", " "),
        ("👍🏽 𝐀", "👍🏽 𝐀"),
    ],
)
def test_settles_what_the_libraries_would_settle_differently(text: str, normalized: str) -> None:
    from nearpage.builder.encoder_text import normalize_for_encoder

    assert normalize_for_encoder(text) == normalized
