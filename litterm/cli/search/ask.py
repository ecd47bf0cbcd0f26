"""`litterm ask QUESTION`: sentences of papers that answer; with `--model` what a language model writes from them."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from litterm.cli.llm_consent import ask_consent, show_requests
from litterm.cli.parser import join_words, parse_capped_int
from litterm.cli.search.search import declare_filters, filter_values, with_filters
from litterm.cli.search.typed_query import parse_typed
from litterm.cli.terminal.output import FORCE_HELP
from litterm.core.errors import ModelError, UsageError
from litterm.model.answer import (
    DEFAULT_ANSWER_PAPERS,
    DEFAULT_ANSWER_SENTENCES,
    MAX_ANSWER_PAPERS,
    MAX_ANSWER_SENTENCES,
)
from litterm.model.written_answer import DEFAULT_WRITTEN_PAPERS, MAX_WRITTEN_PAPERS
from litterm.render import sent_data

if TYPE_CHECKING:
    from litterm.cli.context import Context
    from litterm.model.answer import Answer
    from litterm.model.written_answer import WrittenAnswer

EXIT_SILENT = 5


def declare(_command: str, parser: argparse.ArgumentParser) -> None:
    """Adds the question, the filters of a search and the form of the answer."""
    parser.add_argument(
        "question",
        nargs="*",
        metavar="QUESTION",
        help="a question or a claim; several at once: A? and how B? or A || B; filters work as in search",
    )
    parser.add_argument(
        "-k",
        type=parse_capped_int(MAX_ANSWER_SENTENCES),
        default=DEFAULT_ANSWER_SENTENCES,
        metavar="N",
        help=f"at most this many sentences (default {DEFAULT_ANSWER_SENTENCES})",
    )
    parser.add_argument(
        "--papers",
        type=parse_capped_int(MAX_ANSWER_PAPERS),
        metavar="N",
        help=f"papers of the search that are read (default {DEFAULT_ANSWER_PAPERS}; with --model "
        f"{DEFAULT_WRITTEN_PAPERS}, at most {MAX_WRITTEN_PAPERS})",
    )
    declare_filters(parser)
    group = parser.add_argument_group("with a language model", "`litterm config model` sets one up")
    group.add_argument(
        "--model",
        action="store_true",
        help="let the model write sentences from quotes, each checked against its quotes; what fails is struck out",
    )
    group.add_argument("--no-cache", action="store_true", help="ask again even if a reply is cached")
    group.add_argument("--dry-run", action="store_true", help="print the request without sending it")
    group.add_argument("--yes", action="store_true", help="accept the cost estimate without being asked")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="JSON on stdout")
    form.add_argument("--md", action="store_true", help="Markdown with citations")
    form.add_argument(
        "--latex", action="store_true", help="LaTeX with \\cite; with -o FILE also its bibliography in FILE.bib"
    )
    parser.add_argument("-o", dest="output", metavar="FILE", help="write the answer to this file")
    parser.add_argument("--force", action="store_true", help=FORCE_HELP)


def run(_command: str, args: argparse.Namespace, context: Context) -> int:
    """Prints the sentences; returns 5 where the library does not say."""
    typed = join_words(args.question)
    if not typed:
        raise UsageError("give a QUESTION; see `litterm ask --help`")
    is_asked = args.model or args.dry_run or args.no_cache
    if is_asked and (args.papers or 0) > MAX_WRITTEN_PAPERS:
        raise UsageError(f"a model is shown at most {MAX_WRITTEN_PAPERS} papers")
    engine = context.engine()
    query = parse_typed(with_filters(typed, args), engine, option_values=filter_values(args))
    query = query.with_full_texts(context.settings.full_texts)
    if not is_asked:
        return _show(
            context.run(engine.ask(query, k=args.k, papers=args.papers or DEFAULT_ANSWER_PAPERS)), args, context
        )
    papers = args.papers or DEFAULT_WRITTEN_PAPERS
    written = engine.written_answers
    if args.dry_run:
        show_requests(context.run(written.preview(query, papers=papers)), context, more_follow=True)
        return 0
    with suppress(ModelError):
        # A model that cannot be asked costs nothing; `write` says why, and answers without it.
        ask_consent(
            context.run(written.estimate(query, papers=papers, fresh=args.no_cache)),
            args,
            context,
            sent_data.ANSWER,
            cheaper="--papers with a smaller number asks for less",
        )
    answer = context.run(written.write(query, k=args.k, papers=papers, fresh=args.no_cache))
    return _show_written(answer, args, context)


def _show(answer: Answer, args: argparse.Namespace, context: Context) -> int:
    from litterm.render import answers, written_answers

    if args.json:
        _write_json(answers.answer_data(answer), args, context)
    elif not answer.silence:
        if args.md or args.latex:
            text = written_answers.answer_markdown(answer) if args.md else written_answers.answer_latex(answer)
        else:
            text = "\n".join(answers.answer_lines(answer, context.line_options()))
        _write(text, written_answers.bibliography(answer), args, context)
    for notice in answer.notices:
        context.output.say(notice)
    if answer.silence:
        context.output.say(answers.silence_words(answer))
        return EXIT_SILENT
    return 0


def _show_written(answer: WrittenAnswer, args: argparse.Namespace, context: Context) -> int:
    """Shows what the model wrote; where there is nothing of it, the answer without a model."""
    from litterm.render import written_answers

    if args.json:
        _write_json(written_answers.written_data(answer), args, context)
    elif answer.parts or answer.gaps:
        if args.md:
            text = written_answers.written_markdown(answer)
        elif args.latex:
            text = written_answers.written_latex(answer)
        else:
            text = "\n".join(written_answers.written_lines(answer, context.line_options()))
        _write(text, written_answers.bibliography(answer), args, context)
    else:
        offline = replace(answer.offline, notices=answer.notices)
        return _show(offline, args, context)
    for notice in answer.notices:
        context.output.say(notice)
    if not answer.is_written:
        context.output.say("The library does not say: no sentence of the model stands.")
        return EXIT_SILENT
    return 0


def _write_json(data: Mapping[str, object], args: argparse.Namespace, context: Context) -> None:
    from litterm.render import json

    if args.output and args.output != "-":
        body = {"schema": json.schema_name("ask"), **data}
        _write(json.dumps(body, ascii_only=not context.output.is_unicode), "", args, context)
    else:
        context.output.write_json(data)


def _write(text: str, bibliography: str, args: argparse.Namespace, context: Context) -> None:
    """Writes to stdout or to `-o FILE`, LaTeX with its bibliography beside it."""
    content = text if text.endswith("\n") else f"{text}\n"
    if not args.output or args.output == "-":
        context.output.write(content)
        return
    from pathlib import Path

    from litterm.core.user_files import write_file

    path = Path(args.output)
    files = [(path, content)]
    if args.latex:
        files.append((path.with_suffix(".bib"), bibliography))
    for file, words in files:
        backup = write_file(file, words.encode("utf-8", "replace"), force=args.force)
        if backup is not None:
            context.output.say(f"Previous version saved as {backup}.")
        context.output.say(f"Written to {file}.")
