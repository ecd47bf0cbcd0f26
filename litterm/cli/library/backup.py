"""`litterm backup` and `litterm restore`: the user's own data as one file, and back."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.cli.context import Context
from litterm.model.backup import BackupPlaces

if TYPE_CHECKING:
    from litterm.core.settings import Settings
    from litterm.model.backup import BackupContents, BackupReport, RestoreReport
    from litterm.render.backup import BackupContentsData, BackupData, RestoreData

_LEFT_OUT = "API keys and tokens, the users of a server, caches, logs, and attached files outside the library"


def declare(command: str, parser: argparse.ArgumentParser) -> None:
    """Adds the file and the form of the answer."""
    meaning = "the backup to write" if command == "backup" else "the backup to read"
    parser.add_argument("file", metavar="FILE", type=Path, help=f"{meaning}, such as litterm.tar.gz")
    if command == "backup":
        parser.add_argument("--force", action="store_true", help="replace the file if it is there")
    parser.add_argument("--json", action="store_true", help="JSON on stdout")


def run(command: str, args: argparse.Namespace, context: Context) -> int:
    """Runs the command named; always 0."""
    return _back_up(args, context) if command == "backup" else _restore(args, context)


def backup_places(settings: Settings) -> BackupPlaces:
    """Where the user's own data is."""
    return BackupPlaces(settings.config, settings.themes, settings.library, settings.library.parent / "servers")


def _back_up(args: argparse.Namespace, context: Context) -> int:
    from litterm.library.backup.create import back_up

    report = context.run(back_up(backup_places(context.settings), args.file, force=args.force))
    if args.json:
        context.output.write_json(_backup_data(report))
        return 0
    parts = ", ".join(f"{part} {size / 1e6:,.1f} MB" for part, size in report.contents.bytes_by_part)
    context.output.write_lines(
        (
            f"Wrote {report.path}: {report.contents.papers:,} papers, {report.bytes_on_disk / 1e6:,.1f} MB",
            f"  before packing: {parts}",
            f"  left out: {_LEFT_OUT}",
        )
    )
    return 0


def _restore(args: argparse.Namespace, context: Context) -> int:
    from litterm.library.backup.restore import restore

    report = context.run(restore(backup_places(context.settings), args.file))
    if args.json:
        context.output.write_json(_restore_data(report))
        return 0
    contents = report.contents
    context.output.write_lines(
        (
            f"Restored {contents.papers:,} papers to {report.library}, backed up {contents.made} by litterm"
            f" {contents.litterm}",
            *(f"  {notice}" for notice in report.notices),
            "  API keys and tokens are in no backup: `litterm config model` asks for a key.",
        )
    )
    return 0


def _contents_data(contents: BackupContents) -> BackupContentsData:
    return {
        "made": contents.made,
        "litterm": contents.litterm,
        "papers": contents.papers,
        "files": contents.files,
        "bytes": dict(contents.bytes_by_part),
    }


def _backup_data(report: BackupReport) -> BackupData:
    return {"file": str(report.path), "bytes_on_disk": report.bytes_on_disk, **_contents_data(report.contents)}


def _restore_data(report: RestoreReport) -> RestoreData:
    return {"library": str(report.library), "notices": list(report.notices), **_contents_data(report.contents)}
