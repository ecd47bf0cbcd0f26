"""Embeds texts with an embedding model at the endpoint of the settings. Fits `interfaces.TextEmbedder`.

What was embedded once is kept as a file beside the replies, named by model and text, and cleared with them.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import logging
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from litterm.core.async_bridge import EventLoop
from litterm.core.backoff import OnEvent, ServerPause
from litterm.core.errors import DryRun, ModelError, ModelTimeout, NoModelServer
from litterm.core.filesystem import replace_text
from litterm.core.tasks import Task
from litterm.llm.budget import DayBudget, RunBudget, is_free
from litterm.llm.requests.client import Client
from litterm.llm.requests.error_mapping import UNREADABLE
from litterm.llm.requests.retry import retry_request
from litterm.llm.requests.single_request import TOTAL_TIMEOUT_FACTOR, ModelTarget
from litterm.model.events import CostUpdate, OutgoingRequest
from litterm.model.llm import CostEstimate, ModelCost, Usage

if TYPE_CHECKING:
    from litterm.interfaces.llm import Vector

_log = logging.getLogger(__name__)
_PATH = "/embeddings"
_BATCH_SIZE = 32
"""Texts in one request; every server takes that many abstracts."""
_MAX_TEXT_CHARACTERS = 6_000
"""Characters of a text that are sent: small models read 512 tokens and refuse, or cut, what is longer."""
_CHARACTERS_PER_TOKEN = 3.6
_PURPOSE = "embedding"
_MAX_TOKEN_RATIO, _MIN_TOKENS_TO_DOUBT = 10, 20_000
"""Times the reckoned tokens, and tokens on top, up to which the server's own count is believed."""


@dataclass(frozen=True, slots=True)
class EmbedderParts:
    """What every run shares."""

    loop: EventLoop
    target: ModelTarget
    client: Client
    day: DayBudget
    pause: ServerPause
    folder: Path
    """Where vectors are kept."""
    dry_run: bool = False


class EndpointEmbedder:
    """One embedding model; one run, whose caps count over all calls. Safe from any thread."""

    def __init__(self, parts: EmbedderParts, run: RunBudget) -> None:
        self._parts = parts
        self._run = run
        self.name = f"{parts.target.model} at {parts.target.endpoint.label}"

    def embed(self, texts: Sequence[str], *, kind: Literal["query", "paper"]) -> Task[Vector]:
        """Float32 `[len(texts), dims]`, one unit vector a text, in order. `kind` makes no difference to it.

        Raises:
            ModelError: there is no answer, or a cap is reached; what came before is kept.
        """
        cut = [text[:_MAX_TEXT_CHARACTERS] for text in texts]
        vectors_by_text = {text: vector for text in set(cut) if (vector := self._read_cached(text)) is not None}
        missing = [text for text in dict.fromkeys(cut) if text not in vectors_by_text]
        for start in range(0, len(missing), _BATCH_SIZE):
            batch = missing[start : start + _BATCH_SIZE]
            vectors = yield from self._request(batch)
            vectors_by_text |= dict(zip(batch, vectors, strict=True))
            for text, vector in zip(batch, vectors, strict=True):
                self._cache(text, vector)
        return _stack([vectors_by_text[text] for text in cut])

    def estimate(self, texts: Sequence[str]) -> CostEstimate:
        """What `embed` would cost at most; sends nothing."""
        target = self._parts.target
        # Each text once, and cut as it is sent: that is what is paid for.
        missing = [
            text[:_MAX_TEXT_CHARACTERS]
            for text in dict.fromkeys(texts)
            if self._read_cached(text[:_MAX_TEXT_CHARACTERS]) is None
        ]
        usage, calls = _estimate_usage(missing), math.ceil(len(missing) / _BATCH_SIZE)
        cost = ModelCost(calls, target.prices.cost_of(usage), usage.tokens, approximate=True)
        exceeded = self._run.caps.describe_exceeded(
            "run", self._run.total_cost, cost
        ) or self._parts.day.describe_exceeded(cost)
        return CostEstimate(
            host=target.endpoint.label,
            model=target.model,
            calls=calls,
            cached=len(texts) - len(missing),
            prompt_tokens=usage.prompt_tokens,
            dollars=cost.dollars,
            cap_exceeded=exceeded,
            local=target.endpoint.local,
        )

    def close(self) -> None:
        """Ends every request and closes every connection."""
        self._parts.loop.close()

    def _request(self, texts: Sequence[str]) -> Task[list[Vector]]:
        return self._parts.loop.task(lambda on_event: self._post(texts, on_event))

    async def _post(self, texts: Sequence[str], on_event: OnEvent) -> list[Vector]:
        parts = self._parts
        body = {"model": parts.target.model, "input": list(texts)}
        first: ModelError | None = None
        for address in parts.target.endpoint.addresses:
            if parts.dry_run:
                on_event(OutgoingRequest(f"POST {address}{_PATH}\n\n{json.dumps(body, ensure_ascii=False)}\n"))
                raise DryRun(f"Nothing was sent to {parts.target.endpoint.label}: this is a dry run.")

            async def send(address: str = address) -> list[Vector]:
                return await self._send_paid(address, body, texts, on_event)

            try:
                return await retry_request(send, parts.target.endpoint.label, parts.pause, on_event)
            except NoModelServer as error:
                first = first or error
        raise first or NoModelServer(f"{parts.target.endpoint.label} has no address.")

    async def _send_paid(
        self, address: str, body: Mapping[str, object], texts: Sequence[str], on_event: OnEvent
    ) -> list[Vector]:
        """One exchange: what it may cost is set aside before, what it did cost is written down after."""
        parts, ticket = self._parts, os.urandom(8).hex()
        worst = self._cost(_estimate_usage(texts))
        self._run.hold(ticket, worst)
        details = {"purpose": _PURPOSE, "model": parts.target.model, "host": parts.target.endpoint.label}
        cost = ModelCost()
        try:
            parts.day.hold(ticket, worst, details)
            # Whoever hangs up, waits in vain or gets nonsense has most likely been charged for what was sent.
            cost = worst
            vectors, tokens = _read(await self._answer_in_time(address, body), len(texts), parts.target)
            is_plausible = 0 < tokens <= _MAX_TOKEN_RATIO * worst.tokens + _MIN_TOKENS_TO_DOUBT
            cost = self._cost(Usage(tokens, 0)) if is_plausible else worst
            return vectors
        except ModelError as error:
            cost = ModelCost() if is_free(error) else cost
            raise
        finally:
            self._run.settle(ticket, cost)
            parts.day.settle(ticket, cost)
            if cost.calls:
                on_event(CostUpdate(self._run.total_cost, self._run.total_cost, parts.day.total_cost(), cost))

    async def _answer_in_time(self, address: str, body: Mapping[str, object]) -> object:
        """The answer, whole and in time: one that drips in byte by byte never meets the timeout of one read."""
        parts, longest_s = self._parts, TOTAL_TIMEOUT_FACTOR * self._parts.target.timeout_s
        try:
            async with asyncio.timeout(longest_s):
                return await parts.client.post(address, body, path=_PATH)
        except TimeoutError as error:
            host = parts.target.endpoint.label
            raise ModelTimeout(f"{host} did not finish its reply within {longest_s:g} s.") from error

    def _cost(self, usage: Usage) -> ModelCost:
        return ModelCost(1, self._parts.target.prices.cost_of(usage), usage.tokens, usage.approximate)

    def _path(self, text: str) -> Path:
        key_text = json.dumps([self._parts.target.model, self._parts.target.endpoint.label, text])
        key = hashlib.sha256(key_text.encode("ascii")).hexdigest()
        return self._parts.folder / key[:2] / f"{key}.json"

    def _read_cached(self, text: str) -> Vector | None:
        if self._run.fresh:
            return None
        try:
            cached = json.loads(self._path(text).read_text("ascii"))
            return np.frombuffer(base64.b64decode(cached["vector"]), "<f4").astype(np.float32)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError):
            _log.warning("a kept vector cannot be read and is asked for again")
            return None

    def _cache(self, text: str, vector: Vector) -> None:
        path = self._path(text)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            encoded = base64.b64encode(vector.astype("<f4").tobytes()).decode("ascii")
            replace_text(path, json.dumps({"vector": encoded}))
        except OSError as error:
            _log.warning("a vector cannot be kept: %s", error.strerror)


def _read(payload: object, count: int, target: ModelTarget) -> tuple[list[Vector], int]:
    """Unit vectors in the order of the texts, and the tokens the server counted (0 where it does not say)."""
    host = target.endpoint.label
    try:
        rows, usage = _fields(payload)
        # By their index: the order of the answer is not promised.
        vectors = [np.array(row["embedding"], np.float64) for row in sorted(rows, key=lambda row: int(row["index"]))]
        prompt_tokens = usage.get("prompt_tokens")
        tokens = prompt_tokens if isinstance(prompt_tokens, int) else 0
        fine = len(vectors) == count and all(
            vector.ndim == 1 and vector.shape == vectors[0].shape for vector in vectors
        )
        if not (fine and all(np.isfinite(vector).all() and vector.any() for vector in vectors)):
            raise ValueError("no vectors")
    # Also the zero vector: it has no direction, and cosines with it would be no numbers.
    except UNREADABLE as error:
        raise NoModelServer(f"{host} does not answer with vectors; check model.embedding.") from error
    # Scaled first: the squares of large numbers are too large for any number.
    scaled = [vector / np.abs(vector).max() for vector in vectors]
    return [(vector / np.linalg.norm(vector)).astype(np.float32) for vector in scaled], tokens


def _fields(payload: object) -> tuple[list[Any], Mapping[str, Any]]:
    if not isinstance(payload, dict) or not isinstance(payload.get("data"), list):
        raise TypeError("no list of vectors")
    return payload["data"], payload.get("usage") or {}


def _stack(vectors: Sequence[Vector]) -> Vector:
    return np.stack(vectors) if vectors else np.empty((0, 0), np.float32)


def _estimate_usage(texts: Sequence[str]) -> Usage:
    return Usage(math.ceil(sum(map(len, texts)) / _CHARACTERS_PER_TOKEN), 0, approximate=True)
