"""The hub of models, as its contract says: what is there, under which licence, and files that fit their checksums."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from encoder_models import write_encoder
from fakes_web_server import WebServer, as_json, page
from hub_models import NAME, REVISION, blob, publish

from litterm.core import errors
from litterm.core.tasks import run
from litterm.library.encoder.model_folder import read_folder
from litterm.services.http.client import HttpClient
from litterm.services.model_hub import ModelHub

POOLING = json.dumps({"pooling_mode_cls_token": True})


@pytest.fixture
def published(tmp_path: Path) -> Path:
    folder = write_encoder(tmp_path / "published", [["tree"], ["sea"]])
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(POOLING)
    return folder


@pytest.fixture
def hub(client: HttpClient, server: WebServer) -> ModelHub:
    return ModelHub(client, server.url)


def test_size_and_licence_are_known_before_a_file_is_fetched(hub: ModelHub, server: WebServer, published: Path) -> None:
    publish(server, published, cardData={"license": "mit"})
    model = run(hub.describe(NAME))
    assert (model.name, model.revision, model.licence) == (NAME, REVISION, "mit")
    assert "run.py" not in [file.name for file in model.files]
    assert model.size == sum(path.stat().st_size for path in published.rglob("*") if path.is_file())
    assert len(server.asked) == 1


def test_the_licence_may_be_a_tag_or_missing(hub: ModelHub, server: WebServer, published: Path) -> None:
    publish(server, published, tags=["bert", "license:apache-2.0"])
    assert run(hub.describe(NAME)).licence == "apache-2.0"
    publish(server, published)
    assert run(hub.describe(NAME)).licence == ""


def test_what_is_fetched_is_an_encoder_and_is_not_fetched_twice(
    hub: ModelHub, server: WebServer, published: Path, tmp_path: Path
) -> None:
    publish(server, published)
    model, folder = run(hub.describe(NAME)), tmp_path / "encoders" / "maker--tiny-model"
    run(hub.fetch(model, folder))
    files = read_folder(folder)
    assert files.pooling == "cls"
    assert files.fingerprint == read_folder(published).fingerprint
    asked = len(server.asked)
    run(hub.fetch(model, folder))
    assert len(server.asked) == asked


@pytest.mark.parametrize("name", ["model.safetensors", "vocab.txt"])
def test_a_file_that_does_not_fit_its_checksum_is_not_kept(
    hub: ModelHub, server: WebServer, published: Path, tmp_path: Path, name: str
) -> None:
    publish(server, published)
    model = run(hub.describe(NAME))
    content = (published / name).read_bytes()
    server.on(f"/{NAME}/resolve/{REVISION}/{name}", page(content[:-1] + b"!"))
    with pytest.raises(errors.Malformed, match="not what the hub announced"):
        run(hub.fetch(model, tmp_path / "encoders"))
    assert not (tmp_path / "encoders" / name).exists()


@pytest.mark.parametrize("name", ["nothing", "../secret/x", "a/b/c", "a/..", ""])
def test_what_is_no_name_is_not_asked_for(hub: ModelHub, server: WebServer, name: str) -> None:
    with pytest.raises(errors.UsageError, match="no name on the hub"):
        run(hub.describe(name))
    assert not server.asked


def test_a_model_without_usable_files_is_not_found(hub: ModelHub, server: WebServer) -> None:
    siblings = [{"rfilename": "pytorch_model.bin", "size": 3, "blobId": blob(b"no!")}]
    server.on(f"/api/models/{NAME}", as_json({"sha": REVISION, "siblings": siblings}))
    with pytest.raises(errors.NotFound, match="cannot be used"):
        run(hub.describe(NAME))
