"""Consent before a command asks a language model: what it may cost, or with `--dry-run` what would be sent."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from litterm.core.errors import Stopped, UsageError
from litterm.render import sent_data
from litterm.text.plural import count_phrase

if TYPE_CHECKING:
    from litterm.cli.context import Context
    from litterm.model.llm import CostEstimate


def show_requests(requests: Sequence[str], context: Context, *, more_follow: bool) -> None:
    """Prints what would be sent; `more_follow` says that further requests would depend on the replies."""
    context.output.write("".join(f"{request.rstrip()}\n" for request in requests))
    remark = " The last requests depend on the replies to these." if more_follow and requests else ""
    context.output.say(f"{count_phrase(len(requests), 'request')}; nothing was sent.{remark}")


def ask_consent(
    estimate: CostEstimate,
    args: argparse.Namespace,
    context: Context,
    sent: str = sent_data.CASES,
    *,
    cheaper: str = "--shortlist and -k ask for less",
) -> None:
    """Says what is sent where and what it may cost, and waits for consent to a large run.

    `sent` is one of `render.sent_data`; `cheaper` says how to make the run smaller.

    Raises:
        UsageError: there is no terminal to ask on.
        Stopped: the user does not want it.
    """
    if not estimate.calls:
        return
    from litterm.render.cost import caps_words, destination_words, estimate_words

    say = context.output.say
    say(destination_words(estimate, sent))
    say(estimate_words(estimate))
    if estimate.dollars != 0:
        say(caps_words(context.settings.model))
    if args.yes or not estimate.needs_consent:
        return
    if sys.stdin is None or not sys.stdin.isatty():
        calls = count_phrase(estimate.calls, "call")
        raise UsageError(f"{calls} with {estimate.prompt_tokens:,} tokens need your consent; --yes gives it, {cheaper}")
    context.output.say("Ask the model? y or n, then return")
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise Stopped("Nothing was sent.")
