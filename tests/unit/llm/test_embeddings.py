from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from fakes_model_server import ModelServer, Received, Script, answers, busy, vectors
from model_clients import Clock, settings_for

from litterm.core.errors import CapReached, DryRun, ModelOffline, NoModelServer, UsageError
from litterm.core.settings import from_home
from litterm.core.tasks import run
from litterm.llm.embeddings import EndpointEmbedder
from litterm.llm.factory import open_embedder, why_no_embedder
from litterm.llm.registry import Models
from litterm.model.events import Event, OutgoingRequest


def by_length(asked: Received) -> Script:
    """A text's vector says how long it is."""
    return vectors([(len(text), 1.0, 0.0) for text in asked.body["input"]])


@pytest.fixture
def made(tmp_path: Path, model_server: ModelServer, model_clock: Clock) -> Iterator[list[EndpointEmbedder]]:
    model_server.embeds = by_length
    kept: list[EndpointEmbedder] = []
    yield kept
    for each in kept:
        each.close()


@pytest.fixture
def embedder(made: list[EndpointEmbedder], tmp_path: Path, model_server: ModelServer, model_clock: Clock):  # type: ignore[no-untyped-def]
    def make(*, fresh: bool = False, **changes: object) -> EndpointEmbedder:
        settings = settings_for(tmp_path, model_server.url, embedding="nomic", **changes)
        found = open_embedder(settings, {}, model_clock.nature, fresh=fresh)
        assert found is not None
        made.append(found)
        return found

    return make


def test_texts_become_unit_vectors_in_their_order(embedder, model_server: ModelServer) -> None:  # type: ignore[no-untyped-def]
    found = run(embedder().embed(["aaa", "b", "aaa"], kind="paper"))
    assert found.dtype == np.float32
    expected = np.array([[3, 1, 0], [1, 1, 0], [3, 1, 0]]) / np.sqrt([[10], [2], [10]])
    assert found == pytest.approx(expected, abs=1e-6)
    assert model_server.asked[-1].body == {"model": "nomic", "input": ["aaa", "b"]}
    assert model_server.asked[-1].path == "/v1/embeddings"


def test_no_texts_ask_nothing(embedder, model_server: ModelServer) -> None:  # type: ignore[no-untyped-def]
    assert len(run(embedder().embed([], kind="paper"))) == 0
    assert model_server.asked == []


def test_what_was_embedded_is_kept_for_the_next_run(embedder, model_server: ModelServer) -> None:  # type: ignore[no-untyped-def]
    first = run(embedder().embed(["aaa", "b"], kind="paper"))
    asked = len(model_server.asked)
    again = embedder()
    assert again.estimate(["aaa", "b", "cc"]).cached == 2
    assert run(again.embed(["aaa", "b"], kind="query")) == pytest.approx(first)
    assert len(model_server.asked) == asked
    assert run(embedder(fresh=True).embed(["b"], kind="query")) == pytest.approx(first[1:])
    assert len(model_server.asked) == asked + 1


def test_many_texts_go_in_several_requests(embedder, model_server: ModelServer) -> None:  # type: ignore[no-untyped-def]
    one = embedder()
    assert one.estimate(["x" * n for n in range(1, 71)]).calls == 3
    assert len(run(one.embed(["x" * n for n in range(1, 71)], kind="paper"))) == 70
    assert [len(each.body["input"]) for each in model_server.asked] == [32, 32, 6]


def test_a_busy_server_is_asked_again(embedder, model_server: ModelServer, model_clock: Clock) -> None:  # type: ignore[no-untyped-def]
    answered = [busy("2"), vectors([(1.0, 0.0)])]
    model_server.embeds = lambda _asked: answered.pop(0)
    assert run(embedder().embed(["a"], kind="query")).tolist() == [[1.0, 0.0]]
    assert sum(model_clock.slept) == pytest.approx(2, abs=1)


@pytest.mark.parametrize(
    "body",
    [
        {"data": []},
        {"data": [{"index": 0, "embedding": [0.0, 0.0]}]},
        {"data": [{"index": 0, "embedding": ["a"]}]},
        {"data": "none"},
        {"unheard": 1},
        [1],
    ],
)
def test_an_answer_without_vectors_is_no_answer(embedder, model_server: ModelServer, body: object) -> None:  # type: ignore[no-untyped-def]
    model_server.embeds = lambda _asked: answers(200, body)
    with pytest.raises(NoModelServer, match=r"model\.embedding"):
        run(embedder().embed(["a"], kind="query"))


def test_a_server_without_embeddings_says_so(embedder, model_server: ModelServer) -> None:  # type: ignore[no-untyped-def]
    model_server.embeds = None
    with pytest.raises(NoModelServer):
        run(embedder().embed(["a"], kind="query"))


def test_a_cap_holds_before_anything_is_sent(embedder, model_server: ModelServer) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(CapReached):
        run(embedder(run_tokens=5).embed(["a long text of many letters, more than five tokens"], kind="paper"))
    assert model_server.asked == []


def test_a_dry_run_shows_the_request_and_sends_none(embedder, model_server: ModelServer) -> None:  # type: ignore[no-untyped-def]
    events: list[Event] = []
    with pytest.raises(DryRun):
        run(embedder(dry_run=True).embed(["secret text"], kind="query"), events.append)
    shown = [event.text for event in events if isinstance(event, OutgoingRequest)]
    assert len(shown) == 1 and "secret text" in shown[0] and "/v1/embeddings" in shown[0]
    assert model_server.asked == []


def test_without_an_embedding_model_it_is_said_how_to_name_one(tmp_path: Path) -> None:
    plain = from_home(tmp_path)
    assert "model.embedding" in why_no_embedder(plain)
    with pytest.raises(UsageError, match=r"model\.embedding"):
        Models(plain).embedder()
    elsewhere = settings_for(tmp_path, "https://models.example.org/v1", embedding="nomic")
    from dataclasses import replace

    with pytest.raises(ModelOffline, match="offline"):
        Models(replace(elsewhere, offline=True)).embedder()


def test_a_kept_vector_lies_in_a_folder_named_by_the_first_two_letters_of_its_key(  # type: ignore[no-untyped-def]
    embedder, tmp_path: Path
) -> None:
    run(embedder().embed(["one"], kind="query"))
    (kept,) = [path for path in tmp_path.rglob("*.json") if len(path.stem) == 64]
    assert kept.parent.name == kept.stem[:2]
