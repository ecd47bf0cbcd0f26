"""`litterm agree`: people grade what a model judges, and the model is tested against people."""

from __future__ import annotations

import argparse
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.cli.llm_consent import ask_consent
from litterm.cli.parser import int_between, join_words
from litterm.cli.terminal.output import FORCE_HELP
from litterm.core.durable_files import replace_file
from litterm.core.errors import BadInput, ModelError, UnknownPaper, UsageError
from litterm.core.user_files import resolve_target, write_file
from litterm.model.agreement import DEFAULT_DEVELOPMENT, DEFAULT_TEST, OWN_GRADER
from litterm.render import sent_data
from litterm.text.plural import count_phrase

if TYPE_CHECKING:
    from collections.abc import Sequence

    from litterm.agreement.agreement import Labels, ModelAgreement
    from litterm.cli.context import Context
    from litterm.engine import Engine
    from litterm.model.agreement import GradedCell, GradedSet
    from litterm.model.paper import Paper, PaperId
    from litterm.render.agreement import FreezeData

_ACTIONS = ("draw", "grade", "sheet", "merge", "report", "freeze", "test")
_MAX_CELLS, _MAX_PAPERS, _MAX_SEED = 100_000, 1_000, 2**31
_DEFAULT_PAPERS, _DEFAULT_PAPERS_OF_SENTENCES = 100, 20
_MAX_FILE_BYTES = 50_000_000


def declare(_command: str, parser: argparse.ArgumentParser) -> None:
    """Adds what to do with a set, and the options of each."""
    parser.usage = (
        "%(prog)s draw FILE QUERY\n       %(prog)s grade|report|freeze|test FILE\n"
        "       %(prog)s sheet FILE -o SHEET\n       %(prog)s merge FILE SHEET..."
    )
    parser.add_argument("action", choices=_ACTIONS, metavar="ACTION", help=f"one of {', '.join(_ACTIONS)}")
    parser.add_argument("file", type=Path, metavar="FILE", help="the set of cells, which `draw` writes")
    parser.add_argument(
        "words", nargs="*", metavar="QUERY|SHEET", help="draw: aspects, separated by ||; merge: sheets of other people"
    )
    parser.add_argument("--json", action="store_true", help="JSON on stdout")
    group = parser.add_argument_group("draw", "cells of aspects and papers that a search finds, or of sentences")
    group.add_argument("--hypothesis", metavar="CLAIM", help="draw sentences to be judged for this claim instead")
    group.add_argument(
        "-n", type=int_between(1, _MAX_CELLS), metavar="N", help=f"cells of the test set (default {DEFAULT_TEST})"
    )
    group.add_argument(
        "--dev",
        type=int_between(1, _MAX_CELLS),
        metavar="N",
        help=f"cells of the development set (default {DEFAULT_DEVELOPMENT})",
    )
    group.add_argument(
        "-k",
        type=int_between(2, _MAX_PAPERS),
        metavar="N",
        help=f"draw from the first N papers (default {_DEFAULT_PAPERS}; sentences: {_DEFAULT_PAPERS_OF_SENTENCES})",
    )
    group.add_argument("--seed", type=int_between(0, _MAX_SEED), default=0, metavar="N", help="draw other cells")
    group.add_argument(
        "--again", action="store_true", help="all cells of FILE become development cells; draw a new test set"
    )
    group = parser.add_argument_group("grades")
    group.add_argument("--as", dest="grader", metavar="NAME", help="grade: as another person at the same keyboard")
    group.add_argument("-o", dest="output", metavar="SHEET", help="sheet: the CSV to write")
    group.add_argument("--blind", action="store_true", help="sheet: without your grades, for a co-author to fill in")
    group.add_argument("--force", action="store_true", help=FORCE_HELP)
    group = parser.add_argument_group("with a language model", "`litterm config model` sets one up")
    group.add_argument(
        "--model",
        action="store_true",
        help="report: ask the model for grades of development cells that it has not given",
    )
    group.add_argument("--yes", action="store_true", help="accept the cost estimate without being asked")


def run(_command: str, args: argparse.Namespace, context: Context) -> int:
    """Does what `args.action` says with the set; 0, or 1 where a sheet has rows that cannot be read."""
    _refuse_misplaced(args)
    if args.action == "draw":
        return _draw(args, context)
    drawn = _read_set(args.file)
    if args.action == "grade":
        from litterm.cli.agreement.grade import grade

        return grade(drawn, args.grader or OWN_GRADER, context)
    steps = {"sheet": _write_sheet, "merge": _merge, "report": _report, "freeze": _freeze, "test": _test}
    return steps[args.action](drawn, args, context)


def _refuse_misplaced(args: argparse.Namespace) -> None:
    """Refuses options of one action with another.

    Raises:
        UsageError: there is one.
    """
    options = {
        "draw": {
            "--hypothesis": args.hypothesis,
            "-n": args.n,
            "--dev": args.dev,
            "-k": args.k,
            "--seed": args.seed,
            "--again": args.again,
        },
        "grade": {"--as": args.grader},
        "sheet": {"-o": args.output, "--blind": args.blind, "--force": args.force},
        "report": {"--model": args.model},
    }
    for action, values in options.items():
        given = [option for option, value in values.items() if value]
        if given and action != args.action:
            raise UsageError(f"{', '.join(given)}: for `litterm agree {action}`")
    if args.words and args.action not in ("draw", "merge"):
        raise UsageError(f"`litterm agree {args.action}` takes one FILE")


def _draw(args: argparse.Namespace, context: Context) -> int:
    earlier = _read_set(args.file) if args.again else None
    if earlier is None and args.file.exists():
        raise UsageError(f"{args.file} is there already; --again draws a new test set into it, or name another file")
    if args.again and args.dev:
        raise UsageError("--again draws test cells only; leave out --dev")
    engine = context.engine()
    agreement = engine.agreement
    sizes = {"development": args.dev or DEFAULT_DEVELOPMENT, "test": args.n or DEFAULT_TEST, "seed": args.seed}
    typed = join_words(args.words)
    hypothesis = join_words([args.hypothesis or ""]) or (
        earlier.query if earlier and earlier.kind == "evidence" else ""
    )
    if hypothesis:
        papers = _find_papers(typed or hypothesis, args.k or _DEFAULT_PAPERS_OF_SENTENCES, engine, context)
        task = agreement.draw_sentences(hypothesis, [paper.id for paper in papers], **sizes, earlier=earlier)
        drawn = context.run(task)
    else:
        typed = typed or (earlier.query if earlier else "")
        if not typed:
            raise UsageError('name the aspects: litterm agree draw FILE "ASPECT || ASPECT"')
        query = engine.aspects.split(typed, long=True)
        criteria = [text for aspect in query.aspects for text in aspect.criteria] or [typed]
        papers = _find_papers(typed, args.k or _DEFAULT_PAPERS, engine, context)
        drawn = agreement.draw_aspects(typed, criteria, papers, **sizes, earlier=earlier)
    _keep(drawn, args.file)
    counts = f"{len(drawn.development):,} development and {len(drawn.test):,} test cells"
    if args.json:
        context.output.write_json(
            {"file": str(args.file), "kind": drawn.kind, "development": len(drawn.development), "test": len(drawn.test)}
        )
    context.output.say(f"{args.file} holds {counts}. Next: litterm agree grade {args.file}")
    return 0


def _find_papers(typed: str, count: int, engine: Engine, context: Context) -> list[Paper]:
    from litterm.cli.search.typed_query import parse_typed

    ranking = context.run(engine.search(parse_typed(typed, engine), k=count))
    return [item.paper for item in ranking.papers]


def _write_sheet(drawn: GradedSet, args: argparse.Namespace, context: Context) -> int:
    from litterm.render.agreement import sheet

    if not args.output:
        raise UsageError("name the sheet to write: litterm agree sheet FILE -o SHEET.csv")
    engine = context.engine()
    grades = {} if args.blind else engine.people_grades.grades_of(drawn.development + drawn.test).get(OWN_GRADER, {})
    content = sheet(drawn, _papers_of(drawn, engine), grades).encode("utf-8", "replace")
    if args.output == "-":
        context.output.write(content.decode())
        return 0
    # With a byte order mark, without which Excel takes it for another code page.
    backup = write_file(Path(args.output), b"\xef\xbb\xbf" + content, force=args.force)
    if backup is not None:
        context.output.say(f"Previous version saved as {backup}.")
    cells = count_phrase(len(drawn.development) + len(drawn.test), "cell")
    context.output.say(f"{args.output}: {cells}, {len(grades):,} with your grade. The model's are not in it.")
    return 0


def _papers_of(drawn: GradedSet, engine: Engine) -> dict[PaperId, Paper]:
    papers = {}
    for paper_id in {cell.paper_id for cell in drawn.development + drawn.test}:
        with suppress(UnknownPaper):
            (papers[paper_id],) = engine.records.by_id([paper_id])
    return papers


def _merge(drawn: GradedSet, args: argparse.Namespace, context: Context) -> int:
    from litterm.agreement.sheets import read_grades

    if not args.words:
        raise UsageError("name the sheets of other people: litterm agree merge FILE SHEET.csv...")
    grades, cells = context.engine().people_grades, drawn.development + drawn.test
    sheets = []
    for name in args.words:
        if Path(name).stem.casefold() == OWN_GRADER:
            raise UsageError(f"{name}: a sheet is called by the person who filled it in, and {OWN_GRADER!r} is you")
        sheets.append(read_grades(_read_file(Path(name)), Path(name).stem, cells))
    # All are read before any is taken over.
    for sheet in sheets:
        grades.merge(sheet.grader, sheet.grades)
        empty = f", {sheet.empty:,} without a grade" if sheet.empty else ""
        context.output.say(f"{sheet.grader}: {count_phrase(len(sheet.grades), 'grade')}{empty}.")
    faults = [fault for sheet in sheets for fault in sheet.faults]
    if args.json:
        counts = {sheet.grader: {"grades": len(sheet.grades), "empty": sheet.empty} for sheet in sheets}
        context.output.write_json({"graders": counts, "faults": faults})
    for fault in faults:
        context.output.say(fault)
    return 1 if faults else 0


def _report(drawn: GradedSet, args: argparse.Namespace, context: Context) -> int:
    agreement = context.engine().agreement
    labels: Labels = agreement.stored_labels(drawn.development)
    notices: tuple[str, ...] = ()
    if args.model:
        try:
            labels, notices = _ask_model(agreement, drawn.development, args, context)
        except ModelError as error:
            notices = (f"No model was asked: {error}",)
    reports = (agreement.report(drawn, "development", labels), agreement.report(drawn, "test"))
    if args.json:
        from litterm.render.agreement import mark_data, report_data

        parts = {str(report.part): report_data(report) for report in reports}
        mark = mark_data(agreement.mark(drawn.kind))
        context.output.write_json({"kind": drawn.kind, "frozen": _freeze_data(drawn), **parts, "mark": mark})
    else:
        from litterm.render.agreement import report_lines

        options = context.line_options()
        context.output.write_lines([*report_lines(reports[0], options), "", *report_lines(reports[1], options)])
    for notice in dict.fromkeys((*notices, *(notice for report in reports for notice in report.notices))):
        context.output.say(notice)
    if not labels and agreement.model and drawn.development:
        context.output.say("--model asks the model for its grades of the development cells.")
    context.output.say(_stand_of(drawn))
    return 0


def _stand_of(drawn: GradedSet) -> str:
    if drawn.measured:
        last = drawn.measured[-1]
        return f"The test was measured with {last.model} on {last.at[:10]}; --again draws new test cells."
    if drawn.freeze:
        return f"Frozen with {drawn.freeze.model} on {drawn.freeze.at[:10]}. Next: litterm agree test"
    return "The model's grades of test cells stay unseen until `litterm agree freeze` and `litterm agree test`."


def _freeze(drawn: GradedSet, args: argparse.Namespace, context: Context) -> int:
    frozen = context.engine().agreement.freeze(drawn)
    _keep(frozen, args.file)
    if args.json:
        context.output.write_json({"frozen": _freeze_data(frozen)})
    context.output.say(f"Frozen with {frozen.freeze.model if frozen.freeze else ''} and its prompt as they are now.")
    return 0


def _freeze_data(drawn: GradedSet) -> FreezeData | None:
    frozen = drawn.freeze
    if frozen is None:
        return None
    return {"model": frozen.model, "model_hash": frozen.model_hash, "prompt_hash": frozen.prompt_hash, "at": frozen.at}


def _test(drawn: GradedSet, args: argparse.Namespace, context: Context) -> int:
    from litterm.render.agreement import report_data, report_lines, verdict_sentence

    agreement = context.engine().agreement
    agreement.refuse_unfrozen(drawn)
    labels, notices = _ask_model(agreement, drawn.test, args, context)
    report, measured = agreement.test(drawn, labels)
    # Before anything is shown: who has seen the figures has measured the test.
    _keep(measured, args.file)
    if args.json:
        context.output.write_json(report_data(report))
    else:
        context.output.write_lines(report_lines(report, context.line_options()))
    for notice in (*notices, *report.notices):
        context.output.say(notice)
    context.output.say(verdict_sentence(report))
    return 0


def _ask_model(
    agreement: ModelAgreement, cells: Sequence[GradedCell], args: argparse.Namespace, context: Context
) -> tuple[Labels, tuple[str, ...]]:
    """The model's labels of `cells`, once the user agrees to what those that are not cached may cost."""
    estimate = context.run(agreement.estimate(cells))
    if estimate is not None:
        ask_consent(estimate, args, context, sent_data.AGREEMENT, cheaper="a set of fewer cells asks for less")
    return context.run(agreement.model_labels(cells))


def _read_set(path: Path) -> GradedSet:
    from litterm.agreement.drawn_set import loads

    return loads(_read_file(path).decode("utf-8", "replace"), str(path))


def _read_file(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_MAX_FILE_BYTES)
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror}).") from error


def _keep(drawn: GradedSet, path: Path) -> None:
    from litterm.agreement.drawn_set import dumps

    replace_file(resolve_target(path), dumps(drawn).encode("utf-8", "replace"))
