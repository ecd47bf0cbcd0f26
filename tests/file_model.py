"""A model whose replies are files: one for each prompt of litterm, found by the text of the prompt that was sent.

`data/replies/NAME.json` holds the replies to `litterm/llm/prompts/NAME.txt` in turn, `NAME.VARIANT.json` others; the
last one repeats. A reply is an object, a text, or `{"call": [TOOL, ARGUMENTS]}`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fakes_model_server import Received, Script, calls, no_schema, says, says_json

from litterm.text.llm import prompts

REPLIES = Path(__file__).parent / "data" / "replies"
_PLACE = re.compile(r"\$(\w+)")
_ROLE = re.compile(r"^\[(?:system|user)\]\n", re.MULTILINE)


def prompt_texts() -> dict[str, str]:
    """The text of every prompt file by its name."""
    return {path.stem: path.read_text("utf-8") for path in sorted(prompts._FOLDER.glob("*.txt"))}


def is_request(text: str) -> bool:
    """Whether a prompt file is a whole request; others are a part of one."""
    return text.startswith("[system]")


def lines_of(text: str) -> list[str]:
    """What a prompt file sends whatever its values are; where that is nothing, the beginning of its data."""
    pieces = [piece.strip() for line in _ROLE.sub("", text).splitlines() for piece in _PLACE.split(line)[::2]]
    return [piece for piece in pieces if len(piece) > 1] or [f"<<<{name} " for name in _PLACE.findall(text)[:1]]


def sent_text(asked: Received) -> str:
    """All that a request says: its turns, and the tools that it offers."""
    turns = "\n".join(str(message.get("content") or "") for message in asked.messages)
    tools = "\n".join(
        f"{tool['function']['name']}: {tool['function']['description']}" for tool in asked.body.get("tools", ())
    )
    return f"{turns}\n{tools}"


@dataclass
class FileModel:
    """Answers each request with the next reply of the prompt it was made from."""

    knows_forms: bool = True
    """False: it refuses JSON modes, so that the form is told in words."""
    without: frozenset[str] = frozenset()
    """Prompts that it has no usable reply to."""
    variant: str = ""
    """Of the replies, where a prompt has other ones of that name."""
    first_as_prose: bool = False
    """Whether the first reply is prose, which must be mended."""
    texts: list[str] = field(default_factory=list)
    """All that it was sent."""
    answered: Counter[str] = field(default_factory=Counter)
    """How often each prompt was."""

    def __call__(self, asked: Received) -> Script:
        """The script of one request."""
        if not self.knows_forms and asked.rung != "text":
            return no_schema()
        text = sent_text(asked)
        self.texts.append(text)
        name = prompt_of(text)
        number = self.answered[name]
        self.answered[name] += 1
        if name in self.without or (self.first_as_prose and len(self.texts) == 1):
            return says("Good question! I would rather talk about the weather.")
        replies = read_replies(name, self.variant)
        return _script(replies[min(number, len(replies) - 1)])


def prompt_of(sent: str) -> str:
    """The prompt file that a request was made from: of those whose lines it holds, the one with most of them.

    Raises:
        LookupError: there is none.
    """
    held = {
        name: sum(map(len, lines_of(text)))
        for name, text in prompt_texts().items()
        if is_request(text) and all(line in sent for line in lines_of(text))
    }
    if not held:
        raise LookupError(f"no prompt file was the source of this request: {sent[:300]}")
    return max(held, key=lambda name: held[name])


def read_replies(name: str, variant: str = "") -> Sequence[object]:
    """The replies to a prompt, in turn."""
    own = REPLIES / f"{name}.{variant}.json"
    replies = json.loads((own if own.exists() else REPLIES / f"{name}.json").read_text("utf-8"))
    assert isinstance(replies, list)
    return replies


def _script(reply: object) -> Script:
    if isinstance(reply, Mapping) and "call" in reply:
        tool, arguments = reply["call"]
        return calls((tool, arguments))
    return says(reply) if isinstance(reply, str) else says_json(reply)
