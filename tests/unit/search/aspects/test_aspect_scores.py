"""Scores, decomposition and grades of aspects."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from fakes_model_server import ModelServer, says, says_json
from model_clients import Models
from scripted_models import Reply, ScriptedModel

from litterm.core.errors import ContextOverflow, KeyRefused, ModelFailed, ReplyUnreadable
from litterm.core.tasks import Task, run
from litterm.model.aspects import AspectScores
from litterm.model.events import Event, Notice, PaperGraded
from litterm.model.llm import ModelRequest
from litterm.model.paper import Paper, PaperId
from litterm.model.search import Query, RankedPaper, Ranking, RetrieverShare, ScoreExplanation, SortOrder
from litterm.search.aspects.decompose import ModelSplitter
from litterm.search.aspects.grade_cache import GradeCache
from litterm.search.aspects.grade_prompts import Criterion
from litterm.search.aspects.grades import MAX_CRITERIA_PER_CALL, ModelGrader
from litterm.search.aspects.scores import SearchAspectScorer

A = Paper(PaperId("acl:a"), "Labels and their noise", "We check labels. It costs little. DECISION: FULLY everywhere.")
B = Paper(PaperId("acl:b"), "The cost of annotation", "Annotation is dear.")
BARE = Paper(PaperId("acl:c"), "No abstract here")
LABELS, COST = "The paper checks labels.", "The paper reckons what annotation costs."


@dataclass
class Searcher:
    """BM25 points by text and paper; with a cosine beside them where told."""

    points: dict[tuple[str, str], float]
    meaning: dict[str, float] = field(default_factory=dict)
    asked: list[tuple[str, int, bool]] = field(default_factory=list)

    def search(
        self, query: Query, *, k: int, sort: SortOrder = "relevance", within: Collection[PaperId] | None = None
    ) -> Task[Ranking]:
        self.asked.append((query.text, k, within is not None))
        yield Notice("")
        here = [(points, paper) for (text, paper), points in self.points.items() if text == query.text]
        ranked = tuple(
            RankedPaper(rank, Paper(PaperId(paper), paper), points - 5, "bm25", why=self._why(points, paper))
            for rank, (points, paper) in enumerate(sorted(here, reverse=True), 1)
            if within is None or paper in within
        )
        return Ranking(query, ranked[:k], len(ranked), "hybrid" if self.meaning else "bm25")

    def _why(self, points: float, paper: str) -> ScoreExplanation:
        shares = [RetrieverShare("words", 1, points, 0.0)]
        if self.meaning:
            shares.append(RetrieverShare("meaning", 1, self.meaning[paper], 0.0))
        return ScoreExplanation(tuple(shares))


def score(found: AspectScores, text: str, paper: str) -> float | None:
    return found.cell(text, PaperId(paper)).score


def test_the_paper_of_the_library_that_fits_best_is_one_and_the_others_are_shares_of_it() -> None:
    searcher = Searcher({("x", "best"): 8.0, ("x", "here"): 4.0, ("y", "here"): 3.0})
    found = run(SearchAspectScorer(searcher).scores(["x", "y"], [PaperId("here"), PaperId("none")]))
    assert (score(found, "x", "here"), score(found, "x", "none"), score(found, "y", "here")) == (0.5, 0.0, 1.0)
    assert found.by == "bm25"


def test_words_and_meaning_count_alike_and_no_score_is_below_zero() -> None:
    searcher = Searcher({("x", "best"): 8.0, ("x", "here"): 4.0}, {"best": 0.8, "here": -0.3})
    found = run(SearchAspectScorer(searcher).scores(["x"], [PaperId("here")]))
    assert score(found, "x", "here") == 0.25


def test_papers_one_searcher_does_not_know_are_looked_for_in_the_next() -> None:
    own, starter = Searcher({("x", "mine"): 4.0}), Searcher({("x", "shipped"): 2.0})
    found = run(SearchAspectScorer(own, starter).scores(["x"], [PaperId("mine"), PaperId("shipped")]))
    assert (score(found, "x", "mine"), score(found, "x", "shipped")) == (1.0, 1.0)


# -- decomposition -----------------------------------------------------------------------------------------------------


def split(reply: object, told: list[Event] | None = None) -> list[tuple[str, tuple[str, ...]]]:
    model = ScriptedModel(lambda request: reply if isinstance(reply, str) else json.dumps(reply))
    found = run(ModelSplitter(model).split("a long request"), (told if told is not None else []).append)
    assert found.by == "parrot"
    return [(each.text, each.sub_aspects) for each in found.aspects]


def test_aspects_are_one_sentence_each_and_those_that_say_the_same_are_left_out() -> None:
    told: list[Event] = []
    reply = {
        "aspects": [
            {"aspect": "Labels are checked. And more.", "sub_aspects": ["Labels exist.", "Labels exist.", ""]},
            {"aspect": "Costs are low."},
            {"aspect": "Low costs are.", "sub_aspects": []},
        ]
    }
    assert split(reply, told) == [("Labels are checked.", ("Labels exist.",)), ("Costs are low.", ())]
    assert any(isinstance(event, Notice) and "left out" in event.text for event in told)


@pytest.mark.parametrize("reply", ["I cannot.", {"aspects": []}, {"aspects": [{"aspect": "Only one."}]}])
def test_fewer_than_two_aspects_are_no_answer(reply: object) -> None:
    with pytest.raises(ReplyUnreadable):
        split(reply)


# -- grades ------------------------------------------------------------------------------------------------------------


def grades(*each: tuple[int, str]) -> str:
    made = [{"number": number, "reason": "So.", "sentence": 2, "grade": label} for number, label in each]
    return json.dumps({"grades": made})


@dataclass
class Desk:
    """A grader over a model made of a function, with its grades in a folder."""

    folder: Path
    say: Reply
    told: list[Event] = field(default_factory=list)
    model: ScriptedModel = field(init=False)

    def __post_init__(self) -> None:
        self.model = ScriptedModel(self.say)

    def grade(self, criteria: Sequence[str | Criterion], *papers: Paper) -> AspectScores:
        asked = [each if isinstance(each, Criterion) else Criterion(each) for each in criteria]
        return run(ModelGrader(self.model, GradeCache(self.folder)).grade(asked, papers), self.told.append)

    @property
    def calls(self) -> int:
        return len(self.model.requests)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "grades"


def cell(found: AspectScores, text: str, paper: Paper = A) -> object:
    return found.cell(text, paper.id).grade


@pytest.mark.parametrize(
    ("label", "grade"),
    [("FULLY", 2), ("partly", 1), ("TOUCHES", 1), ("UNRELATED", 0), ("I would say PARTLY.", 1), (2, 2), ("0", 0)],
)
def test_four_labels_stand_for_three_grades(folder: Path, label: str, grade: int) -> None:
    assert cell(Desk(folder, lambda request: grades((1, label))).grade([LABELS], A), LABELS) == grade


@pytest.mark.parametrize("reply", ["", "PARTLY or FULLY?", grades((1, "MAYBE")), grades((1, "PARTLY or FULLY")), "{]"])
def test_what_names_no_one_label_is_unread_never_zero_and_not_kept(folder: Path, reply: str) -> None:
    annotations = Desk(folder, lambda request: reply)
    found = annotations.grade([LABELS], A)
    assert cell(found, LABELS) == "?"
    assert "?" in found.notices[0]
    assert not list(folder.rglob("*"))


def test_one_bad_answer_spoils_no_other_and_two_for_one_aspect_are_none(folder: Path) -> None:
    reply = grades((1, "FULLY"), (2, "MAYBE"), (3, "PARTLY"), (3, "UNRELATED"))
    found = Desk(folder, lambda request: reply).grade(["one", "two", "three", "four"], A)
    assert [cell(found, text) for text in ("one", "two", "three", "four")] == [2, "?", "?", "?"]


def test_plain_lines_are_read_too(folder: Path) -> None:
    found = Desk(folder, lambda request: "1. UNRELATED, it is not\n[2]: FULLY").grade(["one", "two"], A)
    assert [cell(found, text) for text in ("one", "two")] == [0, 2]


def test_the_ground_is_a_sentence_of_the_paper_and_a_number_out_of_range_is_none(folder: Path) -> None:
    found = Desk(folder, lambda request: grades((1, "PARTLY"))).grade([LABELS], A)
    assert found.cell(LABELS, A.id).sentence == "We check labels."
    far = json.dumps({"grades": [{"number": 1, "reason": "So.", "sentence": 99, "grade": "PARTLY"}]})
    found = Desk(folder / "2", lambda request: far).grade([LABELS], BARE)
    assert (found.cell(LABELS, BARE.id).grade, found.cell(LABELS, BARE.id).sentence) == (1, "")


def all_agree(request: ModelRequest) -> str:
    return grades(*((number, "PARTLY") for number in range(1, MAX_CRITERIA_PER_CALL + 1)))


def test_several_aspects_go_into_one_call_a_paper(folder: Path) -> None:
    annotations = Desk(folder, all_agree)
    annotations.grade([LABELS, COST], A, B)
    assert annotations.calls == 2
    assert all(
        LABELS in request.messages[-1].text and COST in request.messages[-1].text
        for request in annotations.model.requests
    )
    annotations = Desk(folder / "2", all_agree)
    annotations.grade([f"aspect {at}" for at in range(MAX_CRITERIA_PER_CALL + 1)], A)
    shares = [
        len(re.findall(r"^\[\d+\] aspect", asked.messages[-1].text, re.M)) for asked in annotations.model.requests
    ]
    assert sorted(shares) == [MAX_CRITERIA_PER_CALL // 2, MAX_CRITERIA_PER_CALL // 2 + 1]


def test_one_requirement_is_not_called_several(folder: Path) -> None:
    desk = Desk(folder, all_agree)
    desk.grade([LABELS], A)
    desk.grade([LABELS, COST], B)
    asked = [request.messages[-1].text.splitlines()[-1] for request in desk.model.requests]
    assert asked == [
        f"How far does the paper meet {what}?" for what in ("the requirement", "each of the 2 requirements")
    ]


def test_a_sub_aspect_is_asked_with_its_aspect(folder: Path) -> None:
    part = Criterion("It shows confusion.", part_of=LABELS)
    desk = Desk(folder, all_agree)
    desk.grade([LABELS, COST, part], A)
    assert "[3] (part of [1]) It shows confusion." in desk.model.requests[0].messages[-1].text
    # Its aspect has a grade: the words stand in for the number.
    desk.grade([LABELS, Criterion("It names labels.", part_of=LABELS)], A)
    assert f"[1] (part of “{LABELS}”) It names labels." in desk.model.requests[1].messages[-1].text


def test_the_same_words_as_a_part_of_another_aspect_are_graded_anew(folder: Path) -> None:
    desk = Desk(folder, all_agree)
    desk.grade([Criterion("It shows confusion.", part_of=LABELS)], A)
    desk.grade([Criterion("It shows confusion.", part_of=COST)], A)
    assert desk.calls == 2


def test_that_a_title_does_not_tell_is_a_grade_that_is_kept_and_none_for_a_paper_with_an_abstract(
    folder: Path,
) -> None:
    desk = Desk(folder, lambda _request: grades((1, "CANNOT TELL"), (2, "UNRELATED")))
    found = desk.grade([LABELS, COST], BARE)
    assert (cell(found, LABELS, BARE), cell(found, COST, BARE)) == ("?", 0)
    assert found.notices == ("1 of 2 grades cannot be told from a title alone and are shown as ?.",)
    assert "only the title" in desk.model.requests[0].messages[0].text
    desk.grade([LABELS, COST], BARE)
    assert desk.calls == 1
    with_text = desk.grade([LABELS], A)
    assert any("do not name exactly one grade" in notice for notice in with_text.notices)
    assert "CANNOT TELL" not in "".join(message.text for message in desk.model.requests[1].messages)


def test_editing_one_aspect_asks_about_that_one_only(folder: Path) -> None:
    Desk(folder, all_agree).grade([LABELS, COST], A, B)
    again = Desk(folder, all_agree)
    found = again.grade([LABELS, "Another thing."], A, B)
    assert again.calls == 2
    assert not any(LABELS in request.messages[-1].text for request in again.model.requests)
    assert cell(found, LABELS) == 1
    none = Desk(folder, all_agree)
    none.grade([LABELS, COST, "Another thing."], A, B)
    assert none.calls == 0
    assert {event.paper_id for event in none.told if isinstance(event, PaperGraded)} == {A.id, B.id}


def test_a_changed_abstract_or_another_model_is_asked_anew(folder: Path) -> None:
    Desk(folder, all_agree).grade([LABELS], A)
    other = Desk(folder, all_agree)
    other.grade([LABELS], Paper(A.id, A.title, "Another abstract."))
    assert other.calls == 1
    named = Desk(folder, all_agree)
    named.model.name = "other"
    named.grade([LABELS], A)
    assert named.calls == 1


def test_a_run_that_is_closed_goes_on_where_it_was(folder: Path) -> None:
    annotations = Desk(folder, all_agree)
    task = ModelGrader(annotations.model, GradeCache(folder)).grade([Criterion(LABELS)], [A, B, BARE])
    for event in task:
        if isinstance(event, PaperGraded):
            break
    task.close()
    assert annotations.model.closed
    rest = Desk(folder, all_agree)
    rest.grade([LABELS], A, B, BARE)
    assert (annotations.calls, rest.calls) == (1, 2)


def test_a_paper_that_fails_has_no_grade_and_is_named_and_the_others_are_graded(folder: Path) -> None:
    def say(request: ModelRequest) -> str:
        if A.title in request.messages[-1].text:
            raise ModelFailed("The server is ill.")
        return all_agree(request)

    found = Desk(folder, say).grade([LABELS], A, B)
    assert (cell(found, LABELS), cell(found, LABELS, B)) == (None, 1)
    assert f"1 of 2 papers was not graded (“{A.title}”)" in found.notices[0]
    assert "The server is ill." in found.notices[0]


def test_a_refused_key_ends_the_run_at_once(folder: Path) -> None:
    def say(request: ModelRequest) -> str:
        raise KeyRefused("The key is refused.")

    annotations = Desk(folder, say)
    found = annotations.grade([LABELS], A, B, BARE)
    assert annotations.calls == 1
    assert "3 of 3 papers were not graded" in found.notices[0]
    assert "2 more" in found.notices[0]


def test_an_abstract_too_long_for_the_model_is_cut_and_asked_about_again(folder: Path) -> None:
    long = Paper(PaperId("acl:long"), "Long", "A sentence of some length about labels. " * 150)

    def say(request: ModelRequest) -> str:
        if len(request.messages[-1].text) > 5_000:
            raise ContextOverflow("Too long.")
        return all_agree(request)

    annotations = Desk(folder, say)
    assert cell(annotations.grade([LABELS], long), LABELS, long) == 1
    assert annotations.calls == 2


def test_the_estimate_counts_only_what_is_not_kept(folder: Path) -> None:
    Desk(folder, all_agree).grade([LABELS], A)
    grader = ModelGrader(ScriptedModel(all_agree), GradeCache(folder))
    assert grader.estimate([Criterion(LABELS)], [A, B]).calls == 1
    assert grader.estimate([Criterion(LABELS)], [A]).calls == 0


def test_a_torn_or_foreign_line_costs_itself_only(folder: Path) -> None:
    Desk(folder, all_agree).grade([LABELS], A)
    [file] = list(folder.rglob("*.json"))
    file.write_bytes(b'{"paper": "torn' + file.read_bytes() + b'{"paper": 1, "grade": 7}\n[]\n\xff\n')
    again = Desk(folder, all_agree)
    again.grade([LABELS], A)
    assert again.calls == 0


def test_no_room_for_grades_costs_only_their_keeping(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert cell(Desk(tmp_path / "file", all_agree).grade([LABELS], A), LABELS) == 1


def test_over_a_real_server_what_could_not_be_read_is_asked_anew_and_what_was_read_is_not(
    folder: Path, make_model: Models, model_server: ModelServer
) -> None:
    def grade() -> AspectScores:
        grader = ModelGrader(make_model().start_run(fresh=True), GradeCache(folder))
        return run(grader.grade([Criterion(LABELS)], [A]))

    model_server.script(says("Perhaps."))
    assert cell(grade(), LABELS) == "?"
    model_server.script(says_json(json.loads(grades((1, "FULLY")))))
    assert cell(grade(), LABELS) == 2
    asked = len(model_server.chats)
    assert cell(grade(), LABELS) == 2
    assert len(model_server.chats) == asked
