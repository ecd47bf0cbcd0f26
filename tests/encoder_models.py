"""Small sentence encoders as files: a BERT whose words have the vectors that a test gives them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
DIMS = 8


def write_safetensors(path: Path, tensors: Mapping[str, npt.NDArray[np.float32]]) -> None:
    header, data = {}, b""
    for name, tensor in tensors.items():
        content = tensor.astype("<f4").tobytes()
        header[name] = {
            "dtype": "F32",
            "shape": list(tensor.shape),
            "data_offsets": [len(data), len(data) + len(content)],
        }
        data += content
    head = json.dumps(header).encode()
    path.write_bytes(len(head).to_bytes(8, "little") + head + data)


def write_encoder(folder: Path, meanings: Sequence[Sequence[str]], *, layers: int = 0, **config: object) -> Path:
    """A BERT for which the words of one of `meanings` are the same; the rest of its weights are random."""
    folder.mkdir(parents=True, exist_ok=True)
    numbers = np.random.default_rng(7)
    words = [*SPECIAL, *(word for same in meanings for word in same)]
    table = np.zeros((len(words), DIMS), np.float32)
    place = len(SPECIAL)
    for same in meanings:
        table[place : place + len(same)] = numbers.normal(size=DIMS)
        place += len(same)
    (folder / "vocab.txt").write_text("\n".join(words))
    (folder / "config.json").write_text(
        json.dumps(
            {
                "model_type": "bert",
                "num_attention_heads": 2,
                "num_hidden_layers": layers,
                "max_position_embeddings": 64,
                **config,
            }
        )
    )
    write_safetensors(folder / "model.safetensors", {**_embeddings(table), **_layers(layers, numbers)})
    return folder


def _embeddings(table: npt.NDArray[np.float32]) -> dict[str, npt.NDArray[np.float32]]:
    return {
        "embeddings.word_embeddings.weight": table,
        "embeddings.position_embeddings.weight": np.zeros((64, DIMS), np.float32),
        "embeddings.token_type_embeddings.weight": np.zeros((2, DIMS), np.float32),
        "embeddings.LayerNorm.weight": np.ones(DIMS, np.float32),
        "embeddings.LayerNorm.bias": np.zeros(DIMS, np.float32),
    }


def _layers(count: int, numbers: np.random.Generator) -> dict[str, npt.NDArray[np.float32]]:
    tensors = {}
    for layer in range(count):
        name = f"encoder.layer.{layer}"
        sizes = {f"attention.self.{part}": (DIMS, DIMS) for part in ("query", "key", "value")}
        sizes |= {
            "attention.output.dense": (DIMS, DIMS),
            "intermediate.dense": (2 * DIMS, DIMS),
            "output.dense": (DIMS, 2 * DIMS),
        }
        for part, size in sizes.items():
            tensors[f"{name}.{part}.weight"] = numbers.normal(size=size).astype(np.float32)
            tensors[f"{name}.{part}.bias"] = numbers.normal(size=size[0]).astype(np.float32)
        for part in ("attention.output.LayerNorm", "output.LayerNorm"):
            tensors[f"{name}.{part}.weight"] = numbers.normal(size=DIMS).astype(np.float32)
            tensors[f"{name}.{part}.bias"] = numbers.normal(size=DIMS).astype(np.float32)
    return tensors
