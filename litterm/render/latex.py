"""Text in a BibTeX value: special characters escaped, formulas left alone, capitals protected."""

from __future__ import annotations

import re

_SPECIAL = {
    "\\": r"\textbackslash{}",
    # BibTeX counts braces even behind a backslash, so a lone `\{` would swallow the rest of the file.
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{char: f"\\{char}" for char in "&%$#_"},
}
_ESCAPED = re.compile(r"[\\{}~^&%$#_]")
_FORMULA = re.compile(r"\$(?=[^\s$])[^$]*[\\^_={][^$]*(?<=[^\s$\\])\$")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_SENTENCE_END = re.compile(r"[:?!.]\s*$|^\s*$")


def escape(text: str) -> str:
    """`text` for a BibTeX value in braces; `$x^2$` stays a formula, everything else is literal."""
    return "".join(part if formula else _literal(part) for part, formula in _parts(text))


def escape_title(title: str) -> str:
    """Like `escape`, with names and acronyms in braces so that no style lowers them."""
    literal = "".join(part for part, formula in _parts(title) if not formula)
    if _shouted(literal):
        return escape(title)
    names = _is_sentence_case(literal)
    return "".join(part if formula else _protected(part, names=names) for part, formula in _parts(title))


def _parts(text: str) -> list[tuple[str, bool]]:
    """`text` in pieces, each with whether it is a formula."""
    parts, at = [], 0
    for found in _FORMULA.finditer(text):
        if _balanced(found.group()):
            parts += [(text[at : found.start()], False), (found.group(), True)]
            at = found.end()
    return [*parts, (text[at:], False)]


def _balanced(formula: str) -> bool:
    depth = 0
    for char in formula:
        depth += (char == "{") - (char == "}")
        if depth < 0:
            return False
    return depth == 0 and r"\{" not in formula and r"\}" not in formula


def _literal(text: str) -> str:
    return _ESCAPED.sub(lambda found: _SPECIAL[found.group()], text)


def _protected(text: str, *, names: bool) -> str:
    done, at = [], 0
    for found in _WORD.finditer(text):
        done.append(_literal(text[at : found.start()]))
        opens = _SENTENCE_END.search(text[: found.start()]) is not None
        word = _literal(found.group())
        done.append(f"{{{word}}}" if _must_stay(found.group(), name=names and not opens) else word)
        at = found.end()
    return "".join([*done, _literal(text[at:])])


def _must_stay(word: str, *, name: bool) -> bool:
    capital = word[0].isupper()
    inner = any(char.isupper() for char in word[1:])
    letter = len(word) == 1 and word not in "AI"
    return inner or (capital and (name or letter or any(char.isdigit() for char in word)))


def _is_sentence_case(title: str) -> bool:
    """Whether most long words are lower case: then a capital inside marks a name."""
    words = [found.group() for found in _WORD.finditer(title)][1:]
    words = [word for word in words if len(word) > 3 and word[0].isalpha()]
    return sum(word[0].islower() for word in words) * 2 > len(words)


def _shouted(title: str) -> bool:
    letters = [char for char in title if char.isalpha()]
    return len(title.split()) > 3 and sum(char.isupper() for char in letters) * 5 > len(letters) * 4
