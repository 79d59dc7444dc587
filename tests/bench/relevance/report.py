"""The comparison as one table, a line a group and an engine; shorter as Markdown, for the documentation."""

from collections.abc import Iterator, Sequence
from typing import Any

from nearpage.builder.evaluate import MEASURES
from rich.console import Console
from rich.table import Table

HEAD = ("", "engine", "nDCG@10", "MRR@10", "Recall@5", "Success@1", "no result", "Nearpage’s lead in nDCG@10")


def show(results: dict[str, Any]) -> None:
    table = Table()
    for at, name in enumerate(HEAD):
        table.add_column(name, justify="left" if at < 2 else "right", no_wrap=at > 1)
    for rows in _groups(results):
        for row in rows:
            table.add_row(*row)
        table.add_section()
    # Wide enough for all columns where there is no terminal, such as in a log.
    Console(width=None if Console().is_terminal else 180).print(table)


def markdown(results: dict[str, Any]) -> str:
    """The total with every measure, then nDCG@10 by site and by kind of question."""
    [total] = list(_groups({"total": results["total"], "sites": {}, "kinds": {}}))
    tables = [[HEAD[1:], *(row[1:] for row in total)]]
    for groups in (results["sites"], results["kinds"]):
        head = ("nDCG@10", *(f"{title} ({group['queries']})" for title, group in groups.items()))
        rows = [
            [engine, *(_interval(group["engines"][engine]["ndcg@10"], ".3f") for group in groups.values())]
            for engine in results["total"]["engines"]
        ]
        tables.append([head, *rows])
    return "\n\n".join(_markdown(head, rows) for head, *rows in tables)


def _markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    rule = ["---", *["--:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *rows))


def _groups(results: dict[str, Any]) -> Iterator[list[list[str]]]:
    groups = {"all": results["total"], **results["sites"], **results["kinds"]}
    for title, group in groups.items():
        rows = []
        for engine, values in group["engines"].items():
            name = f"{title} ({group['queries']})" if not rows else ""
            lead = _interval(values["lead"], "+.3f") if "lead" in values else ""
            measures = [_interval(values[measure], ".3f") for measure in MEASURES]
            rows.append([name, engine, *measures, f"{values['no_result']:.0%}", lead])
        yield rows


def _interval(value: dict[str, float], form: str) -> str:
    sign = "+" if form.startswith("+") else ""
    return f"{value['mean']:{form}} [{value['low']:{sign}.2f}, {value['high']:{sign}.2f}]"
