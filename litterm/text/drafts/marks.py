"""Finds the citations of a draft and the marks where one is missing, each with its position."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from litterm.model.attribution.draft import DraftForm
from litterm.model.document import Span
from litterm.text.drafts.hidden_text import HiddenSpan


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
_OPTIONS = r"(?:\s?\[(?:[^\[\]{}\\]|\\.|\{[^{}]{0,200}\}){0,300}\]){0,2}"
_COMMAND = re.compile(
    rf"\\([A-Za-z]{{0,12}}[cC]ite[A-Za-z]{{0,12}})\*?{_OPTIONS}\s?\{{([^{{}}]{{0,4000}})\}}", re.DOTALL
)
_NO_CITATION = frozenset("nocite citestyle setcitestyle defcitealias citereset citename citefield citelist".split())
_PARENTHETIC = ("citep", "parencite", "autocite", "cite")
_OPEN_KEY = re.compile(r"\?+")
_MASK = re.compile(r"\[\s?(?:CITATION|[Cc]itation|CITE|REF)\s?\]|[\[(]\s?\?\s?[\])]")
_ARGUMENT = re.compile(r"\\[A-Za-z]{1,40}\*?\s?\Z")
_PANDOC = re.compile(r"(?<![\w@.+-])@(?:(\?+)|\{([^{}\s]{1,200})\}|(\w(?:[\w:.#$%&+?<>~/-]{0,198}[\w/])?))")
_BRACKET = re.compile(r"\[[^\[\]]{0,600}\]")
_EMPTY_PANDOC = re.compile(r"\[-?@\]")


def find_citation_groups(text: str, form: DraftForm, hidden_spans: Sequence[HiddenSpan]) -> tuple[Group, ...]:
    """The citations of `text` outside of what is hidden, in reading order, without overlap."""
    # One byte per character: whether a stretch is free is then one look, whatever lies hidden in it.
    taken_places = bytearray(len(text))
    for stretch in hidden_spans:
        taken_places[stretch.span.start : stretch.span.end] = b"\x01" * (stretch.span.end - stretch.span.start)
    accepted: list[Group] = []
    commands = list(_command_groups(text, taken_places))
    # Commands first, then Pandoc's, then masks: what may be read in two ways belongs to the first.
    for group in (
        *commands,
        *_pandoc_groups(text, form),
        *_mask_groups(text, form, _usual_affixes(form, commands, text)),
    ):
        start, end = group.span.start, group.span.end
        if not any(taken_places[start:end]):
            taken_places[start:end] = b"\x01" * (end - start)
            accepted.append(group)
    return tuple(sorted(accepted, key=lambda group: group.span.start))


def citation_affixes(form: DraftForm, command: str) -> tuple[str, str]:
    """The text before and after the key where a whole citation must be written."""
    if form == "tex":
        return f"\\{command}{{", "}"
    return ("[@", "]") if form == "markdown" else ("[", "]")


def most_used_command(text: str) -> str:
    """The command by which `text` mostly cites in parentheses; `cite` where it has none."""
    uses = Counter(match[1] for match in _COMMAND.finditer(text) if match[1] in _PARENTHETIC)
    return max(_PARENTHETIC, key=lambda name: (uses[name], name == "cite"))


def _usual_affixes(form: DraftForm, commands: Sequence[Group], text: str) -> tuple[str, str]:
    return citation_affixes(form, most_used_command(text) if form == "tex" and commands else "cite")


def _command_groups(text: str, taken_places: bytearray) -> Iterator[Group]:
    for match in _COMMAND.finditer(text):
        if match[1] in _NO_CITATION or taken_places[match.start()]:
            continue
        slots, keys = _read_keys(match[2], match.start(2))
        if slots or keys:
            yield Group(Span(*match.span()), slots, keys)


def _read_keys(key_text: str, offset: int) -> tuple[tuple[MarkSlot, ...], tuple[str, ...]]:
    """The missing keys and the present keys between the braces."""
    slots: list[MarkSlot] = []
    keys: list[str] = []
    position = offset
    for item in key_text.split(","):
        word = item.strip()
        start = position + (len(item) - len(item.lstrip()))
        if _OPEN_KEY.fullmatch(word):
            slots.append(MarkSlot(Span(start, start + len(word))))
        elif word:
            keys.append(word)
        position += len(item) + 1
    # An empty command, `\cite{}`, has one open place; a lone comma in it is a typing error, and not two.
    if not slots and not keys and "," not in key_text:
        slots.append(MarkSlot(Span(offset, offset + len(key_text))))
    return tuple(slots), tuple(keys)


def _mask_groups(text: str, form: DraftForm, writing: tuple[str, str]) -> Iterator[Group]:
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


def _is_option(text: str, start: int) -> bool:
    return _ARGUMENT.search(text, max(0, start - 45), start) is not None


def _pandoc_groups(text: str, form: DraftForm) -> Iterator[Group]:
    if form == "tex":
        return
    for match in _EMPTY_PANDOC.finditer(text):
        yield Group(Span(*match.span()), (MarkSlot(Span(match.end() - 1, match.end() - 1)),))
    for bracket in _BRACKET.finditer(text):
        slots, keys = _read_pandoc_keys(text, bracket.start(), bracket.end())
        # `[text](address)` is a link, whatever is in it.
        if (slots or keys) and text[bracket.end() : bracket.end() + 1] != "(":
            yield Group(Span(*bracket.span()), slots, keys)
    for match in _PANDOC.finditer(text):
        slots, keys = _read_pandoc_keys(text, *match.span())
        yield Group(Span(*match.span()), slots, keys)


def _read_pandoc_keys(text: str, start: int, end: int) -> tuple[tuple[MarkSlot, ...], tuple[str, ...]]:
    slots: list[MarkSlot] = []
    keys: list[str] = []
    for match in _PANDOC.finditer(text, start, end):
        if match[1]:
            slots.append(MarkSlot(Span(*match.span(1))))
        else:
            keys.append(match[2] or match[3])
    return tuple(slots), tuple(keys)
