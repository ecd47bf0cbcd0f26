"""`litterm search --rerank --embeddings` over a library on disk and a model server on this machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fakes_model_server import ModelServer, Received, Script, vectors
from libraries import record, store

from litterm.build import build_engine
from litterm.cli.main import main

TITLES = {"A": "Speech of the sea", "B": "Speech of trees", "C": "Speech of words"}


def near_words(asked: Received) -> Script:
    """The query and what has its last word are one thing."""
    return vectors([(1.0, 0.0) if "words" in text or text == "speech" else (0.0, 1.0) for text in asked.body["input"]])


@pytest.fixture
def server(home: Path, model_server: ModelServer) -> ModelServer:
    store(home / "library", [record(key, title) for key, title in TITLES.items()])
    table = f'starter = false\n[model]\nbase_url = "{model_server.url}"\nembedding = "nomic"\n'
    (home / "config.toml").write_text(table)
    model_server.embeds = near_words
    return model_server


def searched(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    status = main(["search", "speech", *argv], build=build_engine)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_the_embedding_model_orders_the_first_papers(server: ModelServer, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _err = searched(capsys, "--rerank", "--embeddings", "--json")
    results = json.loads(out)["results"]
    assert status == 0
    assert results[0]["id"] == "acl:C"
    assert results[0]["by"].startswith("hybrid · nomic at 127.0.0.1")
    assert len(results) == 3


def test_a_server_without_embeddings_leaves_the_local_order(
    server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    server.embeds = None
    status, out, err = searched(capsys, "--rerank", "--embeddings", "--json")
    assert status == 0
    assert len(json.loads(out)["results"]) == 3
    assert "offline order" in err


def test_a_dry_run_sends_nothing(server: ModelServer, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = searched(capsys, "--rerank", "--embeddings", "--dry-run")
    assert status == 0
    assert "/v1/embeddings" in out + err
    assert server.asked == []


def test_it_goes_with_rerank_only(server: ModelServer, capsys: pytest.CaptureFixture[str]) -> None:
    assert searched(capsys, "--embeddings")[0] == 2
    assert searched(capsys, "--rerank", "--embeddings", "--window", "5")[0] == 2


def test_a_folder_without_an_encoder_is_named_and_leaves_the_local_order(
    server: ModelServer, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "config.toml").write_text(f'starter = false\n[model]\nembedding = "onnx:{home / "none"}"\n')
    status, out, err = searched(capsys, "--rerank", "--embeddings", "--json")
    assert status == 0
    assert len(json.loads(out)["results"]) == 3
    assert "No model was asked: There is no folder" in err
    assert server.asked == []
