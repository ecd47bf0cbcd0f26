"""`litterm add` and `litterm failures`: imports papers, and lists or retries what could not be imported."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.cli import cluster
from litterm.cli.context import Context
from litterm.core.errors import LittermError, UsageError
from litterm.text.plural import count_phrase

if TYPE_CHECKING:
    from litterm.engine import Engine
    from litterm.model.library import Failure, ImportReport
    from litterm.model.services import FetchResult

_MAX_FAILURES_SHOWN = 50
"""Failures printed one by one after an import; `litterm failures` lists all of them."""
EXIT_PARTLY = 1


def declare(command: str, parser: argparse.ArgumentParser) -> None:
    """Adds what to import, or what to do with failures."""
    if command == "add":
        parser.add_argument(
            "paths",
            nargs="*",
            metavar="PATH",
            help="files (papers, BibTeX, RIS, NBIB, CSL-JSON, EndNote, CSV), folders or archives, or ids and addresses;"
            " `zotero` for your Zotero library",
        )
        parser.add_argument(
            "--ids", metavar="FILE", help="import the papers of a list of ids or a RIS file (- for stdin)"
        )
        parser.add_argument(
            "--retry", action="store_true", help="read files again even if they have been imported before"
        )
        cluster.declare(parser)
    else:
        act = parser.add_mutually_exclusive_group()
        act.add_argument("--retry", action="store_true", help="retry all of them: files, ids and full texts")
        act.add_argument("--dismiss", action="store_true", help="drop all of them from the list")
    parser.add_argument("--json", action="store_true", help="JSON on stdout")


def run(command: str, args: argparse.Namespace, context: Context) -> int:
    """1 if some inputs failed."""
    if command == "add":
        return _add(args, cluster.apply_cluster_option(args, context))
    if args.retry:
        return _retry(context, as_json=args.json)
    if args.dismiss:
        return _dismiss(context, as_json=args.json)
    return _list(context.engine().failures(), context, as_json=args.json)


def _add(args: argparse.Namespace, context: Context) -> int:
    words = _select_ids(args.paths)
    paths = _with_zotero([Path(word) for word in args.paths if word not in words], context)
    if "" in args.paths:
        # As a path it would be the working directory; most likely a variable of a script was not set.
        raise UsageError("a PATH is empty")
    if Path("-") in paths:
        raise UsageError("papers are read from files, not from stdin; --ids - reads ids from stdin")
    if args.ids:
        from litterm.cli.library.fetch import read_ids

        words += read_ids(args.ids)
    if not words and not paths:
        raise UsageError("give at least one PATH, id or address, or --ids FILE")
    engine = context.engine()
    report = context.run(engine.add(paths, retry=args.retry)) if paths else None
    files_and_ids = report is not None and bool(words)
    status = 0
    if report is not None and not (files_and_ids and args.json):
        status = report_import(report, context, as_json=args.json)
    if words:
        status = max(status, _add_ids(words, engine, report, context, as_json=args.json))
    # After the report: the papers are stored by now, and a user who stops here leaves the rest to the next command.
    context.run(engine.after_import())
    return status


def _with_zotero(paths: list[Path], context: Context) -> list[Path]:
    """`paths` with Zotero's database in place of the word `zotero`, and a message where it is."""
    if Path("zotero") not in paths:
        return paths
    from litterm.importers.zotero.profiles import with_database

    found = with_database(paths, Path.home())
    for path, database in zip(paths, found, strict=True):
        if path != database:
            context.output.say(f"Zotero's database is {database}.")
    return found


def _add_ids(
    words: Sequence[str], engine: Engine, report: ImportReport | None, context: Context, *, as_json: bool
) -> int:
    """Adds papers by their ids and prints the outcome; the exit status."""
    try:
        results = context.run(engine.services.obtain(words))
    except LittermError:
        # The files are stored by now, whatever becomes of the ids.
        if report is not None and as_json:
            _show_ids((), report, context, as_json=True)
        raise
    return _show_ids(results, report, context, as_json=as_json)


def _show_ids(results: Sequence[FetchResult], report: ImportReport | None, context: Context, *, as_json: bool) -> int:
    """Prints the outcome for each id; as JSON, in one object with the report on the files."""
    from litterm.cli.library.fetch import exit_status, result_data, show_results

    if report is None or not as_json:
        return show_results(results, context, as_json=as_json)
    from litterm.render.imports import import_report_data

    context.output.write_json({**import_report_data(report), "papers": [result_data(result) for result in results]})
    return max(exit_status(results), EXIT_PARTLY if report.failures else 0)


def _select_ids(words: Sequence[str]) -> list[str]:
    """Those of `words` that name no file and can be ids or addresses."""
    absent = [word for word in words if not Path(word).exists()]
    if not absent:
        return []
    from litterm.services.add_by_id import is_id

    # Any address counts: as a path its error would show `https:/` instead of what was typed.
    return [word for word in absent if is_id(word) or "://" in word]


def _retry(context: Context, *, as_json: bool) -> int:
    from litterm.cli.library.fetch import result_data, show_results
    from litterm.render.imports import import_report_data

    engine = context.engine()
    retried = context.run(engine.retry_failures())
    if retried.left:
        advice = "`litterm sync` retries those of services; --dismiss forgets them"
        context.output.say(f"{retried.left:,} cannot be retried on their own: {advice}.")
    if as_json:
        papers: list[object] = [result_data(result) for result in retried.obtained]
        context.output.write_json({**import_report_data(retried.report), "papers": papers, "left": retried.left})
        failed = [result for result in retried.obtained if result.outcome == "failed" or result.paper_id is None]
        return EXIT_PARTLY if retried.report.failures or failed else 0
    status = show_results(retried.obtained, context, as_json=False) if retried.obtained else 0
    # No file was read again: a report on files would say that nothing was imported.
    if retried.obtained and retried.report == type(retried.report)():
        return status
    return max(status, report_import(retried.report, context, as_json=False))


def report_import(report: ImportReport, context: Context, *, as_json: bool) -> int:
    """Prints what an import did, and what failed; the exit status."""
    from litterm.render import lines
    from litterm.render.imports import import_report_data

    options = context.line_options()
    report = replace(report, remarks=_shorten_paths(report.remarks))
    for line in lines.failures(_shorten_origins(report.failures[:_MAX_FAILURES_SHOWN]), options):
        context.output.say(line)
    if report.failures:
        # Failures of a server's import are kept nowhere: the files are on this machine, and only the answer names them.
        kept = not context.settings.server and any(failure.missing != "file" for failure in report.failures)
        ending = "; `litterm failures` lists them." if kept else "."
        context.output.say(f"{len(report.failures):,} could not be imported{ending}")
    if as_json:
        context.output.write_json(import_report_data(report))
    else:
        context.output.write_lines(lines.import_report(report, options))
    return EXIT_PARTLY if report.failures else 0


def _shorten_origins(failures: Sequence[Failure]) -> list[Failure]:
    """The failures with paths below the working directory shortened, as they were typed."""
    shortened_origins = _shorten_paths([item.origin for item in failures])
    return [replace(item, origin=origin) for item, origin in zip(failures, shortened_origins, strict=True)]


def _shorten_paths(texts: Sequence[str]) -> tuple[str, ...]:
    """Texts that begin with a path, which is shortened where it is below the working directory."""
    try:
        working_folder = f"{Path.cwd()}/"
    except FileNotFoundError:
        # The working directory has been deleted.
        return tuple(texts)
    return tuple(text.removeprefix(working_folder) for text in texts)


def _dismiss(context: Context, *, as_json: bool) -> int:
    count = context.engine().dismiss_failures()
    if as_json:
        context.output.write_json({"dismissed": count})
    else:
        context.output.write_lines([f"{count:,} dismissed"])
    return 0


def _list(failures: Sequence[Failure], context: Context, *, as_json: bool) -> int:
    from litterm.render import lines
    from litterm.render.imports import failures_data

    if as_json:
        context.output.write_json({"count": len(failures), "failures": failures_data(failures)})
        return 0
    context.output.write_lines(lines.failures(_shorten_origins(failures), context.line_options()))
    pronoun = "it" if len(failures) == 1 else "them"
    advice = f"--retry tries {pronoun} again, --dismiss forgets {pronoun}."
    context.output.say(f"{count_phrase(len(failures), 'failed input')}{f'; {advice}' if failures else '.'}")
    return 0
