"""`litterm cite --agent`: a language model searches, reads and selects; what it did is kept and can be seen again."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, TypeAlias

from litterm.cli.context import Context
from litterm.cli.evidence.llm import agree, show
from litterm.core.errors import ModelError, Stopped, UsageError
from litterm.model.agent import AgentUse
from litterm.model.citation import Attribution
from litterm.model.llm import CostEstimate

if TYPE_CHECKING:
    from litterm.engine import Engine
    from litterm.model.citation import Excerpt

FAILED = 4
Conclude: TypeAlias = "Callable[[Sequence[Attribution], argparse.Namespace, Context], int]"
"""Shows answers and gives the exit status."""


def declare(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the agent."""
    group = parser.add_argument_group("with a language model", "litterm config model sets one up")
    group.add_argument(
        "--agent",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="let the model search, read and select (or not)",
    )
    group.add_argument("--online", action="store_true", help="let it also search online services and fetch full texts")
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


def wanted(args: argparse.Namespace) -> bool:
    """Whether the agent is asked for.

    Raises:
        UsageError: options for it stand beside `--no-agent`, or without `--agent`.
    """
    implied = [name for name in ("online", "no_cache", "dry_run", "yes") if getattr(args, name)]
    if implied and not args.agent and not args.resume:
        named = ", ".join(f"--{name.replace('_', '-')}" for name in implied)
        raise UsageError(f"{named}: for the language model; add --agent")
    return bool(args.agent)


def run(text: str, args: argparse.Namespace, context: Context, conclude: Conclude) -> int:
    """The agent's answers, once the user agrees to what they may cost; after a rehearsal the requests alone.

    Where it fails the offline answer is shown all the same, and the status is 4.
    """
    engine = context.engine()
    excerpts, use, citing = _excerpts(text, args, engine), _use(args, context), engine.citing
    if args.dry_run:
        previews = (citing.preview(each, use, before=args.before, source=args.source) for each in excerpts)
        show([request for preview in previews for request in context.drive(preview)], context, more=True)
        return 0
    with suppress(ModelError):
        # A model that cannot be asked costs nothing; `find` says why, and answers without it.
        estimates = [citing.estimate(each, use, before=args.before, source=args.source) for each in excerpts]
        agree(reduce(CostEstimate.plus, estimates), args, context, less="--pick asks about one mark")
    found: list[Attribution] = []
    for each in excerpts:
        try:
            task = citing.find(each, use, k=args.k, before=args.before, source=args.source)
            found.append(context.drive(task))
        except Stopped:
            conclude([*found, _offline(each, args, context, engine)], args, context)
            raise
    return _ended(found, engine, args, context, conclude)


def again(args: argparse.Namespace, context: Context, conclude: Conclude) -> int:
    """The search that `--replay` or `--resume` names, and its answer."""
    if args.replay is not None and args.resume:
        raise UsageError("--replay shows a search, --resume continues it; use one of them")
    if args.dry_run:
        raise UsageError("what --resume would ask depends on the replies to come; --dry-run is for a new search")
    if args.excerpt or args.all_marks or args.agent is not None:
        raise UsageError("--replay and --resume already have an excerpt; leave out the excerpt and --agent")
    if args.replay == "":
        return overview(args, context)
    engine = context.engine()
    if args.resume:
        resumed = context.drive(engine.citing.resume(args.resume, _use(args, context), k=args.k))
        return _ended([resumed], engine, args, context, conclude)
    found = context.drive(engine.citing.replay(args.replay, k=args.k))
    if not (args.json or args.key or args.bibtex or args.append is not None):
        from litterm.render.trajectory import trajectory

        context.output.lines(trajectory(engine.citing.open(args.replay), context.look()))
    return conclude([found], args, context)


def overview(args: argparse.Namespace, context: Context) -> int:
    """Every search that is kept."""
    from litterm.render.trajectory import summary, summary_line

    kept = context.engine().citing.all()
    if args.json:
        context.output.json({"count": len(kept), "trajectories": [summary(each) for each in kept]})
        return 0
    context.output.lines([summary_line(each, context.look()) for each in kept])
    if not kept:
        context.output.say("There is no recorded search yet; `litterm cite EXCERPT --agent` makes one.")
    return 0


def _ended(
    found: Sequence[Attribution], engine: Engine, args: argparse.Namespace, context: Context, conclude: Conclude
) -> int:
    status = conclude(found, args, context)
    for each in found:
        if each.trajectory:
            context.output.say(f"What the model did, step by step: litterm cite --replay {each.trajectory}")
    return FAILED if any(_has_failed(each, engine) for each in found) else status


def _has_failed(found: Attribution, engine: Engine) -> bool:
    """Whether the agent that was asked for gave no answer; that no paper fits is one."""
    if found.by.startswith("agent "):
        return False
    return not found.trajectory or engine.citing.open(found.trajectory).choice.ended != "none"


def _offline(excerpt: Excerpt, args: argparse.Namespace, context: Context, engine: Engine) -> Attribution:
    answer = context.drive(engine.cite(excerpt, k=args.k, before=args.before, source=args.source))
    notice = "You stopped the model, so this is the offline ranking; `litterm cite --resume last` continues."
    return replace(answer, notices=(notice, *answer.notices))


def _excerpts(text: str, args: argparse.Namespace, engine: Engine) -> list[Excerpt]:
    """The excerpt as it is read, once for each mark asked about."""
    if not args.all_marks:
        return [engine.excerpt(text, args.pick - 1)]
    marks = range(max(1, len(engine.excerpt(text).marks)))
    return [engine.excerpt(text, mark) for mark in marks]


def _use(args: argparse.Namespace, context: Context) -> AgentUse:
    if args.online and context.settings.offline:
        context.output.say("The network is off, so the agent searches only your library.")
    return AgentUse(online=args.online, cached=not args.no_cache)
