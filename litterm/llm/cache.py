"""A cache of replies: a file each, named by a hash of the request, so that the same request again is free."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from litterm.core.errors import LibraryError
from litterm.core.filesystem import replace_text
from litterm.llm.endpoint import RUNGS
from litterm.llm.requests.chat_json import ChatRequest
from litterm.model.llm import FinishReason, ModelReply, OutputMode, ToolCall, Usage

_log = logging.getLogger(__name__)
# Raised when the form of a kept reply changes: replies of another form count as not kept.
_FORMAT = 1
_FINISH_REASONS: tuple[FinishReason, ...] = ("stop", "length", "tool_calls", "filter")


@dataclass(frozen=True, slots=True)
class CachedReply:
    """A reply worth keeping."""

    reply: ModelReply
    rung: OutputMode = "text"
    repaired: bool = False


def cache_key(chat_request: ChatRequest, model: str) -> str:
    """SHA-256 over everything the reply depends on; not over where the model is asked, nor in which form."""
    request, form = chat_request.request, chat_request.form
    question: dict[str, object] = {
        "format": _FORMAT,
        "model": model,
        "messages": [
            [turn.role, turn.text, [[call.id, call.name, call.arguments] for call in turn.calls], turn.call_id]
            for turn in request.messages
        ],
        "max_tokens": request.max_tokens,
        "temperature": chat_request.temperature,
        "tools": [[tool.name, tool.meaning, dict(tool.arguments.schema())] for tool in request.tools],
        "form": None if form is None else [form.name, dict(form.shape.schema())],
        "sample": request.sample,
    }
    # Keys in one order and only ASCII: the text, and with it the hash, is the same in every version of Python.
    text = json.dumps(question, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


class ReplyCache:
    """A folder of replies, shared by every running litterm: files appear whole and are never changed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, key: str) -> CachedReply | None:
        """The reply kept under `key`, marked as cached; a damaged file is as good as none."""
        try:
            body = json.loads(self._path(key).read_text("utf-8"))
            return _from_json(body) if isinstance(body, dict) and body.get("format") == _FORMAT else None
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError):
            _log.warning("the kept reply %s cannot be read and is asked for again", key[:12])
            return None

    def put(self, key: str, cached: CachedReply, *, purpose: str, host: str) -> None:
        """Keeps a reply; without room it is simply not kept."""
        path = self._path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            replace_text(path, json.dumps(_to_json(cached, purpose, host), ensure_ascii=False, indent=1))
        except OSError as error:
            _log.warning("a reply cannot be kept: %s", error.strerror)

    def has(self, key: str) -> bool:
        """Whether a file is there; it may still prove damaged."""
        return self._path(key).exists()

    def size(self) -> tuple[int, int]:
        """How many replies there are, and their bytes."""
        return measure_folder(self.folder)

    def clear(self) -> tuple[int, int]:
        """Forgets every reply; how many there were, and their bytes."""
        return clear_folder(self.folder)

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"


def _to_json(cached: CachedReply, purpose: str, host: str) -> dict[str, object]:
    reply = cached.reply
    return {
        "format": _FORMAT,
        "purpose": purpose,
        "host": host,
        "at": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "model": reply.model,
        "finish": reply.finish_reason,
        "text": reply.text,
        "reasoning": reply.reasoning,
        "calls": [{"id": call.id, "name": call.name, "arguments": call.arguments} for call in reply.calls],
        "usage": [reply.usage.prompt_tokens, reply.usage.reply_tokens, reply.usage.approximate],
        "rung": cached.rung,
        "repaired": cached.repaired,
    }


def _from_json(body: Mapping[str, object]) -> CachedReply:
    usage, calls = body["usage"], body["calls"]
    if not isinstance(usage, list) or not isinstance(calls, list):
        raise TypeError("no reply")
    prompt, reply, approximate = usage
    return CachedReply(
        ModelReply(
            text=_string(body["text"]),
            model=_string(body["model"]),
            finish_reason=next(finish for finish in _FINISH_REASONS if finish == body["finish"]),
            usage=Usage(int(prompt), int(reply), bool(approximate)),
            dollars=0.0,
            calls=tuple(
                ToolCall(_string(call["id"]), _string(call["name"]), _string(call["arguments"])) for call in calls
            ),
            reasoning=_string(body["reasoning"]),
            cached=True,
        ),
        next(rung for rung in RUNGS if rung == body["rung"]),
        body["repaired"] is True,
    )


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("no text")
    return value


def measure_folder(folder: Path, pattern: str = "*.json") -> tuple[int, int]:
    """Number and bytes of the files below `folder` named so; another litterm may be at work in it."""
    sizes = []
    for path in folder.rglob(pattern):
        try:
            sizes.append(path.stat().st_size)
        except OSError:
            continue
    return len(sizes), sum(sizes)


def clear_folder(folder: Path, pattern: str = "*.json") -> tuple[int, int]:
    """Removes the files below `folder` named so; how many there were, and their bytes.

    Raises:
        LibraryError: one of them cannot be removed.
    """
    before = measure_folder(folder, pattern)
    try:
        for path in folder.rglob(pattern):
            path.unlink(missing_ok=True)
    except OSError as error:
        raise LibraryError(f"{error.filename}: cannot be removed ({error.strerror}).") from error
    return before
