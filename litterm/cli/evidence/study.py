"""`litterm evidence --aspects`, `-k auto`: the study aspects of a hypothesis, and the fewest sentences for all."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal

from litterm.cli.llm_consent import ask_consent, show_requests
from litterm.cli.parser import parse_capped_int
from litterm.core.errors import ModelError, UsageError
from litterm.render import sent_data

if TYPE_CHECKING:
    from litterm.cli.context import Context
    from litterm.engine import Engine
    from litterm.model.document import Document
    from litterm.model.evidence import Evidence
    from litterm.model.paper import Paper
    from litterm.model.study_aspects import StudyCoverage

AUTO: Final = "auto"
"""`-k auto`: as many sentences as are needed."""
DEFAULT_SENTENCES: Final = 10
_MAX_SENTENCES = 1000


def declare(parser: argparse.ArgumentParser) -> None:
    """Adds the options of study aspects."""
    group = parser.add_argument_group(
        "study aspects", "the single facts that the hypothesis and the findings of the paper are made of"
    )
    group.add_argument(
        "--aspects", action="store_true", help="show them with their sentences, and which of them are still uncovered"
    )
    group.add_argument(
        "--aspect",
        action="append",
        metavar="TEXT",
        help="a study aspect of your own (repeat it for several): these are used instead, and kept",
    )
    group.add_argument(
        "--split", action="store_true", help="forget the study aspects that were kept, and split the hypothesis anew"
    )


def parse_sentence_count(word: str) -> int | Literal["auto"]:
    """The value of `-k`: `auto`, or a whole number of 1 or more."""
    return AUTO if word == AUTO else parse_capped_int(_MAX_SENTENCES)(word)


def sentence_count(args: argparse.Namespace) -> int:
    """How many sentences the extractor is asked for."""
    return DEFAULT_SENTENCES if args.k == AUTO else int(args.k)


def is_wanted(args: argparse.Namespace) -> bool:
    """Whether study aspects are asked for."""
    return bool(args.aspects or args.aspect or args.split or args.k == AUTO)


def matrix_columns(hypotheses: Sequence[str], args: argparse.Namespace) -> list[str]:
    """The hypotheses of a matrix; with `--aspects` each followed by its clauses, and those of `--aspect` at the end.

    Raises:
        UsageError: an option is for a single paper only.
    """
    if args.split or args.k == AUTO or args.citing:
        raise UsageError("-k auto, --split and --from are for a single paper, not for a matrix")
    columns = list(hypotheses)
    if args.aspects:
        from litterm.evidence.study.split import clauses

        columns = [column for hypothesis in hypotheses for column in (hypothesis, *clauses(hypothesis))]
    # A hypothesis of one clause would stand there twice.
    named = {column.casefold().rstrip(" .") or column: column for column in reversed([*columns, *(args.aspect or ())])}
    return list(reversed(named.values()))


def find_coverage(
    evidence: Evidence,
    document: Document,
    engine: Engine,
    args: argparse.Namespace,
    context: Context,
    *,
    with_model: bool,
) -> StudyCoverage | None:
    """The study aspects with their sentences; `None` where they are not asked for. Those typed are kept."""
    if not is_wanted(args):
        return None
    studies = engine.studies
    typed = studies.read(evidence.hypothesis, args.aspect) if args.aspect else None
    if args.split:
        studies.forget(document.paper_id, evidence.hypothesis)
    if typed is not None and not studies.keep(document.paper_id, typed):
        context.output.say("The study aspects are not kept: this library cannot be written to.")
    if not with_model:
        return context.run(studies.cover(document, evidence, typed))
    with suppress(ModelError):
        # A model that cannot be asked costs nothing; `cover_with_model` says why, and answers without it.
        ask_consent(
            context.run(studies.estimate(document, evidence.hypothesis, typed)),
            args,
            context,
            sent_data.STUDY_ASPECTS,
            cheaper="--aspects without --model asks for nothing",
        )
    return context.run(studies.cover_with_model(document, evidence, typed))


def show_study_requests(
    document: Document, hypothesis: str, engine: Engine, args: argparse.Namespace, context: Context
) -> None:
    """Prints what a model would be asked about study aspects, if they are wanted; sends nothing."""
    if is_wanted(args):
        typed = engine.studies.read(hypothesis, args.aspect) if args.aspect else None
        show_requests(
            context.run(engine.studies.preview(document, hypothesis, typed)), context, more_follow=typed is None
        )


def as_evidence(evidence: Evidence, coverage: StudyCoverage) -> Evidence:
    """`evidence` with the fewest sentences that carry all study aspects instead of its own."""
    # No places are left that key findings would fill.
    findings = evidence.key_findings[: len(coverage.cover)]
    return replace(evidence, sentences=coverage.cover, key_findings=findings)


def write_aspects(
    coverage: StudyCoverage | None, document: Document, args: argparse.Namespace, context: Context
) -> None:
    """The study aspects below the evidence; after `-k auto` alone only what they come to."""
    if coverage is None:
        return
    from litterm.render.study_aspects import covered_words, study_lines

    if args.k == AUTO and not (args.aspects or args.aspect or args.split):
        context.output.say(f"{covered_words(coverage)}; --aspects lists them.")
    else:
        context.output.write_lines(study_lines(coverage, document, context.line_options()))


def write_markdown(coverage: StudyCoverage, document: Document, paper: Paper, engine: Engine, context: Context) -> None:
    """The study aspects with their quotes."""
    from litterm.render.study_aspects import study_markdown

    key = engine.citation_keys.keys_of([paper])[paper.id]
    context.output.write_lines(study_markdown(coverage, document, paper, key).splitlines())
