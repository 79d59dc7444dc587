import gzip
import random
from pathlib import Path

import pytest
from nearpage.builder.build import Options
from nearpage.builder.encoder import Encoder
from nearpage.builder.errors import FormatError
from nearpage.builder.ranking import Mode
from nearpage.builder.reader import Index
from nearpage.builder.search import search
from nearpage.builder.site import build_site

MODES: list[Mode] = ["hybrid", "lexical", "vector"]


@pytest.fixture
def folder(small_assets: Path, site: Path, options: Options) -> Path:
    """An index."""
    build_site(site, None, options)
    return site / "nearpage"


def test_an_index_whose_gzip_a_host_has_undone_is_read_all_the_same(folder: Path) -> None:
    before = search(Index(folder), "kettle", "lexical", 10)
    for path in folder.glob("*.bin"):
        path.write_bytes(gzip.decompress(path.read_bytes()))
    assert search(Index(folder), "kettle", "lexical", 10) == before


def test_packs_are_read_when_they_are_needed(folder: Path) -> None:
    for kind in ("vectors", "texts"):
        next(folder.glob(f"{kind}-*")).unlink()
    index = Index(folder)
    assert index.terms() > 50
    with pytest.raises(FormatError, match=r"texts-.*: cannot be read \(No such file or directory\); build"):
        index.text(0)


def test_damage_that_no_checksum_finds_is_refused_or_harmless(folder: Path, encoders: Path) -> None:
    encode = Encoder(encoders / "tiny").query
    files = [path for path in sorted(folder.iterdir()) if path.suffix in {".bin", ".json"}]
    chance = random.Random(5)
    refused = 0
    for _ in range(300):
        path = chance.choice(
            [each for each in files if not each.name.startswith(("model", "runtime", "tok"))]
        )
        whole = path.read_bytes()
        data = bytearray(gzip.decompress(whole) if path.suffix == ".bin" else whole)
        for _ in range(3):
            data[chance.randrange(len(data))] = chance.randrange(256)
        path.write_bytes(data)
        try:
            search(Index(folder), "kettle water", chance.choice(MODES), 5, encode)
        except FormatError as error:
            refused += 1
            assert str(folder) in str(error)
            assert "\n" not in str(error)
        path.write_bytes(whole)
    assert refused > 100
