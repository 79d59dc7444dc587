"""Stems are the same in both languages, for every language that has a stemmer.

Words are made of random letters and of the endings that stand in the algorithm itself, one to three of
them, so that every rule is reached.
"""

import random
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest
from nearpage.builder.terms import STEMMERS, stemmer

WORDS = 2_000
FOREIGN = "abcdefghijklmnopqrstuvwxyzßàáâäåæçèéêëìíîïðñòóôöøùúûüýœğışșțžабвгдежзийклмнопрстуфхцчшщъыьэюяё𐐨𠀀"


def words(algorithm: str) -> list[str]:
    module = import_module(f"snowballstemmer.{algorithm}_stemmer")
    tables = vars(getattr(module, f"{algorithm.title()}Stemmer")).values()
    entries = [entry for table in tables if isinstance(table, list) for entry in table]
    # Capitals are an algorithm's notes to itself; no folded word has any.
    endings = sorted({entry.s for entry in entries if hasattr(entry, "s") and entry.s == entry.s.lower()})
    own = sorted(set("".join(endings)))
    source = random.Random(algorithm)
    made = []
    for number in range(WORDS):
        letters = own if number % 2 else FOREIGN
        made.append(
            "".join(source.choices(letters, k=source.randint(1, 8)))
            + "".join(source.choices(endings, k=source.randint(1, 3)))
        )
    return made


@pytest.fixture(scope="module")
def stems(mirror: Callable[..., list[Any]]) -> dict[str, list[str]]:
    """The browser's stems of each algorithm's words."""
    lines = [(algorithm, word) for algorithm in STEMMERS.values() for word in words(algorithm)]
    answers = iter(mirror("stems", lines))
    return {algorithm: [next(answers) for _ in range(WORDS)] for algorithm in STEMMERS.values()}


@pytest.mark.parametrize("language", STEMMERS)
def test_both_languages_stem_alike(language: str, stems: dict[str, list[str]]) -> None:
    algorithm = STEMMERS[language]
    stem = stemmer(language)
    made = words(algorithm)
    assert sum(stem(word) != word for word in made) > WORDS / 10
    differing = [
        (word, stem(word), other)
        for word, other in zip(made, stems[algorithm], strict=True)
        if stem(word) != other
    ]
    assert differing == []


def test_another_stemming_library_that_is_installed_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stemmer:
        """PyStemmer's module, which snowballstemmer prefers to its own algorithms where it finds it."""

    monkeypatch.setitem(sys.modules, "Stemmer", Stemmer)  # type: ignore[misc]
    stemmer.cache_clear()
    for name in [name for name in sys.modules if name.startswith("snowballstemmer")]:
        monkeypatch.delitem(sys.modules, name)
    assert stemmer("en")("relational") == "relat"
    stemmer.cache_clear()
