"""The light query encoder in an index: what is built, what answers, and that it is near the full one."""

from pathlib import Path

import numpy as np
import pytest
from nearpage.builder.build import Options
from nearpage.builder.encoder import BUNDLED, Encoder
from nearpage.builder.errors import EncoderError
from nearpage.builder.light import LightEncoder
from nearpage.builder.queries import query_encoder
from nearpage.builder.reader import Index
from nearpage.builder.search import search
from nearpage.builder.site import build_site


@pytest.fixture
def index(site: Path, tmp_path: Path, small_assets: Path) -> Index:
    """The site with the light encoder alone."""
    build_site(site, None, Options(BUNDLED, tmp_path / "cache", full=False), inject_loader=False)
    return Index(site / "nearpage")


def test_an_index_without_the_full_encoder_is_asked_by_the_light_one(index: Index) -> None:
    assert index.manifest.encoder is None
    assert index.manifest.vectors and index.manifest.light_encoder
    assert index.rung == "light"
    assert index.floor == index.manifest.light_encoder.floor != index.manifest.floor
    result = search(index, "how do I descale the kettle?", "hybrid", 3, query_encoder(index, "hybrid"))
    assert result.hits and result.hits[0].vector_rank is not None


def test_the_full_encoder_is_refused_where_the_index_has_none(index: Index) -> None:
    with pytest.raises(EncoderError, match="another encoder"):
        query_encoder(Index(index.folder, "full"), "hybrid")


def test_its_vectors_lie_near_those_of_the_full_one(index: Index) -> None:
    from nearpage.builder.format import decode_projection
    from nearpage.builder.vectors import projecting

    full = Encoder(BUNDLED)
    assert full.projection
    encode = projecting(full.query, decode_projection(full.projection, "projection"))
    light: LightEncoder = index.light_encoder()
    for text in ("How do I clean a kettle?", "change the password of a user", "deploy behind a proxy"):
        cosine = float(np.dot(encode(text), light.query(text)))
        assert cosine > 0.6, text


def test_a_text_of_unknown_signs_is_answered_by_words_alone(index: Index) -> None:
    encode = query_encoder(index, "hybrid")
    assert encode and not encode("\u16a0\u16a2").any()
    assert not search(index, "\u16a0\u16a2", "vector", 3, encode).hits


def test_an_encoder_without_a_light_twin_cannot_be_built_light(
    site: Path, options: Options, small_assets: Path
) -> None:
    light = Options(options.encoder, options.cache, threads=1, full=False)
    with pytest.raises(EncoderError, match="no light twin"):
        build_site(site, None, light, inject_loader=False)
