"""`litterm search --record`: a search kept in a file, for `litterm rerun`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.core.errors import UsageError

if TYPE_CHECKING:
    from litterm.cli.context import Context
    from litterm.model.search import RankedPaper, Ranking
    from litterm.model.search_record import SearchRequest

_FORCE_HELP = "with --record: replace the file without keeping it as NAME~, and follow a link that leads elsewhere"


def declare(parser: argparse.ArgumentParser) -> None:
    """Adds the options of a record."""
    group = parser.add_argument_group("a record", "what a search was, and of which library, for `litterm rerun`")
    group.add_argument(
        "--record",
        type=Path,
        metavar="FILE",
        help="write query, options, date, library, counts and ids to this file (JSON); all of -k are listed",
    )
    group.add_argument("--force", action="store_true", help=_FORCE_HELP)


def refuse_contradictions(args: argparse.Namespace, context: Context) -> None:
    """Refuses a record that cannot be written, before anything is searched.

    Raises:
        UsageError: another option excludes it, or the library is that of a server.
        BadInput: the file is a folder or a link to another one.
    """
    if args.record is None:
        if args.force:
            raise UsageError("--force is for --record")
        return
    if args.dry_run:
        raise UsageError("--dry-run finds nothing that could be recorded; leave out --record")
    if context.settings.server:
        raise UsageError("--record needs a library on this machine; leave out --server")
    from litterm.core.user_files import resolve_target

    resolve_target(args.record, force=args.force)


def keep(
    request: SearchRequest,
    ranking: Ranking,
    typed: str,
    args: argparse.Namespace,
    context: Context,
    *,
    ordered_by: str = "",
    local: Sequence[RankedPaper] = (),
) -> None:
    """Writes the record that `--record` asks for; `local` is the order before the model `ordered_by` changed it."""
    if args.record is None:
        return
    from litterm.core.user_files import backup_sentence
    from litterm.engine.search_record_file import write_record

    local_ids = [ranked.paper.id for ranked in local] if ordered_by else []
    records = context.engine().search_records
    record = context.run(records.record(request, typed, ranking, ordered_by=ordered_by, local_ids=local_ids))
    backup = write_record(args.record, record, force=args.force)
    context.output.say(f"{args.record}: the search is recorded.{backup_sentence(backup)}")
