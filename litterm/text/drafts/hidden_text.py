"""Finds the parts of a draft that are not running text: comments, code, displayed formulas, the preamble."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from litterm.model.attribution.draft import DraftForm
from litterm.model.document import Span

HiddenKind = Literal["cut", "formula", "outside"]
"""`cut`: not read at all; `formula`: inside a line, read but without marks; `outside`: the preamble."""

_TEX = re.compile(
    r"\\begin\s?\{([A-Za-z]{1,20}\*?)\}|\\(?:verb|lstinline)\*?(?![A-Za-z])|\\endinput(?![A-Za-z])"
    r"|\\iffalse(?![A-Za-z@])|\\if\s?0(?!\d)|\\[(\[]|\\.|%|\$\$?",
    re.DOTALL,
)
# A command such as `\ifthenelse{..}` takes braces and ends without `\fi`, as `\iff` does.
_CONDITIONAL = re.compile(
    r"\\[\\%]|%[^\n]*|\\newif\s?\\[A-Za-z@]{1,40}|\\iff(?![A-Za-z@])"
    r"|\\(?P<begin>if[A-Za-z@]{0,40})(?![A-Za-z@])(?!\s?\{)|\\(?P<end>else|fi)(?![A-Za-z@])"
)
_EXCLUDED = re.compile(r"\\excludecomment\s?\{([A-Za-z]{1,40})\}")
_CODE_ENVIRONMENTS = frozenset(
    "verbatim Verbatim lstlisting minted comment filecontents tikzpicture equation align alignat gather multline "
    "eqnarray displaymath math flalign dmath".split()
)
_MAX_FORMULA_CHARS = 400
_MARKDOWN = re.compile(r"^[ ]{0,3}(```+|~~~+)|(`+)|<!--|\$\$?|\\.", re.MULTILINE | re.DOTALL)
_FRONT_MATTER = re.compile(r"\A\ufeff?---[ \t]*\r?\n(?:.{0,2000}\r?\n){0,500}?(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)")
_DISPLAY_ENDS = {"\\[": "\\]", "$$": "$$"}
"""By the sign that begins a displayed formula, the one that ends it."""


@dataclass(frozen=True, slots=True)
class HiddenSpan:
    """A part of a draft that is not running text."""

    span: Span
    kind: HiddenKind


def find_hidden_spans(text: str, form: DraftForm) -> tuple[HiddenSpan, ...]:
    """The hidden spans of `text` in order; only those `outside` overlap others. Takes time linear in its length."""
    if form == "tex":
        return tuple(_hidden_in_tex(text))
    return tuple(_hidden_in_markdown(text)) if form == "markdown" else ()


class _EndFinder:
    """Finds closing strings; one that is missing is not searched again, so that time stays linear."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._gone: set[str] = set()
        self.environments = set(_CODE_ENVIRONMENTS)
        """Names of those that are not running text."""

    def after(self, end: str, start: int) -> int:
        """The position after the next `end` from `start` on; -1 if there is none."""
        if end in self._gone:
            return -1
        position = self._text.find(end, start)
        if position < 0:
            self._gone.add(end)
            return -1
        return position + len(end)


def _hidden_in_tex(text: str) -> Iterator[HiddenSpan]:
    end_finder, position = _EndFinder(text), 0
    end_finder.environments |= {match[1] for match in _EXCLUDED.finditer(text)}
    first = last = -1
    while match := _TEX.search(text, position):
        token, start, position = match.group(), match.start(), match.end()
        if match[1] == "document" and first < 0:
            first = position
            yield HiddenSpan(Span(0, position), "outside")
            continue
        end, kind = _end_in_tex(text, token, match, end_finder)
        if end > start:
            yield HiddenSpan(Span(start, end), kind)
            position = end
    if first >= 0:
        # The last one: the words may also be in an example of the text.
        last = text.rfind("\\end{document}")
        if last >= first:
            yield HiddenSpan(Span(last, len(text)), "outside")


def _end_in_tex(text: str, token: str, match: re.Match[str], end_finder: _EndFinder) -> tuple[int, HiddenKind]:
    """The end of the hidden part that starts with `token`; -1 if it is not hidden."""
    start, position = match.start(), match.end()
    if token == "%":
        line = text.find("\n", position)
        return (line if line >= 0 else len(text)), "cut"
    if match[1]:
        is_hidden = match[1].rstrip("*") in end_finder.environments
        return end_finder.after(f"\\end{{{match[1]}}}", position) if is_hidden else -1, "cut"
    if token.startswith("\\if"):
        return _end_of_skipped(text, position), "cut"
    if token == "\\endinput":
        return len(text), "cut"
    if token.startswith(("\\verb", "\\lstinline")):
        return _end_of_verbatim(text, position), "cut"
    if token in _DISPLAY_ENDS:
        return end_finder.after(_DISPLAY_ENDS[token], position), "cut"
    if token in ("$", "\\("):
        return _end_of_formula(text, start, position, "$" if token == "$" else "\\)"), "formula"
    return -1, "cut"


def _end_of_verbatim(text: str, position: int) -> int:
    """The position after the sign at `position` when it stands again in its line; -1 if it does not."""
    if position >= len(text):
        return -1
    line = text.find("\n", position)
    close = text.find(text[position], position + 1, line if line >= 0 else len(text))
    return close + 1 if close >= 0 else -1


def _end_of_skipped(text: str, position: int) -> int:
    """The position after the `\\else` or `\\fi` of a condition that is never true; without one, the end of the text."""
    depth = 0
    for token in _CONDITIONAL.finditer(text, position):
        if token["begin"]:
            depth += 1
        elif token["end"] and not depth:
            return token.end()
        elif token["end"] == "fi":
            depth -= 1
    return len(text)


def _end_of_formula(text: str, start: int, position: int, close: str) -> int:
    """The position after a formula within one paragraph; -1 where it is not closed soon."""
    body = text[position : start + _MAX_FORMULA_CHARS]
    pieces = re.split(r"\n\s*\n", body, maxsplit=1)
    ended = re.search(rf"(?<!\\){re.escape(close)}", pieces[0])
    return position + ended.end() if ended else -1


def _hidden_in_markdown(text: str) -> Iterator[HiddenSpan]:
    end_finder, position = _EndFinder(text), 0
    if front := _FRONT_MATTER.match(text):
        position = front.end()
        yield HiddenSpan(Span(0, position), "cut")
    while match := _MARKDOWN.search(text, position):
        start, position = match.start(), match.end()
        end, kind = _end_in_markdown(text, match, end_finder)
        if end > start:
            yield HiddenSpan(Span(start, end), kind)
            position = end


def _end_in_markdown(text: str, match: re.Match[str], end_finder: _EndFinder) -> tuple[int, HiddenKind]:
    token, position = match.group(), match.end()
    if match[1]:
        close = end_finder.after(f"\n{match[1]}", position)
        # As Markdown has it, a fence that is never closed reaches to the end of the text.
        return (close if close >= 0 else len(text)), "cut"
    if match[2]:
        return _end_of_code(text, position, match[2]), "cut"
    if token == "<!--":
        return end_finder.after("-->", position), "cut"
    if token == "$$":
        return end_finder.after("$$", position), "cut"
    # As pandoc has it: no blank inside the dollars, so that prices stay prices.
    if token == "$" and text[position : position + 1].strip():
        end = _end_of_formula(text, match.start(), position, "$")
        return (end if end > 0 and text[end - 2].strip() and not text[end : end + 1].isdigit() else -1), "formula"
    return -1, "cut"


def _end_of_code(text: str, position: int, ticks: str) -> int:
    """The position after inline code, within its paragraph."""
    blank = re.compile(r"\n[ \t\r]*\n").search(text, position, position + 2000)
    close = text.find(ticks, position, blank.start() if blank else position + 2000)
    return close + len(ticks) if close >= 0 else -1
