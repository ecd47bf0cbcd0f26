"""The forward pass of a BERT (Devlin et al. 2019) in numpy and float32, from the files of a sentence encoder.

The weights are mapped, so that opening a model costs nothing but what is read of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from litterm.library.encoder.safetensors import Floats, Tensors

Ints = npt.NDArray[np.int64]

_WORDS = "embeddings.word_embeddings.weight"
_PREFIXES = ("", "bert.", "roberta.", "model.")
"""Before the names of tensors, by what the file was saved from."""
_GELU_CELLS = 65_536
"""Numbers of an activation computed at a time, so that they stay in the processor's cache."""
_ERF = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)
_ERF_SCALE = 0.3275911
"""Abramowitz and Stegun 7.1.26; off by 1.5e-7 at most, which is the precision of float32."""


@dataclass(frozen=True, slots=True)
class _Dense:
    weight: Floats
    """`[outputs, inputs]`, mapped from the file."""
    bias: Floats

    def __call__(self, rows: Floats) -> Floats:
        product: Floats = rows @ self.weight.T
        product += self.bias
        return product


@dataclass(frozen=True, slots=True)
class _Norm:
    weight: Floats
    bias: Floats
    epsilon: np.float32

    def __call__(self, rows: Floats) -> Floats:
        """In place."""
        rows -= rows.mean(axis=1, keepdims=True)
        variance = np.einsum("ij,ij->i", rows, rows)[:, None] / np.float32(rows.shape[1])
        rows /= np.sqrt(variance + self.epsilon)
        rows *= self.weight
        rows += self.bias
        return rows


@dataclass(frozen=True, slots=True)
class _Layer:
    queries: _Dense
    keys: _Dense
    values: _Dense
    attention_output: _Dense
    attention_norm: _Norm
    inner: _Dense
    output: _Dense
    output_norm: _Norm


class Bert:
    """One model; read-only and shared by threads."""

    def __init__(self, config: Mapping[str, Any], tensors: Tensors) -> None:
        """Reads the weights.

        Raises:
            ValueError: these are not the config and tensors of a BERT.
        """
        if config.get("model_type") != "bert":
            raise ValueError(f"it is a {config.get('model_type')!s}, not a BERT")
        if config.get("position_embedding_type", "absolute") != "absolute":
            raise ValueError("its positions are not absolute")
        self._heads, self._activation = int(config["num_attention_heads"]), _activation(config)
        self._epsilon = np.float32(config.get("layer_norm_eps", 1e-12))
        prefix = next((prefix for prefix in _PREFIXES if f"{prefix}{_WORDS}" in tensors), None)
        if prefix is None:
            raise ValueError(f"it has no tensor {_WORDS}")
        self._words = tensors.read(prefix + _WORDS)
        positions = tensors.read(f"{prefix}embeddings.position_embeddings.weight")
        # Every text is of the first type.
        self._positions = positions + tensors.read(f"{prefix}embeddings.token_type_embeddings.weight")[0]
        self._embedding_norm = self._norm(tensors, f"{prefix}embeddings.LayerNorm")
        self._layers = [
            self._layer(tensors, f"{prefix}encoder.layer.{index}") for index in range(int(config["num_hidden_layers"]))
        ]
        self.dims = self._words.shape[1]
        self.max_pieces = len(self._positions)
        if self.dims % self._heads:
            raise ValueError(f"{self.dims} dimensions cannot be divided among {self._heads} heads")

    def states(self, texts: Sequence[Sequence[int]]) -> list[Floats]:
        """For each text, given as numbers of word pieces, the last states: float32 `[pieces, dims]`.

        Raises:
            ValueError: a text is empty or too long, or a piece is none of the vocabulary's.
        """
        lengths = [len(text) for text in texts]
        pieces = np.array([piece for text in texts for piece in text], np.int64)
        if min(lengths) < 1 or max(lengths) > self.max_pieces or pieces.min() < 0 or pieces.max() >= len(self._words):
            raise ValueError("its vocabulary does not fit its weights")
        edges = np.cumsum([0, *lengths]).tolist()
        places = np.concatenate([np.arange(length) for length in lengths])
        # All texts one below the other: only attention has to know where each begins, and nothing is padded.
        rows = self._embedding_norm(self._words[pieces] + self._positions[places])
        for layer in self._layers:
            rows = self._apply(layer, rows, edges)
        return [rows[start:end] for start, end in pairwise(edges)]

    def _apply(self, layer: _Layer, rows: Floats, edges: Sequence[int]) -> Floats:
        queries, keys, values = layer.queries(rows), layer.keys(rows), layer.values(rows)
        queries /= np.float32(math.sqrt(self.dims // self._heads))
        context = np.empty_like(rows)
        for start, end in pairwise(edges):
            text = slice(start, end)
            context[text] = self._attend(queries[text], keys[text], values[text])
        attended = layer.attention_output(context)
        attended += rows
        attended = layer.attention_norm(attended)
        inner = layer.inner(attended)
        self._activation(inner)
        output = layer.output(inner)
        output += attended
        return layer.output_norm(output)

    def _attend(self, queries: Floats, keys: Floats, values: Floats) -> Floats:
        """Of one text, each `[pieces, dims]`."""
        length = len(queries)
        shape = (length, self._heads, self.dims // self._heads)
        weights: Floats = queries.reshape(shape).transpose(1, 0, 2) @ keys.reshape(shape).transpose(1, 2, 0)
        weights -= weights.max(axis=2, keepdims=True)
        np.exp(weights, out=weights)
        attended: Floats = weights @ values.reshape(shape).transpose(1, 0, 2)
        attended /= weights.sum(axis=2, keepdims=True)
        return attended.transpose(1, 0, 2).reshape(length, self.dims)

    def _layer(self, tensors: Tensors, name: str) -> _Layer:
        return _Layer(
            self._dense(tensors, f"{name}.attention.self.query"),
            self._dense(tensors, f"{name}.attention.self.key"),
            self._dense(tensors, f"{name}.attention.self.value"),
            self._dense(tensors, f"{name}.attention.output.dense"),
            self._norm(tensors, f"{name}.attention.output.LayerNorm"),
            self._dense(tensors, f"{name}.intermediate.dense"),
            self._dense(tensors, f"{name}.output.dense"),
            self._norm(tensors, f"{name}.output.LayerNorm"),
        )

    def _dense(self, tensors: Tensors, name: str) -> _Dense:
        return _Dense(tensors.read(f"{name}.weight"), tensors.read(f"{name}.bias"))

    def _norm(self, tensors: Tensors, name: str) -> _Norm:
        return _Norm(tensors.read(f"{name}.weight"), tensors.read(f"{name}.bias"), self._epsilon)


def _activation(config: Mapping[str, Any]) -> Callable[[Floats], None]:
    name = config.get("hidden_act", "gelu")
    if name == "relu":
        return _relu
    if name != "gelu":
        raise ValueError(f"the activation {name} is unknown")
    return _gelu


def _relu(rows: Floats) -> None:
    np.maximum(rows, 0, out=rows)


def _gelu(rows: Floats) -> None:
    """x * P(X <= x) of the standard normal distribution, in place."""
    flat = rows.reshape(-1)
    for start in range(0, len(flat), _GELU_CELLS):
        cells = flat[start : start + _GELU_CELLS]
        size = np.abs(cells)
        size *= np.float32(math.sqrt(0.5))
        t = 1 / (1 + np.float32(_ERF_SCALE) * size)
        tail = np.full_like(t, _ERF[-1])
        for factor in _ERF[-2::-1]:
            tail *= t
            tail += np.float32(factor)
        tail *= t
        size *= size
        np.negative(size, out=size)
        tail *= np.exp(size, out=size)
        # erf(|x| / sqrt 2) = 1 - tail; x * (1 + sign(x) * erf) / 2 = (x + |x| - |x| * tail) / 2
        size = np.abs(cells)
        tail *= size
        cells += size
        cells -= tail
        cells *= np.float32(0.5)
