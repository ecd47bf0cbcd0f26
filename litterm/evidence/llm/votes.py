"""The model's choices so far, part by part, merged with the sentences chosen without it."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import heapify, heappop, heappush

from litterm.evidence.llm.chunks import PaperChunk
from litterm.evidence.llm.replies import PickedSentence, drop_repeated
from litterm.model.document import Sentence
from litterm.model.evidence import Evidence, EvidenceSentence, FailedSection, Verdict

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class OfflineEvidence:
    """What the offline extractor says: its answer, and its view of every candidate."""

    answer: Evidence
    order: tuple[EvidenceSentence, ...]
    """Candidates, the best first."""

    def by_index(self) -> Mapping[int, EvidenceSentence]:
        """All sentences by index; the answer takes precedence over the order."""
        return {item.sentence.index: item for item in (*self.order, *self.answer.sentences)}


@dataclass(slots=True)
class SentenceVotes:
    """Collects the picks of a model part by part; the parts may answer in any order."""

    offline: OfflineEvidence
    chosen: dict[int, EvidenceSentence] = field(default_factory=dict)
    """What the model picked, by sentence index."""
    failed: dict[str, FailedSection] = field(default_factory=dict)
    """By part."""
    notices: list[str] = field(default_factory=list)
    judged_indices: set[int] = field(default_factory=set)
    """Indices of sentences the model has judged."""
    orders: list[Sequence[int]] = field(default_factory=list)
    """Indices of picks in the order that the model gave them, part by part."""
    heard: int = 0
    """Parts that the model has judged."""
    unavailable_reason: str = ""
    """Why the model need not be asked any more; empty if it may."""
    _failed_indices: set[int] = field(default_factory=set)
    _offline_by_index: Mapping[int, EvidenceSentence] = field(init=False)

    def __post_init__(self) -> None:
        self._offline_by_index = self.offline.by_index()

    def add_picks(self, part: PaperChunk, picks: Iterable[PickedSentence]) -> None:
        """The model's picks in `part`; a sentence picked in two windows keeps what was said first."""
        self.heard += 1
        self.judged_indices.update(row.index for row in part.sentences)
        judged = [self.judge_sentence(pick, part.sentences) for pick in picks]
        self.orders.append([item.sentence.index for item in judged if item.sentence.index not in self.chosen])
        for item in judged:
            self.chosen.setdefault(item.sentence.index, item)

    def add_failure(self, part: PaperChunk, reason: str) -> None:
        """Notes that the model could not be asked about `part`."""
        self.failed[part.key] = FailedSection(part.key, part.title, reason)
        self._failed_indices.update(row.index for row in part.sentences)

    def judge_sentence(self, pick: PickedSentence, rows: Sequence[Sentence]) -> EvidenceSentence:
        """The picked sentence with the stance and reason of the model."""
        row = rows[pick.number - 1]
        before = (
            self.chosen.get(row.index) or self._offline_by_index.get(row.index) or EvidenceSentence(0, row, 0.0, "weak")
        )
        stance, reason = pick.stance or before.stance, pick.reason or before.reason
        # The model has read the sentence; what its wording alone suggests is not added to that.
        return replace(before, stance=stance, reason=reason, likely_stance=None)

    def all_picks(self) -> tuple[EvidenceSentence, ...]:
        """All picks, and where a part failed what was found there offline; in paper order."""
        # A part may have failed in one window and been heard in the other.
        missing = self._failed_indices - self.judged_indices
        stand_ins = [item for item in self.offline.answer.sentences if item.sentence.index in missing]
        by_index = {item.sentence.index: item for item in stand_ins} | self.chosen
        return tuple(by_index[index] for index in sorted(by_index))

    def provisional_sentences(self) -> tuple[EvidenceSentence, ...]:
        """The offline answer, with every part the model has been heard on replaced by its picks."""
        waiting = [item for item in self.offline.answer.sentences if item.sentence.index not in self.judged_indices]
        return self.rank_sentences((*waiting, *self.chosen.values()))

    def rank_sentences(self, items: Iterable[EvidenceSentence]) -> tuple[EvidenceSentence, ...]:
        """`items` with those of one part in the model's order, and those of several parts in the offline extractor's.

        The model has seen each part alone: between two parts it gave no order.
        """
        by_index = {item.sentence.index: item for item in items}
        places = {item.sentence.index: place for place, item in enumerate(self.offline.order)}
        ordered = [[index for index in order if index in by_index] for order in self.orders]
        in_order = {index for order in ordered for index in order}
        alone = [[index] for index in by_index if index not in in_order]
        return assign_ranks(by_index[index] for index in _merge(ordered + alone, places))

    def to_evidence(self, chosen: Iterable[EvidenceSentence], by: str) -> Evidence:
        """The answer with the sentences `chosen`, the best first."""
        sentences = assign_ranks(chosen)
        return replace(
            self.offline.answer,
            by=by,
            sentences=sentences,
            notices=(*self.offline.answer.notices, *self.notices),
            verdict=verdict_by_stance(sentences),
            # The offline probability is not the model's.
            confidence=None,
            judged=tuple(self.chosen[index] for index in sorted(self.chosen)),
            failed=tuple(self.failed.values()),
        )


def _merge(orders: Iterable[Sequence[int]], places: Mapping[int, int]) -> Iterator[int]:
    """The indices of all `orders`, each kept; of those whose turn it is the one with the first of `places` comes."""
    waiting = [(places.get(order[0], len(places)), order[0], order) for order in orders if order]
    heapify(waiting)
    while waiting:
        _, index, order = heappop(waiting)
        yield index
        if order[1:]:
            heappush(waiting, (places.get(order[1], len(places)), order[1], order[1:]))


def assign_ranks(items: Iterable[EvidenceSentence]) -> tuple[EvidenceSentence, ...]:
    """`items` with ranks from 1 in the order given."""
    return tuple(replace(item, rank=rank) for rank, item in enumerate(items, 1))


def verdict_by_stance(sentences: Sequence[EvidenceSentence]) -> Verdict:
    """Strong where a sentence speaks for or against the hypothesis, weak where some only bear on it."""
    if any(item.stance in ("supports", "refutes") for item in sentences):
        return "strong"
    return "weak" if sentences else "nothing"


def keep_valid(picks: Iterable[PickedSentence], size: int, key: str) -> tuple[PickedSentence, ...]:
    """The picks that name one of `size` sentences, each once; the others are dropped singly and logged."""
    valid: list[PickedSentence] = []
    for pick in drop_repeated(picks):
        if 1 <= pick.number <= size:
            valid.append(pick)
        else:
            _log.info("%s: dropped number %d, which is not in 1..%d", key, pick.number, size)
    return tuple(valid)
