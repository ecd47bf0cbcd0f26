"""A list by a language model: papers of the library only, whatever the model says; the offline list under it all."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from libraries import by, record, store
from reading_lists import TOPIC, engine_over, library
from scripted_models import ScriptedModel

from litterm import build_engine
from litterm.core.errors import ModelFailed
from litterm.core.settings import from_home
from litterm.core.tasks import run
from litterm.engine import Engine
from litterm.model.llm import ModelRequest
from litterm.model.paper import Paper, PaperId
from litterm.model.reading_list import ListRequest, ReadingList
from litterm.reading_lists.builder import CITATIONS_UNKNOWN
from litterm.reading_lists.llm_builder import ModelListBuilder

_ITEM = re.compile(r"^\[(\d+)\] \(\S+\) (.*?)\. ?", re.MULTILINE)
Reply = Callable[[dict[str, int]], str]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with engine_over(tmp_path_factory.mktemp("home")) as found:
        yield found


def ask(engine: Engine, say: Reply, request: ListRequest | None = None) -> ReadingList:
    """The list of a model that is told the candidates' numbers by title."""

    def reply(asked: ModelRequest) -> str:
        return say({title: int(number) for number, title in _ITEM.findall(asked.messages[-1].text)})

    def titled(titles: Sequence[str]) -> list[Sequence[Paper]]:
        known = {
            "Speech Synthesis for Voice 1": PaperId("acl:O1"),
            "Neural Parsing After the Deadline": PaperId("acl:N1"),
        }
        return [[engine.paper(known[title])] if title in known else [] for title in titles]

    maker = ModelListBuilder(engine.reading_lists.builder(), ScriptedModel(reply), titled)  # type: ignore[arg-type]
    return run(maker.build(request or ListRequest(TOPIC, 4, until=2021)))


def picked(*picks: tuple[int, str, str], missing: Sequence[str] = ()) -> str:
    papers = [{"number": number, "heading": section, "why": why} for number, section, why in picks]
    return json.dumps({"thoughts": "I thought about it.", "papers": papers, "missing": list(missing)})


def titles(found: ReadingList) -> list[str]:
    return [entry.paper.title for entry in found.entries]


def test_the_model_chooses_orders_and_explains(engine: Engine) -> None:
    wanted = ["Neural Parsing of Tweets", "A Survey of Neural Parsing", "Neural Parsing by Reinforcement"]
    found = ask(engine, lambda numbers: picked(*((numbers[title], "", f"why {at}") for at, title in enumerate(wanted))))
    assert titles(found)[:3] == wanted
    assert found.entries[1].why == ("why 1",)
    assert len(found.entries) == 4
    assert found.by != "linear"
    assert any("fill the list" in notice for notice in found.notices)


def test_numbers_that_were_not_shown_and_repetitions_are_dropped(engine: Engine) -> None:
    def say(numbers: dict[str, int]) -> str:
        one = numbers["Neural Parsing of Tweets"]
        return picked((one, "", "a"), (9_999, "", "invented"), (one, "", "again"))

    found = ask(engine, say)
    assert titles(found).count("Neural Parsing of Tweets") == 1
    assert len(found.entries) == 4
    assert "invented" not in str(found)


def test_titles_from_outside_are_looked_up_and_lost_ones_are_counted(engine: Engine) -> None:
    outside = ["Speech Synthesis for Voice 1", "A Paper That Nobody Wrote", "Neural Parsing After the Deadline"]
    found = ask(engine, lambda numbers: picked((min(numbers.values()), "", ""), missing=outside))
    assert "Speech Synthesis for Voice 1" in titles(found)
    assert "A Paper That Nobody Wrote" not in titles(found)
    assert "Neural Parsing After the Deadline" not in titles(found)
    assert any(notice.startswith("Left out: 2 titles") for notice in found.notices)


def test_headings_are_the_models(engine: Engine) -> None:
    def say(numbers: dict[str, int]) -> str:
        first, second = numbers["A Survey of Neural Parsing"], numbers["Neural Parsing of Tweets"]
        return picked((first, "Begin", ""), (second, "Go on", ""))

    found = ask(engine, say, ListRequest(TOPIC, 3, sections=True))
    assert [section.name for section in found.sections] == ["Begin", "Go on", "Further reading"]


def test_one_paper_of_a_series_is_enough_for_a_model_too(tmp_path: Path) -> None:
    series = [
        "Findings of the 2014 Workshop on Neural Parsing",
        "Findings of the 2016 Conference on Neural Parsing",
        "Findings of the 2018 Conference on Neural Parsing",
    ]
    reports = (record(f"W{n}", title, year=2014, authors=by("Chair, A")) for n, title in enumerate(series))
    store(tmp_path / "library", [*library(), *reports])
    engine = build_engine(from_home(tmp_path))

    def pick_all(numbers: dict[str, int]) -> str:
        return picked(*((numbers[title], "", "") for title in series), missing=["Speech Synthesis for Voice 1"])

    found = ask(engine, pick_all, ListRequest(TOPIC, 5))
    assert [title for title in titles(found) if title in series] == series[:1]
    assert any(notice.startswith("Left out: 2 papers of a series") for notice in found.notices)
    # What the reader pinned is not taken out for being one more.
    pinned = (PaperId("acl:W1"), PaperId("acl:W2"))
    found = ask(engine, pick_all, ListRequest(TOPIC, 5, include=pinned))
    assert sorted(title for title in titles(found) if title in series) == series[1:]


def test_a_pinned_paper_stays_though_the_model_leaves_it_out(engine: Engine) -> None:
    request = ListRequest(TOPIC, 3, include=(PaperId("acl:M4"),))
    names = ("A Survey of Neural Parsing", "Probing Neural Parsing Models", "Cross-lingual Neural Parsing")
    found = ask(engine, lambda numbers: picked(*((numbers[name], "", "") for name in names)), request)
    assert "Neural Parsing of Tweets" in titles(found)
    assert len(found.entries) == 3


def test_a_model_that_fails_leaves_the_offline_list(engine: Engine) -> None:
    def fail(_numbers: dict[str, int]) -> str:
        raise ModelFailed("the server is gone")

    request = ListRequest(TOPIC, 4, until=2021)
    found, plain = ask(engine, fail, request), run(engine.reading_lists.build(request))
    assert (titles(found), found.by) == (titles(plain), "linear")
    assert any("the server is gone" in notice for notice in found.notices)
    assert replace(found, notices=(), made="") == replace(plain, notices=(), made="")


def test_how_an_offline_list_is_ordered_is_not_said_of_a_models(engine: Engine) -> None:
    offline = run(engine.reading_lists.build(ListRequest(TOPIC, 4, until=2021)))
    by_model = ask(engine, lambda numbers: picked((numbers["Neural Parsing of Tweets"], "", "")))
    assert CITATIONS_UNKNOWN in offline.notices
    assert CITATIONS_UNKNOWN not in by_model.notices


def test_the_words_of_the_prompt_are_the_names_of_the_fields(engine: Engine) -> None:
    asked: list[ModelRequest] = []

    def reply(request: ModelRequest) -> str:
        asked.append(request)
        return json.dumps({"thoughts": "", "papers": [{"number": 1, "heading": "Begin", "why": "it is the origin"}]})

    maker = ModelListBuilder(engine.reading_lists.builder(), ScriptedModel(reply), lambda _titles: [])  # type: ignore[arg-type]
    found = run(maker.build(ListRequest(TOPIC, 3, until=2021, sections=True)))
    assert found.sections[0].name == "Begin"
    assert found.sections[0].entries[0].why == ("it is the origin",)
    instructions = asked[0].messages[0].text
    assert all(word in instructions for word in ("thoughts", "number", "heading", "why", "missing"))


def test_a_missing_title_has_its_own_heading_and_reason_and_the_list_its_length(engine: Engine) -> None:
    missing = {"title": "Speech Synthesis for Voice 1", "heading": "Begin", "why": "where it began"}

    def say(numbers: dict[str, int]) -> str:
        papers = [{"number": number, "heading": "Go on", "why": ""} for number in list(numbers.values())[:4]]
        papers[0]["heading"] = "Begin"
        return json.dumps({"thoughts": "", "papers": papers, "missing": [missing]})

    found = ask(engine, say, ListRequest(TOPIC, 4, until=2021, sections=True))
    assert len(found.entries) == 4
    assert [section.name for section in found.sections] == ["Begin", "Go on"]
    (entry,) = [entry for entry in found.entries if entry.paper.title == missing["title"]]
    assert entry in found.sections[0].entries
    assert entry.why == ("where it began", "named by the model and found in the library")
    assert found.request.size == 4
    assert not any("holds only" in notice for notice in found.notices)


def shown_lines(engine: Engine, request: ListRequest, *, local: bool) -> list[str]:
    """The candidates as a model sees them."""
    asked: list[ModelRequest] = []
    model = ScriptedModel(lambda request: asked.append(request) or "{}")  # type: ignore[func-returns-value]
    model.local = local
    run(ModelListBuilder(engine.reading_lists.builder(), model, lambda _titles: []).build(request))  # type: ignore[arg-type]
    return [line for line in asked[0].messages[-1].text.splitlines() if line.startswith("[")]


def test_authors_and_counts_are_shown(tmp_path: Path) -> None:
    store(tmp_path / "library", library())
    engine = build_engine(from_home(tmp_path))
    lines = shown_lines(engine, ListRequest(TOPIC, 4), local=False)
    paper = engine.paper(PaperId("acl:M4"))
    (line,) = [line for line in lines if paper.title in line]
    assert paper.authors[0].surname in line


def test_surveys_of_the_topic_have_places_among_the_candidates(tmp_path: Path) -> None:
    many = [
        record(f"P{n}", f"Neural Parsing by Method {n}", year=2010 + n % 9, authors=by(f"Writer{n}, A"))
        for n in range(60)
    ]
    reports = [
        record(f"S{n}", f"Findings of the {n} Shared Task on Neural Parsing", year=n, authors=by(f"Chair{n}, B"))
        for n in (1998, 1999)
    ]
    other = record("S8", "A Survey of Speech Synthesis", year=1999, authors=by("Chair, C"))
    store(tmp_path / "library", [*library(), *many, *reports, other])
    lines = shown_lines(build_engine(from_home(tmp_path)), ListRequest(TOPIC, 4), local=True)
    assert len(lines) == 40
    # Of a series one is enough.
    assert len([line for line in lines if "Findings of the" in line]) == 1
    assert not any("Speech Synthesis" in line for line in lines)
