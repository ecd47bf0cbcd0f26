"""Runs of the agent over a real library with a scripted model: its answer, the bounds on it, and what it costs."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from graphs import TITLES, citations, small_library, written
from libraries import paper, record, store
from scripted_models import DryRunModel, ScriptedModel

from litterm.attribution.agent.agent import CitationAgent
from litterm.attribution.agent.runs import AgentAttribution
from litterm.attribution.agent.search import AgentSearch
from litterm.attribution.agent.storage import TrajectoryStore, decode_request, encode_request
from litterm.attribution.excerpt import read_excerpt
from litterm.attribution.lexical import LexicalAttributor
from litterm.core.errors import ContextOverflow, KeyRefused, LibraryError, ModelError, ModelFailed
from litterm.core.tasks import Task, run
from litterm.library.index.reader import IndexFolder
from litterm.library.segments.library import DuckLibrary
from litterm.library.state.connection import StateDatabase
from litterm.library.title_lookup import LibraryWorks
from litterm.model.attribution.agent import Action, AgentChoice, AgentHit, AgentOptions, AgentStep, TrajectoryRequest
from litterm.model.attribution.citation import CandidateBounds
from litterm.model.document import Span
from litterm.model.events import AgentStepped, Event, Progress
from litterm.model.llm import ModelCost, ModelReply, ModelRequest, Usage
from litterm.model.paper import PaperId
from litterm.search.lexical import LexicalSearcher
from litterm.text.plural import count_phrase

TEXT = "Phrases are learned from word alignments [CITATION]."
EXCERPT = read_excerpt(TEXT)
NO_BOUNDS = CandidateBounds()
B = PaperId("acl:B")


def turn(action: str, query: str = "", named: str = "", thought: str = "") -> str:
    return json.dumps({"thought": thought, "action": action, "query": query, "paper": named})


GOOD = (turn("search", "phrase tables"), turn("verify", "alignments", B), turn("select", "", B, "it is B"))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> DuckLibrary:
    root = tmp_path_factory.mktemp("library")
    store(
        root, [*small_library(), written("D"), record("E", "Phrase lengths", abstract="Phrases of words.", year=2003)]
    )
    run(citations(root).update())
    return DuckLibrary(root)


def lookup_of(library: DuckLibrary) -> AgentSearch:
    return AgentSearch(library, LexicalSearcher(library, IndexFolder()), citations(library.root, library).graph)


@dataclass
class Turns(ScriptedModel):
    """Replies with these turns, the last again and again; raises those that are errors. `tags` go on every reply."""

    reply: Callable[[ModelRequest], str] = lambda _request: ""
    turns: Sequence[str | ModelError] = ()
    tags: dict[str, object] = field(default_factory=dict)

    def ask(self, request: ModelRequest, *, stream: bool = False) -> Task[ModelReply]:
        yield from ()
        self.requests.append(request)
        said = self.turns[min(len(self.requests), len(self.turns)) - 1]
        if isinstance(said, ModelError):
            raise said
        return replace(ModelReply(said, self.name, "stop"), **self.tags)  # type: ignore[arg-type]


def agent_of(library: DuckLibrary, model: ScriptedModel, **options: object) -> CitationAgent:
    return CitationAgent(model, lookup_of(library), AgentOptions(**options))  # type: ignore[arg-type]


def pursued(
    library: DuckLibrary, *turns: str | ModelError, steps: Sequence[AgentStep] = (), **options: object
) -> tuple[AgentChoice, list[AgentStep], Turns]:
    model, events = Turns(turns=turns), list[Event]()
    choice = run(agent_of(library, model, **options).run(EXCERPT, NO_BOUNDS, steps), events.append)
    return choice, [event.step for event in events if isinstance(event, AgentStepped)], model


# -- bounds of a run ---------------------------------------------------------------------------------------------------


def test_progress_counts_the_actions_used(library: DuckLibrary) -> None:
    events: list[Event] = []
    run(agent_of(library, Turns(turns=GOOD), max_actions=5).run(EXCERPT, NO_BOUNDS), events.append)
    progress = [event for event in events if isinstance(event, Progress) and event.what.startswith("parrot looks")]
    assert [(event.done, event.total) for event in progress] == [(0, 5), (1, 5), (2, 5)]


def test_the_very_same_action_ends_the_run_at_the_third_time(library: DuckLibrary) -> None:
    # Not in a row: what counts is how often the last one was done.
    same, other = turn("search", "phrase tables"), turn("read", "", B)
    choice, steps, _ = pursued(library, same, other, turn("search", "Phrase table!"), turn("read", "x", B), same)
    assert (choice.ended, choice.why) == ("circles", "parrot did the very same 3 times.")
    assert [step.outcome for step in steps] == ["done", "done", "repeated", "done", "repeated"]


@pytest.mark.parametrize(("actions", "taken"), [(1, 1), (2, 2), (4, 4)])
def test_without_a_selection_the_run_ends_after_its_last_action(library: DuckLibrary, actions: int, taken: int) -> None:
    searches = [turn("search", f"phrase tables {number}") for number in range(9)]
    choice, steps, _ = pursued(library, *searches, max_actions=actions)
    assert (choice.ended, len(steps)) == ("unselected", taken)
    assert choice.why == f"parrot selected no paper within {count_phrase(actions, 'action')}."
    assert [step.outcome for step in steps] == ["done"] * (taken - 1) + ["refused"]


def test_five_failed_searches_end_the_run(library: DuckLibrary) -> None:
    failed = [
        AgentStep(number, "", Action("search", f"q{number}"), f"down {number}", "failed", counted=False)
        for number in range(1, 6)
    ]
    choice, _, model = pursued(library, turn("select", "", "none"), steps=failed[:4])
    assert choice.ended == "none"
    choice, _, model = pursued(library, turn("select", "", "none"), steps=failed)
    assert (choice.ended, model.requests) == ("searches", [])
    assert choice.why == "5 searches failed, the last so: down 5"


def test_a_selection_without_a_search_or_a_look_is_checked_where_there_is_time(library: DuckLibrary) -> None:
    select = turn("select", "", B)
    choice, steps, _ = pursued(library, select, turn("search", "phrase tables"), select, select)
    assert [step.outcome for step in steps] == ["refused", "done", "done", "selected"]
    assert "Looked for in the full text" in steps[2].observation
    assert choice.paper is not None and choice.paper.id == B
    assert pursued(library, select, max_actions=1)[0].ended == "selected"
    assert pursued(library, turn("select", "", "none"))[0].ended == "none"


def test_no_paper_is_selected_where_the_model_found_none_and_says_why(library: DuckLibrary) -> None:
    choice, steps, _ = pursued(library, turn("select", "", "[None]", "Nothing fits."))
    assert choice == AgentChoice("none", why="parrot found no paper that fits: Nothing fits.")
    assert steps[0].observation == "No paper is selected."
    assert pursued(library, turn("select", "", "none"))[0].why == "parrot found no paper that fits."


def test_a_selected_paper_comes_with_its_nearest_sentence_and_the_last_thought(library: DuckLibrary) -> None:
    moves = (GOOD[0], turn("read", "", "acl:E"), turn("select", "", "acl:E", "it is E"))
    choice, steps, _ = pursued(library, *moves)
    assert choice == AgentChoice("selected", library.by_id([PaperId("acl:E")])[0], "", "Phrases of words.", "it is E")
    assert steps[-1].observation == "Selected: Phrase lengths"
    assert [step.number for step in steps] == [1, 2, 3]
    assert steps[-1].found == ("acl:E",)


def test_a_reply_that_fits_nothing_ends_the_run_as_no_selection_only_at_the_last_action(library: DuckLibrary) -> None:
    assert pursued(library, "No idea.", max_actions=2)[0].ended == "model"
    assert pursued(library, "No idea.", max_actions=1)[0].ended == "unselected"
    assert pursued(library, ModelFailed("Ill."), max_actions=1)[0] == AgentChoice("model", why="Ill.")


# -- conversations that are too long -----------------------------------------------------------------------------------


def test_results_are_shortened_step_by_step_and_stay_short(library: DuckLibrary) -> None:
    fed = AgentStep(1, "", Action("search", "x"), "x" * 20_000, "done")
    too_long = ContextOverflow("Too long.")
    choice, _, model = pursued(library, too_long, too_long, turn("read", "", B), GOOD[2], steps=[fed])
    assert choice.ended == "selected"
    rooms = [max(message.text.count("x" * 1000) for message in request.messages) for request in model.requests]
    # Whole, then to 2,400 characters (the last result to four times that), then to 1,000; and so from then on.
    assert rooms[:3] == [20, 9, 4] and rooms[3] == 1


def test_a_conversation_that_cannot_be_shortened_further_is_not_sent_twice(library: DuckLibrary) -> None:
    fed = AgentStep(1, "", Action("search", "x"), "x" * 20_000, "done")
    model = Turns(turns=[ContextOverflow("Too long.")])
    choice = run(agent_of(library, model).run(EXCERPT, NO_BOUNDS, [fed]))
    assert choice == AgentChoice("model", why="Too long.")
    assert len(model.requests) == len({request.messages for request in model.requests}) == 4
    # After it was shortened once, no longer room is tried again.
    model = Turns(turns=[ContextOverflow("Too long."), turn("read", "", B), ContextOverflow("Too long.")])
    run(agent_of(library, model).run(EXCERPT, NO_BOUNDS, [fed]))
    assert len(model.requests) == len({request.messages for request in model.requests}) == 5


# -- costs -------------------------------------------------------------------------------------------------------------


def steps_of(library: DuckLibrary, model: ScriptedModel) -> list[AgentStep]:
    events: list[Event] = []
    run(agent_of(library, model).run(EXCERPT, NO_BOUNDS), events.append)
    return [event.step for event in events if isinstance(event, AgentStepped)]


def test_every_step_has_the_price_of_its_reply_and_cached_ones_none(library: DuckLibrary) -> None:
    usage = Usage(prompt_tokens=30, reply_tokens=12)
    priced = steps_of(library, Turns(turns=GOOD, tags={"dollars": 0.5, "usage": usage}))
    assert [step.spent for step in priced] == [ModelCost(1, 0.5, 42, usage.approximate)] * 3
    cached = steps_of(library, Turns(turns=GOOD, tags={"dollars": 0.5, "usage": usage, "cached": True}))
    assert [step.spent for step in cached] == [ModelCost()] * 3


def test_a_reply_that_led_to_no_step_is_charged_to_the_next(library: DuckLibrary) -> None:
    usage = Usage(prompt_tokens=30, reply_tokens=12)
    tags = {"dollars": 0.5, "usage": usage}
    first, second, _ = steps_of(library, Turns(turns=["Let me think.", *GOOD], tags=tags))
    assert (first.spent.calls, first.spent.dollars, first.spent.tokens) == (2, 1.0, 84)
    assert second.spent.calls == 1


def test_an_estimate_is_one_request_for_each_number_of_steps(library: DuckLibrary) -> None:
    estimated: list[list[ModelRequest]] = []

    class Estimating(ScriptedModel):
        def estimate(self, requests):  # type: ignore[no-untyped-def]
            estimated.append(list(requests))
            return super().estimate(requests)

    model = Estimating(lambda _request: "")
    assert agent_of(library, model, max_actions=4).estimate(EXCERPT, NO_BOUNDS).calls == 4
    (requests,) = estimated
    counts = [sum(message.role == "tool" for message in request.messages) for request in requests]
    assert counts == [0, 1, 2, 3]
    assert [len(request.tools) for request in requests] == [8, 8, 8, 1]
    assert "x" * 6000 in requests[1].messages[-1].text


# -- as the shells call it ---------------------------------------------------------------------------------------------


def finder(library: DuckLibrary, root: Path, model: ScriptedModel, error: ModelError | None = None) -> AgentAttribution:
    index = IndexFolder()

    def build(options: AgentOptions) -> CitationAgent:
        if error is not None:
            raise error
        return CitationAgent(model, lookup_of(library), options)  # type: ignore[arg-type]

    dry = DryRunModel(lambda _request: "")
    return AgentAttribution(
        library,
        lambda: LibraryWorks(library, index),
        lambda: LexicalAttributor(LexicalSearcher(library, index)),
        TrajectoryStore(StateDatabase(root)),
        build,
        lambda options: CitationAgent(dry, lookup_of(library), options),
    )


def test_the_paper_selected_is_put_first_and_the_others_follow(library: DuckLibrary, tmp_path: Path) -> None:
    offline = run(LexicalAttributor(LexicalSearcher(library, IndexFolder())).attribute(EXCERPT, k=3))
    ids = [candidate.paper.id for candidate in offline.candidates]
    assert len(ids) == 3
    last = offline.candidates[-1]
    moves = (GOOD[0], turn("read", "", last.paper.id), turn("select", "", last.paper.id, "this one"))
    answer = run(finder(library, tmp_path, Turns(turns=moves)).find(EXCERPT, AgentOptions(), k=3))
    assert [candidate.paper.id for candidate in answer.candidates] == [ids[2], ids[0], ids[1]]
    assert [candidate.rank for candidate in answer.candidates] == [1, 2, 3]
    first = answer.candidates[0]
    assert first.why == ("chosen by parrot: this one", *last.why)
    assert (first.score, first.matched) == (last.score, last.matched)
    assert (answer.by, answer.verdict, answer.confidence, answer.online_query) == ("agent · parrot", "found", None, "")
    assert [step.action.name for step in answer.steps] == ["search", "read", "select"]


def test_a_paper_that_is_no_candidate_takes_the_place_of_the_last(library: DuckLibrary, tmp_path: Path) -> None:
    moves = (turn("search", "survey"), turn("read", "", "acl:D"), turn("select", "", "acl:D"))
    offline = run(LexicalAttributor(LexicalSearcher(library, IndexFolder())).attribute(EXCERPT, k=2))
    answer = run(finder(library, tmp_path, Turns(turns=moves)).find(EXCERPT, AgentOptions(), k=2))
    assert [candidate.paper.id for candidate in answer.candidates] == ["acl:D", offline.candidates[0].paper.id]
    assert (answer.candidates[0].score, answer.candidates[0].why) == (0.0, ("chosen by parrot",))


def test_an_agent_that_cannot_be_had_leaves_the_offline_answer(library: DuckLibrary, tmp_path: Path) -> None:
    finds = finder(library, tmp_path, Turns(), KeyRefused("No key."))
    offline = run(LexicalAttributor(LexicalSearcher(library, IndexFolder())).attribute(EXCERPT, k=5))
    notice = "The model could not be asked, so this is the offline ranking: No key."
    assert run(finds.find(EXCERPT, AgentOptions())) == replace(offline, notices=(notice, *offline.notices))
    assert finds.all() == ()
    begun = finds.store.begin(request_of(TEXT))
    assert run(finds.resume(begun, AgentOptions())).notices[0] == notice


def test_an_estimate_and_a_preview_ask_nobody_and_keep_nothing(library: DuckLibrary, tmp_path: Path) -> None:
    model = Turns(turns=GOOD)
    finds = finder(library, tmp_path, model)
    assert finds.estimate(EXCERPT, AgentOptions(max_actions=3), before=2011).calls == 3
    (request,) = run(finds.preview(EXCERPT, AgentOptions(), before=2011))
    assert "Papers later than 2011 are left out" in request
    assert (model.requests, finds.all()) == ([], ())


def test_the_bounds_hold_for_candidates_and_results(library: DuckLibrary, tmp_path: Path) -> None:
    finds = finder(library, tmp_path, Turns(turns=[turn("search", "phrase"), turn("select", "", "none")]))
    answer = run(finds.find(EXCERPT, AgentOptions(), before=2009, source="acl:B"))
    shown = {paper_id for step in answer.steps for paper_id in step.found}
    assert shown and shown.isdisjoint({"acl:B", "acl:C", "acl:D"})
    assert {candidate.paper.id for candidate in answer.candidates}.isdisjoint({"acl:B", "acl:C", "acl:D"})
    kept = finds.open("last").request
    assert kept.bounds == CandidateBounds(2009, None, (B,), TITLES["B"])
    assert (kept.model, kept.host, kept.most, kept.online) == ("parrot", "localhost", 15, False)


# -- resumed and replayed ----------------------------------------------------------------------------------------------


def request_of(text: str, mark: int = 0, claim: Span | None = None) -> TrajectoryRequest:
    excerpt = read_excerpt(text, mark, claim)
    return TrajectoryRequest(text, excerpt.chosen, excerpt.claim, NO_BOUNDS, "parrot", "localhost", 3, online=False)


THREE = "Phrases [3] come from alignments [?], words of tables [CITATION], and lengths [4]."


@pytest.mark.parametrize(
    ("text", "mark", "claim"),
    [
        (TEXT, 0, None),
        *((THREE, mark, None) for mark in range(4)),
        (THREE, 3, Span(0, 7)),
        (THREE, 1, Span(12, 32)),
        ("Phrases of words.", 0, None),
        ("Phrases of words.", 0, Span(0, 7)),
    ],
)
def test_a_stored_excerpt_is_read_as_it_was(
    library: DuckLibrary, tmp_path: Path, text: str, mark: int, claim: Span | None
) -> None:
    finds = finder(library, tmp_path, Turns())
    begun = finds.store.begin(request_of(text, mark, claim))
    assert run(finds.replay(begun)).excerpt == read_excerpt(text, mark, claim)


def test_a_replay_of_a_search_without_an_end_says_so(library: DuckLibrary, tmp_path: Path) -> None:
    finds = finder(library, tmp_path, Turns())
    begun = finds.store.begin(request_of(TEXT))
    answer = run(finds.replay(begun, k=1))
    assert answer.notices[0].endswith("offline ranking: The search was killed.")
    assert (len(answer.candidates), answer.trajectory) == (1, begun)


@pytest.mark.parametrize(
    ("ended", "asked_again"),
    [
        ("none", False),
        ("unselected", False),
        ("circles", False),
        ("searches", False),
        ("model", True),
        ("stopped", True),
        ("", True),
    ],
)
def test_only_a_search_that_was_broken_off_goes_on(
    library: DuckLibrary, tmp_path: Path, ended: str, asked_again: bool
) -> None:
    model = Turns(turns=[turn("select", "", "none")])
    finds = finder(library, tmp_path, model)
    begun = finds.store.begin(request_of(TEXT))
    finds.store.end(begun, AgentChoice(ended, why="So it ended."))  # type: ignore[arg-type]
    answer = run(finds.resume(begun, AgentOptions(max_actions=9)))
    assert bool(model.requests) == asked_again
    assert ("So it ended." in answer.notices[0]) == (not asked_again)


def test_a_resumed_search_keeps_its_own_number_of_actions(library: DuckLibrary, tmp_path: Path) -> None:
    model = Turns(turns=[turn("search", f"phrases {number}") for number in range(5)])
    finds = finder(library, tmp_path, model)
    begun = finds.store.begin(request_of(TEXT))
    answer = run(finds.resume(begun, AgentOptions(max_actions=9)))
    assert len(answer.steps) == 3 and "within 3 actions" in answer.notices[0]


def test_a_search_that_another_process_is_at_is_left_to_it(library: DuckLibrary, tmp_path: Path) -> None:
    finds = finder(library, tmp_path, Turns(turns=GOOD))
    begun = finds.store.begin(request_of(TEXT))
    lease = finds.store.lease(begun)
    assert lease is not None
    with pytest.raises(LibraryError, match=f"`--replay {begun}` shows it"):
        run(finds.resume(begun, AgentOptions()))
    lease.release()
    assert run(finds.resume(begun, AgentOptions())).by == "agent · parrot"
    again = finds.store.lease(begun)
    assert again is not None, "the lease is given back"
    again.release()


def test_a_search_that_is_closed_is_kept_as_stopped(library: DuckLibrary, tmp_path: Path) -> None:
    finds = finder(library, tmp_path, Turns(turns=GOOD))
    task = finds.find(EXCERPT, AgentOptions())
    for event in task:
        if isinstance(event, AgentStepped):
            break
    task.close()
    kept = finds.open("last")
    assert kept.choice == AgentChoice("stopped", why="You stopped it.")
    assert [step.number for step in kept.steps] == [1]
    assert run(finds.resume("last", AgentOptions())).by == "agent · parrot"


def test_a_replay_shows_the_librarys_record_of_today_and_a_service_by_name(
    library: DuckLibrary, tmp_path: Path
) -> None:
    finds = finder(library, tmp_path, Turns())
    begun = finds.store.begin(request_of(TEXT))
    old = paper("B", "An old title", year=1999)
    finds.store.end(begun, AgentChoice("selected", old, support="Its sentence.", why="so"))
    first = run(finds.replay(begun)).candidates[0]
    assert (first.paper.title, first.support) == (TITLES["B"], "Its sentence.")
    gone = paper("GONE", "No longer here")
    finds.store.end(begun, AgentChoice("selected", gone))
    assert run(finds.replay(begun)).candidates[0].paper == gone
    away = paper("arxiv:1", "Elsewhere")
    finds.store.end(begun, AgentChoice("selected", away, "s2"))
    answer = run(finds.replay(begun))
    assert answer.candidates[0].why == ("chosen by parrot", "found in s2; not in your library")
    assert answer.candidates[0].paper == away


def test_a_step_of_an_earlier_run_brings_a_paper_of_a_service_back(library: DuckLibrary) -> None:
    away = AgentHit(paper("arxiv:1", "Elsewhere"), None, "s2")
    searched = AgentStep(1, "", Action("search", "q"), "seen", "done", found=(away.paper.id,), elsewhere=(away,))
    looked = AgentStep(2, "", Action("read", "", "arxiv:1"), "text", "done", found=(away.paper.id,))
    choice, _, _ = pursued(library, turn("select", "", "arxiv:1"), steps=[searched, looked])
    assert (choice.ended, choice.paper, choice.service) == ("selected", away.paper, "s2")


def test_a_search_that_was_begun_before_there_were_switches_is_read_as_one_run_without_any() -> None:
    excerpt = read_excerpt("Phrases are learned [CITATION].")
    request = TrajectoryRequest(excerpt.text, 0, excerpt.claim, CandidateBounds(2012), "m", "h", 15, online=False)
    newer = {"example", "commands", "temperature", "runs", "run", "vote"}
    older = {name: value for name, value in encode_request(request).items() if name not in newer}
    assert decode_request(older) == request
