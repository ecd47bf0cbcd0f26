"""The files of a sentence encoder in a folder: which there are, what they say, and what tells one model from another.

As the usual tools write them: `model.safetensors` with `config.json` for a BERT, or `model.onnx` for any encoder;
`tokenizer.json` or `vocab.txt`; `1_Pooling/config.json` and others where they are needed. Nothing in them is executed.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from litterm.core.errors import ModelOffline
from litterm.library.encoder.instructions import Instructions, instructions_for

Pooling = Literal["mean", "cls"]

WEIGHTS_FILE, ONNX_FILES = "model.safetensors", ("model.onnx", "onnx/model.onnx")
TOKENIZER_FILES = ("tokenizer.json", "vocab.txt")
CONFIG_FILE, POOLING_FILE = "config.json", "1_Pooling/config.json"
SMALL_FILES = (
    CONFIG_FILE,
    POOLING_FILE,
    *TOKENIZER_FILES,
    "tokenizer_config.json",
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
)
"""What is read beside the weights, as far as it is there."""
_LICENCE_FILES: Final = ("LICENSE", "LICENSE.txt", "LICENSE.md", "LICENCE", "COPYING")
_MAX_PIECES = 256
"""Longer texts are cut: nine abstracts in ten have fewer pieces, and time grows with them."""
_MAX_SMALL_FILE = 64 << 20
"""Bytes; a `tokenizer.json` of many languages has 17 million."""
_SAMPLES, _SAMPLE_BYTES = 64, 4096
"""Pieces of the weights that the fingerprint is made of, evenly spread: no two models agree in all of them."""


@dataclass(frozen=True, slots=True)
class EncoderFolder:
    """What the files say; the weights are not opened yet."""

    folder: Path
    weights: Path
    config: Mapping[str, Any]
    pooling: Pooling
    max_pieces: int
    """Word pieces of a text that are read."""
    lowercase: bool
    instructions: Instructions
    licence: str
    """As stated in the folder; empty where it states none."""
    fingerprint: str
    """Sixteen letters and digits: equal for equal files and instructions for papers."""

    @property
    def name(self) -> str:
        """The name of the folder."""
        return self.folder.name

    @property
    def is_onnx(self) -> bool:
        """Whether it is run by onnxruntime."""
        return self.weights.suffix == ".onnx"


def read_folder(folder: Path, *, query: str | None = None, passage: str | None = None) -> EncoderFolder:
    """The encoder in `folder`; `query` and `passage` replace its own instructions.

    Raises:
        ModelOffline: a file is missing or cannot be read, or asks for what is not known here.
    """
    folder = folder.expanduser()
    weights = _find(folder, WEIGHTS_FILE, *ONNX_FILES)
    if weights is None:
        raise ModelOffline(
            f"{folder} holds no encoder: neither {WEIGHTS_FILE} nor {ONNX_FILES[0]}."
            if folder.is_dir()
            else f"There is no folder {folder}; `litterm config encoder FOLDER` names one with an encoder."
        )
    if _find(folder, *TOKENIZER_FILES) is None:
        raise ModelOffline(f"{folder} has no vocabulary: neither {' nor '.join(TOKENIZER_FILES)}.")
    config, lengths = read_json(folder / CONFIG_FILE), read_json(folder / "sentence_bert_config.json")
    prompts = read_json(folder / "config_sentence_transformers.json").get("prompts")
    own = instructions_for(
        (folder.name, str(config.get("_name_or_path", ""))), prompts if isinstance(prompts, dict) else {}
    )
    instructions = Instructions(own.query if query is None else query, own.passage if passage is None else passage)
    longest = [_MAX_PIECES, lengths.get("max_seq_length"), config.get("max_position_embeddings")]
    return EncoderFolder(
        folder=folder,
        weights=weights,
        config=config,
        pooling=_pooling(read_json(folder / POOLING_FILE), folder),
        max_pieces=min(number for number in longest if isinstance(number, int) and number > 2),
        lowercase=read_json(folder / "tokenizer_config.json").get("do_lower_case") is not False,
        instructions=instructions,
        licence=_licence(folder),
        fingerprint=_fingerprint(folder, weights, instructions.passage),
    )


def _find(folder: Path, *names: str) -> Path | None:
    return next((folder / name for name in names if (folder / name).is_file()), None)


def read_json(path: Path) -> dict[str, Any]:
    """The object in `path`; empty where there is no such file."""
    try:
        if path.stat().st_size > _MAX_SMALL_FILE:
            raise ModelOffline(f"{path} is too large to be a file of settings.")
        read = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise ModelOffline(f"{path} cannot be read: {error}") from error
    if not isinstance(read, dict):
        raise ModelOffline(f"{path} holds no settings.")
    return read


def _pooling(config: Mapping[str, Any], folder: Path) -> Pooling:
    chosen = [name for name, value in config.items() if name.startswith("pooling_mode_") and value]
    # The sum divided by a root of the length has the direction of the mean.
    if not chosen or set(chosen) <= {"pooling_mode_mean_tokens", "pooling_mode_mean_sqrt_len_tokens"}:
        return "mean"
    if chosen == ["pooling_mode_cls_token"]:
        return "cls"
    raise ModelOffline(f"{folder / POOLING_FILE} asks for {', '.join(chosen)}, which is not known here.")


def _licence(folder: Path) -> str:
    """The licence that the model card or a file names."""
    card = folder / "README.md"
    if card.is_file():
        with card.open(encoding="utf-8", errors="replace") as opened:
            head = opened.read(4096)
        # The head of a model card is YAML between two lines of hyphens.
        found = re.search(r"^---\n(?:.*\n)*?license:\s*[\"']?([\w.+-]+)", head)
        if found:
            return found[1]
    file = _find(folder, *_LICENCE_FILES)
    return "" if file is None else f"see {file.name}"


def _fingerprint(folder: Path, weights: Path, passage: str) -> str:
    digest = hashlib.sha256(passage.encode())
    try:
        size = weights.stat().st_size
        digest.update(f"{weights.name} {size}".encode())
        with weights.open("rb") as opened:
            for sample in range(_SAMPLES):
                opened.seek(size * sample // _SAMPLES)
                digest.update(opened.read(_SAMPLE_BYTES))
        for name in SMALL_FILES:
            path = folder / name
            if path.is_file() and path.stat().st_size <= _MAX_SMALL_FILE:
                digest.update(name.encode() + hashlib.sha256(path.read_bytes()).digest())
    except OSError as error:
        raise ModelOffline(f"The encoder in {folder} cannot be read: {error.strerror}") from error
    return digest.hexdigest()[:16]
