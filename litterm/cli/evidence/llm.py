"""`litterm evidence --model`: evidence by a language model."""

from __future__ import annotations

import argparse
from contextlib import suppress
from typing import TYPE_CHECKING, get_args

from litterm.cli.llm_consent import ask_consent, show_requests
from litterm.cli.parser import int_between
from litterm.core.errors import ModelError, UsageError
from litterm.render import sent_data

if TYPE_CHECKING:
    from litterm.cli.context import Context
    from litterm.engine import Engine
    from litterm.model.evidence import Evidence, EvidenceLlmOptions, EvidenceScope
    from litterm.model.paper import PaperId


def declare(parser: argparse.ArgumentParser) -> None:
    """Adds the options of evidence with a model; each except `--no-model` implies `--model`."""
    from litterm.model.evidence import Strategy

    group = parser.add_argument_group("with a language model", "`litterm config model` sets one up")
    group.add_argument(
        "--model", action=argparse.BooleanOptionalAction, default=None, help="ask the configured model, or not"
    )
    group.add_argument(
        "--strategy",
        choices=get_args(Strategy),
        help="section by section, or the whole paper in one request, also after sentences that you accepted in other "
        "papers; auto (default): whole up to 12,000 tokens",
    )
    group.add_argument(
        "--shortlist",
        type=int_between(1, 1000),
        metavar="N",
        help="show the model only the N best sentences of each section",
    )
    group.add_argument("--negate", action="store_true", help="also ask about the negated hypothesis, and show both")
    group.add_argument("--reasons", action="store_true", help="show the model's reason below each sentence")
    group.add_argument("--no-cache", action="store_true", help="ask again even if a reply is cached")
    group.add_argument("--dry-run", action="store_true", help="print the requests without sending them")
    group.add_argument("--yes", action="store_true", help="accept the cost estimate without being asked")


def read_llm_options(args: argparse.Namespace) -> EvidenceLlmOptions | None:
    """The options of a model run; `None` if no model is to be asked.

    Raises:
        UsageError: options for a model are combined with `--no-model`.
    """
    implied = bool(args.strategy or args.shortlist or args.negate or args.dry_run or args.no_cache)
    if args.model is False and implied:
        raise UsageError(
            "--no-model cannot be combined with --strategy, --shortlist, --negate, --dry-run or --no-cache"
        )
    if not args.model and not implied:
        return None
    from litterm.model.evidence import EvidenceLlmOptions

    return EvidenceLlmOptions(
        args.strategy or "auto", args.shortlist or 0, negate=args.negate, cached=not args.no_cache
    )


def find_with_model(
    engine: Engine,
    paper_id: PaperId,
    hypothesis: str,
    options: EvidenceLlmOptions,
    k: int,
    args: argparse.Namespace,
    context: Context,
) -> Evidence | None:
    """The model's answer of at most `k` sentences, once the user agrees to what it may cost; `None` after a dry run."""
    scope: EvidenceScope = "results" if args.results else "all"
    model_evidence = engine.model_evidence
    if args.dry_run:
        requests = context.run(model_evidence.preview(paper_id, hypothesis, options, k=k, scope=scope))
        show_requests(requests, context, more_follow=len(requests) > 1)
        return None
    with suppress(ModelError):
        # A model that cannot be asked costs nothing; `model_evidence.find` says why, and answers without it.
        ask_consent(
            context.run(model_evidence.estimate(paper_id, hypothesis, options, k=k, scope=scope)),
            args,
            context,
            sent_data.EVIDENCE,
        )
    return context.run(model_evidence.find(paper_id, hypothesis, options, k=k, scope=scope))
