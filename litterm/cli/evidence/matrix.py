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
from litterm.cli.parser import at_most, text_of
from litterm.cli.terminal.output import FORCE
from litterm.core.errors import BadInput, ModelError, Stopped, UsageError
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
    """Adds the options of the matrix; any in `_WAYS` turns the command to matrices."""
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


def is_wanted(args: argparse.Namespace) -> bool:
    """Whether a matrix is meant and not a single paper."""
    return any(getattr(args, way) for way in _WAYS)


def run(hypotheses: Sequence[str], args: argparse.Namespace, context: Context) -> int:
    """Lists, deletes or merges matrices, or fills one and prints it."""
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
    matrix = _matrix([text_of([hypothesis]) for hypothesis in hypotheses], engine, args, context)
    if matrix is None:
        return 0
    if args.dry_run:
        show_requests(context.drive(engine.matrices.preview(matrix.id)), context, more_follow=True)
        _forget(engine, matrix)
        return 0
    return _write(_fill(engine, _agreed(engine, matrix, args, context), context), form, args, context)


def _matrix(typed_hypotheses: list[str], engine: Engine, args: argparse.Namespace, context: Context) -> Matrix | None:
    """The matrix to fill, new or resumed; `None` where the query finds no paper."""
    use = llm.use_of(args)
    if args.resume:
        if use is not None:
            raise UsageError("a matrix continues as it was started; choose how a model is asked when you start one")
        matrix = engine.matrices.open(args.resume)
        for hypothesis in typed_hypotheses:
            matrix = engine.matrices.add_hypothesis(matrix.id, hypothesis)
        return matrix
    keys, hypotheses = _papers(engine, args, typed_hypotheses, context)
    if not keys:
        return None
    scope: EvidenceScope = "results" if args.results else "all"
    begin = partial(
        engine.matrices.begin,
        keys,
        hypotheses,
        query=text_of([args.query]) if args.query else "",
        k=args.k,
        scope=scope,
    )
    try:
        return begin(use=use)
    except ModelError as error:
        context.output.say(f"No model was asked: {error}")
        return begin()


def _agreed(engine: Engine, matrix: Matrix, args: argparse.Namespace, context: Context) -> Matrix:
    """`matrix`, once the user agrees to what filling it with a model may cost."""
    try:
        estimate = context.drive(engine.matrices.estimate(matrix.id))
        if estimate is not None:
            ask_consent(estimate, args, context)
    except ModelError:
        # One that cannot be asked costs nothing; `fill` says why, and fills without it.
        return matrix
    except (UsageError, Stopped):
        _forget(engine, matrix)
        raise
    return matrix


def _forget(engine: Engine, matrix: Matrix) -> None:
    """Deletes a matrix that was begun only for an estimate or a dry run; one with results stays."""
    if not matrix.computed and not matrix.runs:
        engine.matrices.remove(matrix.id)


def _fill(engine: Engine, matrix: Matrix, context: Context) -> Matrix:
    goes_on = f"`litterm evidence --resume {matrix.id}` continues."
    if 0 < matrix.computed < matrix.total:
        context.output.say(f"Continuing matrix {matrix.id}: {matrix.computed:,} of {matrix.total:,} cells are there.")
    try:
        return context.drive(engine.matrices.fill(matrix.id))
    # SIGTERM arrives as `SystemExit`, and has stopped it as cleanly as ctrl+c.
    except (Stopped, SystemExit):
        context.output.say(f"Every cell computed so far is saved; {goes_on}")
        raise


def _form(args: argparse.Namespace) -> Form | None:
    """The output format by --format or the suffix of -o; `None` for plain lines."""
    if args.format or args.json:
        return cast("Form", args.format or "json")
    by_suffix = form_of(args.output or "")
    if args.output and args.output != "-" and by_suffix is None:
        raise UsageError(f"-o {args.output}: choose the format with --format {'|'.join(FORMS)}")
    return by_suffix


def _papers(
    engine: Engine, args: argparse.Namespace, hypotheses: list[str], context: Context
) -> tuple[list[str], list[str]]:
    """The keys of the papers, and the hypotheses."""
    if args.papers:
        keys, trailing = _named(args.papers)
        hypotheses = [*trailing, *hypotheses]
    else:
        keys = _search(engine, args, context)
    if not hypotheses:
        raise UsageError("give a hypothesis in quotation marks after the papers or the query")
    return keys, hypotheses


def _search(engine: Engine, args: argparse.Namespace, context: Context) -> list[str]:
    from litterm.cli.search.typed_query import parse_typed

    ranking = context.drive(engine.search(parse_typed(text_of([args.query]), engine), k=args.n))
    if not ranking.papers:
        context.output.say(f"Nothing found in {counted(ranking.searched, 'paper')}.")
    elif ranking.found > len(ranking.papers):
        context.output.say(f"{len(ranking.papers):,} of {ranking.found:,} found; -n takes more.")
    return [item.paper.id for item in ranking.papers]


def _named(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The keys that `--papers` names, and the hypotheses typed after them."""
    keys: list[str] = []
    for index, word in enumerate(words):
        if word == "-":
            keys += _ids_in(sys.stdin.read() if sys.stdin else "")
        elif _is_file(word):
            keys += _ids_in(_content(word).decode("utf-8", "replace"))
        elif keys and len(word.split()) > 1:
            # argparse gives every word behind --papers to it. Ids have no blanks, claims in quotation marks do.
            return keys, [text_of([hypothesis]) for hypothesis in words[index:]]
        else:
            keys.append(text_of([word]))
    if not keys:
        raise UsageError("--papers names no paper")
    return keys, []


def _ids_in(text: str) -> list[str]:
    """The first word of every line that is neither empty nor a comment."""
    # Editors on Windows begin a file with a byte order mark.
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

    agreement = engine.matrices.merge([read_sheet(_content(name), Path(name).stem) for name in args.merge])
    if args.json or args.format == "json":
        from litterm.render.matrix import json

        context.output.json(json.agreement(agreement))
    else:
        from litterm.render.matrix import text

        context.output.lines(text.agreement(agreement, context.look()))
    for fault in agreement.faults:
        context.output.say(fault)
    disagreements = len(agreement.disagreements)
    context.output.say(f"{counted(disagreements, 'disagreement')}." if disagreements else "No disagreement.")
    return 1 if agreement.faults else 0


def _write(matrix: Matrix, form: Form | None, args: argparse.Namespace, context: Context) -> int:
    """Prints the matrix or writes it to a file; 1 when a paper is not in the library or a cell failed."""
    to_file, backup = bool(args.output) and args.output != "-", None
    if form is None:
        from litterm.render.matrix import text

        context.output.lines(text.lines(matrix, context.look()))
    elif to_file:
        backup = write_file(Path(args.output), encoded(matrix, form, blind=args.blind), force=args.force)
    else:
        ascii_only = not context.output.is_unicode
        context.output.data(written(matrix, form, blind=args.blind, ascii_only=ascii_only))
    destination = f", written to {args.output}" if to_file else ""
    if backup is not None:
        context.output.say(f"Previous version saved as {backup}.")
    context.output.say(f"Matrix {matrix.id}: {matrix.computed:,} of {matrix.total:,} cells{destination}.")
    reasons = {cell.empty for row in matrix.rows for cell in row.cells if cell}
    return 1 if reasons & {"not in library", "failed"} else 0
