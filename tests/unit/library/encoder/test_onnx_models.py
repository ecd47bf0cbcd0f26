from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from litterm.core.errors import ModelOffline
from litterm.core.tasks import run
from litterm.library.encoder.model_folder import read_folder
from litterm.library.encoder.sentence_encoder import SentenceEncoder

WORDS = {"[UNK]": 0, "[PAD]": 1, "tree": 2, "speech": 3}
TABLE = np.array([[0, 0, 1], [9, 9, 9], [1, 0, 0], [0, 1, 0]], np.float32)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An encoder that looks words up in a table: the smallest there is."""
    from onnx import TensorProto, helper, numpy_helper, save
    from tokenizers import Tokenizer, models, pre_tokenizers

    tokenizer = Tokenizer(models.WordLevel(WORDS, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    graph = helper.make_graph(
        [helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])],
        "lookup",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["texts", "pieces"])],
        [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["texts", "pieces", 3])],
        [numpy_helper.from_array(TABLE, "table")],
    )
    save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8),
        str(tmp_path / "model.onnx"),
    )
    return tmp_path


@pytest.mark.extra
def test_texts_become_the_mean_of_their_pieces(folder: Path) -> None:
    found = run(SentenceEncoder(read_folder(folder)).embed(["tree speech", "tree", "tree speech"], kind="paper"))
    half = np.sqrt(0.5)
    assert found == pytest.approx(np.array([[half, half, 0], [1, 0, 0], [half, half, 0]]), abs=1e-6)


@pytest.mark.extra
def test_many_texts_and_none(folder: Path) -> None:
    encoder = SentenceEncoder(read_folder(folder))
    assert run(encoder.embed(["tree", "speech"] * 20, kind="query"))[::2] == pytest.approx(np.array([[1, 0, 0]] * 20))
    assert len(run(encoder.embed([], kind="query"))) == 0
    assert encoder.estimate(["tree"]).calls == 0 and encoder.estimate([]).local


@pytest.mark.extra
def test_what_is_no_encoder_is_refused(folder: Path) -> None:
    (folder / "model.onnx").write_bytes(b"nothing")
    with pytest.raises(ModelOffline, match="cannot be opened"):
        run(SentenceEncoder(read_folder(folder)).embed(["tree"], kind="query"))
    (folder / "tokenizer.json").write_text(json.dumps({}))
    with pytest.raises(ModelOffline, match="cannot be opened"):
        run(SentenceEncoder(read_folder(folder)).embed(["tree"], kind="query"))


@pytest.mark.extra
def test_a_folder_without_a_model_says_what_is_missing(folder: Path) -> None:
    (folder / "model.onnx").unlink()
    with pytest.raises(ModelOffline, match="holds no encoder"):
        run(SentenceEncoder(read_folder(folder)).embed(["tree"], kind="query"))


def test_without_the_packages_it_says_how_to_get_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    (tmp_path / "model.onnx").write_bytes(b"nothing")
    (tmp_path / "vocab.txt").write_text("\n".join(("[UNK]", "[CLS]", "[SEP]", "tree")))
    with pytest.raises(ModelOffline, match=r"onnxruntime.*tokenizers"):
        run(SentenceEncoder(read_folder(tmp_path)).embed(["tree"], kind="query"))
