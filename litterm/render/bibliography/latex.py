"""Text in a BibTeX value: special characters escaped, harmless formulas left alone, capitals protected."""

from __future__ import annotations

import re

from litterm.render.bibliography.formula import MAX_FORMULA_CHARS, is_harmless

_REPLACEMENTS = {
    "\\": r"\textbackslash{}",
    # BibTeX counts braces even behind a backslash, so a lone `\{` would swallow the rest of the file.
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{char: f"\\{char}" for char in "&%$#_"},
}
_SPECIAL_CHARS = re.compile(r"[\\{}~^&%$#_]")
_MATHEMATICAL = re.compile(r"[\\^_={]")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def escape(text: str) -> str:
    """`text` for a BibTeX value in braces; `$x^2$` stays a formula, everything else is literal."""
    return "".join(part if formula else _escape_literal(part) for part, formula in _split_formulas(text))


def escape_title(title: str) -> str:
    """Like `escape`, with names and acronyms in braces so that no style lowers them."""
    literal = "".join(part for part, formula in _split_formulas(title) if not formula)
    # In a title in capitals every word looks like an acronym, and braces would keep them all from being lowered.
    if _is_all_caps(literal):
        return escape(title)
    names = _is_sentence_case(literal)
    return "".join(
        part if formula else _protect_capitals(part, names=names) for part, formula in _split_formulas(title)
    )


def _split_formulas(text: str) -> list[tuple[str, bool]]:
    """`text` in pieces, each with whether it is a formula."""
    parts, copied_to = [], 0
    start = text.find("$")
    while start >= 0:
        end = text.find("$", start + 1, start + MAX_FORMULA_CHARS + 2)
        if end < 0 or not _is_formula(text[start + 1 : end]):
            start = text.find("$", start + 1)
            continue
        parts += [(text[copied_to:start], False), (text[start : end + 1], True)]
        copied_to = end + 1
        start = text.find("$", copied_to)
    return [*parts, (text[copied_to:], False)]


def _is_formula(inner: str) -> bool:
    """Whether what stands between two dollars is mathematics, not a price, and may stay."""
    # A lone `\{` would swallow the rest of the file: BibTeX counts braces even behind a backslash.
    tidy = inner[:1].strip() and inner[-1:].strip() and inner[-1] != "\\" and _MATHEMATICAL.search(inner)
    return bool(tidy) and is_harmless(inner)


def _escape_literal(text: str) -> str:
    return _SPECIAL_CHARS.sub(lambda match: _REPLACEMENTS[match.group()], text)


def _protect_capitals(text: str, *, names: bool) -> str:
    pieces, end = [], 0
    for match in _WORD.finditer(text):
        between = text[end : match.start()]
        pieces.append(_escape_literal(between))
        opens = between.rstrip()[-1:] in tuple(":?!.") if between.strip() else not end
        word = _escape_literal(match.group())
        pieces.append(f"{{{word}}}" if _needs_braces(match.group(), name=names and not opens) else word)
        end = match.end()
    return "".join([*pieces, _escape_literal(text[end:])])


def _needs_braces(word: str, *, name: bool) -> bool:
    capital = word[0].isupper()
    inner = any(char.isupper() for char in word[1:])
    letter = len(word) == 1 and word not in "AI"
    return inner or (capital and (name or letter or any(char.isdigit() for char in word)))


def _is_sentence_case(title: str) -> bool:
    """Whether most long words are lower case: then a capital inside marks a name."""
    # The first word has its capital in either way of writing titles and tells nothing.
    words = [match.group() for match in _WORD.finditer(title)][1:]
    words = [word for word in words if len(word) > 3 and word[0].isalpha()]
    return sum(word[0].islower() for word in words) * 2 > len(words)


def _is_all_caps(title: str) -> bool:
    letters = [char for char in title if char.isalpha()]
    return len(title.split()) > 3 and sum(char.isupper() for char in letters) * 5 > len(letters) * 4
