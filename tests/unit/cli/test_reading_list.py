"""`litterm list`: made, shown, kept, made again, exported and deleted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import Done, done
from fakes_model_server import ModelServer, says
from fakes_web_server import Asked, Page, WebServer, as_json
from libraries import store
from reading_lists import library

from litterm.cli.main import main
from litterm.core.settings import from_home
from litterm.core.settings.config_file import write_settings

Run = Callable[..., Done]


@pytest.fixture
def litterm(home: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    store(from_home(home).library, library())
    return lambda *argv: done(main(argv), capsys)


def test_a_list_is_shown_and_kept(litterm: Run) -> None:
    made = litterm("list", "neural parsing", "-n", "5", "--until", "2021")
    assert made.status == 0
    assert made.out.startswith("  1  A Survey of Neural Parsing")
    assert "List neural-parsing: 5 papers, 0 read." in made.err
    assert litterm("list", "--list").out == "neural-parsing: neural parsing (0 of 5 read)\n"
    assert litterm("list", "--resume", "last").out == made.out


def test_the_json_keeps_the_contract(litterm: Run) -> None:
    body = litterm("list", "neural parsing", "-n", "4", "--json").json
    assert list(body) == [
        *("id", "topic", "count", "until", "by", "made", "papers", "readingList", "links", "dropped", "notices"),
    ]
    assert body["count"] == 4
    assert litterm("list", "--list", "--json").json["lists"][0]["papers"] == 4  # type: ignore[index]


@pytest.mark.parametrize(("form", "start"), [("--md", "# neural"), ("--bibtex", "@"), ("--html", "<!DOCTYPE html>")])
def test_a_list_is_exported(litterm: Run, form: str, start: str, tmp_path: Path) -> None:
    assert litterm("list", "neural parsing", "-n", "4", form).out.startswith(start)
    file = tmp_path / "list.out"
    assert litterm("list", "--resume", "last", form, "-o", str(file)).status == 0
    assert file.read_text("utf-8").startswith(start)


def test_a_list_is_made_again_and_deleted(litterm: Run) -> None:
    first = litterm("list", "neural parsing", "-n", "4", "--json").json
    again = litterm("list", "--again", "neural-parsing", "--json").json
    assert again["id"] == first["id"]
    assert litterm("list", "--delete", "neural-parsing").status == 0
    assert litterm("list", "--list").err.startswith("No reading list yet")


@pytest.mark.parametrize("way", [("--delete",), ("--resume",), ("--again",), ("--resume", "--md")])
def test_an_unknown_list_is_not_found(litterm: Run, way: tuple[str, ...]) -> None:
    option, *form = way
    made = litterm("list", option, "nowhere", *form)
    assert (made.status, made.out) == (3, "")
    assert made.err == "litterm: There is no reading list nowhere; `litterm list --list` shows all.\n"


def test_the_beginning_of_several_ids_is_ambiguous(litterm: Run) -> None:
    for topic in ("neural parsing", "neural networks"):
        litterm("list", topic, "-n", "3")
    made = litterm("list", "--resume", "neural")
    assert made.status == 2
    assert "neural-parsing, neural-networks" in made.err


@pytest.mark.parametrize(
    "argv",
    [(), ("topic", "-n", "2"), ("topic", "-n", "21"), ("topic", "--list"), ("--list", "--delete", "x"), ("?!",)],
)
def test_what_makes_no_sense_is_refused(litterm: Run, argv: tuple[str, ...]) -> None:
    assert litterm("list", *argv).status == 2


def test_a_topic_nobody_wrote_about_is_no_failure(litterm: Run) -> None:
    made = litterm("list", "qwertyuiop zxcvbnm")
    assert made.status == 0
    assert made.err == "No paper in the library is about that.\n"
    assert litterm("list", "--list").err.startswith("No reading list yet")


def test_a_list_starts_from_a_query_or_a_draft(litterm: Run, tmp_path: Path) -> None:
    draft = tmp_path / "draft.tex"
    draft.write_text("Speech synthesis for a voice.", "utf-8")
    plain = litterm("list", "neural parsing", "-n", "20", "--json").json
    assert not any("Speech" in each["title"] for each in plain["papers"])  # type: ignore[attr-defined]
    for source in ("speech synthesis", str(draft)):
        body = litterm("list", "neural parsing", "-n", "20", "--from", source, "--json").json
        assert any("Speech" in each["title"] for each in body["papers"])  # type: ignore[attr-defined]


def test_a_model_chooses_and_its_reply_is_paid_once(litterm: Run, home: Path, model_server: ModelServer) -> None:
    write_settings(home / "config.toml", {"model.base_url": model_server.url, "model.model": "tiny-1"})
    reply = {
        "thoughts": "thought",
        "papers": [{"number": 3, "heading": "", "why": "begin here"}],
        "missing": ["Nowhere"],
    }
    model_server.script(says(json.dumps(reply)))
    made = litterm("list", "neural parsing", "-n", "4", "--model", "--yes", "--json")
    assert made.status == 0, made.err
    assert made.json["by"] == "tiny-1"
    assert made.json["papers"][0]["why"] == ["begin here"]  # type: ignore[index]
    assert "1 title that the model named" in made.err
    asked = len(model_server.asked)
    assert asked
    litterm("list", "--delete", "neural-parsing")
    again = litterm("list", "neural parsing", "-n", "4", "--model", "--yes", "--json")
    assert again.json["papers"] == made.json["papers"]
    assert len(model_server.asked) == asked


def test_a_kill_before_the_list_is_kept_loses_no_paid_reply(
    litterm: Run, home: Path, model_server: ModelServer
) -> None:
    write_settings(home / "config.toml", {"model.base_url": model_server.url, "model.model": "tiny-1"})
    model_server.script(says(json.dumps({"thoughts": "", "papers": [{"number": 3, "heading": "", "why": "paid for"}]})))
    argv = ["list", "neural parsing", "-n", "4", "--model", "--yes", "--json"]
    dies = (
        "import os\n"
        "from litterm.cli.main import main\n"
        "from litterm.reading_lists.reading_lists import ReadingLists\n"
        "ReadingLists._save = lambda *_: os.kill(os.getpid(), 9)\n"
        f"main({argv!r})\n"
    )
    environ = {**os.environ, "LITTERM_HOME": str(home)}
    assert subprocess.run([sys.executable, "-c", dies], env=environ, capture_output=True).returncode == -9
    asked = len(model_server.asked)
    assert asked
    assert litterm("list", "--list").out == ""
    made = litterm(*argv)
    assert made.json["papers"][0]["why"] == ["paid for"]  # type: ignore[index]
    assert len(model_server.asked) == asked


def test_a_list_starts_from_what_a_draft_cites(litterm: Run, tmp_path: Path) -> None:
    draft = tmp_path / "draft.tex"
    draft.write_text("Trees are built by networks \\cite{acl:O2,mine}.", "utf-8")
    (tmp_path / "own.bib").write_text(
        "@inproceedings{mine, title={Speech Synthesis for Voice 3}, year={2015}}", "utf-8"
    )
    made = litterm("list", "neural parsing", "-n", "20", "--from", str(draft), "--json")
    titles = {each["title"] for each in made.json["papers"]}  # type: ignore[attr-defined]
    assert {"Speech Synthesis for Voice 2", "Speech Synthesis for Voice 3"} <= titles
    assert "The draft cites 2 papers of the library." in made.err


def test_titles_that_are_not_here_are_looked_up_where_the_user_allows_it(
    litterm: Run, home: Path, model_server: ModelServer, server: WebServer
) -> None:
    write_settings(home / "config.toml", {"model.base_url": model_server.url, "model.model": "tiny-1"})
    missing = ["Parsing Nobody Has Here", "A Title That Was Invented", "Parsing of the Future"]
    reply = {"thoughts": "", "papers": [{"number": 1, "heading": "", "why": ""}], "missing": missing}
    model_server.script(says(json.dumps(reply)))
    there = [
        {"paperId": "a", "corpusId": 1, "title": "Parsing nobody has here", "year": 2019},
        {"paperId": "b", "corpusId": 2, "title": "Parsing of the Future", "year": 2024},
    ]

    def answer(asked: Asked) -> Page:
        return as_json(
            {"total": 1, "data": [each for each in there if each["title"].lower() == asked.one("query").lower()]}
        )  # type: ignore[attr-defined]

    server.on("*", as_json({"results": [], "meta": {}}))
    server.on("/s2/paper/search", answer)
    made = litterm("list", "neural parsing", "-n", "4", "--until", "2021", "--model", "--yes", "--online", "--json")
    assert made.status == 0, made.err
    titles = [each["title"] for each in made.json["papers"]]  # type: ignore[attr-defined]
    assert "Parsing nobody has here" in titles
    assert not {"A Title That Was Invented", "Parsing of the Future"} & set(titles)
    assert "Left out: 2 titles that the model named, not found in the library or in a service." in made.err
    assert litterm("show", "s2:1", "--json").json["title"] == "Parsing nobody has here"


def test_online_goes_with_a_model_and_a_network(litterm: Run) -> None:
    assert litterm("list", "neural parsing", "--online").status == 2
    assert litterm("--offline", "list", "neural parsing", "--online", "--model").status == 2
