"""`litterm cite`: which paper of the library a masked citation refers to."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from litterm.cli import cluster
from litterm.cli.attribution import agent, drafts
from litterm.cli.context import Context
from litterm.cli.parser import int_between, join_words, parse_capped_int
from litterm.cli.terminal.output import FORCE_HELP
from litterm.core.errors import BadInput, UsageError
from litterm.model.attribution.citation import Attribution
from litterm.model.paper import Paper

_MAX_EXCERPT_BYTES = 10_000_000
_PATH_LIKE = re.compile(r"(?:\.{0,2}|~)/\S*|\S+\.(?:txt|tex|md)")
"""A single word that looks like a path: a mistyped file name is an error, not an excerpt of one word."""
EXIT_NOT_IN_LIBRARY, EXIT_UNCERTAIN = 3, 5


def declare(_command: str, parser: argparse.ArgumentParser) -> None:
    """Adds the excerpt and the form of the answer."""
    parser.add_argument(
        "excerpt", nargs="*", metavar="EXCERPT", help="text with [CITATION], a file with that text, or - for stdin"
    )
    parser.add_argument(
        "-k", type=parse_capped_int(1000), default=5, metavar="N", help="at most this many candidates (default 5)"
    )
    parser.add_argument("--before", metavar="YEAR[-MM]", help="only papers from that year or month, or earlier")
    parser.add_argument(
        "--source", default="", metavar="TITLE|ID", help="exclude the citing paper and anything published later"
    )
    marks = parser.add_mutually_exclusive_group()
    marks.add_argument(
        "--pick",
        "--mark",
        type=int_between(1, 100_000),
        default=1,
        metavar="N",
        help="which mark to answer (default 1)",
    )
    marks.add_argument("--all-marks", action="store_true", help="answer every mark of the excerpt")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="JSON on stdout")
    form.add_argument("--bibtex", action="store_true", help="the candidates as BibTeX")
    form.add_argument("--key", action="store_true", help="only the citation key of the first candidate")
    form.add_argument(
        "--append", type=Path, metavar="REFS.bib", help="add the first candidate to this BibTeX file unless it is there"
    )
    parser.add_argument("--batch", type=Path, metavar="FILE", help="many excerpts: JSON Lines or CSV with `excerpt`")
    parser.add_argument("-o", "--output", type=Path, metavar="OUT", help="output file, with --batch or --accept")
    parser.add_argument(
        "--force", action="store_true", help=f"{FORCE_HELP}; with --key, --bibtex, --append: also what is not certain"
    )
    cluster.declare(parser)
    drafts.declare(parser)
    agent.declare(parser)


def run(_command: str, args: argparse.Namespace, context: Context) -> int:
    """Prints the candidates; 3 when the library does not hold the paper, 5 when a key or entry would be a guess."""
    context = cluster.apply_cluster_option(args, context)
    with_agent = agent.is_wanted(args)
    recorded = args.replay is not None or bool(args.resume)
    several_excerpts = args.batch is not None or drafts.is_wanted(args)
    if several_excerpts and (with_agent or recorded):
        raise UsageError("The agent answers one excerpt at a time; leave out --agent, --replay and --resume.")
    if drafts.is_wanted(args):
        return drafts.run(args, context)
    if args.batch is not None:
        return _batch(args, context)
    if args.output is not None:
        raise UsageError("-o belongs to --batch; redirect the output of a single excerpt instead.")
    if recorded:
        return agent.show_recorded(args, context, _report)
    text = _read_excerpt(args.excerpt)
    if with_agent:
        return agent.run(text, args, context, _report)
    return _report(_attribute(text, args, context), args, context)


def _attribute(text: str, args: argparse.Namespace, context: Context) -> list[Attribution]:
    engine = context.engine()
    marks = [args.pick - 1]
    if args.all_marks:
        marks = list(range(max(1, len(engine.excerpt(text).marks))))
    return [
        context.run(engine.cite(text, k=args.k, before=args.before, mark=mark, source=args.source)) for mark in marks
    ]


def _show(attributions: Sequence[Attribution], args: argparse.Namespace, context: Context) -> None:
    output = context.output
    if args.json:
        from litterm.render.attribution.candidates import cite_data

        bodies = [cite_data(attribution, context.engine().citation_keys) for attribution in attributions]
        output.write_json({"count": len(bodies), "marks": bodies} if args.all_marks else bodies[0])
    elif args.bibtex:
        certain = [attribution for attribution in attributions if args.force or attribution.verdict == "found"]
        _show_entries([item.paper for attribution in certain for item in attribution.candidates], context)
    elif args.key or args.append is not None:
        _show_keys(_first_candidates(attributions, force=args.force), args, context)
    else:
        from litterm.render import lines

        for attribution in attributions:
            output.write_lines(lines.cite(attribution, context.line_options()))


def _show_entries(papers: Sequence[Paper], context: Context) -> None:
    from litterm.render.bibliography import bibtex

    citation_keys = context.engine().citation_keys
    keys = citation_keys.keys_of(papers)
    context.output.write(bibtex.entries(papers, keys=keys))
    for sentence in citation_keys.notices(papers, keys):
        context.output.say(sentence)


def _first_candidates(attributions: Sequence[Attribution], *, force: bool) -> list[Paper]:
    """The first candidate of each mark that is certain, or with `force` of each that has one."""
    return [
        attribution.candidates[0].paper
        for attribution in attributions
        if attribution.candidates and (force or attribution.verdict == "found")
    ]


def _show_keys(papers: Sequence[Paper], args: argparse.Namespace, context: Context) -> None:
    """Prints a citation key a line; with `--append` the keys in that file, after adding what it lacks."""
    from litterm.importers.bibtex.bibliography import append_entries
    from litterm.render.bibliography.bibliography import Bibliography

    refs: Path | None = args.append
    citation_keys = context.engine().citation_keys
    if refs is None:
        keys = Bibliography(citation_keys=citation_keys).add(papers)[0]
    else:
        keys = append_entries(refs, papers, force=args.force, citation_keys=citation_keys)
    for paper in papers:
        context.output.write(f"{keys[paper.id]}\n")
    if refs is None:
        # In a file of the user's the paper has the key that it has there.
        for sentence in citation_keys.notices(papers, keys):
            context.output.say(sentence)


def _report(attributions: Sequence[Attribution], args: argparse.Namespace, context: Context) -> int:
    """Prints the attributions and the remarks on them; the exit status."""
    _show(attributions, args, context)
    for attribution in attributions:
        for line in (attribution.excerpt.lint, *attribution.notices, _verdict(attribution)):
            if line:
                context.output.say(line)
    if all(attribution.verdict == "absent" for attribution in attributions):
        return EXIT_NOT_IN_LIBRARY
    is_for_bibliography = args.bibtex or args.key or args.append is not None
    uncertain = [each for each in attributions if each.verdict != "found"]
    if not is_for_bibliography or not uncertain or args.force:
        return 0
    _name_candidates(uncertain, context)
    return EXIT_UNCERTAIN


def _name_candidates(uncertain: Sequence[Attribution], context: Context) -> None:
    """Says on stderr which papers may be meant where none is certain."""
    from litterm.render.bibliography.bibliography import Bibliography
    from litterm.render.lines import percent

    papers = [item.paper for attribution in uncertain for item in attribution.candidates]
    keys = Bibliography(citation_keys=context.engine().citation_keys).add(papers)[0]
    for attribution in uncertain:
        for item in attribution.candidates:
            sure = f"{percent(item.confidence)}  " if item.confidence is not None else ""
            context.output.say(f"{item.rank:>3}  {sure}{keys[item.paper.id]}  {item.paper.title}")
    context.output.say("None of these is certain, so none is given; --force gives the first all the same.")


def _verdict(attribution: Attribution) -> str:
    from litterm.render.lines import verdict_sentence

    no_candidate = "" if attribution.candidates else "No paper of your library fits this mark."
    return "\n".join(filter(None, (no_candidate, verdict_sentence(attribution))))


def _batch(args: argparse.Namespace, context: Context) -> int:
    from litterm.cli.attribution.batch import run_batch

    if args.excerpt or args.all_marks or args.bibtex or args.key or args.append is not None:
        raise UsageError("--batch takes its excerpts from the file and writes JSON Lines; leave the rest out.")
    return run_batch(args.batch, args.output, args, context)


def _read_excerpt(words: list[str]) -> str:
    """The text itself, the content of the one file named, or stdin for `-` or nothing."""
    if words in ([], ["-"]):
        text = _read_stdin(explicit=bool(words))
    elif len(words) == 1 and (_is_file(words[0]) or _PATH_LIKE.fullmatch(words[0])):
        text = _read_file(Path(words[0]))
    else:
        text = join_words(words)
    if not text.strip():
        raise UsageError("the excerpt is empty")
    return text


def _read_stdin(*, explicit: bool) -> str:
    # Without an argument a terminal would wait in silence for input.
    if sys.stdin is None or (not explicit and sys.stdin.isatty()):
        raise UsageError("give an excerpt, a file that holds one, or - to read it from stdin")
    # Bytes: the encoding of the locale need not be the one of the text.
    return sys.stdin.buffer.read(_MAX_EXCERPT_BYTES).decode("utf-8", "replace")


def _is_file(word: str) -> bool:
    # An excerpt may be longer than any path, or hold a NUL, for which `is_file` raises.
    try:
        return "[" not in word and Path(word).is_file()
    except (OSError, ValueError):
        return False


def _read_file(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_EXCERPT_BYTES)
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror}).") from error
    if b"\0" in content:
        raise BadInput(f"{path}: is not a text file; an excerpt is the sentence that cites.")
    return content.decode("utf-8-sig", "replace")
