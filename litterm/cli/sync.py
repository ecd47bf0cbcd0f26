"""`litterm sync`: collections of services into the library, and later what is new in them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from litterm.cli import watching
from litterm.cli.context import Context
from litterm.errors import ServiceError, UsageError
from litterm.render import subscribed

if TYPE_CHECKING:
    from litterm.model.sources import Scope, Subscription, Synced

_PARTLY = 1


def declare(verb: str, parser: argparse.ArgumentParser) -> None:
    """Adds what to keep in step with."""
    parser.add_argument("source", nargs="?", metavar="SOURCE", help="acl, iclr, pmc, arxiv or s2; none: all subscribed")
    parser.add_argument("query", nargs="*", metavar="QUERY", help="what to look for, in the language of the service")
    parser.add_argument("--since", type=int, metavar="YEAR", help="papers of this year and later")
    parser.add_argument("--years", metavar="2019..2023", help="papers of these years")
    parser.add_argument("--venues", metavar="acl,emnlp", help="only these venues, where the service can tell")
    parser.add_argument("--limit", type=int, default=0, metavar="N", help="at most so many papers; 0, all")
    act = parser.add_mutually_exclusive_group()
    act.add_argument("--list", action="store_true", help="what is subscribed, and how far it has come")
    act.add_argument("--forget", action="store_true", help="keep it in step no more; its papers stay")
    parser.add_argument("--json", action="store_true", help="JSON on stdout")


def run(verb: str, args: argparse.Namespace, context: Context) -> int:
    """1 if some of it failed, 4 if a service failed and nothing came."""
    sources = context.engine().sources
    if args.list:
        return _list(sources.subscriptions(), context, as_json=args.json)
    if not args.source:
        return _report(context.drive(sources.sync_all()), context, as_json=args.json)
    scope = _scope(args)
    if args.forget:
        known = [each for each in sources.subscriptions() if (each.source, each.scope) == (args.source, scope)]
        if not known or not sources.unsubscribe(known[0]):
            raise UsageError("there is no such subscription; `litterm sync --list` shows them")
        context.output.say(f"{subscribed.title(known[0])}: kept in step no more; its papers stay")
        return 0
    done = context.drive(sources.sync(args.source, scope))
    return _report((done,), context, as_json=args.json)


def _scope(args: argparse.Namespace) -> Scope:
    from litterm.model.search import YearRange
    from litterm.model.sources import Scope
    from litterm.text.fields import years

    if args.since is not None and args.years:
        raise UsageError("--since and --years say the same thing; give one of them")
    if args.limit < 0:
        raise UsageError("--limit must be 0 or more")
    span = YearRange(args.since, None)
    if args.years:
        try:
            span = years(args.years)
        except ValueError as error:
            raise UsageError(f"--years: {error}") from None
    venues = tuple(name.strip().lower() for name in (args.venues or "").split(",") if name.strip())
    return Scope(" ".join(args.query), span, venues, args.limit)


def _report(done: Sequence[Synced], context: Context, *, as_json: bool) -> int:
    from litterm.render import lines

    look = context.look()
    for each in done:
        for line in lines.failures(each.report.failures[:20], look):
            context.output.say(line)
        if each.trouble:
            again = " What was stored stays; the same command goes on from there." if each.transient else ""
            context.output.say(f"{subscribed.title(each.subscription)}: {each.trouble}{again}")
    found = watching.news(context)
    if as_json:
        watches = [watching.told(each) for each in found]
        context.output.json({"synced": [_told(each) for each in done], "watches": watches})
    else:
        for each in done:
            first, *more = lines.imported(each.report, look)
            context.output.lines([look.text(f"{subscribed.title(each.subscription)}: ") + first, *more])
        context.output.lines(watching.lines(found, context))
    return _status(done)


def _status(done: Sequence[Synced]) -> int:
    troubled = [each for each in done if each.trouble]
    if troubled and len(troubled) == len(done) and not any(each.report.added + each.report.merged for each in done):
        return ServiceError.exit_code
    return _PARTLY if troubled or any(each.report.failures for each in done) else 0


def _list(subscriptions: Sequence[Subscription], context: Context, *, as_json: bool) -> int:
    if as_json:
        context.output.json({"subscriptions": [_subscribed(each) for each in subscriptions]})
        return 0
    look = context.look()
    for each in subscriptions:
        told = [f"{subscribed.title(each)}: {subscribed.stood(each)}", *([f"  {each.trouble}"] if each.trouble else [])]
        context.output.lines(list(map(look.text, told)))
    if not subscriptions:
        context.output.say("Nothing is subscribed; `litterm sync SOURCE` begins.")
    return 0


def _subscribed(each: Subscription) -> dict[str, object]:
    scope = each.scope
    return {
        "source": each.source,
        "query": scope.query,
        "years": [scope.years.first, scope.years.last],
        "venues": list(scope.venues),
        "limit": scope.limit,
        "papers": each.papers,
        "complete": each.complete,
        "synced_at": each.synced_at,
        "trouble": each.trouble,
    }


def _told(each: Synced) -> dict[str, object]:
    from litterm.render import json

    report = json.imported(each.report)
    return {**_subscribed(each.subscription), **report, "trouble": each.trouble, "transient": each.transient}
