"""The words of a stretch of a draft, without the commands around them."""

from __future__ import annotations

import re

from litterm.model.draft import DraftForm
from litterm.text.latex.prose import latex_to_text

TARGET, OTHER = "\ue010", "\ue011"
"""Stand for the mark that is meant and for any other citation; `SAFE` takes them out of what a user wrote."""
SAFE = str.maketrans({TARGET: " ", OTHER: " "})

_MASKS = re.compile(r"\[\s?(?:CITATION|CITE|REF)\s?\]", re.IGNORECASE)
_SILENT = re.compile(
    r"\\(?:label|ref|eqref|cref|Cref|autoref|pageref|nameref|includegraphics|vspace|hspace|url|input|include|index"
    r"|todo|nocite|bibliography|bibliographystyle|addbibresource|usepackage|documentclass|thanks|setlength|color)\*?"
    r"(?:\s?\[[^\[\]]{0,200}\])?(?:\s?\{[^{}]{0,300}\}){1,2}"
)
_COMMAND = re.compile(r"\\[A-Za-z@]{1,40}\*?(?:\[[^\[\]]{0,100}\])?|\\[^A-Za-z]?|[{}]")
_LINK = re.compile(r"!?\[([^\[\]]{0,300})\]\([^()\s]{0,500}(?:\s\"[^\"]{0,200}\")?\)")
_EMPHASIS = re.compile(r"(?<!\w)(\*{1,3}|_{1,3})(?=\S)([^*_]{1,400}?)(?<=\S)\1(?!\w)")
_MARKUP = re.compile(
    r"<[/!]?[A-Za-z][^<>]{0,200}>|\[\^[^\[\]\s]{1,40}\]:?|\{[#.=][^{}]{0,100}\}|^[ ]{0,3}(?:#{1,6}|>)[ \t]",
    re.MULTILINE,
)
_ATTACHED = re.compile(f"(?<=[^\\s(\\[{OTHER}{TARGET}])(?=[{OTHER}{TARGET}])")


def words_of(source: str, form: DraftForm) -> str:
    """`source` as a plain text on one line: `[CITATION]` for `TARGET`, `[1]`, `[2]` for each `OTHER`."""
    masked = _MASKS.sub(OTHER, source)
    plain = _cleaned(masked, form)
    if plain.count(TARGET) != 1:
        # The argument of a command that is not printed took it away.
        plain = TARGET.join(_cleaned(piece, form) for piece in masked.split(TARGET, 1))
    plain = " ".join(_ATTACHED.sub(" ", plain).split())
    pieces = plain.split(OTHER)
    numbered = [piece + f"[{min(at, 999)}]" for at, piece in enumerate(pieces[:-1], 1)]
    return "".join([*numbered, pieces[-1]]).replace(TARGET, "[CITATION]").strip()


def _cleaned(source: str, form: DraftForm) -> str:
    if form == "tex":
        return _from_tex(source)
    return _from_markdown(source) if form == "markdown" else source


def _from_tex(source: str) -> str:
    said = latex_to_text(_SILENT.sub(" ", source))
    said = _COMMAND.sub(" ", said.replace("~", " "))
    return said.replace("``", "“").replace("''", "”").replace("---", "—").replace("--", "–")


def _from_markdown(source: str) -> str:
    said = _LINK.sub(r"\1", source)
    said = _EMPHASIS.sub(r"\2", _EMPHASIS.sub(r"\2", said))
    said = _MARKUP.sub(" ", said)
    return latex_to_text(said)
