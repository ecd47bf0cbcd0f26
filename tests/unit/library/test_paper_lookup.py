"""Papers by what people write, the user's before the starter library's."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from litterm.core.errors import AmbiguousPaper, UnknownPaper
from litterm.library.paper_lookup import PaperLookup
from litterm.model.library import Parsed
from litterm.model.paper import Paper, PaperId
from litterm_benchmarks.memory_library import MemoryLibrary


def in_memory(*papers: Paper) -> MemoryLibrary:
    return MemoryLibrary(Parsed(paper) for paper in papers)


BLEU = Paper(PaperId("acl:P02-1040"), "Bleu", aliases=(PaperId("doi:10.3115/1073083.1073135"),))
SUMMARY = Paper(PaperId("starter:bleu"), "Bleu", "Ours.", aliases=(PaperId("acl:P02-1040"),))
TOUR = Paper(PaperId("starter:tour"), "A tour")


def test_the_users_record_wins_over_the_starter_summary_of_the_same_paper() -> None:
    lookup = PaperLookup(in_memory(BLEU), lambda: in_memory(SUMMARY, TOUR))
    assert lookup.paper("P02-1040") == BLEU
    assert lookup.paper("acl:P02-1040") == BLEU


def test_what_the_user_lacks_is_found_in_the_starter_library() -> None:
    lookup = PaperLookup(in_memory(), lambda: in_memory(SUMMARY, TOUR))
    assert lookup.paper("acl:P02-1040") == SUMMARY
    assert lookup.by_id([PaperId("starter:tour"), PaperId("starter:bleu")]) == (TOUR, SUMMARY)


def test_a_hidden_starter_library_is_not_asked() -> None:
    with pytest.raises(UnknownPaper, match="starter:tour"):
        PaperLookup(in_memory(BLEU)).paper("starter:tour")


def test_a_bare_key_of_two_papers_is_refused_with_both_named() -> None:
    two = in_memory(Paper(PaperId("acl:12"), "One"), Paper(PaperId("pmid:12"), "Other"))
    with pytest.raises(AmbiguousPaper, match=r"acl:12, pmid:12"):
        PaperLookup(two).paper("12")


def test_many_keys_are_one_look_up() -> None:
    class Counting(MemoryLibrary):
        asked = 0

        def find(self, keys: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
            self.asked += 1
            return super().find(keys)

    own = Counting(Parsed(Paper(PaperId(f"acl:{number}"), "One")) for number in range(50))
    found = PaperLookup(own).papers_by_key([f"acl:{number}" for number in range(50)])
    assert [paper.id for paper in found] == [f"acl:{number}" for number in range(50)]
    assert own.asked <= 2


@pytest.mark.parametrize(
    "key", ["https://aclanthology.org/P02-1040.pdf", "https://doi.org/10.3115/1073083.1073135", "p02-1040"]
)
def test_a_page_or_another_spelling_leads_to_the_paper(key: str) -> None:
    lookup = PaperLookup(in_memory(BLEU), lambda: in_memory(TOUR))
    assert lookup.papers_by_key([key, "acl:P02-1040"]) == (BLEU, BLEU)
    with pytest.raises(UnknownPaper, match="example"):
        lookup.paper("https://example.org/P02-1040")
