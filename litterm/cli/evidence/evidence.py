"""`litterm evidence`: the sentences of one paper that bear on a hypothesis."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from litterm.cli import cluster
from litterm.cli.context import Context
from litterm.cli.evidence import citing_sentence, llm, matrix, study
from litterm.cli.parser import Parser, join_words
from litterm.core.errors import UsageError
from litterm.model.evidence import has_model_stance

if TYPE_CHECKING:
    from litterm.engine import Engine
    from litterm.model.agreement import AgreementMark
    from litterm.model.evidence import Evidence, EvidenceScope
    from litterm.model.paper import Paper
    from litterm.model.study_aspects import StudyCoverage


def declare(_command: str, parser: argparse.ArgumentParser) -> None:
    """Adds paper, hypothesis and form of the answer, and the options of a model and of matrices."""
    parser.add_argument(
        "words",
        nargs="*",
        metavar="PAPER HYPOTHESIS",
        help="an id such as acl:P18-1082 or its key alone, then the claim to find evidence for; "
        "for a matrix only claims, each in quotation marks",
    )
    parser.usage = (
        "%(prog)s PAPER HYPOTHESIS\n       %(prog)s --from PAPER:SENTENCE\n       %(prog)s --query QUERY HYPOTHESIS..."
    )
    # `--papers FILE -- CLAIM --json`
    if isinstance(parser, Parser):
        parser.reads_options_after_dashes = True
    parser.add_argument(
        "-k",
        type=study.parse_sentence_count,
        default=study.DEFAULT_SENTENCES,
        metavar="N",
        help="at most this many sentences (default 10); `auto`: the fewest that cover all study aspects",
    )
    parser.add_argument(
        "--all", action="store_true", help="fill up to -k, even with sentences that do not bear on the claim"
    )
    parser.add_argument("--results", action="store_true", help="only sentences that report results")
    parser.add_argument("--json", action="store_true", help="JSON on stdout")
    study.declare(parser)
    citing_sentence.declare(parser)
    cluster.declare(parser)
    llm.declare(parser)
    matrix.declare(parser)


def run(_command: str, args: argparse.Namespace, context: Context) -> int:
    """Prints the sentences, or a matrix; returns 0 even if there is no evidence."""
    if matrix.is_wanted(args):
        return matrix.run(study.matrix_columns(args.words, args), args, cluster.apply_cluster_option(args, context))
    if args.cluster is not None:
        raise UsageError("--cluster computes a matrix over many papers; leave it out for a single one")
    matrix.refuse_output_options(args, with_format=study.is_wanted(args))
    if args.citing:
        return _run_from_citation(args, context)
    if len(args.words) < 2:
        raise UsageError("give PAPER and HYPOTHESIS, or a matrix over many papers; see `litterm evidence --help`")
    hypothesis = join_words(args.words[1:])
    if not hypothesis:
        raise UsageError("the hypothesis is empty")
    engine = context.engine()
    return _find(engine.paper(join_words(args.words[:1])), hypothesis, engine, args, context)


def _run_from_citation(args: argparse.Namespace, context: Context) -> int:
    engine = context.engine()
    asked = citing_sentence.read_citation(args, engine, context)
    if asked is None:
        return 0
    paper, hypothesis = asked
    return _find(paper, hypothesis, engine, args, context)


def _find(paper: Paper, hypothesis: str, engine: Engine, args: argparse.Namespace, context: Context) -> int:
    options = llm.read_llm_options(args)
    k = study.sentence_count(args)
    if options is not None:
        model_evidence = llm.find_with_model(engine, paper.id, hypothesis, options, k, args, context)
        if model_evidence is not None:
            return _show(model_evidence, paper, engine, args, context, with_model=True)
        study.show_study_requests(context.run(engine.read(paper.id)), hypothesis, engine, args, context)
        return 0
    scope: EvidenceScope = "results" if args.results else "all"
    evidence = context.run(engine.evidence(paper.id, hypothesis, k=k, scope=scope, everything=args.all))
    return _show(evidence, paper, engine, args, context)


def _show(
    evidence: Evidence,
    paper: Paper,
    engine: Engine,
    args: argparse.Namespace,
    context: Context,
    *,
    with_model: bool = False,
) -> int:
    document = context.run(engine.read(paper.id))
    coverage = study.find_coverage(evidence, document, engine, args, context, with_model=with_model)
    if coverage is not None and args.k == study.AUTO:
        evidence = study.as_evidence(evidence, coverage)
    mark = engine.agreement.mark("evidence", evidence.by) if has_model_stance(evidence) else None
    if args.format == "md" and coverage is not None:
        study.write_markdown(coverage, document, paper, engine, context)
    elif args.json or args.format == "json":
        from litterm.render.evidence import evidence_data

        context.output.write_json(evidence_data(evidence, document, coverage, mark))
    else:
        from litterm.render import lines

        context.output.write_lines(
            lines.evidence(evidence, document, paper, context.line_options(), reasons=args.reasons)
        )
        study.write_aspects(coverage, document, args, context)
    _tell(evidence, coverage, mark, args, context)
    return 0


def _tell(
    evidence: Evidence,
    coverage: StudyCoverage | None,
    mark: AgreementMark | None,
    args: argparse.Namespace,
    context: Context,
) -> None:
    """Says what is to be known of an answer that has been written."""
    if mark is not None:
        from litterm.render.agreement import mark_words

        context.output.say(f"Stances by {evidence.by}: {mark_words(mark)}.")
    for notice in (*evidence.notices, *(coverage.notices if coverage is not None else ())):
        context.output.say(notice)
    # What is said of the paper itself is true of both answers.
    for notice in evidence.negated.notices if evidence.negated is not None else ():
        if notice not in evidence.notices:
            context.output.say(f"Negated: {notice}")
    if not evidence.sentences and (args.json or not evidence.key_findings):
        context.output.say("Nothing in this paper bears on the hypothesis.")
