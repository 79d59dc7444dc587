"""The command line: options to calls, results to text or JSON, errors to one line and an exit code."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any, NoReturn

import click
import orjson
from nearpage.builder.build import Lines, Options, Progress, sizes
from nearpage.builder.cache import default_folder
from nearpage.builder.check import as_json as checks_as_json
from nearpage.builder.check import parse_checks
from nearpage.builder.check import table as checks_table
from nearpage.builder.encoder import BUNDLED
from nearpage.builder.errors import NearpageError, UsageError
from nearpage.builder.evaluate import check_index, evaluate, read_queries, table
from nearpage.builder.output import watched_output
from nearpage.builder.queries import query_encoder
from nearpage.builder.ranking import Mode
from nearpage.builder.reader import Index, Rung
from nearpage.builder.search import as_json, search
from nearpage.builder.serve import serve
from nearpage.builder.show import show
from nearpage.builder.site import build_site
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bars
from rich.text import Text

FOLDER = click.Path(path_type=Path)
MODES = click.Choice(["hybrid", "lexical", "vector"])
RUNG = click.option(
    "--rung",
    type=click.Choice(["light", "full"]),
    help="Whose query vectors: of the light encoder, or of the full one; by default, the best there is.",
)

messages = Console(stderr=True, highlight=False, soft_wrap=True)


class _Bars:
    """Progress bars on standard error."""

    def __init__(self, bars: Bars) -> None:
        self._bars = bars

    def step(self, name: str, total: int) -> Callable[[int], None]:
        """A bar for the step, if there is anything to do."""
        if not total:
            return lambda done: None
        task = self._bars.add_task(name, total=total)
        return lambda done: self._bars.advance(task, done)


@contextmanager
def _progress() -> Iterator[Progress]:
    """Bars that vanish when they are done, or for a log a line now and then."""
    # Not rich's own idea of a terminal: FORCE_COLOR, which many CI systems set, makes it see one in a log.
    if not sys.stderr.isatty() or messages.is_dumb_terminal:
        yield Lines(_say)
        return
    columns = (TextColumn("{task.description:18}"), BarColumn(), MofNCompleteColumn())
    with Bars(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=messages, transient=True) as bars:
        yield _Bars(bars)


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    invoke_without_command=True,
)
@click.version_option(version("nearpage"), prog_name="nearpage")
@click.pass_context
def cli(context: click.Context) -> None:
    """Search for static documentation sites that understands questions and needs no server."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@cli.command("build")
@click.argument("site", metavar="SITE_DIR", type=FOLDER)
@click.option("--output", type=FOLDER, help="Where the index goes; SITE_DIR/nearpage by default.")
@click.option("--no-semantic", is_flag=True, help="Keyword search only: no vectors, no encoder.")
@click.option("--light", is_flag=True, help="The light query encoder only: no model for the browser.")
@click.option("--encoder", type=FOLDER, help="A sentence encoder's folder; the bundled one by default.")
@click.option("--no-inject", is_flag=True, help="Leave the pages alone; add the loader's tag yourself.")
@click.option("--cache-dir", type=FOLDER, help="Where vectors are kept between builds.")
@click.option("--threads", type=click.IntRange(min=1), help="Cores for embedding; all by default.")
@click.option("--json", "as_report", is_flag=True, help="Print a report as JSON.")
def build_command(
    site: Path,
    output: Path | None,
    no_semantic: bool,
    light: bool,
    encoder: Path | None,
    no_inject: bool,
    cache_dir: Path | None,
    threads: int | None,
    as_report: bool,
) -> None:
    """Index the built HTML of SITE_DIR and add search to its pages."""
    if no_semantic and encoder:
        raise UsageError("--no-semantic and --encoder exclude each other; drop one of them")
    if no_semantic and light:
        raise UsageError("--no-semantic and --light exclude each other; drop one of them")
    options = Options(
        encoder=None if no_semantic else encoder or BUNDLED,
        cache=None if no_semantic else cache_dir or default_folder(),
        threads=threads,
        full=not light,
    )
    with _progress() as progress:
        report = build_site(site, output, options, inject_loader=not no_inject, progress=progress)
    if as_report:
        _print_json(asdict(report))
        return
    searchable = sum(report.bytes[kind] for kind in ("postings", "texts", "vectors"))
    languages = f" in {len(report.languages)} languages" if len(report.languages) > 1 else ""
    _say(
        f"{report.pages} pages{languages}, {report.passages} passages "
        f"({report.embedded} embedded, {report.reused} reused); index {searchable / 1e6:.2f} MB, "
        f"encoder and runtime {(report.bytes['encoder'] + report.bytes['runtime']) / 1e6:.1f} MB; "
        f"{sum(report.seconds.values()):.1f} s"
    )


@cli.command("search")
@click.argument("query")
@click.option("--index", "folder", type=FOLDER, required=True, help="The index's folder, or the site's.")
@click.option("--limit", type=click.IntRange(min=1), default=10, show_default=True)
@click.option("--mode", type=MODES, default="hybrid", show_default=True)
@click.option("--encoder", type=FOLDER, help="The folder of the encoder that the index was built with.")
@RUNG
@click.option("--explain", is_flag=True, help="Say why: terms, scores, ranks, the relevance floor.")
@click.option("--json", "as_document", is_flag=True, help="Print the result as JSON.")
def search_command(
    query: str,
    folder: Path,
    limit: int,
    mode: Mode,
    encoder: Path | None,
    rung: Rung | None,
    explain: bool,
    as_document: bool,
) -> None:
    """Answer QUERY from an index, as the browser does."""
    # Bytes of the command line that are no UTF-8 are no text either.
    query = query.encode(errors="surrogateescape").decode(errors="replace")
    index = open_index(folder, rung)
    result = search(index, query, mode, limit, query_encoder(index, mode, encoder), explain)
    if as_document:
        _print_json(as_json(result))
        return
    show(Console(highlight=False, emoji=False), result)


@cli.command("eval")
@click.argument("queries", metavar="QUERIES.jsonl", type=FOLDER)
@click.option("--index", "folder", type=FOLDER, required=True, help="The index's folder, or the site's.")
@click.option("--mode", type=MODES, default="hybrid", show_default=True)
@click.option("--encoder", type=FOLDER, help="The folder of the encoder that the index was built with.")
@RUNG
@click.option("--run", type=FOLDER, help="Write each query's ranked pages to this file, a JSON line each.")
@click.option("--json", "as_document", is_flag=True, help="Print the measures as JSON.")
def eval_command(
    queries: Path,
    folder: Path,
    mode: Mode,
    encoder: Path | None,
    rung: Rung | None,
    run: Path | None,
    as_document: bool,
) -> None:
    """Measure an index on QUERIES.jsonl: nDCG@10, MRR@10, Recall@5, Success@1, by page."""
    index = open_index(folder, rung)
    evaluation = evaluate(index, read_queries(queries), mode, query_encoder(index, mode, encoder))
    if run:
        lines = b"".join(orjson.dumps(asdict(line)) + b"\n" for line in evaluation.runs)
        try:
            run.write_bytes(lines)
        except OSError as error:
            raise NearpageError(
                f"{run}: cannot be written ({error.strerror}); choose another file with --run"
            ) from error
    if as_document:
        _print_json(evaluation.measures)
    else:
        click.echo(table(evaluation))


@cli.command("check")
@click.argument("file", metavar="FILE", type=FOLDER)
@click.option("--index", "folder", type=FOLDER, required=True, help="The index's folder, or the site's.")
@click.option("--mode", type=MODES, default="hybrid", show_default=True)
@click.option("--encoder", type=FOLDER, help="The folder of the encoder that the index was built with.")
@RUNG
@click.option("--json", "as_document", is_flag=True, help="Print the outcomes as JSON.")
def check_command(
    file: Path, folder: Path, mode: Mode, encoder: Path | None, rung: Rung | None, as_document: bool
) -> None:
    """Check that queries find what FILE, in YAML or JSON lines, says they must."""
    expectations = parse_checks(_read(file), str(file))
    index = open_index(folder, rung)
    outcomes = check_index(index, expectations, mode, query_encoder(index, mode, encoder))
    if as_document:
        _print_json(checks_as_json(outcomes))
    else:
        click.echo(checks_table(outcomes))
    if not all(outcome.ok for outcome in outcomes):
        sys.exit(1)


@cli.command("stats")
@click.option("--index", "folder", type=FOLDER, required=True, help="The index's folder, or the site's.")
@click.option("--json", "as_document", is_flag=True, help="Print as JSON.")
def stats_command(folder: Path, as_document: bool) -> None:
    """What an index holds, and how large it is."""
    index = open_index(folder)
    manifest = index.manifest
    files = index.files()
    stats = {
        "format": manifest.format,
        "generator": manifest.generator,
        "language": manifest.language,
        "pages": manifest.pages,
        "sections": manifest.sections,
        "passages": manifest.passages,
        "terms": index.terms(),
        "encoder": manifest.encoder.name if manifest.encoder else None,
        "vectors": manifest.vectors.scheme if manifest.vectors else None,
        "floor": asdict(manifest.floor),
        "files": len(files),
        "bytes": sizes(files),
    }
    if as_document:
        _print_json(stats)
        return
    output = Console(highlight=False, emoji=False)
    for name, value in stats.items():
        if isinstance(value, dict):
            output.print(name)
            for key, inner in value.items():
                shown = " to ".join(map(str, inner)) if isinstance(inner, tuple) else f"{inner:,}"
                output.print(f"  {key:<16}{shown:>16}")
        else:
            output.print(f"{name:<14}{value}")


@cli.command("serve")
@click.argument("site", metavar="DIR", type=FOLDER)
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True)
def serve_command(site: Path, port: int) -> None:
    """Serve a built site on 127.0.0.1 to try its search."""
    serve(site, port, lambda address: _say(f"Serving {site} at {address} (Ctrl+C stops)"))


def open_index(folder: Path, rung: Rung | None = None) -> Index:
    """The index in a folder, or in the `nearpage/` of a site's folder."""
    inner = folder / "nearpage"
    return Index(inner if (inner / "manifest.json").is_file() else folder, rung)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(
            f"{path}: cannot be read ({error.strerror}); name a file of relevance tests"
        ) from error


def _print_json(value: Any) -> None:
    click.echo(orjson.dumps(value, option=orjson.OPT_INDENT_2).decode())


def _say(line: str) -> None:
    """A line on standard error as it is: nothing in it is markup, and it is not wrapped."""
    messages.print(Text(line))


def _fail(reason: str, exit_code: int) -> NoReturn:
    messages.print(Text.assemble(("nearpage:", "red"), " ", " ".join(reason.splitlines())))
    sys.exit(exit_code)


def main() -> None:
    """The entry point: a user's errors are one line on standard error, never a traceback."""
    try:
        with watched_output():
            cli.main(standalone_mode=False)
    except NearpageError as error:
        _fail(str(error), error.exit_code)
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "nearpage"
        _fail(f"{error.format_message()} See {command} --help.", 2)
    except (click.Abort, KeyboardInterrupt):
        _fail("stopped", 1)
