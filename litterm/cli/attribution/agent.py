"""`litterm cite --agent`: a language model searches, reads and selects; its steps are recorded for `--replay`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, TypeAlias

from litterm.cli.context import Context
from litterm.cli.llm_consent import ask_consent, show_requests
from litterm.cli.parser import float_between, int_between
from litterm.core.errors import ModelError, Stopped, UsageError
from litterm.model.attribution.agent import (
    AGENT_VARIANTS,
    MAX_RUNS,
    MAX_TEMPERATURE,
    PUBLISHED_TEMPERATURE,
    AgentOptions,
)
from litterm.model.attribution.citation import Attribution
from litterm.model.llm import CostEstimate
from litterm.render import sent_data

if TYPE_CHECKING:
    from litterm.engine import Engine
    from litterm.model.attribution.citation import Excerpt

EXIT_FAILED = 4
ReportAttributions: TypeAlias = "Callable[[Sequence[Attribution], argparse.Namespace, Context], int]"
"""Prints the attributions and returns the exit status; passed in by `cite`, which imports this module."""


def declare(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the agent."""
    group = parser.add_argument_group("with a language model", "`litterm config model` sets one up")
    group.add_argument(
        "--agent",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="let the model search, read and select (or not)",
    )
    group.add_argument("--online", action="store_true", help="let it also search online services and fetch full texts")
    group.add_argument(
        "--runs",
        type=int_between(1, MAX_RUNS),
        metavar="N",
        help=f"search N times, at temperature {PUBLISHED_TEMPERATURE}, and take the paper that most runs select",
    )
    group.add_argument(
        "--temperature",
        type=float_between(0, MAX_TEMPERATURE),
        metavar="T",
        help=f"of the model's replies ({PUBLISHED_TEMPERATURE} as published; default: as in the settings)",
    )
    variants = group.add_mutually_exclusive_group()
    for variant in AGENT_VARIANTS:
        variants.add_argument(
            f"--{variant.name}", dest="variant", action="store_const", const=variant, help=variant.meaning
        )
    group.add_argument("--no-cache", action="store_true", help="ask again even if a reply is cached")
    group.add_argument("--dry-run", action="store_true", help="print the first request without sending it")
    group.add_argument("--yes", action="store_true", help="accept the cost estimate without being asked")
    group.add_argument(
        "--replay",
        nargs="?",
        const="",
        metavar="ID",
        help="show a recorded search of the agent (`last` is the newest); without ID, list all",
    )
    group.add_argument("--resume", default="", metavar="ID", help="continue a search that was stopped or interrupted")


def is_wanted(args: argparse.Namespace) -> bool:
    """Whether the agent is to answer.

    Raises:
        UsageError: options for it are combined with `--no-agent`, or given without `--agent`.
    """
    implied = [
        f"--{name.replace('_', '-')}" for name in ("online", "no_cache", "dry_run", "yes") if getattr(args, name)
    ]
    of_run = _options_of_run(args)
    if of_run and (args.resume or args.replay is not None):
        raise UsageError(f"{', '.join(of_run)}: a search continues as it was begun; leave that out")
    if (implied or of_run) and not args.agent and not args.resume:
        raise UsageError(f"{', '.join((*implied, *of_run))}: for the language model; add --agent")
    return bool(args.agent)


def _options_of_run(args: argparse.Namespace) -> tuple[str, ...]:
    """The options typed that say how a new search is to be made."""
    typed = [f"--{name}" for name in ("runs", "temperature") if getattr(args, name) is not None]
    return (*typed, f"--{args.variant.name}") if args.variant is not None else tuple(typed)


def run(text: str, args: argparse.Namespace, context: Context, report: ReportAttributions) -> int:
    """Prints the agent's answers, once the user agrees to what they may cost; in a dry run only the requests.

    Where the agent fails, the offline answer is printed all the same, and the status is 4.
    """
    engine = context.engine()
    excerpts, options, citing = _excerpts(text, args, engine), _read_agent_options(args, context), engine.citing
    if args.dry_run:
        previews = (citing.preview(excerpt, options, before=args.before, source=args.source) for excerpt in excerpts)
        show_requests([request for preview in previews for request in context.run(preview)], context, more_follow=True)
        return 0
    with suppress(ModelError):
        # A model that cannot be asked costs nothing; `find` says why, and answers without it.
        estimates = [citing.estimate(excerpt, options, before=args.before, source=args.source) for excerpt in excerpts]
        # Once for all marks: a user who agrees to the first expects no further question.
        ask_consent(reduce(CostEstimate.plus, estimates), args, context, sent_data.CITATION, cheaper=_cheaper(args))
    attributions: list[Attribution] = []
    for excerpt in excerpts:
        try:
            task = citing.find(excerpt, options, k=args.k, before=args.before, source=args.source)
            attributions.append(context.run(task))
        except Stopped:
            # What was answered before ctrl+c has been paid for, so it is printed, and this excerpt is answered offline.
            report([*attributions, _offline(excerpt, args, context, engine)], args, context)
            raise
    return _report_run(attributions, engine, args, context, report)


def _cheaper(args: argparse.Namespace) -> str:
    return "a smaller --runs asks for less" if args.runs is not None else "--pick asks about one mark"


def show_recorded(args: argparse.Namespace, context: Context, report: ReportAttributions) -> int:
    """Prints the recorded run that `--replay` or `--resume` names, and its answer."""
    if args.replay is not None and args.resume:
        raise UsageError("--replay shows a search, --resume continues it; use one of them")
    if args.dry_run:
        raise UsageError("what --resume would ask depends on the replies to come; --dry-run is for a new search")
    if args.excerpt or args.all_marks or args.agent is not None:
        raise UsageError("--replay and --resume already have an excerpt; leave out the excerpt and --agent")
    if args.replay == "":
        return _list_runs(args, context)
    engine = context.engine()
    if args.resume:
        resumed = context.run(engine.citing.resume(args.resume, _read_agent_options(args, context), k=args.k))
        return _report_run([resumed], engine, args, context, report)
    attribution = context.run(engine.citing.replay(args.replay, k=args.k))
    if not (args.json or args.key or args.bibtex or args.append is not None):
        from litterm.render.attribution.trajectory import trajectory_lines

        for trajectory in engine.citing.open_runs(args.replay):
            context.output.write_lines(trajectory_lines(trajectory, context.line_options()))
    return report([attribution], args, context)


def _list_runs(args: argparse.Namespace, context: Context) -> int:
    """Prints every recorded run."""
    from litterm.render.attribution.trajectory import summary_data, summary_line

    runs = context.engine().citing.all()
    if args.json:
        context.output.write_json({"count": len(runs), "trajectories": [summary_data(run) for run in runs]})
        return 0
    context.output.write_lines([summary_line(run, context.line_options()) for run in runs])
    if not runs:
        context.output.say("There is no recorded search yet; `litterm cite EXCERPT --agent` makes one.")
    return 0


def _report_run(
    attributions: Sequence[Attribution],
    engine: Engine,
    args: argparse.Namespace,
    context: Context,
    report: ReportAttributions,
) -> int:
    status = report(attributions, args, context)
    for attribution in attributions:
        if attribution.trajectory:
            context.output.say(f"What the model did, step by step: litterm cite --replay {attribution.trajectory}")
    return EXIT_FAILED if any(_has_failed(attribution, engine) for attribution in attributions) else status


def _has_failed(attribution: Attribution, engine: Engine) -> bool:
    """Whether the agent gave no answer; that no paper fits is an answer."""
    # An attribution by another method is the offline answer that replaced the agent's.
    if attribution.by.startswith("agent "):
        return False
    if attribution.votes:
        return not attribution.votes[0].answered
    return not attribution.trajectory or engine.citing.open(attribution.trajectory).choice.ended != "none"


def _offline(excerpt: Excerpt, args: argparse.Namespace, context: Context, engine: Engine) -> Attribution:
    answer = context.run(engine.cite(excerpt, k=args.k, before=args.before, source=args.source))
    notice = "You stopped the model, so this is the offline ranking; `litterm cite --resume last` continues."
    return replace(answer, notices=(notice, *answer.notices))


def _excerpts(text: str, args: argparse.Namespace, engine: Engine) -> list[Excerpt]:
    """The excerpt read once for each mark that is to be answered."""
    if not args.all_marks:
        return [engine.excerpt(text, args.pick - 1)]
    marks = range(max(1, len(engine.excerpt(text).marks)))
    return [engine.excerpt(text, mark) for mark in marks]


def _read_agent_options(args: argparse.Namespace, context: Context) -> AgentOptions:
    if args.online and context.settings.offline:
        context.output.say("The network is off, so the agent searches only your library.")
    options = AgentOptions(
        online=args.online, cached=not args.no_cache, temperature=args.temperature, runs=args.runs or 1
    )
    return options if args.variant is None else args.variant.apply(options)
