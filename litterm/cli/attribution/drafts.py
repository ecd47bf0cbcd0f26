"""`litterm cite --file`: fills the open marks of a draft, or with `--check` checks the citations it has."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.cli.context import Context
from litterm.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from litterm.attribution.drafts.drafts import Drafts
    from litterm.engine import Engine
    from litterm.model.attribution.draft import CheckedCitation, DraftProject, ReviewedDraft
    from litterm.model.paper import PaperId

EXIT_PARTLY, EXIT_NOT_IN_LIBRARY, EXIT_FINDINGS = 1, 3, 6
_EXCERPT_OPTIONS = ("excerpt", "batch", "bibtex", "key", "append", "all_marks")


def declare(parser: argparse.ArgumentParser) -> None:
    """Adds the options for drafts."""
    group = parser.add_argument_group("a draft")
    group.add_argument(
        "--file", type=Path, metavar="DRAFT", help="answer every open mark of this LaTeX, Markdown or text file"
    )
    group.add_argument(
        "--check", action="store_true", help="with --file: check whether the cited papers say what they are cited for"
    )
    group.add_argument(
        "--format", choices=("text", "quickfix", "json"), help="with --file: output for people, vim or other editors"
    )
    group.add_argument(
        "--bib",
        type=Path,
        action="append",
        metavar="FILE",
        help="with --file: its bibliography, if it does not name one",
    )
    group.add_argument(
        "--accept",
        nargs="+",
        metavar=("best|reviewed|above", "N"),
        help="with --file: write a patched copy with the first candidates, those accepted in the workbench, or those "
        "at least N %% likely",
    )
    group.add_argument(
        "--in-place", action="store_true", help="with --accept: overwrite the draft and its bibliography"
    )


def is_wanted(args: argparse.Namespace) -> bool:
    """Whether a draft is to be read instead of an excerpt.

    Raises:
        UsageError: an option of drafts stands without one, or with what is not for drafts.
    """
    if args.file is None:
        if args.check or args.format or args.bib or args.accept or args.in_place:
            raise UsageError("--check, --format, --bib, --accept and --in-place belong to --file DRAFT")
        return False
    if any(getattr(args, name) for name in _EXCERPT_OPTIONS):
        raise UsageError("--file takes its marks from the draft; leave out the excerpt and its options")
    if (args.in_place or args.output is not None) and not args.accept:
        raise UsageError("say what to --accept: best, reviewed, or above N")
    if args.in_place and args.output is not None:
        raise UsageError("-o and --in-place both say where to write; use one of them")
    if args.check and args.accept:
        raise UsageError("--check writes nothing; leave out --accept")
    return True


def run(args: argparse.Namespace, context: Context) -> int:
    """0 if every open mark has candidates, 1 if some have none in the library, 3 if all have none."""
    # Read first: a mistake in --accept must not cost the search for every mark.
    threshold = _parse_threshold(args.accept)
    engine = context.engine()
    drafts = engine.drafts
    project = drafts.read(args.file, args.bib or ())
    if project.included:
        context.output.say(f"Read with it: {', '.join(str(file.path) for file in project.included)}.")
    for notice in project.notices:
        context.output.say(notice)
    if args.check:
        return _check(engine, project, args, context)
    review = context.run(drafts.review(project, k=args.k, before=args.before, source=args.source))
    review = replace(review, project=_with_damage_notice(review.project, engine, context))
    _show(review, args, context)
    if not review.answers:
        context.output.say("No open mark: no [CITATION], no [?] and no empty \\cite{} or [@?].")
    if args.accept:
        _write(drafts, review, _accepted_papers(drafts, review, args.accept[0], threshold), args, context)
    filled = [
        answer.attribution is not None
        and bool(answer.attribution.candidates)
        and answer.attribution.verdict != "absent"
        for answer in review.answers
    ]
    return 0 if all(filled) else (EXIT_PARTLY if any(filled) else EXIT_NOT_IN_LIBRARY)


def _parse_threshold(accept: Sequence[str] | None) -> float | None:
    """The least probability that `--accept above` names; `None` for the other two.

    Raises:
        UsageError: `accept` is none of the three ways.
    """
    if not accept or (len(accept) == 1 and accept[0] in ("best", "reviewed")):
        return None
    if len(accept) == 2 and accept[0] == "above":
        try:
            number = float(accept[1].rstrip("%"))
        except ValueError:
            number = -1.0
        if 0 <= number <= 100:
            # 0.8 and 80 mean the same. Only 1 is ambiguous, and as a share it would accept nothing.
            return number / 100 if number > 1 or accept[1].endswith("%") else number
    raise UsageError("--accept takes `best`, `reviewed` or `above N`, with N a percentage")


def _show(review: ReviewedDraft, args: argparse.Namespace, context: Context) -> None:
    from litterm.render.attribution import drafts as render

    output_format = _output_format(args)
    if output_format == "json":
        context.output.write_json(render.review_data(review))
    elif output_format == "quickfix":
        context.output.write_lines(render.quickfix(review))
    else:
        context.output.write_lines(render.review_lines(review, context.line_options()))


def _accepted_papers(
    drafts: Drafts, review: ReviewedDraft, selection: str, threshold: float | None
) -> dict[int, PaperId]:
    from litterm.attribution.drafts.drafts import acceptable_candidates

    return (
        drafts.decided_marks(review.project)
        if selection == "reviewed"
        else acceptable_candidates(review, threshold=threshold)
    )


def _write(
    drafts: Drafts, review: ReviewedDraft, accepted: dict[int, PaperId], args: argparse.Namespace, context: Context
) -> None:
    report = drafts.write(review, accepted, args.output, in_place=args.in_place, force=args.force)
    marks = "mark" if len(review.answers) == 1 else "marks"
    context.output.say(f"{report.draft}: {report.accepted:,} of {len(review.answers):,} {marks} filled in.")
    for part in report.parts:
        context.output.say(f"{part}: written, too, as the draft takes it in.")
    if report.bib is not None:
        entries = "new entry" if report.entries == 1 else "new entries"
        context.output.say(f"{report.bib}: {report.entries:,} {entries}.")
    if report.notice:
        context.output.say(report.notice)
    for backup in report.kept:
        context.output.say(f"Previous version saved as {backup}.")


def _with_damage_notice(project: DraftProject, engine: Engine, context: Context) -> DraftProject:
    """`project` with a notice of what is damaged in the library that was searched, if anything is."""
    notice = engine.damage_notice()
    if not notice:
        return project
    context.output.say(notice)
    return replace(project, notices=(*project.notices, notice))


def _check(engine: Engine, project: DraftProject, args: argparse.Namespace, context: Context) -> int:
    from litterm.render.attribution import drafts as render

    citations = context.run(engine.drafts.check(project))
    project = _with_damage_notice(project, engine, context)
    output_format = _output_format(args)
    if output_format == "json":
        context.output.write_json(render.check_data(project, citations))
    elif output_format == "quickfix":
        context.output.write_lines(render.check_quickfix(citations))
    else:
        context.output.write_lines(render.check_lines(citations, context.line_options()))
    context.output.say(_summary(citations))
    if citations and all(citation.support == "absent" for citation in citations):
        return EXIT_NOT_IN_LIBRARY
    return EXIT_FINDINGS if _has_findings(project, citations) else 0


def _has_findings(project: DraftProject, citations: Sequence[CheckedCitation]) -> bool:
    """Whether a paper does not say what it is cited for, or a key is in no bibliography of the draft."""
    known = {paper.imprint.bibkey for paper in project.entries}
    return any(
        checked.support in ("nothing", "contradicted")
        or (checked.support == "absent" and bool(known) and checked.key not in known)
        for checked in citations
    )


def _summary(citations: Sequence[CheckedCitation]) -> str:
    from litterm.render.attribution.drafts import SUPPORT_WORDS

    counts = {
        label: sum(SUPPORT_WORDS[citation.support] == label for citation in citations)
        for label in SUPPORT_WORDS.values()
    }
    summary = ", ".join(f"{count:,} {label}" for label, count in counts.items() if count)
    return f"{len(citations):,} cited: {summary}." if citations else "Nothing is cited in this draft."


def _output_format(args: argparse.Namespace) -> str:
    return args.format or ("json" if args.json else "text")
