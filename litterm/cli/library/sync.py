"""`litterm sync`: collections of services into the library, and later what is new in them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from litterm.cli.context import Context
from litterm.cli.search import watch
from litterm.core.errors import ServiceError, UsageError
from litterm.render import subscription

if TYPE_CHECKING:
    from litterm.model.services import Scope, Subscription, SyncReport

_PARTLY = 1
_COUNTS = "counts"
"""Not a collection: citation counts of papers that are in the library."""
_MOST_COUNTED = 1_000
"""Papers of a query whose citations are counted, where `--limit` says nothing."""


def declare(verb: str, parser: argparse.ArgumentParser) -> None:
    """Adds what to keep in step with."""
    parser.add_argument(
        "source",
        nargs="?",
        metavar="SOURCE",
        help="acl, iclr, pmc, arxiv or s2; without one, everything subscribed; counts: how often papers here are cited",
    )
    parser.add_argument("query", nargs="*", metavar="QUERY", help="what to look for, in the service's query language")
    parser.add_argument("--since", type=int, metavar="YEAR", help="papers of this year and later")
    parser.add_argument("--years", metavar="2019..2023", help="papers of these years")
    parser.add_argument("--venues", metavar="acl,emnlp", help="only these venues, where the service supports it")
    parser.add_argument("--limit", type=int, default=0, metavar="N", help="at most this many papers; 0 for all")
    act = parser.add_mutually_exclusive_group()
    act.add_argument("--list", action="store_true", help="list subscriptions and their progress")
    act.add_argument("--forget", action="store_true", help="unsubscribe; its papers stay in the library")
    parser.add_argument("--json", action="store_true", help="JSON on stdout")


def run(verb: str, args: argparse.Namespace, context: Context) -> int:
    """1 if some of it failed, 4 if a service failed and nothing came."""
    sources = context.engine().sources
    if args.list:
        return _list(sources.subscriptions(), context, as_json=args.json)
    if args.source == _COUNTS:
        return _count(args, context)
    if not args.source:
        return _report(context.drive(sources.sync_all()), context, as_json=args.json)
    scope = _scope(args)
    if args.forget:
        known = [each for each in sources.subscriptions() if (each.source, each.scope) == (args.source, scope)]
        if not known or not sources.unsubscribe(known[0]):
            raise UsageError("there is no such subscription; `litterm sync --list` shows them")
        context.output.say(f"{subscription.title(known[0])}: no longer subscribed; its papers stay")
        return 0
    done = context.drive(sources.sync(args.source, scope))
    return _report((done,), context, as_json=args.json)


def _count(args: argparse.Namespace, context: Context) -> int:
    """Citation counts of the papers a query finds in the library, else of all of it."""
    from litterm.render import citation_counts

    engine = context.engine()
    if args.forget or args.since or args.years or args.venues:
        raise UsageError("`litterm sync counts` takes a QUERY of the library and --limit; filters go into the query")
    papers = None
    if args.query or args.limit:
        ranking = context.drive(engine.search(" ".join(args.query), k=args.limit or _MOST_COUNTED))
        papers = [each.paper for each in ranking.papers if not each.starter]
    report = context.drive(engine.counts.sync(papers))
    if args.json:
        context.output.json({"counts": citation_counts.report_data(report)})
    else:
        context.output.lines([context.look().text(citation_counts.report_sentence(report))])
    troubled = [each for each in report.services if each.trouble]
    for each in troubled:
        again = " What came stays; the same command goes on from there." if each.transient else ""
        context.output.say(f"{each.trouble}{again}")
    if troubled and not any(each.known for each in report.services):
        return ServiceError.exit_code
    return _PARTLY if troubled else 0


def _scope(args: argparse.Namespace) -> Scope:
    from litterm.model.search import YearRange
    from litterm.model.services import Scope
    from litterm.text.queries.fields import years

    if args.since is not None and args.years:
        raise UsageError("--since and --years mean the same; use one of them")
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


def _report(done: Sequence[SyncReport], context: Context, *, as_json: bool) -> int:
    from litterm.render import lines

    look = context.look()
    for each in done:
        for line in lines.failures(each.report.failures[:20], look):
            context.output.say(line)
        if each.trouble:
            again = " What was stored stays; the same command continues." if each.transient else ""
            context.output.say(f"{subscription.title(each.subscription)}: {each.trouble}{again}")
    found = watch.news(context)
    if as_json:
        watches = [watch.told(each) for each in found]
        context.output.json({"synced": [_told(each) for each in done], "watches": watches})
    else:
        for each in done:
            first, *more = lines.imported(each.report, look)
            context.output.lines([look.text(f"{subscription.title(each.subscription)}: ") + first, *more])
        context.output.lines(watch.lines(found, context))
    return _status(done)


def _status(done: Sequence[SyncReport]) -> int:
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
        told = [
            f"{subscription.title(each)}: {subscription.stood(each)}",
            *([f"  {each.trouble}"] if each.trouble else []),
        ]
        context.output.lines(list(map(look.text, told)))
    if not subscriptions:
        context.output.say("Nothing is subscribed; `litterm sync SOURCE` subscribes.")
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


def _told(each: SyncReport) -> dict[str, object]:
    from litterm.render import json

    report = json.imported(each.report)
    return {**_subscribed(each.subscription), **report, "trouble": each.trouble, "transient": each.transient}
