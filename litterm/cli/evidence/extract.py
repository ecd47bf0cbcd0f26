"""`litterm extract`: a table of what many papers state of the same things, each value with its sentence."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, cast

from litterm.cli.context import Context
from litterm.cli.evidence.matrix import DEFAULT_PAPERS, search_papers, split_papers_option
from litterm.cli.llm_consent import ask_consent, show_requests
from litterm.cli.parser import join_words, parse_capped_int
from litterm.cli.terminal.output import FORCE_HELP
from litterm.core.errors import ModelError, Stopped, UsageError
from litterm.core.user_files import write_file
from litterm.evidence.columns.export import COLUMN_FORMATS, ColumnFormat, encode_table, format_of_name, render_table
from litterm.evidence.columns.kinds import split_columns
from litterm.model.columns import PILOT_PAPERS, ColumnEdit, ColumnLlmOptions, ColumnTable
from litterm.render import sent_data

if TYPE_CHECKING:
    from litterm.engine import Engine
    from litterm.render.columns.json import ColumnTableData


def declare(_command: str, parser: argparse.ArgumentParser) -> None:
    """Adds the options."""
    parser.add_argument(
        "--columns",
        metavar="TEXT",
        help="what the papers state, divided by semicolons: 'sample size; dose (mg); metric'",
    )
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--query", metavar="QUERY", help="over the papers that this search finds")
    way.add_argument(
        "--papers", nargs="+", metavar="FILE|ID", help="over these papers: ids, files of ids (one a line), - for stdin"
    )
    way.add_argument("--collection", metavar="NAME", help="over the papers filed under this collection")
    way.add_argument(
        "--resume",
        metavar="ID",
        help="continue a table, show it again or, with --columns, add to it; `last` is the newest",
    )
    way.add_argument("--list", action="store_true", help="list the tables")
    way.add_argument("--delete", metavar="ID", help="delete a table; what you wrote into its cells stays")
    way.add_argument("--edit", metavar="PAPER", help="write into the cell of this paper and the column of --columns")
    parser.add_argument(
        "-n",
        type=parse_capped_int(2000),
        metavar="N",
        help=f"with --query: at most this many papers (default {DEFAULT_PAPERS})",
    )
    parser.add_argument(
        "--pilot", action="store_true", help=f"read only the first {PILOT_PAPERS} papers; --resume reads the rest"
    )
    parser.add_argument(
        "--value",
        metavar="TEXT",
        help="with --edit: the value, empty for 'not stated'; without it the edit is taken back",
    )
    parser.add_argument("--unit", metavar="TEXT", help="with --value: its unit")
    parser.add_argument("--format", choices=COLUMN_FORMATS, help="output format; otherwise taken from the suffix of -o")
    parser.add_argument("-o", dest="output", metavar="FILE", help="write the table to this file")
    parser.add_argument("--force", action="store_true", help=FORCE_HELP)
    parser.add_argument("--json", action="store_true", help="JSON on stdout")
    group = parser.add_argument_group("with a language model", "`litterm config model` sets one up")
    group.add_argument(
        "--model", action=argparse.BooleanOptionalAction, default=None, help="ask the configured model, or not"
    )
    group.add_argument("--no-cache", action="store_true", help="ask again even if a reply is cached")
    group.add_argument("--dry-run", action="store_true", help="print the requests without sending them")
    group.add_argument("--yes", action="store_true", help="accept the cost estimate without being asked")


def run(_command: str, args: argparse.Namespace, context: Context) -> int:
    """Lists, deletes, edits, or fills a table and prints it."""
    engine = context.engine()
    for wanted, act in ((args.list, _list), (args.delete, _delete), (args.edit, _edit)):
        if wanted:
            return act(engine, args, context)
    if args.value is not None or args.unit is not None:
        raise UsageError("--value and --unit are for --edit PAPER")
    form = _output_format(args)
    table = _begin_or_open(engine, args, context)
    if table is None:
        if args.json or form == "json":
            context.output.write_json(_empty_table(args))
        return 0
    papers = PILOT_PAPERS if args.pilot else None
    if args.dry_run:
        show_requests(context.run(engine.column_tables.preview(table.id, papers)), context, more_follow=False)
        _discard_if_empty(engine, table)
        return 0
    _ask_to_fill(engine, table, papers, args, context)
    filled = _fill(engine, table, papers, context)
    return _write(filled, form, args, context, notice=engine.damage_notice())


def _empty_table(args: argparse.Namespace) -> ColumnTableData:
    """The table over no paper, with the fields of any other."""
    columns, query = list(split_columns(args.columns)), join_words([args.query]) if args.query else ""
    return {
        "table": "",
        "begun": "",
        "query": query,
        "columns": columns,
        "model": bool(args.model),
        "cells": 0,
        "total": 0,
        "notices": [],
        "audit": [],
        "rows": [],
    }


def _delete(engine: Engine, args: argparse.Namespace, context: Context) -> int:
    deleted = engine.column_tables.remove(args.delete)
    if args.json:
        context.output.write_json({"deleted": deleted})
    context.output.say(f"Deleted table {deleted}; what you wrote into its cells stays.")
    return 0


def _edit(engine: Engine, args: argparse.Namespace, context: Context) -> int:
    columns = split_columns(args.columns or "")
    if len(columns) != 1:
        raise UsageError("--edit PAPER writes into one cell: name its column with --columns")
    if args.unit is not None and args.value is None:
        raise UsageError("--unit is for --value")
    paper = engine.paper(args.edit)
    edit = None if args.value is None else ColumnEdit(join_words([args.value]), join_words([args.unit or ""]))
    changed = engine.column_tables.annotations.edit(paper.id, columns[0], edit)
    if args.json:
        context.output.write_json({"paper": paper.id, "column": columns[0], "changed": changed})
    context.output.say("Written; `litterm undo` takes it back." if changed else "Nothing changed.")
    return 0


def _list(engine: Engine, args: argparse.Namespace, context: Context) -> int:
    summaries = engine.column_tables.all()
    if args.json or args.format == "json":
        from litterm.render.columns import json

        context.output.write_json(json.listing(summaries))
    else:
        from litterm.render.columns import text

        context.output.write_lines(text.listing(summaries, context.line_options()))
    if not summaries:
        context.output.say('No table yet; `litterm extract --columns "..." --query "..."` starts one.')
    return 0


def _begin_or_open(engine: Engine, args: argparse.Namespace, context: Context) -> ColumnTable | None:
    """The table to fill, new or resumed; `None` where the query finds no paper."""
    options = _llm_options(args)
    if args.resume:
        table = engine.column_tables.open(args.resume)
        was_asked = table.request.options is not None
        if args.no_cache or (args.model is False if was_asked else options is not None):
            raise UsageError("a table continues as it was started; choose whether a model is asked when you start one")
        for column in split_columns(args.columns) if args.columns else ():
            table = engine.column_tables.add_column(table.id, column)
        return table
    if not args.columns:
        raise UsageError("name the columns: litterm extract --columns 'sample size; data set' --query ...")
    columns = split_columns(args.columns)
    keys = _paper_keys(engine, args, context)
    if not keys:
        return None
    query = join_words([args.query]) if args.query else ""
    try:
        return engine.column_tables.begin(keys, columns, query=query, options=options)
    except ModelError as error:
        context.output.say(f"No model was asked: {error}")
        return engine.column_tables.begin(keys, columns, query=query)


def _llm_options(args: argparse.Namespace) -> ColumnLlmOptions | None:
    if args.model is False and (args.dry_run or args.no_cache):
        raise UsageError("--no-model cannot be combined with --dry-run or --no-cache")
    return ColumnLlmOptions(not args.no_cache) if args.model or args.dry_run or args.no_cache else None


def _paper_keys(engine: Engine, args: argparse.Namespace, context: Context) -> list[str]:
    if args.papers:
        keys, trailing = split_papers_option(args.papers)
        if trailing:
            raise UsageError(f"{trailing[0]!r} is no id of a paper; columns are named by --columns")
        return keys
    if args.collection:
        if notice := engine.annotations.collections.unknown_notice(args.collection):
            raise UsageError(notice)
        return list(engine.annotations.collections.papers(args.collection))
    if args.query is None:
        raise UsageError("choose the papers: --query QUERY, --papers ID ... or --collection NAME")
    return search_papers(engine, args, context)


def _ask_to_fill(
    engine: Engine, table: ColumnTable, papers: int | None, args: argparse.Namespace, context: Context
) -> None:
    """Waits for consent to what filling the table with a model may cost."""
    try:
        estimate = context.run(engine.column_tables.estimate(table.id, papers))
        if estimate is not None:
            ask_consent(estimate, args, context, sent_data.COLUMNS, cheaper="--pilot and -n ask for less")
    except ModelError:
        # One that cannot be asked costs nothing; `fill` says why, and fills without it.
        return
    except (UsageError, Stopped):
        _discard_if_empty(engine, table)
        raise


def _discard_if_empty(engine: Engine, table: ColumnTable) -> None:
    """Deletes a table that was created only for an estimate or a dry run; one with results is kept."""
    if not table.computed_count and not table.runs:
        engine.column_tables.remove(table.id)


def _fill(engine: Engine, table: ColumnTable, papers: int | None, context: Context) -> ColumnTable:
    if 0 < table.computed_count < table.cell_count:
        read = f"{table.computed_count:,} of {table.cell_count:,} cells"
        context.output.say(f"Continuing table {table.id}: {read} are there.")
    try:
        return context.run(engine.column_tables.fill(table.id, papers))
    # SIGTERM arrives as `SystemExit`, and has stopped it as cleanly as ctrl+c.
    except (Stopped, SystemExit):
        context.output.say(f"Every cell read so far is saved; `litterm extract --resume {table.id}` continues.")
        raise


def _output_format(args: argparse.Namespace) -> ColumnFormat | None:
    """The output format by --format or the suffix of -o; `None` for plain lines."""
    to_file = args.output and args.output != "-"
    form = cast("ColumnFormat | None", args.format or ("json" if args.json else None)) or format_of_name(
        args.output or ""
    )
    if to_file and form is None:
        raise UsageError(f"-o {args.output}: choose the format with --format {'|'.join(COLUMN_FORMATS)}")
    if form == "parquet" and not to_file:
        raise UsageError("--format parquet writes a file: name it with -o")
    return form


def _write(
    table: ColumnTable, form: ColumnFormat | None, args: argparse.Namespace, context: Context, *, notice: str
) -> int:
    """Prints the table or writes it to a file; 1 when a paper is not in the library or a cell failed.

    `notice` is about the library that its papers come from; it may be empty.
    """
    keys, notices = context.engine().citation_keys, [*filter(None, [notice])]
    to_file, backup = bool(args.output) and args.output != "-", None
    if form is None:
        from litterm.render.columns import text

        context.output.write_lines(text.lines(table, context.line_options()))
    elif to_file:
        backup = write_file(Path(args.output), encode_table(table, form, keys, notices=notices), force=args.force)
    else:
        ascii_only = not context.output.is_unicode
        context.output.write(render_table(table, form, keys, ascii_only=ascii_only, notices=notices))
    for sentence in notices:
        context.output.say(sentence)
    if backup is not None:
        context.output.say(f"Previous version saved as {backup}.")
    destination = f", written to {args.output}" if to_file else ""
    context.output.say(f"Table {table.id}: {table.computed_count:,} of {table.cell_count:,} cells{destination}.")
    if table.computed_count < table.cell_count:
        context.output.say(f"`litterm extract --resume {table.id}` reads the rest.")
    _tell_empty(table, context)
    reasons = {cell.empty for row in table.rows for cell in row.cells if cell}
    return 1 if reasons & {"not in library", "failed"} else 0


def _tell_empty(table: ColumnTable, context: Context) -> None:
    """Says which columns no rule reads."""
    unread = {cell.column for row in table.rows for cell in row.cells if cell and cell.empty == "needs a model"}
    if unread:
        named = ", ".join(column for column in table.request.columns if column in unread)
        context.output.say(f"No rule reads {named}: --model asks a language model, --edit writes a value by hand.")
