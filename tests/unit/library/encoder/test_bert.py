"""Word pieces and the forward pass, compared with the formulas written down plainly."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from encoder_models import DIMS, SPECIAL, write_encoder, write_safetensors

from litterm.core.errors import ModelOffline
from litterm.core.tasks import run
from litterm.library.encoder.bert import Bert
from litterm.library.encoder.instructions import Instructions, instructions_for
from litterm.library.encoder.model_folder import read_folder
from litterm.library.encoder.safetensors import Tensors
from litterm.library.encoder.sentence_encoder import SentenceEncoder
from litterm.library.encoder.word_pieces import WordPieces

VOCABULARY = [*SPECIAL, "trees", "tree", "##s", "pars", "##ing", ",", "cafe", "語", "σ"]
NUMBERS = {word: place for place, word in enumerate(VOCABULARY)}


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Parsing  trees", ["pars", "##ing", "trees"]),
        ("tree,trees", ["tree", ",", "trees"]),
        ("Café\ttree\u200bs", ["cafe", "trees"]),
        ("x trees", ["[UNK]", "trees"]),
        ("語語", ["語", "語"]),
        ("Σ", ["σ"]),
        ("t" * 101, ["[UNK]"]),
        ("", []),
    ],
)
def test_words_are_taken_apart_into_the_longest_known_pieces(text: str, pieces: list[str]) -> None:
    split = WordPieces(NUMBERS, lowercase=True, max_pieces=16)
    assert [VOCABULARY[number] for number in split.encode(text)] == ["[CLS]", *pieces, "[SEP]"]


def test_a_long_text_is_cut_and_still_ends() -> None:
    assert WordPieces(NUMBERS, lowercase=True, max_pieces=4).encode("trees " * 9) == [
        NUMBERS[piece] for piece in ("[CLS]", "trees", "trees", "[SEP]")
    ]


def plainly(tensors: Tensors, text: list[int], layers: int, heads: int) -> np.ndarray:
    """The states of `text` by the formulas of the paper, text by text and head by head, in double precision."""

    def dense(rows: np.ndarray, name: str) -> np.ndarray:
        return rows @ tensors.read(f"{name}.weight").T.astype(np.float64) + tensors.read(f"{name}.bias")

    def norm(rows: np.ndarray, name: str) -> np.ndarray:
        centred = rows - rows.mean(1, keepdims=True)
        scaled = centred / np.sqrt(rows.var(1, keepdims=True) + 1e-12)
        return scaled * tensors.read(f"{name}.weight") + tensors.read(f"{name}.bias")

    rows = norm(tensors.read("embeddings.word_embeddings.weight")[text].astype(np.float64), "embeddings.LayerNorm")
    width = DIMS // heads
    for layer in range(layers):
        name = f"encoder.layer.{layer}"
        query, key, value = (dense(rows, f"{name}.attention.self.{part}") for part in ("query", "key", "value"))
        parts = []
        for head in range(heads):
            span = slice(head * width, (head + 1) * width)
            weights = np.exp(query[:, span] @ key[:, span].T / math.sqrt(width))
            parts.append(weights / weights.sum(1, keepdims=True) @ value[:, span])
        attended = norm(
            rows + dense(np.hstack(parts), f"{name}.attention.output.dense"), f"{name}.attention.output.LayerNorm"
        )
        inner = dense(attended, f"{name}.intermediate.dense")
        inner *= 0.5 * (1 + np.vectorize(math.erf)(inner / math.sqrt(2)))
        rows = norm(attended + dense(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")
    return rows


def test_the_forward_pass_is_that_of_the_paper(tmp_path: Path) -> None:
    folder = write_encoder(tmp_path / "model", [["tree"], ["speech"], ["sea"]], layers=2)
    tensors = Tensors(folder / "model.safetensors")
    texts = [[2, 4, 5, 3], [2, 6, 6, 4, 5, 3], [2, 3]]
    found = Bert(json.loads((folder / "config.json").read_text()), tensors).states(texts)
    for text, states in zip(texts, found, strict=True):
        assert states == pytest.approx(plainly(tensors, text, 2, 2), abs=2e-4)


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_texts_become_unit_vectors_pooled_as_the_folder_says(tmp_path: Path, pooling: str) -> None:
    folder = write_encoder(tmp_path / "model", [["tree"], ["speech"]], layers=1)
    (folder / "1_Pooling").mkdir()
    mode = "mean_tokens" if pooling == "mean" else "cls_token"
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({f"pooling_mode_{mode}": True}))
    found = run(SentenceEncoder(read_folder(folder)).embed(["tree speech", "tree", "tree speech"], kind="paper"))
    states = plainly(Tensors(folder / "model.safetensors"), [2, 4, 5, 3], 1, 2)
    vector = states.mean(0) if pooling == "mean" else states[0]
    assert found[0] == pytest.approx(vector / np.linalg.norm(vector), abs=1e-4)
    assert (found[0] == found[2]).all() and np.linalg.norm(found[1]) == pytest.approx(1)


def test_instructions_stand_before_what_they_are_for(tmp_path: Path) -> None:
    folder = write_encoder(tmp_path / "model", [["tree"], ["query"], [":"]])
    encoder = SentenceEncoder(read_folder(folder, query="query:", passage=""))
    assert (encoder.encode(["tree"], "query") == encoder.encode(["query: tree"], "paper")).all()
    assert not (encoder.encode(["tree"], "query") == encoder.encode(["tree"], "paper")).all()


def test_the_instructions_of_known_models() -> None:
    assert instructions_for(("models/e5-small-v2",), {}) == Instructions("query:", "passage:")
    assert instructions_for(("BAAI--bge-small-en-v1.5",), {}).passage == ""
    assert instructions_for(("all-MiniLM-L6-v2",), {}) == Instructions()
    own = {"query": "search_query: ", "document": "search_document: "}
    assert instructions_for(("e5-small",), own) == Instructions("search_query:", "search_document:")


def test_the_licence_is_what_the_model_card_states(tmp_path: Path) -> None:
    folder = write_encoder(tmp_path / "model", [["tree"]])
    assert read_folder(folder).licence == ""
    (folder / "README.md").write_text("---\nlanguage: en\nlicense: apache-2.0\n---\n# A model\nlicense: none\n")
    assert read_folder(folder).licence == "apache-2.0"


def test_another_model_has_another_fingerprint(tmp_path: Path) -> None:
    one, other = (write_encoder(tmp_path / name, [["tree"], [word]]) for name, word in (("a", "sea"), ("b", "sky")))
    same = write_encoder(tmp_path / "c", [["tree"], ["sea"]])
    assert read_folder(one).fingerprint == read_folder(same).fingerprint != read_folder(other).fingerprint
    assert read_folder(one, passage="passage:").fingerprint != read_folder(one).fingerprint


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda folder: (folder / "model.safetensors").write_bytes(b"nothing"), "cannot be opened"),
        (lambda folder: (folder / "model.safetensors").write_bytes(b"\x02" + bytes(7) + b"[]"), "cannot be opened"),
        (lambda folder: write_safetensors(folder / "model.safetensors", {}), "cannot be opened"),
        (lambda folder: (folder / "config.json").write_text('{"model_type": "t5"}'), "not a BERT"),
        (lambda folder: (folder / "config.json").write_text("[]"), "holds no settings"),
        (lambda folder: (folder / "vocab.txt").write_text("tree"), r"no \[UNK\]"),
        (lambda folder: (folder / "vocab.txt").unlink(), "has no vocabulary"),
        (lambda folder: (folder / "model.safetensors").unlink(), "holds no encoder"),
        (lambda folder: (folder / "vocab.txt").write_text("\n".join([*SPECIAL, "x", "tree"])), "does not fit"),
    ],
)
def test_what_is_no_encoder_is_refused_in_a_sentence(tmp_path: Path, damage: object, said: str) -> None:
    folder = write_encoder(tmp_path / "model", [["tree"]])
    damage(folder)  # type: ignore[operator]
    with pytest.raises(ModelOffline, match=said):
        run(SentenceEncoder(read_folder(folder)).embed(["tree"], kind="query"))
