"""Drafts in LaTeX, Markdown and plain text: read into marks with places, and patched without touching the rest.

Nothing in here raises, whatever the text is.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from litterm.model.attribution.draft import Draft, DraftCitation, DraftForm, DraftMark, FilePosition
from litterm.model.document import Span
from litterm.text.drafts.hidden_text import HiddenSpan, find_hidden_spans
from litterm.text.drafts.inclusions import find_inclusions
from litterm.text.drafts.marks import Group, MarkSlot, citation_affixes, find_citation_groups
from litterm.text.latex.prose import latex_to_text
from litterm.text.pandoc_keys import pandoc_key

_CONTEXT_CHARS_BEFORE, _CONTEXT_CHARS_AFTER = 1500, 700
"""Characters of a paragraph on either side of a mark that are looked at."""
_MAX_EXCERPT_CHARS = 5000
"""Characters: a text without any mark that is no longer is an excerpt, and its end is meant."""
_BREAKS: dict[DraftForm, re.Pattern[str]] = {
    "tex": re.compile(
        r"\n[ \t\r]*\n|\\(?:part|chapter|(?:sub){0,2}section|paragraph|item|begin|end|caption)\b\*?"
        r"(?:\[[^\[\]]{0,200}\])?(?:\{[^{}]{0,300}\})?"
    ),
    "markdown": re.compile(
        r"\n[ \t\r]*\n|^[ ]{0,3}(?:#{1,6}[ \t][^\n]*|(?:[-*+]|\d{1,3}[.)])[ \t]|>[ \t]?)", re.MULTILINE
    ),
    "text": re.compile(r"\n[ \t\r]*\n"),
}
_NAMED_BIBS: dict[DraftForm, tuple[re.Pattern[str], ...]] = {
    "tex": (re.compile(r"\\(?:bibliography|addbibresource|addglobalbib)(?:\[[^\[\]]{0,200}\])?\{([^{}]{1,2000})\}"),),
    "markdown": (
        re.compile(r"^bibliography:[ \t]*\[?([^\n\]]{1,2000})", re.MULTILINE),
        re.compile(r"^bibliography:[ \t]*\r?\n((?:[ \t]*-[ \t][^\n]{1,500}\n?){1,50})", re.MULTILINE),
    ),
    "text": (),
}
TARGET, OTHER = "\ue010", "\ue011"
"""Stand for the mark that is meant and for any other citation; `SAFE` takes them out of what a user wrote."""
SAFE = str.maketrans({TARGET: " ", OTHER: " "})

_MASKS = re.compile(r"\[\s?(?:CITATION|CITE|REF)\s?\]", re.IGNORECASE)
_SILENT_COMMANDS = re.compile(
    r"\\(?:label|ref|eqref|cref|Cref|autoref|pageref|nameref|includegraphics|vspace|hspace|url|input|include|index"
    r"|todo|nocite|bibliography|bibliographystyle|addbibresource|usepackage|documentclass|thanks|setlength|color"
    r"|subfile(?:include)?|(?:sub)?import|(?:sub)?(?:input|include)from|includeonly|defcitealias|citestyle|setcitestyle)\*?"
    r"(?:\s?\[[^\[\]]{0,200}\])?(?:\s?\{[^{}]{0,300}\}){1,2}"
)
# Of their two arguments the second is printed; a mark may stand in it.
_UNPRINTED_FIRST = re.compile(
    r"\\(?:hyperlink|hypertarget|href|textcolor|colorbox|foreignlanguage|raisebox|rotatebox|scalebox)\s?"
    r"(?:\[[^\[\]]{0,200}\])?\{[^{}]{0,300}\}(?=\s?\{)"
)
_COMMAND = re.compile(r"\\[A-Za-z@]{1,40}\*?(?:\[[^\[\]]{0,100}\])?|\\[^A-Za-z]?|[{}]")
_LINK = re.compile(r"!?\[([^\[\]]{0,300})\]\([^()\s]{0,500}(?:\s\"[^\"]{0,200}\")?\)")
_EMPHASIS = re.compile(r"(?<!\w)(\*{1,3}|_{1,3})(?=\S)([^*_]{1,400}?)(?<=\S)\1(?!\w)")
_MARKUP = re.compile(
    r"<[/!]?[A-Za-z][^<>]{0,200}>|\[\^[^\[\]\s]{1,40}\]:?|\{[#.=][^{}]{0,100}\}|^[ ]{0,3}(?:#{1,6}|>)[ \t]",
    re.MULTILINE,
)
_SEVERAL_IN_ONE = re.compile(r"\[((?:\[(?:CITATION|\d{1,3})\](?:[,;] )?){2,40})\]")
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
    text = "".join([*numbered, pieces[-1]]).replace(TARGET, "[CITATION]").strip()
    return _SEVERAL_IN_ONE.sub(r"\1", text)


def _remove_markup(source: str, form: DraftForm) -> str:
    if form == "tex":
        return _from_tex(source)
    return _from_markdown(source) if form == "markdown" else source


def _from_tex(source: str) -> str:
    plain = latex_to_text(_UNPRINTED_FIRST.sub(" ", _SILENT_COMMANDS.sub(" ", source)))
    plain = _COMMAND.sub(" ", plain.replace("~", " "))
    return plain.replace("``", "“").replace("''", "”").replace("---", "—").replace("--", "–")


def _from_markdown(source: str) -> str:
    plain = _LINK.sub(r"\1", source)
    # Twice: emphasis may stand within emphasis.
    plain = _EMPHASIS.sub(r"\2", _EMPHASIS.sub(r"\2", plain))
    plain = _MARKUP.sub(" ", plain)
    return latex_to_text(plain)


_NOCITE = re.compile(r"\\nocite\s*\{([^{}\\]{1,10000})\}")


def draft_form(name: str) -> DraftForm:
    """By the ending of a file's name; what is unknown is plain text."""
    ending = name.lower().rpartition(".")[2]
    if ending in ("tex", "ltx", "latex"):
        return "tex"
    return "markdown" if ending in ("md", "markdown", "qmd", "rmd", "mkd") else "text"


def nocite_keys(draft: Draft) -> tuple[str, ...]:
    """The keys that LaTeX lists in the bibliography without a citation (`\\nocite{a,b}`), in order."""
    if draft.form != "tex" or "\\nocite" not in draft.text:
        return ()
    hidden_spans = [hidden.span for hidden in find_hidden_spans(draft.text, draft.form) if hidden.kind == "cut"]
    starts = [span.start for span in hidden_spans]

    def is_hidden(place: int) -> bool:
        index = bisect_right(starts, place) - 1
        return index >= 0 and place < hidden_spans[index].end

    matches = (match for match in _NOCITE.finditer(draft.text) if not is_hidden(match.start()))
    return tuple(key.strip() for match in matches for key in match[1].split(",") if key.strip())


def read_draft(text: str, form: DraftForm, known_keys: Collection[str] = (), *, is_part: bool = False) -> Draft:
    """Every open mark and every citation, in order; a short text with neither has one mark at its end.

    `known_keys` are those of its bibliography, by which commands of unknown names are told. A part, which another file
    takes in, has no mark at its end, nor has a text that takes in others.
    """
    hidden_spans = find_hidden_spans(text, form)
    citation_groups = find_citation_groups(text, form, hidden_spans, known_keys)
    inclusions = find_inclusions(text, form, hidden_spans)
    reader = _DraftReader(text, form, hidden_spans, citation_groups)
    slots = [(group, slot) for group in citation_groups for slot in group.slots]
    marks = [reader.mark(index, group, slot) for index, (group, slot) in enumerate(slots)]
    is_excerpt = not citation_groups and not inclusions and not is_part
    if is_excerpt and text.strip() and len(text) <= _MAX_EXCERPT_CHARS:
        marks = [reader.end()]
    citations = tuple(reader.citation(group) for group in citation_groups if group.keys)
    bibliographies = _find_bibliographies(text, form, hidden_spans)
    return Draft(text, form, tuple(marks), citations, bibliographies, inclusions)


def insert_keys(text: str, keys: Iterable[tuple[DraftMark, str]]) -> str:
    """`text` with a key in the slot of each mark and every other character as it was."""
    pieces, position = [], 0
    for mark, key in sorted(keys, key=lambda filled: filled[0].slot.start):
        before = text[position : mark.slot.start] + mark.before
        # Only pandoc's citations have this sign before a key.
        pieces += [before, pandoc_key(key) if before.endswith("@") else key, mark.after]
        position = mark.slot.end
    return "".join([*pieces, text[position:]])


@dataclass(frozen=True, slots=True)
class _SortedGroups:
    """Citations in order with their start positions, for finding those of a paragraph."""

    starts: tuple[int, ...]
    groups: tuple[Group, ...]


class _DraftReader:
    """One text with its citations and hidden stretches: gives marks and citations with place and excerpt."""

    def __init__(
        self, text: str, form: DraftForm, hidden_spans: Sequence[HiddenSpan], citation_groups: Sequence[Group]
    ) -> None:
        self._text = text
        self._form = form
        self._hidden = sorted(
            (stretch for stretch in hidden_spans if stretch.kind != "outside"), key=lambda stretch: stretch.span.start
        )
        self._starts = [stretch.span.start for stretch in self._hidden]
        self._found = _SortedGroups(tuple(group.span.start for group in citation_groups), tuple(citation_groups))
        self._breaks = [match.span() for match in _BREAKS[form].finditer(text)]
        self._break_ends = [end for _, end in self._breaks]
        self._break_starts = [start for start, _ in self._breaks]
        self._lines = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]

    def mark(self, index: int, group: Group, slot: MarkSlot) -> DraftMark:
        """The mark of one missing citation."""
        return DraftMark(index, self._place(group.span), slot.span, slot.before, slot.after, self._excerpt(group.span))

    def citation(self, group: Group) -> DraftCitation:
        """A citation that is present."""
        return DraftCitation(self._place(group.span), group.keys, self._excerpt(group.span))

    # Where nothing is marked, the sentence that was typed last is what needs a citation.
    def end(self) -> DraftMark:
        """The end of the text, before its last full stop, as if a mark was there."""
        bare = self._text.rstrip()
        position = len(bare[:-1].rstrip()) if bare.endswith((".", "!", "?")) and len(bare) > 1 else len(bare)
        before, after = citation_affixes(self._form, "cite")
        tie = "~" if self._form == "tex" else " "
        place = Span(position, position)
        return DraftMark(0, self._place(place), place, tie + before, after, self._excerpt(place))

    def _place(self, span: Span) -> FilePosition:
        line = bisect_right(self._lines, span.start) - 1
        before = self._text[self._lines[line] : span.start]
        return FilePosition(span, line + 1, len(before) + 1, len(before.encode("utf-8", "surrogatepass")) + 1)

    def _excerpt(self, target: Span) -> str:
        start, end = self._paragraph(target)
        pieces, position = [], start
        for span, replacement in self._between(start, end, target):
            pieces += [self._text[position : max(position, span.start)].translate(SAFE), replacement]
            position = max(position, span.end)
        pieces.append(self._text[position:end].translate(SAFE))
        return to_plain_text("".join(pieces), self._form)

    def _paragraph(self, target: Span) -> tuple[int, int]:
        before = bisect_right(self._break_ends, target.start)
        next_break = bisect_left(self._break_starts, target.end)
        start = max(self._break_ends[before - 1] if before else 0, target.start - _CONTEXT_CHARS_BEFORE)
        end = min(
            self._break_starts[next_break] if next_break < len(self._breaks) else len(self._text),
            target.end + _CONTEXT_CHARS_AFTER,
        )
        return min(start, target.start), max(end, target.end)

    def _between(self, start: int, end: int, target: Span) -> list[tuple[Span, str]]:
        """What is written otherwise between `start` and `end`, in order: hidden stretches and citations."""
        spans = [(target, TARGET)]
        first = bisect_left(self._found.starts, start)
        for group in self._found.groups[first : bisect_left(self._found.starts, end)]:
            if group.span != target:
                spans.append((group.span, OTHER))
        # A stretch may begin before the paragraph and reach into it.
        first = max(0, bisect_left(self._starts, start) - 1)
        for stretch in self._hidden[first : bisect_left(self._starts, end)]:
            if stretch.kind == "cut" and stretch.span.end > start:
                spans.append((stretch.span, " "))
        return sorted(spans, key=lambda stretch: (stretch[0].start, stretch[0].end))


def _find_bibliographies(text: str, form: DraftForm, hidden_spans: Sequence[HiddenSpan]) -> tuple[str, ...]:
    """Names as written, without duplicates; names in comments do not count."""
    front = (
        hidden_spans[0].span.end if form == "markdown" and hidden_spans and text.startswith(("---", "\ufeff---")) else 0
    )
    searched_text = text[:front] if form == "markdown" else text
    cut = [stretch.span for stretch in hidden_spans if stretch.kind == "cut"] if form == "tex" else []
    starts = [span.start for span in cut]
    names: dict[str, None] = {}
    for match in (match for pattern in _NAMED_BIBS[form] for match in pattern.finditer(searched_text)):
        index = bisect_right(starts, match.start()) - 1
        if index < 0 or cut[index].end <= match.start():
            names.update(dict.fromkeys(_split_names(match[1])))
    return tuple(names)


def _split_names(name_list: str) -> list[str]:
    words = re.split(r"[,\n]", name_list)
    return [name for word in words if (name := word.strip().removeprefix("- ").strip(" \t\r'\""))]
