"""`litterm export`: papers for other programs, as BibTeX, RIS, CSL-JSON, Markdown, CSV or rows."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.cli.context import Context
from litterm.cli.library.chosen_papers import declare_papers, found_ids, read_keys, refuse_lone_k
from litterm.cli.parser import ToggleOption
from litterm.cli.terminal.output import FORCE_HELP
from litterm.core.errors import UnknownPaper, UsageError
from litterm.model.export import FORMAT_ROWS

if TYPE_CHECKING:
    from litterm.engine import Engine
    from litterm.model.export import FolderReport
    from litterm.model.paper import PaperId

_ROWS_MEANING = "rows that `add` reads, with full texts; with --all"


def declare(_command: str, parser: argparse.ArgumentParser) -> None:
    """Adds which papers, and in which format."""
    declare_papers(parser)
    parser.add_argument(
        "--accepted",
        action="store_true",
        help="the papers of the project: those included, and those with accepted sentences",
    )
    parser.add_argument("--all", action="store_true", help="every paper of the library")
    parser.add_argument(
        "--collection", metavar="NAME", help="the papers filed under this collection and under those that lie in it"
    )
    parser.add_argument(
        "--from",
        dest="draft",
        type=Path,
        metavar="DRAFT",
        help="the papers that this LaTeX, Markdown or text file cites, in its order and under its keys",
    )
    parser.add_argument(
        "--bib",
        type=Path,
        action="append",
        metavar="FILE",
        help="with --from: its bibliography, if it does not name one",
    )
    form = parser.add_mutually_exclusive_group()
    for name, meaning in (*((row.name, row.meaning) for row in FORMAT_ROWS), ("jsonl", _ROWS_MEANING)):
        form.add_argument(f"--{name}", dest="style", action="store_const", const=name, help=meaning)
    parser.add_argument(
        "--style",
        dest="csl_style",
        metavar="NAME|FILE.csl",
        help="a list of references in this CSL style; needs the extra `csl`",
    )
    markup = parser.add_mutually_exclusive_group()
    markup.add_argument(
        "--text", dest="html", action="store_const", const=False, help="with --style: text (the default)"
    )
    markup.add_argument("--html", action="store_const", const=True, help="with --style: a page of HTML")
    parser.add_argument("--parquet", type=Path, metavar="FILE", help="a table with the columns of --csv, as Parquet")
    parser.add_argument(
        "--folder",
        type=Path,
        metavar="FOLDER",
        help="Markdown, a file for each paper, in this folder; later updates them",
    )
    parser.add_argument("--notes", action=ToggleOption, help="with your tags and notes (the default)")
    parser.add_argument("-o", dest="output", metavar="FILE", help="write them to this file")
    parser.add_argument("--force", action="store_true", help=FORCE_HELP)


def run(_command: str, args: argparse.Namespace, context: Context) -> int:
    """Prints the papers, or writes them to a file or a folder."""
    _refuse_contradictions(args)
    engine, status = context.engine(), 0
    if args.output == "-":
        args.output = None
    if args.style == "jsonl":
        _export_rows(args, engine, context)
    else:
        status = _export_papers(args, engine, context)
    # Asked at the end: damage may show only when it is read.
    if args.all and (left_out := engine.damage_notice()):
        context.output.say(left_out)
    return status


def _export_papers(args: argparse.Namespace, engine: Engine, context: Context) -> int:
    """Writes the papers of the scope; the exit status."""
    keys: Mapping[PaperId, str] | None = None
    status = 0
    if args.draft is not None:
        keys, status = _cited_papers(args.draft, args.bib or (), engine, context)
        ids: Sequence[str] | None = tuple(keys)
    else:
        ids = _selected_ids(args, engine, context)
    if args.papers or args.collection is not None:
        ids, status = _known_keys(ids or (), engine, context)
    elif args.query is not None and not ids:
        return UnknownPaper.exit_code
    return _write_papers(ids, keys, args, engine, context) or status


def _write_papers(
    ids: Sequence[str] | None,
    keys: Mapping[PaperId, str] | None,
    args: argparse.Namespace,
    engine: Engine,
    context: Context,
) -> int:
    """Writes the papers where they are to go; 1 if files of a folder were left as they are."""
    notes = args.notes is not False
    if args.folder is not None:
        report = context.run(
            engine.file_exports.write_folder(ids, args.folder, notes=notes, force=args.force, keys=keys)
        )
        return _tell_folder(args.folder, report, context)
    if args.parquet is not None:
        from litterm.core.user_files import backup_sentence

        table = engine.file_exports.write_parquet(ids, args.parquet, notes=notes, force=args.force, keys=keys)
        context.output.say(f"Wrote {args.parquet}.{backup_sentence(context.run(table))}")
        return 0
    if args.csl_style is not None:
        text = context.run(engine.file_exports.references(ids, args.csl_style, html=bool(args.html)))
    else:
        text = context.run(engine.export_papers(ids, args.style or "bibtex", notes=notes, keys=keys))
    if args.output is not None:
        _write(text, args, context)
    else:
        context.output.write(text)
    return 0


def _known_keys(keys: Sequence[str], engine: Engine, context: Context) -> tuple[Sequence[str], int]:
    """Those of `keys` whose paper is in the library, and the exit status that tells of the others.

    Raises:
        UnknownPaper: there is no other.
    """
    known, missing = [], []
    for key in keys:
        try:
            engine.paper(key)
            known.append(key)
        except UnknownPaper as error:
            missing.append(error)
    if missing and not known:
        raise missing[0]
    for unknown in missing:
        context.output.say(str(unknown))
    return known, UnknownPaper.exit_code if missing else 0


def _tell_folder(folder: Path, report: FolderReport, context: Context) -> int:
    """Says what was written; 1 if files were left as they are, as somebody changed them."""
    left = f", {report.left:,} left as they are" if report.left else ""
    context.output.say(
        f"{folder}: {report.new:,} new, {report.updated:,} updated, {report.unchanged:,} unchanged{left}."
    )
    return 1 if report.left else 0


def _cited_papers(
    path: Path, bibs: Sequence[Path], engine: Engine, context: Context
) -> tuple[Mapping[PaperId, str], int]:
    """The papers that a draft cites, in its order, each with its key there, and the exit status that tells of others.

    Raises:
        UnknownPaper: none of them is in the library.
    """
    project = engine.drafts.read(path, bibs)
    for notice in project.notices:
        context.output.say(notice)
    keys: dict[PaperId, str] = {}
    missing = 0
    for work in context.run(engine.drafts.match_keys(project)):
        if work.paper is None:
            missing += 1
            context.output.say(f"{work.key}, which the draft cites, is not in the library.")
        elif work.paper.id in keys:
            context.output.say(f"{work.key} and {keys[work.paper.id]} are one paper; it is written under the latter.")
        else:
            keys[work.paper.id] = work.key
    if not keys:
        raise UnknownPaper(
            f"No paper that {path} cites is in the library; `litterm add` imports its bibliography."
            if missing
            else f"{path} cites nothing that litterm can read."
        )
    return keys, UnknownPaper.exit_code if missing else 0


def _export_rows(args: argparse.Namespace, engine: Engine, context: Context) -> None:
    """Prints the whole library row by row; to a file all at once, as a file is replaced in one step."""
    rows = (f"{line}\n" for line in engine.export_rows())
    if args.output is not None:
        _write("".join(rows), args, context)
        return
    for row in rows:
        context.output.write(row)


def _refuse_contradictions(args: argparse.Namespace) -> None:
    """Refuses a line without exactly one scope, and options of another scope.

    Raises:
        UsageError: there is none, or more than one, or an option of another scope.
    """
    scopes = [bool(args.papers), args.query is not None, args.accepted, args.all, args.draft is not None]
    scopes.append(args.collection is not None)
    if sum(scopes) != 1:
        raise UsageError(
            "name the PAPERs to export, or give one of --query QUERY, --collection NAME, --from DRAFT, "
            "--accepted and --all"
        )
    if args.bib and args.draft is None:
        raise UsageError("--bib belongs to --from DRAFT")
    if args.style == "jsonl" and not args.all:
        raise UsageError("--jsonl is the whole library; add --all")
    refuse_lone_k(args)
    _refuse_destinations(args)


def _refuse_destinations(args: argparse.Namespace) -> None:
    """Refuses more than one place to write to, and a format that does not go there.

    Raises:
        UsageError: as above.
    """
    places = {"-o FILE": args.output, "--folder FOLDER": args.folder, "--parquet FILE": args.parquet}
    given = [name for name, place in places.items() if place is not None]
    if len(given) > 1:
        raise UsageError(f"{' and '.join(given)} both say where to write; use one of them")
    if args.force and not given:
        raise UsageError("--force belongs to -o FILE, --folder FOLDER and --parquet FILE")
    if args.folder is not None and args.style not in (None, "markdown"):
        raise UsageError(f"--folder writes Markdown; leave out --{args.style}")
    _refuse_style(args)
    if args.parquet is not None and args.style is not None:
        raise UsageError(f"--parquet is a format of its own; leave out --{args.style}")


def _refuse_style(args: argparse.Namespace) -> None:
    """Refuses options of a CSL style without one, and a style for what is no list of references.

    Raises:
        UsageError: as above.
    """
    if args.csl_style is None and args.html is not None:
        raise UsageError("--text and --html belong to --style")
    if args.csl_style is not None and (args.style or args.folder or args.parquet):
        raise UsageError("--style makes a list of references; leave out other formats, --folder and --parquet")


def _selected_ids(args: argparse.Namespace, engine: Engine, context: Context) -> Sequence[str] | None:
    """The papers of the scope; `None` for the whole library."""
    if args.all:
        return None
    if args.accepted:
        return engine.project_papers()
    if args.collection is not None:
        return _collection_ids(args.collection, engine)
    if args.query is not None:
        return found_ids(args, engine, context, more="-k exports more")
    return read_keys(args.papers)


def _collection_ids(name: str, engine: Engine) -> Sequence[PaperId]:
    """The papers of a collection and of those that lie in it, as they were filed.

    Raises:
        UsageError: there is no such collection.
    """
    if notice := engine.annotations.collections.unknown_notice(name):
        raise UsageError(notice)
    return engine.annotations.collections.papers(name)


def _write(text: str, args: argparse.Namespace, context: Context) -> None:
    from litterm.core.user_files import backup_sentence, write_file

    path = Path(args.output)
    backup = write_file(path, text.encode("utf-8", "replace"), force=args.force)
    context.output.say(f"Wrote {path}.{backup_sentence(backup)}")
