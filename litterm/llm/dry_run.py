"""Dry runs: requests are shown as they would leave this machine, and not sent."""

from __future__ import annotations

import json
from collections.abc import Callable

from litterm.core.backoff import OnEvent
from litterm.core.errors import DryRun
from litterm.core.settings.secrets import ApiKey
from litterm.llm.budget import RunBudget
from litterm.llm.endpoint import CapabilityStore, EndpointCapabilities
from litterm.llm.requests.chat_json import ChatRequest, build_body
from litterm.llm.requests.single_request import ModelTarget
from litterm.model.events import OutgoingRequest
from litterm.model.llm import ModelReply, OutputMode


class DryRunModel:
    """Shows what would be sent, to the letter, and sends nothing."""

    def __init__(self, target: ModelTarget, capabilities: CapabilityStore, key: Callable[[], ApiKey]) -> None:
        self._target = target
        self._capabilities = capabilities
        self._key = key

    async def send(
        self, chat_request: ChatRequest, _run: RunBudget, on_event: OnEvent
    ) -> tuple[ModelReply, OutputMode]:
        """Never a reply."""
        on_event(OutgoingRequest(outgoing_text(self._target, chat_request, self._capabilities.current, self._key())))
        raise DryRun(f"Nothing was sent to {self._target.endpoint.label}: this is a dry run.")


def outgoing_text(
    target: ModelTarget, chat_request: ChatRequest, capabilities: EndpointCapabilities, key: ApiKey
) -> str:
    """Request line, headers that matter, and the body as it would be sent."""
    address = capabilities.address or target.endpoint.addresses[0]
    body = json.dumps(build_body(chat_request, target.model, capabilities), ensure_ascii=False, separators=(",", ":"))
    credential = f"the key in {key.where}" if key.is_there else "none"
    head = f"POST {address}/chat/completions\nAuthorization: Bearer ({credential})\nContent-Type: application/json"
    return f"{head}\n\n{body}\n"
