"""Finds the citations of a draft and the marks where one is missing, each with its position.

In LaTeX these are the citation commands of natbib, biblatex, apacite and their like, with all their arguments.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from litterm.model.attribution.draft import DraftForm
from litterm.model.document import Span
from litterm.text.drafts.hidden_text import HiddenSpan

Purpose = Literal["keys", "several", "volume", "volumes", "field", "unknown"]
"""Which arguments hold keys: the first; all; the one behind a volume; these in pairs; the one before a field; or those
that are known keys."""

_NAME = re.compile(r"\\([A-Za-z]{4,40})\*?")
_KNOWN = frozenset(
    """
    cite citep citet citealp citealt citeauthor citeyear citeyearpar citefullauthor citetalias citepalias citetitle
    citedate citeurl citenum citen citeonline onlinecite inlinecite newcite citepos citeposs citegen possessivecite
    parencite footcite footcitetext footnotecite smartcite supercite textcite autocite fullcite footfullcite notecite
    pnotecite fnotecite footciteauthor footcitetitle headlesscite headlessfullcite sidecite sidefullcite margincite
    citea citenp citeauthornp citeyearnp shortcite shortcitea shortcitenp shortciteauthor shortciteauthornp fullcitea
    fullcitenp fullciteauthor fullciteauthornp maskcite maskcitea bibentry nptextcite
    """.split()
)
"""In small letters: most of them also exist with a capital."""
_NO_CITATION = re.compile(
    r"nocite|^(?:bib|newcite|setcite|defcite|declare|renew|provide|new(?!cite$))|^cite(?:style|color|reset|text|sort|punct"
    r"|left|right|dash|index|tracker)|excite|recite"
)
_FIELD = frozenset(("citefield", "citelist", "citename"))
_PARENTHETIC = ("citep", "parencite", "autocite", "cite")
_VOLUME = re.compile(r"[a-z]{0,2}volcite(s?)")
_TOKEN = re.compile(r"\\.|[\[\]{}()<>]|\n[ \t\r]*\n", re.DOTALL)
_BLANK = re.compile(r"[ \t\r]*(?:\n[ \t\r]*)?")
_CLOSING = {"{": "}", "[": "]", "(": ")", "<": ">"}
# Every repetition is bounded: a draft may be hostile, or no draft at all.
_MAX_ARGUMENT_CHARS, _MAX_DEPTH, _MAX_ARGUMENTS, _MAX_OPENINGS = 4000, 8, 400, 20
_NO_KEY = re.compile(r"[\\{}#]")


@dataclass(frozen=True, slots=True)
class MarkSlot:
    """Where a key is inserted, and the text that must be around it."""

    span: Span
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """One citation command or bracket: the keys it has and the places where one is missing."""

    span: Span
    slots: tuple[MarkSlot, ...] = ()
    keys: tuple[str, ...] = ()


# Every repetition is bounded: a draft may be hostile, or no draft at all.
_OPEN_KEY = re.compile(r"\?+")
_MASK = re.compile(r"\[\s?(?:CITATION|[Cc]itation|CITE|REF)\s?\d{0,3}\s?\]|[\[(]\s?\?\s?[\])]|\[?\bTARGETCIT\b\]?")
_MASKS_IN_ONE = re.compile(
    r"\[\s?(?:CITATION|CITE|REF)\s?\d{0,3}(?:\s?[,;]\s?(?:CITATION|CITE|REF)\s?\d{0,3}){1,20}\s?\]"
)
# What is left of several in one bracket once the others have their keys.
_MASK_LEFT = re.compile(r"(?:(?<=[\[,;])|(?<=[\[,;]\s))CITATION\d{0,3}(?=\s?[,;\]])")
_MASK_WORD = re.compile(r"(?:CITATION|CITE|REF)(?:\s?\d{1,3})?")
_ARGUMENT = re.compile(r"\\[A-Za-z]{1,40}\*?\s?\Z")
# A key of pandoc: letters and digits, and between them single signs; in braces whatever is wanted.
_KEY = r"[\w*](?:\w|[:.#$%&+?<>~/-](?=\w)|[:/](?=/)){0,200}"
_PANDOC = re.compile(rf"(?<![\w@.+-])-?@(?:(\?+)|\{{([^{{}}\n]{{1,200}})\}}|({_KEY}))")
_BRACKET = re.compile(r"\[(?:[^\[\]]|\[[^\[\]]{0,100}\]){0,600}\]")
_LOCATOR = re.compile(r"\s?(\[(?:[^\[\]]|\[[^\[\]]{0,100}\]){0,600}\])(?!\()")
_NO_LOCATOR = re.compile(r"\[(?:\^|@|\s?(?:\?|CITATION|CITE|REF)\b)|\[\?\]|\[[ xX]?\]", re.IGNORECASE)
_EMPTY_PANDOC = re.compile(r"\[-?@\]")


def find_citation_groups(
    text: str, form: DraftForm, hidden_spans: Sequence[HiddenSpan], known_keys: Collection[str] = ()
) -> tuple[Group, ...]:
    """The citations of `text` outside of what is hidden, in reading order, without overlap.

    With `known_keys`, those of its bibliography, a command of an unknown name counts where it cites one of them.
    """
    # One byte per character: whether a stretch is free is then one look, whatever lies hidden in it.
    hidden_places, taken_places = bytearray(len(text)), bytearray(len(text))
    for stretch in hidden_spans:
        _take(hidden_places, stretch.span)
    bare = _without_comments(text, hidden_spans)
    commands = [
        command for command in find_citation_commands(bare, known_keys) if not hidden_places[command.span.start]
    ]
    accepted: list[Group] = []
    # Commands first, then Pandoc's, then masks: what may be read in two ways belongs to the first.
    for group in (*_command_groups(text, bare, commands), *_pandoc_groups(bare, form)):
        # Comments and formulas may stand within a citation; only what begins in one is hidden.
        if not hidden_places[group.span.start] and _is_free(taken_places, group.span):
            _take(taken_places, group.span)
            accepted.append(group)
    command = most_used_command(commands) if form == "tex" else "cite"
    for group in _mask_groups(text, form, command):
        if _is_free(hidden_places, group.span) and _is_free(taken_places, group.span):
            _take(taken_places, group.span)
            accepted.append(group)
    return tuple(sorted(accepted, key=lambda group: group.span.start))


def citation_affixes(form: DraftForm, command: str) -> tuple[str, str]:
    """The text before and after the key where a whole citation must be written."""
    if form == "tex":
        return f"\\{command}{{", "}"
    return ("[@", "]") if form == "markdown" else ("[", "]")


def _take(places: bytearray, span: Span) -> None:
    places[span.start : span.end] = b"\x01" * (span.end - span.start)


def _is_free(places: bytearray, span: Span) -> bool:
    return not any(places[span.start : span.end])


def _without_comments(text: str, hidden_spans: Sequence[HiddenSpan]) -> str:
    """`text` with blanks for what is cut out of it, and for the line end of a comment, which LaTeX leaves out too."""
    pieces, position = [], 0
    for stretch in sorted(hidden_spans, key=lambda stretch: stretch.span.start):
        start, end = max(position, stretch.span.start), stretch.span.end
        if stretch.kind != "cut" or end <= start:
            continue
        end += text[start] == "%" and text[end : end + 1] == "\n"
        pieces += [text[position:start], " " * (end - start)]
        position = end
    return "".join([*pieces, text[position:]])


def _command_groups(text: str, bare: str, commands: Sequence[CitationCommand]) -> Iterator[Group]:
    """A group for each of `commands`, with those that stand in its arguments."""
    outer: CitationCommand | None = None
    arguments: list[Span] = []
    for command in commands:
        if outer is not None and command.span.end <= outer.span.end:
            arguments += command.key_arguments
            continue
        if outer is not None:
            yield from _command_group(text, bare, outer, arguments)
        outer, arguments = command, list(command.key_arguments)
    if outer is not None:
        yield from _command_group(text, bare, outer, arguments)


def _command_group(text: str, bare: str, command: CitationCommand, arguments: Sequence[Span]) -> Iterator[Group]:
    slots: list[MarkSlot] = []
    keys: list[str] = []
    for span in sorted(arguments, key=lambda span: span.start):
        missing, present = _read_keys(text, bare, span)
        slots += missing
        keys += present
    if slots or keys:
        yield Group(command.span, tuple(slots), tuple(keys))


def _read_keys(text: str, bare: str, span: Span) -> tuple[list[MarkSlot], list[str]]:
    """The missing keys and the present keys between the braces."""
    slots: list[MarkSlot] = []
    keys: list[str] = []
    position, key_text = span.start, bare[span.start : span.end]
    for item in key_text.split(","):
        word = " ".join(item.split())
        start = position + (len(item) - len(item.lstrip()))
        if _OPEN_KEY.fullmatch(word):
            slots.append(MarkSlot(Span(start, start + len(word))))
        elif word and is_key(word):
            keys.append(word)
        position += len(item) + 1
    # An empty command, `\cite{}`, has one open place; a lone comma in it is a typing error, and not two.
    if not key_text.strip():
        # Behind a comment, which must stay.
        start = span.start if not text[span.start : span.end].strip() else span.end
        slots.append(MarkSlot(Span(start, span.end)))
    return slots, keys


def _mask_groups(text: str, form: DraftForm, command: str) -> Iterator[Group]:
    writing = citation_affixes(form, command)
    for match in _MASK.finditer(text):
        start, end = match.span()
        # `[?]` may be an option of LaTeX or the text of a link in Markdown; `[CITATION]` is neither.
        follows = text[end : end + 1]
        if "?" in match.group():
            if match.group()[0] == "[" and form == "tex" and (follows == "{" or _is_option(text, start)):
                continue
            if form == "markdown" and follows == "(":
                continue
        yield Group(Span(start, end), (MarkSlot(Span(start, end), *writing),))
    # Of several in one bracket each is a mark of its own, and the bracket stays.
    inner = writing if form == "tex" else ("@", "") if form == "markdown" else ("", "")
    places = [Span(*word.span()) for several in _MASKS_IN_ONE.finditer(text) for word in _words(text, several.span())]
    for place in dict.fromkeys([*places, *(Span(*left.span()) for left in _MASK_LEFT.finditer(text))]):
        yield Group(place, (MarkSlot(place, *inner),))


def _words(text: str, span: tuple[int, int]) -> Iterator[re.Match[str]]:
    return _MASK_WORD.finditer(text, *span)


def _is_option(text: str, start: int) -> bool:
    return _ARGUMENT.search(text, max(0, start - 45), start) is not None


def _pandoc_groups(text: str, form: DraftForm) -> Iterator[Group]:
    if form == "tex":
        return
    for match in _EMPTY_PANDOC.finditer(text):
        yield Group(Span(*match.span()), (MarkSlot(Span(match.end() - 1, match.end() - 1)),))
    # `@key [p. 3]` is one citation; `[?]` and a footnote behind a key are none of its own.
    located = {
        locator.start(1): match.start()
        for match in _PANDOC.finditer(text)
        if (locator := _LOCATOR.match(text, match.end())) and not _NO_LOCATOR.match(locator[1])
    }
    for bracket in _BRACKET.finditer(text):
        slots, keys = _read_pandoc_keys(text, *bracket.span())
        # `[text](address)` is a link, whatever is in it.
        if bracket.start() in located:
            yield _pandoc_group(text, located[bracket.start()], bracket.end())
        elif (slots or keys) and text[bracket.end() : bracket.end() + 1] != "(":
            yield Group(Span(*bracket.span()), slots, keys)
    for match in _PANDOC.finditer(text):
        yield _pandoc_group(text, *match.span())


def _pandoc_group(text: str, start: int, end: int) -> Group:
    return Group(Span(start, end), *_read_pandoc_keys(text, start, end))


def _read_pandoc_keys(text: str, start: int, end: int) -> tuple[tuple[MarkSlot, ...], tuple[str, ...]]:
    slots: list[MarkSlot] = []
    keys: list[str] = []
    for match in _PANDOC.finditer(text, start, end):
        if match[1]:
            slots.append(MarkSlot(Span(*match.span(1))))
        else:
            keys.append(match[2] or match[3])
    if keys:
        # `[@key; CITATION]`: one that is still missing beside one that is there.
        slots += [MarkSlot(Span(*left.span()), "@") for left in _MASK_LEFT.finditer(text, start, end)]
    return tuple(sorted(slots, key=lambda slot: slot.span.start)), tuple(keys)


@dataclass(frozen=True, slots=True)
class CitationCommand:
    """One citation command: its name, where it stands, and its arguments that hold keys."""

    name: str
    span: Span
    key_arguments: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class _Argument:
    opening: str
    inner: Span


def find_citation_commands(text: str, known_keys: Collection[str] = ()) -> tuple[CitationCommand, ...]:
    """The citation commands of `text`, which has blanks for its comments, in order; one may stand within another.

    A command of an unknown name counts where one of its arguments, here or elsewhere, is a key of `known_keys`; where
    no key is known, always.
    """
    found: list[tuple[CitationCommand, Purpose]] = []
    for match in _NAME.finditer(text):
        purpose = _purpose_of(match[1])
        if purpose is None or _is_escaped(text, match.start()):
            continue
        arguments, end = _read_arguments(text, match.end(), purpose)
        spans = _key_arguments(purpose, [item.inner for item in arguments if item.opening == "{"], text, known_keys)
        if spans:
            found.append((CitationCommand(match[1], Span(match.start(), end), spans), purpose))
    if not known_keys:
        return tuple(command for command, _ in found)
    citing = {
        command.name
        for command, purpose in found
        if purpose == "unknown" and any(_holds_known_keys(text, span, known_keys) for span in command.key_arguments)
    }
    return tuple(
        command
        for command, purpose in found
        if purpose != "unknown" or command.name in citing or _is_open(text, command.key_arguments[0])
    )


def most_used_command(commands: Sequence[CitationCommand]) -> str:
    """The command by which a draft mostly cites in parentheses; `cite` where it has none."""
    uses = [command.name for command in commands if command.name in _PARENTHETIC]
    return max(_PARENTHETIC, key=lambda name: (uses.count(name), name == "cite"))


def is_key(word: str) -> bool:
    """Whether `word` may be a key: `#1` and `\\x` of a definition are none."""
    return _NO_KEY.search(word) is None


def _purpose_of(name: str) -> Purpose | None:
    """Which arguments of the command `name` hold keys; `None` where it cites nothing."""
    small = name.lower()
    if "cite" not in small and small != "bibentry":
        return None
    if small in _KNOWN:
        return "keys"
    if small in _FIELD:
        return "field"
    if volume := _VOLUME.fullmatch(small):
        return "volumes" if volume[1] else "volume"
    if _NO_CITATION.search(small):
        return None
    return "several" if small.endswith(("cites", "citetexts")) else "unknown"


def _is_escaped(text: str, start: int) -> bool:
    before = start
    while before and text[before - 1] == "\\":
        before -= 1
    return (start - before) % 2 == 1


def _read_arguments(text: str, position: int, purpose: Purpose) -> tuple[list[_Argument], int]:
    """The arguments from `position` on, as many as the command takes, and where the last one ends."""
    wanted = {"keys": 1, "several": _MAX_ARGUMENTS, "volume": 2, "volumes": _MAX_ARGUMENTS, "field": 2, "unknown": 3}
    allowed = "{[(" if purpose in ("several", "volumes") else "{[<"
    arguments: list[_Argument] = []
    end, groups, read = position, 0, 0
    while groups < wanted[purpose] and read < 2 * _MAX_ARGUMENTS:
        start = _skip_blank(text, position)
        opening = text[start : start + 1]
        if not opening or opening not in allowed or (opening in "(<" and groups):
            break
        close = _find_close(text, start, opening)
        if close < 0:
            break
        read += 1
        position = close + 1
        arguments.append(_Argument(opening, Span(start + 1, close)))
        if opening == "{":
            groups, end = groups + 1, position
    return arguments, end


def _skip_blank(text: str, position: int) -> int:
    match = _BLANK.match(text, position)
    return match.end() if match else position


def _find_close(text: str, start: int, opening: str) -> int:
    """Where the argument that opens at `start` closes; -1 if it does not within its paragraph."""
    close = _find_balanced(text, start, opening, nested=True)
    # `[see [1]` has a lone bracket inside.
    return _find_balanced(text, start, opening, nested=False) if close < 0 and opening != "{" else close


def _find_balanced(text: str, start: int, opening: str, *, nested: bool) -> int:
    closing, depth, braces, openings = _CLOSING[opening], 1, 0, 0
    for token in _TOKEN.finditer(text, start + 1, start + 1 + _MAX_ARGUMENT_CHARS):
        sign = token.group()
        openings += sign == opening
        if sign.startswith("\n") or max(depth, braces) > _MAX_DEPTH or openings > _MAX_OPENINGS:
            return -1
        if sign == closing and not braces:
            depth -= 1
            if not depth:
                return token.start()
        elif sign == opening and not braces:
            depth += nested or opening == "{"
        else:
            braces += (sign == "{") - (sign == "}")
            if braces < 0:
                return -1
    return -1


def _key_arguments(
    purpose: Purpose, groups: Sequence[Span], text: str, known_keys: Collection[str]
) -> tuple[Span, ...]:
    """Those of `groups` that hold keys."""
    if purpose == "several":
        return tuple(groups)
    if purpose in ("volume", "volumes"):
        return tuple(groups[1::2])
    if purpose == "field":
        return tuple(groups[:1]) if len(groups) > 1 else ()
    if purpose == "unknown" and known_keys:
        of_keys = tuple(group for group in groups if _holds_known_keys(text, group, known_keys))
        return of_keys or tuple(groups[:1])
    return tuple(groups[:1])


def _holds_known_keys(text: str, span: Span, known_keys: Collection[str]) -> bool:
    words = list(_argument_words(text, span))
    return bool(words) and all(word in known_keys for word in words)


def _is_open(text: str, span: Span) -> bool:
    """Whether a key is missing there."""
    words = list(_argument_words(text, span))
    return not words or any(not word.strip("?") for word in words)


def _argument_words(text: str, span: Span) -> Iterator[str]:
    return (word for item in text[span.start : span.end].split(",") if (word := item.strip()))
