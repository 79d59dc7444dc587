"""The architecture as a test: who may import whom, and that packages and pages say what is there.

A line of MAY_IMPORT is a module of the builder and what of the builder it may import; a line of LIBRARIES
is a library and the only modules that may import it.
"""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("builder", "site_plugin", "web")

MAY_IMPORT = {
    # Words and numbers only.
    "errors": "",
    "model": "",
    "terms": "",
    "query": "terms",
    "page_names": "",
    "languages": "model",
    "check": "errors page_names",
    "encoder_text": "",
    "vectors": "",
    "light": "encoder_text vectors",
    "fusion": "",
    "postings": "model terms",
    "bm25": "postings query",
    "changelog": "model",
    "spelling": "postings query terms",
    "operators": "postings query terms",
    # What is written, and the numbers in it.
    "format": "errors light model postings vectors",
    "manifest": "bm25 errors format fusion postings",
    "settings": "fusion manifest",
    "floor": "manifest",
    "exact": "format postings query terms",
    # From the site to passages.
    "extract": "model",
    "pages": "errors",
    "passages": "encoder_text model",
    # The outside: disk, network, runtime.
    "encoder": "encoder_text errors format",
    "cache": "errors",
    "lock": "errors",
    "publish": "errors manifest",
    "serve": "errors",
    "output": "errors",
    "reader": "bm25 errors format light manifest postings vectors",
    # What is done with them.
    "ranking": "bm25 errors exact floor fusion operators query reader spelling terms unfinished vectors",
    "unfinished": "bm25 postings query",
    "explain": "bm25 exact postings query ranking reader",
    "search": "errors exact explain format ranking reader",
    "show": "explain search",
    "evaluate": "check errors page_names ranking reader search",
    "build": (
        "bm25 cache changelog encoder errors floor format fusion languages light manifest model passages "
        "postings publish query settings spelling terms vectors"
    ),
    "site": "build extract languages lock pages publish",
    "queries": "encoder errors ranking reader vectors",
    "cli": "build cache check encoder errors evaluate output queries ranking reader search serve show site",
    "__init__": "build check encoder errors evaluate extract lock model publish queries reader search site",
}
PURE = (
    "errors",
    "model",
    "terms",
    "query",
    "page_names",
    "languages",
    "check",
    "encoder_text",
    "vectors",
    "light",
    "fusion",
    "postings",
    "bm25",
    "changelog",
    "operators",
    "spelling",
    "unfinished",
)
OUTSIDE = {"asyncio", "http", "io", "os", "pathlib", "shutil", "socket", "sqlite3", "subprocess", "tempfile"}
LIBRARIES = {
    "onnxruntime": "encoder",
    "tokenizers": "encoder passages",  # passages only names its types
    "selectolax": "extract",
    "sqlite3": "cache",
    "snowballstemmer": "",  # terms loads one algorithm by name
    "click": "cli",
    "yaml": "check",
    "mkdocs": "",
}


def imports(path: Path) -> Iterator[tuple[str, str]]:
    """Every (module, name) that a file imports; the name is empty where the whole module is."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", alias.name) for alias in node.names)


def modules(package: str) -> dict[str, Path]:
    return {path.stem: path for path in sorted((ROOT / package).glob("*.py"))}


def own(package: str, module: str) -> set[str]:
    """The modules of the builder that a module imports."""
    found = set()
    for name, member in imports(modules(package)[module]):
        if name == "nearpage.builder":
            found.add(member)
        elif name.startswith("nearpage.builder."):
            found.add(name.split(".")[2])
    return found


@pytest.mark.parametrize("module", modules("builder"))
def test_a_module_imports_only_what_stands_below_it(module: str) -> None:
    assert module in MAY_IMPORT, f"{module} is new; say in MAY_IMPORT what it may import"
    assert own("builder", module) - set(MAY_IMPORT[module].split()) == set()


def test_the_table_of_imports_has_no_circle_and_names_only_what_is_there() -> None:
    assert set(MAY_IMPORT) == set(modules("builder"))
    left = {module: set(below.split()) for module, below in MAY_IMPORT.items()}
    while left:
        ready = {module for module, below in left.items() if not below & left.keys()}
        assert ready, f"a circle among {sorted(left)}"
        left = {module: below for module, below in left.items() if module not in ready}


@pytest.mark.parametrize("module", PURE)
def test_a_pure_module_reads_and_writes_nothing(module: str) -> None:
    path = modules("builder")[module]
    libraries = {name.partition(".")[0] for name, _ in imports(path)}
    assert libraries & OUTSIDE == set()
    assert set(MAY_IMPORT[module].split()) <= set(PURE)
    calls = [node.func for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    assert not [
        call for call in calls if isinstance(call, ast.Name) and call.id in {"open", "print", "input"}
    ]


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_library_is_imported_only_where_it_is_at_home(library: str) -> None:
    users = {
        module
        for module, path in modules("builder").items()
        if library in {name.partition(".")[0] for name, _ in imports(path)}
    }
    assert users <= set(LIBRARIES[library].split())


@pytest.mark.parametrize("module", modules("site_plugin"))
def test_the_plugin_knows_the_builder_by_its_public_names(module: str) -> None:
    public = ast.literal_eval(
        next(
            node.value
            for node in ast.parse((ROOT / "builder/__init__.py").read_text()).body
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
        )
    )
    for name, member in imports(modules("site_plugin")[module]):
        assert not name.startswith("nearpage.builder."), f"{module} imports {name}, not nearpage.builder"
        assert name != "nearpage.builder" or member in public


def scripts(folder: str) -> Iterator[tuple[str, str, bool]]:
    """(file, what it imports, whether only types) of every import of a folder of the browser's sources."""
    statement = re.compile(r'^(?:import|export) (type )?(?:[^;"]* from )?"([^"]+)";', re.MULTILINE)
    for path in sorted((ROOT / "web/src" / folder).glob("*.ts")):
        for only_types, source in statement.findall(path.read_text()):
            yield path.name, source, bool(only_types)


def test_the_engine_imports_nothing_but_itself() -> None:
    found = list(scripts("engine"))
    assert len(found) > 10
    assert [each for each in found if not re.fullmatch(r"\./\w+\.ts", each[1])] == []


def test_the_dialog_knows_of_engine_and_worker_only_what_they_say() -> None:
    found = [each for each in scripts("ui") if each[1].startswith("..")]
    assert found
    assert [each for each in found if each[1] != "../engine/types.ts" or not each[2]] == []


def test_the_packages_are_flat_and_all_named() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    assert settings["packages"] == [f"nearpage.{package}" for package in PACKAGES]
    assert settings["package-dir"] == {f"nearpage.{package}": package for package in PACKAGES}
    for package in PACKAGES:
        assert (ROOT / package / "__init__.py").is_file()
        nested = [
            path for path in (ROOT / package).glob("*/**/__init__.py") if "node_modules" not in path.parts
        ]
        assert nested == [], "a package within a package would be left out of the wheel"


def test_what_the_documentation_names_exists() -> None:
    for page in [*sorted((ROOT / "docs").glob("*.md")), *ROOT.glob("*.md")]:
        for name in re.findall(r"`((?:builder|site_plugin|web|tests|docs)/[\w./-]+)`", page.read_text()):
            assert (ROOT / name).exists(), f"{page.name} names {name}"
    for path in [*(ROOT / "builder").glob("*.py"), *(ROOT / "web/src").rglob("*.ts")]:
        for name in re.findall(r"`((?:builder|web|tests|docs)/[\w./-]+\.\w+)`", path.read_text()):
            assert (ROOT / name).exists(), f"{path.name} names {name}"
