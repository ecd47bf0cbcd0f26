"""Study aspects with their sentences, as lines, JSON and Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from litterm.render.bibliography.keys import pandoc_citation
from litterm.render.export.markdown import escape_markdown
from litterm.render.locator import locator
from litterm.text.plural import count_phrase

if TYPE_CHECKING:
    from litterm.model.document import Document
    from litterm.model.paper import Paper
    from litterm.model.study_aspects import AlignedAspect, StudyCoverage
    from litterm.render.lines import LineOptions


class StudyAspectData(TypedDict):
    """A study aspect with the sentences that cover it."""

    text: str
    result: bool
    origin: str
    sentences: list[int]


class StudyAspectsData(TypedDict):
    """The study aspects of an answer."""

    by: str
    aligned_by: str
    covered: float | None
    aspects: list[StudyAspectData]
    cover: list[int]
    notices: list[str]


_SHOWN_SENTENCES = 3
"""Sentences named for each aspect in lines; JSON has all."""


def covered_words(coverage: StudyCoverage) -> str:
    """`6 of 8 study aspects are covered by 3 sentences`."""
    total = len(coverage.aligned)
    covered = total - len(coverage.uncovered)
    by = count_phrase(len(coverage.cover), "sentence")
    return f"{covered} of {count_phrase(total, 'study aspect')} {'is' if total == 1 else 'are'} covered by {by}"


def study_json(coverage: StudyCoverage) -> StudyAspectsData:
    """The study aspects of an answer."""
    share = coverage.covered_share
    return {
        "by": coverage.study.by,
        "aligned_by": coverage.by,
        "covered": None if share is None else round(share, 3),
        "aspects": [
            {
                "text": item.aspect.text,
                "result": item.aspect.is_result,
                "origin": item.aspect.origin,
                "sentences": list(item.sentences),
            }
            for item in coverage.aligned
        ],
        "cover": [item.sentence.index for item in coverage.cover],
        "notices": list(coverage.notices),
    }


def study_lines(coverage: StudyCoverage, document: Document, options: LineOptions) -> list[str]:
    """A heading, then each aspect with the places of its sentences; those that no sentence carries come last."""
    lines = ["", f"Study aspects: {covered_words(coverage)}"]
    for item in (row for row in coverage.aligned if row.sentences):
        lines += options.block(item.aspect.text, indent=5, first=f"  {'*' if options.ascii else '•'}")
        lines.append("     " + options.paint(_places(item, document, options), "dim"))
    if coverage.uncovered:
        lines += ["", "Still uncovered:"]
    for aspect in coverage.uncovered:
        lines += options.block(aspect.text, indent=5, first=f"  {'-' if options.ascii else '–'}")
    return lines


def _places(item: AlignedAspect, document: Document, options: LineOptions) -> str:
    places = [locator(document, document.sentences[index]) for index in item.sentences[:_SHOWN_SENTENCES]]
    more = len(item.sentences) - len(places)
    kind = "result" if item.aspect.is_result else "no result"
    return options.join([kind, *places, f"{more} more" if more > 0 else ""])


def study_markdown(coverage: StudyCoverage, document: Document, paper: Paper, key: str) -> str:
    """A report: each aspect as a heading, below it the quotes of its sentences, and at the end what is uncovered."""
    lines = [f"# {escape_markdown(coverage.study.hypothesis)}", ""]
    lines += [f"{pandoc_citation(key)} {escape_markdown(paper.title)}", "", f"{covered_words(coverage)}."]
    for item in (row for row in coverage.aligned if row.sentences):
        lines += ["", f"## {escape_markdown(item.aspect.text)}", ""]
        for index in item.sentences[:_SHOWN_SENTENCES]:
            sentence = document.sentences[index]
            lines.append(f"> {escape_markdown(sentence.text)} ({escape_markdown(locator(document, sentence))})")
            lines.append(">")
        lines.pop()
    if coverage.uncovered:
        lines += ["", "## Still uncovered", ""]
        lines += [f"- {escape_markdown(aspect.text)}" for aspect in coverage.uncovered]
    return "\n".join([*lines, "", *(f"*{escape_markdown(notice)}*" for notice in coverage.notices), ""])
