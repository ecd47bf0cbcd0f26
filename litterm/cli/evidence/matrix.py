"""`litterm evidence --query ...`: a matrix of the same hypotheses over many papers; made, continued, listed, merged."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from litterm.cli.context import Context
from litterm.cli.evidence import llm
from litterm.cli.llm_consent import ask_consent, show_requests
from litterm.cli.parser import join_words, parse_capped_int
from litterm.cli.terminal.output import FORCE_HELP
from litterm.core.errors import BadInput, ModelError, Stopped, UsageError
from litterm.core.user_files import write_file
from litterm.render import sent_data
from litterm.render.matrix.formats import MATRIX_FORMATS, MatrixFormat, encode_matrix, format_of_name, render_matrix
from litterm.text.plural import count_phrase

if TYPE_CHECKING:
    from litterm.engine import Engine
    from litterm.model.evidence import EvidenceScope
    from litterm.model.matrix import Matrix

_MAX_FILE_BYTES = 50_000_000
DEFAULT_PAPERS = 20
_MATRIX_OPTIONS = ("query", "papers", "resume", "list", "delete", "merge")


def declare(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the matrix; any in `_MATRIX_OPTIONS` turns the command to matrices."""
    group = parser.add_argument_group("matrix", "the same hypotheses over many papers; can be stopped and resumed")
    way = group.add_mutually_exclusive_group()
    way.add_argument("--query", metavar="QUERY", help="over the papers that this search finds")
    way.add_argument(
        "--papers", nargs="+", metavar="FILE|ID", help="over these papers: ids, files of ids (one a line), - for stdin"
    )
    way.add_argument("--resume", metavar="ID", help="continue a matrix, or show it again; `last` is the newest")
    way.add_argument("--list", action="store_true", help="list the matrices")
    way.add_argument("--delete", metavar="ID", help="delete a matrix; decisions stay")
    way.add_argument(
        "--merge", nargs="+", metavar="FILE", help="read co-authors' decisions from CSV files and compare them"
    )
    group.add_argument(
        "-n",
        type=parse_capped_int(2000),
        metavar="N",
        help=f"with --query: at most this many papers (default {DEFAULT_PAPERS})",
    )
    group.add_argument("--format", choices=MATRIX_FORMATS, help="output format; otherwise taken from the suffix of -o")
    group.add_argument("-o", dest="output", metavar="FILE", help="write the matrix to this file")
    group.add_argument("--force", action="store_true", help=FORCE_HELP)
    group.add_argument("--blind", action="store_true", help="CSV without your decisions, for a co-author to fill in")


def is_wanted(args: argparse.Namespace) -> bool:
    """Whether a matrix is meant and not a single paper."""
    return any(getattr(args, option) for option in _MATRIX_OPTIONS)


def refuse_output_options(args: argparse.Namespace, *, with_format: bool) -> None:
    """Refuses the options of a matrix where a single paper is meant, but for the formats of study aspects.

    Raises:
        UsageError: there is one of them.
    """
    other_format = args.format not in (("md", "json") if with_format else ())
    given = {
        "-n": args.n,
        "--format": args.format and other_format,
        "-o": args.output,
        "--force": args.force,
        "--blind": args.blind,
    }
    if options := [option for option, value in given.items() if value]:
        raise UsageError(
            f"{', '.join(options)}: for a matrix, with --query or --papers; for a single paper there is --json"
        )


def run(hypotheses: Sequence[str], args: argparse.Namespace, context: Context) -> int:
    """Lists, deletes or merges matrices, or fills one and prints it."""
    engine = context.engine()
    if args.list:
        return _list(engine, args, context)
    if args.delete:
        return _delete(engine, args, context)
    if args.merge:
        return _merge(engine, args, context)
    if args.all or args.negate:
        raise UsageError(
            "--all and --negate are for a single paper; for a matrix, give the negated claim as one more hypothesis"
        )
    form = _output_format(args)
    matrix = _begin_or_open([join_words([hypothesis]) for hypothesis in hypotheses], engine, args, context)
    if matrix is None:
        return _nothing_found(hypotheses, args, context)
    if args.dry_run:
        show_requests(context.run(engine.matrices.preview(matrix.id)), context, more_follow=True)
        _discard_if_empty(engine, matrix)
        return 0
    filled = _fill(engine, _ask_to_fill(engine, matrix, args, context), context)
    # Asked after the search for its papers: damage may show only when files are read.
    return _write(filled, form, args, context, notice=engine.damage_notice())


def _delete(engine: Engine, args: argparse.Namespace, context: Context) -> int:
    deleted = engine.matrices.remove(args.delete)
    if args.json:
        context.output.write_json({"deleted": deleted})
    context.output.say(f"Deleted matrix {deleted}; decisions stay.")
    return 0


def _nothing_found(hypotheses: Sequence[str], args: argparse.Namespace, context: Context) -> int:
    if args.json:
        typed = [join_words([hypothesis]) for hypothesis in hypotheses]
        empty = {"matrix": "", "begun": "", "query": join_words([args.query]), "hypotheses": typed, "k": args.k}
        counts = {"scope": "results" if args.results else "all", "method": "", "cells": 0, "total": 0}
        context.output.write_json({**empty, **counts, "notices": [], "audit": [], "rows": []})
    return 0


def _begin_or_open(
    typed_hypotheses: list[str], engine: Engine, args: argparse.Namespace, context: Context
) -> Matrix | None:
    """The matrix to fill, new or resumed; `None` where the query finds no paper."""
    options = llm.read_llm_options(args)
    if args.resume:
        matrix = engine.matrices.open(args.resume)
        was_asked = matrix.request.options is not None
        # To say once more that a model is asked changes nothing.
        contradicts = args.model is False if was_asked else options is not None
        if args.strategy or args.shortlist or args.no_cache or contradicts:
            raise UsageError("a matrix continues as it was started; choose how a model is asked when you start one")
        for hypothesis in typed_hypotheses:
            matrix = engine.matrices.add_hypothesis(matrix.id, hypothesis)
        return matrix
    keys, hypotheses = _papers_and_hypotheses(engine, args, typed_hypotheses, context)
    if not keys:
        return None
    scope: EvidenceScope = "results" if args.results else "all"
    begin = partial(
        engine.matrices.begin,
        keys,
        hypotheses,
        query=join_words([args.query]) if args.query else "",
        k=args.k,
        scope=scope,
    )
    try:
        return begin(options=options)
    except ModelError as error:
        context.output.say(f"No model was asked: {error}")
        return begin()


def _ask_to_fill(engine: Engine, matrix: Matrix, args: argparse.Namespace, context: Context) -> Matrix:
    """`matrix`, once the user agrees to what filling it with a model may cost."""
    try:
        estimate = context.run(engine.matrices.estimate(matrix.id))
        if estimate is not None:
            ask_consent(estimate, args, context, sent_data.MATRIX)
    except ModelError:
        # One that cannot be asked costs nothing; `fill` says why, and fills without it.
        return matrix
    except (UsageError, Stopped):
        _discard_if_empty(engine, matrix)
        raise
    return matrix


def _discard_if_empty(engine: Engine, matrix: Matrix) -> None:
    """Deletes a matrix that was created only for an estimate or a dry run; one with results is kept."""
    if not matrix.computed_count and not matrix.runs:
        engine.matrices.remove(matrix.id)


def _fill(engine: Engine, matrix: Matrix, context: Context) -> Matrix:
    hint = f"`litterm evidence --resume {matrix.id}` continues."
    if 0 < matrix.computed_count < matrix.cell_count:
        context.output.say(
            f"Continuing matrix {matrix.id}: {matrix.computed_count:,} of {matrix.cell_count:,} cells are there."
        )
    try:
        return context.run(engine.matrices.fill(matrix.id))
    # SIGTERM arrives as `SystemExit`, and has stopped it as cleanly as ctrl+c.
    except (Stopped, SystemExit):
        context.output.say(f"Every cell computed so far is saved; {hint}")
        raise


def _output_format(args: argparse.Namespace) -> MatrixFormat | None:
    """The output format by --format or the suffix of -o; `None` for plain lines."""
    if args.format or args.json:
        return cast("MatrixFormat", args.format or "json")
    by_suffix = format_of_name(args.output or "")
    if args.output and args.output != "-" and by_suffix is None:
        raise UsageError(f"-o {args.output}: choose the format with --format {'|'.join(MATRIX_FORMATS)}")
    return by_suffix


def _papers_and_hypotheses(
    engine: Engine, args: argparse.Namespace, hypotheses: list[str], context: Context
) -> tuple[list[str], list[str]]:
    """The keys of the papers, and the hypotheses."""
    if args.papers:
        keys, trailing = split_papers_option(args.papers)
        hypotheses = [*trailing, *hypotheses]
    else:
        keys = search_papers(engine, args, context)
    if not hypotheses:
        raise UsageError("give a hypothesis in quotation marks after the papers or the query")
    return keys, hypotheses


def search_papers(engine: Engine, args: argparse.Namespace, context: Context) -> list[str]:
    """The ids of the papers that `--query` finds, at most `-n` of them."""
    from litterm.cli.search.typed_query import parse_typed

    ranking = context.run(engine.search(parse_typed(join_words([args.query]), engine), k=args.n or DEFAULT_PAPERS))
    if not ranking.papers:
        context.output.say(f"Nothing found in {count_phrase(ranking.searched, 'paper')}.")
    elif ranking.found > len(ranking.papers):
        context.output.say(f"{len(ranking.papers):,} of {ranking.found:,} found; -n takes more.")
    return [item.paper.id for item in ranking.papers]


def split_papers_option(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The keys that `--papers` names, and the hypotheses typed after them."""
    keys: list[str] = []
    for index, word in enumerate(words):
        if word == "-":
            keys += _parse_ids(sys.stdin.read() if sys.stdin else "")
        elif _is_file(word):
            keys += _parse_ids(_read_file(word).decode("utf-8", "replace"))
        elif keys and len(word.split()) > 1:
            # argparse takes every word after --papers as its value. Ids have no blanks, claims in quotation marks do.
            return keys, [join_words([hypothesis]) for hypothesis in words[index:]]
        else:
            keys.append(join_words([word]))
    if not keys:
        raise UsageError("--papers names no paper")
    return keys, []


def _parse_ids(text: str) -> list[str]:
    """The first word of every line that is neither empty nor a comment."""
    # Editors on Windows begin a file with a byte order mark.
    return [line.split()[0] for line in text.removeprefix("\ufeff").splitlines() if line.strip() and line[0] != "#"]


def _is_file(word: str) -> bool:
    try:
        return Path(word).is_file()
    except (OSError, ValueError):
        return False


def _read_file(name: str) -> bytes:
    try:
        with Path(name).open("rb") as file:
            return file.read(_MAX_FILE_BYTES)
    except OSError as error:
        raise BadInput(f"{name}: cannot be read ({error.strerror}).") from error


def _list(engine: Engine, args: argparse.Namespace, context: Context) -> int:
    summaries = engine.matrices.all()
    if args.json or args.format == "json":
        from litterm.render.matrix import json

        context.output.write_json(json.listing(summaries))
    else:
        from litterm.render.matrix import text

        context.output.write_lines(text.listing(summaries, context.line_options()))
    if not summaries:
        context.output.say('No matrix yet; `litterm evidence --query "..." "HYPOTHESIS"` starts one.')
    return 0


def _merge(engine: Engine, args: argparse.Namespace, context: Context) -> int:
    from litterm.evidence.matrix.inter_annotator_agreement import read_sheet

    agreement = engine.matrices.merge([read_sheet(_read_file(name), Path(name).stem) for name in args.merge])
    if args.json or args.format == "json":
        from litterm.render.matrix import json

        context.output.write_json(json.agreement(agreement))
    else:
        from litterm.render.matrix import text

        context.output.write_lines(text.agreement(agreement, context.line_options()))
    for fault in agreement.faults:
        context.output.say(fault)
    disagreements = len(agreement.disagreements)
    context.output.say(f"{count_phrase(disagreements, 'disagreement')}." if disagreements else "No disagreement.")
    return 1 if agreement.faults else 0


def _stance_marks(matrix: Matrix, engine: Engine) -> list[str]:
    """For each model whose stances the matrix has, a sentence on how far it agrees with people."""
    from litterm.render.agreement import mark_words

    cells = [cell for row in matrix.rows for cell in row.cells if cell]
    methods = dict.fromkeys(cell.by for cell in cells if cell.has_stance)
    return [f"Stances by {by}: {mark_words(engine.agreement.mark('evidence', by))}." for by in methods]


def _write(
    matrix: Matrix, form: MatrixFormat | None, args: argparse.Namespace, context: Context, *, notice: str
) -> int:
    """Prints the matrix or writes it to a file; 1 when a paper is not in the library or a cell failed.

    `notice` is about the library that its papers come from; it may be empty.
    """
    engine = context.engine()
    citation_keys = engine.citation_keys
    to_file, backup = bool(args.output) and args.output != "-", None
    notices = [*filter(None, [notice]), *_stance_marks(matrix, engine)]
    if form is None:
        from litterm.render.matrix import text

        context.output.write_lines(text.lines(matrix, context.line_options()))
    elif to_file:
        content = encode_matrix(matrix, form, citation_keys, blind=args.blind, notices=notices)
        backup = write_file(Path(args.output), content, force=args.force)
    else:
        ascii_only = not context.output.is_unicode
        context.output.write(
            render_matrix(matrix, form, citation_keys, blind=args.blind, ascii_only=ascii_only, notices=notices)
        )
    for sentence in notices:
        context.output.say(sentence)
    destination = f", written to {args.output}" if to_file else ""
    if backup is not None:
        context.output.say(f"Previous version saved as {backup}.")
    context.output.say(f"Matrix {matrix.id}: {matrix.computed_count:,} of {matrix.cell_count:,} cells{destination}.")
    reasons = {cell.empty for row in matrix.rows for cell in row.cells if cell}
    return 1 if reasons & {"not in library", "failed"} else 0
