"""Finds the JSON in a model's reply, whatever is around it: code fences, chatter, reasoning, half-valid JSON."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from typing import TypeVar

from litterm.model.llm import ReplyForm, ReplyMismatch

T = TypeVar("T")
_REASONING_START = re.compile(r"<(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_END = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_FENCE = re.compile(r"\s*(?:```\w*\s*)?")
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_WORD = re.compile(r"\b(true|false|null)\b")
_PYTHON_LITERALS = {"true": "True", "false": "False", "null": "None"}
_MAX_REPLY_CHARS = 100_000
"""Characters of a reply that are looked at."""
_MAX_STARTS = 20
"""Openings of JSON that are tried in one reply: each may cost a pass over the rest of it."""
_CLOSING_BRACKETS = {"{": "}", "[": "]"}


def without_reasoning(text: str) -> tuple[str, str]:
    """The reply proper, and what the model thought aloud in `<think>` blocks before it."""
    thoughts: list[str] = []
    rest = text.strip()
    while opening := _REASONING_START.match(rest):
        end = _END.search(rest, opening.end())
        if end is None:
            # Never closed: the reply was cut while the model was still thinking.
            return "", "\n".join([*thoughts, rest[opening.end() :].strip()])
        thoughts.append(rest[opening.end() : end.start()].strip())
        rest = rest[end.end() :].strip()
    # Some templates open the block themselves, so that only its end is in the reply.
    end = _END.search(rest) if not rest.startswith(("{", "[")) else None
    if end:
        thoughts.append(rest[: end.start()].strip())
        rest = rest[end.end() :].strip()
    return rest, "\n".join(thoughts)


def read_form(text: str, form: ReplyForm[T], dropped: list[str], *, cut: bool = False) -> T:
    """The reply `text` as `form` wants it: the first JSON value in it that fits, else as the form reads plain text.

    Of a reply that was `cut` plain text is not read: nobody knows what would have followed.

    Raises:
        ReplyMismatch: nothing fits; says what was wrong with the nearest miss.
    """
    bare = without_reasoning(text)[0][:_MAX_REPLY_CHARS]
    if _is_cut_off(bare):
        # What stands whole in it may be half of what was meant.
        raise ReplyMismatch("The JSON in the reply breaks off before its end.")
    mismatch: ReplyMismatch | None = None
    for value in json_values(bare):
        notes: list[str] = []
        try:
            result = form.shape.read(value, "the reply", notes)
        except ReplyMismatch as error:
            mismatch = mismatch or error
            continue
        dropped += notes
        return result
    if form.from_text is not None and bare and not cut:
        try:
            return form.from_text(bare)
        except ReplyMismatch as error:
            mismatch = mismatch or error
    raise mismatch or ReplyMismatch("There is no JSON in the reply." if bare else "The reply is empty.")


def json_values(text: str) -> Iterator[object]:
    # A value inside one that was read is part of it, and not tried by itself.
    """Every outermost JSON object or list in `text`, in order, however it is wrapped; fixed where that is plain."""
    whole_value = _decode(text)
    if isinstance(whole_value, dict | list):
        yield whole_value
        return
    position, tried = 0, 0
    while tried < _MAX_STARTS:
        opening = _find_opening(text, position)
        if opening < 0:
            return
        end = _find_closing(text, opening)
        value = _decode(text[opening:end]) if end else None
        if isinstance(value, dict | list):
            yield value
            position = end
        else:
            position = opening + 1
        tried += 1


def _is_cut_off(text: str) -> bool:
    """Whether a reply that begins with JSON, in a fence or not, ends before the JSON does."""
    start = _FENCE.match(text)
    opening = start.end() if start else 0
    return (
        text[opening : opening + 1] in _CLOSING_BRACKETS and not _find_closing(text, opening) and _decode(text) is None
    )


def label_from_text(text: str, labels: tuple[str, ...]) -> str:
    """The one label that is in `text` as a whole word (`AGREE` is not found in `DISAGREE`).

    Raises:
        ReplyMismatch: none does, or several do.
    """
    named_labels = [label for label in labels if re.search(rf"\b{re.escape(label)}\b", text, re.IGNORECASE)]
    if len(named_labels) != 1:
        raise ReplyMismatch(f"The reply must name exactly one of {', '.join(labels)}.")
    return named_labels[0]


def _find_opening(text: str, position: int) -> int:
    indices = [index for index in (text.find("{", position), text.find("[", position)) if index >= 0]
    return min(indices, default=-1)


def _find_closing(text: str, opening: int) -> int:
    """The position after the bracket that closes the one at `opening`, ignoring strings; 0 if it is not closed."""
    closers: list[str] = []
    in_string = False
    escaped = False
    for index in range(opening, len(text)):
        char = text[index]
        if in_string:
            escaped, in_string = (char == "\\" and not escaped), (char != '"' or escaped)
        elif char == '"':
            in_string = True
        elif char in _CLOSING_BRACKETS:
            closers.append(_CLOSING_BRACKETS[char])
        elif closers and char == closers[-1]:
            closers.pop()
            if not closers:
                return index + 1
    return 0


def _decode(text: str) -> object:
    """The JSON value `text` is, also with trailing commas or as Python would write it; `None` if it is not JSON."""
    for attempt in (text, _TRAILING_COMMA.sub(r"\1", text)):
        try:
            value: object = json.loads(attempt, strict=False)
        except (ValueError, RecursionError):
            continue
        return value
    # What a model writes in Python's way has Python's quotes; without any there is nothing else to try.
    if "'" not in text:
        return None
    try:
        literal: object = ast.literal_eval(_WORD.sub(lambda word: _PYTHON_LITERALS[word[1]], text.strip()))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return literal
