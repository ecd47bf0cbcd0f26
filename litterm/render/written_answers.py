"""An answer that a model wrote: as lines, as data for JSON, as Markdown, and as LaTeX with its bibliography.

What was struck out is shown as such on the screen and in JSON and Markdown; LaTeX, which goes into a paper, has it as
a comment only. An answer without a model has the same forms, its sentences being quotes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, TypedDict

from litterm.model.answer import Answer, AnswerSentence
from litterm.model.written_answer import PartKind, WrittenAnswer, WrittenPart, WrittenSentence
from litterm.render.answers import AnswerData, AnswerSourceData, answer_data, group_heading, sentence_data, source_parts
from litterm.render.bibliography import bibtex
from litterm.render.bibliography.keys import pandoc_citation
from litterm.render.cost import spent_words
from litterm.render.export.markdown import Quote, escape_line_of_markdown, escape_markdown
from litterm.render.export.markdown import quotes as quotes_as_markdown
from litterm.render.names import status_warning
from litterm.text.escape import plain
from litterm.text.plural import count_phrase

if TYPE_CHECKING:
    from litterm.model.paper import Paper, PaperId
    from litterm.render.lines import LineOptions


class SentenceFaultData(TypedDict):
    """What a sentence of a model says otherwise than its quotes."""

    kind: str
    words: str
    by: str


class WrittenSentenceData(TypedDict):
    """A sentence of a model; `quotes` are their ranks."""

    text: str
    quotes: list[int]
    struck: bool
    checked: bool
    faults: list[SentenceFaultData]


class WrittenPartData(TypedDict):
    """Points, a paragraph, or what the papers differ on."""

    kind: str
    sentences: list[WrittenSentenceData]


class WrittenAnswerData(TypedDict):
    """The answer of `ask --model`; `offline` is that without a model."""

    question: str
    by: str | None
    papers_read: int
    full_texts: int
    parts: list[WrittenPartData]
    gaps: list[WrittenSentenceData]
    quotes: list[AnswerSourceData]
    offline: AnswerData
    calls: int
    tokens: int
    dollars: float | None
    notices: list[str]


PART_HEADINGS: Final[dict[PartKind, str]] = {
    "points": "points",
    "paragraph": "answer",
    "disagreement": "where the papers differ",
}
GAPS_HEADING: Final = "what the quotes do not say"
QUOTES_HEADING: Final = "quotes"


def written_lines(answer: WrittenAnswer, options: LineOptions) -> list[str]:
    """Points, paragraphs, disagreement and gaps with the numbers of quotes, then the quotes that are named."""
    lines = options.block(answer.question, indent=0, style="bold")
    lines += options.block(options.join(summary_parts(answer)), indent=0)
    before = ""
    for part in answer.parts:
        heading = PART_HEADINGS[part.kind]
        lines.append("")
        if heading != before:
            lines += options.block(heading, indent=0, style="bold")
        before = heading
        for sentence in part.sentences:
            lines += _sentence_lines(answer, sentence, options)
    if answer.gaps:
        lines += ["", *options.block(GAPS_HEADING, indent=0, style="bold")]
        for gap in answer.gaps:
            lines += _sentence_lines(answer, gap, options)
    lines += ["", *options.block(QUOTES_HEADING, indent=0, style="bold")]
    for quote in named_quotes(answer):
        lines += options.block(quote.text, indent=5, first=f"{quote.rank:>3}  ")
        lines += options.block(options.join(source_parts(quote)), indent=5, style="dim")
    return lines


def summary_parts(answer: WrittenAnswer) -> tuple[str, ...]:
    """How much was read and written, by which model, what was struck out, and what it has cost."""
    struck = sum(sentence.is_struck for sentence in answer.sentences)
    texts = f", {answer.full_texts} of them as full text" if answer.full_texts else ", abstracts only"
    sentences, quotes = count_phrase(len(answer.sentences), "sentence"), count_phrase(len(answer.quotes), "quote")
    parts = [
        f"{count_phrase(answer.papers_read, 'paper')} read{texts}",
        f"{sentences} by {answer.by} from {quotes}",
        f"{struck} struck out" if struck else "none struck out",
    ]
    if answer.spent is not None and answer.spent.calls:
        parts.append(spent_words(answer.spent))
    return tuple(parts)


def named_quotes(answer: WrittenAnswer) -> tuple[AnswerSentence, ...]:
    """The quotes that any sentence names, by their number."""
    ranks = {rank for sentence in answer.sentences for rank in sentence.quotes}
    return tuple(quote for quote in answer.quotes if quote.rank in ranks)


def fault_words(sentence: WrittenSentence) -> str:
    """Why a sentence was struck out, and by what; empty where it was not."""
    return "; ".join(
        f"{fault.words} ({fault.kind}, {'by rule' if fault.by == 'rule' else fault.by})" for fault in sentence.faults
    )


def marks_of(answer: WrittenAnswer, sentence: WrittenSentence) -> str:
    """What stands behind a sentence: numbers of its quotes, a warning about their papers, whether it was compared."""
    numbers = f"[{', '.join(map(str, sentence.quotes))}]" if sentence.quotes else ""
    warnings = dict.fromkeys(status_warning(quote.paper) for quote in answer.quotes_of(sentence))
    unchecked = "" if sentence.is_checked or sentence.is_struck or not sentence.quotes else "checked by rule only"
    return " ".join(part for part in (numbers, *warnings, unchecked) if part)


def _sentence_lines(answer: WrittenAnswer, sentence: WrittenSentence, options: LineOptions) -> Iterator[str]:
    marks = marks_of(answer, sentence)
    if not sentence.is_struck:
        yield from options.block(f"{sentence.text} {marks}".rstrip(), indent=5, first="  -  ")
        return
    text = f"struck out: {sentence.text} {marks}".rstrip()
    yield from options.block(text, indent=5, first="  x  ", style="dim")
    yield from options.block(fault_words(sentence), indent=7, style="alarm")


def written_data(answer: WrittenAnswer) -> WrittenAnswerData:
    """The answer for `--json`; its fields are in docs/reference/json.md."""
    return {
        "question": answer.question,
        "by": answer.by or None,
        "papers_read": answer.papers_read,
        "full_texts": answer.full_texts,
        "parts": [
            {"kind": part.kind, "sentences": [_written_sentence(sentence) for sentence in part.sentences]}
            for part in answer.parts
        ],
        "gaps": [_written_sentence(gap) for gap in answer.gaps],
        "quotes": [sentence_data(quote) for quote in answer.quotes],
        "offline": answer_data(answer.offline),
        "calls": answer.spent.calls if answer.spent else 0,
        "tokens": answer.spent.tokens if answer.spent else 0,
        "dollars": answer.spent.dollars if answer.spent else 0.0,
        "notices": list(answer.notices),
    }


def _written_sentence(sentence: WrittenSentence) -> WrittenSentenceData:
    return {
        "text": sentence.text,
        "quotes": list(sentence.quotes),
        "struck": sentence.is_struck,
        "checked": sentence.is_checked,
        "faults": [{"kind": fault.kind, "words": fault.words, "by": fault.by} for fault in sentence.faults],
    }


def written_markdown(answer: WrittenAnswer) -> str:
    """Points as a list, paragraphs, then what papers differ on, gaps, and the quotes; citations in pandoc's form."""
    lines = [f"## {escape_markdown(answer.question)}", ""]
    for part in answer.parts:
        own = [f"{_markdown_sentence(answer, sentence)}" for sentence in part.sentences]
        if part.kind == "paragraph":
            lines += [" ".join(own), ""]
            continue
        if part.kind == "disagreement":
            lines += ["### Where the papers differ", ""]
        lines += [*(f"- {sentence}" for sentence in own), ""]
    if answer.gaps:
        lines += ["### What the quotes do not say", ""]
        lines += [*(f"- {_markdown_sentence(answer, gap)}" for gap in answer.gaps), ""]
    named = named_quotes(answer)
    if named:
        quotes = [Quote(quote.paper, quote.text, quote.locator, quote.page) for quote in named]
        keys: dict[PaperId, str] = {quote.paper.id: quote.key for quote in named}
        lines += ["### Quotes", "", quotes_as_markdown(quotes, keys)]
    return "\n".join(lines)


def _markdown_sentence(answer: WrittenAnswer, sentence: WrittenSentence) -> str:
    text = escape_line_of_markdown(sentence.text)
    if sentence.is_struck:
        return f"~~{text}~~ (struck out: {escape_markdown(fault_words(sentence))})"
    quotes = answer.quotes_of(sentence)
    citations = " ".join(pandoc_citation(key) for key in dict.fromkeys(quote.key for quote in quotes))
    warnings = " ".join(dict.fromkeys(filter(None, (status_warning(quote.paper) for quote in quotes))))
    return " ".join(part for part in (text, citations, escape_markdown(warnings)) if part)


def written_latex(answer: WrittenAnswer) -> str:
    r"""A fragment with `\cite`; needs the entries of `bibliography`. What was struck out is a comment."""
    lines = [f"% {_comment(answer.question)}", f"% Written by {_comment(answer.by)}; check every sentence.", ""]
    for part in answer.parts:
        if part.kind == "paragraph":
            lines += [*_latex_sentences(answer, part, ""), ""]
            continue
        if part.kind == "disagreement":
            lines += [r"\paragraph{Where the papers differ}"]
        lines += _latex_list(_latex_sentences(answer, part, r"\item "))
    if gaps := [gap for gap in answer.gaps if not gap.is_struck]:
        lines += [r"\paragraph{What the quotes do not say}"]
        lines += _latex_list([rf"\item {bibtex.escape(plain(gap.text))}" for gap in gaps])
    return "\n".join(lines)


def _latex_list(items: Sequence[str]) -> list[str]:
    # An empty list is an error in LaTeX.
    if not any(item.startswith(r"\item") for item in items):
        return [*items, ""]
    return [r"\begin{itemize}", *items, r"\end{itemize}", ""]


def _latex_sentences(answer: WrittenAnswer, part: WrittenPart, lead: str) -> list[str]:
    lines: list[str] = []
    for sentence in part.sentences:
        if sentence.is_struck:
            lines.append(f"% Struck out: {_comment(sentence.text)} ({_comment(fault_words(sentence))})")
            continue
        quotes = answer.quotes_of(sentence)
        warned = [f" ({bibtex.escape(warning)})" for quote in quotes if (warning := status_warning(quote.paper))]
        lines.append(_cited(f"{lead}{bibtex.escape(plain(sentence.text))}", quotes, "".join(dict.fromkeys(warned))))
    return lines


def _cited(text: str, quotes: Sequence[AnswerSentence], after: str = "") -> str:
    r"""`text` with `~\cite{...}` before its full stop."""
    keys = ",".join(dict.fromkeys(quote.key for quote in quotes))
    bare, stop = (text[:-1], text[-1]) if text.endswith((".", "!", "?")) else (text, "")
    return rf"{bare}~\cite{{{keys}}}{after}{stop}" if keys else text


def _comment(text: str) -> str:
    return " ".join(plain(text).split())


def answer_markdown(answer: Answer) -> str:
    """An answer without a model: its quotes by group, with citations in pandoc's form."""
    lines = [f"## {escape_markdown(answer.question)}", ""]
    keys: dict[PaperId, str] = {item.paper.id: item.key for item in _all_sentences(answer)}
    for group in answer.groups:
        if heading := group_heading(group):
            lines += [f"### {escape_markdown(heading)}", ""]
        quotes = [Quote(item.paper, item.text, item.locator, item.page) for item in group.sentences]
        lines.append(quotes_as_markdown(quotes, keys))
    return "\n".join(lines)


def answer_latex(answer: Answer) -> str:
    r"""An answer without a model: its quotes as lists with `\cite`."""
    lines = [f"% {_comment(answer.question)}", ""]
    for group in answer.groups:
        if heading := group_heading(group):
            lines.append(rf"\paragraph{{{bibtex.escape(plain(heading))}}}")
        items = [
            _cited(rf"\item ``{bibtex.escape(plain(item.text))}''", (item, *item.restatements))
            for item in group.sentences
        ]
        lines += _latex_list(items)
    return "\n".join(lines)


def bibliography(answer: WrittenAnswer | Answer) -> str:
    r"""BibTeX entries of the papers that the Markdown and LaTeX of the answer cite, under the same keys."""
    if isinstance(answer, WrittenAnswer):
        cited = [
            quote for sentence in answer.sentences if not sentence.is_struck for quote in answer.quotes_of(sentence)
        ]
    else:
        cited = _all_sentences(answer)
    papers: list[Paper] = list({quote.paper.id: quote.paper for quote in cited}.values())
    return bibtex.entries(papers, keys={quote.paper.id: quote.key for quote in cited})


def _all_sentences(answer: Answer) -> list[AnswerSentence]:
    return [each for item in answer.sentences for each in (item, *item.restatements)]
