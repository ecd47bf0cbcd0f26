"""Prompts for language models: instructions from text files, foreign text as data between fences.

A file `llm/prompts/NAME.txt` holds turns, each after a line `[system]` or `[user]`, with `$name` where a value goes.
Values that are `Data` are fenced off: between two lines that carry a code made from the data itself, so that no paper
can hold the line that ends it. A prompt with data says, in its first turn, what the fences mean.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from string import Template

from litterm.model.llm import Message, Role
from litterm.text.escape import plain, plain_lines

_FOLDER = Path(__file__).parents[2] / "llm" / "prompts"
_ROLE_LINE = re.compile(r"^\[(system|user|assistant)\]\n", re.MULTILINE)
_FENCE = re.compile(r"<{3,}|>{3,}")
_CODE_LENGTH = 8
_VERSION_LENGTH = 6


@dataclass(frozen=True, slots=True)
class Data:
    """Foreign text: of a paper, of a service, or typed by the user."""

    name: str
    """What it is, in one word: `paper`, `hypothesis`."""
    text: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """Messages to send, and the name and version of their prompt."""

    purpose: str
    """`NAME@VERSION`; the version changes with the file."""
    messages: tuple[Message, ...]


def prompt(name: str, /, **values: str | int | Data) -> Prompt:
    """The prompt in `llm/prompts/NAME.txt` with its values.

    Raises:
        KeyError: a `$name` of the file has no value.
    """
    template = _template(name)
    code = _fence_code([value for value in values.values() if isinstance(value, Data)])
    filled = {key: _fence(value, code) if isinstance(value, Data) else str(value) for key, value in values.items()}
    turns = [(role, Template(text).substitute(filled).strip()) for role, text in _turns(template)]
    if code:
        # The rule names the code of this request; without data it would only cost tokens.
        turns = _with_rule(turns, Template(_template("data")).substitute(mark=code).strip())
    version = hashlib.sha256(template.encode()).hexdigest()[:_VERSION_LENGTH]
    return Prompt(f"{name}@{version}", tuple(Message(role, text) for role, text in turns))


def templates_hash(*names: str) -> str:
    """A hash of the texts of these prompts, and of the rule on data in them: it changes when any of them does."""
    texts = "\0".join(_template(name) for name in (*names, "data"))
    return hashlib.sha256(texts.encode()).hexdigest()


def phrase(name: str, /, **values: str | int) -> str:
    """The text of a file that is a part of a prompt, with its values."""
    return Template(_template(name)).substitute({key: str(value) for key, value in values.items()}).strip()


def number_lines(items: Sequence[str]) -> str:
    """`[1] text` a line; an item is one line, so that none can look like the next."""
    return "\n".join(f"[{number}] {plain(item)}" for number, item in enumerate(items, start=1))


@lru_cache(maxsize=64)
def _template(name: str) -> str:
    return (_FOLDER / f"{name}.txt").read_text("utf-8")


def _turns(template: str) -> list[tuple[Role, str]]:
    """The turns of a file; one without a heading is a single turn of the user."""
    _before, *parts = _ROLE_LINE.split(template)
    roles: dict[str, Role] = {"system": "system", "user": "user", "assistant": "assistant"}
    if not parts:
        return [("user", template.strip())]
    return [(roles[role], text.strip()) for role, text in zip(parts[::2], parts[1::2], strict=True)]


def _with_rule(turns: list[tuple[Role, str]], rule: str) -> list[tuple[Role, str]]:
    (role, text), *rest = turns
    return [(role, f"{text}\n\n{rule}"), *rest] if role == "system" else [("system", rule), *turns]


def _fence_code(blocks: Sequence[Data]) -> str:
    """A code no block can hold: it depends on all of them; empty without blocks. Equal data gives an equal prompt."""
    if not blocks:
        return ""
    joined_blocks = "\0".join(f"{block.name}\0{block.text}" for block in blocks)
    return hashlib.sha256(joined_blocks.encode("utf-8", "surrogatepass")).hexdigest()[:_CODE_LENGTH]


def _fence(block: Data, code: str) -> str:
    # A text could hold the marks of a fence by itself: blanks between the brackets make them plain text.
    text = _FENCE.sub(lambda run: " ".join(run[0]), plain_lines(block.text))
    return f"<<<{block.name} {code}>>>\n{text}\n<<<end {block.name} {code}>>>"
