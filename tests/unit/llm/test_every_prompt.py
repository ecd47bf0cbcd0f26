"""Every prompt file is sent by some command, and the reply to it is used: a model of files answers them all."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from fakes_model_server import MODEL, ModelServer
from file_model import REPLIES, FileModel, is_request, lines_of, prompt_texts
from sleep_papers import add_sleep_papers

from litterm import build_engine, run
from litterm.cli.main import main
from litterm.core.settings import from_home
from litterm.model.paper import PaperId

CLAIM = "Short naps improve the memory of nouns"
EXCERPT = (
    "People rest at noon. " * 200
    + "Earlier work tells that memory of nouns is better after a short nap at noon [CITATION], which we repeat."
)
PHONES = {"id": "acl:D18-0003", "title": "Attention is enough for toys", "authors": ["Di Nash"], "year": 2018}
CITING_PHONES = {
    "id": "acl:2020.acl-main.9",
    "title": "Gadgets at work",
    "authors": ["Olga Own"],
    "year": 2020,
    "references": [{"title": PHONES["title"], "authors": ["Di Nash"], "year": 2018, "ids": [PHONES["id"]]}],
    "sections": [
        {
            "title": "Introduction",
            "text": "Long inputs reduce the accuracy of recurrent networks on phones (Nash, 2018).",
        }
    ],
}
ABSTRACT_ONLY = {
    "id": "acl:D18-0004",
    "title": "Telephones at home",
    "authors": ["Eve Nash"],
    "year": 2018,
    "abstract": "Telephones at home distract readers. Readers without one read faster.",
}
TOPIC = "sleep, naps and memory of nouns"


@dataclass(frozen=True)
class Case:
    """A command that asks a model."""

    argv: tuple[str, ...]
    shows: Mapping[str, str]
    """By prompt, what comes out because of the reply to it, and not without one."""
    switches: Mapping[str, object] = field(default_factory=dict)
    """Of the model."""
    accepted: bool = False
    """Whether the user accepted a sentence of another paper before."""


CASES = {
    "doctor": Case(("doctor",), {"prove": "structured by JSON schema"}),
    "rewrite": Case(("search", "--rewrite", "naps at noon"), {"query-rewrite": "recall after rest at noon"}),
    "rerank": Case(("search", "--rerank", "--", "sleep of adults"), {"rank-papers": "ranked by the reply of a file"}),
    "form told in words": Case(
        ("search", "--rerank", "--", "sleep of adults"),
        {"rank-papers": "ranked by the reply of a file"},
        {"knows_forms": False, "first_as_prose": True},
    ),
    "decompose": Case(
        ("search", "--decompose", "--", "naps of adults and memory of nouns"),
        {"aspects-split": "Memory for nouns is measured by the reply"},
    ),
    "grade": Case(
        ("search", "--grade", "--json", "--", "naps of adults || memory of nouns"),
        {"aspects-grade": "graded by the reply"},
    ),
    "grade of a title": Case(
        ("search", "--grade", "--json", "--", "attention for toys || toys"),
        {"aspects-grade": "graded by the reply"},
    ),
    "sections": Case(
        ("evidence", "doi:10.1234/naps", CLAIM, "--strategy", "sections", "--reasons", "-k", "1"),
        {"evidence-section": "picked by the section reply", "evidence-choose": "We tested 40 healthy adults"},
    ),
    "whole": Case(
        ("evidence", "doi:10.1234/naps", CLAIM, "--strategy", "whole", "--results", "--reasons", "-k", "1"),
        {"evidence-whole": "picked by the whole reply"},
    ),
    "title alone": Case(
        ("evidence", PHONES["id"], "Attention is enough", "--strategy", "whole", "--reasons"),
        {"evidence-whole": "picked at once"},
    ),
    "abstract alone": Case(
        ("evidence", ABSTRACT_ONLY["id"], "Telephones distract readers", "--strategy", "whole", "--reasons"),
        {"evidence-whole": "picked at once"},
    ),
    "examples": Case(
        ("evidence", "doi:10.1234/naps", CLAIM, "--strategy", "whole+examples", "--reasons"),
        {"evidence-whole": "picked at once"},
    ),
    "example of results": Case(
        ("evidence", "doi:10.1234/naps", CLAIM, "--strategy", "sections+examples", "--results", "--reasons"),
        {"evidence-section": "picked by the section reply"},
    ),
    "accepted examples": Case(
        ("evidence", "doi:10.1234/naps", CLAIM, "--strategy", "whole+examples", "--reasons"),
        {"evidence-whole": "picked at once"},
        accepted=True,
    ),
    "negate": Case(
        ("evidence", "doi:10.1234/naps", CLAIM, "--negate", "--strategy", "whole"),
        {"evidence-negate": "Naps do not help, says the reply."},
    ),
    "study aspects": Case(
        ("evidence", "doi:10.1234/naps", CLAIM, "--model", "--aspects", "--json"),
        {
            "study-split": "The reply names forty adults",
            "study-leak": "1 study aspect of the model held more",
            "study-align": '"aligned_by": "tiny-1"',
        },
    ),
    "columns": Case(
        ("extract", "--columns", "sample size", "--papers", "doi:10.1234/naps", "--model"),
        {"columns": "sample size: 40 healthy adults · tiny-1"},
    ),
    "citing sentence": Case(
        ("evidence", "--from", "doi:10.1234/review:4", "--model"),
        {
            "citing-purpose": "Rests help people remember, says the reply.",
            "citing-hypothesis": "Rests help people remember, says the reply.",
        },
    ),
    "questions": Case(
        ("make", "questions", "-o", "FILE", "--model", "--yes"),
        {"make-questions": "Who rests at noon, asks the reply?"},
    ),
    "excerpts": Case(
        ("make", "excerpts", "-o", "FILE", "--model", "--yes"), {"make-recall": "knows the cited paper by heart"}
    ),
    "hypotheses": Case(
        ("make", "hypotheses", "-o", "FILE", "--model", "--yes"),
        {
            "make-purpose": "Rests help people, claims the reply.",
            "make-hypothesis": "Rests help people, claims the reply.",
        },
    ),
    "list": Case(("list", TOPIC, "--model", "--sections", "-n", "3"), {"reading-list": "Heading of the reply"}),
    "ask": Case(
        ("ask", "Do short naps improve the memory of nouns in adults?", "--model"),
        {"answer-write": "writes the reply", "answer-check": "more than the quote, says the reply"},
    ),
    "agent": Case(("cite", EXCERPT, "--agent"), {"cite-agent": "selected by the reply"}),
    "agent whose first call does not fit": Case(
        ("cite", EXCERPT, "--agent"), {"cite-agent": "selected by the reply"}, {"variant": "bad-call"}
    ),
    "agent that only searches": Case(
        ("cite", EXCERPT, "--agent", "--search-only"),
        {"cite-agent": "selected by the reply"},
        {"variant": "search-only"},
    ),
    "agent without commands": Case(
        ("cite", EXCERPT, "--agent", "--no-commands"), {"cite-title": "remembered by the reply"}
    ),
}
Ask = Callable[[Case, FileModel], str]


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("prompts")
    home = add_sleep_papers(root)
    (root / "rows.jsonl").write_text(
        "\n".join(map(json.dumps, (PHONES, CITING_PHONES, ABSTRACT_ONLY))), encoding="utf-8"
    )
    assert main(["--home", str(home), "add", str(root / "rows.jsonl")]) == 0
    return home


@pytest.fixture
def ask(
    imported: Path,
    home: Path,
    tmp_path: Path,
    model_server: ModelServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Ask:
    """Runs a command over a new copy of the library; gives all that comes out."""
    monkeypatch.setenv("LITTERM_STARTER", "false")

    def ask_once(case: Case, model: FileModel) -> str:
        shutil.rmtree(home, ignore_errors=True)
        shutil.copytree(imported, home)
        with (home / "config.toml").open("a") as file:
            file.write(f'[model]\nbase_url = "{model_server.url}"\nmodel = "{MODEL}"\n')
        if case.accepted:
            _accept_a_sentence(home)
        model_server.brain = model
        made = tmp_path / "made"
        made.unlink(missing_ok=True)
        main([str(made) if word == "FILE" else word for word in case.argv])
        told = capsys.readouterr()
        return f"{told.out}{told.err}{made.read_text('utf-8') if made.exists() else ''}"

    return ask_once


def _accept_a_sentence(home: Path) -> None:
    """Accepts the first sentence of the text of a paper that no case asks about."""
    engine = build_engine(from_home(home))
    document = run(engine.read(PaperId("doi:10.1234/review")))
    number = next(row.index for row in document.sentences if row.text.startswith("Bright light"))
    engine.annotations.mark(document, number, "accepted", "Light at night delays sleep")


@pytest.mark.parametrize("name", CASES)
def test_the_reply_to_each_prompt_of_a_command_decides_what_comes_out(name: str, ask: Ask) -> None:
    case = CASES[name]
    model = FileModel(**case.switches)
    told = ask(case, model)
    assert set(case.shows) <= set(model.answered), told
    for prompt, words in case.shows.items():
        assert words in told, told
        silent = ask(case, FileModel(without=frozenset({prompt}), **case.switches))
        assert words not in silent, prompt


def test_every_prompt_file_is_sent_whole_by_some_command(ask: Ask) -> None:
    sent: list[str] = []
    for case in CASES.values():
        model = FileModel(**case.switches)
        ask(case, model)
        sent += model.texts
    every = "\n".join(sent)
    missing = {name: [line for line in lines_of(text) if line not in every] for name, text in prompt_texts().items()}
    assert {name: lines for name, lines in missing.items() if lines} == {}


def test_every_prompt_that_is_a_request_has_a_reply_and_a_command_that_shows_it() -> None:
    requests = {name for name, text in prompt_texts().items() if is_request(text)}
    assert {path.stem.partition(".")[0] for path in REPLIES.glob("*.json")} == requests
    assert {prompt for case in CASES.values() for prompt in case.shows} == requests
