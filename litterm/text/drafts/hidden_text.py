"""Finds the stretches of a draft that are not running text: comments, code, displayed formulas, the preamble."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from litterm.model.attribution.draft import DraftForm
from litterm.model.document import Span

HiddenKind = Literal["cut", "formula", "outside"]
"""`cut`: no part of what is said; `formula`: in a line of text, said but without marks; `outside`: the preamble."""

_TEX = re.compile(
    r"\\begin\s?\{([A-Za-z]{1,20}\*?)\}|\\(?:verb|lstinline)\*?(?![A-Za-z])|\\[(\[]|\\.|%|\$\$?", re.DOTALL
)
_CODE = frozenset(
    "verbatim Verbatim lstlisting minted comment filecontents tikzpicture equation align alignat gather multline "
    "eqnarray displaymath math flalign dmath".split()
)
_LONGEST_FORMULA = 400
_MARKDOWN = re.compile(r"^[ ]{0,3}(```+|~~~+)|(`+)|<!--|\$\$?|\\.", re.MULTILINE | re.DOTALL)
_FRONT_MATTER = re.compile(r"\A\ufeff?---[ \t]*\r?\n(?:.{0,2000}\r?\n){0,500}?(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)")


@dataclass(frozen=True, slots=True)
class HiddenSpan:
    """A stretch of a draft that is not running text."""

    span: Span
    kind: HiddenKind


def hidden(text: str, form: DraftForm) -> tuple[HiddenSpan, ...]:
    """Every such stretch, in order, without overlap but for those `outside`; linear in the length of `text`."""
    if form == "tex":
        return tuple(_tex(text))
    return tuple(_markdown(text)) if form == "markdown" else ()


class _EndFinder:
    """Finds closing strings; one that is nowhere ahead is not looked for again, so that time stays linear."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._gone: set[str] = set()

    def after(self, end: str, start: int) -> int:
        """Behind the next `end` from `start` on; -1 if there is none."""
        if end in self._gone:
            return -1
        position = self._text.find(end, start)
        if position < 0:
            self._gone.add(end)
            return -1
        return position + len(end)


def _tex(text: str) -> Iterator[HiddenSpan]:
    end_finder, position = _EndFinder(text), 0
    first = last = -1
    while match := _TEX.search(text, position):
        token, start, position = match.group(), match.start(), match.end()
        if match[1] == "document" and first < 0:
            first = position
            yield HiddenSpan(Span(0, position), "outside")
            continue
        end, kind = _tex_end(text, token, match, end_finder)
        if end > start:
            yield HiddenSpan(Span(start, end), kind)
            position = end
    if first >= 0:
        # The last one: the words may also stand in an example of the text.
        last = text.rfind("\\end{document}")
        if last >= first:
            yield HiddenSpan(Span(last, len(text)), "outside")


def _tex_end(text: str, token: str, match: re.Match[str], end_finder: _EndFinder) -> tuple[int, HiddenKind]:
    """Where what starts with `token` ends, if it is hidden; -1 if it is not."""
    start, position = match.start(), match.end()
    if token == "%":
        line = text.find("\n", position)
        return (line if line >= 0 else len(text)), "cut"
    if match[1]:
        return (end_finder.after(f"\\end{{{match[1]}}}", position) if match[1].rstrip("*") in _CODE else -1), "cut"
    if token.startswith(("\\verb", "\\lstinline")):
        line = text.find("\n", position)
        close = (
            text.find(text[position], position + 1, line if line >= 0 else len(text)) if position < len(text) else -1
        )
        return close + 1 if close >= 0 else -1, "cut"
    if token == "\\[":
        return end_finder.after("\\]", position), "cut"
    if token == "$$":
        return end_finder.after("$$", position), "cut"
    if token in ("$", "\\("):
        return _formula(text, start, position, "$" if token == "$" else "\\)"), "formula"
    return -1, "cut"


def _formula(text: str, start: int, position: int, close: str) -> int:
    """Behind a formula within one paragraph; -1 where none closes soon."""
    body = text[position : start + _LONGEST_FORMULA]
    pieces = re.split(r"\n\s*\n", body, maxsplit=1)
    ended = re.search(rf"(?<!\\){re.escape(close)}", pieces[0])
    return position + ended.end() if ended else -1


def _markdown(text: str) -> Iterator[HiddenSpan]:
    end_finder, position = _EndFinder(text), 0
    if front := _FRONT_MATTER.match(text):
        position = front.end()
        yield HiddenSpan(Span(0, position), "cut")
    while match := _MARKDOWN.search(text, position):
        start, position = match.start(), match.end()
        end, kind = _markdown_end(text, match, end_finder)
        if end > start:
            yield HiddenSpan(Span(start, end), kind)
            position = end


def _markdown_end(text: str, match: re.Match[str], end_finder: _EndFinder) -> tuple[int, HiddenKind]:
    token, position = match.group(), match.end()
    if match[1]:
        close = end_finder.after(f"\n{match[1]}", position)
        # As Markdown has it, a fence that is never closed reaches to the end of the text.
        return (close if close >= 0 else len(text)), "cut"
    if match[2]:
        return _code(text, position, match[2]), "cut"
    if token == "<!--":
        return end_finder.after("-->", position), "cut"
    if token == "$$":
        return end_finder.after("$$", position), "cut"
    # As pandoc has it: no blank inside the dollars, so that prices stay prices.
    if token == "$" and text[position : position + 1].strip():
        end = _formula(text, match.start(), position, "$")
        return (end if end > 0 and text[end - 2].strip() and not text[end : end + 1].isdigit() else -1), "formula"
    return -1, "cut"


def _code(text: str, position: int, ticks: str) -> int:
    """Behind code in a line, within its paragraph."""
    blank = re.compile(r"\n[ \t\r]*\n").search(text, position, position + 2000)
    close = text.find(ticks, position, blank.start() if blank else position + 2000)
    return close + len(ticks) if close >= 0 else -1
