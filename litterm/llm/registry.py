"""The language and embedding models of the settings, each opened on first use, once."""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

from litterm.core.errors import ModelOffline, NoModelSet, UsageError
from litterm.core.settings import Settings
from litterm.core.tasks import Task
from litterm.llm.factory import open_embedder, open_model, why_no_embedder, why_no_model
from litterm.model.llm import EndpointProbe, ModelCost

if TYPE_CHECKING:
    from litterm.llm.embeddings import EndpointEmbedder
    from litterm.llm.model import ChatModel


class Models:
    """The language model of the settings, and the same for dry runs; each opened on first use."""

    def __init__(self, settings: Settings) -> None:
        # Two models: whether a request is sent is decided when a model is opened, and not at every place that asks.
        self._settings = _with_dry_runs(settings)
        self._lock = threading.Lock()
        self._open: dict[bool, ChatModel] = {}

    @property
    def is_available(self) -> bool:
        """Whether there is a model that may be asked."""
        return not why_no_model(self._settings[False])

    @property
    def is_set(self) -> bool:
        """Whether the settings name a model, or at least where one is."""
        return bool(self._settings[False].model.base_url)

    def adopt(self, base_url: str, name: str) -> Task[EndpointProbe]:
        """Tests a model with one tiny request, saves it in the settings file, and uses it from now on.

        Raises:
            ModelError: it does not work; nothing is changed.
            SettingsError: it cannot be saved, and is not used.
        """
        from litterm.core.settings.config_file import write_settings
        from litterm.llm.health_check import LOADING_TIMEOUT_S, probe_endpoint

        current = self._settings[False]
        settings = replace(current, model=replace(current.model, base_url=base_url, model=name))
        probe = yield from probe_endpoint(settings, os.environ, timeout_s=LOADING_TIMEOUT_S)
        write_settings(settings.config, {"model.base_url": base_url, "model.model": name})
        with self._lock:
            self._settings = _with_dry_runs(settings)
            self._open.clear()
        return probe

    def total_cost(self) -> ModelCost:
        """What this process has spent so far; opens nothing."""
        with self._lock:
            model = self._open.get(False)
        return model.total_cost() if model is not None else ModelCost()

    def model(self, *, dry_run: bool = False) -> ChatModel:
        """The model these settings name.

        Raises:
            NoModelSet: they name none.
            UsageError: they name only its address.
            ModelError: it cannot be asked.
        """
        with self._lock:
            if dry_run not in self._open:
                settings = self._settings[dry_run]
                model = open_model(settings, os.environ)
                if model is None:
                    unset = UsageError if settings.model.base_url else NoModelSet
                    raise (ModelOffline if settings.model.is_set else unset)(why_no_model(settings))
                self._open[dry_run] = model
            return self._open[dry_run]

    @property
    def embedding(self) -> str:
        """The embedding model as the settings name it; empty if they name none."""
        return self._settings[False].model.embedding

    def embedder(self, *, dry_run: bool = False, fresh: bool = False) -> EndpointEmbedder:
        """The embedding model these settings name, with a new run.

        Raises:
            UsageError: they name none.
            ModelError: it cannot be asked.
        """
        settings = self._settings[dry_run]
        embedder = open_embedder(settings, os.environ, fresh=fresh)
        if embedder is None:
            raise (ModelOffline if settings.model.embedding else UsageError)(why_no_embedder(settings))
        return embedder


def _with_dry_runs(settings: Settings) -> dict[bool, Settings]:
    return {False: settings, True: replace(settings, model=replace(settings.model, dry_run=True))}
