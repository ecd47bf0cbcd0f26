"""`litterm ask`: the sentences that answer, their form, and the exit status where the library does not say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from answering import LOWERED, NO_EFFECT, NULL, QUESTION, answering_engine
from commands import Done, done

from litterm.cli.main import main

OF_ANOTHER_FIELD = "Which team won the football championship of 1998?"


@pytest.fixture
def ask(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """`litterm ask ...` over the papers on holy basil."""
    engine = answering_engine(tmp_path / "answering")

    def command(*argv: str) -> Done:
        return done(main(["ask", *argv], build=lambda _settings: engine), capsys)

    return command


def test_every_sentence_has_its_paper_place_and_key(ask: Callable[..., Done]) -> None:
    answer = ask(QUESTION)
    assert answer.status == 0
    assert answer.out.startswith(f"{QUESTION}\nlooked for: holy basil lower fasting blood glucose")
    assert LOWERED in answer.out and NO_EFFECT in answer.out
    assert "Rao3 · Trials 2021 · Abstract ¶1 s3 · rao3-2021-leaves · pmc:PMC3" in answer.out
    assert "3 papers read, 1 of them as full text" in answer.out


def test_json_has_the_documented_fields(ask: Callable[..., Done]) -> None:
    answer = ask(QUESTION, "--json", "-k", "2").json
    assert list(answer) == [
        *("question", "hypotheses", "by", "papers_read", "full_texts", "probability", "silence", "unknown_words"),
        *("groups", "notices"),
    ]
    groups = answer["groups"]
    assert isinstance(groups, list)
    sentences = [sentence for group in groups for sentence in group["sentences"]]
    assert 0 < len(sentences) <= 2 and answer["silence"] is None
    assert list(sentences[0]) == [
        *("rank", "text", "paper", "title", "year", "key", "locator", "section", "page", "kind", "index", "document"),
        *("origin", "probability", "strength", "closeness", "side", "likely_stance", "warning", "restatements"),
    ]
    assert all(sentence["side"] == group["side"] for group in groups for sentence in group["sentences"])


def test_where_the_library_does_not_say_the_status_is_five_and_nothing_is_printed(ask: Callable[..., Done]) -> None:
    silent = ask(OF_ANOTHER_FIELD)
    assert (silent.status, silent.out) == (5, "") and "The library does not say" in silent.err
    in_json = ask(OF_ANOTHER_FIELD, "--json")
    assert in_json.status == 5 and in_json.json["groups"] == [] and in_json.json["silence"]


def test_options_filter_as_in_a_search(ask: Callable[..., Done]) -> None:
    answer = ask(QUESTION, "--year", "2021", "--json").json
    assert answer["question"] == QUESTION and answer["papers_read"] == 1
    assert {s["paper"] for group in answer["groups"] for s in group["sentences"]} == {NULL.id}  # type: ignore[attr-defined]
    assert ask(QUESTION, "--full-text", "--papers", "1", "--json").json["full_texts"] == 1


def test_a_question_is_needed_and_must_be_readable(ask: Callable[..., Done]) -> None:
    assert ask().status == 2
    assert ask("what is it?").status == 2
    wrong = ask(QUESTION, "--year", "soon")
    assert wrong.status == 2 and "--year" in wrong.err


def test_a_retracted_paper_is_marked(ask: Callable[..., Done]) -> None:
    assert "rao3-2021-leaves · pmc:PMC3 · RETRACTED" in ask(QUESTION).out
