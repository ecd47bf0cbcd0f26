"""`litterm ask --model`: what is written, checked, struck out, kept, and said where the model fails."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from answering import DIFFERING, FALL, NO_QUOTE, QUESTION, TOO_WIDE, TRUE, TURNED, answering_engine, writing_model
from commands import Done, done
from fakes_model_server import ModelServer, says

from litterm.cli.main import main
from litterm.model.paper import PaperId

Ask = Callable[..., Done]


@pytest.fixture
def ask(home: Path, tmp_path: Path, model_server: ModelServer, capsys: pytest.CaptureFixture[str]) -> Ask:
    """`litterm ask ... --model` over the papers on holy basil."""
    model_server.brain = writing_model
    engine = answering_engine(tmp_path / "answering", model_server.url)

    def command(*argv: str) -> Done:
        return done(main(["ask", QUESTION, "--model", *argv], build=lambda _settings: engine), capsys)

    return command


def test_what_stands_has_its_quotes_and_what_fails_is_struck_out_with_the_reason(ask: Ask) -> None:
    answer = ask()
    assert answer.status == 0
    for sentence in (TRUE, FALL, DIFFERING, NO_QUOTE):
        assert f"  -  {sentence}" in answer.out
    assert f"  x  struck out: {TURNED}" in answer.out and "(direction, by rule)" in answer.out
    assert f"  x  struck out: {TOO_WIDE}" in answer.out and "only glucose fell (scope, tiny-1)" in answer.out
    # The paragraphs stand in their order, whatever that of the reply.
    assert answer.out.index(FALL) < answer.out.index(TOO_WIDE)
    assert "where the papers differ" in answer.out and "RETRACTED" in answer.out


def test_the_request_that_checks_sees_one_sentence_and_its_quotes_only(ask: Ask, model_server: ModelServer) -> None:
    ask()
    first, *checks = [asked for asked in model_server.chats if asked.body.get("response_format")]
    assert "RETRACTED." in first.last and QUESTION in first.last
    # Four sentences stand by rule; the turned one is not asked about.
    assert len(checks) == 4
    assert all(QUESTION not in asked.last and TURNED not in asked.last for asked in checks)
    assert sum(TRUE in asked.last for asked in checks) == 1


def test_asked_again_the_replies_are_kept_and_nothing_is_sent(ask: Ask, model_server: ModelServer) -> None:
    before = ask().out.partition("points")[2]
    sent = len(model_server.chats)
    assert ask().out.partition("points")[2] == before and len(model_server.chats) == sent
    assert ask("--no-cache").status == 0 and len(model_server.chats) > sent


def test_a_dry_run_prints_the_request_and_sends_nothing(ask: Ask, model_server: ModelServer) -> None:
    shown = ask("--dry-run")
    assert "The quotes are numbered" in shown.out and "nothing was sent" in shown.err
    assert not model_server.chats


def test_latex_cites_what_stands_and_comes_with_its_bibliography(ask: Ask, tmp_path: Path) -> None:
    file = tmp_path / "answer.tex"
    assert ask("--latex", "-o", str(file)).status == 0
    text, entries = file.read_text(), file.with_suffix(".bib").read_text()
    assert "diabetes~\\cite{rao1-2018-holy,rao2-2020-second}." in text
    assert f"% Struck out: {TURNED}" in text and f"\\item {TURNED}" not in text
    assert "{rao1-2018-holy," in entries and "{rao3-2021-leaves," in entries


def test_markdown_strikes_out_and_quotes(ask: Ask) -> None:
    text = ask("--md").out
    assert f"- {TRUE} [@rao1-2018-holy] [@rao2-2020-second]" in text and f"- ~~{TURNED}~~" in text


def test_json_has_the_documented_fields(ask: Ask) -> None:
    answer = ask("--json").json
    assert list(answer) == [
        *("question", "by", "papers_read", "full_texts", "parts", "gaps", "quotes", "offline"),
        *("calls", "tokens", "dollars", "notices"),
    ]
    parts = answer["parts"]
    assert isinstance(parts, list)
    assert [part["kind"] for part in parts] == ["points", "paragraph", "paragraph", "disagreement"]
    assert list(parts[0]["sentences"][0]) == ["text", "quotes", "struck", "checked", "faults"]
    assert [each["struck"] for each in parts[0]["sentences"]] == [False, True]


def test_where_the_model_fails_the_answer_is_the_one_without_it(ask: Ask, model_server: ModelServer) -> None:
    model_server.brain = lambda _asked: says("I would rather not.")
    answer = ask()
    assert answer.status == 0 and "looked for: holy basil" in answer.out
    assert "so this is the answer without one" in answer.err


def test_nothing_is_asked_where_the_library_is_of_another_field(
    home: Path, tmp_path: Path, model_server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    engine = answering_engine(tmp_path / "answering", model_server.url)
    other = ["ask", "Which team won the football championship of 1998?", "--model"]
    silent = done(main(other, build=lambda _settings: engine), capsys)
    assert silent.status == 5 and not model_server.chats


def test_an_answer_is_kept_in_the_project_with_its_decisions(
    ask: Ask, tmp_path: Path, model_server: ModelServer
) -> None:
    ask()
    written = answering_engine_again(tmp_path, model_server)
    kept = written.kept(QUESTION)
    assert kept is not None and kept.answer.parts[0].sentences[0].text == TRUE
    assert kept.answer.quotes_of(kept.answer.parts[0].sentences[0])[0].paper.id == PaperId("pmc:PMC1")
    assert written.keep(kept.decided(TRUE, "dropped"))
    again = written.kept(QUESTION)
    assert again is not None and TRUE not in [each.text for each in again.shown().sentences]
    assert again.decided(TRUE, "dropped").decisions == {}


def answering_engine_again(tmp_path: Path, model_server: ModelServer):  # type: ignore[no-untyped-def]
    """The operations of another process over the same library."""
    return answering_engine(tmp_path / "answering", model_server.url).written_answers
