"""`litterm add` and `litterm failures`: papers in, and what would not come in."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.cli.context import Context
from litterm.core.errors import UsageError
from litterm.text.plural import counted

if TYPE_CHECKING:
    from litterm.model.library import Failure, ImportReport
    from litterm.model.services import Obtained

_MOST_TOLD = 50
"""Failures told one by one after an import; the rest is in `litterm failures`."""
PARTLY = 1


def declare(verb: str, parser: argparse.ArgumentParser) -> None:
    """Adds what to import, or what to do with what could not be."""
    if verb == "add":
        parser.add_argument(
            "paths", nargs="*", metavar="PATH", help="files, folders or archives, recognised by content; ids; addresses"
        )
        parser.add_argument("--ids", metavar="FILE", help="a list of ids, or a RIS file; - is stdin")
        parser.add_argument(
            "--retry", action="store_true", help="read files again even if they have been imported before"
        )
    else:
        act = parser.add_mutually_exclusive_group()
        act.add_argument("--retry", action="store_true", help="retry all of them: files, ids and full texts")
        act.add_argument("--dismiss", action="store_true", help="forget them")
    parser.add_argument("--json", action="store_true", help="JSON on stdout")


def run(verb: str, args: argparse.Namespace, context: Context) -> int:
    """1 if some inputs failed."""
    if verb == "add":
        return _add(args, context)
    if args.retry:
        return _retry(context, as_json=args.json)
    if args.dismiss:
        return _dismiss(context, as_json=args.json)
    return _list(context.engine().failures(), context, as_json=args.json)


def _add(args: argparse.Namespace, context: Context) -> int:
    words = _ids_among(args.paths)
    paths = [Path(word) for word in args.paths if word not in words]
    if "" in args.paths:
        # As a path it would be the working directory; it is a variable that was not set.
        raise UsageError("a PATH is empty")
    if Path("-") in paths:
        raise UsageError("papers are read from files, not from stdin; --ids - reads ids from stdin")
    if args.ids:
        from litterm.cli.library.fetch import read_ids

        words += read_ids(args.ids)
    if not words and not paths:
        raise UsageError("give at least one PATH, id or address, or --ids FILE")
    engine = context.engine()
    report = context.drive(engine.add(paths, retry=args.retry)) if paths else None
    both = report is not None and bool(words)
    status = 0
    if report is not None and not (both and args.json):
        status = _report(report, context, as_json=args.json)
    if words:
        status = max(
            status, _looked_up(context.drive(engine.sources.obtain(words)), report, context, as_json=args.json)
        )
    # After the report: what was stored is stored, and stopping here only leaves this for the next one who needs it.
    context.drive(engine.after_import())
    return status


def _looked_up(found: Sequence[Obtained], report: ImportReport | None, context: Context, *, as_json: bool) -> int:
    """Tells what came of ids; as JSON together with what came of the files beside them, in one object."""
    from litterm.cli.library.fetch import obtained, status_of, told

    if report is None or not as_json:
        return obtained(found, context, as_json=as_json)
    from litterm.render import json

    context.output.json({**json.imported(report), "papers": [told(each) for each in found]})
    return max(status_of(found), PARTLY if report.failures else 0)


def _ids_among(words: Sequence[str]) -> list[str]:
    """Those of `words` that name no file and can be ids or addresses."""
    absent = [word for word in words if not Path(word).exists()]
    if not absent:
        return []
    from litterm.services.add_by_id import is_id

    # An address that names no paper is told so; as a path it would not even look like what was typed.
    return [word for word in absent if is_id(word) or "://" in word]


def _retry(context: Context, *, as_json: bool) -> int:
    from litterm.cli.library.fetch import obtained, told
    from litterm.render import json

    engine = context.engine()
    done = context.drive(engine.retry_failures())
    if done.left:
        why = "`litterm sync` retries those of services; --dismiss forgets them"
        context.output.say(f"{done.left:,} cannot be retried on their own: {why}.")
    if as_json:
        papers: list[object] = [told(each) for each in done.obtained]
        context.output.json({**json.imported(done.report), "papers": papers, "left": done.left})
        troubled = [each for each in done.obtained if each.outcome == "failed" or each.paper_id is None]
        return PARTLY if done.report.failures or troubled else 0
    status = obtained(done.obtained, context, as_json=False) if done.obtained else 0
    if done.obtained and done.report == type(done.report)():
        return status
    return max(status, _report(done.report, context, as_json=False))


def _report(report: ImportReport, context: Context, *, as_json: bool) -> int:
    from litterm.render import json, lines

    look = context.look()
    for line in lines.failures(_from_here(report.failures[:_MOST_TOLD]), look):
        context.output.say(line)
    if report.failures:
        context.output.say(f"{len(report.failures):,} could not be imported; `litterm failures` lists them.")
    if as_json:
        context.output.json(json.imported(report))
    else:
        context.output.lines(lines.imported(report, look))
    return PARTLY if report.failures else 0


def _from_here(items: Sequence[Failure]) -> list[Failure]:
    """What lies in the working directory by its shorter name, as it was typed."""
    try:
        here = f"{Path.cwd()}/"
    except FileNotFoundError:
        # It was deleted since the shell went there.
        return list(items)
    return [replace(item, origin=item.origin.removeprefix(here)) for item in items]


def _dismiss(context: Context, *, as_json: bool) -> int:
    count = context.engine().dismiss_failures()
    if as_json:
        context.output.json({"dismissed": count})
    else:
        context.output.lines([f"{count:,} dismissed"])
    return 0


def _list(items: Sequence[Failure], context: Context, *, as_json: bool) -> int:
    from litterm.render import json, lines

    if as_json:
        context.output.json({"count": len(items), "failures": json.failures(items)})
        return 0
    context.output.lines(lines.failures(_from_here(items), context.look()))
    them = "it" if len(items) == 1 else "them"
    told = f"--retry tries {them} again, --dismiss forgets {them}."
    context.output.say(f"{counted(len(items), 'failed input')}{f'; {told}' if items else '.'}")
    return 0
