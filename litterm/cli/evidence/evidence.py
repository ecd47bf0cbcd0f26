"""`litterm evidence`: the sentences of one paper that bear on a hypothesis."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from litterm.cli.context import Context
from litterm.cli.evidence import llm, matrix
from litterm.cli.parser import Parser, at_most, text_of
from litterm.core.errors import UsageError

if TYPE_CHECKING:
    from litterm.engine import Engine
    from litterm.model.evidence import Evidence, EvidenceScope
    from litterm.model.paper import Paper


def declare(_verb: str, parser: argparse.ArgumentParser) -> None:
    """Adds paper, hypothesis and the form of the answer, and what makes a matrix of it."""
    parser.add_argument(
        "words",
        nargs="*",
        metavar="PAPER HYPOTHESIS",
        help="an id such as acl:P18-1082 or its key alone, then the claim evidence is sought for; "
        "for a matrix only claims, each in quotation marks",
    )
    if isinstance(parser, Parser):
        parser.intermixed = True
    parser.add_argument("-k", type=at_most(1000), default=10, metavar="N", help="sentences at most (10)")
    parser.add_argument(
        "--all", action="store_true", help="fill up to -k, even with sentences that do not bear on the claim"
    )
    parser.add_argument("--results", action="store_true", help="only sentences that report results")
    parser.add_argument("--json", action="store_true", help="JSON on stdout")
    llm.declare(parser)
    matrix.declare(parser)


def run(_verb: str, args: argparse.Namespace, context: Context) -> int:
    """The sentences; none at all is no failure."""
    if matrix.wanted(args):
        return matrix.run(args.words, args, context)
    if len(args.words) < 2:
        raise UsageError("give PAPER and HYPOTHESIS, or a matrix over many papers; see `litterm evidence --help`")
    hypothesis = text_of(args.words[1:])
    if not hypothesis:
        raise UsageError("the hypothesis is empty")
    use = llm.use_of(args)
    engine = context.engine()
    paper = engine.paper(text_of(args.words[:1]))
    if use is not None:
        judged = llm.find(engine, paper.id, hypothesis, use, args, context)
        return 0 if judged is None else _show(judged, paper, engine, args, context)
    scope: EvidenceScope = "results" if args.results else "all"
    found = context.drive(engine.evidence(paper.id, hypothesis, k=args.k, scope=scope, everything=args.all))
    return _show(found, paper, engine, args, context)


def _show(found: Evidence, paper: Paper, engine: Engine, args: argparse.Namespace, context: Context) -> int:
    document = context.drive(engine.read(paper.id))
    if args.json:
        from litterm.render import json

        context.output.json(json.evidence(found, document))
    else:
        from litterm.render import lines

        context.output.lines(lines.evidence(found, document, paper, context.look(), reasons=args.reasons))
    for notice in found.notices:
        context.output.say(notice)
    for notice in found.negated.notices if found.negated is not None else ():
        context.output.say(f"Negated: {notice}")
    if not found.sentences and (args.json or not found.key_findings):
        context.output.say("Nothing in this paper bears on the hypothesis.")
    return 0
