"""Quotes as Markdown, each with its citation key and locator."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from litterm.model.document import Document, Sentence
from litterm.model.paper import Paper, PaperId
from litterm.render.bibliography.keys import pandoc_citation
from litterm.render.locator import locator
from litterm.text.escape import plain

_SPECIAL_CHARS = re.compile(r"[\\`*_\[\]<>#|~$@]")
_ACTIVE_CHARS = re.compile(r"[\\`<$]")
"""What pandoc hands on to TeX or a browser; the rest only changes how a line looks."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence of a paper that the user accepted."""

    paper: Paper
    text: str
    locator: str = ""
    """As by `render.locator`; empty when the sentence was not located in the text there is now."""
    page: int | None = None
    """From 1; `None` where it is not known."""
    hypothesis: str = ""
    """What it was accepted for; empty for a mark by hand."""
    stance: str = ""
    """As by `render.closeness.stance_label`; empty where nobody has judged."""


def quote(paper: Paper, document: Document, sentence: Sentence, *, hypothesis: str = "") -> Quote:
    """The quote of a sentence that is in `document`."""
    return Quote(paper, sentence.text, locator(document, sentence), sentence.page, hypothesis)


def quotes(items: Sequence[Quote], keys: Mapping[PaperId, str]) -> str:
    """A heading for each hypothesis, below it its quotes as blocks with `[@key]` and locator, in the order given.

    `keys` holds the key of each quoted paper, as in the bibliography that is written with them.
    """
    lines: list[str] = []
    for hypothesis, group in groupby(items, key=lambda item: item.hypothesis):
        if hypothesis:
            lines += [f"## {escape_markdown(hypothesis)}", ""]
        for item in group:
            lines += [f"> {escape_line_of_markdown(item.text)}", ">", f"> {_citation(item, keys[item.paper.id])}", ""]
    return "\n".join(lines)


def citation(item: Quote, key: str) -> str:
    """One quote as a line for the clipboard: the text, then its citation in pandoc's form, by `key`."""
    # Only what would act: on the clipboard a quote is to read as it is printed.
    text = _ACTIVE_CHARS.sub(lambda mark: f"\\{mark.group()}", plain(item.text))
    return f'"{text}" {_citation(item, key)}'


def _citation(item: Quote, key: str) -> str:
    # Pandoc knows pages as locators; the rest follows as plain text.
    page = f", p. {item.page}" if item.page is not None else ""
    # The page is in the citation already. `?+` gives nothing back, so that a long run of blanks is read once.
    locator_text = re.sub(r"(?:(?<!\s)\s+)?+p\.\d+$", "", item.locator) or "not located in the present text"
    stance = f"; {item.stance}" if item.stance else ""
    return f"{pandoc_citation(key, page)} {escape_markdown(f'{locator_text}{stance}')}"


def escape_markdown(text: str) -> str:
    """`text` on one line, with nothing in it that Markdown acts on."""
    return _SPECIAL_CHARS.sub(lambda mark: f"\\{mark.group()}", plain(text))


def escape_line_of_markdown(text: str) -> str:
    """As `escape_markdown`, for text that may stand at the start of a line."""
    # A list mark or rule at the start of a line would act even though every character is harmless inside.
    return re.sub(r"^(\s*\d*)(?=[-+=.)])", r"\1\\", escape_markdown(text))
