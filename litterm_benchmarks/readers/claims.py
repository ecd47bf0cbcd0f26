"""Claims with the abstracts cited for them: one pair a line, which sentences are its rationale, and its stance."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from litterm.core.errors import BadInput
from litterm.model.document import Document
from litterm.model.paper import PaperId
from litterm.text.documents.builder import Block, build_document
from litterm_benchmarks.readers.fields import read_as

Label = Literal["SUPPORT", "CONTRADICT", "NONE"]
LABELS: tuple[Label, ...] = ("SUPPORT", "CONTRADICT", "NONE")


@dataclass(frozen=True, slots=True)
class ClaimPair:
    """A claim and an abstract. A method may read `claim`, `title` and `sentences` only."""

    key: str
    """Of the claim."""
    claim: str
    paper: PaperId
    title: str
    sentences: tuple[str, ...]
    label: Label
    """`NONE`: cited for the claim, but neither for nor against it."""
    rationales: tuple[frozenset[int], ...]
    """Sets of sentences, each sufficient by itself; none for `NONE`."""

    @property
    def gold(self) -> frozenset[int]:
        """Every sentence of a rationale."""
        return frozenset().union(*self.rationales)


def read_claims(path: Path) -> tuple[ClaimPair, ...]:
    """Every pair of a file, packed with gzip or not.

    Raises:
        BadInput: a line is not in the expected form.
    """
    with read_as("claims with rationales", path):
        raw = path.read_bytes()
        text = (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode("utf-8")
        pairs = tuple(
            _pair(cast("Mapping[str, object]", json.loads(line))) for line in text.splitlines() if line.strip()
        )
    if not pairs:
        raise BadInput(f"{path}: no claim in it.")
    return pairs


def as_document(pair: ClaimPair) -> tuple[Document, tuple[int, ...]]:
    """Title and abstract as a document, and for each of its rows the sentence's number; -1 for the title."""
    numbers = [number for number, text in enumerate(pair.sentences) if text.split()]
    blocks = (
        Block("title", pair.title),
        Block("heading", "Abstract", section_kind="abstract"),
        Block("abstract", sentences=tuple(pair.sentences[number] for number in numbers)),
    )
    document = build_document(pair.paper, blocks, origin="jsonl", parser="claims-1")
    return document, (*[-1] * (len(document.sentences) - len(numbers)), *numbers)


def groups_of(pairs: Sequence[ClaimPair]) -> tuple[str, ...]:
    """For each pair the name of its group: pairs that share a claim or a paper, however indirectly, are in one."""
    parents: dict[str, str] = {}

    def root(name: str) -> str:
        while parents.setdefault(name, name) != name:
            name = parents[name]
        return name

    for pair in pairs:
        first, second = sorted((root(f"claim {pair.claim}"), root(f"paper {pair.paper}")))
        parents[second] = first
    return tuple(root(f"paper {pair.paper}") for pair in pairs)


def _pair(fields: Mapping[str, object]) -> ClaimPair:
    label = fields["label"]
    if label not in LABELS:
        raise ValueError(f"label {label!r}")
    sentences = tuple(str(text) for text in cast("Sequence[object]", fields["sentences"]))
    rationales = tuple(frozenset(numbers) for numbers in cast("Sequence[Sequence[int]]", fields["rationales"]))
    if any(not 0 <= number < len(sentences) for numbers in rationales for number in numbers):
        raise ValueError("a rationale names a sentence that is not there")
    return ClaimPair(
        key=str(fields["id"]),
        claim=str(fields["claim"]),
        paper=PaperId(str(fields["paper"])),
        title=str(fields["title"]),
        sentences=sentences,
        label=label,
        rationales=rationales,
    )
