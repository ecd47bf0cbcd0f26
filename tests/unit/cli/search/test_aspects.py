"""`litterm search` with aspects."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from commands import Command, Done
from documents import page
from fakes import PAPERS, FakeEngine
from scripted_aspects import graded

from litterm.core.errors import ModelFailed
from litterm.model.llm import ModelRequest

TWO = "zebra crossings || parsing"


def results(done: Done) -> list[dict[str, object]]:
    found = done.json["results"]
    assert isinstance(found, list)
    return found


def test_separators_give_every_result_a_score_an_aspect_and_keep_the_order(litterm: Command) -> None:
    done = litterm("search", TWO, "--json")
    assert [each["aspect"] for each in done.json["aspects"]] == ["zebra crossings", "parsing"]  # type: ignore[attr-defined]
    assert (done.json["aspects_by"], done.json["scored_by"], done.json["graded_by"]) == ("separators", "overlap", "")
    first = results(done)[0]
    assert first["id"] == PAPERS[0].id
    assert [list(cell) for cell in first["aspects"]] == 2 * [  # type: ignore[attr-defined]
        ["aspect", "score", "grade", "reason", "sentence", "sub_aspects"]
    ]
    assert 0 <= first["coverage"] <= 1  # type: ignore[operator]
    assert "2 aspects, split at ||; --no-aspects reads it as one." in done.err


def test_lines_name_the_aspects_and_mark_every_paper(litterm: Command) -> None:
    done = litterm("search", TWO)
    assert done.out.startswith("  1  zebra crossings\n  2  parsing\n\n")
    assert re.search(r"^     [●◐○] [●◐○]  \d+%$", done.out, re.MULTILINE)


def test_no_aspects_reads_one_query(litterm: Command) -> None:
    done = litterm("search", TWO, "--no-aspects", "--json")
    assert "aspects" not in done.json
    assert "aspects" not in done.err


def test_aspects_may_be_named_beside_the_query_or_instead_of_it(litterm: Command) -> None:
    beside = litterm("search", "zebra", "--aspects", "crossings *3 || parsing", "--json")
    assert (beside.json["query"], len(results(beside))) == ("zebra", 2)
    assert [each["weight"] for each in beside.json["aspects"]] == [3.0, 1.0]  # type: ignore[attr-defined]
    instead = litterm("search", "--aspects", TWO, "--json")
    assert instead.json["query"] == TWO
    assert "--no-aspects" not in instead.err


def test_a_muted_aspect_counts_for_nothing_and_the_order_is_by_aspects(litterm: Command) -> None:
    whole = [row["id"] for row in results(litterm("search", TWO, "--json"))]
    orders = {}
    for muted in ("1", "2"):
        done = litterm("search", TWO, "--mute", muted, "--json")
        orders[muted] = [row["id"] for row in results(done)]
        assert [row["rank"] for row in results(done)] == [1, 2]
        assert [each["muted"] for each in done.json["aspects"]] == [muted == "1", muted == "2"]  # type: ignore[attr-defined]
        assert "In the order of the aspects" in done.err
    kept = litterm("search", TWO, "--mute", "1", "--sort", "relevance", "--json")
    assert [row["id"] for row in results(kept)] == whole
    assert "·" in litterm("search", TWO, "--mute", "1").out


def test_the_model_grades_what_is_shown_with_its_grounds(litterm: Command) -> None:
    engine = FakeEngine()
    done = litterm("search", TWO, "-k", "1", "--grade", "--json", engine=engine)
    assert len(engine.graders.model.requests) == 1
    [row] = results(done)
    [cell, _] = row["aspects"]  # type: ignore[misc]
    assert (cell["grade"], cell["reason"], cell["sentence"]) == (2, "It says so.", PAPERS[0].title)  # type: ignore[index]
    assert (row["relevance"], row["average"], row["relevant"], row["unread"]) == (4.0, 2.0, True, 0)
    assert done.json["graded_by"] == "parrot"
    lines = litterm("search", TWO, "-k", "1", "--grade", "--grounds", engine=engine)
    assert len(engine.graders.model.requests) == 1, "kept"
    assert "● ●  2.00 · relevant" in lines.out
    assert "1: 2 It says so." in lines.out


def test_graded_papers_come_in_the_order_of_their_grades(litterm: Command) -> None:
    whole = [row["id"] for row in results(litterm("search", TWO, "--json"))]
    first_title = next(paper.title for paper in PAPERS if paper.id == whole[0])

    def say(request: ModelRequest) -> str:
        asked = " ".join(turn.text for turn in request.messages if turn.role == "user")
        return graded(request).replace("FULLY", "UNRELATED") if first_title in asked else graded(request)

    engine = FakeEngine()
    engine.graders.model.reply = say
    done = litterm("search", TWO, "--grade", "--json", engine=engine)
    assert [row["id"] for row in results(done)] == whole[::-1]
    assert [row["rank"] for row in results(done)] == [1, 2]
    assert "In the order of the grades." in done.err
    kept = litterm("search", TWO, "--grade", "--sort", "relevance", "--json", engine=engine)
    assert [row["id"] for row in results(kept)] == whole
    # Without one grade the order of the query stands, whatever the offline shares say.
    engine = FakeEngine()
    engine.graders.model.reply = lambda request: "Perhaps."
    assert [row["id"] for row in results(litterm("search", TWO, "--grade", "--json", engine=engine))] == whole


def test_what_cannot_be_read_is_a_question_mark_in_json_too(litterm: Command) -> None:
    engine = FakeEngine()
    engine.graders.model.reply = lambda request: "Perhaps."
    done = litterm("search", TWO, "-k", "1", "--grade", "--json", engine=engine)
    [row] = results(done)
    assert [cell["grade"] for cell in row["aspects"]] == ["?", "?"]  # type: ignore[attr-defined]
    assert (row["average"], row["relevant"], row["unread"]) == (None, None, 2)
    assert done.status == 0


def test_a_model_that_fails_costs_a_notice_not_the_answer(litterm: Command) -> None:
    def say(request: ModelRequest) -> str:
        raise ModelFailed("The server is ill.")

    engine = FakeEngine()
    engine.graders.model.reply = say
    done = litterm("search", TWO, "--grade", "--json", engine=engine)
    assert (done.status, len(results(done))) == (0, 2)
    assert "The server is ill." in done.err
    assert any("The server is ill." in notice for notice in done.json["notices"])  # type: ignore[attr-defined]


def test_a_dry_run_prints_the_requests_and_sends_nothing(litterm: Command) -> None:
    engine = FakeEngine()
    done = litterm("search", TWO, "-k", "1", "--grade", "--dry-run", engine=engine)
    assert "[1] zebra crossings" in done.out
    assert "1 request; nothing was sent." in done.err
    assert engine.graders.model.requests == []


def test_the_model_splits_the_query(litterm: Command) -> None:
    done = litterm("search", "zebra", "--decompose", "--json")
    assert [each["aspect"] for each in done.json["aspects"]] == ["One thing.", "Another thing."]  # type: ignore[attr-defined]
    assert done.json["aspects_by"] == "parrot"


def test_many_tokens_need_consent(litterm: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    monkeypatch.setattr("litterm.model.llm.MAX_TOKENS_WITHOUT_CONSENT", -1)
    many = tuple(replace(PAPERS[0], id=f"acl:{at}") for at in range(30))  # type: ignore[arg-type]
    engine = FakeEngine(papers=many)
    refused = litterm("search", TWO, "-k", "30", "--grade", engine=engine)
    assert (refused.status, engine.graders.model.requests) == (2, [])
    assert "30 calls" in refused.err
    assert "At most 60 grades, for 30 papers: the first papers of the whole query." in refused.err
    by_coverage = litterm("search", TWO, "-k", "30", "--grade", "--sort", "aspects", engine=engine)
    assert "for 30 papers: the papers that cover the aspects best, not the first" in by_coverage.err
    agreed = litterm("search", TWO, "-k", "30", "--grade", "--yes", "--json", engine=engine)
    assert len(engine.graders.model.requests) == 30
    assert len(results(agreed)) == 30


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        ((), "give a QUERY"),
        (("zebra", "--mute", "1"), "no aspects"),
        (("zebra", "--grade"), "no aspects"),
        ((TWO, "--mute", "3"), "there are 2 aspects"),
        ((TWO, "--no-aspects", "--grade"), "cannot be combined with"),
        (("zebra", "--aspects", TWO, "--decompose"), "use one of them"),
    ],
)
def test_what_makes_no_sense_is_a_usage_error(litterm: Command, argv: tuple[str, ...], said: str) -> None:
    done = litterm("search", *argv)
    assert done.status == 2
    assert said in done.err


def test_every_field_of_the_aspects_is_in_the_reference(litterm: Command) -> None:
    found = litterm("search", TWO, "--grade", "--json").json
    plain = litterm("search", TWO, "--no-aspects", "--json").json
    said = page("docs/reference/json.md")
    first = found["results"][0]  # type: ignore[index]
    fields = {*found, *first, *first["aspects"][0], *found["aspects"][0]} - {*plain, *plain["results"][0]}  # type: ignore[index]
    assert [field for field in sorted(fields) if f'"{field}"' not in said and f"`{field}`" not in said] == []
    assert json.dumps(found)


def test_a_stopped_run_says_that_its_grades_are_kept(litterm: Command) -> None:
    import os
    import signal

    def say(request: ModelRequest) -> str:
        os.kill(os.getpid(), signal.SIGINT)
        return "Perhaps."

    engine = FakeEngine()
    engine.graders.model.reply = say
    done = litterm("search", TWO, "--grade", engine=engine)
    assert (done.status, done.out) == (130, "")
    assert "Every grade so far is saved" in done.err


def test_the_grades_kept_are_counted_and_cleared_with_the_cache(litterm: Command, home: Path) -> None:
    from litterm.model.aspects import AspectCell
    from litterm.search.aspects.grade_cache import GradeCache

    folder = home / "cache" / "grades"
    GradeCache(folder).store("column", "paper", AspectCell(grade=1))
    assert "1 files with grades" in litterm("cache").out
    assert litterm("cache", "--clear", "--json").json["grades"]["files"] == 1  # type: ignore[index]
    assert not list(folder.rglob("*.json"))


def test_each_aspect_searches_by_itself_and_says_at_which_place_it_found_a_paper(litterm: Command) -> None:
    engine = FakeEngine()
    done = litterm("search", TWO, "--each-aspect", "--why", engine=engine)
    searched = [query.text for query, *_ in engine.asked if hasattr(query, "text")]  # type: ignore[misc]
    assert searched == ["zebra crossings", "parsing"]
    assert "Number 1 for “zebra crossings”: +1.0" in done.out
    assert {row["by"] for row in results(litterm("search", TWO, "--each-aspect", "--json"))} == {"each aspect · bm25"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--no-aspects",), "--no-aspects cannot be combined"),
        (("--sort", "newest"), "--each-aspect merges rankings by relevance"),
        (("--rewrites", "roads"), "--each-aspect searches the aspects alone"),
    ],
)
def test_each_aspect_refuses_what_it_cannot_keep(litterm: Command, options: tuple[str, ...], said: str) -> None:
    done = litterm("search", TWO, "--each-aspect", *options)
    assert (done.status, said in done.err) == (2, True)
    assert "has no aspects" in litterm("search", "zebra", "--each-aspect").err


def test_sentences_of_the_query_order_what_the_whole_query_finds(litterm: Command) -> None:
    done = litterm("search", "zebra crossings. Trees are parsed.", "--sort", "sentences", "--no-aspects", "--why")
    assert "for “zebra crossings.”" in done.out
    rows = results(litterm("search", "zebra crossings", "--sort", "sentences", "--no-aspects", "--json"))
    assert {row["by"] for row in rows} == {"sentences, built-in vectors · bm25"}
    assert [row["score"] for row in rows] == sorted((row["score"] for row in rows), reverse=True)  # type: ignore[type-var]
