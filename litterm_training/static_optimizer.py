"""The torch side of training the semantic model: two views of one paper are drawn together, all others pushed apart."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import nn

from litterm_training.static_corpus import Bags, Corpus, Floats, Ints, Recipe, bags, batches, thin_bags, views


def fit(
    corpus: Corpus, recipe: Recipe, report_epoch: Callable[[int, float], None] = lambda _epoch, _loss: None
) -> Floats:
    """One vector a stem, `[len(corpus.stems), dims]`; the same for the same corpus, recipe, machine and torch.

    Symmetric InfoNCE over each batch; two pairs about one paper do not count as a miss. `report_epoch` gets the number
    and the mean loss of each epoch.
    """
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    chance = np.random.default_rng(recipe.seed)
    first = chance.standard_normal((len(corpus.stems), recipe.dims)).astype(np.float32) * corpus.idf[:, None]
    table = nn.EmbeddingBag.from_pretrained(torch.from_numpy(first), freeze=False, mode="sum", include_last_offset=True)
    optimizer = torch.optim.AdamW(table.parameters(), lr=recipe.rate * float(np.sqrt(np.mean(first**2))))
    steps = recipe.epochs * sum(1 for _ in _batches(corpus, np.random.default_rng(0), recipe))
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, total_iters=max(1, steps))
    for number in range(recipe.epochs):
        losses = []
        for places in _batches(corpus, chance, recipe):
            loss = _loss(table, corpus, places, chance, recipe)
            optimizer.zero_grad()
            torch.autograd.backward(loss)
            optimizer.step()
            schedule.step()
            losses.append(float(loss.detach()))
        report_epoch(number, float(np.mean(losses)) if losses else 0.0)
    vectors: Floats = table.weight.detach().numpy()
    return vectors


def _batches(corpus: Corpus, chance: np.random.Generator, recipe: Recipe) -> list[Ints]:
    return list(batches(corpus, chance, size=recipe.batch, shares=recipe.shares))


def _loss(
    table: nn.EmbeddingBag, corpus: Corpus, places: Ints, chance: np.random.Generator, recipe: Recipe
) -> torch.Tensor:
    left, right, papers = views(corpus, places, chance)
    size = len(corpus.stems)
    first, second = bags(left, size), bags(right, size)
    second = thin_bags(
        first, second, chance, vocabulary=size, shared=recipe.lexical_dropout, any_stem=recipe.token_dropout
    )
    logits = _encode(table, first, len(places)) @ _encode(table, second, len(places)).T / recipe.temperature
    is_same_paper = torch.from_numpy(papers[:, None] == papers[None, :]).fill_diagonal_(False)
    logits = logits.masked_fill(is_same_paper, -1e4)
    own_places = torch.arange(len(places))
    return (nn.functional.cross_entropy(logits, own_places) + nn.functional.cross_entropy(logits.T, own_places)) / 2


def _encode(table: nn.EmbeddingBag, bag: Bags, rows: int) -> torch.Tensor:
    offsets = np.zeros(rows + 1, np.int64)
    np.cumsum(np.bincount(bag.rows, minlength=rows), out=offsets[1:])
    summed = table(torch.from_numpy(bag.stems), torch.from_numpy(offsets), torch.from_numpy(bag.weights))
    return nn.functional.normalize(summed, dim=1)
