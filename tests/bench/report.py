"""The comparison as a table: a measure a line, and Nearpage's value divided by Pagefind's."""

from typing import Any

from rich.console import Console
from rich.table import Table

ENGINES = ("nearpage", "pagefind")


def show(title: str, results: dict[str, Any]) -> None:
    ours, theirs = (results[engine] for engine in ENGINES)
    table = Table(title=f"{title}: {ours['pages']} pages", title_justify="left")
    table.add_column("")
    for name in ("Nearpage", "Pagefind", "ratio"):
        table.add_column(name, justify="right")

    def line(name: str, us: float, them: float | None, unit: str = "") -> None:
        ratio = f"{us / them:.2f}" if them else ""
        table.add_row(name, _written(us, unit), "" if them is None else _written(them, unit), ratio)

    cold = theirs["build"]["cold"]
    line("build, nothing cached", ours["build"]["cold"]["wall"], cold["wall"], "s")
    line("build, nothing cached: CPU", ours["build"]["cold"]["cpu"], cold["cpu"], "s")
    line("build, one page changed", ours["build"]["one_page"]["wall"], cold["wall"], "s")
    line("build, nothing changed", ours["build"]["unchanged"]["wall"], cold["wall"], "s")
    table.add_section()
    for kind in ("words", "texts", "code", "vectors", "encoder", "runtime", "all"):
        us, them = (engine["files"].get(kind, {"files": 0, "bytes": 0}) for engine in (ours, theirs))
        line(f"index: {kind}, bytes", us["bytes"], them["bytes"])
    line("index: all, files", ours["files"]["all"]["files"], theirs["files"]["all"]["files"])
    if "browser" in ours:
        table.add_section()
        _browser(line, ours["browser"], theirs["browser"])
    Console().print(table)
    if "relevance" in results:
        _relevance(results["relevance"])


def _browser(line: Any, ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    for measure in ("requests", "bytes"):
        line(
            f"page load: own {measure}",
            ours["page_load"]["own"][measure],
            theirs["page_load"]["own"][measure],
        )
    for when in ("first_result", "later_result"):
        name = when.replace("_", " ")
        for measure in ("requests", "bytes"):
            us, them = (engine[when][measure]["median"] for engine in (ours, theirs))
            line(f"{name}: {measure}, median", us, them)
        for point in ("min", "median"):
            us, them = (engine[when]["ms"][point] for engine in (ours, theirs))
            line(f"{name}: {point}", us, them, "ms")
    full = ours["full_rung"]
    line("full rung: requests, in the background", full["requests"], None)
    line("full rung: bytes, in the background", full["bytes"], None)
    line("full rung: from opening", full["seconds"], None, "s")
    line("full rung: later result, median", full["ms"]["median"], None, "ms")


def _relevance(results: dict[str, Any]) -> None:
    table = Table(title=f"{results['queries']} questions", title_justify="left")
    for name in ("", "nDCG@10", "Success@1", "no result"):
        table.add_column(name, justify="right" if name else "left")
    for name in ("pagefind", "lexical", "vector", "hybrid", "hybrid_minus_pagefind"):
        row = results[name]
        cells = [
            f"{row[m]['mean']:.3f} [{row[m]['low']:.2f}, {row[m]['high']:.2f}]"
            for m in ("ndcg@10", "success@1")
        ]
        empty = f"{row['no_result']:.0%}" if "no_result" in row else ""
        table.add_row(name.replace("_minus_", " − "), *cells, empty)
    Console().print(table)


def _written(value: float, unit: str) -> str:
    if unit:
        return f"{value:,.1f} {unit}"
    return f"{value:,.0f}"
