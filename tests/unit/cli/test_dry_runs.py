"""`--dry-run` opens no connection, whatever the command: every one of them against servers that count."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from fakes_model_server import ModelServer
from fakes_web_server import WebServer

from litterm.cli.main import main
from litterm.cli.parser import build_parser
from litterm.core.settings.config_file import write_settings

CLAIM = "Dropout lowers the error of networks"
LINES = (
    ("search", "dropout of networks", "--dry-run"),
    ("search", "dropout of networks and speed of training", "--decompose", "--dry-run"),
    ("search", "dropout of networks || speed of training", "--grade", "--dry-run"),
    ("search", "dropout of networks and speed of training", "--decompose", "--grade", "--dry-run"),
    ("search", "dropout of networks", "--rerank", "--dry-run"),
    ("search", "dropout of networks", "--rerank", "--embeddings", "--dry-run"),
    ("search", "dropout of networks", "--rerank", "--one-hop", "--dry-run"),
    ("evidence", "local:one", CLAIM, "--dry-run"),
    ("evidence", "local:one", CLAIM, "--dry-run", "--negate"),
    ("evidence", "local:one", CLAIM, "--dry-run", "--strategy", "whole", "--shortlist", "2"),
    ("evidence", "--query", "dropout", CLAIM, "--dry-run", "--model"),
    ("extract", "--columns", "error", "--query", "dropout", "--dry-run"),
    ("cite", "Dropout helps networks [CITATION].", "--agent", "--dry-run"),
    ("cite", "Dropout helps networks [CITATION].", "--agent", "--online", "--dry-run"),
    ("cite", "Dropout [CITATION] helps networks [CITATION].", "--agent", "--all-marks", "--dry-run"),
    ("cite", "--resume", "last", "--dry-run"),
    ("ask", "Does dropout lower the error of networks?", "--dry-run"),
    ("ask", "Does dropout lower the error of networks?", "--model", "--json", "--dry-run"),
    ("list", "dropout of networks", "--dry-run"),
    ("list", "dropout of networks, speed of training", "--model", "--sections", "--dry-run"),
    ("make", "questions", "--dry-run"),
    ("make", "questions", "--model", "--dry-run"),
)
SHOWS = ("ask", "--decompose", "--grade", "--rerank", "evidence", "extract", "--agent", "list")


@pytest.fixture
def _library(home: Path, tmp_path: Path, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("LITTERM_STARTER", "false")
    rows = [
        {"id": "one", "title": "Dropout in networks", "abstract": "Dropout lowers the error. Training has speed."},
        {"id": "two", "title": "Speed of training", "abstract": "Networks train with speed. Dropout is slow."},
    ]
    file = tmp_path / "papers.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    assert main(["--offline", "add", str(file)]) == 0
    values = {"model.base_url": model_server.url, "model.model": "tiny-1", "model.embedding": "nomic"}
    write_settings(home / "config.toml", values)
    yield


@pytest.mark.usefixtures("_library")
@pytest.mark.parametrize("line", LINES, ids=" ".join)
def test_a_dry_run_opens_no_connection(
    line: tuple[str, ...], model_server: ModelServer, server: WebServer, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    status = main(list(line))
    told = capsys.readouterr()
    assert (model_server.asked, model_server.wires, server.asked) == ([], [], [])
    assert status == (2 if "--resume" in line else 0), told.err
    if status == 0 and any(each in line for each in SHOWS):
        assert told.out.startswith("POST "), told.err
        assert "nothing was sent" in told.err


def test_every_command_that_has_it_is_tried() -> None:
    (verbs,) = [each for each in build_parser()._actions if isinstance(each, argparse._SubParsersAction)]
    having = {name for name, parser in verbs.choices.items() if "--dry-run" in parser._option_string_actions}
    assert having == {line[0] for line in LINES}
