"""`litterm check`: a bibliography, a draft or a paper's own reference list, each entry held against what is known."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.cli.context import Context
from litterm.cli.terminal.output import FORCE_HELP
from litterm.core.errors import Stopped, UsageError
from litterm.text.plural import count_phrase

if TYPE_CHECKING:
    from litterm.engine import Engine
    from litterm.model.attribution.bibliography import BibliographyReport

EXIT_FINDINGS = 6
FORMATS = ("text", "json", "markdown", "html", "sarif", "quickfix")


def declare(_command: str, parser: argparse.ArgumentParser) -> None:
    """Adds the file, the form of the report, and what is done beside it."""
    parser.add_argument(
        "file",
        type=Path,
        metavar="FILE",
        help="a bibliography (.bib, .ris, ...), a draft (.tex, .md) with its own, or a PDF or HTML with its references",
    )
    parser.add_argument(
        "--bib", type=Path, action="append", metavar="FILE", help="the bibliography of a draft that does not name one"
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--format", choices=FORMATS, help="form of the report (default: text)")
    form.add_argument("--json", action="store_true", help="JSON on stdout")
    parser.add_argument("-o", "--output", type=Path, metavar="OUT", help="write the report to this file")
    parser.add_argument("--all", action="store_true", help="also list the entries that are sound")
    parser.add_argument(
        "--no-citations", action="store_true", help="of a draft, check the bibliography only, not the citing sentences"
    )
    parser.add_argument(
        "--fix",
        action="store_true",
        help="write a copy of each .bib (NAME.fixed.bib) with what is certainly wrong mended, and print the difference",
    )
    parser.add_argument(
        "--online",
        action="store_true",
        help="ask Crossref, OpenAlex, Semantic Scholar, arXiv and DBLP for the entries that your library lacks",
    )
    parser.add_argument("--yes", action="store_true", help="with --online: send their ids and titles without asking")
    parser.add_argument("--force", action="store_true", help=FORCE_HELP)


def run(_command: str, args: argparse.Namespace, context: Context) -> int:
    """0 if nothing has to be looked at, 6 for findings, 3 where there is no such file, 1 where it cannot be read."""
    if args.yes and not args.online:
        raise UsageError("--yes answers the question of --online; add --online")
    engine = context.engine()
    read = engine.bibliographies.read(args.file, args.bib or ())
    report = context.run(engine.bibliographies.check(read, with_citations=not args.no_citations))
    if args.online:
        report = _complete(report, engine, args, context)
    for notice in report.notices:
        context.output.say(notice)
    if notice := engine.damage_notice():
        context.output.say(notice)
    _show(report, args, context)
    if args.fix:
        _fix(report, args, context)
    from litterm.render.attribution.bibliographies import summary

    for line in summary(report).splitlines():
        context.output.say(line)
    return EXIT_FINDINGS if report.has_findings else 0


def _complete(
    report: BibliographyReport, engine: Engine, args: argparse.Namespace, context: Context
) -> BibliographyReport:
    """`report` with what services know of the entries that the library lacks, once the user agrees."""
    absent = engine.bibliographies.absent(report.entries)
    if not absent:
        return report
    engine.services.open_registry().refuse_offline("services")
    entries = count_phrase(len(absent), "entry", "entries")
    context.output.say(
        f"The ids and titles of {entries} would be sent to Crossref, OpenAlex, Semantic Scholar, arXiv and DBLP."
    )
    if not args.yes:
        if sys.stdin is None or not sys.stdin.isatty():
            raise UsageError("--online needs your consent; --yes gives it")
        context.output.say("Send them? y or n, then return")
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            raise Stopped("Nothing was sent.")
    return context.run(engine.bibliographies.complete(report))


def _show(report: BibliographyReport, args: argparse.Namespace, context: Context) -> None:
    from litterm.render import json
    from litterm.render.attribution import bibliographies as render

    form = "json" if args.json else args.format or "text"
    output = context.output
    if form == "text" and args.output is None:
        output.write_lines(render.report_lines(report, context.line_options(), everything=args.all))
        return
    if form == "text":
        from litterm.render.lines import LineOptions

        body = "".join(f"{line}\n" for line in render.report_lines(report, LineOptions(), everything=args.all))
    elif form == "quickfix":
        body = "".join(f"{line}\n" for line in render.report_quickfix(report))
    elif form == "markdown":
        body = render.report_markdown(report)
    elif form == "html":
        body = render.report_html(report)
    else:
        data: Mapping[str, object] = render.report_sarif(report)
        if form == "json":
            data = {"schema": json.schema_name("check"), **render.report_data(report)}
        body = json.dumps(data, ascii_only=args.output is None and not output.is_unicode)
    if args.output is None:
        output.write(body)
        return
    from litterm.core.user_files import write_file

    kept = write_file(args.output, f"{body.rstrip()}\n".encode("utf-8", "replace"), force=args.force)
    output.say(f"{args.output}: written." + (f" Previous version saved as {kept}." if kept else ""))


def _fix(report: BibliographyReport, args: argparse.Namespace, context: Context) -> None:
    from litterm.attribution.bibliographies.corrections import fix_bibliographies
    from litterm.core.user_files import write_file
    from litterm.text.escape import plain

    fixed = fix_bibliographies(report.entries)
    if not fixed:
        context.output.say("Nothing is certainly wrong that could be mended; no copy was written.")
    for one in fixed:
        kept = write_file(one.path, one.content, force=args.force)
        if not args.json and args.format in (None, "text") and args.output is None:
            context.output.write_lines(["", *(plain(line) for line in one.diff.splitlines())])
        fields = count_phrase(one.fields, "field")
        saved = f" Previous version saved as {kept}." if kept else ""
        context.output.say(f"{one.path}: a copy of {one.source} with {fields} as the record has it.{saved}")
