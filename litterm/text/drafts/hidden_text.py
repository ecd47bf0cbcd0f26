"""What of a draft is not running text: comments, code, displayed formulas, the preamble."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from litterm.model.document import Span
from litterm.model.draft import DraftForm

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


class _Ends:
    """Where strings end, without looking twice for one that is not there."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._gone: set[str] = set()

    def after(self, end: str, start: int) -> int:
        """Behind the next `end` from `start` on; -1 if there is none."""
        if end in self._gone:
            return -1
        found = self._text.find(end, start)
        if found < 0:
            self._gone.add(end)
            return -1
        return found + len(end)


def _tex(text: str) -> Iterator[HiddenSpan]:
    ends, at = _Ends(text), 0
    first = last = -1
    while match := _TEX.search(text, at):
        token, start, at = match.group(), match.start(), match.end()
        if match[1] == "document" and first < 0:
            first = at
            yield HiddenSpan(Span(0, at), "outside")
            continue
        end, kind = _tex_end(text, token, match, ends)
        if end > start:
            yield HiddenSpan(Span(start, end), kind)
            at = end
    if first >= 0:
        last = text.rfind("\\end{document}")
        if last >= first:
            yield HiddenSpan(Span(last, len(text)), "outside")


def _tex_end(text: str, token: str, match: re.Match[str], ends: _Ends) -> tuple[int, HiddenKind]:
    """Where what starts with `token` ends, if it is hidden; -1 if it is not."""
    start, at = match.start(), match.end()
    if token == "%":
        line = text.find("\n", at)
        return (line if line >= 0 else len(text)), "cut"
    if match[1]:
        return (ends.after(f"\\end{{{match[1]}}}", at) if match[1].rstrip("*") in _CODE else -1), "cut"
    if token.startswith(("\\verb", "\\lstinline")):
        line = text.find("\n", at)
        close = text.find(text[at], at + 1, line if line >= 0 else len(text)) if at < len(text) else -1
        return close + 1 if close >= 0 else -1, "cut"
    if token == "\\[":
        return ends.after("\\]", at), "cut"
    if token == "$$":
        return ends.after("$$", at), "cut"
    if token in ("$", "\\("):
        return _formula(text, start, at, "$" if token == "$" else "\\)"), "formula"
    return -1, "cut"


def _formula(text: str, start: int, at: int, close: str) -> int:
    """Behind a formula within one paragraph; -1 where none closes soon."""
    body = text[at : start + _LONGEST_FORMULA]
    pieces = re.split(r"\n\s*\n", body, maxsplit=1)
    ended = re.search(rf"(?<!\\){re.escape(close)}", pieces[0])
    return at + ended.end() if ended else -1


def _markdown(text: str) -> Iterator[HiddenSpan]:
    ends, at = _Ends(text), 0
    if front := _FRONT_MATTER.match(text):
        at = front.end()
        yield HiddenSpan(Span(0, at), "cut")
    while match := _MARKDOWN.search(text, at):
        start, at = match.start(), match.end()
        end, kind = _markdown_end(text, match, ends)
        if end > start:
            yield HiddenSpan(Span(start, end), kind)
            at = end


def _markdown_end(text: str, match: re.Match[str], ends: _Ends) -> tuple[int, HiddenKind]:
    token, at = match.group(), match.end()
    if match[1]:
        close = ends.after(f"\n{match[1]}", at)
        return (close if close >= 0 else len(text)), "cut"
    if match[2]:
        return _code(text, at, match[2]), "cut"
    if token == "<!--":
        return ends.after("-->", at), "cut"
    if token == "$$":
        return ends.after("$$", at), "cut"
    # As pandoc has it: no blank inside the dollars, so that prices stay prices.
    if token == "$" and text[at : at + 1].strip():
        end = _formula(text, match.start(), at, "$")
        return (end if end > 0 and text[end - 2].strip() and not text[end : end + 1].isdigit() else -1), "formula"
    return -1, "cut"


def _code(text: str, at: int, ticks: str) -> int:
    """Behind code in a line, within its paragraph."""
    blank = re.compile(r"\n[ \t\r]*\n").search(text, at, at + 2000)
    close = text.find(ticks, at, blank.start() if blank else at + 2000)
    return close + len(ticks) if close >= 0 else -1
