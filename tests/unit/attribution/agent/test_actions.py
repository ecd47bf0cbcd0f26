"""What the actions of the citation agent show of papers, references and details, and which paper a name means."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from libraries import by, paper

from litterm.attribution.agent.actions import (
    AgentState,
    describe_hit,
    list_references,
    same_action,
    sentences_of,
    show_paper,
    verify_details,
)
from litterm.attribution.excerpt import read_excerpt
from litterm.core.tasks import Task, run
from litterm.model.attribution.agent import Action, AgentHit, AgentStep
from litterm.model.attribution.citation import CandidateBounds
from litterm.model.document import Document, Reference
from litterm.model.paper import Paper
from litterm.text.documents.builder import Block, References, build_document

ZEBRAS = paper("Z", "Of zebras", abstract="Zebras run.", year=2004, authors=by("Li, Ann"), venue="ACL")


def written(*blocks: Block, references: References | None = None) -> Document:
    return build_document(ZEBRAS.id, blocks, origin="jats", parser="x", references=references or References())


# -- result lists ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hit", "count"),
    [
        (AgentHit(ZEBRAS), ""),
        (AgentHit(ZEBRAS, 0), ""),
        (AgentHit(ZEBRAS, 1200), "1,200 in this library"),
        (AgentHit(ZEBRAS, None, service_count=0), "0 in all"),
        (AgentHit(ZEBRAS, 3, service_count=4500), "4,500 in all, 3 in this library"),
    ],
)
def test_a_count_is_shown_where_it_is_known(hit: AgentHit, count: str) -> None:
    lines = [line for line in describe_hit(hit).splitlines() if line.startswith("Citation count:")]
    assert lines == ([f"Citation count: {count}"] if count else [])


def test_a_paper_in_a_list_is_named_with_its_service_and_a_shortened_abstract() -> None:
    lines = describe_hit(AgentHit(paper("Y", "Yaks", abstract="yak " * 400), service="s2")).splitlines()
    assert lines[:3] == ["Paper ID: acl:Y", "Title: Yaks", "Known from: s2; not in the library"]
    assert lines[3].endswith("yak …") and 690 < len(lines[3].removeprefix("Abstract: ")) <= 702
    own = describe_hit(AgentHit(ZEBRAS))
    assert "By: Li" in own and "2004" in own and own.endswith("Abstract: Zebras run.")
    assert "Known from" not in own


# -- reading -----------------------------------------------------------------------------------------------------------


def test_of_a_long_section_the_nearest_sentences_are_shown_in_order_with_gaps_marked() -> None:
    dull = [f"The weather of day {number} was recorded by the station in the valley." for number in range(300)]
    rows = [*dull[:150], "Zebras outran lions.", *dull[150:200], "Zebras outran hyenas.", *dull[200:]]
    shown = show_paper(ZEBRAS, written(Block("heading", "Speed"), Block("body", sentences=tuple(rows))), {"zebra": 1.0})
    assert shown.index("… Zebras outran lions.") < shown.index("… Zebras outran hyenas.")
    assert "… The weather of day 0 " not in shown, "nothing is left out before the first"
    assert 5000 < len(shown) < 7300


def test_the_room_is_shared_by_the_sections_shown() -> None:
    rows = tuple(f"Zebra number {number} ran as fast as all the others did." for number in range(200))
    blocks = [block for name in "ABCD" for block in (Block("heading", name), Block("body", sentences=rows))]
    sections = show_paper(ZEBRAS, written(*blocks), {"zebra": 1.0}).split("\n\n")[-4:]
    assert [section[0] for section in sections] == ["A", "B", "C", "D"]
    assert all(1500 < len(section) < 1850 for section in sections)


@pytest.mark.parametrize(
    ("references", "known"),
    [
        (References(), "references not known"),
        (References((Reference(0, "A. 2001."), Reference(1, "B. 2002.")), known=True), "2 references"),
    ],
)
def test_how_many_references_there_are_is_said_with_the_headings(references: References, known: str) -> None:
    body = (Block("heading", "Speed", number="2"), Block("body", "Zebras run."))
    assert f"Sections: 2 Speed ({known})" in show_paper(ZEBRAS, written(*body, references=references), {})


# -- references --------------------------------------------------------------------------------------------------------

LIST = (
    Reference(0, "Adams. 2001. Alignment of sentences.", label="[7]"),
    Reference(1, "Baker and Clark. 2002. Phrase tables.", label="[8]"),
    Reference(2, "Baker. 2005. Reordering of words.", label=""),
)


def entries_shown(query: str, listed: Sequence[Reference] = LIST) -> list[str]:
    lines = list_references(listed, query, {"phrase": 1.0}, {}).splitlines()[1:]
    return [line.partition("] ")[2].partition(".")[0] for line in lines]


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("[7]", ["Adams"]),
        (" 8 ", ["Baker and Clark"]),
        # No label is 1 or 3: it is the place in the list.
        ("1", ["Adams"]),
        ("3", ["Baker"]),
        ("Baker (2005)", ["Baker"]),
        ("Baker and Clark, 2002", ["Baker and Clark"]),
        ("alignment sentence", ["Adams"]),
    ],
)
def test_an_entry_is_named_by_number_author_and_year_or_words(query: str, named: list[str]) -> None:
    assert entries_shown(query) == named
    assert list_references(LIST, query, {}, {}).startswith(f"3 references. Those that fit “{query}”:\n")


def test_without_an_entry_that_fits_the_nearest_come_first() -> None:
    nearest = ["Baker and Clark", "Adams", "Baker"]
    assert entries_shown("") == entries_shown("zebras") == entries_shown("of") == nearest
    assert list_references(LIST, "zebras", {}, {}).startswith(
        "3 references. None fits “zebras”. The 3 nearest to the excerpt:"
    )
    assert list_references(LIST, "", {}, {}).startswith("3 references. The 3 nearest to the excerpt:")


def test_of_a_long_list_twelve_entries_are_shown_with_their_labels_and_papers() -> None:
    listed = [Reference(number, f"Author{number}. A work.") for number in range(40)]
    lines = list_references(listed, "", {}, {1: ZEBRAS}).splitlines()
    assert lines[0] == "40 references. The 12 nearest to the excerpt:"
    assert lines[1:4] == [
        "[1] Author0. A work.",
        "[2] Author1. A work.",
        "  In the library: Paper ID: acl:Z, “Of zebras”",
    ]
    assert [line for line in lines if line.startswith("[")][-1] == "[12] Author11. A work."
    assert list_references(LIST, "7", {}, {}).splitlines()[1].startswith("[[7]] Adams")


# -- details -----------------------------------------------------------------------------------------------------------

SPEED = written(
    Block("title", "Striped runners"),
    Block("heading", "Speed", number="2"),
    Block("body", "Grey horses gallop quickly."),
    Block("caption", "Table 1: Fast ponies."),
    Block("body", "Many donkeys rest."),
)


@pytest.mark.parametrize(
    ("detail", "line"),
    [
        ("grey horses gallop", "“grey horses gallop” appears (2 Speed): Grey horses gallop quickly."),
        ("fast ponies", "“fast ponies” appears (2 Speed): Table 1: Fast ponies."),
        # Three stems of five are enough, one of two is not.
        ("grey horses gallop donkeys rest", "“grey horses gallop donkeys rest” appears (2 Speed): Grey horses"),
        (
            "horses rest",
            "“horses rest” does not appear in one sentence; its words stand apart. Nearest: Grey horses gallop",
        ),
        ("purple horses", "“purple horses” does not appear; these of its words stand nowhere: purple"),
    ],
)
def test_a_detail_is_confirmed_by_most_of_its_words_in_one_sentence(detail: str, line: str) -> None:
    report = verify_details([detail], ZEBRAS, SPEED).splitlines()
    assert report[0] == "Looked for in the full text of “Of zebras”."
    assert report[1].startswith(line)


def test_a_detail_without_a_word_to_look_for_is_passed_over() -> None:
    report = verify_details(["of the", "fast ponies", "..."], ZEBRAS, SPEED).splitlines()
    assert [line.partition("”")[0] for line in report[1:]] == ["“fast ponies"]


def test_without_prose_in_the_text_title_and_abstract_are_looked_into() -> None:
    empty = written(Block("title", "Of zebras"))
    rows = [("title", "Of zebras"), ("abstract", "Zebras run.")]
    assert sentences_of(ZEBRAS, None) == sentences_of(ZEBRAS, empty) == rows
    assert "title and abstract or summary only" in verify_details(["zebras"], ZEBRAS, None)
    summary = build_document(ZEBRAS.id, [Block("abstract", "They run.")], origin="abstract", parser="x")
    assert "title and abstract or summary only" in verify_details(["zebras"], ZEBRAS, summary)
    assert [text for _, text in sentences_of(ZEBRAS, summary)] == ["Of zebras", "They run."]


# -- what the agent knows ----------------------------------------------------------------------------------------------


class Shelf:
    """A library of these papers, by id alone; nothing in it is cited."""

    def __init__(self, *papers: Paper) -> None:
        self._papers = {held.id: held for held in papers}

    def find_library_paper(self, key: str, bounds: CandidateBounds) -> Paper | None:
        return next((held for name, held in self._papers.items() if name == key), None)

    def with_counts(self, papers: Sequence[Paper], bounds: CandidateBounds) -> list[AgentHit]:
        return [AgentHit(held, 5) for held in papers]

    def document(self, hit: AgentHit) -> Task[Document | None]:
        yield from ()
        return SPEED if hit.paper.id == ZEBRAS.id else None


def state_of(*papers: Paper, text: str = "Zebras run [CITATION].") -> AgentState:
    return AgentState(read_excerpt(text), CandidateBounds(), Shelf(*papers))  # type: ignore[arg-type]


def done(action: Action, **fields: object) -> AgentStep:
    return AgentStep(1, "", action, "seen", **{"outcome": "done", **fields})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name", ["acl:Z", "ACL:z", " [acl:Z] ", "Paper ID: acl:Z", "z", "10.1/zebra", "Of Zebras", "of zebras."]
)
def test_a_paper_that_was_shown_is_named_by_any_id_or_its_title(name: str) -> None:
    state = state_of()
    shown = AgentHit(paper("Z", "Of zebras", aliases=("doi:10.1/zebra",)), service="s2")
    state.known[shown.paper.id] = shown
    assert state.find(name) == shown
    assert state.find("acl:ZZ") is None


def test_a_title_that_two_papers_have_names_neither() -> None:
    state = state_of()
    for key in ("Z", "Y"):
        state.known[paper(key).id] = AgentHit(paper(key, "Of zebras"))
    assert state.find("Of zebras") is None
    assert state.find("acl:Y") == AgentHit(paper("Y", "Of zebras"))


def test_a_paper_of_the_library_can_be_named_unseen_and_comes_with_its_count() -> None:
    assert state_of(ZEBRAS).find("acl:Z") == AgentHit(ZEBRAS, 5)


def test_earlier_steps_bring_back_the_papers_they_showed() -> None:
    away = AgentHit(paper("arxiv:1", "Elsewhere"), service="s2")
    state = state_of(ZEBRAS)
    state.record(done(Action("search", "q"), found=(ZEBRAS.id, paper("GONE").id, away.paper.id), elsewhere=(away,)))
    assert state.known == {ZEBRAS.id: AgentHit(ZEBRAS), away.paper.id: away}
    assert not state.looked_at, "a search does not look into papers"


@pytest.mark.parametrize(
    ("name", "outcome", "looked"),
    [
        ("read", "done", True),
        ("verify", "done", True),
        ("select", "done", True),
        ("references", "done", False),
        ("read", "refused", False),
    ],
)
def test_reading_and_verifying_look_into_a_paper(name: str, outcome: str, looked: bool) -> None:
    state = state_of(ZEBRAS)
    action = Action(name, "speed", "acl:Z")  # type: ignore[arg-type]
    state.record(done(action, outcome=outcome))
    assert (ZEBRAS.id in state.looked_at) == looked
    assert (state.find_repeated_step(action) is not None) == (outcome == "done")


def test_the_same_action_in_other_words_is_a_repetition() -> None:
    first = Action("read", "Aligned phrases", "acl:Z")
    assert same_action(first, Action("read", "align phrase!", " ACL:Z "))
    for other in (Action("verify", "Aligned phrases", "acl:Z"), Action("read", "tables", "acl:Z"), Action("read")):
        assert not same_action(first, other)
    state = state_of(ZEBRAS)
    for number in (1, 2):
        state.record(AgentStep(number, "", first, "seen", "done"))
    repeated = state.find_repeated_step(Action("read", "align phrase", "acl:z"))
    assert repeated is not None and repeated.number == 1


def test_a_refusal_lists_the_thirty_newest_papers() -> None:
    state = state_of()
    assert state.unknown_paper("x").endswith("Paper IDs so far: none yet: search first.")
    for number in range(32):
        state.known[paper(f"N{number}").id] = AgentHit(paper(f"N{number}"))
    names = state.unknown_paper("x").partition("so far: ")[2].rstrip(".").split(", ")
    assert names == [f"acl:N{number}" for number in range(2, 32)]


def test_what_is_verified_unasked_are_coined_names_and_then_the_heaviest_words() -> None:
    details = state_of(
        text="We embed every word of it with ELMo vectors of deep networks [CITATION]."
    ).details_to_verify()
    assert len(details) == 4
    assert details[0] == "ELMo"
    assert details[1:] == ["networks", "deep", "vectors"]


def test_details_are_separated_by_semicolons_or_lines_and_eight_are_verified() -> None:
    state = state_of(ZEBRAS)
    query = "“grey horses”; 'fast ponies'.\nmany donkeys;; " + ";".join(f"word{number}" for number in range(9))
    seen = run(state.perform(Action("verify", query, "acl:Z")))
    rows = seen.text.splitlines()[1:]
    assert [row.partition("”")[0] for row in rows] == [
        f"“{detail}" for detail in ("grey horses", "fast ponies", "many donkeys", *(f"word{n}" for n in range(5)))
    ]
    assert seen.hits == (AgentHit(ZEBRAS, 5),)
    unasked = run(state.perform(Action("verify", " ; ", "acl:Z"))).text.splitlines()[1:]
    assert [row.partition("”")[0] for row in unasked] == ["“run", "“zebras"]


def test_what_the_model_reads_for_weighs_more_than_the_excerpt() -> None:
    rows = [f"{animal} rested on day {number} of the trip." for animal in ("Zebras", "Ponies") for number in range(300)]
    document = written(Block("heading", "Speed"), Block("body", sentences=tuple(rows)))

    class LongText(Shelf):
        def document(self, hit: AgentHit) -> Task[Document | None]:
            yield from ()
            return document

    state = AgentState(read_excerpt("Zebras run [CITATION]."), CandidateBounds(), LongText(ZEBRAS))  # type: ignore[arg-type]
    assert "Ponies rested" not in run(state.perform(Action("read", "", "acl:Z"))).text
    assert "Zebras rested" not in run(state.perform(Action("read", "pony", "acl:Z"))).text
