"""The model as the engine holds it, and the one way to its client."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

from fakes_model_server import ModelServer, Tokens, says
from model_clients import settings_for

import litterm
from litterm.build import build_engine
from litterm.core.settings import from_home
from litterm.core.tasks import run
from litterm.llm.model import ChatModel
from litterm.model.llm import Message, ModelCost, ModelRequest

HELLO = ModelRequest("test@1", (Message("user", "Hi."),), max_tokens=64)


def test_the_engine_has_the_model_of_the_settings_and_its_bill(tmp_path: Path, model_server: ModelServer) -> None:
    model_server.script(says("Hello.", usage=Tokens(10, 5)))
    engine = build_engine(settings_for(tmp_path, model_server.url))
    assert engine.spent() == ModelCost()
    model: ChatModel | None = engine.model
    assert model is not None
    assert engine.model is model
    assert run(model.start_run().ask(HELLO)).text == "Hello."
    assert engine.spent() == ModelCost(1, 0.0, 15)
    model.close()  # type: ignore[attr-defined]


def test_without_one_or_offline_there_is_none(tmp_path: Path) -> None:
    assert build_engine(from_home(tmp_path)).model is None
    elsewhere = replace(settings_for(tmp_path, "https://api.openai.com/v1"), offline=True)
    assert build_engine(elsewhere).model is None


def test_one_module_alone_imports_the_client() -> None:
    package = Path(litterm.__file__).parent
    importing = [
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if (
            isinstance(node, ast.Import)
            and any(alias.name.split(".")[0] in ("openai", "httpx2") for alias in node.names)
        )
        or (isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in ("openai", "httpx2"))
    ]
    assert set(importing) == {"llm/requests/client.py"}
