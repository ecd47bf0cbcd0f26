"""Builds models from the settings; the only module that knows every part of this package."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.core.async_bridge import EventLoop
from litterm.core.backoff import Clock, ServerPause
from litterm.core.errors import KeyRefused, SettingsError
from litterm.core.settings import ModelSettings, Settings
from litterm.core.settings.secrets import ApiKey, find_key
from litterm.llm.budget import DayBudget, RunBudget, read_day_caps, read_prices, read_run_caps
from litterm.llm.cache import ReplyCache
from litterm.llm.dry_run import DryRunModel
from litterm.llm.endpoint import CapabilityStore, Endpoint, parse_endpoint
from litterm.llm.model import ChatModel, ModelParts
from litterm.llm.requests.client import Client
from litterm.llm.requests.dispatcher import Dispatcher
from litterm.llm.requests.single_request import ModelTarget
from litterm.llm.structured_output import Requester
from litterm.model.llm import ModelCost

if TYPE_CHECKING:
    from litterm.llm.embeddings import EndpointEmbedder

# A model on this machine may have to be loaded first, and computes one reply at a time.
_TIMEOUT_S, _LOCAL_TIMEOUT_S = 120.0, 600.0
_CONCURRENCY, _LOCAL_CONCURRENCY = 4, 1


@dataclass(frozen=True, slots=True)
class Clocks:
    """The clock of waits and the clock of days; tests have their own."""

    backoff: Clock = field(default=Clock())
    now: Callable[[], float] = time.time
    """Seconds since 1970; says which day it is."""


def open_model(settings: Settings, environ: Mapping[str, str], clocks: Clocks | None = None) -> ChatModel | None:
    """The model these settings name; `None` if there is none to be asked (`why_no_model` says why). Sends nothing."""
    if why_no_model(settings):
        return None
    return ChatModel(build_model_parts(settings, environ, clocks or Clocks(), read_target(settings.model)))


def why_no_model(settings: Settings) -> str:
    """Why no model is asked, in one sentence with what to do; empty if one is."""
    model = settings.model
    if not model.base_url:
        return "No language model is set; `litterm config model` sets one up."
    if not model.model:
        return "model.base_url is set but model.model is not; `litterm config model` sets it."
    endpoint = parse_endpoint(model.base_url)
    if settings.offline and not endpoint.local:
        return f"{endpoint.label} is not on this machine, and litterm is offline."
    return ""


def open_embedder(
    settings: Settings, environ: Mapping[str, str], clocks: Clocks | None = None, *, fresh: bool = False
) -> EndpointEmbedder | None:
    """The embedding model of the settings; `None` if none may be asked (`why_no_embedder` says why). Sends nothing."""
    if why_no_embedder(settings):
        return None
    # It needs numpy, which a chat does without.
    from litterm.llm.embeddings import EmbedderParts, EndpointEmbedder

    clocks = clocks or Clocks()
    target = read_target(replace(settings.model, model=settings.model.embedding))
    is_local, loop = target.endpoint.local, EventLoop()
    client = Client(
        target.endpoint, target.model, lambda: read_key(settings, target.endpoint, environ), timeout_s=target.timeout_s
    )
    loop.at_close(client.close)
    day = DayBudget(settings.logs, read_day_caps(settings.model, local=is_local), clocks.now, local=is_local)
    folder, dry = open_reply_cache(settings).folder / "embeddings", settings.model.dry_run
    parts = EmbedderParts(loop, target, client, day, ServerPause(clocks.backoff), folder, dry_run=dry)
    caps = read_run_caps(settings.model, local=is_local)
    return EndpointEmbedder(parts, RunBudget(caps, settings.model.repeats, fresh=fresh or not settings.model.cache))


def why_no_embedder(settings: Settings) -> str:
    """Why no embedding model is asked, in one sentence with what to do; empty if one is."""
    if not settings.model.embedding:
        return "No embedding model is set; model.embedding names one at model.base_url."
    return why_no_model(replace(settings, model=replace(settings.model, model=settings.model.embedding)))


REPLIES = "replies"
"""The folder of replies below that of what is kept."""


def open_reply_cache(settings: Settings) -> ReplyCache:
    """The replies kept, whichever model they are from."""
    return ReplyCache(settings.cache / REPLIES)


def capabilities_folder(settings: Settings) -> Path:
    """The folder of what endpoints accept."""
    return settings.cache / "endpoints"


def read_key(settings: Settings, endpoint: Endpoint, environ: Mapping[str, str]) -> ApiKey:
    """The key for this endpoint.

    Raises:
        KeyRefused: there is something where a key should be, but no key that may be used, or none that may go there.
    """
    try:
        key = find_key(settings.config.parent, endpoint.host, settings.model.key_env, environ)
    except SettingsError as error:
        raise KeyRefused(str(error)) from error
    if key.is_there and endpoint.open and not settings.model.plain_http:
        raise KeyRefused(
            f"The key in {key.where} would go to {endpoint.label} over plain http, where it can be read on the way:"
            " use an https address, or allow it with `litterm config model` or model.plain_http = true."
        )
    return key


def read_target(settings: ModelSettings) -> ModelTarget:
    """The model these settings name, with what suits its endpoint where they say nothing."""
    endpoint = parse_endpoint(settings.base_url)
    is_local = endpoint.local
    timeout_s = _LOCAL_TIMEOUT_S if is_local else _TIMEOUT_S
    return ModelTarget(
        endpoint=endpoint,
        model=settings.model,
        prices=read_prices(settings, local=is_local),
        timeout_s=settings.timeout_s or timeout_s,
        concurrency=settings.concurrency or (_LOCAL_CONCURRENCY if is_local else _CONCURRENCY),
    )


def build_model_parts(
    settings: Settings, environ: Mapping[str, str], clocks: Clocks, target: ModelTarget
) -> ModelParts:
    """The parts that all runs of one model share."""
    endpoint = target.endpoint
    capabilities = CapabilityStore(capabilities_folder(settings), endpoint, target.model, clocks.now)
    day = DayBudget(
        settings.logs, read_day_caps(settings.model, local=endpoint.local), clocks.now, local=endpoint.local
    )
    loop = EventLoop()
    replies = open_reply_cache(settings)

    def key() -> ApiKey:
        return read_key(settings, endpoint, environ)

    if settings.model.dry_run:
        dry_run = DryRunModel(target, capabilities, key)
        return ModelParts(
            loop, target, Requester(target, dry_run, capabilities, replies), day, settings.model, ModelCost
        )
    client = Client(endpoint, target.model, key, timeout_s=target.timeout_s)
    sender = Dispatcher(target, client, capabilities, day, clocks.backoff)
    loop.at_close(client.close)
    requester = Requester(target, sender, capabilities, replies)
    return ModelParts(loop, target, requester, day, settings.model, lambda: sender.total)
