"""The picks of a model part by part: merged in order, mixed with what was found offline, and judged as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from litterm.core.tasks import run
from litterm.evidence.lexical import LexicalExtractor
from litterm.evidence.llm.chunks import PaperChunk
from litterm.evidence.llm.replies import PickedSentence
from litterm.evidence.llm.votes import OfflineEvidence, SentenceVotes, keep_valid, verdict_by_stance
from litterm.model.document import Sentence
from litterm.model.evidence import Evidence, EvidenceSentence, FailedSection, LikelyStance, Stance
from litterm.model.paper import PaperId
from litterm.text.documents.builder import Block, build_document

HYPOTHESIS = "Zebras outrun lions."
ROWS = build_document(
    PaperId("local:x"),
    [Block("body", sentences=tuple(f"Zebras outran lions {number} times." for number in range(8)))],
    origin="jats",
    parser="test",
)


def votes_of(order: Sequence[int], best: int = 2) -> SentenceVotes:
    """No votes yet; the offline extractor likes the sentences `order`, and answers with the `best` first of them."""
    ranked = tuple(EvidenceSentence(rank, ROWS.sentences[index], 1.0, "weak") for rank, index in enumerate(order, 1))
    return SentenceVotes(OfflineEvidence(answer_of(ranked[:best]), ranked))


def answer_of(sentences: Sequence[EvidenceSentence]) -> Evidence:
    """An offline answer with these sentences."""
    answer = run(LexicalExtractor().extract(ROWS, HYPOTHESIS, k=1, scope="all"))
    return replace(answer, sentences=tuple(sentences), notices=("Offline.",), confidence=0.5)


def part(key: str, *indices: int) -> PaperChunk:
    return PaperChunk(key, key.upper(), tuple(ROWS.sentences[index] for index in indices))


def picks(*numbers: int) -> list[PickedSentence]:
    return [PickedSentence(number, "supports", "It says so.") for number in numbers]


def indices(items: Sequence[EvidenceSentence]) -> list[int]:
    return [item.sentence.index for item in items]


def test_of_several_parts_the_one_whose_next_sentence_is_best_offline_comes_next() -> None:
    votes = votes_of([5, 0, 4, 1, 3])
    votes.add_picks(part("a", 0, 1, 2), picks(2, 1))
    votes.add_picks(part("b", 3, 4, 5), picks(2, 3))
    # 4 before 1 offline; then 5, the best of all; then 1 and what the model put behind it.
    assert indices(votes.rank_sentences(votes.all_picks())) == [4, 5, 1, 0]
    assert [item.rank for item in votes.rank_sentences(votes.all_picks())] == [1, 2, 3, 4]


def test_what_the_offline_extractor_does_not_know_comes_last_in_paper_order() -> None:
    votes = votes_of([5])
    votes.add_picks(part("b", 6, 7), picks(1))
    votes.add_picks(part("a", 2, 3), picks(1))
    votes.add_picks(part("c", 5), picks(1))
    assert indices(votes.rank_sentences(votes.all_picks())) == [5, 2, 6]


def test_a_sentence_picked_in_two_windows_keeps_what_was_said_first() -> None:
    votes = votes_of([0])
    votes.add_picks(part("s0.1", 0, 1), [PickedSentence(2, "supports", "First.")])
    votes.add_picks(part("s0.2", 1, 2), [PickedSentence(2, "context", ""), PickedSentence(1, "refutes", "Second.")])
    chosen = {item.sentence.index: (item.stance, item.reason) for item in votes.all_picks()}
    assert chosen == {1: ("supports", "First."), 2: ("context", "")}
    assert votes.orders == [[1], [2]]


def test_a_bare_number_keeps_the_stance_that_was_known() -> None:
    row = ROWS.sentences[0]
    known = EvidenceSentence(1, row, 1.0, "strong", stance="refutes", reason="Known.")
    votes = SentenceVotes(OfflineEvidence(answer_of([]), (known,)))
    assert votes.judge_sentence(PickedSentence(1), [row]) == known
    votes.chosen[row.index] = EvidenceSentence(1, row, 1.0, "strong", stance="context", reason="Chosen.")
    judged = votes.judge_sentence(PickedSentence(1, None, "New."), [row])
    assert (judged.stance, judged.reason) == ("context", "New.")
    unknown = votes.judge_sentence(PickedSentence(2, "supports"), ROWS.sentences)
    assert unknown == EvidenceSentence(0, ROWS.sentences[1], 0.0, "weak", stance="supports")


def test_the_offline_answer_counts_more_than_the_offline_order() -> None:
    row = ROWS.sentences[3]
    in_answer = EvidenceSentence(1, row, 2.0, "strong", likely_stance=LikelyStance("refutes", 0.9))
    offline = OfflineEvidence(answer_of([in_answer]), (EvidenceSentence(1, row, 1.0, "weak"),))
    assert offline.by_index() == {3: in_answer}


def test_where_a_part_failed_what_was_found_offline_stands_in() -> None:
    votes = votes_of([4, 1, 6], best=3)
    votes.add_failure(part("a", 0, 1, 2), "It is ill.")
    votes.add_picks(part("b", 3, 4, 5), picks(1))
    assert indices(votes.all_picks()) == [1, 3]
    assert votes.failed == {"a": FailedSection("a", "A", "It is ill.")}
    # 6 was in no part that failed, and 1 is heard of in another window.
    votes.add_picks(part("a.2", 1, 2), [])
    assert indices(votes.all_picks()) == [3]


def test_until_a_part_is_heard_its_offline_sentences_are_shown() -> None:
    votes = votes_of([4, 1, 6], best=3)
    assert indices(votes.provisional_sentences()) == [4, 1, 6]
    votes.add_picks(part("b", 3, 4, 5), picks(1))
    assert indices(votes.provisional_sentences()) == [1, 6, 3]
    assert [item.rank for item in votes.provisional_sentences()] == [1, 2, 3]


def test_the_answer_names_the_method_and_keeps_every_pick_and_failure() -> None:
    votes = votes_of([4, 1])
    votes.notices.append("Model.")
    votes.add_picks(part("b", 3, 4, 5), picks(3, 1))
    votes.add_failure(part("a", 0, 1), "It is ill.")
    evidence = votes.to_evidence([votes.chosen[3]], "sections · parrot")
    assert (evidence.by, evidence.verdict, evidence.confidence) == ("sections · parrot", "strong", None)
    assert evidence.notices == ("Offline.", "Model.")
    assert (indices(evidence.sentences), evidence.sentences[0].rank) == ([3], 1)
    assert indices(evidence.judged) == [3, 5]
    assert [failed.key for failed in evidence.failed] == ["a"]


@pytest.mark.parametrize(
    ("stances", "verdict"),
    [
        (["context", "supports"], "strong"),
        (["refutes"], "strong"),
        (["context", None], "weak"),
        ([None], "weak"),
        ([], "nothing"),
    ],
)
def test_a_verdict_is_strong_where_a_sentence_takes_a_side(stances: list[Stance | None], verdict: str) -> None:
    rows: list[Sentence] = list(ROWS.sentences)
    items = [EvidenceSentence(1, row, 0.0, "weak", stance=stance) for row, stance in zip(rows, stances, strict=False)]
    assert verdict_by_stance(items) == verdict


def test_numbers_of_no_sentence_and_repeated_ones_are_dropped() -> None:
    numbers = [pick.number for pick in keep_valid(picks(0, 1, 3, 1, 4, -1), 3, "a")]
    assert numbers == [1, 3]
