"""`litterm list TOPIC`: a reading list, saved in the project."""

from __future__ import annotations

import argparse
from contextlib import suppress
from typing import TYPE_CHECKING

from litterm.cli.context import Context
from litterm.cli.llm_consent import ask_consent, show_requests
from litterm.cli.parser import int_between, join_words
from litterm.cli.terminal.output import FORCE_HELP
from litterm.core.errors import ModelError, UnknownReadingList, UsageError
from litterm.model.reading_list import DEFAULT_PAPERS, MAX_PAPERS, MIN_PAPERS, ListLlmOptions, ListRequest
from litterm.render import sent_data
from litterm.text.plural import count_phrase

if TYPE_CHECKING:
    from litterm.engine import Engine
    from litterm.model.annotations import ReadStatus
    from litterm.model.paper import PaperId
    from litterm.model.reading_list import ReadingList
    from litterm.reading_lists.llm_builder import ModelListBuilder

_MAX_SEEDS = 20
"""Papers of a query or a draft that a list starts from, at most."""
_MAX_DRAFT_CHARS, _MAX_DRAFT_WORDS = 12_000, 1_500
"""Of a draft that are read: its beginning says what it is about, and a server takes no longer queries."""
_FORMATS = ("json", "md", "bibtex", "html")


def declare(_command: str, parser: argparse.ArgumentParser) -> None:
    """Adds the topic, what limits the list, and the form of the answer."""
    parser.add_argument("topic", nargs="*", metavar="TOPIC", help="keywords separated by commas, or a sentence")
    parser.add_argument(
        "-n",
        type=int_between(MIN_PAPERS, MAX_PAPERS),
        default=None,
        metavar="N",
        help=f"number of papers, 3 to 20 (default {DEFAULT_PAPERS})",
    )
    parser.add_argument("--until", type=int_between(1000, 9999), metavar="YEAR", help="no paper newer than this year")
    parser.add_argument(
        "--from",
        dest="source",
        metavar="QUERY|PROJECT|FILE",
        help="start from the papers of a project, the first results of a query, or the papers that a draft cites",
    )
    other_queries = parser.add_mutually_exclusive_group()
    other_queries.add_argument(
        "--rewrite",
        action="store_true",
        help="search other queries for the topic, too, which the language model writes",
    )
    other_queries.add_argument("--rewrites", metavar="A || B", help="search these queries, too")
    parser.add_argument("--sections", action="store_true", help="group the list under two to five headings")
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--list", action="store_true", help="show all lists")
    way.add_argument("--resume", metavar="ID", help="show a list again; `last` is the most recently changed one")
    way.add_argument("--again", metavar="ID", help="regenerate a list: pinned papers stay, dropped ones stay out")
    way.add_argument("--delete", metavar="ID", help="delete a list; undo in the workbench restores it")
    way.add_argument("--expert", metavar="PAPER", help="show the reading list that a tutorial or survey prints")
    group = parser.add_argument_group("with a language model", "`litterm config model` sets one up")
    group.add_argument("--model", action="store_true", help="let the model choose and order papers of the library")
    group.add_argument(
        "--online", action="store_true", help="look up titles that the model names and the library lacks, and add them"
    )
    group.add_argument("--no-cache", action="store_true", help="ask again even if a reply is cached")
    group.add_argument("--dry-run", action="store_true", help="print the request without sending it")
    group.add_argument("--yes", action="store_true", help="accept the cost estimate without being asked")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="JSON on stdout, including the published format")
    form.add_argument("--md", action="store_true", help="Markdown with a checkbox for each paper")
    form.add_argument("--bibtex", action="store_true", help="BibTeX entries in the order of the list")
    form.add_argument("--html", action="store_true", help="one HTML page with a timeline of who cites whom")
    parser.add_argument("-o", dest="output", metavar="FILE", help="write the list to this file")
    parser.add_argument("--force", action="store_true", help=FORCE_HELP)


def run(_command: str, args: argparse.Namespace, context: Context) -> int:
    """Makes a reading list, or shows, remakes or deletes a saved one."""
    engine, topic = context.engine(), join_words(args.topic)
    if args.online and not args.model:
        raise UsageError("--online goes with --model: only a model names titles that are not here")
    if args.online and context.settings.offline:
        raise UsageError("--online asks services, and the network is switched off")
    actions = [action for action in ("list", "resume", "again", "delete", "expert") if getattr(args, action)]
    if actions:
        _refuse_options(actions[0], topic, args)
    if args.list:
        return _show_all(engine, args, context)
    if args.expert:
        return _show_expert(engine, args, context)
    if args.delete:
        return _delete(engine, args, context)
    if args.dry_run:
        show_requests(
            context.run(engine.reading_lists.preview(_request(engine, topic, args, context))),
            context,
            more_follow=False,
        )
        return 0
    _show(engine, _make_or_open(engine, topic, args, context), args, context)
    return 0


def _refuse_options(action: str, topic: str, args: argparse.Namespace) -> None:
    """Refuses what belongs to a new list, or to one that is shown, beside a saved list or all of them.

    Raises:
        UsageError: there is such an option.
    """
    if topic:
        raise UsageError(f"--{action} takes no topic")
    new = {
        "-n": args.n,
        "--until": args.until,
        "--from": args.source,
        "--sections": args.sections,
        "--rewrite": args.rewrite,
        "--rewrites": args.rewrites,
    }
    if given := [option for option, value in new.items() if value]:
        raise UsageError(f"{', '.join(given)}: only for a new list, not with --{action}")
    if action in ("list", "delete", "expert") and args.output:
        raise UsageError(f"-o: only for a list that is shown, not with --{action}")


def _make_or_open(engine: Engine, topic: str, args: argparse.Namespace, context: Context) -> ReadingList:
    lists = engine.reading_lists
    if args.resume:
        return lists.open(args.resume)
    if args.again:
        before = lists.open(args.again)
        return context.run(lists.regenerate(args.again, _model_builder(engine, before.request, args, context)))
    request = _request(engine, topic, args, context)
    return context.run(lists.make(request, _model_builder(engine, request, args, context)))


def _request(engine: Engine, topic: str, args: argparse.Namespace, context: Context) -> ListRequest:
    if not topic:
        raise UsageError("give a topic, or --list, --resume ID, --again ID or --delete ID")
    seeds = _seeds(engine, join_words([args.source]), context) if args.source else ()
    queries = _other_queries(engine, topic, args, context)
    return ListRequest(topic, args.n or DEFAULT_PAPERS, args.until, args.sections, seeds=seeds, queries=queries)


def _other_queries(engine: Engine, topic: str, args: argparse.Namespace, context: Context) -> tuple[str, ...]:
    """Other queries for the papers on the topic, by the user or the model."""
    from litterm.cli.search.rewrites import written_by_model
    from litterm.text.queries.parser import literal_query

    query = literal_query(topic)
    if args.rewrites is not None:
        return engine.rewriting.read(join_words([args.rewrites]), query).queries
    rewrite = written_by_model(query, args, engine, context) if args.rewrite else None
    if rewrite is None:
        return ()
    context.output.say(f"Searched, too: {' · '.join(rewrite.queries)}")
    return rewrite.queries


def _seeds(engine: Engine, source: str, context: Context) -> tuple[PaperId, ...]:
    """The papers a list starts from: of a project, the first for a query, or those a draft cites or is about."""
    from pathlib import Path

    from litterm.text.queries.parser import literal_query

    # A project first: its name is a deliberate choice, where any word is a query.
    if source in engine.annotations.projects.all():
        return engine.reading_lists.papers_of(source)
    path = Path(source)
    cited: tuple[PaperId, ...] = ()
    if path.is_file():
        project = engine.drafts.read(path)
        cited = context.run(engine.drafts.find_cited_papers(project))
        words = "\n\n".join(file.draft.text for file in project.files)[:_MAX_DRAFT_CHARS].split()
        query = literal_query(" ".join(words[:_MAX_DRAFT_WORDS]))
        context.output.say(f"The draft cites {count_phrase(len(cited), 'paper')} of the library.")
    else:
        query = engine.parse(source)
    ranking = context.run(engine.search(query, k=_MAX_SEEDS))
    return tuple(dict.fromkeys((*cited, *(result.paper.id for result in ranking.papers if result.is_own))))


def _model_builder(
    engine: Engine, request: ListRequest, args: argparse.Namespace, context: Context
) -> ModelListBuilder | None:
    """The builder that uses the model, once the user agrees to what it may cost; `None` without a model."""
    if not args.model:
        return None
    try:
        builder = engine.reading_lists.open_model_builder(ListLlmOptions(fresh=args.no_cache, online=args.online))
    except ModelError as error:
        context.output.say(f"No model was asked: {error}")
        return None
    with suppress(ModelError):
        # A model that cannot be asked costs nothing; the list says why, and is made without it.
        ask_consent(
            context.run(builder.estimate(request)),
            args,
            context,
            sent_data.READING_LIST,
            cheaper="a list without --model is free",
        )
    return builder


def _show_all(engine: Engine, args: argparse.Namespace, context: Context) -> int:
    summaries = engine.reading_lists.all()
    if args.json:
        names = ("id", "topic", "papers", "read", "made")
        context.output.write_json(
            {"lists": [{name: getattr(summary, name) for name in names} for summary in summaries]}
        )
    else:
        options = context.line_options()
        context.output.write_lines(
            options.text(f"{summary.id}: {summary.topic} ({summary.read} of {summary.papers} read)")
            for summary in summaries
        )
    if not summaries:
        context.output.say('No reading list yet; `litterm list "TOPIC"` makes one.')
    return 0


def _delete(engine: Engine, args: argparse.Namespace, context: Context) -> int:
    deleted = engine.reading_lists.delete(args.delete)
    if args.json:
        context.output.write_json({"deleted": deleted})
    context.output.say(f"Deleted the reading list {deleted}.")
    return 0


def _show_expert(engine: Engine, args: argparse.Namespace, context: Context) -> int:
    """The list that a paper prints; 3 where it prints none."""
    from litterm.render.reading_lists import expert_list

    paper = engine.paper(args.expert)
    lists = engine.reading_lists.expert_lists
    found = context.run(lists.of_paper(paper.id)) if lists is not None else None
    if found is None:
        raise UnknownReadingList(f"The full text of {paper.id} is not here, or has no section with a reading list.")
    if args.json:
        context.output.write_json(expert_list.expert_data(found))
    else:
        context.output.write_lines(expert_list.expert_lines(found, context.line_options()))
    context.output.say(f"{len(found.held)} of {count_phrase(len(found.references), 'work')} are in your library.")
    return 0


def _show(engine: Engine, reading_list: ReadingList, args: argparse.Namespace, context: Context) -> None:
    statuses: dict[PaperId, ReadStatus] = {
        entry.paper.id: engine.reading_lists.status(entry.paper.id) for entry in reading_list.entries
    }
    output_format = next((output_format for output_format in _FORMATS if getattr(args, output_format)), "")
    text = _format_list(reading_list, statuses, output_format, context)
    if args.output and args.output != "-":
        _write(text, args, context)
    else:
        context.output.write(text)
    for notice in reading_list.notices:
        context.output.say(notice)
    if not reading_list.entries:
        context.output.say("No paper in the library is about that.")
    elif reading_list.id:
        read_count = sum(status == "read" for status in statuses.values())
        context.output.say(f"List {reading_list.id}: {len(reading_list.entries)} papers, {read_count} read.")


def _format_list(result: ReadingList, statuses: dict[PaperId, ReadStatus], output_format: str, context: Context) -> str:
    from litterm.render import json
    from litterm.render.reading_lists import html as reading_list_html
    from litterm.render.reading_lists import reading_list

    if output_format == "json":
        body = {"schema": json.schema_name("list"), **reading_list.list_data(result, statuses)}
        return json.dumps(body, ascii_only=not context.output.is_unicode)
    if output_format == "md":
        return reading_list.list_markdown(result, statuses, context.engine().citation_keys)
    if output_format == "bibtex":
        return reading_list.list_bibtex(result, context.engine().citation_keys)
    if output_format == "html":
        return reading_list_html.dumps(result, statuses)
    return "\n".join(reading_list.list_lines(result, context.line_options(), statuses))


def _write(text: str, args: argparse.Namespace, context: Context) -> None:
    from pathlib import Path

    from litterm.core.user_files import write_file

    content = text if text.endswith("\n") else f"{text}\n"
    backup = write_file(Path(args.output), content.encode("utf-8", "replace"), force=args.force)
    if backup is not None:
        context.output.say(f"Previous version saved as {backup}.")
    context.output.say(f"Written to {args.output}.")
