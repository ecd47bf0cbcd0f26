"""`litterm evidence --query ...`: the same hypotheses over many papers, and what becomes of the matrix."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from litterm.cli.context import Context
from litterm.cli.evidence import llm
from litterm.cli.output import FORCE
from litterm.cli.parser import at_most, text_of
from litterm.core.errors import BadInput, ModelError, QueryError, Stopped, UsageError
from litterm.core.user_files import write_file
from litterm.render.matrix.forms import FORMS, Form, encoded, form_of, written
from litterm.text.plural import counted

if TYPE_CHECKING:
    from litterm.engine import Engine
    from litterm.model.evidence import EvidenceScope
    from litterm.model.matrix import Matrix

_LARGEST_BYTES = 50_000_000
_WAYS = ("query", "papers", "resume", "list", "delete", "merge")


def declare(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the matrix; any of them in `_WAYS` makes one of it."""
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
    group.add_argument("-n", type=at_most(2000), default=20, metavar="N", help="papers of the search at most (20)")
    group.add_argument("--format", choices=FORMS, help="output format; otherwise taken from the suffix of -o")
    group.add_argument("-o", dest="output", metavar="FILE", help="write the matrix to this file")
    group.add_argument("--force", action="store_true", help=FORCE)
    group.add_argument("--blind", action="store_true", help="CSV without your decisions, for a co-author to fill in")


def wanted(args: argparse.Namespace) -> bool:
    """Whether a matrix is meant, not a single paper."""
    return any(getattr(args, way) for way in _WAYS)


def run(hypotheses: Sequence[str], args: argparse.Namespace, context: Context) -> int:
    """The list, a deletion, a merge, or a matrix filled as far as it goes."""
    engine = context.engine()
    if args.list:
        return _list(engine, args, context)
    if args.delete:
        context.output.say(f"Deleted matrix {engine.matrices.remove(args.delete)}; decisions stay.")
        return 0
    if args.merge:
        return _merge(engine, args, context)
    if args.all or args.negate:
        raise UsageError(
            "--all and --negate are for a single paper; for a matrix, give the negated claim as one more hypothesis"
        )
    form = _form(args)
    matrix = _matrix([text_of([each]) for each in hypotheses], engine, args, context)
    if matrix is None:
        return 0
    if args.dry_run:
        llm.show(context.drive(engine.matrices.preview(matrix.id)), context, more=True)
        _forget(engine, matrix)
        return 0
    return _write(_fill(engine, _agreed(engine, matrix, args, context), context), form, args, context)


def _matrix(typed: list[str], engine: Engine, args: argparse.Namespace, context: Context) -> Matrix | None:
    """The matrix meant, as it is now; `None` where the query finds no paper."""
    use = llm.use_of(args)
    if args.resume:
        if use is not None:
            raise UsageError("a matrix continues as it was started; choose how a model is asked when you start one")
        matrix = engine.matrices.open(args.resume)
        for each in typed:
            matrix = engine.matrices.add_hypothesis(matrix.id, each)
        return matrix
    keys, asked = _papers(engine, args, typed, context)
    if not keys:
        return None
    scope: EvidenceScope = "results" if args.results else "all"
    begin = partial(
        engine.matrices.begin, keys, asked, query=text_of([args.query]) if args.query else "", k=args.k, scope=scope
    )
    try:
        return begin(use=use)
    except ModelError as error:
        context.output.say(f"No model was asked: {error}")
        return begin()


def _agreed(engine: Engine, matrix: Matrix, args: argparse.Namespace, context: Context) -> Matrix:
    """`matrix`, once the user agrees to what asking a model about it may cost."""
    try:
        estimate = context.drive(engine.matrices.estimate(matrix.id))
        if estimate is not None:
            llm.agree(estimate, args, context)
    except ModelError:
        # One that cannot be asked costs nothing; `fill` says why, and fills without it.
        return matrix
    except (UsageError, Stopped):
        _forget(engine, matrix)
        raise
    return matrix


def _forget(engine: Engine, matrix: Matrix) -> None:
    """Deletes a matrix that nothing came of."""
    if not matrix.computed and not matrix.runs:
        engine.matrices.remove(matrix.id)


def _fill(engine: Engine, matrix: Matrix, context: Context) -> Matrix:
    goes_on = f"`litterm evidence --resume {matrix.id}` continues."
    if 0 < matrix.computed < matrix.total:
        context.output.say(f"Continuing matrix {matrix.id}: {matrix.computed:,} of {matrix.total:,} cells are there.")
    try:
        return context.drive(engine.matrices.fill(matrix.id))
    except (Stopped, SystemExit):
        context.output.say(f"Every cell computed so far is saved; {goes_on}")
        raise


def _form(args: argparse.Namespace) -> Form | None:
    """The form asked for; `None` is plain lines."""
    if args.format or args.json:
        return cast("Form", args.format or "json")
    told = form_of(args.output or "")
    if args.output and args.output != "-" and told is None:
        raise UsageError(f"-o {args.output}: choose the format with --format {'|'.join(FORMS)}")
    return told


def _papers(
    engine: Engine, args: argparse.Namespace, typed: list[str], context: Context
) -> tuple[list[str], list[str]]:
    """Keys of the papers, and the hypotheses."""
    if args.papers:
        keys, more = _named(args.papers)
        typed = [*more, *typed]
    else:
        keys = _found(engine, args, context)
    if not typed:
        raise UsageError("give a hypothesis in quotation marks after the papers or the query")
    return keys, typed


def _found(engine: Engine, args: argparse.Namespace, context: Context) -> list[str]:
    from litterm.cli.search.search import pointed

    asked = text_of([args.query])
    try:
        query = engine.parse(asked)
    except QueryError as error:
        raise UsageError(pointed(error, asked)) from error
    ranking = context.drive(engine.search(query, k=args.n))
    if not ranking.papers:
        context.output.say(f"Nothing found in {counted(ranking.searched, 'paper')}.")
    elif ranking.found > len(ranking.papers):
        context.output.say(f"{len(ranking.papers):,} of {ranking.found:,} found; -n takes more.")
    return [item.paper.id for item in ranking.papers]


def _named(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The keys that `--papers` names; words that hold a blank and are no file are hypotheses behind them."""
    keys: list[str] = []
    for at, word in enumerate(words):
        if word == "-":
            keys += _ids_in(sys.stdin.read() if sys.stdin else "")
        elif _is_file(word):
            keys += _ids_in(_content(word).decode("utf-8", "replace"))
        elif keys and len(word.split()) > 1:
            return keys, [text_of([each]) for each in words[at:]]
        else:
            keys.append(text_of([word]))
    if not keys:
        raise UsageError("--papers names no paper")
    return keys, []


def _ids_in(text: str) -> list[str]:
    """The first word of every line that is neither empty nor a comment."""
    return [line.split()[0] for line in text.removeprefix("\ufeff").splitlines() if line.strip() and line[0] != "#"]


def _is_file(word: str) -> bool:
    try:
        return Path(word).is_file()
    except (OSError, ValueError):
        return False


def _content(name: str) -> bytes:
    try:
        with Path(name).open("rb") as file:
            return file.read(_LARGEST_BYTES)
    except OSError as error:
        raise BadInput(f"{name}: cannot be read ({error.strerror}).") from error


def _list(engine: Engine, args: argparse.Namespace, context: Context) -> int:
    summaries = engine.matrices.all()
    if args.json or args.format == "json":
        from litterm.render.matrix import json

        context.output.json(json.listing(summaries))
    else:
        from litterm.render.matrix import text

        context.output.lines(text.listing(summaries, context.look()))
    if not summaries:
        context.output.say('No matrix yet; `litterm evidence --query "..." "HYPOTHESIS"` starts one.')
    return 0


def _merge(engine: Engine, args: argparse.Namespace, context: Context) -> int:
    from litterm.evidence.matrix.inter_annotator_agreement import read_sheet

    found = engine.matrices.merge([read_sheet(_content(name), Path(name).stem) for name in args.merge])
    if args.json or args.format == "json":
        from litterm.render.matrix import json

        context.output.json(json.agreement(found))
    else:
        from litterm.render.matrix import text

        context.output.lines(text.agreement(found, context.look()))
    for fault in found.faults:
        context.output.say(fault)
    many = len(found.disagreements)
    context.output.say(f"{counted(many, 'disagreement')}." if many else "No disagreement.")
    return 1 if found.faults else 0


def _write(matrix: Matrix, form: Form | None, args: argparse.Namespace, context: Context) -> int:
    """The matrix where it is wanted; 1 when a paper is not in the library or a cell failed."""
    to_file, kept = bool(args.output) and args.output != "-", None
    if form is None:
        from litterm.render.matrix import text

        context.output.lines(text.lines(matrix, context.look()))
    elif to_file:
        kept = write_file(Path(args.output), encoded(matrix, form, blind=args.blind), force=args.force)
    else:
        ascii_only = not context.output.is_unicode
        context.output.data(written(matrix, form, blind=args.blind, ascii_only=ascii_only))
    where = f", written to {args.output}" if to_file else ""
    if kept is not None:
        context.output.say(f"Previous version saved as {kept}.")
    context.output.say(f"Matrix {matrix.id}: {matrix.computed:,} of {matrix.total:,} cells{where}.")
    reasons = {cell.empty for row in matrix.rows for cell in row.cells if cell}
    return 1 if reasons & {"not in library", "failed"} else 0
