"""`litterm make KIND`: a test set from the user's own library, in the form in which such sets are published."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.cli.context import Context
from litterm.cli.llm_consent import ask_consent, show_requests
from litterm.cli.parser import int_between
from litterm.cli.test_sets.set_file import SetFile, SetFolder
from litterm.core.errors import UsageError
from litterm.model.test_sets import DEFAULT_ITEMS, DEFAULT_OVERLAP, SetKind, SetRequest, SubQuery
from litterm.render import sent_data, test_sets
from litterm.render.cost import estimate_words
from litterm.render.test_sets import excerpt_heading
from litterm.text.plural import count_phrase

if TYPE_CHECKING:
    from litterm.model.test_sets import SetCounts, SetItem

_JUDGE = "judge"
_MAX_ITEMS = 100_000
_MAX_SEED = 2**31


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of test set as a file."""

    line: str
    """The function of `litterm.render.test_sets` that writes an item."""
    bench: str
    made: str
    """How it is made without a model."""
    asked: str = ""
    """What a model does for it; empty where it does nothing."""
    heading: str = ""


_KINDS: dict[SetKind, _Kind] = {
    "questions": _Kind(
        "question_line",
        "litsearch",
        "each question is the clause of a citing sentence, put as a question",
        "the model writes questions from the paragraphs",
    ),
    "excerpts": _Kind(
        "excerpt_line",
        "citeme",
        "chosen by their wording; what a model knows by heart is not left out",
        "what the model knows by heart is left out",
        heading=excerpt_heading(),
    ),
    "hypotheses": _Kind(
        "hypothesis_line",
        "litsearch",
        "each hypothesis is a citing sentence without its mark",
        "the model writes the hypotheses from the citing sentences",
    ),
    "subqueries": _Kind(
        "subquery_rows",
        "doris-mae",
        "the aspects of each are two things that a paragraph cites papers for; relevant is what is cited for one",
    ),
    "lists": _Kind("list_line", "acl-rlg", "the query of each list is made of the title of its tutorial or survey"),
}


def declare(_command: str, parser: argparse.ArgumentParser) -> None:
    """Adds what to make, and how much of it."""
    parser.usage = "%(prog)s KIND -o FILE [options], or %(prog)s judge FILE"
    parser.add_argument(
        "kind",
        choices=(*_KINDS, _JUDGE),
        metavar="KIND",
        help=f"one of {', '.join(_KINDS)}; `judge` asks you about the questions of a file",
    )
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE", help="judge: the file of questions")
    parser.add_argument(
        "-o",
        dest="output",
        type=Path,
        metavar="FILE",
        help="the file (subqueries: the folder) to write; a second run continues it",
    )
    parser.add_argument(
        "-n",
        type=int_between(1, _MAX_ITEMS),
        default=DEFAULT_ITEMS,
        metavar="N",
        help=f"number of items (default {DEFAULT_ITEMS})",
    )
    parser.add_argument(
        "--overlap",
        type=_share,
        default=DEFAULT_OVERLAP,
        metavar="SHARE",
        help=f"questions: leave out those with more of their words in the titles they ask for ({DEFAULT_OVERLAP})",
    )
    parser.add_argument(
        "--seed", type=int_between(0, _MAX_SEED), default=0, metavar="N", help="draw other sentences (default 0)"
    )
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="print what would be made, or with --model what would be sent and its cost; write, send and ask nothing",
    )
    parser.add_argument("--json", action="store_true", help="JSON on stdout: how many were made and left out")
    group = parser.add_argument_group("with a language model", "`litterm config model` sets one up")
    group.add_argument("--model", action="store_true", help="let the model write, or filter what it knows by heart")
    group.add_argument("--yes", action="store_true", help="accept the cost estimate without being asked")


def run(_command: str, args: argparse.Namespace, context: Context) -> int:
    """Makes a test set and says how to measure with it; always 0."""
    if args.kind == _JUDGE:
        from litterm.cli.test_sets.judge import judge

        if args.file is None or args.output is not None or args.dry_run:
            raise UsageError("judge takes a file of questions and no -o: it writes your grades into that file")
        return judge(args.file, context)
    if args.file is not None or (args.output is None and not args.dry_run):
        raise UsageError(f"name the file to write with -o: litterm make {args.kind} -o FILE")
    kind = _KINDS[args.kind]
    if args.model and not kind.asked:
        raise UsageError(f"--model has no part in making {args.kind}")
    done: frozenset[str] = frozenset()
    if args.output is not None:
        file = SetFolder(args.output) if args.kind == "subqueries" else SetFile(args.output, kind.heading)
        done = file.read_keys(repair=not args.dry_run)
    if done:
        context.output.say(f"{args.output} holds {count_phrase(len(done), 'item')}; more are added.")
    request = SetRequest(args.kind, args.n, args.overlap, args.seed, done)
    return _show(request, kind, args, context) if args.dry_run else _make(request, file, kind, args, context)


def _make(
    request: SetRequest, file: SetFile | SetFolder, kind: _Kind, args: argparse.Namespace, context: Context
) -> int:
    maker = context.engine().set_maker
    if args.model:
        ask_consent(
            context.run(maker.estimate(request)),
            args,
            context,
            sent_data.TEST_SET,
            cheaper="a smaller -n asks for less",
        )
    counts = context.run(maker.make(request, _keep_in(file, kind), with_model=args.model))
    _report(counts, kind, args, context)
    return 0


def _show(request: SetRequest, kind: _Kind, args: argparse.Namespace, context: Context) -> int:
    """Prints what would be made, as the file would have it, or the requests to a model and what they would cost."""
    maker, output = context.engine().set_maker, context.output
    if args.model:
        estimate = context.run(maker.estimate(request))
        requests = context.run(maker.preview(request))
        if args.json:
            output.write_json({"requests": len(requests), "cost": estimate.dollars, "tokens": estimate.prompt_tokens})
        show_requests([] if args.json else requests, context, more_follow=request.kind == "hypotheses")
        output.say(estimate_words(estimate))
        return 0
    items: list[SetItem] = []
    counts = context.run(maker.make(request, items.append))
    if args.json:
        _write_counts(counts, context)
    else:
        write: Callable[[SetItem], str] = getattr(test_sets, kind.line) if kind.line != "subquery_rows" else _query_of
        output.write("".join((kind.heading if items else "", *map(write, items))))
    _say_left_out(counts, context)
    output.say(f"{count_phrase(len(items), 'item')} would be made without a model, at no cost; nothing was written.")
    return 0


def _query_of(item: SetItem) -> str:
    """The line of a sub-query itself; the papers of its pool, and their grades, are lines of other files."""
    return test_sets.subquery_rows(item)[0] if isinstance(item, SubQuery) else ""


def _keep_in(file: SetFile | SetFolder, kind: _Kind) -> Callable[[SetItem], None]:
    """What writes each item into the file or folder."""
    if isinstance(file, SetFolder):
        return lambda item: file.append(*test_sets.subquery_rows(item)) if isinstance(item, SubQuery) else None
    write: Callable[[SetItem], str] = getattr(test_sets, kind.line)
    return lambda item: file.append(write(item))


def _report(counts: SetCounts, kind: _Kind, args: argparse.Namespace, context: Context) -> None:
    say = context.output.say
    if args.json:
        _write_counts(counts, context)
    _say_left_out(counts, context)
    if not counts.made:
        say("No full text of the library offers one; `litterm fetch` brings full texts.")
        return
    if not counts.complete:
        say(f"{counts.made:,} of the {args.n:,} asked for could be made.")
    how = (
        f"Made with {context.settings.model.model}: {kind.asked}"
        if args.model
        else f"Made without a model: {kind.made}"
    )
    say(f"{how}. It is a draft until you have read it.")
    say(f"{args.output} holds {count_phrase(counts.made, 'item')}. Next: litterm bench {kind.bench} {args.output}")


def _write_counts(counts: SetCounts, context: Context) -> None:
    context.output.write_json({"made": counts.made, "looked_at": counts.looked_at, "left_out": dict(counts.left_out)})


def _say_left_out(counts: SetCounts, context: Context) -> None:
    for reason, number in sorted(counts.left_out.items(), key=lambda pair: -pair[1]):
        context.output.say(f"Left out {number:,}: {reason}.")


def _share(value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"{value} is no share from 0 to 1")
    return number
