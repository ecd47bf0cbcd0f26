"""`litterm sync`: subscribes to collections of services and imports what is new in them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.cli.context import Context
from litterm.cli.search import watch
from litterm.core.errors import ServiceError, UsageError
from litterm.model.services import CATALOGUES
from litterm.render.services import subscription_state, subscription_title

if TYPE_CHECKING:
    from litterm.model.library import ImportReport
    from litterm.model.services import Scope, Subscription, SyncReport
    from litterm.render.subscriptions import SubscriptionData, SyncedData

_EXIT_PARTLY = 1
_COUNTS_SOURCE = "counts"
"""Instead of a collection: citation counts of the papers of the library."""
_FOLDER_SOURCE = "folder"
"""Instead of a collection: new and changed files of a folder."""
_DEFAULT_COUNT_LIMIT = 1_000
"""Papers of a query whose citations are counted, without `--limit`."""


def declare(command: str, parser: argparse.ArgumentParser) -> None:
    """Adds the collection, what limits it, and what to do with subscriptions."""
    parser.add_argument(
        "source",
        nargs="?",
        metavar="SOURCE",
        help=f"one of {', '.join(CATALOGUES)}, `counts` for how often papers are cited, or `folder` for new files",
    )
    parser.add_argument(
        "query", nargs="*", metavar="QUERY", help="what to look for, in the service's query language, or a folder"
    )
    parser.add_argument("--since", type=int, metavar="YEAR", help="papers of this year and later")
    parser.add_argument("--years", metavar="2019..2023", help="papers of these years")
    parser.add_argument("--venues", metavar="acl,emnlp", help="only these venues, where the service supports it")
    parser.add_argument("--limit", type=int, default=0, metavar="N", help="at most this many papers (default 0: all)")
    act = parser.add_mutually_exclusive_group()
    act.add_argument("--list", action="store_true", help="list subscriptions and their progress")
    act.add_argument("--forget", action="store_true", help="unsubscribe; its papers stay in the library")
    parser.add_argument("--json", action="store_true", help="JSON on stdout")


def run(command: str, args: argparse.Namespace, context: Context) -> int:
    """1 if some of it failed, 4 if a service failed and nothing came."""
    if args.source == _FOLDER_SOURCE and not args.list:
        return _sync_folder(args, context)
    services = context.engine().services
    if args.list:
        return _list(services.subscriptions(), context, as_json=args.json)
    if args.source == _COUNTS_SOURCE:
        return _sync_counts(args, context)
    if not args.source:
        return _sync_all(args, context)
    scope = _scope(args)
    if args.forget:
        matching = [
            candidate
            for candidate in services.subscriptions()
            if (candidate.source, candidate.scope) == (args.source, scope)
        ]
        if not matching or not services.unsubscribe(matching[0]):
            raise UsageError("there is no such subscription; `litterm sync --list` shows them")
        context.output.say(f"{subscription_title(matching[0])}: no longer subscribed; its papers stay")
        return 0
    report = context.run(services.sync(args.source, scope))
    return _report((report,), context, as_json=args.json)


def _sync_all(args: argparse.Namespace, context: Context) -> int:
    """Brings all subscriptions and the watched folder of the settings up to date."""
    engine, watched = context.engine(), context.settings.watched_folder
    folder = None
    # A group's server has the papers of others: no folder is watched there.
    if watched and not context.settings.server:
        try:
            folder = context.run(engine.watched_folders.sync(Path(watched).expanduser()))
        except UsageError as error:
            # A folder on a drive that is not there must not keep the subscriptions from their news.
            context.output.say(f"The watched folder is left out: {error}.")
    status = _report(context.run(engine.services.sync_all()), context, as_json=args.json, folder=folder)
    if folder is not None:
        context.run(engine.after_import())
    return status


def _sync_folder(args: argparse.Namespace, context: Context) -> int:
    """Imports the new and changed files of the folder given, else of the watched folder of the settings."""
    from litterm.cli.library.add import report_import

    if args.forget or args.since or args.years or args.venues or args.limit or len(args.query) > 1:
        raise UsageError("`litterm sync folder` takes one PATH and nothing else")
    folder = args.query[0] if args.query else context.settings.watched_folder
    if not folder:
        raise UsageError("give a PATH, or set `watched_folder`")
    engine = context.engine()
    report = context.run(engine.watched_folders.sync(Path(folder).expanduser()))
    status = report_import(report, context, as_json=args.json)
    context.run(engine.after_import())
    return status


def _sync_counts(args: argparse.Namespace, context: Context) -> int:
    """Fetches citation counts for the papers a query finds in the library, else for all of them."""
    from litterm.render.citations import citation_counts

    engine = context.engine()
    if args.forget or args.since or args.years or args.venues:
        raise UsageError("`litterm sync counts` takes a QUERY of the library and --limit; filters go into the query")
    papers = None
    if args.query or args.limit:
        ranking = context.run(engine.search(" ".join(args.query), k=args.limit or _DEFAULT_COUNT_LIMIT))
        papers = [service.paper for service in ranking.papers if service.is_own]
    report = context.run(engine.counts.sync(papers))
    if args.json:
        context.output.write_json({"counts": citation_counts.report_data(report)})
    else:
        context.output.write_lines([context.line_options().text(citation_counts.report_sentence(report))])
    troubled = [service for service in report.services if service.trouble]
    for service in troubled:
        advice = " What was stored stays; the same command continues." if service.transient else ""
        context.output.say(f"{service.trouble}{advice}")
    if troubled and not any(service.known for service in report.services):
        return ServiceError.exit_code
    return _EXIT_PARTLY if troubled else 0


def _scope(args: argparse.Namespace) -> Scope:
    from litterm.model.search import YearRange
    from litterm.model.services import Scope
    from litterm.text.queries.fields import parse_years

    if args.since is not None and args.years:
        raise UsageError("--since and --years mean the same; use one of them")
    if args.limit < 0:
        raise UsageError("--limit must be 0 or more")
    span = YearRange(args.since, None)
    if args.years:
        try:
            span = parse_years(args.years)
        except ValueError as error:
            raise UsageError(f"--years: {error}") from None
    venues = tuple(name.strip().lower() for name in (args.venues or "").split(",") if name.strip())
    return Scope(" ".join(args.query), span, venues, args.limit)


def _report(
    reports: Sequence[SyncReport], context: Context, *, as_json: bool, folder: ImportReport | None = None
) -> int:
    from litterm.render import lines

    options = context.line_options()
    for report in reports:
        for line in lines.failures(report.report.failures[:20], options):
            context.output.say(line)
        if report.trouble:
            advice = " What was stored stays; the same command continues." if report.transient else ""
            context.output.say(f"{subscription_title(report.subscription)}: {report.trouble}{advice}")
    failed = folder.failures if folder is not None else ()
    for line in lines.failures(failed[:20], options):
        context.output.say(line)
    news = watch.news(context)
    if as_json:
        from litterm.render.imports import import_report_data

        watches = [watch.news_data(report) for report in news]
        of_folder = {} if folder is None else {"folder": import_report_data(folder)}
        synced = [_report_data(report) for report in reports]
        context.output.write_json({"synced": synced, "watches": watches, **of_folder})
    else:
        if folder is not None:
            first, *details = lines.import_report(folder, options)
            context.output.write_lines([options.text(f"{context.settings.watched_folder}: ") + first, *details])
        for report in reports:
            first, *details = lines.import_report(report.report, options)
            context.output.write_lines([options.text(f"{subscription_title(report.subscription)}: ") + first, *details])
        context.output.write_lines(watch.lines(news, context))
    return max(_status(reports), _EXIT_PARTLY if failed else 0)


def _status(reports: Sequence[SyncReport]) -> int:
    troubled = [report for report in reports if report.trouble]
    if (
        troubled
        and len(troubled) == len(reports)
        and not any(report.report.added + report.report.merged for report in reports)
    ):
        return ServiceError.exit_code
    return _EXIT_PARTLY if troubled or any(report.report.failures for report in reports) else 0


def _list(subscriptions: Sequence[Subscription], context: Context, *, as_json: bool) -> int:
    if as_json:
        context.output.write_json({"subscriptions": [_subscription_data(subscribed) for subscribed in subscriptions]})
        return 0
    options = context.line_options()
    for subscribed in subscriptions:
        description = [
            f"{subscription_title(subscribed)}: {subscription_state(subscribed)}",
            *([f"  {subscribed.trouble}"] if subscribed.trouble else []),
        ]
        context.output.write_lines(list(map(options.text, description)))
    if not subscriptions:
        context.output.say("Nothing is subscribed; `litterm sync SOURCE` subscribes.")
    return 0


def _subscription_data(subscribed: Subscription) -> SubscriptionData:
    scope = subscribed.scope
    return {
        "source": subscribed.source,
        "query": scope.query,
        "years": [scope.years.first, scope.years.last],
        "venues": list(scope.venues),
        "limit": scope.limit,
        "papers": subscribed.papers,
        "complete": subscribed.complete,
        "synced_at": subscribed.synced_at,
        "trouble": subscribed.trouble,
    }


def _report_data(synced: SyncReport) -> SyncedData:
    from litterm.render.imports import import_report_data

    report = import_report_data(synced.report)
    return {
        **_subscription_data(synced.subscription),
        **report,
        "trouble": synced.trouble,
        "transient": synced.transient,
    }
