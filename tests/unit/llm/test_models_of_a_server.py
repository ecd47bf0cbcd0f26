"""Which models a server says it has, and at which of the addresses that may be meant."""

from __future__ import annotations

from pathlib import Path

import pytest
from fakes_model_server import MODEL, ModelServer
from model_clients import settings_for

from litterm.core.errors import ModelOffline, NoModelServer
from litterm.core.tasks import run
from litterm.llm.health_check import list_models


def listed(home: Path, url: str, **changes: object) -> tuple[str, ...]:
    return run(list_models(settings_for(home, url, **changes), {}))


@pytest.mark.parametrize("only_at", ["", "/v1"])
def test_models_are_listed_at_whichever_address_answers(
    tmp_path: Path, model_server: ModelServer, only_at: str
) -> None:
    model_server.only_at = only_at
    model_server.models = ("zeta", MODEL)
    assert listed(tmp_path, model_server.url) == (MODEL, "zeta")
    tried = [each.path for each in model_server.asked]
    assert tried == (["/v1/models"] if only_at else ["/v1/models", "/models"])


def test_no_model_need_be_set(tmp_path: Path, model_server: ModelServer) -> None:
    assert listed(tmp_path, model_server.url, model="") == (MODEL,)


def test_where_no_address_answers_the_first_one_is_told(tmp_path: Path, model_server: ModelServer) -> None:
    model_server.only_at = "/elsewhere"
    with pytest.raises(NoModelServer) as caught:
        listed(tmp_path, model_server.url)
    assert "does not answer" not in str(caught.value)
    assert len(model_server.asked) == 2


def test_without_an_address_nothing_is_asked(tmp_path: Path, model_server: ModelServer) -> None:
    with pytest.raises(ModelOffline):
        listed(tmp_path, "")
    assert model_server.asked == []
