"""Turns a stretch of a draft into plain words, without commands and markup."""

from __future__ import annotations

import re

from litterm.model.attribution.draft import DraftForm
from litterm.text.latex.prose import latex_to_text

TARGET, OTHER = "\ue010", "\ue011"
"""Stand for the mark that is meant and for any other citation; `SAFE` takes them out of what a user wrote."""
SAFE = str.maketrans({TARGET: " ", OTHER: " "})

_MASKS = re.compile(r"\[\s?(?:CITATION|CITE|REF)\s?\]", re.IGNORECASE)
_SILENT_COMMANDS = re.compile(
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


def to_plain_text(source: str, form: DraftForm) -> str:
    """`source` as a plain text on one line: `[CITATION]` for `TARGET`, `[1]`, `[2]` for each `OTHER`."""
    masked = _MASKS.sub(OTHER, source)
    plain = _remove_markup(masked, form)
    if plain.count(TARGET) != 1:
        # The argument of a command that is not printed took it away.
        plain = TARGET.join(_remove_markup(piece, form) for piece in masked.split(TARGET, 1))
    plain = " ".join(_ATTACHED.sub(" ", plain).split())
    pieces = plain.split(OTHER)
    # Three digits at most, as citations in brackets are recognised elsewhere.
    numbered = [piece + f"[{min(number, 999)}]" for number, piece in enumerate(pieces[:-1], 1)]
    return "".join([*numbered, pieces[-1]]).replace(TARGET, "[CITATION]").strip()


def _remove_markup(source: str, form: DraftForm) -> str:
    if form == "tex":
        return _from_tex(source)
    return _from_markdown(source) if form == "markdown" else source


def _from_tex(source: str) -> str:
    plain = latex_to_text(_SILENT_COMMANDS.sub(" ", source))
    plain = _COMMAND.sub(" ", plain.replace("~", " "))
    return plain.replace("``", "“").replace("''", "”").replace("---", "—").replace("--", "–")


def _from_markdown(source: str) -> str:
    plain = _LINK.sub(r"\1", source)
    # Twice: emphasis may stand within emphasis.
    plain = _EMPHASIS.sub(r"\2", _EMPHASIS.sub(r"\2", plain))
    plain = _MARKUP.sub(" ", plain)
    return latex_to_text(plain)
