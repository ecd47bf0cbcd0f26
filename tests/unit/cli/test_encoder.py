"""`litterm config encoder` and `litterm encode`, over a library on disk and a hub on this machine."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from encoder_models import write_encoder
from fakes_web_server import WebServer
from hub_models import NAME, publish
from json_answers import answer
from libraries import record, store

from litterm.build import build_engine
from litterm.cli.main import main

TITLES = {"A": "Parsing of speech", "B": "Speech on the sea"}


@pytest.fixture
def model(home: Path, tmp_path: Path) -> Path:
    store(home / "library", [record(key, title) for key, title in TITLES.items()])
    (home / "config.toml").write_text("starter = false\n")
    return write_encoder(tmp_path / "tiny", [["tree", "parsing"], ["sea"], ["speech"], ["of", "on", "the"]])


def litterm(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    status = main([*argv], build=build_engine)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def settings(home: Path) -> dict[str, object]:
    return tomllib.loads((home / "config.toml").read_text())


def test_a_folder_is_set_encoded_searched_and_taken_out(
    home: Path, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = litterm(capsys, "config", "encoder", str(model))
    assert status == 0
    assert "no licence is stated" in err and "Vectors of 2 papers take less than a minute" in err
    assert "0 of 2 papers have vectors" in out
    assert settings(home)["encoder"] == {"folder": str(model)}
    assert answer(litterm(capsys, "encode", "--status", "--json")[1]) == {
        "encoder": "tiny",
        "licence": None,
        "papers": 2,
        "encoded": 0,
        "bytes": 0,
        "running": False,
        "stopped": False,
    }
    status, out, _ = litterm(capsys, "encode")
    assert status == 0 and "2 of 2 papers have vectors" in out
    found = json.loads(litterm(capsys, "search", "tree", "--json")[1])["results"]
    assert found[0]["id"] == "acl:A"
    status, out, err = litterm(capsys, "config", "encoder", "off")
    assert status == 0 and "Its vectors stay" in err
    assert settings(home)["encoder"] == {}
    assert json.loads(litterm(capsys, "search", "tree", "--json")[1])["results"] == []


def test_stopped_is_stopped_until_asked_again(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    litterm(capsys, "config", "encoder", str(model))
    assert json.loads(litterm(capsys, "encode", "--stop", "--json")[1])["stopped"]
    assert json.loads(litterm(capsys, "encode", "--json")[1])["encoded"] == 2


def test_a_folder_without_an_encoder_is_not_set(
    home: Path, model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "none").mkdir()
    status, _, err = litterm(capsys, "config", "encoder", str(tmp_path / "none"))
    assert status == 4 and "holds no encoder" in err
    (model / "model.safetensors").write_bytes(b"nothing")
    assert litterm(capsys, "config", "encoder", str(model))[0] == 4
    assert "encoder" not in settings(home)


def test_without_an_encoder_there_is_nothing_to_encode(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = litterm(capsys, "encode")
    assert status == 2 and "config encoder FOLDER" in err
    assert "No encoder is set" in litterm(capsys, "config", "encoder")[1]


def test_a_name_on_the_hub_needs_consent(
    home: Path, model: Path, server: WebServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LITTERM_SERVICES", server.url)
    publish(server, model, prefix="/hub", cardData={"license": "mit"})
    status, _, err = litterm(capsys, "config", "encoder", NAME)
    assert status == 2 and "licence mit" in err and "kB from huggingface.co" in err and "--yes gives it" in err
    assert "encoder" not in settings(home) and len(server.asked) == 1
    status, out, _ = litterm(capsys, "config", "encoder", NAME, "--yes")
    assert status == 0 and "maker--tiny-model" in out
    assert settings(home)["encoder"]["folder"].endswith("encoders/maker--tiny-model")  # type: ignore[index]
    assert litterm(capsys, "encode")[0] == 0


def test_nothing_is_asked_of_the_hub_offline(
    model: Path, server: WebServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LITTERM_SERVICES", server.url)
    status, _, err = litterm(capsys, "--offline", "config", "encoder", NAME)
    assert status == 4 and "offline" in err and not server.asked
